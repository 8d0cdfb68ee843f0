"""Neighbouring parts of a concat that are the same function of neighbouring elements, as one part.

`concat(map f (slice 0 1 m xs), map f (slice m 1 n xs))  ->  map f (slice 0 1 (m + n) xs)`, and so for whatever such
parts are made of, by the rules of `ir.rules.maps.parts`. Here it is decided which neighbours become one: those of which
nothing is computed twice then. (Any neighbours in a concat are a concat of their own.)

Functions that differ in their constants alone become one function of these, which stand in an array. So a loop in
Python over the rows of an array is one map, whatever it multiplies them by.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Iterator, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ir.core.expr import Expr, Lambda
from ir.core.patterns import MAP, REDUCE, Concat, Gather, Join, Literal, Map, Reduce, Repeat, Slice, Split, Zip
from ir.core.types import ScalarType, extents_of
from ir.cost.thresholds.partition import COMPARED_DEPTH
from ir.fusion.prepare.rewriting import Rewriter, over_variables
from ir.rewrite.contexts import Context
from ir.rewrite.places import array, joined, transposed, viewed
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, operands, seq
from ir.rules.common import element
from ir.rules.maps.parts import (
    concat_of_copies,
    concat_of_gathers,
    concat_of_joins,
    concat_of_like_maps,
    concat_of_maps,
    concat_of_reductions,
    concat_of_repeats,
    concat_of_same,
    concat_of_slices,
    concat_of_splits,
    concat_of_zips,
    differ_in_constants,
)

__all__ = ["Constants", "Merging", "number"]


Constants = Callable[[NDArray[Any], ScalarType], Expr]
"""Makes a variable of the graph that stands for known values of that type."""


class Merging:
    """What makes like neighbours one.

    Attributes:
        constants: None: functions with different constants are different
        known: vertices whose values exist, which are read and not computed again
    """

    def __init__(self, rewriter: Rewriter, constants: Constants | None, known: Container[Expr] = ()) -> None:
        self._rewriter = rewriter
        self._constants = constants
        self._computed = known
        self._together = _together(constants)
        self._shown = _together(None)

    def merged(self, parts: Sequence[Expr], shared: Container[Expr]) -> list[Expr]:
        """The parts with runs of like neighbours made one.

        Args:
            shared: vertices that others read too: merged into a part they would be computed twice
        """
        runs: list[list[Expr]] = []
        comparing = _Comparing(shared, self._constants, self._computed)
        for part in parts:
            if runs and comparing.follows(runs[-1][-1], part, COMPARED_DEPTH) and comparing.continues(runs[-1], part):
                runs[-1].append(part)
            else:
                runs.append([part])
        found: list[Expr] = []
        for run in runs:
            one = None
            if len(run) > 1:
                one = self._rewriter.apply(self._together, Concat(*run), _examples(run), self._shown)
            found += run if one is None else [one]
        return found


def _together(constants: Constants | None) -> Strategy:
    """A concat of parts each of which follows the one before it, as one expression; fails where its parts do not."""
    known: dict[tuple[Expr, Context], Rewritten | None] = {}  # what stands in several places is made once

    def run(e: Expr, context: Context) -> Rewritten | None:
        if (e, context) not in known:
            known[e, context] = strategy(e, context)
        return known[e, context]

    def of_constants(e: Expr, context: Context) -> Rewritten | None:
        """An array of constants, of which the graph has a variable for them."""
        values = [part.x.value for part in e.operands if isinstance(part, Repeat) and isinstance(part.x, Literal)]
        t = element(e)
        if len(values) < len(e.operands) or not isinstance(t, ScalarType):
            return None
        return Rewritten(e if constants is None else constants(np.array(values, dtype=t.name), t), ())

    strategy = choice(
        concat_of_same,
        concat_of_slices,
        concat_of_repeats,
        seq(concat_of_copies, at(joined / transposed / viewed, of_constants)),
        of_constants,
        seq(concat_of_maps, at(array, run)),
        seq(concat_of_like_maps, at(array, operands(run))),
        seq(concat_of_reductions, at(joined / array / viewed, run)),
        seq(concat_of_joins, at(joined, run)),
        seq(concat_of_splits, at(viewed, run)),
        seq(concat_of_gathers, at((1,), run)),
        seq(concat_of_zips, operands(run)),
    )
    return run


def _examples(run: Sequence[Expr]) -> Iterator[Expr]:
    """The first few parts of a run over variables, or more where those differ in less than all do."""
    count = 2
    while count < len(run):
        yield over_variables(Concat(*run[:count]), _read(run[:count]))
        count *= 4
    yield over_variables(Concat(*run), _read(run))


def _read(run: Sequence[Expr]) -> Iterator[Expr]:
    """What the parts of a run are made of in the end: arrays that all of them read."""
    pending = [tuple(run)]
    while pending:
        parts = pending.pop()
        first = parts[0]
        if all(part is first for part in parts):
            yield first
        elif isinstance(first, Map):
            pending.append(tuple(part.operands[1] for part in parts))
        elif isinstance(first, Reduce):
            pending.append(tuple(part.operands[2] for part in parts))
            yield first.init
        elif not isinstance(first, Repeat):
            pending += zip(*(part.operands for part in parts), strict=True)


def number(e: Expr) -> int:
    """The length of an array of constant length."""
    return extents_of(e.type)[0]


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
            case Slice(), Slice():
                return _step(a, b)
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
                return (f is g or self.are_alike(f, g, a, b)) and self.follows(xs, ys, depth)
            case Reduce(f, z, xs, how), Reduce(g, u, ys) if how == REDUCE and b.parameters == a.parameters:
                same = f is g and z is u and xs.type is ys.type and not f.loose and not z.loose
                return same and self.follows(xs, ys, depth)
            case Join(xs), Join(ys) if element(xs) is element(ys):
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

    def are_alike(self, f: Expr, g: Expr, a: Expr, b: Expr) -> bool:
        """Are these functions of numbers the same but for their constants?"""
        if self.constants is None or not isinstance(f, Lambda) or not isinstance(g, Lambda) or number(a) != number(b):
            return False
        return differ_in_constants(f, g)


def _goes_on(a: Slice, b: Slice) -> bool:
    """Does a slice go on, with the same step, where another of the same array ends?"""
    if a.step != b.step and number(a) > 1 and number(b) != 1:
        return False
    assert a.start.value is not None
    return b.start.value == a.start.value + number(a) * _step(a, b)


def _step(a: Slice, b: Slice) -> int:
    """The step of two slices, each of which has any if it is of one element."""
    return a.step if number(a) > 1 else b.step if number(b) != 1 else 1
