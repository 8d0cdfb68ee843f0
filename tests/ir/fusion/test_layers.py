"""Long programs of element-wise functions are cut where few values go on: kernels, and bytes that they move."""

from __future__ import annotations

import random
from collections.abc import Mapping

import pytest

from ir.core.expr import Expr, Param, fun, postorder
from ir.core.patterns import Call, Cast, Concat, Get, Literal, Map, Repeat, Slice, Tuple, Zip
from ir.core.sizes import size
from ir.core.types import FLOAT64, INT32, TupleType, array_of
from ir.cost.thresholds.partition import FUSED_OPERATIONS_AT_MOST, RESULTS_OF_A_KERNEL_AT_MOST
from ir.fusion.partition.graph import Graph
from ir.fusion.partition.kernel_expressions import Partition
from ir.fusion.partition.kernels import partition
from ir.fusion.partition.layers import layers
from ir.fusion.partition.traffic import elements, size_bytes
from tests.ir.fusion.graphs import XS, YS, binary, calls, chain, check, columns, down, rows, total, unary
from tests.tiers import by_tier

PAIR = TupleType((FLOAT64, FLOAT64))
N = elements(XS.type)
MANY = 1 << 20
LONG = {XS: Param("xs", array_of(FLOAT64, MANY)), YS: Param("ys", array_of(FLOAT64, MANY))}
SHORT = {XS: XS, YS: YS}


def nbytes(parts: Partition) -> int:
    """What the kernels read and write, in bytes."""
    found = 0
    for task in parts.tasks:
        reads = [x for x in postorder(task.expr) if isinstance(x, Param) and not x.binder]
        found += sum(elements(x.type) * size_bytes(x.type) for x in [*reads, *task.results])
    return found


def scaled(xs: Expr, number: float) -> Expr:
    return Map(fun(FLOAT64, lambda x: Call("multiply", x, Literal(number, FLOAT64))), xs)


def below(xs: Expr, number: float) -> Expr:
    return Map(fun(FLOAT64, lambda x: Call("less", x, Literal(number, FLOAT64))), xs)


def counted(n: Expr, live: Expr) -> Expr:
    pair = TupleType((INT32, live.type.element))
    return Map(fun(pair, lambda p: Call("add", Get(0, p), Cast(Get(1, p), INT32))), Zip(n, live))


def zeros(xs: Expr) -> Expr:
    return Repeat(size(elements(xs.type)), Literal(0, INT32))


def escape(steps: int, of: Mapping[Expr, Expr] = SHORT) -> tuple[Expr, Expr]:
    """An iteration, and how often its values were small."""
    x, y, n = of[XS], of[YS], zeros(of[XS])
    for _ in range(steps):
        n = counted(n, below(unary("abs", x), 100.0))
        x = binary("add", scaled(binary("multiply", x, x), 0.001), y)
    return x, n


def coupled(steps: int, of: Mapping[Expr, Expr] = SHORT) -> list[Expr]:
    """Three values, each made of all three before."""
    x, y = of[XS], of[YS]
    z = binary("minimum", x, y)
    for _ in range(steps):
        dx, dy, dz = binary("subtract", y, x), binary("minimum", x, z), binary("maximum", y, z)
        x, y, z = (binary("add", a, scaled(b, 0.25)) for a, b in ((x, dx), (y, dy), (z, dz)))
    return [x, y, z]


@pytest.mark.parametrize("steps", [40, 41, 100])
def test_an_accumulator_is_carried_beside_the_loop(steps):
    """Each layer reads and writes the value and the count, and reads one input: no mask is stored."""
    check(*escape(steps))
    parts = partition(escape(steps, LONG))
    assert len(parts.tasks) <= steps * 10 / FUSED_OPERATIONS_AT_MOST + 2
    assert all(len(task.results) <= 2 for task in parts.tasks)
    assert nbytes(parts) <= len(parts.tasks) * MANY * (8 + 8 + 4 + 8 + 4)
    assert not any(result.type.element.name == "bool" for task in parts.tasks for result in task.results)


def test_so_is_one_that_alone_is_asked_for():
    check(escape(40)[1])
    both, alone = partition(escape(40, LONG)), partition(escape(40, LONG)[1:])
    assert len(alone.tasks) <= len(both.tasks)
    assert nbytes(alone) <= nbytes(both)


def test_several_values_that_depend_on_each_other_are_one_kernel_for_some_steps():
    check(*coupled(40))
    parts = partition(coupled(40, LONG))
    vertices = len(Graph(coupled(40), {}).order)
    assert len(parts.tasks) <= vertices / FUSED_OPERATIONS_AT_MOST * 1.3 + 1
    assert nbytes(parts) <= len(parts.tasks) * 6 * 8 * MANY


def test_results_of_each_step_are_written_by_a_kernel_of_as_many_as_it_may_have():
    x, found = XS, []
    for _ in range(80):
        x = binary("add", scaled(x, 0.5), YS)
        found.append(x)
    parts = check(*found)
    assert len(parts.tasks) == 80 / RESULTS_OF_A_KERNEL_AT_MOST


def test_pairs_go_on_as_two_arrays():
    """Complex numbers: each part lies in memory of its own."""

    def step(z: Expr) -> Expr:
        def of(p: Expr) -> Expr:
            return Tuple(Call("subtract", Get(0, p), Get(1, p)), Call("maximum", Get(0, p), Get(1, p)))

        return Map(fun(PAIR, of), z)

    def program(x: Expr, y: Expr) -> Expr:
        z, n = Zip(x, y), zeros(x)
        for _ in range(60):
            z = step(z)
            n = counted(n, Map(fun(PAIR, lambda p: Call("less", Get(0, p), Get(1, p))), z))
        return n

    check(program(XS, YS))
    parts = partition([program(LONG[XS], LONG[YS])])
    assert len(parts.tasks) <= 60 * 5 / FUSED_OPERATIONS_AT_MOST + 2
    assert nbytes(parts) <= len(parts.tasks) * MANY * 2 * (16 + 4)


def test_a_chain_is_cut_as_before():
    """One value goes on wherever it is cut."""
    parts = check(chain(300))
    assert len(parts.tasks) == 4
    assert nbytes(parts) == 4 * 2 * 8 * N


def test_a_short_program_has_no_layers():
    assert layers(Graph([chain(FUSED_OPERATIONS_AT_MOST - 2)], {}), FUSED_OPERATIONS_AT_MOST) is None
    assert layers(Graph(list(escape(60)), {}), FUSED_OPERATIONS_AT_MOST) is not None


def test_a_reduction_does_the_last_functions_itself():
    x, n = escape(60)
    before = check(x, n)
    parts = check(total(unary("abs", x)), n)
    assert len(parts.tasks) <= len(before.tasks) + 1


def test_a_layer_reads_no_result_of_its_own_by_way_of_a_reduction():
    """What needs a sum of the rows is of the next stage."""
    x, y = XS, YS
    for i in range(60):
        x = binary("add", scaled(x, 0.5), y)
        y = binary("maximum", y, unary("negative", x))
        if i % 20 == 19:
            y = binary("subtract", y, down(rows(x, 4), 4))
    parts = check(x, y)
    stage = layers(Graph([x, y], {}), FUSED_OPERATIONS_AT_MOST)
    assert len(parts.tasks) <= 12
    assert stage is None or max(stage.stage.values()) >= 3


def random_program(seed: int) -> list[Expr]:
    draw = random.Random(seed)
    late: list[Expr] = [XS, YS]

    def pick() -> Expr:
        return late[-draw.randint(1, min(draw.choice((3, 3, 12)), len(late)))]

    odd = draw.choice((0.0, 0.02, 0.1))
    for _ in range(draw.randint(60, 250)):
        kind = draw.random()
        if kind < odd:
            made = draw.choice((rows, columns))(pick(), 4)
            late.append(binary("minimum", pick(), down(made, 4) if elements(made.type) * 4 == N else pick()))
        elif kind < 1.5 * odd:
            late.append(binary("add", pick(), shifted(pick())))
        elif kind < 0.4:
            late.append(unary(draw.choice(("abs", "negative", "floor", "sign")), pick()))
        else:
            late.append(binary(draw.choice(("minimum", "maximum", "subtract")), pick(), pick()))
    others = [total(pick())] if draw.random() < 0.3 else []
    return [late[-1], *[pick() for _ in range(draw.choice((0, 1, 3, 12)))], *others]


def shifted(xs: Expr) -> Expr:
    """Its neighbours, the last one beside the first."""
    return Concat(Slice(1, 1, N - 1, xs), Slice(0, 1, 1, xs))


@pytest.mark.parametrize("seed", range(by_tier(8, 40, 200)))
@pytest.mark.parametrize("by_items", [False, True])
def test_random_programs_keep_their_values(seed, by_items):
    roots = list(dict.fromkeys(random_program(seed)))
    check(*[root for root in roots if not isinstance(root, Param)], by_items=by_items)


def test_random_programs_are_cut_into_layers():
    found = [layers(Graph(random_program(seed), {}), FUSED_OPERATIONS_AT_MOST) for seed in range(40)]
    assert sum(each is not None for each in found) >= 10


@pytest.mark.slow
def test_cutting_is_linear():
    few, many = (calls(partition, list(escape(steps)))[0] for steps in (100, 1000))
    assert many <= 11 * few


def test_the_same_program_is_cut_in_the_same_way():
    first, again = (partition(coupled(40)) for _ in range(2))
    assert [task.expr for task in first.tasks] == [task.expr for task in again.tasks]


@pytest.mark.parametrize("least", [1 << 10, 1 << 12, 1 << 15])
def test_all_lengths_of_one_magnitude_are_cut_alike(least):
    """A plan is found again for them: it must not depend on which comes first."""

    def cut(length: int) -> list[tuple[int, int]]:
        of = {x: Param(x.name, array_of(FLOAT64, length)) for x in (XS, YS)}
        x, y, n = of[XS], of[YS], zeros(of[XS])
        found = []
        for i in range(40):
            x, y = binary("subtract", y, scaled(x, 0.5)), binary("maximum", x, unary("abs", y))
            n = counted(n, below(x, 1.0))
            found += [x] if i % 15 == 3 else []
        tasks = partition([x, y, n, *found]).tasks
        return [(len(task.results), sum(1 for _ in postorder(task.expr))) for task in tasks]

    assert cut(least + 8) == cut(least * 3 // 2) == cut(2 * least - 8)
