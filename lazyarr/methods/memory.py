"""The methods and attributes of arrays that speak of memory: bytes, strides, flags, pickles."""

from __future__ import annotations

import warnings
from functools import lru_cache
from operator import attrgetter
from typing import Any

import numpy as np

from ir.cost.thresholds.eager import BYTES_READ_AS_TEXT
from lazyarr.aliasing.assignment import rebind
from lazyarr.aliasing.views import is_writeable, row_major, set_writeable, strides_of
from lazyarr.array import Array
from lazyarr.config import eagerness
from lazyarr.graph.leaves import looks
from lazyarr.memory.snapshots import snapshot
from lazyarr.methods.flags import Flags
from lazyarr.methods.strided import asked_by_as_strided, value_for_strides, value_in_base
from lazyarr.recording.host import host_apply

__all__ = ["Memory"]

_kind_of = lru_cache(attrgetter("str"))
"""NumPy's text for a dtype."""
_strides_of = lru_cache(row_major)


class Memory:
    """What NumPy's arrays say of their memory: of a view, that it lies in the memory of its base, as NumPy's does. The
    elements are read-only. What `np.asarray` gives of a view may lie otherwise, and has its own strides.
    """

    __slots__ = ()

    @property
    def strides(self) -> tuple[int, ...]:
        """The bytes from one element to the next along each dimension."""
        return strides_of(self)  # type: ignore[arg-type]  # an Array

    @property
    def flags(self) -> Flags:
        """What NumPy says of an array that lies as the value does; an array that is no view may be assigned to."""
        one = np.empty(0, self.dtype)  # type: ignore[attr-defined]  # an Array
        writeable = is_writeable(self)  # type: ignore[arg-type]  # as above
        shape = self.shape  # type: ignore[attr-defined]  # as above
        like = np.lib.stride_tricks.as_strided(one, shape, self.strides, writeable=writeable)
        return Flags(self, like.flags)  # type: ignore[arg-type]  # as above

    @property
    def base(self) -> Array | None:
        """The array whose elements a view shows, while it lives; None of others."""
        shared = self.shared  # type: ignore[attr-defined]  # an Array
        if self.host is not None:  # type: ignore[attr-defined]  # as above
            owner: Array | None = None if shared is None else shared.owner()
            return None if owner is self else owner
        origin = self.origin  # type: ignore[attr-defined]  # as above
        return None if origin is None else origin.family.base()

    def __sizeof__(self) -> int:
        """The bytes of the object, and of its elements where these are no other array's, computed or not."""
        own: int = 0 if self.base is not None else self.nbytes  # type: ignore[attr-defined]  # an Array
        return object.__sizeof__(self) + own

    @property
    def data(self) -> memoryview:
        """The elements where `strides` says, to read."""
        return value_in_base(self).data  # type: ignore[arg-type]  # an Array

    @property
    def __array_interface__(self) -> dict[str, Any]:
        """The value's memory, to read, as NumPy's array interface has it: whoever takes it keeps it."""
        x: Any = self
        arguments = asked_by_as_strided(1)
        if arguments is None:
            value = x.value
            if value is not None and eagerness.on and (x.shared is None or x.shared.lent is None):
                if type(value) is not np.ndarray:
                    value = np.array(value, x.dtype)
                if value.nbytes <= BYTES_READ_AS_TEXT:
                    looks.count += 1
                    extents, kind = x.extents, _kind_of(x.dtype)
                    strides, data = _strides_of(extents, value.itemsize), value.tobytes()
                    return {"version": 3, "shape": extents, "typestr": kind, "data": data, "strides": strides}
            value = x.__array__()
        else:
            value = value_for_strides(x, arguments["shape"], arguments["strides"])
        # strides say to those who ask for a buffer, as Pillow does, that they have to call `tobytes`
        strides = value.strides
        found = {"version": 3, "shape": x.extents, "typestr": _kind_of(x.dtype), "data": value, "strides": strides}
        if not value.flags.c_contiguous:
            owner: Any = value.base  # of which it is a view: a buffer has no gaps
            while owner is not None and not (type(owner) is np.ndarray and owner.flags.c_contiguous):
                owner = getattr(owner, "base", None)
            if owner is None:
                found["data"] = copied = snapshot(value)
                found["strides"] = copied.strides
            else:
                whole = owner.view()
                whole.setflags(write=False)
                found["data"] = whole
                found["offset"] = value.__array_interface__["data"][0] - owner.__array_interface__["data"][0]
        return found

    @property
    def ctypes(self) -> Any:
        """The elements where `strides` says, for `ctypes`, to read: NumPy's object, which keeps them."""
        return value_in_base(self).ctypes  # type: ignore[arg-type]  # an Array

    def setflags(self, write: bool | None = None, align: bool | None = None, uic: bool | None = None) -> None:
        """Say whether the array may be assigned to; views that are made of it from then on are as it is. Arrays are
        aligned and have no copies to write back, with a warning where something else is asked for.

        Raises:
            ValueError: a view of what is read-only is to be assigned to.
        """
        for name, given in (("align", align), ("uic", uic)):
            if given is not None and bool(given) == (name == "uic"):
                warnings.warn(f"setflags: {name}={given} changes nothing", stacklevel=2)
        if write is not None:
            set_writeable(self, bool(write))  # type: ignore[arg-type]  # an Array

    def tobytes(self, order: str = "C") -> bytes:
        """The bytes of the value, in row-major order or by order "F" in the other."""
        value: Any = self.value  # type: ignore[attr-defined]  # an Array
        if type(value) is np.ndarray and order == "C" and eagerness.on:
            looks.count += 1
            return value.tobytes()
        return np.asarray(self).tobytes(order)  # type: ignore[arg-type]  # checked by NumPy

    def __bytes__(self) -> bytes:
        """`tobytes`; of a whole number as many zeros, as Python has it, and NumPy of its numbers."""
        counts = self.shape == () and self.dtype.kind in "iu"  # type: ignore[attr-defined]  # an Array
        return bytes(int(self)) if counts else self.tobytes()  # type: ignore[call-overload]  # as above

    def tofile(self, fid: Any, sep: str = "", format: str = "%s") -> None:
        """Write the value to a file, as NumPy's method of that name does."""
        np.asarray(self).tofile(fid, sep, format)

    def dumps(self) -> bytes:
        """The value pickled: what is loaded is NumPy's array."""
        return np.asarray(self).dumps()

    def dump(self, file: Any) -> None:
        """The value pickled, into a file or the file of a name; see `dumps`."""
        np.asarray(self).dump(file)

    def byteswap(self, inplace: bool = False) -> Array:
        """The elements with their bytes the other way round: another array, or the array itself, which changes.

        On the host (`numpy.ndarray.byteswap`), counted.
        """
        made: Array = host_apply("Array.byteswap", np.ndarray.byteswap, self)
        if not inplace:
            return made
        rebind(self, made)  # type: ignore[arg-type]  # an Array
        return self  # type: ignore[return-value]  # as above

    def getfield(self, dtype: Any, offset: int = 0) -> Array:
        """What a dtype makes of the bytes of each element from an offset on; another array.

        On the host (`numpy.ndarray.getfield`), counted.
        """
        return host_apply("Array.getfield", lambda x: x.getfield(dtype, offset).copy(), self)  # type: ignore[no-any-return]  # an Array

    def setfield(self, val: Any, dtype: Any, offset: int = 0) -> None:
        """Put numbers of a dtype into the bytes of each element from an offset on.

        On the host (`numpy.ndarray.setfield`), counted.
        """

        def changed(value: Any, numbers: Any) -> Any:
            found = value.copy()
            found.setfield(numbers, dtype, offset)
            return found

        rebind(self, host_apply("Array.setfield", changed, self, val))  # type: ignore[arg-type]  # an Array
