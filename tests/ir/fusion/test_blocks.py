"""Which results of different lengths share a kernel, block by block; each condition on both sides."""

from __future__ import annotations

import random
from dataclasses import replace

import numpy as np
import pytest

from ir.core.expr import Expr, Lambda, Param, fun
from ir.core.patterns import Call, Get, Join, Literal, Map, Reduce, Repeat, Split, Transpose, Tuple, Zip
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import size
from ir.core.types import FLOAT32, FLOAT64, TupleType, array_of
from ir.fusion.checks import Checks
from ir.fusion.partition import blocks as module
from ir.fusion.partition import row_columns
from ir.fusion.partition.blocks import are_rows_and_columns, is_worth_blocks
from ir.fusion.partition.bundles import Rows
from ir.fusion.partition.kernels import partition
from ir.fusion.program import plan_program
from ir.fusion.symbols.structure_key import structure_key
from ir.fusion.symbols.symbolise import SymbolicKernel, symbolise
from ir.rules.common import length
from ir.schedules.candidates import Candidates
from tests.ir.fusion.graphs import binary, run, total, unary
from tests.ir.schedules.zoo import CPU, GPU

N, M = 6, 4
A, B = (Param(name, array_of(FLOAT64, N * M)) for name in "AB")
P, R = Param("p", array_of(FLOAT64, M)), Param("r", array_of(FLOAT64, N))
P0 = Param("p0", array_of(FLOAT64, 1))
REPEATED = Join(Repeat(N, P))
INPUTS = {
    "A": np.arange(24) * 0.5 - 3,
    "B": np.arange(24)[::-1] * 1.0,
    "p": np.arange(4) + 1.0,
    "r": np.arange(6) - 2.5,
    "p0": np.array([0.5]),
}


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(module, "is_worth_blocks", lambda *_: True)
    monkeypatch.setattr(module, "ONE_GROUP_BELOW", 1)
    monkeypatch.setattr(module, "BLOCKED_SIDE", (1, 1 << 17))


def product(rows: Expr, x: Expr) -> Expr:
    """A product of a matrix, given by its rows, and a vector."""
    pair = TupleType((FLOAT64, FLOAT64))

    def dot(row: Expr) -> Expr:
        factors = Map(fun(pair, lambda p: Call("multiply", Get(0, p), Get(1, p))), Zip(row, x))
        return Reduce(fun((FLOAT64, FLOAT64), lambda a, b: Call("add", a, b)), Literal(0, FLOAT64), factors)

    return Join(Map(fun(rows.type.element, dot), rows))


def rows(a: Expr, m: int = M) -> Expr:
    return Split(m, a)


def columns(a: Expr, m: int = M) -> Expr:
    return Transpose(Split(m, a))


def tuples(*roots: Expr, loops: bool = True, schedule: str = "blocks") -> list[Tuple]:
    """The kernels of results of different lengths; all values are as without."""
    parts = partition(roots, checks=Checks(), loops=loops)
    for actual, root in zip(run(parts, INPUTS), roots, strict=True):
        np.testing.assert_allclose(actual, interpret(root, INPUTS), rtol=1e-12)
    found = [task.expr for task in parts.tasks if isinstance(task.expr, Tuple)]
    for e in found:
        assert Candidates.of(symbolise(e, {}).expr).schedule(schedule)
    return found


def test_both_directions_of_a_matrix_are_one_kernel():
    roots = product(rows(A), P), product(columns(A), R)
    (kernel,) = tuples(*roots)
    assert len(kernel.operands) == 2
    assert not tuples(*roots, loops=False)
    assert len(tuples(*reversed(roots))) == 1


def test_of_a_square_matrix_as_well():
    square, x, y = Param("s", array_of(FLOAT64, 16)), Param("x", array_of(FLOAT64, 4)), Param("y", array_of(FLOAT64, 4))
    parts = partition((product(rows(square), x), product(columns(square), y)), loops=True)
    assert [type(task.expr) for task in parts.tasks] == [Tuple]


@pytest.mark.parametrize(
    "roots",
    [
        (product(rows(A), P), product(columns(B), R)),  # of two matrices
        (product(rows(A), P), product(rows(A), unary("abs", P))),  # rows alone: they are one reduction of pairs
        (product(rows(A), P), product(columns(unary("abs", A)), R)),  # of what is made of it
        (product(rows(A), P), product(columns(A, 6), P)),  # of another shape
        (product(rows(A), P), product(columns(A), product(rows(A), P))),  # one waits for the other
    ],
    ids=["matrices", "rows", "computed", "shape", "waits"],
)
def test_other_reductions_are_not(roots):
    assert not tuples(*roots)


def test_rows_and_columns_are_of_one_matrix():
    one = Rows(A.type.length, A.type.length, ((Split, (4,), None),), A)
    assert are_rows_and_columns(one, Rows(one.each, one.count, ((Transpose, (), None), (Split, (4,), None)), A))
    assert not are_rows_and_columns(one, one)
    assert not are_rows_and_columns(one, Rows(one.each, one.count, ((Transpose, (), None), (Split, (4,), None)), B))


@pytest.mark.parametrize(
    ("n", "m", "t", "on_a_cpu", "on_a_gpu"),
    [
        (256, 256, FLOAT32, False, False),
        (256, 512, FLOAT32, False, False),
        (256, 512, FLOAT64, True, False),
        (512, 512, FLOAT32, True, False),
        (1023, 600, FLOAT32, True, False),  # of the magnitude of 512 x 512
        (3000, 3000, FLOAT32, True, False),  # the last cache of a GPU holds it
        (4096, 4096, FLOAT32, True, True),
        (3000, 3000, FLOAT64, True, True),
        (256, 65536, FLOAT32, True, False),  # each block would leave as much as it reads
    ],
)
def test_small_matrices_and_those_of_few_long_rows_are_read_again(n, m, t, on_a_cpu, on_a_gpu, monkeypatch):
    monkeypatch.undo()
    a = Param("a", array_of(t, n * m))
    columns_of_it = Rows(size(m), size(n), ((Transpose, (), None), (Split, (m,), None)), a)
    assert [is_worth_blocks(columns_of_it, by_items) for by_items in (False, True)] == [on_a_cpu, on_a_gpu]


@pytest.mark.usefixtures("_near")
def test_what_is_not_worth_it_is_in_no_block(monkeypatch):
    monkeypatch.setattr(module, "is_worth_blocks", lambda *_: False)
    monkeypatch.setattr(row_columns, "is_worth_blocks", lambda *_: False)
    assert not tuples(product(rows(A), P), product(columns(A), R))
    assert not crossed(product(columns(A), Q))


def test_narrow_and_long_matrices_are_no_blocks(monkeypatch):
    monkeypatch.setattr(module, "BLOCKED_SIDE", (8, 64))
    for sides, are in (((8, 32), True), ((7, 32), False), ((32, 4), False), ((64, 8), False), ((9, 100), False)):
        one, each = map(size, sides)
        across = Rows(each, one, ((Transpose, (), None), (Split, (4,), None)), A)
        assert are_rows_and_columns(Rows(one, each, ((Split, (4,), None),), A), across) == are


def crossed(*roots: Expr) -> int:
    """How many kernels of columns need numbers of the same rows, which they reduce; all values are as without."""
    parts = partition(roots, checks=Checks(), loops=True, columns=True)
    for actual, root in zip(run(parts, INPUTS), roots, strict=True):
        np.testing.assert_allclose(actual, interpret(root, INPUTS), rtol=1e-12)
    before = partition(roots, loops=True)
    assert ("columns" in parts.used) == (len(parts.tasks) < len(before.tasks))
    return len(before.tasks) - len(parts.tasks)


@pytest.fixture
def _near(monkeypatch):
    monkeypatch.setattr(row_columns, "is_worth_blocks", lambda *_: True)


Q = product(rows(A), P)


@pytest.mark.usefixtures("_near")
def test_columns_that_need_numbers_of_rows_are_one_kernel_with_these():
    assert crossed(product(columns(A), Q)) == 1
    (step,) = plan_program((e := product(columns(A), Q),), structure_key((e,), flat), flat, 1, alone=True).steps
    assert Candidates.of(step.general.expr).default(CPU, step.general.sizes)["schedule"] == "row_blocks"
    (step,) = plan_program((e,), structure_key((e,), flat), flat, 1).steps
    assert step.general.fixed  # a work-item has so many accumulators
    assert step.general.sizes  # of any number of rows
    assert Candidates.of(step.general.expr).schedule("row_blocks_items")


@pytest.mark.usefixtures("_near")
def test_matrices_of_as_many_columns_share_a_kernel():
    def kernel(n: int, m: int) -> SymbolicKernel:
        a, p = Param("A", array_of(FLOAT64, n * m)), Param("p", array_of(FLOAT64, m))
        e = product(Transpose(Split(m, a)), product(Split(m, a), p))
        (step,) = plan_program((e,), structure_key((e,), flat), flat, 16).steps
        return step.general

    one, other, wider = kernel(640, 320), kernel(656, 320), kernel(640, 336)
    assert one.expr is other.expr is not wider.expr
    assert (one.sizes, other.sizes) == ({"n0": 40}, {"n0": 41})
    assert one.fixed  # another plan for other columns
    assert kernel(320, 320).sizes == {}


@pytest.mark.usefixtures("_near")
def test_columns_of_which_a_work_item_would_have_too_many_are_a_kernel_of_their_own(monkeypatch):
    monkeypatch.setattr(row_columns, "COLUMNS_BY_ITEMS_AT_MOST", M - 1)
    e = product(columns(A), Q)
    for alone, count in ((True, 1), (False, 2)):
        assert len(plan_program((e,), structure_key((e,), flat), flat, 1, alone=alone).steps) == count


@pytest.mark.slow
@pytest.mark.usefixtures("_near")
def test_columns_of_which_a_device_cannot_keep_accumulators_are_a_kernel_of_their_own():
    m = 16_000
    a, p = Param("A", array_of(FLOAT64, 64 * m)), Param("p", array_of(FLOAT64, m))
    e = product(columns(a, m), product(rows(a, m), p))
    for size_of_group, count in ((1024, 1), (128, 2)):
        machine = replace(GPU, max_work_group_size=size_of_group)
        steps = plan_program((e,), structure_key((e,), flat), flat, 1, machine=machine).steps
        assert len(steps) == count
        for general in (step.general for step in steps):
            candidates = Candidates.of(general.expr)
            assert candidates.refused(candidates.default(machine, general.sizes), machine, general.sizes) is None


@pytest.mark.usefixtures("_near")
@pytest.mark.parametrize(
    "roots",
    [
        (product(columns(A), Q), Q),  # others need the numbers, too
        (product(columns(A), Q), unary("abs", Q)),
        (product(columns(B), Q),),  # of two matrices
        (product(columns(A), R), Q),  # of which neither needs the other
        (product(rows(A), product(columns(A), R)),),  # rows that need numbers of columns
        (product(columns(A), unary("abs", Q)),),  # of what is made of the numbers
    ],
    ids=["wanted", "read", "matrices", "apart", "rows", "made"],
)
def test_other_columns_are_not(roots):
    made = plan_program(roots, structure_key(roots, flat), flat, 1, alone=True)
    names = {s.name for step in made.steps for s in Candidates.of(step.general.expr).schedules}
    assert "row_blocks" not in names


DOUBLED = binary("add", A, A)


def loops(*roots: Expr) -> list[Tuple]:
    """The kernels whose one loop writes an array and accumulates."""
    found = tuples(*roots, schedule="one_loop")
    assert len(tuples(*roots, schedule="one_loop_group")) == len(found)
    assert not tuples(*roots, loops=False)
    return found


@pytest.mark.parametrize(
    "roots",
    [
        (DOUBLED, total(DOUBLED)),
        (total(unary("abs", DOUBLED)), DOUBLED),
        (DOUBLED, total(binary("multiply", DOUBLED, DOUBLED))),
        (DOUBLED, total(binary("multiply", DOUBLED, B))),  # reads another array
        (unary("sin", A), total(unary("sin", A))),  # is computed once
        (unary("abs", A), total(binary("multiply", A, A))),  # share what they are made of
        (DOUBLED, total(DOUBLED), total(unary("abs", DOUBLED))),
        (binary("add", DOUBLED, B), total(unary("abs", DOUBLED))),  # a part of which is computed for both
        (binary("add", A, Join(Repeat(N * M, P0))), total(binary("add", A, Join(Repeat(N * M, P0))))),
    ],
    ids=["sum", "reversed", "squares", "another", "expensive", "operand", "sums", "between", "number"],
)
def test_an_array_and_what_is_reduced_of_it_are_one_loop(roots):
    assert len(loops(*roots)) == 1


def _waits() -> tuple[Expr, ...]:
    """What is between the array and its sum is read by another kernel."""
    between = unary("sin", DOUBLED)
    return DOUBLED, total(binary("add", between, DOUBLED)), total(product(columns(between), R))


def _waits_for_another() -> tuple[Expr, ...]:
    """What the sum reads beside the array is computed from it by another kernel."""
    sorted_out = product(rows(DOUBLED), P)
    return DOUBLED, total(binary("add", DOUBLED, Join(Map(repeated(), sorted_out)))), sorted_out


def repeated() -> Lambda:
    return fun((FLOAT64,), lambda x: Repeat(M, x))


@pytest.mark.parametrize(
    "roots",
    [
        (unary("abs", A), total(B)),  # share nothing
        (binary("add", A, REPEATED), total(binary("add", A, REPEATED))),  # are made of a view
        (total(A), total(unary("abs", A))),  # reductions alone
        (unary("abs", P), total(binary("multiply", A, A))),  # of other lengths
        _waits(),
        _waits_for_another(),
    ],
    ids=["nothing", "view", "reductions", "lengths", "between", "another"],
)
def test_other_arrays_and_sums_are_not(roots):
    assert not loops(*roots)


def test_what_waits_for_the_sum_does_not_share_its_loop():
    mean = Join(Repeat(N * M, total(DOUBLED)))
    assert not loops(binary("subtract", DOUBLED, mean), total(DOUBLED))


@pytest.mark.parametrize("alone", [False, True])
def test_programs_have_loops_and_blocks(alone):
    """On a GPU work-items take the turns of the loop."""
    roots = DOUBLED, total(DOUBLED), product(rows(B), P), product(columns(B), R)
    made = plan_program(roots, structure_key(roots, flat), flat, 1, alone=alone)
    kernels = [step.general for step in made.steps if isinstance(step.general.expr, Tuple)]
    machine = CPU if alone else GPU
    chosen = {Candidates.of(each.expr).default(machine, each.sizes)["schedule"] for each in kernels}
    assert chosen == ({"one_loop", "blocks"} if alone else {"one_loop_group", "blocks_items"})


def flat(p: Param) -> tuple[int, ...]:
    return (p.type.length.value,)


@pytest.mark.parametrize("seed", range(60))
def test_random_graphs_keep_their_values(seed):
    """Arrays, sums of them, rows and columns of some: no two kernels wait for each other, all values stay."""
    rng = random.Random(seed)
    arrays: list[Expr] = [A, B]
    numbers: list[Expr] = []
    for _ in range(8):
        x, y = rng.choice(arrays), rng.choice(arrays)
        arrays.append(rng.choice((binary("add", x, y), unary("abs", x), binary("multiply", x, y))))
        numbers.append(rng.choice((total(x), total(y), product(rows(x), P), product(columns(x), R))))
        repeated = Join(Repeat(N * M, rng.choice(numbers)))
        if length(repeated) is length(x):
            arrays.append(binary("add", x, repeated))
    roots = *rng.sample(arrays[2:], 3), *rng.sample(numbers, 4)
    parts = partition(roots, checks=Checks(), loops=True)
    for actual, root in zip(run(parts, INPUTS), roots, strict=True):
        np.testing.assert_allclose(actual, interpret(root, INPUTS), rtol=1e-12)
