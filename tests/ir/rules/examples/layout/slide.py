"""Examples of the rules of `ir.rules.layout.slide`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

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
    "concat_of_shifted_rows",
    "concat(transpose (split 2 (slice 0 1 6 v8)), transpose (split 2 (slice 2 1 6 v8)))",
    "transpose (slide 4 2 v8)",
)
fires(
    "concat_of_shifted_rows",
    "concat(transpose (split 1 (slice 1 1 4 v8)), transpose (split 1 (slice 2 1 4 v8)), "
    "transpose (split 1 (slice 3 1 4 v8)))",
    "transpose (slide 3 1 (slice 1 1 6 v8))",
)
fires(
    "concat_of_shifted_rows",
    "concat(transpose (split 2 (join (map (slice 0 1 4) (split 8 v128)))), "
    "transpose (split 2 (join (map (slice 2 1 4) (split 8 v128)))))",
    "transpose (join (map (λr. slide 4 2 (slice 0 1 6 r)) (split 8 v128)))",
)
fires(  # two runs, and what follows none
    "concat_of_shifted_rows",
    "concat(transpose (split 2 (slice 0 1 4 v8)), transpose (split 2 (slice 2 1 4 v8)), "
    "transpose (split 2 (slice 1 1 4 v8)), split 2 (slice 3 1 4 v8))",
    "concat(transpose (slide 4 2 (slice 0 1 6 v8)), transpose (split 2 (slice 1 1 4 v8)), split 2 (slice 3 1 4 v8))",
)
fires(
    "concat_of_shifted_rows",
    "concat(transpose (split 2 (slice 0 1 (2*n + 2) ws4)), transpose (split 2 (slice 2 1 (2*n + 2) ws4)))",
    "transpose (slide 4 2 (slice 0 1 (2*n + 4) ws4))",
)
refuses(
    "concat_of_shifted_rows",
    "concat(transpose (split 2 (slice 2 1 4 v8)), transpose (split 2 (slice 0 1 4 v8)))",  # the other way around
    "concat(transpose (split 2 (slice 0 1 4 v8)), transpose (split 2 (slice 4 1 4 v8)))",  # a row is left out
    "concat(transpose (split 2 (slice 0 1 4 v8)), transpose (split 2 (slice 0 1 4 v8)))",
    "concat(transpose (split 2 (slice 0 2 2 v8)), transpose (split 2 (slice 2 2 2 v8)))",
    "concat(transpose (split 2 (slice 0 1 4 v128)), transpose (split 2 (slice 2 1 4 w128)))",  # of other arrays
    "concat(transpose (split 3 (join (map (slice 0 1 4) (split 8 (slice 0 1 24 v128))))), "  # rows across rows
    "transpose (split 3 (join (map (slice 3 1 4) (split 8 (slice 0 1 24 v128))))))",
    "concat(transpose (split 2 (slice 0 1 (2*n) ws4)), transpose (split 2 (slice 2 1 (2*n) ws4)))",  # there may be none
    "concat(split 2 (slice 0 1 4 v8), split 2 (slice 2 1 4 v8))",
    "transpose (split 2 (slice 0 1 4 v8))",
)

fires(
    "concat_of_functions_of_rows",
    "concat(transpose (join (map (slide 3 1) (split 4 v128))), transpose (join (map (slide 3 1) (split 4 w128))))",
    "transpose (join (map (λr. map join (transpose (map (slide 3 1) (split 4 r)))) "
    "(transpose (concat(transpose (split 4 v128), transpose (split 4 w128))))))",
)
fires(
    "concat_of_functions_of_rows",
    "concat(transpose (join (map (split 2) (split 4 xs4))), transpose (join (map (split 2) (split 4 ys4))), "
    "transpose (split 2 xs4))",
    "concat(transpose (join (map (λr. map join (transpose (map (split 2) (split 4 r)))) "
    "(transpose (concat(transpose (split 4 xs4), transpose (split 4 ys4)))))), transpose (split 2 xs4))",
)
refuses(
    "concat_of_functions_of_rows",
    "concat(transpose (join (map (split 2) (split 4 v128))), transpose (join (map (split 2) (split 8 w128))))",
    "concat(transpose (join (map (slide 3 1) (split 4 v128))), "
    "transpose (join (map (λr. slide 3 1 (slice 3 (-1) 4 r)) (split 4 w128))))",
    "concat(transpose (join (mapSeq (split 2) (split 4 v8))), transpose (join (mapSeq (split 2) (split 4 v8))))",
    "concat(join (map (split 2) (split 4 v8)), join (map (split 2) (split 4 v8)))",
    "transpose (join (map (split 2) (split 4 v8)))",
)
