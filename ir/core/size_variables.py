"""The size variables of a graph: which there are, and others in their places."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ir.core.expr import Expr, postorder, transform
from ir.core.sizes import Size
from ir.core.types import ArrayType, TupleType, Type, substitute_in_type

__all__ = ["sizes_in", "substitute_sizes"]


def sizes_in(root: Expr) -> set[Size]:
    """The size variables in a graph's types and parameters."""
    found: set[Size] = set()

    def note(part: Any) -> None:
        if isinstance(part, Size):
            found.update(part.variables)
        elif isinstance(part, ArrayType):
            note(part.length)
            note(part.element)
        elif isinstance(part, TupleType):
            for component in part.elements:
                note(component)

    for node in postorder(root):
        note(node.type)
        for parameter in node.parameters:
            note(parameter)
    return found


def substitute_sizes(root: Expr, sizes: Mapping[Size, Size]) -> Expr:
    """Replace size variables in every type and parameter of a graph."""
    types: dict[Type, Type] = {}

    def in_type(t: Type) -> Type:
        found = types.get(t)
        if found is None:
            found = types[t] = substitute_in_type(t, sizes, in_type)
        return found

    def in_parameter(p: Any) -> Any:
        if isinstance(p, Size):
            return p.substitute(sizes)
        if isinstance(p, Type):
            return in_type(p)
        if isinstance(p, tuple):
            return tuple(in_parameter(part) for part in p)
        return p

    def visit(node: Expr, operands: tuple[Expr, ...]) -> Expr:
        parameters = in_parameter(node.parameters)
        if operands == node.operands and parameters == node.parameters:
            return node
        return node._make(operands, parameters)

    return transform(root, visit, lambda e: False)
