"""Views of eager arrays and writes to them: nothing but time tells them from recorded ones."""

from __future__ import annotations

import copy
import warnings
from contextlib import nullcontext

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.aliasing import views as views_module
from lazyarr.aliasing.views import become_eager
from lazyarr.eager import operations
from tests.lazyarr import test_view_steps
from tests.lazyarr.eager.support import array, eager, recorded

# --- views and writes -------------------------------------------------------------------------------------------------


VIEWS = {
    "row": lambda x: x[1], "column": lambda x: x[:, 2], "steps": lambda x: x[::-2, 1::2], "dots": lambda x: x[..., 1],
    "new axis": lambda x: x[:, None], "element": lambda x: x[1, 2, ...], "transposed": lambda x: x.T,
    "reshaped": lambda x: x.reshape(2, 2, 5), "flat": lambda x: x.ravel(), "flipped": lambda x: la.flip(x, 1),
    "turned": lambda x: la.rot90(x),
    "diagonal to assign to": lambda x: la.einsum("ii->i", x[:, :4]),
    "diagonal": lambda x: la.diagonal(x), "of a view": lambda x: x.T[1:3][:, ::-1],
    "columns in a row": lambda x: x.T.ravel(), "broadcast": lambda x: la.broadcast_to(x, (3, 4, 5)),
    "swapped": lambda x: la.swapaxes(x, 0, 1), "moved": lambda x: la.moveaxis(x, 0, -1),
}  # fmt: skip


def _numpys(name):
    """The same view of a NumPy array."""
    views = {"flipped": lambda x: np.flip(x, 1), "turned": np.rot90, "diagonal": np.diagonal,
             "diagonal to assign to": lambda x: np.einsum("ii->i", x[:, :4]),
             "broadcast": lambda x: np.broadcast_to(x, (3, 4, 5)), "swapped": lambda x: np.swapaxes(x, 0, 1),
             "moved": lambda x: np.moveaxis(x, 0, -1)}  # fmt: skip
    return views.get(name, VIEWS[name])


@pytest.mark.parametrize("name", test_view_steps.VIEWS)
def test_views_of_every_kind_show_eager_arrays(name):
    for _ in range(2):  # a call like an earlier one takes another way
        test_view_steps.views_follow(name)


@pytest.mark.parametrize("name", test_view_steps.CHANGES)
def test_changes_of_every_kind_are_made_to_eager_arrays(name):
    test_view_steps.changes_follow(name)


@pytest.mark.parametrize("first", [True, False], ids=["eager first", "view first"])
@pytest.mark.parametrize("name", VIEWS)
def test_views_show_what_is_written_and_the_other_way_round(name, first):
    want = array(4, 5)
    x = la.asarray(want.copy())
    if first:
        assert become_eager(x)
    with nullcontext() if first else operations.recording_only:
        view, wanted = VIEWS[name](x), _numpys(name)(want)
    assert (view.host is not None) == first
    become_eager(x)
    assert x.host is not None
    assert view.shape == wanted.shape
    np.testing.assert_array_equal(np.asarray(view), wanted)
    x[1, 2] = want[1, 2] = 100
    x[:2] += 1
    want[:2] += 1
    np.testing.assert_array_equal(np.asarray(view), wanted)
    if wanted.flags.writeable:
        view[...] = -7
        wanted[...] = -7
        view += 2
        wanted += 2
    else:
        with pytest.raises(ValueError, match="read-only"):
            view[...] = -7
    np.testing.assert_array_equal(np.asarray(x), want)
    np.testing.assert_array_equal(np.asarray(view), wanted)


def test_keys_without_a_value_are_recorded():
    x = eager(3)[3:]
    found = x[la.asarray(np.zeros(0, bool))], x[x > np.int64(2)], x[la.zeros(0, dtype=la.bool)]
    assert [y.shape for y in found] == [(0,)] * 3
    y = eager(4)
    y[la.zeros(4, dtype=la.bool) | (la.arange(4) > 2)] = 50
    np.testing.assert_array_equal(np.asarray(y), [*array(4)[:3], 50])


def test_numpys_arrays_keep_the_values_that_they_were_made_of():
    x = eager(6)
    shown, copied, alike = np.asarray(x), x.copy(), copy.deepcopy(x)
    before = shown.copy()
    x[:] = 0
    for each in (shown, copied, alike):
        np.testing.assert_array_equal(np.asarray(each), before)
    assert not shown.flags.writeable
    source = array(6)
    y = la.asarray(source)
    y[0] = 9
    assert source[0] == array(6)[0]


def test_expressions_keep_the_values_that_they_were_made_of(monkeypatch):
    monkeypatch.setattr(operations, "EAGER_ELEMENTS_ON_CPUS", 0)
    x = eager(6)
    before = np.asarray(x)
    large = la.asarray(np.ones((40000, 1)))
    later = large * x  # too large to be carried out during the call
    assert later.host is None
    x[2] = 50
    again = large * x
    np.testing.assert_array_equal(np.asarray(later)[7], before)
    np.testing.assert_array_equal(np.asarray(again)[7], np.asarray(x))


def test_numbers_do_not_change_and_arrays_without_dimensions_do():
    x = eager(5)
    number, shown = x[1], x[1, ...]
    assert number.is_number
    assert not shown.is_number
    x[1] = 33
    assert float(number) == array(5)[1]
    assert float(shown) == 33
    shown += 1
    number += 1
    assert float(x[1]) == 34


def test_a_shape_is_changed_in_place_only_where_no_copy_is_needed():
    x = eager(4, 6)
    x.shape = (24,)
    assert x.shape == (24,)
    y = eager(4, 6)
    column = y[:, 1:3]
    with pytest.raises(AttributeError, match="incompatible shape"):
        column.shape = (8,)
    y.T[0, 0] = 5
    assert float(y[0, 0]) == 5


def test_what_memory_is_said_to_be():
    x = eager(4, 6)
    row, ro = x[1], la.broadcast_to(x, (2, 4, 6))
    assert x.base is None
    assert row.base is x
    assert x.flags.writeable
    assert not ro.flags.writeable
    assert x.strides == (48, 8)


@pytest.mark.parametrize("value", [2, 2.5, True, 3j, np.float32(1.5), np.arange(3.0), np.int8(-1), [1, 2, 3], 300, -1])
@pytest.mark.parametrize("dtype", ["bool", "uint8", "int32", "float32", "complex64"])
@pytest.mark.parametrize("key", [(), ..., slice(0, 3), 1, -1, (slice(None),), np.array([0, 2, 1]), 7, "a"])
def test_assignment_is_what_it_is_where_it_is_recorded(dtype, key, value):
    def assigned(make):
        x = make(3, dtype=dtype)
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            x[key] = value
        return x

    wanted = recorded(lambda: assigned(lambda *s, dtype: la.asarray(array(*s, dtype=dtype))))
    if isinstance(wanted, tuple):
        with pytest.raises(wanted[0]) as caught:
            assigned(eager)
        assert str(caught.value) == wanted[1]
    else:
        np.testing.assert_array_equal(np.asarray(assigned(eager)), wanted)


# --- elsewhere --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("key", ["a", slice("a", None), (0, slice(1.5)), 7, (0, 0), 1.5, None, np.array([9])])
def test_reading_by_keys_that_are_wrong_raises_what_it_does_where_it_is_recorded(key):
    wanted = recorded(lambda: la.asarray(array(3))[key])
    if isinstance(wanted, tuple):
        with pytest.raises(wanted[0]) as caught:
            np.asarray(eager(3)[key])
        assert str(caught.value) == wanted[1]
    else:
        np.testing.assert_array_equal(np.asarray(eager(3)[key]), wanted)


def test_leaves_of_views_that_are_gone_are_forgotten():
    x = eager(100)
    for i in range(2000):
        _ = x[i % 50 : 99].node
    assert len(x.shared.leaves) < 600


def test_views_of_numbers_are_copies():
    x = eager(5)
    number = x[3]
    for view in (number[...], number[None], number.reshape((1,))):
        view[...] = 100
    assert float(number) == array(5)[3]
    assert float(x[3]) == array(5)[3]


def test_a_write_that_raises_is_seen_as_far_as_it_went():
    x = eager(4, dtype="float32")
    with np.errstate(all="raise"):
        for value in (np.array([1e300, 1.0]), np.float64(1e300)):
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                x[1:3] = value
            np.testing.assert_array_equal(np.asarray(lift.jit(lambda a: a + x)(la.zeros(4))), np.asarray(x))
    assert np.isinf(np.asarray(x)[1])


@pytest.mark.parametrize("name", ["transpose", "diagonal", "atleast_2d", "broadcast"])
def test_views_copy_nothing_however_often_the_array_is_written_to(name, monkeypatch):
    x = eager(8, 8)
    copies = []
    monkeypatch.setattr(views_module, "snapshot_leaf", lambda y: copies.append(y) or y.expr)
    views = {"transpose": lambda: x.T, "diagonal": lambda: la.diagonal(x), "atleast_2d": lambda: la.atleast_2d(x),
             "broadcast": lambda: la.broadcast_to(x, (2, 8, 8))}  # fmt: skip
    for k in range(3):
        x[0, 0] = k
        assert np.asarray(views[name]()).ravel()[0] == k
    assert not copies


def test_elements_of_several_dimensions_are_numbers_and_are_written() -> None:
    values = np.arange(24.0).reshape(2, 3, 4)
    for dtype in ("float64", "float32", "int8", "bool", "complex64"):
        given = values.astype(dtype)
        x = la.asarray(given.copy())
        x[0, 0, 0] = x[1, 1, 1]
        given[0, 0, 0] = given[1, 1, 1]
        row = x[1, 2]
        x[1, 2, 3] = x[0, 1, 2]
        given[1, 2, 3] = given[0, 1, 2]
        for key in ((1, 2, 3), (0, 0, 0), (-1, -1, -1), (1, 0), (0, slice(1, None), 2)):
            found = x[key]
            assert found.dtype == given.dtype
            assert np.array_equal(found, given[key])
        assert np.array_equal(row, given[1, 2])
        assert x[1, 2, 3].is_number
        with pytest.raises(IndexError):
            x[2, 0, 0]
        with pytest.raises(IndexError):
            x[0, 5] = x[1, 2]
    two = la.asarray(np.zeros((3, 3)))
    two[1, 1] = 2.0
    before = two + 1.0
    two[2, 2] = two[1, 1]
    with pytest.raises(IndexError):
        two[3, 0] = two[1, 1]
    assert np.array_equal(before, [[1, 1, 1], [1, 3, 1], [1, 1, 1]])
    assert np.array_equal(two, np.diag([0.0, 2.0, 2.0]))


# --- views of arrays that are gone ------------------------------------------------------------------------------------

IN_ORDER = {
    "reshaped": lambda xp: xp.arange(30000.0).reshape(-1, 3), "part": lambda xp: xp.zeros((12000, 3))[1000:],
    "computed": lambda xp: (xp.arange(30000) * 2).reshape(-1, 2),
    "twice": lambda xp: xp.ones(24000).reshape(2, -1)[1].reshape(-1, 2),
}  # fmt: skip
OTHERWISE = {
    "transposed": lambda xp: xp.arange(30000.0).reshape(3, -1).T, "columns": lambda xp: xp.ones((9000, 4))[:, ::2],
    "reversed": lambda xp: xp.arange(30000).reshape(-1, 3)[::-1], "steps": lambda xp: xp.zeros((20000, 2))[::2],
}  # fmt: skip


@pytest.mark.parametrize("name", [*IN_ORDER, *OTHERWISE])
def test_a_view_of_an_array_that_is_gone_is_looked_at_in_a_loop_and_written_to_as_numpys(name):
    make = (IN_ORDER | OTHERWISE)[name]
    x, want = make(la), make(np)
    for row, numpys in zip(x, want, strict=True):
        assert list(map(float, row)) == numpys.tolist()
    if name in IN_ORDER:
        assert x.value is not None  # eager: else each row, and each element of one, is a view that is recorded
    assert x.strides == want.strides
    for y in (x, want):
        y[5] = 7
        rows = y.reshape(-1)  # a copy, where the elements lie otherwise
        rows[4:6] = -1
        y[-1, :1] += 2
        y.T[0, 1:3] = 4
    np.testing.assert_array_equal(np.asarray(x), want)


@pytest.mark.parametrize("make", [
    lambda xp: xp.asarray(np.arange(60000.0))[::-1].copy(), lambda xp: +xp.asarray(np.arange(90000.0))[::2],
    lambda xp: xp.asarray(np.arange(60000.0))[::-1].copy().reshape(-1, 3),
])  # fmt: skip
@pytest.mark.parametrize("times", [300, 5000])  # so many parts that the memory is copied before it is written to
def test_a_copy_whose_elements_were_never_moved_is_read_in_a_loop_and_written_to_as_numpys(make, times):
    x, want = make(la), make(np)
    for i in range(times):
        assert float(x[i] if x.ndim == 1 else x[i][0]) == want[i].flat[0]
    assert x.value is not None
    for y in (x, want):
        y[5] = 7
        y[-3:] = y[:3] + 1
    np.testing.assert_array_equal(np.asarray(x), want)
    assert x.strides == want.strides


def test_a_view_that_is_not_to_be_written_to_stays_so_when_the_array_is_gone():
    x = la.diagonal(la.arange(16900.0).reshape(130, 130)[:, None] * np.ones((1, 100, 1)), axis1=0, axis2=1)
    for row in x:
        assert len(list(row)) == 100
    with pytest.raises(ValueError, match="read-only"):
        x[0, 0] = 1.0
