"""Sorting and searching against NumPy: dtypes, axes, NaN, signed zeros, equal elements, in the simulator, bad input."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.exceptions import AxisError

import lazyarr as la
from ir.core.expr import postorder
from ir.core.patterns import Sort
from ir.cost.thresholds.partition import SEARCH_COMPARED_UP_TO
from ir.cost.thresholds.sorts import SORT_MANY_FROM
from lazyarr import config, lift
from tests import oclgrind
from tests.lazyarr.support import special

LENGTHS = st.sampled_from([37, 131])
KINDS = ("bool", "uint8", "int16", "uint64", "float32", "float64", "complex64")


@pytest.fixture(autouse=True, scope="module")
def untuned():
    old = config.configure(tune="off")
    yield
    config.configure(**vars(old))


def same(found: la.Array, expected: np.ndarray) -> None:
    """The same elements, bit for bit, but for what kind of NaN they are."""
    value = np.asarray(found)
    assert value.dtype == expected.dtype
    np.testing.assert_array_equal(value, expected, strict=True)
    if value.dtype.kind in "fc":
        for a, b in ((value.real, expected.real), (value.imag, expected.imag)):
            np.testing.assert_array_equal(np.signbit(a)[~np.isnan(a)], np.signbit(b)[~np.isnan(b)])


def few(dtype: str, count: int, seed: int) -> np.ndarray:
    """Numbers of which many are equal, all kinds of them."""
    return np.random.default_rng(seed).choice(special(dtype, max(1, count // 2), seed), count)


@pytest.mark.parametrize("dtype", KINDS)
@settings(max_examples=5)
@given(count=LENGTHS, seed=st.integers(0, 999))
def test_sort_and_argsort_are_numpys_stable_ones(dtype, count, seed):
    x = few(dtype, count, seed)
    a = la.asarray(x)
    same(la.sort(a), np.sort(x, kind="stable"))
    same(la.argsort(a), np.argsort(x, kind="stable"))


@pytest.mark.parametrize("count", [1, 2, 5])
def test_a_few(count):
    x = few("int32", count, 1)
    same(la.sort(la.asarray(x)), np.sort(x))


@pytest.mark.parametrize("dtype", ["int16", "float32"])
def test_long_arrays_are_sorted_by_digits(dtype):
    x = few(dtype, 3001, 3)
    same(la.sort(la.asarray(x)), np.sort(x, kind="stable"))
    same(la.argsort(la.asarray(x)), np.argsort(x, kind="stable"))


@pytest.mark.parametrize(("shape", "axis"), [((3, 5, 2), 1), ((300, 2), 0), ((4, 1), 1), ((3, 5), None)])
def test_every_axis(shape, axis):
    x = few("int16", int(np.prod(shape)), 5).reshape(shape)
    same(la.sort(la.asarray(x), axis), np.sort(x, axis, kind="stable"))
    same(la.argsort(la.asarray(x), axis), np.argsort(x, axis, kind="stable"))


@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0)])
def test_nothing_is_sorted_to_nothing(shape):
    x = np.empty(shape, np.float32)
    same(la.sort(la.asarray(x)), np.sort(x))
    same(la.argsort(la.asarray(x)), np.argsort(x))


def test_descending_is_stable_and_has_nan_first():
    x = np.array([1, np.nan, 3, -0.0, 3, 0.0], np.float32)
    same(la.argsort(la.asarray(x), descending=True), np.array([1, 2, 4, 0, 3, 5]))
    same(la.sort(la.asarray(x), descending=True), x[[1, 2, 4, 0, 3, 5]])
    same(la.argsort(la.asarray([True, False, True]), descending=True), np.array([0, 2, 1]))


def test_what_is_computed_before_and_after_a_sort():
    x = few("int32", 131, 8) % 1000
    a = la.asarray(x)
    same(la.sort(a * 2 - 7)[::-1] + 1, np.sort(x * 2 - 7)[::-1] + 1)
    same(lift.jit(lambda a: la.sort(a)[:5] * 3)(a), np.sort(x)[:5] * 3)


def test_in_place():
    a = la.asarray([[3, 1, 2], [9, 7, 8]])
    before = a + 0
    a.sort()
    same(a, np.array([[1, 2, 3], [7, 8, 9]]))
    same(before, np.array([[3, 1, 2], [9, 7, 8]]))
    same(a.argsort(0), np.array([[0, 0, 0], [1, 1, 1]]))


@pytest.mark.device
def test_many_elements():
    rng = np.random.default_rng(8)
    x = np.concatenate(
        [rng.standard_normal(SORT_MANY_FROM, "float32"), np.float32([np.nan, -0.0, 0.0, np.inf, -np.inf] * 7)]
    )
    rng.shuffle(x)
    same(la.sort(la.asarray(x)), np.sort(x, kind="stable"))
    i = rng.integers(-(1 << 15), 1 << 15, SORT_MANY_FROM + 13).astype("int16")
    i[::3] = 5
    same(la.argsort(la.asarray(i)), np.argsort(i, kind="stable"))


def test_partitions_and_the_greatest():
    x = few("float32", 37, 2)
    x[np.isnan(x)] = 0
    a = la.asarray(x)
    assert float(la.partition(a, 5)[5]) == np.partition(x, 5)[5]
    assert x[int(la.argpartition(a, 5)[5])] == np.partition(x, 5)[5]
    values, indices = la.top_k(a, 4)
    same(values, np.sort(x)[::-1][:4])
    same(la.take(a, indices), np.sort(x)[::-1][:4])
    least, _ = la.top_k(a, 3, largest=False)
    assert np.asarray(least).tolist() == np.sort(x)[:3].tolist()


def test_lexsort():
    keys = [few("int8", 35, 1).reshape(5, 7) // 50, few("float32", 35, 3).reshape(5, 7)]
    same(la.lexsort([la.asarray(key) for key in keys], 0), np.lexsort(keys, 0))
    same(la.lexsort([key[0] for key in keys]), np.lexsort([key[0] for key in keys]))


@pytest.mark.slow
def test_lexsort_by_many_keys():
    for shape in ((5000,), (2, 2500)):
        moved = []
        for count in (48, 96):
            keys = [few("float32", 5000, seed).reshape(shape) // 50 for seed in range(count)]
            found = la.lexsort([la.asarray(key) + 0 for key in keys])
            sorts = [node for node in postorder(found.node) if isinstance(node, Sort)]
            moved.append(sum(len(sort.xs.type.element.elements) for sort in sorts))
        assert 0 < moved[1] <= 2.1 * moved[0]  # each sort moves a bounded number of keys
        before = config.configure(tier="reference")
        try:
            found = np.asarray(la.lexsort([la.asarray(key) + 0 for key in keys[:20]]))
        finally:
            config.configure(**vars(before))
        np.testing.assert_array_equal(found, np.lexsort(keys[:20]))


@pytest.mark.parametrize("dtype", ["uint64", "float32", "complex64"])
@settings(max_examples=5)
@given(count=LENGTHS, seed=st.integers(0, 999), side=st.sampled_from(["left", "right"]))
def test_searchsorted(dtype, count, seed, side):
    lines, values = np.sort(few(dtype, count, seed)), few(dtype, 35, seed + 1).reshape(5, 7)
    values[0] = np.random.default_rng(seed).choice(lines, 7)
    same(la.searchsorted(la.asarray(lines), la.asarray(values), side), np.searchsorted(lines, values, side))


@pytest.mark.parametrize("dtype", ["bool", "int16", "float64", "complex64"])
@pytest.mark.parametrize("side", ["left", "right"])
def test_searchsorted_among_many(dtype, side):
    lines, values = np.sort(few(dtype, 3 * SEARCH_COMPARED_UP_TO + 1, 5)), few(dtype, 97, 6)
    values[:7] = np.random.default_rng(7).choice(lines, 7)
    same(la.searchsorted(la.asarray(lines), la.asarray(values), side), np.searchsorted(lines, values, side))


def test_searchsorted_converts_and_follows_a_sorter():
    x = np.array([5, 1, 9, 3])
    order = np.argsort(x)
    same(la.searchsorted(la.asarray(x), [2.5, 9], sorter=order), np.searchsorted(x, [2.5, 9], sorter=order))
    assert int(la.searchsorted(la.asarray([1, 2, 3]), 2.5)) == 2
    same(la.searchsorted(la.asarray(np.empty(0)), [1.0, 2]), np.array([0, 0]))
    same(la.asarray([1, 2, 3]).searchsorted([3, 4], side="right"), np.array([3, 3]))
    bytes_ = np.array([1, 200], "u1")
    for number in (-1, 1.5, 300):  # a Python number is looked for as it is, not as one of the vector's dtype
        same(la.searchsorted(la.asarray(bytes_), number), np.searchsorted(bytes_, number))


@pytest.mark.parametrize("right", [False, True])
def test_digitize(right):
    x = np.array([0.2, 6.4, 3.0, 1.6, np.nan, 10, -1])
    for edges in ([0.0, 1.0, 2.5, 4.0, 10.0], [10.0, 4, 2.5, 1, 0], [3.0]):
        same(la.digitize(la.asarray(x), edges, right), np.digitize(x, edges, right))
    with pytest.raises(ValueError, match="monotonically"):
        la.digitize(x, [1, 3, 2])


def test_indices_that_sort_a_single_number():
    for name, kth in (("argsort", ()), ("argpartition", (0,))):
        for axis in (0, -1, None):
            found = np.asarray(getattr(la, name)(la.asarray(3.0), *kth, axis=axis))
            np.testing.assert_array_equal(found, getattr(np, name)(np.asarray(3.0), *kth, axis=axis), strict=True)


def test_partitions_of_nothing():
    for shape, axis in (((1, 0, 1), 0), ((1, 0, 1), -1), ((0,), 0), ((2, 0), 1)):
        x = np.zeros(shape, "int64")
        for name in ("partition", "argpartition"):
            found = np.asarray(getattr(la, name)(la.asarray(x), 5, axis=axis))
            np.testing.assert_array_equal(found, getattr(np, name)(x, 5, axis=axis), strict=True)


def test_bad_input():
    with pytest.raises(AxisError):
        la.sort(la.asarray(3.0))
    with pytest.raises(AxisError):
        la.argsort(la.asarray([1, 2]), 1)
    with pytest.raises(AxisError):
        la.argsort(la.asarray(3.0), 1)
    with pytest.raises(ValueError, match=r"sort: expected a kind of .*'stable', got 'bubble'"):
        la.sort([1, 2], kind="bubble")
    with pytest.raises(ValueError, match="partition: kth 7 is out of bounds for 2 elements"):
        la.partition([1, 2], 7)
    with pytest.raises(ValueError, match="searchsorted: expected side"):
        la.searchsorted([1, 2], 1, "middle")
    with pytest.raises(ValueError, match="searchsorted: expected a sorted vector"):
        la.searchsorted([[1, 2]], 1)
    with pytest.raises(ValueError, match="top_k: expected k to be 0 to 2, got 3"):
        la.top_k(la.asarray([1, 2]), 3)


@pytest.mark.device
@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_in_the_simulator():
    code = """
import numpy as np
import lazyarr as la
from ir.schedules import sorts
from lazyarr import config
config.configure(tune="off")
x = np.random.default_rng(0).integers(-9, 9, (3, 37)).astype("int8")
for most in (1024, 1):  # by comparison, then by digits
    sorts.SORT_COMPARED_UP_TO = sorts.SORT_ROW_COMPARED_UP_TO = most
    for y in (x.ravel(), x[:, : 30 + most // 1024]):
        a = la.asarray(y.copy())
        np.testing.assert_array_equal(np.asarray(la.sort(a)), np.sort(y))
        np.testing.assert_array_equal(np.asarray(la.argsort(a)), np.argsort(y, kind="stable"))
"""
    assert oclgrind.run(code, environment={"LAZYARR_CACHE": "off"}) == ""
    code = """
import numpy as np
import lazyarr as la
from lazyarr import config
config.configure(tune="off")
lines, x = np.arange(0, 60, 3), np.arange(-3, 70)
np.testing.assert_array_equal(np.asarray(la.searchsorted(la.asarray(lines), la.asarray(x))), np.searchsorted(lines, x))
"""
    assert oclgrind.run(code, environment={"LAZYARR_CACHE": "off"}) == ""
