"""Examples of the rules of `ir.rules.layout.slices`."""

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

fires("slice_to_column", "slice 3 8 16 v128", "(join ∘ map (slice 3 1 1) ∘ split 8) v128")
refuses(
    "slice_to_column",
    "slice 3 1 16 v128",
    "slice 8 8 15 v128",  # it begins in the second row
    "slice 0 8 8 v128",  # some rows are left out
)

fires("slice_to_rows", "slice 16 1 24 v128", "(join ∘ slice 2 1 3 ∘ split 8) v128", n=8)
refuses("slice_to_rows", "slice 4 1 24 v128", "slice 16 1 20 v128", "slice 16 2 24 v128", n=8)
refuses("slice_to_rows", "slice 30 1 60 v128", n=30)  # the last row is not whole
