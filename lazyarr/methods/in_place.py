"""The in-place operators of arrays: `x += y` exchanges what x stands for (see `lazyarr.aliasing.assignment`)."""

from __future__ import annotations

from typing import Any, Self

from lazyarr.aliasing.assignment import in_place, put_result
from lazyarr.api.linear.products import matmul
from lazyarr.recording.apply import apply

__all__ = ["InPlace"]


class InPlace:
    """`+=` and its like: the result is put into the array, whose dtype and shape stay.

    They raise `TypeError` where the result's dtype does not convert by NumPy's same-kind rule, `ValueError` where its
    shape is another.

    Where NumPy has a number, which does not change (an element, a sum), they give another one, of the result's dtype:
    so `x[i] += 0.5` works for integers, and truncates when it is assigned.
    """

    __slots__ = ()

    def _in_place(self, name: str, other: Any) -> Self:
        if self.is_number:  # type: ignore[attr-defined]  # an Array
            return apply(name, self, other)  # type: ignore[no-any-return]  # an Array
        in_place(name, self, other)  # type: ignore[arg-type]  # an Array
        return self

    def __iadd__(self, other: Any) -> Self:
        return self._in_place("add", other)

    def __isub__(self, other: Any) -> Self:
        return self._in_place("subtract", other)

    def __imul__(self, other: Any) -> Self:
        return self._in_place("multiply", other)

    def __itruediv__(self, other: Any) -> Self:
        return self._in_place("divide", other)

    def __ifloordiv__(self, other: Any) -> Self:
        return self._in_place("floor_divide", other)

    def __imod__(self, other: Any) -> Self:
        return self._in_place("remainder", other)

    def __ipow__(self, other: Any) -> Self:
        return self._in_place("pow", other)

    def __iand__(self, other: Any) -> Self:
        return self._in_place("bitwise_and", other)

    def __ior__(self, other: Any) -> Self:
        return self._in_place("bitwise_or", other)

    def __ixor__(self, other: Any) -> Self:
        return self._in_place("bitwise_xor", other)

    def __ilshift__(self, other: Any) -> Self:
        return self._in_place("bitwise_left_shift", other)

    def __irshift__(self, other: Any) -> Self:
        return self._in_place("bitwise_right_shift", other)

    def __imatmul__(self, other: Any) -> Self:
        put_result("matmul", self, matmul(self, other))  # type: ignore[arg-type]  # an Array
        return self
