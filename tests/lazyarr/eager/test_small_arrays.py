"""Copies, joins, walks and rows of small arrays that exist, which NumPy makes."""

import numpy as np
import pytest

import lazyarr as la


@pytest.mark.parametrize("dtype", ["float64", "float32", "int64", "bool", "complex128"])
@pytest.mark.parametrize("shape", [(0,), (1,), (17,), (5, 7), ()])
def test_copies_are_written_to_alone(shape, dtype):
    a = (np.random.default_rng(1).random(shape) * 9).astype(dtype)
    for x in (la.asarray(a), la.asarray(a) + la.asarray(a), la.asarray(a)[::-1] if shape else la.asarray(a)):
        before = np.array(x)
        y = x.copy()
        np.testing.assert_array_equal(np.asarray(y), before)
        if y.size:
            y[...] = 1
        np.testing.assert_array_equal(np.asarray(x), before)
        assert y.dtype == x.dtype and y.shape == x.shape


def test_elements_follow_what_is_written_while_they_are_gone_through():
    a = np.arange(12.0).reshape(3, 4)
    for view, own in ((la.asarray(a), a.copy()), (la.asarray(a).T, a.copy().T), (la.asarray(a)[::-1], a.copy()[::-1])):
        seen, expected = [], []
        for i, v in enumerate(view.flat):
            seen.append(float(v))
            view[2, 2] = -i
        for i, v in enumerate(own.flat):
            expected.append(float(v))
            own[2, 2] = -i
        assert seen == expected
    x, own = la.asarray(np.arange(6.0)), np.arange(6.0)
    seen, expected = [], []
    for i, v in enumerate(x):
        seen.append(float(v))
        x[5] = -i
    for i, v in enumerate(own):
        expected.append(float(v))
        own[5] = -i
    assert seen == expected
    flat = x.flat
    assert float(next(flat)) == 0 and flat.index == 1 and flat.coords == (1,)
    assert len(list(flat)) == 5
    with pytest.raises(StopIteration):
        next(flat)


def test_joins_of_few_small_arrays_are_no_views_and_keep_dtypes():
    a, b = np.arange(5, dtype="float32"), np.arange(7, dtype="int64")
    x, y = la.asarray(a), la.asarray(b)
    for f, g in ((la.concatenate, np.concatenate), (la.hstack, np.hstack)):
        made, expected = f([x, y]), g([a, b])
        assert made.dtype == expected.dtype
        np.testing.assert_array_equal(np.asarray(made), expected)
    alone = la.concatenate([x])
    x[0] = 9
    assert float(alone[0]) == 0
    with pytest.raises(ValueError, match="expected"):
        la.stack([x, y])


def test_rows_that_a_function_gets_are_its_own():
    a = np.arange(12.0).reshape(3, 4)
    same = la.zeros(2)

    def changed(row):
        row[0] = 7
        same[0] = row.sum()
        return same  # the same array each time

    found = la.apply_along_axis(changed, 1, la.asarray(a))
    rows = a.copy()
    rows[:, 0] = 7
    np.testing.assert_array_equal(np.asarray(found), np.stack([rows.sum(1), np.zeros(3)], axis=1))
