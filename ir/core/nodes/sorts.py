"""`sort` by a key of some bits, and what it is lowered to: values paired with their places, and put there.
`compact` puts some of them there.
"""

from __future__ import annotations

from typing import TypeAlias

from ir.core.expr import Expr, Lambda
from ir.core.nodes.maps import Vect
from ir.core.signature import Pattern, array_type, require_same
from ir.core.sizes import Size, SizeLike, is_lt, maximum, size
from ir.core.traits import Traits
from ir.core.types import INT32, INT64, ArrayType, FunctionType, ScalarType, TupleType, Type
from ir.errors import TypeMismatch

__all__ = ["MOST_RANKED_BITS", "Compact", "CompactBeside", "Permute", "RankRunsSeq", "RankSeq", "Sort", "SortRuns"]

MOST_RANKED_BITS = 16
"""Bits of the keys that `rankSeq` has a counter for each value of."""

Table: TypeAlias = Expr
"""An array that a pattern looks things up in, of which its function knows nothing: the parser asks for this name."""


def _keyed(pattern: str, key: Expr, bits: int, element: Type) -> Type:
    """The type of the values beside the keys that a key function of elements gives."""
    t = key.type
    if not isinstance(t, FunctionType) or t.params != (element,):
        raise TypeMismatch(pattern, f"a key function of {element}", t)
    pair = t.result
    if not isinstance(pair, TupleType) or len(pair.elements) != 2:
        raise TypeMismatch(pattern, "a key function that gives a key and a value", pair)
    k = pair.elements[0]
    if not isinstance(k, ScalarType) or not k.is_integer or k.is_signed:
        raise TypeMismatch(pattern, "keys that are unsigned integers", k)
    if not 1 <= bits <= 8 * k.bytes:
        raise TypeMismatch(pattern, f"1 to {8 * k.bytes} bits of a key", bits)
    return pair.elements[1]


class Sort(Pattern):
    """`sort b key xs`: the values v in the order of the keys k, with `(k, v) = key x`, of which b bits count.

    The bits are the lowest ones. Values of equal keys stay in the order of xs.
    """

    scheme = "sort : (b : int) -> (A -> (unsigned integer, B)) -> [A]n -> [B]n"
    meaning = "the values in the order of the lowest bits of their keys, equal ones as they were"
    traits = Traits(computes=True, collective=True, high_level=True)
    __match_args__ = ("bits", "key", "xs")
    bits: int
    key: Lambda | Vect
    xs: Expr

    def __new__(cls, bits: int, key: Expr, xs: Expr) -> Sort:
        return cls._make((key, xs), (bits,))

    def _infer(self) -> Type:
        xs = array_type("sort", self.xs.type)
        return ArrayType(_keyed("sort", self.key, self.bits, xs.element), xs.length)


class SortRuns(Pattern):
    """`sortRuns b r key xs`: each run of r elements sorted by itself, as `sort b key` does it; the last may be shorter.

    It is what a sort by merging has made before the last runs are merged.
    """

    scheme = "sortRuns : (b : int) -> (r : int) -> (A -> (unsigned integer, B)) -> [A]n -> [B]n"
    meaning = "the values of each r elements in the order of the lowest bits of their keys, equal ones as they were"
    traits = Traits(computes=True, collective=True, high_level=True)
    __match_args__ = ("bits", "run", "key", "xs")
    bits: int
    run: int
    key: Lambda | Vect
    xs: Expr

    def __new__(cls, bits: int, run: int, key: Expr, xs: Expr) -> SortRuns:
        return cls._make((key, xs), (bits, run))

    def _infer(self) -> Type:
        xs = array_type("sortRuns", self.xs.type)
        if self.run < 1:
            raise TypeMismatch("sortRuns", "runs of one element or more", self.run)
        return ArrayType(_keyed("sortRuns", self.key, self.bits, xs.element), xs.length)


class RankSeq(Pattern):
    """`rankSeq b key starts xs`: each value with its place, `starts[k]` and one more for each earlier x of that key.

    With the starts of a histogram's bins that place is the one in the sorted array. One work-item does it in order,
    with a counter for each of the 2^b keys.
    """

    scheme = (
        "rankSeq : (b : int) -> (A -> (unsigned integer, B)) -> [int32 or int64]2^b -> [A]n -> [(int32 or int64, B)]n"
    )
    meaning = "each value with its place: the start of its key, and one more for each earlier one of that key"
    traits = Traits(computes=True, collective=True)
    __match_args__ = ("bits", "key", "starts", "xs")
    bits: int
    key: Lambda | Vect
    starts: Table
    xs: Expr

    def __new__(cls, bits: int, key: Expr, starts: Table, xs: Expr) -> RankSeq:
        return cls._make((key, starts, xs), (bits,))

    def _infer(self) -> Type:
        xs, starts = array_type("rankSeq", self.xs.type), array_type("rankSeq", self.starts.type)
        value = _keyed("rankSeq", self.key, self.bits, xs.element)
        if self.bits > MOST_RANKED_BITS:
            raise TypeMismatch("rankSeq", f"at most {MOST_RANKED_BITS} bits", self.bits)
        require_same("rankSeq", size(1 << self.bits), starts.length)
        if starts.element not in (INT32, INT64):
            raise TypeMismatch("rankSeq", "starts of type int32 or int64", starts.element)
        return ArrayType(TupleType((starts.element, value)), xs.length)


class RankRunsSeq(RankSeq):
    """`rankRunsSeq b r key starts xs`: the value of `rankSeq b key starts xs`; a `permute` writes r neighbours at once.

    The values of a key are kept in private memory until all are there whose places are a multiple of r and the r - 1
    behind it, so that memory is written in long pieces.
    """

    scheme = (
        "rankRunsSeq : (b : int) -> (r : int) -> (A -> (unsigned integer, B)) -> [int32 or int64]2^b -> [A]n "
        "-> [(int32 or int64, B)]n"
    )
    meaning = "each value with its place, handed on together with others of its key in neighbouring places"
    traits = Traits(computes=True, collective=True)
    __match_args__ = ("bits", "run", "key", "starts", "xs")
    run: int

    def __new__(cls, bits: int, run: int, key: Expr, starts: Table, xs: Expr) -> RankRunsSeq:
        return cls._make((key, starts, xs), (bits, run))

    def _infer(self) -> Type:
        if self.run < 2 or self.run & (self.run - 1):
            raise TypeMismatch("rankRunsSeq", "runs of a power of two", self.run)
        return super()._infer()


class Permute(Pattern):
    """`permute xs`: the array whose element i is v, for each `(i, v)` in xs; each place is named once.

    Whoever computes the pairs writes each value where it belongs, so that they may be computed in any order.
    """

    scheme = "permute : [(int32 or int64, A)]n -> [A]n"
    meaning = "put each value into the place that its index names; the indices are a permutation"
    traits = Traits(bijective=True, computes=True, collective=True, by_index=True, passes_destination=True)
    __match_args__ = ("xs",)
    xs: Expr

    def __new__(cls, xs: Expr) -> Permute:
        return cls._make((xs,), ())

    def _infer(self) -> Type:
        xs = array_type("permute", self.xs.type)
        return ArrayType(_value_beside_index("permute", xs.element), xs.length)


class Compact(Pattern):
    """`compact n xs`: the array whose element i is v, for each `(i, v)` in xs with i < n; n as an index leaves v out.

    Each place is named once. What filters an array ends so: what is kept goes to the place that a scan found for it
    (Blelloch, "Prefix sums and their applications", 1990, section 1.4). Whoever computes the pairs writes each value
    where it belongs, or nowhere, so that they may be computed in any order.
    """

    scheme = "compact : (n : size) -> [(int32 or int64, A)]m -> [A]n"
    meaning = "put each value into the place that its index names; n leaves it out, all others are named once"
    traits = Traits(
        partial=True, computes=True, collective=True, by_index=True, passes_destination=True, streams=("xs",)
    )  # fmt: skip
    __match_args__ = ("count", "xs")
    count: Size
    xs: Expr

    def __new__(cls, count: SizeLike, xs: Expr) -> Compact:
        return cls._make((xs,), (size(count),))

    def _infer(self) -> Type:
        xs = array_type("compact", self.xs.type)
        if is_lt(xs.length, self.count):
            raise TypeMismatch("compact", f"an array of {self.count} elements or more", xs)
        return ArrayType(_value_beside_index("compact", xs.element), self.count)


class CompactBeside(Pattern):
    """`compactBeside n k xs = (compact n (map (λp. p.0) xs), compact k (map (λp. p.1) xs))`.

    Whoever computes an element writes both values where they belong. So what filters an array also tells how much it
    keeps: the last element of the scan that found the places goes to a place of its own.
    """

    scheme = "compactBeside : (n : size) -> (k : size) -> [((int32 or int64, A), (int32 or int64, B))]m -> ([A]n, [B]k)"
    meaning = "two compacts, of the first components of the elements and of the second ones"
    traits = Traits(
        partial=True, computes=True, collective=True, by_index=True, passes_destination=True, streams=("xs",)
    )  # fmt: skip
    __match_args__ = ("count", "other", "xs")
    count: Size
    other: Size
    xs: Expr

    def __new__(cls, count: SizeLike, other: SizeLike, xs: Expr) -> CompactBeside:
        return cls._make((xs,), (size(count), size(other)))

    def _infer(self) -> Type:
        xs = array_type("compactBeside", self.xs.type)
        pairs = xs.element
        if not isinstance(pairs, TupleType) or len(pairs.elements) != 2:
            raise TypeMismatch("compactBeside", "elements of two pairs", pairs)
        counts = (self.count, self.other)
        if any(is_lt(xs.length, count) for count in counts):
            raise TypeMismatch("compactBeside", f"an array of {maximum(*counts)} elements or more", xs)
        values = (_value_beside_index("compactBeside", pair) for pair in pairs.elements)
        return TupleType(tuple(map(ArrayType, values, counts)))


def _value_beside_index(pattern: str, pair: Type) -> Type:
    if not isinstance(pair, TupleType) or len(pair.elements) != 2 or pair.elements[0] not in (INT32, INT64):
        raise TypeMismatch(pattern, "pairs of an int32 or int64 and a value", pair)
    return pair.elements[1]
