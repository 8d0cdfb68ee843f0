# an equation reads best on one line
"""Examples of the rules: index functions, hints to memory and gathers."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses
from tests.ir.rules.notation import N

# --- views and ragged lengths -----------------------------------------------------------------------------------------

fires("map_identity", "xs", "map (λx. x) xs")
fires("map_identity", "map (λxs. xs) xss", "map (λxs. map (λx. x) xs) xss", at_=(0, 0))
fires("map_identity", "map (λr. slice 0 1 m (join r)) cube", "map (λx. x) (map (λr. slice 0 1 m (join r)) cube)")
refuses("map_identity", "map abs xs", "c", "map (λr. r) xss", "map (λr. map abs r) xss")
# it would be read in the function: the work-items' results are written to global or local memory through views alone
refuses("map_identity", "mapWorkgroup (λxs. id (toGlobal (mapLocal abs xs))) xss", at_=(0, 0))
refuses(
    "map_identity",
    "mapWorkgroup (λxss. mapLocal abs (toLocal (join (mapLocal (mapSeq abs) xss)))) cube",
    at_=(0, 0, 1, 0),
)
fires(
    "map_partition",
    "map abs xs",
    "concat(map abs (slice 0 1 (4*(n // 4)) xs), map abs (slice (4*(n // 4)) 1 (n % 4) xs))",
    at=N // 4 * 4,
)
fires("map_partition", "map abs xs", "concat(map abs (slice 0 1 n xs), map abs (slice n 1 0 xs))", at=N)
fires("map_partition", "map abs v8", "concat(map abs (slice 0 1 3 v8), map abs (slice 3 1 5 v8))", at=3)
refuses("map_partition", "map abs xs", "mapSeq abs v128", at=4)
refuses("map_partition", "map abs v8", at=9)
refuses("map_partition", "map abs v8", at=-1)
fires("split_after_vector", "split n (asVector 4 xs4)", "map (asVector 4) (split (4*n) xs4)")
fires("split_after_vector", "split 1 (asVector 2 xs4)", "map (asVector 2) (split 2 xs4)")
refuses("split_after_vector", "split 4 xs4", "asVector 4 xs4", "split n (map (λx. x) (asVector 4 xs4))")
fires("split_after_map", "split 4 (map abs xs4)", "map (map abs) (split 4 xs4)")
refuses("split_after_map", "split 4 (mapSeq abs xs4)", "map abs xs", "split 4 xs4")
fires("join_after_map", "join (map (map abs) xss)", "map abs (join xss)")
refuses(
    "join_after_map",
    "join (map (λxs. map (λx. x * element 0 xs) xs) xss)",
    "join (mapSeq (map abs) xss)",
    "join (map (mapSeq abs) xss)",
    "join (map (λr. map abs xs) xss)",
    "join xss",
)
fires("slice_after_map", "slice 1 2 3 (map abs v8)", "map abs (slice 1 2 3 v8)")
fires("slice_after_map", "slice (n - 1) (-1) n (map abs xs)", "map abs (slice (n - 1) (-1) n xs)")
refuses("slice_after_map", "slice 1 2 3 (mapSeq abs v8)", "slice 1 2 3 v8", "map abs (slice 1 2 3 v8)")
fires("element_after_map", "element 3 (map abs v8)", "abs (element 3 v8)")
refuses("element_after_map", "element 3 (mapSeq abs v8)", "element 3 v8")
fires("transpose_after_map", "transpose (map (map abs) xss)", "map (map abs) (transpose xss)")
refuses(
    "transpose_after_map",
    "transpose (map (λxs. map (λx. x * element 0 xs) xs) xss)",
    "transpose (mapSeq (map abs) xss)",
    "transpose (map (mapSeq abs) xss)",
    "transpose (map (λr. map abs xs) xss)",
    "transpose xss",
)
fires("interchange", "map (map abs) xss", "transpose (map (map abs) (transpose xss))")
refuses(
    "interchange",
    "map (λxs. map (λx. x * element 0 xs) xs) xss",
    "mapSeq (map abs) xss",
    "map (mapSeq abs) xss",
    "map (λr. map abs xs) xss",
    "map abs xs",
)
fires("stride_after_map", "reorderStride 4 (map abs xs4)", "map abs (reorderStride 4 xs4)")
refuses("stride_after_map", "reorderStride 4 (mapSeq abs xs4)", "reorder (map abs xs4)", "reorderStride 4 xs4")
fires("element_of_zip", "(element 3 (zip(v8, map abs v8))).1", "element 3 (map abs v8)")
fires("element_of_zip", "(element 3 (zip(v8, map abs v8))).0", "element 3 v8")
refuses("element_of_zip", "(element 0 pairs).1", "element 3 (zip(v8, v8))", "element 3 v8")
fires(
    "view_map_after_map",
    "map (slice 0 1 m) (map (map abs) (map (λx. x) xss))",
    "map (map abs) (map (slice 0 1 m) (map (λx. x) xss))",
)
fires(
    "view_map_after_map",
    "map (λr. join (split 1 r)) (map (map (λx. x + c)) xss)",
    "map (map (λx. x + c)) (map (λr. join (split 1 r)) xss)",
)
fires(
    "view_map_after_map", "map (λr. concat(r, r)) (map (map int32) xss)", "map (map int32) (map (λr. concat(r, r)) xss)"
)
refuses(
    "view_map_after_map",
    "map (map abs) (map (slice 0 1 m) xss)",
    "map (slice 0 1 m) (mapSeq (map abs) xss)",
    "map (slice 0 1 m) xss",
)
refuses(
    "view_map_after_map",
    "map (λr. repeat 3 (element 0 r * 2)) (map (map (λx. x + c)) xss)",
    "map (λr. concat(r, xs)) (map (map (λx. x + c)) xss)",
)
refuses(
    "view_map_after_map",
    "map (λr. concat(r, repeat 2 0:float32)) (map (map (λx. x + c)) xss)",
    "map (λr. xs) (map (map (λx. x + c)) xss)",
)
refuses(
    "view_map_after_map",
    "map (slice 0 1 m) (map (λr. map (λx. x + element 0 r) r) xss)",
    "map (λr. zip(r, r)) (map (map abs) xss)",
)

# --- prefetching ------------------------------------------------------------------------------------------------------

fires("prefetch_input", "mapSeq abs xs", "mapSeq abs (prefetch 16 xs)", distance=16)
fires(
    "prefetch_input",
    "mapSeq (mapSeq abs) (transpose xss)",
    "mapSeq (mapSeq abs) (prefetch 1 (transpose xss))",
    distance=1,
)
fires(
    "prefetch_input",
    "reduceSeq (+) 0 (slice 1 1 n xs4)",
    "reduceSeq (+) 0 (prefetch (n + 1) (slice 1 1 n xs4))",
    distance=N + 1,
)
fires(
    "prefetch_input",
    "reduceSeq (λ(a, p). a + p.0 * p.1) 0:float32 (zip(xs, ys))",
    "reduceSeq (λ(a, p). a + p.0 * p.1) 0:float32 (prefetch 8 (zip(xs, ys)))",
    distance=8,
)
refuses("prefetch_input", "map abs xs", "mapGlobal abs xs", "reduce (+) 0 xs", "mapSeqUnroll abs v8", "xs", distance=16)
refuses("prefetch_input", "mapSeq abs (toPrivate (mapSeq abs xs))", "mapSeq abs (prefetch 16 xs)", distance=16)
fires("prefetch_output", "mapSeq abs xs", "prefetch 16 (mapSeq abs xs)", distance=16)
refuses("prefetch_input", "mapSeq abs xs", "reduceSeq (+) 0 xs", distance=0)
refuses("prefetch_output", "mapSeq abs xs", distance=-3)
refuses("prefetch_output", "mapGlobal abs xs", "map abs xs", "reduceSeq (+) 0 xs", "prefetch 16 xs", distance=16)

# --- gather -----------------------------------------------------------------------------------------------------------

fires("gather_after_map", "gather (map abs v8) is", "map abs (gather v8 is)")
fires(
    "gather_after_map",
    "map (λr. gather (map (λx. x * c) v8) r) iss",
    "map (λr. map (λx. x * c) (gather v8 r)) iss",
    at_=(0, 0),
)
refuses(
    "gather_after_map", "gather (mapSeq abs v8) is", "gather v8 (map abs is)", "gather v8 is", "map abs (gather v8 is)"
)
fires("gather_computed", "gather v8 (map (λi. i // 2) is)", "join (map (λi. gather v8 (repeat 1 (i // 2))) is)")
refuses("gather_computed", "gather v8 (mapSeq abs is)", "gather (map abs v8) is", "map abs xs")
fires(
    "view_map_after_map",
    "map (λr. gather r ints4) (map (map (λx. x + c)) (split 8 (concat(v8, v8))))",
    "map (map (λx. x + c)) (map (λr. gather r ints4) (split 8 (concat(v8, v8))))",
)
refuses("view_map_after_map", "map (λr. gather r r) (map (map abs) (split 4 ints4))")

fires("reorder_vectors", "reorder xs4", "asScalar (reorder (asVector 4 xs4))", width=4)
refuses("reorder_vectors", "reorder xs", "reorderStride 4 xs4", "xs4", width=4)
refuses("reorder_vectors", "reorder xs4", width=3)

# --- zips and views, rows of broadcast and gathered arrays ------------------------------------------------------------

fires("zip_of_joins", "zip(join xss, join yss)", "join (map (λ(a, b). zip(a, b)) (zip(xss, yss)))")
fires("zip_of_joins", "zip(join xss, join xss, join yss)", "join (map (λ(a, b, c). zip(a, b, c)) (zip(xss, xss, yss)))")
fires("zip_of_joins", "zip(join xss, nm)", "join (map (λ(a, b). zip(a, b)) (zip(xss, split m nm)))")
fires("zip_of_joins", "zip(ys4, join (split 4 xs4))", "join (map (λ(a, b). zip(a, b)) (zip(split 4 ys4, split 4 xs4)))")
refuses("zip_of_joins", "zip(join xss, join (transpose yss))", "zip(xs, ys)", "join xss")
fires(
    "zip_of_join",
    "zip(join xss, join (transpose yss))",
    "join (map (λ(a, b). zip(a, b)) (zip(xss, split m (join (transpose yss)))))",
    operand=0,
)
fires("zip_of_join", "zip(nm, join xss)", "join (map (λ(a, b). zip(a, b)) (zip(split m nm, xss)))", operand=1)
refuses("zip_of_join", "zip(nm, join xss)", "zip(xs, ys)", "join xss", operand=0)
refuses("zip_of_join", "zip(nm, join xss)", operand=2)
fires(
    "interchange_zip",
    "map (λ(a, b). map (λ(x, y). x - y * c) (zip(a, b))) (zip(xss, yss))",
    "transpose (map (λ(a, b). map (λ(x, y). x - y * c) (zip(a, b))) (zip(transpose xss, transpose yss)))",
)
refuses(
    "interchange_zip",
    "map (λ(a, b). map (λ(x, y). x - y * element 0 a) (zip(a, b))) (zip(xss, yss))",
    "map (λ(a, b). map (λ(x, y). x - y) (zip(b, a))) (zip(xss, yss))",
    "map (λ(a, b). mapSeq (λ(x, y). x - y) (zip(a, b))) (zip(xss, yss))",
    "mapSeq (λ(a, b). map (λ(x, y). x - y) (zip(a, b))) (zip(xss, yss))",
    "map (map abs) xss",
    "map (-) (zip(xs, ys))",
)
fires(
    "group_zip",
    "zip(xs, ys, ints)",
    "map (λ(t, y). (t.0, y, t.1)) (zip(zip(xs, ints), ys))",
    members=5,
)
fires("group_zip", "zip(xs, ys, ints)", "map (λ(t, z). (t.0, t.1, z)) (zip(zip(xs, ys), ints))", members=3)
refuses("group_zip", "zip(xs, ys, ints)", "zip(xs, ys)", "xs", members=7)
refuses("group_zip", "zip(xs, ys, ints)", members=4)
refuses("group_zip", "zip(xs, ys, ints)", members=11)
refuses("group_zip", "zip(xs, ys, ints)", members=-1)
fires("zip_unread", "map (λ(x, y, z). x * z) (zip(xs, ys, xs))", "map (λ(x, z). x * z) (zip(xs, xs))")
fires(
    "zip_unread",
    "map (λ(r, s). map (*) (zip(s, s))) (zip(xss, yss))",
    "map (λs. map (*) (zip(s, s))) yss",
)
fires("zip_unread", "mapSeq (λ(x, y). c) (zip(xs, ys))", "mapSeq (λx. c) xs")
refuses(
    "zip_unread", "map (λ(x, y). x * y) (zip(xs, ys))", "map (λp. p) (zip(xs, ys))", "map (λt. t.0) pairs",
    "map (λ(x, y). map (λz. z + x - y) v8) (zip(xs, ys))", "map (λp. (p.0, p)) (zip(xs, ys))", "map abs xs",
)  # fmt: skip
fires("zip_of_components", "pairs", "zip(map (λt. t.0) pairs, map (λt. t.1) pairs)")
fires(
    "zip_of_components",
    "map (λx. (x, x + c, i)) xs",
    "let t1 = map (λx. (x, x + c, i)) xs in zip(map (λt. t.0) t1, map (λt. t.1) t1, map (λt. t.2) t1)",
)
refuses("zip_of_components", "xs", "xss", "zip(xs, ys)", "(xs, ys)")
fires("map_into_map", "map abs (mapSeq (λx. x * c) xs)", "mapSeq (λx. abs (x * c)) xs")
fires("map_into_map", "map (λr. map abs r) (mapGlobal (λr. r) xss)", "mapGlobal (λr. map abs r) xss")
refuses(
    "map_into_map", "map abs (map abs xs)", "mapSeq abs (mapSeq abs xs)", "mapSeq abs (map abs xs)", "map abs xs",
    "map (λx. x) (mapSeq (vect 2 abs) (asVector 2 xs4))",
)  # fmt: skip
fires(
    "zip_into_map", "zip(ys, mapSeq abs xs, ints)", "mapSeq (λ(y, x, i). (y, abs x, i)) (zip(ys, xs, ints))", operand=1
)
fires(
    "zip_into_map",
    "zip(mapGlobal abs xs, mapSeq abs ys)",
    "mapGlobal (λ(x, y). (abs x, y)) (zip(xs, mapSeq abs ys))",
    operand=0,
)
refuses("zip_into_map", "zip(map abs xs, ys)", "zip(ys, mapSeq abs xs)", "xs", operand=0)
refuses("zip_into_map", "zip(ys, mapSeq abs xs)", operand=2)
refuses("zip_into_map", "zip(ys, mapSeq abs xs)", operand=-1)
fires(
    "zip_of_rows",
    "zip(xss, yss)",
    "map (λr. (map (λt. t.0) r, map (λt. t.1) r)) (split m (zip(join xss, join yss)))",
)
fires(
    "zip_of_rows",
    "zip(split 4 xs4, split 4 ints4)",
    "map (λr. (map (λt. t.0) r, map (λt. t.1) r)) (split 4 (zip(join (split 4 xs4), join (split 4 ints4))))",
)
refuses("zip_of_rows", "zip(xss, xs)", "zip(xss, split 4 xs4)", "zip(xs, ys)", "zip(cube, cube)", "xss")
fires("zip_of_views", "zip(slice 0 2 n xs4, slice 0 2 n ys4)", "slice 0 2 n (zip(xs4, ys4))")
fires(
    "zip_of_views",
    "zip(join (transpose (split m nm)), join (transpose (split m (map abs nm))))",
    "join (transpose (split m (zip(nm, map abs nm))))",
)
fires("zip_of_views", "zip(gather v8 is, gather (map abs v8) is)", "gather (zip(v8, map abs v8)) is")
fires(
    "zip_of_views",
    "let v = λr. join (transpose (split 2 r)) in zip(join (map v (split 4 xs4)), join (map v (split 4 ys4)))",
    "join (map (λr. join (transpose (split 2 r))) (split 4 (zip(xs4, ys4))))",
)
refuses(
    "zip_of_views",
    "zip(slice 0 2 n xs4, slice 1 2 n ys4)",
    "zip(slice 0 2 n xs4, xs)",
    "zip(slice 0 1 2 v8, slice 0 1 2 v128)",
    "zip(join xss, join yss)",
    "zip(gather xs is, gather ys (map abs is))",
    "zip(map abs xs, map abs ys)",
    "zip(xss, yss)",
    "zip(xs, ys)",
)
fires("view_of_zip", "split 4 (zip(xs4, ys4))", "map (λ(a, b). zip(a, b)) (zip(split 4 xs4, split 4 ys4))")
fires(
    "view_of_zip",
    "transpose (split 4 (zip(xs4, map abs xs4, ints4)))",
    "map (λ(a, b, c). zip(a, b, c)) "
    "(zip(transpose (split 4 xs4), transpose (split 4 (map abs xs4)), transpose (split 4 ints4)))",
)
refuses("view_of_zip", "zip(xs, ys)", "slice 0 2 n (zip(xs4, ys4))", "split 4 xs4", "xss")
fires("transpose_of_repeat", "transpose (repeat 3 xs)", "map (λx. repeat 3 x) xs")
refuses("transpose_of_repeat", "transpose xss", "repeat 3 xs", "transpose (map (λx. repeat 3 x) xs)")
fires("transpose_of_repeats", "transpose (map (λx. repeat 3 x) xs)", "repeat 3 xs")
fires("transpose_of_repeats", "transpose (map (λr. repeat 3 r) xss)", "repeat 3 xss")
refuses(
    "transpose_of_repeats",
    "transpose (map (λx. repeat 3 (abs x)) xs)",
    "transpose (map (λx. repeat 3 c) xs)",
    "transpose (mapSeq (λx. repeat 3 x) xs)",
    "transpose (repeat 3 xs)",
)
fires("transpose_of_transpose", "transpose (transpose xss)", "xss")
refuses("transpose_of_transpose", "transpose xss", "transpose (map (λr. r) (transpose xss))")
fires("split_of_repeat", "split 4 (repeat (4 * n) c)", "repeat n (repeat 4 c)")
fires("split_of_repeat", "split m (repeat (n * m) xs)", "repeat n (repeat m xs)")
refuses("split_of_repeat", "split 4 xs4", "repeat 4 c")
fires("split_after_gather", "split 4 (gather xs ints4)", "map (λi. gather xs i) (split 4 ints4)")
refuses("split_after_gather", "split 4 xs4", "gather xs ints4")
fires("transpose_after_gather", "transpose (map (λi. gather xs i) iss)", "map (λi. gather xs i) (transpose iss)")
refuses(
    "transpose_after_gather",
    "transpose (map (λi. gather i i) iss)",
    "transpose iss",
    "transpose (mapSeq (λi. gather xs i) iss)",
    "map (λi. gather xs i) iss",
)
fires("scan_in_one_part", "scan (+) c xs", "join (map (scan (+) c) (split n xs))")
refuses("scan_in_one_part", "scanSeq (+) c xs", "scan (+) 0 (slice 0 1 0 xs)", "reduce (+) 0 xs")
