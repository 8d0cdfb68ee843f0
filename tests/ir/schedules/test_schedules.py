"""Every schedule on every expression that it matches: legal in each state, replayable, deterministic, and right."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun
from ir.core.notation.parser import parse
from ir.core.notation.printer import show
from ir.core.patterns import Call, Literal, Scan
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT32, FLOAT64, INT32, ScalarType, array_of
from ir.core.verify import verify, verify_low_level
from ir.errors import RewriteError
from ir.opencl.generate import generate
from ir.rewrite.derivation import state_after, steps_from_json
from ir.rewrite.rule import RULES
from ir.schedules.candidates import Candidates
from ir.schedules.schedule import widest_of
from tests.ir import values
from tests.ir.generation import generated
from tests.ir.schedules.zoo import (
    COMPACTS,
    CPU,
    FINISHED_SCANS,
    GPU,
    MAPS,
    NESTED,
    SCANS,
    SORTS,
    SUMS,
    ZOO,
    Case,
    K,
    M,
    N,
    configurations,
)
from tests.tiers import by_tier

SIZES = ({"n": 1, "m": 1, "k": 1}, {"n": 2, "m": 3, "k": 2}, {"n": 37, "m": 19, "k": 5})
LONG = {"n": 1125, "m": 3, "k": 1}  # of the smallest tree (8 groups of 32 work-items) one turn, three blocks and a rest
SCOPE = {"n": N, "m": M, "k": K}


def compare(case: Case, low, *instances, plans: dict[Expr, object] | None = None) -> None:
    """At each of the sizes, with fractions at the last; how a low-level expression is evaluated is found out once."""
    evaluate = values.Evaluation(low, plans)
    for sizes, whole in (*product(instances, (True,)), (instances[-1], False)):
        which = case.expr, tuple(sizes.items()), 3, whole
        inputs, wanted = values.meaning(*which)
        actual = evaluate(inputs, sizes)
        if whole and case.exact:
            values.assert_identical(actual, wanted)
        elif not values.are_identical(actual, wanted):
            terms, scale = values.rounded(*which)
            values.assert_close(actual, wanted, terms + 8, scale)


@pytest.mark.parametrize("case", [*MAPS, *SUMS, *SCANS[:11], *FINISHED_SCANS, *COMPACTS], ids=str)
def test_a_schedule_keeps_the_value_of_long_arrays(case):
    candidates = Candidates.of(case.expr)
    chosen = {c["schedule"]: c for c in configurations(candidates, 0)}  # one of each
    tree = {"schedule": "tree", "groups": 8, "local": 32, "each": 3, "width": 1, "ways": 1}
    for schedule in candidates.schedules:
        if schedule.name != "tree":
            compare(case, candidates.derive(chosen[schedule.name]).result, LONG)
            continue
        for one_kernel, levels in ((0, 2), (1, 1)):
            sums, lanes = (0, 32) if one_kernel else (64, 0)
            choices = {"one_kernel": one_kernel, "sums": sums, "lanes": lanes, "levels": levels}
            made = candidates.derive({**tree, **choices})
            compare(case, made.result, LONG)


def examined(candidates: Candidates) -> list[dict[str, int | str]]:
    """Of each schedule the defaults for several machines, and some drawn at random; a single one in smaller tiers."""
    every = [each for each in configurations(candidates, by_tier(0, 0, 3)) if _is_allowed(candidates, each)]
    one = list({configuration["schedule"]: configuration for configuration in every}.values())
    return by_tier(one, one, every)


def _is_allowed(candidates: Candidates, configuration: dict[str, int | str]) -> bool:
    """Does it break no constraint on some machine, at some sizes?"""
    return any(
        candidates.refused(configuration, machine, dict.fromkeys("nmk", count)) is None
        for machine in (CPU, replace(GPU, warp_size=32, device_fence=True))
        for count in (3, 100, 5000, 1 << 20)
    )


@pytest.mark.parametrize("case", ZOO, ids=str)
def test_a_schedule_is_replayed_from_what_is_stored_legal_in_each_state_and_right(case):
    candidates = Candidates.of(case.expr)
    seen: set[object] = set()
    verify(case.expr, seen)
    known: dict[object, Expr] = {}  # derivations with other parameters begin alike
    plans: dict[Expr, object] = {}
    for configuration in examined(candidates):
        derivation = candidates.derive(configuration)
        assert derivation.start is case.expr
        stored = steps_from_json(json.loads(json.dumps(derivation.to_json())), SCOPE)
        states = [case.expr]
        for number, step in enumerate(stored):
            key = (step, states[-1], stored[:number] if step.again else ())  # what it cites decides, too
            if key not in known:
                after = known[key] = state_after(stored, number, states)
                verify(after, seen)  # a step leaves most of what was verified as it was
                assert after.type is case.expr.type
            states.append(known[key])
        assert states[-1] is derivation.result
        verify_low_level(derivation.result)
        assert {step.rule for step in stored} <= set(RULES)
        compare(case, derivation.result, *SIZES, plans=plans)
        program = generated(derivation.result)
        assert program.source.count("__kernel") == len({kernel.name for kernel in program.kernels})
        assert program.source.count("{") == program.source.count("}")
        if "barrier(" in program.source:
            assert candidates.schedule(str(configuration["schedule"])).exchanges


@pytest.mark.parametrize("case", ZOO, ids=str)
def test_the_default_configuration_is_a_candidate(case):
    candidates = Candidates.of(case.expr)
    on_cpus_alone = [s.name for s in candidates.schedules] == ["row_blocks"]  # so are programs cut
    for machine in (CPU,) if on_cpus_alone else (CPU, GPU):
        for sizes in ({"n": 3, "m": 3, "k": 3}, {"n": 1 << 20, "m": 128, "k": 64}):
            configuration = candidates.default(machine, sizes)
            assert candidates.refused(configuration, machine, sizes) is None
            assert candidates.normalised(configuration) == configuration


@pytest.mark.parametrize(
    ("source", "element", "width"),
    [
        ("map (λx. x * x) xs", FLOAT32, 8),
        ("map (λx. x * x) xs", FLOAT64, 4),
        ("reduce (+) 0 xs", FLOAT32, 8),
        ("reduce (+) 0 xs", FLOAT64, 4),
        ("reduce (+) 0 (map (λx. float32(int64(x) * 3)) xs)", INT32, 4),
        ("map (λx. x + 1) xs", ScalarType("int16"), 8),
    ],
)
def test_the_default_vectors_are_as_wide_as_the_machines(source, element, width):
    candidates = Candidates.of(parse(source, {"xs": array_of(element, N)}, {"n": N}))
    narrow = replace(CPU, native_vector_width=1)
    for machine, expected in ((CPU, width), (narrow, 1)):
        first = next(c for c in map(dict, candidates.defaults(machine, {"n": 1 << 20})) if "width" in c)
        assert first["width"] == expected


@pytest.mark.parametrize("element", [FLOAT32, FLOAT64])
def test_two_vectors_at_a_time_where_functions_wait_for_each_other(element):
    width = {FLOAT32: 8, FLOAT64: 4}[element]
    for source, at_once in (("sin (x) + cos (x)", 1), ("sin (cos (x))", 2), ("exp (exp (x) + sin (x))", 1)):
        candidates = Candidates.of(parse(f"map (λx. {source}) xs", {"xs": array_of(element, N)}, {"n": N}))
        first = next(c for c in map(dict, candidates.defaults(CPU, {"n": 1 << 20})) if "width" in c)
        assert first["width"] == at_once * width
        widths = (1, 2, 4, 8, 16)
        assert widest_of(widths, candidates.start.result, replace(CPU, is_cpu=False)) == width


@pytest.mark.parametrize("element", [FLOAT32, FLOAT64])
@pytest.mark.parametrize("width", [1, 4, 16])
@pytest.mark.parametrize("n", [1 << 10, 1 << 24, 1 << 28])
def test_the_default_of_a_long_sum_is_in_chunks_whatever_the_vectors(n, width, element):
    candidates = Candidates.of(parse("reduce (+) 0 xs", {"xs": array_of(element, N)}, {"n": N}))
    machine = replace(CPU, native_vector_width=width)
    first = candidates.default(machine, {"n": n})
    assert first["schedule"] == ("chunks" if n > 1 << 10 else "sequential")
    assert candidates.refused(first, machine, {"n": n}) is None


EXCHANGING = {
    "column_parts",
    "merging",
    "row_merging",
    "row_parts",
    "step_tiles_items",
    "array_columns",
    "blocks_items",
    "groups",
    "row_blocks_items",
    "one_loop_group",
    "tree",
    "row_grid",
    "row_shares",
    "row_tree",
    "row_trees",
    "row_warp",
    "local_tiles",
    "mapped_row_tree",
    "mapped_row_kept",
    "product_tiles",
    "product_tile_parts",
    "products_tiles",
}


@pytest.mark.slow
def test_a_search_on_a_cpu_leaves_out_schedules_whose_work_items_exchange_values():
    for case in ZOO:
        candidates = Candidates.of(case.expr)
        every = {s.name for s in candidates.schedules}
        for sizes in ({"n": 1 << 10, "m": 100, "k": 10}, {"n": 1 << 20, "m": 500, "k": 3}):
            offered = candidates.searched(CPU, sizes)
            found = set(offered)
            assert found
            assert found == (every - EXCHANGING or every)
            assert candidates.searched(GPU, sizes) == candidates.parameters()
            for name, parameters in offered.items():
                start = candidates.default_of(name, CPU, sizes)
                for p in parameters:
                    assert p.values
                    if candidates.refused({"schedule": name, **start}, CPU, sizes) is None:
                        assert start[p.name] in p.values
                        assert p.name != "width" or 2 * min(p.values) >= start["width"]
            assert any(candidates.refused(c, CPU, sizes) is None for c in candidates.defaults(CPU, sizes))


@pytest.mark.parametrize("length", [7, 21, 100])
@pytest.mark.parametrize("text", ["map (λx. x + 1) xs", "reduce (+) 0 xs", "scan (+) 0 xs"])
def test_what_fits_stays_in_a_search_where_the_widest_vectors_do_not(text, length):
    candidates = Candidates.of(parse(text, {"xs": array_of(FLOAT32, length)}, {}))
    searched = candidates.searched(CPU, {})
    for name, parameters in searched.items():
        start = candidates.default_of(name, CPU, {})
        near = start if candidates.refused(start, CPU, {}) is None else candidates.nearest(start, CPU, {})
        assert near is None or all(near[p.name] in p.values for p in parameters)


def test_a_search_on_a_cpu_takes_a_tree_where_nothing_else_fits(monkeypatch):
    candidates = Candidates.of(parse("reduce (+) 0 xs", {"xs": array_of(FLOAT32, N)}, {"n": N}))
    refused = Candidates.refused

    def only_trees(self, configuration, machine, sizes):
        return refused(self, configuration, machine, sizes) if configuration["schedule"] == "tree" else object()

    monkeypatch.setattr(Candidates, "refused", only_trees)
    assert "tree" in candidates.searched(CPU, {"n": 1 << 20})


def test_which_schedules_match():
    found = {str(case): {s.name for s in Candidates.of(case.expr).schedules} for case in ZOO}
    for case in MAPS[:-1]:
        assert {"chunks", "grid", "nest"} <= found[str(case)]
    rows = {name for name in map(str, MAPS) if {"map_rows", "map_rows_grid"} & found[name]}
    tiles = {name for name in map(str, MAPS) if "tiles" in found[name]}
    assert tiles == {"exchanged_plus", "both_exchanged"}
    assert rows == {"diagonal", "added_row", "added_column", "cut_rows"} | tiles
    for case in SUMS:
        if str(case) != "not_recognised":
            assert {"chunks", "sequential", "tree"} <= found[str(case)]
    assert found["not_recognised"] == {"sequential"}  # only a monoid may be reduced in any order
    for name in ("rows", "columns", "gemv", "rows_max"):
        assert {"row_group", "row_item"} <= found[name]
    for case in NESTED:  # accumulators of three numbers that are used on the spot have no place of their own
        assert "nest" in found[str(case)] or str(case) == "exponentials_of_columns"
    for case in SCANS[:10]:
        assert found[str(case)] == {"sequential"} if str(case) == "scan_prod" else {"carries", "sequential", "tree"}
    assert found["scan_not_recognised"] == {"sequential"}
    for name in ("scan_rows", "scan_rows_from"):
        parts = {"row_parts"} if name == "scan_rows" else set()  # those that begin with other numbers have no parts
        assert found[name] == {"row_group", "row_item", "row_tree", "nest", *parts}
    assert found["scan_short_rows"] == {"row_group", "row_item", "nest"}  # no group could share three elements
    for name in ("scan_columns", "scan_columns_from"):
        parts = {"column_parts"} if name == "scan_columns" else set()
        assert found[name] == {"columns", "nest", *parts}
    assert found["scan_middle"] == {"nest"}
    for case in SORTS:
        whole = str(case) in ("sort", "sort_pairs")
        assert found[str(case)] == (
            {"comparison", "digits", "merging"} if whole else {"row_comparison", "row_digits", "row_merging"}
        )

    for case in COMPACTS:
        by_scan = str(case) in ("compacted_by_scan", "parted_by_scan", "counted_by_scan")
        assert found[str(case)] == ({"carries", "sequential", "tree"} if by_scan else {"chunks", "grid", "nest"})


def test_a_schedule_that_does_not_match_is_an_error():
    with pytest.raises(RewriteError, match=r"schedule tree does not apply; .*chunks"):
        Candidates.of(MAPS[0].expr).derive(
            {"schedule": "tree", "groups": 8, "local": 32, "width": 1, "ways": 1, "one_kernel": 0}
        )


def test_constraints_refuse_what_a_machine_cannot_run():
    candidates = Candidates.of(SUMS[0].expr)
    configuration = {"schedule": "tree", "groups": 8, "local": 512, "width": 1, "ways": 1, "one_kernel": 0}
    assert candidates.refused(configuration, GPU, {"n": 10000}) is None
    small = GPU.__class__(256, 48 << 10, 80, 1, False)
    assert candidates.refused(configuration, small, {"n": 10000}).reason == "work-items in a work-group"
    tight = GPU.__class__(1024, 1024, 80, 1, False)
    assert candidates.refused(configuration, tight, {"n": 10000}).reason == "bytes of local memory"
    long = {"schedule": "sequential", "width": 1, "ways": 1}
    assert candidates.refused(long, GPU, {"n": 1 << 30}).reason == "roundings in one accumulator"


def test_normalised_keeps_the_parameters_of_the_schedule():
    candidates = Candidates.of(SUMS[0].expr)
    normal = candidates.normalised(
        {"schedule": "tree", "groups": 9, "local": 33, "width": 4, "ways": 2, "one_kernel": 0}
    )
    assert normal == {"schedule": "tree", "groups": 8, "local": 32, "width": 4, "ways": 2, "one_kernel": 0}


# --- determinism ---------------------------------------------------------------------------------------------------


def digests(step: int) -> dict[str, str]:
    """For each expression, or each so many-th one, a digest of all it becomes: texts, derivations and sources."""
    found = {}
    for case in ZOO[::step]:
        candidates = Candidates.of(case.expr)
        texts = []
        for configuration in configurations(candidates, 1):
            derivation = candidates.derive(configuration)
            by_library = candidates.schedule(str(configuration["schedule"])).by_library
            source = "" if by_library else generate(derivation.result).source
            texts += [json.dumps(derivation.to_json()), show(derivation.result), source]
        found[str(case)] = hashlib.sha256("\n".join(texts).encode()).hexdigest()
    return found


@pytest.mark.slow
def test_everything_is_the_same_in_another_process_with_another_hash_seed():
    """That of this process is drawn anew each time, unless `PYTHONHASHSEED` says otherwise."""
    step = by_tier(8, 16, 4)  # of all sources the stored digests say the same, whatever the seed of a process is
    code = f"import json\nfrom tests.ir.schedules.test_schedules import digests\nprint(json.dumps(digests({step})))"
    root = Path(__file__).resolve().parents[3]
    seed = "1" if os.environ.get("PYTHONHASHSEED") != "1" else "2"
    variables = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": str(root)}
    done = subprocess.run(
        [sys.executable, "-c", code], cwd=root, env=variables, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert json.loads(done.stdout) == digests(step)


@pytest.mark.parametrize("factor", [2, 3, 8])
@pytest.mark.parametrize("each", [3, 5])
@pytest.mark.parametrize(("sums", "lanes"), [(32, 0), (0, 0), (0, 32)])
def test_a_tree_scans_a_length_with_a_factor(factor, each, sums, lanes):
    """What is left of whole blocks may be known to be less than an element for each work-item of a group."""
    xs = Param("xs", array_of(INT32, factor * N))
    e = Scan(fun((INT32, INT32), lambda a, b: Call("add", a, b)), Literal(0, INT32), xs)
    candidates = Candidates.of(e)
    choices = {"local": 32, "each": each, "levels": 1, "sums": sums, "lanes": lanes}
    low = candidates.derive({"schedule": "tree", **choices}).result
    assert generate(low).kernels
    for n in (80, 81, 97, 240):
        numbers = np.arange(factor * n, dtype=np.int32)[::-1] % 23
        np.testing.assert_array_equal(interpret(low, {"xs": numbers}, {"n": n}), np.cumsum(numbers, dtype=np.int32))


@pytest.mark.parametrize("one_kernel", [0, 1])
@pytest.mark.parametrize("factor", [64, 192])
def test_a_tree_folds_whole_blocks_of_any_number(factor, one_kernel):
    """Blocks leave nothing over of a length that is a multiple of one, however many groups there are."""
    e = parse("reduce (+) 0 xs", {"xs": array_of(INT32, factor * N)})
    choices = {"groups": 108, "local": 32, "width": 1, "ways": 2, "one_kernel": one_kernel}
    low = Candidates.of(e).derive({"schedule": "tree", **choices}).result
    assert generate(low).kernels
    for n in (108, 109, 150):
        numbers = np.arange(factor * n, dtype=np.int32) % 23
        assert interpret(low, {"xs": numbers}, {"n": n}) == numbers.sum()


@pytest.mark.parametrize("factor", [3, 48, 1000, 1025])
@pytest.mark.parametrize(("groups", "local", "width"), [(8, 32, 4), (108, 32, 1), (132, 512, 16)])
def test_a_tree_folds_a_length_with_any_factor(factor, groups, local, width):
    """Of blocks, rows of work-items and single elements none is more than there are, whatever else the factor is."""
    e = parse("reduce (+) 0 xs", {"xs": array_of(INT32, factor * N)})
    choices = {"groups": groups, "local": local, "width": width, "ways": 1, "one_kernel": 0}
    low = Candidates.of(e).derive({"schedule": "tree", **choices}).result
    assert generate(low).kernels
    turn = groups * local * width
    for n in (turn // factor + 1, turn // factor + local + 1, 2 * turn // factor + 7):
        numbers = np.arange(factor * n, dtype=np.int32) % 23
        assert interpret(low, {"xs": numbers}, {"n": n}) == numbers.sum()


@pytest.mark.parametrize("rest", [0, 5, 32, 3 * 32 + 1])
def test_a_tree_folds_a_number_of_elements_with_no_blocks_left(rest):
    """Equal chunks for all groups, and less than a block."""
    n = 2 * 8 * 64 + rest
    e = parse("reduce (+) 0 xs", {"xs": array_of(INT32, n)})
    choices = {"groups": 8, "local": 32, "width": 1, "ways": 2, "one_kernel": 0}
    low = Candidates.of(e).derive({"schedule": "tree", **choices}).result
    assert generate(low).kernels
    numbers = np.arange(n, dtype=np.int32) % 23
    assert interpret(low, {"xs": numbers}, {}) == numbers.sum()


LOOP = "let t = map (λx. x * 2) xs in (t, reduce (+) 0 t)"
ROWS = "map (reduce (+) 0) xss"


@pytest.mark.parametrize("factor", [48, 100, 1025])
@pytest.mark.parametrize(
    ("text", "choices"),
    [
        (LOOP, {"schedule": "one_loop", "block": 1024, "width": 8, "ways": 4, "prefetch": 0}),
        (LOOP, {"schedule": "one_loop_group", "local": 32, "turns": 8}),
        (ROWS, {"schedule": "row_chunks", "parts": 64, "width": 8, "ways": 4}),
        (ROWS, {"schedule": "row_tree", "local": 32, "width": 4, "ways": 2}),
        (ROWS, {"schedule": "row_trees", "parts": 64, "local": 32, "width": 2, "ways": 2}),
        (ROWS, {"schedule": "row_warp", "lanes": 32, "warps": 4, "width": 2, "ways": 2, "stages": 1}),
    ],
)
def test_other_schedules_fold_a_length_with_any_factor(text, choices, factor):
    e = parse(text, {"xs": array_of(INT32, factor * N), "xss": array_of(INT32, M, factor * N)})
    low = Candidates.of(e).derive(choices).result
    assert generate(low).kernels
    evaluate = values.Evaluation(low)
    for n in (2, 41, 173):
        sizes = {"n": n, "m": 2}
        inputs, wanted = values.meaning(e, tuple(sizes.items()), 3, True)
        values.assert_identical(evaluate(inputs, sizes), wanted)
