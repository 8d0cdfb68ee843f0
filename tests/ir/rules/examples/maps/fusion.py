"""Examples of the rules of `ir.rules.maps.fusion`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

fires("fuse_operand", "map (-) (zip(map abs xs, ys))", "map (λ(y, x). abs x - y) (zip(ys, xs))", operand=0)
fires("fuse_operand", "map (-) (zip(xs, map abs xs))", "map (λx. x - abs x) xs", operand=1)
fires(
    "fuse_operand",
    "map (λ(a, b, d). a * b - d) (zip(xs, map (-) (zip(ys, xs)), ys))",
    "map (λ(x, y). x * (y - x) - y) (zip(xs, ys))",
    operand=1,
)
fires("fuse_operand", "map abs (map (λx. x - c) xs)", "map (λx. abs (x - c)) xs", operand=0)
fires(
    "fuse_operand",
    "let t = map (λx. x - c) xs in map (*) (zip(t, t))",
    "map (λx. let t = x - c in t * t) xs",
    operand=0,
)
refuses(
    "fuse_operand",
    "map (-) (zip(map abs xs, ys))",
    "mapSeq abs (map abs xs)",
    "map (-) (zip(map abs xs, mapSeq abs ys))",
    operand=1,
)
refuses("fuse_operand", "map (-) (zip(map abs xs, map abs ys))", operand=2)
refuses("fuse_operand", "map (-) (zip(map abs xs, map abs ys))", operand=-1)

fires("fuse_operands", "map (-) (zip(map abs xs, map floor ys))", "map (λ(y, x). abs x - floor y) (zip(ys, xs))")
fires("fuse_operands", "map (-) (zip(xs, map abs xs))", "map (λx. x - abs x) xs")
fires("fuse_operands", "map abs (map floor (map (λx. x - c) xs))", "map (λx. abs (floor (x - c))) xs")
fires(
    "fuse_operands",
    "let t = map (λx. x - c) xs in let u = map (*) (zip(t, ys)) in"
    " map (λ(a, b, d). a * b - d) (zip(u, t, mapSeq abs u))",
    "let t = map (λx. x - c) xs in let u = map (*) (zip(t, ys)) in"
    " map (λ(d, y, x). let a = x - c in a * y * a - d) (zip(mapSeq abs u, ys, xs))",
)
refuses("fuse_operands", "map (-) (zip(xs, ys))", "mapSeq abs (map abs xs)", "map (-) (zip(xs, mapSeq abs ys))")

fires("map_out_of_zip", "zip(map abs xs, ys)", "map (λ(x, y). (abs(x), y)) (zip(xs, ys))")
refuses("map_out_of_zip", "zip(xs, ys)")

fires("zip_duplicates", "map (-) (zip(xs, xs))", "map (λx. x - x) xs")
fires("zip_duplicates", "map (λ(a, b, d). a * b - d) (zip(xs, ys, xs))", "map (λ(x, y). x * y - x) (zip(xs, ys))")
refuses("zip_duplicates", "map (-) (zip(xs, ys))", "zip(xs, xs)")

fires("map_repeat_operand", "map (-) (zip(repeat n c, xs))", "map (λx. c - x) xs", operand=0)
fires(
    "map_repeat_operand",
    "map (λ(a, b, d). a * b - d) (zip(xs, repeat n c, ys))",
    "map (λ(x, y). x * c - y) (zip(xs, ys))",
    operand=1,
)
refuses("map_repeat_operand", "map (-) (zip(repeat n c, repeat n c))", "map (-) (zip(repeat n c, xs))", operand=1)
refuses("map_repeat_operand", "map (-) (zip(xs, repeat n c))", operand=-1)

fires("elements_of_map", "join (map (reduce (+) 0) xss)", "map (λr. element 0 (reduce (+) 0 r)) xss")
fires(
    "elements_of_map",
    "join (map (λ(x, i). map (λy. (y, i)) (repeat 1 (x * c))) (zip(xs, ints)))",
    "map (λ(x, i). element 0 (map (λy. (y, i)) (repeat 1 (x * c)))) (zip(xs, ints))",
)
refuses(
    "elements_of_map",
    "join (map (map abs) xss)",
    "join (mapSeq (reduce (+) 0) xss)",
    "join (split 1 xs)",
    "map (reduce (+) 0) xss",
)

fires("tuple_of_components", "map (λ(x, y). (x, y)) (zip(xs, ys))", "map (λp. p) (zip(xs, ys))", at_=(0, 0))
refuses("tuple_of_components", "map (λ(x, y). (y, x)) (zip(xs, ys))", "map (λ(x, y). (x, x)) (zip(xs, ys))", at_=(0, 0))

fires("map_of_elements", "map (λr. element 0 (reduce (+) 0 r)) xss", "join (map (reduce (+) 0) xss)")
refuses(
    "map_of_elements",
    "map (λr. element 0 (map abs r)) xss",
    "map (λx. element 0 (repeat 1 x)) xs",
    "map abs xs",
    "map (λr. element 1 r) xss",
)

# --- rows, one after the other ----------------------------------------------------------------------------------------

fires(
    "map_out_of_rows",
    "join (map (λr. map (λy. y - element 0 v8) (slice (m - 1) (-1) m r)) xss)",
    "map (λy. y - element 0 v8) (join (map (slice (m - 1) (-1) m) xss))",
)
fires(
    "map_out_of_rows",
    "join (map (λr. map (-) (zip(slice 1 1 1 r, slice 0 1 1 r))) (slide 2 1 v8))",
    "map (-) (join (map (λr. zip(slice 1 1 1 r, slice 0 1 1 r)) (slide 2 1 v8)))",
)
refuses(
    "map_out_of_rows",
    "join (map (λr. map (λx. x * element 0 r) r) (split 4 v8))",
    "join (map (λr. map abs v8) xss)",
    "join (mapSeq (map abs) xss)",
    "join (map (mapSeq abs) xss)",
    "join xss",
)

fires(
    "row_fission",
    "map (λr. map (-) (zip(scan (+) 0 r, r))) xss",
    "map (λ(s, r). map (-) (zip(s, r))) (zip(map (scan (+) 0) xss, xss))",
    part=0,
)
fires(
    "row_fission",
    "map (λr. map (λx. x * element 1 (slice 1 1 3 r)) r) (split 8 xs8)",
    "let t1 = split 8 xs8 in map (λ(s, r). map (λx. x * element 1 s) r) (zip(map (slice 1 1 3) t1, t1))",
    part=0,
)
refuses("row_fission", "map (scan (+) 0) xss", part=0)
refuses("row_fission", "map (λr. map (-) (zip(scan (+) 0 r, r))) xss", part=2)
refuses("row_fission", "mapSeq (λr. map (-) (zip(scan (+) 0 r, r))) xss", part=0)
refuses("row_fission", "map (λr. map (-) (zip(scan (+) 0 v8, r))) (split 8 xs8)", part=1)

fires(
    "flatten_rows",
    "join (map (λx. map (λy. x * y) v8) xs)",
    "map (λ(x, y). x * y) (zip(join (map (repeat 8) xs), join (repeat n v8)))",
)
fires(
    "flatten_rows",
    "join (map (λr. map (λy. y - element 0 v8) (slice (m - 1) (-1) m r)) xss)",
    "map (λp. p.1 - element 0 v8) (zip(join (map (repeat m) xss), join (map (slice (m - 1) (-1) m) xss)))",
)
refuses(
    "flatten_rows", "join xss", "join (map (repeat 8) xs)", "map (map abs) xss", "join (mapSeq (λr. map abs r) xss)"
)

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
fires(
    "zip_into_map",
    "zip(map (λr. concat(r, r)) xss, ys)",
    "map (λ(r, y). (concat(r, r), y)) (zip(xss, ys))",
    operand=0,
)
refuses("zip_into_map", "zip(map abs xs, ys)", "zip(ys, mapSeq abs xs)", "xs", operand=0)
refuses("zip_into_map", "zip(ys, mapSeq abs xs)", operand=2)
refuses("zip_into_map", "zip(ys, mapSeq abs xs)", operand=-1)

fires(
    "take_from_operand",
    "map (λ(x, ys). map (λy. x + y) (map abs ys)) (zip(xs, xss))",
    "map (λ(x, ys). map (λy. x + y) ys) (zip(xs, map (map abs) xss))",
    operand=1,
)
fires(
    "take_from_operand",
    "map (λ(x, ys). map (λz. map (λy. x + y * z) (map (λy. y - c) ys)) xs) (zip(xs, xss))",
    "map (λ(x, ys). map (λz. map (λy. x + y * z) ys) xs) (zip(xs, map (map (λy. y - c)) xss))",
    operand=1,
)
refuses(
    "take_from_operand",
    "map (λ(x, ys). map (λy. x + y) (map (λy. y * x) ys)) (zip(xs, xss))",
    "map (λ(x, ys). map (+) (zip(map abs ys, ys))) (zip(xs, xss))",
    "map (λ(x, ys). map (λy. x + y) ys) (zip(xs, xss))",
    "mapSeq (λ(x, ys). map (λy. x + y) (map abs ys)) (zip(xs, xss))",
    operand=1,
)
refuses("take_from_operand", "map (λ(x, ys). map (λy. x + y) (map abs ys)) (zip(xs, xss))", operand=2)
