"""Which results must be right to the last bit whatever the order of additions was: those of numbers with few digits.

Where all terms of a sum are multiples of one power of two, and no sum of some of them needs more digits than the dtype
has, every addition is exact. So a result that a candidate computes in another order is equal, or it is wrong.

A scalar is described by its `Grid`, a tuple by a tuple of descriptions, an array by that of its elements. `ROUNDED` is
a quotient or product of exact numbers, a few units in the last place off at most; None stands for what may be further.
"""

from __future__ import annotations

from collections import ChainMap
from collections.abc import Mapping
from dataclasses import dataclass
from enum import Enum
from fractions import Fraction
from typing import Any, TypeAlias

import numpy as np

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.patterns import Call, Cast, Concat, FromSize, Gather, Generate, Get, Literal, Map, Reduce, Scan, Tuple, Zip
from ir.core.types import ScalarType, Type

__all__ = ["ROUNDED", "Description", "Grid", "described", "flat", "grid_of"]


@dataclass(frozen=True)
class Grid:
    """Multiples of `2**exponent`, of absolute values up to `bound`."""

    exponent: int
    bound: Fraction

    def fits(self, t: ScalarType) -> bool:
        """Does a scalar type hold all of them?"""
        kind = np.dtype(t.name)
        if kind.kind == "f":
            return self.bound < Fraction(2) ** (np.finfo(kind).nmant + 1 + self.exponent) and self.exponent > -60
        return kind.kind == "b" or self.bound <= int(np.iinfo(kind).max) + 1


class Rounded(Enum):
    """The description of what a few operations rounded, none of which cancels digits."""

    ROUNDED = "rounded"


ROUNDED = Rounded.ROUNDED
Description: TypeAlias = "Grid | Rounded | tuple[Description, ...] | None"

_FINEST = 12
"""Digits behind the binary point that are looked for."""

_EXTREMES = {"minimum", "maximum"}
_SAME = {"abs", "negative"}


def grid_of(values: np.ndarray[Any, Any]) -> Grid | None:
    """The coarsest grid that holds some values; None where they have many digits, or are not finite."""
    if values.dtype.kind in "biu":
        numbers = values.astype(object) if values.dtype.kind != "b" else values.astype(np.int64)
        return Grid(0, Fraction(int(np.max(np.abs(numbers), initial=0))))
    wide = values.astype(np.float64)
    if not np.isfinite(wide).all():
        return None
    for exponent in range(_FINEST + 1):
        scaled = wide * 2.0**exponent
        if (scaled == np.rint(scaled)).all():
            return Grid(-exponent, Fraction(float(np.max(np.abs(wide), initial=0))))
    return None


def described(e: Expr, inputs: Mapping[str, Description], sizes: Mapping[str, int]) -> Description:
    """The description of an expression's value, given those of its inputs by name."""
    return _describe(e, ChainMap(), inputs, sizes)


_Known: TypeAlias = "ChainMap[Expr, Description]"


def _describe(e: Expr, known: _Known, inputs: Mapping[str, Description], sizes: Mapping[str, int]) -> Description:
    """Walks the expression iteratively; calls itself for the body of a function only."""
    for node in postorder(e, lambda x: isinstance(x, Lambda)):
        if node not in known and not isinstance(node, Lambda):
            known[node] = _checked(node, _node(node, known, inputs, sizes))
    return known[e]


def flat(found: Description) -> list[Description]:
    """The descriptions of a value's components."""
    return [part for item in found for part in flat(item)] if isinstance(found, tuple) else [found]


def _checked(node: Expr, found: Description) -> Description:
    """None for a scalar that its type does not hold."""
    outside = isinstance(found, Grid) and isinstance(node.type, ScalarType) and not found.fits(node.type)
    return (ROUNDED if node.type.is_float else None) if outside else found  # type: ignore[attr-defined]  # a scalar


def _node(node: Expr, known: _Known, inputs: Mapping[str, Description], sizes: Mapping[str, int]) -> Description:
    match node:
        case Param():
            return inputs.get(node.identifier)
        case Literal():
            return grid_of(np.asarray(node.value))
        case FromSize():
            return Grid(0, Fraction(abs(node.value.evaluate(sizes))))
        case Cast():
            return _cast(node, known[node.operand])
        case Call():
            return _call(node.op, [known[x] for x in node.operands], node.type)
        case Tuple():
            return tuple(known[x] for x in node.operands)
        case Get(index, operand):
            found = known[operand]
            return found[index] if isinstance(found, tuple) else None
        case Zip():
            return tuple(known[x] for x in node.operands)
        case Concat():
            parts = [known[x] for x in node.operands]
            found = parts[0]
            for part in parts[1:]:
                found = _either(found, part)
            return found
        case Gather(xs, _):
            return known[xs]
        case Generate(count, Lambda() as f):
            variables, body = f.open()
            indices = Grid(0, Fraction(max(0, count.evaluate(sizes) - 1)))
            return _describe(body, known.new_child({variables[0]: indices}), inputs, sizes)
        case Map(Lambda() as f, xs):
            return _applied(f, (known[xs],), known, inputs, sizes)
        case Reduce(Lambda() as f, init, xs) | Scan(Lambda() as f, init, xs):
            length = xs.type.length.evaluate(sizes)  # type: ignore[attr-defined]  # it folds an array
            return _folded(f, known[init], known[xs], length)
        case _ if node.traits.view and node.traits.natural:
            return known[node.operands[-1]]
    return None


def _applied(
    f: Lambda, arguments: tuple[Description, ...], known: _Known, inputs: Mapping[str, Description],
    sizes: Mapping[str, int],
) -> Description:  # fmt: skip
    variables, body = f.open()
    if len(variables) > len(arguments):  # it takes a tuple apart
        (argument,) = arguments
        if not isinstance(argument, tuple) or len(argument) != len(variables):
            return None
        arguments = argument
    return _describe(body, known.new_child(dict(zip(variables, arguments, strict=True))), inputs, sizes)


def _cast(node: Cast, operand: Description) -> Description:
    source, target = node.operand.type, node.type
    if not isinstance(operand, Grid) or not isinstance(source, ScalarType) or not isinstance(target, ScalarType):
        return None
    if target.is_float or not source.is_float:
        return _wrapped(operand, target) if source.is_float or source.is_signed else operand
    return _wrapped(Grid(0, operand.bound), target)  # truncated


def _wrapped(value: Grid, t: Type) -> Grid:
    """What a value that may be below zero is as one of that type: of an unsigned one, any number."""
    if not isinstance(t, ScalarType) or t.is_float or t.is_signed or t.name == "bool":
        return value
    return Grid(0, Fraction(int(np.iinfo(t.name).max) + 1))


def _call(op: str, operands: list[Description], t: Type) -> Description:
    if op == "select" and isinstance(operands[0], Grid):  # which of the two it is, is not in doubt
        return _either(operands[1], operands[2])
    grids = [x for x in operands if isinstance(x, Grid)]
    if len(grids) < len(operands):
        near = all(isinstance(x, (Grid, Rounded)) for x in operands)
        return ROUNDED if near and op in _KEEPING_DIGITS else None
    exponent = min(x.exponent for x in grids)
    match op:
        case "subtract":
            return _wrapped(Grid(exponent, grids[0].bound + grids[1].bound), t)
        case "negative":
            return _wrapped(grids[0], t)
        case "add":
            return Grid(exponent, grids[0].bound + grids[1].bound)
        case "multiply":
            return Grid(grids[0].exponent + grids[1].exponent, grids[0].bound * grids[1].bound)
        case "floor" | "ceil" | "trunc":
            return Grid(0, grids[0].bound + 1)
        case _ if op in _SAME:
            return grids[0]
        case _ if op in _EXTREMES:
            return _either(*grids)
        case _ if op in _TESTS:
            return Grid(0, Fraction(1))
    return ROUNDED if op in _KEEPING_DIGITS else None


_KEEPING_DIGITS = {"multiply", "divide", "sqrt", *_SAME, *_EXTREMES}
"""Functions whose results are as many units in the last place off as their operands, and one more."""

_TESTS = {"equal", "not_equal", "less", "less_equal", "greater", "greater_equal"}


def _either(a: Description, b: Description) -> Description:
    """A value that is one or the other."""
    if isinstance(a, Grid) and isinstance(b, Grid):
        return Grid(min(a.exponent, b.exponent), max(a.bound, b.bound))
    if isinstance(a, (Grid, Rounded)) and isinstance(b, (Grid, Rounded)):
        return ROUNDED
    if isinstance(a, tuple) and isinstance(b, tuple) and len(a) == len(b):
        return tuple(_either(x, y) for x, y in zip(a, b, strict=True))
    return None


def _folded(f: Lambda, init: Description, terms: Description, length: int) -> Description:
    """A sum, or a least or greatest element, of an accumulator's components."""
    if len(f.types) != 2 or f.types[0] is not f.types[1]:
        return None
    (a, b), body = f.open()
    if not isinstance(body, Tuple):
        return _component(body, a, b, init, terms, length, a.type)
    if not isinstance(init, tuple) or not isinstance(terms, tuple):
        return None
    found = []
    for i, part in enumerate(body.operands):
        own, term = Get(i, a), Get(i, b)
        found.append(_component(part, own, term, init[i], terms[i], length, part.type))
    return tuple(found)


def _component(body: Expr, a: Expr, b: Expr, init: Description, terms: Description, length: int, t: Any) -> Description:
    if not isinstance(body, Call) or body.operands not in ((a, b), (b, a)):
        return None
    if not isinstance(terms, Grid) or not isinstance(t, ScalarType):
        return None
    if body.op in _EXTREMES:
        return _either(init, terms) if isinstance(init, Grid) else terms  # an infinity is not chosen
    if body.op != "add" or not isinstance(init, Grid):
        return None
    total = Grid(min(init.exponent, terms.exponent), init.bound + length * terms.bound)
    return total if total.fits(t) else None
