"""What a candidate's result must be: the interpreter's value, and how far floating point may stray from it.

The tolerance follows from the dtype and from how many values are added up. It is relative to the magnitude of the
terms, which is the value of the same expression with absolute values under every sum.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, fun, postorder, transform
from ir.core.interpreter import interpret
from ir.core.patterns import MAP, Call, Generate, Get, Literal, Map, Reduce, Scan, Scatter, Tuple
from ir.core.scalars import OPERATIONS
from ir.core.sizes import Size
from ir.core.types import ScalarType
from ir.rules.common import is_complex_product
from ir.strategies.candidates import Candidates
from lazyarr.execution.choices import Choices, compared
from lazyarr.execution.exactness import ROUNDED, Description, Grid

__all__ = ["Reference", "components", "folds_floats", "multiplies", "work"]

Arrays = dict[str, Any]

_ROUNDINGS = 16
"""Units in the last place allowed where nothing is added up: a function's result may be the value itself."""

_ULPS = 8
"""Units in the last place by which a function of OpenCL's may be off; its specification allows up to 16 for most."""


_VANISHING = 64
"""Smallest normal numbers by which a result may be off behind functions, whose tiny results lose digits or vanish."""


@dataclass(frozen=True)
class Reference:
    """The value of an expression, component by component, with its tolerance.

    tolerances : how far each element may stray; None where a component must agree exactly
    sway : how far the errors of the device's functions, carried through the expression, may move each component; it is
        asked for only where a result is beyond its tolerance
    choices : what an arg-reduction behind such functions chooses among: another index of nearly the same value will do
    """

    values: tuple[np.ndarray[Any, Any], ...]
    tolerances: tuple[np.ndarray[Any, Any] | None, ...]
    sway: Callable[[], tuple[np.ndarray[Any, Any] | None, ...]] | None = None
    choices: Callable[[], Choices] | None = None

    @classmethod
    def of(
        cls, e: Expr, inputs: Arrays, sizes: Mapping[str, int], descriptions: Sequence[Description] = ()
    ) -> Reference:
        """Interpret the expression.

        descriptions : of the components of its value (`lazyarr.execution.exactness`); None: nothing is known
        """
        values = components(interpret(e, inputs, sizes))
        magnitudes = components(interpret(_magnitude(e), inputs, sizes))
        added = max((_length(_folded(x), sizes) for x in postorder(e) if isinstance(x, _FOLDS)), default=1)
        tolerances: list[np.ndarray[Any, Any] | None] = []
        free = multiplies(e)
        if _multiplies_complex(e):  # the parts of a product stray by what its absolute value allows
            largest = np.max([np.abs(value) for value in values if value.dtype.kind == "f"], axis=0)
            magnitudes = [3 * largest for _ in values]
        known = descriptions or [None] * len(values)
        for value, magnitude, description in zip(values, magnitudes, known, strict=True):
            if value.dtype.kind == "f" and isinstance(description, Grid):
                tolerances.append(np.zeros(value.shape))
            elif value.dtype.kind == "f" and description is ROUNDED:
                tolerances.append(_ROUNDINGS * float(np.finfo(value.dtype).eps) * np.abs(value))
            elif value.dtype.kind == "f":
                unit = float(np.finfo(value.dtype).eps)
                with np.errstate(all="ignore"):
                    sums = unit * (_ROUNDINGS + 4 * added**0.5) * np.maximum(np.abs(magnitude), np.abs(value))
                    bound = np.where(np.isfinite(value), sums, 0.0)
                tolerances.append(np.where(free & _extreme(value), np.inf, bound))
            else:
                tolerances.append(None)
        disturbed = _disturbed(e)

        @cache
        def sway() -> tuple[np.ndarray[Any, Any] | None, ...]:
            others = [components(interpret(other, inputs, sizes)) for other in disturbed]
            return tuple(_moved(value, [other[i] for other in others]) for i, value in enumerate(values))

        if not disturbed:
            return cls(tuple(values), tuple(tolerances))
        pairs = compared(Candidates.of(e).normal)
        choices = None if pairs is None else cache(lambda: Choices.of(pairs, disturbed, inputs, sizes))
        return cls(tuple(values), tuple(tolerances), sway, choices)

    @classmethod
    def agreed(cls, values: list[np.ndarray[Any, Any]]) -> Reference:
        """A first candidate's result as the measure of the others, where the interpreter cannot hold the problem."""
        loose = [
            float(np.finfo(v.dtype).eps) * 2**12 * np.maximum(np.abs(v), np.abs(v).max(initial=0))
            if v.dtype.kind == "f" else None
            for v in values
        ]  # fmt: skip
        return cls(tuple(values), tuple(loose))

    def mismatch(self, results: list[np.ndarray[Any, Any]]) -> str | None:
        """None where a result agrees, else where and by how much it does not."""
        for component, (value, tolerance, result) in enumerate(zip(self.values, self.tolerances, results, strict=True)):
            bad = _beyond(value, result, tolerance)
            if bad.any() and tolerance is not None and self.sway is not None:
                moved = self.sway()[component]
                bad = _beyond(value, result, tolerance if moved is None else tolerance + moved)
            if bad.any() and tolerance is None and self.choices is not None:
                bad = self.choices().wrong(component, result, bad)
            if bad.any():
                at = int(np.argmax(bad))
                count = int(np.count_nonzero(bad))
                found = f"expected {value[at]!r}, got {result[at]!r}"
                return f"component {component}, element {at}: {found} ({count} of {value.size} differ)"
        return None


def _beyond(
    value: np.ndarray[Any, Any], result: np.ndarray[Any, Any], tolerance: np.ndarray[Any, Any] | None
) -> np.ndarray[Any, Any]:
    """Which elements of a result are not what they must be."""
    if tolerance is None:
        different: np.ndarray[Any, Any] = value != result
        return different
    with np.errstate(all="ignore"):
        same = (value == result) | (np.isnan(value) & np.isnan(result))
        near = np.isfinite(value) & (np.abs(value - result) <= tolerance)
    beyond: np.ndarray[Any, Any] = ~(same | near | np.isinf(tolerance))
    return beyond


def _moved(value: np.ndarray[Any, Any], others: list[np.ndarray[Any, Any]]) -> np.ndarray[Any, Any] | None:
    """How far a component is moved by all disturbances together."""
    if value.dtype.kind != "f":
        return None
    total = np.full(value.shape, _VANISHING * float(np.finfo(value.dtype).tiny))
    with np.errstate(all="ignore"):
        for other in others:
            total += 4 * np.nan_to_num(np.abs(other - value), nan=0.0, posinf=0.0)
    return total


def components(value: Any) -> list[np.ndarray[Any, Any]]:
    """The arrays of an interpreter's value, flat, in the order of the buffers that hold them."""
    if isinstance(value, tuple):
        return [part for item in value for part in components(item)]
    return [np.asarray(value).reshape(-1)]


def _magnitude(e: Expr) -> Expr:
    """The expression with absolute values under every floating-point sum."""

    def visit(node: Expr, operands: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Lambda):
            return Lambda._make(operands, node.parameters) if operands != node.operands else node
        rebuilt = node._rebuilt(operands) if operands != node.operands else node
        if isinstance(rebuilt, (Reduce, Scan)) and isinstance(rebuilt.f, Lambda) and any(_sums(rebuilt.f)):
            return type(rebuilt)(rebuilt.f, rebuilt.init, Map(_absolute(rebuilt.f), rebuilt.xs, MAP), rebuilt.how)
        if isinstance(rebuilt, Scatter) and isinstance(rebuilt.f, Lambda) and any(_sums(rebuilt.f)):
            return _absolute_scatter(rebuilt, _absolute(rebuilt.f))
        return rebuilt

    return transform(e, visit, lambda node: False)


def _absolute_scatter(e: Scatter, absolute: Lambda) -> Scatter:
    """A scatter of absolute values into absolute values."""
    key = e.key
    assert isinstance(key, Lambda)

    def body(y: Expr) -> Expr:
        pair = key(y)
        return Tuple(Get(0, pair), absolute(Get(1, pair)))

    return Scatter(e.f, fun(key.types, body), Map(absolute, e.xs, MAP), e.ys, e.how)


_FOLDS = (Reduce, Scan, Scatter)
"""Patterns that combine many values into one."""


def _folded(e: Expr) -> Expr:
    """The array of the values that a fold combines."""
    assert isinstance(e, _FOLDS)
    return e.ys if isinstance(e, Scatter) else e.xs


def _sums(f: Lambda) -> tuple[bool, ...]:
    """Which components of an accumulator a function adds to."""
    if f.types[0] is not f.types[1]:
        return (False,)
    parts = f.body.operands if isinstance(f.body, Tuple) else (f.body,)
    return tuple(isinstance(part, Call) and part.op == "add" for part in parts)


def _absolute(f: Lambda) -> Lambda:
    """The absolute values of the components that f adds up."""
    sums = _sums(f)
    if not isinstance(f.body, Tuple):
        return fun(f.types[1], lambda x: Call("abs", x))
    return fun(f.types[1], lambda x: Tuple(*(Call("abs", Get(i, x)) if s else Get(i, x) for i, s in enumerate(sums))))


_FUNCTIONS = {name for name, op in OPERATIONS.items() if op.rule == "float"} | {"pow", "remainder", "floor_divide"}
_ROUNDED = {  # right to the last digit
    "divide", "sqrt", "floor", "ceil", "trunc", "round", "copysign", "nextafter", "fmod",
}  # fmt: skip


_GROUPS = 8
"""The operations of an expression are disturbed in so many groups, one after the other, and the effects added up."""


def _inexact(node: Expr) -> bool:
    t = node.type
    return (
        isinstance(node, Call)
        and node.op in _FUNCTIONS - _ROUNDED
        and isinstance(t, ScalarType)
        and t.is_float
    )  # fmt: skip


def folds_floats(e: Expr) -> bool:
    """Are floating-point numbers combined, in an order that a candidate chooses?"""
    return any(isinstance(x, _FOLDS) and any(_is_float(y) for y in postorder(x.f)) for x in postorder(e))


def multiplies(e: Expr) -> bool:
    """Is there a product of many values? Where one overflows or vanishes on the way depends on the order."""
    folds = (node for node in postorder(e) if isinstance(node, _FOLDS))
    found = (node.f.body for node in folds if isinstance(node.f, Lambda))
    return any(isinstance(body, Call) and body.op == "multiply" for body in found) or _multiplies_complex(e)


def _multiplies_complex(e: Expr) -> bool:
    """Is there a product of many complex numbers?"""
    folds = (node for node in postorder(e) if isinstance(node, (Reduce, Scan)))
    functions = (node.f for node in folds if isinstance(node.f, Lambda) and len(node.f.types) == 2)
    return any(is_complex_product(f.body, f.variables) for f in functions)  # type: ignore[arg-type]  # two variables


def _extreme(value: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """Values at the ends of the range of their dtype."""
    info = np.finfo(value.dtype)
    size = np.abs(value)
    found: np.ndarray[Any, Any] = ~np.isfinite(value) | (size < info.tiny / info.eps) | (size > info.max * info.eps)
    return found


def _disturbed(e: Expr) -> list[Expr]:
    """The expression with some operations off by some units in the last place, each operation once.

    Those are the functions, and what is computed from them: that is rounded anew.
    """
    if not any(_inexact(node) for node in postorder(e)):
        return []
    e = Candidates.of(e).normal  # where element-wise operations meet in one function, so that each is a node of its own
    behind: dict[Expr, None] = {}
    for node in postorder(e):
        if _inexact(node) or (_is_float(node) and any(operand in behind for operand in node.operands)):
            behind[node] = None
    operations = list(behind)
    # Operations of one group must not cancel out, as those at the same place of two copies of a function would.
    random.Random(0).shuffle(operations)
    return [_with_disturbed(e, set(operations[group::_GROUPS])) for group in range(min(_GROUPS, len(operations)))]


def _is_float(node: Expr) -> bool:
    return isinstance(node, Call) and isinstance(node.type, ScalarType) and node.type.is_float


def _with_disturbed(e: Expr, operations: set[Expr]) -> Expr:
    def visit(node: Expr, operands: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Lambda):
            return Lambda._make(operands, node.parameters) if operands != node.operands else node
        rebuilt = node._rebuilt(operands) if operands != node.operands else node
        if node not in operations:
            return rebuilt
        assert isinstance(rebuilt.type, ScalarType)
        factor = 1 + (_ULPS if _inexact(node) else 1) * float(np.finfo(rebuilt.type.name).eps)
        return Call("multiply", rebuilt, Literal(factor, rebuilt.type))

    return transform(e, visit, lambda node: False)


def _length(xs: Expr, sizes: Mapping[str, int]) -> int:
    length: Size = xs.type.length  # type: ignore[attr-defined]  # a reduction reads an array
    return length.evaluate(sizes)


def work(e: Expr, sizes: Mapping[str, int]) -> int:
    """How many elements the interpreter would hold at once for the largest nest of maps."""
    most = 1
    seen: set[tuple[Expr, int]] = set()
    pending = [(e, 1)]
    while pending:
        place = pending.pop()
        if place in seen:
            continue
        seen.add(place)
        node, outer = place
        own = outer
        if isinstance(node, (Map, *_FOLDS)):
            own = outer * _length(node.xs if isinstance(node, Map) else _folded(node), sizes)
        elif isinstance(node, Generate):
            own = outer * node.count.evaluate(sizes)
        most = max(most, own)
        pending += [(operand, own if isinstance(operand, Lambda) else outer) for operand in node.operands]
    return most
