# ruff: noqa: E501  # an expression reads best on one line
"""Reductions of short rows, several of which a work-group has: right for every length and number of rows."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ir.core.notation.parser import parse
from ir.core.sizes import Size, var
from ir.core.types import FLOAT32, array_of
from ir.core.verify import verify_low_level
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from lazyarr.runtime import Device
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import CPU, GPU, M, N

ROWS = {
    "sum": "join (map (λr. reduce (+) 0 r) (split m xs))",
    "maximum": "join (map (λr. reduce maximum (-inf) r) (split m xs))",
    "product with a vector": "join (map (λr. reduce (+) 0 (map (*) (zip(r, ys)))) (split m xs))",
    "distances from the mean": "join (map (λr. reduce (+) 0 (map (λx. (x - element 0 (reduce (+) 0 r)) * (x - element 0 (reduce (+) 0 r))) r)) (split m xs))",
    "of a sum's half": "map (λs. s / 2) (join (map (λr. reduce (+) 0 r) (split m xs)))",
}  # fmt: skip
CHOICES = [(8, 4, 4), (2, 16, 16), (16, 8, 2), (32, 4, 1)]


IN_VECTORS = [(4, 8, 8, 4), (2, 8, 16, 2), (32, 4, 1, 4)]
K = var("k", 1)


def candidates_of(text: str, m: Size = M) -> Candidates:
    return Candidates.of(parse(text, {"xs": array_of(FLOAT32, N * m), "ys": array_of(FLOAT32, m)}, {"n": N, "m": m}))


@pytest.mark.parametrize("choices", CHOICES, ids=str)
@pytest.mark.parametrize("text", ROWS.values(), ids=ROWS)
def test_results_of_any_length_and_number(text: str, choices: tuple[int, int, int], device: Device) -> None:
    candidates = candidates_of(text)
    own = dict(zip(("local", "kept", "rows"), choices, strict=True))
    low = candidates.derive({"schedule": "row_shares", **own}).result
    verify_low_level(low)
    sizes = [{"n": n, "m": m} for m in (1, 7, 32, 33, 129) for n in (1, choices[2], 2 * choices[2] + 3)]
    check(device, candidates.start.start, low, *sizes, exact="mean" not in text)


@pytest.mark.parametrize("choices", IN_VECTORS, ids=str)
@pytest.mark.parametrize("text", ROWS.values(), ids=ROWS)
def test_results_of_rows_in_vectors(text: str, choices: tuple[int, int, int, int], device: Device) -> None:
    candidates = candidates_of(text, 4 * K)
    own = dict(zip(("local", "kept", "rows", "width"), choices, strict=True))
    low = candidates.derive({"schedule": "row_shares", **own}).result
    verify_low_level(low)
    assert f"*(__global const float{choices[3]}*)(xs" in generate(low, alignment=128).source
    sizes = [{"n": n, "k": k} for k in (1, 3, 8, 9, 33) for n in (1, choices[2], 2 * choices[2] + 3)]
    check(device, candidates.start.start, low, *sizes, exact="mean" not in text)


def test_each_element_is_read_before_one_is_folded() -> None:
    source = generate(
        candidates_of(ROWS["maximum"]).derive({"schedule": "row_shares", "local": 8, "kept": 4, "rows": 8}).result
    ).source
    assert "reqd_work_group_size(8, 8, 1)" in source
    lines = [line.strip() for line in source.splitlines() if "xs[" in line]
    assert [line.split("[")[0] for line in lines[:4]] == ["kept0"] * 4


def test_the_local_memory_of_all_rows_of_a_group_is_counted() -> None:
    candidates, sizes = candidates_of(ROWS["sum"]), {"n": 10_000, "m": 256}
    machine = replace(GPU, local_memory_bytes=8 << 10, max_work_group_size=1024)
    refused = {
        rows: candidates.refused({"schedule": "row_shares", "local": 8, "kept": 16, "rows": rows}, machine, sizes)
        for rows in (16, 64)
    }
    assert refused[16] is None
    assert refused[64] is not None and refused[64].reason == "bytes of local memory"


@pytest.mark.parametrize(
    ("rows", "columns", "expected"),
    [
        (100_000, 8, "row_grid"),
        (100_000, 16, "row_shares"),
        (100_000, 100, "row_shares"),
        (10_000, 1536, "row_shares"),
        (10_000, 5000, "row_tree"),
    ],
)
def test_short_rows_of_a_gpu_are_shared_by_default(rows: int, columns: int, expected: str) -> None:
    candidates, sizes = candidates_of(ROWS["sum"]), {"n": rows, "m": columns}
    chosen = candidates.default(GPU, sizes)
    assert chosen["schedule"] == expected
    assert candidates.refused(chosen, GPU, sizes) is None
    assert candidates.default(CPU, sizes)["schedule"] != "row_shares"
