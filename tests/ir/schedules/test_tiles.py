# ruff: noqa: E501  # an expression reads best on one line
"""Tiles of arrays that are read with their dimensions exchanged: which are found, and what becomes of them."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir.core.expr import Expr, postorder
from ir.core.notation.parser import parse
from ir.core.patterns import Memory
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT32, INT32, array_of
from ir.core.verify import verify_low_level
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from ir.schedules.strides import Exchange, exchange_of
from tests.ir import values
from tests.ir.schedules.zoo import CPU, GPU, MAPS, Case, K, M, N

TYPES = {
    "nm": array_of(FLOAT32, N * M), "mn": array_of(FLOAT32, N * M), "xss": array_of(FLOAT32, N, M),
    "ys": array_of(FLOAT32, N), "nmk": array_of(FLOAT32, N * M * K), "n4": array_of(FLOAT32, N * 4),
}  # fmt: skip
_flat = array_of(FLOAT32, N * M)
_cube = array_of(FLOAT32, N * M * K)
CASES = [
    Case("exchanged", "map (λx. x) (join (transpose (split m xs)))", {"xs": _flat}),
    Case("exchanged_pairs", "map (λ(x, y). (y, x)) (join (transpose (split m (zip(xs, ys)))))", {"xs": _flat, "ys": array_of(INT32, N * M)}),
    Case("exchanged_two", "map (λ(x, y, z). x * z - y) (zip(join (transpose (split m xs)), zs, join (transpose (split m ys))))", {"xs": _flat, "ys": _flat, "zs": _flat}),
    Case("inner_exchanged", "map abs (join (map (λx. join (transpose (split m x))) (split (k*m) xs)))", {"xs": _cube}),
    Case("outer_exchanged", "map abs (join (map (λx. join (transpose (split m x))) (transpose (split k xs))))", {"xs": _cube}),
    *(case for case in MAPS if case.name in ("exchanged_plus", "both_exchanged")),
]  # fmt: skip
CHOICES = [
    {"schedule": "tiles", "rows": 8, "columns": 16, "strips": 1, "width": 4},
    {"schedule": "tiles", "rows": 16, "columns": 4, "strips": 4, "width": 1},
    {"schedule": "local_tiles", "side": 16, "each": 4, "pad": 1},
    {"schedule": "local_tiles", "side": 16, "each": 1, "pad": 0},
]
ONE = N // N


def derived(case: Case, configuration: dict[str, int | str]) -> Expr | None:
    """The low-level expression of a case; None where the schedule does not match it."""
    candidates = Candidates.of(case.expr)
    if all(schedule.name != configuration["schedule"] for schedule in candidates.schedules):
        return None
    return candidates.derive(candidates.normalised(configuration)).result


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("join (transpose (split m nm))", Exchange(ONE, M, ONE, N)),
        ("join (transpose xss)", Exchange(ONE, M, ONE, N)),
        ("zip(nm, join (transpose (split n mn)))", Exchange(ONE, N, ONE, M)),
        ("join (transpose (split m (zip(nm, mn))))", Exchange(ONE, M, ONE, N)),
        ("join (map (λx. join (transpose (split m x))) (split (k*m) nmk))", Exchange(N, M, ONE, K)),
        ("join (map (λx. join (transpose (split m x))) (transpose (split k nmk)))", Exchange(ONE, K, M, N)),
        ("join (join (transpose (map (split k) (split (m*k) nmk))))", None),  # rows stay rows
        ("join (transpose (slice 1 2 3 (split m nm)))", Exchange(ONE, M, ONE, ONE + 2)),
        ("join (transpose (map (slice 1 2 3) (split m nm)))", Exchange(ONE, ONE + 2, ONE, N)),
        ("join (transpose (split 4 n4))", Exchange(ONE, 4 * ONE, ONE, N)),
        ("join (split 2 (slice 0 2 (2*n) n4))", None),
        ("join (transpose (repeat m ys))", None),
        ("join (transpose (join (repeat 2 xss)))", Exchange(ONE, M, 2 * ONE, N)),
        ("join (transpose (map (map abs) xss))", None),  # no view
        ("join (transpose (transpose (split m nm)))", None),
        ("nm", None),
        ("gather nm (generate int64 n (λi. i * 2 % 7))", None),
    ],
)
def test_exchanges_are_found(text, expected):
    assert exchange_of(parse(text, TYPES, {"n": N, "m": M, "k": K})) == expected


@pytest.mark.parametrize("case", CASES, ids=str)
@settings(max_examples=20, deadline=None)
@given(data=st.data())
def test_arrays_of_every_shape(case, data):
    draw = data.draw
    configuration = draw(st.sampled_from(CHOICES))
    low = derived(case, configuration)
    if low is None:
        return
    sizes = {name: draw(st.sampled_from((1, 2, 3, 5, 7, 16, 37))) for name in ("n", "m", "k")}
    inputs = values.random_inputs(case.expr, sizes, seed=draw(st.integers(0, 99)))
    values.assert_identical(interpret(low, inputs, sizes), interpret(case.expr, inputs, sizes))


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("number", range(len(CHOICES)))
def test_no_index_is_divided_by_an_extent(case, number):
    low = derived(case, CHOICES[number])
    if low is None:
        assert case.name == "both_exchanged"  # four dimensions: one more than work-groups have
        assert number >= 2
        return
    verify_low_level(low)
    source = generate(low).source
    for extent in "nmk":
        assert f"/ {extent}" not in source
        assert f"% {extent}" not in source


@pytest.mark.parametrize(("name", "arrays", "size"), [("exchanged_plus", 1, 8), ("exchanged_two", 2, 4)])
def test_only_what_is_read_along_other_rows_goes_through_local_memory(name, arrays, size):
    low = derived(next(case for case in CASES if case.name == name), CHOICES[2])
    assert low is not None
    kept = [node for node in postorder(low) if isinstance(node, Memory) and node.space == "local"]
    assert len(kept) == arrays
    (kernel,) = generate(low).kernels
    assert kernel.local_bytes == arrays * 16 * 17 * size  # rows one element apart


def test_a_gpu_launches_no_more_groups_than_it_can():
    candidates = Candidates.of(CASES[0].expr)
    tall = {"n": 64, "m": 1 << 22}
    chosen = candidates.default_of("local_tiles", GPU, tall)
    refused = candidates.refused(chosen, GPU, tall)
    assert refused is not None
    assert refused.reason == "work-groups over the rows"
    assert candidates.default(GPU, tall)["schedule"] == "grid"


def test_tiles_are_the_default():
    candidates = Candidates.of(CASES[0].expr)
    large = {"n": 4096, "m": 4096}
    assert candidates.default(CPU, large) == {"schedule": "tiles", "rows": 64, "columns": 16, "strips": 1, "width": 8}
    assert candidates.default(CPU, {"n": 30, "m": 30})["schedule"] == "chunks"  # compiles sooner
    assert candidates.default(GPU, large)["schedule"] == "local_tiles"
    assert candidates.default(GPU, {"n": 4096, "m": 3})["schedule"] == "map_rows_grid"  # no tile has that few rows
    few = candidates.default(CPU, {"n": 1 << 20, "m": 20})
    assert (few["schedule"], few["strips"], few["columns"]) == ("tiles", 16, 16)
    many = candidates.default(CPU, {"n": 20, "m": 1 << 20})
    assert (many["schedule"], many["strips"], many["rows"]) == ("tiles", 1, 64)


def test_a_tuned_value_is_compared_bit_for_bit():
    """Copies change no bit, of NaN and signed zeros neither."""
    case = CASES[0]
    sizes = {"n": 3, "m": 5}
    inputs = values.random_inputs(case.expr, sizes, seed=1)
    (name,) = inputs
    inputs[name] = np.array([np.nan, -0.0, np.inf, 0.0, -np.inf] * 3, dtype=np.float32)
    for configuration in CHOICES:
        low = derived(case, configuration)
        assert low is not None
        actual = np.asarray(interpret(low, inputs, sizes))
        assert actual.tobytes() == np.ascontiguousarray(inputs[name].reshape(3, 5).T).tobytes()
