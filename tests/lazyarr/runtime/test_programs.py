"""Programs, launches, the lifetime of what they use, and times."""

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from lazyarr.errors import LazyarrError
from lazyarr.runtime import BuildError, LaunchError
from tests.threads import in_threads

ADD = """__kernel void add(__global const float *a, __global float *out, int n, float c) {
    int i = get_global_id(0);
    if (i < n) out[i] = a[i] + c;
}
__kernel void slow(__global float *a, int rounds) {
    float x = a[get_global_id(0)];
    for (int k = 0; k < rounds; k++) x = x * 0.5f + 1.0f;
    a[get_global_id(0)] = x;
}"""
TYPES = ["buffer", "buffer", "int32", "float32"]
ROOT = Path(__file__).resolve().parents[3]
PATH = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])


@pytest.fixture(scope="module")
def program(device):
    return device.build(ADD)


@pytest.fixture
def add(program):
    return program.kernel("add", TYPES)


def test_a_launch_computes(device, add):
    a = np.arange(100, dtype="f4")
    out = device.allocate(400)
    event = add.launch((128,), (32,), (device.wrap(a), out, 100, 2.5))
    event.wait()
    assert event.done and (out.to_numpy("f4", (100,)) == a + 2.5).all()


def test_only_what_changes_has_to_change(device, add):
    a, b = device.wrap(np.arange(8, dtype="f4")), device.wrap(np.arange(8, dtype="f4") * 10)
    out = device.allocate(32)
    for buffer, factor in ((a, 1), (b, 10), (b, 10), (a, 1)):
        for c in (0.0, -0.0, 1, True, np.float32(3), 1.5, 1.5):
            add.launch((8,), None, (buffer, out, 8, c))
            result = out.to_numpy("f4", (8,)).copy()
            assert (result == np.arange(8) * factor + np.float32(c)).all()


def test_negative_zero_is_not_zero(device):
    source = "__kernel void k(__global float *o, float c) { o[0] = c; }"
    kernel = device.build(source).kernel("k", ["buffer", "float32"])
    out = device.allocate(4)
    for c in (0.0, -0.0, 0.0, -0.0):
        kernel.launch((1,), None, (out, c))
        assert np.signbit(out.to_numpy("f4", (1,))[0]) == np.signbit(c)


@pytest.mark.parametrize(
    ("kind", "c_type", "value"),
    [
        ("bool", "uchar", True),
        ("int8", "char", -5),
        ("uint8", "uchar", 250),
        ("int16", "short", -30_000),
        ("uint16", "ushort", 60_000),
        ("int32", "int", -(2**31)),
        ("uint32", "uint", 2**32 - 1),
        ("int64", "long", -(2**63)),
        ("uint64", "ulong", 2**64 - 1),
        ("float32", "float", 0.1),
        ("float64", "double", 0.1),
    ],
)
def test_scalar_types(device, kind, c_type, value):
    if kind == "float64" and not device.limits.float64:
        pytest.skip("no double precision")
    source = f"__kernel void k(__global {c_type} *o, {c_type} c) {{ o[0] = c; }}"
    kernel = device.build(source).kernel("k", ["buffer", kind])
    dtype = np.dtype(kind)
    out = device.allocate(dtype.itemsize)
    for given in (value, dtype.type(value)):
        kernel.launch((1,), None, (out, given))
        assert out.to_numpy(dtype, (1,))[0] == dtype.type(value)


def test_local_memory_arguments(device):
    source = """__kernel void k(__global int *a, __local int *t, int unused) {
        int i = get_local_id(0); t[i] = a[i]; barrier(CLK_LOCAL_MEM_FENCE); a[i] = t[15 - i]; }"""
    a = np.arange(16, dtype="i4")
    kernel = device.build(source).kernel("k", ["buffer", "local:64", "int32"])
    buffer = device.wrap(a)
    kernel.launch((16,), (16,), [buffer, 0]).wait()
    assert (buffer.to_numpy("i4", (16,)) == np.arange(16)[::-1]).all()


def test_nothing_is_launched_over_nothing(device, add):
    empty = device.allocate(0)
    event = add.launch((0,), (8,), (empty, empty, 0, 1.0))
    event.wait()
    assert event.done and event.seconds is None
    add.launch((8,), (8,), (empty, empty, 0, 1.0)).wait()  # null pointers that are not followed


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (lambda a: (a, a, 8), "takes 4 arguments, got 3"),
        (lambda a: (3, a, 8, 1.0), "argument 0 .* 'buffer', but 3"),
        (lambda a: (a, a, "8", 1.0), "argument 2 .* 'int32', but '8'"),
        (lambda a: (a, a, 2**31, 1.0), "argument 2 .* 'int32', but 2147483648"),
        (lambda a: (a, a, 8, a), "argument 3 .* 'float32'"),
    ],
)
def test_arguments_that_do_not_fit_are_refused(device, add, arguments, message):
    a = device.allocate(32)
    with pytest.raises(LaunchError, match=message):
        add.launch((8,), None, arguments(a))
    add.launch((8,), None, (a, a, 8, 1.0)).wait()  # and the kernel still works


def test_sizes_that_do_not_fit_are_refused(device, add):
    a = device.allocate(256)
    device.finish()
    with pytest.raises(LaunchError, match=r"global size \(64,\), local size \(7,\)"):
        add.launch((64,), (7,), (a, a, 64, 0.0))
    assert device.queue.pending == 0


@pytest.mark.parametrize(("name", "types"), [("nothing", TYPES), ("add", TYPES[:3])])
def test_declarations_that_do_not_fit_are_refused(program, name, types):
    with pytest.raises(LaunchError, match="add" if name == "nothing" else "takes 4 arguments, but 3"):
        program.kernel(name, types)


def test_unknown_argument_types_are_refused(program):
    with pytest.raises(ValueError, match="float33"):
        program.kernel("add", ["buffer", "buffer", "int32", "float33"])


# Programs.


def test_a_build_error_shows_numbered_source_and_log(device):
    with pytest.raises(BuildError, match="did not compile") as caught:
        device.build("__kernel void k() {\n    int x = nonsense;\n}")
    error = caught.value
    assert "nonsense" in error.log and isinstance(error, LazyarrError)
    assert "2 |     int x = nonsense;" in str(error) and error.log in str(error)


def test_a_binary_is_loaded_and_works(device, program):
    binary = program.binary
    if binary is None:
        pytest.skip("the runtime gives no binaries")
    loaded = device.build(ADD, binary)
    assert loaded.from_binary and set(loaded.kernel_names) == {"add", "slow"}
    out = device.allocate(32)
    loaded.kernel("add", TYPES).launch((8,), None, (device.wrap(np.ones(8, "f4")), out, 8, 1.0))
    assert (out.to_numpy("f4", (8,)) == 2).all()


@pytest.mark.parametrize("binary", [b"", b"junk", bytes(1000)])
def test_a_bad_binary_falls_back_to_the_source(device, binary):
    program = device.build(ADD, binary)
    assert not program.from_binary
    program.kernel("add", TYPES)


def test_the_binary_of_another_program_falls_back_to_the_source(device):
    binary = device.build("__kernel void other(__global int *a) { a[0] = 1; }").binary
    if binary is None:
        pytest.skip("the runtime gives no binaries")
    program = device.build(ADD, binary)
    program.kernel("add", TYPES)
    assert not program.from_binary


def test_nothing_is_written_to_pyopencl_caches(tmp_path, device):
    code = f"""
from lazyarr.runtime import find_device
d = find_device({device.index!r})
a = d.allocate(32)
d.build({ADD!r}).kernel("add", {TYPES!r}).launch((8,), None, (a, a, 8, 1.0)).wait()
"""
    variables = {**os.environ, "PYTHONPATH": PATH, "XDG_CACHE_HOME": str(tmp_path), "TMPDIR": str(tmp_path)}
    subprocess.run([sys.executable, "-c", code], env=variables, check=True, timeout=60)
    assert not [path for path in tmp_path.iterdir() if "pyopencl" in path.name or "pytools" in path.name]


# Lifetime and threads.


def test_memory_may_be_dropped_right_after_a_launch(device, program):
    slow = program.kernel("slow", ["buffer", "int32"])
    for step in range(300):
        a = np.full(256, step, "f4")
        buffer = device.wrap(a) if step % 2 else device.allocate(1024)
        slow.launch((256,), None, [buffer, 2000])
        del a, buffer
    device.finish()
    assert device.queue.pending == 0


def test_a_reused_list_of_arguments_keeps_nothing_from_being_kept(device, program):
    slow = program.kernel("slow", ["buffer", "int32"])
    arguments = [None, 500]
    for _ in range(200):
        arguments[0] = device.wrap(np.ones(256, "f4"))
        slow.launch((256,), None, arguments)
    device.finish()


def test_what_is_in_flight_is_bounded(device, add):
    a = device.allocate(32)
    for _ in range(5000):
        add.launch((8,), (8,), (a, a, 8, 0.0))
        assert device.queue.pending <= 1100
    device.finish()


def test_pooled_memory_is_reused_in_the_order_of_the_commands(device, add, program):
    """A block goes to the next owner while the last one's kernel runs; what either reads and writes keeps its order."""
    slow = program.kernel("slow", ["buffer", "int32"])
    results, handles = [], []
    for step in range(20):
        first = device.allocate(4096)
        first.fill(0)
        slow.launch((1024,), None, (first, 20_000))
        out = device.allocate(4000)
        add.launch((1000,), None, (first, out, 1000, float(step)))
        handles.append(first.handle)
        del first
        other = device.allocate(4000)
        assert other.handle is handles[-1]  # at once, though its kernels are in flight
        other.fill(0xFF)  # a NaN, which comes after them
        results.append(out)
    expected = results[0].to_numpy("f4", (1000,)).copy()
    assert np.isfinite(expected).all()
    for step, out in enumerate(results):
        np.testing.assert_array_equal(out.to_numpy("f4", (1000,)), expected + np.float32(step))


def test_the_host_writes_to_reused_memory_only_when_its_commands_are_done(device, add, program):
    slow = program.kernel("slow", ["buffer", "int32"])
    for step in range(20):
        first = device.allocate(4096)
        first.fill(0)
        slow.launch((1024,), None, (first, 20_000))
        out = device.allocate(4000)
        add.launch((1000,), None, (first, out, 1000, 0.0))
        del first
        copy = device.wrap(np.full(1024, step, "f4"), copy=True)  # the same size class
        assert np.isfinite(out.to_numpy("f4", (1000,))).all()
        assert (copy.to_numpy("f4", (1024,)) == step).all()


def test_memory_that_leaves_the_pool_lives_until_its_commands_are_done(device, program):
    slow = program.kernel("slow", ["buffer", "int32"])
    for _ in range(50):
        buffer = device.allocate(1 << 16)
        slow.launch((256,), None, (buffer, 20_000))
        del buffer
        device.pool.trim()
    device.finish()
    assert device.queue.pending == 0


def test_launching_pins_no_buffer_after_it_is_done(device, add):
    a, out = device.wrap(np.ones(8, "f4")), device.allocate(1 << 16)
    add.launch((8,), None, (a, out, 8, 1.0)).wait()
    handle = out.handle
    del out
    assert device.allocate(1 << 16).handle is handle


def test_threads_launch_one_kernel_with_different_arguments(device, add):
    failures = []

    def work(number):
        a = np.full(64, number, "f4")
        for step in range(200):
            out = device.allocate(256)
            event = add.launch((64,), (64,), (device.wrap(a), out, 64, float(step)))
            if step % 3:
                event.wait()
            if not (out.to_numpy("f4", (64,)) == number + step).all():
                failures.append((number, step))

    in_threads(work, range(4), switch=1e-5)
    assert not failures


def test_a_process_may_end_with_work_pending(device):
    code = f"""
import numpy as np
from lazyarr.runtime import find_device
d = find_device({device.index!r})
k = d.build({ADD!r}).kernel("slow", ["buffer", "int32"])
buffers = [d.wrap(np.ones(256, "f4")) for _ in range(20)]
views = [d.allocate(4096).to_numpy("f4", (8,)) for _ in range(5)]
events = [k.launch((256,), None, (b, 100_000)) for b in buffers]
"""
    done = subprocess.run(
        [sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": PATH}, capture_output=True, timeout=60
    )
    assert done.returncode == 0 and not done.stderr, done.stderr


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork")
def test_a_forked_child_gets_an_error_not_a_hang(device):
    code = f"""
import os
from lazyarr.runtime import LaunchError, find_device
d = find_device({device.index!r})
a = d.allocate(32)
k = d.build({ADD!r}).kernel("add", {TYPES!r})
k.launch((8,), None, (a, a, 8, 1.0)).wait()
child = os.fork()
if child == 0:
    try:
        k.launch((8,), None, (a, a, 8, 1.0))
    except LaunchError as error:
        os._exit(0 if "spawn" in str(error) else 2)
    os._exit(1)
assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
k.launch((8,), None, (a, a, 8, 1.0)).wait()
"""
    subprocess.run([sys.executable, "-c", code], env={**os.environ, "PYTHONPATH": PATH}, check=True, timeout=60)


# Times. No test depends on how long anything takes.


def test_a_short_launch_is_timed_by_the_host(device, add):
    a = device.allocate(32)
    timing = device.time(lambda: add.launch((8,), (8,), (a, a, 8, 0.0)), clock="host")
    assert timing.clock == "host" and 0 < timing.minimum <= timing.median == float(timing)
    assert 3 <= timing.repetitions <= 200


def test_the_devices_clock_on_request(device, program):
    slow, a = program.kernel("slow", ["buffer", "int32"]), device.allocate(4096)
    timing = device.time(lambda: slow.launch((1024,), None, (a, 10_000)), budget_seconds=0.05, clock="device")
    assert timing.clock == "device" and timing.minimum > 0


def test_kernels_without_events_are_timed_by_the_host(device, program):
    slow, a = program.kernel("slow", ["buffer", "int32"]), device.allocate(4096)

    def two():
        slow.launch((1024,), None, (a, 1000))
        return slow.launch((1024,), None, (a, 1000))

    assert device.time(two, budget_seconds=0.02, clock="device").clock == "host"
    both = device.time(lambda: [two(), two()][:0] or [slow.launch((1024,), None, (a, 100)) for _ in range(2)], 0.02)
    assert both.repetitions >= 3


def test_repetitions_are_bounded(device, add):
    a = device.allocate(32)
    timing = device.time(lambda: add.launch((8,), (8,), (a, a, 8, 0.0)), budget_seconds=0.0)
    assert timing.repetitions == 3
    timing = device.time(lambda: add.launch((8,), (8,), (a, a, 8, 0.0)), 10.0, maximum_repetitions=5)
    assert timing.repetitions == 5


def test_an_event_knows_its_time(device, program):
    slow, a = program.kernel("slow", ["buffer", "int32"]), device.allocate(4096)
    seconds = slow.launch((1024,), None, (a, 10_000)).seconds
    assert seconds is None or seconds > 0


def test_profiling_may_be_nested_and_keeps_the_order(device, add):
    a = device.wrap(np.zeros(8, "f4"), copy=True)
    queue, plain = device.queue, device.queue.handle
    for _ in range(20):
        add.launch((8,), None, (a, a, 8, 1.0))
        with queue.profiling():
            add.launch((8,), None, (a, a, 8, 1.0))
            with queue.profiling():
                add.launch((8,), None, (a, a, 8, 1.0))
    assert queue.handle is plain
    assert (a.to_numpy("f4", (8,)) == 60).all()
