# ruff: noqa: E501  # an expression reads best on one line
"""The expressions behind the golden files: low-level ones as stated, and some that schedules derive."""

from __future__ import annotations

from typing import NamedTuple

from ir.core.expr import Expr
from ir.core.parser import parse
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, Type, array_of
from ir.strategies.candidates import Candidates
from tests.ir.strategies.zoo import ZOO, M, N


class Golden(NamedTuple):
    """A low-level expression, what it means, and sizes to run it at."""

    name: str
    low: Expr
    high: Expr
    sizes: tuple[dict[str, int], ...]
    exact: bool = True

    def __str__(self) -> str:
        return self.name


_vector = array_of(FLOAT32, N)
_INPUTS: dict[str, Type] = {
    "xs": _vector,
    "ys": _vector,
    "ds": array_of(FLOAT64, N),
    "ints": array_of(INT32, N),
    "flags": array_of(BOOL, N),
    "xss": array_of(FLOAT32, N, M),
    "rows": array_of(FLOAT32, N, 64),
    "v8": array_of(FLOAT32, 8),
    "a": FLOAT32,
}


def _stated(name: str, low: str, *sizes: dict[str, int], exact: bool = True) -> Golden:
    e = parse(
        low,
        {k: t for k, t in _INPUTS.items() if k in low.replace("(", " ").replace(")", " ").replace(",", " ").split()},
        {"n": N, "m": M},
    )
    return Golden(name, e, e, sizes, exact)


def _derived(name: str, case: str, *sizes: dict[str, int], **configuration: int | str) -> Golden:
    found = next(c for c in ZOO if c.name == case)
    low = Candidates.of(found.expr).derive(configuration).result
    return Golden(name, low, found.expr, sizes, found.exact)


_N = ({"n": 1}, {"n": 7}, {"n": 1031})

GOLDENS = [
    _stated("map_global", "mapGlobal (λx. abs (x - 3)) xs", *_N),
    _stated("select_and_casts", "mapGlobal (λ(k, b). select (b & (k > 0)) (float32 k / 2) (-1)) (zip(ints, flags))", *_N, exact=False),
    _stated("nested_grid", "mapGlobal1 (mapGlobal (λx. x * x)) xss", {"n": 3, "m": 5}, {"n": 37, "m": 1}),
    _stated("stages", "mapGlobal (λx. x + 1) (toGlobal (join (mapWorkgroup (reduceSeq (+) 0) xss)))", {"n": 5, "m": 11}),
    _stated("local_memory", "mapWorkgroup (λr. mapLocal (λx. x) (slice 63 (-1) 64 (toLocal (mapLocal abs r)))) rows", {"n": 1}, {"n": 5}),
    _stated("private_array", "mapGlobal (λr. mapSeq (λx. x + 1) (toPrivate (mapSeq abs (slice 0 1 4 r)))) rows", {"n": 3}),
    _stated("unrolled", "concat(mapSeqUnroll (λx. x * 2) (slice 0 1 3 v8), reduceSeqUnroll (+) 0 v8)", {}),
    _stated("tuple_accumulator", "reduceSeq (λ(acc, x). (acc.0 + x, maximum acc.1 x)) (0:float32, -1000:float32) xs", *_N),
    _stated("transposed", "join (mapGlobal (mapSeq (λx. x)) (transpose xss))", {"n": 3, "m": 5}, {"n": 7, "m": 1}),
    _derived("vector_chunks", "axpy", *_N, schedule="chunks", groups=4, width=4, streams=1, prefetch=0),
    _derived("grid", "scal", *_N, schedule="grid", local=16, width=2),
    _derived("tree", "asum", *_N, schedule="tree", groups=8, local=32),
    _derived("interleaved", "dot", *_N, schedule="chunks", groups=2, width=4, ways=2, apart=0, prefetch=0),
    _derived("apart_and_prefetched", "dot", *_N, schedule="chunks", groups=2, width=4, ways=2, apart=1, prefetch=16),
    _derived("streams", "axpy", *_N, schedule="chunks", groups=4, width=4, streams=2, prefetch=16),
    _derived("matrix_product", "matmul", {"n": 5, "m": 7, "k": 3}, {"n": 1, "m": 1, "k": 1}, schedule="nest", depth=2),
]  # fmt: skip
