"""Arrays with their dimensions exchanged, made whole: against NumPy, at sizes of one tile and several."""

from __future__ import annotations

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import lift
from tests.lazyarr.evaluation import EXAMPLES

DTYPES = ("float32", "float64", "int8", "uint64", "bool", "complex64", "complex128")
EXTENTS = (1, 3, 37, 64, 131)


def array(shape, dtype, seed):
    """Random numbers of which no two are likely the same, among them NaN, infinities and signed zeros."""
    rng = np.random.default_rng(seed)
    kind = np.dtype(dtype).kind
    if kind in "biu":
        return rng.integers(0, 2 if kind == "b" else 127, shape).astype(dtype)
    x = rng.standard_normal(shape).astype(dtype)
    if kind == "c":
        x.imag = rng.standard_normal(shape)
    flat = x.reshape(-1)
    for value in (np.nan, np.inf, -np.inf, -0.0, 0.0):
        flat[rng.integers(flat.size)] = value
    return x


def same_bits(ours, expected):
    made = np.asarray(ours)
    assert (made.shape, made.dtype) == (expected.shape, expected.dtype)
    assert made.tobytes() == np.ascontiguousarray(expected).tobytes()


@pytest.mark.parametrize("dtype", DTYPES)
@settings(max_examples=EXAMPLES // 2)
@given(rows=st.sampled_from(EXTENTS), columns=st.sampled_from(EXTENTS), seed=st.integers(0, 99))
def test_a_matrix(dtype, rows, columns, seed):
    x = array((rows, columns), dtype, seed)
    same_bits(la.asarray(x).T.copy(), x.T)


@settings(max_examples=EXAMPLES // 2)
@given(
    shape=st.tuples(*[st.sampled_from((2, 5, 67))] * 3),
    axes=st.sampled_from([(0, 2, 1), (2, 1, 0), (1, 2, 0), (2, 0, 1), (1, 0, 2)]),
)
def test_three_dimensions(shape, axes):
    x = array(shape, "float32", seed=1)
    same_bits(la.permute_dims(la.asarray(x), axes), x.transpose(axes))


@settings(max_examples=EXAMPLES // 2)
@given(shape=st.sampled_from([(2, 33, 5, 19), (3, 64, 2, 16)]), axes=st.permutations(range(4)))
def test_four_dimensions(shape, axes):
    x = array(shape, "float32", seed=2)
    same_bits(la.permute_dims(la.asarray(x), axes), x.transpose(axes))


@settings(max_examples=EXAMPLES // 2)
@given(rows=st.sampled_from(EXTENTS), columns=st.sampled_from(EXTENTS), seed=st.integers(0, 99))
def test_beside_arrays_that_are_read_as_they_lie(rows, columns, seed):
    x, y = array((rows, columns), "float32", seed), array((columns, rows), "float32", seed + 1)
    a, b = la.asarray(x), la.asarray(y)
    with np.errstate(all="ignore"):
        np.testing.assert_array_equal(np.asarray(a.T + b), x.T + y)


def test_a_square_matrix_and_itself():
    x = np.random.default_rng(3).integers(-99, 99, (131, 131)).astype("float64")
    np.testing.assert_array_equal(np.asarray(la.asarray(x) + la.asarray(x).T * x[0]), x + x.T * x[0])  # a row again


def test_parts_of_a_matrix():
    x = array((131, 140), "float32", seed=4)
    same_bits(la.asarray(x)[1:-1, 3::2].T, x[1:-1, 3::2].T)
    same_bits(la.asarray(x)[::-1, :100].T, x[::-1, :100].T)


@pytest.mark.slow
def test_what_becomes_of_a_transposed_matrix_is_shown():
    x = la.asarray(array((300, 200), "float32", seed=5))
    text = str(lift.explain(lift.jit(lambda x: x.T), x))
    assert re.search(r"schedule = (local_)?tiles", text)
    assert "interchange" in text  # each step is a rule
