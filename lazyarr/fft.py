"""The array API's `fft` extension. The transforms run on the host, through numpy.fft (see `lazyarr.host`).

The frequencies and the shifts are recorded and compiled as any other function.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from lazyarr.array import Array
from lazyarr.creation import asarray
from lazyarr.host import call_host
from lazyarr.joining import concat
from lazyarr.movement import normalise_axes, view
from lazyarr.ranges import arange

__all__ = [
    "fft", "fft2", "fftfreq", "fftn", "fftshift", "hfft", "ifft", "ifft2", "ifftn", "ifftshift", "ihfft", "irfft",
    "irfft2", "irfftn", "rfft", "rfft2", "rfftfreq", "rfftn",
]  # fmt: skip

_NORMS = ("backward", "ortho", "forward")


def _one(name: str, x: Any, n: int | None, axis: int, norm: str) -> Array:
    _check(name, norm)
    found: Array = call_host(f"fft.{name}", getattr(np.fft, name), x, n=n, axis=axis, norm=norm)
    return found


def _many(name: str, x: Any, s: Any, axes: Any, norm: str) -> Array:
    _check(name, norm)
    if s is not None and axes is None:
        axes = tuple(range(-len(s), 0))
    found: Array = call_host(f"fft.{name}", getattr(np.fft, name), x, s=s, axes=axes, norm=norm)
    return found


def _check(name: str, norm: str) -> None:
    if norm not in _NORMS:
        raise ValueError(f"{name}: expected norm to be one of {', '.join(_NORMS)}, got {norm!r}")


def fft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The discrete Fourier transform along an axis, of `n` elements (cut or filled with zeros); complex."""
    return _one("fft", x, n, axis, norm)


def ifft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse of `fft`."""
    return _one("ifft", x, n, axis, norm)


def rfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """`fft` of real elements: its first n // 2 + 1 elements, which determine the others."""
    return _one("rfft", x, n, axis, norm)


def irfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse of `rfft`, of `n` real elements (2 * (m - 1) by default)."""
    return _one("irfft", x, n, axis, norm)


def hfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The transform of a signal with Hermitian symmetry, given by its first half; real."""
    return _one("hfft", x, n, axis, norm)


def ihfft(x: Any, /, *, n: int | None = None, axis: int = -1, norm: str = "backward") -> Array:
    """The inverse of `hfft`."""
    return _one("ihfft", x, n, axis, norm)


def fftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    """The transform along several axes (None: all), of extents `s`."""
    return _many("fftn", x, s, axes, norm)


def ifftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    """The inverse of `fftn`."""
    return _many("ifftn", x, s, axes, norm)


def rfftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    """`fftn` of real elements: halved along the last axis."""
    return _many("rfftn", x, s, axes, norm)


def irfftn(x: Any, /, *, s: Any = None, axes: Any = None, norm: str = "backward") -> Array:
    """The inverse of `rfftn`."""
    return _many("irfftn", x, s, axes, norm)


def fft2(x: Any, /, *, s: Any = None, axes: Any = (-2, -1), norm: str = "backward") -> Array:
    """`fftn` along two axes."""
    return _many("fft2", x, s, axes, norm)


def ifft2(x: Any, /, *, s: Any = None, axes: Any = (-2, -1), norm: str = "backward") -> Array:
    """The inverse of `fft2`."""
    return _many("ifft2", x, s, axes, norm)


def rfft2(x: Any, /, *, s: Any = None, axes: Any = (-2, -1), norm: str = "backward") -> Array:
    """`rfftn` along two axes."""
    return _many("rfft2", x, s, axes, norm)


def irfft2(x: Any, /, *, s: Any = None, axes: Any = (-2, -1), norm: str = "backward") -> Array:
    """The inverse of `rfft2`."""
    return _many("irfft2", x, s, axes, norm)


def fftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of the elements of an `fft` of `n` samples with spacing `d`: 0, 1, .., -2, -1 over n*d."""
    _positive("fftfreq", n)
    middle = (n - 1) // 2 + 1
    parts = [arange(0, middle, dtype=dtype or np.float64, device=device)]
    if n > 1:
        parts.append(arange(-(n // 2), 0, dtype=dtype or np.float64, device=device))
    return concat(parts) * (1.0 / (n * d))


def rfftfreq(n: int, /, *, d: float = 1.0, dtype: Any = None, device: Any = None) -> Array:
    """The frequencies of the elements of an `rfft` of `n` samples with spacing `d`: 0, 1, .., n // 2 over n*d."""
    _positive("rfftfreq", n)
    return arange(0, n // 2 + 1, dtype=dtype or np.float64, device=device) * (1.0 / (n * d))


def _positive(name: str, n: int) -> None:
    if n <= 0:
        raise ValueError(f"{name}: expected a positive number of samples, got {n}")


def fftshift(x: Any, /, *, axes: Any = None) -> Array:
    """The elements moved by half of each axis (None: of all), so that frequency 0 stands in the middle."""
    return _shifted("fftshift", x, axes, lambda extent: extent - extent // 2)


def ifftshift(x: Any, /, *, axes: Any = None) -> Array:
    """The inverse of `fftshift`."""
    return _shifted("ifftshift", x, axes, lambda extent: extent // 2)


def _shifted(name: str, x: Any, axes: Any, cut: Any) -> Array:
    x = asarray(x, function=name)
    for axis in range(x.ndim) if axes is None else normalise_axes(name, axes, x.ndim):
        at = cut(x.shape[axis])
        if 0 < at < x.shape[axis]:
            before = (slice(None),) * axis
            x = concat([x[(*before, slice(at, None))], x[(*before, slice(None, at))]], axis=axis)
    return view(x, x.node, x.shape)
