"""Corners of NumPy's functions, each compared with NumPy: the value, dtype and shape, or that both refuse."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from tests.lazyarr.corners import Call, as_numpy_does

pytestmark = pytest.mark.recording

INF, NAN = np.inf, np.nan
FLOATS = ("float32", "float64")


# --- wrong values -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("mode", ["reflect", "symmetric"])
@pytest.mark.parametrize("kind", ["even", "odd"])
def test_borders_that_are_wider_than_the_array_several_times(mode, kind):
    rng = np.random.default_rng(4)
    for _ in range(12):
        shape = tuple(rng.integers(1, 5, rng.integers(1, 3)).tolist())
        x, widths = rng.integers(0, 99, shape), rng.integers(0, 14, (len(shape), 2)).tolist()
        as_numpy_does(lambda m, x=x, widths=widths: m.pad(m.asarray(x), widths, mode, reflect_type=kind))


ROWS = (
    [INF, NAN], [INF, INF], [NAN, -INF, -INF], [1, INF, INF, INF], [INF, -INF], [-INF, 1, 2, INF], [1, INF], [-INF, 1],
    [-INF, -INF, 3, 4], [3, NAN, 1], [NAN, NAN], [2, 1], [5],
)  # fmt: skip


@pytest.mark.slow
@pytest.mark.parametrize("dtype", FLOATS)
@pytest.mark.parametrize("name", ["median", "nanmedian"])
def test_medians_of_infinities(name, dtype):
    for row in ROWS:
        as_numpy_does(lambda m, row=row: getattr(m, name)(m.asarray(row, dtype=dtype)))
    huge = np.finfo(dtype).max
    assert la.median(la.asarray([huge, -huge], dtype=dtype)) == 0


@pytest.mark.parametrize("dtype", FLOATS)
def test_quantiles_at_the_ends_of_rows_with_infinities(dtype):
    table = np.array([[INF, NAN, 1], [2, NAN, NAN], [1, INF, 3], [-INF, 5, 0], [NAN, NAN, NAN]], dtype)
    for q, expected in ((0.0, [1, 2, 1, -INF, NAN]), (1.0, [INF, 2, INF, 5, NAN])):
        found = np.asarray(la.nanquantile(la.asarray(table), q, axis=1))
        np.testing.assert_array_equal(found, np.array(expected, dtype))
    as_numpy_does(lambda m: m.nanquantile(m.asarray(table[:, ::-1].copy()), [0.25, 0.5], axis=0)[:, 1:2] * 0)


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_complex_numbers_with_nan_in_running_sums_and_medians(dtype):
    z = np.array([NAN, 1, complex(1, NAN), complex(NAN, 2), 3 - 2j], dtype)
    for name in ("nancumsum", "nancumprod", "nanmedian"):
        as_numpy_does(lambda m, name=name: getattr(m, name)(m.asarray(z)), 1e-6)


def test_covariances_of_a_single_sample_in_columns():
    for y in (None, np.arange(12.0).reshape(4, 3)[:1]):
        as_numpy_does(lambda m, y=y: m.cov(m.ones((1, 3)) if y is None else m.asarray(y), ddof=0, rowvar=False))
    as_numpy_does(lambda m: m.cov(m.arange(4.0), m.arange(4.0) ** 2, rowvar=False), 1e-12)


def test_pieces_of_a_number():
    as_numpy_does(lambda m: m.piecewise(5, [True, False], [1, 0]))
    as_numpy_does(lambda m: m.piecewise(5, [False, False, True], [1, 2, 3]))
    as_numpy_does(lambda m: m.piecewise(m.asarray(3), m.asarray(3) > 3, [4, 0]))
    as_numpy_does(lambda m: m.piecewise(m.asarray([1, 2]), [True, False], [2, 3]))
    as_numpy_does(lambda m: m.piecewise(m.asarray([1, 2]), [m.asarray([True, False])], [2, 3]))


# --- arrays in place of lists -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["stack", "hstack", "vstack", "dstack", "column_stack", "concatenate"])
@pytest.mark.parametrize("dtype", ["int64", "float64", "float32"])
def test_a_vector_in_place_of_a_list_of_numbers(name, dtype):
    for n in (1, 3, 40):
        axis = (None,) if name == "concatenate" else ()
        as_numpy_does(lambda m, n=n, axis=axis: getattr(m, name)(m.arange(n, dtype=dtype), *axis))
        as_numpy_does(lambda m, n=n, axis=axis: getattr(m, name)(m.arange(n, dtype=dtype) + 5, *axis))


def test_numbers_beside_arrays_are_weak():
    as_numpy_does(lambda m: m.concatenate([m.float32(1), 1.0], axis=None))
    as_numpy_does(lambda m: m.concatenate([m.asarray([1, 2], dtype="int8"), 3], axis=None))
    as_numpy_does(lambda m: m.concatenate([m.asarray([1, 2], dtype="float32"), 1j], axis=None))
    as_numpy_does(lambda m: m.concatenate([1, 2.5], axis=None))
    as_numpy_does(lambda m: m.stack([m.float32(1), 1.0]))
    as_numpy_does(lambda m: m.append(m.asarray([1, 2], dtype="float32"), 1.5))  # not those of functions made of it
    as_numpy_does(lambda m: m.hstack([m.float32(1), 1.0]))
    as_numpy_does(lambda m: m.r_[m.arange(3, dtype="float32"), 2, 1:3])
    as_numpy_does(lambda m: m.r_[m.arange(3, dtype="float32"), 2.5])
    as_numpy_does(lambda m: m.r_[m.arange(3, dtype="int8"), 255])
    as_numpy_does(lambda m: m.r_[0 : 36 : m.complex64(10j)])


# --- what is refused, what is not -------------------------------------------------------------------------------------


def test_positions_to_insert_at_and_to_delete():
    as_numpy_does(lambda m: m.insert(m.asarray([1, 2, 3]), m.asarray([True] * 4), 9))
    as_numpy_does(lambda m: m.insert(m.asarray([1, 2, 3]), m.asarray([True] * 5), 9))
    as_numpy_does(lambda m: m.insert(m.asarray([0, 1, 2]), m.asarray([]), []))
    as_numpy_does(lambda m: m.insert(m.asarray([0, 1, 2]), [], []))
    as_numpy_does(lambda m: m.insert(m.asarray([0, 1, 2]), [[0, 1], [1, 2]], 4))
    as_numpy_does(lambda m: m.delete(m.asarray([0, 1, 2]), m.asarray([])))
    as_numpy_does(lambda m: m.delete(m.asarray([0, 1, 2]), []))
    as_numpy_does(lambda m: m.delete(m.asarray([0, 1, 2, 5]), [[0, 1], [1, 3]]))
    as_numpy_does(lambda m: m.delete(m.asarray([0, 1, 2]), m.asarray([True, False])))


@pytest.mark.parametrize("name", ["hanning", "hamming", "bartlett", "blackman"])
def test_windows_of_as_many_points_as_a_float_says(name):
    for points in (0.0, 1.0, 4.0, np.float32(5)):
        as_numpy_does(lambda m, points=points: getattr(m, name)(points), 1e-12)
    as_numpy_does(lambda m: m.kaiser(5.0, 2.0), 1e-12)
    as_numpy_does(lambda m: getattr(m, name)(m.asarray(6.0)), 1e-12)


def test_vectorize_decorates():
    def of_rows(m):
        @m.vectorize(signature="(n)->(n)", otypes=["float64"])
        def reverse(row):
            return row[::-1]

        assert reverse.__name__ == "reverse"
        return reverse([[1, 2, 3], [4, 5, 6]])

    as_numpy_does(of_rows)

    def of_none(m):
        same = m.vectorize(lambda x: x, doc="What it is given.")
        assert same.__doc__ == "What it is given."
        same.otypes = "i"
        return same(m.zeros(0, dtype=int))

    as_numpy_does(of_none)


# --- keywords of universal functions ----------------------------------------------------------------------------------


SIGNED: tuple[Call, ...] = (
    lambda m: m.add(m.asarray([1, 2]), 3, signature="dd->d"),
    lambda m: m.add(m.asarray([1, 2]), 3, signature=("f8", "f8", "f8")),
    lambda m: m.add(m.asarray([1, 2], dtype="int8"), 3, signature=(None, None, "f8")),
    lambda m: m.add(m.asarray([1, 2]), 3, signature="f->f"),
    lambda m: m.add(m.asarray([1.5, 2]), 3, signature="ll->l"),
    lambda m: m.add(m.asarray([1.5, 2]), 3, signature="ll->l", casting="unsafe"),
    lambda m: m.add(m.asarray([1, 2]), 3, signature="dd->d", dtype="f8"),
    lambda m: m.sqrt(m.asarray([1, 2]), signature="f->f"),
    lambda m: m.sqrt(m.asarray([1, 2]), signature="d"),
    lambda m: m.less(m.asarray([1, 2]), 2, signature="dd->?"),
    lambda m: m.less(m.asarray([1, 2]), 2, signature="dd->d"),
    lambda m: m.add(m.asarray([1, 2]), 3, subok=False, order="F"),
    lambda m: m.add(m.asarray([1, 2]), 3, order="x"),
    lambda m: m.less(m.asarray([1, 2]), 1.5, dtype=bool),
    lambda m: m.equal(m.asarray([1, 2]), 2, dtype="bool"),
    lambda m: m.less(m.asarray([1, 2]), 2, dtype="float64"),
    lambda m: m.isnan(m.asarray([1, NAN]), dtype=bool),
    lambda m: m.logical_and(m.asarray([1, 2.0]), 0, dtype=bool),
    lambda m: m.logical_not(m.asarray([1, 0]), dtype=bool, where=m.asarray([True, True])),
    lambda m: m.add(m.asarray([1, 2]), 3, dtype=bool),
    lambda m: m.add(m.asarray([True, False]), False, dtype=bool),
)


@pytest.mark.parametrize("number", range(len(SIGNED)))
def test_keywords_that_say_dtypes(number):
    as_numpy_does(SIGNED[number], 1e-6)


# --- further corners --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", FLOATS)
def test_histograms_over_a_range_of_subnormal_numbers(dtype):
    least = np.finfo(dtype).smallest_subnormal
    x = np.array([0, 5, 7, 20, 90, 200], dtype) * least
    for bins in (3, 11):
        for limits in (None, (0, float(x.max()))):
            as_numpy_does(lambda m, b=bins, r=limits: m.histogram(m.asarray(x), b, r)[0])


TOLERANCES: tuple[dict[str, Any], ...] = ({}, {"rtol": 0, "atol": 1e-9}, {"rtol": np.array([1e-3, 1e-9])})


@pytest.mark.sweep
def test_numbers_beside_arrays_are_weak_in_isclose():
    numbers = (0.1, 1, 300, True, 2j, np.float64(0.1), [0.1, 0.2])
    for dtype, tolerances in product(("float32", "int8", "complex64"), TOLERANCES):
        x = np.array([0.1, 1]).astype(dtype)

        def on_either_side(m, x=x, t=tolerances):
            a = m.asarray(x)
            return m.stack([side for b in numbers for side in (m.isclose(a, b, **t), m.isclose(b, a, **t))])

        as_numpy_does(on_either_side)  # all of them are one kernel


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_powers_of_complex_numbers_in_columns(dtype):
    z = np.array([1 + 2j, 3j, -2, INF], dtype)
    for columns, increasing in product((0, 1, 2, 3, 6, None), (False, True)):
        found = la.vander(la.asarray(z), columns, increasing)
        with np.errstate(all="ignore"):
            expected = np.vander(z.astype(complex), columns, increasing)
        assert (found.dtype, found.shape) == (np.dtype(complex), expected.shape)
        np.testing.assert_array_equal(np.asarray(found)[:3], expected[:3])
        if columns is not None and columns <= 3:
            value = np.asarray(found)
            np.testing.assert_array_equal([value.real, value.imag], [expected.real, expected.imag])


def test_kinds_of_sort_by_their_first_letters():
    for kind in ("q", "m", "h", "s", "Q", "Stable", "quick", "", "x", "t"):
        as_numpy_does(lambda m, kind=kind: m.sort(m.asarray([3, 1, 2]), kind=kind))
        as_numpy_does(lambda m, kind=kind: m.asarray([3, 1, 2]).argsort(kind=kind))


def test_positions_that_no_integer_counts():
    for shape in ((2**40, 2**40), (2**32, 2**31), (2**32, 2**30, 2), (2**31, 2**31)):
        as_numpy_does(lambda m, shape=shape: m.unravel_index(m.asarray([5]), shape)[0])
        as_numpy_does(lambda m, shape=shape: m.ravel_multi_index([m.asarray([1])] * len(shape), shape))
        as_numpy_does(lambda m, shape=shape: m.ravel_multi_index([m.asarray([1])] * len(shape), shape, mode="clip"))
    as_numpy_does(lambda m: m.unravel_index(m.asarray([4]), (3, 2), order="f")[0])


def test_no_indices_and_no_coefficients():
    as_numpy_does(lambda m: m.add.reduceat(m.asarray([1, 2, 3]), []))
    as_numpy_does(lambda m: m.add.reduceat(m.ones((3, 4)), [], axis=1))
    as_numpy_does(lambda m: m.maximum.reduceat(m.ones((3, 4)), np.array([], int)))
    as_numpy_does(lambda m: m.add.reduceat(m.ones(3), np.array([])))
    for first, second in (([], [1, 2]), ([1, 2], []), ([], [])):
        as_numpy_does(lambda m, p=first, q=second: m.polymul(m.asarray(p), m.asarray(q)))
        as_numpy_does(lambda m, p=first, q=second: m.polymul(p, q))


# --- found by a sweep over the namespace ------------------------------------------------------------------------------


SWEPT: dict[str, Call] = {
    "trapezoid of one vector at several": lambda m: m.trapezoid(m.arange(3.0), m.asarray([[0, 1, 3.0], [0, 2, 3]])),
    "union of bytes and a number": lambda m: m.union1d(m.asarray([0, 255], dtype="uint8"), 1),
    "union of a number and floats": lambda m: m.union1d(2, m.asarray([1.5], dtype="float32")),
    "roll by a vector": lambda m: m.roll(m.arange(6).reshape(2, 3), m.asarray([1, 2]), (0, 1)),
    "roll by a vector, flattened": lambda m: m.roll(m.arange(6), m.asarray([1, 2, -1])),
    "roll by NumPy's vector": lambda m: m.roll(m.arange(6).reshape(2, 3), np.asarray([1, 2]), 1),
    "size along axes": lambda m: m.size(m.ones((2, 3, 4)), (0, -1)),
    "a whole quantile": lambda m: m.quantile(m.asarray([3, 1, 2]), 1),
    "whole quantiles": lambda m: m.quantile(m.asarray([[3, 1, 2], [5, 6, 4]], dtype="int8"), [0, 1], axis=1),
    "whole quantiles of floats": lambda m: m.quantile(m.asarray([3, NAN, 2], dtype="float32"), [0, 1]),
    "whole quantiles of numbers": lambda m: m.nanquantile(m.asarray([3, NAN, 2], dtype="float32"), [0, 1]),
    "whole quantiles of bools": lambda m: m.quantile(m.asarray([True, False]), 0),
    "a whole percentile": lambda m: m.percentile(m.asarray([3, 1, 2]), 100),
    "a negative extent": lambda m: m.broadcast_to(m.asarray([2.5]), -1),
    "negative extents": lambda m: m.broadcast_to(m.asarray([2.5]), (2, -1)),
    "no extent": lambda m: m.broadcast_to(m.asarray([2.5]), (2, 0)),
    "asfortranarray of a number": lambda m: m.asfortranarray(2.5),
    "a number beside NumPy's": lambda m: m.add(0, np.int32(3)),
    "a large number beside NumPy's": lambda m: m.minimum(300, np.uint64(7)),
    "a large number beside NumPy's small one": lambda m: m.minimum(300, np.uint8(7)),
    "NumPy's number beside one": lambda m: m.multiply(np.float32(3), 0.1),
    "bools with an initial value": lambda m: m.min(m.asarray([True, False]), initial=-3),
    "whole numbers with an initial value": lambda m: m.max(m.asarray([-7, -3], dtype="int8"), initial=-2.5),
    "an initial value that is too large": lambda m: m.max(m.asarray([-7, -3], dtype="int8"), initial=300),
    "a weak default": lambda m: m.select([m.asarray([True, False])], [m.asarray([1, 2], dtype="int16")], 7),
    "weak choices": lambda m: m.select([m.asarray([True, False]), m.asarray([False, True])], [2, m.float32([1, 2])]),
    "choices that are numbers": lambda m: m.select([m.asarray([True, False])], [1.5], 2),
    "choices of uint64": lambda m: m.select([m.asarray([False])], [m.asarray([2**64 - 1], dtype="uint64")], 3),
    "variance as a complex number": lambda m: m.var(m.asarray([1.0, 2, 4]), dtype="complex64"),
    "deviation as a complex number": lambda m: m.std(m.asarray([1 + 1j, 2, 4]), dtype="complex64", ddof=1),
    "nanvar as a complex number": lambda m: m.nanvar(m.asarray([1, 2, 4]), dtype="complex64"),
    "nanvar of floats as a complex number": lambda m: m.nanvar(m.asarray([1.0, NAN, 4]), dtype="complex64"),
    "an index put into bytes": lambda m: m.argmax(m.asarray([1, 7]), out=m.zeros((), dtype="uint8")),
    "positive with a dtype": lambda m: m.positive(m.asarray([1, 2]), dtype="float32"),
    "positive of a bool": lambda m: m.positive(m.asarray([True])),
    "conj of bools": lambda m: m.conj(m.asarray([True, False])),
    "a number squeezed": lambda m: m.squeeze(m.asarray(2.5), axis=0),
    "a number squeezed from behind": lambda m: m.squeeze(m.asarray(2.5), axis=-1),
    "a number squeezed along an axis that is none": lambda m: m.squeeze(m.asarray(2.5), axis=1),
    "a number squeezed along axes": lambda m: m.squeeze(m.asarray(2.5), axis=(0,)),
    "a grid of a matrix": lambda m: m.meshgrid(m.asarray([[1, 2], [3, 4]]), m.asarray([5.0, 6]))[0],
    "signed beside unsigned small integers": lambda m: m.arctan2(m.int16([1, 2]), m.uint16([3, 4])),
    "bytes beside unsigned small integers": lambda m: m.hypot(m.int8([1, 2]), m.uint16([3, 4])),
    "small integers beside a float": lambda m: m.hypot(m.uint16([3, 4]), 0.5),
    "positive with a smaller dtype": lambda m: m.positive(m.asarray([1.5, 2]), dtype="int32"),
}


@pytest.mark.parametrize("name", SWEPT)
def test_what_a_sweep_found(name):
    as_numpy_does(SWEPT[name], 1e-6)


def test_the_smallest_dtype_of_an_array():
    for value in (3, -300, 2.5, 1e300, 1j, True, [1 + 2j], [1, 2]):
        assert la.min_scalar_type(la.asarray(value)) == np.min_scalar_type(np.asarray(value))
        assert la.min_scalar_type(value) == np.min_scalar_type(value)


SILENT: dict[str, Callable[[], Any]] = {
    "by zero": lambda: la.asarray([1.0, 0.0]) / 0,
    "numbers": lambda: la.asarray(1.0) / la.asarray(0.0),
    "integers": lambda: la.asarray([1, 2]) // 0,
    "log": lambda: la.log(la.asarray([0.0, -1.0])),
    "exp": lambda: la.exp(la.asarray([1000.0])),
    "power": lambda: la.asarray([1e200]) ** 2,
    "cast": lambda: la.asarray([NAN, 1e300]).astype("int32"),
    "smaller": lambda: la.asarray([1e300]).astype("float32"),
    "a constant": lambda: la.ones(3, dtype="float32") * 1e300,
    "a complex constant": lambda: la.ones(3, dtype="complex64") / (1e300 + 1j),
    "a bound": lambda: la.clip(la.ones(3, dtype="float32"), -1e300, 1e300),
    "an initial value": lambda: la.max(la.ones(3, dtype="float32"), initial=1e300),
    "many": lambda: la.log(la.zeros(100_000)),
    "in place": lambda: la.divide(la.ones(3), 0, out=la.ones(3)),
    "accumulate": lambda: la.divide.accumulate(la.asarray([1.0, 0.0, 0.0])),
    "polynomials": lambda: la.polydiv([1.0, 2.0], [0.0])[0],
    "geomspace": lambda: la.geomspace(la.asarray([1.0, -1.0]), la.asarray([-3.0, 2.0]), 3),
}


@pytest.mark.parametrize("tier", ["compiled", "auto"])
def test_ldexp_of_a_number_and_small_integers(tier):
    """Where the function is known of two arrays: NumPy computes Python's numbers beside them in float16."""
    old = la.config(tier=tier, tune="off")
    try:
        small = np.arange(40, dtype="uint16")
        for x in (small[:3], np.uint16(3)):
            found, expected = np.asarray(la.ldexp(x, la.asarray(small[:3]).T)), np.ldexp(x, small[:3])
            assert found.dtype == expected.dtype
            np.testing.assert_array_equal(found, expected)
        np.testing.assert_array_equal(la.ldexp(np.uint16(3), la.asarray(small).T), np.ldexp(np.uint16(3), small))
    finally:
        la.config(tier=old.tier, tune=old.tune)


@pytest.mark.parametrize("tier", ["compiled", "auto", "reference"])
def test_floating_point_errors_are_results_alone(tier):
    """No tier warns or raises, whatever NumPy is told to do."""
    old = la.config(tier=tier, tune="off")
    try:
        for call in SILENT.values():
            with warnings.catch_warnings(), np.errstate(all="raise"):
                warnings.simplefilter("error")
                np.asarray(call())
    finally:
        la.config(tier=old.tier, tune=old.tune)
