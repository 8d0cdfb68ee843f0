"""Work across evaluations: whatever is read when, it is at most a small constant times that of eager evaluation.

Programs are run twice: eagerly, where each result is computed when it is recorded, and as they are, read every so many
steps. What is counted are scalar operations in the kernels that ran, at their sizes, bytes and launches.
"""

from __future__ import annotations

import gc
import random
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from ir.cost.count import count
from lazyarr import config
from lazyarr.compile.program import CompiledProgram
from lazyarr.evaluate import engine
from lazyarr.evaluate import kept_results as keeping
from lazyarr.graph.recorded_calls import RecordedCall
from lazyarr.recording import deep
from lazyarr.recording import replay as operations
from lazyarr.tiers.programs import Programs

pytestmark = pytest.mark.device

RNG = np.random.default_rng(11)
MATRIX = RNG.standard_normal((60, 12)) / 8
SYMMETRIC = MATRIX.T @ MATRIX + np.eye(12)
POINTS = np.concatenate([RNG.standard_normal((20, 2)) + centre for centre in ((0, 0), (9, 0), (0, 9))])


@dataclass
class Work:
    """What ran: scalar operations, elements read and written, launches."""

    operations: int = 0
    moved: int = 0
    launches: int = 0


@pytest.fixture
def counted(monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], tuple[Any, Work]]:
    """Runs a program and counts what its kernels do."""
    current = [Work()]
    known: dict[Any, Any] = {}
    run = CompiledProgram.run

    def counting(self: CompiledProgram, inputs: Any, *given: Any) -> Any:
        made = run(self, inputs, *given)
        for step in self.steps:
            general = step.general
            cost = known.get(general.expr) or known.setdefault(general.expr, count(general.expr))
            current[0].operations += sum(n.evaluate(general.sizes) for n in cost.operations.values())
            current[0].moved += cost.read.evaluate(general.sizes) + cost.written.evaluate(general.sizes)
        return made

    monkeypatch.setattr(CompiledProgram, "run", counting)

    def measured(program: Callable[[], Any]) -> tuple[Any, Work]:
        current[0] = Work()
        queue = engine.device_of([]).queue
        before = queue.launches
        result = program()
        current[0].launches = queue.launches - before
        return result, current[0]

    return measured


def descent(xp: Any, steps: int, every: int) -> list[float]:
    """Gradient descent for least squares, with the loss read."""
    a, b, w = xp.asarray(MATRIX), xp.asarray(np.ones(60)), xp.asarray(np.zeros(12))
    read = []
    for step in range(steps):
        rest = a @ w - b
        w = w - 0.01 * (a.T @ rest)
        if step % every == 0:
            read.append(float((rest * rest).sum()))
    return [*read, float(w.sum())]


def power_iteration(xp: Any, steps: int, every: int) -> list[float]:
    """The largest eigenvalue of a matrix, read now and then."""
    a, v = xp.asarray(SYMMETRIC), xp.asarray(np.ones(12))
    read = []
    for step in range(steps):
        w = a @ v
        v = w / xp.sqrt((w * w).sum())
        if step % every == 0:
            read.append(float((v * (a @ v)).sum()))
    return [*read, float(v.sum())]


def conjugate_gradients(xp: Any, steps: int, every: int) -> list[float]:
    """Conjugate gradients until the residual, which is read every so many steps, is small."""
    a, b = xp.asarray(SYMMETRIC), xp.asarray(np.arange(12.0))
    x = xp.asarray(np.zeros(12))
    r = b - a @ x
    p, rr = r, (r * r).sum()
    for step in range(steps):
        ap = a @ p
        alpha = rr / (p * ap).sum()
        x = x + alpha * p
        r = r - alpha * ap
        new = (r * r).sum()
        p = r + new / rr * p
        rr = new
        if step % every == every - 1 and float(rr) < 1e-12:
            break
    return [float(x.sum()), float(x[3])]


def k_means(xp: Any, steps: int, every: int) -> list[float]:
    """Lloyd's algorithm, with the number of points that moved read."""
    points = xp.asarray(POINTS)
    centres = xp.asarray(POINTS[[0, 25, 45]])
    labels = xp.asarray(np.zeros(60, np.int64))
    read = []
    for step in range(steps):
        distances = ((points[:, None, :] - centres[None]) ** 2).sum(axis=2)
        new = distances.argmin(axis=1)
        moved = (new != labels).sum()
        labels = new
        one = (labels[:, None] == xp.asarray(np.arange(3))).astype(np.float64)
        centres = (one.T @ points) / one.sum(axis=0)[:, None]
        if step % every == 0:
            read.append(float(moved))
    return [*read, float(centres.sum())]


def stepper(xp: Any, steps: int, every: int) -> list[float]:
    """The heat equation on a line, with a probe."""
    u = xp.asarray(np.sin(np.linspace(0, 3, 200)))
    read = []
    for step in range(steps):
        inner = u[1:-1] + 0.2 * (u[2:] - 2 * u[1:-1] + u[:-2])
        u = xp.concatenate([u[:1], inner, u[-1:]])
        if step % every == 0:
            read.append(float(u[100]))
    return [*read, float(u.sum())]


PROGRAMS = [descent, power_iteration, conjugate_gradients, k_means, stepper]
STEPS = {descent: 120, power_iteration: 120, conjugate_gradients: 120, k_means: 110, stepper: 120}


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_work_is_that_of_eager_evaluation(program, counted, monkeypatch):
    steps = STEPS[program]
    for every in (1, 10, 100, 1000):
        expected = program(np, steps, every)
        with monkeypatch.context() as patched:
            patched.setattr(deep, "PENDING_DEPTH_AT_MOST", 0)
            result, eager = counted(lambda every=every: program(la, steps, every))
        np.testing.assert_allclose(result, expected, rtol=1e-9)
        result, work = counted(lambda every=every: program(la, steps, every))
        np.testing.assert_allclose(result, expected, rtol=1e-9)
        assert work.operations <= 2 * eager.operations
        assert work.moved <= 2 * eager.moved
        assert work.launches <= 1.5 * eager.launches


def coupled(xp: Any, steps: int) -> list[Any]:
    """A loop that reads nothing, with two arrays that are made of each other, and one that counts."""
    a = b = xp.asarray(np.linspace(0.1, 1, 300_000))
    met = xp.asarray(np.zeros(300_000))
    for _ in range(steps):
        a, b = 0.5 * (a * a - b * b) + 0.1, a * b
        met = met + (a * a + b * b < 0.5)
        a = xp.where(met > 3, a, 0.5)
    return [a, b, met]


def two_loops(xp: Any, steps: int) -> list[Any]:
    """One after the other, of which the second has what the first one has, too."""
    x = xp.asarray(np.linspace(0.1, 1, 300_000))
    for _ in range(steps):
        x = x - 0.25 * x * x
    for _ in range(steps):
        x = x - 0.25 * xp.sqrt(x) * x
    return [x]


def of_seven(xp: Any, steps: int) -> list[Any]:
    """A loop of seven different operations, which does not come to the same one again after 129."""
    x = xp.asarray(np.linspace(0.1, 1, 300_000))
    for _ in range(steps):
        x = xp.sqrt(xp.abs(xp.cos(xp.exp(-xp.sin(x) * 0.5))))
    return [x]


@pytest.fixture
def programs_made(monkeypatch) -> Iterator[list[int]]:
    """One number for each program that is made, of operations of which none is known."""
    made: list[int] = []
    of = Programs.of

    def noted(self: Programs, roots: Any) -> Any:
        made.append(len(roots))
        return of(self, roots)

    monkeypatch.setattr(Programs, "of", noted)
    monkeypatch.setattr(operations, "_operations", operations._Operations())
    old = config.configure(tier="reference")
    yield made
    config.configure(**vars(old))


@pytest.mark.parametrize("program", [coupled, two_loops], ids=lambda f: f.__name__)
def test_a_long_loop_is_cut_where_it_was_cut_before(program, programs_made):
    """So its second call finds all of its programs."""
    first = np.asarray(la.stack(program(la, 120)))
    assert len(programs_made) > 2
    programs_made.clear()
    again = np.asarray(la.stack(program(la, 120)))
    assert not programs_made
    assert np.array_equal(first, again)
    np.testing.assert_allclose(first, program(np, 120), rtol=1e-9)


def test_a_long_loop_is_cut_at_one_of_its_operations(programs_made):
    """So it has a program for what comes again, from its beginning on, and one for its end, not one for each phase."""
    found = np.asarray(of_seven(la, 200)[0])
    assert len(programs_made) == 2
    np.testing.assert_allclose(found, of_seven(np, 200)[0], rtol=1e-9)


def counting(xp: Any, steps: int) -> list[Any]:
    """A loop with a counter, for which each step's truth values wait."""
    z = c = xp.asarray(np.linspace(-2, 0.5, 300_000))
    n = xp.zeros(c.shape, dtype="int32")
    for _ in range(steps):
        live = xp.abs(z) <= 2
        z = xp.where(live, z * z + c, z)
        n = n + live
    return [z, n]


def runge_kutta(xp: Any, steps: int) -> list[Any]:
    """A loop that carries two arrays, with many others on the way."""
    q = xp.asarray(np.linspace(-2, 2, 300_000))
    p = q * 0.5
    for _ in range(steps):
        k, m = p * 0.01, q * -0.01
        for _ in range(3):
            k, m = (p + m * 0.5) * 0.01, (q + k * 0.5) * -0.01
        q, p = q + k, p + m
    return [q, p]


@pytest.mark.parametrize("program", [counting, runge_kutta], ids=lambda f: f.__name__)
def test_a_loop_is_cut_where_few_arrays_go_on(program, programs_made):
    """As many as it carries on: not truth values of each step, nor what a step has on its way."""
    made = program(la, 50)
    la.compute(*made)
    assert len(programs_made) <= 5
    assert all(results <= 3 for results in programs_made)
    programs_made.clear()
    again = program(la, 50)
    la.compute(*again)
    assert not programs_made
    for x, y, expected in zip(made, again, program(np, 50), strict=True):
        np.testing.assert_array_equal(np.asarray(x), expected)
        np.testing.assert_array_equal(np.asarray(y), expected)


def test_so_does_one_whose_operations_differ():
    x = la.asarray(np.ones(10))
    expected = np.ones(10)
    for step in range(600):
        x = x * (1.0 + step * 1e-6)
        expected = expected * (1.0 + step * 1e-6)
        assert type(x.expr) is not RecordedCall or x.expr.depth <= 2 * deep.PENDING_DEPTH_AT_MOST
    np.testing.assert_allclose(np.asarray(x), expected, rtol=1e-12)


def test_views_of_what_a_loop_changes_wait_for_nothing():
    """A view whose array was written to since is asked for what it shows when it is used, not where a loop is cut."""
    before = config.configure(tier="compiled", tune="off")
    try:
        x, y = la.zeros(200_000), np.zeros(200_000)
        for u in (x, y):
            for i in range(300):
                part = u[:60_000]
                part += 1
                u[10] = i
        np.testing.assert_array_equal(np.asarray(x), y)
    finally:
        config.configure(**vars(before))


def test_many_results_of_calls_that_are_made_each_time_are_computed_once(counted):
    matrix, v = np.eye(4) * 0.999, la.asarray(np.ones(4))
    kept = [v]
    for _ in range(60):
        kept.append(la.matmul(matrix, kept[-1]))  # NumPy's arrays are no operands of recorded calls
    _, work = counted(lambda: np.asarray(kept[-1]))
    assert work.launches <= 70
    np.testing.assert_allclose(np.asarray(kept[30]), 0.999**30)


def test_a_loop_that_reads_nothing_stays_bounded():
    """In results that wait, and in memory: neither grows with the number of steps."""
    gc.collect()
    device = engine.device_of([])

    def waiting() -> int:
        return sum(type(x) is RecordedCall for x in gc.get_objects())

    before = waiting()
    x = y = la.asarray(np.ones(1000))
    most = 0
    for step in range(3000):
        y = y * 0.5 + x
        if step % 500 == 499:
            most = max(most, waiting() - before)
    assert most <= 2 * (2 * deep.PENDING_DEPTH_AT_MOST + 2)
    assert device.queue.launches > 0
    np.testing.assert_allclose(np.asarray(y), 2.0)


@pytest.mark.parametrize("held", [False, True])
def test_what_is_held_is_stored_when_it_is_passed(held, counted):
    """A reduction that an array still stands for is computed once; one that nothing refers to fuses away."""
    x = la.asarray(np.arange(5000.0))

    def program() -> tuple[float, ...]:
        rows = (x * x).reshape(50, 100).sum(axis=1)
        found = (rows + 1).sum() if held else ((x * x).reshape(50, 100).sum(axis=1) + 1).sum()
        again = (rows + 2).sum()
        del rows
        return float(found), float(again)

    program()
    _, work = counted(program)
    once = 2 * 5000
    assert once <= work.operations <= (1.3 if held else 2.3) * once


def test_a_result_that_another_one_waits_for_is_stored_though_no_array_stands_for_it(counted):
    x = la.asarray(np.arange(5000.0))

    def program() -> float:
        later = []
        for k in range(5):
            rows = (x * k).reshape(50, 100).sum(axis=1)
            later.append((rows + 1).sum())
            assert np.isfinite(float((rows * 2).sum()))
            del rows
        return sum(map(float, later))

    program()
    _, work = counted(program)
    assert work.operations <= 1.2 * 5 * 2 * 5000


def test_what_is_kept_is_what_the_program_was_remembered_for(monkeypatch):
    """The key of a program that was found again decides which results on the way are kept, as asking again would."""
    expected, met = [], 0

    def noted(*arguments):
        found = real_signature(*arguments)
        expected.append([found.held[i] for i in keeping.kept(found)])
        return found

    def checked(device, wanted):
        nonlocal met
        at = len(expected)
        found = real_values(device, list(wanted))
        if len(expected) == at + 1:  # else some were computed by themselves first
            assert [id(x) for x in found[0][len(wanted) :]] == [id(x) for x in expected[at]]
            met += len(expected[at])
        return found

    real_signature, real_values = engine.signature, engine._values
    monkeypatch.setattr(engine, "signature", noted)
    monkeypatch.setattr(engine, "_values", checked)
    rng = random.Random(3)
    a = la.asarray(np.arange(12.0).reshape(4, 3))
    for _ in range(30):
        living = [a]
        for _ in range(12):
            x = rng.choice(living)
            made = {
                "add": lambda x: x + 1,
                "scan": lambda x: la.cumsum(x, axis=0),
                "scale": lambda x: x * a,
                "sort": la.sort,
            }
            living.append(made[rng.choice(list(made))](x))
            if rng.random() < 0.3:
                float(la.sum(rng.choice(living)))
            if rng.random() < 0.3:
                living.pop(rng.randrange(len(living) - 1) + 1)
    assert met > 20


def test_loops_that_run_in_turns_are_not_looked_at_by_each_other(monkeypatch):
    """Cutting one of many looks at about as much as waits for it, not at all others: recording stays linear."""
    seen, waiting = [0], deep._waiting

    def counted(*args, **kwargs):
        found = waiting(*args, **kwargs)
        seen[0] += len(found)
        return found

    monkeypatch.setattr(deep, "_waiting", counted)
    loops, steps = 60, 200
    xs = [la.asarray(np.full(1 << 16, i, dtype=np.float32)) + 0.5 for i in range(loops)]
    for _ in range(steps):
        xs = [x * 0.5 + 0.25 for x in xs]
    assert 0 < seen[0] <= 20 * 2 * loops * steps
