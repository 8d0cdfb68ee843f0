"""Element-wise functions against NumPy: values, dtypes, broadcasting, Python numbers, errors."""

from __future__ import annotations

import operator

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from tests.lazyarr.evaluation import EXAMPLES, interpreted
from tests.lazyarr.support import DTYPES, INTEGERS, PAIRS, REQUIRED, check, dtypes, operands, seeds, together, values

examples = settings(max_examples=EXAMPLES)

# name -> (NumPy's, lowest and highest argument)
REAL = {
    "sqrt": (np.sqrt, 0, 9), "exp": (np.exp, -4, 4), "expm1": (np.expm1, -4, 4), "exp2": (np.exp2, -4, 4),
    "log": (np.log, 1, 9), "log1p": (np.log1p, 0, 9), "log2": (np.log2, 2, 9), "log10": (np.log10, 2, 9),
    "sin": (np.sin, -3, 3),
    "cos": (np.cos, -1, 1), "tan": (np.tan, -1, 1), "asin": (np.arcsin, -1, 1), "acos": (np.arccos, -1, 0),
    "atan": (np.arctan, -9, 9),
    "sinh": (np.sinh, -3, 3), "cosh": (np.cosh, -3, 3), "tanh": (np.tanh, -3, 3), "asinh": (np.arcsinh, -9, 9),
    "acosh": (np.arccosh, 2, 9), "atanh": (np.arctanh, -0.9, 0.9), "rint": (np.rint, -9, 9),
}  # fmt: skip
ANY = {
    "floor": np.floor, "ceil": np.ceil, "trunc": np.trunc, "isnan": np.isnan, "isinf": np.isinf,
    "round": lambda x: np.round(as_float(x) if x.dtype == bool else x), "isfinite": np.isfinite, "abs": np.abs,
    "logical_not": np.logical_not, "square": np.square, "conj": np.conj,
}  # fmt: skip
NUMBERS = {"negative": np.negative, "positive": np.positive, "sign": np.sign}
ARITHMETIC = {"add": np.add, "multiply": np.multiply, "minimum": np.minimum, "maximum": np.maximum, "divide": np.divide}
COMPARISONS = {
    name: getattr(np, name) for name in ("equal", "not_equal", "less", "less_equal", "greater", "greater_equal")
}
LOGICAL = {name: getattr(np, name) for name in ("logical_and", "logical_or", "logical_xor")}
BITS = {name: getattr(np, name) for name in ("bitwise_and", "bitwise_or", "bitwise_xor")}


def as_float(x: np.ndarray) -> np.ndarray:
    """NumPy computes real functions of bool and 8-bit integers in float16, lazyarr in float32."""
    return x.astype("float32") if x.dtype.kind in "biu" and x.dtype.itemsize == 1 else x


@pytest.mark.parametrize("name", REAL)
@given(data=st.data())
@settings(max_examples=max(EXAMPLES // 4, 3))
def test_real_functions(name, data):
    reference, low, high = REAL[name]
    dtype = data.draw(st.sampled_from(DTYPES if low <= 0 and high >= 2 else ("float32", "float64")))
    x = data.draw(operands(dtype=dtype, low=low, high=high))
    with np.errstate(all="ignore"):
        check(getattr(la, name)(la.asarray(x)), reference(as_float(x)), scale=1)


@pytest.mark.parametrize("name", ANY)
@given(x=operands())
@settings(max_examples=max(EXAMPLES // 4, 3))
def test_functions_of_any_dtype(name, x):
    check(getattr(la, name)(la.asarray(x)), ANY[name](x))


@pytest.mark.parametrize("name", NUMBERS)
@given(data=st.data())
@settings(max_examples=max(EXAMPLES // 4, 3))
def test_functions_of_numbers(name, data):
    x = data.draw(operands(dtype=data.draw(st.sampled_from(DTYPES[1:]))))
    check(getattr(la, name)(la.asarray(x)), NUMBERS[name](x))


@given(name=st.sampled_from([*ARITHMETIC, *COMPARISONS, *LOGICAL]), shapes=st.sampled_from(PAIRS), data=st.data())
@settings(max_examples=4 * EXAMPLES)
def test_binary_functions_broadcast_and_promote(name, shapes, data):
    a, b = (data.draw(operands(shape, data.draw(dtypes), low=1)) for shape in shapes)
    reference = getattr(np, name)
    check(getattr(la, name)(la.asarray(a), la.asarray(b)), reference(a, b))
    check(getattr(la, name)(la.asarray(b), la.asarray(a)), reference(b, a))


@given(name=st.sampled_from(list(BITS)), shapes=st.sampled_from(PAIRS), seed=seeds, data=st.data())
@examples
def test_bitwise_functions(name, shapes, seed, data):
    a, b = (values(s, data.draw(st.sampled_from(("bool", "int8", "int32", "uint8", "int64"))), seed, 0) for s in shapes)
    check(getattr(la, name)(la.asarray(a), la.asarray(b)), BITS[name](a, b))
    check(~la.asarray(a), ~a)


@given(name=st.sampled_from(["floor_divide", "remainder"]), shapes=st.sampled_from(PAIRS), data=st.data())
@examples
def test_floor_division(name, shapes, data):
    dtype = data.draw(st.sampled_from(DTYPES[1:]))
    a, b = data.draw(operands(shapes[0], dtype)), data.draw(operands(shapes[1], dtype, low=1))
    check(getattr(la, name)(la.asarray(a), la.asarray(b)), getattr(np, name)(a, b), scale=9)


@given(
    name=st.sampled_from(["pow", "hypot", "atan2", "copysign", "subtract"]),
    shapes=st.sampled_from(PAIRS),
    data=st.data(),
)
@examples
def test_other_binary_functions(name, shapes, data):
    dtype = data.draw(st.sampled_from(("int32", "int64", "float32", "float64")))
    a, b = data.draw(operands(shapes[0], dtype, low=1)), data.draw(operands(shapes[1], dtype, low=1, high=6))
    reference = {"atan2": np.arctan2, "pow": np.power}.get(name) or getattr(np, name)
    check(getattr(la, name)(la.asarray(a), la.asarray(b)), reference(a, b))


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("number", [True, 3, 2.5, np.float32(2.5), np.int16(3), np.float64(0.5)], ids=repr)
def test_numbers_promote_as_in_numpy(dtype, number):
    x = values((5,), dtype, 1, low=1)
    a = la.asarray(x)
    ours, theirs = [], []
    for op in (operator.add, operator.mul, operator.truediv, operator.lt, operator.eq, la.maximum):
        reference = np.maximum if op is la.maximum else op
        ours += [op(a, number), op(number, a)]
        theirs += [reference(x, number), reference(number, x)]
    together(ours, theirs)


@pytest.mark.parametrize("dtype", REQUIRED)
def test_operators_and_their_reflections(dtype):
    x, y = values((2, 3), dtype, 1, low=1), values((3,), dtype, 2, low=1)
    a, b = la.asarray(x), la.asarray(y)
    ops = [
        operator.add,
        operator.mul,
        operator.truediv,
        operator.floordiv,
        operator.mod,
        operator.lt,
        operator.ge,
        operator.ne,
    ]
    if dtype != "bool":
        ops += [operator.sub]
    if dtype not in ("float32", "float64"):
        ops += [operator.and_, operator.or_, operator.xor]
    ours, theirs = [], []
    for op in ops:
        ours += [op(a, b), op(a, y), op(x, b), op(a, y.tolist())]  # NumPy arrays on either side
        theirs += [op(x, y)] * 3 + [op(x, np.array(y.tolist()))]
    if dtype != "bool":
        ours += [-a, +a, 2 - a, a**2]
        theirs += [-x, x, 2 - x, x**2]
    ours += [abs(a), *divmod(a, b)]
    theirs += [abs(x), x // y, x % y]
    together(ours, theirs)


@given(shapes=st.sampled_from(PAIRS), data=st.data())
@examples
def test_where(shapes, data):
    c = data.draw(operands(shapes[0]))
    a, b = data.draw(operands(shapes[1])), data.draw(operands(data.draw(st.sampled_from(shapes))))
    check(la.where(la.asarray(c), la.asarray(a), la.asarray(b)), np.where(c, a, b))
    check(
        la.where(la.asarray(c), la.asarray(a), 0),
        np.where(c, a, a.dtype.type(0)) if a.dtype != bool else np.where(c, a, 0),
    )
    check(la.where(la.asarray(c), 1, 2), np.where(c, 1, 2))


def test_clip_and_round():
    x = values((3, 5), "float32", 3)
    a = la.asarray(x)
    check(la.clip(a, -2, 3), np.clip(x, -2, 3))
    check(a.clip(min=0), np.clip(x, 0, None))
    check(a.clip(max=0), np.clip(x, None, 0))
    check(la.clip(a, la.asarray(x[0]), 9.0), np.clip(x, x[0], 9.0))
    check(a.round(2), x.round(2))
    check(a.round(-1), x.round(-1), scale=10)
    check(a.clip(), x)


@given(x=operands(low=0), target=dtypes)
@examples
def test_astype(x, target):
    check(la.asarray(x).astype(target), x.astype(target))
    assert la.asarray(x).astype(target).dtype is la.result_type(np.dtype(target))


@pytest.mark.parametrize("name", COMPARISONS)
def test_comparisons_beyond_a_common_dtype(name):
    i = np.array([-1, 0, 1, 2**62 + 1, -(2**63)], "int64")
    u = np.array([2**64 - 1, 0, 1, 2**62, 2**63], "uint64")
    check(getattr(la, name)(la.asarray(i), la.asarray(u)), getattr(np, name)(i, u))
    check(getattr(la, name)(la.asarray(u), la.asarray(i)), getattr(np, name)(u, i))
    for number in (2**40, -(2**40), 300, -1):
        x = np.array([1, 2, 255], "uint8")
        check(getattr(la, name)(la.asarray(x), number), getattr(np, name)(x, number))
        check(getattr(la, name)(number, la.asarray(x)), getattr(np, name)(number, x))


def test_nan_and_infinity():
    x = np.array([np.nan, np.inf, -np.inf, -0.0, 1.5], "float64")
    a = la.asarray(x)
    for name in ("isnan", "isinf", "isfinite", "sign", "abs", "floor", "round"):
        check(getattr(la, name)(a), getattr(np, name)(x))
    check(la.maximum(a, 0.0), np.maximum(x, 0.0))
    check(la.minimum(0.0, a), np.minimum(0.0, x))
    assert np.signbit(np.asarray(a * 1.0)[3])


@pytest.mark.parametrize("dtype", ["float32", "complex64", "float64", "int32"])
@pytest.mark.parametrize(
    "given", [np.float64(2.5), np.array([1.0, 2.0, 3.0]), np.array([[4]]), [5, 6, 7], np.arange(6.0).reshape(2, 3)],
    ids=str,
)  # fmt: skip
@interpreted()
def test_what_takes_the_place_of_nan_becomes_of_the_arrays_dtype_and_shape(dtype, given):
    x = np.array([[np.nan, 1, np.inf], [-np.inf, 2, np.nan]]) if dtype != "int32" else np.ones((2, 3))
    x = x.astype(dtype)
    for name in ("nan", "posinf", "neginf"):
        check(la.nan_to_num(la.asarray(x), **{name: given}), np.nan_to_num(x, **{name: given}))
        changed = la.asarray(x.copy())
        la.nan_to_num(changed, copy=False, **{name: la.asarray(given)})
        check(changed, np.nan_to_num(x, **{name: given}))


def test_what_cannot_take_the_place_of_nan():
    with pytest.raises(ValueError, match="does not broadcast"):
        la.nan_to_num(la.ones(3), nan=la.ones((2, 3)))
    with pytest.raises(TypeError, match="nan_to_num: cannot put complex128 into an array of float64"):
        la.nan_to_num(la.ones(3), posinf=1j)


@pytest.mark.parametrize("dtype", DTYPES)
@interpreted()
def test_reciprocals_of_integers_and_of_floats(dtype):
    """Of zero, of which NumPy's depends on the dtype, it is zero."""
    x = np.array([1, 2, 3, 127, -1, -2, -127]).astype(dtype)
    check(la.reciprocal(la.asarray(x)), np.reciprocal(as_float(x) if x.dtype.kind in "fc" else x), 2)
    if x.dtype.kind in "iu":
        check(la.reciprocal(la.zeros(3, dtype=dtype)), np.zeros(3, dtype))


def test_errors_name_the_function():
    x, y = la.asarray(np.ones((2, 3))), la.asarray(np.ones((2, 4)))
    with pytest.raises(ValueError, match=r"add.*\(2, 3\), \(2, 4\)"):
        x + y
    with pytest.raises(TypeError, match=r"subtract.*bool"):
        la.asarray([True]) - la.asarray([False])
    with pytest.raises(TypeError, match=r"negative.*bool"):
        -la.asarray([True])
    with pytest.raises(TypeError, match=r"bitwise_and.*float64"):
        x & x
    with pytest.raises(TypeError, match=r"positive.*bool"):
        la.positive(la.asarray([True]))
    with pytest.raises(OverflowError, match=r"add.*300.*uint8"):
        la.asarray(np.array([1], "uint8")) + 300
    with pytest.raises(ValueError, match=r"pow.*negative integer powers"):
        la.asarray([1, 2]) ** -1
    with pytest.raises(TypeError, match=r"floor: expected real numbers.*complex64"):
        la.floor(la.asarray(np.ones(3, "complex64")))
    with pytest.raises(TypeError, match=r"astype: dtype complex128 does not become float64.*la.real"):
        la.astype(x * 1j, "float64")
    with pytest.raises(TypeError, match=r"bitwise_left_shift.*float64"):
        x << 1
    with pytest.raises(TypeError, match=r"gcd: expected integers, got float64"):
        la.gcd(x, 2)
    with pytest.raises(TypeError, match=r"ldexp: expected an integer exponent"):
        la.ldexp(x, 1.5)
    with pytest.raises(TypeError, match="float16"):
        x + np.float16(1)
    with pytest.raises(TypeError):
        x + "a"
    with pytest.raises(TypeError):
        x + None


@pytest.mark.parametrize("size", [5, 60_000])
def test_powers_that_are_not_computed_yet_may_be_negative(size):
    base, power = np.full(size, 2), np.full(size, 3)
    power[-1] = -1
    lazy = la.asarray(power) + la.zeros(size, dtype="int64")
    for compute in (lambda: la.asarray(base) ** lazy, lambda: 2**lazy, lambda: la.power(la.asarray(base) + 1, lazy)):
        with pytest.raises(ValueError, match=r"pow.*negative integer powers"):
            compute()
    check(la.asarray(base) ** la.abs(lazy), base ** abs(power))
    check(la.asarray(base * 1.0) ** lazy, (base * 1.0) ** power)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("exponent", [1, 2, -1, 1.0, 2.0, -1.0])
def test_small_constant_powers_are_rounded_once_at_most(dtype, exponent):
    x = np.concatenate(
        [np.random.default_rng(0).standard_normal(1000), [0.0, -0.0, np.inf, -np.inf, np.nan, -3]]
    ).astype(dtype)
    with np.errstate(divide="ignore"):
        expected = np.reciprocal(x) if exponent == -1 else x if exponent == 1 else x * x
    found = np.asarray(la.asarray(x) ** exponent)
    assert found.dtype == x.dtype
    np.testing.assert_array_equal(found, expected)
    numbers = ~np.isnan(x)
    np.testing.assert_array_equal(np.signbit(found[numbers]), np.signbit(expected[numbers]))


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float32", "float64", "bool"])
@pytest.mark.parametrize("exponent", [0, 1, 2, 3, 4, 3.0, True])
def test_whole_numbers_to_small_constant_powers_stay_whole(dtype, exponent):
    x = np.arange(-9, 10).astype(dtype)
    found, expected = np.asarray(la.asarray(x) ** exponent), x**exponent
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found, expected)
    y = x * 0.3
    np.testing.assert_allclose(np.asarray(la.asarray(y) ** exponent), y**exponent, rtol=2 * np.finfo(y.dtype).eps)


@pytest.mark.parametrize("dtype", INTEGERS)
def test_integers_wrap_around(dtype):
    limits = np.iinfo(dtype)
    x = np.array([limits.max, limits.min, 1], dtype)
    with np.errstate(all="ignore"):
        check(la.asarray(x) + 1, x + 1)
        check(la.asarray(x) * 3, x * 3)


@pytest.mark.parametrize(
    ("f", "dtype"),
    [(la.conj, "float64"), (la.conj, "int8"), (la.floor, "int32"), (la.ceil, "int64"), (la.round, "int16")],
)
def test_what_leaves_values_as_they_are_records_nothing_and_is_another_array(f, dtype):
    x = la.asarray(np.arange(6).astype(dtype)) + 1
    y = f(x)
    assert y is not x and y.node is x.node
    y += 1
    x[2] = 9
    check(x, np.array([1, 2, 9, 4, 5, 6], dtype))
    check(y, np.array([2, 3, 4, 5, 6, 7], dtype))
