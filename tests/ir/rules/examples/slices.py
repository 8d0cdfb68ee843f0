# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules: slices, and parts of a concat that become one."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

# --- slices -----------------------------------------------------------------------------------------------------------

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
    "slice n (-1) n (concat(xs, ys))",
    "slice 2 1 3 v8",
)
fires("slice_after_concat", "slice (n - 1) (-1) n (concat(xs, ys))", "slice (n - 1) (-1) n xs")
fires("slice_after_concat", "slice (n + 1) 3 2 (concat(xs, v8))", "slice 1 3 2 v8")
fires("slice_after_concat", "slice 12 (-2) 3 (concat(v8, v8, v8))", "slice 4 (-2) 3 v8")
fires(
    "slice_across_concat",
    "slice (n + 3) 1 (n + 6) (concat(xs, v8, ys, v8))",
    "concat(slice 3 1 5 v8, ys, slice 0 1 1 v8)",
)
fires("slice_across_concat", "slice 5 1 5 (concat(v8, v8))", "concat(slice 5 1 3 v8, slice 0 1 2 v8)")
fires("slice_across_concat", "slice 8 1 16 (concat(v8, v8, v8))", "concat(v8, v8)")
refuses(
    "slice_across_concat",
    "slice 2 1 3 (concat(xs, v8))",  # of xs or of v8, as n says
    "slice 2 1 3 (concat(v8, v8))",  # of one part
    "slice 5 2 3 (concat(v8, v8))",
    "slice 9 (-1) 4 (concat(v8, v8))",
    "slice 5 1 3 v8",
)
fires("slice_after_slice", "slice 1 2 3 (slice 1 1 7 v8)", "slice 2 2 3 v8")
fires("slice_after_slice", "slice 2 (-1) 3 (slice 3 1 4 v8)", "slice 5 (-1) 3 v8")
fires("slice_after_slice", "slice n 1 n (slice n 1 (3*n) xs4)", "slice (2*n) 1 n xs4")
fires("slice_after_slice", "slice 1 1 2 (slice 0 2 4 v8)", "slice 2 2 2 v8")
fires("slice_after_slice", "slice 1 3 2 (slice 7 (-1) 8 v8)", "slice 6 (-3) 2 v8")
refuses("slice_after_slice", "slice 0 1 2 v8", "slice 0 1 2 (map abs v8)")
fires("slice_of_repeat", "slice 1 2 n (repeat (2*n) c)", "repeat n c")
fires("slice_of_repeat", "slice 7 (-1) 8 (repeat 8 xs)", "repeat 8 xs")
refuses("slice_of_repeat", "slice 0 1 2 v8", "repeat n c")
fires("element_after_concat", "element (n + 2) (concat(xs, v8))", "element 2 v8")
fires("element_after_concat", "element 7 (concat(v8, xs))", "element 7 v8")
refuses("element_after_concat", "element 2 (concat(xs, v8))", "element 2 v8")
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
fires("slice_of_columns", "transpose (slice 1 2 2 (transpose (split 8 xs8)))", "map (slice 1 2 2) (split 8 xs8)")
fires("slice_of_columns", "transpose (slice (m - 1) (-1) m (transpose xss))", "map (λr. slice (m - 1) (-1) m r) xss")
refuses(
    "slice_of_columns",
    "transpose (slice 0 1 n xss)",
    "slice 0 1 8 (transpose (split 8 xs8))",
    "transpose (transpose xss)",
)

# --- parts of a concat that become one --------------------------------------------------------------------------------

fires(
    "concat_of_some_concats",
    "concat(concat(xs, v8), concat(ys, v8), xs)",
    "concat(concat(xs, v8), ys, v8, xs)",
    members=2,
)
fires("concat_of_some_concats", "concat(concat(xs, v8), xs, concat(ys, v8))", "concat(xs, v8, xs, ys, v8)", members=13)
refuses("concat_of_some_concats", "concat(concat(xs, v8), ys)", "concat(xs, ys)", "xs", members=2)
refuses("concat_of_some_concats", "concat(concat(xs, v8), ys)", members=0)
refuses("concat_of_some_concats", "concat(concat(xs, v8), ys)", members=-1)
fires("concat_of_nothing", "concat(xs, slice 0 1 0 v8, ys, repeat 0 c)", "concat(xs, ys)")
fires("concat_of_nothing", "concat(slice 3 1 0 v8, xs)", "xs")
fires("concat_of_nothing", "concat(slice 3 1 0 v8, repeat 0 c)", "slice 3 1 0 v8")
refuses("concat_of_nothing", "concat(xs, ys)", "slice 0 1 0 v8")
fires("concat_of_same", "concat(xs, xs, xs)", "join (repeat 3 xs)")
refuses("concat_of_same", "concat(xs, xs, ys)", "join (repeat 3 xs)")
fires("concat_of_slices", "concat(slice 0 1 3 v8, slice 3 1 5 v8)", "slice 0 1 8 v8")
fires("concat_of_slices", "concat(slice 0 1 n ws, slice n 1 7 ws, slice (n + 7) 5 1 ws)", "slice 0 1 (n + 8) ws")
fires("concat_of_slices", "concat(slice 7 1 1 v8, slice 5 (-2) 2 v8, slice 1 3 1 v8)", "slice 7 (-2) 4 v8")
fires("concat_of_slices", "concat(slice 2 5 1 v8, slice 3 1 1 v8)", "slice 2 1 2 v8")
refuses(
    "concat_of_slices",
    "concat(slice 0 1 3 v8, slice 4 1 4 v8)",
    "concat(slice 3 1 5 v8, slice 0 1 3 v8)",
    "concat(slice 0 1 3 v8, slice 3 1 5 (map abs v8))",
    "concat(slice 0 2 3 v8, slice 3 1 5 v8)",
    "concat(slice 0 2 2 v8, slice 4 1 1 v8, slice 5 1 2 v8)",  # each goes on where the one before ends
    "concat(slice 0 1 3 v8, xs)",
    "concat(xs, slice 0 1 3 v8, slice 3 1 5 v8)",
    "slice 0 1 3 v8",
)
fires("concat_of_repeats", "concat(repeat 3 c, repeat n c)", "repeat (n + 3) c")
fires("concat_of_repeats", "concat(repeat 1 xs, repeat 2 xs, repeat 1 xs)", "repeat 4 xs")
refuses("concat_of_repeats", "concat(repeat 3 c, repeat n (1:float32))", "concat(repeat 3 c, xs)", "repeat 3 c")
fires(
    "concat_of_copies",
    "concat(repeat n c, repeat n (2:float32))",
    "join (transpose (repeat n (concat(repeat 1 c, repeat 1 (2:float32)))))",
)
refuses(
    "concat_of_copies",
    "concat(repeat 1 c, repeat 1 (2:float32))",
    "concat(repeat n c, repeat 3 (2:float32))",
    "concat(repeat 2 xs, repeat 2 ys)",
    "repeat 3 c",
)
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
    "concat_of_like_maps",
    "concat(map (λx. x * 2 + 1) xs, map (λx. x * 3 + 1) v8)",
    "map (λ(x, d). x * d + 1) (zip(concat(xs, v8), concat(repeat n (2:float32), repeat 8 (3:float32))))",
)
fires(
    "concat_of_like_maps",
    "concat(map (λ(x, y). x * 2 + y) (zip(xs, ys)), map (λ(x, y). x * 2 + y) (zip(v8, v8)), map (λ(x, y). x * 5 + y) (zip(ys, xs)))",
    "map (λ(x, y, d). x * d + y) (zip(concat(xs, v8, ys), concat(ys, v8, xs), concat(repeat n (2:float32), repeat 8 (2:float32), repeat n (5:float32))))",
)
refuses(
    "concat_of_like_maps",
    "concat(map (λx. x * 2) xs, map (λx. x * 2) v8)",
    "concat(map (λx. x * 2) xs, map (λx. x + 3) v8)",
    "concat(map (λx. x * 2) xs, map (λx. x * c) v8)",
    "concat(mapSeq (λx. x * 2) xs, mapSeq (λx. x * 3) v8)",
    "concat(map (λx. x * 2) xs, v8)",
    "concat(map (λr. map (λx. x * 2) r) xss, map (λr. map (λx. x * 3) r) yss)",
    "concat(map (λp. p.0 * 2) pairs, map (λ(x, y). x * 3) (zip(xs, ints)))",
    "map (λx. x * 2) xs",
)
fires(
    "concat_of_reductions",
    "concat(reduce (+) 0 xs, reduce (+) 0 ys)",
    "join (map (λr. reduce (+) 0 r) (split n (concat(xs, ys))))",
)
refuses(
    "concat_of_reductions",
    "concat(reduce (+) 0 xs, reduce (+) 0 v8)",
    "concat(reduce (+) 0 xs, reduce (+) 1 ys)",
    "concat(reduce (+) 0 xs, reduce (*) 0 ys)",
    "concat(reduce (+) 0 (slice 0 1 0 v8), reduce (+) 0 (slice 3 1 0 v8))",
    "concat(reduceSeq (+) 0 xs, reduceSeq (+) 0 ys)",
    "reduce (+) 0 xs",
)
fires("concat_of_joins", "concat(join xss, join yss)", "join (concat(xss, yss))")
refuses("concat_of_joins", "concat(join xss, xs)", "concat(join xss, join (split 4 xs4))", "join xss")
fires("concat_of_splits", "concat(split 4 xs4, split 4 v8, split 4 ys4)", "split 4 (concat(xs4, v8, ys4))")
refuses("concat_of_splits", "concat(split 4 xs4, repeat 2 (slice 0 1 4 v8))", "split 4 xs4")
fires("concat_of_gathers", "concat(gather v8 is, gather v8 ints)", "gather v8 (concat(is, ints))")
refuses(
    "concat_of_gathers",
    "concat(gather v8 is, gather v128 is)",
    "concat(gather v8 is, gather v8 (map int64 ints))",
    "concat(gather v8 is, xs)",
    "gather v8 is",
)
fires("concat_of_zips", "concat(zip(xs, ys), zip(v8, v8))", "zip(concat(xs, v8), concat(ys, v8))")
refuses("concat_of_zips", "concat(zip(xs, ints), pairs)", "zip(xs, ys)")
