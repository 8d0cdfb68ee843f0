"""Launches that go together: slots, scratch memory, several threads and calls in flight, and what a refusal leaves."""

import gc

import numpy as np
import pytest

from lazyarr.runtime import Batch, Launch, LaunchError
from tests.threads import in_threads

SOURCE = """__kernel void add(__global const float *a, __global float *out, int n, int c) {
    int i = get_global_id(0);
    if (i < n) out[i] = a[i] + c;
}
__kernel void twice(__global const float *a, __global float *out, int n) {
    int i = get_global_id(0);
    if (i < n) out[i] = a[i] * 2;
}
__kernel void both(__global const float *a, __global const float *b, __global float *out, int n) {
    int i = get_global_id(0);
    if (i < n) out[i] = a[i] - b[i];
}"""
N = 1000
BYTES = 4 * N


@pytest.fixture(scope="module")
def kernels(device):
    program = device.build(SOURCE)
    return {
        "add": program.kernel("add", ["buffer", "buffer", "int32", "int32"]),
        "twice": program.kernel("twice", ["buffer", "buffer", "int32"]),
        "both": program.kernel("both", ["buffer", "buffer", "buffer", "int32"]),
    }


def launch(kernel, *arguments, size=N):
    return Launch(kernel, (size,), None, arguments)


@pytest.fixture
def chain(device, kernels):
    """((a + 1) * 2 + 3) * 2, each step in a slot of its own, the last one the result."""
    launches = [
        launch(kernels["add"], 0, 1, N, 1),
        launch(kernels["twice"], 1, 2, N),
        launch(kernels["add"], 2, 3, N, 3),
        launch(kernels["twice"], 3, 4, N),
    ]
    return Batch(device, launches, 1, [BYTES] * 4, [4])


def values(seed=0):
    return np.random.default_rng(seed).integers(-100, 100, N).astype("f4")


def chained(a):
    return ((a + 1) * 2 + 3) * 2


def test_a_batch_computes_what_its_launches_do(device, chain):
    for seed in range(5):
        a = values(seed)
        (out,) = chain.enqueue([device.wrap(a)])
        assert (out.to_numpy("f4", (N,)) == chained(a)).all()


def test_scratch_memory_is_shared_by_what_is_not_in_use_together(device, chain):
    device.finish()
    gc.collect()
    a = device.wrap(values())
    device.pool.trim()
    (out,) = chain.enqueue([a])
    block = device.memory.capacity(BYTES)
    assert device.pool.statistics().free_bytes == 2 * block  # two pieces serve three steps in turns
    device.finish()
    del out
    assert device.pool.statistics().free_bytes == 3 * block


def test_each_piece_of_scratch_memory_is_where_it_was_in_the_next_call(device, kernels, monkeypatch):
    add, both = kernels["add"], kernels["both"]
    launches = [launch(add, 0, 1, N, 1), launch(add, 0, 2, N, 2), launch(both, 1, 2, 3, N)]
    batch = Batch(device, launches, 1, [BYTES] * 3, [3])
    places = []
    borrow = device.memory.borrow
    monkeypatch.setattr(batch._memory, "borrow", lambda capacity: places.append(borrow(capacity)) or places[-1])
    a = device.wrap(values())
    for _ in range(3):
        (out,) = batch.enqueue([a])
        assert (out.to_numpy("f4", (N,)) == -1).all()
        del out
    scratch = [[block.key for block in places[3 * call + 1 : 3 * call + 3]] for call in range(3)]
    assert scratch[1] == scratch[2]


def test_scratch_memory_that_is_read_later_is_not_shared(device, kernels):
    launches = [
        launch(kernels["add"], 0, 1, N, 1),  # read by the last launch
        launch(kernels["twice"], 1, 2, N),
        launch(kernels["add"], 2, 3, N, 5),
        launch(kernels["both"], 3, 1, 4, N),
    ]
    batch = Batch(device, launches, 1, [BYTES] * 4, [4])
    a = values()
    (out,) = batch.enqueue([device.wrap(a)])
    assert (out.to_numpy("f4", (N,)) == ((a + 1) * 2 + 5) - (a + 1)).all()


def test_several_results_also_of_slots_that_others_read(device, kernels):
    launches = [
        launch(kernels["add"], 0, 2, N, 1),
        launch(kernels["twice"], 2, 3, N),
        launch(kernels["both"], 3, 1, 4, N),
    ]
    batch = Batch(device, launches, 2, [BYTES] * 3, [4, 2])
    a, b = values(1), values(2)
    last, first = batch.enqueue([device.wrap(a), device.wrap(b)])
    assert (first.to_numpy("f4", (N,)) == a + 1).all()
    assert (last.to_numpy("f4", (N,)) == (a + 1) * 2 - b).all()


def test_results_are_no_scratch_memory_and_calls_do_not_share_them(device, chain):
    arrays = [values(seed) for seed in range(40)]
    results = [chain.enqueue([device.wrap(a)])[0] for a in arrays]  # all in flight
    assert len({out.key for out in results}) == len(results)
    for a, out in zip(arrays, results, strict=True):
        assert (out.to_numpy("f4", (N,)) == chained(a)).all()


def test_a_result_may_be_the_next_input_and_be_dropped(device, chain):
    a = np.zeros(N, "f4")
    out = device.wrap(a)
    expected = a
    for _ in range(10):
        (out,) = chain.enqueue([out])
        expected = chained(expected)
    assert (out.to_numpy("f4", (N,)) == expected).all()


def test_inputs_live_until_they_were_read(device, chain):
    results = []
    for seed in range(60):
        results.append(chain.enqueue([device.wrap(values(seed))])[0])
        gc.collect(0)
    for seed, out in enumerate(results):
        assert (out.to_numpy("f4", (N,)) == chained(values(seed))).all()
    device.finish()
    assert device.queue.pending == 0


def test_what_is_in_flight_is_bounded(device, chain):
    a = device.wrap(values())
    for _ in range(3000):
        chain.enqueue([a])
        assert device.queue.pending <= 1100
    device.finish()


def test_batches_of_one_kernel_do_not_mix_their_numbers(device, kernels):
    one = Batch(device, [launch(kernels["add"], 0, 1, N, 1)], 1, [BYTES], [1])
    two = Batch(device, [launch(kernels["add"], 0, 1, N, 2), launch(kernels["add"], 1, 2, N, 30)], 1, [BYTES] * 2, [2])
    a, out = values(), device.allocate(BYTES)
    wrapped = device.wrap(a)
    for _ in range(3):
        assert (one.enqueue([wrapped])[0].to_numpy("f4", (N,)) == a + 1).all()
        assert (two.enqueue([wrapped])[0].to_numpy("f4", (N,)) == a + 32).all()
        kernels["add"].launch((N,), None, (wrapped, out, N, 7))
        assert (out.to_numpy("f4", (N,)) == a + 7).all()


def test_threads_share_a_batch(device, chain):
    failures = []

    def work(number):
        for step in range(100):
            a = values(1000 * number + step)
            (out,) = chain.enqueue([device.wrap(a)])
            if not (out.to_numpy("f4", (N,)) == chained(a)).all():
                failures.append((number, step))

    in_threads(work, range(4), switch=1e-5)
    assert not failures


def test_traced_gives_the_event_of_each_launch(device, chain):
    a = values()
    (out,), events = chain.traced([device.wrap(a)], poison=0xA5)
    assert len(events) == 4
    events[-1].wait()
    assert all(event.done for event in events)
    assert (out.to_numpy("f4", (N,)) == chained(a)).all()


def test_traced_poisons_what_is_not_written(device, kernels):
    batch = Batch(device, [launch(kernels["add"], 0, 1, 10, 1)], 1, [BYTES], [1])
    a = values()
    (out,), _ = batch.traced([device.wrap(a)], poison=0xA5)
    assert (out.to_numpy("f4", (10,)) == a[:10] + 1).all()
    assert (out.to_numpy("u1", (BYTES,))[40:] == 0xA5).all()


def test_what_would_be_launched(device, chain, kernels):
    a = device.wrap(values())
    launches, written = chain.listed([a])
    assert [kernel for kernel, *_ in launches] == [kernels["add"], kernels["twice"], kernels["add"], kernels["twice"]]
    assert launches[0][3][0] is a
    assert launches[-1][3][1] is written[-1]
    assert launches[0][3][2:] == [N, 1]


def test_nothing_is_launched_over_nothing(device, kernels):
    launches = [launch(kernels["add"], 0, 1, 0, 1, size=0), launch(kernels["twice"], 0, 2, N)]
    batch = Batch(device, launches, 1, [0, BYTES], [2, 1])
    a = values()
    before = device.queue.launches
    out, empty = batch.enqueue([device.wrap(a)])
    assert device.queue.launches == before + 1
    assert (out.to_numpy("f4", (N,)) == a * 2).all()
    assert empty.nbytes == 0
    nothing = Batch(device, launches[:1], 1, [0], [1])
    assert nothing.enqueue([device.wrap(a)])[0].nbytes == 0
    assert nothing.traced([device.wrap(a)])[1][-1].done


def test_a_refused_launch_leaves_the_queue_usable(device, kernels, chain):
    wrong = Launch(kernels["twice"], (64,), (7,), (1, 2, N))
    a = values()
    for launches in ([wrong], [launch(kernels["add"], 0, 1, N, 1), wrong]):
        batch = Batch(device, launches, 1, [BYTES] * 2, [2])
        with pytest.raises(LaunchError, match=r"'twice'.*global size \(64,\), local size \(7,\)"):
            batch.enqueue([device.wrap(a)])
    (out,) = chain.enqueue([device.wrap(a)])
    assert (out.to_numpy("f4", (N,)) == chained(a)).all()
    device.finish()
    assert device.queue.pending == 0


def test_numbers_that_do_not_fit_are_refused(device, kernels):
    with pytest.raises(LaunchError, match=r"takes 3 arguments, got 2"):
        Batch(device, [launch(kernels["twice"], 0, 1)], 1, [BYTES], [1])
    batch = Batch(device, [launch(kernels["twice"], 0, 1, 2**31)], 1, [BYTES], [1])
    with pytest.raises(LaunchError, match=r"argument 2 .* 'int32', but 2147483648"):
        batch.enqueue([device.wrap(values())])
    device.finish()
    assert device.queue.pending == 0


def test_a_number_that_does_not_fit_leaves_other_batches_right(device, kernels):
    good = Batch(device, [launch(kernels["add"], 0, 1, N, 1)], 1, [BYTES], [1])
    wrong = Batch(device, [launch(kernels["add"], 0, 1, N // 2, 2**31)], 1, [BYTES], [1])
    a = values()
    for _ in range(2):
        (out,), _ = good.traced([device.wrap(a)], poison=0xA5)
        assert (out.to_numpy("f4", (N,)) == a + 1).all()
        assert (good.enqueue([device.wrap(a)])[0].to_numpy("f4", (N,)) == a + 1).all()
        with pytest.raises(LaunchError, match="'int32', but 2147483648"):
            wrong.enqueue([device.wrap(a)])
        out = good.enqueue([device.wrap(a + 5)])[0]  # the first number of the wrong one is set
        assert (out.to_numpy("f4", (N,)) == a + 6).all()
