"""Programs: what is made once is right for everything that is taken for the same; and who shares what."""

from __future__ import annotations

import random
from dataclasses import replace
from operator import attrgetter

import numpy as np
import pytest

import lazyarr as la
from ir.core.expr import postorder
from ir.core.patterns import Call
from ir.errors import RewriteError
from ir.fusion.program import plan_program
from ir.fusion.symbols.structure_key import classes, structure_key
from ir.schedules.candidates import Candidates
from lazyarr import lift
from lazyarr.compile import compiler as compiler_module
from lazyarr.compile import program as program_module
from lazyarr.compile.compiler import Compiler
from lazyarr.compile.program import CompiledPrograms
from lazyarr.config import settings
from lazyarr.errors import CandidateWarning, FusionError
from lazyarr.runtime import default_device
from lazyarr.tiers import programs as tiers
from tests.lazyarr.support import check
from tests.threads import in_threads

SHAPE = attrgetter("shape")


def matrix(n, m, dtype="float32"):
    return la.asarray(np.zeros((n, m), dtype))


def vector(n):
    return la.asarray(np.zeros(n, np.float32))


def softmax(n, m):
    x = matrix(n, m)
    e = la.exp(x - la.max(x, axis=1, keepdims=True))
    return (e / la.sum(e, axis=1, keepdims=True),)


def standardised(n, m):
    x = matrix(n, m)
    return ((x - la.mean(x, axis=0)) / la.std(x, axis=0), la.mean(x))


def product(n, m):
    return (matrix(n, m) @ matrix(m, n + 5) + vector(n + 5),)


def stencil(n, m):
    x = matrix(n, m)
    return (x[1:-1, 1:-1] * 4 - x[:-2, 1:-1] - x[2:, 1:-1] - x[1:-1, :-2] - x[1:-1, 2:],)


def turned(n, m):
    x = matrix(n, m)
    return (x.T + matrix(m, n), la.sum(x.T, axis=0), x[::-1, ::2])


def cube(n, m):
    x = la.asarray(np.zeros((n, m, 7), np.float32))
    return (la.sum(x, axis=1), la.sum(x, axis=(0, 2)), la.permute_dims(x, (2, 0, 1)) * 2)


def reshaped(n, m):
    return (la.sum(vector(n * m).reshape(n, m) * vector(m), axis=1), vector(n * m).reshape(m, n).T + 1)


def gathered(n, m):
    return (lift.gather(vector(n), la.asarray(np.zeros(m, np.int32))) * 2,)


def one_length(n, m):
    return (la.sqrt(vector(n)) + vector(n) * 2, la.sum(vector(n)))


def generated(n, m):
    return (vector(n) + la.arange(n, dtype=la.float32), la.arange(n * m).reshape(n, m) * 2)


def accumulated(n, m):
    return (la.cumulative_sum(vector(n)), la.cumulative_sum(matrix(n, m), axis=1) + 1)


def mapped(n, m):
    cubes = la.asarray(np.zeros((3, n, m), np.float32))
    return (lift.map(lambda x: x - la.max(x, axis=0), cubes), lift.map(lambda r: r - la.sum(r), matrix(n, m)))


PROGRAMS = [
    mapped,
    generated,
    accumulated,
    softmax,
    standardised,
    product,
    stencil,
    turned,
    cube,
    reshaped,
    gathered,
    one_length,
]


def taken(program, extents, granule):
    roots = [array.node for array in program(*extents)]
    found = structure_key(roots, SHAPE)
    return found, *classes(roots, found, SHAPE, granule), plan_program(roots, found, SHAPE, granule)


@pytest.mark.parametrize("granule", [1, 16])
@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_cut_serves_all_sizes_of_its_classes(program, granule):
    """The resized cut is, expression by expression, the very cut of the other sizes."""
    rng = random.Random(program.__name__ + str(granule))
    step = 16 if granule > 1 else 1
    served = 0
    for _ in range(25):
        n, m = (rng.choice([rng.randint(1, 12), rng.randint(8, 130)]) * rng.choice([1, step]) for _ in range(2))
        others = tuple(max(1, e + step * rng.randint(-3, 3)) for e in (n, m))
        one, kinds, sizes, made = taken(program, (n, m), granule)
        two, other_kinds, other_sizes, expected = taken(program, others, granule)
        if (one.structure, kinds) != (two.structure, other_kinds) or made.fixed:
            continue
        served += sizes != other_sizes
        resized = made.resized(sizes, other_sizes)
        # the examples of how it was rewritten are at the sizes of the first one
        assert replace(resized, rewritings=()) == replace(expected, rewritings=())
        assert [step.general.sizes for step in resized.steps] == [step.general.sizes for step in expected.steps]
    assert served >= 2


@pytest.fixture
def programs(kernels, set_to, monkeypatch):
    """Programs and a compiler of their own."""
    set_to(tune="off")
    monkeypatch.setattr(compiler_module, "_compilers", {})
    monkeypatch.setattr(program_module, "_programs", {})
    monkeypatch.setattr(tiers, "_programs", {})
    return program_module.compiled_programs_for(default_device())


def of(programs: CompiledPrograms, *arrays: la.Array):
    roots = [array.node for array in arrays]
    return programs.of(roots), structure_key(roots, SHAPE).leaves


def test_the_same_over_other_data_is_the_same_program(programs):
    a, leaves = of(programs, vector(30) * 2 + vector(30))
    b, others = of(programs, vector(30) * 2 + vector(30))
    assert a is b
    assert len(leaves) == len(others) == 2
    assert not set(leaves) & set(others)
    assert of(programs, vector(31) * 2 + vector(31))[0] is not a
    assert of(programs, vector(31) * 2 + vector(31))[0].steps[0].general.expr is a.steps[0].general.expr


def test_recorded_and_jitted_share_a_program(programs):
    def f(x):
        return la.sum(la.abs(x))

    recording, _ = lift.jit(f).recording(vector(100))
    assert recording.program.compiled is of(programs, f(vector(100)))[0]


def test_leaves_come_in_the_order_of_the_program(programs):
    values = [np.arange(9, dtype=np.float32) * k for k in (1, 10, 100)]
    for _ in range(3):
        a, b, c = map(la.asarray, values)
        check((a - b) / (c + 1), (values[0] - values[1]) / (values[2] + 1))
        check((b - a) / (c + 1), (values[1] - values[0]) / (values[2] + 1))
        check((a - a) / (c + 1), (values[0] - values[0]) / (values[2] + 1))


def test_results_that_are_asked_for_together(programs):
    x = np.arange(12, dtype=np.float32)
    for _ in range(2):
        a = la.asarray(x)
        doubled, total = a * 2, la.sum(a * 2)
        again, flat = doubled.reshape(3, 4), a * 2
        la.compute(doubled, total, again, flat)
        check(doubled, x * 2)
        check(total, (x * 2).sum())
        check(again, (x * 2).reshape(3, 4))
        check(flat, x * 2)


def test_values_that_are_known_are_read(programs):
    x = np.arange(12, dtype=np.float32)
    for _ in range(2):
        a = la.asarray(x)
        b = a * 2
        c = b + 1  # recorded before b has its value
        node, expression = b.node, c.node
        la.compute(b)
        apart = structure_key([expression], SHAPE, {node: b.node}.get)
        assert apart.leaves == [b.node]
        assert apart.known == {node: b.node}
        check(c, x * 2 + 1)


def test_only_vertices_that_are_marked_are_asked_for_their_values(programs):
    x = la.asarray(np.arange(12, dtype=np.float32))
    middle = x * 2
    node = middle.node
    for _ in range(20):
        middle = middle + 1
    asked = []
    apart = structure_key([middle.node], SHAPE, lambda e: asked.append(e) or x.node, {id(node)})
    assert asked == [node]
    assert apart.leaves == [x.node]


def test_other_settings_bind_other_launches(programs, set_to):
    x = vector(30)
    program = of(programs, x * 2)[0]
    inputs = [default_device().wrap(np.ones(30, np.float32))]
    before = program.batch(inputs)
    assert program.batch(inputs) is before
    set_to(tune_seconds=123.0)
    assert of(programs, x * 2)[0] is program
    other = program.batch(inputs)
    assert other is not before
    assert program.batch(inputs) is other


def test_a_first_run_launches_the_last_kernel_once(programs, set_to):
    """Those before it run twice: searches for the kernels that read from them measure with their results."""
    set_to(tune="off")
    device, values = default_device(), np.arange(60, dtype=np.float32)
    for recorded, extra in ((vector(60) * 3 + 17, 0), (softmax(12, 5)[0] * 19, None)):
        program = of(programs, recorded)[0]
        inputs = [device.wrap(values)]
        before = device.queue.launches
        program.run(inputs)
        first = device.queue.launches - before
        program.run(inputs)
        second = device.queue.launches - before - first
        if extra is None:  # launches of all steps but the last
            extra = second - len(program.prepare(inputs)[-1].executable.plan.kernels)
        assert first == second + extra
    device.queue.finish()


@pytest.mark.parametrize("jitted", [True, False])
def test_deterministic_results_are_those_of_deterministic_kernels(programs, set_to, monkeypatch, jitted):
    """Also where the program was bound before the settings changed."""
    found = []
    original = Compiler._find

    def find(self, general, inputs, *rest):
        found.append(settings().deterministic)
        return original(self, general, inputs, *rest)

    def work(x):
        return la.sum(x * 3 + 19)

    f = lift.jit(work) if jitted else work
    x = np.arange(501, dtype=np.float32)
    monkeypatch.setattr(Compiler, "_find", find)
    for deterministic in (False, True, True):
        set_to(deterministic=deterministic)
        assert float(f(la.asarray(x))) == (x * 3 + 19).sum()
    assert found == [False, True]


def test_a_kernel_that_was_tuned_is_used_by_programs_made_before(programs):
    x = la.asarray(np.arange(5000, dtype=np.float32))
    la.compute(x * 3)
    program, _ = of(programs, x * 3)
    inputs = [x.node.storage]
    before = program.batch(inputs)
    assert program.batch(inputs) is before
    general = program.steps[0].general
    programs._compiler.tune(general, inputs, None, 2)
    assert program.batch(inputs) is not before
    check(x * 3, np.arange(5000, dtype=np.float32) * 3)


def test_threads_evaluate_the_same_program(programs):
    failures = []

    def work(number):
        for step in range(30):
            values = np.full(257, number + step, np.float32)
            result = la.sum(la.abs(la.asarray(values)) * 2)
            if float(result) != values.sum() * 2:
                failures.append((number, step))

    in_threads(work, range(4))
    assert not failures


def test_a_program_that_cannot_be_compiled_fails_each_time(programs, monkeypatch):
    def refuse(*_):
        raise RuntimeError("no compiler today")

    monkeypatch.setattr(Compiler, "_find", refuse)
    for _ in range(2):
        with pytest.raises(RuntimeError, match="no compiler today"):
            la.compute(vector(77) * 5)
    monkeypatch.undo()


def test_a_kernel_that_cannot_be_made_is_cut_into_smaller_ones_and_says_so(programs, monkeypatch):
    """Two operations in one kernel are too many here for every schedule."""

    def of(e):
        if sum(isinstance(node, Call) for node in postorder(e)) > 1:
            raise RewriteError("no schedule lowers this")
        return candidates(e)

    candidates = Candidates.of
    monkeypatch.setattr(Candidates, "of", of)
    x = np.arange(35, dtype=np.float32).reshape(5, 7) / 8

    def program(m, x):
        y = -m.abs(x - 2)
        return y.T + y[0, 0], m.sum(y * x, axis=1)

    found = program(la, la.asarray(x))
    with pytest.warns(CandidateWarning, match="no schedule lowers this"):
        la.compute(*found)
    for actual, expected in zip(found, program(np, x), strict=True):
        check(actual, expected, terms=7)
    f = lift.jit(lambda x: program(la, x))
    y = x[::-1] * 1
    for actual, expected in zip(f(la.asarray(y)), program(np, y), strict=True):  # what was cut stays so
        check(actual, expected, terms=7)
    explained = lift.explain(f, la.asarray(x))
    assert "no schedule lowers this" in str(explained)
    assert "no schedule lowers this" in explained._repr_html_()


def test_an_operation_without_a_kernel_is_an_error(programs, monkeypatch):
    def of(e):
        raise RewriteError("no schedule lowers this")

    monkeypatch.setattr(Candidates, "of", of)
    with pytest.raises(FusionError, match="no schedule lowers this"):
        la.compute(la.abs(la.asarray(np.zeros(7, np.float32))))
