# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.sorting.scatter`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses
from tests.ir.rules.notation import M, N

# --- scatter ----------------------------------------------------------------------------------------------------------

fires("scatter_fusion", "scatter (+) (λi. (i, c)) xs (map (λi. i - 1) is)", "scatter (+) (λi. (i - 1, c)) xs is")
fires(
    "scatter_fusion",
    "scatterSeq (λ(a, b). b) (λp. p) v8 (map (λi. (int64 i, float32 i)) is)",
    "scatterSeq (λ(a, b). b) (λi. (int64 i, float32 i)) v8 is",
)
refuses(
    "scatter_fusion",
    "scatter (+) (λi. (i, c)) xs (mapSeq (λi. i - 1) is)",
    "scatter (+) (λi. (i, c)) (map abs xs) is",
    "map abs (map abs xs)",
)

fires("scatter_to_seq", "scatter (-) (λi. (i, c)) xs is", "scatterSeq (-) (λi. (i, c)) xs is")
refuses("scatter_to_seq", "scatterSeq (-) (λi. (i, c)) xs is", "map abs xs")

fires(
    "scatter_partition",
    "scatter (+) (λi. (i, c)) xs is",
    "concat(scatter (+) (λi. (i, c)) (slice 0 1 (n // 2) xs) is, "
    "scatter (+) (λi. (int64 i - fromSize int64 (n // 2), c)) (slice (n // 2) 1 (n - n // 2) xs) is)",
    at=N // 2,
)
fires(
    "scatter_partition",
    "scatter (λ(a, b). b) (λp. p) v8 (zip(is, map float32 is))",
    "concat(scatter (λ(a, b). b) (λp. p) (slice 0 1 3 v8) (zip(is, map float32 is)), "
    "scatter (λ(a, b). b) (λp. (p.0 - fromSize int32 3, p.1)) (slice 3 1 5 v8) (zip(is, map float32 is)))",
    at=3,
)
refuses("scatter_partition", "scatterSeq (+) (λi. (i, c)) v8 is", "v8", at=3)
refuses("scatter_partition", "scatter (+) (λi. (i, c)) v8 is", "scatter (+) (λi. (i, c)) xs is", at=9)
refuses("scatter_partition", "scatter (+) (λi. (i, c)) v8 is", at=-1)

fires(
    "scatter_split",
    "scatter (+) (λi. (i, c)) v8 is",
    "join (map (λ(xs, s). scatter (+) (λi. (i - s, c)) xs is) "
    "(zip(split 4 v8, generate int32 2 (λk. k * fromSize int32 4))))",
    n=4,
)
fires(
    "scatter_split",
    "scatter (-) (λi. (int64 i, c)) xs4 is",
    "join (map (λ(xs, s). scatter (-) (λi. (int64 i - s, c)) xs is) "
    "(zip(split 4 xs4, generate int64 n (λk. k * fromSize int64 4))))",
    n=4,
)
refuses("scatter_split", "scatter (+) (λi. (i, c)) v8 is", "scatter (+) (λi. (i, c)) xs is", n=3)
refuses("scatter_split", "scatterSeq (+) (λi. (i, c)) v8 is", "split 4 v8", n=4)
refuses("scatter_split", "scatter (+) (λi. (i, c)) v8 is", n=0)

fires(
    "scatter_of_rows",
    "scatter (+) (λi. (i, c)) v8 (concat(join (split (m // 2) (slice 0 1 (2*(m // 2)) is)), slice (2*(m // 2)) 1 (m % 2) is))",
    "(join ∘ map (λp. reduce (+) p.0 p.1)) (zip(v8, transpose (concat("
    "map (scatter (+) (λi. (i, c)) (repeat 8 (-0.0:float32))) (split (m // 2) (slice 0 1 (2*(m // 2)) is)), "
    "map (scatter (+) (λi. (i, c)) (repeat 8 (-0.0:float32))) (repeat 1 (slice (2*(m // 2)) 1 (m % 2) is))))))",
)
fires(
    "scatter_of_rows",
    "scatter maximum (λi. (i, i)) ints (join iss)",
    "(join ∘ map (λp. reduce maximum p.0 p.1)) (zip(ints, transpose ("
    "map (scatter maximum (λi. (i, i)) (repeat n (-2147483648:int32))) iss)))",
)
refuses(
    "scatter_of_rows",
    "scatter (-) (λi. (i, c)) v8 (join iss)",
    "scatter (λ(a, b). b) (λi. (i, c)) v8 (join iss)",
    "scatterSeq (+) (λi. (i, c)) v8 (join iss)",
    "scatter (+) (λi. (i, c)) v8 is",
    "scatter (+) (λi. (i, c)) v8 (concat(is, join iss))",
    "reduce (+) 0 (join xss)",
)

fires(
    "scatter_in_order",
    "scatter (-) (λi. (i, c)) v8 is",
    "scatter (-) (λi. (i, c)) (scatter (-) (λi. (i, c)) v8 (slice 0 1 (m // 2) is)) (slice (m // 2) 1 (m - m // 2) is)",
    at=M // 2,
)
fires(
    "scatter_in_order",
    "scatter (λ(a, b). b) (λi. (i, float32 i)) xs is",
    "scatter (λ(a, b). b) (λi. (i, float32 i)) (scatter (λ(a, b). b) (λi. (i, float32 i)) xs (slice 0 1 m is)) (slice m 1 0 is)",
    at=M,
)
refuses("scatter_in_order", "scatter (+) (λi. (i, c)) v8 is", at=M + 1)
refuses("scatter_in_order", "scatterSeq (+) (λi. (i, c)) v8 is", "map abs xs", at=0)

fires(
    "scatter_in_chunks",
    "scatter (λ(a, b). b) (λi. (i, float32 i)) xs is",
    "join (reduceSeq (λ(a, is). scatter (λ(a, b). b) (λi. (i, float32 i)) a is) xs (split m is))",
    n=M,
)
fires(
    "scatter_in_chunks",
    "scatter (-) (λx. (int32 x, x)) v8 xs4",
    "join (reduceSeq (λ(a, xs). scatter (-) (λx. (int32 x, x)) a xs) v8 (split 4 xs4))",
    n=4,
)
refuses("scatter_in_chunks", "scatter (+) (λi. (i, c)) v8 is", n=2)
refuses("scatter_in_chunks", "scatterSeq (+) (λi. (i, c)) v8 is", "map abs xs", n=1)
refuses("scatter_in_chunks", "map (λx. scatter (+) (λi. (i, x)) v8 is) xs", at_=(0, 0), n=1)

fires(
    "scatter_indices_apart",
    "scatter (+) (λi. (i - 1, c)) xs is",
    "scatter (+) (λ(j, i). (j, c)) xs (zip(map (λi. i - 1) is, is))",
)
fires(
    "scatter_indices_apart",
    "scatter (+) (λp. (p.1 // 2, p.0)) xs pairs",
    "scatter (+) (λ(i, p). (i, p.0)) xs (zip(map (λp. p.1 // 2) pairs, pairs))",
)
refuses("scatter_indices_apart", "scatterSeq (+) (λi. (i, c)) v8 is", "map abs xs")

fires(
    "scatter_out_of_rows",
    "map (λis. scatter (+) (λi. (i, c)) v8 is) iss",
    "let rows = (join ∘ map (repeat m)) (generate int64 n (λi. i)) in (split 8 ∘ scatter (+) (λ(r, i). "
    "(select((int64 i < 0) | (int64 i >= fromSize int64 8), -1, r * fromSize int64 8 + int64 i), c)) "
    "((join ∘ repeat n) v8)) (zip(rows, join iss))",
)
fires(
    "scatter_out_of_rows",
    "map (λ(j, is). scatter (λ(a, b). b) (λp. p) (map (λi. i + j) is) (zip(is, map (λi. i - j) is))) (zip(ints, iss))",
    "let t = zip(ints, iss) in let rows = (join ∘ map (repeat m)) (generate int64 n (λi. i)) in "
    "(split m ∘ scatter (λ(a, b). b) (λ(r, i, y). (select((int64 i < 0) | (int64 i >= fromSize int64 m), -1, "
    "r * fromSize int64 m + int64 i), y)) ((join ∘ map (λ(j, is). map (λi. i + j) is)) t)) "
    "(zip(rows, (join ∘ map (λ(j, is). is)) t, (join ∘ map (λ(j, is). map (λi. i - j) is)) t))",
)
fires(
    "scatter_out_of_rows",
    "map (λxs. scatter (-) (λi. (i, c)) xs (generate int32 4 (λi. i * 2))) (split 8 (slice 0 1 16 v128))",
    "let rows = (join ∘ map (repeat 4)) (generate int32 2 (λi. i)) in (split 8 ∘ scatter (-) (λ(r, i). "
    "(select((i < 0) | (i >= fromSize int32 8), -1, r * fromSize int32 8 + i), c)) (join (split 8 (slice 0 1 16 v128)))) "
    "(zip(rows, (join ∘ repeat 2) (generate int32 4 (λi. i * 2))))",
)
refuses(
    "scatter_out_of_rows",
    "map (λis. scatterSeq (+) (λi. (i, c)) v8 is) iss",
    "mapSeq (λis. scatter (+) (λi. (i, c)) v8 is) iss",
    "map (λ(j, is). scatter (+) (λi. (i + j, c)) v8 is) (zip(ints, iss))",  # the key uses the row
    "map (λ(x, is). scatter (λ(a, b). a + b * x) (λi. (i, c)) v8 is) (zip(xs, iss))",
    "map (λis. scatter (+) (λi. (i, c)) (slice 0 1 0 v8) is) iss",  # rows without places
    "map (map abs) xss",
)

COUNTED = "scatter (+) (λi. (i, i)) ints is"
fires(
    "scatter_to_local",
    "mapWorkgroup (λis. scatter (+) (λi. (i, i)) ints is) iss",
    "mapWorkgroup (λis. scatterLocal (+) (λi. (i, i)) ints is) iss",
    at_=(0, 0),
)
refuses("scatter_to_local", COUNTED)  # in no work-group
refuses(
    "scatter_to_local",
    "mapWorkgroup (λis. scatter (+) (λi. (i, c)) v8 is) iss",  # sums of floats depend on the order
    "mapWorkgroup (λis. scatter maximum (λi. (i, i)) ints is) iss",
    "mapWorkgroup (λis. scatterSeq (+) (λi. (i, i)) ints is) iss",
    at_=(0, 0),
)
refuses(
    "scatter_to_local",
    "mapWorkgroup (λrs. mapLocal (λis. scatter (+) (λi. (i, int32 i)) (repeat 4 i) is) rs) (repeat 2 iss)",
    at_=(0, 0, 0, 0),
)

fires(
    "scatter_pad",
    "scatter (+) (λi. (i - 1, i)) (repeat n 7:int32) is",
    "head n (scatter (+) (λi. (i - 1, i)) (repeat (n + 3) 7:int32) is)",
    count=3,
)
fires(
    "scatter_pad",
    "scatter (λ(a, b). b) (λi. (i, c)) (repeat n c) is",
    "head n (scatter (λ(a, b). b) (λi. (i, c)) (repeat n c) is)",
    count=0,
)
refuses("scatter_pad", "scatter (+) (λi. (i, i)) (repeat n 7:int32) is", count=-1)
refuses("scatter_pad", COUNTED, "scatterSeq (+) (λi. (i, i)) (repeat n 7:int32) is", count=3)
