"""Views: what is assigned to an array is seen by its views and its base, exactly where NumPy's are views."""

from __future__ import annotations

import gc
import threading
import weakref
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import config, lift
from lazyarr.errors import TracingError
from tests.lazyarr.evaluation import interpreted
from tests.lazyarr.keys import basic_keys
from tests.lazyarr.support import check
from tests.threads import in_threads

SHAPES = [(6,), (2, 3), (4, 1, 3), (1, 5), (2, 3, 4)]


@st.composite
def views(draw: Any, shape: tuple[int, ...]) -> tuple[str, Callable[[Any, Any], Any]]:
    """A function of a namespace and an array of that shape that may give a view."""
    kind = draw(st.sampled_from(["key", "T", "reshape", "ravel", "squeeze", "expand", "swap", "move", "flip", "split"]))
    size = int(np.prod(shape))
    if kind == "key":
        key = draw(basic_keys(shape))
        return f"[{key}]", lambda xp, x: x[key]
    if kind == "reshape":
        divisor = draw(st.sampled_from([n for n in range(1, size + 1) if size % n == 0] or [1]))
        return f"reshape {divisor}", lambda xp, x: xp.reshape(x, (divisor, size // divisor) if size else (0, 1))
    if kind == "expand":
        return kind, lambda xp, x: xp.expand_dims(x, 0)
    if kind in ("swap", "move") and len(shape) > 1:
        name = {"swap": "swapaxes", "move": "moveaxis"}[kind]
        return name, lambda xp, x: getattr(xp, name)(x, 0, -1)
    if kind == "split" and shape:
        return kind, lambda xp, x: xp.array_split(x, 2)[1]
    table: dict[str, Callable[[Any, Any], Any]] = {
        "T": lambda xp, x: x.T,
        "ravel": lambda xp, x: x.ravel(),
        "squeeze": lambda xp, x: xp.squeeze(x),
    }
    return kind, table.get(kind, lambda xp, x: xp.flip(x))


@pytest.mark.slow
@given(data=st.data(), shape=st.sampled_from(SHAPES))
@settings(max_examples=60, deadline=None)
@interpreted()
def test_programs_of_views_and_assignments_are_numpys(data, shape):
    x = np.arange(float(np.prod(shape))).reshape(shape).copy()
    pairs = [(x, la.asarray(x.copy()))]
    for step in range(data.draw(st.integers(2, 7))):
        i = data.draw(st.integers(0, len(pairs) - 1))
        a, b = pairs[i]
        act = data.draw(st.sampled_from(["view", "view", "view", "assign", "add", "forget"]))
        if act == "view":
            _, view = data.draw(views(a.shape))
            if np.ndim(view(np, a)):
                pairs.append((view(np, a), view(la, b)))
        elif act == "assign":
            key = data.draw(basic_keys(a.shape))
            a[key] = b[key] = -step
        elif act == "add":
            a += step + 1
            b += step + 1
        elif len(pairs) > 1:
            del pairs[i], a, b
        for expected, found in pairs:
            assert found.shape == expected.shape
    for expected, found in pairs:
        np.testing.assert_array_equal(np.asarray(found), expected)


X = np.arange(12.0).reshape(3, 4)
SAME: dict[str, Callable[[Any, Any], Any]] = {
    "copy": lambda xp, x: xp.copy(x),
    "array": lambda xp, x: xp.array(x),
    "asarray": lambda xp, x: xp.asarray(x),
    "astype": lambda xp, x: x.astype(x.dtype),
    "flatten": lambda xp, x: x.flatten(),
    "positive": lambda xp, x: +x,
    "concatenate": lambda xp, x: xp.concatenate([x]),
    "vstack": lambda xp, x: xp.vstack([x]),
    "stack": lambda xp, x: xp.stack([x]),
    "block": lambda xp, x: xp.block([x]),
    "roll": lambda xp, x: xp.roll(x, 0),
    "repeat": lambda xp, x: xp.repeat(x, 1, axis=0),
    "tile": lambda xp, x: xp.tile(x, 1),
    "resize": lambda xp, x: xp.resize(x, (3, 4)),
    "pad": lambda xp, x: xp.pad(x, 0),
    "delete": lambda xp, x: xp.delete(x, [], axis=0),
    "insert": lambda xp, x: xp.insert(x, [], 1.0, axis=0),
    "append": lambda xp, x: xp.append(x, xp.zeros((0, 4)), axis=0),
    "take": lambda xp, x: xp.take(x, [0, 1, 2], axis=0),
    "integers": lambda xp, x: x[[0, 1, 2]],
    "mask": lambda xp, x: x[xp.asarray([True, True, True])],
    "sort": lambda xp, x: xp.sort(x, axis=0),
    "where": lambda xp, x: xp.where(x > -1, x, 0),
    "clip": lambda xp, x: xp.clip(x, -1, 100),
    "nan_to_num": lambda xp, x: xp.nan_to_num(x),
    "round": lambda xp, x: xp.round(x),
    "fftshift": lambda xp, x: xp.fft.fftshift(x, axes=()),
    "triu": lambda xp, x: xp.triu(x, -5),
    "cumsum": lambda xp, x: xp.cumsum(x[:1], axis=0),
    "sum": lambda xp, x: xp.sum(x, axis=()),
    "broadcast": lambda xp, x: xp.meshgrid(x[0], x[:, 0])[0],
    "flat": lambda xp, x: x.flat.copy(),
    "diagonal": lambda xp, x: xp.diagonal(x).copy(),
    "transpose": lambda xp, x: xp.transpose(x),
    "split": lambda xp, x: xp.vsplit(x, 1)[0],
    "atleast": lambda xp, x: xp.atleast_2d(x),
    "fliplr": lambda xp, x: xp.fliplr(x),
}  # fmt: skip


@pytest.mark.parametrize("name", SAME)
@interpreted()
def test_results_are_views_where_numpys_are(name):
    """Also where nothing is to be done, so that the elements are the argument's."""
    a, b = X.copy(), la.asarray(X.copy())
    SAME[name](np, a)[...] = -1
    SAME[name](la, b)[...] = -1
    np.testing.assert_array_equal(np.asarray(b), a)


@interpreted()
def test_rows_of_a_loop_change_the_matrix():
    a, b = X.copy(), la.asarray(X.copy())
    for row in a:
        row /= row.sum() + 1
        a[2, 0] += row[1]
    for row in b:
        row /= row.sum() + 1
        b[2, 0] += row[1]
    np.testing.assert_allclose(np.asarray(b), a, rtol=1e-14)


@interpreted()
def test_a_view_of_a_view_that_nobody_holds():
    b = la.zeros((4, 5))
    b[1:][:, 1:3][b[1:, 1:3] == 0] = 7
    b.T[0][1:3] += 1
    b.reshape(2, 10)[1].fill(2)
    expected = np.zeros((4, 5))
    expected[1:, 1:3] = 7
    expected[1:3, 0] += 1
    expected[2:] = 2
    np.testing.assert_array_equal(np.asarray(b), expected)


@interpreted()
def test_views_of_a_base_that_nobody_holds_see_each_other():
    base = la.arange(6.0)
    first, second = base[:4], base[2:]
    del base
    first[3] = 9.0
    second += 1.0
    assert first.tolist() == [0, 1, 3, 10]
    assert second.tolist() == [3, 10, 5, 6]


def test_a_single_view_does_not_keep_its_base():
    base = la.arange(6.0)
    gone = weakref.ref(base)
    view = base[1:]
    del base
    gc.collect()
    assert gone() is None
    view[0] = 7.0
    assert view.tolist() == [7, 2, 3, 4, 5]


def test_forgotten_views_are_forgotten():
    base = la.zeros(4)
    for i in range(100):
        base[i % 3 :].reshape(-1)
    assert len(base.family.views) == 0


@interpreted()
def test_changes_of_the_elements_by_functions():
    for change in (
        lambda xp, v: v.sort(),
        lambda xp, v: xp.put(v, [0, 2], 9.0),
        lambda xp, v: xp.add(v, 1.0, out=v),
        lambda xp, v: xp.copyto(v, 4.0),
        lambda xp, v: xp.add.at(v, [1, 1], 2.0),
        lambda xp, v: v.__setitem__(v > 5, 0.0),
        lambda xp, v: v.flat.__setitem__(1, 3.5),
        lambda xp, v: xp.fill_diagonal(v.reshape(2, -1), 8.0),
    ):
        a, b = X[::-1].copy(), la.asarray(X[::-1].copy())
        change(np, a[1])
        change(la, b[1])
        np.testing.assert_array_equal(np.asarray(b), a)


def in_place(row, rows):
    row *= 2
    rows[0, 0] = 5
    return row + 1


@pytest.mark.device
def test_jitted_functions_change_what_their_arguments_show():
    a, b = X.copy(), la.asarray(X.copy())
    expected = in_place(a[1], a[2:])
    found = lift.jit(in_place)(b[1], b[2:])
    np.testing.assert_array_equal(np.asarray(found), expected)
    np.testing.assert_array_equal(np.asarray(b), a)
    expected, found = in_place(a[2], a[2:]), lift.jit(in_place)(b[2], b[2:])  # the same elements twice
    np.testing.assert_array_equal(np.asarray(found), expected)
    np.testing.assert_array_equal(np.asarray(b), a)


def rows_of(x):
    first, rest = x[0], x[1:]
    first += rest.sum(axis=0)
    rest.T[0] = 3
    return x.copy()


@pytest.mark.device
def test_views_within_a_jitted_function():
    a, b = X.copy(), la.asarray(X.copy())
    expected, found = rows_of(a), lift.jit(rows_of)(b)
    np.testing.assert_array_equal(np.asarray(found), expected)
    np.testing.assert_array_equal(np.asarray(b), a)


@interpreted()
def test_a_base_that_changed_its_shape_has_views_of_the_new_one():
    x, y = la.asarray(np.arange(12.0).reshape(3, 4)), np.arange(12.0).reshape(3, 4)
    first = x[0]
    for each in (x, y):
        each.shape = (4, 3)
        last = each[3]
        last[:] = -1
    check(x, y)
    check(first, y.reshape(3, 4)[0])
    row = x[1, 0:1]
    x.shape = (3, 4)
    row += 5
    x[1, 0:1] = row
    y.reshape(-1)[3] += 5
    y = y.reshape(3, 4)
    y[1, 0:1] = y.reshape(-1)[3:4]
    check(x, y)


def test_an_array_with_views_is_not_resized():
    x = la.asarray(np.arange(12.0))
    view = x[2:4]
    for each in (x, view):
        with pytest.raises(ValueError, match="resize: the array is a view or has views"):
            each.resize((2, 2))
    del view, each
    x.resize((2, 2))
    check(x, np.arange(4.0).reshape(2, 2))


@pytest.mark.parametrize("tier", ["reference", "compiled"])
def test_living_views_of_a_small_array_keep_it_from_being_resized(tier):
    before = config.configure(tier=tier)
    try:
        x = la.zeros(3)
        for view in (x[0:2], x.reshape(3, 1)[1:], x[::-1][:1]):
            with pytest.raises(ValueError, match="resize: the array is a view or has views"):
                x.resize(5)
            del view
        x.resize(5)
        check(x, np.zeros(5))
    finally:
        config.configure(**vars(before))


@interpreted()
def test_vectors_transposed_are_views():
    for name, arguments in (("transpose", ()), ("moveaxis", (0, 0)), ("swapaxes", (0, 0))):
        x, y = la.asarray(np.zeros(6)), np.zeros(6)
        for xp, each in ((la, x), (np, y)):
            getattr(xp, name)(each, *arguments)[1:3] = 3
            each.T[4] = 5
        check(x, y)


def test_rows_that_do_not_meet_leave_each_other_alone():
    x = la.asarray(np.zeros((50, 3)))
    rows = list(x)
    before = [row.node for row in rows]
    rows[7] += 1
    assert [i for i, row in enumerate(rows) if row.node is not before[i]] == [7]
    check(x, np.eye(50)[7][:, None] + np.zeros((1, 3)))
    whole = x[6:9]
    rows[8] += 2
    assert float(whole[2, 0]) == 2
    check(x[8], np.full(3, 2.0))


def test_assigning_to_a_captured_array_is_refused_and_undone():
    captured = la.asarray(np.arange(4.0))
    view = captured[1:]

    def through_a_view(x):
        row = captured[1:]
        row += x
        return row * 2

    def directly(x):
        captured[:3] = x
        return x

    for function in (through_a_view, directly):
        with pytest.raises(TracingError, match="assigns what depends on its arguments to an array that is none"):
            lift.jit(function)(la.asarray(np.ones(3)))
        check(captured, np.arange(4.0))
        check(view, np.arange(1.0, 4.0))

    def of_its_own(x):
        out = la.asarray(np.zeros((2, 3)))
        for number, row in enumerate((out[0], out[1])):
            row += x * number
        return out[1], out

    rows, whole = lift.jit(of_its_own)(la.asarray(np.ones(3)))
    check(rows, np.ones(3))
    check(whole, np.array([[0.0] * 3, [1.0] * 3]))


def test_threads_write_different_rows_and_elements():
    for _ in range(4):
        x = la.asarray(np.zeros((4, 12)))
        rows, start = list(x), threading.Barrier(4)

        def write(k, x=x, rows=rows, start=start):
            start.wait()
            rows[k][...] = rows[k] + 1
            for i in range(1, 12):
                x[k, i] = k + i

        in_threads(write, range(4))
        expected = np.add.outer(np.arange(4.0), np.arange(12.0))
        expected[:, 0] = 1
        check(x, expected)


@pytest.mark.parametrize("read", [True, False])
def test_all_of_a_view_is_a_view_of_the_same_elements(read):
    """Whatever was recorded for such a call before: here of a view with a value, and of one without."""
    for values in (np.arange(7.0), np.arange(7.0) * 3):
        x, y = values.copy(), la.asarray(values.copy())
        for z in (x, y):
            v = z[6:7]
            later = v / 4
            if read:
                np.asarray(v)
            same, dots = v[:], v[...]
            v -= dots + 1
            np.testing.assert_array_equal(np.asarray(same), [-1.0])
            np.testing.assert_array_equal(np.asarray(dots), [-1.0])
            np.testing.assert_array_equal(np.asarray(later), values[6:7] / 4)
            same += 5
            np.testing.assert_array_equal(np.asarray(z), [*values[:6], 4.0])


def test_results_of_one_element_are_no_views():
    for make in (
        lambda m, x: m.maximum.accumulate(x, axis=0),
        lambda m, x: m.add.accumulate(x, axis=0),
        lambda m, x: m.cumsum(x),
        lambda m, x: m.maximum.reduce(x, axis=()),
        lambda m, x: m.flip(x[0]),
        lambda m, x: m.repeat(x[0], 2, axis=0),
    ):
        x, y = np.array([-2.0]), la.asarray(np.array([-2.0]))
        made, found = make(np, x), make(la, y)
        x[...] = 7
        y[...] = 7
        np.testing.assert_array_equal(np.asarray(found), made)


@pytest.mark.parametrize("copy", [None, False, True])
def test_array_with_more_dimensions_shows_the_one_given(copy: bool | None) -> None:
    def made(xp: Any) -> Any:
        x = xp.arange(3)
        y = xp.array(x, copy=copy, ndmin=3)
        x[0] = 7
        return y

    check(made(la), made(np))


@pytest.mark.parametrize("tier", ["auto", "compiled"])
@pytest.mark.parametrize("ndim", [20, 21, 64])
def test_dimensions_are_permuted_however_many_there_are(ndim: int, tier: str) -> None:
    """From 21 on the product of all their numbers but 0 is no size of an array."""
    shape = (2, *[1] * (ndim - 3), 3, 4)

    def made(xp: Any) -> Any:
        base = xp.asarray(np.arange(24.0).reshape(shape)) + 1
        moved = xp.moveaxis(xp.swapaxes(base, -1, 0), -2, 5)
        xp.transpose(moved, (1, 0, *range(2, ndim)))[0, 2] = -7
        base[1, ..., 1] *= 2
        return base, moved, xp.matrix_transpose(base), xp.rollaxis(base, -1)

    before = config.configure(tier=tier)
    try:
        for ours, theirs in zip(made(la), made(np), strict=True):
            check(ours, theirs)
    finally:
        config.configure(tier=before.tier)


def test_arrays_with_as_many_dimensions_as_wanted_are_themselves():
    x = la.asarray(np.ones((2, 3)))
    assert la.atleast_1d(x) is x
    assert la.atleast_2d(x, 1)[0] is x
    assert la.atleast_3d(x) is not x
    assert la.atleast_3d(x[None]).shape == (1, 2, 3)
