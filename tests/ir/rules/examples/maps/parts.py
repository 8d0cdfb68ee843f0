# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.maps.parts`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

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
