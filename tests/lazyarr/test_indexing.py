"""`x[key]` with every kind of key against NumPy: what is chosen, in which order, of which shape, and what raises."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from ir.core.patterns import Slice
from lazyarr import lift
from lazyarr.array import core
from lazyarr.errors import TracingError
from lazyarr.runtime import default_device
from tests.lazyarr.evaluation import ON_DEVICE, interpreted
from tests.lazyarr.keys import basic_keys, in_numpy, keys
from tests.lazyarr.support import COMPLEX, DTYPES, check, operands, values

any_dtype = st.sampled_from((*DTYPES, *COMPLEX))


@given(data=st.data(), dtype=any_dtype)
@settings(max_examples=2 * settings.default.max_examples)
@interpreted()
def test_every_key(data, dtype):
    x = data.draw(operands(dtype=dtype))
    key = data.draw(keys(x.shape))
    check(la.asarray(x)[key], x[in_numpy(key)])


@pytest.mark.device
@pytest.mark.parametrize("dtype", ["bool", "uint64", "float32", "complex128"])
def test_elements_of_what_exists_are_read_where_they_lie(dtype, monkeypatch):
    """No kernel runs for `float(x[i, j])`, be it given memory or a result, from whichever end."""
    if ON_DEVICE and not default_device().zero_copy:
        pytest.skip("reads a device's own memory by a kernel")
    x = values((5, 3, 7), dtype, 11)
    given, made = la.asarray(x), la.flip(la.asarray(x))
    la.compute(made)
    row = given[4]

    def refuse(arrays):
        raise AssertionError(f"{arrays[0].node} went to the device")

    monkeypatch.setattr(core._bound, "evaluate", refuse)
    for at in np.ndindex(x.shape):
        back = tuple(i - n for i, n in zip(at, x.shape, strict=True))
        for found, expected in ((given[at], x[at]), (given[back], x[at]), (made[at], np.flip(x)[at])):
            check(found, expected)
            assert found.item() == expected
    check(row[1, -1], x[4, 1, -1])
    check(given[2:3, 1:2, 4:5], x[2:3, 1:2, 4:5])
    with pytest.raises(AssertionError, match="went to the device"):
        (given[1, 2, 3] == given[1, 2, 4]).item()


@given(data=st.data(), dtype=any_dtype)
@settings(max_examples=settings.default.max_examples)
@interpreted()
def test_keys_of_what_is_computed_and_viewed(data, dtype):
    x = data.draw(operands(dtype=dtype))
    a, first = la.asarray(x), data.draw(basic_keys(x.shape))
    a, x = (a[first], x[first]) if dtype == "bool" else (a[first] * 2, x[first] * x.dtype.type(2))
    key = data.draw(keys(x.shape))
    check(a[key], x[in_numpy(key)])


X = values((5, 4, 3), "float32", 1)
ROWS, COLUMNS = np.array([3, 0, -1, 3]), np.array([[1], [-4]])
MASK = X[:, :, 0] > 0
KEYS = {
    "an integer": 2,
    "from the end": (-1, -2),
    "all": (0, 1, 2),
    "a step": slice(None, None, 2),
    "backwards": (slice(None, None, -1), slice(3, 0, -2)),
    "nothing": slice(3, 3),
    "beyond": slice(2, 100),
    "dots": (..., 1),
    "dots in the middle": (1, ..., 0),
    "dots for nothing": (1, 2, 0, ...),
    "newaxis": (None, 1, None),
    "a list": [0, 2, 2],
    "an array": ROWS,
    "no indices": np.empty(0, np.int64),
    "an empty list": [],
    "broadcast": (ROWS, COLUMNS),
    "apart": (ROWS, slice(None), [0, 1, 2, -1]),
    "together": (slice(1, None), ROWS[:, None], [0, 2]),
    "with an integer": (ROWS, 0),
    "an integer apart": (0, slice(None), [1, 2]),
    "behind None": (None, ROWS),
    "a 0-d array": (np.array(2), ROWS),
    "a mask": X > 0,
    "rows by a mask": X[:, 0, 0] > 0,
    "a mask of two dimensions": MASK,
    "a mask and a slice": (MASK, slice(1, None)),
    "a mask and indices": (X[:, 0, 0] > 0, [0]),
    "a full mask": np.ones(5, bool),
    "an empty mask": np.zeros((5, 4), bool),
    "a mask without rows": np.empty(0, bool),
    "a mask without columns": np.empty((5, 0), bool),
    "a mask of nothing and a slice": (np.empty((0, 4), bool), slice(1, None)),
    "True": True,
    "False": False,
    "True and more": (True, 1),
    "nothing at all": (),
    "a list of bools": [True, False, True, True, False],
    "a tuple of lists": ([0, 1], [1, 2]),
    "a tuple": (slice(None), (0, 1, 0)),
    "one tuple": ((4, -1),),
    "tuples": ((0, 1, 0), (3, 3, 2)),
    "a tuple of tuples": (((0, 1), (2, 3)), ..., (1, 0)),
    "a tuple of bools": (slice(None), (True, False, True, False)),
    "an empty tuple": (slice(None), ()),
    "a NumPy integer": np.int8(3),
    "a range of rows": (slice(1, 4), slice(None, None, 3), slice(None, None, -1)),
    "unsigned": np.array([4, 0], np.uint8),
}


@pytest.mark.parametrize("key", KEYS.values(), ids=list(KEYS))
@interpreted()
def test_a_key(key):
    check(la.asarray(X)[key], X[key])
    moved = X.transpose(2, 0, 1)[:, ::-1]
    try:
        expected = moved[key]
    except IndexError:
        with pytest.raises(IndexError):
            la.asarray(moved)[key]
    else:
        check(la.asarray(moved)[key], expected)


@pytest.mark.device
def test_many_keys_in_a_jitted_function():
    """All in one program, and some with what is done to them: what the device makes of what is recorded."""
    names = [name for name in KEYS if "mask" not in name and X[KEYS[name]].size]

    @lift.jit
    def every(x):
        return [x[KEYS[name]] * 2 if i % 3 else x[KEYS[name]] for i, name in enumerate(names)]

    for i, (name, found) in enumerate(zip(names, every(X), strict=True)):
        check(found, X[KEYS[name]] * np.float32(2 if i % 3 else 1))


@pytest.mark.device
def test_lazy_indices_in_a_jitted_function():
    f = lift.jit(lambda x, i, j: x[i, :, j] - x[i + 1, 1:2, j // 2])
    i, j = np.array([0, 3, 2, 2]), np.array([2, 0, 1, 1], "int32")
    check(f(X, i, j), X[i, :, j] - X[i + 1, 1:2, j // 2])
    check(f(X, i[::-1] - 5, j), X[i[::-1] - 5, :, j] - X[i[::-1] - 4, 1:2, j // 2])


@pytest.mark.parametrize("shape", [(), (1,), (0,), (0, 3), (2, 0)], ids=str)
@interpreted()
def test_arrays_of_few_elements(shape):
    x = values(shape, "float64", 2)
    a = la.asarray(x)
    for key in ((), ..., None, (None, ...), x > 0, np.ones(shape, bool)):
        check(a[key], x[key])
    if shape:
        for key in (slice(None), slice(None, None, -1), np.empty(0, int), (..., slice(0, 0)), np.zeros((3, 0), int)):
            check(a[key], x[key])
        check(a[[[]]], x[np.empty((1, 0), int)])
    else:
        check(a[True], x[True])
        check(a[()], x[()])


BAD = [
    (5, IndexError, "index 5 is out of bounds for axis 0 with size 5"),
    ((0, -5), IndexError, "index -5 is out of bounds for axis 1 with size 4"),
    ((0, 0, 0, 0), IndexError, "index: too many indices"),
    ((..., ...), IndexError, "index: .*at most one"),
    ("x", IndexError, "index: expected integers"),
    (1.0, IndexError, "index: expected integers.*1.0"),
    ([0.5], IndexError, "index: .*float64"),
    (np.array([1 + 0j]), IndexError, "index: .*complex128"),
    ([0, 5], IndexError, "index 5 is out of bounds for axis 0"),
    (([0, 1], [0, 1, 2]), IndexError, "could not be broadcast together"),
    (np.ones(4, bool), IndexError, "index: boolean index did not match.*axis 0; its size is 5, that of the mask 4"),
    (np.ones((5, 3), bool), IndexError, "axis 1"),
    (np.ones((4, 0), bool), IndexError, "index: .*axis 0; its size is 5, that of the mask 4"),
    (slice(None, None, 0), ValueError, "slice step cannot be zero"),
    (slice("a", None), TypeError, "index: expected integers or None in a slice"),
]


@pytest.mark.parametrize(("key", "error", "message"), BAD, ids=[str(key) for key, *_ in BAD])
def test_what_is_no_key(key, error, message):
    with pytest.raises(error):
        X[key]
    with pytest.raises(error, match=message):
        la.asarray(X)[key]
    a = la.asarray(X)
    with pytest.raises(error, match=message.replace("index:", "setitem:")):
        a[key] = 0


@pytest.mark.device
def test_a_mask_has_no_value_while_a_function_is_recorded():
    with pytest.raises(TracingError, match="where"):
        lift.jit(lambda x: x[x > 0])(X)
    with pytest.raises(TracingError, match="slice bound"):
        lift.jit(lambda x, n: x[:n])(X, np.int64(2))


def test_iteration_gives_the_rows():
    rows = list(la.asarray(X))
    assert len(rows) == 5
    for row, expected in zip(rows, X, strict=True):
        check(row, expected)
    with pytest.raises(TypeError):
        iter(la.asarray(1.0))


@pytest.mark.parametrize(
    "key",
    [
        (slice(1, None), 2), (3,), (slice(2, 4),), (slice(None), 5), (slice(None, None, -1), slice(None, None, -1)),
        (slice(None, None, 2), 0), (1, slice(None, None, -2)), (slice(None), slice(3, 4)), (None, 2, slice(1, 6)),
    ],
    ids=str,
)  # fmt: skip
def test_what_lies_evenly_is_one_slice(key):
    x = np.arange(35, dtype="float32").reshape(5, 7)
    array = la.asarray(x)
    found = array[key]
    assert type(found.node) is Slice
    assert found.node.xs is array.node
    check(found, x[key], 0)


def test_what_does_not_lie_evenly_is_no_single_slice():
    x = np.arange(35, dtype="float32").reshape(5, 7)
    for key in [(slice(1, 3), slice(1, None)), (slice(None, None, 2),), (slice(None), slice(None, None, -1))]:
        array = la.asarray(x)
        found = array[key]
        assert type(found.node) is not Slice
        check(found, x[key], 0)


@pytest.mark.parametrize("dtype", ["int8", "uint16", "int32", "uint64"])
def test_one_array_of_indices_of_any_dtype(dtype):
    x, at = np.arange(60.0).reshape(3, 4, 5), np.array([[2, 0], [1, 2]], dtype)
    for key in [(at,), (slice(None), at), (None, slice(1, None), slice(None), at), (1, slice(None), at)]:
        lazy = tuple(la.asarray(part) if part is at else part for part in key)
        for _ in range(2):  # the limits of indices are remembered
            check(la.asarray(x)[lazy], x[key], 0)
    vector = np.arange(7.0)
    check(la.asarray(vector)[la.asarray(at)], vector[at], 0)
    with pytest.raises(IndexError, match="too many indices"):
        la.asarray(vector)[la.asarray(at), 0]
    with pytest.raises(IndexError, match="index 2 is out of bounds for axis 0 with size 2"):
        la.asarray(vector[:2])[la.asarray(at)]


@pytest.mark.parametrize("shape", [(0, 5), (3, 5), (0, 0)])
def test_where_nothing_is_chosen_indices_are_not_looked_at(shape):
    x = np.zeros(shape)
    for key in (([0], []), ([], [9]), ([[7]], []), (slice(None), [])):
        check(la.asarray(x)[key], x[key])
    with pytest.raises(IndexError):
        la.asarray(x)[[0], [7]]
    with pytest.raises(IndexError):
        la.asarray(x)[[0, 1], []]
