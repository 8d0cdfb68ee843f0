# ruff: noqa: E501  # an expression reads best on one line
"""Reductions of several rows at once: the rules' work on rows of any kind, and the schedule's choices."""

from __future__ import annotations

from dataclasses import replace
from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir.core.expr import Expr, postorder
from ir.core.notation.printer import show
from ir.core.patterns import Reduce
from ir.core.semantics.interpreter import interpret
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, TupleType, array_of
from ir.cost.derived import estimate
from ir.cost.thresholds.reductions import (
    COLUMN_PART_AT_LEAST,
    COLUMN_WORK_ITEMS_PER_UNIT,
    PANEL_AT_LEAST,
    PANEL_AT_MOST,
    PANEL_PART_AT_LEAST,
    ROW_ALONE_FROM,
    ROWS_TOGETHER,
    ROWS_TOGETHER_FROM,
    SHARED_ROW_FROM,
    SHORT_ROWS_PER_UNIT,
    TREE_GROUP,
)
from ir.errors import IRError
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import Machine
from tests.ir import values
from tests.ir.schedules.zoo import CPU, GPU, ZOO, Case, K, M, N

_matrix = array_of(FLOAT32, N, M)

WARPS = replace(GPU, compute_units=132, warp_size=32)

ROWS = [
    *(case for case in ZOO if case.name in ("rows", "columns", "gemv", "rows_max", "neighbours")),
    Case("distances", "join (map (λr. reduce (+) 0 (map (λx. abs (x - c)) r)) xss)", {"xss": _matrix, "c": FLOAT32}),
    Case("products", "join (map (λr. reduce (*) 1 (slice (m - 1) (-1) m r)) xss)", {"xss": array_of(FLOAT64, N, M)}),
    Case("any", "join (map (λr. reduce (|) false (map (λ(x, b). (x > 0) & b) (zip(r, bs)))) xss)", {"xss": array_of(INT32, N, M), "bs": array_of(BOOL, M)}),
    Case("in_order", "join (map (λr. reduce (λ(a, b). a - (-b)) 0 r) xss)", {"xss": _matrix}),
    Case("from_one", "join (map (λr. reduce (+) 1 r) xss)", {"xss": _matrix}),
    Case(
        "sum_and_max",
        "join (map (λr. reduce (λ(a, b). (a.0 + b.0, maximum a.1 b.1)) (0:float32, -inf:float32) (map (λx. (x, x)) r)) xss)",
        {"xss": _matrix},
    ),
    Case("pairs", "join (map (λr. reduce (λ(a, b). (a.0 + b.0, a.1 + b.1)) (0:float32, 0:int32) r) pss)", {"pss": array_of(TupleType((FLOAT32, INT32)), N, M)}),
    Case("two_matrices", "join (map (λ(r, s). reduce (+) 0 (map (*) (zip(r, s)))) (zip(xss, yss)))", {"xss": _matrix, "yss": _matrix}),
    Case("of_the_row", "join (map (λ(r, c). reduce (+) 0 (map (λx. x * c) r)) (zip(xss, cs)))", {"xss": _matrix, "cs": array_of(FLOAT32, N)}),
    Case("gathered_rows", "join (map (λr. reduce (+) 0 (gather r is)) xss)", {"xss": _matrix, "is": array_of(INT32, M)}),
]  # fmt: skip


def case_of(name: str) -> Case:
    return next(case for case in ROWS if case.name == name)


def derived(case: Case, schedule: str = "row_streams", **choices: int) -> Expr:
    candidates = Candidates.of(case.expr)
    chosen = {"rows": 4, "turns": 4, "width": 4, "ways": 2, "prefetch": 0, "panel": 64, **choices}
    return candidates.derive(candidates.normalised({"schedule": schedule, **chosen})).result


@pytest.mark.parametrize("case", ROWS, ids=str)
@settings(max_examples=settings.default.max_examples // 4)
@given(data=st.data())
def test_rows_read_together_have_the_value_of_rows_read_alone(case, data):
    """Any number of rows and columns, whole numbers (the same bits) and others, NaN and infinities among them."""
    draw = data.draw
    low = derived(
        case,
        rows=draw(st.sampled_from((1, 2, 4, 8))),
        turns=draw(st.sampled_from((1, 4, 16))),
        width=draw(st.sampled_from((1, 2, 4, 16))),
        ways=draw(st.sampled_from((1, 2, 4))),
        prefetch=draw(st.sampled_from((0, 256))),
    )
    compare(case, low, (1, 2, 3, 5, 7, 13, 64, 67), data)


def compare(case: Case, low: Expr, extents: tuple[int, ...], data: st.DataObject) -> None:
    """Both have the same value: for whole numbers the same bits."""
    draw = data.draw
    sizes = {"n": draw(st.sampled_from(extents)), "m": draw(st.sampled_from((*extents, 131)))}
    whole = case.exact and draw(st.booleans())
    inputs = values.random_inputs(case.expr, sizes, seed=draw(st.integers(0, 99)))
    if whole:  # small ones, whose sums of products have no rounding
        inputs = {p: values.integral(value, limit=32) for p, value in inputs.items()}
    scale = 1 + values.inner_magnitude(case.expr, inputs, sizes)
    if draw(st.booleans()):
        _strew(inputs, draw(st.integers(0, 99)))
    with np.errstate(all="ignore"):
        expected, actual = interpret(case.expr, inputs, sizes), interpret(low, inputs, sizes)
    values.assert_close(actual, expected, 0 if whole else sizes["m"], 0.0 if whole else scale)


PANELED = [case for case in ROWS if case.name not in ("in_order", "from_one")]  # by associative functions


@pytest.mark.parametrize("case", PANELED, ids=str)
@settings(max_examples=settings.default.max_examples // 4)
@given(data=st.data())
def test_rows_reduced_in_panels_have_the_value_of_rows_read_alone(case, data):
    """Large panels, small ones and single rows; elements in blocks, and those that are left."""
    draw = data.draw
    choices = {"panel": draw(st.sampled_from((16, 48, 64, 128))), "ways": draw(st.sampled_from((1, 2, 4, 8)))}
    parts = draw(st.sampled_from((1, 2, 4, 16)))
    low = derived(case, "row_panels", width=draw(st.sampled_from((1, 4, 16))), parts=parts, **choices)
    compare(case, low, (0, 1, 3, 8, 64, 67, 128, 200), data)


@pytest.mark.parametrize("case", PANELED, ids=str)
@settings(max_examples=settings.default.max_examples // 4)
@given(data=st.data())
def test_rows_reduced_beside_each_other_have_the_value_of_rows_read_alone(case, data):
    """Whole groups and rows that are left; parts of rows, and elements that are left."""
    draw = data.draw
    parts = draw(st.sampled_from((1, 2, 4, 16, 64, 128)))
    choices = {"local": draw(st.sampled_from((32, 64))), "ways": draw(st.sampled_from((1, 2, 4, 8)))}
    compare(case, derived(case, "row_grid", parts=parts, **choices), (0, 1, 3, 8, 32, 67, 128, 200), data)


def test_rows_that_functions_use_as_arrays_are_not_reduced_in_parts():
    text = "join (map (λr. reduce (+) 0 (map (λx. x * element 0 r) r)) xss)"
    candidates = Candidates.of(Case("by_the_first", text, {"xss": _matrix}).expr)
    parts = {p.name: p.values for p in candidates.parameters()["row_grid"]}["parts"]
    assert parts == (1,) and "row_panels" not in candidates.parameters()


def _strew(inputs, seed: int) -> None:
    """NaN, infinities and a negative zero somewhere in each array of floats."""
    rng = np.random.default_rng(seed)
    for value in inputs.values():
        for array in values.flat(value):
            if array.dtype.kind == "f" and array.ndim and array.size:
                array.reshape(-1)[rng.integers(0, array.size, 4)] = rng.permutation([np.nan, np.inf, -np.inf, -0.0])


def accumulators(low: Expr) -> set[int]:
    """How many sums the sequential reductions of an expression carry, each with its correction."""
    found = {len(values_of(node.init.type)) for node in postorder(low) if isinstance(node, Reduce)}
    assert all(count % 2 == 0 for count in found)
    return {count // 2 for count in found}


def values_of(t) -> list:
    return [leaf for part in t.elements for leaf in values_of(part)] if isinstance(t, TupleType) else [t]


@pytest.mark.parametrize("rows", [2, 4, 8])
def test_an_accumulator_for_each_row_and_the_vector_read_once(rows):
    low = derived(case_of("gemv"), rows=rows, ways=1)
    assert accumulators(low) == {rows, 1}  # the rows that are left are reduced one by one
    body = generate(low).source.split("for (")[2]  # the loop over the vectors of the rows
    assert body.count("unaligned_float4*)(ys") == 1
    assert body.count("unaligned_float4*)(xss") == rows


def test_one_row_needs_no_tuple():
    assert accumulators(derived(case_of("gemv"), rows=1, ways=1)) == {1}


def test_what_every_row_has_of_its_own_is_read_for_each():
    body = generate(derived(case_of("two_matrices"), rows=2, ways=1, width=1)).source.split("for (")[2]
    assert body.count("xss[") == body.count("yss[") == 2


def test_rows_whose_number_is_known_leave_none_over():
    case = Case("eight", "join (map (λr. reduce (+) 0 r) (split m xs))", {"xs": array_of(FLOAT32, 8 * M)})
    low = derived(case, rows=4, turns=1)
    assert "concat" not in show(low).split("mapWorkgroup")[0]
    assert accumulators(derived(case, rows=4, turns=16)) == {1}  # all are left over


@pytest.mark.parametrize("turns", [4, 16])
def test_the_last_of_rows_one_by_one_are_no_loop_of_their_own(turns):
    """What compilers are given is written once."""
    source = generate(derived(case_of("rows"), rows=1, turns=turns)).source
    assert source.count("get_group_id(0)") == 1
    assert f"min((int){turns}, (int)(n - {turns} * group0))" in source


def default(sizes: dict[str, int], case: str = "gemv", machine: Machine = CPU) -> dict[str, int | str]:
    return Candidates.of(case_of(case).expr).default(machine, sizes)


@pytest.mark.slow
def test_it_is_the_default_on_a_cpu_where_there_are_rows_for_every_unit():
    found = default({"n": 4096, "m": 4096})
    wanted = {"rows": 4, "turns": 16, "width": 8, "ways": 4, "prefetch": 256, "plain": 0}
    assert found == {"schedule": "row_streams", **wanted}
    assert default({"n": 8, "m": 1 << 16})["turns"] == 1
    assert default({"n": 1 << 20, "m": 16})["turns"] == 64
    assert default({"n": 7, "m": 1 << 16})["schedule"] == "row_group"
    assert default({"n": 100, "m": 16})["schedule"] == "row_item"
    assert default({"n": 1 << 16, "m": 1 << 12}, machine=GPU)["schedule"] == "row_tree"


LONG = {"n": 4096, "m": ROW_ALONE_FROM}
SHORT = {"n": 4096, "m": ROW_ALONE_FROM - 1}
FEW = PANEL_AT_LEAST - 1
"""Columns: not enough for a panel."""


@pytest.mark.parametrize("case", ["rows", "rows_max", "distances", "two_matrices", "of_the_row", "sum_and_max"])
def test_long_rows_with_nothing_in_common_are_read_one_by_one(case):
    assert default(LONG, case)["rows"] == 1
    assert default(SHORT, case)["rows"] == ROWS_TOGETHER["rows"]


WIDEST = {16: 4, 32: 4, 63: 4, 64: 8, 127: 8, 128: 8, 255: 8, 256: 16}
"""The elements of a vector on a CPU whose vectors have 16, by the columns of a row that is reduced several times."""


@pytest.mark.parametrize("case", [c for c in ZOO if c.name in ("rows_less_their_maximum", "row_moments")], ids=str)
@pytest.mark.parametrize(("columns", "width"), WIDEST.items())
def test_rows_that_are_reduced_several_times_are_read_one_by_one_in_narrow_vectors(case, columns, width):
    machine = replace(CPU, native_vector_width=16)
    found = Candidates.of(case.expr).default(machine, {"n": 4096, "m": columns})
    assert (found["schedule"], found["rows"], found["width"]) == ("row_streams", 1, width)


@pytest.mark.parametrize("case", ["gemv", "any", "columns", "gathered_rows"])
def test_rows_are_read_together_that_share_a_vector_or_cache_lines(case):
    assert default({**LONG, "m": FEW} if case == "columns" else LONG, case)["rows"] == ROWS_TOGETHER["rows"]


def test_columns_take_as_few_accumulators_as_keep_sums_exact():
    assert default({"n": 4096, "m": 4096}, "rows")["ways"] == 4
    wide, longest = 8, 4096  # of the CPU; float32's, see `longest_sum`
    ways = [default({"n": n, "m": FEW}, "columns")["ways"] for n in (4096, wide * longest, 2 * wide * longest)]
    assert ways == [1, 1, 2]
    found = default({"n": 2 * wide * longest, "m": FEW}, "columns")
    assert Candidates.of(case_of("columns").expr).refused(found, CPU, {"n": 2 * wide * longest, "m": FEW}) is None


def test_columns_are_reduced_in_panels():
    chosen = {m: default({"n": 4096, "m": m}, "columns") for m in (FEW, PANEL_AT_LEAST, 100, 1000, 1 << 20)}
    assert {m: found["schedule"] for m, found in chosen.items()} == {
        FEW: "row_streams", **dict.fromkeys([m for m in chosen if m != FEW], "row_panels")
    }  # fmt: skip
    panels = {m: found["panel"] for m, found in chosen.items() if m != FEW}
    assert panels == {PANEL_AT_LEAST: PANEL_AT_LEAST, 100: 48, 1000: 896, 1 << 20: PANEL_AT_MOST}
    assert default({"n": 4096, "m": 4096}, "rows")["schedule"] == "row_streams"


@pytest.mark.parametrize("m", [16, 32, 100, 1000, 4096])
@pytest.mark.parametrize("n", [4096, 100_000, 1 << 20, 1 << 24])
def test_all_units_have_panels_or_parts_of_them_to_reduce_and_sums_stay_exact(n, m):
    sizes = {"n": n, "m": m}
    found = default(sizes, "columns")
    assert found["schedule"] == "row_panels"
    groups = found["parts"] * (m // found["panel"])
    assert groups >= CPU.compute_units
    assert Candidates.of(case_of("columns").expr).refused(found, CPU, sizes) is None
    assert found["parts"] == 1 or n >= found["parts"] * PANEL_PART_AT_LEAST


def test_rows_of_one_panel_are_not_shared_out_where_they_are_few():
    candidates = Candidates.of(case_of("columns").expr)
    parts = [
        candidates.default_of("row_panels", CPU, {"n": 2 * PANEL_PART_AT_LEAST + i, "m": 32})["parts"] for i in (-1, 0)
    ]
    assert parts == [1, 2]


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(4096, 4096), (100_000, 32), (1 << 20, 100), (16, 1 << 20)])
def test_columns_on_a_gpu_are_reduced_by_neighbouring_work_items(n, m):
    sizes = {"n": n, "m": m}
    found = default(sizes, "columns", GPU)
    assert found["schedule"] == "row_grid"
    assert Candidates.of(case_of("columns").expr).refused(found, GPU, sizes) is None
    many = COLUMN_WORK_ITEMS_PER_UNIT * GPU.compute_units
    assert found["parts"] * m >= many or n < 4 * found["parts"] * COLUMN_PART_AT_LEAST or found["parts"] == 1024
    assert found["local"] < 2 * max(32, m)
    assert default({"n": n, "m": GPU.warp_size - 1}, "columns", GPU)["schedule"] != "row_grid" or GPU.warp_size == 1
    assert default({"n": 4096, "m": 4096}, "rows", GPU)["schedule"] != "row_grid"


@pytest.mark.slow
@pytest.mark.parametrize(
    ("n", "m", "schedule"),
    [
        (60, 60, "row_warp"),
        (1000, 1000, "row_warp"),
        (2000, 500, "row_tree"),
        (5000, 300, "row_tree"),
        (32, 100_000, "row_grid"),
        (64, 50_000, "row_grid"),
    ],
)
def test_columns_that_one_kernel_is_predicted_to_reduce_sooner_have_one_on_a_gpu(n, m, schedule):
    sizes = {"n": n, "m": m}
    halves = Case("halves", "map (λs. s / 2) (join (map (λr. reduce (+) 0 r) (transpose xss)))", {"xss": _matrix})
    for case in (case_of("columns"), halves):
        candidates = Candidates.of(case.expr)
        in_parts = candidates.default_of("row_grid", WARPS, sizes)
        first, *others = candidates.defaults(WARPS, sizes)
        assert (first["schedule"], first.get("parts", 1)) == (schedule, 1)
        assert in_parts["parts"] > 1
        one, two = (estimate(candidates.derive(each).result, WARPS, sizes).seconds for each in (first, in_parts))
        assert one < two
        assert sorted(each["schedule"] for each in (first, *others)) == sorted(s.name for s in candidates.schedules)


@pytest.mark.slow
@pytest.mark.parametrize(("n", "m"), [(1000, 20_000), (2000, 8000), (300, 50_000), (500, 200_000)])
def test_long_rows_beside_a_vector_are_not_left_to_warps_on_a_gpu(n, m):
    """Groups that run together fetch the vector once: it is not what takes the time of many of them."""
    sizes, choices = {"n": n, "m": m}, {"schedule": "row_tree", "local": 256, "width": 1, "ways": 1}
    assert default(sizes, "gemv", WARPS)["schedule"] == "row_tree"
    kernels = [Candidates.of(case_of(name).expr).derive(choices).result for name in ("gemv", "rows")]
    ((beside, _),), ((alone, _),) = (estimate(low, WARPS, sizes).kernels for low in kernels)
    assert alone <= beside < 1.1 * alone


@pytest.mark.parametrize(("n", "m"), [(4096, 4096), (100_000, 32), (400, 30_000), (131, 100_003)])
def test_long_columns_stay_in_parts_on_a_gpu(n, m):
    assert default({"n": n, "m": m}, "columns", WARPS)["parts"] > 1


def test_many_short_rows_on_a_gpu_are_reduced_by_a_work_item_each():
    many = SHORT_ROWS_PER_UNIT * GPU.compute_units
    chosen = {
        (n, m): default({"n": n, "m": m}, "gemv", GPU)["schedule"]
        for n in (many - 1, many)
        for m in (SHARED_ROW_FROM - 1, SHARED_ROW_FROM)
    }
    assert {sizes for sizes, schedule in chosen.items() if schedule == "row_grid"} == {(many, SHARED_ROW_FROM - 1)}


@pytest.mark.parametrize("t", [FLOAT32, FLOAT64, TupleType((FLOAT64, FLOAT64))], ids=str)
def test_the_groups_of_a_tree_fit_the_local_memory(t):
    """A group that is sixteen bytes too large had the whole array folded by a hundred work-items."""
    zero = "(0:float64, 0:float64)" if isinstance(t, TupleType) else f"0:{t}"
    f = "(λ(a, b). (a.0 + b.0, a.1 + b.1))" if isinstance(t, TupleType) else "(+)"
    candidates, sizes = Candidates.of(Case("sum", f"reduce {f} {zero} xs", {"xs": array_of(t, N)}).expr), {"n": 1 << 24}
    for memory in (48 << 10, 32 << 10, 16 << 10):
        machine = replace(WARPS, local_memory_bytes=memory, device_fence=True)
        chosen = candidates.default(machine, sizes)
        assert chosen["schedule"] == "tree"
        assert candidates.refused(chosen, machine, sizes) is None
        larger = chosen | {"local": 2 * int(chosen["local"])}
        assert chosen["local"] == TREE_GROUP or candidates.refused(larger, machine, sizes) is not None


def test_where_the_model_says_nothing_the_order_decides(monkeypatch):
    def silent(*_: object) -> None:
        raise IRError("nothing is known")

    monkeypatch.setattr("ir.schedules.candidates.estimate", silent)
    for name, m in (("rows", 4095), ("gemv", 4094), ("columns", 4093)):
        candidates, sizes = Candidates.of(case_of(name).expr), {"n": 4095, "m": m}
        assert candidates.default(WARPS, sizes) == next(candidates._ordered(WARPS, sizes))


@pytest.mark.slow
def test_a_group_of_a_gpu_has_several_of_many_short_rows():
    sizes = [(n, m) for n in (ROWS_TOGETHER_FROM - 1, ROWS_TOGETHER_FROM, 100_000) for m in (32, 100, 128, 1536, 1537)]
    found = {(n, m): default({"n": n, "m": m}, "gemv", WARPS)["schedule"] == "row_shares" for n, m in sizes}
    assert found == {(n, m): n >= ROWS_TOGETHER_FROM and m <= 1536 for n, m in sizes}


def test_single_rows_take_as_many_more_turns():
    turns = [default({"n": 1000, "m": 1000}, case)["turns"] for case in ("gemv", "rows")]
    assert turns == [4, 16]


def test_short_rows_and_rows_of_cheap_functions_take_narrower_vectors():
    wide = Machine(4096, 1 << 15, 2, 16, True)
    assert default({"n": 4096, "m": 4096}, machine=wide)["width"] == 8
    assert default({"n": 4096, "m": 64}, machine=wide)["width"] == 4
    case = Case("exponentials", "join (map (λr. reduce (+) 0 (map exp r)) xss)", {"xss": _matrix})
    for m in (64, 4096):
        assert Candidates.of(case.expr).default(wide, {"n": 4096, "m": m})["width"] == 16


@pytest.mark.parametrize(
    ("choices", "machine", "reason"),
    [
        ({}, CPU, None),
        ({}, GPU, "work-items in lockstep, of which a group has one"),
        ({"turns": 64}, CPU, "rows that all compute units take"),
        ({"rows": 8, "ways": 4}, CPU, "accumulators of a work-item"),
    ],
)
def test_constraints(choices, machine, reason):
    candidates = Candidates.of(case_of("gemv").expr)
    configuration = {
        "schedule": "row_streams", "rows": 4, "turns": 4, "width": 4, "ways": 2, "prefetch": 0, "plain": 0, **choices,
    }  # fmt: skip
    refused = candidates.refused(configuration, machine, {"n": 256, "m": 100})
    assert (refused and refused.reason) == reason


@pytest.mark.parametrize("name", ["row_panels", "row_grid"])
@pytest.mark.parametrize("case", ["columns", "rows"])
@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "gpu"])
def test_there_are_defaults_where_there_is_nothing_to_reduce(name, case, machine):
    """No rows or columns, or one, or many."""
    candidates = Candidates.of(case_of(case).expr)
    schedule = next(s for s in candidates.schedules if s.name == name)
    for n, m in product((0, 1, 1000), repeat=2):
        sizes = {"n": n, "m": m}
        chosen = schedule.default_at(candidates.normal, machine, n, sizes)
        assert all(chosen[p.name] in p.values for p in schedule.parameters(candidates.normal)), sizes
        assert isinstance(schedule.is_preferred(candidates.normal, machine, sizes), bool)


def test_what_is_gathered_from_caches_is_not_asked_for_ahead_of_use():
    """Its index would be computed twice; vectors of what is read lane by lane are narrower."""
    xs, js = array_of(FLOAT32, K), array_of(INT32, N, M)
    text = "join (map (λr. reduce (+) 0 (map (λx. exp (exp (exp x)) / x) (gather xs r))) js)"
    candidates = Candidates.of(Case("looked_up", text, {"xs": xs, "js": js}).expr)
    machine = replace(CPU, native_vector_width=16)

    def chosen(k):
        found = candidates.default_of("row_streams", machine, {"n": 1 << 14, "m": 128, "k": k})
        return found["width"], found["prefetch"]

    assert chosen(1000) == chosen(1 << 16) == (8, 0)
    assert chosen((1 << 16) + 1) == (16, 256)
