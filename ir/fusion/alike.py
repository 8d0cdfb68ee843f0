"""Neighbouring parts of a concat that are the same function of neighbouring elements, as one part.

`concat(map f (slice 0 1 m xs), map f (slice m 1 n xs))  ->  map f (slice 0 1 (m + n) xs)`, and so for whatever such
parts are made of: zips, splits and joins, gathers, reductions (`concat(reduce f z xs, reduce f z ys)` is a map of
reductions over two rows). Functions that differ in their constants alone become one function of these, which stand in
an array. So a loop in Python over the rows of an array is one map, whatever it multiplies them by.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ir.core.expr import Expr, Lambda, Param, close, fresh, fun, substitute, transform
from ir.core.patterns import (
    MAP,
    REDUCE,
    Gather,
    Get,
    Join,
    Literal,
    Map,
    Reduce,
    Repeat,
    Slice,
    Split,
    Transpose,
    Tuple,
    Zip,
)
from ir.core.types import ArrayType, ScalarType, TupleType
from ir.cost.thresholds.partition import COMPARED_DEPTH

__all__ = ["Constants", "merged"]


Constants = Callable[[NDArray[Any], ScalarType], Expr]
"""Makes a variable of the graph that stands for known values of that type."""


def merged(
    parts: list[Expr], shared: Container[Expr], constants: Constants | None, known: Container[Expr] = ()
) -> list[Expr]:
    """The parts with runs of like neighbours made one.

    shared : vertices that others read too: merged into a part they would be computed twice
    known : vertices whose values exist, which are read and not computed again
    constants : None: functions with different constants are different
    """
    runs: list[list[Expr]] = []
    comparing = _Comparing(shared, constants, known)
    for part in parts:
        if runs and comparing.follows(runs[-1][-1], part, COMPARED_DEPTH) and comparing.continues(runs[-1], part):
            runs[-1].append(part)
        else:
            runs.append([part])
    return [run[0] if len(run) == 1 else _Merging(constants).together(tuple(run)) for run in runs]


def number(e: Expr) -> int:
    """The length of an array of constant length."""
    t = e.type
    assert isinstance(t, ArrayType)
    assert t.length.value is not None  # lengths are numbers in a recorded graph
    return t.length.value


def _element(e: Expr) -> object:
    assert isinstance(e.type, ArrayType)
    return e.type.element


class _Comparing:
    def __init__(self, shared: Container[Expr], constants: Constants | None, known: Container[Expr]) -> None:
        self.shared = shared
        self.computed = known
        self.constants = constants
        self._known: dict[tuple[Expr, Expr], bool] = {}
        self._steps: dict[tuple[Expr, Expr], object] = {}

    def continues(self, run: list[Expr], part: Expr) -> bool:
        """Does a part that follows the last of a run do so as the parts of the run follow each other?

        Those that are the same array again are repeated, those that go on make one slice: a run is one or the other.
        """
        return len(run) < 2 or self.step(run[0], run[1]) == self.step(run[-1], part)

    def step(self, a: Expr, b: Expr) -> object:
        """How b follows a, in each array that both are made of."""
        found = self._steps.get((a, b))
        if found is None:
            found = self._steps[a, b] = self._step(a, b)
        return found

    def _step(self, a: Expr, b: Expr) -> object:
        match a, b:
            case Repeat(n, _), Repeat(m, _):
                return "as many" if n is m else "others"
            case _ if a is b:
                return "again"
            case (
                (Map(_, xs), Map(_, ys))
                | (Gather(_, xs), Gather(_, ys))
                | (Join(xs), Join(ys))
                | (
                    Split(_, xs),
                    Split(_, ys),
                )
            ):
                return self.step(xs, ys)
            case Reduce(_, _, xs), Reduce(_, _, ys):
                return self.step(xs, ys)
            case Zip(), Zip():
                steps = tuple(self.step(x, y) for x, y in zip(a.operands, b.operands, strict=True))
                return "again" if set(steps) == {"again"} else steps
        return "on"

    def follows(self, a: Expr, b: Expr, depth: int) -> bool:
        """Is b the same function as a, of the elements behind those of a?"""
        found = self._known.get((a, b))
        if found is None:
            found = self._known[a, b] = self._follows(a, b, depth - 1)
        return found

    def _follows(self, a: Expr, b: Expr, depth: int) -> bool:
        if depth == 0 or type(a) is not type(b):
            return False
        if isinstance(a, (Map, Reduce)) and (a in self.shared or b in self.shared):
            return False
        if a is b:
            return True
        if a in self.computed or b in self.computed:
            return False
        match a, b:
            case Slice(), Slice() if a.xs is b.xs:
                return _goes_on(a, b)
            case Repeat(n, x), Repeat(m, y):
                return x is y or (n is m and self.are_constants(x, y))
            case Map(f, xs, how), Map(g, ys) if how == MAP and b.parameters == a.parameters:
                return (f is g or self.alike(f, g, a, b)) and self.follows(xs, ys, depth)
            case Reduce(f, z, xs, how), Reduce(g, u, ys) if how == REDUCE and b.parameters == a.parameters:
                same = f is g and z is u and xs.type is ys.type and not f.loose and not z.loose
                return same and self.follows(xs, ys, depth)
            case Join(xs), Join(ys) if _element(xs) is _element(ys):
                return self.follows(xs, ys, depth)
            case Split(n, xs), Split(m, ys) if n is m:
                return self.follows(xs, ys, depth)
            case Gather(xs, i), Gather(ys, j) if xs is ys:
                return self.follows(i, j, depth)
            case Zip(), Zip() if len(a.operands) == len(b.operands):
                return all(self.follows(x, y, depth) for x, y in zip(a.operands, b.operands, strict=True))
        return False

    def are_constants(self, x: Expr, y: Expr) -> bool:
        """Are both constants of one type?"""
        return self.constants is not None and isinstance(x, Literal) and isinstance(y, Literal) and x.dtype is y.dtype

    def alike(self, f: Expr, g: Expr, a: Expr, b: Expr) -> bool:
        """Are two functions of scalars the same but for their constants?"""
        if self.constants is None or not isinstance(f, Lambda) or not isinstance(g, Lambda) or number(a) != number(b):
            return False
        if not _is_scalar(f) or not _is_scalar(g):
            return False
        return f.types == g.types and _skeleton(f)[0] is _skeleton(g)[0]


def _is_scalar(f: Lambda) -> bool:
    return isinstance(f.result, ScalarType) and not f.loose and f.level == 1


def _goes_on(a: Slice, b: Slice) -> bool:
    """Does a slice go on, with the same step, where another of the same array ends?"""
    n, m, first, second = a.count.value, b.count.value, a.start.value, b.start.value
    assert n is not None
    assert first is not None
    assert second is not None
    if n > 1 and m != 1 and a.step != b.step:
        return False
    step = a.step if n > 1 else b.step if m != 1 else 1
    return second == first + n * step


def _hole(i: int, constant: Literal) -> Param:
    return Param(f"constant {i}", constant.dtype)


@lru_cache(maxsize=4096)
def _skeleton(f: Lambda) -> tuple[Expr, tuple[Literal, ...]]:
    """The body of a function with numbered holes for its constants, and these in order."""
    found: list[Literal] = []

    def visit(node: Expr, operands: tuple[Expr, ...]) -> Expr:
        if isinstance(node, Literal):
            found.append(node)
            return _hole(len(found) - 1, node)
        return node if operands == node.operands else node._make(operands, node.parameters)

    return transform(f.body, visit, lambda node: False), tuple(found)


class _Merging:
    """Runs of parts, each of which follows the one before it, as one expression."""

    def __init__(self, constants: Constants | None) -> None:
        self.constants = constants
        self._known: dict[tuple[Expr, ...], Expr] = {}

    def together(self, run: tuple[Expr, ...]) -> Expr:
        """One expression for a run; what stands in several places of it is made once."""
        found = self._known.get(run)
        if found is None:
            found = self._known[run] = self._together(run)
        return found

    def _together(self, run: tuple[Expr, ...]) -> Expr:
        first = run[0]
        if all(part is first for part in run):
            return Join(Repeat(len(run), first))
        match first:
            case Slice(start, _, _, xs):
                long = next((part for part in run if number(part) > 1), None)
                step = long.step if isinstance(long, Slice) else 1
                return Slice(start, step, sum(map(number, run)), xs)
            case Repeat():
                return self._repeats(run)
            case Map(f):
                if all(part.operands[0] is f for part in run):
                    return Map(f, self._inner(run, 1))
                return self._with_constants(run, self._inner(run, 1))
            case Reduce(f, z, xs):
                rows = Split(number(xs), self._inner(run, 2))
                return Join(Map(fun(xs.type, lambda row: Reduce(f, z, row)), rows))
            case Join():
                return Join(self._inner(run, 0))
            case Split(n):
                return Split(n, self._inner(run, 0))
            case Gather(xs):
                return Gather(xs, self._inner(run, 1))
        assert isinstance(first, Zip)
        return Zip(*(self._inner(run, i) for i in range(len(first.operands))))

    def _inner(self, run: tuple[Expr, ...], index: int) -> Expr:
        return self.together(tuple(part.operands[index] for part in run))

    def _repeats(self, run: tuple[Expr, ...]) -> Expr:
        """Each value so many times."""
        first = run[0]
        assert isinstance(first, Repeat)
        if all(part.operands[0] is first.x for part in run):
            return Repeat(sum(map(number, run)), first.x)
        return self._spread([part.operands[0] for part in run], number(first))

    def _spread(self, literals: Sequence[Expr], times: int) -> Expr:
        """Each constant so many times."""
        known = [literal for literal in literals if isinstance(literal, Literal)]
        t = known[0].dtype
        assert self.constants is not None
        leaf = self.constants(np.array([literal.value for literal in known], dtype=t.name), t)
        return leaf if times == 1 else Join(Transpose(Repeat(times, leaf)))

    def _with_constants(self, run: tuple[Expr, ...], xs: Expr) -> Expr:
        """Maps of functions that differ in constants: a map of one function over the arrays and these constants."""
        functions = [part.operands[0] for part in run if isinstance(part.operands[0], Lambda)]
        f = functions[0]
        skeleton, own = _skeleton(f)
        values = list(zip(*(_skeleton(g)[1] for g in functions), strict=True))  # those of each hole
        differing = [i for i, column in enumerate(values) if len(set(column)) > 1]
        times = number(run[0])
        arrays = tuple(self._spread(values[i], times) for i in differing)
        components = xs.operands if isinstance(xs, Zip) else (xs,)
        p = fresh(TupleType(tuple(_scalar(x) for x in (*components, *arrays))))
        parts = tuple(Get(i, p) for i in range(len(components)))
        (variable,) = f.variables
        filling: dict[Expr, Expr] = {variable: parts[0] if len(parts) == 1 else Tuple(*parts)}
        for i, literal in enumerate(own):
            place = len(components) + differing.index(i) if i in differing else None
            filling[_hole(i, literal)] = literal if place is None else Get(place, p)
        return Map(close([p], substitute(skeleton, filling)), Zip(*components, *arrays))


def _scalar(xs: Expr) -> ScalarType:
    t = _element(xs)
    assert isinstance(t, ScalarType)
    return t
