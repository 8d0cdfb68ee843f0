# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.sorting.scatter_by_sorting`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

fires(
    "last_by_sorting",
    "scatter (λ(a, b). b) (λi. (int32 i, i)) v128 v8",
    "let t2 = sort 32 (λx. let t1 = int32(x) in (uint32(t1), (t1, x))) v8 in let t3 = map (λ(x, y). x) t2 in map (λ(x, y). let t6 = repeat 1 ((element 0 ∘ reduceSeq (λ(acc, z). let t4 = fromSize int32 8 - acc in let t5 = acc + minimum(z, t4) in select((z <= t4) & (uint32((element 0 ∘ gather t3 ∘ repeat 1) (t5 - 1)) <= uint32(x)), t5, acc)) 0) (generate int32 4 (λz. left_shift(1, 3 - z))) - 1) in select((element 0 ∘ gather t3) t6 == x, (element 0 ∘ gather (map (λ(z, u). u) t2)) t6, y)) (zip(generate int32 128 (λx. x), v128))",
)
fires(
    "last_by_sorting",
    "scatter (λ(a, b). b) (λp. (int64 p.1, p.0)) v8 (zip(v8, v8))",
    "let t2 = sort 64 (λ(x, y). let t1 = int64(y) in (uint64(t1), (t1, x))) (zip(v8, v8)) in let t3 = map (λ(x, y). x) t2 in map (λ(x, y). let t6 = repeat 1 ((element 0 ∘ reduceSeq (λ(acc, z). let t4 = fromSize int32 8 - acc in let t5 = acc + minimum(z, t4) in select((z <= t4) & (uint64((element 0 ∘ gather t3 ∘ repeat 1) (t5 - 1)) <= uint64(x)), t5, acc)) 0) (generate int32 4 (λz. left_shift(1, 3 - z))) - 1) in select((element 0 ∘ gather t3) t6 == x, (element 0 ∘ gather (map (λ(z, u). u) t2)) t6, y)) (zip(generate int64 8 (λx. x), v8))",
)
refuses(
    "last_by_sorting",
    "scatter (+) (λi. (int32 i, i)) v128 v8",  # combined otherwise
    "scatter (λ(a, b). b) (λi. (int32 i, i)) xs v8",  # of a length that is not known
    "scatter (λ(a, b). b) (λi. (i, c)) v8 is",
    "scatterSeq (λ(a, b). b) (λi. (int32 i, i)) v128 v8",
    "map abs xs",
)

fires(
    "totals_by_sorting",
    "scatter (+) (λi. (int32 i, i)) v128 v8",
    "let t2 = sort 32 (λx. let t1 = int32(x) in (uint32(t1), (t1, x))) v8 in let t3 = map (λ(x, y). x) t2 in let t4 = map (λ(x, y). y) t2 in let t5 = concat(slice 0 1 1 t4, map (λ(x, y, z, u). select(x == y, z + u, u)) (zip(slice 0 1 7 t3, slice 1 1 7 t3, slice 0 1 7 t4, slice 1 1 7 t4))) in let t6 = concat(slice 0 1 2 t5, map (λ(x, y, z, u). select(x == y, z + u, u)) (zip(slice 0 1 6 t3, slice 2 1 6 t3, slice 0 1 6 t5, slice 2 1 6 t5))) in let t7 = slice 0 1 4 t6 in map (λ(x, y). let t10 = repeat 1 ((element 0 ∘ reduceSeq (λ(acc, z). let t8 = fromSize int32 8 - acc in let t9 = acc + minimum(z, t8) in select((z <= t8) & (uint32((element 0 ∘ gather t3 ∘ repeat 1) (t9 - 1)) <= uint32(x)), t9, acc)) 0) (generate int32 4 (λz. left_shift(1, 3 - z))) - 1) in select((element 0 ∘ gather t3) t10 == x, y + (element 0 ∘ gather (concat(t7, map (λ(z, u, v, w). select(z == u, v + w, w)) (zip(slice 0 1 4 t3, slice 4 1 4 t3, t7, slice 4 1 4 t6))))) t10, y)) (zip(generate int32 128 (λx. x), v128))",
)
fires(
    "totals_by_sorting",
    "scatter (λ(a, b). maximum(a, b)) (λi. (int64 i, i)) v8 v8",
    "let t2 = sort 64 (λx. let t1 = int64(x) in (uint64(t1), (t1, x))) v8 in let t3 = map (λ(x, y). x) t2 in let t4 = map (λ(x, y). y) t2 in let t5 = concat(slice 0 1 1 t4, map (λ(x, y, z, u). select(x == y, maximum(z, u), u)) (zip(slice 0 1 7 t3, slice 1 1 7 t3, slice 0 1 7 t4, slice 1 1 7 t4))) in let t6 = concat(slice 0 1 2 t5, map (λ(x, y, z, u). select(x == y, maximum(z, u), u)) (zip(slice 0 1 6 t3, slice 2 1 6 t3, slice 0 1 6 t5, slice 2 1 6 t5))) in let t7 = slice 0 1 4 t6 in map (λ(x, y). let t10 = repeat 1 ((element 0 ∘ reduceSeq (λ(acc, z). let t8 = fromSize int32 8 - acc in let t9 = acc + minimum(z, t8) in select((z <= t8) & (uint64((element 0 ∘ gather t3 ∘ repeat 1) (t9 - 1)) <= uint64(x)), t9, acc)) 0) (generate int32 4 (λz. left_shift(1, 3 - z))) - 1) in select((element 0 ∘ gather t3) t10 == x, maximum(y, (element 0 ∘ gather (concat(t7, map (λ(z, u, v, w). select(z == u, maximum(v, w), w)) (zip(slice 0 1 4 t3, slice 4 1 4 t3, t7, slice 4 1 4 t6))))) t10), y)) (zip(generate int64 8 (λx. x), v8))",
)
refuses(
    "totals_by_sorting",
    "scatter (λ(a, b). b) (λi. (int32 i, i)) v128 v8",  # combined otherwise
    "scatter (+) (λi. (int32 i, i)) xs v8",  # of a length that is not known
    "scatter (+) (λi. (i, c)) v8 is",
    "scatterSeq (+) (λi. (int32 i, i)) v128 v8",
    "map abs xs",
)
