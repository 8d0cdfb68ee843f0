"""Arithmetic of complex numbers as formulas over their real and imaginary parts.

Infinities and NaN follow NumPy: products and sums are the textbook's. Quotients and absolute values overflow or vanish
only where the result itself does.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Final, TypeAlias

from lazyarr.elements.formulas import Number, call, limits, where

__all__ = [
    "ARITHMETIC", "TESTS", "Parts", "Scaled", "absolute", "choose", "divide", "isinf", "multiply", "reciprocal",
    "scaled",
]  # fmt: skip

Parts: TypeAlias = tuple[Number, Number]


def choose(condition: Number, chosen: Parts, other: Parts) -> Parts:
    """One complex number where the condition holds, another elsewhere."""
    return where(condition, chosen[0], other[0]), where(condition, chosen[1], other[1])


def add(z: Parts, w: Parts) -> Parts:
    """z + w"""
    return z[0] + w[0], z[1] + w[1]


def subtract(z: Parts, w: Parts) -> Parts:
    """z - w"""
    return z[0] - w[0], z[1] - w[1]


def multiply(z: Parts, w: Parts) -> Parts:
    """z * w, by the textbook"""
    return z[0] * w[0] - z[1] * w[1], z[0] * w[1] + z[1] * w[0]


def divide(z: Parts, w: Parts) -> Parts:
    """z / w by Smith's method (CACM 5, 1962), both scaled by powers of two so that nothing overflows or vanishes early.

    The scaling is that of Baudin and Smith, "A robust complex division in Scilab" (2012). Divided by a real number, or
    an imaginary one, each part is divided by it; zero counts as positive.
    """
    info = limits(z[0])
    (a, b), up = _scaled(z, float(info.max), float(info.tiny), float(info.eps))
    (c, d), down = _scaled(w, float(info.max), float(info.tiny), float(info.eps))
    turned = abs(c) < abs(d)  # then both are multiplied by -i
    a, b = where(turned, b, a), where(turned, -a, b)
    c, d = where(turned, d, c), where(turned, -c, d)
    c = where(c == 0, 0, c)
    ratio = d / c
    exact = d == 0
    whole = c + d * ratio
    real = where(exact, a, a + b * ratio) / where(exact, c, whole)
    imaginary = where(exact, b, b - a * ratio) / where(exact, c, whole)
    back = down / up
    return real * back, imaginary * back


def _scaled(z: Parts, most: float, least: float, eps: float) -> tuple[Parts, Number]:
    """A number whose parts are neither near overflow nor both tiny, and the power of two it was multiplied by."""
    size = call("maximum", abs(z[0]), abs(z[1]))
    factor = where(size >= most / 2, 0.5, where(size <= 2 * least / eps, size.like(2 / eps**2), 1))
    return (z[0] * factor, z[1] * factor), factor


def negative(z: Parts) -> Parts:
    """-z"""
    return -z[0], -z[1]


def conjugate(z: Parts) -> Parts:
    """The number with its imaginary part negated."""
    return z[0], -z[1]


def square(z: Parts) -> Parts:
    """z * z"""
    return multiply(z, z)


def reciprocal(z: Parts) -> Parts:
    """1 / z"""
    return divide((z[0].like(1), z[0].like(0)), z)


def sign(z: Parts) -> Parts:
    """z / |z|; zero for zero. Of an infinite part beside a finite one the sign is what counts; NaN for two of them."""
    x, y = z
    size = where(abs(x) > abs(y), abs(x), abs(y))
    a, b = x / size, y / size  # neither above one, and one of them one
    length = call("sqrt", a * a + b * b)
    infinite = size == float("inf")
    one, zero = x.like(1), x.like(0)
    limit = where(abs(x) == size, call("copysign", one, x), zero), where(abs(y) == size, call("copysign", one, y), zero)
    both = abs(x) == abs(y)
    nan = x.like(float("nan"))
    found = choose(infinite, choose(both, (nan, nan), limit), (a / length, b / length))
    unknown = call("isnan", x) | call("isnan", y)
    return choose(unknown, (nan, nan), choose(size == 0, (zero, zero), found))


def rounded(z: Parts) -> Parts:
    """Both parts rounded, halves to even."""
    return call("round", z[0]), call("round", z[1])


@dataclass(frozen=True)
class Scaled:
    """A complex number times a power of two, so that its parts can be squared, and the absolute value of that.

    Attributes:
        parts: the scaled number
        size: its absolute value; wrong where a part is infinite
        huge, tiny: was it made smaller, larger?
        down, up: the exponents of the powers, both even; elsewhere it is not scaled
    """

    parts: Parts
    size: Number
    huge: Number
    tiny: Number
    down: int
    up: int

    def chosen(self, huge: float, tiny: float, otherwise: float) -> Number:
        """One of three constants."""
        like = self.size.like
        return where(self.huge, like(huge), where(self.tiny, like(tiny), like(otherwise)))


def scaled(z: Parts) -> Scaled:
    """The number times a power of two. OpenCL's `hypot` does the same, but PoCL's takes four times as long."""
    x, y = z
    size = call("maximum", abs(x), abs(y))
    top, down, bottom, up = (62, -70, -50, 100) if x.type.name == "float32" else (510, -600, -450, 700)
    huge, tiny = size > 2.0**top, size < 2.0**bottom
    scale = where(huge, x.like(2.0**down), where(tiny, x.like(2.0**up), 1))
    a, b = x * scale, y * scale
    return Scaled((a, b), call("sqrt", a * a + b * b), huge, tiny, down, up)


def absolute(z: Parts) -> Number:
    """|z|"""
    s = scaled(z)
    return where(isinf(z), float("inf"), s.size * s.chosen(2.0**-s.down, 2.0**-s.up, 1))


def equal(z: Parts, w: Parts) -> Number:
    """z == w"""
    return (z[0] == w[0]) & (z[1] == w[1])


def not_equal(z: Parts, w: Parts) -> Number:
    """z != w"""
    return (z[0] != w[0]) | (z[1] != w[1])


def isnan(z: Parts) -> Number:
    """Is a part NaN?"""
    return call("isnan", z[0]) | call("isnan", z[1])


def isinf(z: Parts) -> Number:
    """Is a part infinite?"""
    return call("isinf", z[0]) | call("isinf", z[1])


def isfinite(z: Parts) -> Number:
    """Are both parts finite?"""
    return call("isfinite", z[0]) & call("isfinite", z[1])


def _before(op: str) -> Callable[[Parts, Parts], Number]:
    """The comparison by real parts, and of equal ones by imaginary parts; false where a part is NaN."""

    def before(z: Parts, w: Parts) -> Number:
        strictly = op.removesuffix("_equal")
        numbers = call("bitwise_invert", call("isnan", z[1]) | call("isnan", w[1]))
        return (call(strictly, z[0], w[0]) & numbers) | ((z[0] == w[0]) & call(op, z[1], w[1]))

    return before


less, less_equal = _before("less"), _before("less_equal")
greater, greater_equal = _before("greater"), _before("greater_equal")


def maximum(z: Parts, w: Parts) -> Parts:
    """The greater one in lexicographic order; the first one of which a part is NaN."""
    return choose(isnan(z) | greater_equal(z, w), z, w)


def minimum(z: Parts, w: Parts) -> Parts:
    """The lesser one in lexicographic order; the first one of which a part is NaN."""
    return choose(isnan(z) | less_equal(z, w), z, w)


def fmax(z: Parts, w: Parts) -> Parts:
    """The greater one in lexicographic order, of which no part is NaN if there is such a one."""
    return choose(isnan(w) | greater_equal(z, w), z, w)


def fmin(z: Parts, w: Parts) -> Parts:
    """The lesser one in lexicographic order, of which no part is NaN if there is such a one."""
    return choose(isnan(w) | less_equal(z, w), z, w)


ARITHMETIC: Final[dict[str, Callable[..., Parts]]] = {
    "add": add,
    "subtract": subtract,
    "multiply": multiply,
    "divide": divide,
    "negative": negative,
    "conj": conjugate,
    "square": square,
    "reciprocal": reciprocal,
    "sign": sign,
    "round": rounded,
    "maximum": maximum,
    "minimum": minimum,
    "fmax": fmax,
    "fmin": fmin,
}
"""Complex results, by the name of the primitive or function."""

TESTS: Final[dict[str, Callable[..., Number]]] = {
    "abs": absolute,
    "equal": equal,
    "not_equal": not_equal,
    "less": less,
    "less_equal": less_equal,
    "greater": greater,
    "greater_equal": greater_equal,
    "isnan": isnan,
    "isinf": isinf,
    "isfinite": isfinite,
}
"""Real results and answers, by the name of the primitive."""
