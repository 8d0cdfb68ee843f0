"""Kernels that differ in numbers only: one kernel that reads them.

A loop that adds its index, or multiplies by a step that shrinks, records another constant in each turn, and each would
be another kernel to compile. Where a kernel was asked for with different numbers a few times, those that differed
become inputs: arrays of one element.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass, replace
from functools import lru_cache

from ir.core.expr import Expr, Param, free_inputs, postorder, substitute, transform
from ir.core.patterns import Call, Element, Gather, Generate, Literal, Repeat
from ir.core.scalars import BY_CONSTANT
from ir.core.types import BOOL, ArrayType
from ir.fusion.symbols.symbolise import SymbolicKernel

__all__ = ["Opened", "numbers_apart", "opened"]


@dataclass(frozen=True)
class Opened:
    """A kernel some of whose numbers are inputs.

    Attributes:
        general: the kernel
        inputs: what each of its inputs is: the number of an input of the kernel that it was made of, or a number
    """

    general: SymbolicKernel
    inputs: tuple[int | Literal, ...]


@lru_cache(maxsize=1024)
def numbers_apart(e: Expr) -> tuple[Expr, tuple[Literal, ...]]:
    """The kernel with numbered holes for the numbers of its element-wise functions, and these in order.

    What reductions and scans combine with and begin with stays, since rules ask what it is; so do truth values,
    exponents, and integers where an array's places may be computed from them. Looked at once for all kernels of a
    loop.
    """
    places = any(isinstance(node, (Gather, Generate)) for node in postorder(e))
    found: dict[Literal, Param] = {}

    def visit(node: Expr, operands: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Literal):
            if node.dtype is BOOL or not (node.dtype.is_float or not places):
                return node
            return found.setdefault(node, Param(f"number {len(found)}", node.dtype))
        kept = _kept(node)
        new = tuple(
            [old if i in kept else made for i, (old, made) in enumerate(zip(node.operands, operands, strict=True))]
        )
        return node if new == node.operands else node._make(new, node.parameters)

    made = transform(e, visit, lambda node: False)
    used = {node for node in postorder(made) if isinstance(node, Param)}
    holes = {hole: literal for literal, hole in found.items() if hole in used}
    renamed = {hole: Param(f"number {i}", hole.type) for i, hole in enumerate(holes)}
    return substitute(made, renamed) if renamed else made, tuple(holes.values())


def _kept(node: Expr) -> Collection[int]:
    """The operands of a pattern in which numbers stay."""
    match node:
        case Repeat(_, Literal()):
            return (0,)
        case Call() if node.op in BY_CONSTANT:
            return [i for i, x in enumerate(node.operands) if isinstance(x, Literal)]
    if node.traits.collective or isinstance(node, Generate):
        return [i for i, name in enumerate(node.operand_names) if i in node.function_operands or name == "init"]
    return ()


def opened(general: SymbolicKernel, numbers: tuple[Literal, ...], apart: Expr, which: Collection[int]) -> Opened:
    """The kernel with the numbers of those places as inputs.

    Args:
        numbers, apart: of `numbers_apart`
    """
    values = {Param(f"number {i}", literal.dtype): literal for i, literal in enumerate(numbers)}
    arrays = {hole: Param(f"{hole.identifier} in memory", ArrayType(hole.type, 1)) for hole in values}
    filling: dict[Expr, Expr] = {
        hole: Element(0, arrays[hole]) if i in which else literal for i, (hole, literal) in enumerate(values.items())
    }
    old = {p: i for i, p in enumerate(free_inputs(general.expr))}
    origin: dict[Param, int | Literal] = dict(old)
    origin.update({arrays[hole]: literal for hole, literal in values.items()})
    filled = substitute(apart, filling)
    order = free_inputs(filled)
    names: dict[Expr, Expr] = {p: Param(f"x{i}", p.type) for i, p in enumerate(order)}
    return Opened(replace(general, expr=substitute(filled, names)), tuple(origin[p] for p in order))
