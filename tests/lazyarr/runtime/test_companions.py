"""Kernels in the calling thread: what the companion of PoCL's device is, and the order of what runs on both."""

import json
import os

import numpy as np
import pytest

from lazyarr.runtime import Batch, Launch, LaunchError, icds, pocl
from tests.lazyarr.runtime.processes import python
from tests.lazyarr.runtime.test_batches import BYTES, SOURCE, N, chained, launch, values
from tests.threads import in_threads

NAMES = ("add", "twice", "both")
TYPES = {
    "add": ["buffer", "buffer", "int32", "int32"],
    "twice": ["buffer", "buffer", "int32"],
    "both": ["buffer", "buffer", "buffer", "int32"],
}


@pytest.fixture(scope="module")
def places(device):
    """The kernels on the device's own threads, and in the calling one."""
    if device.calling_thread is None:
        pytest.skip("nothing runs in the calling thread here")
    programs = device.build(SOURCE), device.build(SOURCE, in_thread=True)
    return [{name: program.kernel(name, TYPES[name]) for name in NAMES} for program in programs]


def test_pocls_wheel_has_one(device):
    """Else all tests here would be left out, and nobody would know."""
    expected = device.is_pocl and pocl.is_only_the_wheel(icds.registered_libraries())
    if not expected or "POCL_DEVICES" in os.environ:
        pytest.skip("PoCL is not the wheel's, or the user has said what it is to have")
    assert device.calling_thread is not None


def random_batch(device, places, rng, size):
    """Launches of both kinds over two inputs, some in place, and what they compute."""
    slots, launches, steps = 2, [], []
    for _ in range(int(rng.integers(1, 9))):
        kernels, name = places[int(rng.integers(2))], NAMES[int(rng.integers(3))]
        read = [int(rng.integers(slots)) for _ in range(2)]
        over = int(rng.integers(2, slots)) if slots > 2 and rng.random() < 0.4 else slots
        slots += over == slots
        arguments = {
            "add": (read[0], over, size, 3), "twice": (read[0], over, size), "both": (*read, over, size)
        }[name]  # fmt: skip
        launches.append(launch(kernels[name], *arguments, size=size))
        steps.append((name, read, over))
    batch = Batch(device, launches, 2, [4 * size] * (slots - 2), [slots - 1])

    def computed(x, y):
        known = {0: x, 1: y}
        for name, (one, other), over in steps:
            a, b = known[one], known[other]
            known[over] = {"add": a + 3, "twice": a * 2, "both": a - b}[name]
        return known[slots - 1]

    return batch, computed


def test_it_is_no_device_of_lazyarrs(device, places):
    from lazyarr.runtime import devices

    assert device.companion is not None
    assert device.companion != device.handle
    assert device.companion.name.startswith("basic-")
    assert not any(each.name.startswith("basic-") for each in devices())
    assert device.index.endswith(":0")


def test_launches_are_done_when_they_return(device, places):
    x = values()
    batch = Batch(device, [launch(places[1]["twice"], 0, 1, N)], 1, [BYTES], [1])
    device.finish()
    count = device.queue.launches
    (result,) = batch.enqueue([device.wrap(x)])
    assert device.queue.pending == 0
    assert device.queue.launches == count + 1
    np.testing.assert_array_equal(np.frombuffer(result.block.memory, np.float32)[:N], 2 * x)


@pytest.mark.parametrize("place", [(0, 1, 0, 1), (1, 0, 1, 0), (1, 1, 1, 1), (1, 1, 0, 0)])
def test_each_comes_after_the_one_before(device, places, place):
    first, second, third, fourth = (places[number] for number in place)
    launches = [
        launch(first["add"], 0, 1, N, 1),
        launch(second["twice"], 1, 2, N),
        launch(third["add"], 2, 3, N, 3),
        launch(fourth["twice"], 3, 4, N),
    ]
    batch = Batch(device, launches, 1, [BYTES] * 4, [4])
    for seed in range(50):
        x = values(seed)
        (result,) = batch.enqueue([device.wrap(x)])
        np.testing.assert_array_equal(result.to_numpy("f4", (N,)), chained(x))
    results, events = batch.traced([device.wrap(x)], poison=0xA5)
    assert [event.seconds is None for event in events] == [False] * 4
    np.testing.assert_array_equal(results[0].to_numpy("f4", (N,)), chained(x))


def test_random_programs_of_both(device, places):
    rng = np.random.default_rng(3)
    for _ in range(60):
        size = int(rng.choice([1, 7, N, 50_001, 400_000]))
        x, y = (rng.integers(-9, 9, size).astype("f4") for _ in range(2))
        pairs = [random_batch(device, places, rng, size) for _ in range(4)]
        slots = [(device.wrap(x), x), (device.wrap(y), y)]
        for batch, computed in pairs:  # each reads what those before it made; nothing is waited for in between
            (one, a), (other, b) = (slots[int(rng.integers(len(slots)))] for _ in range(2))
            (made,) = batch.enqueue([one, other])
            slots.append((made, computed(a, b)))
        for buffer, expected in slots:
            np.testing.assert_array_equal(buffer.to_numpy("f4", (size,)), expected)
        del slots, one, other, made, buffer  # their memory goes to the next


def test_several_threads(device, places):
    """Small kernels of all threads at once, beside large ones on the device's own."""
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        batches = [(size, *random_batch(device, places, rng, size)) for size in (33, N, N, 20_000)]
        for _ in range(60):
            size, batch, computed = batches[int(rng.integers(4))]
            x, y = (rng.integers(-9, 9, size).astype("f4") for _ in range(2))
            (made,) = batch.enqueue([device.wrap(x), device.wrap(y)])
            if not np.array_equal(made.to_numpy("f4", (size,)), computed(x, y)):
                wrong.append((seed, size))

    in_threads(work, range(6), switch=1e-5)
    assert not wrong


def test_a_refused_launch_leaves_its_turn(device, places):
    refused = Launch(places[1]["twice"], (N,), (7,), (0, 1, N))  # N is no multiple of 7
    x = values()
    with pytest.raises(LaunchError, match="twice"):
        Batch(device, [refused], 1, [BYTES], [1]).enqueue([device.wrap(x)])
    with pytest.raises(LaunchError, match="twice"):
        places[1]["twice"].launch((N,), (7,), [device.wrap(x), device.allocate(BYTES), N])
    (result,) = Batch(device, [launch(places[1]["twice"], 0, 1, N)], 1, [BYTES], [1]).enqueue([device.wrap(x)])
    np.testing.assert_array_equal(result.to_numpy("f4", (N,)), 2 * x)


def test_binaries_are_of_the_place_that_they_were_built_for(device, places):
    own, other = (kernels["twice"].program.binary for kernels in places)
    assert own and other and own != other
    assert device.build(SOURCE, other, in_thread=True).kernel("twice", TYPES["twice"]).program.in_thread


# --- in processes of their own ----------------------------------------------------------------------------------------

LOOK = """
import json, os
{before}
from lazyarr import runtime
from lazyarr.runtime import diagnose
device = next(each for each in runtime.devices() if each.is_pocl)
said = [str(finding) for finding in diagnose()]
print(json.dumps({{
    "names": [each.name.partition("-")[0] for each in runtime.devices() if each.is_pocl],
    "index": device.index.partition(":")[2],
    "by index": runtime.find_device(device.index) is device,
    "companion": device.calling_thread is not None,
    "said": any("basic-" in line for line in said),
    "variable": os.environ.get("POCL_DEVICES"),
}}))
"""


def look(before: str = "", **environment: str) -> dict[str, object]:
    return json.loads(python(LOOK.format(before=before), **environment))


@pytest.mark.usefixtures("places")
def test_it_shows_nowhere(monkeypatch):
    monkeypatch.delenv("POCL_DEVICES", raising=False)
    expected = {"names": ["pthread"], "index": "0", "by index": True, "said": False, "variable": None}
    assert look() == expected | {"companion": True}


@pytest.mark.usefixtures("places")
def test_threads_that_ask_at_once_find_the_same(monkeypatch):
    monkeypatch.delenv("POCL_DEVICES", raising=False)
    before = """
import threading
from lazyarr.runtime import diagnose
failed = []
threading.excepthook = failed.append
threads = [threading.Thread(target=diagnose) for _ in range(4)]
for thread in threads: thread.start()
for thread in threads: thread.join()
assert not failed, failed
"""
    assert look(before) == {
        "names": ["pthread"], "index": "0", "by index": True, "said": False, "variable": None, "companion": True,
    }  # fmt: skip


@pytest.mark.usefixtures("places")
def test_who_sets_pocls_variable_has_decided():
    found = look(POCL_DEVICES="pthread")
    assert found == {
        "names": ["pthread"], "index": "0", "by index": True, "said": False, "variable": "pthread", "companion": False,
    }  # fmt: skip
    found = look(POCL_DEVICES="pthread basic")  # then both are the user's
    assert (sorted(found["names"]), found["companion"], found["said"]) == (["basic", "pthread"], False, True)


@pytest.mark.usefixtures("places")
def test_where_pocl_was_asked_before_all_is_as_without(monkeypatch):
    monkeypatch.delenv("POCL_DEVICES", raising=False)
    before = "from lazyarr.runtime import icds, pocl\nicds.register()\npocl.mend()\n"
    before += "import pyopencl\npyopencl.get_platforms()"
    assert look(before) == {
        "names": ["pthread"], "index": "0", "by index": True, "said": False, "variable": None, "companion": False,
    }  # fmt: skip
