"""Which memory arrays made of NumPy's share, which is copied, and when memory of copies is used again."""

from __future__ import annotations

import array
import functools
import gc
import sys
import threading
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import lazyarr as la
from lazyarr.memory import snapshots
from lazyarr.runtime import default_device
from tests.lazyarr.support import check

POOLED = snapshots.COPIES_POOLED_FROM
HERE = default_device().zero_copy
"""Does the default device compute in the host's memory?"""


def address(x):
    """Where the elements of an array lie, which is NumPy's, or lazyarr's before it was used."""
    if isinstance(x, la.Array):
        x = x.node.storage
    return x.__array_interface__["data"][0]


def handed_over(make):
    """Where an array lies that nobody holds, and the lazyarr array of it."""
    made = [make()]
    where = address(made[0])
    return where, la.asarray(made.pop())


# --- what is shared ---------------------------------------------------------------------------------------------------


COUNTED = snapshots.ONE_HOLDER > 0
"""Do references tell who holds an array, as in CPython before 3.14?"""


@pytest.mark.parametrize("count", [1, 100, POOLED // 8])
def test_temporaries_are_taken_over(count):
    for make in (
        lambda: np.arange(float(count)),
        lambda: np.arange(float(count)).reshape(1, -1),
        lambda: np.arange(float(count + 1))[1:],
        lambda: np.ones((count, 2), "int8").T.T,
    ):
        where, x = handed_over(make)
        assert (address(x) == where) is COUNTED
        np.testing.assert_array_equal(np.asarray(x), make())
        with pytest.raises(ValueError, match="WRITEABLE"):
            np.asarray(x).flags.writeable = True
    assert not COUNTED or sys.version_info < (3, 14)


def _traced(a):
    """Under a debugger, which sees variables."""
    before, frames = sys.gettrace(), []

    def trace(frame, event, argument):
        frames.append(frame.f_locals.copy())
        return trace

    sys.settrace(trace)
    try:
        return la.asarray(a)
    finally:
        sys.settrace(before)
        assert frames


class Holding:
    """An array that another object hands out."""

    def __init__(self, a):
        self.a = a

    def __array__(self, dtype=None, copy=None):
        return self.a


HELD = {
    "a variable": lambda a: la.asarray(a),
    "a list": lambda a: la.asarray([a][0]),
    "a view": lambda a: la.asarray(a[:]),
    "a part": lambda a: la.asarray(a[1:]),
    "another shape": lambda a: la.asarray(a.reshape(-1, 1)),
    "no step": lambda a: la.asarray(np.asarray(a)),
    "arguments": lambda a: la.asarray(*(a,)),
    "keywords": lambda a: la.asarray(a, dtype=None, copy=None),
    "map": lambda a: next(map(la.asarray, [a])),
    "map of what is made": lambda a: next(map(la.asarray, (each[:] for each in [a]))),
    "a partial function": lambda a: functools.partial(la.asarray, a)(),
    "a thread": lambda a: ThreadPoolExecutor(1).submit(la.asarray, a).result(),
    "a lambda": lambda a: (lambda: la.asarray(a))(),
    "a generator": lambda a: next(la.asarray(each) for each in [a]),
    "a debugger": _traced,
    "array": lambda a: la.array(a),
    "array, as it is": lambda a: la.array(a, copy=None),
    "asanyarray": lambda a: la.asanyarray(a),
    "a memoryview": lambda a: la.asarray(memoryview(a)),
    "a read-only memoryview": lambda a: la.asarray(memoryview(a).toreadonly()),
    "from_dlpack": lambda a: la.from_dlpack(a),
    "NumPy's from_dlpack": lambda a: la.asarray(np.from_dlpack(a)),
    "an object with an array": lambda a: la.asarray(Holding(a)),
    "an object with a view": lambda a: la.asarray(Holding(a[:])),
    "a matrix": lambda a: la.asarray(a.view(np.matrix)),
    "a read-only view": lambda a: la.asarray(_read_only(a[:])),
    "a read-only view of that": lambda a: la.asarray(_read_only(a[:])[1:]),
    "read-only strides": lambda a: la.asarray(np.lib.stride_tricks.as_strided(a, a.shape, a.strides, writeable=False)),
    "a window": lambda a: la.asarray(np.lib.stride_tricks.sliding_window_view(a, a.size)),
    "broadcast": lambda a: la.asarray(np.broadcast_to(a, a.shape)),
    "a buffer": lambda a: la.asarray(np.frombuffer(a)),
    "a read-only buffer": lambda a: la.asarray(np.frombuffer(memoryview(a).toreadonly())),
    "another dtype of as many bytes": lambda a: la.asarray(a.view("float64")),
    "the value of what shares it": lambda a: la.asarray(np.asarray(la.asarray(a, copy=False))),
    "the value of what shares it and was used": lambda a: la.asarray(np.asarray(_used(la.asarray(a, copy=False)))),
    "a real part": lambda a: la.asarray((a[:1].view("complex128") if a.size == 2 else a).real),
}


def _read_only(a):
    a.flags.writeable = False
    return a


def _used(x):
    float(la.sum(x))
    return x


@pytest.mark.parametrize("name", HELD)
def test_what_somebody_holds_is_copied(name):
    for count in (6, POOLED // 8 + 1):
        a = np.arange(float(count))
        x = HELD[name](a)
        expected = np.array(x.node.storage)
        a[:] = -5
        assert not np.shares_memory(x.node.storage, a)
        np.testing.assert_array_equal(np.asarray(x).reshape(-1), expected)
        assert -5 not in expected


def test_who_holds_an_array_weakly_holds_it():
    a = np.arange(3.0)
    weak, made = weakref.ref(a), [a]
    del a
    x = la.asarray(made.pop())
    assert weak() is None  # it was copied, and died
    base = np.arange(3.0)
    weak, made = weakref.ref(base), [base[1:]]
    del base
    y = la.asarray(made.pop())
    assert weak() is None
    assert x.tolist() == [0, 1, 2] and y.tolist() == [1, 2]


def test_read_only_arrays_are_shared():
    a = np.arange(6.0)
    part = a[2:]
    a.flags.writeable = part.flags.writeable = False
    for given in (a, a[1:], part, a.reshape(2, 3)):
        x = la.asarray(given)
        assert address(x) == address(given)
        assert not np.shares_memory(la.asarray(given, copy=True).node.storage, a)
        assert not np.shares_memory(la.array(given).node.storage, a)
        check(x + 1, given + 1)


def test_buffers_that_change_are_copied_and_bytes_are_not():
    text = b"abcdefgh"
    assert address(la.asarray(memoryview(text))) == address(np.frombuffer(text, "u1"))
    assert address(la.asarray(np.frombuffer(text, "u1")[2:])) == address(np.frombuffer(text, "u1")) + 2
    changing, numbers = bytearray(text), array.array("d", [1.0, 2.0])
    found = [la.asarray(changing), la.asarray(memoryview(changing).toreadonly()), la.frombuffer(changing, "u1")]
    other = la.asarray(numbers)
    changing[:] = bytes(8)
    numbers[0] = 7
    for x in found:
        check(x, np.frombuffer(text, "u1"))
    check(other, np.array([1.0, 2.0]))


def test_files_in_memory_are_copied_unless_asked_for(tmp_path):
    """Another map of the file, or another process, may write to it."""
    np.save(tmp_path / "a.npy", np.arange(6.0))
    writing, reading = (np.load(tmp_path / "a.npy", mmap_mode=mode) for mode in ("r+", "r"))
    x, shared = la.asarray(reading), la.asarray(reading, copy=False)
    assert np.shares_memory(shared.node.storage, reading)
    writing[:] = -5
    check(x, np.arange(6.0))
    check(shared, np.full(6, -5.0))


@pytest.mark.device
def test_values_of_arrays_are_shared():
    x = la.asarray(np.arange(7.0)) * 2
    value = np.asarray(x)
    assert not HERE or address(la.asarray(value)) == address(value)
    assert address(la.asarray(value[2:])) == address(value) + 16 or not HERE
    a = np.arange(9.0)
    copied = np.asarray(_used(la.asarray(a)))
    assert not np.shares_memory(copied, a)
    check(la.asarray(value) + 1, np.arange(7.0) * 2 + 1)


def test_sharing_on_demand():
    a = np.arange(6.0)
    x = la.asarray(a, copy=False)
    y = x * 2
    a[:] = 3  # seen by what was not computed before
    check(y, np.full(6, 6.0))
    x[1] = 9  # assignments change the array object, not the memory
    x += 1
    check(x, np.array([4, 10, 4, 4, 4, 4.0]))
    assert a.tolist() == [3.0] * 6 and a.flags.writeable
    for given in (a[::2], a.astype(">f8"), a + 1j, [1, 2]):
        with pytest.raises(ValueError, match="a copy is needed"):
            la.asarray(given, copy=False)
    with pytest.raises(ValueError, match="a copy is needed"):
        la.asarray(a, "float32", copy=False)


# --- memory of copies -------------------------------------------------------------------------------------------------


def test_memory_of_copies_is_used_again_when_nobody_sees_it_any_more():
    a = np.ones(POOLED // 8)
    x = la.asarray(a)
    first = address(x)
    value = np.asarray(x)[5:7]
    del x
    second = la.asarray(a)
    assert address(second) != first  # a value shows it still
    del value
    gc.collect()
    third = la.asarray(a)
    assert address(third) == first
    assert first % 4096 == 0  # whole pages: vectors are aligned


def test_copies_in_threads():
    def work(number):
        for turn in range(20):
            a = np.full(POOLED // 8, float(number * 100 + turn))
            x = la.asarray(a)
            a[:] = -5
            assert (np.asarray(x) == number * 100 + turn).all()

    with ThreadPoolExecutor(4) as pool:
        list(pool.map(work, range(4)))
    assert threading.active_count() >= 1
