# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules: arrays made from indices, and put together."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

# --- generate ---------------------------------------------------------------------------------------------------------

fires("generate_to_map", "generate int64 n (λi. i * 3)", "map (λi. i * 3) (generate int64 n (λi. i))")
fires("generate_to_map", "generate int32 m (λi. 1)", "map (λi. 1) (generate int32 m (λi. i))")
refuses("generate_to_map", "generate int64 n (λi. i)", "map abs xs")
refuses("view_map_after_map", "map (λr. generate int32 4 (λi. i)) (map (map abs) (split 4 ints4))")
fires(
    "prefetch_input",
    "mapSeq abs (generate int32 n (λi. i))",
    "mapSeq abs (prefetch 4 (generate int32 n (λi. i)))",
    distance=4,
)

# --- arrays one after the other ---------------------------------------------------------------------------------------

fires("map_after_concat", "map abs (concat(xs, v8))", "concat(map abs xs, map abs v8)")
fires(
    "map_after_concat",
    "map (λr. map (λx. x - c) r) (concat(xss, yss, xss))",
    "concat(map (λr. map (λx. x - c) r) xss, map (λr. map (λx. x - c) r) yss, map (λr. map (λx. x - c) r) xss)",
)
refuses("map_after_concat", "mapSeq abs (concat(xs, v8))", "map abs xs", "concat(map abs xs, map abs v8)")
fires("concat_of_maps", "concat(map abs xs, map abs v8)", "map abs (concat(xs, v8))")
fires("concat_of_maps", "concat(map int32 xs, map int32 v8, map int32 ys)", "map int32 (concat(xs, v8, ys))")
refuses(
    "concat_of_maps",
    "concat(map abs xs, map (λx. x - c) v8)",
    "concat(map abs xs, v8)",
    "concat(v8, map abs xs)",
    "concat(mapSeq abs xs, mapSeq abs v8)",
    "concat(map abs xs, mapSeq abs v8)",
    "map abs (concat(xs, v8))",
)
fires(
    "map_concat_operand",
    "map (-) (zip(concat(xs, map abs ys), slice 0 1 (2*n) xs4))",
    "concat(map (-) (zip(xs, slice 0 1 n xs4)), map (-) (zip(map abs ys, slice n 1 n xs4)))",
    operand=0,
)
fires(
    "map_concat_operand",
    "map (λ(a, b, d). a * b - d) (zip(xs4, concat(xs, slice 0 1 (3*n) xs8), xs4))",
    "concat(map (λ(a, b, d). a * b - d) (zip(slice 0 1 n xs4, xs, slice 0 1 n xs4)), "
    "map (λ(a, b, d). a * b - d) (zip(slice n 1 (3*n) xs4, slice 0 1 (3*n) xs8, slice n 1 (3*n) xs4)))",
    operand=1,
)
fires(
    "map_concat_operand",  # the same array twice is cut in the same places
    "let t = concat(xs, v8) in map (-) (zip(t, t))",
    "concat(map (-) (zip(xs, xs)), map (-) (zip(v8, v8)))",
    operand=1,
)
fires(
    "map_concat_operand",  # a slice that does not take neighbours is read through another
    "map (-) (zip(concat(xs, ys), slice 0 2 (2*n) xs4))",
    "concat(map (-) (zip(xs, slice 0 1 n (slice 0 2 (2*n) xs4))), map (-) (zip(ys, slice n 1 n (slice 0 2 (2*n) xs4))))",
    operand=0,
)
refuses(
    "map_concat_operand",
    "mapSeq (-) (zip(concat(xs, ys), slice 0 1 (2*n) xs4))",
    "map (-) (zip(slice 0 1 (2*n) xs4, concat(xs, ys)))",
    "map abs (concat(xs, ys))",
    operand=0,
)
refuses("map_concat_operand", "map (-) (zip(xs, ys))", operand=1)
refuses("map_concat_operand", "map (-) (zip(concat(xs, ys), concat(ys, xs)))", operand=2)
refuses("map_concat_operand", "map (-) (zip(concat(xs, ys), concat(ys, xs)))", operand=-1)
fires("slice_after_concat", "slice n 1 8 (concat(xs, v8))", "v8")
fires("slice_after_concat", "slice (n + 2) 1 3 (concat(xs, v8))", "slice 2 1 3 v8")
fires("slice_after_concat", "slice 1 1 5 (concat(v8, xs))", "slice 1 1 5 v8")
fires("slice_after_concat", "slice n 1 (n + 8) (concat(xs, ys, v8, xs))", "concat(ys, v8)")
refuses(
    "slice_after_concat",
    "slice 2 1 3 (concat(xs, v8))",  # of xs or of v8, as n says
    "slice 0 1 (n + 2) (concat(xs, v8))",
    "slice (n + 1) 1 (n + 7) (concat(xs, v8, ys))",
    "slice 0 2 n (concat(xs, ys))",
    "slice (n - 1) (-1) n (concat(xs, ys))",
    "slice 2 1 3 v8",
)
fires("slice_after_slice", "slice 1 2 3 (slice 1 1 7 v8)", "slice 2 2 3 v8")
fires("slice_after_slice", "slice 2 (-1) 3 (slice 3 1 4 v8)", "slice 5 (-1) 3 v8")
fires("slice_after_slice", "slice n 1 n (slice n 1 (3*n) xs4)", "slice (2*n) 1 n xs4")
refuses("slice_after_slice", "slice 0 1 2 (slice 0 2 4 v8)", "slice 0 1 2 (slice 7 (-1) 8 v8)", "slice 0 1 2 v8")
fires("element_after_concat", "element (n + 2) (concat(xs, v8))", "element 2 v8")
fires("element_after_concat", "element 7 (concat(v8, xs))", "element 7 v8")
refuses("element_after_concat", "element 2 (concat(xs, v8))", "element 2 v8")
fires("concat_of_concats", "concat(xs, concat(ys, v8), xs)", "concat(xs, ys, v8, xs)")
fires("concat_of_concats", "concat(concat(xs, concat(ys, v8)), v8)", "concat(xs, concat(ys, v8), v8)")
refuses("concat_of_concats", "concat(xs, ys)", "concat(xs, map abs (concat(xs, ys)))", "xs")
fires("concat_of_slices", "concat(slice 0 1 3 v8, slice 3 1 5 v8)", "slice 0 1 8 v8", operand=0)
fires("concat_of_slices", "concat(slice 0 1 n xs4, slice n 1 (2*n) xs4)", "slice 0 1 (3*n) xs4", operand=0)
fires(
    "concat_of_slices",
    "concat(xs, slice 1 1 3 v8, slice 4 1 2 v8, ys)",
    "concat(xs, slice 1 1 5 v8, ys)",
    operand=1,
)
refuses(
    "concat_of_slices",
    "concat(slice 0 1 3 v8, slice 4 1 4 v8)",
    "concat(slice 3 1 5 v8, slice 0 1 3 v8)",
    "concat(slice 0 1 3 v8, slice 3 1 5 (map abs v8))",
    "concat(slice 0 2 3 v8, slice 3 1 5 v8)",
    "concat(slice 0 1 3 v8, slice 3 2 2 v8)",
    "concat(slice 0 1 3 v8, xs)",
    "slice 0 1 3 v8",
    operand=0,
)
refuses("concat_of_slices", "concat(slice 0 1 3 v8, slice 3 1 5 v8)", operand=1)
refuses("concat_of_slices", "concat(slice 0 1 3 v8, slice 3 1 5 v8)", operand=-1)
fires("join_after_concat", "join (concat(xss, yss))", "concat(join xss, join yss)")
refuses("join_after_concat", "join xss", "concat(join xss, join yss)")
fires("split_after_concat", "split 4 (concat(xs4, v8))", "concat(split 4 xs4, split 4 v8)")
fires("split_after_concat", "split m (concat(nm, join xss))", "concat(split m nm, split m (join xss))")
refuses("split_after_concat", "split 2 (concat(xs, ys))", "split 4 xs4", "concat(split 4 xs4, split 4 v8)")
fires(
    "transpose_after_concat",
    "transpose (concat(xss, yss))",
    "map (λ(a, b). concat(a, b)) (zip(transpose xss, transpose yss))",
)
fires(
    "transpose_after_concat",
    "transpose (concat(split 4 xs4, split 4 v8, split 4 xs4))",
    "map (λ(a, b, d). concat(a, b, d)) (zip(transpose (split 4 xs4), transpose (split 4 v8), transpose (split 4 xs4)))",
)
fires(
    "concat_out_of_map",
    "map (λr. concat(map abs r, slice 1 1 2 r)) (split 8 xs8)",
    "let t1 = split 8 xs8 in transpose (concat(transpose (map (map abs) t1), transpose (map (slice 1 1 2) t1)))",
)
refuses("concat_out_of_map", "map (λr. map abs (concat(r, r))) xss", "mapSeq (λr. concat(r, r)) xss", "map abs xs")
refuses("transpose_after_concat", "transpose xss", "concat(transpose xss, transpose yss)")
fires("slice_of_rows", "join (slice 1 1 2 (split 4 v128))", "slice 4 1 8 v128")
fires("slice_of_rows", "join (slice 0 1 n (split m (concat(nm, nm))))", "slice 0 1 (n*m) (concat(nm, nm))")
refuses(
    "slice_of_rows",
    "join (slice 0 2 2 (split 4 v128))",
    "join (slice 3 (-1) 2 (split 4 v128))",
    "join (split 4 v8)",
    "join (slice 0 1 n xss)",
)
fires("slice_after_join", "slice 8 1 16 (join (split 8 v128))", "join (slice 1 1 2 (split 8 v128))")
fires("slice_after_join", "slice 0 1 (n*m) (join (concat(xss, yss)))", "join (slice 0 1 n (concat(xss, yss)))")
refuses(
    "slice_after_join",
    "slice 4 1 8 (join (split 8 v128))",
    "slice 8 1 4 (join (split 8 v128))",
    "slice 0 2 8 (join (split 8 v128))",
    "slice 8 1 16 v128",
    "slice 1 1 8 (join (split 8 v128))",
)
fires("split_of_rows", "split 8 (join (split 4 xs8))", "map (λrs. join rs) (split 2 (split 4 xs8))")
fires(
    "split_of_rows",
    "split (4*m) (join (concat(xss, yss, xss, yss)))",
    "map (λrs. join rs) (split 4 (concat(xss, yss, xss, yss)))",
)
refuses("split_of_rows", "split 4 (join (split 8 xs8))", "split n (join xss)", "split 8 xs8", "join xss")
fires("slice_of_columns", "transpose (slice 1 2 2 (transpose (split 8 xs8)))", "map (slice 1 2 2) (split 8 xs8)")
fires("slice_of_columns", "transpose (slice (m - 1) (-1) m (transpose xss))", "map (λr. slice (m - 1) (-1) m r) xss")
refuses(
    "slice_of_columns",
    "transpose (slice 0 1 n xss)",
    "slice 0 1 8 (transpose (split 8 xs8))",
    "transpose (transpose xss)",
)
fires("join_of_joins", "join (join (map (map (repeat 2)) xss))", "join (map (λr. join (map (repeat 2) r)) xss)")
fires(
    "join_of_joins",
    "join (join (map (λx. concat(xss, map (map (λy. x * y)) yss)) xs))",
    "join (map (λx. join (concat(xss, map (map (λy. x * y)) yss))) xs)",
)
refuses(
    "join_of_joins", "join (join cube)", "join (join (mapSeq (map (repeat 2)) xss))", "join (map (map abs) xss)", "xs"
)
fires(
    "map_into_rows",
    "map abs (join (map (λr. concat(r, r)) xss))",
    "join (map (λr. map abs (concat(r, r))) xss)",
    operand=0,
)
fires(
    "map_into_rows",
    "map (-) (zip(xs8, join (map (λr. concat(r, r)) (split 4 xs4))))",
    "join (map (λ(x, r). map (-) (zip(x, concat(r, r)))) (zip(split 8 xs8, split 4 xs4)))",
    operand=1,
)
fires(
    "map_into_rows",  # rows of rows
    "map abs (join (map (λr. join (map (λx. concat(repeat 1 x, v8)) r)) xss))",
    "join (map (λr. map abs (join (map (λx. concat(repeat 1 x, v8)) r))) xss)",
    operand=0,
)
refuses(
    "map_into_rows",
    "map (-) (zip(xs8, join (map (λr. concat(r, r)) (split 4 xs4))))",
    "map abs (join (map (map abs) xss))",
    "map abs (join (mapSeq (λr. concat(r, r)) xss))",
    "mapSeq abs (join (map (λr. concat(r, r)) xss))",
    "map abs (join (map (λr. slice 0 1 0 (concat(r, r))) xss))",
    "map abs (join (map (λr. concat(slice 0 1 0 r, slice 0 1 0 r)) xss))",  # there is no split into rows of nothing
    "map abs xs",
    operand=0,
)
refuses("map_into_rows", "map abs (join (map (λr. concat(r, r)) xss))", operand=1)
refuses("map_into_rows", "map abs (join (map (λr. concat(r, r)) xss))", operand=-1)
