# ruff: noqa: E501  # an expression reads best on one line
"""Maps over rows whose work-items keep the row in registers: right for every length, each element read once."""

from __future__ import annotations

from itertools import product
from typing import Any
from unittest.mock import Mock

import pytest

from ir.core.expr import substitute
from ir.core.notation.parser import parse
from ir.core.sizes import Size, var
from ir.core.types import FLOAT32, FLOAT64, ScalarType, array_of
from ir.core.verify import verify_low_level
from ir.opencl.generate import generate
from ir.rewrite.strategy import use
from ir.rules.maps import shares
from ir.schedules.candidates import Candidates
from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import CPU, GPU, M, N

MAXIMUM = "element 0 (reduce maximum (-inf) r)"
SUM = "element 0 (reduce (+) 0 r)"
ROWS = {
    "softmax": f"join (map (λr. map (λx. exp (x - {MAXIMUM}) / (element 0 (reduce (+) 0 (map (λy. exp (y - {MAXIMUM})) r)))) r) (split m xs))",
    "centred": "join (map (λr. map (λx. x - (element 0 (reduce (+) 0 r))) r) (split m xs))",
    "scaled": "join (map (λr. map (λ(x, y). x * y - (element 0 (reduce (+) 0 (map (*) (zip(r, ys)))))) (zip(r, ys))) (split m xs))",
    "wider": "join (map (λr. map (λx. exp (float64 x) / (element 0 (reduce (+) 0 (map (λy. exp (float64 y)) r)))) r) (split m xs))",
    "norm": f"join (map (λr. map (λx. (x - {SUM}) / (element 0 (reduce (+) 0 (map (λy. (y - {SUM}) * (y - {SUM})) r)))) r) (split m xs))",
    "of_two": "join (map (λ(r, s). map (λ(x, y). x - y + (element 0 (reduce maximum (-inf) r))) (zip(r, s))) (zip(split m xs, split m zs)))",
    "of_three": "join (map (λ(r, s, t). map (λ(x, y, z). x - y + z + (element 0 (reduce (+) 0 r))) (zip(r, s, t))) (zip(split m xs, split m zs, split m ws)))",
}  # fmt: skip


def of(items: int, elements: int, rows: int = 1, width: int = 0) -> dict[str, Any]:
    found = {"schedule": "mapped_row_kept", "local": items, "kept": elements, "rows": rows}
    return found | ({"width": width} if width else {})


CHOICES = [of(32, 4), of(64, 8), of(32, 32), of(8, 4, 4), of(2, 16, 16), of(32, 4, 2)]
LENGTHS = [1, 31, 70, 128, 129, 300, 1030]


IN_VECTORS = [of(4, 8, 8, 4), of(2, 8, 32, 2), of(2, 16, 16, 4), of(32, 4, 1, 4)]
K = var("k", 1)


def candidates_of(name: str, t: ScalarType = FLOAT32, m: Size = M) -> Candidates:
    inputs = {"xs": array_of(t, N * m), "ys": array_of(t, m), "zs": array_of(t, N * m), "ws": array_of(t, N * m)}
    return Candidates.of(parse(ROWS[name], inputs, {"n": N, "m": m}))


def run(device: Device, name: str, choices: dict[str, int], *lengths: int, factor: int = 1) -> None:
    candidates = candidates_of(name) if factor == 1 else candidates_of(name, m=factor * K)
    low = candidates.derive(choices).result
    verify_low_level(low)
    check(
        device,
        candidates.start.start,
        low,
        *({"n": n, "m": m, "k": m // factor} for m in lengths for n in ((3,) if choices["rows"] == 1 else (3, 16, 21))),
        exact=name not in ("softmax", "wider", "norm"),
    )


@pytest.mark.parametrize("choices", CHOICES, ids=str)
@pytest.mark.parametrize("name", ROWS)
def test_results_of_any_length(name: str, choices: dict[str, int], device: Device) -> None:
    run(device, name, choices, *LENGTHS)


@pytest.mark.parametrize("choices", IN_VECTORS, ids=str)
@pytest.mark.parametrize("name", ROWS)
def test_results_of_rows_in_vectors(name: str, choices: dict[str, int], device: Device) -> None:
    run(device, name, choices, 4, 12, 32, 36, 132, 400, factor=4)


@pytest.mark.parametrize("name", ["softmax", "of_three"])
def test_vectors_are_read_and_written_where_lengths_are_their_multiples(name: str) -> None:
    candidates = candidates_of(name, m=16 * K)
    program = generate(candidates.derive(of(4, 8, 32, 4)).result, alignment=128)
    lines = [line.strip() for line in program.source.splitlines() if "kept0[" in line and "xs + " in line]
    assert len(lines) == 4  # of whole groups, and of the rest
    assert all("*(__global const float4*)(xs + " in line for line in lines)
    assert program.source.count("*(__global float4*)(result") == 4
    names = {p.name: p.values for p in candidates.schedule("mapped_row_kept").parameters(candidates.normal)}
    assert names["width"] == (1, 2, 4)


def test_rows_of_unknown_alignment_or_that_lie_apart_are_read_one_by_one() -> None:
    apart = "join (map (λr. map (λx. x - (element 0 (reduce (+) 0 r))) r) (transpose (split n xs)))"
    inputs = {"xs": array_of(FLOAT32, N * 16 * K)}
    for candidates in (candidates_of("centred"), Candidates.of(parse(apart, inputs, {"n": N, "m": 16 * K}))):
        names = [p.name for p in candidates.schedule("mapped_row_kept").parameters(candidates.normal)]
        assert "width" not in names


@pytest.mark.parametrize(
    ("m", "expected"), [(16, of(2, 8, 64, 4)), (32, of(4, 8, 32, 4)), (48, of(8, 8, 16, 1)), (64, of(8, 8, 16, 1))]
)
def test_short_rows_are_read_in_vectors_by_default(m: int, expected: dict[str, Any]) -> None:
    candidates = candidates_of("softmax", m=16 * K)
    assert candidates.default(GPU, {"n": 100_000, "k": m // 16}) == expected


@pytest.mark.parametrize("name", ["softmax", "centred"])
def test_what_is_kept_is_read_once(name: str) -> None:
    program = generate(candidates_of(name).derive(of(32, 4)).result)
    lines = [line for line in program.source.splitlines() if "xs[" in line]
    kept = [line for line in lines if line.strip().startswith("kept")]
    assert len(kept) == 4
    assert program.source.count("exp(") == (4 + 2 if name == "softmax" else 0)  # and of what is left, each time
    assert "reqd_work_group_size(32, 1, 1)" in program.source


@pytest.mark.parametrize(
    ("name", "m", "t", "expected"),
    [
        ("softmax", 16384, FLOAT32, of(512, 32)),
        ("softmax", 4096, FLOAT32, of(256, 16)),
        ("softmax", 2049, FLOAT32, of(128, 16)),  # one is read again
        ("softmax", 3000, FLOAT32, of(128, 24)),
        ("softmax", 500, FLOAT32, of(32, 16, 4)),
        ("softmax", 100, FLOAT32, of(8, 16, 16)),  # several rows in a group
        ("softmax", 8, FLOAT32, of(2, 4, 64)),
        ("softmax", 1000, FLOAT32, of(64, 16, 2)),
        ("softmax", 18000, FLOAT32, {"schedule": "mapped_row_tree"}),  # more than is kept
        ("of_two", 16384, FLOAT64, {"schedule": "mapped_row_tree"}),  # takes too many registers
        ("softmax", 16384, FLOAT64, of(512, 32)),  # in place of the row
        ("wider", 16384, FLOAT32, {"schedule": "mapped_row_kept"}),
        ("of_three", 16384, ScalarType("int8"), {"schedule": "mapped_row_tree"}),  # each in a register of its own
        ("norm", 8192, FLOAT64, of(256, 32)),  # more does not fit
        ("norm", 16384, FLOAT64, {"schedule": "mapped_row_tree", "local": 256}),
    ],
)
def test_long_rows_are_kept_by_default(name: str, m: int, t: ScalarType, expected: dict[str, Any]) -> None:
    candidates, sizes = candidates_of(name, t), {"n": 1000, "m": m}
    chosen = candidates.default(GPU, sizes)
    assert {**chosen, **expected} == chosen
    assert candidates.refused(chosen, GPU, sizes) is None
    assert candidates.default(CPU, sizes)["schedule"] == "mapped_row_group"


GENERATED = "map float32 (generate int32 m (λi. i))"
NOT_KEPT = {
    "elements_with_reductions": "join (map (λr. map (λx. (element 0 (reduce (+) 0 (map (λz. z * x) ys))) - (element 0 (reduce (+) 0 r))) r) (split m xs))",
    "generated": f"join (map (λr. map (λx. x - (element 0 (reduce (+) 0 ({GENERATED})))) ({GENERATED})) (split m xs))",
    "number_of_row": f"join (map (λr. map (λx. x - (element 0 r) * (element 0 (reduce (+) 0 ({GENERATED})))) ({GENERATED})) (split m xs))",
    "same_for_all": "join (map (λr. map (λx. x - (element 0 r) * (element 0 (reduce (+) 0 ys))) ys) (split m xs))",
}  # fmt: skip


@pytest.mark.parametrize("text", NOT_KEPT.values(), ids=NOT_KEPT)
def test_what_is_no_row_to_be_kept_has_defaults_that_can_be_derived(text: str, device: Device) -> None:
    inputs = {"xs": array_of(FLOAT32, N * M), "ys": array_of(FLOAT32, M)}
    candidates = Candidates.of(parse(text, inputs, {"n": N, "m": M}))
    names, sizes = [schedule.name for schedule in candidates.schedules], {"n": 1000, "m": 1000}
    assert "mapped_row_kept" not in names
    for name, machine in product(names, (CPU, GPU)):
        low = candidates.derive(candidates.default_of(name, machine, sizes)).result
        verify_low_level(low)
        check(device, candidates.start.start, low, *({"n": 3, "m": m} for m in (1, 70)), exact=True)
    for machine in (CPU, GPU):
        assert candidates.refused(candidates.default(machine, sizes), machine, sizes) is None


def test_reductions_that_other_reductions_of_a_row_need_are_of_the_row() -> None:
    text = "join (map (λr. map (λx. x - (element 0 (reduce (+) 0 (map (λy. element 0 (reduce (+) 0 (map (λz. z * y) ys))) r)))) r) (split m xs))"
    candidates = Candidates.of(
        parse(text, {"xs": array_of(FLOAT32, N * M), "ys": array_of(FLOAT32, M)}, {"n": N, "m": M})
    )
    assert [schedule.name for schedule in candidates.schedules] == ["nest"]


def test_what_all_rows_have_in_common_is_made_by_groups_of_one_row() -> None:
    text = "join (map (λr. map (λ(x, y). x - (element 0 (reduce (+) 0 ys)) * (element 0 (reduce (+) 0 r))) (zip(r, ys))) (split m xs))"
    candidates = Candidates.of(
        parse(text, {"xs": array_of(FLOAT32, N * M), "ys": array_of(FLOAT32, M)}, {"n": N, "m": M})
    )
    sizes = {"n": 1000, "m": 100}
    assert (
        max(
            next(
                p.values
                for p in candidates.schedule("mapped_row_kept").parameters(candidates.normal)
                if p.name == "rows"
            )
        )
        == 1
    )
    chosen = candidates.default(GPU, sizes)
    assert candidates.refused(chosen, GPU, sizes) is None
    verify_low_level(candidates.derive(chosen).result)


def test_what_uses_have_in_common_is_found_in_one_pass(monkeypatch: pytest.MonkeyPatch) -> None:
    counted = Mock(wraps=substitute)
    monkeypatch.setattr(shares, "substitute", counted)
    for steps in (3, 300):
        chain = "".join(f"let t{i + 1} = t{i} * 2 + x in " for i in range(steps))
        text = f"map (λx. x - (element 0 (reduce (+) 0 (map (λx. let t0 = x in {chain}t{steps}) xs)))) xs"
        assert use(shares.row_in_common)(parse(text, {"xs": array_of(FLOAT32, N)}, {"n": N}), ()) is None
    assert counted.call_count == 2


def run_under_the_simulator(name: str) -> None:
    """One expression, on the default device; called in a process of its own."""
    device = default_device()
    assert device.simulator
    run(device, name, CHOICES[0], 131)
    run(device, name, of(8, 4, 2), 37)


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize("name", ROWS)
def test_a_simulator_finds_nothing_wrong(name: str) -> None:
    code = f"from tests.ir.opencl.test_kept_rows import run_under_the_simulator as run\nrun({name!r})"
    assert oclgrind.run(code, timeout=600) == ""
