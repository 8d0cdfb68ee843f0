"""Types of the language: scalars, vectors, tuples, arrays with symbolic lengths, functions.

Types are interned: two equal types are the same object, so equality is identity.
Source: ICFP 2015, section 5.1 and figure 4; vectors are written `<T>n` as in section 3.2.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Mapping
from typing import Any, TypeVar

from ir.core.interning import Table
from ir.core.sizes import Size, SizeLike, size
from ir.errors import TypeMismatch

__all__ = [
    "BOOL", "FLOAT32", "FLOAT64", "INT32", "INT64", "ArrayType", "FunctionType", "ScalarType", "TupleType", "Type",
    "VectorType", "array_of", "bytes_of", "element_type", "extents_of", "is_flat", "scalar", "scalars_of", "shape_of",
    "substitute_in_type", "widen",
]  # fmt: skip

T = TypeVar("T", bound="Type")

VECTOR_WIDTHS = (2, 4, 8, 16)


class Type:
    """Base of all types; subclasses are interned through `_intern`."""

    __slots__ = ("__weakref__",)

    @classmethod
    def _intern(cls: type[T], *fields: Any) -> T:
        key = (cls, *fields)
        found = _types.get(key)
        return _enter(key) if found is None else found  # type: ignore[return-value]  # the key holds the class

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError(f"{type(self).__name__} is immutable")

    def __repr__(self) -> str:
        return str(self)

    def __reduce__(self) -> tuple[Any, ...]:
        slots: tuple[str, ...] = self.__slots__
        return (type(self), tuple(getattr(self, name) for name in slots))


_types: Table[Type] = Table()
_recent: deque[Type] = deque(maxlen=1024)
"""The types made last, kept alive: what is recorded comes and goes, and would make its types again each time."""


def _enter(key: tuple[Any, ...]) -> Type:
    """Make the type of that class with those fields."""
    made: Type = object.__new__(key[0])
    for name, value in zip(key[0].__slots__, key[1:], strict=True):
        object.__setattr__(made, name, value)
    _recent.append(made)
    return _types.enter(key, made)


class ScalarType(Type):
    """A number or truth value, named as NumPy names it (`float32`, `bool`)."""

    __slots__ = ("name",)
    name: str

    def __new__(cls, name: str) -> ScalarType:
        if name not in _BYTES:
            raise TypeMismatch("scalar type", "one of " + ", ".join(_BYTES), name)
        return cls._intern(name)

    @property
    def bytes(self) -> int:
        """Bytes one element takes in a buffer."""
        return _BYTES[self.name]

    @property
    def is_float(self) -> bool:
        """Is it a floating-point type?"""
        return self.name.startswith("float")

    @property
    def is_signed(self) -> bool:
        """Is it a signed integer type?"""
        return self.name.startswith("int")

    @property
    def is_integer(self) -> bool:
        """Is it an integer type, signed or unsigned?"""
        return self.name.startswith(("int", "uint"))

    def __str__(self) -> str:
        return self.name


_BYTES = {
    "bool": 1,
    "int8": 1,
    "int16": 2,
    "int32": 4,
    "int64": 8,
    "uint8": 1,
    "uint16": 2,
    "uint32": 4,
    "uint64": 8,
    "float32": 4,
    "float64": 8,
}


class VectorType(Type):
    """`<T>n`: n scalars in one OpenCL vector register (n is 2, 4, 8 or 16)."""

    __slots__ = ("element", "width")
    element: ScalarType
    width: int

    def __new__(cls, element: Type, width: int) -> VectorType:
        if not isinstance(element, ScalarType):
            raise TypeMismatch("vector type", "a scalar element", element)
        if width not in VECTOR_WIDTHS:
            raise TypeMismatch("vector type", f"a width in {VECTOR_WIDTHS}", width)
        return cls._intern(element, width)

    def __str__(self) -> str:
        return f"<{self.element}>{self.width}"


class TupleType(Type):
    """`(A, B, ...)`: two or more components."""

    __slots__ = ("elements",)
    elements: tuple[Type, ...]

    def __new__(cls, elements: tuple[Type, ...]) -> TupleType:
        entry = _types.entries.get((TupleType, elements))  # every zip that is recorded passes here
        found = None if entry is None else entry()
        if found is None:
            if len(elements) < 2:
                raise TypeMismatch("tuple type", "two or more components", elements)
            found = _enter((TupleType, elements))
        return found  # type: ignore[return-value]  # the key holds the class

    def __str__(self) -> str:
        return "(" + ", ".join(map(str, self.elements)) + ")"


class ArrayType(Type):
    """`[T]n`: n elements of type T; N-dimensional arrays are nested, outermost dimension first."""

    __slots__ = ("element", "length")
    element: Type
    length: Size

    def __new__(cls, element: Type, length: SizeLike) -> ArrayType:
        key = (ArrayType, element, length if type(length) is Size else size(length))
        entry = _types.entries.get(key)  # every vertex that is recorded passes here
        found = None if entry is None else entry()
        return _enter(key) if found is None else found  # type: ignore[return-value]  # the key holds the class

    def __str__(self) -> str:
        text = str(self.length)
        return f"[{self.element}]{text}" if text.isalnum() else f"[{self.element}]({text})"


class FunctionType(Type):
    """`(A, B) -> C`."""

    __slots__ = ("params", "result")
    params: tuple[Type, ...]
    result: Type

    def __new__(cls, params: tuple[Type, ...], result: Type) -> FunctionType:
        return cls._intern(params, result)

    def __str__(self) -> str:
        return f"({', '.join(map(str, self.params))}) -> {self.result}"


BOOL = ScalarType("bool")
INT32 = ScalarType("int32")
INT64 = ScalarType("int64")
FLOAT32 = ScalarType("float32")
FLOAT64 = ScalarType("float64")


def scalar(name: str) -> ScalarType:
    """The scalar type of that NumPy name."""
    return ScalarType(name)


def array_of(element: Type, *shape: SizeLike) -> Type:
    """The nested array type of a shape, outermost dimension first; the element type itself for an empty shape."""
    for extent in reversed(shape):
        element = ArrayType(element, extent)
    return element


def shape_of(t: Type) -> tuple[Size, ...]:
    """The lengths of the nested array dimensions, outermost first."""
    shape = []
    while isinstance(t, ArrayType):
        shape.append(t.length)
        t = t.element
    return tuple(shape)


def extents_of(t: Type) -> tuple[int, ...]:
    """The same of an array in a recorded graph, where lengths are numbers."""
    extents = [length.value for length in shape_of(t)]
    assert None not in extents
    return tuple(extents)  # type: ignore[arg-type]  # checked


def element_type(t: Type) -> Type:
    """What is left of a type when all its array dimensions are peeled off."""
    while isinstance(t, ArrayType):
        t = t.element
    return t


def scalars_of(t: Type) -> list[ScalarType]:
    """The scalars that a value of the type, or a lane of it, is made of."""
    if isinstance(t, TupleType):
        return [scalar for part in t.elements for scalar in scalars_of(part)]
    scalar = t.element if isinstance(t, VectorType) else t
    assert isinstance(scalar, ScalarType)
    return [scalar]


def bytes_of(t: Type) -> int:
    """What a value of scalars takes, or a lane of it."""
    return sum(scalar.bytes for scalar in scalars_of(t))


def is_flat(t: Type) -> bool:
    """Is it an array whose elements are no arrays?"""
    return isinstance(t, ArrayType) and not isinstance(t.element, ArrayType)


def widen(t: Type, width: int) -> Type:
    """The type of a scalar (or tuple of scalars) function's value once vectorised by `width`."""
    if isinstance(t, TupleType):
        return TupleType(tuple(widen(part, width) for part in t.elements))
    return VectorType(t, width)


def substitute_in_type(t: Type, sizes: Mapping[Size, Size], again: Callable[[Type], Type]) -> Type:
    """A type with other sizes in its lengths; `again` does the same for the types that it is made of."""
    if isinstance(t, ArrayType):
        return ArrayType(again(t.element), t.length.substitute(sizes))
    if isinstance(t, TupleType):
        return TupleType(tuple(map(again, t.elements)))
    if isinstance(t, FunctionType):
        return FunctionType(tuple(map(again, t.params)), again(t.result))
    return t
