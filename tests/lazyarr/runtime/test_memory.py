"""Buffers: what is shared and what is copied, who keeps memory alive, and when it is reused."""

import gc
import sys
import weakref

import numpy as np
import pyopencl as cl
import pytest

from lazyarr.errors import LazyarrError
from lazyarr.runtime import AllocationError, LaunchError
from tests.threads import in_threads

DTYPES = ["?", "i1", "u1", "i2", "u2", "i4", "u4", "i8", "u8", "f2", "f4", "f8", "c8", "c16"]


def values(dtype, shape=(3, 5)):
    return (np.arange(np.prod(shape)) % 7).reshape(shape).astype(dtype)


@pytest.mark.parametrize("dtype", DTYPES)
def test_wrap_and_back(device, dtype):
    a = values(dtype)
    b = device.wrap(a).to_numpy(a.dtype, a.shape)
    assert b.dtype == a.dtype and b.shape == a.shape and (a == b).all()


@pytest.mark.parametrize(
    "view",
    [
        lambda a: a[:, ::2],
        lambda a: a.T,
        lambda a: a[::-1],
        lambda a: a.astype(a.dtype.newbyteorder(">")),
        lambda a: np.broadcast_to(a[0], (4, 5)),
        lambda a: np.frombuffer(b"\0" + a.tobytes(), np.uint8)[1:].view(a.dtype).reshape(a.shape),
    ],
    ids=["strided", "transposed", "reversed", "byteswapped", "broadcast", "misaligned"],
)
def test_unsuitable_memory_is_copied(device, view):
    a = view(values("i4"))
    buffer = device.wrap(a)
    assert not buffer.shared
    assert (buffer.to_numpy("i4", a.shape) == a).all()


def test_nothing_is_copied_where_memory_is_shared(cpu):
    a = values("f4")
    buffer = cpu.wrap(a)
    back = buffer.to_numpy("f4", a.shape)
    assert buffer.shared and np.shares_memory(a, back) and back.ctypes.data == a.ctypes.data == buffer.address
    a[1, 1] = 42
    assert back[1, 1] == 42


def test_a_copy_on_request_does_not_follow(device):
    a = values("f4")
    buffer = device.wrap(a, copy=True)
    before = a.copy()
    a[:] = -1
    assert not buffer.shared and (buffer.to_numpy("f4", a.shape) == before).all()


def test_read_only_arrays_stay_read_only(cpu):
    a = values("f4")
    a.flags.writeable = False
    buffer = cpu.wrap(a)
    assert buffer.read_only and buffer.shared and not buffer.to_numpy("f4", a.shape).flags.writeable
    with pytest.raises(ValueError, match="read-only"):
        buffer.fill(0)
    a.flags.writeable = True
    assert not cpu.wrap(a).read_only


@pytest.mark.parametrize("dtype", ["O", "U3", "S3", "M8[s]", "g", "G", [("a", "i4"), ("b", "f4")]])
def test_dtypes_without_opencl_type_are_refused(device, dtype):
    with pytest.raises(TypeError, match="cannot be used on a device"):
        device.wrap(np.zeros(3, dtype))


def test_only_arrays_are_wrapped(device):
    with pytest.raises(TypeError, match="list"):
        device.wrap([1, 2, 3])


@pytest.mark.parametrize("shape", [(0,), (3, 0), (0, 2)])
def test_empty_arrays(device, shape):
    for buffer in (device.wrap(np.zeros(shape, "f4")), device.allocate(0)):
        assert buffer.nbytes == 0 and buffer.handle is None
        buffer.fill(0)
        assert buffer.to_numpy("f4", shape).shape == shape


def test_zero_dimensional_arrays(device):
    assert device.wrap(np.array(2.5)).to_numpy("f8", ())[()] == 2.5


# The cache of wrapped arrays.


def test_wrapping_again_is_the_same_memory(cpu):
    a = values("f4")
    one, two = cpu.wrap(a), cpu.wrap(a)
    assert one.handle is two.handle and one.key == two.key


def test_the_cache_keeps_no_array_alive_and_forgets_dead_ones(cpu):
    cached = cpu._state.memory._wrapped
    a = values("f4")
    dead, key = weakref.ref(a), id(a)
    buffer = cpu.wrap(a)
    del a
    assert dead() is not None  # the buffer holds it
    del buffer
    assert dead() is None and key not in cached


def test_an_id_that_is_reused_is_not_the_old_array(cpu):
    seen = set()
    for step in range(300):
        a = np.full(16, step, "i4")
        seen.add(id(a))
        assert (cpu.wrap(a).to_numpy("i4", (16,)) == step).all()
        del a
    assert len(seen) < 300  # otherwise this showed nothing


@pytest.mark.filterwarnings("ignore:Setting the dtype:DeprecationWarning")
def test_changes_in_place_are_noticed(cpu):
    a = values("i4", (8,))
    cpu.wrap(a)
    with pytest.raises(ValueError, match="resize"):
        a.resize(4000, refcheck=False)  # the weak reference of the cache makes NumPy refuse: the address cannot change
    expected = a.byteswap()
    cpu.wrap(a)
    a.dtype = ">i4"
    assert (cpu.wrap(a).to_numpy("i4", (8,)) == expected).all()


# The pool.


def test_memory_is_reused_when_the_buffer_dies(cpu):
    buffer = cpu.allocate(100_000)
    address, handle = buffer.address, buffer.handle
    del buffer
    again = cpu.allocate(99_000)  # the same size class
    assert again.address == address and again.handle is handle


def test_memory_is_not_reused_while_a_view_lives(cpu):
    buffer = cpu.allocate(100_000)
    view = buffer.to_numpy("f4", (25_000,))[10:20]
    view[:] = 7
    address = buffer.address
    del buffer
    others = [cpu.allocate(100_000) for _ in range(5)]
    for other in others:
        other.fill(0)
    assert address not in {other.address for other in others}
    cpu.finish()
    assert (view == 7).all()
    del view, other, others
    assert address in {buffer.address for buffer in [cpu.allocate(100_000) for _ in range(6)]}


def test_large_memory_starts_at_a_page(cpu):
    for nbytes in (4096, 5000, 1 << 20):
        assert cpu.allocate(nbytes).address % 4096 == 0 and cpu.allocate(nbytes).alignment == 4096
    assert cpu.allocate(8).alignment >= 128


def test_statistics_trim_and_capacity(device):
    device.finish()
    gc.collect()
    pool = device.pool
    pool.trim()
    start = pool.statistics()
    assert start.free_bytes == 0
    buffers = [device.allocate(1 << 16) for _ in range(4)]
    assert pool.statistics().used_bytes == start.used_bytes + 4 * (1 << 16)
    del buffers
    assert pool.statistics().free_bytes == 4 << 16
    assert pool.trim(1 << 16) == 3 << 16
    device.allocate(1 << 16)
    assert pool.statistics().reuses == start.reuses + 1
    capacity, pool.capacity = pool.capacity, 100_000
    try:
        buffers = [device.allocate(1 << 16) for _ in range(4)]
        del buffers
        assert pool.statistics().free_bytes <= 100_000
    finally:
        pool.capacity = capacity


def test_the_least_recently_used_goes_first(device):
    pool = device.pool
    pool.trim()
    old, new = device.allocate(1 << 16), device.allocate(1 << 18)
    handle = new.handle
    del old
    del new
    pool.trim(1 << 18)
    assert pool.statistics().free_bytes == 1 << 18
    assert device.allocate(1 << 18).handle is handle


def test_memory_comes_back_while_the_pool_is_busy(device):
    pool = device.pool
    pool.trim()
    one, other = device.allocate(1 << 16), device.allocate(1 << 18)
    capacity, pool.capacity = pool.capacity, 1 << 17
    try:
        with pool._lock:  # a finaliser that waited for it would never return
            del other
        assert pool.statistics().free_bytes == 1 << 18
        releases = pool.statistics().releases
        del one  # whoever comes next looks after the limit
        assert pool.statistics().free_bytes == 1 << 16
        assert pool.statistics().releases == releases + 1
    finally:
        pool.capacity = capacity


def test_buffers_may_die_in_a_reference_cycle(device):
    device.pool.trim()
    used = device.pool.statistics().used_bytes
    for _ in range(50):
        cycle = [device.allocate(1 << 16)]
        cycle.append(cycle)
    del cycle
    gc.collect()
    assert device.pool.statistics().used_bytes == used


def test_too_large_is_refused_with_both_numbers(device):
    limit = device.limits.max_allocation_bytes
    with pytest.raises(AllocationError, match=f"{limit + 1} bytes.*{limit} bytes") as caught:
        device.allocate(limit + 1)
    assert isinstance(caught.value, MemoryError) and isinstance(caught.value, LazyarrError)
    huge = np.broadcast_to(np.zeros(1, "u1"), (limit + 1,))
    assert huge.nbytes > limit
    with pytest.raises(ValueError):
        device.allocate(-1)


def test_too_large_an_array_is_refused_before_its_memory_is_touched(cpu):
    limit = cpu.limits.max_allocation_bytes
    if limit > 8 << 30:
        pytest.skip("needs too much address space")
    with pytest.raises(AllocationError, match=f"{limit} bytes"):
        cpu.wrap(np.empty(limit + 8, "u1"))  # pages that nobody touches cost nothing


# Contents.


@pytest.mark.parametrize("pattern", [0xA5, b"\x01", b"\x01\x02\x03\x04", bytes(range(16))])
def test_fill(device, pattern):
    buffer = device.allocate(160)
    buffer.fill(pattern)
    one = bytes([pattern]) if isinstance(pattern, int) else pattern
    assert buffer.to_numpy("u1", (160,)).tobytes() == one * (160 // len(one))


def test_long_buffers_are_filled_in_pieces(device, monkeypatch):
    monkeypatch.setattr(sys.modules[type(device).__module__], "_FILLED_AT_ONCE", 128)
    filled, fill = [], cl.enqueue_fill_buffer
    monkeypatch.setattr(cl, "enqueue_fill_buffer", lambda *given: filled.append(given[3:]) or fill(*given))
    for pattern, nbytes, pieces in ((b"\x07", 129, [(0, 128), (128, 1)]), (b"\1\2\3\4", 256, [(0, 128), (128, 128)])):
        filled.clear()
        buffer = device.allocate(nbytes)
        buffer.fill(pattern)
        assert buffer.to_numpy("u1", (nbytes,)).tobytes() == pattern * (nbytes // len(pattern))
        assert filled == pieces


def test_the_front_of_a_buffer_is_copied(device):
    a = values("i4")
    for source in (device.wrap(a), device.wrap(a, copy=True)):
        for count in (0, 1, 7, 15):
            found = source.front(4 * count)
            assert found.nbytes == 4 * count and found.key != source.key
            assert (found.to_numpy("i4", (count,)) == a.reshape(-1)[:count]).all()
        with pytest.raises(ValueError, match="no first 61"):
            source.front(61)
    copied = device.wrap(a, copy=True)
    front = copied.front(16)
    copied.fill(0)  # enqueued after it
    assert (front.to_numpy("i4", (4,)) == a.reshape(-1)[:4]).all()


def test_reading_says_that_pending_work_failed_and_nothing_else_did(monkeypatch, cpu):
    buffer, found = cpu.wrap(values("i4"), copy=True), np.empty(15, "i4")

    def failing(kind):
        def refused(*arguments, **keywords):
            raise kind("refused")

        return refused

    monkeypatch.setattr(cl, "enqueue_copy", failing(cl.RuntimeError))
    with pytest.raises(LaunchError, match=r"a command failed on .*refused"):
        cpu.read(buffer, found, 0)
    monkeypatch.setattr(cl, "enqueue_copy", failing(MemoryError))
    with pytest.raises(MemoryError):
        cpu.read(buffer, found, 0)
    monkeypatch.setattr(cpu.queue, "_abandoned", "forked")
    with pytest.raises(LaunchError, match="forked"):
        cpu.read(buffer, found, 0)


@pytest.mark.parametrize("pattern", [b"", b"abc", bytes(range(64)), b"a" * 256])
def test_patterns_that_do_not_fit_are_refused(device, pattern):
    with pytest.raises(ValueError, match="pattern"):
        device.allocate(100).fill(pattern)


def test_reading_beyond_the_end_is_refused(device):
    buffer = device.allocate(100)
    assert buffer.to_numpy("f4", (25,)).shape == (25,)
    for shape in ((26,), (-1,)):
        with pytest.raises(ValueError, match="bytes"):
            buffer.to_numpy("f4", shape)
    with pytest.raises(TypeError):
        buffer.to_numpy("O", (1,))


def test_threads_share_the_pool(device):
    failures = []

    def work(seed):
        sizes = np.random.default_rng(seed).integers(1, 20_000, 150)
        for step, size in enumerate(sizes):
            buffer = device.allocate(int(size))
            value = (seed * 50 + step) % 256
            buffer.fill(value)
            if not (buffer.to_numpy("u1", (int(size),)) == value).all():
                failures.append((seed, step))

    in_threads(work, range(4), switch=1e-5)
    assert not failures


@pytest.mark.parametrize("dtype", ["?", "i2", "i4", "f8"])
def test_one_element_is_read_where_it_lies(device, dtype):
    a = np.arange(300).astype(dtype)
    buffer = device.wrap(a, copy=True)
    for at in (0, 1, 255, 299):
        found = buffer.element(dtype, at)
        np.testing.assert_array_equal(found, a[at : at + 1], strict=True)
        assert not np.may_share_memory(found, buffer.to_numpy(dtype, (300,)))
    for at in (-1, buffer.nbytes // a.itemsize):
        with pytest.raises(ValueError, match="has no element"):
            buffer.element(dtype, at)
    with pytest.raises(TypeError):
        buffer.element("O", 0)
