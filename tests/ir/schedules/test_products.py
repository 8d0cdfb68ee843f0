# ruff: noqa: E501  # an expression reads best on one line
"""Products of matrices in blocks: every size, every kind of number, and what the macros make."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir.core.expr import Expr, postorder
from ir.core.notation.parser import parse
from ir.core.patterns import Call, Memory, Reduce
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import var
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, ScalarType, TupleType, array_of
from ir.cost.thresholds import products as thresholds
from ir.errors import GenerationError
from ir.opencl.generate import generate
from ir.opencl.write.ahead import NOT_STAGED
from ir.rewrite.derivation import Derivation
from ir.rewrite.strategy import everywhere, of, use
from ir.rules.opencl.memory import prefetch_input
from ir.schedules.candidates import Candidates
from ir.schedules.products.form import Product
from lazyarr.compile.executable import Executable
from lazyarr.compile.plan import Plan
from lazyarr.runtime import LaunchError, default_device
from tests import oclgrind
from tests.ir import values
from tests.ir.opencl.running import check, check_shapes
from tests.ir.schedules.zoo import CPU, GPU, Case, K, M, N
from tests.tiers import tier

DOT = "reduce (+) 0 (map (*) (zip(r, c)))"
COMPLEX = TupleType((FLOAT32, FLOAT32))


def matrices(t, columns=True):
    return {"xss": array_of(t, N, M), "yss": array_of(t, M, K) if columns else array_of(t, K, M)}


PRODUCTS = [
    Case("plain", f"map (λr. join (map (λc. {DOT}) (transpose yss))) xss", matrices(FLOAT32)),
    Case("flat", f"join (map (λr. join (map (λc. {DOT}) (transpose yss))) xss)", matrices(FLOAT64)),
    Case("transposed_right", f"map (λr. map (λc. element 0 ({DOT})) yss) xss", matrices(INT32, columns=False)),
    Case("transposed_left", f"map (λr. join (map (λc. {DOT}) (transpose yss))) (transpose zss)", {"zss": array_of(FLOAT32, M, N), "yss": array_of(FLOAT32, M, K)}),
    Case("second_first", "map (λr. join (map (λc. reduce (+) 0 (map (*) (zip(c, r)))) (transpose yss))) xss", matrices(ScalarType("int8"))),
    Case("weighted", "map (λr. join (map (λc. reduce (+) 0 (map (λ(x, y, w). x * y * w) (zip(r, c, ws)))) (transpose yss))) xss", matrices(ScalarType("uint64")) | {"ws": array_of(ScalarType("uint64"), M)}),
    Case("distances", "map (λr. join (map (λc. reduce maximum (-inf) (map (λ(x, y). abs(x - y) * s) (zip(r, c)))) yss)) xss", matrices(FLOAT32, columns=False) | {"s": FLOAT32}),
    Case(
        "complex",
        "map (λr. join (map (λc. reduce (λ(a, b). (a.0 + b.0, a.1 + b.1)) (0:float32, 0:float32)"
        " (map (λ(x, y). (x.0 * y.0 - x.1 * y.1, x.0 * y.1 + x.1 * y.0)) (zip(r, c)))) (transpose yss))) xss",
        matrices(COMPLEX),
    ),
    Case("gram", f"map (λr. join (map (λc. {DOT}) xss)) xss", {"xss": array_of(FLOAT64, N, M)}),
]  # fmt: skip
SHAPES = [(1, 1, 1), (1, 17, 3), (2, 3, 5), (17, 7, 1), (5, 1, 33), (31, 2, 17), (33, 31, 15), (64, 16, 16)]
"""Rows, terms and columns."""

LONG_ROWS = [(1, 8, 1), (5, 13, 17), (17, 64, 16), (9, 100, 3)]
"""The same, of products whose terms are shared out."""


def case_of(name: str) -> Case:
    return next(case for case in PRODUCTS if case.name == name)


def some_of(cases: Sequence[Case], choices: Sequence[Any]) -> list[tuple[Case, Any]]:
    """The first product with each of the choices, and each other product with one of them."""
    numbered = product(enumerate(cases), enumerate(choices))
    return [(case, each) for (i, case), (j, each) in numbered if i == 0 or j == i % len(choices)]


_looked_at: list[tuple[Case, dict[str, int]]] = []
"""The products and choices whose derivations are verified state by state: each product, and each choice."""


def each_with(choices: Sequence[dict[str, int]]) -> pytest.MarkDecorator:
    """A test's `case` and `choices`: all pairs in `all`, else some of them."""
    some = some_of(PRODUCTS, choices)
    _looked_at.extend(some)
    found = list(product(PRODUCTS, choices)) if tier() == "all" else some
    return pytest.mark.parametrize(("case", "choices"), found, ids=str)


def verified(case: Case, choices: dict[str, int], derivation: Derivation) -> Expr:
    """The result of a derivation; what other pairs have in every state is verified only once, for it takes as long as
    all else that the tests of a kernel do.
    """
    if (case, choices) in _looked_at:
        derivation.verify()
    return derivation.result


def assert_same_value(low: Expr, high: Expr, sizes: dict[str, int], seed: int = 0) -> None:
    """Of small whole numbers, which are added up without rounding; both are interpreted."""
    drawn = values.random_inputs(high, sizes, seed=seed)
    inputs = {p: values.integral(value, limit=8) for p, value in drawn.items()}
    values.assert_close(interpret(low, inputs, sizes), interpret(high, inputs, sizes), 0, 0.0)


def check_parts(case: Case, choices: dict[str, int], derivation: Derivation) -> None:
    """Parts of long rows are added up, on the device and by the interpreter."""
    low = verified(case, choices, derivation)
    check_shapes(case.expr, low, LONG_ROWS)
    for n, m, k in LONG_ROWS:
        assert_same_value(low, case.expr, {"n": n, "m": m, "k": k})


def derived(case: Case, schedule: str = "product_blocks", **choices: int):
    candidates = Candidates.of(case.expr)
    chosen = {"rows": 4, "width": 8, "turns": 4, "packed": 0, "fused": 0, **choices}
    return candidates.derive(candidates.normalised({"schedule": schedule, **chosen}))


@pytest.mark.parametrize("case", PRODUCTS, ids=str)
@settings(max_examples=settings.default.max_examples // 4, deadline=None)
@given(data=st.data())
def test_blocks_have_the_value_of_single_products(case, data):
    draw = data.draw
    low = derived(
        case,
        rows=draw(st.sampled_from([1, 2, 4, 6])),
        width=draw(st.sampled_from([1, 2, 8])),
        turns=draw(st.sampled_from([1, 4])),
        packed=draw(st.integers(0, 1)),
    ).result
    sizes = {name: draw(st.integers(1, 20)) for name in "nmk"}
    assert_same_value(low, case.expr, sizes, seed=draw(st.integers(0, 99)))


@pytest.mark.device
@each_with([{"width": 16}, {"rows": 6, "turns": 1, "packed": 1}, {"rows": 1, "width": 1}, {"packed": 1}])
def test_kernels_compute_every_shape(case, choices):
    check_shapes(case.expr, verified(case, choices, derived(case, **choices)), SHAPES)


@pytest.mark.device
@pytest.mark.parametrize("name", ["plain", "flat"])
def test_products_and_sums_rounded_once_are_as_close(name):
    low = derived(case_of(name), fused=1).result
    assert any(isinstance(node, Call) and node.op == "fma" for node in postorder(low))
    check_shapes(case_of(name).expr, low, SHAPES, exact=False)


BATCH = Case(
    "batch",
    f"map (λ(p, q). join (map (λr. join (map (λc. {DOT}) (transpose q))) p)) (zip(xsss, ysss))",
    {"xsss": array_of(FLOAT32, 3, N, M), "ysss": array_of(FLOAT32, 3, M, K)},
)


@pytest.mark.device
@each_with([{"parts": 2}, {"parts": 8}])
def test_parts_of_long_rows_are_added_up(case, choices):
    check_parts(case, choices, derived(case, "product_parts", **choices))


def test_long_rows_of_few_results_are_shared_out():
    candidates = Candidates.of(case_of("plain").expr)
    long, sizes = {"n": 32, "m": 100_000, "k": 32}, {"n": 500, "m": 3000, "k": 500}
    assert candidates.default(CPU, long)["schedule"] == "product_parts"
    assert candidates.default(CPU, sizes)["schedule"] == "product_blocks"
    assert candidates.refused({**candidates.default(CPU, sizes)}, CPU, long) is not None, "too many roundings"
    assert Candidates.of(BATCH.expr).default(CPU, {"n": 32, "m": 32, "k": 32})["schedule"] == "products"


@pytest.mark.slow
def test_known_sizes_leave_out_what_has_no_elements():
    sizes = {"n": 8, "m": 5, "k": 16}
    t = {"xss": array_of(FLOAT32, 8, 5), "yss": array_of(FLOAT32, 5, 16)}
    low = derived(Case("known", PRODUCTS[0].text, t), width=8, turns=1)
    low.verify()
    source = generate(low.result).source
    assert "if (" not in source.split("lazyarr_1")[1], "all blocks are whole"
    check(default_device(), low.start, low.result, sizes, exact=True)


def test_rows_are_packed_where_their_elements_lie_apart():
    sizes = {"n": 500, "m": 300, "k": 500}
    assert Candidates.of(case_of("transposed_left").expr).default(CPU, sizes)["packed"] == 1
    assert Candidates.of(case_of("plain").expr).default(CPU, sizes)["packed"] == 0
    low = derived(case_of("transposed_left"), packed=1).result
    assert [kernel.result for kernel in generate(low).kernels] == ["stage0", "stage1", "result"]


def test_the_columns_are_packed_once_for_all_rows():
    low = derived(case_of("plain")).result
    kept = {node for node in postorder(low) if isinstance(node, Memory) and node.space == "global"}
    assert len(kept) == 1
    assert len(generate(low).kernels) == 2


def test_accumulators_are_read_and_written_at_constant_places():
    """So compilers keep them in registers."""
    source = generate(derived(case_of("plain"), rows=2, width=8, turns=1).result).source
    body = source.split("lazyarr_1")[1].split("for (int i0")[1].split("}")[0]
    assert "kept0 + (8)" in body
    assert not any(f"kept0 + ({index}" in body for index in ("i", "g"))


def test_which_reductions_are_products():
    assert all(Product.of(Candidates.of(case.expr).normal) is not None for case in PRODUCTS)
    others = {
        "of_truth_values": ("map (λr. join (map (λc. reduce (|) false (map (&) (zip(r, c)))) yss)) xss", matrices(BOOL, columns=False)),
        "in_order": (f"map (λr. join (map (λc. {DOT.replace('reduce (+)', 'reduce (-)')}) yss)) xss", matrices(FLOAT32, columns=False)),
        "of_the_row": ("map (λr. join (map (λc. reduce (+) 0 c) (split m r))) zss", {"zss": array_of(FLOAT32, N, M * K)}),
    }  # fmt: skip
    for name, (text, inputs) in others.items():
        assert "product_blocks" not in [s.name for s in Candidates.of(Case(name, text, inputs).expr).schedules], name


def test_it_is_the_default_on_a_cpu_and_none_on_a_gpu():
    candidates = Candidates.of(case_of("plain").expr)
    big, small = {"n": 200, "m": 300, "k": 100}, {"n": 3, "m": 2, "k": 4}
    assert candidates.default(CPU, big)["schedule"] == "product_blocks"
    assert candidates.default(CPU, small)["schedule"] == "nest"
    assert candidates.default(GPU, big)["schedule"] != "product_blocks"
    assert any(isinstance(node, Reduce) for node in postorder(candidates.normal))


TILE = {"down": 4, "across": 4, "rows": 2, "columns": 4, "chunk": 4, "rows_turned": 1, "columns_turned": 0, "apart": 4}
TILE |= {"width": 2}


def tiled(case: Case, **choices: int):
    return derived(case, "product_tiles", **{**TILE, **choices})


@pytest.mark.parametrize("case", PRODUCTS, ids=str)
@settings(max_examples=settings.default.max_examples // 8, deadline=None)
@given(data=st.data())
def test_tiles_have_the_value_of_single_products(case, data):
    draw = data.draw
    turned = {name: draw(st.integers(0, 1)) for name in ("rows_turned", "columns_turned")}
    low = tiled(case, rows=draw(st.sampled_from([1, 2, 4])), width=draw(st.sampled_from([1, 4])), **turned).result
    sizes = {name: draw(st.integers(1, 20)) for name in "nmk"}
    assert_same_value(low, case.expr, sizes, seed=draw(st.integers(0, 99)))


@pytest.mark.device
@each_with(
    [
        {},
        {"rows_turned": 0, "columns_turned": 1, "width": 1, "unrolled": 1},
        {"apart": 0, "chunk": 8},
        {"copied": 4, "chunk": 8},
        {"copied": 2, "chunk": 8, "rows_turned": 0, "columns_turned": 1},
        {"ahead": 1},
        {"ahead": 1, "rows_turned": 0, "columns_turned": 1, "unrolled": 1},
        {"ahead": 1, "copied": 4, "chunk": 8},
        {"ahead": 1, "copied": 2, "chunk": 8, "rows_turned": 0, "columns_turned": 1},
    ]
)
def test_kernels_of_tiles_compute_every_shape(case, choices):
    check_shapes(case.expr, verified(case, choices, tiled(case, **choices)), SHAPES)


def test_chunks_are_staged_between_barriers_and_nothing_else_is():
    source = generate(tiled(case_of("plain")).result).source
    assert source.count("barrier(") == 2
    assert source.count("__local ") >= 2
    chunk = source.split("for (int i0")[1]
    assert chunk.index("barrier(") < chunk.index("shared0[") < chunk.index("shared1[") < chunk.rindex("barrier(")


@pytest.mark.parametrize("ahead", [1, 2])
@pytest.mark.parametrize("copied", [1, 4])
def test_the_next_chunk_is_loaded_while_this_one_is_used(copied, ahead):
    """Into elements of private arrays that have a number each, so that these are registers."""
    program = generate(tiled(case_of("plain"), ahead=ahead, copied=copied, chunk=8).result)
    first, chunk = program.source.split("for (int i0")
    assert len(re.findall(r"float4? ahead\d\[", first)) == 2
    staged, used = chunk.split("barrier(")[1:3]
    assert "shared0[" in staged
    assert "xss[" not in staged
    begins = "int next0 = " if ahead > 1 else "if ((i0 + 1) <"
    assert used.index(begins) < used.index("ahead0[0] = ") < used.index("kept0")
    assert not re.search(r"ahead\d\[[^\]]*[a-z]", program.source)
    assert program.source.count("barrier(") == 2
    assert not program.unheeded


def test_both_components_of_complex_numbers_are_loaded_ahead():
    program = generate(tiled(case_of("complex"), ahead=1).result)
    assert not program.unheeded
    assert "float ahead3[" in program.source


def test_what_nobody_stages_is_not_loaded_ahead():
    low = derived(case_of("plain"), "product_blocks").result
    asked = everywhere(of(Reduce)(use(prefetch_input, distance=1)))(low, ())
    assert asked is not None
    assert NOT_STAGED in generate(asked.expr).unheeded


def test_rows_of_columns_lie_on_different_banks():
    """Of a tile, each row of terms begins four elements later; so do those of its columns after each 32."""
    source = generate(tiled(case_of("plain"), down=8, across=8, columns=8, rows=4).result).source
    assert "__local float shared0[144]" in source, "4 rows of 32 elements, 4 apart"
    assert "__local float shared1[288]" in source, "8 rows of 32 elements, 4 apart"
    plain = generate(tiled(case_of("plain"), down=8, across=8, columns=8, rows=4, apart=0).result).source
    assert "__local float shared0[128]" in plain
    assert "__local float shared1[256]" in plain


@pytest.mark.device
@each_with([{"parts": 4}, {"parts": 8}, {"parts": 4, "ahead": 1}])
def test_parts_by_tiles_are_added_up(case, choices):
    check_parts(case, choices, derived(case, "product_tile_parts", **{**TILE, **choices}))


@pytest.mark.parametrize(("schedule", "machine"), [("product_tile_parts", GPU), ("product_parts", CPU)])
def test_parts_are_refused_whose_results_indices_of_32_bits_do_not_count(schedule, machine):
    e = case_of("plain").expr
    candidates = Candidates.of(e)
    least = {p.name: p.values[0] for p in candidates.schedule(schedule).parameters(e)}
    most = {"schedule": schedule, **least, "parts": 512}
    assert candidates.refused(most, machine, {"n": 100, "m": 4096, "k": 100}) is None
    for n, m, k in [(4096, 4096, 4096), (1 << 20, 4096, 4), (40_000, 40_000, 1000)]:
        assert candidates.refused(most, machine, {"n": n, "m": m, "k": k}).reason == "results of parts"


@pytest.mark.device
def test_a_kernel_is_not_launched_where_its_indices_do_not_count_what_it_writes():
    """Results between two kernels may be larger than all operands and the result, by which indices were chosen."""
    case = case_of("plain")
    low = derived(case, "product_tile_parts", **TILE, parts=8).result
    program = generate(low)
    plan, device = Plan.of(program, ("n", "m", "k")), default_device()
    executable = Executable(device, device.build(program.source), plan, [("xss", 0), ("yss", 0)])
    assert executable.bind((1 << 10, 16, 1 << 10)).written[0] == 8 * 4 << 20
    with pytest.raises(LaunchError, match=r"2147483648 elements .* which its indices of 32 bits do not"):
        executable.bind((1 << 14, 16, 1 << 14))


@pytest.mark.device
@pytest.mark.parametrize(
    ("schedule", "choices"),
    [
        ("products", {}),
        ("products", {"width": 16, "rows": 6}),
        ("products", {"width": 2, "rows": 1}),
        ("products_tiles", TILE),
        ("products_tiles", TILE | {"rows_turned": 0, "unrolled": 1, "rows": 1, "columns": 2, "ahead": 1}),
    ],
    ids=str,
)
def test_each_of_many_products_is_computed(schedule, choices):
    derivation = derived(BATCH, schedule, **choices)
    derivation.verify()
    check_shapes(BATCH.expr, derivation.result, SHAPES)
    assert_same_value(derivation.result, BATCH.expr, {"n": 5, "m": 7, "k": 9})


@pytest.mark.device
@pytest.mark.parametrize("turned", [0, 1])
def test_whole_vectors_are_copied_at_once(turned):
    """Where extents are multiples of their lanes, one condition says for all of them whether they are there."""
    n, m, k = (4 * var(name, 1) for name in "nmk")
    case = Case("whole", PRODUCTS[0].text, {"xss": array_of(FLOAT32, n, m), "yss": array_of(FLOAT32, m, k)})
    low = tiled(case, copied=4, chunk=8, rows_turned=1 - turned, columns_turned=turned).result
    source = generate(low, alignment=16).source
    copies = [line for line in source.split("for (int i0")[1].splitlines() if "yss" in line or "xss" in line]
    assert len(copies) >= 2
    whole = [line for line in copies if "*(__global const float4*)" in line]
    assert len(whole) == (0 if turned else 2)
    assert all(line.count(" < ") == 1 for line in whole)
    check_shapes(case.expr, low, [(1, 1, 1), (5, 3, 7), (9, 2, 4)])


def test_vectors_in_local_memory_are_aligned():
    source = generate(tiled(case_of("plain"), width=4).result).source
    assert "__attribute__((aligned(16)))" in source
    assert "(__local const float4*)" in source


def test_a_work_item_keeps_its_own_accumulators_only():
    """Each has a block of them, not the tile; what reads another's is no kernel."""
    low = tiled(case_of("plain"), rows=2, columns=4).result
    assert "float kept0[8];" in generate(low).source
    with pytest.raises(GenerationError, match="its own element"):
        generate(read_through("slice 3 (-1) 4 ACC"))


ACCUMULATED = "element 0 (toPrivate (reduceSeq (λ(acc, c). mapLocal (λ(as, x). mapSeq (λ(a, b). a + b * x) (zip(as, repeat 2 1:float32))) (zip(acc, c))) (mapLocal (mapSeq (λx. x)) (repeat COUNT (repeat 2 0:float32))) r))"


def read_through(view: str, count: str = "4"):
    """Sums of the columns of matrices in `count` accumulators, shared out among work-items, which read them through a
    view.
    """
    text = f"mapWorkgroup (λr. mapLocal (λas. mapSeq (λx. x) as) ({view})) cube"
    text = text.replace("ACC", f"({ACCUMULATED})").replace("COUNT", count)
    columns = int(count) if count.isdigit() else K
    return parse(text, {"cube": array_of(FLOAT32, N, M, columns)}, {"n": N, "m": M, "k": K})


FIRST, NONE_AT_0 = "repeat 4 (element 0 ACC)", "its own element of what mapLocal0 computes: it reads none at 0"


@pytest.mark.parametrize(
    ("view", "count", "why"),
    [
        (FIRST, "4", NONE_AT_0),
        ("slice 0 0 4 ACC", "4", NONE_AT_0),
        ("join (repeat 4 (slice 0 1 1 ACC))", "4", NONE_AT_0),
        (FIRST, "1", NONE_AT_0),
        ("ACC", "k", "a work-item keeps one element of what mapLocal0 computes, not k of 1"),
    ],
)
def test_the_first_accumulator_is_not_everyones(view, count, why):
    """Nor is an only one, where a group has more work-items; those that take several turns would overwrite theirs."""
    with pytest.raises(GenerationError, match=why):
        generate(read_through(view, count))


@pytest.mark.device
@pytest.mark.parametrize("view", ["ACC", "repeat 1 (element 0 ACC)", "concat(ACC, repeat 3 (repeat 2 1:float32))"])
def test_accumulators_are_read_by_their_own_work_items(view):
    """An only one, or each of four."""
    for count in ("1", "4") if view == "ACC" else ("1",):
        e = read_through(view, count)
        check_shapes(e, e, [(1, 1, 1), (3, 5, 2)])


@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize("name", ["plain", "transposed_right", "complex"])
@pytest.mark.parametrize("schedule", ["product_tiles", "product_blocks", "product_tile_parts"])
def test_no_races_under_a_simulator(name, schedule):
    run = f"""
from tests.ir.schedules.test_products import TILE, case_of, derived
from tests.ir.opencl.running import check
from lazyarr.runtime import default_device
case = case_of({name!r})
low = derived(case, {schedule!r}, **({{}} if {schedule!r} == "product_blocks" else {{**TILE, "parts": 4, "chunk": 8, "copied": 4, "ahead": 1}})).result
for n, m, k in [(1, 4, 1), (9, 5, 17), (17, 8, 16), (5, 36, 9)]:
    check(default_device(), case.expr, low, {{"n": n, "m": m, "k": k}}, exact=True)
"""
    assert oclgrind.run(run) == ""


def test_tiles_are_the_default_on_a_gpu():
    candidates = Candidates.of(case_of("plain").expr)
    sizes = {"n": 2000, "m": 300, "k": 1000}
    chosen = candidates.default(GPU, sizes)
    assert chosen["schedule"] == "product_tiles"
    assert (chosen["rows_turned"], chosen["columns_turned"]) == (1, 0)
    assert candidates.default(GPU, {"n": 3, "m": 2, "k": 4})["schedule"] == "nest"
    turned = Candidates.of(case_of("transposed_right").expr).default(GPU, sizes)
    assert (turned["rows_turned"], turned["columns_turned"]) == (1, 1)
    shared = candidates.default(GPU, {"n": 32, "m": 100_000, "k": 32})
    assert shared["schedule"] == "product_tile_parts"
    many, of_one_part = replace(GPU, compute_units=132), {"n": 1000, "m": 1000, "k": 1000}
    assert candidates.default(many, of_one_part)["schedule"] == "product_tiles"
    large = candidates.default(many, of_one_part | {"m": 20_000})
    assert (large["schedule"], large["rows"], large["columns"]) == ("product_tile_parts", 8, 8)
    assert large["parts"] > 1
    assert Candidates.of(BATCH.expr).default(GPU, {"n": 32, "m": 32, "k": 32})["schedule"] == "products_tiles"
    for shape in SHAPES:
        sizes = dict(zip("nmk", shape, strict=True))
        assert candidates.refused(candidates.default(GPU, sizes), GPU, sizes) is None


@pytest.mark.parametrize(
    "name", ["product_blocks", "product_parts", "product_tiles", "product_tile_parts", "products", "products_tiles"]
)
@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "gpu"])
def test_there_are_defaults_where_there_is_nothing_to_multiply(name, machine):
    """No rows, terms or columns, or one, or many."""
    e = BATCH.expr if name.startswith("products") else case_of("plain").expr
    candidates = Candidates.of(e)
    schedule = next(s for s in candidates.schedules if s.name == name)
    for n, m, k in product((0, 1, 1000), repeat=3):
        sizes = {"n": n, "m": m, "k": k}
        chosen = schedule.default_at(candidates.normal, machine, n * k, sizes)
        assert all(chosen[p.name] in p.values for p in schedule.parameters(candidates.normal)), sizes
        assert isinstance(schedule.is_preferred(candidates.normal, machine, sizes), bool)


def test_smaller_tiles_keep_the_test_around_what_they_load_ahead():
    """Without it compilers put these loads off until they are used: on an H200 1024 x 1024 took 76 us instead of 66."""
    t = thresholds
    tile = dict(t.TILE_OF_PRODUCT)
    assert tile["ahead"] == 2
    others = (t.TILE_OF_FEW_TERMS, t.TILE_OF_MORE_RESULTS, t.TILE_OF_PRODUCTS, t.TILE_OF_PRODUCT_IN_PARTS)
    for smaller in (*t.SMALLER_TILES, *others):
        tile |= smaller
        assert tile["ahead"] < 2
    for alone in others:
        assert {**t.TILE_OF_PRODUCT, **alone}["ahead"] < 2
