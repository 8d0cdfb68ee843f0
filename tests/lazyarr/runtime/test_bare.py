"""Launches without events: what they compute, how few events are made, and what a refusal says."""

import numpy as np
import pytest

from lazyarr.runtime import Batch, Launch, LaunchError, bare, queues

SOURCE = """__kernel void add(__global const float *a, __global float *out, int n, int c) {
    int i = get_global_id(0) + get_global_size(0) * get_global_id(1);
    if (i < n) out[i] = a[i] + c;
}"""
N = 1013


@pytest.fixture(scope="module")
def add(device):
    return device.build(SOURCE).kernel("add", ["buffer", "buffer", "int32", "int32"])


def batch(device, add, global_size=(N,), local_size=None):
    """(a + 1) + 10"""
    launches = [Launch(add, global_size, local_size, (0, 1, N, 1)), Launch(add, global_size, local_size, (1, 2, N, 10))]
    return Batch(device, launches, 1, [4 * N] * 2, [2])


@pytest.fixture
def events(add, monkeypatch):
    """The events that launches made."""
    made = []
    enqueue = add._enqueue
    monkeypatch.setattr(add, "_enqueue", lambda *given: made.append(enqueue(*given)) or made[-1])
    return made


@pytest.mark.parametrize(
    ("global_size", "local_size"), [((N,), None), ((1024,), (16,)), ((512, 2), None), ((512, 2), (8, 2))]
)
def test_the_results_are_those_of_launches_with_events(device, add, global_size, local_size):
    a = np.arange(N, dtype="f4")
    (found,) = batch(device, add, global_size, local_size).enqueue([device.wrap(a)])
    np.testing.assert_array_equal(found.to_numpy("f4", (N,)), a + 11)


def test_few_calls_make_an_event(device, add, events, monkeypatch):
    monkeypatch.setattr(device.queue, "watched", False)
    device.finish()
    a = device.wrap(np.arange(N, dtype="f4"))
    chain = batch(device, add)
    results = [chain.enqueue([a])[0] for _ in range(32)]
    assert len(events) == 2
    for found in results:
        np.testing.assert_array_equal(found.to_numpy("f4", (N,)), np.arange(N) + 11)
    device.finish()
    assert device.queue.pending == 0


def test_where_the_host_runs_kernels_the_last_launch_of_a_call_is_watched(device, add, events, monkeypatch):
    watched = []
    monkeypatch.setattr(queues, "_watch", watched.append)
    monkeypatch.setattr(device.queue, "watched", True)
    monkeypatch.setattr(device.queue, "retire", lambda: None)  # which forgets a launch that is done already
    monkeypatch.setattr(device.queue, "_waits_are_short", True)
    chain = batch(device, add)
    (found,) = [chain.enqueue([device.wrap(np.arange(N, dtype="f4"))])[0] for _ in range(3)][-1:]
    np.testing.assert_array_equal(found.to_numpy("f4", (N,)), np.arange(N) + 11)
    assert len(events) == 3
    assert watched == events[-1:]


def test_after_a_long_wait_the_host_sleeps_until_a_wait_was_short(device, add, monkeypatch):
    watched = []
    monkeypatch.setattr(queues, "_watch", watched.append)
    monkeypatch.setattr(device.queue, "watched", True)
    monkeypatch.setattr(device.queue, "retire", lambda: None)  # which forgets a launch that is done already
    chain = batch(device, add)

    def watches(limit):
        monkeypatch.setattr(queues, "LONG_WAIT_SECONDS", limit)
        watched.clear()
        chain.enqueue([device.wrap(np.arange(N, dtype="f4"))])
        device.finish()
        return bool(watched)

    watches(60.0)
    assert watches(0.0)  # this wait is long
    assert not watches(0.0)
    monkeypatch.setattr(queues, "LONG_WAIT_SECONDS", 60.0)
    device.finish()  # nothing is waited for
    assert not watches(60.0)  # this one is short
    assert watches(60.0)


def test_watching_ends_with_the_command_or_after_a_while(monkeypatch):
    class Command:
        def __init__(self, turns):
            self.turns = turns

        def get_info(self, what):
            self.turns -= 1
            return int(self.turns > 0)

    command = Command(5)
    monkeypatch.setattr(queues, "WATCHED_SECONDS", 60.0)
    queues._watch(command)
    assert command.turns == 0
    monkeypatch.setattr(queues, "WATCHED_SECONDS", 1e-3)
    queues._watch(Command(1 << 40))  # returns


def test_where_the_function_is_not_found_launches_make_events(device, add, events, monkeypatch):
    monkeypatch.setattr(bare, "function", lambda: None)
    chain = batch(device, add)
    (found,) = chain.enqueue([device.wrap(np.arange(N, dtype="f4"))])
    np.testing.assert_array_equal(found.to_numpy("f4", (N,)), np.arange(N) + 11)
    assert len(events) == 2


def test_a_refusal_names_the_kernel_and_the_extents(device, add):
    wrong = batch(device, add, (1024,), (1 << 20,))
    for _ in range(17):  # with an event and without
        with pytest.raises(LaunchError, match=r"kernel 'add' with global size \(1024,\)"):
            wrong.enqueue([device.wrap(np.arange(N, dtype="f4"))])
    device.finish()
    assert device.queue.pending == 0
