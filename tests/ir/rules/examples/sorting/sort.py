# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.sorting.sort`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses
from tests.ir.rules.notation import N

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

fires("sort_as_row", f"sort 8 {KEY} is", f"join (map (sort 8 {KEY}) (repeat 1 is))")
refuses("sort_as_row", f"sortRuns 8 2 {KEY} is", f"map (sort 8 {KEY}) iss")

fires("runs_of_one", "sortRuns 8 1 (λi. (uint32 i, c)) is", "map (λi. c) is")
refuses("runs_of_one", f"sortRuns 8 2 {KEY} is", f"sort 8 {KEY} is")

# Numbers that keep their order where their keys are equal: each run's, and of equal keys the earlier run's.
fires(
    "merge_runs",
    "map (sort 3 (λi. (uint32 i, i))) iss",
    "let t1 = right_shift(fromSize int64 m, 1) in (map (λxs. (permute ∘ map (λ(x, y). let t2 = uint32(x) "
    "& 7 in ((y & 1) + (element 0 ∘ reduce (+) 0 ∘ map (λz. let t3 = right_shift(y, 1) <= z in let t4 = z "
    "+ select(t3, 1, 0) in let t5 = left_shift(minimum(t4, t1), 1) in (element 0 ∘ reduceSeq (λ(acc, u). "
    "let t6 = select(t4 <= t1, minimum(2, fromSize int64 m - t5), 0) - acc in let t7 = acc + minimum(u, "
    "t6) in let t8 = uint32((element 0 ∘ gather xs ∘ repeat 1) (t5 + t7 - 1)) & 7 in select((u <= t6) & "
    "((t8 < t2) | (t8 == t2) & bitwise_invert(t3)), t7, acc)) 0) (generate int64 2 (λu. left_shift(1, 1 - "
    "u))))) (generate int64 ((max(m, 1) - 1) // 2) (λz. z)), x))) (zip(xs, generate int64 m (λx. x)))) ∘ map (sortRuns "
    "3 2 (λx. (uint32(x), x)))) iss",
    n=2,
)
fires(
    "merge_runs",
    "map (λis. sortRuns 2 4 (λ(i, j). (uint32 i, j)) (zip(is, is))) iss",
    "let t1 = right_shift(fromSize int64 m, 1) in (map (λxs. (permute ∘ map (λ(p, x). let t2 = "
    "right_shift(x, 1) in let t3 = t2 & -2 in let t4 = uint32(p.0) & 3 in (left_shift(t3, 1) + ((x & 1) + "
    "(element 0 ∘ reduce (+) 0 ∘ map (λy. let t5 = t3 + y in let t6 = t2 <= t5 in let t7 = t5 + "
    "select(t6, 1, 0) in let t8 = left_shift(minimum(t7, t1), 1) in (element 0 ∘ reduceSeq (λ(acc, z). "
    "let t9 = select(t7 <= t1, minimum(2, fromSize int64 m - t8), 0) - acc in let t10 = acc + minimum(z, "
    "t9) in let t11 = uint32(((element 0 ∘ gather xs ∘ repeat 1) (t8 + t10 - 1)).0) & 3 in select((z <= "
    "t9) & ((t11 < t4) | (t11 == t4) & bitwise_invert(t6)), t10, acc)) 0) (generate int64 2 (λz. "
    "left_shift(1, 1 - z))))) (generate int64 1 (λy. y))), p.1))) (zip(xs, generate int64 m (λx. x)))) ∘ "
    "map (λxs. sortRuns 2 2 (λp. (uint32(p.0), p)) (zip(xs, xs)))) iss",
    n=2,
)
fires(
    "merge_runs",
    "map (sortRuns 8 4 (λi. (uint32 i, i))) iss",
    "(map (λxs. (permute ∘ map (λ(x, y). let t1 = y & -4 in let t2 = uint32(x) & 255 in (t1 + (element 0 "
    "∘ reduce (+) 0 ∘ map (λz. let t3 = t1 + z in let t4 = y <= t3 in let t5 = t3 + select(t4, 1, 0) in "
    "let t6 = minimum(t5, fromSize int64 m) in (element 0 ∘ reduceSeq (λ(acc, u). let t7 = select(t5 <= "
    "fromSize int64 m, minimum(1, fromSize int64 m - t6), 0) - acc in let t8 = acc + minimum(u, t7) in "
    "let t9 = uint32((element 0 ∘ gather xs ∘ repeat 1) (t6 + t8 - 1)) & 255 in select((u <= t7) & ((t9 < "
    "t2) | (t9 == t2) & bitwise_invert(t4)), t8, acc)) 0) (generate int64 1 (λu. left_shift(1, 0 - u))))) "
    "(generate int64 3 (λz. z)), x))) (zip(xs, generate int64 m (λx. x)))) ∘ map (sortRuns 8 1 (λx. "
    "(uint32(x), x)))) iss",
    n=1,
)
refuses("merge_runs", f"map (sort 8 {KEY}) iss", n=3)
refuses("merge_runs", f"map (sort 8 {KEY}) iss", n=N)
refuses("merge_runs", f"map (sortRuns 8 2 {KEY}) iss", f"map (sortRuns 8 6 {KEY}) iss", f"sort 8 {KEY} is", n=2)
refuses(
    "merge_runs",
    f"mapSeq (sort 8 {KEY}) iss",
    "map (λ(j, is). sort 4 (λi. (uint32(i + j), i)) is) (zip(ints, iss))",
    n=2,
)


fires(
    "merge_in_shares",
    "map (sortRuns 3 4 (λi. (uint32 i, i))) iss",
    "(map (λxs. (head m ∘ join ∘ map (λx. let t1 = x * 2 in let t2 = t1 & -4 in let t3 = t1 - t2 in let t4 = "
    "fromSize int64 m - t2 in let t5 = maximum(0, minimum(2, t4 - 2)) in let t6 = minimum(2, t4) in let t7 = "
    "t2 + 2 in let t9 = (element 0 ∘ reduceSeq (λ(acc, y). let t8 = acc + y in select((t8 <= minimum(t3, t6)) "
    "& (uint32((element 0 ∘ gather xs ∘ repeat 1) (t2 + t8 - 1)) & 7 <= uint32((element 0 ∘ gather xs ∘ repeat "
    "1) (t7 + (t3 - t8))) & 7), t8, acc)) (maximum(0, t3 - t5))) (generate int64 2 (λy. right_shift(2, y))) in "
    "scanMapSeq (λ(acc, y). let t10 = t3 + y - acc.0 in let t11 = (t10 >= t5) | (acc.0 < t6) & (uint32(acc.1) "
    "& 7 <= uint32(acc.2) & 7) in let t12 = acc.0 + select(t11, 1, 0) in let t13 = (element 0 ∘ gather xs ∘ "
    "repeat 1) (select(t11, t2 + t12, t7 + t10 + 1)) in ((t12, select(t11, t13, acc.1), select(t11, acc.2, "
    "t13)), select(t11, acc.1, acc.2))) (t9, (element 0 ∘ gather xs ∘ repeat 1) (t2 + t9), (element 0 ∘ gather "
    "xs ∘ repeat 1) (t7 + (t3 - t9))) (generate int64 2 (λy. y)))) (generate int64 ((m + 1) // 2) (λx. x))) ∘ "
    "map (sortRuns 3 2 (λx. (uint32(x), x)))) iss",
    n=2,
    share=2,
)
fires(
    "merge_in_shares",
    "map (λis. sortRuns 2 2 (λ(i, j). (uint32 i, j)) (zip(is, is))) iss",
    "(map (λxs. (head m ∘ join ∘ map (λx. let t1 = x * 2 in let t2 = t1 & -2 in let t3 = t1 - t2 in let t4 = "
    "fromSize int64 m - t2 in let t5 = maximum(0, minimum(1, t4 - 1)) in let t6 = minimum(1, t4) in let t7 = "
    "t2 + 1 in let t9 = (element 0 ∘ reduceSeq (λ(acc, y). let t8 = acc + y in select((t8 <= minimum(t3, t6)) "
    "& (uint32(((element 0 ∘ gather xs ∘ repeat 1) (t2 + t8 - 1)).0) & 3 <= uint32(((element 0 ∘ gather xs ∘ "
    "repeat 1) (t7 + (t3 - t8))).0) & 3), t8, acc)) (maximum(0, t3 - t5))) (generate int64 1 (λy. "
    "right_shift(1, y))) in scanMapSeq (λ(acc, y). let t10 = t3 + y - acc.0 in let t11 = (t10 >= t5) | (acc.0 "
    "< t6) & (uint32(acc.1.0) & 3 <= uint32(acc.2.0) & 3) in let t12 = acc.0 + select(t11, 1, 0) in let t13 = "
    "(element 0 ∘ gather xs ∘ repeat 1) (select(t11, t2 + t12, t7 + t10 + 1)) in let t14 = t13.0 in let t15 = "
    "t13.1 in ((t12, (select(t11, t14, acc.1.0), select(t11, t15, acc.1.1)), (select(t11, acc.2.0, t14), "
    "select(t11, acc.2.1, t15))), select(t11, acc.1.1, acc.2.1))) (t9, (element 0 ∘ gather xs ∘ repeat 1) (t2 "
    "+ t9), (element 0 ∘ gather xs ∘ repeat 1) (t7 + (t3 - t9))) (generate int64 2 (λy. y)))) (generate int64 "
    "((m + 1) // 2) (λx. x))) ∘ map (λxs. sortRuns 2 1 (λp. (uint32(p.0), p)) (zip(xs, xs)))) iss",
    n=1,
    share=2,
)
fires(
    "merge_in_shares",
    "map (λi. sort 8 (λi. (uint32 i, i)) (repeat 4 i)) is",
    "(map (λxs. (join ∘ map (λx. let t1 = x * 1 in let t2 = t1 & -4 in let t3 = t1 - t2 in let t4 = fromSize "
    "int32 4 - t2 in let t5 = maximum(0, minimum(2, t4 - 2)) in let t6 = minimum(2, t4) in let t7 = t2 + 2 in "
    "let t9 = (element 0 ∘ reduceSeq (λ(acc, y). let t8 = acc + y in select((t8 <= minimum(t3, t6)) & "
    "(uint32((element 0 ∘ gather xs ∘ repeat 1) (t2 + t8 - 1)) & 255 <= uint32((element 0 ∘ gather xs ∘ repeat "
    "1) (t7 + (t3 - t8))) & 255), t8, acc)) (maximum(0, t3 - t5))) (generate int32 2 (λy. right_shift(2, y))) "
    "in scanMapSeq (λ(acc, y). let t10 = t3 + y - acc.0 in let t11 = (t10 >= t5) | (acc.0 < t6) & "
    "(uint32(acc.1) & 255 <= uint32(acc.2) & 255) in let t12 = acc.0 + select(t11, 1:int32, 0:int32) in let "
    "t13 = (element 0 ∘ gather xs ∘ repeat 1) (select(t11, t2 + t12, t7 + t10 + 1)) in ((t12, select(t11, t13, "
    "acc.1), select(t11, acc.2, t13)), select(t11, acc.1, acc.2))) (t9, (element 0 ∘ gather xs ∘ repeat 1) (t2 "
    "+ t9), (element 0 ∘ gather xs ∘ repeat 1) (t7 + (t3 - t9))) (generate int32 1 (λy. y)))) (generate int32 "
    "4 (λx. x))) ∘ map (sortRuns 8 2 (λx. (uint32(x), x)) ∘ repeat 4)) is",
    n=2,
    share=1,
)
refuses("merge_in_shares", f"map (sortRuns 8 4 {KEY}) iss", n=2, share=8)
refuses("merge_in_shares", f"map (sortRuns 8 4 {KEY}) iss", n=2, share=N)
refuses("merge_in_shares", f"map (sortRuns 8 4 {KEY}) iss", n=2, share=3)
refuses("merge_in_shares", "map (λi. sort 8 (λi. (uint32 i, i)) (repeat 5 i)) is", n=2, share=1)
refuses("merge_in_shares", "map (sortRuns 8 4 (λxs. (0:uint32, xs))) cube", n=2, share=2)
refuses("merge_in_shares", f"map (sortRuns 8 4 {KEY}) iss", n=1, share=1)
refuses("merge_in_shares", f"map (sortRuns 8 6 {KEY}) iss", n=3, share=1)
refuses(
    "merge_in_shares",
    f"map (sort 8 {KEY}) iss",
    f"mapSeq (sortRuns 8 4 {KEY}) iss",
    f"sortRuns 8 4 {KEY} is",
    "map (λ(j, is). sortRuns 4 4 (λi. (uint32(i + j), i)) is) (zip(ints, iss))",
    n=2,
    share=2,
)

fires(
    "runs_in_tiles",
    "sortRuns 3 4 (λi. (uint32 i, i)) is",
    "(head m ∘ join ∘ map (sort 3 (λ(x, y). (x, y)) ∘ map (λ(x, y). (select(y < fromSize int64 m, uint32(x), "
    "7), x))) ∘ split 4) (zip(concat(is, repeat (3 - (m + 3) % 4) 0:int32), generate int64 (4*((m + 3) // 4)) "
    "(λx. x)))",
)
fires(
    "runs_in_tiles",
    "sortRuns 32 2 (λ(i, j). (uint32 j, i)) (zip(is, is))",
    "(head m ∘ join ∘ map (sort 32 (λ(x, y). (x, y)) ∘ map (λ(p, x). (select(x < fromSize int64 m, "
    "uint32(p.1), 4294967295), p.0))) ∘ split 2) (zip(concat(zip(is, is), repeat (1 - (m + 1) % 2) (0:int32, "
    "0:int32)), generate int64 (2*((m + 1) // 2)) (λx. x)))",
)
refuses(
    "runs_in_tiles", f"sort 8 {KEY} is", "map abs (map abs xs)", "map (λi. sortRuns 8 2 (λj. (uint32(i + j), j)) is) is"
)
