"""Python functions along arrays, walks over elements, and windows of arrays, against NumPy."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift
from tests.lazyarr import evaluation
from tests.lazyarr.support import check

X = np.arange(24.0).reshape(2, 3, 4) % 7
FUNCTIONS = [lambda row: row.max() - row.min(), lambda row: row[::-1], lambda row: row[:2].reshape(2, 1) * row[:3]]


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("axis", [0, 1, -1])
def test_apply_along_axis(function, axis):
    expected = np.apply_along_axis(function, axis, X)
    np.testing.assert_array_equal(np.asarray(la.apply_along_axis(function, axis, la.asarray(X))), expected)


def test_apply_over_axes_and_its_errors():
    expected = np.apply_over_axes(np.sum, X, [0, 2])
    np.testing.assert_array_equal(np.asarray(la.apply_over_axes(la.sum, la.asarray(X), [0, 2])), expected)
    with pytest.raises(ValueError, match="apply_along_axis"):
        la.apply_along_axis(la.sum, 0, la.zeros((3, 0)))


def test_vectorize():
    def f(a, b=2):
        return a + b if a > b else a - b

    for arguments in ((la.asarray([1, 5, 3]), 2), (la.asarray([[1.5], [4.0]]), np.array([1.0, 2.0]))):
        given = [np.asarray(x) for x in arguments]
        expected = np.vectorize(f)(*given)
        found = la.vectorize(f)(*arguments)
        assert isinstance(found, la.Array)
        assert found.dtype == expected.dtype
        np.testing.assert_array_equal(np.asarray(found), expected)
    assert la.vectorize(f, otypes=[float])(la.asarray([1, 5])).dtype == np.float64


def test_walks():
    assert [(i, float(v)) for i, v in la.ndenumerate(la.asarray(X[0]))] == list(np.ndenumerate(X[0]))
    assert [float(v) for v in la.nditer(la.asarray(X))] == X.ravel().tolist()
    a, b = X.copy(), la.asarray(X)
    with np.nditer(a, op_flags=["readwrite"]) as walk:
        for x in walk:
            x[...] = 2 * x
    with la.nditer(b[1], op_flags=["readwrite"]) as walk:
        for x in walk:
            x[...] = 2 * x
    np.testing.assert_array_equal(np.asarray(b), np.stack([X[0], a[1]]))


@pytest.mark.parametrize(("window", "axis"), [((2,), (1,)), ((3,), (-1,)), ((2, 2), (0, 2)), ((1, 2, 3), None)])
def test_sliding_windows(window, axis):
    expected = np.lib.stride_tricks.sliding_window_view(X, window, axis)
    found = la.lib.stride_tricks.sliding_window_view(la.asarray(X), window, axis)
    np.testing.assert_array_equal(np.asarray(found), expected)


def test_strides():
    x = np.arange(10.0)
    expected = np.lib.stride_tricks.as_strided(x, (4, 3), (16, 8))
    np.testing.assert_array_equal(np.asarray(la.lib.stride_tricks.as_strided(la.asarray(x), (4, 3), (16, 8))), expected)
    with pytest.raises(ValueError, match="leads out"):
        la.lib.stride_tricks.as_strided(la.asarray(x), (4, 4), (24, 8))
    with pytest.raises(ValueError, match="does not fit"):
        la.lib.stride_tricks.sliding_window_view(la.asarray(x), 11)


def test_frompyfunc_runs_on_the_host_and_is_counted():
    before = config.statistics().get("frompyfunc", 0)
    f = la.frompyfunc(lambda x, y: (x + y, x > y), 2, 2)
    x, y = np.arange(6.0).reshape(2, 3), np.array([2.0, 3, 1])
    total, greater = f(la.asarray(x), y)
    np.testing.assert_array_equal(np.asarray(total), x + y)
    np.testing.assert_array_equal(np.asarray(greater), x > y)
    assert (total.dtype, greater.dtype) == (np.float64, np.bool_)
    assert config.statistics()["frompyfunc"] == before + 1
    with pytest.raises(TypeError, match="expected 2 arguments"):
        f(x)
    with pytest.raises(la.TracingError, match="frompyfunc"):
        lift.jit(lambda a: la.frompyfunc(abs, 1, 1)(a))(la.ones(3))


@evaluation.interpreted()
def test_walks_know_where_they_stand():
    x = np.arange(6).reshape(2, 3)
    for options in ({"flags": ["multi_index"]}, {"flags": ["multi_index"], "order": "F"}):
        ours, theirs = la.nditer(la.asarray(x), **options), np.nditer(x, **options)
        assert [(ours.multi_index, int(v)) for v in ours] == [(theirs.multi_index, int(v)) for v in theirs]
        assert ours.finished and theirs.finished and ours.itersize == theirs.itersize
        ours.reset()
        assert not ours.finished and ours.multi_index == (0, 0)
    for flag in ("c_index", "f_index"):
        ours, theirs = la.nditer(la.asarray(x), flags=[flag]), np.nditer(x, flags=[flag])
        while not theirs.finished:
            assert (ours.index, int(ours[0])) == (theirs.index, int(theirs[0]))
            assert ours.iternext() == theirs.iternext()
        assert ours.finished
    assert [v.tolist() for v in la.nditer(la.asarray(x), flags=["external_loop"])] == [x.ravel().tolist()]
    assert list(la.nditer(la.zeros(0), flags=["zerosize_ok"])) == []


@evaluation.interpreted()
def test_walks_assign_to_some_operands_and_make_others():
    a, b = la.arange(3.0), la.zeros((2, 3))
    with la.nditer([a, b, None], op_flags=[["readonly"], ["writeonly"], ["writeonly"]]) as walk:
        for x, y, z in walk:
            y[...] = 2 * x
            z[...] = x + 1
        made = walk.operands[2]
    assert b.tolist() == [[0, 2, 4]] * 2
    assert made.tolist() == [[1, 2, 3]] * 2
    with la.nditer(b, flags=["external_loop"], op_flags=["readwrite"]) as walk:
        for x in walk:
            x[...] = x + 1
    assert b.tolist() == [[1, 3, 5]] * 2


@pytest.mark.parametrize(("order", "transposed"), [("F", False), ("C", True), ("K", True), ("C", False)])
@evaluation.interpreted()
def test_walks_in_pieces(order, transposed):
    changed = []
    for module in (la, np):
        b = module.array([[1.0, 3, 5], [2, 7, 4]])
        with module.nditer(
            b.T if transposed else b, flags=["external_loop"], op_flags=["readwrite"], order=order
        ) as walk:
            for x in walk:
                x[...] = x + x[0]
        changed.append(b.tolist())
    assert changed[0] == changed[1]


@pytest.mark.parametrize("axes", [[[0]], [[1]], [[2, 0]], [[-1, 1]], [[0], [2]], [[1, 0], [-1, 2]]])
def test_walks_leave_dimensions_out_at_their_first_index(axes):
    values = np.arange(8).reshape(2, 2, 2)
    walks = [xp.nditer([x] * len(axes), op_axes=axes, order="C") for xp, x in ((np, values), (la, la.asarray(values)))]
    theirs, ours = ([np.asarray(v).tolist() for v in walk] for walk in walks)
    assert ours == theirs
    x = la.asarray(values)
    for value in la.nditer(x, op_flags=["readwrite"], op_axes=[[1]]):
        value[...] = -1
    values[0, :, 0] = -1
    np.testing.assert_array_equal(np.asarray(x), values)


def test_errors_of_walks():
    for xp in (np, la):
        with pytest.raises(ValueError, match=r"size|length"):
            xp.nditer([xp.arange(3)] * 2, op_axes=[[0], [0, -1]])
    x = la.arange(3)
    for name in ("multi_index", "index"):
        with pytest.raises(ValueError, match=rf"nditer: the flag .*{name}' was not given"):
            getattr(la.nditer(x), name)
    with pytest.raises(ValueError, match=r"nditer: expected flags among .*, got some"):
        la.nditer(x, flags=["some"])
    with pytest.raises(ValueError):
        la.nditer([x, la.arange(4)])
    with pytest.raises(ValueError, match=r"nditer: expected a lazyarr array of shape \(2, 3\) to assign to"):
        la.nditer([x, la.zeros((2, 3))], op_flags=["readwrite"])
    with pytest.raises(ValueError, match="nditer: expected op_flags for 2 operands, got 1"):
        la.nditer([x, x], op_flags=[["readonly"]])
    with pytest.raises(ValueError, match="nditer: expected op_axes for 2 operands, got 1"):
        la.nditer([x, x], op_axes=[[0]])
    with pytest.raises(ValueError, match=r"nditer: expected op_axes that are those of an operand of shape \(3,\)"):
        la.nditer(x, op_axes=[[0, 0]])
    for axes in ([0, 1], [-1], [1]):  # of an operand that is made
        with pytest.raises(ValueError, match="nditer: expected"):
            la.nditer([x, None], op_axes=[None, axes])
    walk = la.nditer(x)
    list(walk)
    for use in (lambda: walk[0], lambda: walk.value):
        with pytest.raises(ValueError, match="nditer: there are no more elements"):
            use()


def test_python_functions_combine_elements():
    def horner(a, b):
        """a times two plus b"""
        return a * 2 + b

    ours, theirs = la.frompyfunc(horner, 2, 1), np.frompyfunc(horner, 2, 1)
    x = np.arange(12).reshape(3, 4) % 5
    for method, arguments in [
        ("reduce", ()),
        ("reduce", (1,)),
        ("accumulate", ()),
        ("accumulate", (1,)),
        ("outer", (x[0],)),
    ]:
        found = getattr(ours, method)(la.asarray(x), *arguments)
        np.testing.assert_array_equal(np.asarray(found), getattr(theirs, method)(x, *arguments).astype(int))
    assert isinstance(ours, la.ufunc) and (ours.nin, ours.nout) == (2, 1)
    assert la.frompyfunc(horner, 2, 1, identity=7).reduce(la.zeros(0, int)).item() == 7
    with pytest.raises(TypeError, match=r"horner \(frompyfunc\): expected 2 arguments, got 1"):
        ours(x)


@pytest.mark.parametrize("order", ["K", "C", "F"])
@pytest.mark.parametrize(
    "view",
    [
        lambda b: b,
        lambda b: b.T,
        lambda b: b[::-1],
        lambda b: b.T[::2],
        lambda b: b[:, ::2],
        lambda b: b[1:2, ::-1],
        lambda b: b[:, 1],
    ],
)
@evaluation.interpreted()
def test_pieces_of_views_are_written_to(view, order):
    results = []
    for module in (np, la):
        base = module.arange(12.0).reshape(3, 4) + 0
        with module.nditer(view(base), flags=["external_loop"], op_flags=["readwrite"], order=order) as pieces:
            for piece in pieces:
                piece[...] = -1
        results.append(np.asarray(base))
    np.testing.assert_array_equal(*results)


@pytest.mark.parametrize(
    ("window", "axis"), [((2, 3), (1, 1)), ((2, 2, 2), (0, 1, 1)), ((2, 2), (-1, 1)), ((1, 4), (1, 1))]
)
def test_windows_of_windows(window, axis):
    """Along a dimension that is named twice."""
    x = np.arange(12.0).reshape(3, 4)
    expected = np.lib.stride_tricks.sliding_window_view(x, window, axis)
    for given in (la.asarray(x), lift.jit(lambda a: a * 1)(x)):
        check(la.lib.stride_tricks.sliding_window_view(given, window, axis), expected)
    check(lift.jit(lambda a: la.lib.stride_tricks.sliding_window_view(a, window, axis) + 0)(x), expected)
    with pytest.raises(ValueError, match="does not fit"):
        la.lib.stride_tricks.sliding_window_view(la.asarray(x), (3, 3), (1, 1))


def test_no_windows_are_a_view_of_all():
    x = np.arange(6.0)
    a = la.asarray(x.copy())
    v = la.lib.stride_tricks.sliding_window_view(a, (), (), writeable=True)
    assert v is not a
    v[0] = -1
    x[0] = -1
    check(v, x)
    check(a, x)
    with pytest.raises(ValueError, match="read-only"):
        la.lib.stride_tricks.sliding_window_view(a, (), ())[0] = 9


@pytest.mark.parametrize("recorded", [False, True])
def test_windows_that_are_written_to(recorded):
    def written(xp):
        x = xp.arange(6.0)
        v = xp.lib.stride_tricks.sliding_window_view(x, 2, writeable=True)
        v[0, 0] = 9
        v[3] = xp.asarray([7.0, 8.0])
        v[1, 1] += 1
        return x, v + 0

    found = lift.jit(lambda: written(la))() if recorded else written(la)
    for ours, theirs in zip(found, written(np), strict=True):
        check(ours, theirs)
    with pytest.raises(ValueError, match="read-only"):
        la.lib.stride_tricks.sliding_window_view(la.arange(6.0), 2)[0, 0] = 9
    fixed = np.arange(6.0)
    fixed.setflags(write=False)
    shown = la.lib.stride_tricks.sliding_window_view(la.asarray(fixed), 2, writeable=True)
    shown[0] = 5
    assert fixed[0] == 0


@pytest.mark.parametrize("transposed", [False, True])
@pytest.mark.parametrize("size", [6, 60_000])
@pytest.mark.parametrize("walk", ["flat", "nditer", "ndenumerate"])
def test_walks_see_what_was_assigned_meanwhile(walk, size, transposed):
    def seen(xp):
        base = xp.asarray(np.arange(float(size)).reshape(2, -1))
        x = base.T if transposed else base
        elements = x.flat if walk == "flat" else getattr(xp, walk)(x)
        found = []
        for element in elements:
            found.append(float(element[1] if walk == "ndenumerate" else element))
            x[...] = x + 10
            if len(found) == 5:
                break
        return found

    assert seen(la) == seen(np)


@pytest.mark.parametrize("size", [6, 60_000])
def test_flat_is_an_iterator(size):
    def walked(xp):
        x = xp.asarray(np.arange(size).reshape(2, -1)) * 1
        flat = x.flat
        assert iter(flat) is flat
        found = [(int(next(flat)), flat.index, flat.coords) for _ in range(3)]
        flat[4:5] = 9
        found.append((int(next(flat)), flat.index, flat.coords))
        found.append((int(flat[4]), flat.index, flat.coords))
        for element in flat:
            found.append((int(element), flat.index, flat.coords))
            if len(found) == 9:
                break
        return found

    assert walked(la) == walked(np)
    flat = la.arange(3).flat
    assert list(map(int, flat)) == [0, 1, 2]
    assert (list(flat), flat.index, flat.coords) == ([], 3, (3,))
    assert la.asarray(4).flat.coords == np.asarray(4).flat.coords
