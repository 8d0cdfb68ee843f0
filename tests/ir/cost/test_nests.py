"""What a kernel does to memory, read off its tree: loops, places and instructions."""

from __future__ import annotations

from itertools import pairwise

import pytest

from ir.core.expr import Param, fun
from ir.core.patterns import Call, Map
from ir.core.sizes import Size, size, var
from ir.core.types import FLOAT32, INT32, array_of
from ir.cost.counting import Numbers
from ir.cost.derived import estimate
from ir.cost.footprints import Box, bytes_touched, merged, stretched
from ir.cost.functions import NOT_MEASURED
from ir.cost.nests import Nest, Place, Stage, Step, stages_to_predict
from ir.cost.on_gpu import _Reader, _whole_group
from ir.cost.processors import GPU as GPU_PROCESSOR
from ir.opencl import generate as generator
from ir.opencl.generate import generate, trees
from ir.opencl.stages import stages_of
from ir.opencl.write.kernel import KernelWriter
from ir.schedules.candidates import Candidates
from tests.ir.generation import generated
from tests.ir.schedules.zoo import CPU, GPU, ZOO, Case
from tests.tiers import by_tier

CASES = {case.name: case for case in ZOO}
LINE = 64


def stages(name: str, **configuration: int | str) -> tuple[Stage, ...]:
    """The kernels of a candidate; parameters that are left out have their least value."""
    candidates = Candidates.of(CASES[name].expr)
    return stages_to_predict(candidates.derive(candidates.normalised(configuration)).result)


def steps(nest: Nest) -> list[Step]:
    return [part for inner in nest.inside() for part in inner.body if isinstance(part, Step)]


def test_a_kernel_is_generated_once_for_its_text_and_for_what_is_predicted(monkeypatch):
    candidates = Candidates.of(CASES["asum"].expr)
    low = candidates.derive(candidates.default(CPU, {"n": 1000})).result
    made = []
    monkeypatch.setattr(generator, "KernelWriter", lambda *given: made.append(given) or KernelWriter(*given))
    for first, second in ((generate, trees), (trees, generate)):
        made.clear()
        generator._kernel.cache_clear()
        first(low)
        count = len(made)
        assert count == len(stages_of(low)[0])
        second(low)
        assert len(made) == count


def test_a_map_in_vectors_reads_and_writes_each_place_once():
    (stage,) = stages("axpy", schedule="chunks", groups=8, width=8)
    body = next(nest for nest in stage.nest.inside() if nest.turns is not None and nest.turns.kind == "")
    inside = [part for part in body.body if isinstance(part, Step)]
    reads = [place for step in inside for place in step.reads]
    writes = [place for step in inside for place in step.writes]
    assert sorted(place.name for place in reads) == ["xs", "ys"]
    assert [place.name for place in writes] == ["result"]
    assert {place.width for place in (*reads, *writes)} == {8}
    assert sum(step.simple for step in inside) == 2, "a product and a sum, and none of the index"
    assert {step.lanes for step in inside if step.simple} == {8}
    assert not body.chain


@pytest.mark.parametrize(("op", "functions", "divisions"), [("sqrt", 0, 1), ("exp", 1, 0)])
def test_a_square_root_is_a_division_and_no_function_of_a_library(op, functions, divisions):
    e = Map(fun(FLOAT32, lambda x: Call(op, x)), Param("x", array_of(FLOAT32, var("n"))))
    candidates = Candidates.of(e)
    low = candidates.derive(candidates.normalised({"schedule": "chunks", "width": 8})).result
    found = [step for stage in stages_to_predict(low) for step in steps(stage.nest) if step.writes]
    assert found
    assert all((len(step.functions), step.divisions) == (functions, divisions) for step in found)


def test_an_accumulator_is_waited_for_and_a_sum_with_corrections_not_longer_than_its_own_operations():
    (stage,) = stages("asum", schedule="sequential")
    assert max(nest.chain for nest in stage.nest.inside()) in (1, 2, 3)


def test_indices_that_data_say_are_told_apart_from_those_of_loops():
    (stage,) = stages("gathered", schedule="nest")
    ((name, loops),) = stage.looked_up.items()
    assert loops == {nest.turns.index.name for nest in stage.nest.inside() if nest.turns is not None}
    places = [place for step in steps(stage.nest) for place in step.reads if place.name == "xs"]
    assert all(any(v.name == name for v in place.index.variables) for place in places)


def test_a_quotient_by_a_constant_takes_less_than_one_by_a_size():
    """By a power of two least of all; that of a remainder is the same."""
    x, n, m = var("x", 0, 99), var("n", 1), var("m", 1)

    def instructions(*indices: Size) -> float:
        reader = _Reader(GPU_PROCESSOR, Numbers({"n": 3, "m": 5}, {}, {}), (32,), (1, 1), NOT_MEASURED, GPU)
        return reader.quotients([Place("xs", "global", index, 1, FLOAT32) for index in indices])

    by_size, by_three, by_four = (instructions(x // d) for d in (n, 3, 4))
    assert by_size > by_three > by_four > 0
    assert instructions(x // n, x % n) == by_size
    assert instructions(x // n, x // m) == 2 * by_size


@pytest.mark.parametrize(
    ("items", "group"),
    [((1000,), (256,)), ((60,), (60,)), ((2, 1000), (2, 128)), ((300, 7), (256, 1)), ((3, 3, 50), (3, 3, 28))],
)
def test_a_group_that_a_runtime_makes_has_work_items_in_all_dimensions(items, group):
    """As `lazyarr.runtime.groups.whole_groups` makes them: rows of two elements are not groups of two."""
    assert _whole_group(items) == group


def test_a_row_that_is_looked_up_is_the_same_in_all_its_elements():
    n, m, k = (var(name, 1) for name in "nmk")
    rows = Case(
        "rows",
        "map (λr. map (λx. x + 1) r) (gather xss is)",
        {"xss": array_of(FLOAT32, n, m), "is": array_of(INT32, k)},
    )
    (stage,) = stages_to_predict(Candidates.of(rows.expr).derive({"schedule": "nest", "depth": 1}).result)
    outer = next(nest for nest in stage.nest.inside() if nest.turns is not None)
    inner = [nest for nest in outer.inside() if nest is not outer and nest.turns is not None]
    assert set(stage.looked_up.values()) == {frozenset((outer.turns.index.name,))}
    assert inner
    assert not any(place.name == "is" for nest in inner for step in steps(nest) for place in step.reads)


@pytest.mark.parametrize("case", ZOO, ids=str)
def test_every_kernel_can_be_read_and_reading_changes_no_source(case):
    candidates = Candidates.of(case.expr)
    sizes = {"n": 600, "m": 40, "k": 3}
    for machine in (CPU, GPU):
        low = candidates.derive(candidates.default(machine, sizes)).result
        before = generated(low)
        found = stages_to_predict(low)
        assert len(found) == len(before.kernels)
        assert all(any(step.writes for step in steps(stage.nest)) for stage in found), "a kernel writes something"
        assert generate(low).source == before.source


def test_strides_and_turns_are_those_of_the_first_turns():
    i, n = var("i", 0, 99), var("n", 1)
    numbers = Numbers({"n": 7}, {})
    numbers.loop("i")
    assert numbers.stride(i * n + 3, "i") == 7
    assert numbers.turns(n * 2) == 14
    assert numbers.steps(i * n, "i", 100) == ((7, 100),)


def test_an_index_that_bends_has_two_strides():
    i = var("i", 0, 999)
    numbers = Numbers({}, {})
    numbers.loop("i")
    assert numbers.steps((i % 10) * 100 + i // 10, "i", 1000) == ((100, 10), (1, 100))


def test_a_place_that_the_next_one_names_several_times_is_evaluated_once(monkeypatch):
    places = [var(f"at{k}", 0, 99) for k in range(16)]
    definitions = {after: before % 10 * 10 + before // 10 for before, after in pairwise(places)}
    numbers, evaluate, found = Numbers({}, definitions), Size.evaluate, []
    numbers.loop("at0")
    monkeypatch.setattr(Size, "evaluate", lambda size, values: found.append(size) or evaluate(size, values))
    assert numbers.stride(places[-1], "at0") == 10  # an odd number of exchanges of two digits
    assert len(found) == 2 * len(places)


def box(base: int, run: int) -> Box:
    return Box("x", size(0), 4, base, run)


def test_lines_are_counted_whole_and_neighbours_once():
    assert bytes_touched(merged([box(0, 4), box(4, 4), box(8, 4)], LINE), LINE) == {"x": 64}
    assert bytes_touched(merged([box(0, 4), box(4096, 4)], LINE), LINE) == {"x": 128}


def test_a_loop_stretches_a_run_or_repeats_it():
    near = stretched(box(0, 4), 100, lambda index: ((1, 100),))
    far = stretched(box(0, 4), 100, lambda index: ((1000, 100),))
    still = stretched(box(0, 4), 100, lambda index: ((0, 100),))
    assert near.touched(LINE) == 448
    assert far.touched(LINE) == 6400
    assert still.touched(LINE) == 64
    assert (near.apart, still.apart, far.apart) == (0, 0, 2), "on 97 pages"


def test_lines_are_the_further_apart_the_more_pages_they_are_on_whatever_loops_there_are_around():
    def rows(count: int, stride: int, box: Box) -> Box:
        return stretched(box, count, lambda index: ((stride // 4, count),))

    assert rows(1000, 128, box(0, 4)).apart == 0, "the next is asked for ahead of time"
    assert [rows(n, 16384, box(0, 4)).apart for n in (64, 65, 2049)] == [1, 2, 3]
    assert rows(64, 64 * 16384, rows(64, 16384, box(0, 4))).apart == 3, "the same rows, in two loops"
    assert rows(4096, 4, rows(4096, 16384, box(0, 4))).apart == 3, "columns one after the other"
    assert rows(4096, 16384, rows(4096, 4, box(0, 4))).apart == 0, "rows one after the other"
    written_out = merged([box(16384 * k, 4) for k in range(64)], LINE)
    assert written_out == [rows(64, 16384, box(0, 4))]
    assert rows(64, 64 * 16384, written_out[0]).apart == 3


def test_the_rows_of_a_stencil_are_one_area():
    rows = [stretched(box(4000 * k, 4), 1000, lambda index: ((1, 1000),)) for k in range(3)]
    area = merged([stretched(row, 500, lambda index: ((1000, 500),)) for row in rows], LINE)
    assert len(area) == 1
    assert area[0].touched(LINE) == pytest.approx(4 * 1000 * 502, rel=0.01)


def test_strides_of_large_powers_of_two_fall_on_few_sets():
    column = stretched(box(0, 4), 1000, lambda index: ((4096, 1000),))
    odd = stretched(box(0, 4), 1000, lambda index: ((4096 + 16, 1000),))
    assert not column.fits(1 << 20, LINE)
    assert odd.fits(1 << 20, LINE)


@pytest.mark.parametrize("case", ZOO, ids=str)
def test_every_default_has_an_estimate_at_all_sizes_and_more_elements_take_no_less(case):
    candidates = Candidates.of(case.expr)
    for machine in (CPU, GPU):
        found = candidates.defaults(machine, {"n": 600, "m": 40, "k": 3})
        # of the host's library, which is no kernel of ours, the model knows nothing
        every = [each for each in found if not candidates.schedule(str(each["schedule"])).by_library]
        assert every
        for configuration in by_tier(every[:1], every[:2], every):
            low = candidates.derive(configuration).result
            times = [estimate(low, machine, dict.fromkeys("nmk", count)).seconds for count in (1, 2, 3, 37, 200)]
            assert all(0 < seconds < 100 for seconds in times)
            assert times[-1] >= 0.9 * times[0]


@pytest.mark.parametrize(("name", "schedule"), [("added_row", "map_rows_grid"), ("side_by_side", "part_grid")])
def test_a_cpu_takes_no_longer_for_rows_of_a_prime_length(name, schedule):
    """A few more work-items are launched, so that groups are whole."""
    candidates = Candidates.of(CASES[name].expr)
    low = candidates.derive(candidates.normalised({"schedule": schedule, "width": 1})).result
    prime, beside = (estimate(low, CPU, {"n": n, "m": n}).seconds for n in (1021, 1024))
    assert prime <= beside
