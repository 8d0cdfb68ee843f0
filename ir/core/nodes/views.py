"""Views: patterns that only rename the indices of one operand, and emit no code."""

from __future__ import annotations

from collections.abc import Callable
from functools import reduce
from typing import Any, ClassVar, Protocol, TypeAlias, TypeVar

from ir.core.expr import Expr
from ir.core.signature import Pattern, array_type, exact_quotient
from ir.core.sizes import Size, SizeLike, is_le, is_lt, maximum, minimum, size
from ir.core.traits import Traits
from ir.core.types import ArrayType, Type
from ir.errors import TypeMismatch

__all__ = [
    "Element", "Head", "Id", "IndexView", "Indices", "Join", "Masked", "Pad", "Prefetch", "PrefetchAgain",
    "PrefetchCopies", "ReorderStride", "Repeat", "Reverse", "Slice", "Slide", "Split", "Transpose", "length_of",
    "row_length",
]  # fmt: skip

T = TypeVar("T")
K = TypeVar("K")
At: TypeAlias = Callable[[T, Size], T]


class Indices(Protocol):
    """How indices are split and put together again."""

    def combined(self, i: Size, row: Size, j: Size) -> Size:
        """`i * row + j`."""

    def divided(self, i: Size, row: Size, rows: Size) -> tuple[Size, Size]:
        """`i // row`, which is below `rows`, and `i % row`."""


class IndexView(Pattern, abstract=True):
    """A view of one operand that says by an index function which element is read.

    Each function takes as many indices as it has parameters; indices left over stay.

    Attributes:
        source: from the indices of an element of the result to those of the element of the operand that it is
        destination: from the indices of an element of the operand to those of its place in the result, for views that
            pass on where their result is written
    """

    traits = Traits(view=True)
    source: ClassVar[Any]
    destination: ClassVar[Any] = None

    def array(self, function: Any, by: Indices, below: T, make: Callable[[Callable[[Size], T]], T], at: At[T]) -> T:
        """The result, or what the operand is written to, as functions of an index over what lies below.

        Args:
            function: `source` or `destination` of this node
            by: how indices are computed with
            below: the operand, or what the result is written to
            make: an array from the function that gives its elements
            at: the element of an array
        """

        def nested(count: int, *indices: Size) -> T:
            if count:
                return make(lambda i: nested(count - 1, *indices, i))
            return reduce(at, function(by, *indices), below)

        return nested(_indices_of(function))

    def followed(self, by: Indices, keys: tuple[Size | K, ...]) -> tuple[Size | K, ...] | None:
        """Where an element of the result is found in the operand: `source` of as many keys as it takes, and the others.

        Returns:
            None where some that it takes are no sizes, or missing.
        """
        count = _indices_of(self.source)
        own = [key for key in keys[:count] if isinstance(key, Size)]
        return (*self.source(by, *own), *keys[count:]) if len(own) == count else None


def _indices_of(function: Any) -> int:
    """How many indices `source` or `destination` of a view takes."""
    return int(function.__func__.__code__.co_argcount) - 2


def length_of(e: Expr) -> Size:
    """The length of an array expression."""
    assert isinstance(e.type, ArrayType)
    return e.type.length


def row_length(e: Expr) -> Size:
    """The inner length of an array of arrays."""
    assert isinstance(e.type, ArrayType)
    assert isinstance(e.type.element, ArrayType)
    return e.type.element.length


class Id(IndexView):
    """`id xs = xs`."""

    scheme = "id : A -> A"
    meaning = "the identity"
    traits = Traits(view=True, reshapes=True, bijective=True, natural=True, passes_destination=True)
    types_decide = True
    __match_args__ = ("xs",)
    xs: Expr

    def __new__(cls, xs: Expr) -> Id:
        return cls._make((xs,))

    def _infer(self) -> Type:
        return self.xs.type

    def source(self, by: Indices) -> tuple[Size, ...]:
        return ()

    destination = source


class Masked(IndexView):
    """`masked xs = xs`; where `concat(ys, repeat n z)` has z, the first number of the memory of ys is loaded, and z put
    in its place. So no test stands before what is loaded. It does nothing for ys that may have no elements, or that
    lie elsewhere than in global memory.

    Source: LLVM Language Reference, `llvm.masked.load`.
    """

    scheme = "masked : [A]n -> [A]n"
    meaning = "load another element in place of one that is a number, and replace it then"
    traits = Traits(view=True, reshapes=True, bijective=True, natural=True, size_neutral=True)
    __match_args__ = ("xs",)
    xs: Expr

    def __new__(cls, xs: Expr) -> Masked:
        return cls._make((xs,))

    def _infer(self) -> Type:
        return array_type("masked", self.xs.type)

    def source(self, by: Indices) -> tuple[Size, ...]:
        return ()


class Prefetch(IndexView):
    """`prefetch d xs = xs`; the sequential map or reduction that reads it, or the sequential map that it is the result
    of, asks memory for element i + d when it is at element i. A hint: of a vector it names the first lane, and what
    lies in no global memory, or in rows of more than a few elements, is not asked for. Where each turn of a reduction
    copies to local memory first, the work-items load what they copy in the next turn while they use this one's.
    """

    scheme = "prefetch : (d : size) -> [A]n -> [A]n"
    meaning = "ask memory for the element d further on"
    traits = Traits(reshapes=True, bijective=True, natural=True, passes_destination=True)
    __match_args__ = ("distance", "xs")
    distance: Size
    xs: Expr

    def __new__(cls, distance: SizeLike, xs: Expr) -> Prefetch:
        return cls._make((xs,), (size(distance),))

    def _infer(self) -> Type:
        return array_type("prefetch", self.xs.type)

    def source(self, by: Indices) -> tuple[Size, ...]:
        return ()

    def destination(self, by: Indices) -> tuple[Size, ...]:
        return ()


class PrefetchAgain(Prefetch):
    """`prefetchAgain d xs = xs`; as `prefetch`, and the last d turns ask for their own element again. There is no test
    for whether there is one: what each turn loads stands between no branches.
    """

    scheme = "prefetchAgain : (d : size) -> [A]n -> [A]n"
    meaning = "ask memory for the element d further on, or for the same again where there is none"
    traits = Prefetch.traits


class PrefetchCopies(Prefetch):
    """`prefetchCopies d xs = xs`; what each turn of a reduction copies to local memory is copied d turns before, while
    the work-items compute, past their registers. Local memory has room for what d + 1 turns copy, d >= 1. A hint: what
    is not copied as it is, in pieces of 4, 8 or 16 bytes, is copied when its turn comes.

    Source: PTX ISA, `cp.async`.
    """

    scheme = "prefetchCopies : (d : size) -> [A]n -> [A]n"
    meaning = "copy to local memory what the element d further on is copied for"
    traits = Prefetch.traits


class Split(IndexView):
    """`split n`: chunks of n consecutive elements."""

    scheme = "split : (n : size) -> [A](n*I) -> [[A]n]I"
    meaning = "add a dimension: chunk i holds elements i*n to i*n + n - 1"
    traits = Traits(view=True, reshapes=True, bijective=True, natural=True, passes_destination=True, size_neutral=True)
    types_decide = True
    __match_args__ = ("chunk", "xs")
    chunk: Size
    xs: Expr

    def __new__(cls, chunk: SizeLike, xs: Expr) -> Split:
        return cls._make((xs,), (size(chunk),))

    def _infer(self) -> Type:
        xs = array_type("split", self.xs.type)
        return ArrayType(ArrayType(xs.element, self.chunk), exact_quotient("split", xs.length, self.chunk))

    def source(self, by: Indices, i: Size, j: Size) -> tuple[Size, ...]:
        return (by.combined(i, self.chunk, j),)

    def destination(self, by: Indices, i: Size) -> tuple[Size, ...]:
        return by.divided(i, self.chunk, length_of(self))


class Join(IndexView):
    """`join`: the two outer dimensions become one."""

    scheme = "join : [[A]I]J -> [A](I*J)"
    meaning = "drop a dimension; the inverse of split"
    traits = Traits(view=True, reshapes=True, bijective=True, natural=True, passes_destination=True, size_neutral=True)
    types_decide = True
    __match_args__ = ("xs",)
    xs: Expr

    def __new__(cls, xs: Expr) -> Join:
        return cls._make((xs,))

    def _infer(self) -> Type:
        outer = array_type("join", self.xs.type)
        inner = array_type("join", outer.element)
        return ArrayType(inner.element, inner.length * outer.length)

    def source(self, by: Indices, i: Size) -> tuple[Size, ...]:
        return by.divided(i, row_length(self.xs), length_of(self.xs))

    def destination(self, by: Indices, i: Size, j: Size) -> tuple[Size, ...]:
        return (by.combined(i, row_length(self.xs), j),)


class Transpose(IndexView):
    """`transpose`: the two outer dimensions change places."""

    scheme = "transpose : [[A]m]n -> [[A]n]m"
    meaning = "element (i, j) becomes element (j, i)"
    traits = Traits(view=True, bijective=True, natural=True, passes_destination=True, size_neutral=True)
    types_decide = True
    __match_args__ = ("xs",)
    xs: Expr

    def __new__(cls, xs: Expr) -> Transpose:
        return cls._make((xs,))

    def _infer(self) -> Type:
        outer = array_type("transpose", self.xs.type)
        inner = array_type("transpose", outer.element)
        return ArrayType(ArrayType(inner.element, outer.length), inner.length)

    def source(self, by: Indices, i: Size, j: Size) -> tuple[Size, ...]:
        return j, i

    destination = source


class Slice(IndexView):
    """`slice start step count`: elements start, start + step, ...; the step may be negative."""

    scheme = "slice : (start : size) -> (step : int) -> (count : size) -> [A]n -> [A]count"
    meaning = "element i is element start + i*step"
    traits = Traits(view=True, natural=True, size_neutral=True)
    types_decide = True
    __match_args__ = ("start", "step", "count", "xs")
    start: Size
    step: int
    count: Size
    xs: Expr

    def __new__(cls, start: SizeLike, step: int, count: SizeLike, xs: Expr) -> Slice:
        return cls._make((xs,), (size(start), step, size(count)))

    def _infer(self) -> Type:
        return ArrayType(array_type("slice", self.xs.type).element, self.count)

    def source(self, by: Indices, i: Size) -> tuple[Size, ...]:
        return (self.start + i * self.step,)


class Head(IndexView):
    """`head n xs`: the first n elements. Whoever computes xs computes all of it, and writes no more than these: so what
    is cut into pieces of one size may end anywhere.
    """

    scheme = "head : (n : size) -> [A]m -> [A]n"
    meaning = "the first n elements; what is computed beyond them is written nowhere"
    traits = Traits(view=True, partial=True, natural=True, passes_destination=True)
    types_decide = True
    __match_args__ = ("count", "xs")
    count: Size
    xs: Expr

    def __new__(cls, count: SizeLike, xs: Expr) -> Head:
        return cls._make((xs,), (size(count),))

    def _infer(self) -> Type:
        xs = array_type("head", self.xs.type)
        if is_lt(xs.length, self.count):
            raise TypeMismatch("head", f"an array of {self.count} elements or more", xs)
        return ArrayType(xs.element, self.count)

    def source(self, by: Indices, i: Size) -> tuple[Size, ...]:
        return (i,)


class Slide(IndexView):
    """`slide s d`: windows of s neighbouring elements, each d elements behind the one before; they overlap where d is
    less than s (CGO 2018, "High performance stencil code generation with Lift", section 3).

    What is left behind the last whole window is in none. s and d are 1 or more, and there is a window: typing refuses
    arrays known to be shorter, the interpreter all that are.
    """

    scheme = "slide : (s : size) -> (d : size) -> [A]n -> [[A]s]((n-s)//d + 1)"
    meaning = "add a dimension: window i holds elements i*d to i*d + s - 1"
    traits = Traits(view=True, copies=True, natural=True, size_neutral=True)
    types_decide = True
    __match_args__ = ("window", "step", "xs")
    window: Size
    step: Size
    xs: Expr

    def __new__(cls, window: SizeLike, step: SizeLike, xs: Expr) -> Slide:
        return cls._make((xs,), (size(window), size(step)))

    def _infer(self) -> Type:
        xs = array_type("slide", self.xs.type)
        for what, number in (("a window", self.window), ("a step", self.step)):
            if is_lt(number, size(1)):
                raise TypeMismatch("slide", f"{what} of 1 or more", number)
        if is_lt(xs.length, self.window):
            raise TypeMismatch("slide", f"an array of {self.window} elements or more", xs)
        return ArrayType(ArrayType(xs.element, self.window), (xs.length - self.window) // self.step + 1)

    def source(self, by: Indices, i: Size, j: Size) -> tuple[Size, ...]:
        return (i * self.step + j,)


class Pad(IndexView):
    """`pad b c xs`: b elements before an array and c behind it, the nearest one of it each (CGO 2018, "High performance
    stencil code generation with Lift", section 3, with a clamped index).

    There is an element: typing refuses arrays known to be empty, the interpreter all that are.
    """

    scheme = "pad : (b : size) -> (c : size) -> [A]n -> [A](b + n + c)"
    meaning = "the first element b times more, and the last one c times more"
    traits = Traits(view=True, copies=True, natural=True, size_neutral=True)
    types_decide = True
    __match_args__ = ("before", "behind", "xs")
    before: Size
    behind: Size
    xs: Expr

    def __new__(cls, before: SizeLike, behind: SizeLike, xs: Expr) -> Pad:
        return cls._make((xs,), (size(before), size(behind)))

    def _infer(self) -> Type:
        xs = array_type("pad", self.xs.type)
        for number in (self.before, self.behind):
            if is_lt(number, size(0)):
                raise TypeMismatch("pad", "0 elements or more at an end", number)
        if is_lt(xs.length, size(1)):
            raise TypeMismatch("pad", "an array of 1 element or more", xs)
        return ArrayType(xs.element, self.before + xs.length + self.behind)

    def source(self, by: Indices, i: Size) -> tuple[Size, ...]:
        own, n = i - self.before, length_of(self.xs)
        own = own if is_lt(own, n) else minimum(own, n - 1)
        return (own if is_le(size(0), own) else maximum(own, 0),)


class Repeat(IndexView):
    """`repeat n x = [x, x, ...]`: how an array is broadcast along a new outer dimension."""

    scheme = "repeat : (n : size) -> A -> [A]n"
    meaning = "n times the same value"
    traits = Traits(view=True, copies=True, natural=True, size_neutral=True)
    types_decide = True
    __match_args__ = ("count", "x")
    count: Size
    x: Expr

    def __new__(cls, count: SizeLike, x: Expr) -> Repeat:
        return cls._make((x,), (size(count),))

    def _infer(self) -> Type:
        return ArrayType(self.x.type, self.count)

    def source(self, by: Indices, i: Size) -> tuple[Size, ...]:
        return ()


class Element(IndexView):
    """`element i xs = xs[i]`."""

    scheme = "element : (i : size) -> [A]n -> A"
    meaning = "one element by its index"
    traits = Traits(view=True, natural=True, size_neutral=True)
    types_decide = True
    __match_args__ = ("index", "xs")
    index: Size
    xs: Expr

    def __new__(cls, index: SizeLike, xs: Expr) -> Element:
        return cls._make((xs,), (size(index),))

    def _infer(self) -> Type:
        return array_type("element", self.xs.type).element

    def source(self, by: Indices) -> tuple[Size, ...]:
        return (self.index,)


class Reverse(IndexView):
    """`reverse`: the last element first."""

    scheme = "reverse : [A]n -> [A]n"
    meaning = "the last element first; whoever computes the array begins at its end"
    traits = Traits(view=True, bijective=True, natural=True, passes_destination=True, size_neutral=True)
    types_decide = True
    __match_args__ = ("xs",)
    xs: Expr

    def __new__(cls, xs: Expr) -> Reverse:
        return cls._make((xs,))

    def _infer(self) -> Type:
        return array_type("reverse", self.xs.type)

    def source(self, by: Indices, i: Size) -> tuple[Size, ...]:
        return (length_of(self) - 1 - i,)

    destination = source


class ReorderStride(IndexView):
    """`reorderStride s`: element i is element `i / I + s * (i % I)` of an array of length s*I."""

    scheme = "reorderStride : (s : size) -> [A](s*I) -> [A](s*I)"
    meaning = "read with stride s, so that neighbours in a chunk lie s apart"
    traits = Traits(view=True, bijective=True, natural=True, passes_destination=True)
    types_decide = True
    __match_args__ = ("stride", "xs")
    stride: Size
    xs: Expr

    def __new__(cls, stride: SizeLike, xs: Expr) -> ReorderStride:
        return cls._make((xs,), (size(stride),))

    def _infer(self) -> Type:
        xs = array_type("reorderStride", self.xs.type)
        exact_quotient("reorderStride", xs.length, self.stride)
        return xs

    @property
    def chunk(self) -> Size:
        """I, the length over the stride."""
        return exact_quotient("reorderStride", length_of(self), self.stride)

    def source(self, by: Indices, i: Size) -> tuple[Size, ...]:
        row, column = by.divided(i, self.chunk, self.stride)
        return (row + self.stride * column,)

    def destination(self, by: Indices, i: Size) -> tuple[Size, ...]:
        row, column = by.divided(i, self.stride, self.chunk)
        return (column * self.chunk + row,)
