# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules: elements put to their places."""

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

# --- sort -------------------------------------------------------------------------------------------------------------

KEY = "(λi. (uint32 i, i))"
fires("sort_fusion", f"sort 8 {KEY} (map (λi. i - 1) is)", "sort 8 (λi. (uint32(i - 1), i - 1)) is")
fires("sort_fusion", "sort 8 (λp. (uint8 p.1, p.0)) (map (λi. (c, i)) is)", "sort 8 (λi. (uint8 i, c)) is")
refuses("sort_fusion", f"sort 8 {KEY} (mapSeq (λi. i - 1) is)", f"sort 8 {KEY} is", "map abs (map abs xs)")
fires("map_sort_fusion", f"map float32 (sort 8 {KEY} is)", "sort 8 (λi. (uint32 i, float32 i)) is")
fires("map_sort_fusion", "map (λp. p.0) (sort 3 (λp. (uint64 p.1, p)) pairs)", "sort 3 (λp. (uint64 p.1, p.0)) pairs")
refuses("map_sort_fusion", f"mapSeq float32 (sort 8 {KEY} is)", f"sort 8 {KEY} is", "map abs (map abs xs)")
fires(
    "sort_by_digits",
    f"sort 8 {KEY} is",
    f"sort 5 (λi. (right_shift(uint32 i, 3:uint32), i)) (sort 3 {KEY} is)",
    n=3,
)
fires(
    "sort_by_digits",
    "sort 5 (λp. (right_shift(uint32 p.1, 3:uint32), p.0)) pairs",
    "sort 1 (λp. (right_shift(uint32 p.1, 7:uint32), p.0)) (sort 4 (λp. (right_shift(uint32 p.1, 3:uint32), p)) pairs)",
    n=4,
)
refuses("sort_by_digits", f"sort 8 {KEY} is", n=8)
refuses("sort_by_digits", f"sort 8 {KEY} is", "is", n=0)
refuses("sort_by_digits", f"sort 8 {KEY} is", n=N)
fires(
    "sort_out_of_map",
    f"map (λis. sort 4 (λi. (uint32 i, c)) (sort 8 {KEY} is)) iss",
    f"map (sort 4 (λi. (uint32 i, c))) (map (sort 8 {KEY}) iss)",
)
fires(
    "sort_out_of_map",
    f"map (λis. sort 4 {KEY} (map (λi. i + 1) is)) iss",
    f"map (sort 4 {KEY}) (map (map (λi. i + 1)) iss)",
)
refuses(
    "sort_out_of_map",
    f"map (λis. sort 4 {KEY} is) iss",
    f"mapSeq (λis. sort 4 {KEY} (sort 8 {KEY} is)) iss",
    f"map (λ(j, is). sort 4 (λi. (uint32(i + j), i)) (sort 8 {KEY} is)) (zip(ints, iss))",
)
fires(
    "sort_of_rows",
    f"sort 2 {KEY} (join (split n ints4))",
    "let t1 = split n ints4 in permute (join (map (λ(ss, is). "
    f"rankSeq 2 {KEY} ss is) (zip(transpose (split 4 (concat(repeat 1 0, slice 0 1 15 (scan (+) 0 (join (transpose "
    "(map (scatter (+) (λi. (int64(uint32 i & 3), 1)) (repeat 4 0)) t1))))))), t1))))",
)
fires(
    "sort_of_rows",
    f"sort 3 {KEY} (concat(join (split (n // 4) (slice 0 1 (4*(n // 4)) ints)), slice (4*(n // 4)) 1 (n % 4) ints))",
    "let t1 = repeat 8 0 in let t2 = split (n // 4) (slice 0 1 (4*(n // 4)) ints) in "
    "let t3 = slice (4*(n // 4)) 1 (n % 4) ints in "
    "let t4 = transpose (split 5 (concat(repeat 1 0, slice 0 1 39 (scan (+) 0 (join (transpose (concat("
    "map (scatter (+) (λi. (int64(uint32 i & 7), 1)) t1) t2, "
    "map (scatter (+) (λi. (int64(uint32 i & 7), 1)) t1) (repeat 1 t3))))))))) in "
    f"permute (concat(join (map (λ(ss, is). rankSeq 3 {KEY} ss is) (zip(slice 0 1 4 t4, t2))), "
    f"join (map (λ(ss, is). rankSeq 3 {KEY} ss is) (zip(slice 4 1 1 t4, split (n % 4) t3)))))",
)
refuses("sort_of_rows", f"sort 3 {KEY} ints4", "ints4", f"sort 17 {KEY} (join (split n ints4))")  # too many counters
refuses("sort_of_rows", f"sort 3 {KEY} (join iss)")  # there may be no row
refuses("sort_of_rows", f"sort 3 {KEY} (concat(ints, join (split n ints4)))", f"sort 3 {KEY} (concat(ints, ints))")
fires("rank_in_runs", f"rankSeq 2 {KEY} (repeat 4 7:int64) is", f"rankRunsSeq 2 16 {KEY} (repeat 4 7:int64) is", n=16)
refuses("rank_in_runs", f"rankSeq 2 {KEY} (repeat 4 7:int64) is", f"sort 2 {KEY} is", n=1)
refuses("rank_in_runs", f"rankSeq 2 {KEY} (repeat 4 7:int64) is", n=6)
refuses("rank_in_runs", f"rankSeq 2 {KEY} (repeat 4 7:int64) is", n=N)
refuses("rank_in_runs", f"rankRunsSeq 2 16 {KEY} (repeat 4 7:int64) is", "map abs xs", n=16)
fires(
    "sort_rows",
    "map (λis. sort 2 (λ(i, j). (uint32 i, j)) (zip(is, is))) iss",
    "map (λ(hs, is). permute (rankSeq 2 (λ(i, j). (uint32 i, j)) (concat(repeat 1 0, slice 0 1 3 (scan (+) 0 hs))) "
    "(zip(is, is)))) (zip(map (λis. scatter (+) (λ(i, j). (int64(uint32 i & 3), 1)) (repeat 4 0) (zip(is, is))) iss, "
    "iss))",
)
refuses(
    "sort_rows",
    f"map (sort 17 {KEY}) iss",
    f"mapSeq (sort 2 {KEY}) iss",
    f"sort 2 {KEY} is",
    "map (λ(j, is). sort 4 (λi. (uint32(i + j), i)) is) (zip(ints, iss))",
)
fires(
    "sort_by_comparison",
    f"sort 8 {KEY} is",
    "let t1 = zip(is, generate int64 m (λi. i)) in permute (map (λ(i, j). let t2 = uint32 i & 255 in (element 0 (reduce "
    "(+) 0 (map (λ(k, l). let t3 = uint32 k & 255 in select((t3 < t2) | (t3 == t2) & (l < j), 1, 0)) t1)), i)) t1)",
)
fires(
    "sort_by_comparison",
    "sort 8 (λ(x, i). (uint8 i, x)) pairs",
    "let t1 = zip(pairs, generate int64 n (λi. i)) in permute (map (λ(p, j). let t2 = uint8(p.1) in (element 0 (reduce "
    "(+) 0 (map (λ(q, l). let t3 = uint8(q.1) in select((t3 < t2) | (t3 == t2) & (l < j), 1, 0)) t1)), p.0)) t1)",
)
refuses("sort_by_comparison", "is", "map abs xs", f"permute (rankSeq 1 {KEY} (repeat 2 0:int32) is)")
