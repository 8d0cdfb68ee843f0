"""Methods of arrays that speak of memory, against NumPy's."""

from __future__ import annotations

import io
import pickle

import numpy as np
import pytest

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
