"""What the distributions make of the four random words of an element and of their parameters.

Each is a function of one block of words, without rejection: inverses of distribution functions, and for the normal one
the transform of Box and Muller. Uniform numbers have as many random bits as the dtype's significand; whole numbers are
chosen with a bias of less than 2**-32 (relative to their probability).
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Final

from ir.core.types import FLOAT32, INT32, INT64, ScalarType
from lazyarr.elements.formulas import Number, call, where
from lazyarr.random.philox import UINT64, Words

__all__ = ["BLOCKS", "DISTRIBUTIONS", "Formula", "integer", "number_of"]

Formula = Callable[..., Number]
"""From words, the type of the result and the parameters (of that type) to a random number."""


def unit(words: Words, t: ScalarType, second: bool = False) -> Number:
    """Uniform in [0, 1), a multiple of 2**-24 or 2**-53; the second one is independent of the first."""
    # signed numbers are the ones that processors convert
    if t is FLOAT32:
        return call("right_shift", words[int(second)], 8).cast(INT32).cast(t) * 2.0**-24
    a, b = words[2:] if second else words[:2]
    upper = call("right_shift", a, 5).cast(INT32).cast(t)
    lower = call("right_shift", b, 6).cast(INT32).cast(t)
    return (upper * 2.0**26 + lower) * 2.0**-53


def positive(words: Words, t: ScalarType) -> Number:
    """Uniform in (0, 1], fine near zero, to take the logarithm of."""
    if t is FLOAT32:
        return (call("right_shift", words[0], 1).cast(INT32).cast(t) + 0.5) * 2.0**-31
    return 1.0 - unit(words, t)


def _log(x: Number) -> Number:
    return call("log", x)


def _random(words: Words, t: ScalarType) -> Number:
    return unit(words, t)


def _uniform(words: Words, t: ScalarType, lower: Number, upper: Number) -> Number:
    return lower + (upper - lower) * unit(words, t)


def _standard_normal(words: Words, t: ScalarType) -> Number:
    """Box and Muller: a radius and an angle; of the two normal numbers they give one is used."""
    radius = call("sqrt", _log(positive(words, t)) * -2.0)
    return radius * call("cos", unit(words, t, second=True) * (2 * math.pi))


def _normal(words: Words, t: ScalarType, loc: Number, scale: Number) -> Number:
    return loc + scale * _standard_normal(words, t)


def _lognormal(words: Words, t: ScalarType, mean: Number, sigma: Number) -> Number:
    return call("exp", _normal(words, t, mean, sigma))


def _standard_exponential(words: Words, t: ScalarType) -> Number:
    return -_log(positive(words, t))


def _exponential(words: Words, t: ScalarType, scale: Number) -> Number:
    return scale * _standard_exponential(words, t)


def _rayleigh(words: Words, t: ScalarType, scale: Number) -> Number:
    return scale * call("sqrt", 2.0 * _standard_exponential(words, t))


def _weibull(words: Words, t: ScalarType, a: Number) -> Number:
    return where(a == 0.0, 0.0, call("pow", _standard_exponential(words, t), 1.0 / a))


def _pareto(words: Words, t: ScalarType, a: Number) -> Number:
    return call("expm1", _standard_exponential(words, t) / a)


def _power(words: Words, t: ScalarType, a: Number) -> Number:
    return call("pow", positive(words, t), 1.0 / a)


def _laplace(words: Words, t: ScalarType, loc: Number, scale: Number) -> Number:
    """An exponential number with a sign from another word."""
    size = scale * _standard_exponential(words, t)
    return where(_odd(words), loc + size, loc - size)


def _odd(words: Words) -> Number:
    return call("bitwise_and", words[3], 1) == 1


def _logistic(words: Words, t: ScalarType, loc: Number, scale: Number) -> Number:
    """log(u / (1 - u)), u being at most a half: the sign of the result comes from another word."""
    half = 0.5 * positive(words, t)
    size = scale * (call("log1p", -half) - _log(half))
    return where(_odd(words), loc + size, loc - size)


def _gumbel(words: Words, t: ScalarType, loc: Number, scale: Number) -> Number:
    tiny = 2.0**-25 if t is FLOAT32 else 2.0**-54
    return loc - scale * _log(call("maximum", _standard_exponential(words, t), tiny))


def _standard_cauchy(words: Words, t: ScalarType) -> Number:
    return call("tan", (unit(words, t) - 0.5) * math.pi)


def _triangular(words: Words, t: ScalarType, left: Number, mode: Number, right: Number) -> Number:
    u = unit(words, t)
    base, rise, fall = right - left, mode - left, right - mode
    below = left + call("sqrt", u * base * rise)
    above = right - call("sqrt", (1.0 - u) * base * fall)
    return where(u * base <= rise, below, above)


def _geometric(words: Words, t: ScalarType, p: Number) -> Number:
    """The number of trials up to the first success: the least k with 1 - (1 - p)**k >= u."""
    k = call("ceil", _log(positive(words, t)) / call("log1p", -p))
    return call("minimum", call("maximum", k, 1.0), _MOST).cast(INT64)


def _keys(words: Words, t: ScalarType) -> Number:
    """All uint64 numbers alike: what `integer` makes of their bounds."""
    return _every(words)


def _every(words: Words) -> Number:
    upper, lower = (words[i].cast(UINT64) for i in (3, 2))
    return call("bitwise_or", call("left_shift", upper, 32), lower)


GAMMA_ROUNDS: Final = 6
"""Candidates for a gamma number, of which each is refused with a probability below 0.049: all are with 1.4e-8."""


def _standard_gamma(words: tuple[Number, ...], t: ScalarType, shape: Number) -> Number:
    """Marsaglia and Tsang (2000): a cube of a normal number that is accepted or not. The first that is accepted is the
    result, or the distribution's mode. Below a shape of one: that of one more, times u**(1/shape).
    """
    small = shape < 1.0
    d = where(small, shape + 1.0, shape) - 1.0 / 3.0
    c = 1.0 / call("sqrt", d * 9.0)
    found = d
    for first in reversed(range(0, 4 * GAMMA_ROUNDS, 4)):
        radius = call("sqrt", _log(_wide(words[first], t)) * -2.0)
        x = radius * call("cos", _wide(words[first + 1], t) * (2 * math.pi))
        root = 1.0 + c * x
        v = root * root * root
        bound = 0.5 * x * x + d - d * v + d * _log(where(v > 0.0, v, 1.0))
        accepted = (v > 0.0) & (_log(_wide(words[first + 2], t)) < bound)
        found = where(accepted, d * v, found)
    scale = call("exp", _log(positive(_four(words, -1), t)) / where(small, shape, 1.0))
    return where(shape == 0.0, 0.0, where(small, found * scale, found))


def _four(words: tuple[Number, ...], block: int) -> Words:
    """The words of one block of several."""
    a, b, c, d = words[4 * block : 4 * block + 4 or None]
    return a, b, c, d


def _wide(word: Number, t: ScalarType) -> Number:
    """Uniform in (0, 1), from one word."""
    return (call("right_shift", word, 1).cast(INT32).cast(t) + 0.5) * 2.0**-31


def _wald(words: tuple[Number, ...], t: ScalarType, mean: Number, scale: Number) -> Number:
    """Michael, Schucany and Haas (1976): one of the two roots that belong to a squared normal number."""
    x = _standard_normal(_four(words, 0), t)
    y = mean * x * x / scale
    # the smaller root is mean * (1 + y/2 - sqrt(y + y*y/4)), without its cancellation
    root = mean / (1.0 + 0.5 * y + call("sqrt", y + 0.25 * y * y))
    return where(unit(_four(words, 1), t) * (mean + root) <= mean, root, mean * mean / root)


def _poisson_below_one(words: Words, t: ScalarType, lam: Number) -> Number:
    """Poisson, of a mean up to one: how many values of the distribution function a uniform number reaches."""
    u = unit(words, t)
    chance = call("exp", -lam)
    below, count = chance, u.like(0.0)
    for k in range(1, 21):  # one of 2**53 is greater than 18
        count = count + where(u >= below, u.like(1.0), u.like(0.0))
        chance = chance * lam / float(k)
        below = below + chance
    return count.cast(INT64)


ZIPF_ROUNDS: Final = 16
"""Candidates for a Zipf number, of which each is refused with a probability below 0.29: all are with 3e-9."""


def _zipf(words: tuple[Number, ...], t: ScalarType, a: Number) -> Number:
    """Devroye (1986), page 551: a rounded Pareto number that is accepted or not. The first that is accepted, or one."""
    power = a - 1.0
    least = call("pow", power.like(_MOST), -power)  # of the uniform number: the greatest result is an int64
    b = call("pow", power.like(2.0), power)
    found = a.like(1.0)
    for number in reversed(range(ZIPF_ROUNDS)):
        block = _four(words, number)
        u = unit(block, t)
        x = call("floor", call("pow", u * least + (1.0 - u), -1.0 / power))
        grown = call("pow", 1.0 + 1.0 / x, power)
        accepted = unit(block, t, second=True) * x * (grown - 1.0) / (b - 1.0) <= grown / b
        found = where(accepted & (x >= 1.0), x, found)
    return call("minimum", found, _MOST).cast(INT64)


VON_MISES_ROUNDS: Final = 16
"""Candidates for a von Mises number, of which each is refused with a probability below 0.35: all are with 5e-8."""


def _vonmises(words: tuple[Number, ...], t: ScalarType, mu: Number, kappa: Number) -> Number:
    """Best and Fisher (1979): a wrapped Cauchy number that is accepted or not; the first one, or the mode.

    Uniform where kappa is next to zero, normal where it is so great that nothing wraps.
    """
    flat, narrow = kappa < 1e-8, kappa > 1e6
    k = where(flat | narrow, 1.0, kappa)
    r = 1.0 + call("sqrt", 1.0 + 4.0 * k * k)
    rho = (r - call("sqrt", 2.0 * r)) / (2.0 * k)
    s = where(k < 1e-5, 1.0 / k + k, (1.0 + rho * rho) / (2.0 * rho))
    found = k.like(1.0)
    for number in reversed(range(VON_MISES_ROUNDS)):
        z = call("cos", _wide(words[2 * number], t) * math.pi)
        v = _wide(words[2 * number + 1], t)
        w = (1.0 + s * z) / (s + z)
        y = k * (s - w)
        accepted = (y * (2.0 - y) >= v) | (_log(y / v) + 1.0 >= y)
        found = where(accepted, w, found)
    last = _four(words, VON_MISES_ROUNDS // 2 + 1)
    angle = call("acos", call("maximum", call("minimum", found, 1.0), -1.0))
    angle = where(_odd(last), angle, -angle)
    angle = where(flat, (2.0 * unit(last, t) - 1.0) * math.pi, angle)
    normal = _standard_normal(_four(words, VON_MISES_ROUNDS // 2), t) / call("sqrt", where(narrow, kappa, 1.0))
    angle = mu + where(narrow, normal, angle)
    angle = where(kappa == kappa, angle, kappa)
    return angle - 2 * math.pi * call("floor", (angle + math.pi) / (2 * math.pi))


_MOST: Final = 2.0**63 - 1024
"""The greatest float64 that is an int64."""


_FORMULAS: Final[tuple[Formula, ...]] = (
    _random, _uniform, _standard_normal, _normal, _lognormal, _standard_exponential, _exponential, _rayleigh, _weibull,
    _pareto, _power, _laplace, _logistic, _gumbel, _standard_cauchy, _triangular, _geometric, _keys, _standard_gamma,
    _wald, _poisson_below_one, _zipf, _vonmises,
)  # fmt: skip
DISTRIBUTIONS: Final = {f.__name__.removeprefix("_"): f for f in _FORMULAS}

BLOCKS: Final[dict[str, int]] = {
    "standard_gamma": GAMMA_ROUNDS + 1,
    "wald": 2,
    "zipf": ZIPF_ROUNDS,
    "vonmises": VON_MISES_ROUNDS // 2 + 2,
}
"""How many blocks of four words a number takes, where it is not one."""

_LOWER_HALF: Final = 0xFFFFFFFF


def integer(words: Words, t: ScalarType, least: Number, greatest: Number) -> Number:
    """A whole number between two, which both may come: the random words are a fraction of which as many parts are made.

    Args:
        least, greatest: int64 or uint64. For types of 32 bits and less the fraction has 64 bits, for wider ones 128.
    """
    first = least.cast(UINT64)
    last = greatest.cast(UINT64) - first
    wide = [word.cast(UINT64) for word in words]
    if t.bytes <= 4:
        last = call("bitwise_and", last, _LOWER_HALF)  # both factors are shown to be of 32 bits
        found = call("right_shift", wide[0] * last + wide[0], 32)
        return (call("right_shift", wide[1] * last + wide[1] + found, 32) + first).cast(t)
    count, carried = last + 1, wide[0].like(0)  # a count of zero stands for 2**64
    for word in wide:
        carried = _part(word, count, carried)
    return (where(count == 0, _every(words), carried) + first).cast(t)


def _part(word: Number, count: Number, carried: Number) -> Number:
    """`(word * count + carried) >> 32`, all uint64 but of 96 bits before the shift, for `carried < count`."""
    upper, lower = word * call("right_shift", count, 32), word * call("bitwise_and", count, _LOWER_HALF)
    halves = call("bitwise_and", lower, _LOWER_HALF) + call("bitwise_and", carried, _LOWER_HALF)
    return upper + call("right_shift", lower, 32) + call("right_shift", carried, 32) + call("right_shift", halves, 32)


def number_of(function: str, words: tuple[Number, ...], t: ScalarType, parameters: Sequence[Number]) -> Number:
    """The number of that type that a distribution makes of its blocks' words."""
    made: Callable[..., Number] = integer if function == "integers" else DISTRIBUTIONS[function]
    # counts that follow from floats are computed in their type
    computed_in = parameters[0].type if parameters and parameters[0].type.is_float else t
    return made(words, computed_in, *parameters).cast(t)
