"""Methods of arrays that speak of memory, against NumPy's."""

from __future__ import annotations

import io
import pickle

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
    with pytest.warns(UserWarning, match="write=False changes nothing"):
        a.setflags(write=False)


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
    lonely = (la.asarray(given) * 2)[10:20]  # of which there is no base to read
    with pytest.raises(ValueError, match="leads out of the memory"):
        as_strided(lonely[5:], (7, 2), (-8, 8))


def test_no_array_is_made_by_the_class():
    with pytest.raises(TypeError, match=r"use lazyarr\.asarray"):
        la.Array()
    with pytest.raises(TypeError, match=r"use lazyarr\.asarray"):
        la.Array((3,))
