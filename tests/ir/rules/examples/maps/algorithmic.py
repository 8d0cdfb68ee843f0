"""Examples of the rules of `ir.rules.maps.algorithmic`."""

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

# begins at the end
fires("map_backwards", "map abs xs", "(reverse ∘ map abs ∘ reverse) xs")
fires("map_backwards", "map (λxs. map (λx. x * c) xs) xss", "(reverse ∘ map (λxs. map (λx. x * c) xs) ∘ reverse) xss")
fires("map_backwards", "mapGlobal abs xs", "(reverse ∘ mapGlobal abs ∘ reverse) xs")
refuses("map_backwards", "mapSeq abs xs", "reverse xs", "map abs (reverse xs)", "reduce (+) 0 xs")

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

fires("rows_introduction", "xs4", "join (split 4 xs4)", n=4)
fires("rows_introduction", "xs4", "join (split n xs4)", n=N)
refuses("rows_introduction", "xs", "c", n=4)
refuses("rows_introduction", "slice 0 1 0 v8", n=0)

fires("scan_seq_fusion", "scanSeq (+) c (mapSeq abs xs)", "scanSeq (λ(acc, x). acc + abs(x)) c xs")
fires("scan_seq_fusion", "scanSeqUnroll (-) 0 (mapSeq abs v8)", "scanSeqUnroll (λ(acc, x). acc - abs(x)) 0 v8")
refuses("scan_seq_fusion", "scan (+) 0 (mapSeq abs xs)", "scanSeq (+) 0 (map abs xs)", "scanSeq (+) 0 xs")
fires(
    "scan_seq_fusion",
    "scanMapSeq (λ(acc, x). (acc + x, acc * x)) 0 (mapSeq abs xs)",
    "scanMapSeq (λ(acc, x). let y = abs(x) in (acc + y, acc * y)) 0 xs",
)

# --- flattening and horizontal fusion ---------------------------------------------------------------------------------

fires("id_introduction", "xs", "id xs")
refuses("id_introduction", "id xs", "c")

fires("map_identity_elimination", "map (λx. x) xs", "xs")
fires("map_identity_elimination", "map (λr. map (λx. x) r) xss", "map (λr. r) xss", at_=(0, 0))
refuses("map_identity_elimination", "mapSeq (λx. x) xs", "map abs xs", "map (λr. xs) xss", "xs")

# --- views and ragged lengths -----------------------------------------------------------------------------------------

fires("map_identity", "xs", "map (λx. x) xs")
fires("map_identity", "map (λxs. xs) xss", "map (λxs. map (λx. x) xs) xss", at_=(0, 0))
fires("map_identity", "map (λr. slice 0 1 m (join r)) cube", "map (λx. x) (map (λr. slice 0 1 m (join r)) cube)")
refuses("map_identity", "map abs xs", "c", "map (λr. r) xss", "map (λr. map abs r) xss")
# it would be read in the function: the work-items' results are written to global or local memory through views alone
refuses("map_identity", "mapWorkgroup (λxs. id (toGlobal (mapLocal abs xs))) xss", at_=(0, 0))
refuses(
    "map_identity",
    "mapWorkgroup (λxss. mapLocal abs (toLocal (join (mapLocal (mapSeq abs) xss)))) cube",
    at_=(0, 0, 1, 0),
)
