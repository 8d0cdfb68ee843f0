"""`x.flat`: the elements of an array in row-major order, to iterate over, index and assign to."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any

import numpy as np

from lazyarr.aliasing.assignment import check_number, rebind, set_item
from lazyarr.aliasing.eager_writes import is_changed_eagerly
from lazyarr.api.shape.repeating import resize
from lazyarr.array import Array, number
from lazyarr.config import eagerness
from lazyarr.dtypes import complex128, float64
from lazyarr.eager.numbers import WHOLE, of_numpys
from lazyarr.recording.creation import asarray
from lazyarr.recording.replacing import numbers_in

__all__ = ["Flat"]


def _of_one_dimension(key: Any) -> Any:
    """A key of elements in a row; `IndexError` for one of more parts, for None and for a bool."""
    if type(key) is tuple and len(key) == 1:
        key = list(key[0]) if type(key[0]) is tuple else key[0]
    if key is None or isinstance(key, (bool, np.bool_)) or (type(key) is tuple and key):
        raise IndexError(f"flat: expected an integer, a slice, `...` or an array of indices, got {key!r}")
    return key


def _put(elements: Array, key: Any, value: Any) -> None:
    """Assign a number, or the elements of a value in their order, again and again; where there are none, nothing."""
    if np.ndim(value) == 0:
        elements[key] = value
    elif np.size(value):
        elements[key] = _repeated(value, elements[key].shape)


def _repeated(value: Any, shape: tuple[int, ...]) -> Array:
    given = asarray(value, function="flat")
    return given.reshape(shape) if given.size == prod(shape) else resize(given, shape)


class Flat:
    """The elements of an array in row-major order; what is assigned to them changes the array.

    It is an iterator, too: each element is read when its turn comes. A key lets it begin again, as NumPy's.

    Attributes:
        base: the array
        index: the position of the element whose turn it is
    """

    __slots__ = ("_of", "_rest", "base", "index")

    def __init__(self, base: Any) -> None:
        self.base = base
        self.index = 0
        self._of: Any = None  # what the array stood for that the iterator `_rest` goes through
        self._rest: Any = None

    @property
    def coords(self) -> tuple[int, ...]:
        """The indices of the element whose turn it is."""
        shape = self.base.shape
        extents = (self.base.size + 1, *shape[1:]) if shape else ()  # behind the last element the first index goes on
        return tuple(map(int, np.unravel_index(self.index, extents))) if shape and self.base.size else (0,) * len(shape)

    def __len__(self) -> int:
        return int(self.base.size)

    def __iter__(self) -> Iterator[Array]:
        return self

    def __next__(self) -> Array:
        base, at = self.base, self.index
        host = base.value
        if type(host) is np.ndarray and eagerness.on:
            try:
                found = host.item(at)
            except IndexError:
                raise StopIteration from None
            self.index = at + 1
            dtype = base.dtype
            if dtype is float64 or type(found) in WHOLE or dtype is complex128:
                return number(found, dtype)
            return of_numpys(host.flat[at])
        if self._of is None or self._of is not base.standing:  # before it was another
            elements = self._elements()
            self._rest = iter(elements[at:] if at else elements)
            self._of = base.standing
        element: Array = next(self._rest)
        self.index += 1
        return element

    def __getitem__(self, key: Any) -> Array:
        key = _of_one_dimension(key)
        self.index, self._of = 0, None
        host = self.base.value
        if type(key) is int and type(host) is np.ndarray and eagerness.on:
            try:
                return of_numpys(host.flat[key])
            except IndexError:
                pass  # recording raises lazyarr's own error
        return self._elements()[key]

    def __setitem__(self, key: Any, value: Any) -> None:
        key = _of_one_dimension(key)
        self.index, self._of = 0, None
        if type(key) is tuple:
            raise IndexError("flat: expected a key of some elements to assign to, got ()")
        if isinstance(key, (int, np.integer)):
            try:
                value = check_number("flat", self.base, key, value)
            except TypeError as error:
                raise ValueError(str(error)) from None
        value = numbers_in("flat", value, self.base.dtype)
        if self.base.origin is not None and self.base.origin.overlaps:
            self._set(key, value)
            return
        host = self.base.value
        if type(host) is np.ndarray and is_changed_eagerly(self.base):
            if host.flags.c_contiguous:
                _put(self.base.reshape(-1), key, value)  # a view
                return
            try:
                self._set(key, value)  # other threads may write to other elements meanwhile
                return
            except (IndexError, TypeError, ValueError):
                pass  # recording raises lazyarr's own error
        elements = self._elements()
        _put(elements, key, value)
        rebind(self.base, elements)

    def _set(self, key: Any, value: Any) -> None:
        at = np.arange(self.base.size)[np.asarray(key) if isinstance(key, list) else key]
        if np.size(value):
            value = value if np.ndim(value) == 0 else _repeated(value, np.shape(at))
            set_item(self.base, np.unravel_index(at, self.base.shape), value)

    def __array__(self, dtype: Any = None, copy: bool | None = None) -> np.ndarray[Any, Any]:
        found: np.ndarray[Any, Any] = self._elements().__array__(dtype, copy)
        return found

    def copy(self) -> Array:
        """The elements as an array of one dimension."""
        return self._elements()

    def _elements(self) -> Array:
        return self.base.flatten()  # type: ignore[no-any-return]  # an Array
