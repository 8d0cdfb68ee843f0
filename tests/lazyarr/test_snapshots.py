"""Arrays made of NumPy memory mean the values of that moment, and values that were handed out stay."""

from __future__ import annotations

import gc

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.array import enqueue
from lazyarr.memory import snapshots
from tests.lazyarr.evaluation import interpreted
from tests.lazyarr.support import DTYPES, check, values

POOLED = snapshots.COPIES_POOLED_FROM


# --- values of the moment ---------------------------------------------------------------------------------------------


def test_what_was_recorded_keeps_its_values():
    a = np.arange(5.0)
    y = la.asarray(a) + 1
    a[:] = -5
    check(y, np.arange(5.0) + 1)


MATRIX = values((4, 4), "float64", 1, 1, 9)
X = values((4, 4), "float64", 2, 1, 9)


AT = np.array([2, 0, 3])
WHERE = MATRIX > 4


def _assigned(xp, key, value):
    x = xp.asarray(X.copy())
    x[key] = value
    return x


def _done(xp, function, *arguments):
    x = xp.asarray(X.copy())
    function(x, *arguments)
    return x


CALLS = {
    "asarray": (lambda xp, a: xp.asarray(a) * 1, MATRIX),
    "asarray, as it is": (lambda xp, a: xp.array(a), MATRIX),
    "asarray by keywords": (lambda xp, a: xp.asarray(*[a], **{"dtype": None}) + 0, MATRIX),
    "asarray of a view": (lambda xp, a: xp.asarray(a[1:3]) + 0, MATRIX),
    "asarray of a transpose": (lambda xp, a: xp.asarray(a.T) + 0, MATRIX),
    "asarray of a list": (lambda xp, a: xp.asarray([a, a]) + 0, MATRIX),
    "asarray of another dtype": (lambda xp, a: xp.asarray(a, "int32") + 0, MATRIX),
    "a transpose": (lambda xp, a: xp.transpose(a) + 0, MATRIX),
    "another shape": (lambda xp, a: xp.reshape(a, (2, 8)) + 0, MATRIX),
    "ravel": (lambda xp, a: xp.ravel(a) + 0, MATRIX),
    "beside an array": (lambda xp, a: xp.asarray(X) + a, MATRIX),
    "before an array": (lambda xp, a: a - xp.asarray(X), MATRIX),
    "NumPy's function": (lambda xp, a: np.multiply(xp.asarray(X), a), MATRIX),
    "ufunc": (lambda xp, a: xp.sqrt(a), MATRIX),
    "ufunc's dtype": (lambda xp, a: xp.add(a, 1, dtype="float32"), MATRIX),
    "outer": (lambda xp, a: xp.subtract.outer(a[0], a[1]), MATRIX),
    "sum": (lambda xp, a: xp.sum(a, axis=0), MATRIX),
    "mean, where": (lambda xp, a: xp.sum(xp.asarray(X), where=a), WHERE),
    "reduce": (lambda xp, a: xp.add.reduce(a), MATRIX),
    "accumulate": (lambda xp, a: xp.maximum.accumulate(a), MATRIX),
    "matmul": (lambda xp, a: xp.asarray(X) @ a, MATRIX),
    "einsum": (lambda xp, a: xp.einsum("ij,jk", a, X), MATRIX),
    "tensordot": (lambda xp, a: xp.tensordot(a, X), MATRIX),
    "norm": (lambda xp, a: xp.linalg.norm(a, axis=0), MATRIX),
    "where": (lambda xp, a: xp.where(a, X, 0), WHERE),
    "clip": (lambda xp, a: xp.clip(xp.asarray(X), a, 9), MATRIX),
    "concatenate": (lambda xp, a: xp.concatenate([a, X, a]), MATRIX),
    "stack": (lambda xp, a: xp.stack((X, a)), MATRIX),
    "broadcast": (lambda xp, a: xp.broadcast_to(a, (2, 4, 4)) + 0, MATRIX),
    "tile": (lambda xp, a: xp.tile(a, 2), MATRIX),
    "pad": (lambda xp, a: xp.pad(a, 1), MATRIX),
    "roll": (lambda xp, a: xp.roll(a, 1, 0), MATRIX),
    "diff": (lambda xp, a: xp.diff(a, prepend=a[:, :1]), MATRIX),
    "cumsum": (lambda xp, a: xp.cumsum(a), MATRIX),
    "sort": (lambda xp, a: xp.sort(a), MATRIX),
    "argsort": (lambda xp, a: xp.argsort(a, axis=0, stable=True), MATRIX),
    "searchsorted": (lambda xp, a: xp.searchsorted(a, np.arange(5.0)), np.sort(MATRIX[0])),
    "digitize": (lambda xp, a: xp.digitize(xp.asarray(X), a), np.sort(MATRIX[0])),
    "interp": (lambda xp, a: xp.interp(xp.asarray(X), np.arange(4.0), a), MATRIX[0]),
    "interp's places": (lambda xp, a: xp.interp(a, np.arange(4.0), X[0]), MATRIX[0]),
    "trapezoid": (lambda xp, a: xp.trapezoid(xp.asarray(X), a), np.sort(MATRIX[0])),
    "gradient": (lambda xp, a: xp.gradient(xp.asarray(X), a, axis=0), np.arange(4) ** 2.0),
    "average": (lambda xp, a: xp.average(xp.asarray(X), axis=0, weights=a), MATRIX[0]),
    "polyval": (lambda xp, a: xp.polyval(a, xp.asarray(X)), MATRIX[0]),
    "polyval's places": (lambda xp, a: xp.polyval([1, 2, 3], a), MATRIX),
    "convolve": (lambda xp, a: xp.convolve(X[0], a), MATRIX[0]),
    "meshgrid": (lambda xp, a: xp.meshgrid(a, a)[0] + 0, MATRIX[0]),
    "full": (lambda xp, a: xp.full((2, 4), a), MATRIX[0]),
    "full_like": (lambda xp, a: xp.full_like(xp.asarray(X), a), MATRIX[0]),
    "linspace": (lambda xp, a: xp.linspace(a, a + 1, 3), MATRIX[0]),
    "diag": (lambda xp, a: xp.diag(a), MATRIX[0]),
    "choose": (lambda xp, a: xp.choose(AT, [a, X[0, :3], X[1, :3], X[2, :3]]), MATRIX[0, :3]),
    "choose by": (lambda xp, a: xp.choose(a, [X[0, :3], X[1, :3], X[2, :3], X[3, :3]]), AT),
    "select": (lambda xp, a: xp.select([a], [X], -1), WHERE),
    "indices": (lambda xp, a: xp.asarray(X)[a], AT),
    "indices beside a slice": (lambda xp, a: xp.asarray(X)[1:, a] + 0, AT),
    "two arrays of indices": (lambda xp, a: xp.asarray(X)[a, a[::-1]], AT),
    "a mask": (lambda xp, a: xp.asarray(X)[a] + 0, WHERE),
    "take": (lambda xp, a: xp.take(xp.asarray(X), a, axis=1), AT),
    "taken from": (lambda xp, a: xp.take(a, AT, axis=1), MATRIX),
    "take_along_axis": (lambda xp, a: xp.take_along_axis(xp.asarray(X), a, axis=1), AT[None, :].repeat(4, 0)),
    "compress": (lambda xp, a: xp.compress(a, xp.asarray(X), axis=0), WHERE[0]),
    "insert": (lambda xp, a: xp.insert(xp.asarray(X), 1, a, axis=0), MATRIX[0]),
    "append": (lambda xp, a: xp.append(xp.asarray(X), a), MATRIX),
    "repeat": (lambda xp, a: xp.repeat(xp.asarray(X), a, axis=0), np.array([1, 0, 2, 1])),
    "bincount": (lambda xp, a: xp.bincount(AT, a), MATRIX[0, :3]),
    "bincount of": (lambda xp, a: xp.bincount(a), AT),
    "histogram": (lambda xp, a: xp.histogram(a, 4)[0], MATRIX),
    "unique": (lambda xp, a: xp.unique(a), MATRIX),
    "isin": (lambda xp, a: xp.isin(xp.asarray(X), a), MATRIX),
    "fft": (lambda xp, a: xp.fft.fft(a), MATRIX),
    "assigned": (lambda xp, a: _assigned(xp, (slice(None), 1), a), MATRIX[0]),
    "assigned by indices": (lambda xp, a: _assigned(xp, a, 3.5), AT),
    "assigned by indices, the values": (lambda xp, a: _assigned(xp, AT, a), MATRIX[:3]),
    "assigned by a mask": (lambda xp, a: _assigned(xp, a, 3.5), WHERE),
    "assigned by a mask, the values": (lambda xp, a: _assigned(xp, WHERE, a), np.arange(float(WHERE.sum()))),
    "in place": (lambda xp, a: _done(xp, lambda x: x.__iadd__(a)), MATRIX),
    "copyto": (lambda xp, a: _done(xp, xp.copyto, a), MATRIX),
    "put": (lambda xp, a: _done(xp, xp.put, AT, a), MATRIX[0, :3]),
    "put's indices": (lambda xp, a: _done(xp, xp.put, a, [7.0, 8.0, 9.0]), AT),
    "putmask": (lambda xp, a: _done(xp, xp.putmask, a, 1.5), WHERE),
    "ufunc.at": (lambda xp, a: _done(xp, xp.add.at, a, X[:3]), AT),
    "ufunc.at's values": (lambda xp, a: _done(xp, xp.add.at, AT, a), MATRIX[:3]),
    "fill_diagonal": (lambda xp, a: _done(xp, xp.fill_diagonal, a), MATRIX[0]),
    "flat": (lambda xp, a: _done(xp, lambda x: x.flat.__setitem__(AT, a)), MATRIX[0, :3]),
    "out": (lambda xp, a: _done(xp, lambda x: xp.negative(a, out=x)), MATRIX),
    "ascontiguousarray": (lambda xp, a: xp.ascontiguousarray(a) + 0, MATRIX),
    "require": (lambda xp, a: xp.require(a) + 0, MATRIX),
    "asanyarray": (lambda xp, a: xp.asanyarray(a) + 0, MATRIX),
    "from_dlpack": (lambda xp, a: xp.from_dlpack(a) + 0, MATRIX),
    "one element": (lambda xp, a: xp.asarray(a) * 2, np.array([3.0])),
    "no dimensions": (lambda xp, a: xp.asarray(a) * 2, np.array(3.0)),
    "a complex element": (lambda xp, a: xp.asarray(a) * 2, np.array([3.0 + 1j])),
    "complex without dimensions": (lambda xp, a: xp.conj(xp.asarray(a)), np.array(3.0 + 1j)),
    "complex numbers": (lambda xp, a: xp.asarray(a) * 2, MATRIX * (1 - 2j)),
    "truth values": (lambda xp, a: xp.logical_not(a), WHERE),
}
"""Calls that record something of a NumPy array."""


@pytest.mark.parametrize("name", CALLS)
@interpreted()
def test_whatever_takes_a_numpy_array_means_its_values_of_that_moment(name):
    call, source = CALLS[name]
    expected = np.array(call(np, source.copy()))
    given = source.copy()
    found = call(la, given)
    assert isinstance(found, la.Array)
    given[...] = 1 - given if given.dtype.kind == "b" or given.dtype.kind in "iu" else -5
    np.testing.assert_allclose(np.asarray(found), expected, rtol=1e-12)


JITTED = {
    "sum": lift.jit(lambda x: la.sum(x)),
    "the argument": lift.jit(lambda x: x),
    "a view": lift.jit(lambda x: x[::-1]),
    "a tree": lift.jit(lambda pair: pair["x"] * 2 - pair["y"]),
}


@pytest.mark.parametrize("count", [5, POOLED // 8 + 3])
def test_jitted_functions_take_the_values_of_the_call(count):
    """Also while the kernel of the call runs."""
    for name, function in JITTED.items():
        for number in range(4):
            a = np.full(count, float(number + 1))
            found = function({"x": a, "y": np.zeros(count)}) if name == "a tree" else function(a)
            a[:] = -5
            expected = (number + 1) * (count if name == "sum" else 2 if name == "a tree" else 1)
            np.testing.assert_array_equal(np.asarray(found), np.full(np.shape(found), expected))


def test_jitted_functions_keep_the_values_that_they_were_recorded_with():
    outside, calls = np.arange(4.0), []

    def f(x):
        calls.append(x)
        return x + outside

    jitted, x = lift.jit(f), la.asarray(np.ones(4))
    for _ in range(3):
        check(jitted(x), np.arange(4.0) + 1)
        outside[:] = -5
    assert len(calls) == 1


def test_kernels_in_flight_keep_what_they_read():
    """The copy is let go of, and its memory used for the next one, while the kernel that reads it may wait."""
    count = POOLED // 8 + 1
    x = la.asarray(np.ones(count))
    step = lift.jit(lambda x, y: x * 1.5 + y)
    found = []
    for number in range(12):
        a = np.full(count, float(number))
        found.append(step(x, la.asarray(a)))
        a[:] = -5
        del a
    for number, y in enumerate(found):
        np.testing.assert_array_equal(np.asarray(y), np.full(count, 1.5 + number))


@pytest.mark.parametrize("dtype", DTYPES)
def test_large_copies(dtype):
    source = np.resize(values((999,), dtype, 3), (3, POOLED // np.dtype(dtype).itemsize))
    a = source.copy()
    x, y, z = la.asarray(a), la.asarray(a.reshape(-1)), la.asarray(a[1:])
    a[:] = 0
    np.testing.assert_array_equal(np.asarray(x), source)
    np.testing.assert_array_equal(np.asarray(y), source.reshape(-1))
    np.testing.assert_array_equal(np.asarray(z), source[1:])


# --- the other direction ----------------------------------------------------------------------------------------------


VIEWS = {
    "np.asarray": np.asarray,
    "from_dlpack": np.from_dlpack,
    "memoryview": lambda x: x.data,
    "the interface": lambda x: np.asarray(x.__array_interface__["data"]),
    "a row": lambda x: np.asarray(next(iter(x.reshape(2, -1)))),
    "the array of a value": lambda x: np.asarray(la.asarray(np.asarray(x))),
}


@pytest.mark.device
@pytest.mark.parametrize("name", VIEWS)
@pytest.mark.parametrize("count", [6, 4096, POOLED // 8])
def test_values_that_were_handed_out_stay(name, count):
    """Also when the array is gone and its memory would be used again."""
    for start in ("computed", "copied"):
        source = np.arange(float(count))
        x = la.asarray(source) * 2 if start == "computed" else la.asarray(source)
        expected = np.array(VIEWS[name](x))
        value = VIEWS[name](x)
        assert memoryview(value).readonly
        del x
        gc.collect()
        others = [la.asarray(np.full(count, -float(i))) * (i + 3) for i in range(6)]
        enqueue(*others)
        del others
        copies = [la.asarray(source) for _ in range(3)]
        float(sum(la.sum(each) for each in copies))
        np.testing.assert_array_equal(np.asarray(value), expected)


@pytest.mark.device
def test_values_are_read_only_for_good():
    made = [la.asarray(np.arange(5.0)) + 1, la.asarray(np.arange(5.0)), la.zeros(5), la.asarray(X), la.asarray(X.T)]
    made += [la.asarray([1, 2]), la.asarray(3.5), la.asarray(np.ones(POOLED)), la.asarray(AT)[1]]
    for x in made:
        value = np.asarray(x)
        with pytest.raises(ValueError, match="WRITEABLE"):
            value.flags.writeable = True
        with pytest.raises(ValueError, match="WRITEABLE"):
            value.setflags(write=True)
    assert X.flags.writeable


def test_out_is_written_once_and_not_kept():
    x, out = la.asarray(np.arange(4.0)), np.zeros(4)
    y = la.asarray(out) + 10
    assert la.add(x, 1, out=out) is out
    later = la.asarray(out) + x
    out[:] = -5
    check(y, np.full(4, 10.0))
    check(later, np.arange(4.0) * 2 + 1)
    a = np.arange(4.0)
    assert np.multiply(a, x, out=a) is a and a.tolist() == [0, 1, 4, 9]


# --- memory that is used again ----------------------------------------------------------------------------------------


def test_shifted_memory_begins_at_different_places_in_pages():
    blocks = snapshots._Blocks()
    held = [blocks.array((POOLED,), np.dtype(np.uint8), POOLED, True) for _ in range(5)]
    whole = blocks.array((POOLED,), np.dtype(np.uint8), POOLED, False)
    places = {x.ctypes.data % 4096 for x in (*held, whole)}
    assert len(places) == 6 and whole.ctypes.data % 4096 == 0
