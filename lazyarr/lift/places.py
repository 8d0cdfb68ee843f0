"""Where in an expression a rule applies, and with which parameters: what `lift.derive` shows and looks up."""

from __future__ import annotations

import inspect
import itertools
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

from ir.core.expr import Expr, Param, postorder, substitute
from ir.core.notation.printer import show
from ir.core.sizes import Size, SizeError, size
from ir.core.types import ArrayType, FunctionType, TupleType, Type, shape_of
from ir.errors import TypeMismatch
from ir.rewrite.rule import RULES, Context, Rule
from ir.rewrite.strategy import Path, enter

__all__ = ["Application", "Applications", "Place", "applications", "described", "fires", "place_at", "places"]

_INTEGERS = (0, 1, 2, 3, 4, 5, 8, 16)
_SIZES = (1, 2, 4, 8, 16, 32, 64, 128)
"""Constants that are tried for a parameter that is a length; the lengths in the expression are tried besides."""

_EXAMPLES = 4


class Place(NamedTuple):
    """A node of an expression with its path from the root and the patterns that enclose it."""

    path: Path
    node: Expr
    context: Context


def places(root: Expr) -> Iterator[Place]:
    """The places of an expression, users before operands; scalar code holds none.

    A node that is used several times in one context is given once, at its first path: expressions are graphs, and have
    many more paths than nodes.
    """
    seen: set[tuple[Expr, Context]] = set()
    pending = [Place((), root, ())]
    while pending:
        place = pending.pop()
        path, node, context = place
        if (node, context) in seen or not (node.patterned or isinstance(node.type, ArrayType)):
            continue
        seen.add((node, context))
        yield place
        indices = reversed(range(len(node.operands)))
        pending.extend(Place((*path, index), *enter(node, index, context)) for index in indices)


def place_at(root: Expr, path: Path) -> Place | None:
    """The place at that path, None where the path leaves the expression."""
    node, context = root, ()
    for index in path:
        if not 0 <= index < len(node.operands):
            return None
        node, context = enter(node, index, context)  # type: ignore[assignment]  # a context of any length
    return Place(path, node, context)


def described(e: Expr, limit: int = 72) -> str:
    """A sub-expression as one line, the variables of the functions around it under readable names."""
    variables = [node for node in postorder(e) if isinstance(node, Param)]
    taken = {p.identifier for p in variables if not p.binder}
    names = (f"{letter}{number or ''}" for number in itertools.count() for letter in ("chunk", "x"))
    renamed: dict[Any, Expr] = {}
    for p in variables:
        if p.binder:
            name = next(n for n in names if n not in taken)
            renamed[p] = Param(name, p.type)
    text = show(substitute(e, renamed) if renamed else e, 200)
    return text if len(text) <= limit else text[: limit - 1] + "…"


def fires(rule: Rule, place: Place, parameters: Mapping[str, Any]) -> bool:
    """Does the rule apply there with those parameters? Parameters that make no sense there make it not apply."""
    try:
        return rule.rewrite(place.node, place.context, **parameters) is not None
    except (TypeMismatch, SizeError, ZeroDivisionError):
        return False


@dataclass(frozen=True)
class Application:
    """A rule that applies at a place.

    Attributes:
        parameters: the names of the values that it has to be given
        examples: some values for them with which it applies (not all there are); one empty dictionary if it needs none
        text: the sub-expression at the place
    """

    rule: str
    path: Path
    parameters: tuple[str, ...]
    examples: tuple[dict[str, Any], ...]
    text: str

    def __str__(self) -> str:
        shown = [", ".join(f"{k}={v}" for k, v in example.items()) for example in self.examples]
        given = f"({', '.join(self.parameters)})" if self.parameters else ""
        such = f"  for example {'; '.join(shown)}" if self.parameters else ""
        return f"{self.rule}{given} at {self.path}{such}\n    {self.text}"


class Applications(tuple[Application, ...]):
    """What applies where, in the order of the rules' names; prints one entry for each rule and place."""

    __slots__ = ()

    def __repr__(self) -> str:
        return "\n".join(map(str, self)) or "no rule applies"

    __str__ = __repr__


def applications(root: Expr, rule: Rule | None = None) -> Applications:
    """Every rule (or that rule) at every place at which it applies.

    A rule with parameters is tried with small constants and with the lengths that the expression mentions: it is listed
    where one of these fits.
    """
    found = []
    known = list(places(root))
    variables = sorted(size_variables(root), key=lambda v: v.name)
    for each in [rule] if rule is not None else sorted(RULES.values(), key=lambda r: r.name):
        for place in known:
            examples = list(itertools.islice(_fitting(each, place, variables), _EXAMPLES))
            if examples:
                found.append(
                    Application(each.name, place.path, each.parameters, tuple(examples), described(place.node))
                )
    return Applications(found)


def _fitting(rule: Rule, place: Place, variables: list[Size]) -> Iterator[dict[str, Any]]:
    values = [_values(rule, name, place.node, variables) for name in rule.parameters]
    for chosen in itertools.product(*values):
        parameters = dict(zip(rule.parameters, chosen, strict=True))
        if fires(rule, place, parameters):
            yield parameters


def _values(rule: Rule, name: str, node: Expr, variables: list[Size]) -> list[Any]:
    """What to try for a parameter."""
    if name in rule.texts:
        return []
    if name == "dim":
        return [0, 1, 2]  # OpenCL's dimensions
    if is_integer(rule, name):
        return list(_INTEGERS)
    lengths = [length for e in (node, *node.operands) for length in shape_of(e.type)]
    return list(dict.fromkeys([*variables, *lengths, *map(size, _SIZES)]))


def is_integer(rule: Rule, name: str) -> bool:
    """Is the parameter a number, not a length?"""
    return inspect.signature(rule.function).parameters[name].annotation in ("int", int)


def size_variables(e: Expr) -> set[Size]:
    """The size variables that an expression mentions."""
    found: set[Size] = set()
    seen: set[Type] = set()

    def note(part: object) -> None:
        if isinstance(part, Size):
            found.update(part.variables)
        elif isinstance(part, Type) and part not in seen:
            seen.add(part)
            if isinstance(part, ArrayType):
                found.update(part.length.variables)
                note(part.element)
            elif isinstance(part, TupleType):
                for component in part.elements:
                    note(component)
            elif isinstance(part, FunctionType):
                for component in (*part.params, part.result):
                    note(component)

    for node in postorder(e):
        note(node.type)
        for parameter in node.parameters:
            note(parameter)
    return found
