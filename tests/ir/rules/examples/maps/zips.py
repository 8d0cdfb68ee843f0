"""Examples of the rules of `ir.rules.maps.zips`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

fires(
    "transpose_of_zips",
    "transpose (map (λr. zip(r, is)) xss)",
    "map (λp. map (λx. (x, p.1)) p.0) (zip(transpose xss, is))",
)
fires(
    "transpose_of_zips",
    "transpose (map (λr. zip(is, r, is)) xss)",
    "map (λp. map (λx. (p.1, x, p.2)) p.0) (zip(transpose xss, is, is))",
)
refuses(
    "transpose_of_zips",
    "transpose (map (λr. zip(r, map abs r)) xss)",
    "transpose (map (λr. zip(is, is)) xss)",
    "transpose (map (λr. zip(r, r)) xss)",
    "transpose (mapSeq (λr. zip(r, is)) xss)",
    "map (λr. zip(r, is)) xss",
)
fires(
    "transpose_of_zips",
    "transpose (map (λr. zip(slice 0 1 m (slice 0 1 m r), is)) xss)",
    "map (λp. map (λx. (x, p.1)) p.0) (zip(transpose (map (λr. slice 0 1 m (slice 0 1 m r)) xss), is))",
)

fires(
    "rows_of_zip",
    "map (λ(a, b). map (λ(x, y). x - y * c) (zip(concat(a, concat(a, a)), concat(b, concat(b, b))))) (zip(xss, yss))",
    "map (λ(a, b). map (λ(x, y). x - y * c) (zip(a, b)))"
    " (zip(map (λa. concat(a, concat(a, a))) xss, map (λb. concat(b, concat(b, b))) yss))",
)
fires(
    "rows_of_zip",
    "map (λ(a, b). map (λ(x, y). x - y) (zip(a, slice 0 1 m (concat(b, b))))) (zip(xss, yss))",
    "map (λ(a, b). map (λ(x, y). x - y) (zip(a, b))) (zip(xss, map (λb. slice 0 1 m (concat(b, b))) yss))",
)
refuses(
    "rows_of_zip",
    "map (λ(a, b). map (λ(x, y). x - y * element 0 a) (zip(a, b))) (zip(xss, yss))",
    "map (λ(a, b). map (λ(x, y). x - y) (zip(b, a))) (zip(xss, yss))",
    "map (λ(a, b). map (λ(x, y). x - y) (zip(a, map (+) (zip(a, b))))) (zip(xss, yss))",
    "map (λ(a, b). map (λ(x, y). x - y) (zip(a, is))) (zip(iss, yss))",
    "mapSeq (λ(a, b). map (λ(x, y). x - y) (zip(a, b))) (zip(xss, yss))",
    "map (λ(a, b). mapSeq (λ(x, y). x - y) (zip(a, b))) (zip(xss, yss))",
    "map (map abs) xss",
)

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

fires("zip_of_components", "pairs", "zip(map (λt. t.0) pairs, map (λt. t.1) pairs)")
fires(
    "zip_of_components",
    "map (λx. (x, x + c, i)) xs",
    "let t1 = map (λx. (x, x + c, i)) xs in zip(map (λt. t.0) t1, map (λt. t.1) t1, map (λt. t.2) t1)",
)
refuses("zip_of_components", "xs", "xss", "zip(xs, ys)", "(xs, ys)")

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
fires(
    "zip_of_views",
    "zip(join (slide 3 1 v8), join (slide 3 1 (map abs v8)))",
    "join (slide 3 1 (zip(v8, map abs v8)))",
)

fires("view_of_zip", "split 4 (zip(xs4, ys4))", "map (λ(a, b). zip(a, b)) (zip(split 4 xs4, split 4 ys4))")
fires(
    "view_of_zip",
    "transpose (split 4 (zip(xs4, map abs xs4, ints4)))",
    "map (λ(a, b, c). zip(a, b, c)) "
    "(zip(transpose (split 4 xs4), transpose (split 4 (map abs xs4)), transpose (split 4 ints4)))",
)
fires(
    "view_of_zip",
    "join (transpose (split 4 (zip(xs4, ys4))))",
    "zip(join (transpose (split 4 xs4)), join (transpose (split 4 ys4)))",
)
refuses("view_of_zip", "zip(xs, ys)", "slice 0 2 n (zip(xs4, ys4))", "split 4 xs4", "xss")
fires(
    "view_of_zip",
    "slide 3 2 (zip(v8, map abs v8))",
    "map (λ(a, b). zip(a, b)) (zip(slide 3 2 v8, slide 3 2 (map abs v8)))",
)

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
