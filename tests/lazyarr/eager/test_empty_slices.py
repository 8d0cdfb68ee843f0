"""Warnings that values decide: rows without a number, where the values are there; all else is silent."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift

ROWS = np.array([[np.nan, np.nan, np.nan], [1.0, np.nan, 3.0], [4.0, 5.0, 9.0]])
FULL = np.array([[1.0, 2.0, 4.0], [3.0, 5.0, 9.0], [7.0, 1.0, 1.0]])
MASK = np.array([[False, False, False], [True, False, False], [True, True, True]])

SKIPPING = {
    "nanmean": lambda xp, x, **k: xp.nanmean(x, **k),
    "nanvar": lambda xp, x, **k: xp.nanvar(x, **k),
    "nanstd with ddof": lambda xp, x, **k: xp.nanstd(x, ddof=1, **k),
    "nanvar with correction": lambda xp, x, **k: xp.nanvar(x, correction=2, **k),
    "nanmax": lambda xp, x, **k: xp.nanmax(x, **k),
    "nanmin": lambda xp, x, **k: xp.nanmin(x, **k),
    "nanmedian": lambda xp, x, **k: xp.nanmedian(x, **k),
    "nanquantile": lambda xp, x, **k: xp.nanquantile(x, [0.25, 0.5], **k),
    "nanpercentile": lambda xp, x, **k: xp.nanpercentile(x, 40, **k),
}


def messages(call):
    """What a call gives, and what it warns of, but for floating-point errors."""
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        found = np.asarray(call())
    return found, [(w.category, str(w.message), w.filename) for w in said if "encountered in" not in str(w.message)]


def compare(f, *arrays, **options):
    expected, theirs = messages(lambda: f(np, *arrays, **options))
    given = {name: la.asarray(x) if isinstance(x, np.ndarray) else x for name, x in options.items()}
    found, ours = messages(lambda: f(la, *map(la.asarray, arrays), **given))
    np.testing.assert_allclose(found, expected, rtol=1e-14)
    said = {w[:2] for w in theirs}  # NumPy says of medians for each row what is said once
    assert len(ours) == len(said) and {w[:2] for w in ours} == said
    assert all(w[2] == __file__ for w in ours)


@pytest.mark.parametrize("name", SKIPPING)
@pytest.mark.parametrize("axis", [0, 1, -1, None])
def test_rows_of_nan_alone_warn_as_in_numpy(name, axis):
    for x in (ROWS, ROWS[:1], ROWS[1:], FULL, ROWS.astype("float32"), ROWS.T.copy()):
        if "var with correction" in name and x is not ROWS:
            continue
        compare(SKIPPING[name], x, axis=axis)
    if axis is not None:
        compare(SKIPPING[name], ROWS, axis=axis, keepdims=True)


@pytest.mark.parametrize("name", ["mean", "var", "std", "nanmean", "nanvar"])
def test_masks_that_leave_too_few_warn_as_in_numpy(name):
    for mask in (MASK, MASK | True, MASK[:, :1]):
        compare(lambda xp, x, where: getattr(xp, name)(x, axis=1, where=where), FULL, where=mask)
    if name in ("var", "std"):
        compare(lambda xp, x, where: getattr(xp, name)(x, axis=1, where=where, ddof=1), FULL, where=MASK)


def test_what_the_shape_says_is_said_once():
    compare(lambda xp, x: xp.nanvar(x, axis=1, ddof=3), FULL)
    compare(lambda xp, x: xp.nanmean(x, axis=0), np.zeros((0, 2)))
    compare(lambda xp, x: xp.std(x), np.zeros(0))


def test_infinities_are_no_empty_slices():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert np.isnan(la.nanvar(la.asarray([np.inf, 1.0, np.nan])))
        assert np.isnan(la.nanmean(la.asarray([np.inf, -np.inf])))


def test_errors_of_a_filter_are_raised_and_recorded_functions_are_silent():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        with pytest.raises(RuntimeWarning, match="Mean of empty slice"):
            la.nanmean(la.asarray(ROWS), axis=1)
        assert np.isnan(lift.jit(lambda x: la.nanmean(x, axis=1))(la.asarray(ROWS))[0])


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", ["nanmax", "nanmin"])
@pytest.mark.parametrize("initial", [0, np.nan])
def test_an_initial_number_counts_in_each_slice(name, dtype, initial):
    for mask in (MASK, False):
        compare(lambda xp, x, **k: getattr(xp, name)(x, axis=1, initial=initial, **k), ROWS.astype(dtype), where=mask)


@pytest.mark.parametrize("dtype", ["float32", "float64", "complex64", "complex128"])
@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd", "mean", "var", "std"])
def test_arrays_that_numpy_made_warn_at_their_first_use(name, dtype):
    compare(lambda xp, x: getattr(xp, name)(x, where=False), FULL.astype(dtype))
    if name.startswith("nan"):
        compare(lambda xp, x: getattr(xp, name)(x, axis=1), ROWS.astype(dtype))


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanmedian", "nanmax"])
def test_operands_given_by_name_warn_as_others(name):
    compare(lambda xp, x: getattr(xp, name)(a=x, axis=1, keepdims=True), ROWS)
