# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.folds.reduction`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses
from tests.ir.rules.notation import N

# --- reductions that choose one of two pairs --------------------------------------------------------------------------

CHOICE = "λ(a, b). let c = (b.0 > a.0) | (b.0 >= a.0) & (b.1 < a.1) in (select(c, b.0, a.0), select(c, b.1, a.1))"
AT = "zip(ints4, generate int32 (4*n) (λi. i))"

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
fires(
    "reduce_to_parts",
    f"reduce ({CHOICE}) (-2147483648, 2147483647) ({AT})",
    f"reduce ({CHOICE}) (-2147483648, 2147483647) (reducePart ({CHOICE}) (-2147483648, 2147483647) 4 ({AT}))",
    parts=4,
)
refuses(
    "reduce_to_parts",
    f"reduce ({CHOICE}) (-2147483648, 0) ({AT})",  # no index comes after all others
    f"reduce ({CHOICE}) (0, 2147483647) ({AT})",
    f"reduce ({CHOICE.replace('> ', '>= ', 1)}) (-2147483648, 2147483647) ({AT})",
    f"reduce ({CHOICE.replace('b.1 < a.1', 'b.1 <= a.1')}) (-2147483648, 2147483647) ({AT})",
    f"reduce ({CHOICE.replace('select(c, b.1, a.1)', 'a.1')}) (-2147483648, 2147483647) ({AT})",
    parts=4,
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

fires("reduce_in_one_row", "reduce (+) 0 xs", "join (map (reduce (+) 0) (split n xs))")
refuses("reduce_in_one_row", "reduceSeq (+) 0 xs", "reduce (+) 0 (slice 0 1 0 xs)", "scan (+) 0 xs")

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

fires("reduce_before_start", "reduce (+) c xs", "map (λx. c + x) (reduce (+) (-0.0) xs)")
refuses("reduce_before_start", "reduce maximum (-inf) xs", "reduce (-) c xs", "reduceSeq (+) c xs")
