"""Terms that cancel: what rounding does there is no mistake of a candidate, and a mistake is found all the same."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lazyarr as la
from benchmarks import programs
from benchmarks.formulas import CUTOFF_SQUARED, LJ1, LJ2
from benchmarks.lazy import FrontEnd
from ir.core.expr import postorder
from ir.fusion.partition.kernels import partition
from ir.fusion.symbols.symbolise import SymbolicKernel, symbolise
from lazyarr import lift
from lazyarr.check.reference import Reference
from lazyarr.compile import compiler as compiler_module
from lazyarr.compile.compiler import Compiler
from lazyarr.compile.executable import Executable
from lazyarr.compile.trials import CandidateRunner, Problem
from lazyarr.errors import CandidateWarning
from lazyarr.graph.leaves import Input, buffer_of
from lazyarr.runtime import Buffer, BuildError, default_device
from tests.lazyarr.execution.kernels import asum, kernel_of
from tests.tiers import by_tier
from tuner import Budget, Outcome, WrongAnswerWarning

pytestmark = pytest.mark.optimised  # what is added up may be contracted

CLUSTERS, NEIGHBOURS = 150, 24


def particles() -> tuple[np.ndarray, ...]:
    """Positions [9 C] and lists of neighbours [9 C, K]: the first particle of nine has the other eight for neighbours,
    three times each, which lie in opposite pairs about where the force between two of them vanishes. The others' lists
    are random; some end with the particle itself, at distance zero, or with one that is next to it.
    """
    rng = np.random.default_rng(5)
    ways = rng.standard_normal((CLUSTERS, 4, 3))
    ways /= np.linalg.norm(ways, axis=2, keepdims=True)
    rest = (LJ1 / LJ2) ** (1 / 6) * (1 + 1e-6 * rng.standard_normal((CLUSTERS, 9, 1)))
    at = rng.uniform(0, 12, (CLUSTERS, 1, 3)) + rest * np.concatenate([0 * ways[:, :1], ways, -ways], axis=1)
    at[3::5, 2] = at[3::5, 1] + [1e-5, 0, 0]
    x, y, z = np.ascontiguousarray(at.reshape(-1, 3).T, np.float32)
    lists = rng.integers(0, x.size, (x.size, NEIGHBOURS), np.int32)
    lists[::9] = 9 * np.arange(CLUSTERS)[:, None] + 1 + np.arange(NEIGHBOURS) % 8
    lists[5::18, -1] = np.arange(5, x.size, 18)
    lists[2::45, -1] = np.arange(1, x.size, 45)
    return x, y, z, lists


def forces(x, y, z, lists, contracted: bool, order) -> list[np.ndarray]:
    """The forces as a device computes them in float32: products that are added contracted or not, sums in an order."""
    f, wide = np.float32, np.float64

    def fma(a, b, c):
        return f(a.astype(wide) * b + c) if contracted else a * b + c

    with np.errstate(all="ignore"):
        dx, dy, dz = (a[:, None] - a[lists] for a in (x, y, z))
        squared = fma(dz, dz, fma(dy, dy, dx * dx))
        inverse = f(1) / squared
        sixth = inverse * inverse * inverse
        strength = inverse * sixth * fma(np.full_like(sixth, LJ1), sixth, f(-LJ2))
        strength = np.where(squared < f(CUTOFF_SQUARED), strength, f(0))
        total = [np.zeros_like(x) for _ in range(3)]
        for j in order:
            total = [fma(strength[:, j], d[:, j], t) for t, d in zip(total, (dx, dy, dz), strict=True)]
    return total


def md(x, y, z, lists) -> tuple[SymbolicKernel, dict[str, np.ndarray], list[Buffer]]:
    arrays = [la.asarray(a) for a in (x, y, z, lists)]
    found = programs.MD.lift(FrontEnd(la, lift))(*arrays)
    (task,) = partition([each.node for each in found]).tasks
    general = symbolise(task.expr, {node: node.shape for node in postorder(task.expr) if isinstance(node, Input)})
    buffers = [buffer_of(p, default_device()) for p in general.inputs]
    problem = Problem(default_device(), general, buffers)
    return general, problem._values(buffers, general.sizes), buffers


@pytest.fixture(scope="module")
def cancelling():
    data = particles()
    general, inputs, buffers = md(*data)
    return data, general, Reference.of(general.expr, inputs, general.sizes), buffers


FORWARD = range(NEIGHBOURS)


@pytest.mark.parametrize("contracted", [False, True])
@pytest.mark.parametrize("order", [FORWARD, FORWARD[::-1], [*FORWARD[1::2], *FORWARD[::2]]])
def test_forces_that_cancel_agree_in_any_order_contracted_or_not(cancelling, contracted, order):
    data, _, reference, _ = cancelling
    found = forces(*data, contracted, order)
    assert np.isnan(found[0]).any()
    assert np.isfinite(found[0]).sum() > 1000
    assert reference.mismatch(found) is None


def test_they_stray_further_than_the_magnitude_of_the_terms_says(cancelling):
    data, _, reference, _ = cancelling
    found = forces(*data, True, FORWARD)
    first = slice(0, None, 9)  # of each cluster, whose terms nearly vanish
    for value, result, tolerance in zip(reference.values, found, reference.tolerances, strict=True):
        with np.errstate(invalid="ignore"):
            assert np.sum(np.abs(value - result)[first] > tolerance[first]) > CLUSTERS / 2


@pytest.mark.parametrize("left_out", [0, 7, NEIGHBOURS - 1])
def test_a_neighbour_left_out_is_found(cancelling, left_out):
    data, _, reference, _ = cancelling
    right, wrong = (forces(*data, True, order) for order in (FORWARD, [j for j in FORWARD if j != left_out]))
    found = reference.mismatch(wrong)
    assert found is not None
    assert found.excess > 100
    with np.errstate(invalid="ignore"):
        matters = np.flatnonzero(np.abs(right[0] - wrong[0]) > 1e-3 * np.abs(right[0]))
    matters = matters[matters % 9 != 0]  # a cluster's first has terms that are mostly rounding errors
    seen = 0
    for at in matters:  # one particle at a time
        one = [r.copy() for r in right]
        one[0][at] = wrong[0][at]
        seen += reference.mismatch(one) is not None
    assert seen > 0.9 * matters.size > 80


def test_one_wrong_index_and_one_unwritten_element_are_found(cancelling):
    data, _, reference, _ = cancelling
    right = forces(*data, False, FORWARD)
    poison = np.frombuffer(b"\xa5" * 4, np.float32)[0]
    for at, value in ((4, right[1][13]), (4, poison), (4, np.nan), (right[1].size - 1, 0.0)):
        wrong = [r.copy() for r in right]
        wrong[1][at] = value
        assert f"component 1, element {at}" in str(reference.mismatch(wrong))


def test_a_difference_of_products_that_are_contracted():
    rng = np.random.default_rng(2)
    a, b, c = rng.uniform(1, 2, (3, 3001)).astype(np.float32)
    d = (a.astype(float) * b / c).astype(np.float32)
    x = [la.asarray(each) for each in (a, b, c, d)]
    _, general, _ = kernel_of(x[0] * x[1] - x[2] * x[3])
    reference = Reference.of(
        general.expr, dict(zip(("x0", "x1", "x2", "x3"), (a, b, c, d), strict=True)), general.sizes
    )
    exact = a.astype(float) * b - c.astype(float) * d
    for result in (a * b - c * d, (a.astype(float) * b - c * d).astype(np.float32), exact.astype(np.float32)):
        assert reference.mismatch([result.astype(np.float32)]) is None
    off = np.abs((a * b - c * d) - exact)
    assert np.any(off > 1000 * np.finfo(np.float32).eps * np.abs(exact))
    wrong = (a * b - c * d).astype(np.float32)
    wrong[77] += np.float32(2e-6)
    assert "element 77" in str(reference.mismatch([wrong]))


# --- searches ---------------------------------------------------------------------------------------------------------


@pytest.fixture
def searching(kernels, set_to, monkeypatch):
    """Searches of so many trials on first call."""
    set_to(tune="first-call", tune_seconds=100.0, tune_above=1)

    def found(count: int) -> None:
        monkeypatch.setattr(compiler_module, "Budget", lambda seconds, trials=count: Budget(seconds, trials))

    return found


@pytest.mark.parametrize("options", [(), ("-cl-unsafe-math-optimizations",)], ids=["as written", "contracted"])
def test_every_candidate_for_forces_that_cancel_is_right(searching, cancelling, monkeypatch, options):
    """Also where the device's compiler contracts products and sums, as NVIDIA's does. A warning is an error here."""
    device, build = default_device(), type(default_device()).build
    monkeypatch.setattr(
        type(device), "build", lambda self, source, **named: build(self, source, options=options, **named)
    )
    count = by_tier(5, 5, 10)
    searching(count)
    _, general, _, buffers = cancelling
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        compiled = Compiler(device).compile(general, buffers)
    assert len(compiled.result.trials) == count
    assert {trial.outcome for trial in compiled.result.trials} <= {Outcome.ok, Outcome.refused}


def test_what_is_refused_all_the_same_is_one_line_and_the_log_has_more(searching, monkeypatch, caplog):
    x = np.random.default_rng(0).uniform(1, 2, 30011).astype(np.float32)
    device, general, inputs = kernel_of(la.asarray(x) * 3)
    full_mismatch, asked = Problem.full_mismatch, []

    def every_third_is_off(self, results):
        asked.append(1)
        if len(asked) % 3 == 0:
            results[0].fill(b"\x40")  # 3.0039215
        return full_mismatch(self, results)

    monkeypatch.setattr(Problem, "full_mismatch", every_third_is_off)
    searching(9)
    caplog.set_level("DEBUG", "lazyarr.compile")
    with pytest.warns(WrongAnswerWarning) as caught:
        compiled = Compiler(device).compile(general, inputs)
    (line,) = [str(each.message) for each in caught]
    wrong = len(asked) // 3
    assert line.startswith(f"{wrong} of ")
    assert "candidates for the kernel map (λx. x * 3) x0 are not used" in line
    assert "times the bound on rounding" in line
    assert "\n" not in line
    assert not any(word in line for word in ("bug", "wrong", "compiler", "report"))
    assert len(caplog.records) == wrong
    assert "component 0, element 0: expected" in caplog.text
    assert compiled.result.best.ok


@pytest.mark.parametrize("refused", [1, 2])
def test_candidates_that_cannot_be_built_are_one_line(kernels, set_to, monkeypatch, caplog, refused):
    set_to(tune="off")
    build, tried = compiler_module.build, []

    def failing(*arguments, **named):
        tried.append(1)
        if len(tried) <= refused:
            raise BuildError("made to fail", "a source\nof lines", "a log\nof lines")
        return build(*arguments, **named)

    monkeypatch.setattr(compiler_module, "build", failing)
    caplog.set_level("DEBUG", "lazyarr.compile")
    with pytest.warns(CandidateWarning) as caught:
        Compiler(default_device()).compile(*kernel_of(asum())[1:])
    (line,) = [str(each.message) for each in caught]
    assert line.startswith(f"{refused} of {refused + 1} candidates for the kernel (reduce (+) 0")
    assert "made to fail" in line
    assert "\n" not in line
    assert caplog.text.count("of lines") == 2 * refused


def test_where_nothing_can_be_concluded_the_small_instance_decides(monkeypatch):
    """One element of a sum is left out, next to terms a billion times as large that cancel."""
    x = np.random.default_rng(0).uniform(1, 2, 30011).astype(np.float32)
    x[:10000], x[10000:20000] = 1e9, -1e9
    device, general, inputs = kernel_of(la.sum(la.asarray(x)))
    if not device.zero_copy:
        pytest.skip("the fault is put in through memory that host and device share")
    reference = Reference.of(general.expr, {"x0": x}, general.sizes)
    total = x.sum(dtype=float)
    assert reference.mismatch([np.array([total - x[-1]], np.float32)]) is None
    runner = CandidateRunner(Problem(device, general, inputs))
    enqueue = Executable.enqueue

    def without_the_last(self, inputs, sizes, poison=None):
        outputs, events = enqueue(self, inputs, sizes, poison)
        last = inputs[0].to_numpy("f4", (sizes[0],))[-1]
        outputs[0].to_numpy("f4", (1,))[0] -= last
        return outputs, events

    monkeypatch.setattr(Executable, "enqueue", without_the_last)
    trial = runner.run(runner.candidates.default(runner.machine, general.sizes))
    assert trial.outcome is Outcome.wrong_answer
    assert runner.refusals.refuted == 1
