"""The modified Bessel function of order zero, and Kaiser's window, which is made of it."""

from __future__ import annotations

from typing import Any, Final

import numpy as np

from lazyarr.api.create.ranges import arange
from lazyarr.api.create.windows import whole
from lazyarr.api.elementwise.standard import (
    abs,
    add,
    divide,
    exp,
    less_equal,
    maximum,
    minimum,
    multiply,
    sqrt,
    square,
    subtract,
)
from lazyarr.array import Array, giving_arrays
from lazyarr.dtypes import float64
from lazyarr.eager.functions import small_by
from lazyarr.recording.conversion import astype, where
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import ones

__all__ = ["i0", "kaiser"]

# Chebyshev coefficients of exp(-x) * i0(x) on [0, 8] and of exp(-x) * sqrt(x) * i0(x) on [8, inf), of 1/x there, from
# the highest order down (Moshier's Cephes library)
_NEAR: Final = (
    -4.41534164647933937950e-18, 3.33079451882223809783e-17, -2.43127984654795469359e-16, 1.71539128555513303061e-15,
    -1.16853328779934516808e-14, 7.67618549860493561688e-14, -4.85644678311192946090e-13, 2.95505266312963983461e-12,
    -1.72682629144155570723e-11, 9.67580903537323691224e-11, -5.18979560163526290666e-10, 2.65982372468238665035e-9,
    -1.30002500998624804212e-8, 6.04699502254191894932e-8, -2.67079385394061173391e-7, 1.11738753912010371815e-6,
    -4.41673835845875056359e-6, 1.64484480707288970893e-5, -5.75419501008210370398e-5, 1.88502885095841655729e-4,
    -5.76375574538582365885e-4, 1.63947561694133579842e-3, -4.32430999505057594430e-3, 1.05464603945949983183e-2,
    -2.37374148058994688156e-2, 4.93052842396707084878e-2, -9.49010970480476444210e-2, 1.71620901522208775349e-1,
    -3.04682672343198398683e-1, 6.76795274409476084995e-1,
)  # fmt: skip
_FAR: Final = (
    -7.23318048787475395456e-18, -4.83050448594418207126e-18, 4.46562142029675999901e-17, 3.46122286769746109310e-17,
    -2.82762398051658348494e-16, -3.42548561967721913462e-16, 1.77256013305652638360e-15, 3.81168066935262242075e-15,
    -9.55484669882830764870e-15, -4.15056934728722208663e-14, 1.54008621752140982691e-14, 3.85277838274214270114e-13,
    7.18012445138366623367e-13, -1.79417853150680611778e-12, -1.32158118404477131188e-11, -3.14991652796324136454e-11,
    1.18891471078464383424e-11, 4.94060238822496958910e-10, 3.39623202570838634515e-9, 2.26666899049817806459e-8,
    2.04891858946906374183e-7, 2.89137052083475648297e-6, 6.88975834691682398426e-5, 3.36911647825569408990e-3,
    8.04490411014108831608e-1,
)  # fmt: skip


def _series(x: Array, coefficients: tuple[float, ...]) -> Array:
    """Half of the Chebyshev series of x, from -2 to 2, by Clenshaw's recurrence."""
    last, current = asarray(0.0, x.dtype), asarray(coefficients[0], x.dtype)
    before = last
    for coefficient in coefficients[1:]:
        before, last = last, current
        current = add(subtract(multiply(x, last), before), coefficient)
    return multiply(subtract(current, before), 0.5)


def _i0(x: Any) -> Any:
    """NumPy's function, of float64."""
    return np.i0(x) if np.asarray(x).dtype == np.float64 and np.ndim(x) else None


@giving_arrays
@small_by(_i0)
def i0(x: Any) -> Array:
    """The modified Bessel function of the first kind of order zero; integers and bools become float64.

    Raises:
        TypeError: complex numbers.
    """
    given = asarray(x, function="i0")
    if given.dtype.kind == "c":
        raise TypeError("i0: expected real numbers, got complex ones")
    size = abs(given if given.dtype.kind == "f" else astype(given, float64))
    near, far = minimum(size, 8.0), maximum(size, 8.0)  # both series are computed where they hold
    small = _series(subtract(divide(near, 2.0), 2.0), _NEAR)
    large = divide(_series(subtract(divide(32.0, far), 2.0), _FAR), sqrt(far))
    return multiply(exp(size), where(less_equal(size, 8.0), small, large))


def kaiser(M: int, beta: float) -> Array:
    """Kaiser's window of M points: `i0(beta * sqrt(1 - t**2)) / i0(beta)` for t from -1 to 1."""
    number = whole(M)
    if number < 2:
        return ones(max(number, 0))
    at = divide(arange(1 - number, number, 2), np.asarray(float(number - 1)))
    shape = asarray(beta, float64, function="kaiser")
    return divide(i0(multiply(shape, sqrt(subtract(1.0, square(at))))), i0(shape))
