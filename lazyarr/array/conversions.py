"""What Python makes of an array: a number, a truth value, text, a NumPy array, a pickle. All of these compute it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from lazyarr.config import eagerness
from lazyarr.graph.leaves import looks
from lazyarr.graph.tracing import recordings, refuse

__all__ = ["Conversions"]

_NUMBERS: Final = {bool, int, float, complex}


class Conversions:
    """The conversions of arrays. Each raises `TracingError` for one of a function that is being recorded.

    `self` is an `Array`, which this module cannot name: `lazyarr.array` derives it from this class.
    """

    __slots__ = ()

    def __array__(self: Any, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        value: Any = self._in_memory()
        if value is None:
            if self.tracing:
                refuse("value", "conversion to a NumPy array", self)
            value = self.to_numpy()
        if dtype is not None and np.dtype(dtype) != self.dtype:
            if copy is False:
                raise ValueError(f"np.asarray: {self.dtype} cannot become {np.dtype(dtype)} without a copy")
            return value.astype(dtype)  # type: ignore[no-any-return]  # an array
        return value.copy() if copy else value  # type: ignore[no-any-return]  # as above

    def item(self: Any, *at: Any) -> bool | int | float | complex:
        """The only element as a Python number, or that at a flat position or at indices given one by one.

        `ValueError` if there are more or fewer and none is named.
        """
        if self.tracing:
            refuse("value", "item()", self)
        value = self.value
        if at and type(value) is np.ndarray and eagerness.on:
            looks.count += 1
            return value.item(*at)  # type: ignore[no-any-return]  # as below
        if at:
            return self.to_numpy().item(*at)  # type: ignore[no-any-return]  # as below
        if self.size != 1:
            raise ValueError(f"item: expected an array of one element, got shape {self.extents}")
        found = self.only_number()
        return self.to_numpy().item() if found is None else found  # type: ignore[no-any-return]  # NumPy's scalars are of a dynamic type

    def tolist(self: Any) -> Any:
        """The elements as Python numbers in nested lists; a number for a 0-dimensional array."""
        value = self.value
        if value is not None and eagerness.on and not recordings.count:
            looks.count += 1
            return value.tolist() if type(value) is np.ndarray else value
        if self.tracing:
            refuse("value", "tolist()", self)
        return self.to_numpy().tolist()

    def _single(self: Any, conversion: str) -> Any:
        found = None if self.extents else self._known_number()
        if found is not None:
            return found
        if self.tracing:
            refuse("value", conversion, self)
        if self.extents:
            wanted = "only a 0-dimensional array becomes a Python number"
            raise TypeError(f"{conversion}: {wanted}, got shape {self.extents}: of a single element take x.item()")
        return self.item()

    def __float__(self: Any) -> float:
        value = self.value
        if type(value) is float and eagerness.on:  # a number of a loop; nobody counts the looks
            return value
        return float(self._single("float()"))

    def __int__(self: Any) -> int:
        value = self.value
        if type(value) is int and eagerness.on:
            return value
        return int(self._single("int()"))

    def __complex__(self: Any) -> complex:
        value = self.value
        if type(value) is complex and eagerness.on:
            return value
        return complex(self._single("complex()"))

    def __round__(self: Any, ndigits: int | None = None) -> Any:
        return round(self._single("round()")) if ndigits is None else self.round(ndigits)

    def __index__(self: Any) -> int:
        value = self.value
        if type(value) is int and eagerness.on:
            return value
        if self.extents or self.dtype.kind not in "iu":
            raise TypeError(f"an index must be a 0-dimensional integer array, got {self.dtype} of shape {self.extents}")
        return int(self._single("use as an index"))

    def _known_number(self: Any) -> Any:
        """The value of an array without dimensions where NumPy's memory holds it; None elsewhere."""
        value = self.value
        if value is not None and not recordings.count:
            looks.count += 1
            return value.item() if type(value) is np.ndarray else value
        found = self._in_memory()
        return None if found is None else found.item()

    def __bool__(self: Any) -> bool:
        value = self.value
        if type(value) in _NUMBERS and eagerness.on:
            return value != 0  # type: ignore[no-any-return]  # numbers
        found = None if self.extents else self._known_number()
        if found is not None:
            return bool(found)
        if self.tracing:
            refuse("bool", "a branch (bool)", self)
        if self.size != 1:
            message = f"the truth value of an array of shape {self.extents} is ambiguous: use la.any(x) or la.all(x)"
            raise ValueError(message)
        return bool(self.item())

    def __contains__(self: Any, value: Any) -> bool:
        return bool((self == value).any())

    def __repr__(self: Any) -> str:
        return self._described() if self.tracing else repr(self.to_numpy())

    def __str__(self: Any) -> str:
        return self._described() if self.tracing else str(self.to_numpy())

    def __format__(self: Any, spec: str) -> str:
        if self.tracing:
            if spec and not self.extents:
                refuse("value", "format()", self)
            if not spec:
                return str(self)
        if not self.extents:
            return format(self.item(), spec)
        if spec:
            raise TypeError(f"format: {spec!r} is for a single number, not for an array of shape {self.extents}")
        return str(self)

    def _described(self: Any) -> str:
        return f"<traced array of {self.dtype.name}, shape {self.extents}>"
