"""Corners of NumPy's functions, each compared with NumPy: the value, dtype and shape, or that both refuse."""

from __future__ import annotations

import warnings
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.recording import replay

INF, NAN = np.inf, np.nan
FLOATS = ("float32", "float64")
Call = Callable[[Any], Any]


def outcome(call: Call, namespace: Any) -> Any:
    """What a call gives with a namespace's functions: an array, or the error that it raises."""
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        try:
            return np.asarray(call(namespace))
        except (ValueError, TypeError, IndexError, OverflowError) as error:
            return error


def as_numpy_does(call: Call, tolerance: float = 0.0) -> None:
    """Does the call give what it gives with NumPy's functions, the first time and again?"""
    expected = outcome(call, np)
    for _ in range(2):
        found = outcome(call, la)
        if isinstance(expected, Exception):
            assert isinstance(found, Exception), f"NumPy raises {expected!r}, this gave {found!r}"
            continue
        assert not isinstance(found, Exception), found
        assert (found.dtype, found.shape) == (expected.dtype, expected.shape)
        np.testing.assert_allclose(found, expected, rtol=tolerance, atol=0)


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


# --- arrays for results -----------------------------------------------------------------------------------------------

X, V = np.arange(6.0).reshape(2, 3), np.arange(3.0)
INTO: dict[str, Callable[[Any, Any], Any]] = {
    "take": lambda m, out: m.take(m.asarray(X), [0, 1], 0, out=out),
    "compress": lambda m, out: m.compress([True, False], m.asarray(X), 0, out=out),
    "choose": lambda m, out: m.choose(m.asarray([0, 1, 0]), [m.asarray(V), m.asarray(V)], out=out),
    "concatenate": lambda m, out: m.concatenate([m.asarray(X), m.asarray(X)], out=out),
    "stack": lambda m, out: m.stack([m.asarray(X), m.asarray(X)], out=out),
    "sum": lambda m, out: m.sum(m.asarray(X), axis=0, out=out),
    "sum of all": lambda m, out: m.sum(m.asarray(X), out=out),
    "max": lambda m, out: m.max(m.asarray(X), axis=0, out=out),
    "any": lambda m, out: m.any(m.asarray(X), axis=0, out=out),
    "mean": lambda m, out: m.mean(m.asarray(X), axis=0, out=out),
    "std": lambda m, out: m.std(m.asarray(X), axis=0, out=out),
    "median": lambda m, out: m.median(m.asarray(X), axis=0, out=out),
    "nansum": lambda m, out: m.nansum(m.asarray(X), axis=0, out=out),
    "nanmean": lambda m, out: m.nanmean(m.asarray(X), axis=0, out=out),
    "trace": lambda m, out: m.trace(m.asarray(X), out=out),
    "ptp": lambda m, out: m.ptp(m.asarray(X), axis=0, out=out),
    "add.reduce": lambda m, out: m.add.reduce(m.asarray(X), axis=0, out=out),
    "multiply": lambda m, out: m.multiply(m.asarray(V), m.asarray(V), out=out),
    "vecdot": lambda m, out: m.vecdot(m.asarray(X), m.asarray(V), out=out),
    "quantile": lambda m, out: m.quantile(m.asarray(X), 0.25, axis=0, out=out),
}


@pytest.mark.parametrize("name", INTO)
def test_shapes_and_dtypes_of_out(name):
    shape = np.asarray(INTO[name](np, None)).shape
    for extents in {shape, (1, *shape), (4, *shape), (7,)}:
        for dtype in ("float64", "float32", "int64"):

            def call(m, extents=extents, dtype=dtype):
                out = m.zeros(extents, dtype=dtype)
                assert INTO[name](m, out) is out
                return out

            as_numpy_does(call, 1e-6)


@pytest.mark.parametrize("casting", ["no", "equiv", "safe", "same_kind", "unsafe"])
def test_what_concatenate_and_stack_put_into_out_follows_casting(casting):
    for dtype in ("complex64", "float32", "float64", "int64"):
        for name in ("concatenate", "stack"):

            def call(m, name=name, dtype=dtype):
                parts = m.asarray([1.5, 2.5]), m.asarray([3.5, 4.5])
                out = m.zeros((2, 2) if name == "stack" else 4, dtype=dtype)
                return getattr(m, name)(parts, out=out, casting=casting)

            as_numpy_does(call)


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


# --- results put into what they are made of ---------------------------------------------------------------------------

OVER: dict[str, Callable[[Any, Any, Any], Any]] = {
    "matmul": lambda m, x, out: m.matmul(x, m.asarray([[2.0, 1, 0], [0, 3, 1], [1, 1, 1]]), out=out),
    "matmul by position": lambda m, x, out: m.matmul(x, m.asarray([[2.0, 1, 0], [0, 3, 1], [1, 1, 1]]), out),
    "clip": lambda m, x, out: m.clip(x, 2, 7, out=out),
    "the method clip": lambda m, x, out: x.clip(2, 7, out=out),
    "round": lambda m, x, out: m.round(x, 0, out),
    "add": lambda m, x, out: m.add(x, 1, out=out),
    "cumsum": lambda m, x, out: m.cumsum(x, axis=0, out=out),
    "take": lambda m, x, out: m.take(x, [2, 0, 1], axis=0, out=out),
    "sum": lambda m, x, out: m.sum(x, axis=0, out=out[0]),
    "sum of a view": lambda m, x, out: m.sum(x, axis=1, out=out[:, 1]),
    "max": lambda m, x, out: m.max(x, axis=0, out=out[1]),
    "mean": lambda m, x, out: m.mean(x, axis=0, out=out[2]),
    "var": lambda m, x, out: m.var(x, axis=0, out=out[2]),
    "nansum": lambda m, x, out: m.nansum(x, axis=0, out=out[1]),
    "median": lambda m, x, out: m.median(x, axis=0, out=out[1]),
    "dot": lambda m, x, out: m.dot(x, m.asarray([[2.0, 1, 0], [0, 3, 1], [1, 1, 1]]), out),
}
PARTS = {
    "the same": (slice(0, 3), slice(0, 3)), "rows further down": (slice(0, 3), slice(1, 4)),
    "rows further up": (slice(1, 4), slice(0, 3)), "backwards": (slice(0, 3), slice(2, None, -1)),
}  # fmt: skip


OVERLAPS = [case for case in product(OVER, PARTS) if case != ("dot", "backwards")]  # which NumPy refuses


@pytest.mark.parametrize(("name", "parts"), OVERLAPS)
@pytest.mark.parametrize("offset", [0, 1])
@pytest.mark.parametrize("tier", ["auto", "reference"])
def test_a_result_that_is_put_into_an_operand_is_computed_once(name, parts, offset, tier, monkeypatch):
    """Also in a first call: nothing is known of earlier ones."""
    monkeypatch.setattr(replay, "_operations", replay._Operations())
    old = la.config(tier=tier, tune="off")
    source, target = PARTS[parts]

    def call(m):
        x = m.asarray(np.arange(12.0).reshape(4, 3) % 5 + 0.25)
        x = x + 1 if offset else x  # eager, and not
        OVER[name](m, x[source], x[target])
        return x

    try:
        as_numpy_does(call, 1e-12)
    finally:
        la.config(**vars(old))
