"""Methods of arrays that speak of memory, against NumPy's."""

from __future__ import annotations

import io
import pickle
import sys

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

import lazyarr as la
from lazyarr import config, lift
from lazyarr.runtime import default_device
from tests.lazyarr.support import agree, values


@pytest.mark.parametrize("dtype", ["int16", "uint32", "int64"])
def test_bytes_the_other_way_round(dtype):
    x = values((3, 5), dtype, 1)
    a = la.array(x)
    agree(a.byteswap(), x.byteswap())
    agree(a, x)
    assert a.byteswap(inplace=True) is a
    agree(a, x.byteswap())


def test_fields_of_elements():
    x = values((7,), "float64", 2)
    agree(la.asarray(x).getfield("int32", 4), x.getfield("int32", 4))
    a = la.array(x)
    a.setfield(3, "int16", 2)
    x.setfield(3, "int16", 2)
    agree(a, x)
    with pytest.raises(ValueError, match=r".*"):
        la.asarray(x).getfield("int32", 5)


def test_work_on_bytes_is_counted_and_refused_by_jitted_functions():
    calls = {
        "byteswap": lambda a: a.byteswap(),
        "getfield": lambda a: a.getfield("int16", 2),
        "setfield": lambda a: a.setfield(la.asarray(3, dtype="int16"), "int16", 2),
    }
    for name, call in calls.items():
        before = config.statistics().get(f"Array.{name}", 0)
        call(la.array(values((3, 2), "int32", 4)))
        assert config.statistics()[f"Array.{name}"] == before + 1
        with pytest.raises(la.TracingError, match=rf"numpy\.ndarray\.{name}"):
            lift.jit(lambda a, call=call: call(a) or a)(la.zeros(3, dtype="int32"))
    x = np.array(7.5)
    agree(la.asarray(x).getfield("int32", 4), x.getfield("int32", 4))
    agree(la.asarray(x).byteswap(), x.byteswap())


def test_memory_can_be_read():
    x = values((2, 3), "int32", 3)
    a = la.asarray(x) + 0
    assert a.data.tobytes() == x.tobytes()
    assert a.data.readonly
    if default_device().zero_copy:  # else each of them is a copy
        assert a.ctypes.data == np.asarray(a).ctypes.data


@pytest.mark.parametrize("dtype", ["uint8", "float32", "complex128", "bool"])
def test_the_array_interface(dtype):
    value = np.arange(24).reshape(4, 6).astype(dtype)
    for x, expected in [(la.asarray(value), value), (la.asarray(value)[1:, ::2], value[1:, ::2]), (la.zeros(0), [])]:
        described = x.__array_interface__
        assert (described["shape"], described["typestr"]) == (x.shape, x.dtype.str)

        class Reader:
            __array_interface__ = described

        found = np.asarray(Reader())
        np.testing.assert_array_equal(found, expected)
        assert not found.flags.writeable
    x = la.asarray(value)
    before = np.asarray(x)
    x[...] = 0  # what was read is kept
    np.testing.assert_array_equal(before, value)
    with pytest.raises(la.TracingError, match="conversion to a NumPy array"):
        la.lift.jit(lambda v: np.asarray(v))(x)


def test_the_value_is_pickled(tmp_path):
    a = la.asarray(values((2, 3), "float32", 4)) * 2
    stream = io.BytesIO()
    a.dump(stream)
    a.dump(tmp_path / "a.pickle")
    for found in (a.dumps(), stream.getvalue(), (tmp_path / "a.pickle").read_bytes()):
        np.testing.assert_array_equal(pickle.loads(found), np.asarray(a))


def test_flags_that_cannot_be_set_are_named():
    a = la.ones(3)
    a.setflags(write=True)
    with pytest.warns(UserWarning, match="align=False changes nothing"):
        a.setflags(align=False)


def test_sorting_methods_take_numpys_parameters():
    x = np.array([3, 1, 2])
    a = la.array(x)
    a.sort(-1, "stable", None)
    agree(a, np.sort(x))
    agree(la.asarray(x).argsort(-1, None, None), np.argsort(x))
    agree(la.asarray(x).dot(la.asarray(x), la.zeros((), dtype="int64")), x.dot(x))


@pytest.fixture(params=["auto", "compiled"])
def each_tier(request):
    before = config.configure(tier=request.param)
    yield
    config.configure(**vars(before))


def strided_in_memory(function, x, numpys, shape, steps):
    """Of a view whose base is gone: NumPy's where it is eager, an error elsewhere."""
    if x.host is not None:
        np.testing.assert_array_equal(np.asarray(function(x, shape, steps)), as_strided(numpys, shape, steps))
        return
    with pytest.raises(ValueError, match=r"leads out of the memory|row-major order"):
        function(x, shape, steps)


@pytest.mark.usefixtures("each_tier")
@pytest.mark.parametrize("count", [40, 200_000])
def test_numpys_windows_of_a_view_stay_in_its_base(count):
    given = np.arange(float(count))
    y, expected = la.asarray(given) * 2, given * 2
    for key in (slice(10, 30), slice(30, 10, -1), slice(0, 30, 3)):
        view, numpys = y[key], expected[key]
        found = as_strided(view[4:], (4, 3), (-8, 8))  # from one array, as NumPy's concatenates are by `toeplitz`
        np.testing.assert_array_equal(found, as_strided(numpys[4:], (4, 3), (-8, 8)))
    np.testing.assert_array_equal(as_strided(y[3:9], (6, 2)), as_strided(expected[3:9], (6, 2)))
    columns, numpys = y.reshape(-1, 4).T, expected.reshape(-1, 4).T
    shape, strides = (4, 3, 2), (8, 32, 32)
    np.testing.assert_array_equal(as_strided(columns, shape, strides), as_strided(numpys, shape, strides))
    for x, steps in ((y, (-8, 8)), (y[::-1].copy()[-3:], (8, 8)), (y[5:], (-24, 8))):
        with pytest.raises(ValueError, match="leads out of the memory"):
            as_strided(x, (4, 3), steps)
    lonely = (la.asarray(given) * 2)[10:20]  # of which there is no base to read, but of an eager one the memory
    strided_in_memory(as_strided, lonely[5:], expected[15:20], (7, 2), (-8, 8))


VIEWS = {
    "steps": lambda x: x[::2],
    "reversed": lambda x: x[::-1],
    "transposed": lambda x: x.reshape(8, -1).T,
    "block of a transpose": lambda x: x.reshape(8, -1).T[3:9, 2:7],
    "imaginary parts": lambda x: x.view("complex128").imag[1:],
    "other bytes": lambda x: x.view("int32")[3::4],
    "added dimensions": lambda x: x[8:16:2, None],
    "reshaped in place": lambda x: reshaped_in_place(x[10:22:2]),
    "diagonal": lambda x: x[:64].reshape(8, 8)[2:].diagonal(),
}


def reshaped_in_place(x):
    x.shape = (2, 3)
    return x


@pytest.mark.usefixtures("each_tier")
@pytest.mark.parametrize("made", ["recorded", "known", "eager", "assigned"])
@pytest.mark.parametrize("name", VIEWS)
def test_strides_are_those_of_numpys_views(name, made):
    expected = np.arange(120.0) * 2
    x = la.asarray(np.arange(120.0)) * 2
    if made == "known":
        float(x[0])
    if made == "eager":
        for i in range(20):
            x[i] = x[i]
    view, numpys = VIEWS[name](x), VIEWS[name](expected)
    strides = view.strides
    if made == "assigned":
        x[5:30] = expected[5:30] = -1.0
        if view.flags.writeable:
            view[...] = numpys[...] = 3
        float(x[1])
    assert strides == view.strides == numpys.strides
    assert view.ctypes.strides[:] == numpys.ctypes.strides[:]
    assert view.flags.c_contiguous == numpys.flags.c_contiguous
    np.testing.assert_array_equal(np.asarray(view.data), numpys)
    shape = tuple(-(-extent // 2) for extent in numpys.shape)
    for module in (np, la):
        strided = module.lib.stride_tricks.as_strided
        if module is la and x.dtype != view.dtype:
            with pytest.raises(ValueError, match="lie in row-major order"):
                strided(view, shape + shape, strides * 2)
            continue
        for steps in (None, strides):
            np.testing.assert_array_equal(strided(view, view.shape, steps), as_strided(numpys, numpys.shape, steps))
        windows = as_strided(numpys, shape + shape, strides * 2)
        np.testing.assert_array_equal(strided(view, shape + shape, strides * 2), windows)
    own = view.copy()
    steps = tuple(2 * step for step in own.strides)
    np.testing.assert_array_equal(as_strided(own, shape, steps), as_strided(numpys.copy(), shape, steps))


@pytest.mark.usefixtures("each_tier")
def test_strides_of_a_view_whose_base_is_gone():
    numpys = (np.arange(20.0) * 2)[::2]
    for read in (False, True):
        view = (la.asarray(np.arange(20.0)) * 2)[::2]
        if read:
            np.asarray(view)
        assert view.strides == numpys.strides == (16,)
        np.testing.assert_array_equal(as_strided(view, (8, 3), view.strides * 2), as_strided(numpys, (8, 3), (16, 16)))
        np.testing.assert_array_equal(np.asarray(view.data), numpys)
        strided_in_memory(as_strided, view, numpys, (5, 2), (16, 8))
        for shape, steps in (((9, 3), (16, 16)), ((2,), (-16,))):
            with pytest.raises(ValueError, match="leads out of the memory"):
                as_strided(view, shape, steps)
        strided_in_memory(la.lib.stride_tricks.as_strided, view, numpys, (8, 3), (16, 16))
    columns = (la.asarray(np.arange(20.0)) * 2).reshape(4, 5).T
    expected = as_strided((np.arange(20.0) * 2).reshape(4, 5).T, (2, 4, 4), (8, 8, 40))
    np.testing.assert_array_equal(as_strided(columns, (2, 4, 4), (8, 8, 40)), expected)
    with pytest.raises(ValueError, match="leads out of the memory"):
        as_strided(la.asarray(np.arange(9.0))[4:], (2, 6))


@pytest.mark.parametrize("shape", [(), (0,), (3, 0), (2, 0, 3)])
def test_memory_of_arrays_without_elements_or_dimensions(shape):
    for x in (la.zeros(shape), la.zeros((2, *shape))[1].T.T):
        assert np.asarray(x.data).shape == as_strided(x).shape == shape
        assert x.ctypes.data


def test_no_array_is_made_by_the_class():
    with pytest.raises(TypeError, match=r"use lazyarr\.asarray"):
        la.Array()
    with pytest.raises(TypeError, match=r"use lazyarr\.asarray"):
        la.Array((3,))


@pytest.mark.device  # the interpreter has all elements
@pytest.mark.usefixtures("each_tier")
@pytest.mark.parametrize("pending", [False, True])
@pytest.mark.parametrize("size", [6, 100_000])
def test_views_of_more_elements_than_fit_into_memory(size, pending):
    large, half = 10**9, size // 2
    numpys = np.arange(size) + 0.5
    x = la.asarray(np.arange(float(size))) + 0.5 if pending else la.asarray(numpys)
    for shape, steps in (((large, large), (0, 0)), ((large, 3), (0, 8)), ((half, half + 1), (8, 8))):
        found, expected = la.lib.stride_tricks.as_strided(x, shape, steps), as_strided(numpys, shape, steps)
        assert (found.shape, found.strides) == (shape, steps)
        if half in shape or 3 in shape:
            np.testing.assert_array_equal(np.asarray(found[half - 1]), expected[half - 1])
    assert as_strided(x[::2], (large, 2), (0, 16))[5, 1] == numpys[2]
    for number in (x[3], la.asarray(3.5)):
        for found in (la.broadcast_to(number, (large, large)), np.broadcast_to(number, (large, large))):
            assert found.shape == (large, large)
            assert float(found[5, 2]) == 3.5
            assert not found.flags.writeable
    for shape, steps in (((large, 2), (0, 8 * size)), ((large, large), (8, 0)), ((2,), (-8,))):
        with pytest.raises(ValueError, match="leads out"):
            la.lib.stride_tricks.as_strided(x, shape, steps)


def test_as_strided_refuses_iterators_which_can_be_looked_at_once_only():
    view = (la.arange(20.0) * 2)[::2]
    for shape, strides in (((k for k in (2, 3)), (16, 16)), ((2, 3), iter((16, 16)))):
        with pytest.raises(TypeError, match="is an iterator"):
            as_strided(view, shape, strides)


FRESH = {
    "sort": lambda: la.sort(la.asarray([3.0, 1.0])),
    "nonzero": lambda: la.nonzero(la.asarray([3.0, 1.0]))[0],
    "diag": lambda: la.diag(la.asarray([3.0, 1.0])),
    "large": lambda: la.ones(300_000) + 1,
    "view": lambda: (la.ones(5) + 1)[1:],
}


@pytest.mark.parametrize("name", FRESH)
def test_what_may_be_assigned_to_may_be_said_to_be(name):
    a = FRESH[name]()
    a.flags.writeable = True
    a.flags["WRITEABLE"] = True
    assert a.flags.writeable
    assert a.flags["W"]
    assert a.flags == a.flags
    a[...] = 1
    assert float(a.min()) == 1


def test_flags_of_views_that_are_read_only():
    a = la.broadcast_to(la.ones(3), (2, 3))
    a.flags.writeable = False
    with pytest.raises(ValueError, match="assign to a copy"):
        a[0, 0] = 1
    for key, error in (("aligned", AttributeError), ("shape", AttributeError)):
        with pytest.raises(error, match=f"flags: {key} cannot be set"):
            setattr(a.flags, key, True)
    with pytest.raises(KeyError, match="flags: ALIGNED cannot be set"):
        a.flags["ALIGNED"] = True


def test_memory_of_a_base_that_is_gone():
    e, n = (m.concatenate((m.arange(5.0), m.arange(4.0))).ravel() for m in (la, np))
    found = la.lib.stride_tricks.as_strided(e[4:], (5, 5), (-8, 8))
    agree(found, as_strided(n[4:], (5, 5), (-8, 8)))
    agree(la.asarray(as_strided(e[4:], (5, 5), (-8, 8))), as_strided(n[4:], (5, 5), (-8, 8)))
    e[0] = 9
    assert float(found[4, 0]) == 9
    with pytest.raises(ValueError, match="leads out"):
        la.lib.stride_tricks.as_strided(e[4:], (5, 5), (-16, 8))


def test_what_other_libraries_compute_is_wrapped():
    a = la.zeros(3)
    found = a.__array_wrap__(np.ones(3), None, False)
    assert isinstance(found, la.Array)
    agree(found, np.ones(3))
    assert a.__array_wrap__(np.array(2.0), None, True).is_number
    assert not a.__array_wrap__(np.array(2.0)).is_number


def test_solvers_of_scipy_take_arrays():
    optimize = pytest.importorskip("scipy.optimize")
    found = optimize.anderson(lambda x: x + 0.1 * x**3 - 1, la.zeros(4), f_tol=1e-8)
    np.testing.assert_allclose(np.asarray(found), 0.92169929, rtol=1e-5)


def test_the_size_of_an_array_counts_its_elements():
    x = la.zeros(1000)
    assert 8000 < sys.getsizeof(x) < 9000
    assert 8000 < sys.getsizeof(x + 1) < 9000
    assert sys.getsizeof(x[:500]) < 1000  # whose elements are those of x
