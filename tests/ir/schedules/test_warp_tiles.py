"""Products of TF32 numbers by tensor cores: the tiles of warps."""

from __future__ import annotations

import re
from dataclasses import replace

import numpy as np
import pytest

from ir.core.nodes.tensor_cores import MMA_HELD
from ir.core.notation.parser import parse
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import var
from ir.core.tf32 import rounded_to_tf32
from ir.core.types import FLOAT32, array_of
from ir.core.verify import verify_low_level
from ir.cost.derived import estimate
from ir.opencl.generate import generate
from ir.opencl.write.ahead import NOT_STAGED
from ir.schedules.candidates import Candidates
from tests.ir.schedules.zoo import CPU, GPU

H200 = replace(GPU, compute_units=132, warp_size=32, device_fence=True, tensor_cores=True)
SMALL = {"down": 2, "across": 2, "rows": 16, "columns": 16, "chunk": 16, "copied": 1, "ahead": 0, "packed": 0}
PACKED = SMALL | {"packed": 1, "copied": 4, "ahead": 2}
TERM = "round_to_tf32 p.0 * round_to_tf32 p.1"


def product(m, k, n, turned="", after="", term=TERM, least=0):
    """`a0 @ a1`, the operands named in `turned` transposed; after: what is made of its elements; least: extents that
    are symbols are at least so many fours, if any, of numbers.
    """
    sizes = {name: 4 * var(name, least) if least else var(name) for name in "mkn"}
    m, k, n = (f"(4*{x})" if least else x for x in (m, k, n))
    rows = f"transpose (split {m} a0)" if "a0" in turned else f"split {k} a0"
    columns = f"split {k} a1" if "a1" in turned else f"transpose (split {n} a1)"
    dot = f"join (map (λys. reduce (+) 0.0:float32 (map (λp. {term}) (zip(xs, ys)))) ({columns}))"
    names = {name: var(name, least) for name in "mkn"}
    extents = [sizes[x.strip("(4*)")] if isinstance(x, str) else x for x in (m, k, n)]
    types = {
        "a0": array_of(FLOAT32, extents[0] * extents[1]),
        "a1": array_of(FLOAT32, extents[1] * extents[2]),
        "bias": array_of(FLOAT32, extents[0] * extents[2]),
        "c": FLOAT32,
    }
    made = f"join (map (λxs. {dot}) ({rows}))"
    return parse(after.format(made) if after else made, types, names)


def derived(e, sizes=None, **choices):
    candidates = Candidates.of(e)
    configuration = {**candidates.default_of("product_warp_tiles", H200, sizes or {}), **choices}
    assert candidates.refused(configuration, H200, sizes or {}) is None
    low = candidates.derive(configuration).result
    verify_low_level(low)
    return low


def given(m, k, n, turned):
    rng = np.random.default_rng(0)
    x, y = rng.standard_normal((m, k)).astype(np.float32), rng.standard_normal((k, n)).astype(np.float32)
    inputs = {"a0": x.T if "a0" in turned else x, "a1": y.T if "a1" in turned else y}
    exact = rounded_to_tf32(x).astype(np.float64) @ rounded_to_tf32(y).astype(np.float64)
    return {name: np.ascontiguousarray(a).reshape(-1) for name, a in inputs.items()}, exact


@pytest.mark.parametrize("choices", [SMALL, PACKED], ids=["in place", "packed"])
@pytest.mark.parametrize("turned", ["", "a0", "a1", "a0 a1"])
@pytest.mark.parametrize("extents", [(32, 16, 32), (64, 48, 32), (33, 17, 31), (1, 1, 1), (70, 50, 66)])
def test_a_product_is_the_same_whatever_its_extents_are_and_its_operands_lie(extents, turned, choices):
    inputs, exact = given(*extents, turned)
    low = derived(product(*extents, turned), **choices)
    found = interpret(low, inputs).reshape(exact.shape)
    np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-4)
    assert "MMA(" in generate(low).source


@pytest.mark.parametrize(
    "choices",
    [
        {"down": 1, "across": 4, "columns": 32},
        {"down": 4, "across": 1, "chunk": 8},
        {"rows": 32, "chunk": 32, "copied": 4, "ahead": 1},
        {"rows": 64, "columns": 64, "copied": 4, "ahead": 2},
        {"rows_turned": 0, "columns_turned": 1},
        {"packed": 1, "down": 1, "across": 4, "columns": 32},
        {"packed": 1, "rows": 64, "columns": 64, "copied": 4, "ahead": 2},
        {"packed": 1, "rows": 32, "columns": 32, "chunk": 16, "copied": 4, "ahead": 1},
        {"packed": 1, "rows": 32, "chunk": 32, "copied": 4, "ahead": 2},
        {"packed": 1, "rows": 64, "columns": 32, "copied": 4, "ahead": 3},
        {"packed": 1, "chunk": 32, "copied": 4, "ahead": 3},
    ],
)
def test_so_are_all_tiles(choices):
    inputs, exact = given(128, 64, 128, "")
    low = derived(product(128, 64, 128), **SMALL | choices)
    np.testing.assert_allclose(interpret(low, inputs).reshape(exact.shape), exact, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("choices", [SMALL, PACKED], ids=["in place", "packed"])
def test_extents_may_be_symbols(choices):
    low = derived(product("m", "k", "n"), {"m": 64, "k": 64, "n": 64}, **choices)
    for m, k, n in ((33, 17, 31), (64, 32, 64), (1, 5, 2)):
        inputs, exact = given(m, k, n, "")
        found = interpret(low, inputs, {"m": m, "k": k, "n": n}).reshape(exact.shape)
        np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-4)


@pytest.mark.parametrize("copied", [1, 4])
def test_rows_and_columns_are_loaded_ahead_without_a_test_where_there_are_some(copied):
    """Zeros fill up tiles of extents that are symbols; what copies them declares indices that nobody needs, too."""
    choices = SMALL | {"rows": 32, "columns": 32, "chunk": 32, "copied": copied, "ahead": 2, "down": 1}
    low = derived(product("m", "k", "n", least=1), {"m": 128, "k": 128, "n": 128}, **choices)
    for m, k, n in ((36, 20, 28), (4, 4, 8)):
        inputs, exact = given(m, k, n, "")
        found = interpret(low, inputs, {"m": m // 4, "k": k // 4, "n": n // 4}).reshape(exact.shape)
        np.testing.assert_allclose(found, exact, rtol=1e-5, atol=1e-4)
    program = generate(low, alignment=16)
    loads = re.findall(r"^ +ahead([01])\[\d+\] = (.*?)\ba[01]\b(.*);$", program.source, re.MULTILINE)
    assert not program.unheeded
    assert {array for array, _, _ in loads} == {"0", "1"}
    assert all("?" not in before and "?" in place for _, before, place in loads)
    assert "masked0" not in program.source


@pytest.mark.parametrize("factor", ["exp p.1 / p.1", "p.1 * c"])
def test_chunks_are_filled_up_only_where_zeros_add_nothing(factor):
    """Infinity times zero is no zero, so that another schedule computes what is no multiple of a chunk."""
    for k, found in ((48, False), (64, True), ("k", False), (0, False)):
        candidates = Candidates.of(product(64, k, 64, term=f"round_to_tf32 p.0 * round_to_tf32 ({factor})"))
        assert ("product_warp_tiles" in {s.name for s in candidates.schedules}) == found
        candidates.derive(candidates.default(H200, {"k": 64}))


@pytest.mark.slow
@pytest.mark.parametrize(("choices", "kernels"), [(SMALL, 1), (PACKED, 2)], ids=["in place", "packed"])
@pytest.mark.parametrize("beside", [True, False])
def test_what_is_done_with_its_elements_is_done_in_the_same_kernel(choices, kernels, beside):
    after = (
        "map (λp. maximum(p.0 + p.1, 0.0:float32)) (zip({}, bias))"
        if beside
        else "map (λx. maximum(x, 0.0:float32)) ({})"
    )
    inputs, exact = given(40, 24, 48, "")
    bias = beside * np.random.default_rng(1).standard_normal(40 * 48).astype(np.float32)
    low = derived(product(40, 24, 48, after=after), **choices)
    assert len(generate(low).kernels) == kernels
    found = interpret(low, {**inputs, "bias": bias}).reshape(exact.shape)
    np.testing.assert_allclose(found, np.maximum(exact + bias.reshape(exact.shape), 0), rtol=1e-5, atol=1e-4)


def test_numbers_are_rounded_once_on_their_way_to_local_memory():
    source = generate(derived(product(256, 256, 256), packed=0)).source
    copies = [line for line in source.splitlines() if "round_to_tf32" in line and "__global" in line]
    assert len(copies) > 1
    assert not [line for line in source.splitlines() if "MMA(" in line and "round_to_tf32" in line]


def test_the_next_chunk_is_loaded_ahead():
    program = generate(derived(product(4096, 4096, 4096), packed=0))
    assert NOT_STAGED not in program.unheeded
    assert "ahead0[" in program.source


@pytest.mark.slow
def test_packed_factors_are_rounded_before_and_copied_past_the_registers():
    program = generate(derived(product("m", "k", "n"), dict.fromkeys("mkn", 4096)), alignment=16)
    *packing, tiles = program.source.split("__kernel")[1:]
    assert not program.unheeded
    assert len(packing) == 1
    assert all("round_to_tf32" in source for source in packing)
    assert "round_to_tf32" not in tiles
    assert "cut_to_tf32" not in tiles
    assert tiles.count("COPY_AHEAD_16(") == 3 * 8
    turn = tiles.partition("for (")[2].partition("MMA(")[0]
    assert " < m" not in turn and " < n" not in turn, "tiles are whole"


def test_no_copies_ahead_are_asked_for_that_are_not_made():
    candidates = Candidates.of(product(128, 64, 128))
    for copied, ahead in ((1, 0), (1, 1), (2, 0), (2, 2), (4, 0), (4, 1), (4, 2)):
        choices = {**candidates.default_of("product_warp_tiles", H200, {}), **PACKED, "copied": copied, "ahead": ahead}
        if candidates.refused(choices, H200, {}) is None:
            assert not generate(candidates.derive(choices).result, alignment=16).unheeded
        else:
            assert ahead
            assert copied < MMA_HELD


def test_a_lane_reads_what_it_hands_over_as_vectors():
    source = generate(derived(product(4096, 4096, 4096)), alignment=16).source
    assert source.count("float4 row") == source.count("float4 column") == 2 * 4
    assert "MMA(kept0[0], kept0[1], kept0[2], kept0[3], row0.s0, row0.s1, row0.s2, row0.s3, column0.s0," in source


def test_each_warp_is_a_row_of_work_items():
    *_, kernel = generate(derived(product(4096, 4096, 4096))).kernels
    assert kernel.launch.local == (32, 2, 2)


def test_it_is_for_devices_with_tensor_cores_alone():
    candidates = Candidates.of(product(1024, 1024, 1024))
    assert candidates.default(H200, {})["schedule"] == "product_warp_tiles"
    for machine in (GPU, CPU):
        configuration = candidates.default_of("product_warp_tiles", machine, {})
        assert candidates.refused(configuration, machine, {}).reason == "tensor cores"
        assert candidates.default(machine, {})["schedule"] != "product_warp_tiles"


@pytest.mark.parametrize(
    "term",
    ["p.0 * p.1", "round_to_tf32 p.0 * p.1", "round_to_tf32 p.0 + round_to_tf32 p.1", "round_to_tf32 (p.0 * p.1)"],
)
def test_it_is_not_for_other_products(term):
    names = [schedule.name for schedule in Candidates.of(product(64, 64, 64, term=term)).schedules]
    assert "product_warp_tiles" not in names
    assert "product_warp_tiles" in [s.name for s in Candidates.of(product(64, 64, 64)).schedules]


def test_small_results_are_cut_into_smaller_tiles():
    def tile(n):
        chosen = Candidates.of(product(n, n, n)).default(H200, {})
        return chosen["down"] * chosen["rows"], chosen["across"] * chosen["columns"]

    assert tile(4096) == (128, 128)
    assert tile(2048) == (128, 64)
    assert tile(1536) == tile(1280) == (128, 64)
    assert tile(1152) == (64, 64)
    warps = [Candidates.of(product(n, n, n)).default(H200, {})["across"] for n in (2048, 1792, 1280)]
    assert warps == [1, 2, 2]
    packed = [Candidates.of(product(n, n, n)).default(H200, {})["packed"] for n in (4096, 2048, 1280, 1024, 256)]
    assert packed == [1, 1, 1, 0, 0]
    assert tile(1024) == (64, 128)
    assert tile(256)[0] < 64


@pytest.mark.parametrize("odd", ["m", "k", "n"])
def test_factors_that_no_vectors_read_are_packed_at_smaller_sizes(odd):
    def chosen(n):
        extents = [n + (name == odd) for name in "mkn"]
        return Candidates.of(product(*extents)).default(H200, {})

    tiles = [(c["down"] * c["rows"], c["across"] * c["columns"]) for c in map(chosen, (4096, 2044, 1000, 500, 332))]
    assert tiles == [(128, 128), (128, 64), (64, 64), (64, 32), (32, 32)]
    assert [chosen(n)["packed"] for n in (4096, 1000, 332, 260, 200, 64)] == [1, 1, 1, 1, 0, 0]


@pytest.mark.slow
def test_tiles_of_packed_factors_take_no_tests_whatever_the_extents_are():
    """What is copied ahead is a vector each, and only the packing and the last stores ask for the end."""
    candidates = Candidates.of(product("m", "k", "n"))
    for extent in (1001, 501, 333):
        configuration = candidates.default(H200, dict.fromkeys("mkn", extent))
        assert configuration["packed"]
        assert candidates.refused(configuration, H200, dict.fromkeys("mkn", extent)) is None
        program = generate(candidates.derive(configuration).result, alignment=16)
        assert not program.unheeded
        *_, tiles = program.source.split("__kernel")
        turn = tiles.partition("for (")[2].partition("COPIES_AHEAD_WAIT(0)")[0]
        assert "COPY_AHEAD_16(" in turn
        assert " < m" not in turn and " < n" not in turn


def test_the_model_says_how_long_any_schedule_of_such_products_takes():
    """Also where it is not known how many bytes of an array groups touch together."""
    n = var("n", 1)
    text = f"join (map (λxs. join (map (λys. reduce (+) 0.0:float32 (map (λp. {TERM}) (zip(xs, ys)))) yss)) xss)"
    text = text.replace("yss", "(transpose (split n a1))").replace("xss", "(split n a0)")
    e = parse(text, dict.fromkeys(("a0", "a1"), array_of(FLOAT32, n * n)), {"n": n})
    choices = {"down": 8, "across": 16, "rows": 4, "columns": 8, "width": 2, "chunk": 8, "apart": 0, "copied": 2}
    turned = {"rows_turned": 1, "columns_turned": 1, "unrolled": 0, "ahead": 0, "fused": 0}
    low = Candidates.of(e).derive({"schedule": "product_tile_parts", "parts": 64, **choices, **turned}).result
    assert estimate(low, H200, {"n": 1024})


def test_packed_factors_have_no_more_elements_than_indices_of_32_bits_count():
    """At any size of the class, filled up to whole tiles."""
    candidates = Candidates.of(product("m", "k", "n"))
    for extent, packed in ((4096, 1), (16383, 1), (16384, 0)):
        sizes = dict.fromkeys("mkn", extent)
        assert candidates.default_of("product_warp_tiles", H200, sizes)["packed"] == packed
    few = {"m": 16, "k": 1 << 22, "n": 4096}  # 2^26 elements, which whole tiles make 2^29, or 2^31 in this class
    for choices, refused in ((PACKED | {"rows": 64}, True), (SMALL | {"rows": 64}, False)):
        configuration = {**candidates.default_of("product_warp_tiles", H200, few), **choices}
        found = candidates.refused(configuration, H200, few)
        assert (found is not None and found.reason == "elements of a factor") == refused
