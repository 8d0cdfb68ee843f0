"""Every element-wise function of every dtype at the values where functions differ, against NumPy.

The functions of a dtype are computed together, eight in a kernel, for arrays of one length: kernels are built once.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import config
from tests.lazyarr.evaluation import EXAMPLES
from tests.lazyarr.support import COMPLEX, DTYPES, INTEGERS, agree, seeds, special, values
from tests.tiers import by_tier

pytestmark = pytest.mark.device  # what kernels make of them is what matters

FLOATS = ("float32", "float64")
LENGTH = 131  # vectors of any width, and a tail
examples = settings(max_examples=2 * EXAMPLES)

Pairs = dict[str, tuple[Callable, Callable]]


@pytest.fixture(autouse=True, scope="module")
def untuned():
    old = config.configure(tune="off")
    yield
    config.configure(**vars(old))


def spelled(*names: str) -> Pairs:
    """lazyarr's function and NumPy's, by the name that both have."""
    return {name: (getattr(la, name), getattr(np, name)) for name in names}


def wide(f: Callable) -> Callable:
    """NumPy's function where it computes in float16: lazyarr does in float32."""
    return lambda *xs: f(*(x.astype("float32") if x.dtype.itemsize == 1 else x for x in xs))


REAL = spelled(
    "sqrt", "cbrt", "exp", "exp2", "expm1", "log", "log1p", "log2", "log10", "sin", "cos", "tan", "arcsin", "arccos",
    "arctan", "sinh", "cosh", "tanh", "arcsinh", "arccosh", "arctanh", "deg2rad", "rad2deg", "rint", "fabs", "spacing",
)  # fmt: skip
ROUNDING = spelled("floor", "ceil", "trunc", "fix", "isnan", "isinf", "isfinite", "isposinf", "isneginf", "absolute")
NUMBERS = spelled("negative", "sign", "square", "positive")
OF_ANY = spelled("signbit", "logical_not", "real", "imag", "conj", "nan_to_num", "isreal", "iscomplex")
TWO_REAL = spelled("hypot", "arctan2", "copysign", "nextafter", "logaddexp", "logaddexp2", "heaviside")
CANCELLING = ("logaddexp", "logaddexp2")
OF_EITHER_ZERO = ("maximum", "minimum", "fmax", "fmin")  # which of two zeros is greater depends on NumPy's loop
TWO = spelled("add", "multiply", "maximum", "minimum", "fmax", "fmin", "equal", "not_equal", "less", "less_equal",
              "greater", "greater_equal", "logical_and", "logical_or", "logical_xor")  # fmt: skip
DIVISION = spelled("floor_divide", "remainder", "fmod", "true_divide", "subtract")
BITS = spelled("bitwise_and", "bitwise_or", "bitwise_xor", "left_shift", "right_shift", "gcd", "lcm")


def compare(functions: Pairs, operands: tuple[np.ndarray, ...], ulps: float = 16) -> None:
    """All functions of the same operands, computed together."""
    arrays = [la.asarray(x) for x in operands]
    found = {name: ours(*arrays) for name, (ours, _) in functions.items()}
    la.compute(*found.values())
    for name, (_, theirs) in functions.items():
        with np.errstate(all="ignore"):
            expected = theirs(*operands)
        scale = np.nan_to_num(np.maximum(*map(np.abs, operands))) if name in CANCELLING else 0
        try:
            agree(found[name], expected, ulps, operands, scale, zeros=name not in OF_EITHER_ZERO)
        except AssertionError as error:
            raise AssertionError(f"{name}: {error}") from None


@pytest.mark.parametrize("dtype", FLOATS)
@given(data=st.data())
@examples
def test_functions_of_floats(dtype, data):
    x = special(dtype, LENGTH, data.draw(seeds))
    compare({**REAL, **ROUNDING, **NUMBERS, **OF_ANY, **spelled("reciprocal", "sinc")}, (x,))


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS][:: by_tier(2, 2, 1)])
@given(data=st.data())
@examples
def test_functions_of_integers(dtype, data):
    x = special(dtype, LENGTH, data.draw(seeds))
    real = {name: (ours, wide(theirs)) for name, (ours, theirs) in {**REAL, **spelled("signbit")}.items()}
    own = {**ROUNDING, **{k: v for k, v in OF_ANY.items() if k not in real}, **spelled("invert")}
    if dtype != "bool":
        own |= NUMBERS
    else:
        own = {name: f for name, f in own.items() if name != "conj"}  # NumPy's makes bool int8
    # int64 is rounded twice by NumPy's float functions and once by an exact one near a pole
    compare({**real, **own}, (x,), ulps=32)


@pytest.mark.parametrize("dtype", FLOATS)
@given(data=st.data())
@examples
def test_functions_of_two_floats(dtype, data):
    operands = special(dtype, LENGTH, data.draw(seeds)), special(dtype, LENGTH, data.draw(seeds))
    compare({**TWO_REAL, **TWO, **DIVISION, **spelled("power")}, operands)


@pytest.mark.parametrize("dtype", ["bool", *INTEGERS][by_tier(1, 1, 0) :: by_tier(2, 2, 1)])
@given(data=st.data())
@examples
def test_functions_of_two_integers(dtype, data):
    a, b = special(dtype, LENGTH, data.draw(seeds)), special(dtype, LENGTH, data.draw(seeds))
    real = {name: (ours, wide(theirs)) for name, (ours, theirs) in TWO_REAL.items() if name != "nextafter"}
    division = {k: v for k, v in DIVISION.items() if dtype != "bool" or k != "subtract"}
    bits = {k: v for k, v in BITS.items() if dtype != "bool" or k not in ("gcd", "lcm")}
    compare({**real, **TWO, **division, **bits}, (a, b))
    if dtype != "bool":
        exponents = np.minimum(np.abs(np.where(b == np.iinfo(dtype).min, 1, b)), 70).astype(dtype)
        compare(spelled("power"), (a, exponents))


@given(pair=st.sampled_from([("int8", "uint8"), ("int64", "uint64"), ("bool", "float32"), ("int32", "float32"),
                             ("uint16", "int32"), ("float32", "float64"), ("int16", "float32")]),
       data=st.data())  # fmt: skip
@examples
def test_functions_of_two_dtypes(pair, data):
    a, b = (special(dtype, LENGTH, data.draw(seeds)) for dtype in pair)
    functions = spelled("add", "multiply", "maximum", "equal", "less", "floor_divide", "remainder", "true_divide")
    compare(functions, (a, b))
    compare(functions, (b, a))


@pytest.mark.parametrize("dtype", FLOATS)
@given(data=st.data())
@examples
def test_floats_taken_apart_and_put_together(dtype, data):
    x = special(dtype, LENGTH, data.draw(seeds))
    mantissa, exponent = la.frexp(la.asarray(x))
    behind, before = la.modf(la.asarray(x))
    quotient, rest = la.divmod(la.asarray(x), np.float32(0.75))
    la.compute(mantissa, exponent, behind, before, quotient, rest)
    with np.errstate(all="ignore"):
        for found, expected in zip(
            (mantissa, exponent, behind, before, quotient, rest),
            (*np.frexp(x), *np.modf(x), *np.divmod(x, np.float32(0.75))),
            strict=True,
        ):
            agree(found, expected, 0 if found is not rest else 1, x)
        for kind in ("int8", "int32", "int64"):
            n = special(kind, LENGTH, data.draw(seeds))
            agree(la.ldexp(la.asarray(x), la.asarray(n)), np.ldexp(x, n), 0, (x, n))


@pytest.mark.parametrize("dtype", [*FLOATS, *COMPLEX])
@given(data=st.data(), equal_nan=st.booleans())
@examples
def test_closeness(dtype, data, equal_nan):
    x, y = special(dtype, LENGTH, data.draw(seeds)), special(dtype, LENGTH, data.draw(seeds))
    y = np.where(values((LENGTH,), "bool", 1), x * x.dtype.type(1 + 1e-6), y)
    a, b = la.asarray(x), la.asarray(y)
    with np.errstate(all="ignore"):
        agree(la.isclose(a, b, equal_nan=equal_nan), np.isclose(x, y, equal_nan=equal_nan), what=(x, y))
        agree(la.allclose(a, b, equal_nan=equal_nan), np.allclose(x, y, equal_nan=equal_nan))
        agree(la.allclose(a, a, equal_nan=equal_nan), np.allclose(x, x, equal_nan=equal_nan))
    agree(la.array_equal(a, a, equal_nan=equal_nan), np.array_equal(x, x, equal_nan=equal_nan))
    agree(la.array_equal(a, a[:-1]), False)


@pytest.mark.parametrize("dtype", [*DTYPES, *COMPLEX])
@given(data=st.data(), target=st.sampled_from([*DTYPES, *COMPLEX]))
@examples
def test_conversions(dtype, data, target):
    x = values((LENGTH,), dtype, data.draw(st.integers(0, 9)), 0, 100)
    if dtype in INTEGERS or dtype == "bool" or target in (*FLOATS, *COMPLEX, "bool"):
        x = special(dtype, LENGTH, data.draw(seeds))  # floats that no integer holds have no stated conversion
    if dtype in COMPLEX and target not in (*COMPLEX, "bool"):
        with pytest.raises(TypeError, match=f"astype: dtype {dtype} does not become {target}"):
            la.astype(la.asarray(x), target)
        return
    with np.errstate(all="ignore"):
        agree(la.asarray(x).astype(target), x.astype(target), what=x)
