"""The signature table: each pattern once, with its type scheme, its meaning and its typing rule.

High-level patterns and their types: ICFP 2015 figure 4; low-level ones: figure 5 and table 2 of the journal draft.
`concat`, `slice` and `repeat` are what ragged lengths and NumPy code need beyond them (design, sections 3.5 and 4).
A pattern whose `emits` is False is a view: it generates no code, only an index function.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, ClassVar

import numpy as np

from ir.core.expr import Expr, Lambda, postorder
from ir.core.scalars import Operation, operation
from ir.core.sizes import Size, SizeLike, divide_exactly, power, size
from ir.core.types import ArrayType, ScalarType, TupleType, Type, VectorType, widen
from ir.errors import TypeMismatch

__all__ = [
    "MAP",
    "MAP_SEQ",
    "MAP_SEQ_UNROLL",
    "REDUCE",
    "REDUCE_SEQ",
    "REDUCE_SEQ_UNROLL",
    "SIGNATURES",
    "AsScalar",
    "AsVector",
    "Call",
    "Cast",
    "Concat",
    "Element",
    "FromSize",
    "Get",
    "Id",
    "Iterate",
    "Join",
    "Kind",
    "Literal",
    "Map",
    "Memory",
    "Reduce",
    "ReducePart",
    "Reorder",
    "ReorderStride",
    "Repeat",
    "Slice",
    "Splat",
    "Split",
    "Transpose",
    "Tuple",
    "Vect",
    "Zip",
    "is_view_map", "map_global",
    "map_local",
    "map_workgroup",
]  # fmt: skip


@dataclass(frozen=True)
class Kind:
    """How a map or reduce is carried out: `map` and `reduce` leave it open, the others name an OpenCL paradigm."""

    name: str
    dim: int = 0

    @property
    def parallel(self) -> bool:
        """Is each element given to its own work-group or work-item?"""
        return self.name in ("mapWorkgroup", "mapLocal", "mapGlobal")

    def __str__(self) -> str:
        return f"{self.name}{self.dim}" if self.parallel and self.dim else self.name


MAP = Kind("map")
MAP_SEQ = Kind("mapSeq")
MAP_SEQ_UNROLL = Kind("mapSeqUnroll")
REDUCE = Kind("reduce")
REDUCE_SEQ = Kind("reduceSeq")
REDUCE_SEQ_UNROLL = Kind("reduceSeqUnroll")


def map_workgroup(dim: int = 0) -> Kind:
    """One work-group for each element."""
    return Kind("mapWorkgroup", dim)


def map_local(dim: int = 0) -> Kind:
    """One work-item of the work-group for each element."""
    return Kind("mapLocal", dim)


def map_global(dim: int = 0) -> Kind:
    """One work-item for each element."""
    return Kind("mapGlobal", dim)


def _array(pattern: str, t: Type) -> ArrayType:
    if not isinstance(t, ArrayType):
        raise TypeMismatch(pattern, "an array", t)
    return t


def _exact(pattern: str, length: Size, factor: Size) -> Size:
    if length is factor:
        return size(1)
    quotient = divide_exactly(length, factor)
    if quotient is None:
        raise TypeMismatch(pattern, f"an array length that is a multiple of {factor}", length)
    return quotient


def _same(pattern: str, expected: object, actual: object) -> None:
    if expected is not actual:
        raise TypeMismatch(pattern, expected, actual)


class Pattern(Expr):
    """Base of the patterns over arrays; subclasses register themselves in `SIGNATURES`."""

    __slots__ = ()
    scheme: ClassVar[str] = ""
    meaning: ClassVar[str] = ""
    emits: ClassVar[bool] = False

    def __init_subclass__(cls, **_: Any) -> None:
        SIGNATURES[cls.__name__] = cls


SIGNATURES: dict[str, type[Pattern]] = {}


# --- scalars and tuples ---------------------------------------------------------------------------------------------


class Literal(Expr):
    """A constant; told apart by dtype and bits, so NaN equals itself and -0.0 differs from 0.0."""

    __slots__ = ("bits", "dtype")
    parameter_names = ("dtype", "bits")
    dtype: ScalarType
    bits: bytes

    def __new__(cls, value: Any, dtype: ScalarType) -> Literal:
        return cls._make((), (dtype, np.dtype(dtype.name).type(value).tobytes()))

    def _infer(self) -> Type:
        return self.dtype

    @property
    def value(self) -> Any:
        """The constant as a NumPy scalar."""
        return np.frombuffer(self.bits, dtype=self.dtype.name)[0]


class FromSize(Expr):
    """A size as a number of that dtype."""

    __slots__ = ("dtype", "value")
    parameter_names = ("value", "dtype")
    value: Size
    dtype: ScalarType

    def __new__(cls, value: SizeLike, dtype: ScalarType) -> FromSize:
        return cls._make((), (size(value), dtype))

    def _infer(self) -> Type:
        return self.dtype


class Call(Expr):
    """A scalar primitive applied to scalars, or to vectors element by element."""

    __slots__ = ("op",)
    parameter_names = ("op",)
    op: str

    def __new__(cls, op: str, *operands: Expr) -> Call:
        return cls._make(operands, (op,))

    def _infer(self) -> Type:
        return operation(self.op).infer(tuple(operand.type for operand in self.operands))

    @property
    def operation(self) -> Operation:
        """The primitive's entry in the table."""
        return operation(self.op)


class Cast(Expr):
    """A number converted to another dtype, by the rules of C (floats to integers truncate; anything to bool is `!=
    0`).
    """

    __slots__ = ("dtype", "operand")
    operand_names = ("operand",)
    parameter_names = ("dtype",)
    operand: Expr
    dtype: ScalarType

    def __new__(cls, operand: Expr, dtype: ScalarType) -> Cast:
        return cls._make((operand,), (dtype,))

    def _infer(self) -> Type:
        t = self.operand.type
        if isinstance(t, VectorType):
            return VectorType(self.dtype, t.width)
        if not isinstance(t, ScalarType):
            raise TypeMismatch("cast", "a scalar or vector", t)
        return self.dtype


class Splat(Expr):
    """A scalar repeated in every lane of a vector (for tuples: in each component)."""

    __slots__ = ("operand", "width")
    operand_names = ("operand",)
    parameter_names = ("width",)
    operand: Expr
    width: int

    def __new__(cls, operand: Expr, width: int) -> Splat:
        return cls._make((operand,), (width,))

    def _infer(self) -> Type:
        return widen(self.operand.type, self.width)


class Tuple(Expr):
    """`(a, b, ...)`."""

    __slots__ = ()

    def __new__(cls, *operands: Expr) -> Tuple:
        return cls._make(operands)

    def _infer(self) -> Type:
        return TupleType(tuple(operand.type for operand in self.operands))


class Get(Expr):
    """Component i of a tuple, counted from zero."""

    __slots__ = ("index", "operand")
    operand_names = ("operand",)
    parameter_names = ("index",)
    __match_args__ = ("index", "operand")
    operand: Expr
    index: int

    def __new__(cls, index: int, operand: Expr) -> Get:
        return cls._make((operand,), (index,))

    def _rebuilt(self, operands: tuple[Expr, ...]) -> Expr:
        # beta reduction puts tuples where variables were: `(a, b).0` is `a`
        known = operands[0]
        return known.operands[self.index] if isinstance(known, Tuple) else self._make(operands, self.parameters)

    def _infer(self) -> Type:
        t = self.operand.type
        if not isinstance(t, TupleType) or not 0 <= self.index < len(t.elements):
            raise TypeMismatch("get", f"a tuple with a component {self.index}", t)
        return t.elements[self.index]


# --- maps and reductions --------------------------------------------------------------------------------------------


class Map(Pattern):
    """`map f [x0, x1, ...] = [f x0, f x1, ...]`."""

    __slots__ = ("f", "how", "xs")
    scheme = "map : (A -> B) -> [A]n -> [B]n"
    meaning = "apply f to every element"
    emits = True
    operand_names = ("f", "xs")
    parameter_names = ("how",)
    __match_args__ = ("f", "xs", "how")
    f: Lambda | Vect
    xs: Expr
    how: Kind

    def __new__(cls, f: Expr, xs: Expr, how: Kind = MAP) -> Map:
        return cls._make((f, xs), (how,))

    def _infer(self) -> Type:
        xs = _array(str(self.how), self.xs.type)
        result = _function(str(self.how), self.f, (xs.element,))
        return ArrayType(result, xs.length)

    @property
    def name(self) -> str:
        return str(self.how)


def _function(pattern: str, f: Expr, arguments: tuple[Type, ...]) -> Type:
    """The result type of a function-valued operand applied to arguments of those types."""
    types = f.type.params if isinstance(f, (Lambda, Vect)) else None  # type: ignore[attr-defined]  # both have function types
    if types != arguments:
        raise TypeMismatch(pattern, f"a function of ({', '.join(map(str, arguments))})", f.type)
    return f.type.result  # type: ignore[attr-defined, no-any-return]


class Reduce(Pattern):
    """`reduce f z [x0, x1, ...] = [x0 f (x1 f (... f z))]`; `reduceSeq` folds from the left, in order."""

    __slots__ = ("f", "how", "init", "xs")
    scheme = "reduce : ((A, A) -> A) -> A -> [A]n -> [A]1;  reduceSeq : ((A, B) -> A) -> A -> [B]n -> [A]1"
    meaning = "combine all elements; reduce may do so in any order"
    emits = True
    operand_names = ("f", "init", "xs")
    parameter_names = ("how",)
    __match_args__ = ("f", "init", "xs", "how")
    f: Lambda | Vect
    init: Expr
    xs: Expr
    how: Kind

    def __new__(cls, f: Expr, init: Expr, xs: Expr, how: Kind = REDUCE) -> Reduce:
        return cls._make((f, init, xs), (how,))

    def _infer(self) -> Type:
        xs, acc = _array(str(self.how), self.xs.type), self.init.type
        if self.how == REDUCE:
            _same("reduce", xs.element, acc)
        _same(str(self.how), acc, _function(str(self.how), self.f, (acc, xs.element)))
        return ArrayType(acc, 1)

    @property
    def name(self) -> str:
        return str(self.how)


class ReducePart(Pattern):
    """`reducePart f z n`: n results, each the reduction of one n-th of the array."""

    __slots__ = ("f", "init", "parts", "xs")
    scheme = "reducePart : ((A, A) -> A) -> A -> (n : size) -> [A](I*n) -> [A]n"
    meaning = "reduce each of n equal, consecutive parts"
    emits = True
    operand_names = ("f", "init", "xs")
    parameter_names = ("parts",)
    __match_args__ = ("f", "init", "parts", "xs")
    f: Lambda | Vect
    init: Expr
    xs: Expr
    parts: Size

    def __new__(cls, f: Expr, init: Expr, parts: SizeLike, xs: Expr) -> ReducePart:
        return cls._make((f, init, xs), (size(parts),))

    def _infer(self) -> Type:
        xs = _array("reducePart", self.xs.type)
        _same("reducePart", xs.element, self.init.type)
        _same("reducePart", xs.element, _function("reducePart", self.f, (xs.element, xs.element)))
        _exact("reducePart", xs.length, self.parts)
        return ArrayType(xs.element, self.parts)

    @property
    def name(self) -> str:
        return "reducePart"


class Iterate(Pattern):
    """`iterate k f`: f applied k times; f takes `[A](I*m)` to `[A]m` for every size m."""

    __slots__ = ("count", "f", "size_variable", "xs")
    scheme = "iterate : (k : size) -> ((m : size) -> [A](I*m) -> [A]m) -> [A](I**k * J) -> [A]J"
    meaning = "apply f k times, the array shrinking by the factor I each time"
    emits = True
    operand_names = ("f", "xs")
    parameter_names = ("count", "size_variable")
    __match_args__ = ("count", "f", "xs")
    count: Size
    size_variable: Size
    f: Lambda
    xs: Expr

    def __new__(cls, count: SizeLike, size_variable: Size, f: Lambda, xs: Expr) -> Iterate:
        return cls._make((f, xs), (size(count), size_variable))

    @property
    def factor(self) -> Size:
        """I, by which one step shrinks the array."""
        t = self.f.types[0]
        assert isinstance(t, ArrayType)
        return _exact("iterate", t.length, self.size_variable)

    def _infer(self) -> Type:
        xs, m = _array("iterate", self.xs.type), self.size_variable
        if len(self.f.types) != 1 or self.f.result is not ArrayType(xs.element, m):
            raise TypeMismatch("iterate", f"a function from [A](I*{m}) to [A]{m}", self.f.type)
        _same("iterate", xs.element, _array("iterate", self.f.types[0]).element)
        return ArrayType(xs.element, _exact("iterate", xs.length, power(self.factor, self.count)))


# --- views ----------------------------------------------------------------------------------------------------------


class Id(Pattern):
    """`id xs = xs`."""

    __slots__ = ("xs",)
    scheme = "id : A -> A"
    meaning = "the identity"
    operand_names = __match_args__ = ("xs",)
    xs: Expr

    def __new__(cls, xs: Expr) -> Id:
        return cls._make((xs,))

    def _infer(self) -> Type:
        return self.xs.type


class Zip(Pattern):
    """`zip(xs, ys, ...)`: the array of tuples."""

    __slots__ = ()
    scheme = "zip : [A]n -> [B]n -> [(A, B)]n"
    meaning = "pair up elements (two or more arrays)"

    def __new__(cls, *arrays: Expr) -> Zip:
        return cls._make(arrays)

    def _infer(self) -> Type:
        arrays = [_array("zip", operand.type) for operand in self.operands]
        if any(t.length is not arrays[0].length for t in arrays):
            raise TypeMismatch("zip", "arrays of one length", ", ".join(map(str, arrays)))
        return ArrayType(TupleType(tuple(t.element for t in arrays)), arrays[0].length)


class Split(Pattern):
    """`split n`: chunks of n consecutive elements."""

    __slots__ = ("chunk", "xs")
    scheme = "split : (n : size) -> [A](n*I) -> [[A]n]I"
    meaning = "add a dimension: chunk i holds elements i*n to i*n + n - 1"
    operand_names = ("xs",)
    parameter_names = ("chunk",)
    __match_args__ = ("chunk", "xs")
    chunk: Size
    xs: Expr

    def __new__(cls, chunk: SizeLike, xs: Expr) -> Split:
        return cls._make((xs,), (size(chunk),))

    def _infer(self) -> Type:
        xs = _array("split", self.xs.type)
        return ArrayType(ArrayType(xs.element, self.chunk), _exact("split", xs.length, self.chunk))


class Join(Pattern):
    """`join`: the two outer dimensions become one."""

    __slots__ = ("xs",)
    scheme = "join : [[A]I]J -> [A](I*J)"
    meaning = "drop a dimension; the inverse of split"
    operand_names = __match_args__ = ("xs",)
    xs: Expr

    def __new__(cls, xs: Expr) -> Join:
        return cls._make((xs,))

    def _infer(self) -> Type:
        outer = _array("join", self.xs.type)
        inner = _array("join", outer.element)
        return ArrayType(inner.element, inner.length * outer.length)


class Transpose(Pattern):
    """`transpose`: the two outer dimensions change places."""

    __slots__ = ("xs",)
    scheme = "transpose : [[A]m]n -> [[A]n]m"
    meaning = "element (i, j) becomes element (j, i)"
    operand_names = __match_args__ = ("xs",)
    xs: Expr

    def __new__(cls, xs: Expr) -> Transpose:
        return cls._make((xs,))

    def _infer(self) -> Type:
        outer = _array("transpose", self.xs.type)
        inner = _array("transpose", outer.element)
        return ArrayType(ArrayType(inner.element, outer.length), inner.length)


class Slice(Pattern):
    """`slice start step count`: elements start, start + step, ...; the step may be negative."""

    __slots__ = ("count", "start", "step", "xs")
    scheme = "slice : (start : size) -> (step : int) -> (count : size) -> [A]n -> [A]count"
    meaning = "element i is element start + i*step"
    operand_names = ("xs",)
    parameter_names = ("start", "step", "count")
    __match_args__ = ("start", "step", "count", "xs")
    start: Size
    step: int
    count: Size
    xs: Expr

    def __new__(cls, start: SizeLike, step: int, count: SizeLike, xs: Expr) -> Slice:
        return cls._make((xs,), (size(start), step, size(count)))

    def _infer(self) -> Type:
        return ArrayType(_array("slice", self.xs.type).element, self.count)


class Repeat(Pattern):
    """`repeat n x = [x, x, ...]`: how an array is broadcast along a new outer dimension."""

    __slots__ = ("count", "x")
    scheme = "repeat : (n : size) -> A -> [A]n"
    meaning = "n times the same value"
    operand_names = ("x",)
    parameter_names = ("count",)
    __match_args__ = ("count", "x")
    count: Size
    x: Expr

    def __new__(cls, count: SizeLike, x: Expr) -> Repeat:
        return cls._make((x,), (size(count),))

    def _infer(self) -> Type:
        return ArrayType(self.x.type, self.count)


class Concat(Pattern):
    """`concat(xs, ys, ...)`: one array after the other."""

    __slots__ = ()
    scheme = "concat : [A]m -> [A]n -> [A](m+n)"
    meaning = "one array after the other (two or more)"

    def __new__(cls, *arrays: Expr) -> Concat:
        return cls._make(arrays)

    def _infer(self) -> Type:
        arrays = [_array("concat", operand.type) for operand in self.operands]
        total = size(0)
        for t in arrays:
            _same("concat", arrays[0].element, t.element)
            total = total + t.length
        return ArrayType(arrays[0].element, total)


class Element(Pattern):
    """`element i xs = xs[i]`."""

    __slots__ = ("index", "xs")
    scheme = "element : (i : size) -> [A]n -> A"
    meaning = "one element by its index"
    operand_names = ("xs",)
    parameter_names = ("index",)
    __match_args__ = ("index", "xs")
    index: Size
    xs: Expr

    def __new__(cls, index: SizeLike, xs: Expr) -> Element:
        return cls._make((xs,), (size(index),))

    def _infer(self) -> Type:
        return _array("element", self.xs.type).element


class Reorder(Pattern):
    """`reorder`: the order of the elements does not matter to whoever reads them."""

    __slots__ = ("xs",)
    scheme = "reorder : [A]n -> [A]n"
    meaning = "any permutation of the elements"
    operand_names = __match_args__ = ("xs",)
    xs: Expr

    def __new__(cls, xs: Expr) -> Reorder:
        return cls._make((xs,))

    def _infer(self) -> Type:
        return _array("reorder", self.xs.type)


class ReorderStride(Pattern):
    """`reorderStride s`: element i is element `i / I + s * (i % I)` of an array of length s*I."""

    __slots__ = ("stride", "xs")
    scheme = "reorderStride : (s : size) -> [A](s*I) -> [A](s*I)"
    meaning = "read with stride s, so that neighbours in a chunk lie s apart"
    operand_names = ("xs",)
    parameter_names = ("stride",)
    __match_args__ = ("stride", "xs")
    stride: Size
    xs: Expr

    def __new__(cls, stride: SizeLike, xs: Expr) -> ReorderStride:
        return cls._make((xs,), (size(stride),))

    def _infer(self) -> Type:
        xs = _array("reorderStride", self.xs.type)
        _exact("reorderStride", xs.length, self.stride)
        return xs

    @property
    def name(self) -> str:
        return "reorderStride"


class AsVector(Pattern):
    """`asVector w` (also `splitVec w`): w neighbouring scalars become one vector."""

    __slots__ = ("width", "xs")
    scheme = "asVector : (w : size) -> [S](w*I) -> [<S>w]I"
    meaning = "chunks of w scalars as vectors (of tuples: tuples of vectors)"
    operand_names = ("xs",)
    parameter_names = ("width",)
    __match_args__ = ("width", "xs")
    width: int
    xs: Expr

    def __new__(cls, width: int, xs: Expr) -> AsVector:
        return cls._make((xs,), (width,))

    def _infer(self) -> Type:
        xs = _array("asVector", self.xs.type)
        return ArrayType(widen(xs.element, self.width), _exact("asVector", xs.length, size(self.width)))

    @property
    def name(self) -> str:
        return "asVector"


class AsScalar(Pattern):
    """`asScalar` (also `joinVec`): vectors become their scalars again."""

    __slots__ = ("xs",)
    scheme = "asScalar : [<S>w]I -> [S](w*I)"
    meaning = "the inverse of asVector"
    operand_names = __match_args__ = ("xs",)
    xs: Expr

    def __new__(cls, xs: Expr) -> AsScalar:
        return cls._make((xs,))

    def _infer(self) -> Type:
        xs = _array("asScalar", self.xs.type)
        element, width = narrow(xs.element)
        return ArrayType(element, xs.length * width)

    @property
    def name(self) -> str:
        return "asScalar"


def narrow(t: Type) -> tuple[Type, int]:
    """The scalar (or tuple of scalars) type that was widened to `t`, and the width."""
    if isinstance(t, VectorType):
        return t.element, t.width
    if isinstance(t, TupleType):
        parts = [narrow(part) for part in t.elements]
        if len({width for _, width in parts}) == 1:
            return TupleType(tuple(part for part, _ in parts)), parts[0][1]
    raise TypeMismatch("asScalar", "vectors of one width", t)


class Vect(Pattern):
    """`vect w f`: f over vectors of width w, element by element."""

    __slots__ = ("f", "width")
    scheme = "vect : (w : size) -> (S -> T) -> (<S>w -> <T>w)"
    meaning = "a scalar function on vectors"
    operand_names = ("f",)
    parameter_names = ("width",)
    __match_args__ = ("width", "f")
    width: int
    f: Lambda

    def __new__(cls, width: int, f: Lambda) -> Vect:
        return cls._make((f,), (width,))

    def _infer(self) -> Type:
        from ir.core.types import FunctionType

        return FunctionType(tuple(widen(t, self.width) for t in self.f.types), widen(self.f.result, self.width))


class Memory(Pattern):
    """`toGlobal`, `toLocal`, `toPrivate`: where the value is stored. The identity otherwise."""

    __slots__ = ("space", "xs")
    scheme = "toLocal : (A -> B) -> (A -> B), and toGlobal, toPrivate"
    meaning = "the address space in which a result is kept"
    emits = True
    operand_names = ("xs",)
    parameter_names = ("space",)
    __match_args__ = ("space", "xs")
    space: str
    xs: Expr

    def __new__(cls, space: str, xs: Expr) -> Memory:
        if space not in ("global", "local", "private"):
            raise TypeMismatch("memory", "global, local or private", space)
        return cls._make((xs,), (space,))

    def _infer(self) -> Type:
        return self.xs.type

    @property
    def name(self) -> str:
        return "to" + self.space.capitalize()


def is_view_map(e: Expr) -> bool:
    """Is it an open map whose function only rearranges its argument, so that the map is an index function itself?"""
    if not isinstance(e, Map) or e.how != MAP or not isinstance(e.f, Lambda) or not isinstance(e.f.result, ArrayType):
        return False
    return not any(isinstance(node, (Map, Reduce)) and not is_view_map(node) for node in postorder(e.f.body))
