"""Examples of the rules of `ir.rules.maps.horizontal`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

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

_TURN = "λ(a, r). map (λ(b, c). map (+) (zip(b, c))) (zip(a, r))"
fires(
    "rows_in_turns",
    "join (map (reduce (+) 0) xss)",
    f"let t = transpose xss in join (map (reduce (+) 0) (transpose (element 0 (reduceSeq ({_TURN})"
    " (map (λ(r, b). map (λx. select(b, x, 0:float32)) r) (zip("
    "concat(slice (4*(m // 4)) 1 (m % 4) t, repeat (4 - m % 4) (repeat n 0:float32)),"
    " concat(repeat (m % 4) true, repeat (4 - m % 4) false))))"
    " (split 4 (slice 0 1 (4*(m // 4)) t))))))",
    ways=4,
)
fires(
    "rows_in_turns",  # of a map, with nothing left over
    "join (map (λr. reduce maximum (-inf) (map abs r)) (split 8 xs8))",
    "let t = transpose (split 8 xs8) in join (map (reduce maximum (-inf)) (transpose (element 0 (reduceSeq"
    " (λ(a, r). map (λ(b, c). map (λ(x, y). maximum x (abs y)) (zip(b, c))) (zip(a, r)))"
    " (repeat 2 (repeat n (-inf:float32))) (split 2 (slice 0 1 8 t))))))",
    ways=2,
)
refuses(
    "rows_in_turns",
    "join (map (reduceSeq (+) 0) xss)",
    "join (mapSeq (reduce (+) 0) xss)",
    "join (map (reduce (+) 1) xss)",  # no neutral element
    "join (map (λ(r, y). reduce (+) 0 (map (λx. x * y) r)) (zip(xss, xs)))",  # a number of each row
    "join (map (λr. reduce (+) (element 0 r) r) xss)",
    "map (reduce (+) 0) xss",
    ways=4,
)
refuses("rows_in_turns", "join (map (reduce (+) 0) xss)", ways=0)
