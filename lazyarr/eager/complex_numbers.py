"""Quotients, powers and signs of a few complex numbers, by NumPy's calls as lazyarr's formulas have them; NumPy's own
are less exact where a part is zero or infinite, or nearly so.

Each raises `ArithmeticError` before anything is written where the call is to be recorded.
"""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from ir.cost.thresholds.eager import EAGER_THREADS_FROM_BYTES
from ir.cost.thresholds.tiers import THREADS_AT_MOST
from lazyarr.dtypes import complex64, complex128
from lazyarr.eager.quotients import put_quotients
from lazyarr.memory.quiet import quietly

__all__ = ["divided_by_number", "power", "power_of_numbers", "quotient", "quotient_of_numbers", "sign"]

_FEW: Final = EAGER_THREADS_FROM_BYTES // complex128.itemsize // (2 * THREADS_AT_MOST)
"""Numbers at most: fewer than each of the threads has that share a result, so that nothing is written before all is
known. Of rows that do not come out even one has twice as many as another.
"""

_USUAL: Final = {
    dtype.char: (2 * float(np.finfo(dtype).tiny / np.finfo(dtype).eps), float(np.finfo(dtype).max) / 2)
    for dtype in (complex64, complex128)
}
"""Between these lies the greater part of what is divided without being scaled."""

_LEAST: Final = 2 * _USUAL["D"][0]
_MOST: Final = _USUAL["D"][1] / 8
"""Absolute values of numbers of complex128 whose greater part, and whose quotients' denominators, are usual."""

_MULTIPLIED: Final = 100
"""The greatest exponent that multiplies, as in recorded powers."""


def divided_by_number(z: Any, n: Any, out: Any = None) -> Any:
    """Complex numbers divided by one of Python's: both parts are. NumPy's function makes a complex number of n."""
    if not n:
        raise ArithmeticError("division by zero is recorded")
    found = np.empty(z.shape, z.dtype) if out is None else out
    np.divide(z.real, n, out=found.real)
    np.divide(z.imag, n, out=found.imag)
    return found


def quotient(z: Any, w: Any, out: Any = None) -> Any:
    """z / w, as it is where that is recorded."""
    dtype = getattr(z, "dtype", None)
    if dtype is None or dtype is not getattr(w, "dtype", None):
        dtype = np.result_type(z, w)
        if np.iscomplexobj(z) and not np.iscomplexobj(w):
            return _divided_by_reals(np.asarray(z, dtype), np.asarray(w, dtype.type().real.dtype), out)
    z, w = np.asarray(z, dtype), np.asarray(w, dtype)
    _check_few(z, w)
    return put_quotients(z, w, out)


def _divided_by_reals(z: Any, w: Any, out: Any) -> Any:
    """Complex numbers divided by real ones, of any number: both parts are. NumPy's function takes twice the time."""
    if np.count_nonzero(w) < w.size:
        w = w + 0.0  # recorded quotients do not ask for the sign of a zero
    if out is not None and np.may_share_memory(w, out):
        w = w.copy()  # the real parts are written first
    found = np.empty(np.broadcast(z, w).shape, z.dtype) if out is None else out
    np.divide(z.real, w, out=found.real)
    np.divide(z.imag, w, out=found.imag)
    return found if out is not None or found.ndim else found[()]


def quotient_of_numbers(z: complex, w: complex) -> complex | None:
    """z / w of two of Python's numbers, as `quotient` has it; None where one is unusual."""
    c, d = w.real, w.imag
    try:
        if not (_LEAST < abs(w) < _MOST and (_LEAST < abs(z) < _MOST or not z)):
            return None
    except OverflowError:
        return None
    a, b = z.real, z.imag
    if not d:
        return complex(a / c, b / c)
    if not c:
        return complex(b / d, -a / d)
    if abs(c) >= abs(d):
        ratio = d / c
        scale = 1.0 / (c + d * ratio)
        return complex((a + b * ratio) * scale, (b - a * ratio) * scale)
    ratio = c / d
    scale = 1.0 / (d + c * ratio)
    return complex((a * ratio + b) * scale, (b * ratio - a) * scale)


def sign(z: Any, out: Any = None) -> Any:
    """z / |z|, where that neither overflows nor loses digits."""
    z = np.asarray(z)
    _check_few(z)
    _check_usual(np.maximum(abs(z.real), abs(z.imag)), z.dtype, zeros=True)
    return np.sign(z, out)


def power(z: Any, w: Any, out: Any = None) -> Any:
    """z ** w: small whole powers by multiplication, square roots, and others of finite numbers off the axes."""
    if type(w) in (int, float):
        if w == 2:
            return np.square(z, out)
        if w == 0.5:
            return np.sqrt(z, out)
        if float(w).is_integer():
            return _multiplied(z, int(w), out)
    dtype = np.result_type(z, w)
    wide = np.asarray(z, np.complex128), np.asarray(w, np.complex128)
    _check_few(*wide)
    if not (np.isfinite(wide[0]) & (wide[0].imag != 0)).all() or not np.isfinite(wide[1]).all():
        raise ArithmeticError("powers of real and infinite numbers are recorded")
    made = np.power(*wide)
    size = np.maximum(abs(made.real), abs(made.imag))
    limits = np.finfo(dtype)
    usual = (size > limits.tiny) & (size < limits.max) & (made.imag != 0) & (made.real != 0)
    if not (usual | (wide[1] == 0)).all():
        raise ArithmeticError("powers that overflow, or of which a part vanishes, are recorded")
    return _together(made.real, made.imag, dtype, out)


def power_of_numbers(z: complex, w: Any) -> complex | None:
    """z ** w of Python's numbers, as `power` has it; None where one is unusual."""
    if type(w) not in (int, float, complex):
        return None
    try:
        if -_MULTIPLIED <= w.real <= _MULTIPLIED and w == int(w.real):
            n = int(w.real)
            # Python's power begins with 1, which takes the sign of a zero
            found = z if n == 1 else z * z if n == 2 else z * z * z if n == 3 else z ** abs(n)
            if n < 0:
                return quotient_of_numbers(1 + 0j, found)
            return found if n < 2 or _LEAST < abs(found) < _MOST or (n == 2 and found - found == 0) else None
        if w == 0.5:
            return complex(quietly(np.sqrt, z))
        if z.imag and z - z == 0 and w - w == 0:
            found = complex(quietly(np.power, z, complex(w)))
            return found if found.real and found.imag and _LEAST < abs(found) < _MOST else None
    except ArithmeticError:
        pass
    return None


def _multiplied(z: Any, n: int, out: Any) -> Any:
    """z ** n by repeated squaring."""
    if not 1 < n <= _MULTIPLIED:
        raise ArithmeticError("other powers are recorded")
    _check_few(z)
    found = None
    while n:
        if n & 1:
            found = z if found is None else found * z
        n >>= 1
        if n:
            z = np.square(z)
    assert found is not None
    limits = np.finfo(found.dtype)
    size = np.maximum(abs(found.real), abs(found.imag))
    if not ((size > limits.tiny / limits.eps) & (size < limits.max)).all():
        raise ArithmeticError("powers that overflow or vanish are recorded")
    if out is None:
        return found
    out[...] = found
    return out


def _together(real: Any, imaginary: Any, dtype: Any, out: Any) -> Any:
    found = np.empty(real.shape, dtype) if out is None else out
    found.real, found.imag = real, imaginary
    return found if out is not None or found.ndim else found[()]


def _check_usual(sizes: Any, dtype: Any, zeros: bool = False) -> None:
    """Is the greater part of each number, or zero where that may be, neither near overflow, nor tiny, nor NaN?"""
    least, most = _USUAL[dtype.char]
    usual = (least < sizes) & (sizes < most)
    if zeros:
        usual |= sizes == 0
    if np.count_nonzero(usual) < sizes.size or not sizes.size:
        raise ArithmeticError("what is to be scaled, and what is no number, is recorded")


def _check_few(*operands: Any) -> None:
    shapes = {x.shape for x in operands}
    if max([x.size for x in operands]) > _FEW or (len(shapes) > 1 and np.broadcast(*operands).size > _FEW):
        raise ArithmeticError("many are recorded")
