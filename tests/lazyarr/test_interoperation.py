"""Interoperation: DLPack, buffers, pickles, text, Python's protocols, NumPy's methods."""

from __future__ import annotations

import array as arrays
import copy
import math
import operator
import pickle
from collections import UserList, deque

import numpy as np
import pytest

import lazyarr as la
from lazyarr import TracingError, lift
from lazyarr.api import numpy_aliases
from lazyarr.config import configure
from lazyarr.recording import creation
from lazyarr.runtime import default_device, devices
from tests.lazyarr.evaluation import ON_DEVICE
from tests.lazyarr.support import COMPLEX, DTYPES, check, values

pytestmark = pytest.mark.recording

X = values((3, 5), "float64", 1, 0.1, 9)
Y = values((5,), "float64", 2, 0.1, 9)


@pytest.fixture(autouse=True, scope="module")
def _untuned():
    before = configure()
    configure(tune="off")
    yield
    configure(tune=before.tune)


# --- memory -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", [*DTYPES, *COMPLEX])
def test_dlpack(dtype):
    source = values((3, 5), dtype, 1)
    x = la.from_dlpack(source)
    check(x, source)
    assert not np.shares_memory(np.from_dlpack(x), source)
    if dtype not in COMPLEX:
        assert np.shares_memory(np.from_dlpack(la.from_dlpack(source, copy=False)), source)
    assert x.__dlpack_device__() == (1, 0)
    np.testing.assert_array_equal(np.from_dlpack(x), source)
    assert not np.from_dlpack(x).flags.writeable
    assert not np.shares_memory(np.from_dlpack(x, copy=True), source)
    assert not np.shares_memory(np.asarray(la.from_dlpack(source, copy=True)), source)
    assert la.from_dlpack(x) is x


def test_dlpack_of_computed_arrays_shares_their_memory():
    x = la.asarray(X) * 2
    if ON_DEVICE and default_device().kind == "cpu":
        assert np.shares_memory(np.from_dlpack(x), np.asarray(x))
    np.testing.assert_array_equal(np.from_dlpack(x), X * 2)


def test_dlpack_errors():
    x = la.asarray(X)
    with pytest.raises(BufferError, match="read-only"):
        x.__dlpack__(copy=False)
    with pytest.raises(BufferError, match="on device"):
        x.__dlpack__(dl_device=(2, 0))
    with pytest.raises(ValueError, match="no streams"):
        x.__dlpack__(stream=1)
    with pytest.raises(TypeError, match="from_dlpack: expected an array with __dlpack__, got list"):
        la.from_dlpack([1, 2])
    with pytest.raises(TracingError):
        lift.jit(lambda v: np.from_dlpack(v))(x)


def test_buffers():
    floats = arrays.array("d", [1, 2.5, -3])
    for source, expected in [
        (floats, np.array([1, 2.5, -3])),
        (memoryview(X), X),
        (memoryview(b"abc"), np.frombuffer(b"abc", np.uint8)),
        (bytearray(b"xyz"), np.frombuffer(b"xyz", np.uint8)),
    ]:
        shared, copied = la.asarray(source, copy=False), la.asarray(source, copy=True)
        check(shared, expected)
        check(copied, expected)
        assert np.shares_memory(np.asarray(shared), np.asarray(source))
        assert not np.shares_memory(np.asarray(copied), np.asarray(source))
    check(la.frombuffer(b"\1\0\2\0", dtype="int16"), np.array([1, 2], "int16"))
    with pytest.raises(ValueError, match="copy is needed"):
        la.asarray([1, 2], copy=False)


def test_lists_of_lazy_arrays_stay_lazy():
    x = la.asarray(X)
    check(la.array([x.sum(), 1, x[0, 0]]), np.array([X.sum(), 1, X[0, 0]]), 15)
    check(la.asarray([[x[0], Y], [Y, x[1]]]), np.array([[X[0], Y], [Y, X[1]]]))
    check(lift.jit(lambda v: la.array([v.sum(), v.max()]))(x), np.array([X.sum(), X.max()]), 15)
    with pytest.raises(ValueError, match="expected arrays of one shape in a list"):
        la.asarray([x, x[0]])


@pytest.mark.parametrize("dtype", ["bool", "uint16", "float32", "complex64"])
def test_pickles_and_copies(dtype):
    source = values((3, 5), dtype, 3)
    for x in (la.asarray(source), la.asarray(source)[::-1]):
        for other in (pickle.loads(pickle.dumps(x)), copy.copy(x), copy.deepcopy([x])[0]):
            assert other is not x
            check(other, np.asarray(x))
    x = la.asarray(source)
    assert x.tobytes() == source.tobytes()
    assert x.tobytes("F") == source.tobytes("F")
    assert x.strides == source.strides


def test_devices():
    x = la.asarray(X)
    assert x.to_device(None) is x
    for device in devices():
        there = la.asarray(X, device=device)
        assert there.to_device(device) is there and there.to_device(there.device) is there
        check(x.to_device(device), X)
        assert x.to_device(device).device is device
        moved = there.to_device(None)
        assert moved.device is x.device
        check(moved, X)
    with pytest.raises(ValueError, match="no streams"):
        x.to_device(None, stream=1)


# --- Python -----------------------------------------------------------------------------------------------------------


def test_numbers():
    x = la.asarray(X)
    assert [10, 20, 30][la.asarray(1)] == 20
    assert hex(la.asarray(255)) == "0xff"
    assert list(range(la.asarray(3))) == [0, 1, 2]
    assert math.sqrt(la.asarray(4)) == 2
    assert complex(la.asarray(1 + 2j)) == 1 + 2j
    assert (float(x[0, 1]), int(x[0, 1]), bool(x[0, 1])) == (X[0, 1], int(X[0, 1]), True)
    assert x.item(3) == X.item(3)
    assert x.item(1, 2) == x.item((1, 2)) == X[1, 2]
    assert x[0, 1] in x
    assert -1 not in x
    assert [row.tolist() for row in x] == X.tolist()
    assert sum(la.asarray(Y)) == sum(Y)
    with pytest.raises(TypeError, match="unhashable"):
        hash(x)
    for conversion in (float, int, complex, operator.index):
        with pytest.raises(TypeError):
            conversion(x)


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32", "complex128"])
@pytest.mark.parametrize("shape", [(), (3,), (2, 2), (0, 3), (1200,)])
def test_text(shape, dtype):
    value = np.asarray(values(shape, dtype, 5))
    x = la.asarray(value)
    assert (repr(x), str(x), f"{x}") == (repr(value), str(value), f"{value}")
    if not shape and dtype != "bool":
        spec = "5d" if dtype == "int64" else ".3e"
        assert format(x, spec) == format(value, spec)
    if shape:
        with pytest.raises(TypeError, match="is for a single number"):
            format(x, ".2f")
    with la.printoptions(precision=2):
        assert repr(x) == repr(value)


@pytest.mark.parametrize("name", [*DTYPES, *COMPLEX])
def test_dtypes_are_equal_both_ways(name):
    x = la.zeros(2, name)
    for same in (np.dtype(name), name, getattr(np, name if name != "bool" else "bool_"), getattr(la, name)):
        assert x.dtype == same
        assert same == x.dtype or isinstance(same, str)
        check(la.asarray([0, 1], same), np.asarray([0, 1], same))
        check(la.zeros(2, same), np.zeros(2, same))
        check(la.ones((1, 2), same).astype(float if np.dtype(name).kind != "c" else complex), np.ones((1, 2)) + 0 * (
            1j if np.dtype(name).kind == "c" else 0))  # fmt: skip
    assert x.dtype != np.dtype("float16")


# --- methods ----------------------------------------------------------------------------------------------------------


def test_methods_of_elements():
    x = la.asarray(X)
    check(x.take([0, 2], 1), X.take([0, 2], 1))
    check(x.compress([True, False, True], 0), X.compress([True, False, True], 0))
    check(la.asarray([0, 1, 0]).choose([Y[:3], Y[1:4]]), np.array([0, 1, 0]).choose([Y[:3], Y[1:4]]))
    check(x.diagonal(1), X.diagonal(1))
    check(x.repeat(2, 0), X.repeat(2, 0))
    for a, b in zip(la.asarray(X > 4).nonzero(), (X > 4).nonzero(), strict=True):
        check(a, b)
    out = la.zeros((3, 2))
    assert x.take([0, 2], 1, out) is out
    check(out, X.take([0, 2], 1))


def test_methods_that_change_the_array():
    x, expected = la.asarray(X), X.copy()
    x.put([0, 7], [1.5, 2.5])
    expected.put([0, 7], [1.5, 2.5])
    check(x, expected)
    x.flat[3:6] = -1
    expected.flat[3:6] = -1
    check(x, expected)
    check(x.flat[2], expected.flat[2])
    assert [float(v) for v in x.flat] == expected.ravel().tolist()
    assert len(x.flat) == 15
    np.testing.assert_array_equal(x.flat, expected.ravel())
    check(x.flat.copy(), expected.ravel())
    for shape in ((2, 4), (4, 5)):
        x.resize(shape)
        expected.resize(shape, refcheck=False)
        check(x, expected)
    x[0] = 3  # in memory that views showed
    view = x[1:]
    with pytest.raises(ValueError, match="views"):
        x.resize(2)
    with pytest.raises(ValueError, match="views"):
        view.resize(2)
    del view
    x.resize(6)
    check(x, [3.0, 3.0, 3.0, 3.0, 3.0, expected[1, 0]])
    x.resize(4, 5)
    x.fill(7)
    check(x, np.full((4, 5), 7.0))
    counts = la.asarray([1, 2, 3])
    counts <<= 2
    counts >>= 1
    check(counts, np.array([2, 4, 6]))


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint16", "int64", "float32", "complex64"])
@pytest.mark.parametrize("number", [True, 3, -3, 300, 2.5, 1j, np.int64(3), np.float64(0.5)], ids=repr)
@pytest.mark.filterwarnings("ignore::numpy.exceptions.ComplexWarning")
def test_copyto_of_numbers(dtype, number):
    """What NumPy copies and what it refuses: Python's numbers have a kind and no width."""
    for casting in ("no", "safe", "same_kind", "unsafe"):
        expected = np.zeros(2, dtype)
        try:
            np.copyto(expected, number, casting)
        except (TypeError, OverflowError) as error:
            kind = TypeError if isinstance(error, TypeError) else OverflowError
            with pytest.raises(kind):
                la.copyto(la.zeros(2, dtype), number, casting)
            continue
        target = la.zeros(2, dtype)
        la.copyto(target, number, casting)
        check(target, expected)


def test_copyto_drops_leading_dimensions():
    for shape, source in (((3,), (1, 3)), ((), (1, 1)), ((2, 3), (1, 1, 1, 3)), ((3,), (1, 1, 1))):
        for target in (la.zeros(shape), np.zeros(shape)):
            la.copyto(target, la.full(source, 2.0))
            check(la.asarray(target), np.full(shape, 2.0))
    with pytest.raises(ValueError, match=r"copyto: .*\(2, 3\) does not fit out, of shape \(3,\)"):
        la.copyto(la.zeros(3), la.ones((2, 3)))


def test_habits():
    x = la.asarray(X)
    assert [la.ndim(3), la.shape([[1, 2]]), la.size(x), la.size([1, 2])] == [0, (1, 2), 15, 2]
    check(la.ascontiguousarray(3), np.array([3]))
    check(la.amax(x, 0), X.max(0))
    target, expected = la.asarray(X), X.copy()
    la.copyto(target, Y, where=X > 4)
    np.copyto(expected, Y, where=X > 4)
    check(target, expected)
    array = np.zeros((3, 5))
    la.copyto(array, x)
    np.testing.assert_array_equal(array, X)
    with pytest.raises(TypeError, match="copyto: cannot convert float64 to int32"):
        la.copyto(la.zeros((3, 5), "int32"), x)
    assert la.iscomplexobj(1j)
    assert la.isrealobj(x)
    assert bool(la.array_equiv(la.zeros((3, 5)), [0.0] * 5))
    assert not bool(la.array_equiv(x, [0.0] * 4))
    with pytest.raises(ValueError, match="infinities or NaNs"):
        la.asarray_chkfinite([1, np.inf])


NAMES = ("sum", "prod", "min", "max", "mean", "std", "argmin", "argmax")


@pytest.mark.parametrize(("name", "dtype"), [*((n, "float32") for n in NAMES), ("min", "int32"), ("mean", "int32")])
def test_reductions_without_nan(name, dtype):
    value = values((4, 7), dtype, 6)
    if dtype == "float32":
        value[1, 2] = value[3] = np.nan
        value[3, 6] = 2
    check(getattr(la, f"nan{name}")(la.asarray(value), axis=1), getattr(np, f"nan{name}")(value, axis=1), 7, 1e6)


def test_reductions_of_nan_alone():
    with np.errstate(all="ignore"):
        value = np.full((2, 3), np.nan)
        x = la.asarray(value)
        assert np.isnan(np.asarray(la.nanmean(x, 1))).all()
        assert np.isnan(np.asarray(la.nanmin(x, 1))).all()
        check(la.nansum(x, 1), np.zeros(2))
        value[:, 0] = 1
        assert np.isnan(np.asarray(la.nanvar(la.asarray(value), 1, ddof=1))).all()


def test_partitions_in_place():
    x, expected = la.asarray(Y), Y.copy()
    check(x.argpartition(2)[2], np.argsort(Y)[2])
    x.partition(2)
    expected.sort()
    assert float(x[2]) == expected[2]
    assert sorted(x.tolist()) == expected.tolist()


@pytest.mark.parametrize("name", ["bartlett", "blackman", "hamming", "hanning"])
def test_windows(name):
    for count in (0, 1, 2, 7, 64):
        check(getattr(la, name)(count), getattr(np, name)(count), 1, 1)


def test_polynomials():
    check(la.polyval([2.0, -1, 0.5], la.asarray(X)), np.polyval([2.0, -1, 0.5], X), 3, 99)
    check(la.polyval(la.asarray([1, 2, 3]), la.asarray([[1, 2], [3, 4]])), np.polyval([1, 2, 3], [[1, 2], [3, 4]]))
    check(la.polyval([], la.asarray(Y)), np.polyval([], Y))
    rows = np.arange(12.0).reshape(3, 4, 1)
    for p, at in ((rows, Y), (rows[:, :, 0], 2.0), (rows[:0], Y), (rows[..., 0], rows[0])):
        check(la.polyval(la.asarray(p), la.asarray(at)), np.polyval(p, at), 3, 99)
    for lib in (np, la):
        with pytest.raises(TypeError):
            lib.polyval(3, X)


class Table:
    """What NumPy makes an array of; by an array of lazyarr's, or of NumPy's."""

    def __init__(self, xp, values):
        self.xp, self.values = xp, values

    def __array__(self, dtype=None, copy=None):
        return self.xp.asarray(self.values, dtype=dtype)


def assigned(xp, key, value):
    x = xp.zeros((3, 2))
    x[key] = value
    return x


OF_A_TABLE = {
    "asarray": lambda xp, t, i: xp.asarray(t, dtype="float32"),
    "a list": lambda xp, t, i: xp.array([t, [3.0, 4.0]]),
    "lists in lists": lambda xp, t, i: xp.array([[t, [3.0, 4.0]], (t, t)]),
    "sum": lambda xp, t, i: xp.sum(t),
    "stack": lambda xp, t, i: xp.stack([t, t]),
    "dot": lambda xp, t, i: xp.dot(t, t),
    "full": lambda xp, t, i: xp.full((2, 2), t),
    "linspace": lambda xp, t, i: xp.linspace(t, 3, 4),
    "shape": lambda xp, t, i: xp.zeros((*xp.shape(t), xp.ndim(t), xp.size(t))),
    "assigned": lambda xp, t, i: assigned(xp, ..., t),
    "assigned at": lambda xp, t, i: assigned(xp, i, t),
    "key": lambda xp, t, i: xp.arange(5)[i],
    "mask": lambda xp, t, i: xp.arange(2)[Table(xp, [True, False])],
    "key in a list": lambda xp, t, i: xp.arange(6).reshape(3, 2)[[i]],
    "keys in a tuple": lambda xp, t, i: xp.arange(6).reshape(2, 3)[:, (i, i)],
    "geomspace": lambda xp, t, i: xp.geomspace(t, 8, 3),
    "pad": lambda xp, t, i: xp.pad(t, Table(xp, 1), constant_values=Table(xp, 3)),
    "histogram": lambda xp, t, i: xp.histogram(t, bins=Table(xp, [0.0, 1.5, 3.0]))[0],
    "edges": lambda xp, t, i: xp.histogram_bin_edges(t, bins=Table(xp, [0.0, 1.5, 3.0])),
    "roll": lambda xp, t, i: xp.roll(xp.arange(4), Table(xp, 1), axis=0),
    "add": lambda xp, t, i: xp.ones(2) + t,
    "reflected": lambda xp, t, i: t - xp.ones(2),
    "large": lambda xp, t, i: (xp.ones((300000, 2)) * t)[-3:],
    "compared": lambda xp, t, i: xp.ones(2) < t,
    "divmod": lambda xp, t, i: divmod(xp.asarray(t) + 1, t)[0],
    "product": lambda xp, t, i: xp.ones((2, 2)) @ t,
    "in place": lambda xp, t, i: operator.iadd(xp.ones(2), t),
}


@pytest.mark.parametrize("name", OF_A_TABLE)
def test_objects_that_say_which_array_they_are(name):
    call = OF_A_TABLE[name]
    expected = call(np, Table(np, [1.0, 2.0]), Table(np, [1, 2]))
    for xp in (la, np):
        check(call(la, Table(xp, [1.0, 2.0]), Table(xp, [1, 2])), expected)


def test_lists_of_numbers_are_not_searched_for_objects(monkeypatch):
    def searched(obj):
        raise AssertionError("the list was searched")

    for module in (creation, numpy_aliases):
        monkeypatch.setattr(module, "as_arrays", searched)
    nested = [[1.0, 2.0], [3.0, 4.0]]
    assert (la.shape(nested), la.ndim(nested)) == ((2, 2), 2)
    check(la.full((2, 2), nested), np.full((2, 2), nested))
    check(la.full(3, 2.0), np.full(3, 2.0))


def test_objects_that_want_operators_for_themselves():
    class Wants(Table):
        __array_priority__ = 2000

        def __radd__(self, other):
            return "theirs"

    class WantsNoFunctions(Table):
        __array_ufunc__ = None

        def __radd__(self, other):
            return "theirs"

    for kind in (Wants, WantsNoFunctions):
        assert la.ones(2) + kind(la, [1.0, 2.0]) == "theirs"
    with pytest.raises(ValueError, match="inhomogeneous"):
        la.asarray([Table(la, [1.0, 2.0]), [[1.0], [2.0, 3.0]]][1:])
    with pytest.raises(TypeError):
        la.ones(2) + object()


def test_operators_take_sequences_and_buffers():
    numbers = arrays.array("d", [3.0, 1.0])
    for other in (range(2, 4), deque([3, 1]), UserList([3, 1]), numbers, memoryview(numbers)):
        for operate in (operator.add, operator.mul, operator.eq, operator.lt, operator.matmul, operator.iadd):
            check(operate(la.arange(2.0), other), operate(np.arange(2.0), other))
        check(other - la.arange(2.0), other - np.arange(2.0))
    for other in ({0: 1.0, 1: 2.0}, {1.0, 2.0}):
        with pytest.raises(TypeError):
            la.ones(2) + other


class Radd(Table):
    def __radd__(self, other):
        return "theirs"


@pytest.mark.parametrize("priority", [50, 0.5, 0, -1, math.nan, "50", None, [1, 2], np.float32(3)])
def test_the_priority_of_an_instance(priority):
    def added(xp, add, many):
        other = Radd(xp, [1.0, 2.0])
        other.__array_priority__ = priority
        found = add(xp.ones((many, 2)), other)
        return found if isinstance(found, str) else np.asarray(found[0]).tolist()

    for add in (operator.add, operator.iadd):
        for many in (1, 300000):
            assert added(la, add, many) == added(np, add, many)


def test_objects_that_pass_attributes_on():
    class Passing:
        def __init__(self, of):
            self.of = of

        def __getattr__(self, name):
            return getattr(self.of, name)

    table = np.array([1, 0])
    for other in (Passing(table), Passing(Table(la, table)), Passing(Table(np, table))):
        check(la.ones(2) + other, np.ones(2) + Passing(table))
        check(la.arange(2)[other], table)
    with pytest.raises(TypeError):
        la.ones(2) + Table


def test_a_function_of_an_object_that_holds_what_is_traced():
    x = np.array([3.0, 4.0])
    check(lift.jit(lambda a: la.sum(Table(la, a)) + Table(la, a))(la.asarray(x)), x.sum() + x)


@pytest.mark.parametrize(
    "make", [lambda m: m.arange(12), lambda m: m.arange(24)[::2], lambda m: m.zeros(12, "int64") + 3]
)
def test_pictures_are_made_of_arrays(make):
    image = pytest.importorskip("PIL.Image")
    pictures = []
    for module in (la, np):
        flat = make(module).astype("uint8")
        arrays_of_pixels = (flat.reshape(3, 4), flat.reshape(4, 3).T, flat.reshape(2, 2, 3), flat.reshape(3, 4) > 4)
        pictures.extend([image.fromarray(x).rotate(90).tobytes() for x in arrays_of_pixels])
    assert pictures[:4] == pictures[4:]


def test_what_no_array_is_made_of_is_broadcast_by_numpy():
    x = la.arange(3)
    shown, none, texts = np.broadcast_arrays(x, None, np.array([["a"], ["b"]]))
    assert isinstance(shown, la.Array)
    assert shown.shape == none.shape == texts.shape == (2, 3)
    assert none.dtype == object and texts[1, 2] == "b"
    with pytest.raises(ValueError, match=r"broadcast_arrays: expected shapes .* got \(3,\), \(2,\)"):
        la.broadcast_arrays(x, ["a", "b"])
