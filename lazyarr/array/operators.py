"""The operators that arrays and traced scalars share."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

__all__ = ["KNOWN", "Operators", "has_priority", "is_arraylike", "is_operand"]

_NUMBERS = (bool, int, float, complex, np.generic, np.ndarray, list, tuple)
_TEXTS = (str, bytes, bytearray)
_REPEATED = (list, tuple, *_TEXTS)

_record: Callable[..., Any]
_matmul: Callable[[Any, Any], Any]


def bind(record: Callable[..., Any], matmul: Callable[[Any, Any], Any]) -> None:
    """Say what operators do.

    Args:
        record: applies the element-wise function of a name
        matmul: multiplies matrices
    """
    global _record, _matmul
    _record, _matmul = record, matmul


def _apply(name: str, left: Any, right: Any) -> Any:
    if is_operand(right if isinstance(left, Operators) else left):
        return _record(name, left, right)
    return NotImplemented


def is_operand(x: Any) -> bool:
    """Do operators of arrays compute with it? So they do with objects that NumPy makes arrays of, sequences and buffers
    among them, where these leave operators to it: of others Python asks for theirs.
    """
    if isinstance(x, KNOWN):
        return True
    return not hasattr(type(x), "__array_ufunc__") and not has_priority(x) and (is_arraylike(x) or _is_sequence(x))


def _is_sequence(x: Any) -> bool:
    """Does NumPy make an array of its elements? Of a `range`, a `deque`, an `array.array`, whatever has a length."""
    kind = type(x)
    return hasattr(kind, "__len__") and hasattr(kind, "__getitem__") and not isinstance(x, (*_TEXTS, Mapping))


def is_arraylike(x: Any) -> bool:
    """Has it `__array__`, which NumPy finds in an instance, too? Classes only say what their instances have."""
    return hasattr(x, "__array__") and not isinstance(x, type)


def has_priority(x: Any) -> bool:
    """Is its `__array_priority__`, or that of its class, above NumPy's arrays? What is no number says nothing."""
    try:
        priority = x.__array_priority__
        return not isinstance(priority, _TEXTS) and float(priority) > 0
    except Exception:  # NumPy passes over whatever is raised here
        return False


class Operators:
    """Arithmetic, comparison and bitwise operators, element by element, with broadcasting and promotion as NumPy's.

    They give an `Array`, or a traced `Scalar` where all operands are numbers of a traced lambda. Those of arrays try
    the short way of eager ones first (`lazyarr.methods.eager_operators`).
    """

    __slots__ = ()
    # NumPy's scalars and arrays leave the operation to us: `np.float32(2) * x` is an Array
    __array_ufunc__: Any = None
    __array_priority__ = 1000
    __hash__ = None  # type: ignore[assignment]  # `==` compares element by element

    def __add__(self, other: Any) -> Any:
        return _apply("add", self, other)

    def __radd__(self, other: Any) -> Any:
        return _apply("add", other, self)

    def __sub__(self, other: Any) -> Any:
        return _apply("subtract", self, other)

    def __rsub__(self, other: Any) -> Any:
        return _apply("subtract", other, self)

    def __mul__(self, other: Any) -> Any:
        return self._repeated(other) if type(other) in _REPEATED else _apply("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        return self._repeated(other) if type(other) in _REPEATED else _apply("multiply", other, self)

    def _repeated(self: Any, other: Any) -> Any:
        """A list or a text as often as a single integer says, as by NumPy's (`[0] * x.max()`); the product with a list
        else. `TypeError` for a text beside an array, which Python would take for a number.
        """
        is_text = type(other) in _TEXTS
        counts = getattr(self, "extents", None) == () and self.dtype.kind in "iu" and not self.tracing
        if counts and (self.is_number or not is_text):
            return other * operator.index(self)
        if is_text:
            raise TypeError(f"multiply: expected arrays and numbers, got {type(other).__name__} and an array")
        return _apply("multiply", self, other)

    def __truediv__(self, other: Any) -> Any:
        return _apply("divide", self, other)

    def __rtruediv__(self, other: Any) -> Any:
        return _apply("divide", other, self)

    def __floordiv__(self, other: Any) -> Any:
        return _apply("floor_divide", self, other)

    def __rfloordiv__(self, other: Any) -> Any:
        return _apply("floor_divide", other, self)

    def __mod__(self, other: Any) -> Any:
        return _apply("remainder", self, other)

    def __rmod__(self, other: Any) -> Any:
        return _apply("remainder", other, self)

    def __divmod__(self, other: Any) -> Any:
        quotient = _apply("floor_divide", self, other)
        return quotient if quotient is NotImplemented else (quotient, _apply("remainder", self, other))

    def __rdivmod__(self, other: Any) -> Any:
        quotient = _apply("floor_divide", other, self)
        return quotient if quotient is NotImplemented else (quotient, _apply("remainder", other, self))

    def __pow__(self, other: Any) -> Any:
        # int8, as NumPy's operator gives of arrays of bools for this power alone
        if type(other) is int and other == 2 and self.dtype.kind == "b" and not self.is_number:  # type: ignore[attr-defined]  # an Array
            return _record("square", self)
        return _apply("pow", self, other)

    def __rpow__(self, other: Any) -> Any:
        return _apply("pow", other, self)

    def __matmul__(self, other: Any) -> Any:
        return _matmul(self, other) if is_operand(other) else NotImplemented

    def __rmatmul__(self, other: Any) -> Any:
        return _matmul(other, self) if is_operand(other) else NotImplemented

    def __and__(self, other: Any) -> Any:
        return _apply("bitwise_and", self, other)

    def __rand__(self, other: Any) -> Any:
        return _apply("bitwise_and", other, self)

    def __or__(self, other: Any) -> Any:
        return _apply("bitwise_or", self, other)

    def __ror__(self, other: Any) -> Any:
        return _apply("bitwise_or", other, self)

    def __xor__(self, other: Any) -> Any:
        return _apply("bitwise_xor", self, other)

    def __rxor__(self, other: Any) -> Any:
        return _apply("bitwise_xor", other, self)

    def __lshift__(self, other: Any) -> Any:
        return _apply("bitwise_left_shift", self, other)

    def __rlshift__(self, other: Any) -> Any:
        return _apply("bitwise_left_shift", other, self)

    def __rshift__(self, other: Any) -> Any:
        return _apply("bitwise_right_shift", self, other)

    def __rrshift__(self, other: Any) -> Any:
        return _apply("bitwise_right_shift", other, self)

    def __invert__(self) -> Any:
        return _record("bitwise_invert", self)

    def __neg__(self) -> Any:
        return _record("negative", self)

    def __abs__(self) -> Any:
        return _record("abs", self)

    def __eq__(self, other: object) -> Any:
        if other is None or type(other) is str:
            return self._unlike(False)
        found = _apply("equal", self, other)
        return self._answered("__eq__", other, False) if found is NotImplemented else found

    def __ne__(self, other: object) -> Any:
        if other is None or type(other) is str:
            return self._unlike(True)
        found = _apply("not_equal", self, other)
        return self._answered("__ne__", other, True) if found is NotImplemented else found

    def _answered(self, method: str, other: object, otherwise: bool) -> Any:
        """What an object that no array is made of says of a comparison with this one, by its method of that name."""
        found = getattr(type(other), method)(other, self)
        return self._unlike(otherwise, other) if found is NotImplemented else found

    def _unlike(self, answer: bool, other: object = None) -> Any:
        """What a comparison with None, a text or what knows no arrays says: of a single number as Python has it."""
        return NotImplemented

    def __lt__(self, other: Any) -> Any:
        return _apply("less", self, other)

    def __le__(self, other: Any) -> Any:
        return _apply("less_equal", self, other)

    def __gt__(self, other: Any) -> Any:
        return _apply("greater", self, other)

    def __ge__(self, other: Any) -> Any:
        return _apply("greater_equal", self, other)

    @property
    def real(self) -> Any:
        """The real part; of real numbers the numbers themselves."""
        return _record("real", self)

    @property
    def imag(self) -> Any:
        """The imaginary part; zero of real numbers."""
        return _record("imag", self)

    def conj(self) -> Any:
        """The complex conjugate; an array of real numbers is its own, the same object as in NumPy."""
        return _record("conj", self) if self.dtype.kind == "c" else self  # type: ignore[attr-defined]  # an Array

    conjugate = conj


KNOWN = (Operators, *_NUMBERS)
"""What an operator takes beside an array; anything else answers by its own operators."""
