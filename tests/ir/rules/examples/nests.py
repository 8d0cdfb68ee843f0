# an equation reads best on one line
"""Examples of the rules: nested maps, and rows of matrices."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

# --- flattening and horizontal fusion ---------------------------------------------------------------------------------

fires("id_introduction", "xs", "id xs")
refuses("id_introduction", "id xs", "c")
fires("map_identity_elimination", "map (λx. x) xs", "xs")
fires("map_identity_elimination", "map (λr. map (λx. x) r) xss", "map (λr. r) xss", at_=(0, 0))
refuses("map_identity_elimination", "mapSeq (λx. x) xs", "map abs xs", "map (λr. xs) xss", "xs")
fires("map_after_join", "map abs (join xss)", "join (map (map abs) xss)")
refuses("map_after_join", "mapSeq abs (join xss)", "join (map (map abs) xss)", "map abs xs")
fires("fuse_maps_of_zip", "zip(map abs xs, map (λx. x * c) xs)", "map (λx. (abs(x), x * c)) xs")
fires("fuse_maps_of_zip", "zip(mapSeq abs xs, mapSeq int32 xs)", "mapSeq (λx. (abs(x), int32(x))) xs")
fires(
    "fuse_maps_of_zip",
    "zip(map (-) (zip(xs, ys)), map (λ(i, y). (i, y)) (zip(ints, ys)), map abs ys)",
    "map (λ(x, y, i). (x - y, (i, y), abs(y))) (zip(xs, ys, ints))",
)
refuses(
    "fuse_maps_of_zip",
    "zip(map abs xs, ys)",
    "zip(map abs xs, mapSeq abs xs)",
    "zip(map (vect 2 abs) (asVector 2 xs4), map (vect 2 abs) (asVector 2 xs4))",
    "zip(xs, ys)",
)
fires(
    "fuse_reductions_of_zip",
    "zip(reduce (+) 0 xs, reduce maximum (-inf) xs)",
    "reduce (λ(a, b). (a.0 + b.0, maximum(a.1, b.1))) (0:float32, -inf:float32) (zip(xs, xs))",
)
fires(
    "fuse_reductions_of_zip",
    "zip(reduceSeq (-) 0 xs, reduceSeq (λ(k, x). k + int32 x) 1:int32 (map abs ys))",
    "reduceSeq (λ(a, b). (a.0 - b.0, a.1 + int32 b.1)) (0:float32, 1:int32) (zip(xs, map abs ys))",
)
refuses(
    "fuse_reductions_of_zip",
    "zip(reduce (+) 0 xs, reduce (+) 0 v8)",
    "zip(reduce (+) 0 xs, reduceSeq (+) 0 xs)",
    "zip(reduce (+) 0 xs, slice 0 1 1 v8)",
    "zip(xs, ys)",
)
fires(
    "reduce_known_component",
    "reduce (λ(a, b). (a.0 + b.0, a.1 + b.1)) (0:float32, 0:float32)"
    " (map (λx. (abs(x - element 0 (reduce (+) 0 v8)), x)) v8)",
    "let m = element 0 (reduce (+) 0 v8) in"
    " reduce (λ(a, b). (a.0 + b.0, maximum(a.1, b.1))) (0:float32, -inf:float32) (map (λx. (abs(x - m), m)) v8)",
)
fires(
    "reduce_known_component",
    "reduce (λ(a, b). (a.0 + b.0, minimum(a.1, b.1))) (0:float32, inf:float32)"
    " (map (λ(x, y). (y / element 0 (reduce minimum inf v8), x)) (zip(v8, v8)))",
    "let m = element 0 (reduce minimum inf v8) in"
    " reduce (λ(a, b). (a.0 + b.0, maximum(a.1, b.1))) (0:float32, -inf:float32)"
    " (map (λ(x, y). (y / m, m)) (zip(v8, v8)))",
)
fires(
    "reduce_known_component",
    "reduce (λ(a, b). (a.0 & b.0, a.1 | b.1)) (true, false)"
    " (map (λx. ((x > 0) | element 0 (reduce (|) false (map (λx. x > 1) v8)), x > 1)) v8)",
    "let m = element 0 (reduce (|) false (map (λx. x > 1) v8)) in"
    " reduce (λ(a, b). (a.0 & b.0, a.1 | b.1)) (true, false) (map (λx. ((x > 0) | m, m)) v8)",
)
fires(
    "reduce_known_component",
    "reduce (λ(a, b). (a.0 + b.0, (a.1.0 + b.1.0, maximum(a.1.1, b.1.1)))) (0:float32, (0:float32, -128:int8))"
    " (map (λx. let m = element 0 (reduce (λ(a, b). (a.0 + b.0, maximum(a.1, b.1))) (0:float32, -128:int8)"
    " (map (λx. (x, int8 x)) v8)) in (x - m.0, (x, int8 x))) v8)",
    "let m = element 0 (reduce (λ(a, b). (a.0 + b.0, maximum(a.1, b.1))) (0:float32, -128:int8)"
    " (map (λx. (x, int8 x)) v8)) in"
    " reduce (λ(a, b). (a.0 + b.0, (maximum(a.1.0, b.1.0), maximum(a.1.1, b.1.1))))"
    " (0:float32, (-inf:float32, -128:int8)) (map (λx. (x - m.0, m)) v8)",
)
refuses(
    "reduce_known_component",
    "reduce (λ(a, b). (a.0 + b.0, a.1 * b.1)) (0:float32, 1:float32)"
    " (map (λx. (abs(x - element 0 (reduce (+) 0 v8)), x)) v8)",
    "reduce (λ(a, b). (a.0 + b.0, a.1 + b.1)) (0:float32, 0:float32)"
    " (map (λx. (abs(x - element 0 (reduce (+) 0 xs)), x)) v8)",
    "reduce (λ(a, b). (a.0 + b.0, a.1 + b.1)) (0:float32, 0:float32)"
    " (map (λx. (abs(x - element 0 (reduce (+) 0 xs)), x)) xs)",  # nothing's sum is 0, and its maximum is not
    "reduce (λ(a, b). (a.0 + b.0, a.1 + b.1)) (0:float32, 1:float32)"
    " (map (λx. (abs(x - element 0 (reduce (+) 0 v8)), x)) v8)",
    "reduce (+) 0 (map (λx. abs(x - element 0 (reduce (+) 0 v8))) v8)",
)

# --- warps ------------------------------------------------------------------------------------------------------------

fires("map_to_warp", "mapWorkgroup (map (map abs)) cube", "mapWorkgroup (mapWarp (map abs)) cube", at_=(0, 0), lanes=32)
fires(
    "map_to_warp",
    "mapWorkgroup (map (mapLane4 abs)) cube",
    "mapWorkgroup (mapWarp4 (mapLane4 abs)) cube",
    at_=(0, 0),
    lanes=4,
)
refuses(
    "map_to_warp",
    "map (map abs) xss",
    "mapGlobal (map abs) xss",
    "mapWorkgroup1 (map abs) xss",
    "mapWorkgroup (map (mapLocal abs)) cube",
    "mapWorkgroup (map (mapLane4 abs)) cube",
    "mapWorkgroup (mapSeq abs) xss",
    at_=(0, 0),
    lanes=32,
)
refuses(
    "map_to_warp",
    "mapWorkgroup (mapLocal (map abs)) cube",
    "mapWorkgroup (mapWarp (map abs)) cube",
    at_=(0, 0, 0, 0),
    lanes=32,
)
refuses("map_to_warp", "mapWorkgroup (map abs) xss", at_=(0, 0), lanes=0)
fires(
    "map_to_lane",
    "mapWorkgroup (mapWarp (map abs)) cube",
    "mapWorkgroup (mapWarp (mapLane abs)) cube",
    at_=(0, 0, 0, 0),
    lanes=32,
)
refuses(
    "map_to_lane",
    "mapWorkgroup (mapWarp (map abs)) cube",
    "mapWorkgroup (mapLocal (map abs)) cube",
    at_=(0, 0, 0, 0),
    lanes=4,
)
refuses("map_to_lane", "mapWorkgroup (map abs) xss", "map (map abs) xss", at_=(0, 0), lanes=32)
refuses("map_to_local", "mapWorkgroup (mapWarp (map abs)) cube", at_=(0, 0, 0, 0), dim=0)
fires("prefetch_input", "reduceSeq (+) 0 (gather v8 is)", "reduceSeq (+) 0 (prefetch 4 (gather v8 is))", distance=4)
fires(
    "prefetch_input",
    "mapSeq abs (join (map (λi. gather v8 (repeat 1 (i // 2))) is))",
    "mapSeq abs (prefetch 4 (join (map (λi. gather v8 (repeat 1 (i // 2))) is)))",
    distance=4,
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

fires(
    "prefetch_input",
    "mapSeq (*) (zip(xs, repeat n (c + 1)))",
    "mapSeq (*) (prefetch 4 (zip(xs, repeat n (c + 1))))",
    distance=4,
)
refuses("prefetch_input", "mapSeq abs (join (repeat 2 (toPrivate (mapSeq abs xs))))", distance=4)

fires("repeat_after_map", "repeat m (map abs xs)", "map (map abs) (repeat m xs)")
fires(
    "repeat_after_map",
    "map (λx. repeat 2 (map (λy. y + x) v8)) xs",
    "map (λx. map (map (λy. y + x)) (repeat 2 v8)) xs",
    at_=(0, 0),
)
refuses("repeat_after_map", "repeat m (mapSeq abs xs)", "repeat m xs", "map abs xs")

# --- several rows at once ---------------------------------------------------------------------------------------------

fires(
    "join_to_concat",
    "join (map (reduce (+) 0) (split 4 v8))",
    "let t = split 4 v8 in concat(reduce (+) 0 (element 0 t), reduce (+) 0 (element 1 t))",
)
fires(
    "join_to_concat",
    "join (map (λr. map (λ(x, y). x * c - y) (zip(r, xs))) (split n (slice 0 1 (3*n) xs8)))",
    "let t = split n (slice 0 1 (3*n) xs8) in concat(map (λ(x, y). x * c - y) (zip(element 0 t, xs)), "
    "map (λ(x, y). x * c - y) (zip(element 1 t, xs)), map (λ(x, y). x * c - y) (zip(element 2 t, xs)))",
)
refuses(
    "join_to_concat",
    "join (map (reduce (+) 0) xss)",
    "join (map (reduce (+) 0) (split 8 v8))",
    "join (map (reduce (+) 0) (split 4 v128))",
    "join (mapSeq (reduce (+) 0) (split 4 v8))",
    "map (reduce (+) 0) (split 4 v8)",
    "join (split 4 v8)",
)
fires(
    "concat_to_zip",
    "concat(reduce (+) 0 xs, reduceSeq maximum (-inf) v8)",
    "(join ∘ transpose ∘ map (λ(a, b). concat(repeat 1 a, repeat 1 b))) "
    "(zip(reduce (+) 0 xs, reduceSeq maximum (-inf) v8))",
)
fires(
    "concat_to_zip",
    "concat(xs, map abs ys, xs)",
    "(join ∘ transpose ∘ map (λ(a, b, c). concat(repeat 1 a, repeat 1 b, repeat 1 c))) (zip(xs, map abs ys, xs))",
)
refuses("concat_to_zip", "concat(xs, v8)", "concat(xs, xs4)", "join (map (map abs) xss)", "xs")

fires("split_map_of_tuples", "map (λx. (abs(x), x * c)) xs", "zip(map abs xs, map (λx. x * c) xs)")
fires(
    "split_map_of_tuples",
    "mapGlobal (λ(x, y). (x - y, y, x)) (zip(xs, ys))",
    "let t = zip(xs, ys) in zip(mapGlobal (-) t, mapGlobal (λp. p.1) t, mapGlobal (λp. p.0) t)",
)
refuses("split_map_of_tuples", "map abs xs", "map (λp. p) (zip(xs, ys))", "zip(map abs xs, map abs xs)")
fires(
    "repeat_numbers",
    "map (λ(r, y). map (λx. x * y + y) r) (zip(xss, xs))",
    "map (λ(r, y). map (λ(x, c). x * c + c) (zip(r, repeat m y))) (zip(xss, xs))",
    at_=(0, 0),
)
refuses(
    "repeat_numbers",
    "map (λ(r, y). mapSeq (λx. x * y) r) (zip(xss, xs))",
    "map (λ(r, y). map abs r) (zip(xss, xs))",
    at_=(0, 0),
)
refuses("repeat_numbers", "map abs xs", "reduce (+) 0 xs")
fires(
    "map_of_reduce",
    "join (map (reduce (+) 0) xss)",
    "element 0 (reduce (λ(a, r). map (+) (zip(a, r))) (repeat n 0:float32) (transpose xss))",
)
fires(
    "map_of_reduce",
    "join (map (λr. reduceSeq (λ(k, x). k + int32 x) 1:int32 (slice 0 1 m r)) (transpose (transpose xss)))",
    "let t = transpose (transpose xss) in element 0 (reduceSeq (λ(a, r). map (λ(k, x). k + int32 x) (zip(a, r)))"
    " (repeat n 1:int32) (transpose (map (slice 0 1 m) t)))",
)
fires(
    "map_of_reduce",
    "join (map (λr. reduce maximum (element 0 (reduce maximum (-inf) (slice 0 1 (m // 2) r))) r) xss)",
    "element 0 (reduce (λ(a, r). map maximum (zip(a, r))) (element 0 (reduce (λ(a, r). map maximum (zip(a, r)))"
    " (repeat n (-inf:float32)) (transpose (map (slice 0 1 (m // 2)) xss)))) (transpose xss))",
)
fires(
    "map_of_reduce",
    "join (map (λ(r, y). reduceSeq (λ(a, x). a + x * y) 0:float32 r) (zip(xss, xs)))",
    "let t = zip(xss, xs) in element 0 (reduceSeq (λ(a, r). map (λ(s, x, y). s + x * y)"
    " (zip(a, r, join (map (λ(q, y). repeat 1 y) t)))) (repeat n 0:float32) (transpose (map (λ(q, y). q) t)))",
)
refuses(
    "map_of_reduce",
    "join (map (λr. scanSeq (+) 0 r) xss)",
    "join (mapSeq (reduce (+) 0) xss)",
    "join (map (λr. reduce (λ(a, b). a + b * element 0 r) 0 r) xss)",
    "join (map (λr. reduce (+) (element 0 r) r) xss)",
    "join (map (λr. reduce (+) 0 xs) xss)",
    "map (reduce (+) 0) xss",
    "map abs xs",
)
