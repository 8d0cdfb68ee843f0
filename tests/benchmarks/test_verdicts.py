"""Verdicts about two results: they let rounding pass, and nothing else."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import verdicts
from benchmarks.verdicts import difference, differences, leaves, scale, tolerance

F4, F8 = np.dtype(np.float32), np.dtype(np.float64)
X = np.linspace(-2, 3, 1009)


def test_the_same_is_right():
    for value in (X, X.astype("f4"), X * 1j, X > 0, np.arange(7), np.array(3.5)):
        assert difference(value, value.copy(), 0.0) == ""


def test_rounding_within_the_tolerance_is_right_and_beyond_it_wrong():
    relative = tolerance(F8, X.size)
    size = scale(X)
    assert difference(X, X + 0.9 * relative * size, relative) == ""
    said = difference(X, np.where(np.arange(X.size) == 500, X + 3 * relative * size, X), relative)
    assert said.startswith("1 of 1009 values are wrong, first at (500,): expected 0.48")


def test_the_tolerance_follows_from_dtype_and_count():
    assert tolerance(F8, 400) == 2 * tolerance(F8, 100)
    assert tolerance(F4, 100) > 1e8 * tolerance(F8, 100)
    assert tolerance(F4, 1 << 40) == pytest.approx(2**-11.5)
    assert tolerance(np.dtype(np.int64), 100) == 0


@pytest.mark.parametrize(
    ("expected", "got", "said"),
    [
        (np.arange(3), np.arange(4), "expected shape (3,), got (4,)"),
        (np.arange(3), np.arange(3)[:, None], "expected shape (3,), got (3, 1)"),
        (np.arange(3), np.arange(3.0), "expected int64, got float64"),
        (np.arange(3.0), np.arange(3) + 0j, "expected float64, got complex128"),
        (np.array([1, 2]), np.array([1, 3]), "1 of 2 values are wrong, first at (1,): expected 2, got 3"),
        (np.array([True]), np.array([False]), "1 of 1 values are wrong, first at (0,): expected True, got False"),
        (np.array([1, np.nan]), np.array([1.0, 2.0]), "1 of 2 values are wrong, first at (1,): expected nan, got 2.0"),
        (np.array([1.0, 2.0]), np.array([1, np.nan]), "1 of 2 values are wrong, first at (1,): expected 2.0, got nan"),
        (np.array([np.inf]), np.array([-np.inf]), "1 of 1 values are wrong, first at (0,): expected inf, got -inf"),
        (np.array([1e308]), np.array([np.inf]), "1 of 1 values are wrong, first at (0,): expected 1e+308, got inf"),
        (np.array(["a"]), np.array(["a"]), "<U1 cannot be compared"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_said(expected, got, said):
    assert difference(expected, got, 1e-3) == said


@pytest.mark.parametrize("block", [1, 7, 64, 1 << 20])
def test_arrays_are_compared_in_blocks_whatever_their_layout(monkeypatch, block):
    monkeypatch.setattr(verdicts, "BLOCK", block)
    value = np.random.default_rng(3).normal(size=(13, 5, 3))
    moved = np.moveaxis(np.moveaxis(value, 0, 2).copy(), 2, 0)  # the same numbers, another order in memory
    assert difference(value, moved, 1e-12) == "" and difference(moved, value, 1e-12) == ""
    assert scale(moved) == pytest.approx(np.sqrt(np.mean(value**2)))
    moved[7, 2, 1] += 1
    moved[12, 4, 2] += 1
    said = difference(value, moved, 1e-12)
    assert said.startswith("2 of 195 values are wrong, first at (7, 2, 1): expected ")
    assert difference(value, moved, 1e-12, stated=1.01 * np.sqrt(2) / np.linalg.norm(value)) == ""
    assert difference(value, moved, 1e-12, stated=0.99 * np.sqrt(2) / np.linalg.norm(value)) == said
    assert difference(value[:, :0], moved[:, :0], 0.0) == ""


def test_large_integers_are_compared_exactly():
    assert difference(np.array([2**62 + 1]), np.array([2**62]), 0.0)
    assert difference(np.array([2**62], np.int64), np.array([2**62], np.uint64), 0.0) == ""


def test_infinities_and_nans_in_the_same_places_are_right():
    value = np.array([np.nan, np.inf, -np.inf, 1.0])
    assert difference(value, value.copy(), 0.0) == ""


def test_the_scale_of_huge_and_empty_arrays():
    assert scale(np.full(5, 1e300)) == pytest.approx(1e300)
    assert scale(np.zeros(3)) == scale(np.zeros(0)) == 0


def test_an_error_that_a_program_states_is_one_in_the_norm():
    off = np.where(np.arange(X.size) == 3, X + 0.05, X)
    assert difference(X, off, 1e-10)
    assert difference(X, off, 1e-10, stated=1e-2) == ""
    assert difference(X, off + 1, 1e-10, stated=1e-2)
    assert difference(np.zeros(3), np.ones(3), 1e-10, stated=1e-2)


def test_several_results_belong_together():
    assert differences([X, X], [X], 10) == "expected 2 results, got 1"
    assert differences([X, X], [X, -X], 10).startswith("result 1: 1009 of 1009 values")
    # beside large results, what NumPy computes as zero may be the difference of two roundings, but no more
    assert differences([X, np.zeros(3)], [X, np.full(3, 1e-16)], 9) == ""
    assert differences([X, np.zeros(3)], [X, np.full(3, 1e-14)], 9).startswith("result 1")
    assert differences([np.zeros(3)], [np.full(3, 1e-16)], 9)


def test_leaves_of_what_functions_return():
    assert leaves(None) == []
    assert leaves(3) == [3]
    assert leaves((1, [2, None, (3,)])) == [1, 2, 3]
