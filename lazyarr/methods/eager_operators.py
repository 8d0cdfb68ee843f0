"""The operators of arrays: carried out at once where operands are eager, the short way, else as `Operators` has them.

A loop over elements and small parts consists of these, so each is one function that asks for little.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import wraps
from typing import Any, Final

import numpy as np
from numpy import ndarray

from ir.cost.thresholds.tiers import TERMS_OF_TWO_VECTORS
from lazyarr.aliasing.assignment import in_place, put_result
from lazyarr.api.linear.products import matmul
from lazyarr.array import Array, blank, number
from lazyarr.array.operators import KNOWN, Operators, has_priority, is_operand
from lazyarr.config import eagerness
from lazyarr.dtypes import bool_, complex128, float32, float64
from lazyarr.eager.complex_numbers import power_of_numbers
from lazyarr.eager.numbers import EXACT
from lazyarr.eager.numpys_ufuncs import known_ufunc
from lazyarr.eager.operator_methods import Operator, operator
from lazyarr.eager.outputs import put_two
from lazyarr.eager.products import of_floats, of_two_arrays
from lazyarr.eager.ufuncs import by_numpy, of_one
from lazyarr.memory.quiet import ERRORS, run_quietly

__all__ = ["EagerOperators"]

_REAL = frozenset({int, float})
_TERMS: Final = TERMS_OF_TWO_VECTORS
_dot = ndarray.dot


def _on_first_use(method: str, make: Callable[[], Operator], like: Callable[..., Any] | None = None) -> Operator:
    """A method that is made when it is called first, and then stands in its own place.

    Args:
        like: whose name and description it has
    """
    made: Operator | None = None

    def first(self: Any, other: Any) -> Any:
        nonlocal made
        if made is None:
            found = make()
            made = found if like is None else wraps(like)(found)
            for owner in (EagerOperators, Array):
                if vars(owner).get(method) is standing:  # else somebody has put another one there
                    setattr(owner, method, made)
        return made(self, other)

    standing = first if like is None else wraps(like)(first)
    return standing


def _forward(name: str, method: str) -> Operator:
    otherwise: Operator = getattr(Operators, method)
    return _on_first_use(method, lambda: operator(name, by_numpy(name), otherwise), otherwise)


def _reflected(name: str, method: str) -> Operator:
    otherwise: Operator = getattr(Operators, method)
    return _on_first_use(method, lambda: operator(name, by_numpy(name), otherwise, is_reflected=True), otherwise)


def _in_place(name: str, method: str) -> Operator:
    """`+=` and its like: the result is put into the array, whose dtype and shape stay.

    They raise `TypeError` where the result's dtype does not convert by NumPy's same-kind rule, `ValueError` where its
    shape is another.

    Where NumPy has a number, which does not change (an element, a sum), they give another one, of the result's dtype:
    so `x[i] += 0.5` works for integers, and truncates when it is assigned.
    """

    def recorded(self: Any, other: Any) -> Any:
        if self.is_number:
            return NotImplemented  # Python then asks for the operator that gives a new one
        if not isinstance(other, KNOWN):
            answer = _of_others(getattr(np, name), self, other)
            if answer is not None:
                return answer
        in_place(name, self, other)
        return self

    return _on_first_use(method, lambda: operator(name, put_two(name), recorded, is_in_place=True))


def _of_others(ufunc: np.ufunc, x: Array, other: Any) -> Any:
    """What `x += other` is where NumPy leaves it to the other: to its `__array_ufunc__`, or to its own operators, which
    `NotImplemented` says; None elsewhere. `TypeError` if it wants none of NumPy's functions.
    """
    kind = type(other)
    if not hasattr(kind, "__array_ufunc__"):
        return NotImplemented if has_priority(other) else None
    if kind.__array_ufunc__ is None:
        raise TypeError(f"operand {kind.__name__!r} does not support ufuncs (__array_ufunc__=None)")
    return kind.__array_ufunc__(other, ufunc, "__call__", x, other, out=(x,))


def _all(name: str, method: str) -> tuple[Operator, Operator, Operator]:
    return _forward(name, f"__{method}__"), _reflected(name, f"__r{method}__"), _in_place(name, f"__i{method}__")


def _alone(name: str, method: str) -> Callable[[Any], Any]:
    eagerly: Callable[[Any], Any] = of_one(name)
    otherwise: Callable[[Any], Any] = getattr(Operators, method)

    @wraps(otherwise)
    def alone(self: Any) -> Any:
        if eagerness.on:
            found = eagerly(self)
            if found is not None:
                return found
        return otherwise(self)

    return alone


def _powers() -> Operator:
    otherwise = Operators.__pow__

    def make() -> Operator:
        known_ufunc("pow", (float64, float64), (np.ones(1), np.ones(1)))  # which operators of arrays look for
        for dtype in (float64, float32):
            known_ufunc("square", (dtype,), (np.ones(1, dtype),))
        eagerly, squared = operator("pow", by_numpy("pow"), otherwise), of_one("square")

        def power(self: Any, other: Any) -> Any:
            p = self.value
            if type(p) is float and eagerness.on:
                q: Any = other.value if type(other) is Array else other
                # NumPy's power of arrays has roots of -0.0 and of -infinity that are square roots
                if (type(q) is float and p > 0) or (type(other) is int and -EXACT < other < EXACT):
                    try:
                        found = p**q
                    except (OverflowError, ZeroDivisionError):
                        pass  # NumPy has a result
                    else:
                        if type(found) is float:  # no complex number
                            return number(found, float64)
            elif type(p) is complex and eagerness.on:
                found = power_of_numbers(p, other.value if type(other) is Array else other)
                if found is not None:
                    return number(found, complex128)
            elif type(p) is ndarray and eagerness.on and type(other) in _REAL and other == 2 and self.dtype.kind == "f":
                found = squared(self)  # as NumPy's own operator does it
                if found is not None:
                    return found
            return (otherwise if self.dtype is bool_ else eagerly)(self, other)

        return power

    return _on_first_use("__pow__", make, otherwise)


def _conjugate() -> Callable[[Any], Any]:
    otherwise = Operators.conj

    @wraps(otherwise)
    def conj(self: Any) -> Any:
        value = self.value
        if type(value) is complex and eagerness.on:
            return number(value.conjugate(), complex128)
        return otherwise(self)

    return conj


class EagerOperators:
    """The operators of arrays."""

    __slots__ = ()

    __add__, __radd__, __iadd__ = _all("add", "add")
    __sub__, __rsub__, __isub__ = _all("subtract", "sub")
    __mul__, __rmul__, __imul__ = _all("multiply", "mul")
    __truediv__, __rtruediv__, __itruediv__ = _all("divide", "truediv")
    __floordiv__, __rfloordiv__, __ifloordiv__ = _all("floor_divide", "floordiv")
    __mod__, __rmod__, __imod__ = _all("remainder", "mod")
    __pow__, __rpow__, __ipow__ = _powers(), _reflected("pow", "__rpow__"), _in_place("pow", "__ipow__")
    __and__, __rand__, __iand__ = _all("bitwise_and", "and")
    __or__, __ror__, __ior__ = _all("bitwise_or", "or")
    __xor__, __rxor__, __ixor__ = _all("bitwise_xor", "xor")
    __lshift__, __rlshift__, __ilshift__ = _all("bitwise_left_shift", "lshift")
    __rshift__, __rrshift__, __irshift__ = _all("bitwise_right_shift", "rshift")

    __lt__, __le__ = _forward("less", "__lt__"), _forward("less_equal", "__le__")
    __gt__, __ge__ = _forward("greater", "__gt__"), _forward("greater_equal", "__ge__")
    __eq__, __ne__ = _forward("equal", "__eq__"), _forward("not_equal", "__ne__")

    __neg__, __abs__ = _alone("negative", "__neg__"), _alone("abs", "__abs__")
    __invert__ = _alone("bitwise_invert", "__invert__")

    conj = conjugate = _conjugate()

    def __matmul__(self: Any, other: Any) -> Any:
        if eagerness.on:
            p = self.value
            if type(p) is ndarray and type(other) is Array and other.dtype is self.dtype is float64:
                q: Any = other.value
                extents = self.extents
                if type(q) is ndarray and len(extents) == 1 and extents == other.extents and extents[0] <= _TERMS:
                    try:  # what `of_floats` does with vectors, without a call
                        value = float(run_quietly(_dot, p, q))
                    except ERRORS:
                        pass
                    else:
                        made = blank(Array)
                        made.expr = made.placed = made.traced_in = made.origin = made.family = made.shared = None
                        made.value = value
                        made.extents = ()
                        made.dtype = float64
                        return made
            found = of_floats(self, other)
            if found is None:
                found = of_two_arrays(np.matmul, self, other)
            if found is not None:
                return found
        return matmul(self, other) if is_operand(other) else NotImplemented

    def __imatmul__(self, other: Any) -> Any:
        answer = None if isinstance(other, KNOWN) else _of_others(np.matmul, self, other)  # type: ignore[arg-type]  # an Array
        if answer is not None:
            return answer
        put_result("matmul", self, matmul(self, other))  # type: ignore[arg-type]  # as above
        return self
