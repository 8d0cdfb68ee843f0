"""Which programs run in the calling thread: predictions decide, for all of a program's launches together."""

import numpy as np
import pytest

import lazyarr as la
from ir.schedules.candidates import Candidates
from lazyarr import lift
from lazyarr.compile import in_thread
from lazyarr.compile.compiled import Compiled, build, entry_of, from_entry
from lazyarr.compile.in_thread import NEVER, OneCore, is_short
from lazyarr.compile.program import compiled_programs_for
from lazyarr.compile.trials import CandidateRunner, Problem, machine_of
from lazyarr.runtime import default_device
from lazyarr.tiers.programs import programs_for
from tests.lazyarr.execution.kernels import kernel_of
from tests.threads import in_threads

pytestmark = pytest.mark.device


@pytest.fixture(autouse=True)
def _calling_thread(set_to):
    if default_device().calling_thread is None:
        pytest.skip("nothing runs in the calling thread here")
    set_to(tier="compiled", tune="off")


def program_of(f, *arguments):
    """What a call of a jitted function runs, after one."""
    np.asarray(f(*arguments))
    return f.recording(*arguments)[0].program.compiled


def numbers(n, dtype=np.float32):
    return la.asarray(np.random.default_rng(n).random(n).astype(dtype))


@pytest.mark.parametrize(
    ("n", "expected"), [(1, True), (1000, True), (30_000, True), (700_000, False), (3 << 20, False)]
)
def test_sizes_decide(kernels, n, expected):
    f = lift.jit(lambda x: x * 3 + 1)
    x = numbers(n)
    assert program_of(f, x).in_thread is expected
    queue = default_device().queue
    count = queue.launches
    y = f(x)
    assert queue.launches == count + 1
    if expected:
        assert queue.pending == 0  # it is done
    np.testing.assert_allclose(np.asarray(y), np.asarray(x) * 3 + 1, rtol=1e-6)
    said = f.recording(x)[0].program.tier
    assert said == "compiled: the setting `tier`" + "; in the calling thread" * expected


def test_one_kernel_serves_both_sides_within_a_class(kernels, monkeypatch):
    """It is built once for each side, however often sizes change."""
    device, built = default_device(), []
    build_program = type(device).build

    def counted(self, source, *more, in_thread=False, **named):
        built.append(in_thread)
        return build_program(self, source, *more, in_thread=in_thread, **named)

    monkeypatch.setattr(type(device), "build", counted)
    f = lift.jit(lambda x: x * 5 + 2)
    small, large = numbers(17_000), numbers(65_000)
    assert len(program_of(f, small).steps) == 1
    assert built == [True]
    monkeypatch.setattr(in_thread, "IN_THREAD_SECONDS_AT_MOST", 0.0)
    assert not program_of(f, large).in_thread
    monkeypatch.undo()
    monkeypatch.setattr(type(device), "build", counted)
    for _ in range(3):
        for x in (small, large):
            np.testing.assert_allclose(np.asarray(f(x)), np.asarray(x) * 5 + 2, rtol=1e-6)
    assert built == [True, False]


def test_the_sum_decides(monkeypatch):
    device = default_device()
    monkeypatch.setattr(in_thread, "IN_THREAD_SECONDS_AT_MOST", 80e-6)
    monkeypatch.setattr(in_thread, "IN_THREAD_SECONDS_A_KERNEL", 10e-6)
    assert is_short(device, [80e-6])
    assert not is_short(device, [81e-6])
    assert is_short(device, [45e-6, 45e-6])
    assert not is_short(device, [46e-6, 45e-6])
    assert is_short(device, [11e-6] * 60)
    assert not is_short(device, [12e-6] * 60)
    assert not is_short(device, [1e-6, None])
    assert is_short(device, [])


def test_short_kernels_beside_a_long_one_go_where_that_goes(kernels):
    f = lift.jit(lambda x: x - la.mean(x, axis=0) * 2)
    x = numbers(2_000_000).reshape(-1, 100)
    compiled = program_of(f, x)
    assert len(compiled.steps) > 1
    assert not compiled.in_thread
    programs = [launch.kernel.program for launch in compiled._bound[0]._launches]
    assert not any(program.in_thread for program in programs)
    own = [compiled._compiler.known(step.general).executable for step in compiled.steps]
    assert not any(executable.program.in_thread for executable in own)  # nothing was built twice
    y = la.asarray(np.ones((40, 100), np.float32))
    assert program_of(f, y).in_thread


def test_kernels_longer_than_one_may_be_are_built_once_where_their_program_runs(kernels, monkeypatch):
    device, built = default_device(), []
    build_program = type(device).build

    def counted(self, source, *more, in_thread=False, **named):
        built.append(in_thread)
        return build_program(self, source, *more, in_thread=in_thread, **named)

    monkeypatch.setattr(type(device), "build", counted)
    monkeypatch.setattr(in_thread, "IN_THREAD_SECONDS_AT_MOST", 0.0)
    monkeypatch.setattr(in_thread, "IN_THREAD_SECONDS_A_KERNEL", 1.0)
    compiled = program_of(lift.jit(lambda x: x - la.mean(x * 3, axis=0)), numbers(3_000).reshape(-1, 10))
    assert compiled.in_thread
    assert built == [True] * len(compiled.steps)
    assert len(built) > 1


def test_it_grows_with_the_work():
    _, general, _ = kernel_of(numbers(20_000) * 3)
    _, other, _ = kernel_of(numbers(60_000) * 3)
    assert OneCore(1e-6, 20_000).at(general) == pytest.approx(1e-6)
    assert OneCore(1e-6, 20_000).at(other) == pytest.approx(3e-6)


def test_what_is_kept_is_built_for_the_same_place(kernels):
    device, general, _ = kernel_of(numbers(20_000) * 3)
    default = Candidates.of(general.expr).default(machine_of(device), general.sizes)
    executable = build(device, general, default)
    assert executable.program.in_thread
    assert not build(device, general, default, in_thread=NEVER).program.in_thread
    made = Compiled(general, executable, default, "predicted", None)
    for binaries in (False, True):
        entry = entry_of(made, with_binaries=binaries)
        assert bool(entry.binaries) is binaries
        read = from_entry(device, general, entry)
        assert read.executable.one_core == executable.one_core
        assert read.executable.program.in_thread
        assert read.executable.program.from_binary is binaries
        other = from_entry(device, general, entry, in_thread=NEVER)
        assert not other.executable.program.in_thread
        assert not other.executable.program.from_binary  # that was the other device's


def test_candidates_are_measured_on_the_devices_own_threads(kernels):
    device, general, inputs = kernel_of(numbers(20_000) * 3)
    runner = CandidateRunner(Problem(device, general, inputs))
    default = Candidates.of(general.expr).default(machine_of(device), general.sizes)
    assert runner.run(default).ok
    assert not runner.executable(default).program.in_thread
    executable = build(device, general, default)  # for the calling thread, and measured beside others
    assert executable.program.in_thread
    assert runner.measure(executable) > 0
    assert [in_thread for _, in_thread in executable._batches] == [False]


def test_results_are_the_same_on_both(kernels, monkeypatch):
    rng = np.random.default_rng(5)
    tables = compiled_programs_for(default_device()), programs_for(default_device()), programs_for("")
    programs = [
        lambda x: la.sum(la.sqrt(x) * x),
        lambda x: la.cumulative_sum(x),
        lambda x: la.exp(x) / la.sum(la.exp(x)),
        lambda x: la.sort(x)[: x.shape[0] // 2] + 1,
        lambda x: (x[: x.shape[0] // 7 * 7].reshape(-1, 7) ** 2).sum(axis=0),
    ]
    for n in (1, 7, 1009, 20_011):
        x = la.asarray(rng.random(n).astype(np.float32))
        for program in programs:
            found = []
            for most in (1.0, -1.0):
                monkeypatch.setattr(in_thread, "IN_THREAD_SECONDS_AT_MOST", most)
                for table in tables:
                    table._programs.clear()
                found.append(np.asarray(lift.jit(lambda x, program=program: program(x))(x)).tobytes())
            assert found[0] == found[1]


def test_threads_share_small_programs(kernels):
    f = lift.jit(lambda x, y: la.sum(x * y) + x[0])
    g = lift.jit(lambda x: x * 2 + 1)
    wrong = []

    def work(seed):
        rng = np.random.default_rng(seed)
        for n in rng.choice([5, 1000, 1000, 30_000, 700_000], 40):
            x, y = (la.asarray(rng.integers(0, 3, n).astype(np.float32)) for _ in range(2))
            z = g(g(x))
            found = float(f(z, y))
            a = np.asarray(x) * 4 + 3
            if found != float((a * np.asarray(y)).sum(dtype=np.float64) + a[0]):
                wrong.append((seed, n, found))

    in_threads(work, range(4))
    assert not wrong
