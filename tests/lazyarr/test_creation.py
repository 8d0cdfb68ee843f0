"""Constant arrays and conversion, against NumPy: shapes, dtypes, defaults, copies and what is refused."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift
from tests.lazyarr.support import DTYPES, SHAPES, check, values


@pytest.mark.parametrize("dtype", [None, *DTYPES])
@pytest.mark.parametrize("shape", [*SHAPES, 3, 0, np.int64(4), [2, 3]], ids=str)
def test_constants(shape, dtype):
    check(la.zeros(shape, dtype), np.zeros(shape, dtype or "float64"))
    check(la.ones(shape, dtype=dtype), np.ones(shape, dtype or "float64"))
    check(la.full(shape, 7, dtype=dtype), np.full(shape, 7, dtype))
    assert la.empty(shape, dtype=dtype).shape == np.empty(shape).shape
    assert la.empty(shape, dtype).dtype == np.empty(shape, dtype or "float64").dtype


@pytest.mark.parametrize("value", [3, 2.5, True, np.float32(1.5), np.uint8(7), -0.0, float("nan"), float("inf")])
def test_full_takes_the_dtype_of_the_number(value):
    check(la.full((2, 3), value), np.full((2, 3), value))


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "uint64"])
def test_full_converts_numbers_of_another_kind(dtype):
    """As `astype` does; of Python's integers alone NumPy checks whether the dtype holds them."""
    for number in (2.75, -2.0, True, np.int64(-2), np.int64(300), np.array(-2)):
        if type(number) is float and number < 0 and dtype not in ("int8", "int32", "uint32", "uint64"):
            continue  # undefined, and another value on each processor
        check(la.full((2, 3), number, dtype), np.full((2, 3), number, dtype))
    for number in (-(2**31) - 1, 2**64):
        with pytest.raises(OverflowError, match=r"out of bounds|too large"):
            la.full(3, number, dtype)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), np.float64("nan")])
def test_full_of_nothing_warns_of_no_number(number):
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for shape in (0, (2, 0)):
            check(la.full(shape, number, "int32"), np.full(shape, number, "int32"))


def test_full_of_arrays():
    check(la.full((2, 3), [1, 2, 3]), np.full((2, 3), [1, 2, 3]))
    check(la.full((2, 3), la.asarray([[1.5], [2]]), "float32"), np.full((2, 3), [[1.5], [2]], "float32"))
    check(la.full((2, 3), la.asarray(4)), np.full((2, 3), 4))
    with pytest.raises(ValueError, match="broadcast"):
        la.full((2, 3), [1, 2])


@pytest.mark.parametrize("dtype", DTYPES)
def test_like_others(dtype):
    x = values((3, 5), dtype, 1)
    for name in ("zeros_like", "ones_like", "empty_like"):
        like, np_like = getattr(la, name), getattr(np, name)
        for found, expected in (
            (like(x), np_like(x)),
            (like(la.asarray(x), "int8"), np_like(x, "int8")),
            (like(x, dtype="float32", shape=(2, 0)), np_like(x, "float32", shape=(2, 0))),
        ):
            assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
            if name != "empty_like":
                check(found, expected)
    check(la.full_like(x, 1), np.full_like(x, 1))
    check(la.full_like(x, 3, "float64", shape=4), np.full_like(x, 3, "float64", shape=4))


def test_errors_of_constants():
    with pytest.raises(ValueError, match=r"zeros: expected extents that are not negative, got shape \(2, -1\)"):
        la.zeros((2, -1))
    with pytest.raises(TypeError, match="ones: expected shape to be integers"):
        la.ones(2.5)
    with pytest.raises(OverflowError):
        la.full(3, 300, dtype="int8")


# --- conversion -------------------------------------------------------------------------------------------------------


def test_array_copies_and_adds_dimensions():
    source = np.arange(5.0)
    x, y, shared = la.array(source), la.asarray(source), la.array(source, copy=False)
    source[0] = 9
    assert float(np.asarray(x)[0]) == float(np.asarray(y)[0]) == 0
    assert float(np.asarray(shared)[0]) == 9
    check(la.array([1, 2, 3], "float32", ndmin=3), np.array([1, 2, 3], "float32", ndmin=3))
    check(la.array(la.asarray([[1, 2]]), ndmin=1), np.array([[1, 2]], ndmin=1))
    check(la.array(5, ndmin=2), np.array(5, ndmin=2))


def test_copies_of_arrays_are_other_arrays():
    x = la.asarray([1, 2, 3])
    assert la.asarray(x) is x
    for given in (None, "int64", x.dtype):
        assert la.asarray(x, dtype=given) is x
        assert la.asarray(x, dtype=given, copy=False) is x
        assert la.asarray(x, dtype=given, copy=True) is not x
    assert la.asarray(x, dtype="int32") is not x
    check(la.asarray(x, copy=True), np.array([1, 2, 3]))
    check(la.asarray(x, dtype="float32", copy=True), np.array([1, 2, 3], "float32"))
    with pytest.raises(ValueError, match="asarray: int64 does not become float32 without a copy"):
        la.asarray(x, dtype="float32", copy=False)


TOO_MUCH = [
    (300, "int8", OverflowError),
    (-1, "uint64", OverflowError),
    ([1, 300], "int8", OverflowError),
    ([[1, 2], (3, 400)], "uint8", OverflowError),
    (range(130), "int8", OverflowError),
    ([2**63], "int64", OverflowError),
    (float("nan"), "int8", ValueError),
    ([1.0, float("inf")], "int64", OverflowError),
    (1e300, "int32", OverflowError),
]


@pytest.mark.parametrize(
    ("given", "dtype", "error"), TOO_MUCH, ids=[f"{dtype}-{i}" for i, (_, dtype, _) in enumerate(TOO_MUCH)]
)
def test_python_numbers_that_a_dtype_cannot_hold(given, dtype, error):
    with pytest.raises(error):
        np.asarray(given, dtype)
    for function in (la.asarray, la.array):
        with pytest.raises(error, match=f"^{function.__name__}: "):
            function(given, dtype)


def test_python_numbers_become_what_they_are_worth():
    check(la.asarray([2**63 + 1, 1.0], "uint64"), np.asarray([2**63 + 1, 1.0], "uint64"))
    check(la.asarray([1.5, -2.5, True], "int8"), np.asarray([1.5, -2.5, True], "int8"))
    check(la.asarray([[0.5], [0]], "bool"), np.asarray([[0.5], [0]], "bool"))
    check(la.asarray([1, 2.5], "complex64"), np.asarray([1, 2.5], "complex64"))
    check(la.asarray(np.int64(300), "int8"), np.asarray(np.int64(300), "int8"))  # NumPy's numbers convert as arrays do
    check(la.asarray(np.asarray([300, -1]), "uint8"), np.asarray([300, -1]).astype("uint8"))


def test_numpys_constructor():
    """Contents are arbitrary in NumPy, zeros here; arrays of either name are instances."""
    for arguments, keywords in [
        (((2, 3),), {}), ((4,), {"dtype": "int8"}), (((), "complex64"), {}), ((), {"shape": [2, 0], "dtype": bool}),
        (((2, 3), np.float32, None, 0, None, "F"), {}),
    ]:  # fmt: skip
        made, expected = la.ndarray(*arguments, **keywords), np.ndarray(*arguments, **keywords)
        assert type(made) is la.Array
        check(made, np.zeros_like(expected))
        assert isinstance(made, la.ndarray)
    x = la.ndarray((2, 2), dtype=np.float64)
    x[:] = 3
    x[0] += 1
    check(x, np.array([[4.0, 4.0], [3.0, 3.0]]))
    assert isinstance(x[0], la.ndarray) and not isinstance(np.zeros(3), la.ndarray)
    assert issubclass(la.Array, la.ndarray) and not issubclass(np.ndarray, la.ndarray)
    assert type(x) == la.ndarray and {la.ndarray: 1, np.ndarray: 2}[type(x)] == 1  # noqa: E721  # as programs ask
    own = type(la.ndarray)("Own", (la.ndarray,), {})
    assert len({la.ndarray, la.Array, np.ndarray, own}) == 3 and type(x) != own  # noqa: E721  # as above
    assert la.ndarray.sum(x) is not None and la.ndarray.reshape is la.Array.reshape
    with pytest.raises(ValueError, match="ndarray: expected order"):
        la.ndarray(1, order="X")
    with pytest.raises(ValueError, match="negative"):
        la.ndarray((2, -1))


def test_numpys_constructor_of_a_buffer():
    for buffer in (bytes(range(48)), bytearray(range(48)), np.arange(12, dtype="int32")):
        for keywords in ({}, {"dtype": "int16"}, {"dtype": "int16", "offset": 4, "strides": (2, 6)}, {"order": "F"}):
            check(la.ndarray((2, 3), buffer=buffer, **keywords), np.ndarray((2, 3), buffer=buffer, **keywords))
    check(la.ndarray(2, "int16", la.arange(3)), np.ndarray(2, "int16", np.arange(3)))
    for lib in (np, la):
        with pytest.raises(TypeError, match="too small"):
            lib.ndarray(20, "int32", bytes(16))


def test_conversions_of_the_same_value():
    for x, dtype in [
        ([0, 1], "int8"), ([1, 300], "int8"), ([1, 2.5], "int64"), ([1.0, -0.0], "int64"), ([np.nan, 1], "float32"),
        ([0.1], "float32"), ([2**60 + 1], "float64"), ([-1], "uint64"), ([np.nan], "int64"), ([2, 0], "bool"),
    ]:  # fmt: skip
        theirs = np.array(x)
        for ours in (la.array(x), la.asarray(theirs) * 1):
            try:
                wanted = theirs.astype(dtype, casting="same_value")
            except ValueError:
                with pytest.raises(ValueError, match="same_value"):
                    ours.astype(dtype, casting="same_value")
            else:
                check(ours.astype(dtype, casting="same_value"), wanted)


@pytest.mark.parametrize("order", [None, "C", "F", "K", "A"])
def test_the_order_in_memory_says_nothing(order):
    x = values((3, 5), "float32", 2)
    check(la.asarray(x.T, order=order), np.asarray(x.T, order=order))
    check(la.asarray(np.asfortranarray(x), "float64", order), np.asarray(x, "float64", order))


def test_what_python_has():
    check(la.asarray(memoryview(b"abc")), np.asarray(memoryview(b"abc")))
    check(la.asarray(range(4)), np.asarray(range(4)))
    check(la.asarray([[True], [False]]), np.asarray([[True], [False]]))
    check(la.asarray(np.float32(1.5)), np.asarray(np.float32(1.5)))
    check(la.asarray([la.asarray(1), 2, np.int8(3)]), np.asarray([1, 2, 3]))
    with pytest.raises(ValueError, match="asarray: expected order to be 'C', 'K', 'A' or 'F', got 'X'"):
        la.asarray([1], order="X")
    with pytest.raises(ValueError, match="a copy is needed"):
        la.asarray([1, 2], copy=False)


@pytest.mark.parametrize("tier", ["auto", "reference", "compiled"])
def test_numbers_that_exist_are_put_together(tier):
    before = config.configure(tier=tier, tune="off")
    try:
        x = la.asarray(np.arange(9.0))
        eagerly, recorded = x.sum(), la.sum(la.asarray(np.full(100_000, 0.5)))
        assert float(recorded) == 50_000
        cases = {
            "one dtype": ([eagerly, eagerly], [36.0, 36.0]),
            "recorded": ([recorded, eagerly, recorded], [5e4, 36.0, 5e4]),
            "with numbers": ([eagerly, 1, True], [36.0, 1.0, 1.0]),
            "nested": ([[eagerly, 2.0], (recorded, eagerly)], [[36.0, 2.0], [5e4, 36.0]]),
            "vectors": ([x[:2], x[3:5]], [[0.0, 1.0], [3.0, 4.0]]),
            "without elements": ([x[:0], x[:0]], np.zeros((2, 0))),
            "complex": ([eagerly * 1j, recorded], [36j, 5e4]),
            "NaN": ([la.asarray(np.nan), eagerly], [np.nan, 36.0]),
        }
        for given, expected in cases.values():
            check(la.array(given), np.array(expected))
        for dtypes in (("int8", "uint8"), ("bool", "bool"), ("int64", "uint64"), ("float32", "int64")):
            given = [la.asarray(np.ones((), dtype)) for dtype in dtypes]
            check(la.array(given), np.array([np.ones((), dtype) for dtype in dtypes]))
            check(la.array(given, "float32"), np.ones(2, "float32"))
        made = la.array([eagerly, eagerly])
        made[0] = 1.0
        assert float(eagerly) == 36 and made.tolist() == [1, 36]
        with pytest.raises(ValueError, match="array: expected arrays of one shape in a list"):
            la.array([eagerly, x])
        check(lift.jit(lambda v: la.array([v.sum(), v[0], 2]))(x), np.array([36.0, 0, 2]))
    finally:
        config.configure(**vars(before))


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint8", "uint64"])
@pytest.mark.parametrize("value", [np.nan, np.inf, -np.inf, 1e30, np.float32(np.nan), np.float64(-1e300)], ids=str)
def test_filling_integers_with_what_is_none_warns_as_in_numpy(dtype, value):
    for f in (lambda xp: xp.full((2, 3), value, dtype), lambda xp: xp.full((), value, dtype),
              lambda xp: xp.full_like(xp.ones(3, dtype=dtype), value)):  # fmt: skip
        with pytest.warns(RuntimeWarning, match="invalid value encountered in cast"):
            expected = f(np)
        with pytest.warns(RuntimeWarning, match="invalid value encountered in cast"):
            check(f(la), expected)
        with np.errstate(invalid="ignore"), warnings.catch_warnings():
            warnings.simplefilter("error")
            check(f(la), expected)


def test_filling_integers_with_fractions_is_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        check(la.full(3, 2.7, "int8"), np.full(3, 2.7, "int8"))
        check(la.full(3, np.float64(-1.5), "int32"), np.full(3, np.float64(-1.5), "int32"))
