"""Reductions that leave NaNs out, against NumPy."""

from __future__ import annotations

import warnings

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import config, lift
from tests.lazyarr.support import agree, seeds, values

pytestmark = pytest.mark.recording

CASES = [("float64", (3, 5), 1), ("float32", (7,), None), ("complex64", (4, 3), 0), ("int32", (3, 4), 0)]


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmean", "nanvar", "nanstd", "nanmax", "nanmin"])
@pytest.mark.parametrize("case", CASES, ids=str)
@given(seed=seeds, keepdims=st.booleans())
@settings(max_examples=5)
def test_against_numpy(name, case, seed, keepdims):
    dtype, shape, axis = case
    rng = np.random.default_rng(seed)
    x = values(shape, dtype, seed)
    if dtype != "int32":
        x[rng.random(shape) < rng.choice([0.0, 0.4, 1.0])] = np.nan
        if dtype != "complex64":
            x[rng.random(shape) < 0.1] = -np.inf
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = getattr(np, name)(x, axis=axis, keepdims=keepdims)
    agree(getattr(la, name)(la.asarray(x), axis, keepdims=keepdims), expected, 400, x, 100, zeros=False)


def test_degrees_of_freedom_and_dtypes():
    x = np.array([[1.0, np.nan, 4, 8], [np.nan, np.nan, 3, np.nan]])
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        agree(la.nanvar(la.asarray(x), 1, ddof=1), np.nanvar(x, 1, ddof=1))
        agree(la.nanstd(la.asarray(x), 1, ddof=1), np.nanstd(x, 1, ddof=1))
    agree(la.nansum(la.asarray(x), dtype="float32"), np.nansum(x, dtype="float32"))
    agree(la.nanmean(la.asarray(x), dtype="float32"), np.nanmean(x, dtype="float32"))
    with pytest.raises(ValueError, match="zero-size"):
        la.nanmax(la.zeros((0, 3)), 0)


@pytest.mark.parametrize("name", ["nansum", "nanprod", "nanmin", "nanmax", "nanmean", "nanvar", "nanstd"])
def test_masks_and_first_numbers(name):
    x = values((4, 5), "float64", 3)
    x[0, 1] = x[2] = x[3, 3] = np.nan
    mask = values((4, 5), "bool", 4)
    moment = name in ("nanmean", "nanvar", "nanstd")
    given = {} if moment else {"initial": 0.5}
    with warnings.catch_warnings(), np.errstate(all="ignore"):
        warnings.simplefilter("ignore")
        expected = getattr(np, name)(x, axis=1, where=mask, **given)
        agree(getattr(la, name)(la.asarray(x), axis=1, where=mask, **given), expected, 100, scale=81)
        if not moment:
            agree(getattr(la, name)(la.asarray(x), initial=0.5), getattr(np, name)(x, initial=0.5), 100, scale=81)


NOTHING = {
    "mean": lambda xp: xp.nanmean(xp.zeros(0)),
    "means of nothing": lambda xp: xp.nanmean(xp.zeros((0, 3)), axis=0),
    "no means": lambda xp: xp.nanmean(xp.zeros((0, 3)), axis=1),
    "var": lambda xp: xp.nanvar(xp.zeros(0)),
    "var, mean": lambda xp: xp.nanvar(xp.zeros(0), mean=2.0),
    "std": lambda xp: xp.nanstd(xp.zeros((2, 3)), axis=0, ddof=2),
    "std, degrees left": lambda xp: xp.nanstd(xp.zeros((2, 3)), axis=0, ddof=1),
    "no std": lambda xp: xp.nanstd(xp.zeros((0, 0)), axis=0),
    "median": lambda xp: xp.nanmedian(xp.zeros((0, 3)), axis=0),
    "no medians": lambda xp: xp.nanmedian(xp.zeros((0, 0)), axis=0),
    "quantile": lambda xp: xp.nanquantile(xp.zeros((0, 3)), 0.5, axis=0),
    "no quantiles": lambda xp: xp.nanquantile(xp.zeros((0, 0)), 0.5, axis=0),
    "percentile of what was chosen": lambda xp: xp.nanpercentile((x := xp.ones(3))[x > 2], 50),
}


@pytest.mark.usefixtures("each_tier")
@pytest.mark.parametrize("case", NOTHING)
def test_where_shapes_say_that_there_is_nothing_the_warnings_are_numpys(case):
    said = []
    for xp in (np, la, la):
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            agree(NOTHING[case](la), NOTHING[case](np)) if xp is la else None
            caught.clear()
            NOTHING[case](xp)
        said.append([str(w.message) for w in caught if w.category is RuntimeWarning])
    assert said[0] == said[1] == said[2]


@pytest.fixture(params=["auto", "compiled"])
def each_tier(request):
    before = config.configure(tier=request.param)
    yield
    config.configure(**vars(before))


@pytest.mark.parametrize("name", ["nanargmax", "nanargmin"])
@pytest.mark.usefixtures("each_tier")
@pytest.mark.parametrize("count", [4, 40_000])
def test_there_is_no_index_among_nans_alone(name, count):
    x = np.random.default_rng(count).random((3, count))
    x[1] = np.nan
    search = getattr(la, name)
    for array in (la.asarray(x), la.asarray(x).astype("complex64"), la.asarray(x) * 2):
        with pytest.raises(ValueError, match="All-NaN slice encountered"):
            search(array, axis=1)
        agree(search(array, axis=0), getattr(np, name)(x, axis=0))
        agree(search(array), getattr(np, name)(x))
    assert lift.jit(lambda x: search(x, axis=1))(la.asarray(x))[1] == 0  # which cannot know


@pytest.mark.parametrize("name", ["nanmean", "nanvar", "nanstd"])
@pytest.mark.parametrize("dtype", ["int64", "uint8", "bool"])
def test_nan_needs_a_dtype_that_holds_it(name, dtype):
    x = np.array([1.5, np.nan, 4.0], "float32")
    for numbers in (x, x.astype("complex64")):
        with pytest.raises(TypeError, match=f"nan.*dtype.*{dtype}"):
            getattr(la, name)(la.asarray(numbers), dtype=dtype)
    found = getattr(la, name)(la.asarray(x), dtype="float64")
    assert found.dtype == "float64"
    np.testing.assert_allclose(found, getattr(np, name)(x, dtype="float64"), rtol=1e-14)
