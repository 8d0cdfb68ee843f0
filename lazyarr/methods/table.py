"""The table of methods: which functions of the namespace arrays and universal functions have, and how they get them.

A function stands here as it is where NumPy's method has its parameters, in a method of its own where it has others.
"""

from __future__ import annotations

from math import prod
from numbers import Number
from sys import getrefcount
from types import GenericAlias, SimpleNamespace
from typing import Any, Final

import numpy as np

from lazyarr.aliasing import viewing, views
from lazyarr.aliasing.assignment import check_number, rebind, set_item
from lazyarr.aliasing.borrowing import borrowed
from lazyarr.aliasing.eager_parts import is_small_or_eager
from lazyarr.aliasing.view_steps import Viewed
from lazyarr.api.elementwise import standard
from lazyarr.api.elementwise.ufunc import Binary
from lazyarr.api.linear import contractions, products
from lazyarr.api.order import bisection, sorting
from lazyarr.api.reduce import reductions, scans, searching
from lazyarr.api.select import taking
from lazyarr.api.shape import repeating
from lazyarr.api.shape.joining import concatenate
from lazyarr.array import Array, core, lies_in, operators, view_of
from lazyarr.config import count_host_call
from lazyarr.dtypes import SUPPORTED, as_dtype
from lazyarr.memory.orders import as_order
from lazyarr.methods.eager_operators import EagerOperators
from lazyarr.methods.flat import Flat
from lazyarr.methods.memory import Memory
from lazyarr.methods.protocols import Protocols
from lazyarr.methods.ufunc_methods import Combining
from lazyarr.recording import movement
from lazyarr.recording.apply import apply
from lazyarr.recording.conversion import converted, native_dtype, viewed_as
from lazyarr.recording.creation import as_shape, asarray
from lazyarr.recording.filled import full, zeros

__all__ = ["Methods", "bind"]


def _holders(x: Any) -> int:
    """References to what an eager array has in common with its views, which hold it for as long as they live."""
    return getrefcount(x.shared)


_HOLDERS_OF_ONE: Final = _holders(SimpleNamespace(shared=object()))
"""Where there are no views, whatever this interpreter counts besides the array's own."""


def _is_shared(x: Array) -> bool:
    """Is an eager array a view, or has it views that live?"""
    return x.shared is not None and (x.shared.owner() is not x or _holders(x) > _HOLDERS_OF_ONE)


class Methods(Protocols, Memory):
    """What is bound to `Array`. Each is described where the function of its name is."""

    __slots__ = ()

    # --- functions as they are ----------------------------------------------------------------------------------------

    __getitem__ = viewing.element
    __setitem__ = set_item
    T = property(viewing.reversed_dimensions, doc="The array with its dimensions reversed.")
    mT = property(viewing.matrix_transpose, doc="The array with its last two dimensions exchanged.")
    all = reductions.all
    any = reductions.any
    argmax = searching.argmax
    argmin = searching.argmin
    argpartition = sorting.argpartition
    choose = taking.choose
    cumprod = scans.cumprod
    cumsum = scans.cumsum
    diagonal = viewing.diagonal
    max = reductions.max
    mean = reductions.mean
    min = reductions.min
    nonzero = taking.nonzero
    prod = reductions.prod
    ravel = viewing.ravel
    repeat = repeating.repeat
    round = standard.round
    searchsorted = bisection.searchsorted
    squeeze = viewing.squeeze
    std = reductions.std
    sum = reductions.sum
    swapaxes = viewing.swapaxes
    take = taking.take
    trace = contractions.trace
    var = reductions.var

    def __class_getitem__(cls, item: Any) -> GenericAlias:
        """Annotations as NumPy's arrays have them: `np.ndarray[tuple[int], np.dtype[np.float64]]`."""
        return GenericAlias(cls, item)

    # --- functions with other parameters ------------------------------------------------------------------------------

    def reshape(self: Any, *shape: Any, order: str | None = "C", copy: bool | None = None) -> Array:
        """See `lazyarr.reshape`; the extents may be given one by one."""
        return viewing.reshape(self, shape[0] if len(shape) == 1 else shape, order, copy=copy)

    def flatten(self: Any, order: str = "C") -> Array:
        """All elements in one dimension, as `lazyarr.ravel` has them, never as a view."""
        return viewing.ravel(self, order).copy()

    def transpose(self: Any, *axes: Any) -> Array:
        """See `lazyarr.transpose`; the axes may be given one by one."""
        return viewing.transpose(self, axes[0] if len(axes) == 1 else axes or None)

    def astype(
        self: Any, dtype: Any, order: str | None = "K", casting: Any = "unsafe", subok: bool = True, copy: bool = True
    ) -> Array:
        """See `lazyarr.astype`; `TypeError` where `casting` forbids it. Without `copy`, what does not lie in `order` is
        copied; `subok` changes nothing.

        As NumPy's method, and unlike the function, it makes real numbers of complex ones, with a `ComplexWarning`.
        With casting "same_value" it is computed now, and a `ValueError` where a value changes.
        """
        if order != "K" and order is not None and not lies_in(as_order(order, "astype"), self):
            copy = True
        if casting == "same_value":
            return asarray(self.to_numpy().astype(as_dtype(dtype, "astype"), casting=casting), device=self.placed)
        if casting != "unsafe" and not np.can_cast(self.dtype, dtype, casting):
            raise TypeError(f"astype: cannot convert {self.dtype.name} to {np.dtype(dtype).name}, casting {casting!r}")
        return converted("astype", self, as_dtype(dtype, "astype"), copy)

    def clip(self: Any, min: Any = None, max: Any = None, out: Any = None) -> Array:
        """See `lazyarr.clip`."""
        return standard.clip(self, min, max, out)

    def dot(self: Any, other: Any, out: Any = None) -> Array:
        """See `lazyarr.dot`."""
        return products.dot(self, other) if out is None else products.dot(self, other, out=out)

    def _unlike(self: Any, answer: bool, other: object = None) -> Any:
        if isinstance(other, Number):  # one of Python's others, which knows what it equals: a fraction, a decimal
            values = self.to_numpy()
            return asarray(values != other if answer else values == other, device=self.placed)
        return full(self.extents, answer) if self.extents else NotImplemented

    def _equated_by_values(self: Any, name: str, other: Any) -> Any:
        found = None if isinstance(other, Array) or self.tracing else np.asarray(other)
        if found is None or found.dtype in SUPPORTED:
            return None
        count_host_call(name)
        values = self.to_numpy()
        return asarray(values == found if name == "equal" else values != found, device=self.placed)

    def compress(self: Any, condition: Any, axis: int | None = None, out: Any = None) -> Array:
        """See `lazyarr.compress`."""
        return taking.compress(condition, self, axis, out)

    def argsort(
        self: Any, axis: int | None = -1, kind: str | None = None, order: None = None, *, stable: bool | None = None
    ) -> Array:
        """See `lazyarr.argsort`."""
        return sorting.argsort(self, axis, kind, order, stable=stable)

    def is_integer(self: Any) -> bool:
        """Is it a whole number? As NumPy's numbers say; `TypeError` for an array of several."""
        number = self._number("is_integer")
        return isinstance(number, int) or bool(number.is_integer())  # before Python 3.12 integers have no such method

    def as_integer_ratio(self: Any) -> tuple[int, int]:
        """The whole numbers that it is the quotient of; as `is_integer`."""
        above, below = self._number("as_integer_ratio").as_integer_ratio()
        return int(above), int(below)

    def hex(self: Any) -> str:
        """A float's digits in base 16; as `is_integer`."""
        return str(self._number("hex").hex())

    def bit_count(self: Any) -> int:
        """How many bits of a whole number's absolute value are set; as `is_integer`."""
        return int(self._number("bit_count").bit_count())

    def _number(self: Any, method: str) -> Any:
        """The value as Python's number."""
        if self.shape != ():
            raise TypeError(f"{method}: expected a single number, got an array of shape {self.shape}")
        return self.item()

    def fill(self: Any, value: Any) -> None:
        """Put a number in the place of every element; `TypeError` or `ValueError` for lists and arrays of some."""
        self[...] = check_number("fill", self, 0, value)

    def sort(
        self: Any, axis: int | None = -1, kind: str | None = None, order: None = None, *, stable: bool | None = None
    ) -> None:
        """Sort in place: the array object stands for `lazyarr.sort` of it from then on."""
        sorting.sort_in_place(self, axis, kind, order, stable)

    def partition(self: Any, kth: Any, axis: int = -1, kind: str = "introselect", order: None = None) -> None:
        """Partition in place: the array object stands for `lazyarr.partition` of it from then on."""
        rebind(self, sorting.partition(self, kth, axis, kind, order))

    def put(self: Any, indices: Any, values: Any, mode: str = "raise") -> None:
        """See `lazyarr.put`."""
        taking.put(self, indices, values, mode=mode)

    def resize(self: Any, *shape: Any, refcheck: bool = True) -> None:
        """Take another shape, cut off or with zeros behind the elements. `refcheck` is there for NumPy's sake."""
        if not shape or shape == (None,):
            return
        extents = as_shape(shape[0] if len(shape) == 1 else shape, "resize")
        if any(extent < 0 for extent in extents):
            raise ValueError(f"resize: expected extents that are not negative, got {extents}")
        if self.origin is not None or (self.family is not None and self.family.views) or _is_shared(self):
            raise ValueError("resize: the array is a view or has views, which show its elements: resize a copy of it")
        flat, missing = self.flatten(), prod(extents) - self.size
        found = concatenate([flat, zeros(missing, dtype=self.dtype)]) if missing > 0 else flat[: prod(extents)]
        self.expr, self.extents, self.value, self.shared = found.standing, extents, None, None

    def view(self: Any, dtype: Any = None, type: Any = ...) -> Array:
        """A view of the same elements; with a dtype, of what that makes of the bytes (see
        `lazyarr.recording.conversion.viewed_as`). The class of arrays, as `type` or in place of a dtype, changes
        nothing; there are no arrays of its subclasses (`TypeError`).
        """
        if type is not ... and not _is_class_of(self, type):
            raise ValueError(f"view: expected type to be the class of arrays, got {type!r}")
        if _is_class_of(self, dtype):
            if type is not ...:
                raise ValueError("view: the type is given twice")
            dtype = None
        if dtype is None:
            return viewing.reshape(self, self.shape)
        if self.extents and is_small_or_eager(self):
            try:
                return view_of(self, self.value.view(native_dtype(dtype)))
            except ValueError:
                pass  # recording raises lazyarr's own error
        before = self.node
        made = viewed_as(self, dtype)
        return views.as_view(self, made, Viewed(made.dtype), before)

    # --- attributes ---------------------------------------------------------------------------------------------------

    @property
    def flat(self: Any) -> Flat:
        """The elements in row-major order: to iterate over, index and assign to."""
        return Flat(self)

    @flat.setter
    def flat(self: Any, value: Any) -> None:
        Flat(self)[...] = value

    @property
    def real(self: Any) -> Any:
        """The real parts; of real numbers the array itself."""
        return viewing.real(self)

    @real.setter
    def real(self: Any, value: Any) -> None:
        self.real[...] = value

    @property
    def imag(self: Any) -> Any:
        """The imaginary parts; zeros, which are read-only, of real numbers."""
        return viewing.imag(self)

    @imag.setter
    def imag(self: Any, value: Any) -> None:
        if self.real is self:
            raise TypeError("imag: an array of real numbers has no imaginary parts to set")
        self.imag[...] = value


_OF_CLASSES: Final = frozenset({"__dict__", "__doc__", "__hash__", "__module__", "__slots__", "__weakref__"})


def _is_class_of(x: Array, kind: Any) -> bool:
    """Is it the class of an array, lazyarr's or NumPy's? `TypeError` for other classes of arrays."""
    if not isinstance(kind, type) or not issubclass(kind, (Array, np.ndarray)):
        return False
    if kind is np.ndarray or isinstance(x, kind):
        return True
    raise TypeError(f"view: there are no arrays of subclasses, got {kind.__name__}; numpy.asarray(x) has such views")


def _reshape_in_place(x: Array, shape: Any) -> None:
    views.reshape_in_place(x, movement.reshape(x, shape).extents)


def _evaluate(arrays: Any) -> None:
    """The first time: the engine needs OpenCL, which importing lazyarr must not."""
    from lazyarr.evaluate.engine import compute  # as said

    core.bind(compute, views.refreshed, viewing.row_view, borrowed)
    compute(arrays)


def bind() -> None:
    """Bind the methods to `Array` and to the universal functions, and what operators and values need. Once."""
    for target, source in ((Array, Methods), (Array, EagerOperators), (Binary, Combining)):
        own = frozenset(vars(target))
        for each in source.__mro__[-2::-1]:
            for name, value in vars(each).items():
                if name not in _OF_CLASSES and vars(target).get(name) is not value:  # it is where lazyarr is reloaded
                    assert name not in own, f"{target.__name__} has a method {name} of its own"
                    setattr(target, name, value)
    Array.shape = Array.shape.setter(_reshape_in_place)  # type: ignore[attr-defined, method-assign]  # a property
    operators.bind(apply, products.matmul)
    core.bind(_evaluate, views.refreshed, viewing.row_view, borrowed)
