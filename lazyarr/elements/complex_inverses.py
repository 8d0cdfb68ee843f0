"""Inverse trigonometric and hyperbolic functions of complex numbers as formulas over their parts.

Source: Hull, Fairgrieve and Tang, "Implementing the complex arcsine and arccosine functions using exception handling"
(ACM TOMS 23, 1997), whose crossover constants are used, and for `atanh` Kahan, "Branch cuts for complex elementary
functions" (1987). Special values follow C99's annex G.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Final

from lazyarr.elements.complex_arithmetic import Parts, absolute, choose, divide
from lazyarr.elements.complex_functions import log_of_absolute, turned
from lazyarr.elements.formulas import Number, call, limits, where

__all__ = ["INVERSES"]

_INFINITY = math.inf
_A_CROSSOVER = 10.0
_B_CROSSOVER = 0.6417


def _half_excess(a: Number, b: Number, hypot: Number) -> Number:
    """(hypot(a, b) - b) / 2, without cancellation"""
    return where(b < 0, (hypot - b) * 0.5, where(b == 0, a * 0.5, a * a / (hypot + b) * 0.5))


def _asinh_parts(x: Number, y: Number) -> tuple[Number, Number, Number, Number]:
    """For x, y >= 0, neither huge: the real part of asinh(x + iy), and B, sqrt(A*A - y*y), y of its imaginary part.

    The last two are scaled alike where they are tiny; B is -1 where asin(B) is not precise enough.
    """
    info = limits(x)
    eps = float(info.eps)
    r, s = absolute((x, y + 1.0)), absolute((x, y - 1.0))
    a = (r + s) * 0.5
    a = where(a < 1, 1, a)
    from_one = abs(y - 1.0)
    touching, clear = (y == 1) & (x < eps * eps / 128), x >= eps * from_one
    excess = _half_excess(x, 1.0 + y, r) + _half_excess(x, 1.0 - y, s)  # A - 1
    below = call("sqrt", (1.0 - y) * (1.0 + y))
    above = call("sqrt", (y - 1.0) * (y + 1.0))
    near = where(
        touching,
        call("sqrt", x),
        where(
            clear,
            call("log1p", excess + call("sqrt", excess * (a + 1.0))),
            where(y < 1, x / below, call("log1p", (y - 1.0) + above)),
        ),
    )
    real = where(a < _A_CROSSOVER, near, call("log", a + call("sqrt", a * a - 1.0)))

    b = y / a
    short = y < 4 * math.sqrt(float(info.tiny))
    usable = ~short & (b <= _B_CROSSOVER)
    rest = _half_excess(x, y + 1.0, r) + _half_excess(x, y - 1.0, s)  # A - y
    root = where(
        (y == 1) & (x < eps / 128),
        call("sqrt", x) * call("sqrt", (a + y) * 0.5),
        where(
            clear,
            call("sqrt", rest * (a + y)),
            where(y > 1, x * (4 / eps / eps) * y / above, below),
        ),
    )
    far = ~clear & (y > 1)
    root = where(short, a * (2 / eps), root)
    scaled = where(short, y * (2 / eps), where(far, y * (4 / eps / eps), y))
    return real, where(usable, b, -1.0), root, scaled


def asinh(z: Parts) -> Parts:
    """The inverse hyperbolic sine, cut along the imaginary axis beyond i and -i"""
    x, y = z
    a, b = abs(x), abs(y)
    eps = float(limits(x).eps)
    real, ratio, root, scaled = _asinh_parts(a, b)
    found = real, where(ratio >= 0, call("asin", ratio), call("atan2", scaled, root))
    large = (a > 1 / eps) | (b > 1 / eps)
    found = choose(large, (log_of_absolute(a, b) + math.log(2), call("atan2", b, a)), found)
    small = (a < math.sqrt(6 * eps) / 4) & (b < math.sqrt(6 * eps) / 4)
    found = choose(small, (a, b), found)
    # NaN beside infinity, or beside an imaginary part of zero
    unknown = call("isnan", x) | call("isnan", y)
    nan = x.like(math.nan)
    special = (
        where((a == _INFINITY) | (b == _INFINITY), _INFINITY, nan),
        where(y == 0, b, nan),
    )
    found = choose(unknown, special, found)
    return call("copysign", found[0], x), call("copysign", found[1], y)


def acos(z: Parts) -> Parts:
    """The inverse cosine, cut along the real numbers beyond 1 and -1"""
    x, y = z
    a, b = abs(x), abs(y)
    eps = float(limits(x).eps)
    left = call("copysign", x.like(1), x) < 0
    size, ratio, root, scaled = _asinh_parts(b, a)
    by_ratio = call("acos", where(left, -ratio, ratio))
    by_angle = call("atan2", root, where(left, -scaled, scaled))
    found = where(ratio >= 0, by_ratio, by_angle), size
    large = (a > 1 / eps) | (b > 1 / eps)
    found = choose(large, (call("atan2", b, x), log_of_absolute(a, b) + math.log(2)), found)
    small = (a < math.sqrt(6 * eps) / 4) & (b < math.sqrt(6 * eps) / 4)
    found = choose(small, (math.pi / 2 - x, b), found)
    found = choose((x == 1) & (y == 0), (x.like(0), b), found)
    # NaN beside infinity, or beside a real part of zero
    unknown = call("isnan", x) | call("isnan", y)
    nan = x.like(math.nan)
    special = (
        where(x == 0, x.like(math.pi / 2), nan),
        where((a == _INFINITY) | (b == _INFINITY), _INFINITY, nan),
    )
    found = choose(unknown, special, found)
    return found[0], call("copysign", found[1], -y)


def acosh(z: Parts) -> Parts:
    """The inverse hyperbolic cosine, cut along the real numbers below 1"""
    real, imaginary = acos(z)
    return abs(imaginary), call("copysign", real, z[1])


def atanh(z: Parts) -> Parts:
    """The inverse hyperbolic tangent, cut along the real numbers beyond 1 and -1"""
    x, y = z
    a, b = abs(x), abs(y)
    eps = float(limits(x).eps)
    beside = a - 1.0
    touching = (a == 1) & (b < eps)
    real = where(
        touching,
        (math.log(2) - call("log", b)) * 0.5,
        call("log1p", 4.0 * a / (beside * beside + b * b)) * 0.25,
    )
    squared = where(b < eps, 0, b * b)
    imaginary = where(
        a == 1,
        call("atan2", a.like(2), -b),
        call("atan2", 2.0 * b, (1.0 - a) * (1.0 + a) - squared),
    ) * 0.5  # fmt: skip
    found = real, imaginary
    quarter = x.like(math.pi / 2)
    infinite = (a == _INFINITY) | (b == _INFINITY)
    large = (a > 1 / eps) | (b > 1 / eps)
    inverse, _ = divide((x.like(1), x.like(0)), (a, b))
    found = choose(large, (where(infinite, x.like(0), inverse), quarter), found)
    small = (a < math.sqrt(3 * eps) / 2) & (b < math.sqrt(3 * eps) / 2)
    found = choose(small, (a, b), found)
    found = choose(x == 0, (a, call("atan", b)), found)
    found = choose((y == 0) & (a <= 1), (call("atanh", a), b), found)
    # NaN beside infinity, or beside a real part of zero
    unknown = call("isnan", x) | call("isnan", y)
    nan = x.like(math.nan)
    special = where(infinite | (x == 0), x.like(0), nan), where(b == _INFINITY, quarter, nan)
    found = choose(unknown, special, found)
    return call("copysign", found[0], x), call("copysign", found[1], y)


INVERSES: Final[dict[str, Callable[[Parts], Parts]]] = {
    "asinh": asinh,
    "acosh": acosh,
    "atanh": atanh,
    "asin": turned(asinh, "The inverse sine: asinh(iz) / i"),
    "acos": acos,
    "atan": turned(atanh, "The inverse tangent: atanh(iz) / i"),
}
"""Complex results, by the name of the primitive."""
