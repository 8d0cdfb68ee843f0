# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules: the algorithmic ones of the papers."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses
from tests.ir.rules.notation import M, N

HALVE = "(λ[2*k → k]. join ∘ map (reduce (+) 0) ∘ split 2)"

# --- ICFP 2015, figure 6 ----------------------------------------------------------------------------------------------

# (a) iterate decomposition, and the two steps that unfold it
fires("iterate_decompose", f"iterate 3 {HALVE} xs8", f"iterate 2 {HALVE} (iterate 1 {HALVE} xs8)", first=1)
fires("iterate_decompose", f"iterate 3 {HALVE} xs8", f"iterate 0 {HALVE} (iterate 3 {HALVE} xs8)", first=3)
fires("iterate_decompose", f"iterate 7 {HALVE} v128", f"iterate 2 {HALVE} (iterate 5 {HALVE} v128)", first=5)
refuses("iterate_decompose", f"iterate 3 {HALVE} xs8", first=4)
refuses("iterate_decompose", f"iterate 3 {HALVE} xs8", first=-1)
refuses("iterate_decompose", f"iterate 3 {HALVE} xs8", "map abs xs", first=N)
fires("iterate_step", f"iterate 1 {HALVE} xs8", "(join ∘ map (reduce (+) 0) ∘ split 2) xs8")
refuses("iterate_step", f"iterate 2 {HALVE} xs8", f"iterate 0 {HALVE} xs8", "map abs xs")

# (b) reorder commutativity
fires("map_after_reorder", "map abs (reorder xs)", "reorder (map abs xs)")
refuses("map_after_reorder", "mapSeq abs (reorder xs)", "reorder (map abs xs)", "map abs xs")
fires("reorder_after_map", "reorder (map abs xs)", "map abs (reorder xs)")
refuses("reorder_after_map", "reorder (mapSeq abs xs)", "map abs (reorder xs)", "reorder xs")

# (c) split-join
fires("split_join", "map abs xs4", "(join ∘ map (map abs) ∘ split 4) xs4", n=4)
fires("split_join", "map abs xs4", "(join ∘ map (map abs) ∘ split 2) xs4", n=2)
fires("split_join", "map abs nm", "(join ∘ map (map abs) ∘ split m) nm", n=M)
fires(
    "split_join", "map (λxs. map (λx. x * c) xs) xss", "(join ∘ map (map (λr. map (λx. x * c) r)) ∘ split n) xss", n=N
)
refuses("split_join", "map abs xs", "mapSeq abs xs4", "reduce (+) 0 xs4", n=2)
refuses("split_join", "map abs xs4", n=3)
refuses("split_join", "map abs xs4", n=0)

# (d) reductions
fires("reduce_to_parts", "reduce (+) 0 xs4", "reduce (+) 0 (reducePart (+) 0 2 xs4)", parts=2)
fires(
    "reduce_to_parts",
    "reduce (vect 4 (+)) (splat 4 0) (asVector 4 xs8)",
    "reduce (vect 4 (+)) (splat 4 0) (reducePart (vect 4 (+)) (splat 4 0) 2 (asVector 4 xs8))",
    parts=2,
)
refuses(
    "reduce_to_parts",  # pairs of rows: no pair is chosen of them
    "reduce (λ(a, b). (map (+) (zip(a.0, b.0)), map (+) (zip(a.1, b.1)))) (repeat m 0:float32, repeat m 0:float32) (zip(xss, yss))",
    parts=1,
)
refuses("reduce_to_parts", "reduce (vect 4 (-)) (splat 4 0) (asVector 4 xs8)", parts=2)
refuses("reduce_to_parts", "reduce (vect 4 (+)) (splat 4 1) (asVector 4 xs8)", parts=2)
fires("reduce_to_parts", "reduce (+) 0 nm", "reduce (+) 0 (reducePart (+) 0 n nm)", parts=N)
fires(
    "reduce_to_parts",
    "reduce maximum (-2147483648) ints4",
    "reduce maximum (-2147483648) (reducePart maximum (-2147483648) 4 ints4)",
    parts=4,
)
refuses("reduce_to_parts", "reduce (+) 0 xs", "reduceSeq (+) 0 xs4", parts=2)
refuses(
    "reduce_to_parts",
    "reduce (+) 1 xs4",
    "reduce (-) 0 xs4",
    "reduce (λ(a, b). a + b * 1) 0 xs4",
    "reduce maximum 0 xs4",
    parts=2,
)
fires("part_to_reduce", "reducePart (+) 0 1 xs", "reduce (+) 0 xs")
refuses("part_to_reduce", "reducePart (+) 0 2 xs4", "reducePart (+) 0 n xs", "reduce (+) 0 xs")
fires("part_reorder", "reducePart (+) 0 2 xs4", "reducePart (+) 0 2 (reorder xs4)")
refuses(
    "part_reorder",
    "reducePart (+) 0 2 (reorder xs4)",
    "reducePart (-) 0 2 xs4",
    "reducePart (+) 1 2 xs4",
    "reduce (+) 0 xs",
)
fires(
    "part_iterate",
    "reducePart (+) 0 n xs8",
    "iterate 3 (λ[2*m2 → m2 : 1..]. reducePart (+) 0 m2) xs8",
    factor=2,
    count=3,
)
fires(
    "part_iterate",
    "reducePart (+) 0 n xs8",
    "iterate 1 (λ[8*m2 → m2 : 1..]. reducePart (+) 0 m2) xs8",
    factor=8,
    count=1,
)
fires(
    "part_iterate", "reducePart (+) 0 n xs", "iterate 0 (λ[2*m2 → m2 : 1..]. reducePart (+) 0 m2) xs", factor=2, count=0
)
refuses("part_iterate", "reducePart (+) 0 n xs8", "reduce (+) 0 xs8", "reducePart (-) 0 n xs8", factor=2, count=2)
refuses("part_iterate", "reducePart (+) 0 4 (slice 0 1 0 xs)", factor=2, count=1)
refuses("part_iterate", "reducePart (+) 0 n xs", factor=0, count=0)
refuses("part_iterate", "reducePart (-) 0 n xs8", "reducePart (+) 1 n xs8", factor=2, count=3)
fires("part_split", "reducePart (+) 0 4 xs8", "(join ∘ map (reducePart (+) 0 2) ∘ split (4*n)) xs8", parts=2)
fires("part_split", "reducePart (+) 0 4 xs8", "(join ∘ map (reducePart (+) 0 1) ∘ split (2*n)) xs8", parts=1)
fires("part_split", "reducePart (+) 0 n nm", "(join ∘ map (reducePart (+) 0 1) ∘ split m) nm", parts=1)
refuses("part_split", "reducePart (+) 0 4 xs8", "reduce (+) 0 xs8", parts=3)
refuses("part_split", "reducePart (+) 0 4 (slice 0 1 0 xs)", parts=2)  # how many empty chunks?
refuses("part_split", "reducePart (+) 0 4 xs8", parts=0)
fires("reduce_to_part", "reduce (+) 0 xs", "reducePart (+) 0 1 xs")
refuses("reduce_to_part", "reduceSeq (+) 0 xs", "reducePart (+) 0 1 xs")
fires(
    "reduce_partition",
    "reduce (+) 0 xs",
    "reduce (+) 0 (concat(reducePart (+) 0 4 (slice 0 1 (4*(n // 4)) xs), reduce (+) 0 (slice (4*(n // 4)) 1 (n % 4) xs)))",
    at=N // 4 * 4,
    parts=4,
)
fires(
    "reduce_partition",
    "reduce (*) 1 (map abs ints)",
    "reduce (*) 1 (let t = map abs ints in concat(reducePart (*) 1 1 (slice 0 1 0 t), reduce (*) 1 (slice 0 1 n t)))",
    at=0,
    parts=1,
)
refuses("reduce_partition", "reduce (+) 0 xs", at=4, parts=4)  # n may be 3
refuses("reduce_partition", "reduce (+) 0 xs", at=N // 4 * 4, parts=3)
refuses("reduce_partition", "reduce (-) 0 xs", "reduce (+) 1 xs", "reduceSeq (+) 0 xs", at=N // 4 * 4, parts=4)
fires(
    "reduce_continued",
    "reduce (+) 0 v8",
    "reduce (+) (element 0 (reduce (+) 0 (slice 0 1 6 v8))) (slice 6 1 2 v8)",
    at=6,
)
fires(
    "reduce_continued",
    "reduce maximum (-inf) (map abs xs)",
    "reduce maximum (element 0 (reduce maximum (-inf) (slice 0 1 (n // 2) (map abs xs))))"
    " (slice (n // 2) 1 (n - n // 2) (map abs xs))",
    at=N // 2,
)
refuses("reduce_continued", "scanSeq (+) 0 v8", "xs", at=6)
refuses("reduce_continued", "reduce (+) 0 v8", at=9)
fires(
    "reduce_flatten",
    "reduce (+) 0 (concat(xs, reduce (+) 0 (concat(map abs xs, ys)), reduce (+) 0 xs4, reduce maximum (-inf) xs))",
    "reduce (+) 0 (concat(xs, map abs xs, ys, xs4, reduce maximum (-inf) xs))",
)
refuses(
    "reduce_flatten",
    "reduce (+) 0 (concat(xs, ys))",
    "reduce (+) 0 xs",
    "reduce (+) 0 (concat(xs, reduce maximum (-inf) xs))",
    "reduce (+) 0 (concat(xs, reduceSeq (+) 0 xs))",
    "reduceSeq (+) 0 (concat(xs, reduce (+) 0 xs))",
    "reduce (-) 0 (concat(xs, reduce (-) 0 xs))",
)
fires("reduce_from_first", "reduce (+) 0 (slice 0 1 1 v8)", "slice 0 1 1 v8")
fires(
    "reduce_from_first",
    "reduce maximum (-inf) (concat(reduce (+) 0 xs, slice 0 1 1 v8, repeat 1 c))",
    "map (λ(x, y, z). maximum(maximum(x, y), z)) (zip(reduce (+) 0 xs, slice 0 1 1 v8, repeat 1 c))",
)
refuses(
    "reduce_from_first",
    "reduce (+) 1 (slice 0 1 1 v8)",
    "reduce (+) 0 xs",
    "reduce (+) 0 (concat(slice 0 1 1 v8, xs))",
    "reduce (λ(a, b). b) c (slice 0 1 1 v8)",
    "reduceSeq (+) 0 (slice 0 1 1 v8)",
)
fires("reduce_pad", "reduce (+) 0 xs", "reduce (+) 0 (concat(xs, repeat (n % 4) 0.0:float32))", count=N % 4)
fires("reduce_pad", "reduce (*) 1 (concat(xs, ys))", "reduce (*) 1 (concat(xs, ys, repeat 3 1.0:float32))", count=3)
refuses("reduce_pad", "reduce (+) 1 xs", "reduce (-) 0 xs", "reduceSeq (+) 0 xs", count=3)
refuses("reduce_pad", "reduce (+) 0 xs", count=-1)
fires(
    "reduce_interleave",
    "reduce (+) 0 (map abs xs4)",
    "let t1 = transpose (split 2 xs4) in map (+) (reduceSeq (λ(acc, p). (acc.0 + abs p.0, acc.1 + abs p.1)) (0, 0) "
    "(zip(element 0 t1, element 1 t1)))",
    ways=2,
)
fires(
    "reduce_interleave",
    "reduce maximum (-inf) xs4",
    "let t1 = transpose (split 4 xs4) in map (λp. maximum p.0 (maximum p.1 (maximum p.2 p.3))) "
    "(reduceSeq (λ(acc, p). (maximum acc.0 p.0, maximum acc.1 p.1, maximum acc.2 p.2, maximum acc.3 p.3)) "
    "(-inf, -inf, -inf, -inf) (zip(element 0 t1, element 1 t1, element 2 t1, element 3 t1)))",
    ways=4,
)
refuses("reduce_interleave", "reduce (+) 0 xs", "reduceSeq (+) 0 xs4", "reduce (-) 0 xs4", "reduce (+) 1 xs4", ways=2)
refuses("reduce_interleave", "reduce (+) 0 xs4", ways=1)
refuses("reduce_interleave", "reduce (+) 0 xs4", ways=0)
refuses("reduce_interleave", "reduce (+) 0 xs4", ways=-2)

fires(
    "reduce_of_maps",
    "reduce (λ(a, r). map (+) (zip(a, r))) ys (transpose yss)",
    "(split n ∘ join ∘ map (λp. reduce (+) p.0 p.1)) (zip(ys, transpose (transpose yss)))",
)
fires(
    "reduce_of_maps",
    "reduce (λ(a, r). map (λ(x, y). maximum x y) (zip(a, r))) (repeat m (-inf:float32)) xss",
    "(split m ∘ join ∘ map (λp. reduce maximum p.0 p.1)) (zip(repeat m (-inf:float32), transpose xss))",
)
refuses("reduce_of_maps", "reduce (+) 0 xs", "reduceSeq (λ(a, r). map (+) (zip(a, r))) (repeat m 0:float32) xss")
refuses(
    "reduce_of_maps",
    "reduce (λ(a, r). map (+) (zip(r, a))) (repeat m 0:float32) xss",
    "reduce (λ(a, r). r) (repeat m 0:float32) xss",
)
refuses("reduce_of_maps", "reduce (λ(a, r). map (λ(x, y). x + y * element 0 r) (zip(a, r))) (repeat m 0:float32) xss")

# (e) cancellation
fires("join_after_split", "join (split 4 xs4)", "xs4")
fires("join_after_split", "join (split m nm)", "nm")
refuses("join_after_split", "split 4 (join (split 4 xs4))", "join xss")
fires("split_after_join", "split m (join xss)", "xss")
refuses("split_after_join", "split n (join xss)", "split 2 xs4", "join xss")
fires("split_join_introduction", "xss", "split m (join xss)")
fires("split_join_introduction", "transpose xss", "split n (join (transpose xss))")
refuses("split_join_introduction", "xs", "split 4 xs4", "map (λx. repeat 0 x) xs")
fires("scalar_after_vector", "asScalar (asVector 4 xs4)", "xs4")
refuses("scalar_after_vector", "asScalar (map (vect 4 abs) (asVector 4 xs4))", "asVector 4 xs4")
fires("vector_after_scalar", "asVector 2 (asScalar (asVector 2 xs4))", "asVector 2 xs4")
refuses("vector_after_scalar", "asVector 4 (asScalar (asVector 2 xs4))", "asVector 2 xs4")
fires("id_elimination", "id xs", "xs")
fires("id_elimination", "map abs (id xs)", "map abs xs", at_=(1,))
refuses("id_elimination", "map abs xs", "reorder xs")

# (f) fusion
fires("map_fusion", "map abs (map (λx. x - c) xs)", "map (λx. abs (x - c)) xs")
fires("map_fusion", "mapSeq abs (mapSeq (λx. x - c) xs)", "mapSeq (λx. abs (x - c)) xs")
fires("map_fusion", "map (reduce (+) 0) (map (map abs) xss)", "map (reduce (+) 0 ∘ map abs) xss")
refuses("map_fusion", "mapSeq abs (map abs xs)", "map abs (mapSeq abs xs)", "map abs (reorder (map abs xs))")
refuses("map_fusion", "map (vect 4 abs) (map (vect 4 abs) (asVector 4 xs4))")
fires("map_fission", "map (λx. abs (x - c)) xs", "map abs (map (λx. x - c) xs)")
fires("map_fission", "map (reduce (+) 0 ∘ map abs) xss", "map (reduce (+) 0) (map (map abs) xss)")
fires(
    "map_fission",
    "map (λr. reduce (+) c (concat(r, map abs r))) xss",
    "map (reduce (+) c) (map (λr. concat(r, map abs r)) xss)",
)
fires("map_fission", "map (λx. c - x * x) xs", "map (λy. c - y) (map (λx. x * x) xs)")
refuses(
    "map_fission",
    "map abs xs",
    "mapSeq (λx. abs (x - c)) xs",
    "map (λx. abs x - x * x) xs",
    "map (λr. map (λx. x * element 0 r) (map abs r)) xss",
    "map (λr. reduce (+) (element 0 r) (map abs r)) xss",
    "map (λx. x - abs c) xs",
    "map (λx. c) xs",
)
fires("reduce_seq_fusion", "reduceSeq (+) 0 (mapSeq abs xs)", "reduceSeq (λ(acc, x). acc + abs x) 0 xs")
fires("reduce_seq_fusion", "reduceSeq (-) 0 (mapSeq (λx. x * c) xs)", "reduceSeq (λ(acc, x). acc - x * c) 0 xs")
fires(
    "reduce_seq_fusion",
    "reduceSeq (λ(acc, p). acc + p.0 * p.1) 0:float32 (mapSeq (λx. (x, abs x)) xs)",
    "reduceSeq (λ(acc, x). acc + x * abs x) 0 xs",
)
fires(
    "reduce_seq_fusion",
    "reduceSeq (vect 4 (+)) (splat 4 0) (mapSeq (vect 4 abs) (asVector 4 xs4))",
    "reduceSeq (vect 4 (λ(acc, x). acc + abs x)) (splat 4 0) (asVector 4 xs4)",
)
fires("reduce_seq_fusion", "reduceSeqUnroll (+) 0 (mapSeq abs v8)", "reduceSeqUnroll (λ(acc, x). acc + abs x) 0 v8")
refuses(
    "reduce_seq_fusion",
    "reduce (+) 0 (mapSeq abs xs)",
    "reduceSeq (+) 0 (map abs xs)",
    "reduceSeq (+) 0 (reorder (mapSeq abs xs))",
)
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
fires("array_partition", "xs", "concat(slice 0 1 (n // 2) xs, slice (n // 2) 1 (n - n // 2) xs)", at=N // 2)
fires("array_partition", "xss", "concat(slice 0 1 n xss, slice n 1 0 xss)", at=N)
refuses("array_partition", "xs", at=N + 1)
refuses("array_partition", "v8", at=-1)
refuses("array_partition", "c", at=0)
fires("rows_introduction", "xs4", "join (split 4 xs4)", n=4)
fires("rows_introduction", "xs4", "join (split n xs4)", n=N)
refuses("rows_introduction", "xs", "c", n=4)
refuses("rows_introduction", "slice 0 1 0 v8", n=0)
