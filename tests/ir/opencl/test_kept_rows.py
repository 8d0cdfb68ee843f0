# ruff: noqa: E501  # an expression reads best on one line
"""Maps over rows whose work-items keep the row in registers: right for every length, each element read once."""

from __future__ import annotations

from typing import Any

import pytest

from ir.core.notation.parser import parse
from ir.core.types import FLOAT32, FLOAT64, ScalarType, array_of
from ir.core.verify import verify_low_level
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import CPU, GPU, M, N

MAXIMUM = "element 0 (reduce maximum (-inf) r)"
ROWS = {
    "softmax": f"join (map (λr. map (λx. exp (x - {MAXIMUM}) / (element 0 (reduce (+) 0 (map (λy. exp (y - {MAXIMUM})) r)))) r) (split m xs))",
    "centred": "join (map (λr. map (λx. x - (element 0 (reduce (+) 0 r))) r) (split m xs))",
    "scaled": "join (map (λr. map (λ(x, y). x * y - (element 0 (reduce (+) 0 (map (*) (zip(r, ys)))))) (zip(r, ys))) (split m xs))",
    "of_two": "join (map (λ(r, s). map (λ(x, y). x - y + (element 0 (reduce maximum (-inf) r))) (zip(r, s))) (zip(split m xs, split m zs)))",
}  # fmt: skip
CHOICES = [{"local": 32, "kept": 4}, {"local": 64, "kept": 8}, {"local": 32, "kept": 32}]
LENGTHS = [1, 31, 70, 128, 129, 300, 1030]


def candidates_of(name: str, t: ScalarType = FLOAT32) -> Candidates:
    inputs = {"xs": array_of(t, N * M), "ys": array_of(t, M), "zs": array_of(t, N * M)}
    return Candidates.of(parse(ROWS[name], inputs, {"n": N, "m": M}))


def run(device: Device, name: str, choices: dict[str, int], *lengths: int) -> None:
    candidates = candidates_of(name)
    low = candidates.derive({"schedule": "mapped_row_kept", **choices}).result
    verify_low_level(low)
    check(device, candidates.start.start, low, *({"n": 3, "m": m} for m in lengths), exact=name != "softmax")


@pytest.mark.parametrize("choices", CHOICES, ids=str)
@pytest.mark.parametrize("name", ROWS)
def test_results_of_any_length(name: str, choices: dict[str, int], device: Device) -> None:
    run(device, name, choices, *LENGTHS)


@pytest.mark.parametrize("name", ["softmax", "centred"])
def test_what_is_kept_is_read_once(name: str) -> None:
    program = generate(candidates_of(name).derive({"schedule": "mapped_row_kept", "local": 32, "kept": 4}).result)
    lines = [line for line in program.source.splitlines() if "xs[" in line]
    kept = [line for line in lines if line.strip().startswith("kept")]
    assert len(kept) == 4
    assert program.source.count("exp(") == (4 + 2 if name == "softmax" else 0)  # and of what is left, each time
    assert "reqd_work_group_size(32, 1, 1)" in program.source


@pytest.mark.parametrize(
    ("name", "m", "t", "expected"),
    [
        ("softmax", 16384, FLOAT32, {"schedule": "mapped_row_kept", "local": 512, "kept": 32}),
        ("softmax", 4096, FLOAT32, {"schedule": "mapped_row_kept", "local": 256, "kept": 16}),
        ("softmax", 2049, FLOAT32, {"schedule": "mapped_row_kept", "local": 128, "kept": 16}),  # one is read again
        ("softmax", 3000, FLOAT32, {"schedule": "mapped_row_kept", "local": 128, "kept": 24}),
        ("softmax", 500, FLOAT32, {"schedule": "mapped_row_tree"}),  # short
        ("softmax", 18000, FLOAT32, {"schedule": "mapped_row_tree"}),  # more than is kept
        ("of_two", 16384, FLOAT64, {"schedule": "mapped_row_tree"}),  # takes too many registers
    ],
)
def test_long_rows_are_kept_by_default(name: str, m: int, t: ScalarType, expected: dict[str, Any]) -> None:
    candidates, sizes = candidates_of(name, t), {"n": 1000, "m": m}
    chosen = candidates.default(GPU, sizes)
    assert {**chosen, **expected} == chosen
    assert candidates.refused(chosen, GPU, sizes) is None
    assert candidates.default(CPU, sizes)["schedule"] == "mapped_row_group"


def run_under_the_simulator(name: str) -> None:
    """One expression, on the default device; called in a process of its own."""
    device = default_device()
    assert device.simulator
    run(device, name, CHOICES[0], 131)


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize("name", ROWS)
def test_a_simulator_finds_nothing_wrong(name: str) -> None:
    code = f"from tests.ir.opencl.test_kept_rows import run_under_the_simulator as run\nrun({name!r})"
    assert oclgrind.run(code, timeout=600) == ""
