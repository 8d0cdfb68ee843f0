# ruff: noqa: E501  # an expression reads best on one line
"""Maps of flat arrays that are read by rows: which rows are found, and that indices are not divided any more."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.notation.parser import parse
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT32, array_of
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from ir.schedules.maps.broadcasts import row_length
from tests.ir import values
from tests.ir.schedules.zoo import CPU, GPU, ZOO, K, M, N

SCOPE = {"n": N, "m": M, "k": K}
TYPES = {
    "xs": array_of(FLOAT32, N), "ys": array_of(FLOAT32, M), "zs": array_of(FLOAT32, K), "nm": array_of(FLOAT32, N * M),
    "nmk": array_of(FLOAT32, N * M * K),
}  # fmt: skip
CASES = [case for case in ZOO if case.name in ("diagonal", "added_row", "added_column", "cut_rows")]


def term(text):
    return parse(text, TYPES, SCOPE)


def normal(text):
    return Candidates.of(term(text)).normal


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("map (+) (zip(nm, join (repeat n ys)))", M),
        ("map (+) (zip(nm, join (transpose (repeat m xs))))", M),
        ("map abs (join (transpose (split m nm)))", N),
        ("map (+) (zip(nmk, join (repeat n (join (repeat m zs)))))", K),
        ("map (+) (zip(nmk, join (repeat (n*m) zs)))", K),
        ("map (+) (zip(nmk, join (transpose (repeat k nm))))", K),
        (
            "map (λ(x, y, z). x + y * z) (zip(nmk, join (repeat n (join (transpose (repeat k ys)))), join (repeat (n*m) zs)))",
            K,
        ),
        ("map (+) (zip(nm, nm))", None),
        ("map abs (join (repeat 1 xs))", None),  # one row is the whole array
        ("map (+) (zip(nm, slice 0 1 (n*m) (concat(nm, xs))))", None),
        ("map (λr. map abs r) (split m nm)", None),  # rows already
        ("reduce (+) 0 (join (repeat n ys))", None),
    ],
)
def test_rows_are_found(text, row):
    assert row_length(normal(text)) is row


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("schedule", ["map_rows", "map_rows_grid"])
def test_no_index_is_divided_by_the_length_of_a_row(case, schedule):
    candidates = Candidates.of(case.expr)
    for machine in (CPU, GPU):
        defaults = candidates.schedule(schedule).default(candidates.normal, machine, 1 << 24)
        low = candidates.derive({"schedule": schedule, **defaults, "prefetch": 0}).result  # hints reach into other rows
        source = generate(low).source
        assert "/ m" not in source
        assert "% m" not in source


@pytest.mark.parametrize("case", CASES, ids=str)
def test_the_last_rows_are_no_loop_of_their_own(case):
    low = Candidates.of(case.expr).derive({"schedule": "map_rows", "groups": 8, "width": 4, "prefetch": 0}).result
    assert generate(low).source.count("get_group_id(0)") == 1


SIZES = [{"n": 5, "m": 3}, {"n": 1, "m": 19}, {"n": 37, "m": 1}, {"n": 13, "m": 16}, {"n": 11, "m": 37}]


@pytest.mark.parametrize("case", CASES, ids=str)
@pytest.mark.parametrize("sizes", SIZES, ids=str)
def test_rows_of_every_length(case, sizes):
    inputs = values.random_inputs(case.expr, sizes, 3, whole=True)
    expected = interpret(case.expr, inputs, sizes)
    for configuration in (
        *({"schedule": "map_rows", "groups": g, "width": w, "prefetch": 256} for g in (1, 4, 8) for w in (1, 4, 16)),
        *({"schedule": "map_rows_grid", "width": w} for w in (1, 2, 8)),
    ):
        low = Candidates.of(case.expr).derive(configuration).result
        np.testing.assert_array_equal(interpret(low, inputs, sizes), expected)


def test_rows_are_the_default_where_there_are_enough():
    candidates = Candidates.of(CASES[0].expr)
    large, small, flat = {"n": 4096, "m": 4096}, {"n": 5, "m": 7}, {"n": 2, "m": 1 << 20}
    assert candidates.default(CPU, large)["schedule"] == "map_rows"
    assert candidates.default(GPU, large)["schedule"] == "map_rows_grid"
    assert candidates.default(CPU, small)["schedule"] == "chunks"
    assert candidates.default(CPU, flat)["schedule"] == "map_rows_grid"  # a group has no row of its own
    assert candidates.default(GPU, {"n": 1 << 20, "m": 2})["schedule"] == "grid"
