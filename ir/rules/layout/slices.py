"""Slices, and elements, of arrays put one after the other, of rows and of other slices. All are exact.

They follow from the denotations: a slice only says which elements of an array it takes.
"""

from __future__ import annotations

from bisect import bisect, bisect_left
from itertools import accumulate
from weakref import WeakKeyDictionary

from ir.core.expr import Expr, fun
from ir.core.patterns import Concat, Element, Join, Map, Repeat, Slice, Split, Transpose
from ir.core.sizes import Size, divide_exactly, is_le, is_lt, size
from ir.rewrite.rule import rule
from ir.rules.common import element, length, length_of_row

__all__ = ["begin_of", "part_of", "parts_near"]


@rule(source="semantics of concat and slice")
def slice_after_concat(e: Slice) -> Expr | None:
    """slice s k n (concat(.., xs, ..))  ->  slice (s - m) k n xs      where all of it lies in xs, which begins at m

    Or concat(xs, .., ys), where the slice is exactly those parts.
    """
    match e:
        case Slice(start, step, count, Concat() as arrays):
            last = start + (count - 1) * step
            low, stop = (start, last + 1) if step > 0 else (last, start + 1)
            found = part_of(arrays, low, stop)
            if found is not None:
                begin, xs = found
                whole = step == 1 and begin is start and count is length(xs)
                return xs if whole else Slice(start - begin, step, count, xs)
            begins = _begins_of(arrays)
            if step == 1 and start in begins and stop in begins:
                taken = arrays.operands[begins.index(start) : begins.index(stop)]
                return Concat(*taken) if len(taken) > 1 else None
    return None


@rule(source="semantics of concat and slice")
def slice_across_concat(e: Slice) -> Expr | None:
    """slice s 1 n (concat(.., xs, ys, .., zs, ..))  ->  concat(slice (s - m) 1 k xs, ys, .., slice 0 1 l zs)

    Where it begins in xs, which begins at m, and ends in zs.
    """
    match e:
        case Slice(start, 1, count, Concat() as arrays):
            stop, begins, taken = start + count, _begins_of(arrays), list[Expr]()
            for i in parts_near(arrays, start, stop):
                begin, end, xs = begins[i], begins[i + 1], arrays.operands[i]
                if is_le(end, start) or is_le(stop, begin):
                    continue
                low = begin if is_le(start, begin) else start
                high = end if is_le(end, stop) else stop
                if not (is_le(begin, low) and is_le(low, high) and is_le(high, end)):
                    return None
                taken.append(xs if low is begin and high is end else Slice(low - begin, 1, high - low, xs))
            if len(taken) > 1 and sum(map(length, taken), size(0)) is count:
                return Concat(*taken)
    return None


def part_of(arrays: Concat, start: Size, stop: Size) -> tuple[Size, Expr] | None:
    """The part of a concat that holds all from one element to before another, and where it begins; None where none
    surely does.
    """
    begins = _begins_of(arrays)
    for i in parts_near(arrays, start, stop):
        if is_le(begins[i], start) and is_le(stop, begins[i + 1]):
            return begins[i], arrays.operands[i]
    return None


def begin_of(arrays: Concat, part: int) -> Size:
    """Where the part of that number begins."""
    return _begins_of(arrays)[part]


def parts_near(arrays: Concat, start: Size, stop: Size) -> range:
    """The numbers of the parts of a concat that may hold some of those elements: where sizes are numbers, only those
    that do.
    """
    begins, count = _begins_of(arrays), len(arrays.operands)
    if start.value is None or stop.value is None or begins[-1].value is None:
        return range(count)
    first = min(max(bisect(begins, start.value, key=_number) - 1, 0), count - 1)
    return range(first, max(min(bisect_left(begins, stop.value, key=_number), count), first + 1))


def _begins_of(arrays: Concat) -> tuple[Size, ...]:
    """Where each part of a concat begins, and where the last ends."""
    found = _begins.get(arrays)
    if found is None:
        found = _begins[arrays] = tuple(accumulate(map(length, arrays.operands), initial=size(0)))
    return found


_begins: WeakKeyDictionary[Expr, tuple[Size, ...]] = WeakKeyDictionary()


def _number(n: Size) -> int:
    assert n.value is not None
    return n.value


@rule(source="semantics of concat and element")
def element_after_concat(e: Element) -> Expr | None:
    """element i (concat(.., xs, ..))  ->  element (i - m) xs      where i lies in xs, which begins at m"""
    match e:
        case Element(index, Concat() as arrays):
            found = part_of(arrays, index, index + 1)
            return None if found is None else Element(index - found[0], found[1])
    return None


@rule(source="semantics of slice")
def slice_after_slice(e: Slice) -> Expr | None:
    """slice s k n (slice t l m xs)  ->  slice (t + s * l) (k * l) n xs"""
    match e:
        case Slice(start, step, count, Slice(before, inner, _, xs)):
            return Slice(before + start * inner, step * inner, count, xs)
    return None


@rule(source="semantics of slice and repeat")
def slice_of_repeat(e: Slice) -> Expr | None:
    """slice s k n (repeat m x)  ->  repeat n x"""
    match e:
        case Slice(_, _, count, Repeat(_, x)):
            return Repeat(count, x)
    return None


@rule(source="semantics of slice, split and join")
def slice_of_rows(e: Join) -> Expr | None:
    """join ∘ slice s 1 k ∘ split n  ->  slice (s * n) 1 (k * n)"""
    match e:
        case Join(Slice(start, 1, count, Split(n, xs))):
            return Slice(start * n, 1, count * n, xs)
    return None


@rule(source="semantics of slice and join")
def slice_after_join(e: Slice) -> Expr | None:
    """slice (s * n) 1 (k * n) ∘ join  ->  join ∘ slice s 1 k      where n is the inner length"""
    match e:
        case Slice(start, 1, count, Join(xss)):
            n = length_of_row(xss)
            first, rows = divide_exactly(start, n), divide_exactly(count, n)
            return None if first is None or rows is None else Join(Slice(first, 1, rows, xss))
    return None


@rule(source="semantics of transpose and slice")
def slice_of_columns(e: Transpose) -> Expr | None:
    """transpose ∘ slice s k n ∘ transpose  ->  map (slice s k n)"""
    match e:
        case Transpose(Slice(start, step, count, Transpose(xss))):
            return Map(fun(element(xss), lambda row: Slice(start, step, count, row)), xss)
    return None


@rule(source="semantics of slice, split and join, read from right to left")
def slice_to_rows(e: Slice, *, n: Size | int) -> Expr | None:
    """slice (s * n) 1 (k * n) xs  ->  join (slice s 1 k (split n xs))      for xs of whole rows of n elements"""
    match e:
        case Slice(start, 1, count, xs) if is_lt(size(1), size(n)) and divide_exactly(length(xs), size(n)) is not None:
            first, rows = divide_exactly(start, size(n)), divide_exactly(count, size(n))
            return None if first is None or rows is None else Join(Slice(first, 1, rows, Split(size(n), xs)))
    return None


@rule(source="semantics of slice and split")
def slice_to_column(e: Slice) -> Expr | None:
    """slice i m n xs  ->  join (map (slice i 1 1) (split m xs))      for xs of n * m elements

    How long the rows are is then said by a type: a kernel over symbols serves rows of all lengths.
    """
    match e:
        case Slice(i, step, count, xs) if step > 1 and is_lt(i, size(step)) and length(xs) is count * step:
            rows = Split(step, xs)
            return Join(Map(fun(element(rows), lambda row: Slice(i, 1, 1, row)), rows))
    return None
