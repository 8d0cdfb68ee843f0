"""The functions that arrays have as methods too, by NumPy's names and with its parameters."""

from __future__ import annotations

from math import prod
from types import GenericAlias
from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.methods.flat import Flat, repeated
from lazyarr.methods.memory import Memory

if TYPE_CHECKING:
    from lazyarr.array import Array

__all__ = ["Methods"]


class Methods(Memory):
    """Reductions, scans, elements by index. Each is described where the function of its name is."""

    __slots__ = ()

    def __class_getitem__(cls, item: Any) -> GenericAlias:
        """Annotations as NumPy's arrays have them: `np.ndarray[tuple[int], np.dtype[np.float64]]`."""
        return GenericAlias(cls, item)

    # --- reductions and scans -----------------------------------------------------------------------------------------

    def sum(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Array:
        """See `lazyarr.sum`."""
        from lazyarr.api.reduce import reductions

        return reductions.sum(self, axis, dtype, out, keepdims, initial, where)

    def prod(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        keepdims: bool = False,
        initial: Any = None,
        where: Any = True,
    ) -> Array:
        """See `lazyarr.prod`."""
        from lazyarr.api.reduce import reductions

        return reductions.prod(self, axis, dtype, out, keepdims, initial, where)

    def min(
        self, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
    ) -> Array:
        """See `lazyarr.min`."""
        from lazyarr.api.reduce import reductions

        return reductions.min(self, axis, out, keepdims, initial, where)

    def max(
        self, axis: Any = None, out: Any = None, keepdims: bool = False, initial: Any = None, where: Any = True
    ) -> Array:
        """See `lazyarr.max`."""
        from lazyarr.api.reduce import reductions

        return reductions.max(self, axis, out, keepdims, initial, where)

    def any(self, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Array:
        """See `lazyarr.any`."""
        from lazyarr.api.reduce import reductions

        return reductions.any(self, axis, out, keepdims, where=where)

    def all(self, axis: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True) -> Array:
        """See `lazyarr.all`."""
        from lazyarr.api.reduce import reductions

        return reductions.all(self, axis, out, keepdims, where=where)

    def mean(
        self, axis: Any = None, dtype: Any = None, out: Any = None, keepdims: bool = False, *, where: Any = True
    ) -> Array:
        """See `lazyarr.mean`."""
        from lazyarr.api.reduce import reductions

        return reductions.mean(self, axis, dtype, out, keepdims, where=where)

    def var(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: Any = True,
        mean: Any = None,
        correction: float | None = None,
    ) -> Array:
        """See `lazyarr.var`."""
        from lazyarr.api.reduce import reductions

        return reductions.var(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)

    def std(
        self,
        axis: Any = None,
        dtype: Any = None,
        out: Any = None,
        ddof: float = 0,
        keepdims: bool = False,
        *,
        where: Any = True,
        mean: Any = None,
        correction: float | None = None,
    ) -> Array:
        """See `lazyarr.std`."""
        from lazyarr.api.reduce import reductions

        return reductions.std(self, axis, dtype, out, ddof, keepdims, where=where, mean=mean, correction=correction)

    def cumsum(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
        """See `lazyarr.cumsum`."""
        from lazyarr.api.reduce import scans

        return scans.cumsum(self, axis, dtype, out=out)

    def cumprod(self, axis: int | None = None, dtype: Any = None, out: Any = None) -> Array:
        """See `lazyarr.cumprod`."""
        from lazyarr.api.reduce import scans

        return scans.cumprod(self, axis, dtype, out=out)

    def argmin(self, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> Array:
        """See `lazyarr.argmin`."""
        from lazyarr.api.reduce import searching
        from lazyarr.recording.ufunc import finished

        return finished("argmin", searching.argmin(self, axis, keepdims=keepdims), out)

    def argmax(self, axis: int | None = None, out: Any = None, *, keepdims: bool = False) -> Array:
        """See `lazyarr.argmax`."""
        from lazyarr.api.reduce import searching
        from lazyarr.recording.ufunc import finished

        return finished("argmax", searching.argmax(self, axis, keepdims=keepdims), out)

    # --- single numbers -----------------------------------------------------------------------------------------------

    def is_integer(self) -> bool:
        """Is it a whole number? As NumPy's numbers say; `TypeError` for an array of several."""
        return bool(self._number("is_integer").is_integer())

    def as_integer_ratio(self) -> tuple[int, int]:
        """The whole numbers that it is the quotient of; as `is_integer`."""
        above, below = self._number("as_integer_ratio").as_integer_ratio()
        return int(above), int(below)

    def _number(self, method: str) -> Any:
        """The value as Python's number."""
        if self.shape != ():  # type: ignore[attr-defined]  # an Array
            raise TypeError(f"{method}: expected a single number, got an array of shape {self.shape}")  # type: ignore[attr-defined]  # as above
        return self.item()  # type: ignore[attr-defined]  # as above

    # --- elements -----------------------------------------------------------------------------------------------------

    def take(self, indices: Any, axis: int | None = None, out: Any = None, mode: str = "raise") -> Array:
        """See `lazyarr.take`."""
        from lazyarr.api.select import taking
        from lazyarr.recording.ufunc import finished

        return finished("take", taking.take(self, indices, axis, mode=mode), out)

    def choose(self, choices: Any, out: Any = None, mode: str = "raise") -> Array:
        """See `lazyarr.choose`."""
        from lazyarr.api.select import taking
        from lazyarr.recording.ufunc import finished

        return finished("choose", taking.choose(self, choices, mode=mode), out)

    def compress(self, condition: Any, axis: int | None = None, out: Any = None) -> Array:
        """See `lazyarr.compress`."""
        from lazyarr.api.select import taking
        from lazyarr.recording.ufunc import finished

        return finished("compress", taking.compress(condition, self, axis), out)

    def nonzero(self) -> tuple[Array, ...]:
        """See `lazyarr.nonzero`."""
        from lazyarr.api.select import taking

        return taking.nonzero(self)

    def diagonal(self, offset: int = 0, axis1: int = 0, axis2: int = 1) -> Array:
        """See `lazyarr.diagonal`."""
        from lazyarr.aliasing import viewing

        return viewing.diagonal(self, offset, axis1, axis2)

    def trace(self, offset: int = 0, axis1: int = 0, axis2: int = 1, dtype: Any = None, out: Any = None) -> Array:
        """See `lazyarr.trace`."""
        from lazyarr.api.linear import contractions

        return contractions.trace(self, offset, axis1, axis2, dtype, out)

    def repeat(self, repeats: Any, axis: int | None = None) -> Array:
        """See `lazyarr.repeat`."""
        from lazyarr.api.shape import repeating

        return repeating.repeat(self, repeats, axis=axis)

    def argsort(
        self, axis: int | None = -1, kind: str | None = None, order: None = None, *, stable: bool | None = None
    ) -> Array:
        """See `lazyarr.argsort`."""
        from lazyarr.api.order import sorting

        return sorting.argsort(self, axis, kind, order, stable=stable)

    def argpartition(self, kth: Any, axis: int | None = -1, kind: str = "introselect", order: None = None) -> Array:
        """See `lazyarr.argpartition`."""
        from lazyarr.api.order import sorting

        return sorting.argpartition(self, kth, axis, kind, order)

    def searchsorted(self, v: Any, side: str = "left", sorter: Any = None) -> Array:
        """See `lazyarr.searchsorted`."""
        from lazyarr.api.order import bisection

        return bisection.searchsorted(self, v, side, sorter)

    @property
    def flat(self) -> Flat:
        """The elements in row-major order: to iterate over, index and assign to."""
        return Flat(self)

    @flat.setter
    def flat(self, value: Any) -> None:
        self[...] = repeated("flat", value, self.size).reshape(self.shape)  # type: ignore[attr-defined, index]  # an Array

    # --- changes of the object ----------------------------------------------------------------------------------------

    def fill(self, value: Any) -> None:
        """Put a number in the place of every element."""
        self[...] = value  # type: ignore[index]  # an Array

    def sort(
        self, axis: int | None = -1, kind: str | None = None, order: None = None, *, stable: bool | None = None
    ) -> None:
        """Sort in place: the array object stands for `lazyarr.sort` of it from then on."""
        from lazyarr.api.order.sorting import sort_in_place

        sort_in_place(self, axis, kind, order, stable)  # type: ignore[arg-type]  # an Array

    def partition(self, kth: Any, axis: int = -1, kind: str = "introselect", order: None = None) -> None:
        """Partition in place: the array object stands for `lazyarr.partition` of it from then on."""
        from lazyarr.aliasing.assignment import adopt
        from lazyarr.api.order import sorting

        adopt(self, sorting.partition(self, kth, axis, kind, order))  # type: ignore[arg-type]  # an Array

    def put(self, indices: Any, values: Any, mode: str = "raise") -> None:
        """See `lazyarr.put`."""
        from lazyarr.api.select import taking

        taking.put(self, indices, values, mode=mode)  # type: ignore[arg-type]  # an Array

    def resize(self, *shape: Any, refcheck: bool = True) -> None:
        """Take another shape, cut off or with zeros behind the elements. `refcheck` is there for NumPy's sake."""
        from lazyarr.array import Array
        from lazyarr.recording.creation import as_shape, zeros
        from lazyarr.recording.joining import concatenate

        assert isinstance(self, Array)
        extents = as_shape(shape[0] if len(shape) == 1 else shape, "resize")
        if any(extent < 0 for extent in extents):
            raise ValueError(f"resize: expected extents that are not negative, got {extents}")
        if self.origin is not None or (self.family is not None and self.family.views):
            raise ValueError("resize: the array is a view or has views, which show its elements: resize a copy of it")
        flat, missing = self.flatten(), prod(extents) - self.size
        found = concatenate([flat, zeros(missing, dtype=self.dtype)]) if missing > 0 else flat[: prod(extents)]
        self.expr, self.extents = found.standing, extents

    def view(self, dtype: Any = None) -> Array:
        """A view of the same elements; with a dtype, of what that makes of the bytes (see
        `lazyarr.api.elementwise.bits.viewed_as`). A
        class in place of a dtype changes nothing.
        """
        from lazyarr.aliasing.view_steps import Viewed
        from lazyarr.aliasing.viewing import reshape
        from lazyarr.aliasing.views import as_view
        from lazyarr.api.elementwise.bits import viewed_as

        if dtype is None or (
            isinstance(dtype, type) and not issubclass(dtype, (np.generic, bool, int, float, complex))
        ):
            return reshape(self, self.shape)  # type: ignore[attr-defined]  # as below
        before = self.node  # type: ignore[attr-defined]  # an Array
        made = viewed_as(self, dtype)  # type: ignore[arg-type]  # as above
        return as_view(self, made, Viewed(made.dtype), before)  # type: ignore[arg-type]  # as above
