# ruff: noqa: E501  # an expression reads best on one line
"""Products that the host's library computes: which these are, where their operands lie, and when it is preferred."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from ir.core.notation.parser import parse
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import var
from ir.core.types import FLOAT32, FLOAT64, INT32, TupleType, array_of
from ir.core.verify import verify, verify_low_level
from ir.errors import GenerationError, VerificationError
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from ir.schedules.products.library import LibraryProduct, Matrices
from tests.ir import values
from tests.ir.schedules.zoo import CPU, GPU, Case, K, M, N

DOT = "reduce (+) 0 (map (*) (zip(r, c)))"
B = var("b", 1)
HOST = replace(CPU, host_library=True)
NAMES = {"n": N, "m": M, "k": K, "b": B}


def case(text, **inputs):
    return Case("case", text, inputs)


def two(t=FLOAT32):
    return {"xss": array_of(t, N, M), "yss": array_of(t, M, K)}


PRODUCTS = {
    "plain": case(f"map (λr. join (map (λc. {DOT}) (transpose yss))) xss", **two()),
    "float64": case(f"join (map (λr. join (map (λc. {DOT}) (transpose yss))) xss)", **two(FLOAT64)),
    "flat": case(f"join (map (λr. join (map (λc. {DOT}) ((transpose ∘ split k) ys))) (split m xs))", xs=array_of(FLOAT32, N * M), ys=array_of(FLOAT32, M * K)),
    "left": case(f"map (λr. join (map (λc. {DOT}) (transpose yss))) (transpose xss)", xss=array_of(FLOAT32, M, N), yss=array_of(FLOAT32, M, K)),
    "right": case(f"map (λr. map (λc. element 0 ({DOT})) yss) xss", xss=array_of(FLOAT32, N, M), yss=array_of(FLOAT32, K, M)),
    "gram": case(f"map (λr. join (map (λc. {DOT}) xss)) xss", xss=array_of(FLOAT64, N, M)),
    "second_first": case("map (λr. join (map (λc. reduce (+) 0 (map (λ(x, y). y * x) (zip(c, r)))) (transpose yss))) xss", **two()),
    "parts": case(f"map (λr. join (map (λc. {DOT}) ((transpose ∘ map (slice 2 1 k)) yss))) (slice 1 3 n xss)", xss=array_of(FLOAT32, 3 * N, M), yss=array_of(FLOAT32, M, K + 3)),
    "parts_of_rows": case(f"map (λr. join (map (λc. {DOT}) (transpose yss))) (map (slice 3 1 m) xss)", xss=array_of(FLOAT32, N, M + 4), yss=array_of(FLOAT32, M, K)),
    "many": case(f"map (λp. map (λr. join (map (λc. {DOT}) (transpose (p.1)))) (p.0)) (zip(xsss, ysss))", xsss=array_of(FLOAT32, B, N, M), ysss=array_of(FLOAT32, B, M, K)),
    "many_left": case(f"map (λp. map (λr. join (map (λc. {DOT}) (p.1))) (transpose (p.0))) (zip(xsss, ysss))", xsss=array_of(FLOAT64, B, M, N), ysss=array_of(FLOAT64, B, K, M)),
    "many_with_one": case(f"map (λxss. map (λr. join (map (λc. {DOT}) (transpose yss))) xss) xsss", xsss=array_of(FLOAT32, B, N, M), yss=array_of(FLOAT32, M, K)),
    "one_with_many": case(f"map (λyss. map (λr. join (map (λc. {DOT}) (transpose yss))) xss) ysss", ysss=array_of(FLOAT32, B, M, K), xss=array_of(FLOAT32, N, M)),
    "one_term": case(f"map (λr. map (λc. element 0 ({DOT})) yss) xss", xss=array_of(FLOAT32, N, 1), yss=array_of(FLOAT32, K, 1)),
}  # fmt: skip
OTHERS = {
    "integers": case(f"map (λr. join (map (λc. {DOT}) (transpose yss))) xss", **two(INT32)),
    "weighted": case("map (λr. join (map (λc. reduce (+) 0 (map (λ(x, y, w). x * y * w) (zip(r, c, ws)))) (transpose yss))) xss", ws=array_of(FLOAT32, M), **two()),
    "scaled": case("map (λr. join (map (λc. reduce (+) 0 (map (λ(x, y). x * y * 2) (zip(r, c)))) (transpose yss))) xss", **two()),
    "goes_on": case("map (λr. join (map (λc. reduce (+) 1 (map (*) (zip(r, c)))) (transpose yss))) xss", **two()),
    "greatest": case("map (λr. join (map (λc. reduce maximum 0 (map (*) (zip(r, c)))) (transpose yss))) xss", **two()),
    "squares": case("map (λr. join (map (λc. reduce (+) 0 (map (λ(x, y). x * x) (zip(r, c)))) (transpose yss))) xss", **two()),
    "backwards": case(f"map (λr. join (map (λc. {DOT}) (transpose yss))) (slice (n - 1) (-1) n xss)", **two()),
    "every_other_term": case(f"map (λr. join (map (λc. {DOT}) (transpose yss))) (map (slice 0 2 m) xss)", xss=array_of(FLOAT32, N, 2 * M), yss=array_of(FLOAT32, M, K)),
    "every_other_column": case(f"map (λr. join (map (λc. {DOT}) (slice 0 2 k (transpose yss)))) xss", xss=array_of(FLOAT32, N, M), yss=array_of(FLOAT32, M, 2 * K)),
    "one_row_again": case(f"map (λr. join (map (λc. {DOT}) (transpose yss))) (repeat n xs)", xs=array_of(FLOAT32, M), yss=array_of(FLOAT32, M, K)),
    "windows": case(f"map (λr. join (map (λc. {DOT}) (transpose yss))) (slide m 1 xs)", xs=array_of(FLOAT32, N + M - 1), yss=array_of(FLOAT32, M, K)),
    "complex": case("map (λr. join (map (λc. reduce (λ(a, b). (a.0 + b.0, a.1 + b.1)) (0:float32, 0:float32) (map (λ(x, y). (x.0 * y.0 - x.1 * y.1, x.0 * y.1 + x.1 * y.0)) (zip(r, c)))) (transpose yss))) xss", **two(TupleType((FLOAT32, FLOAT32)))),
    "three_dimensions": case(f"map (λr. join (map (λc. {DOT}) (transpose yss))) (map join (map transpose xsss))", xsss=array_of(FLOAT32, N, B, M), yss=array_of(FLOAT32, B * M, K)),
}  # fmt: skip
SIZES = ({"n": 5, "m": 7, "k": 4, "b": 3}, {"n": 4, "m": 1, "k": 9, "b": 1}, {"n": 16, "m": 16, "k": 16, "b": 2})


def normal(of: Case):
    return Candidates.of(parse(of.text, of.inputs, NAMES))


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", PRODUCTS)
def test_operands_lie_where_it_says(name, sizes):
    candidates = normal(PRODUCTS[name])
    e = candidates.start.start
    found = LibraryProduct.of(candidates.normal)
    inputs = values.random_inputs(e, sizes, seed=3)
    count, rows, terms, columns = (n.evaluate(sizes) for n in found.extents)
    flat = {getattr(p, "identifier", p): np.ascontiguousarray(value).reshape(-1) for p, value in inputs.items()}

    def matrices(m: Matrices, *shape: int):
        array = flat[m.array][m.offset.evaluate(sizes) :]
        strides = [stride.evaluate(sizes) * array.itemsize for stride in m.strides]
        return as_strided(array, (count, *shape), strides).astype(np.float64)

    expected = matrices(found.left, rows, terms) @ matrices(found.right, terms, columns)
    given = interpret(e, inputs, sizes)
    assert str(given.dtype) == str(found.dtype)
    np.testing.assert_allclose(given.reshape(-1), expected.reshape(-1), rtol=1e-5, atol=1e-5 * np.abs(expected).max())


@pytest.mark.parametrize("name", PRODUCTS)
def test_a_derivation_is_one_rule_and_legal_and_no_kernel(name):
    candidates = normal(PRODUCTS[name])
    derivation = candidates.derive({"schedule": "product_library"})
    assert derivation.steps[-1].rule == "map_to_library"
    for state in derivation.states():
        verify(state)
    verify_low_level(derivation.result)
    assert LibraryProduct.of(derivation.result) == LibraryProduct.of(candidates.normal)
    with pytest.raises(GenerationError, match="the host's library"):
        generate(derivation.result)


@pytest.mark.parametrize("name", OTHERS)
def test_what_is_no_plain_product_has_kernels_alone(name):
    assert "product_library" not in [s.name for s in normal(OTHERS[name]).schedules]


@pytest.mark.parametrize(
    "text", [f"mapWorkgroup (λa. mapLibrary (λr. join (map (λc. {DOT}) (transpose yss))) xss) zs", f"map (λx. mapSeq abs x) (mapLibrary (λr. join (map (λc. {DOT}) (transpose yss))) xss)"]
)  # fmt: skip
def test_the_library_computes_whole_results(text):
    e = parse(text, {"zs": array_of(FLOAT32, N), **two()}, NAMES)
    with pytest.raises(VerificationError, match="whole result"):
        verify(e)


def test_vectors_and_other_machines_are_refused():
    candidates = normal(PRODUCTS["plain"])
    chosen = {"schedule": "product_library"}
    large = {"n": 100, "m": 1, "k": 100}
    assert candidates.refused(chosen, HOST, large) is None
    assert "host's library" in candidates.refused(chosen, CPU, large).reason
    assert "host's library" in candidates.refused(chosen, GPU, large).reason
    for vector in ({**large, "n": 1}, {**large, "k": 3}):
        assert "vectors" in candidates.refused(chosen, HOST, vector).reason


def test_it_is_the_default_where_it_may_be_called_but_for_many_terms_of_few_results():
    candidates = normal(PRODUCTS["plain"])

    def default(machine, n, m, k):
        return candidates.default(machine, {"n": n, "m": m, "k": k})["schedule"]

    assert default(HOST, 1024, 1024, 1024) == default(HOST, 8, 4096, 4096) == "product_library"
    assert default(HOST, 32, 4000, 32) == default(HOST, 4096, 4096, 8) == "product_library"
    assert default(CPU, 32, 100_000, 32) == default(HOST, 32, 100_000, 32) == "product_parts"
    assert default(CPU, 4096, 4096, 8) == default(CPU, 1024, 1024, 1024) == "product_blocks"
    assert "product_library" not in (default(HOST, 1, 1024, 1024), default(HOST, 1024, 1024, 3))
