"""Quotients of complex numbers by NumPy's, where their parts are usual, and by Smith's formula elsewhere.

NumPy multiplies by the reciprocal of a number of twice the size of the divisor, and divides by real numbers as by
others: where a part is zero, infinite or near an end, digits are lost, or all of them. The formula is that of
`lazyarr.elements.complex_arithmetic`.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np
from numpy.typing import NDArray

__all__ = ["put_quotients"]

_USUAL: Final = {
    np.dtype(dtype): (part, 2 * float(np.finfo(part).tiny / np.finfo(part).eps), float(np.finfo(part).max) / 16)
    for dtype, part in ((np.complex64, np.dtype(np.float32)), (np.complex128, np.dtype(np.float64)))
}
"""The dtype of the parts, and between what they are usual: NumPy's intermediate results neither overflow nor lose
digits.
"""


def put_quotients(z: NDArray[Any], w: NDArray[Any], out: NDArray[Any] | None = None) -> Any:
    """z / w of one dtype and of shapes that broadcast, put into `out`, which may be one of them. Each quotient depends
    on its own operands alone.
    """
    if _are_usual(*_sizes(z, w), z.size):
        return np.divide(z, w, out)
    if z.shape != w.shape:
        z, w = np.broadcast_arrays(z, w)
    x, y = z.reshape(-1), w.reshape(-1)
    sizes, usual = _sizes(x, y)
    usual[: 2 * x.size] |= sizes[: 2 * x.size] == 0
    numbers = usual[::2] & usual[1::2]
    by_real = numbers[: x.size] & usual[2 * x.size :: 2] & (sizes[2 * x.size + 1 :: 2] == 0)
    if by_real.all():  # each part is divided
        made = np.empty(z.shape, z.dtype) if out is None else out
        made.real, made.imag = (x.real / y.real).reshape(z.shape), (x.imag / y.real).reshape(z.shape)
    else:
        unusual = ~(numbers[: x.size] & numbers[x.size :])
        found = _by_formula(x[unusual], y[unusual])
        made = np.asarray(np.divide(z, w, out))
        made[unusual.reshape(z.shape)] = found
    return made if out is not None or made.ndim else made[()]


def _sizes(z: NDArray[Any], w: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any]]:
    """The absolute values of the parts of all numbers, one after the other, and which are usual."""
    part, least, most = _USUAL[z.dtype]
    sizes = np.abs(np.concatenate((z.reshape(-1), w.reshape(-1))).view(part))
    usual = np.greater(sizes, least)
    usual &= np.less(sizes, most)
    return sizes, usual


def _are_usual(sizes: NDArray[Any], usual: NDArray[Any], dividends: int) -> bool:
    """Are all parts usual, but for zeros of the dividends?"""
    found = int(np.count_nonzero(usual))
    if found == sizes.size:
        return True
    of_z = 2 * dividends
    zeros = of_z - int(np.count_nonzero(sizes[:of_z]))
    return found + zeros == sizes.size


def _by_formula(z: NDArray[Any], w: NDArray[Any]) -> NDArray[Any]:
    """z / w by Smith's method, scaled."""
    a, b, up = _scaled(z)
    c, d, down = _scaled(w)
    turned = np.abs(c) < np.abs(d)
    a, b = np.where(turned, b, a), np.where(turned, -a, b)
    c, d = np.where(turned, d, c), np.where(turned, -c, d)
    c[c == 0] = 0  # of either sign
    ratio = d / c
    exact = d == 0
    whole = np.where(exact, c, c + d * ratio)
    found = np.empty(z.shape, z.dtype)
    back = down / up
    found.real = np.where(exact, a, a + b * ratio) / whole * back
    found.imag = np.where(exact, b, b - a * ratio) / whole * back
    return found


def _scaled(z: NDArray[Any]) -> tuple[NDArray[Any], NDArray[Any], NDArray[Any]]:
    """The parts, neither near overflow nor both tiny, and the power of two they were multiplied by."""
    part = z.real.dtype
    info = np.finfo(part)
    size = np.maximum(np.abs(z.real), np.abs(z.imag))
    factor = np.ones(z.shape, part)
    factor[size <= 2 * info.tiny / info.eps] = 2 / float(info.eps) ** 2
    factor[size >= info.max / 2] = 0.5
    return z.real * factor, z.imag * factor, factor
