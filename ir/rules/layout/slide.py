"""Windows of an array: maps change places with them, and parts of them are windows again.

All are exact. `slide` is from "High performance stencil code generation with Lift" (CGO 2018).
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import NamedTuple, Protocol, TypeVar

from ir.core.expr import Expr, Lambda, Param, fun
from ir.core.patterns import MAP, Concat, Element, Join, Map, Repeat, Slice, Slide, Split, Transpose
from ir.core.sizes import Size, divide_exactly, is_le, size
from ir.cost.thresholds.partition import OPERANDS_TAKEN_APART_AT_MOST
from ir.rewrite.rule import rule
from ir.rules.common import components, element, has_rows, length, length_of_row, parts_of, tuple_of, zip_of

__all__: list[str] = []


@rule(source="CGO 2018 (stencils), naturality: a view does not look at elements")
def slide_after_map(e: Slide) -> Expr | None:
    """slide s d ∘ map f  ->  map (map f) ∘ slide s d

    f is computed for each window that an element is in: about s / d times.
    """
    match e:
        case Slide(window, step, Map(f, xs, how)) if how == MAP:
            made = Slide(window, step, xs)
            return Map(fun(element(made), lambda w: Map(f, w)), made)
    return None


@rule(source="semantics of slide and split")
def slide_to_split(e: Slide) -> Expr | None:
    """slide n n  ->  split n      where n divides the length"""
    match e:
        case Slide(window, step, xs) if window is step and divide_exactly(length(xs), window) is not None:
            made = Split(window, xs)
            return made if made.type is e.type else None
    return None


@rule(source="semantics of slide and slice")
def slice_of_slide(e: Slice) -> Expr | None:
    """slice a k m (slide s d xs)  ->  slide s (k * d) (slice (a * d) 1 (s + (m - 1) * k * d) xs)      for m and k of 1
    or more
    """
    match e:
        case Slice(start, stride, count, Slide(window, step, xs)) if stride >= 1 and is_le(size(1), count):
            apart = stride * step
            made = Slide(window, apart, Slice(start * step, 1, window + (count - 1) * apart, xs))
            return made if made.type is e.type else None
    return None


@rule(source="semantics of slide and slice")
def element_of_slide(e: Element) -> Expr | None:
    """element i (slide s d xs)  ->  slice (i * d) 1 s xs"""
    match e:
        case Element(i, Slide(window, step, xs)):
            return Slice(i * step, 1, window, xs)
    return None


@rule(source="semantics of slide and zip")
def windows_to_zip(e: Map) -> Expr | None:
    """map f (zip(.., slide s d xs, ..))  ->  map (λ(.., x, y, .., ..). f (.., concat(repeat 1 x, repeat 1 y, ..), ..))
    (zip(.., slice 0 d m xs, slice 1 d m xs, .., ..))      for windows of a small constant length

    The elements of a window are those of as many arrays, each beginning one later: m windows, read side by side.
    """
    match e:
        case Map(Lambda() as f, xs, how) if how == MAP and any(map(_is_small, components(xs))):
            columns = [_columns(part) for part in components(xs)]
            arrays = tuple(array for group in columns for array in group)

            def body(variable: Param) -> Expr:
                parts = iter(parts_of(variable, len(arrays)))
                operands = components(xs)
                return f(tuple_of(tuple(_put_together(x, list(islice(parts, len(_columns(x))))) for x in operands)))

            zipped = zip_of(arrays)
            return Map(fun(element(zipped), body), zipped)
    return None


def _is_small(e: Expr) -> bool:
    window = e.window.value if isinstance(e, Slide) else None
    return window is not None and window <= OPERANDS_TAKEN_APART_AT_MOST and e.step.value is not None  # type: ignore[attr-defined]


def _columns(e: Expr) -> list[Expr]:
    """The first elements of small windows, the second ones, ...; any other array itself."""
    if not isinstance(e, Slide) or not _is_small(e):
        return [e]
    window, step = e.window.value, e.step.value
    assert window is not None
    assert step is not None
    return [Slice(j, step, length(e), e.xs) for j in range(window)]


def _put_together(e: Expr, parts: list[Expr]) -> Expr:
    """The inverse of `_columns` for one element."""
    if not _is_small(e):
        return parts[0]
    ones = [Repeat(1, x) for x in parts]
    return ones[0] if len(ones) == 1 else Concat(*ones)


class _Part(Protocol):
    """What one of many parts of a concat is made of."""

    def goes_on(self: _P, before: _P, /) -> bool:
        """May it follow that one in a run?"""

    def together(self: _P, run: Sequence[_P], /) -> Expr:
        """A run that begins with it."""


_P = TypeVar("_P", bound=_Part)


def _runs_together(e: Concat, parts: Sequence[_P | None]) -> Expr | None:
    """A concat with each run of parts made one; None where no part follows another."""
    runs: list[list[_P]] = []
    operands: list[Expr] = []
    for x, part in zip(e.operands, parts, strict=True):
        if part is not None and runs and runs[-1] and part.goes_on(runs[-1][-1]):
            runs[-1].append(part)
        else:
            runs.append([] if part is None else [part])
            operands.append(x)
    if len(runs) == len(parts):
        return None
    made = [x if len(run) < 2 else run[0].together(run) for x, run in zip(operands, runs, strict=True)]
    found = Concat(*made) if len(made) > 1 else made[0]
    return found if found.type is e.type else None  # lengths are equal where they are written so


@rule(source="semantics of slide, slice and concat")
def concat_of_shifted_rows(e: Concat) -> Expr | None:
    """concat(.., transpose (split d (v s xs)), transpose (split d (v (s + d) xs)), .., ..)  ->  concat(..,
    transpose (w xs), ..)      where v s is slice s 1 n, or join ∘ map (slice s 1 n) with d a divisor of n, and w is
    slide (k * d) d ∘ slice s 1 (n + (k - 1) * d), or join ∘ map of that, for k parts

    Rows side by side with those that begin d elements later are windows of what both are parts of.
    """
    return _runs_together(e, [_Shifted.of(x) for x in e.operands])


class _Shifted(NamedTuple):
    """`transpose (split d (slice s 1 n xs))`, or `transpose (split d (join (map (slice s 1 n) xss)))`."""

    row: Size
    start: Size
    taken: Size
    xs: Expr
    nested: bool

    @classmethod
    def of(cls, e: Expr) -> _Shifted | None:
        """That part; None where another one stands."""
        match e:
            case Transpose(Split(row, Slice(start, 1, count, xs))):
                found = cls(row, start, count, xs, False)
            case Transpose(Split(row, Join(Map(Lambda() as f, xss, how)))) if how == MAP:
                (variable,), body = f.open()
                match body:
                    case Slice(start, 1, count, xs) if xs is variable:
                        found = cls(row, start, count, xss, True)
                    case _:
                        return None
            case _:
                return None
        whole = is_le(size(1), found.row) and is_le(found.row, found.taken)
        return found if whole and divide_exactly(found.taken, found.row) is not None else None

    def goes_on(self, before: _Shifted) -> bool:
        """Do these rows begin where the second ones of those do?"""
        return self == before._replace(start=before.start + before.row)

    def together(self, run: Sequence[_Shifted]) -> Expr:
        """The windows of so many rows."""
        count = len(run)
        taken = self.taken + (count - 1) * self.row

        def windows(xs: Expr) -> Expr:
            whole = self.start.value == 0 and length(xs) is taken
            return Slide(count * self.row, self.row, xs if whole else Slice(self.start, 1, taken, xs))

        return Transpose(Join(Map(fun(element(self.xs), windows), self.xs)) if self.nested else windows(self.xs))


@rule(source="semantics of concat and transpose")
def concat_of_functions_of_rows(e: Concat) -> Expr | None:
    """concat(.., transpose (join (map f xss)), transpose (join (map f yss)), .., ..)  ->  concat(.., transpose (join
    (map (λr. map join (transpose (map f (split m r)))) (transpose (concat(transpose xss, transpose yss, ..))))), ..)
    where m is the length of the rows, and f makes rows of each
    """
    return _runs_together(e, [_OfRows.of(x) for x in e.operands])


class _OfRows(NamedTuple):
    """`transpose (join (map f xss))`."""

    f: Lambda
    xss: Expr

    @classmethod
    def of(cls, e: Expr) -> _OfRows | None:
        """That part; None where another one stands."""
        match e:
            case Transpose(Join(Map(Lambda() as f, xss, how))) if how == MAP and has_rows(xss.type):
                return cls(f, xss)
        return None

    def goes_on(self, before: _OfRows) -> bool:
        """Do both make the same of as many rows?"""
        return self.f is before.f and self.xss.type is before.xss.type

    def together(self, run: Sequence[_OfRows]) -> Expr:
        """The same of rows side by side."""
        rows = Transpose(Concat(*(Transpose(part.xss) for part in run)))
        each = length_of_row(self.xss)

        def of_row(r: Expr) -> Expr:
            made = Transpose(Map(self.f, Split(each, r)))
            return Map(fun(element(made), Join), made)

        return Transpose(Join(Map(fun(element(rows), of_row), rows)))
