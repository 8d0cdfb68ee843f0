"""Large arrays that one call of NumPy's computes, and the same by kernels."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import pytest

import lazyarr as la
from ir.core.expr import free_inputs
from ir.reference.generate import write
from lazyarr import config, lift
from lazyarr.array import enqueue
from lazyarr.eager.operations import recording_only
from lazyarr.graph.leaves import Input
from lazyarr.tiers import reference
from tests.lazyarr.support import check, values


@pytest.fixture(params=["reference", "compiled"])
def tier(request: pytest.FixtureRequest) -> Iterator[str]:
    before = config.configure(tier=request.param, tune="off")
    yield request.param
    config.configure(**vars(before))


@pytest.fixture
def by_numpy() -> Iterator[None]:
    before = config.configure(tier="reference")
    yield
    config.configure(**vars(before))


# --- reductions from index to index -----------------------------------------------------------------------------------


def _indices(extent: int) -> list[np.ndarray]:
    rng = np.random.default_rng(extent)
    return [np.sort(rng.choice(extent, extent // 9, replace=False)), rng.integers(0, extent, 11), np.array([0])]


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float32", "float64", "complex64"])
@pytest.mark.parametrize("name", ["add", "maximum", "multiply"])
def test_large_arrays_are_reduced_from_index_to_index(name, dtype, by_numpy):
    x = values((90, 300), dtype, 1)
    if name == "multiply" and x.dtype.kind in "fc":
        x = 1 + x / (100 * np.abs(x).max())
    f, numpys = getattr(la, name), getattr(np, name)
    for axis, ours, theirs in ((0, la.asarray(x), x), (-1, la.asarray(x), x), (1, la.asarray(x)[::-1].T, x[::-1].T)):
        for at in _indices(theirs.shape[axis]):
            check(f.reduceat(ours, at, axis), numpys.reduceat(theirs, at, axis), 300, 300)


@pytest.mark.parametrize("name", ["add", "minimum", "subtract"])
def test_reduced_from_index_to_index_by_both_tiers(name, tier):
    x = values((9001,), "float64", 2)
    x[[5, 700]] = np.nan, np.inf
    f, numpys = getattr(la, name), getattr(np, name)
    for at in _indices(9001)[:2]:
        expected = numpys.reduceat(x, at)
        check(f.reduceat(la.asarray(x), at), expected, 9001, 100)
        check(f.reduceat(la.asarray(x[::-1])[::-1], la.asarray(at)), expected, 9001, 100)
        assert f.reduceat(la.asarray(x), at, dtype="float32").dtype == np.float32
    out = la.zeros(2)
    assert f.reduceat(la.asarray(x) * 1, [9, 3], out=out) is out
    check(out, numpys.reduceat(x, [9, 3]), 9001, 100)
    with pytest.raises(IndexError, match=f"{name}.reduceat: index 9001 is out of bounds for axis 0 with size 9001"):
        f.reduceat(la.asarray(x), [9001])
    check(f.reduceat(la.asarray(x), np.zeros(0, int)), numpys.reduceat(x, np.zeros(0, int)))


def test_sums_of_float32_from_index_to_index_are_carried_in_float64(by_numpy):
    x = np.full(1_000_000, 0.1, "float32")
    found = np.asarray(la.add.reduceat(la.asarray(x), [0, 500_000]))
    np.testing.assert_array_equal(found, np.float32(500_000 * np.float64(np.float32(0.1))))


def test_recorded_from_index_to_index():
    x, at = values((50,), "int64", 3), [3, 40, 7, 7, 49]
    check(lift.jit(lambda v: la.add.reduceat(v, at))(la.asarray(x)), np.add.reduceat(x, at))


# --- numbers selected by their places in order ------------------------------------------------------------------------


def _numbers(shape: tuple[int, ...], dtype: str) -> np.ndarray:
    x = values(shape, dtype, 5)
    if x.dtype.kind == "f":
        x.reshape(-1)[:40] = [0.0, -0.0, np.inf, -np.inf] * 10
    return x


def _program(x: np.ndarray, f: Callable[[la.Array], la.Array]) -> str:
    """The calls of NumPy that carry out a function of an array."""
    with recording_only:
        made = f(la.asarray(x)).node
    return write([made], free_inputs(made)).text


@pytest.mark.parametrize("dtype", ["int8", "int64", "uint64", "float32", "float64"])
def test_few_places_of_long_sorted_rows_are_selected(dtype, tier):
    cases = [((5001,), None), ((3, 2501), 1), ((2600, 3), 0), ((2, 2100, 2), 1), ((3, 2501), None)]
    if tier == "compiled" and dtype != "float64":
        cases = cases[:1]
    for shape, axis in cases:
        x = _numbers(shape, dtype)
        for y, ours in ((x, la.asarray(x)), (x[::-1], la.asarray(x)[::-1])):
            check(la.median(ours, axis), np.median(y, axis), 4, 4)
            check(la.percentile(ours, [5, 25, 90], axis), np.percentile(y, [5, 25, 90], axis), 8, 8)
            check(la.quantile(ours, 0.3, axis, method="lower"), np.quantile(y, 0.3, axis, method="lower"))
            along = 0 if axis is None else axis
            for descending, expected in ((False, np.sort(y, along)), (True, np.flip(np.sort(y, along), along))):
                check(la.sort(ours, along, descending=descending)[1], expected[1])


def test_nan_and_zeros_of_both_signs_are_selected_as_they_are_sorted(tier):
    x = np.zeros(4001)
    x[1::2] = -0.0
    np.testing.assert_array_equal(np.signbit(la.sort(la.asarray(x))[7:10]), np.signbit(x[7:10]))
    x[100:3000] = np.nan
    check(la.sort(la.asarray(x))[[1101, 1100]][0], np.float64(np.nan))
    assert np.isnan(la.median(la.asarray(x))) and np.isnan(la.percentile(la.asarray(x), 1))
    check(la.nanmedian(la.asarray(x)), np.float64(0))
    check(la.nanpercentile(la.asarray(np.append(x, 7.0)), [0, 100]), np.array([0.0, 7.0]))
    check(la.nanmedian(la.asarray(x.reshape(-1, 1)), axis=0), np.zeros(1))
    assert np.isnan(la.nanmedian(la.asarray(np.full(9000, np.nan))))


def test_what_numpy_is_asked_for():
    x = np.random.default_rng(3).random(5000)
    before = config.configure(tier="reference")
    try:
        assert ", 0, False, (2499, 2500, 4999))" in _program(x, la.median)
        assert "selected_numbers" in _program(x, lambda v: la.sort(v)[:3])
        assert "selected_numbers" in _program(x, lambda v: la.median(v.reshape(2, -1), axis=1))
        for f in (la.sort, lambda v: la.sort(v)[:9], lambda v: la.sort(v) + la.median(v), lambda v: la.sort(v)[::2]):
            assert "sorted_numbers" in _program(x, f) and "selected" not in _program(x, f)
        assert "selected" not in _program(x[:1000], la.median)
        assert "sorted_numbers" in _program((100 * x).astype("int16"), lambda v: la.sort(v)[5])
    finally:
        config.configure(**vars(before))


@pytest.mark.parametrize("dtype", ["bool", "int8", "int64", "float32", "float64", "complex128"])
def test_partitions(dtype, tier):
    for shape, axis, kth in (
        ((9001,), -1, 4000),
        ((9001,), None, [0, -1]),
        ((3, 5000), 1, [7, 2500]),
        ((5000, 3), 0, -2),
    ):
        x = _numbers(shape, dtype) if dtype != "complex128" else values(shape, dtype, 5)
        if x.dtype.kind == "f":
            x.reshape(-1)[50:60] = np.nan
        expected = np.sort(x, axis)
        along = 0 if axis is None else axis
        for made in (
            la.partition(la.asarray(x), kth, axis),
            la.take_along_axis(
                la.asarray(x) if axis is not None else la.asarray(x).reshape(-1),
                la.argpartition(la.asarray(x), kth, axis),
                axis=along,
            ),
        ):
            assert made.dtype == x.dtype and made.shape == expected.shape
            found = np.asarray(made)
            at = np.atleast_1d(kth)
            np.testing.assert_array_equal(np.take(found, at, along), np.take(expected, at, along))
            np.testing.assert_array_equal(np.sort(found, along), expected)
            k = np.atleast_1d(kth)[-1] % expected.shape[along]
            front, behind = np.split(found, [k], along)
            np.testing.assert_array_equal(np.sort(front, along), np.split(expected, [k], along)[0])
            np.testing.assert_array_equal(np.sort(behind, along), np.split(expected, [k], along)[1])
    x = la.asarray(_numbers((9001,), "float64"))
    x.partition(17)
    check(x[17], np.sort(_numbers((9001,), "float64"))[17])
    with pytest.raises(ValueError, match="argpartition: kth 9001 is out of bounds for 9001 elements"):
        la.argpartition(x, 9001)
    check(lift.jit(lambda v: la.partition(v * 2, 5))(x)[5], np.sort(2 * np.asarray(x))[5])


# --- values combined at places ----------------------------------------------------------------------------------------

_OF_NUMBERS = [
    "add", "subtract", "multiply", "divide", "floor_divide", "remainder", "power", "maximum", "fmin", "hypot",
    "arctan2", "copysign", "logaddexp", "logical_or", "fmod", "nextafter",
]  # fmt: skip


@pytest.mark.parametrize("dtype", ["int64", "uint8", "float32", "float64", "complex128"])
@pytest.mark.parametrize("name", _OF_NUMBERS)
def test_the_reference_tier_has_calls_for_all_that_is_combined_at_places(name, dtype, monkeypatch):
    rng = np.random.default_rng(7)
    x = rng.integers(1, 9, 9001).astype(dtype)
    v = rng.integers(1, 4, 20_000).astype(dtype)
    if x.dtype.kind == "f":
        x[[1, 2]], v[[5, 6]] = [np.nan, np.inf], [np.inf, np.nan]
    at = rng.integers(-9001, 9001, 20_000)
    expected = x.copy()
    try:
        with np.errstate(all="ignore"):
            getattr(np, name).at(expected, at, v)
    except TypeError:
        pytest.skip("NumPy refuses it")
    before = config.configure(tier="reference")
    monkeypatch.setattr(reference, "_interpreted", None)
    try:
        for ours, places, new in ((la.asarray(x), at, v), (la.asarray(x) * 1, la.asarray(at), la.asarray(v))):
            view = ours[::-1]
            getattr(la, name).at(ours, places, new)
            check(ours, expected, 40)
            check(view, expected[::-1], 40)
    finally:
        config.configure(**vars(before))


@pytest.mark.parametrize("name", ["subtract", "divide", "logaddexp"])
def test_combined_at_places_by_both_tiers(name, tier):
    x, v = np.arange(1.0, 9001.0), np.linspace(1, 2, 12_000)
    at = np.arange(12_000) * 7 % 9000
    expected = x.copy()
    getattr(np, name).at(expected, at, v)
    ours = la.asarray(x)
    getattr(la, name).at(ours, at, v)
    check(ours, expected, 4)
    rows, expected = la.asarray(x.reshape(-1, 9)), x.reshape(-1, 9).copy()
    getattr(la, name).at(rows, [[3, 3], [999, 0]], 2.0)
    getattr(np, name).at(expected, [[3, 3], [999, 0]], 2.0)
    check(rows, expected, 4)
    with pytest.raises(IndexError):
        getattr(la, name).at(ours, [9000], 1.0)


def test_values_are_combined_with_constants_that_are_not_repeated_first(by_numpy):
    at = np.arange(20_000) % 7
    for dtype in ("float32", "float64", "int8"):
        total = la.ones(100_000, dtype)
        la.add.at(total, at, la.ones(20_000, dtype))
        expected = np.ones(100_000, dtype)
        np.add.at(expected, at, np.ones(20_000, dtype))
        check(total, expected)


@pytest.mark.parametrize("name", ["add", "subtract", "maximum"])
def test_what_is_combined_may_be_a_list(name):
    for ours in (la.zeros(10), la.asarray(np.zeros(10)) + 1, la.asarray(np.zeros(3000)) + 1):
        expected = np.array(ours)
        getattr(la, name).at(ours, [0, 0], [1.0, 2.0])
        getattr(np, name).at(expected, [0, 0], [1.0, 2.0])
        check(ours, expected)
        with pytest.raises(TypeError, match=f"{name}.at: cannot put complex128"):
            getattr(la, name).at(ours, [0, 1], 1j)


# --- sums and extremes up to each element -----------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["int8", "uint64", "float32", "float64", "complex64"])
@pytest.mark.parametrize("name", ["cumsum", "cumprod", "maximum"])
def test_scans_of_rows_and_columns(name, dtype, tier):
    if tier == "compiled" and dtype != "float64":
        pytest.skip("as the first")
    x = values((70, 41, 3), dtype, 8)
    if name == "cumprod" and x.dtype.kind in "fc":
        x = (1 + x / (100 * np.abs(x).max())).astype(dtype)
    for y, ours in ((x, la.asarray(x)), (x.T, la.asarray(x).T), (x[:, ::-2], la.asarray(x)[:, ::-2])):
        for axis in range(3):
            f, g = (getattr(la, name), getattr(np, name))
            if name == "maximum":
                f, g = f.accumulate, g.accumulate
            check(f(ours, axis), g(y, axis), 70, 700)


def test_scans_along_first_axes_are_one_call_of_numpy():
    x = np.ones((90, 50))
    assert "accumulated(" in _program(x, lambda v: la.cumsum(v, axis=0))
    for f in (la.cumprod, la.maximum.accumulate):
        text = _program(x, lambda v, f=f: f(v, axis=0))
        assert text.count(".accumulate(") == 1 and "concatenate" not in text


# --- elements that come again -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "float64", "complex128"])
def test_elements_repeated_by_counts(dtype, tier):
    if tier == "compiled" and dtype not in ("float64", "complex128"):
        pytest.skip("as the first")
    x, rng = values((200, 90), dtype, 9), np.random.default_rng(9)
    for y, ours in ((x, la.asarray(x)), (x.T, la.asarray(x).T), (x[::-2], la.asarray(x)[::-2])):
        for axis in (None, 0, 1):
            counts = rng.integers(0, 3, y.size if axis is None else y.shape[axis])
            check(la.repeat(ours, counts, axis), np.repeat(y, counts, axis))
            check(la.repeat(ours, la.asarray(counts.astype("uint8")), axis), np.repeat(y, counts, axis))
            check(la.repeat(ours, counts * 0, axis), np.repeat(y, counts * 0, axis))
    made = la.repeat(la.asarray(x), counts[0] * 0 + 1, 0)
    made[0] = 0
    check(la.asarray(x), x)
    with pytest.raises(ValueError, match="repeat: expected one number or 200 of them"):
        la.repeat(la.asarray(x), counts[:7], 0)


@pytest.mark.device
def test_what_kernels_compute_is_waited_for():
    """Which way a call goes does not depend on when a kernel is done."""
    before = config.configure(tier="compiled", tune="off")
    y = la.asarray(np.arange(20_000.0)[::-1]) * 2
    enqueue(y)
    config.configure(tier="auto")
    try:
        found = np.asarray(la.partition(y, 7))
        assert found[7] == 14 and not (np.diff(found) > 0).all()  # by NumPy, which sorts no more than it must
    finally:
        config.configure(**vars(before))


# --- numbers that count -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("size", [40_000, 600_000])
@pytest.mark.parametrize("dtype", [None, "float32", "int32", "complex128"])
def test_equally_spaced_numbers(dtype, size, by_numpy):
    for bounds in ((0, 1), (-3.5, 700.25), (5, 5), (1e300, -1e300)):
        if dtype == "int32" and abs(bounds[0]) > 1e9:
            continue
        for endpoint in (True, False):
            expected = np.linspace(*bounds, size, endpoint, dtype=dtype)
            np.testing.assert_array_equal(np.asarray(la.linspace(*bounds, size, endpoint, dtype=dtype)), expected)
    np.testing.assert_array_equal(np.asarray(la.linspace(0, 1, size)[-5:-1]), np.linspace(0, 1, size)[-5:-1])
    np.testing.assert_array_equal(np.asarray(la.linspace(0, 1, size)[::-7]), np.linspace(0, 1, size)[::-7])


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["int8", "uint16", "int64", "float32", "float64"])
def test_numbers_that_count(dtype, by_numpy):
    for size in (40_000, 100):
        np.testing.assert_array_equal(np.asarray(la.arange(size).astype(dtype)), np.arange(size).astype(dtype))
        doubled = la.arange(size).astype(dtype) * la.asarray(2, dtype)
        np.testing.assert_array_equal(np.asarray(doubled), np.arange(size).astype(dtype) * np.array(2, dtype))
    large = (la.arange((1 << 24) + 9) + 0).astype("float32")[-9:]
    np.testing.assert_array_equal(np.asarray(large), np.arange((1 << 24) + 9)[-9:].astype("float32"))


@pytest.mark.parametrize("size", [40_000, 600_000])
@pytest.mark.parametrize("place", [0, 7, 39_999, 40_000, -1, 2.5, np.nan])
def test_one_number_is_replaced(place, size, by_numpy):
    x, at = values((size,), "float64", 3), np.arange(size)
    ours = la.asarray(x)
    doubled, theirs = ours * 2, x * 2
    found = la.where(la.arange(size) == place, 5.5, doubled)
    expected = np.where(at == place, 5.5, theirs)
    sum_ = found + doubled  # which is read behind the replacement
    for each, right in ((sum_, expected + theirs), (found, expected), (doubled, theirs), (ours, x)):
        np.testing.assert_array_equal(np.asarray(each), right)
    given = la.where(place == la.arange(size), ours[3], ours)
    np.testing.assert_array_equal(np.asarray(given), np.where(at == place, x[3], x))
    np.testing.assert_array_equal(np.asarray(ours), x)
    others = la.where(la.arange(size) == place, ours, 1.0) + la.where(la.arange(size) == place, 2, doubled)
    np.testing.assert_array_equal(np.asarray(others), np.where(at == place, x, 1.0) + np.where(at == place, 2, theirs))


def test_one_row_is_replaced(by_numpy):
    x = values((300, 200), "float64", 3)
    for at, theirs in ((la.arange(200), np.arange(200)), (la.arange(300)[:, None], np.arange(300)[:, None])):
        found = la.where(at == 7, 1.5, la.asarray(x) + 1)
        np.testing.assert_array_equal(np.asarray(found), np.where(theirs == 7, 1.5, x + 1))


# --- histograms -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "limits", [np.array([0.1, 0.7]), (np.float64(0.1), np.float64(0.7)), (0.1, 0.7), [np.float32(0), 1], None]
)
@pytest.mark.parametrize("size", [100, 9000, 300_000])
def test_edges_of_histograms_have_the_dtype_of_their_range(size, limits):
    x = (np.random.default_rng(3).integers(0, 41, size) / 40).astype(np.float32)  # many of them are edges
    counts, edges = la.histogram(la.asarray(x), 40, limits)
    right, lines = np.histogram(x, 40, limits)
    assert edges.dtype == lines.dtype
    np.testing.assert_array_equal(np.asarray(edges), lines)
    np.testing.assert_array_equal(np.asarray(counts), right)


def test_histograms_of_arrays_that_exist_are_numpys_calls():
    before = config.configure(tier="auto", tune="off")
    try:
        x, w = values((50_000,), "float64", 4), values((50_000,), "float64", 5)
        edges = np.array([-5.0, -1.0, 0.0, 2.5])
        for theirs in (x, x.astype("float32"), (x * 20).astype("int16")):
            for options in ({}, {"bins": 33}, {"range": (-2, 3.5)}, {"bins": edges}, {"weights": w}, {"density": True}):
                ours = {k: la.asarray(v) if isinstance(v, np.ndarray) else v for k, v in options.items()}
                counts, bounds = la.histogram(la.asarray(theirs), **ours)
                right, lines = np.histogram(theirs, **options)
                np.testing.assert_allclose(np.asarray(counts), right, rtol=1e-10)
                np.testing.assert_array_equal(np.asarray(bounds), lines)
                assert (counts.dtype, bounds.dtype) == (right.dtype, lines.dtype)
        taken = la.histogram(la.asarray(x), 10)[0]
        assert taken.value is not None
        assert la.histogram(la.asarray(x) * 2, 10, range=(0, 1))[0].value is None  # nothing exists yet
        with pytest.raises(ValueError, match="finite"):
            la.histogram(la.asarray(np.full(50_000, np.nan)))
    finally:
        config.configure(**vars(before))


# --- sets, diagonals --------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("other", ["int64", "uint8", "float32", "complex64", "bool"])
@pytest.mark.parametrize("dtype", ["int64", "uint64", "int8", "float64", "complex64", "bool"])
def test_which_elements_are_among_others(dtype, other, by_numpy):
    x, tests = values((40_000,), dtype, 1), values((9,), other, 2)
    if x.dtype.kind == "f":
        x[::7] = np.nan
    for invert in (False, True):
        with recording_only:
            recorded = np.asarray(la.isin(la.asarray(x), la.asarray(tests), invert=invert))
        before = config.configure(tier="auto")
        try:
            found = la.isin(la.asarray(x), la.asarray(tests), invert=invert)
            assert isinstance(found.expr, Input)  # it exists
            later = la.isin(la.asarray(x) * 2, tests).expr
            assert not isinstance(later, Input)
            assert not isinstance(later.made, Input)  # nothing exists yet, recorded at once or not
        finally:
            config.configure(**vars(before))
        np.testing.assert_array_equal(np.asarray(found), recorded)
        assert found.dtype == recorded.dtype


def test_diagonals_that_are_read_often_show_the_array():
    before = config.configure(tier="auto")
    try:
        n = values((300, 310), "float64", 1)
        x = la.asarray(n.copy())
        for i in range(20):
            found = la.diagonal(x, i % 5)
            np.testing.assert_array_equal(np.asarray(found), np.diagonal(n, i % 5))
        assert found.value is not None
        kept = la.diagonal(x) * 1
        x[:] = 3
        np.testing.assert_array_equal(np.asarray(found), np.full_like(np.diagonal(n, 4), 3))
        np.testing.assert_array_equal(np.asarray(kept), np.diagonal(n))
        with pytest.raises(ValueError, match="read-only"):
            found[0] = 1
    finally:
        config.configure(**vars(before))


@pytest.mark.parametrize("how", [{"tier": "compiled"}, {"deterministic": True}])
def test_diagonals_are_recorded_where_kernels_are_asked_for(how):
    before = config.configure(tier="auto")
    try:
        config.configure(**how)
        x = la.asarray(np.arange(20.0).reshape(4, 5))
        for i in range(20):
            assert la.diagonal(x, i % 5).value is None
        assert x.value is None
    finally:
        config.configure(**vars(before))


@pytest.mark.parametrize(
    ("dtype", "number"), [("int8", 300), ("uint8", -1), ("float32", 0.1), ("bool", 2), ("int8", 44)]
)
def test_a_number_is_among_others_as_it_is(dtype, number):
    x = np.full(9, 44 if dtype == "int8" else number % 256).astype(dtype)
    for elements, tests in ((x, number), (number, x)):
        with recording_only:
            found = la.isin(*(la.asarray(z) if z is x else z for z in (elements, tests)))
            np.testing.assert_array_equal(np.asarray(found), np.isin(elements, tests))
