"""Arrays in and out: no copies, conversions, printing, creation, devices."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest
from hypothesis import given, settings

import lazyarr as la
from lazyarr import lift
from lazyarr.config import configure
from lazyarr.runtime import DeviceError, devices
from tests.lazyarr.evaluation import EXAMPLES
from tests.lazyarr.support import check, operands, shapes


@given(x=operands())
@settings(max_examples=2 * EXAMPLES)
def test_round_trip(x):
    a = la.asarray(x)
    check(a, x)
    assert a.ndim == x.ndim
    assert a.size == x.size
    assert a.nbytes == x.nbytes
    assert a.tolist() == x.tolist()
    assert (la.logical_not(a)).tolist() == np.logical_not(x).tolist()


def test_numpy_memory_is_not_copied_on_demand():
    x = np.arange(6.0).reshape(2, 3)
    a = la.asarray(x, copy=False)
    assert np.shares_memory(np.asarray(a), x)
    assert np.shares_memory(np.asarray(a.reshape(-1)), x)
    assert np.shares_memory(np.asarray(la.asarray(a)), x)
    assert not np.shares_memory(np.asarray(la.asarray(x, copy=True)), x)
    assert not np.shares_memory(np.asarray(la.asarray(x.T)), x)
    assert not np.array(a).flags.writeable or not np.shares_memory(np.array(a), x)
    assert np.array(a).flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        np.asarray(a)[0] = 1
    with pytest.raises(ValueError, match="copy"):
        la.asarray(x.T, copy=False)
    with pytest.raises(ValueError, match="copy"):
        np.asarray(a, dtype="float32", copy=False)
    assert np.asarray(a, dtype="float32").dtype == "float32"
    check(la.asarray(x.astype(">f8")), x)
    unaligned = np.frombuffer(b"\0" + x.tobytes(), "uint8")[1:].view("float64")
    check(la.asarray(unaligned), x.ravel())


def test_asarray_takes_what_numpy_takes():
    check(la.asarray([[1, 2], [3, 4]]), np.array([[1, 2], [3, 4]]))
    check(la.asarray(2.5), np.array(2.5))
    check(la.asarray(True), np.array(True))
    check(la.asarray(np.float32(2)), np.array(2, "float32"))
    check(la.asarray([1, 2], dtype="float32"), np.array([1, 2], "float32"))
    check(la.asarray(la.asarray([1, 2]), dtype=float), np.array([1.0, 2.0]))
    check(la.asarray([1j, 2]), np.array([1j, 2]))
    check(la.asarray(1 + 2j), np.array(1 + 2j))
    wide = [np.ones(2, "longdouble"), np.ones(2, "clongdouble")]
    for bad in (np.ones(2, "float16"), np.array(["x"]), [None], object(), *wide):
        with pytest.raises(TypeError, match=r"asarray: (dtype|expected an array, or numbers)"):
            la.asarray(bad)
    with pytest.raises(TypeError, match="float16"):
        la.asarray([1.0], dtype="float16")


def test_conversions_to_python():
    assert float(la.asarray([1.5, 2]).sum()) == 3.5
    assert int(la.asarray(3) + 4) == 7
    assert complex(la.asarray(2.0)) == 2
    assert bool(la.asarray(0) == 0)
    assert [10, 20][la.asarray(1)] == 20
    assert la.asarray([[2.5]]).item() == 2.5
    assert f"{la.asarray(2.0) * 1.25:.3f}" == "2.500"
    assert 2.0 in la.asarray([1.0, 2.0])
    assert type(la.asarray(2).item()) is int
    with pytest.raises(ValueError, match=r"ambiguous.*la\.any"):
        bool(la.asarray([1, 2]))
    with pytest.raises(ValueError, match="ambiguous"):
        bool(la.asarray(np.ones(0)))
    for one in (la.asarray([1]), la.asarray([[1.5]]), la.asarray([1, 2])):
        with pytest.raises(TypeError, match="0-dimensional"):
            float(one)
    with pytest.raises(TypeError, match="index"):
        [1][la.asarray(0.0)]
    with pytest.raises(ValueError, match="item"):
        la.asarray([1, 2]).item()
    with pytest.raises(TypeError, match="len"):
        len(la.asarray(1))
    with pytest.raises(TypeError, match="0-dimensional"):
        iter(la.asarray(1))
    with pytest.raises(TypeError, match="unhashable"):
        hash(la.asarray([1, 2]))
    with pytest.raises(TypeError, match="compute: expected arrays, got int"):
        la.compute(1)


def test_iteration_gives_rows():
    x = np.arange(6.0).reshape(2, 3)
    for ours, theirs in zip(la.asarray(x) * 2, x * 2, strict=True):
        check(ours, theirs)
    for ours, theirs in zip(la.asarray(x)[0], x[0], strict=True):
        check(ours, theirs)
    a, b = la.asarray(x)
    check(a + b, x[0] + x[1])


def test_printing():
    x = np.arange(3, dtype="float32")
    assert repr(la.asarray(x) + 1) == repr(x + 1) == "array([1., 2., 3.], dtype=float32)"
    assert str(la.asarray(x) + 1) == str(x + 1) == f"{la.asarray(x) + 1}"
    assert repr(la.asarray(np.ones((0, 3)))) == repr(np.ones((0, 3)))


@given(shape=shapes)
@settings(max_examples=EXAMPLES)
def test_constant_arrays(shape):
    check(la.zeros(shape), np.zeros(shape))
    check(la.ones(shape, dtype="int32"), np.ones(shape, "int32"))
    check(la.full(shape, 2.5), np.full(shape, 2.5))
    check(la.full(shape, 3), np.full(shape, 3))
    check(la.full(shape, la.asarray(2.5)), np.full(shape, 2.5))
    x = la.asarray(np.ones(shape, "float32"))
    check(la.zeros_like(x), np.zeros(shape, "float32"))
    check(la.ones_like(x, dtype=bool), np.ones(shape, bool))
    check(la.full_like(x, 7) + x, np.full(shape, 8, "float32"))
    check(la.zeros(shape) + la.ones(shape), np.ones(shape))
    check(la.zeros(shape).T.sum(), np.zeros(shape).sum())


def test_creation_errors():
    with pytest.raises(ValueError, match=r"zeros.*\(-1,\)"):
        la.zeros(-1)
    with pytest.raises(TypeError, match=r"ones.*shape"):
        la.ones("x")
    with pytest.raises(ValueError, match="fill_value"):
        la.full(3, [1, 2])
    with pytest.raises(TypeError, match="float16"):
        la.zeros(3, dtype="float16")


def test_the_device_is_the_default_one_unless_another_was_named():
    default = la.__array_namespace_info__().default_device()
    x = la.asarray([1.0, 2.0])
    assert x.device is default and (x + 1).device is default
    for other in devices():
        assert la.zeros(3, device=other).device is other
        assert la.zeros(3, device=other.index).device is other
        before = configure(device=other.index)
        try:
            assert x.device is other
        finally:
            configure(**vars(before))
    with pytest.raises(DeviceError, match="expected a device"):
        la.zeros(3, device=0)
    assert la.zeros(3, device=x.device).device is default
    with pytest.raises(AttributeError):
        x.device = default


PUT = {
    "asarray": lambda device: la.asarray(np.arange(3.0), device=device),
    "asarray of an array": lambda device: la.asarray(la.ones(3) + 1, device=device),
    "asarray of numbers": lambda device: la.asarray([1, 2], "float32", device=device),
    "array": lambda device: la.array([1, 2], device=device),
    "asanyarray": lambda device: la.asanyarray([1, 2], device=device),
    "from_dlpack": lambda device: la.from_dlpack(np.arange(3.0), device=device),
    "astype": lambda device: la.astype(la.ones(3), "int32", device=device),
    "to_device": lambda device: la.ones(3).to_device(device),
    "zeros": lambda device: la.zeros(3, device=device),
    "ones": lambda device: la.ones(3, device=device),
    "empty": lambda device: la.empty((0, 2), device=device),
    "full": lambda device: la.full(3, 2.5, device=device),
    "full of an array": lambda device: la.full(3, [1, 2, 3], device=device),
    "zeros_like": lambda device: la.zeros_like(la.ones(3), device=device),
    "ones_like": lambda device: la.ones_like([1, 2], device=device),
    "empty_like": lambda device: la.empty_like([1, 2], device=device),
    "full_like": lambda device: la.full_like([1, 2], 3, device=device),
    "arange": lambda device: la.arange(10, device=device),
    "arange of nothing": lambda device: la.arange(0, device=device),
    "arange of floats": lambda device: la.arange(0.5, 9.5, 0.25, "float32", device=device),
    "linspace": lambda device: la.linspace(0, 1, 5, device=device),
    "linspace of arrays": lambda device: la.linspace([0, 1], [1, 2], 5, device=device),
    "logspace": lambda device: la.logspace(0, 1, 5, device=device),
    "geomspace": lambda device: la.geomspace(1, 2, 5, device=device),
    "eye": lambda device: la.eye(3, device=device),
    "eye of nothing": lambda device: la.eye(0, device=device),
    "identity": lambda device: la.identity(3, device=device),
    "tri": lambda device: la.tri(3, device=device),
    "indices": lambda device: la.indices((2, 3), device=device),
    "fromfunction": lambda device: la.fromfunction(lambda i, j: i + j, (2, 3), device=device),
    "fftfreq": lambda device: la.fft.fftfreq(4, device=device),
    "rfftfreq": lambda device: la.fft.rfftfreq(4, device=device),
    "default_rng": lambda device: la.random.default_rng(1, device=device),
    "default_rng of a generator": lambda device: la.random.default_rng(la.random.default_rng(1), device=device),
    "Generator": lambda device: la.random.Generator(1, device=device),
    "default_dtypes": lambda device: la.__array_namespace_info__().default_dtypes(device=device),
    "dtypes": lambda device: la.__array_namespace_info__().dtypes(device=device),
}
"""Whatever takes a device."""


@pytest.mark.parametrize("name", PUT)
def test_a_device_that_there_is_not_is_refused_when_it_is_named(name):
    with pytest.raises(DeviceError, match="no such device"):
        PUT[name]("no such device")
    made = PUT[name](None)
    if isinstance(made, la.Array):
        assert PUT[name](devices()[0].index).device is devices()[0]


def test_libraries_that_put_arrays_beside_others_work_in_jit():
    f = lift.jit(lambda x: x + la.asarray([1.0, 2.0], device=x.device) + la.asarray(x * 2, device=x.device))
    for x in (la.asarray([3.0, 4.0]), la.asarray([3.0, 4.0], device=devices()[0])):
        assert np.asarray(f(x)).tolist() == [10.0, 14.0]


@pytest.fixture
def two():
    """Two devices."""
    if len(devices()) < 2:
        pytest.skip("there is only one device")
    return devices()[:2]


def test_what_jit_records_is_where_the_arguments_are(two):
    default = la.asarray([0.0]).device
    there = next(device for device in two if device is not default)
    x, y = la.asarray([1.0, 2.0]), la.asarray([10.0, 20.0], device=there)
    constant = lift.jit(lambda x, y: la.asarray([1.0, 2.0], device=x.device) + y)
    apart = lift.jit(lambda x, y: (la.asarray([1.0, 2.0], device=x.device) + x, y * 2))
    moved = lift.jit(lambda x, y: la.asarray(x, device=y.device) + y)
    captured = lift.jit(lambda x: x + y)
    for _ in range(2):
        assert np.asarray(constant(x, y)).tolist() == [11.0, 22.0]
        first, second = apart(x, y)
        assert np.asarray(first + second).tolist() == [22.0, 44.0] and first.device is there
        assert np.asarray(moved(x, y) + 1).tolist() == [12.0, 23.0]
        assert captured(x).device is there and np.asarray(captured(x) + 1).tolist() == [12.0, 23.0]
    with pytest.raises(ValueError, match=r"jit: .*different devices"):
        lift.jit(lambda x, y: (x + 1, y + 1))(la.asarray([1.0], device=default), y)


def test_conversions_go_where_they_are_told(two):
    for _ in range(3):
        for device in two:
            for x in (la.asarray([1.5, 2.5]), la.asarray([1.5, 2.5], device=device)):
                assert la.astype(x, "float64", device=device.index).device is device
                assert la.astype(x, "float32", device=device.index).device is device


def test_arrays_of_named_devices_are_pickled():
    for device in devices():
        x = la.asarray([1.0, 2.0], device=device)
        found = pickle.loads(pickle.dumps(x + 1))
        assert np.asarray(found).tolist() == [2.0, 3.0] and found.device is device


def test_a_view_of_what_was_put_elsewhere_is_there(two):
    default = la.asarray([0.0]).device
    there = next(device for device in two if device is not default)
    x = la.asarray([1.0, 2.0, 3.0])
    view = x[1:]
    x[0:1] = la.asarray([7.0], device=there)
    assert view.device is there and x.device is there


def test_devices_do_not_mix(two):
    here, there = two
    a, b = la.asarray([1.0], device=here), la.asarray([1.0], device=there)
    with pytest.raises(ValueError, match=r"add: .*different devices") as caught:
        a + b
    assert str(here) in str(caught.value) and str(there) in str(caught.value)
    with pytest.raises(ValueError, match="on device"):
        la.asarray(a, device=there)
    assert (a + la.asarray([2.0])).device is here
    assert (a[0].reshape(1, 1).sum() * 2).device is here
    assert la.asarray(la.asarray([1.0]), device=here).device is here


def test_names_of_one_device_mix():
    here = devices()[0]
    for _ in range(3):  # recorded, then replayed
        a, b = la.asarray([1.0], device=here), la.asarray([2.0], device=here.index)
        assert (a + b).device is here and (b + a).device is here
        assert la.asarray(a, device=here.index).device is here
        assert a.to_device(here.index) is a
        assert la.astype(a, "float64", copy=False, device=here.index) is a


def test_copies_and_pickles():
    a = la.asarray(np.arange(3.0)) + 1
    for b in (copy.copy(a), copy.deepcopy(a), pickle.loads(pickle.dumps(a))):
        check(b, np.arange(3.0) + 1)


def test_the_namespace():
    assert la.asarray(1).__array_namespace__() is la
    assert la.pi == np.pi
    assert la.float32 == np.float32
    for name in ("sum", "abs", "float32", "asarray", "matmul", "where", "lift", "Array", "compute", "bool", "newaxis"):
        assert hasattr(la, name)


def test_arrays_without_dimensions_are_no_keys_and_no_counts():
    """They change, as NumPy's; numbers, as elements and sums are, do not."""
    x = la.asarray(3)
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    assert hash(la.asarray([2, 3])[1]) == hash(la.asarray([1, 2]).sum()) == hash(3)
    np.testing.assert_array_equal(np.asarray([5, 7] * x), [15, 21])
    assert [5, 7] * la.asarray([2, 3])[0] == [5, 7, 5, 7]
