"""Functions of numbers and of vectors that are arithmetic, against more digits than they have."""

from __future__ import annotations

import re

import numpy as np
import pytest

from ir.core.notation.parser import parse
from ir.core.sizes import var
from ir.core.types import FLOAT32, FLOAT64, array_of
from ir.opencl.generate import generate
from ir.opencl.write import floats, helpers
from ir.rewrite.derivation import Derivation
from tests.ir.opencl.running import compute
from tests.ir.values import free_variables

N = var("n", 1, 100_000)
WIDTH = 4
POWERS = "λ(x, y). (x ** y, fmod x y, remainder x y, floor_divide x y)"
ROUNDED = "λ(x, y). (floor x, ceil x, trunc x, round x, sign x, floor y, ceil y, trunc y, round y, sign y)"
ANGLES = "λ(x, y). (sin x, cos x, sin y, cos y)"
SPECIAL = [
    0.0, 1.0, 0.5, 1.5, 2.0, 2.5, 3.0, 7.0, 100.0, 1e5, 1e16, 1e-20, 2.0**52 + 1, 2.0**53 - 1, 2.0**53, 2.0**63, 1023.0,
    1024.0, 1074.0, 1e38, 1e-38, 1e-44, 1e300, 1e-300, 1e-310, 5e-324, 1 + 2.0**-52, 1 - 2.0**-53, np.inf,
]  # fmt: skip


def pairs(t, count):
    """Each pair of special numbers and their negatives, and random ones of all sizes; most powers are finite."""
    special = np.array([*SPECIAL, *(-x for x in SPECIAL), np.nan])
    rng = np.random.default_rng(1)
    most = 308 if t is FLOAT64 else 38
    x = 10.0 ** rng.uniform(-most, most, count)
    x[::2] = rng.uniform(0.5, 2, len(x[::2]))
    y = rng.uniform(-1.05, 1.05, count) * most / np.abs(np.log10(x))
    x[::3] *= -1
    y[::6] = np.rint(y[::6])
    first, second = (found.ravel() for found in np.meshgrid(special, special))
    with np.errstate(over="ignore", under="ignore"):
        found = [np.concatenate(pair).astype(t.name) for pair in ((first, x), (second, y))]
    whole = len(found[0]) // WIDTH * WIDTH
    return [values[:whole] for values in found]


def units_off(found, wanted):
    """By how many units in the last place of the nearest number; infinite where only one is finite."""
    nearest = wanted.astype(found.dtype)
    same = (found == nearest) | (np.isnan(found) & np.isnan(nearest))
    finite = np.isfinite(found) & np.isfinite(nearest) & ~same
    off = np.where(same, 0.0, np.inf)
    off[finite] = np.abs(found[finite] - wanted[finite]) / np.spacing(np.abs(nearest[finite]))
    return off


def computed(function, arrays, t, of_vectors, device):
    """The results of a function of two numbers, by the device."""
    high = parse(f"map ({function}) (zip(xs, ys))", {name: array_of(t, WIDTH * N) for name in ("xs", "ys")})
    steps = Derivation.of(high)
    if of_vectors:
        steps = steps.apply("vectorise_map", (), width=WIDTH).apply("vect_propagation", (0, 0))
    e = steps.apply("map_to_global", (0,) if of_vectors else (), dim=0).result
    inputs = {p: arrays[["xs", "ys"].index(p.identifier)] for p in free_variables(e)}
    return compute(device, generate(e), e, (inputs, {"n": len(arrays[0]) // WIDTH}), optimised=True)


def agree(found, wanted):
    """The same numbers, also zeros of the same sign."""
    np.testing.assert_array_equal(found, wanted)
    known = ~np.isnan(wanted)
    np.testing.assert_array_equal(np.signbit(found[known]), np.signbit(wanted[known]))


@pytest.mark.parametrize("t", [FLOAT32, FLOAT64], ids=str)
@pytest.mark.parametrize("of_vectors", [False, True], ids=["numbers", "vectors"])
def test_powers_and_remainders_are_those_of_more_digits(t, of_vectors, device):
    arrays = pairs(t, 200 if device.simulator else 60_000)
    power, *remainders = computed(POWERS, arrays, t, of_vectors, device)
    with np.errstate(all="ignore"):
        x, y = arrays
        plain = np.isfinite(x) & np.isfinite(y)  # glibc's powl(-inf, -2**63) is inf
        wanted = np.where(plain, np.power(*(values.astype(np.longdouble) for values in arrays)), np.power(x, y))
        off = units_off(power, wanted)
        # other runtimes may have powers of their own, of at most 16 units
        limit = 16.0 if not device.is_pocl else 0.501 if t is FLOAT32 else 1.3
        assert off.max() <= limit, [each[np.argmax(off)] for each in (x, y, power)]
        signed = ~np.isnan(power)
        np.testing.assert_array_equal(np.signbit(power[signed]), np.signbit(np.power(x, y)[signed]))
        for found, wanted in zip(remainders, (np.fmod(x, y), np.remainder(x, y), np.floor_divide(x, y)), strict=True):
            agree(found, wanted)


@pytest.mark.parametrize("t", [FLOAT32, FLOAT64], ids=str)
@pytest.mark.parametrize("of_vectors", [False, True], ids=["numbers", "vectors"])
def test_numbers_are_rounded_as_numpy_rounds_them(t, of_vectors, device):
    arrays = pairs(t, 200 if device.simulator else 20_000)
    functions = (np.floor, np.ceil, np.trunc, np.rint, np.sign)
    with np.errstate(all="ignore"):
        wanted = [f(values) for values in arrays for f in functions]
    for found, each in zip(computed(ROUNDED, arrays, t, of_vectors, device), wanted, strict=True):
        agree(found, each)


@pytest.mark.parametrize("of_vectors", [False, True], ids=["numbers", "vectors"])
def test_sines_are_those_of_more_digits(of_vectors, device):
    """Angles beside which others are so large that the device's own function takes them."""
    count = 200 if device.simulator else 60_000
    rng = np.random.default_rng(2)
    small, (_, large) = np.float32(10.0 ** rng.uniform(-8, 9, count)), pairs(FLOAT32, count)
    turns = np.float32(np.arange(count // 4) * np.pi / 2)
    small = np.concatenate([small, turns, -small])
    whole = min(len(small), len(large)) // WIDTH * WIDTH
    arrays = [small[:whole], large[:whole]]
    results = computed(ANGLES, arrays, FLOAT32, of_vectors, device)
    for number, found in enumerate(results):
        angles = arrays[number // 2].astype(np.longdouble)
        with np.errstate(invalid="ignore"):
            off = units_off(found, (np.sin, np.cos)[number % 2](angles))
        near = np.abs(angles) < 2.0**30
        exact = device.is_pocl
        assert off[near].max() <= (0.501 if exact else 4.0), arrays[number // 2][near][np.argmax(off[near])]
        assert off.max() <= 4.0, arrays[number // 2][np.argmax(off)]


_TOKENS = re.compile(r"\w+|<<|>>|&&|\|\||[-+*/%&|^=!<>]=|[^\s\w]")
_KINDS = {**dict.fromkeys("+-*/%", "arithmetic"), **{op: op for op in ("&", "|", "^", "<<", ">>")}}
_KINDS |= dict.fromkeys(("<", ">", "<=", ">=", "==", "!="), "comparison")
_BETWEEN = {",", ";", "?", ":", "=", "&&", "||", "return"}


def mixed_without_parentheses(text):
    """Where operators on bits meet others that bind closer or less close, and no parentheses say which."""
    text = "\n".join(line for line in text.splitlines() if not line.lstrip().startswith("#"))
    levels, before, found = [set()], "", []
    for match in _TOKENS.finditer(text):
        token = match.group()
        if token in "([{":
            levels.append(set())
        elif token in ")]}":
            levels.pop()
        elif token in _BETWEEN or (token.endswith("=") and token not in _KINDS):
            levels[-1].clear()
        elif token in _KINDS and (before.isidentifier() or before.isalnum() or before in (")", "]")):  # of two operands
            levels[-1].add(_KINDS[token])
            if len(levels[-1]) > 1 and levels[-1] & {"&", "|", "^", "<<", ">>"}:
                found.append(text[: match.end()].splitlines()[-1])
        before = token
    return found


def test_functions_need_no_knowledge_of_precedence():
    """Compilers warn of `a + b & c`."""
    assert mixed_without_parentheses("x = a + b & c;")
    assert mixed_without_parentheses("x = a | (b + d) << c;")
    assert not mixed_without_parentheses("x = (a + b) & c; y = -a ^ *b;")
    named = [*helpers.HELPERS_FLOAT.items(), *helpers.HELPERS_INTEGER.items()]
    for name, text in [*named, *(pair for each in floats.FLOATS.values() for pair in each.items())]:
        assert not mixed_without_parentheses(text), name
