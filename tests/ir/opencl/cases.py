# ruff: noqa: E501  # an expression reads best on one line
"""The expressions behind the golden files: low-level ones as stated, and some that schedules derive."""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from typing import NamedTuple

from ir.core.expr import Expr
from ir.core.notation.parser import parse
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, Type, array_of
from ir.schedules.candidates import Candidates
from tests.ir.schedules.zoo import ZOO, M, N


class Golden(NamedTuple):
    """A low-level expression, what it means, and sizes to run it at."""

    name: str
    made: Callable[[], Expr]
    high: Expr
    sizes: tuple[dict[str, int], ...]
    exact: bool = True

    @property
    def low(self) -> Expr:
        """The low-level expression; derived when it is asked for first, as collecting tests asks for none."""
        return self.made()

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
    "is": array_of(INT32, M),
    "js": array_of(INT64, 8 * M),
    "iss": array_of(INT32, N, M),
    "tiles": array_of(FLOAT32, N, 2, 8, 8),
    "v8": array_of(FLOAT32, 8),
    "v256": array_of(FLOAT32, 256),
    "a": FLOAT32,
}


def _stated(name: str, low: str, *sizes: dict[str, int], exact: bool = True) -> Golden:
    e = parse(
        low,
        {k: t for k, t in _INPUTS.items() if k in low.replace("(", " ").replace(")", " ").replace(",", " ").split()},
        {"n": N, "m": M},
    )
    return Golden(name, lambda: e, e, sizes, exact)


def _derived(name: str, case: str, *sizes: dict[str, int], **configuration: int | str) -> Golden:
    """A parameter that is not named takes its first value."""
    found = next(c for c in ZOO if c.name == case)

    @cache
    def made() -> Expr:
        candidates = Candidates.of(found.expr)
        schedule = next(each for each in candidates.schedules if each.name == configuration["schedule"])
        first = {p.name: p.values[0] for p in schedule.parameters(candidates.normal)}
        return candidates.derive({**first, **configuration}).result

    return Golden(name, made, found.expr, sizes, found.exact)


_N = ({"n": 1}, {"n": 7}, {"n": 1031})

GOLDENS = [
    _stated("map_global", "mapGlobal (λx. abs (x - 3)) xs", *_N),
    _stated("select_and_casts", "mapGlobal (λ(k, b). select (b & (k > 0)) (float32 k / 2) (-1)) (zip(ints, flags))", *_N, exact=False),
    _stated("nested_grid", "mapGlobal1 (mapGlobal (λx. x * x)) xss", {"n": 3, "m": 5}, {"n": 37, "m": 1}),
    _stated("stages", "mapGlobal (λx. x + 1) (toGlobal (join (mapWorkgroup (reduceSeq (+) 0) xss)))", {"n": 5, "m": 11}),
    _stated("local_memory", "mapWorkgroup (λr. mapLocal (λx. x) (slice 63 (-1) 64 (toLocal (mapLocal abs r)))) rows", {"n": 1}, {"n": 5}),
    _stated("local_chain", "mapWorkgroup (λr. mapLocal (λx. x) (slice 63 (-1) 64 (toLocal (mapLocal (λx. x + 1) (slice 63 (-1) 64 (toLocal (mapLocal (λx. x * 2) (slice 63 (-1) 64 (toLocal (mapLocal abs r)))))))))) rows", {"n": 1}, {"n": 5}),
    _stated("local_twice", "mapWorkgroup (λr. concat(mapLocal (λx. x) (slice 31 (-1) 32 (toLocal (mapLocal abs (slice 0 1 32 r)))), mapLocal (λx. x) (slice 15 (-1) 16 (toLocal (mapLocal (λx. x + 1) (slice 32 1 16 r)))))) rows", {"n": 1}, {"n": 5}),
    _stated("local_loop", "mapWorkgroup (λr. join (mapSeq (λc. mapLocal (λx. x + 1) (slice 15 (-1) 16 (toLocal (mapLocal abs c)))) (split 16 r))) rows", {"n": 1}, {"n": 5}),
    _stated("local_unrolled", "mapWorkgroup (λr. join (mapSeqUnroll (λc. mapLocal (λx. x + 1) (slice 15 (-1) 16 (toLocal (mapLocal abs c)))) (split 16 r))) rows", {"n": 1}, {"n": 5}),
    _stated("local_own_elements", "mapWorkgroup (λr. join (mapLocal (mapSeq (λx. x + 1)) (split 4 (toLocal (join (mapLocal (mapSeq abs) (split 4 r))))))) rows", {"n": 1}, {"n": 5}),
    _stated("local_of_one_item", "mapWorkgroup (λr. join (mapLocal (mapSeq (λx. x + 1)) (split 64 (slice 63 (-1) 64 (toLocal (join (mapLocal (mapSeq abs) (split 64 r)))))))) rows", {"n": 1}, {"n": 5}),
    _stated("local_read_twice", "mapWorkgroup (λr. let t = toLocal (mapLocal abs r) in mapLocal (λ(a, b). a - b) (zip(join (repeat 64 (iterate 6 (λ[2*k → k : 1..]. join ∘ mapLocal (reduceSeq (+) 0) ∘ split 2) t)), t))) rows", {"n": 1}, {"n": 5}),
    _stated("local_read_each_turn", "mapWorkgroup (λr. join (mapSeq (λc. mapLocal (λx. x) (iterate 6 (λ[2*k → k : 1..]. join ∘ mapLocal (reduceSeq (+) c) ∘ split 2) (toLocal (mapLocal abs r)))) (slice 0 1 3 r))) rows", {"n": 1}, {"n": 5}),
    _stated("local_transposed", "mapWorkgroup1 (mapWorkgroup (λt. mapLocal1 (mapLocal (λx. x + 1)) (transpose (toLocal (mapLocal1 (mapLocal (λx. x * 2)) t))))) tiles", {"n": 1}, {"n": 3}),
    _stated("figure_9a", """
        (reduceSeq (+) 0 ∘ join ∘ toGlobal ∘ mapWorkgroup (join ∘ toGlobal ∘ mapLocal (mapSeq (λx. x)) ∘ split 1
        ∘ iterate 3 (λ[2*k → k : 1..]. join ∘ mapLocal (reduceSeq (+) 0) ∘ split 2)
        ∘ toLocal ∘ join ∘ mapLocal (reduceSeq (λ(acc, x). acc + abs x) 0) ∘ split 4 ∘ reorderStride 8) ∘ split 32) (slice 0 1 256 v256)""", {}),
    _stated("figure_9b", """
        (reduceSeq (+) 0 ∘ toGlobal ∘ asScalar ∘ join ∘ mapWorkgroup (join ∘ toGlobal ∘ mapLocal (mapSeq (λx. x)) ∘ split 1
        ∘ iterate 3 (λ[2*k → k : 1..]. join ∘ mapLocal (reduceSeq (+) (splat 4 0:float32)) ∘ split 2)
        ∘ toLocal ∘ join ∘ mapLocal (reduceSeq (λ(acc, x). acc + abs x) (splat 4 0:float32)) ∘ split 2
        ∘ reorderStride 8) ∘ split 16 ∘ asVector 4) v256""", {}),
    _stated("figure_9c", """
        (reduceSeq (+) 0 ∘ toGlobal ∘ asScalar ∘ join ∘ mapWorkgroup (join ∘ mapLocal (reduceSeq (λ(acc, x). acc + abs x) (splat 4 0:float32))
        ∘ split 8) ∘ split 8 ∘ asVector 4) v256""", {}),
    _stated("private_array", "mapGlobal (λr. mapSeq (λx. x + 1) (toPrivate (mapSeq abs (slice 0 1 4 r)))) rows", {"n": 3}),
    _stated("private_twice", "mapGlobal (λr. concat(mapSeq (λx. x + 1) (slice 3 (-1) 4 (toPrivate (mapSeq abs (slice 0 1 4 r)))), mapSeq (λx. x + 2) (slice 7 (-1) 8 (toPrivate (mapSeq abs (slice 4 1 8 r)))))) rows", {"n": 3}),
    _stated("unrolled", "concat(mapSeqUnroll (λx. x * 2) (slice 0 1 3 v8), reduceSeqUnroll (+) 0 v8)", {}),
    _stated("tuple_accumulator", "reduceSeq (λ(acc, x). (acc.0 + x, maximum acc.1 x)) (0:float32, -1000:float32) xs", *_N),
    _stated("transposed", "join (mapGlobal (mapSeq (λx. x)) (transpose xss))", {"n": 3, "m": 5}, {"n": 7, "m": 1}),
    _stated("gathered", "mapGlobal (λp. p.0 * p.1) (gather (zip(xs, ys)) (slice (m - 1) (-1) m is))", {"n": 1, "m": 7}, {"n": 67, "m": 33}),
    _stated("gathered_lanes", "asScalar (mapGlobal (λx. x * splat 4 2:float32) (asVector 4 (gather xs js)))", {"n": 1, "m": 3}, {"n": 31, "m": 13}),
    _stated("gathered_rows", "asScalar (join (mapGlobal (λr. mapSeq (λx. x + splat 16 1:float32) (asVector 16 r)) (gather rows is)))", {"n": 3, "m": 5}),
    _stated("gathered_row_vectors", "asScalar (mapGlobal (λx. x) (asVector 4 (join (map (λi. element 0 (gather rows (repeat 1 i))) is))))", {"n": 3, "m": 5}),
    _stated("gathered_or_not", "mapSeq (λx. x + 1) (prefetch 8 (concat(xs, gather xs is)))", {"n": 5, "m": 11}),
    _stated("gathered_by_a_function", "mapGlobal (λx. x + 1) (join (map (λi. gather xs (repeat 1 (i // 2))) is))", {"n": 5, "m": 11}),
    _stated("generated", "mapGlobal (λ(x, i). x * float32 i) (zip(xs, generate int32 n (λi. i)))", *_N),
    _stated("generated_lanes", "asScalar (mapGlobal (λp. p.0 * splat 4 3:int64 + p.1) (zip(asVector 4 (slice (8*m - 1) (-1) (8*m) (generate int64 (8*m) (λi. i))), asVector 4 js)))", {"m": 1}, {"m": 33}),
    _stated("generated_lanes_apart", "asScalar (mapGlobal (λv. v + splat 4 1:int32) (asVector 4 (join (transpose (split m (generate int32 (8*m) (λi. i)))))))", {"m": 1}, {"m": 33}),
    _stated("generated_or_read", "mapGlobal (λx. x + 1) (concat(ints, generate int32 n (λi. i * i), ints))", *_N),
    _stated("generated_and_gathered", "mapSeq (λx. x + 1) (prefetch 8 (concat(xs, join (generate int32 m (λi. gather xs (repeat 1 (i // 2)))))))", {"n": 5, "m": 11}),
    _stated("generated_rows", "mapGlobal1 (mapGlobal (λx. x + 1)) (generate int64 n (λi. generate int32 m (λj. i * 10 - int64 j)))", {"n": 3, "m": 5}),
    _stated("neighbours", "mapGlobal (λ(x, at). element 0 (toPrivate (reduceSeq (λ(acc, y). acc + (x - y) * y) 0:float32 (gather xs at)))) (zip(xs, iss))", {"n": 31, "m": 5}),
    _stated("warps", "join (mapWorkgroup (λr. join (mapWarp (mapLane (λx. x + 1)) (split 32 r))) rows)", {"n": 1}, {"n": 5}),
    _stated("warps_of_four", "join (mapWorkgroup (λr. join (mapWarp4 (mapLane4 (λx. x * 2)) (split 8 r))) (map (slice 0 1 40) rows))", {"n": 3}),
    _stated("warps_and_local_memory", "mapWorkgroup (λr. join (mapWarp (λc. mapLane (λx. x) (slice 31 (-1) 32 c)) (split 32 (toLocal (join (mapWarp (mapLane abs) (split 32 r))))))) rows", {"n": 1}, {"n": 5}),
    _stated("scan", "scanSeq (λ(acc, x). acc + abs(x)) 0 xs", *_N),
    _stated("scan_pairs", "scanSeq (λ(acc, x). (acc.0 + x, maximum acc.1 x)) (0:float32, -1000:float32) xs", *_N),
    _stated("scan_with_results", "scanMapSeq (λ(acc, x). let y = acc + x in (y, y * 2)) 0 xs", *_N),
    _stated("scan_exclusive", "mapGlobal (scanMapSeqUnroll (λ(acc, x). (acc + x, acc)) 0:float32) (map (slice 0 1 3) rows)", {"n": 3}),
    _stated("scan_of_rows", "scanMapSeq (λ(acc, r). (acc + element 0 r, mapSeq (λx. x + acc) r)) 0:float32 rows", {"n": 1}, {"n": 5}),
    _stated("scan_unrolled", "mapGlobal (λr. mapSeq (λx. x + 1) (slice 3 (-1) 4 (toPrivate (scanSeqUnroll (+) 0 (slice 0 1 4 r))))) rows", {"n": 3}),
    _stated("map_reduce", "mapReduceSeq (λ(acc, x). let y = abs x in (acc + y, y * 2 - acc)) 0 xs", *_N),
    _stated("map_reduce_pairs", "let q = mapReduceSeq (λ(p, x). ((p.0 + x, maximum p.1 x), x - p.1)) (0:float32, -1000:float32) xs in (q.1, mapSeq (λp. p.0 * p.1) q.0)", *_N, exact=False),
    _stated("map_reduce_of_rows", "let q = mapReduceSeq (λ(acc, r). (acc + element 0 r, mapSeqUnroll (λx. x + acc) (slice 0 1 3 r))) 0:float32 rows in (q.0, join q.1)", {"n": 1}, {"n": 5}),
    _stated("map_reduce_in_vectors", "let q = mapReduceSeq (λ(acc, v). (acc + v, abs v)) (splat 4 0:float32) (asVector 4 v256) in (mapSeqUnroll (λx. x) (asScalar q.0), asScalar q.1)", {"n": 1}),
    _stated("map_reduce_in_groups", "let s = mapWorkgroup (λr. let q = mapReduceSeq (λ(acc, x). (acc + x, x * 2)) 0:float32 r in (mapSeq abs q.0, q.1)) xss in (join (map (λp. p.0) s), map (λp. p.1) s)", {"n": 3, "m": 5}, {"n": 37, "m": 1}),
    _stated("map_reduce_of_arrays", "let q = mapReduceSeq (λ(acc, r). (mapSeq (λ(a, x). a + abs x) (zip(acc, r)), element 0 r - element 1 acc)) (mapSeq (λx. x) (repeat 64 0:float32)) rows in (q.1, mapSeq abs (element 0 q.0))", {"n": 1}, {"n": 5}),
    _stated("map_reduce_to_an_array", "let q = mapReduceSeq (λ(acc, r). (mapSeq (λ(a, x). a + x) (zip(acc, r)), mapSeq abs (slice 0 1 3 r))) (mapSeq (λx. x) (repeat 64 0:float32)) rows in (join q.0, join q.1)", {"n": 1}, {"n": 5}),
    _stated("map_reduce_shared_out", "let s = mapWorkgroup (λr. let q = mapReduceSeq (λ(acc, c). (mapLocal (λ(a, x). a + x) (zip(acc, c)), mapLocal (λx. x * 2) (slice 15 (-1) 16 c))) (mapLocal (λx. x) (repeat 16 0:float32)) (split 16 r) in (join q.1, mapLocal abs (element 0 q.0))) rows in (map (λp. p.0) s, map (λp. p.1) s)", {"n": 1}, {"n": 5}),
    _stated("rows_kept_by_items", "join (mapWorkgroup (λr. let k = toPrivate (mapLocal (mapSeqUnroll (λx. x)) (transpose (split 16 r))) in let s = toLocal (join (mapLocal (reduceSeqUnroll (+) 0) k)) in join (transpose (mapLocal (mapSeqUnroll (λx. x - element 0 s)) k))) rows)", {"n": 1}, {"n": 5}),
    _stated("parts_of_local_maps", "let s = mapWorkgroup (λr. (mapLocal abs r, join (mapLocal (reduceSeq (+) 0) (split 8 r)))) rows in (join (map (λp. p.1) s), map (λp. p.0) s)", {"n": 1}, {"n": 5}),
    _derived("one_loop", "axpydot", *_N, schedule="one_loop", block=1024, width=4, ways=2, prefetch=256),
    _stated("results_through_views", "join (map join (map transpose (map (split 8) (mapGlobal (mapSeq abs) rows))))", {"n": 1}, {"n": 5}),
    _derived("scan_carries", "scan_from", *_N, schedule="carries", groups=4, width=4, prefetch=0),
    _derived("scan_row_parts", "scan_rows", {"n": 3, "m": 5}, {"n": 7, "m": 67}, schedule="row_item", width=2, parts=2, prefetch=0),
    _derived("scan_column_lanes", "scan_columns", {"n": 3, "m": 5}, {"n": 7, "m": 67}, schedule="columns", width=4, rows=0),
    _stated("ranks", "rankSeq 2 (λi. (uint32 i, int64 i)) (repeat 4 7:int32) ints", *_N),
    _stated("ranked_rows", "mapGlobal (λis. rankSeq 1 (λi. (uint32 i, i)) (repeat 2 0:int64) is) iss", {"n": 1, "m": 1}, {"n": 3, "m": 37}),
    _stated("permuted", "permute (mapGlobal (λ(x, i). (fromSize int32 n - 1:int32 - i, x)) (zip(xs, generate int32 n (λi. i))))", *_N),
    _stated("permuted_head", "permute (head n (mapGlobal (λi. (select(i < fromSize int32 n, fromSize int32 n - 1:int32 - i, 0:int32), i)) (generate int32 (n + 3) (λi. i))))", *_N),
    _derived("compacted", "compacted", *_N, schedule="grid", local=32, each=2),
    _derived("scatter_in_chunks", "weights", {"n": 1, "m": 2}, {"n": 131, "m": 3}, schedule="values", shares=2, chunk=16, width=4),
    _derived("sort_by_digits", "sort", *_N, schedule="digits", digit=8, parts=4),
    _derived("sort_in_runs", "sort_pairs", {"n": 5}, {"n": 1097}, schedule="digits", digit=2, parts=2, width=4, run=16, leading=0),
    _derived("sort_rows_by_digits", "sort_rows", {"n": 3, "m": 5}, {"n": 7, "m": 67}, schedule="row_digits", digit=6),
    _derived("sort_by_comparison", "sort_pairs", *_N, schedule="comparison"),
    _derived("vector_chunks", "axpy", *_N, schedule="chunks", groups=4, width=4, streams=1, prefetch=0),
    _derived("grid", "scal", *_N, schedule="grid", local=16, width=2, each=1),
    _derived("scan_tree", "scan", *_N, {"n": 1097}, schedule="tree", local=8, each=3, levels=1, sums=8, lanes=0),
    _derived("scan_of_folded_sums", "scan", *_N, {"n": 1097}, schedule="tree", local=8, each=3, levels=1, sums=0, lanes=0),
    _derived("scan_by_lanes", "scan", *_N, {"n": 1097}, schedule="tree", local=64, each=3, levels=1, sums=0, lanes=32),
    _derived("scatter_by_groups", "counts_of_numbers", {"n": 37, "m": 3}, {"n": 1099, "m": 67}, schedule="groups", shares=4, local=8, kept=16),
    _derived("scan_used", "scan_of_integers_used", *_N, {"n": 1097}, schedule="tree", local=8, each=3, levels=1, sums=8, lanes=0),
    _derived("compacted_by_scan", "compacted_by_scan", *_N, {"n": 1097}, schedule="tree", local=8, each=3, levels=1, sums=8, lanes=0),
    _derived("tree", "asum", *_N, {"n": 1097}, schedule="tree", groups=8, local=32, width=1, ways=1, one_kernel=0),
    _derived("tree_in_one_kernel", "asum", *_N, {"n": 1097}, schedule="tree", groups=8, local=32, width=1, ways=1, one_kernel=1),
    _derived("interleaved", "dot", *_N, schedule="chunks", groups=2, width=4, ways=2, apart=0, prefetch=0),
    _derived("apart_and_prefetched", "dot", *_N, schedule="chunks", groups=2, width=4, ways=2, apart=1, prefetch=16),
    _derived("streams", "axpy", *_N, schedule="chunks", groups=4, width=4, streams=2, prefetch=16),
    _derived("rows_together", "gemv", {"n": 1, "m": 7}, {"n": 11, "m": 67}, schedule="row_streams", rows=2, turns=4, width=4, ways=1, prefetch=16),
    _derived("row_warps", "gemv", {"n": 1, "m": 31}, {"n": 4, "m": 64}, {"n": 5, "m": 131}, schedule="row_warp", lanes=32, warps=2, width=2, ways=1, stages=2),
    _derived("matrix_product", "matmul", {"n": 5, "m": 7, "k": 3}, {"n": 1, "m": 1, "k": 1}, schedule="nest", depth=2),
    _derived("rows_together_and_scaled", "gemv_of_blas", {"n": 1, "m": 7}, {"n": 11, "m": 67}, schedule="row_streams", rows=2, turns=4, width=4, ways=1, prefetch=0),
    _derived("tiles", "exchanged_plus", {"n": 1, "m": 7}, {"n": 19, "m": 37}, schedule="tiles", rows=16, columns=8, strips=4, width=4),
    _derived("tiles_in_local_memory", "exchanged_plus", {"n": 1, "m": 7}, {"n": 19, "m": 37}, schedule="local_tiles", side=16, each=4, pad=1),
    _derived("rows_in_parts", "gemv_of_blas", {"n": 1, "m": 7}, {"n": 5, "m": 67}, schedule="row_chunks", parts=4, width=4, ways=1),
]  # fmt: skip
