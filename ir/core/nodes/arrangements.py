"""Views that no index function of one operand describes: of several arrays, by indices that are data, of vectors."""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.nodes.views import length_of
from ir.core.signature import Pattern, array_type, exact_quotient, require_same
from ir.core.sizes import Size, SizeLike, is_lt, size
from ir.core.traits import Traits
from ir.core.types import INT32, INT64, ArrayType, TupleType, Type, VectorType, widen
from ir.errors import TypeMismatch

__all__ = ["AsScalar", "AsVector", "Concat", "Gather", "Overlap", "Reorder", "Zip", "narrow"]


class Zip(Pattern):
    """`zip(xs, ys, ...)`: the array of tuples."""

    scheme = "zip : [A]n -> [B]n -> [(A, B)]n"
    meaning = "pair up elements (two or more arrays)"
    traits = Traits(view=True, reshapes=True, passes_destination=True, size_neutral=True)
    types_decide = True

    def __new__(cls, *arrays: Expr) -> Zip:
        return cls._make(arrays)

    def _infer(self) -> Type:
        first = array_type("zip", self.operands[0].type)
        elements = []
        for operand in self.operands:
            t = operand.type
            if not isinstance(t, ArrayType) or t.length is not first.length:
                arrays = [array_type("zip", each.type) for each in self.operands]
                raise TypeMismatch("zip", "arrays of one length", ", ".join(map(str, arrays)))
            elements.append(t.element)
        return ArrayType(TupleType(tuple(elements)), first.length)


class Concat(Pattern):
    """`concat(xs, ys, ...)`: one array after the other."""

    scheme = "concat : [A]m -> [A]n -> [A](m+n)"
    meaning = "one array after the other (two or more)"
    traits = Traits(natural=True, passes_destination=True)
    types_decide = True

    def __new__(cls, *arrays: Expr) -> Concat:
        return cls._make(arrays)

    def _infer(self) -> Type:
        arrays = [array_type("concat", operand.type) for operand in self.operands]
        for t in arrays:
            if t.element is not arrays[0].element:
                require_same("concat", arrays[0].element, t.element)
        numbers = [t.length.value for t in arrays]
        known = [n for n in numbers if n is not None]
        if len(known) == len(numbers):  # a program's assignments may leave many parts
            return ArrayType(arrays[0].element, size(sum(known)))
        return ArrayType(arrays[0].element, sum((t.length for t in arrays), size(0)))


class Overlap(Pattern):
    """`overlap n xs ys`: n elements, of which the first are xs and the last are ys. Where they meet, ys are written
    over xs: so a loop whose length its vectors do not divide may end with a whole one. One work-item computes both.
    """

    scheme = "overlap : (n : size) -> [A]k -> [A]m -> [A]n"
    meaning = "element i is the one of ys if it is among the last m, else of xs"
    traits = Traits(natural=True, passes_destination=True)
    types_decide = True
    __match_args__ = ("count", "first", "last")
    count: Size
    first: Expr
    last: Expr

    def __new__(cls, count: SizeLike, first: Expr, last: Expr) -> Overlap:
        return cls._make((first, last), (size(count),))

    def _infer(self) -> Type:
        first, last = array_type("overlap", self.first.type), array_type("overlap", self.last.type)
        if first.element is not last.element:
            require_same("overlap", first.element, last.element)
        for t in (first, last):
            if is_lt(self.count, t.length):
                raise TypeMismatch("overlap", f"an array of {self.count} elements or fewer", t)
        if is_lt(first.length + last.length, self.count):
            raise TypeMismatch("overlap", f"arrays of {self.count} elements together", f"{first}, {last}")
        return ArrayType(first.element, self.count)

    @property
    def start(self) -> Size:
        """Where the last elements begin."""
        return self.count - length_of(self.last)


class Gather(Pattern):
    """`gather xs is`: element i is `xs[is[i]]`, counted from 0; an index outside is clamped to the nearest valid one.

    Lengths being symbols, typing does not ask that xs have elements. Where it has none and there is an index, there is
    nothing to clamp to: the interpreter raises an error, and a kernel must not be launched.
    """

    scheme = "gather : [A]n -> [int32 or int64]m -> [A]m"
    meaning = "element i is the one that index i names, the nearest one for an index outside"
    traits = Traits(view=True, copies=True, natural=True, size_neutral=True)
    types_decide = True
    __match_args__ = ("xs", "indices")
    xs: Expr
    indices: Expr

    def __new__(cls, xs: Expr, indices: Expr) -> Gather:
        return cls._make((xs, indices))

    def _infer(self) -> Type:
        xs, indices = array_type("gather", self.xs.type), array_type("gather", self.indices.type)
        if indices.element not in (INT32, INT64):
            raise TypeMismatch("gather", "indices of type int32 or int64", indices.element)
        return ArrayType(xs.element, indices.length)


class Reorder(Pattern):
    """`reorder`: the order of the elements does not matter to whoever reads them."""

    scheme = "reorder : [A]n -> [A]n"
    meaning = "any permutation of the elements"
    traits = Traits(bijective=True, natural=True, high_level=True, passes_destination=True)
    types_decide = True
    __match_args__ = ("xs",)
    xs: Expr

    def __new__(cls, xs: Expr) -> Reorder:
        return cls._make((xs,))

    def _infer(self) -> Type:
        return array_type("reorder", self.xs.type)


class AsVector(Pattern):
    """`asVector w` (also `splitVec w`): w neighbouring scalars become one vector."""

    scheme = "asVector : (w : size) -> [S](w*I) -> [<S>w]I"
    meaning = "chunks of w scalars as vectors (of tuples: tuples of vectors)"
    traits = Traits(view=True, reshapes=True, bijective=True)
    types_decide = True
    __match_args__ = ("width", "xs")
    width: int
    xs: Expr

    def __new__(cls, width: int, xs: Expr) -> AsVector:
        return cls._make((xs,), (width,))

    def _infer(self) -> Type:
        xs = array_type("asVector", self.xs.type)
        return ArrayType(widen(xs.element, self.width), exact_quotient("asVector", xs.length, size(self.width)))


class AsScalar(Pattern):
    """`asScalar` (also `joinVec`): vectors become their scalars again."""

    scheme = "asScalar : [<S>w]I -> [S](w*I)"
    meaning = "the inverse of asVector"
    traits = Traits(view=True, reshapes=True, bijective=True, passes_destination=True)
    types_decide = True
    __match_args__ = ("xs",)
    xs: Expr

    def __new__(cls, xs: Expr) -> AsScalar:
        return cls._make((xs,))

    def _infer(self) -> Type:
        xs = array_type("asScalar", self.xs.type)
        element, width = narrow(xs.element)
        return ArrayType(element, xs.length * width)


def narrow(t: Type) -> tuple[Type, int]:
    """The scalar (or tuple of scalars) type that was widened to `t`, and the width."""
    if isinstance(t, VectorType):
        return t.element, t.width
    if isinstance(t, TupleType):
        parts = [narrow(part) for part in t.elements]
        if len({width for _, width in parts}) == 1:
            return TupleType(tuple(part for part, _ in parts)), parts[0][1]
    raise TypeMismatch("asScalar", "vectors of one width", t)
