# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.layout.concat`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

# --- arrays one after the other ---------------------------------------------------------------------------------------

fires("map_after_concat", "map abs (concat(xs, v8))", "concat(map abs xs, map abs v8)")
fires(
    "map_after_concat",
    "map (λr. map (λx. x - c) r) (concat(xss, yss, xss))",
    "concat(map (λr. map (λx. x - c) r) xss, map (λr. map (λx. x - c) r) yss, map (λr. map (λx. x - c) r) xss)",
)
refuses("map_after_concat", "mapSeq abs (concat(xs, v8))", "map abs xs", "concat(map abs xs, map abs v8)")

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

fires("concat_of_concats", "concat(xs, concat(ys, v8), xs)", "concat(xs, ys, v8, xs)")
fires("concat_of_concats", "concat(concat(xs, concat(ys, v8)), v8)", "concat(xs, concat(ys, v8), v8)")
refuses("concat_of_concats", "concat(xs, ys)", "concat(xs, map abs (concat(xs, ys)))", "xs")

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
refuses("transpose_after_concat", "transpose xss", "concat(transpose xss, transpose yss)")

fires(
    "concat_out_of_map",
    "map (λr. concat(map abs r, slice 1 1 2 r)) (split 8 xs8)",
    "let t1 = split 8 xs8 in transpose (concat(transpose (map (map abs) t1), transpose (map (slice 1 1 2) t1)))",
)
refuses("concat_out_of_map", "map (λr. map abs (concat(r, r))) xss", "mapSeq (λr. concat(r, r)) xss", "map abs xs")

fires("split_of_rows", "split 8 (join (split 4 xs8))", "map (λrs. join rs) (split 2 (split 4 xs8))")
fires(
    "split_of_rows",
    "split (4*m) (join (concat(xss, yss, xss, yss)))",
    "map (λrs. join rs) (split 4 (concat(xss, yss, xss, yss)))",
)
refuses("split_of_rows", "split 4 (join (split 8 xs8))", "split n (join xss)", "split 8 xs8", "join xss")

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

fires("join_out_of_map", "join (map (λr. join (map (repeat 2) r)) xss)", "join (join (map (map (repeat 2)) xss))")
refuses(
    "join_out_of_map",
    "join (map (map abs) xss)",
    "join (mapSeq (λr. join (mapSeq (repeat 2) r)) xss)",
    "join xss",
    "xs",
)
