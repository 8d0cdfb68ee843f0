"""What NumPy programs type without thinking: questions about arrays, other names, and copies."""

from __future__ import annotations

from collections.abc import Iterator
from math import prod
from typing import Any, Final

import numpy as np

from lazyarr.aliasing.eager_writes import changed_by_numpy, existing_values, is_changed_eagerly, values_of
from lazyarr.aliasing.outputs import put_out
from lazyarr.aliasing.views import laid_out, related
from lazyarr.api.elementwise.standard import equal, isfinite, isnan, logical_and, logical_or, round
from lazyarr.api.elementwise.ufuncs import compared, isclose
from lazyarr.api.reduce.reductions import all, max, min
from lazyarr.array import Array, giving_arrays
from lazyarr.dtypes import DType
from lazyarr.recording.conversion import imag, real
from lazyarr.recording.creation import as_arrays, asarray
from lazyarr.recording.movement import normalise_axes

__all__ = [
    "allclose", "amax", "amin", "around", "array", "array2string", "array_equal", "array_equiv", "array_repr",
    "array_str", "asanyarray", "asarray_chkfinite", "ascontiguousarray", "asfortranarray", "broadcast",
    "common_type", "copy", "copyto", "iscomplexobj", "isfortran", "isrealobj", "may_share_memory",
    "min_scalar_type", "ndim", "real_if_close", "require", "shape", "shares_memory", "size",
]  # fmt: skip

amax, amin, around = max, min, round


def ndim(a: Any) -> int:
    """The number of dimensions."""
    if isinstance(a, Array):
        return len(a.shape)
    try:
        return np.ndim(a)
    except ValueError:  # NumPy does not know what their `__array__` gives
        return np.ndim(as_arrays(a))


def shape(a: Any) -> tuple[int, ...]:
    """The extents."""
    if isinstance(a, Array):
        return a.shape
    try:
        return np.shape(a)
    except ValueError:  # as in `ndim`
        return np.shape(as_arrays(a))


def size(a: Any, axis: Any = None) -> int:
    """The number of elements, or the extent along an axis, the product of those along several."""
    found = asarray(a, function="size")
    return found.size if axis is None else prod([found.shape[i] for i in normalise_axes("size", axis, found.ndim)])


def min_scalar_type(a: Any, /) -> DType:
    """The smallest dtype that holds a number, whose value is computed; of an array with dimensions its own."""
    if isinstance(a, Array):
        return a.dtype if a.ndim else np.min_scalar_type(np.asarray(a))
    return np.min_scalar_type(a)


def array(
    object: Any,
    dtype: Any = None,
    *,
    copy: bool | None = True,
    order: str | None = "K",
    subok: bool = False,
    ndmin: int = 0,
    ndmax: int = 0,
    device: Any = None,
) -> Array:
    """NumPy's `array`: as `asarray`, but a copy unless told otherwise, and with at least `ndmin` dimensions.

    Extents of one are put in front to get there. `subok` is there for NumPy's sake: there are no subclasses.

    Raises:
        ValueError: lists in lists of more levels than `ndmax`, where that is not 0.
    """
    found = asarray(object, dtype, order, device=device, copy=copy, function="array")
    if ndmax and found.ndim > ndmax and isinstance(object, (list, tuple)):
        raise ValueError(f"array: expected lists of at most {ndmax} dimensions, got {found.ndim}")
    missing = ndmin - found.ndim
    return found.reshape((1,) * missing + found.shape) if missing > 0 else found


@giving_arrays
def asanyarray(
    a: Any, dtype: Any = None, order: str | None = None, *, device: Any = None, copy: bool | None = None
) -> Array:
    """`asarray`: there are no subclasses."""
    return asarray(a, dtype, order, device=device, copy=copy, function="asanyarray")


def ascontiguousarray(a: Any, dtype: Any = None) -> Array:
    """`asarray`, with one dimension at least; a copy of a view that does not lie in row-major order."""
    found = asarray(a, dtype, "C", function="ascontiguousarray")
    return found if found.ndim else found.reshape(1)


def asfortranarray(a: Any, dtype: Any = None) -> Array:
    """`asarray`, with one dimension at least; a copy of an array whose first dimension does not vary fastest.

    Values are in row-major order.
    """
    found = asarray(a, dtype, "F", function="asfortranarray")
    return found if found.ndim else found.reshape(1)


@giving_arrays
def asarray_chkfinite(a: Any, dtype: Any = None, order: str | None = None) -> Array:
    """`asarray`, with a `ValueError` for infinities and NaNs: computes the value."""
    found = asarray(a, dtype, order, function="asarray_chkfinite")
    if found.dtype.kind in "fc" and not bool(all(isfinite(found))):
        raise ValueError("asarray_chkfinite: the array must not contain infinities or NaNs")
    return found


def copy(a: Any, order: str = "K", subok: bool = False) -> Array:
    """Another array of the same elements; `order` and `subok` are there for NumPy's sake."""
    return asarray(a, None, order, copy=True, function="copy")


def copyto(dst: Any, src: Any, casting: str = "same_kind", where: Any = True) -> None:
    """Put the elements of `src`, broadcast, into an array, where a mask holds; the object changes.

    A Python number has a kind and no width. Leading dimensions of extent one that `dst` lacks are dropped.

    Raises:
        TypeError: the dtype of `src` does not convert by the rule `casting`.
        OverflowError: a Python integer that the dtype of `dst` cannot hold.
    """
    if _copied_by_numpy(dst, src, casting, where):
        return
    made = asarray(src, function="copyto")
    weak = type(src) in (int, float, complex)
    kind = np.result_type(dst.dtype, src) if weak else made.dtype
    if not np.can_cast(kind, dst.dtype, casting):  # type: ignore[arg-type]  # checked by NumPy
        raise TypeError(f"copyto: cannot convert {made.dtype.name} to {dst.dtype.name} with casting {casting!r}")
    if type(src) is int and dst.dtype.kind in "iu":
        made = asarray(src, dst.dtype, function="copyto")  # which holds it, or raises
    while made.ndim > dst.ndim and made.shape[0] == 1:
        made = made.reshape(made.shape[1:])
    put_out("copyto", dst, made.astype(dst.dtype), where)


def _copied_by_numpy(dst: Any, src: Any, casting: str, where: Any) -> bool:
    """`copyto` by NumPy's, if lazyarr means the same; else nothing is done."""
    if casting not in ("same_kind", "safe") or not is_changed_eagerly(dst):
        return False
    new = values_of(src, dst.dtype, dst, casting)
    if new is None:
        return False
    if where is True:
        return changed_by_numpy(np.copyto, dst, new)
    mask = existing_values(where, dst)
    if mask is None or mask.dtype.kind != "b":
        return False
    return changed_by_numpy(lambda host, new, mask: np.copyto(host, new, where=mask), dst, new, mask)


@giving_arrays
def require(a: Any, dtype: Any = None, requirements: Any = None) -> Array:
    """`asarray`; a copy where the array is a view and is to have memory of its own ("O") or to lie in row-major order
    ("C"), or where it is read-only and is to be written to ("W"). New arrays lie in row-major order, whatever "F" says.

    Args:
        requirements: letters or names of NumPy's flags

    Raises:
        ValueError: "C" and "F" together.
        KeyError: other names.
    """
    given = [requirements] if isinstance(requirements, str) else list(requirements or ())
    wanted = {_FLAGS[name.upper()] for name in given}
    if wanted >= {"C", "F"}:
        raise ValueError('require: expected "C" or "F", not both')
    found = asarray(a, dtype, function="require")
    shared = found.shared
    is_view = found.origin is not None or (shared is not None and shared.owner() is not found)
    lacks = any(not found.flags[name] for name in wanted & {"C", "W"}) or ("O" in wanted and is_view)
    return found.copy() if lacks else found


_FLAGS: Final = {
    name: flag
    for flag, names in {
        "C": "C C_CONTIGUOUS CONTIGUOUS", "F": "F F_CONTIGUOUS FORTRAN", "A": "A ALIGNED", "W": "W WRITEABLE",
        "O": "O OWNDATA", "E": "E ENSUREARRAY",
    }.items()
    for name in names.split()
}  # fmt: skip


def isfortran(a: Any) -> bool:
    """Do the elements lie in column-major order alone? Never: values lie in row-major order."""
    return bool(asarray(a, function="isfortran").flags.fnc)


@giving_arrays
def real_if_close(a: Any, tol: float = 100) -> Array:
    """The real parts, if all imaginary ones are close to zero: closer than `tol`, above 1 so many epsilons.

    Complex values are computed: the dtype follows from them.
    """
    from lazyarr.api.elementwise.standard import abs, less  # elsewhere in this module `abs` is Python's

    x = asarray(a, function="real_if_close")
    if x.dtype.kind != "c":
        return x
    limit = float(np.finfo(x.dtype).eps) * tol if tol > 1 else tol
    return real(x) if bool(all(less(abs(imag(x)), limit))) else x


def common_type(*arrays: Any) -> type:
    """The floating-point or complex type that holds the numbers of all arrays; `TypeError` for bools."""
    found = [asarray(x, function="common_type") for x in arrays]
    return np.common_type(*(np.empty(0, x.dtype) for x in found))


class broadcast:  # noqa: N801  # NumPy's name
    """Arrays broadcast together: the shape they have, and, when iterated over, their elements side by side.

    Attributes:
        shape, ndim, nd, size: of what they broadcast to
        numiter: how many arrays there are
    """

    def __init__(self, *arrays: Any) -> None:
        self._arrays = tuple(asarray(x, function="broadcast") for x in arrays)
        self.shape: tuple[int, ...] = np.broadcast_shapes(*(x.shape for x in self._arrays))
        self.ndim = self.nd = len(self.shape)
        self.size = prod(self.shape)
        self.numiter = len(self._arrays)

    def __iter__(self) -> Iterator[Any]:
        return iter(np.broadcast(*(np.asarray(x) for x in self._arrays)))


def iscomplexobj(x: Any) -> bool:
    """Is its dtype complex?"""
    return asarray(x, function="iscomplexobj").dtype.kind == "c"


def isrealobj(x: Any) -> bool:
    """Is its dtype not complex?"""
    return not iscomplexobj(x)


def array_equiv(a1: Any, a2: Any) -> Array:
    """Do the arrays broadcast together to equal elements? A 0-dimensional array."""
    first, second = asarray(a1, function="array_equiv"), asarray(a2, function="array_equiv")
    try:
        np.broadcast_shapes(first.shape, second.shape)
    except ValueError:
        return asarray(False)
    return all(equal(first, second))


# --- text and memory: of the values -----------------------------------------------------------------------------------


def array2string(a: Any, *arguments: Any, **keywords: Any) -> str:
    """NumPy's text of the value."""
    return np.array2string(np.asarray(a), *arguments, **keywords)


def array_repr(arr: Any, *arguments: Any, **keywords: Any) -> str:
    """NumPy's `repr` of the value."""
    return np.array_repr(np.asarray(arr), *arguments, **keywords)


def array_str(a: Any, *arguments: Any, **keywords: Any) -> str:
    """NumPy's `str` of the value."""
    return np.array_str(np.asarray(a), *arguments, **keywords)


def shares_memory(a: Any, b: Any, /, max_work: Any = None) -> bool:
    """Have the arrays an element in common, so that what is assigned to one is seen in the other?"""
    return np.shares_memory(*_in_memory(a, b), max_work)


def may_share_memory(a: Any, b: Any, /, max_work: Any = None) -> bool:
    """May they have? Their elements lie between each other."""
    return np.may_share_memory(*_in_memory(a, b), max_work)


def _in_memory(a: Any, b: Any) -> tuple[Any, Any]:
    """Arrays of NumPy's that share memory where these do: no element of them is to be read."""
    if isinstance(a, Array) and isinstance(b, Array):
        first = laid_out(a)
        if a is b:
            return first, first
        return first, laid_out(b) if related(a, b) else np.empty(0)
    return np.asarray(a), np.asarray(b)


def allclose(a: Any, b: Any, rtol: float = 1e-05, atol: float = 1e-08, equal_nan: bool = False) -> Array:
    """Are all elements close, in the sense of `isclose`? A 0-dimensional array: `bool` of it computes.

    `ValueError` for shapes that do not broadcast together.
    """
    return all(isclose(*compared("allclose", a, b), rtol, atol, equal_nan))


def array_equal(a1: Any, a2: Any, equal_nan: bool = False) -> Array:
    """Have the arrays one shape and equal elements (NaN too, if `equal_nan`)? A 0-dimensional array."""
    a1, a2 = asarray(a1, function="array_equal"), asarray(a2, function="array_equal")
    if a1.shape != a2.shape:
        return asarray(False)
    same = equal(a1, a2)
    return all(logical_or(same, logical_and(isnan(a1), isnan(a2))) if equal_nan else same)
