"""The operators that arrays and traced scalars share."""

from __future__ import annotations

import operator
from collections.abc import Callable, Mapping
from numbers import Number
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
    other = right if isinstance(left, Operators) else left
    if is_operand(other) or hasattr(other, "__pandas_priority__"):  # pandas takes lazy arrays for other things
        return _record(name, left, right)
    return NotImplemented


def _equate(name: str, left: Any, right: Any) -> Any:
    try:
        return _apply(name, left, right)
    except TypeError:  # also NumPy's functions have none for text, which its operators take
        found = left._equated_by_values(name, right)
        if found is None:
            raise
        return found


def is_operand(x: Any) -> bool:
    """Do operators of arrays compute with it? So they do with objects that NumPy makes arrays of, sequences and buffers
    among them, where these leave operators to it: of others Python asks for theirs, as of masked arrays and matrices.
    """
    if isinstance(x, KNOWN):
        return not (isinstance(x, np.ndarray) and type(x) is not np.ndarray and has_priority(x))
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


def _forward(name: str, method: str) -> Callable[[Any, Any], Any]:
    def forward(self: Any, other: Any) -> Any:
        return _apply(name, self, other)

    forward.__name__, forward.__qualname__ = method, f"Operators.{method}"
    return forward


def _ordering(name: str, method: str) -> Callable[[Any, Any], Any]:
    def forward(self: Any, other: Any) -> Any:
        found = _apply(name, self, other)
        if found is NotImplemented and isinstance(other, Number):  # fractions and decimals, which know no arrays
            return _record(name, self, other)
        return found

    forward.__name__, forward.__qualname__ = method, f"Operators.{method}"
    return forward


def _reflected(name: str, method: str) -> Callable[[Any, Any], Any]:
    def reflected(self: Any, other: Any) -> Any:
        return _apply(name, other, self)

    reflected.__name__, reflected.__qualname__ = method, f"Operators.{method}"
    return reflected


def _both(name: str, method: str) -> tuple[Callable[[Any, Any], Any], Callable[[Any, Any], Any]]:
    return _forward(name, f"__{method}__"), _reflected(name, f"__r{method}__")


def _alone(name: str, method: str) -> Callable[[Any], Any]:
    def alone(self: Any) -> Any:
        return _record(name, self)

    alone.__name__, alone.__qualname__ = method, f"Operators.{method}"
    return alone


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

    __add__, __radd__ = _both("add", "add")
    __sub__, __rsub__ = _both("subtract", "sub")
    __truediv__, __rtruediv__ = _both("divide", "truediv")
    __floordiv__, __rfloordiv__ = _both("floor_divide", "floordiv")
    __mod__, __rmod__ = _both("remainder", "mod")
    __rpow__ = _reflected("pow", "__rpow__")
    __and__, __rand__ = _both("bitwise_and", "and")
    __or__, __ror__ = _both("bitwise_or", "or")
    __xor__, __rxor__ = _both("bitwise_xor", "xor")
    __lshift__, __rlshift__ = _both("bitwise_left_shift", "lshift")
    __rshift__, __rrshift__ = _both("bitwise_right_shift", "rshift")
    __lt__, __le__ = _ordering("less", "__lt__"), _ordering("less_equal", "__le__")
    __gt__, __ge__ = _ordering("greater", "__gt__"), _ordering("greater_equal", "__ge__")
    __neg__, __abs__ = _alone("negative", "__neg__"), _alone("abs", "__abs__")
    __invert__ = _alone("bitwise_invert", "__invert__")

    def __pos__(self: Any) -> Any:
        if self.dtype.kind == "b":
            raise TypeError("positive: expected numbers, got bool")
        return self.copy()

    def __mul__(self, other: Any) -> Any:
        return self._repeated(other) if type(other) in _REPEATED else _apply("multiply", self, other)

    def __rmul__(self, other: Any) -> Any:
        if type(other) in _REPEATED:
            return self._repeated(other)
        if isinstance(other, np.matrix):  # it leaves its product to what is no array of NumPy's
            return self._times_matrix(other)
        return _apply("multiply", other, self)

    def _times_matrix(self: Any, other: Any) -> Any:
        """NumPy's matrix times this, beside which a vector is a row."""
        if not self.shape:
            return _record("multiply", other, self)
        return _matmul(other, self if self.ndim > 1 else self[None])

    def _repeated(self: Any, other: Any) -> Any:
        """A list or a text as often as a single integer says, as by NumPy's (`[0] * x.max()`); the product with a list
        else. `TypeError` for a text beside an array, which Python would take for a number.
        """
        is_text = type(other) in _TEXTS
        counts = getattr(self, "extents", None) == () and self.dtype.kind in "iu" and not self.tracing
        if counts and self.is_number:
            return other * operator.index(self)
        if is_text:
            raise TypeError(f"multiply: expected arrays and numbers, got {type(other).__name__} and an array")
        return _apply("multiply", self, other)

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

    def __matmul__(self, other: Any) -> Any:
        return _matmul(self, other) if is_operand(other) else NotImplemented

    def __rmatmul__(self, other: Any) -> Any:
        return _matmul(other, self) if is_operand(other) else NotImplemented

    def __eq__(self, other: object) -> Any:
        if other is None or type(other) is str:
            return self._unlike(False)
        found = _equate("equal", self, other)
        return self._answered("__eq__", other, False) if found is NotImplemented else found

    def __ne__(self, other: object) -> Any:
        if other is None or type(other) is str:
            return self._unlike(True)
        found = _equate("not_equal", self, other)
        return self._answered("__ne__", other, True) if found is NotImplemented else found

    def _answered(self, method: str, other: object, otherwise: bool) -> Any:
        """What an object that no array is made of says of a comparison with this one, by its method of that name."""
        found = getattr(type(other), method)(other, self)
        return self._unlike(otherwise, other) if found is NotImplemented else found

    def _unlike(self, answer: bool, other: object = None) -> Any:
        """What a comparison with None, a text or what knows no arrays says: of a single number as Python has it."""
        return NotImplemented

    def _equated_by_values(self, name: str, other: Any) -> Any:
        """Which elements equal those of what no lazy array is made of, as text; None where it is something else."""

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
