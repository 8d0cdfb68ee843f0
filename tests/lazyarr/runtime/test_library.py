"""Calls of the host's library among launches: order, memory, threads, and what is refused."""

import numpy as np
import pytest

from lazyarr import config
from lazyarr.runtime import Batch, Launch, LaunchError
from lazyarr.runtime.library import MATMUL, SORT, LibraryProgram
from tests.threads import in_threads

SOURCE = """__kernel void add(__global const float *a, __global float *out, int n, int c) {
    int i = get_global_id(0);
    if (i < n) out[i] = a[i] + c;
}"""
N = 48
BYTES = 4 * N * N
PLAIN = (1, N, N, N, 0, 0, N, 1, 0, 0, N, 1, 0)
TRANSPOSED = (1, N, N, N, 0, 0, 1, N, 0, 0, N, 1, 0)


@pytest.fixture(scope="module")
def product(device):
    if not device.zero_copy:
        pytest.skip("the host does not see the device's memory")
    return LibraryProgram(device, MATMUL, "float32").kernel(MATMUL, ["buffer"] * 3)


@pytest.fixture(scope="module")
def add(device):
    return device.build(SOURCE).kernel("add", ["buffer", "buffer", "int32", "int32"])


def call(kernel, *slots, numbers=PLAIN, size=N * N):
    return Launch(kernel, (size,), None, (*slots, *numbers))


def plus(kernel, source, target, number):
    return Launch(kernel, (N * N,), None, (source, target, N * N, number))


@pytest.fixture
def between(device, product, add):
    """((a + 1) @ (a + 1) + 2).T @ a + 3, each step in a slot of its own."""
    launches = [
        plus(add, 0, 1, 1),
        call(product, 1, 1, 2),
        plus(add, 2, 3, 2),
        call(product, 3, 0, 4, numbers=TRANSPOSED),
        plus(add, 4, 5, 3),
    ]
    return Batch(device, launches, 1, [BYTES] * 5, [5])


def values(seed=0):
    return np.random.default_rng(seed).integers(-3, 4, (N, N)).astype("f4")


def expected(a):
    return ((a + 1) @ (a + 1) + 2).T @ a + 3


def test_a_call_sees_what_came_before_and_later_launches_what_it_made(device, between):
    for seed in range(50):
        a = values(seed)
        (found,) = between.enqueue([device.wrap(a.reshape(-1), copy=bool(seed % 2))])
        np.testing.assert_array_equal(found.to_numpy("f4", (N, N)), expected(a))


def test_launch_by_launch_it_is_the_same(device, between):
    a = values()
    (found,), events = between.traced([device.wrap(a.reshape(-1), copy=True)], poison=0xA5)
    assert len(events) == 5
    assert events[1].seconds > 0 and events[1].done
    np.testing.assert_array_equal(found.to_numpy("f4", (N, N)), expected(a))


def test_memory_that_others_gave_back_is_not_written_to_before_they_are_done(device, product, add):
    """What the pool hands out may be in use by commands that are in flight."""
    a = device.wrap(values().reshape(-1), copy=True)
    long = Batch(device, [plus(add, i, i + 1, 1) for i in range(300)], 1, [BYTES] * 300, [300])
    short = Batch(device, [call(product, 0, 0, 1)], 1, [BYTES], [1])
    for _ in range(20):
        (first,) = long.enqueue([a])
        (second,) = short.enqueue([a])
        np.testing.assert_array_equal(first.to_numpy("f4", (N, N)), values() + 300)
        np.testing.assert_array_equal(second.to_numpy("f4", (N, N)), values() @ values())


def test_several_threads(device, between):
    wrong = []

    def work(seed):
        a = values(seed)
        for _ in range(30):
            (found,) = between.enqueue([device.wrap(a.reshape(-1), copy=True)])
            if not np.array_equal(found.to_numpy("f4", (N, N)), expected(a)):
                wrong.append(seed)

    in_threads(work, range(4))
    assert not wrong


def test_read_only_operands_and_a_part_of_larger_memory(device, product):
    a = values()
    a.setflags(write=False)
    target = np.zeros(N * N + 7, "f4")
    batch = Batch(device, [call(product, 0, 0, 1, numbers=(*PLAIN[:-1], 5))], 2, [], [])
    batch.enqueue([device.wrap(a.reshape(-1), copy=False), device.wrap(target, copy=False)])
    np.testing.assert_array_equal(target[5:-2].reshape(N, N), a @ a)
    assert not target[:5].any() and not target[-2:].any()


def test_nothing_is_computed_of_nothing(device, product):
    config.reset_statistics()
    batch = Batch(device, [call(product, 0, 0, 1, numbers=(1, 0, N, N, *PLAIN[4:]), size=0)], 1, [0], [1])
    (found,) = batch.enqueue([device.wrap(values().reshape(-1), copy=True)])
    assert found.nbytes == 0
    assert config.statistics() == {}


def test_calls_are_counted_and_warn_of_nothing(device, product):
    config.reset_statistics()
    a = np.full((N, N), 3e38, "f4")
    batch = Batch(device, [call(product, 0, 0, 1)], 1, [BYTES], [1])
    with np.errstate(all="raise"):
        (found,) = batch.enqueue([device.wrap(a.reshape(-1), copy=True)])
    assert np.isinf(found.to_numpy("f4", (N, N))).all()
    assert config.statistics() == {f"kernel: {MATMUL}": 1}


def test_what_is_refused(device, product):
    with pytest.raises(LaunchError, match="takes 16 arguments, got 3"):
        Batch(device, [call(product, 0, 0, 1, numbers=())], 1, [BYTES], [1])
    with pytest.raises(ValueError, match="of int32"):
        LibraryProgram(device, MATMUL, "int32")
    with pytest.raises(ValueError, match="no function"):
        LibraryProgram(device, MATMUL, "float32").kernel("numpy.dot", ["buffer"] * 3)
    with pytest.raises(ValueError, match="of complex64"):
        LibraryProgram(device, SORT, "complex64")
    sort = LibraryProgram(device, SORT, "int32").kernel(SORT, ["buffer"] * 2)
    for numbers in ((), (1, N, 0, 0), (1, N, 0, 0, N, 0)):
        with pytest.raises(LaunchError, match="takes 7 arguments and two for each dimension"):
            Batch(device, [call(sort, 0, 1, numbers=numbers)], 1, [BYTES], [1])


@pytest.mark.usefixtures("product")  # where there is one, the library sorts, too
def test_a_sort_waits_and_is_waited_for(device, add):
    sort = LibraryProgram(device, SORT, "float32").kernel(SORT, ["buffer"] * 2)
    falling_columns = (N, N, 1, 0, N, N, 1, N, 0)
    launches = [plus(add, 0, 1, 1), call(sort, 1, 2, numbers=falling_columns), plus(add, 2, 3, 2)]
    a = values()
    (found,) = Batch(device, launches, 1, [BYTES] * 3, [3]).enqueue([device.wrap(a.reshape(-1), copy=True)])
    assert np.array_equal(found.to_numpy("f4", (N, N)), np.sort(a.T, axis=-1)[:, ::-1] + 3)
