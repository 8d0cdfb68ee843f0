"""Examples of the rules: windows."""

from __future__ import annotations

from ir.core.sizes import size
from tests.ir.rules.examples.example import fires, refuses
from tests.ir.rules.notation import N

fires("slide_after_map", "slide 3 1 (map abs ws)", "map (map abs) (slide 3 1 ws)")
fires("slide_after_map", "slide 3 2 (map (λx. x * c) v8)", "map (map (λx. x * c)) (slide 3 2 v8)")
refuses("slide_after_map", "slide 3 1 (mapSeq abs ws)", "slide 3 1 ws", "map (map abs) (slide 3 1 ws)")
fires("slide_to_split", "slide 4 4 v8", "split 4 v8")
fires("slide_to_split", "slide 4 4 (concat(xs4, v8))", "split 4 (concat(xs4, v8))")
refuses("slide_to_split", "slide 4 2 v8", "slide 3 3 v8", "slide 2 4 v8", "split 4 v8")
fires("slice_of_slide", "slice 1 2 2 (slide 3 1 v8)", "slide 3 2 (slice 1 1 5 v8)")
fires("slice_of_slide", "slice 1 1 2 (slide 3 2 v8)", "slide 3 2 (slice 2 1 5 v8)")
fires("slice_of_slide", "slice n 1 3 (slide 3 1 ws)", "slide 3 1 (slice n 1 5 ws)")
refuses(
    "slice_of_slide",
    "slice 5 (-1) 3 (slide 3 1 v8)",
    "slice 0 0 3 (slide 3 1 v8)",
    "slice 0 1 n (slide 3 1 ws)",  # there may be none
    "slice 0 1 2 (split 4 v8)",
    "slide 3 1 (slice 0 1 4 v8)",
)
fires("element_of_slide", "element 2 (slide 3 2 v8)", "slice 4 1 3 v8")
fires("element_of_slide", "element n (slide 3 1 ws)", "slice n 1 3 ws")
refuses("element_of_slide", "element 1 (split 4 v8)", "element 1 v8", "slide 3 1 v8")
fires(
    "zip_of_views",
    "zip(join (slide 3 1 v8), join (slide 3 1 (map abs v8)))",
    "join (slide 3 1 (zip(v8, map abs v8)))",
)
fires(
    "view_of_zip",
    "slide 3 2 (zip(v8, map abs v8))",
    "map (λ(a, b). zip(a, b)) (zip(slide 3 2 v8, slide 3 2 (map abs v8)))",
)
fires(
    "windows_to_zip",
    "map (λw. element 0 w + element 1 w) (slide 2 3 v8)",
    "map (λ(x, y). let w = concat(repeat 1 x, repeat 1 y) in element 0 w + element 1 w) "
    "(zip(slice 0 3 3 v8, slice 1 3 3 v8))",
)
fires(
    "windows_to_zip",
    "map (λ(w, y). element 0 w * y) (zip(slide 2 1 ws, slice 0 1 (n + 7) (concat(xs, v8))))",
    "map (λ(x, z, y). element 0 (concat(repeat 1 x, repeat 1 z)) * y) "
    "(zip(slice 0 1 (n + 7) ws, slice 1 1 (n + 7) ws, slice 0 1 (n + 7) (concat(xs, v8))))",
)
fires("windows_to_zip", "map (reduce (+) 0) (slide 1 2 v8)", "map (λx. reduce (+) 0 (repeat 1 x)) (slice 0 2 4 v8)")
refuses(
    "windows_to_zip",
    "mapSeq (reduce (+) 0) (slide 2 1 v8)",
    "map (reduce (+) 0) (slide 17 1 v128)",  # too many
    "map (reduce (+) 0) (slide (n + 1) 1 ws)",  # so many that are not known
    "map (reduce (+) 0) (split 4 v8)",
    "slide 3 1 v8",
)
fires(
    "reduce_elements",
    "reduce (+) 0 (slice 2 1 3 v8)",
    "let xs = slice 2 1 3 v8 in repeat 1 (0 + element 0 xs + element 1 xs + element 2 xs)",
)
fires(
    "reduce_elements",
    "reduce (λ(a, b). (a.0 + b.0, maximum(a.1, b.1))) (0:float32, -9:float32) (zip(slice 0 1 1 v8, slice 1 1 1 v8))",
    "let p = element 0 (zip(slice 0 1 1 v8, slice 1 1 1 v8)) in repeat 1 (0:float32 + p.0, maximum(-9:float32, p.1))",
)
refuses(
    "reduce_elements", "reduce (+) 0 xs", "reduceSeq (+) 0 v8", "reduce (+) 0 v128", "reduce (+) 0 (slice 0 1 0 v8)"
)
fires("element_of_slice", "element 2 (slice 1 2 3 v8)", "element 5 v8")
fires("element_of_slice", "element 1 (slice 7 (-1) 3 v8)", "element 6 v8")
refuses("element_of_slice", "element 2 v8", "slice 1 2 3 v8")
fires("element_of_repeat", "element 2 (repeat 3 c)", "c")
fires("element_of_repeat", "element 1 (repeat 2 xs)", "xs")
refuses("element_of_repeat", "element 2 v8", "repeat 3 c")
fires(
    "ungroup_zip",
    "map (λ(p, z). p.0 * z - p.1) (zip(zip(xs, ys), map abs xs))",
    "map (λ(x, y, z). x * z - y) (zip(xs, ys, map abs xs))",
)
fires(
    "ungroup_zip",
    "map (λ(p, q). (p.0 + q.2, q.0)) (zip(zip(xs, ys), zip(ys, ints, xs)))",
    "map (λ(a, b, c, d, e). (a + e, c)) (zip(xs, ys, ys, ints, xs))",
)
refuses("ungroup_zip", "map (+) (zip(xs, ys))", "mapSeq (λ(p, z). p.0) (zip(zip(xs, ys), xs))", "zip(zip(xs, ys), xs)")

fires("tile_slide", "slide 3 1 v8", "join (map (slide 3 1) (slide 4 2 v8))", n=2)
fires("tile_slide", "slide 3 1 v8", "join (map (slide 3 1) (slide 5 3 v8))", n=3)
fires("tile_slide", "slide 3 2 v8", "join (map (slide 3 2) (slide 7 6 v8))", n=3)
fires("tile_slide", "slide 2 3 v8", "join (map (slide 2 3) (slide 2 3 v8))", n=1)
fires("tile_slide", "slide 3 1 ws4", "join (map (slide 3 1) (slide 6 4 ws4))", n=size(4))
fires("tile_slide", "slide 3 1 ws", "join (map (slide 3 1) (slide (n + 8) (n + 6) ws))", n=N + 6)
refuses("tile_slide", "slide 3 1 v8", "slide 3 1 ws", "slide 2 2 v8", "split 4 xs4", n=5)
refuses("tile_slide", "slide 3 1 v8", n=0)
refuses("tile_slide", "slide 3 1 v8", n=-1)
fires("untile_slide", "join (map (slide 3 1) (slide 4 2 v8))", "slide 3 1 v8")
fires("untile_slide", "join (map (slide 3 2) (slide 7 6 v8))", "slide 3 2 v8")
fires("untile_slide", "join (map (slide 3 1) (slide 6 4 ws4))", "slide 3 1 ws4")
refuses(
    "untile_slide",
    "join (map (slide 3 1) (slide 4 1 v8))",  # some windows twice
    "join (map (slide 3 1) (slide 3 2 v8))",  # some not at all
    "join (map (slide 3 2) (slide 4 3 v8))",
    "join (map (slide 3 1) (slide 6 4 v8))",  # the last ones are missing
    "join (mapSeq (slide 3 1) (slide 4 2 v8))",
    "join (map (slide 3 1) (split 4 v8))",
    "join (map (λt. slide 3 1 v8) (slide 4 2 v8))",
    "join xss",
)
