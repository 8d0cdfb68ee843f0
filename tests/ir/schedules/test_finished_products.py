# ruff: noqa: E501  # an expression reads best on one line
"""What is done with the elements of products of matrices, in the kernels of the products."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir.core.expr import Expr, fun
from ir.core.patterns import Call, Map
from ir.core.semantics.interpreter import interpret
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, TupleType, array_of
from ir.fusion.partition.kernels import partition
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from tests import oclgrind
from tests.ir import values
from tests.ir.opencl.running import check_shapes
from tests.ir.schedules.test_products import some_of
from tests.ir.schedules.zoo import CPU, GPU, Case, K, M, N

DOT = "reduce (+) 0 (map (*) (zip(r, c)))"
PRODUCT = f"(join (map (λr. join (map (λc. {DOT}) (transpose yss))) xss))"
COMPLEX = TupleType((FLOAT32, FLOAT32))
DOTS = "reduce (λ(a, b). (a.0 + b.0, a.1 + b.1)) (0:float32, 0:float32) (map (λ(x, y). (x.0 * y.0 - x.1 * y.1, x.0 * y.1 + x.1 * y.0)) (zip(r, c)))"
MANY = f"(join (map (λ(p, q). join (map (λr. join (map (λc. {DOT}) (transpose q))) p)) (zip(xsss, ysss))))"


def matrices(t, **others):
    return {"xss": array_of(t, N, M), "yss": array_of(t, M, K)} | others


FINISHED = [
    Case("rectified", f"map (λx. maximum(x, 0)) {PRODUCT}", matrices(FLOAT32)),
    Case("bias", f"map (λ(x, b). maximum(x + b, 0)) (zip({PRODUCT}, join (repeat n bs)))", matrices(FLOAT32, bs=array_of(FLOAT32, K))),
    Case("added", f"map (λ(y, x). s * x + 2 * y) (zip(zs, {PRODUCT}))", matrices(FLOAT64, zs=array_of(FLOAT64, N * K), s=FLOAT64)),
    Case("rows", f"map (λ(x, d) . x * d) (zip({PRODUCT}, join (map (λd. repeat k d) ds)))", matrices(INT32, ds=array_of(INT32, N))),
    Case("all", f"map (λ(b, x, d, y). x * d + b * y) (zip(join (repeat n bs), {PRODUCT}, join (map (λd. repeat k d) ds), zs))", matrices(FLOAT32, bs=array_of(FLOAT32, K), ds=array_of(FLOAT32, N), zs=array_of(FLOAT32, N * K))),
    Case("turned", f"map (λ(x, y). x - y) (zip({PRODUCT}, join (transpose zss)))", matrices(FLOAT32, zss=array_of(FLOAT32, K, N))),
    Case("compared", f"map (λ(x, y). x < y) (zip({PRODUCT}, zs))", matrices(FLOAT32, zs=array_of(FLOAT32, N * K))),
    Case("chosen", f"map (λ(x, b). select(b, x, 0)) (zip({PRODUCT}, zs))", matrices(FLOAT64, zs=array_of(BOOL, N * K))),
    Case("complex", f"map (λ(x, y). (x.0 + y.0, x.1 - y.1)) (zip((join (map (λr. join (map (λc. {DOTS}) (transpose yss))) xss)), zs))", matrices(COMPLEX, zs=array_of(COMPLEX, N * K))),
    Case("narrower", f"map (λ(x, y). float32(x) + y) (zip({PRODUCT}, zs))", matrices(FLOAT64, zs=array_of(FLOAT32, N * K))),
]  # fmt: skip
BATCH = [
    Case("rectified", f"map (λx. maximum(x, 0)) {MANY}", {"xsss": array_of(FLOAT32, 3, N, M), "ysss": array_of(FLOAT32, 3, M, K)}),
    Case("bias", f"map (λ(x, b) . x + b) (zip({MANY}, join (repeat (3 * n) bs)))", {"xsss": array_of(FLOAT32, 3, N, M), "ysss": array_of(FLOAT32, 3, M, K), "bs": array_of(FLOAT32, K)}),
]  # fmt: skip
SHAPES = [(1, 1, 1), (1, 17, 3), (2, 3, 5), (17, 7, 1), (5, 1, 33), (31, 2, 17), (33, 31, 15), (64, 16, 16)]
LONG_ROWS = [(1, 8, 1), (5, 13, 17), (17, 64, 16), (9, 100, 3)]
"""Rows, terms and columns."""

TILE = {"down": 4, "across": 4, "columns": 4, "chunk": 4, "rows_turned": 1, "columns_turned": 0, "apart": 4}
SCHEDULES = {
    "blocks": {"schedule": "product_blocks", "rows": 4, "width": 8, "turns": 4, "packed": 0},
    "packed": {"schedule": "product_blocks", "rows": 6, "width": 4, "turns": 1, "packed": 1},
    "narrow": {"schedule": "product_blocks", "rows": 1, "width": 1, "turns": 1, "packed": 0},
    "tiles": {"schedule": "product_tiles", "rows": 2, "width": 2, **TILE},
    "low": {"schedule": "product_tiles", "rows": 1, "width": 1, "unrolled": 1, **TILE},
    "nest": {"schedule": "nest", "depth": 2},
}
PARTS = {
    "parts": {"schedule": "product_parts", "parts": 2, "rows": 4, "width": 4},
    "tile_parts": {"schedule": "product_tile_parts", "parts": 4, "rows": 2, "width": 2, **TILE},
}


def derived(case: Case, choices):
    candidates = Candidates.of(case.expr)
    return candidates.derive(candidates.normalised({"fused": 0, **choices}))


def verified(case: Case, name: str, choices: dict[str, Any]) -> Expr:
    """The low-level expression; of some pairs of a product and a schedule each state of the derivation is verified."""
    derivation = derived(case, choices[name])
    if (case, name) in some_of(FINISHED, list(choices)):
        derivation.verify()
    return derivation.result


@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("case", FINISHED, ids=str)
@settings(max_examples=max(1, settings.default.max_examples // 16), deadline=None)
@given(data=st.data())
def test_it_has_the_value_of_two_kernels(case, name, data):
    draw = data.draw
    low = derived(case, SCHEDULES[name]).result
    sizes = {n: draw(st.integers(1, 20)) for n in "nmk"}
    drawn = values.random_inputs(case.expr, sizes, seed=draw(st.integers(0, 99)))
    inputs = {p: values.integral(value, limit=8) for p, value in drawn.items()}
    values.assert_close(interpret(low, inputs, sizes), interpret(case.expr, inputs, sizes), 0, 0.0)


@pytest.mark.device
@pytest.mark.parametrize("name", SCHEDULES)
@pytest.mark.parametrize("case", FINISHED, ids=str)
def test_kernels_compute_every_shape(case, name):
    check_shapes(case.expr, verified(case, name, SCHEDULES), SHAPES)


@pytest.mark.device
@pytest.mark.parametrize("name", PARTS)
@pytest.mark.parametrize("case", FINISHED, ids=str)
def test_what_is_added_up_of_parts_is_finished_there(case, name):
    check_shapes(case.expr, verified(case, name, PARTS), LONG_ROWS)


@pytest.mark.device
@pytest.mark.parametrize(
    "choices",
    [{"schedule": "products", "rows": 4, "width": 4}, {"schedule": "products_tiles", "rows": 2, "width": 2, **TILE}],
    ids=lambda c: c["schedule"],
)
@pytest.mark.parametrize("case", BATCH, ids=str)
def test_each_of_many_products_is_finished(case, choices):
    derivation = derived(case, choices)
    derivation.verify()
    check_shapes(case.expr, derivation.result, SHAPES)


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="no Oclgrind")
@pytest.mark.parametrize("name", ["blocks", "tiles"])
def test_no_kernel_races_or_leaves_its_arrays(name):
    code = f"""
from ir.opencl.generate import generate
from lazyarr.runtime import default_device
from tests.ir.opencl.running import check
from tests.ir.schedules.test_finished_products import FINISHED, SCHEDULES, derived
for case in (FINISHED[0], FINISHED[4]):
    low = derived(case, SCHEDULES[{name!r}]).result
    for n, m, k in [(1, 1, 1), (5, 7, 3), (9, 5, 17)]:
        check(default_device(), case.expr, low, {{"n": n, "m": m, "k": k}}, exact=True)
"""
    assert oclgrind.run(code) == ""


def test_they_are_the_defaults_that_the_product_has():
    found = Candidates.of(FINISHED[1].expr)
    big, small = {"n": 200, "m": 300, "k": 100}, {"n": 3, "m": 2, "k": 4}
    assert found.default(CPU, big)["schedule"] == "product_blocks"
    assert found.default(CPU, small)["schedule"] == "nest"
    assert found.default(GPU, big)["schedule"] == "product_tiles"


def test_registers_are_read_once_and_their_sums_written_nowhere():
    source = generate(derived(FINISHED[1], SCHEDULES["blocks"]).result).source
    assert source.count("__kernel") == 2, "the columns are packed before"
    assert len([line for line in source.splitlines() if "__global float* restrict result" in line]) == 1


@pytest.mark.parametrize("case", FINISHED[:4], ids=str)
def test_the_partition_gives_it_to_the_product_unless_told_not_to(case):
    made, apart = partition([case.expr]), partition([case.expr], products=False)
    assert (len(made.tasks), "products" in made.used) == (1, True)
    assert (len(apart.tasks), "products" in apart.used) == (2, False)


def test_a_product_that_others_need_too_is_left_as_it_is():
    case = FINISHED[0]
    assert isinstance(case.expr, Map)
    product = case.expr.xs
    negated = Map(fun(FLOAT32, lambda x: Call("negative", x)), product)
    for roots in ([case.expr, product], [product, case.expr], [case.expr, negated]):
        assert "products" not in partition(roots).used, "one kernel would have to write both"
