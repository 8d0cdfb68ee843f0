"""The array API's `fft` extension, and NumPy's transforms of two dimensions beside it.

All is recorded and compiled (`lazyarr.api.signal.transforms` says how). The dtypes are NumPy's: complex64 for float32
and complex64, complex128 for all others, and of real results their parts'.
"""

from __future__ import annotations

from collections.abc import Callable
from math import prod
from typing import Any, TypeVar

import numpy as np
from numpy.exceptions import AxisError

from ir.cost.thresholds.eager import EAGER_FUNCTION_ELEMENTS_AT_MOST
from ir.reference.library import Transform, note
from lazyarr.aliasing.outputs import with_out_at
from lazyarr.api.create.ranges import arange
from lazyarr.api.elementwise.standard import conj, multiply
from lazyarr.api.shape.joining import concat
from lazyarr.api.shape.repeating import roll
from lazyarr.api.signal.padding import pad
from lazyarr.api.signal.transforms import transform
from lazyarr.array import Array
from lazyarr.dtypes import complex64, complex128, component_of, float32
from lazyarr.eager.functions import small_by
from lazyarr.eager.transforms import small_by_numpy
from lazyarr.recording.conversion import astype, real
from lazyarr.recording.creation import asarray
from lazyarr.recording.indexing import part_along
from lazyarr.recording.movement import (
    flip,
    moveaxis,
    normalise_axes,
    normalise_axis,
    reshape,
    sequence_of_axes,
    whole_number,
)
from lazyarr.recording.replay import replayable

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft",
    "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip


def __dir__() -> list[str]:
    return sorted(__all__)


_NORMS = ("backward", "ortho", "forward")
F = TypeVar("F", bound=Callable[..., Any])


def _transform(function: F) -> F:
    """A function of the namespace: NumPy's for small arrays, recorded for others. It fills `out`, if given."""
    return with_out_at(4)(small_by_numpy(replayable(function)))  # type: ignore[return-value]  # what the function does


# --- along one axis ---------------------------------------------------------------------------------------------------


@_transform
def fft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Array:
    """The discrete Fourier transform along an axis: element k is `sum_j x[j] * exp(-2i*pi*j*k / n)`.

    Args:
        n: the extent that is transformed: the elements are cut or filled with zeros to it; None: as many as there are
        norm: which direction divides by n: "backward" this one's inverse, "forward" this one, "ortho" both by its root

    Raises:
        ValueError: an extent below one, or another norm.
        AxisError: an axis that does not exist.
    """
    return _forward("fft", a, n, axis, norm)


@_transform
def ifft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Array:
    """The inverse of `fft`."""
    return _backward("ifft", a, n, axis, norm)


@_transform
def rfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Array:
    """`fft` of real elements: its first n // 2 + 1 elements, whose conjugates the others are."""
    return _real_forward("rfft", a, n, axis, norm)


@_transform
def irfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Array:
    """The inverse of `rfft`: `n` real elements, by default 2*(m - 1); imaginary parts that cannot be are left out."""
    return _real_backward("irfft", a, n, axis, norm)


@_transform
def hfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Array:
    """The transform of what equals its own reversed conjugate, given by the first half; `n` real elements."""
    return _real_backward("hfft", conj(asarray(a, function="hfft")), n, axis, _swapped("hfft", norm))


@_transform
def ihfft(a: Any, n: int | None = None, axis: int = -1, norm: str | None = "backward") -> Array:
    """The inverse of `hfft`: the first n // 2 + 1 elements."""
    return conj(_real_forward("ihfft", a, n, axis, _swapped("ihfft", norm)))


# --- along several axes -----------------------------------------------------------------------------------------------


@_transform
def fftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = "backward") -> Array:
    """`fft` along several axes (None: all, or as many of the last as `s` has), with the extents `s`."""
    return _along("fftn", a, s, axes, norm, _forward)


@_transform
def ifftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = "backward") -> Array:
    """The inverse of `fftn`."""
    return _along("ifftn", a, s, axes, norm, _backward)


@_transform
def rfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = "backward") -> Array:
    """`fftn` of real elements: the last of the axes is halved, as by `rfft`."""
    x, extents, along = _extents("rfftn", a, s, axes)
    found = _real_forward("rfftn", x, extents[-1], along[-1], norm)
    return _along("rfftn", found, extents[:-1], along[:-1], norm, _forward) if along[:-1] else found


@_transform
def irfftn(a: Any, s: Any = None, axes: Any = None, norm: str | None = "backward") -> Array:
    """The inverse of `rfftn`; the extent of the last of the axes is 2 * (m - 1) by default."""
    x, extents, along = _extents("irfftn", a, s, axes)
    first = extents[-2::-1], along[-2::-1]  # the first of them at first, which counts where axes are repeated
    found = _along("irfftn", x, *first, norm, _backward) if along[:-1] else x
    last = 2 * (extents[-1] - 1) if s is None else extents[-1]
    return _real_backward("irfftn", found, last, along[-1], norm)


def _along_two(function: F) -> F:
    """The function of several axes, along the last two where none are named."""

    def along_two(a: Any, s: Any = None, axes: Any = (-2, -1), norm: str | None = "backward") -> Array:
        return function(a, s, axes, norm)  # type: ignore[no-any-return]  # an Array

    along_two.__name__ = along_two.__qualname__ = function.__name__[:-1] + "2"
    along_two.__doc__ = f"`{function.__name__}` along two axes."
    return _transform(along_two)  # type: ignore[return-value]  # of the same parameters


fft2, ifft2, rfft2, irfft2 = _along_two(fftn), _along_two(ifftn), _along_two(rfftn), _along_two(irfftn)


# --- frequencies and shifts -------------------------------------------------------------------------------------------


def _fftfreq(n: Any, d: Any = 1.0, *, dtype: Any = None) -> Any:
    """NumPy's function, of few numbers."""
    few = dtype is None and type(n) is int and 0 < n <= EAGER_FUNCTION_ELEMENTS_AT_MOST
    return np.fft.fftfreq(n, d) if few and type(d) in (int, float) else None


@small_by(_fftfreq)
def fftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of the elements of an `fft` of n samples with spacing d: 0, 1, .., -2, -1 over n*d."""
    n = whole_number("fftfreq", "n", n, 1)
    dtype = np.float64 if dtype is None else dtype
    parts = [arange(0, (n + 1) // 2, device=device), arange(-(n // 2), 0, device=device)]
    found: Array = multiply(astype(concat(parts), dtype), 1.0 / (n * d))
    return found


def rfftfreq(n: int, d: float = 1.0, *, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of the elements of an `rfft` of n samples with spacing d: 0, 1, .., n // 2 over n*d."""
    n = whole_number("rfftfreq", "n", n, 1)
    return multiply(astype(arange(0, n // 2 + 1, device=device), np.float64 if dtype is None else dtype), 1.0 / (n * d))


@small_by(np.fft.fftshift)
@replayable
def fftshift(x: Any, axes: Any = None) -> Array:
    """The elements moved by half of each axis (None: of all), so that frequency 0 stands in the middle."""
    return _shifted("fftshift", x, axes, lambda extent: extent // 2)


@small_by(np.fft.ifftshift)
@replayable
def ifftshift(x: Any, axes: Any = None) -> Array:
    """The inverse of `fftshift`."""
    return _shifted("ifftshift", x, axes, lambda extent: -(extent // 2))


def _shifted(function: str, x: Any, axes: Any, by: Callable[[int], int]) -> Array:
    x = asarray(x, function=function)
    along = tuple(range(x.ndim)) if axes is None else normalise_axes(function, axes, x.ndim)
    return roll(x, tuple(by(x.shape[axis]) for axis in along), along)


# --- how they are made ------------------------------------------------------------------------------------------------


def _forward(function: str, x: Any, n: int | None, axis: int, norm: str | None) -> Array:
    return _transformed(function, _complex(function, x), n, axis, norm, inverse=False)


def _backward(function: str, x: Any, n: int | None, axis: int, norm: str | None) -> Array:
    return _transformed(function, _complex(function, x), n, axis, norm, inverse=True)


def _real_forward(function: str, x: Any, n: int | None, axis: int, norm: str | None) -> Array:
    x = asarray(x, function=function)
    if x.dtype.kind == "c":
        raise TypeError(f"{function}: expected real numbers, got {x.dtype.name}")
    axis = normalise_axis(function, axis, x.ndim)
    whole = _forward(function, x, n, axis, norm)
    found = part_along(whole, axis, 0, whole.shape[axis] // 2 + 1)
    return _noted("rfft", found, x, whole.shape[axis], axis, norm)


def _real_backward(function: str, x: Any, n: int | None, axis: int, norm: str | None) -> Array:
    """The real parts of the inverse transform of the half and what its conjugates are.

    The first element, and for an even n the middle one, are their own conjugates: their imaginary parts do not reach
    the real parts of the result.
    """
    x = _complex(function, x)
    axis = normalise_axis(function, axis, x.ndim)
    n = 2 * (x.shape[axis] - 1) if n is None else n
    _positive(function, n)
    half = _resized(x, axis, n // 2 + 1)
    mirrored = conj(flip(part_along(half, axis, 1, (n + 1) // 2), axis))
    found = real(_backward(function, concat([half, mirrored], axis), n, axis, norm))
    return _noted("irfft", found, x, n, axis, norm)


def _transformed(function: str, x: Array, n: int | None, axis: int, norm: str | None, *, inverse: bool) -> Array:
    _check(function, norm)
    axis = normalise_axis(function, axis, x.ndim)
    n = x.shape[axis] if n is None else n
    _positive(function, n)
    given, x = x, moveaxis(_resized(x, axis, n), axis, 0)
    found = reshape(transform(reshape(x, (n, prod(x.shape[1:]))), inverse=inverse), x.shape) if x.size else x
    divisor = {"backward": n if inverse else 1, "forward": 1 if inverse else n, "ortho": n**0.5}[norm or "backward"]
    if divisor != 1:
        found = multiply(found, component_of(found.dtype).type(1.0 / divisor))
    return _noted("ifft" if inverse else "fft", moveaxis(found, 0, axis), given, n, axis, norm)


def _noted(numpys: str, found: Array, x: Array, n: int, axis: int, norm: str | None) -> Array:
    """What was found, noted to be what NumPy's function of that name gives for x."""
    if n > 1 and x.size:  # else nothing is transformed
        note(found.node, Transform(numpys, x.node, x.shape, found.shape, n, axis, norm or "backward"))
    return found


def _extents(function: str, x: Any, s: Any, axes: Any) -> tuple[Array, list[int], tuple[int, ...]]:
    """The operand, and for each axis that is transformed its extent; `ValueError` where their numbers differ.

    NumPy transforms along no axis, too; real numbers then stay real.
    """
    x = asarray(x, function=function)
    if axes is None:
        if s is not None and len(s) > x.ndim:
            raise AxisError(f"{function}: expected extents for at most {x.ndim} axes, got {s}")
        along = tuple(range(0 if s is None else x.ndim - len(s), x.ndim))
    else:
        along = tuple(normalise_axis(function, axis, x.ndim) for axis in sequence_of_axes(function, axes))
    if s is not None and len(s) != len(along):
        raise ValueError(f"{function}: expected an extent for each of {len(along)} axes, got {s}")
    if not along and function in ("rfftn", "irfftn"):  # one is to be halved
        raise IndexError(f"{function}: expected one or more axes, got shape {x.shape} and axes {axes}")
    extents = [x.shape[axis] for axis in along]
    given = extents if s is None else [have if n == -1 else n for have, n in zip(extents, s, strict=True)]
    return x, given, along


def _along(function: str, x: Any, s: Any, axes: Any, norm: str | None, one: Callable[..., Array]) -> Array:
    x, extents, along = _extents(function, x, s, axes)
    found: Array = x
    for n, axis in zip(reversed(extents), reversed(along), strict=True):
        found = one(function, found, n, axis, norm)
    return found


def _complex(function: str, x: Any) -> Array:
    found = asarray(x, function=function)
    if found.dtype.kind == "c":
        return found
    return astype(found, complex64 if found.dtype is float32 else complex128)


def _resized(x: Array, axis: int, n: int) -> Array:
    """The first n elements along an axis, zeros where there are fewer."""
    if x.shape[axis] > n:
        return part_along(x, axis, 0, n)
    if x.shape[axis] == n:
        return x
    return pad(x, [(0, n - extent if a == axis else 0) for a, extent in enumerate(x.shape)])


def _swapped(function: str, norm: str | None) -> str:
    _check(function, norm)
    return {"backward": "forward", "forward": "backward", "ortho": "ortho"}[norm or "backward"]


def _check(function: str, norm: str | None) -> None:
    if norm is not None and norm not in _NORMS:
        raise ValueError(f"{function}: expected norm to be one of {', '.join(_NORMS)}, got {norm!r}")


def _positive(function: str, n: int) -> None:
    if whole_number(function, "n", n, None) < 1:
        raise ValueError(f"{function}: expected one or more elements to transform, got n = {n}")
