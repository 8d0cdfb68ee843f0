# ruff: noqa: E501  # an equation reads best on one line
"""For each rule: expressions at which it fires, with what it makes of them, and expressions at which it refuses.

A rule without both is a rule without a test: `test_registry` fails for it. `at` is the place of the application.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ir.rewrite.strategy import Path
from tests.ir.rules.notation import M, N

__all__ = ["FIRES", "REFUSES", "Example"]


@dataclass(frozen=True)
class Example:
    """A rule applied at a place of an expression: what it gives (None: it refuses), both in the papers' notation."""

    rule: str
    before: str
    after: str | None
    at: Path
    parameters: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        chosen = ", ".join(f"{k}={v}" for k, v in self.parameters)
        return f"{self.rule}({chosen}) {self.before}"


FIRES: list[Example] = []
REFUSES: list[Example] = []


def fires(rule: str, before: str, after: str, /, *, at_: Path = (), **parameters: Any) -> None:
    FIRES.append(Example(rule, before, after, at_, tuple(sorted(parameters.items()))))


def refuses(rule: str, *befores: str, at_: Path = (), **parameters: Any) -> None:
    REFUSES.extend(Example(rule, before, None, at_, tuple(sorted(parameters.items()))) for before in befores)


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
fires("iterate_none", f"iterate 0 {HALVE} xs8", "id xs8")
refuses("iterate_none", f"iterate 1 {HALVE} xs8", "id xs8")

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

# --- ICFP 2015, figure 7 ----------------------------------------------------------------------------------------------

# (a) maps, with the pre-conditions of the thesis
fires("map_to_workgroup", "map (map abs) xss", "mapWorkgroup1 (map abs) xss", dim=1)
fires("map_to_workgroup", "mapWorkgroup1 (map abs) xss", "mapWorkgroup1 (mapWorkgroup abs) xss", at_=(0, 0), dim=0)
refuses(
    "map_to_workgroup",
    "mapWorkgroup (map abs) xss",
    "mapLocal (map abs) xss",
    "mapSeq (map abs) xss",
    "mapGlobal1 (map abs) xss",
    "map (map abs) xss",
    at_=(0, 0),
    dim=0,
)
refuses(
    "map_to_workgroup",
    "mapSeq abs xs",
    "map (mapWorkgroup abs) xss",
    "map (mapGlobal1 abs) xss",
    dim=0,
)
refuses(
    "map_to_workgroup",
    "reduceSeq (λ(a, xs). a + element 0 (toPrivate (reduceSeq (+) 0 (map abs xs)))) 0:float32 xss",
    at_=(0, 0, 1, 0, 0, 2),
    dim=0,
)
fires("map_to_local", "mapWorkgroup (map abs) xss", "mapWorkgroup (mapLocal abs) xss", at_=(0, 0), dim=0)
fires(
    "map_to_local",
    "mapWorkgroup (mapSeq (map abs)) cube",
    "mapWorkgroup (mapSeq (mapLocal abs)) cube",
    at_=(0, 0, 0, 0),
    dim=0,
)
refuses(
    "map_to_local", "map (map abs) xss", "mapWorkgroup1 (map abs) xss", "mapGlobal (map abs) xss", at_=(0, 0), dim=0
)
refuses("map_to_local", "mapWorkgroup (mapLocal (map abs)) cube", at_=(0, 0, 0, 0), dim=0)
refuses("map_to_local", "mapWorkgroup (map (mapLocal abs)) cube", at_=(0, 0), dim=0)
refuses("map_to_local", "map abs xs", dim=0)
fires("map_to_global", "map abs xs", "mapGlobal abs xs", dim=0)
fires("map_to_global", "reduce (+) 0 (map abs xs)", "reduce (+) 0 (mapGlobal abs xs)", at_=(2,), dim=0)
fires(
    "map_to_workgroup",
    "reduceSeq (+) 0 (join (map (map abs) xss))",
    "reduceSeq (+) 0 (join (mapWorkgroup (map abs) xss))",
    at_=(2, 0),
    dim=0,
)
fires("map_to_global", "mapGlobal1 (map abs) xss", "mapGlobal1 (mapGlobal abs) xss", at_=(0, 0), dim=0)
refuses(
    "map_to_global",
    "mapGlobal (map abs) xss",
    "mapWorkgroup1 (map abs) xss",
    "mapSeq (map abs) xss",
    "map (map abs) xss",
    at_=(0, 0),
    dim=0,
)
refuses(
    "map_to_global",
    "mapGlobal1 abs xs",
    "map (mapGlobal abs) xss",
    "map (mapWorkgroup1 abs) xss",
    "map (mapLocal abs) xss",
    dim=0,
)
fires("map_to_seq", "map abs xs", "mapSeq abs xs")
fires("map_to_seq", "mapGlobal (map abs) xss", "mapGlobal (mapSeq abs) xss", at_=(0, 0))
refuses(
    "map_to_seq",
    "mapSeq abs xs",
    "mapGlobal abs xs",
    "reduce (+) 0 xs",
    "map (mapGlobal abs) xss",
    "map (mapWorkgroup abs) xss",
)
fires("unroll", "mapSeq abs v8", "mapSeqUnroll abs v8")
fires("unroll", "reduceSeq (-) 0 v8", "reduceSeqUnroll (-) 0 v8")
refuses(
    "unroll",
    "mapSeq abs xs",
    "mapSeq abs v128",
    "map abs v8",
    "mapGlobal abs v8",
    "reduceSeq (+) 0 xs",
    "reduce (+) 0 v8",
)

# (b) reduce
fires("reduce_to_seq", "reduce (+) 0 xs", "reduceSeq (+) 0 xs")
refuses("reduce_to_seq", "reduceSeq (+) 0 xs", "reducePart (+) 0 1 xs")

# (c) reorder
fires("reorder_to_id", "reorder xs", "id xs")
refuses("reorder_to_id", "reorderStride 2 xs4", "id xs")
fires("reorder_to_stride", "reorder xs4", "reorderStride 4 xs4", stride=4)
fires("reorder_to_stride", "reduce (+) 0 (reorder nm)", "reduce (+) 0 (reorderStride m nm)", at_=(2,), stride=M)
fires(
    "reorder_to_stride",
    "reducePart (+) 0 1 (reorder xs4)",
    "reducePart (+) 0 1 (reorderStride 2 xs4)",
    at_=(2,),
    stride=2,
)
refuses("reorder_to_stride", "reorder xs4", stride=3)
refuses("reorder_to_stride", "reorder xs4", stride=0)
refuses("reorder_to_stride", "xs4", "reorderStride 2 xs4", stride=2)

# (d) address spaces
fires("to_global", "mapLocal abs xs", "toGlobal (mapLocal abs xs)")
fires("to_global", "mapWorkgroup (mapLocal abs) xss", "mapWorkgroup (λxs. toGlobal (mapLocal abs xs)) xss", at_=(0, 0))
fires(
    "to_global", "concat(mapGlobal abs xs, mapGlobal abs ys)", "toGlobal (concat(mapGlobal abs xs, mapGlobal abs ys))"
)
refuses("to_global", "toGlobal (mapLocal abs xs)", "xs", "concat(xs, mapSeq abs ys)", "split 2 xs4")
fires(
    "to_global",
    "reduceSeq (+) 0 (asScalar (mapGlobal (vect 4 abs) (asVector 4 xs4)))",
    "reduceSeq (+) 0 (toGlobal (asScalar (mapGlobal (vect 4 abs) (asVector 4 xs4))))",
    at_=(2,),
)
refuses("to_global", "mapWorkgroup (λxs. mapLocal abs (mapLocal abs xs)) xss", at_=(0, 0, 1))
refuses("to_global", "map (λx. x) (toPrivate (mapSeq abs xs))", at_=(1, 0))
# inside a map whose result is read nothing stays in global memory, unless a toGlobal around it ends the kernel
refuses("to_global", "reduceSeq (+) 0 (join (mapWorkgroup (mapLocal abs) xss))", at_=(2, 0, 0, 0))
refuses("to_global", "gather (join (mapWorkgroup (mapLocal abs) xss)) is", at_=(0, 0, 0, 0))
fires(
    "to_global",
    "reduceSeq (+) 0 (toGlobal (join (mapWorkgroup (mapLocal abs) xss)))",
    "reduceSeq (+) 0 (toGlobal (join (mapWorkgroup (λxs. toGlobal (mapLocal abs xs)) xss)))",
    at_=(2, 0, 0, 0, 0),
)
fires(
    "memory_after_join",
    "mapWorkgroup (λxss. mapLocal abs (join (toLocal (mapLocal (map abs) xss)))) cube",
    "mapWorkgroup (λxss. mapLocal abs (toLocal (join (mapLocal (map abs) xss)))) cube",
    at_=(0, 0, 1),
)
fires("memory_after_join", "join (toPrivate (mapSeq (mapSeq abs) xss))", "toPrivate (join (mapSeq (mapSeq abs) xss))")
refuses("memory_after_join", "toGlobal (join (mapSeq (mapSeq abs) xss))", "join (map (map abs) xss)", "join xss")
refuses("to_global", "reduceSeq (λ(a, xs). a + element 0 (reduceSeq (+) 0 xs)) 0:float32 xss", at_=(0, 0, 1, 0))
refuses("to_global", "mapWorkgroup (λxs. mapLocal abs (toLocal (mapLocal abs xs))) xss", at_=(0, 0, 1, 0))
fires(
    "to_local",
    "mapWorkgroup (λxs. mapLocal abs (mapLocal abs xs)) xss",
    "mapWorkgroup (λxs. mapLocal abs (toLocal (mapLocal abs xs))) xss",
    at_=(0, 0, 1),
)
fires(
    "to_local",
    "mapWorkgroup (λxs. mapLocal abs (join (mapLocal (mapSeq abs) xs))) cube",
    "mapWorkgroup (λxs. mapLocal abs (toLocal (join (mapLocal (mapSeq abs) xs)))) cube",
    at_=(0, 0, 1),
)
refuses(
    "to_local",
    "mapWorkgroup (λxs. mapLocal abs (mapSeq abs xs)) xss",
    "mapWorkgroup (λxs. mapLocal abs xs) xss",
    at_=(0, 0, 1),
)
fires(
    "to_local",
    "mapWorkgroup (λxss. mapWarp (mapLane abs) (mapWarp (mapLane abs) xss)) cube",
    "mapWorkgroup (λxss. mapWarp (mapLane abs) (toLocal (mapWarp (mapLane abs) xss))) cube",
    at_=(0, 0, 1),
)
refuses("to_local", "mapWorkgroup (λxss. mapWarp (mapLane abs) (mapWarp (map abs) xss)) cube", at_=(0, 0, 1))
refuses("to_local", "mapWorkgroup (mapWarp (mapLane abs)) cube", at_=(0, 0, 0, 0))
refuses("to_local", "mapLocal abs xs", "map abs xs")
refuses("to_local", "mapWorkgroup (λxs. mapLocal abs (toLocal (mapLocal abs xs))) xss", at_=(0, 0, 1, 0))
refuses(
    "to_local", "mapWorkgroup (λxss. mapLocal abs (toLocal (join (mapLocal (map abs) xss)))) cube", at_=(0, 0, 1, 0, 0)
)
refuses("to_local", "mapWorkgroup1 (mapLocal1 (λxs. mapLocal abs (mapLocal abs xs))) cube", at_=(0, 0, 0, 0, 1))
fires("to_private", "reduceSeq (+) 0 xs", "toPrivate (reduceSeq (+) 0 xs)")
fires("to_private", "mapSeqUnroll abs v8", "toPrivate (mapSeqUnroll abs v8)")
refuses("to_private", "mapSeq abs (toPrivate (mapSeq abs xs))", at_=(1, 0))
refuses(
    "to_private",
    "reduce (+) 0 xs",
    "map abs xs",
    "mapLocal abs xs",
    "toPrivate (mapSeq abs xs)",
    "concat(mapSeq abs xs, ys)",
)
fires("memory_elimination", "toLocal (map abs xs)", "map abs xs")
fires("memory_elimination", "toPrivate (toGlobal xs)", "toGlobal xs")
refuses("memory_elimination", "map abs (toLocal xs)", "xs")

# (e) vectorisation
fires("vectorise_map", "map (λx. x * c) xs4", "asScalar (map (vect 4 (λx. x * c)) (asVector 4 xs4))", width=4)
fires("vectorise_map", "map (-) (zip(xs4, ys4))", "asScalar (map (vect 2 (-)) (asVector 2 (zip(xs4, ys4))))", width=2)
fires("vectorise_map", "map (λx. x < c) v8", "asScalar (map (vect 8 (λx. x < c)) (asVector 8 v8))", width=8)
refuses(
    "vectorise_map",
    "map abs xs",
    "mapSeq abs xs4",
    "map (vect 2 abs) (asVector 2 xs8)",
    "map (map abs) (split 4 xs4)",
    width=4,
)
refuses("vectorise_map", "map abs xs4", width=3)
refuses("vectorise_map", "map abs xs4", width=1)
refuses("vectorise_map", "map abs xs4", width=0)
fires("vector_after_map", "asVector 4 (map abs xs4)", "map (vect 4 abs) (asVector 4 xs4)")
fires("vector_after_map", "asVector 2 (map (-) (zip(xs4, ys4)))", "map (vect 2 (-)) (asVector 2 (zip(xs4, ys4)))")
refuses("vector_after_map", "asVector 4 (mapSeq abs xs4)", "asVector 4 xs4", "map abs xs4")
refuses("vector_after_map", "asVector 2 (map (λx. element 0 (reduce (+) 0 (repeat 3 x))) xs4)")
fires(
    "vect_propagation",
    "map (vect 4 (λx. x * c + 1)) (asVector 4 xs4)",
    "map (λx. x * splat 4 c + splat 4 1:float32) (asVector 4 xs4)",
    at_=(0,),
)
fires("vect_propagation", "map (vect 4 (λx. c)) (asVector 4 xs4)", "map (λx. splat 4 c) (asVector 4 xs4)", at_=(0,))
fires(
    "vect_propagation",
    "map (vect 2 (λ(x, k). (int32 x, float32 k))) (asVector 2 (zip(xs4, ints4)))",
    "map (λ(x, k). (int32 x, float32 k)) (asVector 2 (zip(xs4, ints4)))",
    at_=(0,),
)
fires(
    "vect_propagation",
    "map (vect 2 (λx. select (x < c) c x)) (asVector 2 xs4)",
    "map (λx. let t = splat 2 c in select (x < t) t x) (asVector 2 xs4)",
    at_=(0,),
)
refuses(
    "vect_propagation",
    "map (vect 2 (λx. element 0 (toPrivate (reduceSeq (+) 0 (repeat 3 x))))) (asVector 2 xs4)",
    "map abs xs4",
    at_=(0,),
)
fires(
    "vectorise_reduce",
    "reduce (+) 0 xs4",
    "reduce (+) 0 (asScalar (reduce (vect 4 (+)) (splat 4 0) (asVector 4 xs4)))",
    width=4,
)
fires(
    "vectorise_reduce",
    "reduce minimum 2147483647 ints4",
    "reduce minimum 2147483647 (asScalar (reduce (vect 2 minimum) (splat 2 2147483647) (asVector 2 ints4)))",
    width=2,
)
fires(
    "reduce_lanes_late",
    "reduce (+) 0 (asScalar (reduce (vect 4 (+)) (splat 4 0) (asVector 4 xs4)))",
    "reduce (+) 0 (asScalar (asVector 4 xs4))",
)
fires(
    "reduce_lanes_late",
    "reduce maximum (-inf) (asScalar (reduce (vect 2 maximum) (splat 2 (-inf)) (asVector 2 xs4)))",
    "reduce maximum (-inf) (asScalar (asVector 2 xs4))",
)
refuses(
    "reduce_lanes_late",
    "reduce (+) 0 (asScalar (reduce (vect 4 maximum) (splat 4 (-inf)) (asVector 4 xs4)))",
    "reduce (+) 0 (asScalar (reduce (vect 4 (+)) (splat 4 1) (asVector 4 xs4)))",
    "reduce (+) 0 (asScalar (reduceSeq (vect 4 (+)) (splat 4 0) (asVector 4 xs4)))",
    "reduceSeq (+) 0 (asScalar (reduce (vect 4 (+)) (splat 4 0) (asVector 4 xs4)))",
    "reduce (-) 0 (asScalar (reduce (vect 4 (-)) (splat 4 0) (asVector 4 xs4)))",
    "reduce (+) 0 (asScalar (asVector 4 xs4))",
)
refuses("vectorise_reduce", "reduce (+) 0 xs", "reduceSeq (+) 0 xs4", "reduce (-) 0 xs4", "reduce (+) 1 xs4", width=4)
refuses("vectorise_reduce", "reduce (+) 0 xs4", width=5)

# --- views and ragged lengths -----------------------------------------------------------------------------------------

fires("map_identity", "xs", "map (λx. x) xs")
fires("map_identity", "map (λxs. xs) xss", "map (λxs. map (λx. x) xs) xss", at_=(0, 0))
refuses("map_identity", "map abs xs", "c")
fires(
    "map_partition",
    "map abs xs",
    "concat(map abs (slice 0 1 (4*(n // 4)) xs), map abs (slice (4*(n // 4)) 1 (n % 4) xs))",
    at=N // 4 * 4,
)
fires("map_partition", "map abs xs", "concat(map abs (slice 0 1 n xs), map abs (slice n 1 0 xs))", at=N)
fires("map_partition", "map abs v8", "concat(map abs (slice 0 1 3 v8), map abs (slice 3 1 5 v8))", at=3)
refuses("map_partition", "map abs xs", "mapSeq abs v128", at=4)
refuses("map_partition", "map abs v8", at=9)
refuses("map_partition", "map abs v8", at=-1)
fires("split_after_vector", "split n (asVector 4 xs4)", "map (asVector 4) (split (4*n) xs4)")
fires("split_after_vector", "split 1 (asVector 2 xs4)", "map (asVector 2) (split 2 xs4)")
refuses("split_after_vector", "split 4 xs4", "asVector 4 xs4", "split n (map (λx. x) (asVector 4 xs4))")
fires("split_after_map", "split 4 (map abs xs4)", "map (map abs) (split 4 xs4)")
refuses("split_after_map", "split 4 (mapSeq abs xs4)", "map abs xs", "split 4 xs4")
fires("join_after_map", "join (map (map abs) xss)", "map abs (join xss)")
refuses(
    "join_after_map",
    "join (map (λxs. map (λx. x * element 0 xs) xs) xss)",
    "join (mapSeq (map abs) xss)",
    "join (map (mapSeq abs) xss)",
    "join (map (λr. map abs xs) xss)",
    "join xss",
)
fires("slice_after_map", "slice 1 2 3 (map abs v8)", "map abs (slice 1 2 3 v8)")
fires("slice_after_map", "slice (n - 1) (-1) n (map abs xs)", "map abs (slice (n - 1) (-1) n xs)")
refuses("slice_after_map", "slice 1 2 3 (mapSeq abs v8)", "slice 1 2 3 v8", "map abs (slice 1 2 3 v8)")
fires("element_after_map", "element 3 (map abs v8)", "abs (element 3 v8)")
refuses("element_after_map", "element 3 (mapSeq abs v8)", "element 3 v8")
fires("transpose_after_map", "transpose (map (map abs) xss)", "map (map abs) (transpose xss)")
refuses(
    "transpose_after_map",
    "transpose (map (λxs. map (λx. x * element 0 xs) xs) xss)",
    "transpose (mapSeq (map abs) xss)",
    "transpose (map (mapSeq abs) xss)",
    "transpose (map (λr. map abs xs) xss)",
    "transpose xss",
)
fires("interchange", "map (map abs) xss", "transpose (map (map abs) (transpose xss))")
refuses(
    "interchange",
    "map (λxs. map (λx. x * element 0 xs) xs) xss",
    "mapSeq (map abs) xss",
    "map (mapSeq abs) xss",
    "map (λr. map abs xs) xss",
    "map abs xs",
)
fires("stride_after_map", "reorderStride 4 (map abs xs4)", "map abs (reorderStride 4 xs4)")
refuses("stride_after_map", "reorderStride 4 (mapSeq abs xs4)", "reorder (map abs xs4)", "reorderStride 4 xs4")
fires("element_of_zip", "(element 3 (zip(v8, map abs v8))).1", "element 3 (map abs v8)")
fires("element_of_zip", "(element 3 (zip(v8, map abs v8))).0", "element 3 v8")
refuses("element_of_zip", "(element 0 pairs).1", "element 3 (zip(v8, v8))", "element 3 v8")
fires(
    "view_map_after_map",
    "map (slice 0 1 m) (map (map abs) (map (λx. x) xss))",
    "map (map abs) (map (slice 0 1 m) (map (λx. x) xss))",
)
fires(
    "view_map_after_map",
    "map (λr. join (split 1 r)) (map (map (λx. x + c)) xss)",
    "map (map (λx. x + c)) (map (λr. join (split 1 r)) xss)",
)
fires(
    "view_map_after_map", "map (λr. concat(r, r)) (map (map int32) xss)", "map (map int32) (map (λr. concat(r, r)) xss)"
)
refuses(
    "view_map_after_map",
    "map (map abs) (map (slice 0 1 m) xss)",
    "map (slice 0 1 m) (mapSeq (map abs) xss)",
    "map (slice 0 1 m) xss",
)
refuses(
    "view_map_after_map",
    "map (λr. repeat 3 (element 0 r * 2)) (map (map (λx. x + c)) xss)",
    "map (λr. concat(r, xs)) (map (map (λx. x + c)) xss)",
)
refuses(
    "view_map_after_map",
    "map (λr. concat(r, repeat 2 0:float32)) (map (map (λx. x + c)) xss)",
    "map (λr. xs) (map (map (λx. x + c)) xss)",
)
refuses(
    "view_map_after_map",
    "map (slice 0 1 m) (map (λr. map (λx. x + element 0 r) r) xss)",
    "map (λr. zip(r, r)) (map (map abs) xss)",
)

# --- prefetching ------------------------------------------------------------------------------------------------------

fires("prefetch_input", "mapSeq abs xs", "mapSeq abs (prefetch 16 xs)", distance=16)
fires(
    "prefetch_input",
    "mapSeq (mapSeq abs) (transpose xss)",
    "mapSeq (mapSeq abs) (prefetch 1 (transpose xss))",
    distance=1,
)
fires(
    "prefetch_input",
    "reduceSeq (+) 0 (slice 1 1 n xs4)",
    "reduceSeq (+) 0 (prefetch (n + 1) (slice 1 1 n xs4))",
    distance=N + 1,
)
fires(
    "prefetch_input",
    "reduceSeq (λ(a, p). a + p.0 * p.1) 0:float32 (zip(xs, ys))",
    "reduceSeq (λ(a, p). a + p.0 * p.1) 0:float32 (prefetch 8 (zip(xs, ys)))",
    distance=8,
)
refuses("prefetch_input", "map abs xs", "mapGlobal abs xs", "reduce (+) 0 xs", "mapSeqUnroll abs v8", "xs", distance=16)
refuses("prefetch_input", "mapSeq abs (toPrivate (mapSeq abs xs))", "mapSeq abs (prefetch 16 xs)", distance=16)
fires("prefetch_output", "mapSeq abs xs", "prefetch 16 (mapSeq abs xs)", distance=16)
refuses("prefetch_input", "mapSeq abs xs", "reduceSeq (+) 0 xs", distance=0)
refuses("prefetch_output", "mapSeq abs xs", distance=-3)
refuses("prefetch_output", "mapGlobal abs xs", "map abs xs", "reduceSeq (+) 0 xs", "prefetch 16 xs", distance=16)

# --- gather -----------------------------------------------------------------------------------------------------------

fires("gather_after_map", "gather (map abs v8) is", "map abs (gather v8 is)")
fires(
    "gather_after_map",
    "map (λr. gather (map (λx. x * c) v8) r) iss",
    "map (λr. map (λx. x * c) (gather v8 r)) iss",
    at_=(0, 0),
)
refuses(
    "gather_after_map", "gather (mapSeq abs v8) is", "gather v8 (map abs is)", "gather v8 is", "map abs (gather v8 is)"
)
fires("map_after_gather", "map abs (gather v8 is)", "gather (map abs v8) is")
refuses("map_after_gather", "mapSeq abs (gather v8 is)", "gather (map abs v8) is", "map abs xs")
fires(
    "gather_of_zip",
    "gather (zip(v8, map abs v8, v8)) is",
    "zip(gather v8 is, gather (map abs v8) is, gather v8 is)",
)
refuses("gather_of_zip", "gather pairs (repeat n 0:int64)", "zip(gather v8 is, gather v8 is)")
fires("zip_of_gathers", "zip(gather v8 is, gather (map abs v8) is)", "gather (zip(v8, map abs v8)) is")
refuses(
    "zip_of_gathers",
    "zip(gather v8 is, is)",
    "zip(gather v8 ints, gather v8 (map abs ints))",
    "zip(gather v8 is, gather v128 is)",
    "gather (zip(v8, v8)) is",
    "zip(is, is)",
)
fires("gather_computed", "gather v8 (map (λi. i // 2) is)", "join (map (λi. gather v8 (repeat 1 (i // 2))) is)")
refuses("gather_computed", "gather v8 (mapSeq abs is)", "gather (map abs v8) is", "map abs xs")
fires(
    "view_map_after_map",
    "map (λr. gather r ints4) (map (map (λx. x + c)) (split 8 (concat(v8, v8))))",
    "map (map (λx. x + c)) (map (λr. gather r ints4) (split 8 (concat(v8, v8))))",
)
refuses("view_map_after_map", "map (λr. gather r r) (map (map abs) (split 4 ints4))")

fires("reorder_vectors", "reorder xs4", "asScalar (reorder (asVector 4 xs4))", width=4)
refuses("reorder_vectors", "reorder xs", "reorderStride 4 xs4", "xs4", width=4)
refuses("reorder_vectors", "reorder xs4", width=3)

# --- flattening and horizontal fusion ---------------------------------------------------------------------------------

fires("id_introduction", "xs", "id xs")
refuses("id_introduction", "id xs", "c")
fires("map_identity_elimination", "map (λx. x) xs", "xs")
fires("map_identity_elimination", "map (λr. map (λx. x) r) xss", "map (λr. r) xss", at_=(0, 0))
refuses("map_identity_elimination", "mapSeq (λx. x) xs", "map abs xs", "map (λr. xs) xss", "xs")
fires("map_after_join", "map abs (join xss)", "join (map (map abs) xss)")
refuses("map_after_join", "mapSeq abs (join xss)", "join (map (map abs) xss)", "map abs xs")
fires("map_after_split", "map (map abs) (split 4 xs4)", "split 4 (map abs xs4)")
refuses(
    "map_after_split",
    "map (λr. map (λx. x * element 0 r) r) (split 4 xs4)",
    "mapSeq (map abs) (split 4 xs4)",
    "map (mapSeq abs) (split 4 xs4)",
    "map (map abs) xss",
    "split 4 (map abs xs4)",
)
fires("flatten_maps", "map (map abs) xss", "split m (map abs (join xss))")
fires("flatten_maps", "map (map (map (λx. x + c))) cube", "split m (map (map (λx. x + c)) (join cube))")
refuses(
    "flatten_maps",
    "map (λr. map (λx. x * element 0 r) r) xss",
    "mapSeq (map abs) xss",
    "map (mapSeq abs) xss",
    "map (λr. map abs (slice 0 1 0 r)) xss",
    "map (map abs) (repeat 3 (slice 0 1 0 xs))",
    "map abs xs",
)
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
fires("split_map_of_tuples", "map (λx. (abs(x), x * c)) xs", "zip(map abs xs, map (λx. x * c) xs)")
fires(
    "split_map_of_tuples",
    "mapGlobal (λ(x, y). (x - y, y, x)) (zip(xs, ys))",
    "let t = zip(xs, ys) in zip(mapGlobal (-) t, mapGlobal (λp. p.1) t, mapGlobal (λp. p.0) t)",
)
refuses("split_map_of_tuples", "map abs xs", "map (λp. p) (zip(xs, ys))", "zip(map abs xs, map abs xs)")
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
    "split_reduction_of_tuples",
    "reduce (λ(a, b). (a.0 + b.0, maximum(a.1, b.1))) (0:float32, -inf:float32) (zip(xs, ys))",
    "zip(reduce (+) 0 xs, reduce maximum (-inf) ys)",
)
fires(
    "split_reduction_of_tuples",
    "reduceSeq (λ(a, b). (a.0 - b.0, 2 - a.1)) (0:float32, 1:float32) (zip(xs, map abs xs))",
    "zip(reduceSeq (-) 0 xs, reduceSeq (λ(a, b). 2 - a) 1:float32 (map abs xs))",
)
refuses(
    "split_reduction_of_tuples",
    "reduceSeq (λ(a, b). (a.0 - b.1, a.1 + b.1)) (0:float32, 1:float32) (zip(xs, ys))",
    "reduceSeq (λ(a, b). (a.0 + a.1, b.1)) (0:float32, 1:float32) (zip(xs, ys))",
    "reduceSeq (λ(a, b). b) (0:float32, 1:float32) (zip(xs, ys))",
    "reduceSeq (λ(a, x). (a.0 + x, a.1 * x)) (0:float32, 1:float32) xs",
    "reduce (+) 0 xs",
)
fires(
    "map_of_reduce",
    "map (reduce (+) 0) xss",
    "transpose (reduce (λ(a, r). map (+) (zip(a, r))) (repeat n 0:float32) (transpose xss))",
)
fires(
    "map_of_reduce",
    "map (reduce maximum (-inf)) (transpose xss)",
    "transpose (reduce (λ(a, r). map maximum (zip(a, r))) (repeat m (-inf:float32)) (transpose (transpose xss)))",
)
refuses(
    "map_of_reduce",
    "map (reduceSeq (+) 0) xss",
    "mapSeq (reduce (+) 0) xss",
    "map (λr. reduce (+) 0 (map abs r)) xss",
    "map (λr. reduce (λ(a, b). a + b * element 0 r) 0 r) xss",
    "map (λr. reduce (+) (element 0 r) r) xss",
    "map abs xs",
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

# --- generate ---------------------------------------------------------------------------------------------------------

fires("generate_to_map", "generate int64 n (λi. i * 3)", "map (λi. i * 3) (generate int64 n (λi. i))")
fires("generate_to_map", "generate int32 m (λi. 1)", "map (λi. 1) (generate int32 m (λi. i))")
refuses("generate_to_map", "generate int64 n (λi. i)", "map abs xs")
fires("map_of_generate", "map abs (generate int32 n (λi. i - 3))", "generate int32 n (λi. abs (i - 3))")
fires("map_of_generate", "map (λr. map abs r) (generate int64 n (λi. xs))", "generate int64 n (λi. map abs xs)")
refuses("map_of_generate", "mapSeq abs (generate int32 n (λi. i))", "map abs xs", "generate int32 n abs")
fires(
    "zip_of_generates",
    "zip(generate int32 n (λi. i + 1), generate int32 n float32)",
    "generate int32 n (λi. (i + 1, float32 i))",
)
refuses("zip_of_generates", "zip(generate int32 n (λi. i), generate int64 n (λi. i))", "zip(xs, ys)")
refuses("zip_of_generates", "zip(generate int32 n (λi. i), ints)", "zip(ints, generate int32 n (λi. i))")
fires(
    "slice_of_generate",
    "slice (n - 1) (-1) n (generate int64 n (λi. i * i))",
    "generate int64 n (λi. let k = fromSize int64 (n - 1) + fromSize int64 (-1) * i in k * k)",
)
fires(
    "slice_of_generate",
    "slice 1 3 m (generate int32 (3*m) float32)",
    "generate int32 m (λi. float32 (fromSize int32 1 + fromSize int32 3 * i))",
)
refuses("slice_of_generate", "slice 0 1 n xs", "generate int64 n (λi. i)")
fires(
    "split_of_generate",
    "split m (generate int32 (n*m) (λk. k * 2))",
    "generate int32 n (λi. let s = i * fromSize int32 m in generate int32 m (λj. (s + j) * 2))",
)
refuses("split_of_generate", "split 4 xs4", "generate int64 n (λi. i)")
fires(
    "join_of_generate",
    "join (generate int64 n (λi. generate int32 m (λj. i - int64 j)))",
    "generate int64 (m*n) (λk. k // fromSize int64 m - int64 (int32 (k % fromSize int64 m)))",
)
fires(
    "join_of_generate",
    "join (generate int32 5 (λi. generate int32 7 (λj. i - j)))",
    "generate int32 35 (λk. k // fromSize int32 7 - k % fromSize int32 7)",
)
refuses("join_of_generate", "join (generate int32 n (λi. generate int32 m (λj. i - j)))")  # n * m may be 2**40
refuses("join_of_generate", "join (generate int64 n (λi. generate int64 0 (λj. i - j)))")  # nothing divides by zero
refuses("join_of_generate", "join xss", "join (generate int64 n (λi. xs))")
fires(
    "transpose_of_generate",
    "transpose (generate int64 n (λi. generate int32 m (λj. i - int64 j)))",
    "generate int32 m (λj. generate int64 n (λi. i - int64 j))",
)
refuses("transpose_of_generate", "transpose xss", "transpose (generate int64 n (λi. xs))")
fires("element_of_generate", "element 3 (generate int64 8 (λi. i * i))", "fromSize int64 3 * fromSize int64 3")
refuses("element_of_generate", "element 3 v8", "generate int64 n (λi. i)")
fires(
    "gather_of_generate",
    "gather (generate int32 8 (λi. i * 5)) is",
    "map (λi. int32 (minimum (maximum (int64 i) 0) (fromSize int64 7)) * 5) is",
)
refuses("gather_of_generate", "gather v8 is", "generate int64 n (λi. i)")
fires("repeat_to_generate", "repeat n c", "generate int64 n (λi. c)")
refuses("repeat_to_generate", "xs", "generate int64 n (λi. c)")
refuses("view_map_after_map", "map (λr. generate int32 4 (λi. i)) (map (map abs) (split 4 ints4))")
fires(
    "prefetch_input",
    "mapSeq abs (generate int32 n (λi. i))",
    "mapSeq abs (prefetch 4 (generate int32 n (λi. i)))",
    distance=4,
)

# --- rows, one after the other ----------------------------------------------------------------------------------------

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

# --- scans ------------------------------------------------------------------------------------------------------------

fires("scan_to_seq", "scan (+) 3 xs", "scanSeq (+) 3 xs")
refuses("scan_to_seq", "scanSeq (+) 0 xs", "reduce (+) 0 xs")
fires("scan_seq_fusion", "scanSeq (+) c (mapSeq abs xs)", "scanSeq (λ(acc, x). acc + abs(x)) c xs")
fires("scan_seq_fusion", "scanSeqUnroll (-) 0 (mapSeq abs v8)", "scanSeqUnroll (λ(acc, x). acc - abs(x)) 0 v8")
refuses("scan_seq_fusion", "scan (+) 0 (mapSeq abs xs)", "scanSeq (+) 0 (map abs xs)", "scanSeq (+) 0 xs")
fires("unroll", "scanSeq (+) 0 v8", "scanSeqUnroll (+) 0 v8")
refuses("unroll", "scan (+) 0 v8", "scanSeq (+) 0 xs", "scanSeq (+) 0 v128", "scanSeqUnroll (+) 0 v8")
fires("to_private", "scanSeq (+) 0 v8", "toPrivate (scanSeq (+) 0 v8)")
refuses("to_private", "scan (+) 0 v8")
fires("prefetch_input", "scanSeq (+) 0 xs", "scanSeq (+) 0 (prefetch 16 xs)", distance=16)
refuses("prefetch_input", "scan (+) 0 xs", "scanSeq (+) 0 (map abs xs)", "scanSeqUnroll (+) 0 v8", distance=16)
fires("prefetch_output", "scanSeq (+) 0 xs", "prefetch 16 (scanSeq (+) 0 xs)", distance=16)
refuses("prefetch_output", "scan (+) 0 xs", "scanSeqUnroll (+) 0 v8", distance=16)

MAX_PARTS = "map (λ(a, ys). (map (λy. maximum(a, y)) ∘ scan maximum (-inf)) ys)"
fires(
    "scan_split",
    "scan maximum (-inf) v8",
    f"(join ∘ {MAX_PARTS}) (zip(scan maximum (-inf) (concat(repeat 1 (-inf:float32), (join ∘ map (reduce maximum (-inf)) ∘ split 2 ∘ slice 0 1 6) v8)), split 2 v8))",
    n=2,
)
fires(
    "scan_split",
    "scan maximum c v8",
    f"(join ∘ {MAX_PARTS}) (zip(scan maximum c (concat(repeat 1 (-inf:float32), (join ∘ map (reduce maximum (-inf)) ∘ split 8 ∘ slice 0 1 0) v8)), split 8 v8))",
    n=8,
)
refuses("scan_split", "scan (+) 0 xs4", n=4)  # there may be no part
refuses("scan_split", "scan (+) 0 v8", n=3)
refuses("scan_split", "scan (+) 0 v8", n=0)
refuses("scan_split", "scan (-) 0 v8", "scanSeq (+) 0 v8", "reduce (+) 0 v8", "scan (λ(a, b). a + b * 1) 0 v8", n=2)
ADD_PARTS = "map (λ(a, ys). (map (λy. a + y) ∘ scan (+) 0) ys)"
fires(
    "scan_partition",
    "scan (+) 3 ints",
    "let ys = (split 4 ∘ slice 0 1 (4*(n // 4))) ints in let cs = scan (+) 3 (concat(repeat 1 0:int32, (join ∘ map (reduce (+) 0)) ys)) in "
    f"concat((join ∘ {ADD_PARTS}) (zip(slice 0 1 (n // 4) cs, ys)), (join ∘ {ADD_PARTS}) (zip(slice (n // 4) 1 1 cs, (split (n % 4) ∘ slice (4*(n // 4)) 1 (n % 4)) ints)))",
    at=N // 4 * 4,
    n=4,
)
fires(
    "scan_partition",
    "scan (+) 0 ints",
    "let ys = (split (n // 4) ∘ slice 0 1 (4*(n // 4))) ints in let cs = scan (+) 0 (concat(repeat 1 0:int32, (join ∘ map (reduce (+) 0)) ys)) in "
    f"concat((join ∘ {ADD_PARTS}) (zip(slice 0 1 4 cs, ys)), (join ∘ {ADD_PARTS}) (zip(slice 4 1 1 cs, (split (n % 4) ∘ slice (4*(n // 4)) 1 (n % 4)) ints)))",
    at=N // 4 * 4,
    n=N // 4,
)
refuses("scan_partition", "scan (-) 0 ints", "scanSeq (+) 0 ints", "map abs ints", at=N // 4 * 4, n=4)
refuses("scan_partition", "scan (+) 0 ints", at=N // 4 * 4, n=3)
refuses("scan_partition", "scan (+) 0 ints", at=N, n=N)  # nothing is left
refuses("scan_partition", "scan (+) 0 ints", at=N + 1, n=1)
fires("scan_from_carry", "map (λx. c + x) (scan (+) 0 xs)", "scan (+) c xs")
fires(
    "scan_from_carry",
    "map (λ(r, s). map (λx. maximum r x) (scan maximum (-inf) s)) (zip(xs, xss))",
    "map (λ(r, s). scan maximum r s) (zip(xs, xss))",
    at_=(0, 0),
)
fires(
    "scan_from_carry",
    "map (λ(a, s). map (λp. (a.0 + p.0, maximum a.1 p.1)) (scan (λ(p, q). (p.0 + q.0, maximum p.1 q.1)) (0:float32, -2147483648:int32) s)) (zip(pairs, split 1 pairs))",
    "map (λ(a, s). scan (λ(p, q). (p.0 + q.0, maximum p.1 q.1)) a s) (zip(pairs, split 1 pairs))",
    at_=(0, 0),
)
refuses(
    "scan_from_carry",
    "map (λx. x + c) (scan (+) 0 xs)",  # the other way round
    "map (λx. c * x) (scan (+) 0 xs)",
    "map (λx. x + x) (scan (+) 0 xs)",
    "map (λx. c + x) (scan (+) 1 xs)",
    "map (λx. c - x) (scan (-) 0 xs)",
    "map (λx. c + x) (scanSeq (+) 0 xs)",
    "mapSeq (λx. c + x) (scan (+) 0 xs)",
    "map (λx. c + x) xs",
)
fires(
    "scan_by_steps",
    "scan (+) 0 (slice 0 1 3 v8)",
    "let xs = slice 0 1 3 v8 in let ys = map (+) (zip(concat(repeat 1 (-0.0:float32), slice 0 1 2 xs), xs)) in map (+) (zip(concat(repeat 2 (-0.0:float32), slice 0 1 1 ys), ys))",
)
fires(
    "scan_by_steps",
    "scan (+) 2 (slice 0 1 2 v8)",
    "let xs = slice 0 1 2 v8 in map (λx. 2 + x) (map (+) (zip(concat(repeat 1 (-0.0:float32), slice 0 1 1 xs), xs)))",
)
refuses("scan_by_steps", "scan (+) 0 xs", "scan (-) 0 v8", "scanSeq (+) 0 v8", "scan (+) 0 (slice 0 1 1 v8)")
refuses("scan_by_steps", "scan (+) 0 (slice 0 1 0 v8)", "scan (+) 0 (join (repeat 1000 v8))")
fires(
    "vectorise_scan",
    "scan (+) 5 ints4",
    "asScalar (scanSeq (λ(acc, v). splat 2 (element 1 (asScalar (repeat 1 acc))) + (element 0 (asVector 2 (concat(repeat 1 0:int32, slice 0 1 1 (asScalar (repeat 1 v))))) + v)) (splat 2 5:int32) (asVector 2 ints4))",
    width=2,
)
fires(
    "vectorise_scan",
    "scan maximum c xs4",
    "asScalar (scanSeq (λ(acc, v). let w = maximum (element 0 (asVector 4 (concat(repeat 1 (-inf:float32), slice 0 1 3 (asScalar (repeat 1 v)))))) v in maximum (splat 4 (element 3 (asScalar (repeat 1 acc)))) (maximum (element 0 (asVector 4 (concat(repeat 2 (-inf:float32), slice 0 1 2 (asScalar (repeat 1 w)))))) w)) (splat 4 c) (asVector 4 xs4))",
    width=4,
)
refuses("vectorise_scan", "scan (+) 0 xs", "scan (-) 0 xs4", "scanSeq (+) 0 xs4", "reduce (+) 0 xs4", width=4)
refuses("vectorise_scan", "scan (+) 0 xs4", width=3)
refuses(
    "vectorise_scan",
    "scan (λ(p, q). (p.0 + q.0, maximum p.1 q.1)) (0:float32, -inf:float32) (zip(xs4, ys4))",
    width=4,
)
fires(
    "scan_of_maps",
    "scan (λ(as, bs). map (+) (zip(as, bs))) (repeat m 0:float32) xss",
    "(transpose ∘ map (λ(z, r). scan (+) z r)) (zip(repeat m 0:float32, transpose xss))",
)
fires(
    "scan_of_maps",
    "scan (λ(as, bs). map (λ(b, a). b) (zip(bs, as))) (repeat m 0:float32) xss",
    "(transpose ∘ map (λ(z, r). scan (λ(a, b). b) z r)) (zip(repeat m 0:float32, transpose xss))",
)
refuses(
    "scan_of_maps",
    "scan (+) 0 xs",
    "scan (λ(as, bs). map abs as) (repeat m 0:float32) xss",
    "scan (λ(as, bs). map (+) (zip(bs, bs))) (repeat m 0:float32) xss",
    "scanSeq (λ(as, bs). map (+) (zip(as, bs))) (repeat m 0:float32) xss",
)
fires(
    "vectorise_scans",
    "map (scan (λ(a, b). maximum b a) 0) (split n xs4)",
    "(transpose ∘ map asScalar ∘ transpose ∘ map (scan (λ(a, b). maximum b a) (splat 4 0)) ∘ transpose ∘ map (asVector 4) ∘ transpose ∘ split n) xs4",
    width=4,
)
fires(
    "vectorise_scans",
    "map (scan (+) 3 ∘ map abs) (split n xs4)",
    "(transpose ∘ map asScalar ∘ transpose ∘ map (scan (+) (splat 2 3) ∘ map (vect 2 abs)) ∘ transpose ∘ map (asVector 2) ∘ transpose ∘ split n) xs4",
    width=2,
)
refuses(
    "vectorise_scans",
    "map (scan (+) 0) xss",  # no multiple of the width
    "map (scanSeq (+) 0) (split n xs4)",
    "mapSeq (scan (+) 0) (split n xs4)",
    "map (reduce (+) 0) (split n xs4)",
    "map (λr. scan (+) 0 (slice 0 1 1 r)) (split n xs4)",
    "map abs xs4",
    width=4,
)
refuses(
    "vectorise_scans",
    "map (λr. map (λs. scan (+) (element 0 r) s) (split n xs4)) (split 4 xs4)",
    at_=(0, 0),
    width=4,
)
refuses("vectorise_scans", "map (scan (+) 0) (split n xs4)", width=3)
fires("unroll", "scanMapSeq (λ(acc, x). (acc + x, acc)) 0 v8", "scanMapSeqUnroll (λ(acc, x). (acc + x, acc)) 0 v8")
fires(
    "scan_seq_fusion",
    "scanMapSeq (λ(acc, x). (acc + x, acc * x)) 0 (mapSeq abs xs)",
    "scanMapSeq (λ(acc, x). let y = abs(x) in (acc + y, acc * y)) 0 xs",
)
fires(
    "prefetch_input",
    "scanMapSeq (λ(acc, x). (acc + x, acc)) 0 xs",
    "scanMapSeq (λ(acc, x). (acc + x, acc)) 0 (prefetch 16 xs)",
    distance=16,
)
fires(
    "prefetch_output",
    "scanMapSeq (λ(acc, x). (acc + x, acc)) 0 xs",
    "prefetch 16 (scanMapSeq (λ(acc, x). (acc + x, acc)) 0 xs)",
    distance=16,
)
fires(
    "scan_map_fusion",
    "mapSeq (λx. x * c) (scanSeq (+) 0 xs)",
    "scanMapSeq (λ(acc, x). let y = acc + x in (y, y * c)) 0 xs",
)
fires(
    "scan_map_fusion",
    "mapSeq int32 (scanMapSeq (λ(acc, x). (acc + x, acc * x)) 0 xs)",
    "scanMapSeq (λ(acc, x). (acc + x, int32(acc * x))) 0 xs",
)
refuses(
    "scan_map_fusion",
    "map abs (scanSeq (+) 0 xs)",
    "mapSeq abs (scan (+) 0 xs)",
    "mapSeq abs (scanSeqUnroll (+) 0 v8)",
    "mapSeq abs xs",
)
fires(
    "scan_out_of_map",
    "map (λr. map abs (scan (+) 0 r)) xss",
    "map (λ(r, s). map abs s) (zip(xss, map (scan (+) 0) xss))",
)
fires(
    "scan_out_of_map",
    "map (λr. scan (+) 0 (scan maximum c r)) xss",
    "map (λ(r, s). scan (+) 0 s) (zip(xss, map (scan maximum c) xss))",
)
fires(
    "scan_out_of_map",
    "map (λ(x, r). map (λ(y, z). x + y * z) (zip(r, scan (+) x r))) (zip(xs, xss))",
    "map (λ(x, r, s). map (λ(y, z). x + y * z) (zip(r, s))) (zip(xs, xss, map (λ(x, r). scan (+) x r) (zip(xs, xss))))",
)
fires(
    "scan_out_of_map",
    "map (λm. map (slice 0 1 1) (map (scan (+) 0) m)) cube",
    "map (λ(m, s). map (slice 0 1 1) s) (zip(cube, map (map (scan (+) 0)) cube))",
)
refuses(
    "scan_out_of_map",
    "map (scan (+) 0) xss",
    "map (λm. transpose (map (scan (+) 0) (transpose m))) cube",
    "map (λr. map (λx. x + element 0 (scan (+) 0 v8)) r) xss",  # the same for all rows
    "map (λr. map abs (scanSeq (+) 0 r)) xss",
    "mapSeq (λr. map abs (scan (+) 0 r)) xss",
    "map (λr. map abs (reduce (+) 0 r)) xss",
)
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

# --- generate ---------------------------------------------------------------------------------------------------------

fires("generate_to_map", "generate int64 n (λi. i * 3)", "map (λi. i * 3) (generate int64 n (λi. i))")
fires("generate_to_map", "generate int32 m (λi. 1)", "map (λi. 1) (generate int32 m (λi. i))")
refuses("generate_to_map", "generate int64 n (λi. i)", "map abs xs")
fires("map_of_generate", "map abs (generate int32 n (λi. i - 3))", "generate int32 n (λi. abs (i - 3))")
fires("map_of_generate", "map (λr. map abs r) (generate int64 n (λi. xs))", "generate int64 n (λi. map abs xs)")
refuses("map_of_generate", "mapSeq abs (generate int32 n (λi. i))", "map abs xs", "generate int32 n abs")
fires(
    "zip_of_generates",
    "zip(generate int32 n (λi. i + 1), generate int32 n float32)",
    "generate int32 n (λi. (i + 1, float32 i))",
)
refuses("zip_of_generates", "zip(generate int32 n (λi. i), generate int64 n (λi. i))", "zip(xs, ys)")
refuses("zip_of_generates", "zip(generate int32 n (λi. i), ints)", "zip(ints, generate int32 n (λi. i))")
fires(
    "slice_of_generate",
    "slice (n - 1) (-1) n (generate int64 n (λi. i * i))",
    "generate int64 n (λi. let k = fromSize int64 (n - 1) + fromSize int64 (-1) * i in k * k)",
)
fires(
    "slice_of_generate",
    "slice 1 3 m (generate int32 (3*m) float32)",
    "generate int32 m (λi. float32 (fromSize int32 1 + fromSize int32 3 * i))",
)
refuses("slice_of_generate", "slice 0 1 n xs", "generate int64 n (λi. i)")
fires(
    "split_of_generate",
    "split m (generate int32 (n*m) (λk. k * 2))",
    "generate int32 n (λi. let s = i * fromSize int32 m in generate int32 m (λj. (s + j) * 2))",
)
refuses("split_of_generate", "split 4 xs4", "generate int64 n (λi. i)")
fires(
    "join_of_generate",
    "join (generate int64 n (λi. generate int32 m (λj. i - int64 j)))",
    "generate int64 (m*n) (λk. k // fromSize int64 m - int64 (int32 (k % fromSize int64 m)))",
)
fires(
    "join_of_generate",
    "join (generate int32 5 (λi. generate int32 7 (λj. i - j)))",
    "generate int32 35 (λk. k // fromSize int32 7 - k % fromSize int32 7)",
)
refuses("join_of_generate", "join (generate int32 n (λi. generate int32 m (λj. i - j)))")  # n * m may be 2**40
refuses("join_of_generate", "join (generate int64 n (λi. generate int64 0 (λj. i - j)))")  # nothing divides by zero
refuses("join_of_generate", "join xss", "join (generate int64 n (λi. xs))")
fires(
    "transpose_of_generate",
    "transpose (generate int64 n (λi. generate int32 m (λj. i - int64 j)))",
    "generate int32 m (λj. generate int64 n (λi. i - int64 j))",
)
refuses("transpose_of_generate", "transpose xss", "transpose (generate int64 n (λi. xs))")
fires("element_of_generate", "element 3 (generate int64 8 (λi. i * i))", "fromSize int64 3 * fromSize int64 3")
refuses("element_of_generate", "element 3 v8", "generate int64 n (λi. i)")
fires(
    "gather_of_generate",
    "gather (generate int32 8 (λi. i * 5)) is",
    "map (λi. int32 (minimum (maximum (int64 i) 0) (fromSize int64 7)) * 5) is",
)
refuses("gather_of_generate", "gather v8 is", "generate int64 n (λi. i)")
fires("repeat_to_generate", "repeat n c", "generate int64 n (λi. c)")
refuses("repeat_to_generate", "xs", "generate int64 n (λi. c)")
refuses("view_map_after_map", "map (λr. generate int32 4 (λi. i)) (map (map abs) (split 4 ints4))")
fires(
    "prefetch_input",
    "mapSeq abs (generate int32 n (λi. i))",
    "mapSeq abs (prefetch 4 (generate int32 n (λi. i)))",
    distance=4,
)

# --- rows, one after the other ----------------------------------------------------------------------------------------

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

# --- reductions that choose one of two pairs --------------------------------------------------------------------------

CHOICE = "λ(a, b). let c = (b.0 > a.0) | (a.0 == b.0) & (b.1 < a.1) in (select(c, b.0, a.0), select(c, b.1, a.1))"
AT = "zip(ints4, generate int32 (4*n) (λi. i))"
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
    f"reduce ({CHOICE.replace('>', '>=')}) (-2147483648, 2147483647) ({AT})",
    f"reduce ({CHOICE.replace('b.1 < a.1', 'b.1 <= a.1')}) (-2147483648, 2147483647) ({AT})",
    f"reduce ({CHOICE.replace('select(c, b.1, a.1)', 'a.1')}) (-2147483648, 2147483647) ({AT})",
    parts=4,
)
fires("slice_of_zip", "slice 1 2 3 (zip(v8, v8, v8))", "zip(slice 1 2 3 v8, slice 1 2 3 v8, slice 1 2 3 v8)")
refuses("slice_of_zip", "slice 1 2 3 v8", "zip(slice 1 2 3 v8, slice 0 1 3 v8)", "slice 0 1 n pairs")
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
refuses("zip_into_map", "zip(map abs xs, ys)", "zip(ys, mapSeq abs xs)", "xs", operand=0)
refuses("zip_into_map", "zip(ys, mapSeq abs xs)", operand=2)
refuses("zip_into_map", "zip(ys, mapSeq abs xs)", operand=-1)
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
    "zip(join xss, join yss)",
    "zip(gather xs is, gather ys (map abs is))",
    "zip(map abs xs, map abs ys)",
    "zip(xss, yss)",
    "zip(xs, ys)",
)
fires("view_of_zip", "split 4 (zip(xs4, ys4))", "map (λ(a, b). zip(a, b)) (zip(split 4 xs4, split 4 ys4))")
fires(
    "view_of_zip",
    "transpose (split 4 (zip(xs4, map abs xs4, ints4)))",
    "map (λ(a, b, c). zip(a, b, c)) "
    "(zip(transpose (split 4 xs4), transpose (split 4 (map abs xs4)), transpose (split 4 ints4)))",
)
refuses("view_of_zip", "zip(xs, ys)", "slice 0 2 n (zip(xs4, ys4))", "split 4 xs4", "xss")
fires("transpose_of_repeat", "transpose (repeat 3 xs)", "map (λx. repeat 3 x) xs")
refuses("transpose_of_repeat", "transpose xss", "repeat 3 xs", "transpose (map (λx. repeat 3 x) xs)")
fires("transpose_of_repeats", "transpose (map (λx. repeat 3 x) xs)", "repeat 3 xs")
fires("transpose_of_repeats", "transpose (map (λr. repeat 3 r) xss)", "repeat 3 xss")
refuses(
    "transpose_of_repeats",
    "transpose (map (λx. repeat 3 (abs x)) xs)",
    "transpose (map (λx. repeat 3 c) xs)",
    "transpose (mapSeq (λx. repeat 3 x) xs)",
    "transpose (repeat 3 xs)",
)
fires("transpose_of_transpose", "transpose (transpose xss)", "xss")
refuses("transpose_of_transpose", "transpose xss", "transpose (map (λr. r) (transpose xss))")
fires("split_of_repeat", "split 4 (repeat (4 * n) c)", "repeat n (repeat 4 c)")
fires("split_of_repeat", "split m (repeat (n * m) xs)", "repeat n (repeat m xs)")
refuses("split_of_repeat", "split 4 xs4", "repeat 4 c")
fires("split_after_gather", "split 4 (gather xs ints4)", "map (λi. gather xs i) (split 4 ints4)")
refuses("split_after_gather", "split 4 xs4", "gather xs ints4")
fires("transpose_after_gather", "transpose (map (λi. gather xs i) iss)", "map (λi. gather xs i) (transpose iss)")
refuses(
    "transpose_after_gather",
    "transpose (map (λi. gather i i) iss)",
    "transpose iss",
    "transpose (mapSeq (λi. gather xs i) iss)",
    "map (λi. gather xs i) iss",
)
fires("scan_in_one_part", "scan (+) c xs", "join (map (scan (+) c) (split n xs))")
refuses("scan_in_one_part", "scanSeq (+) c xs", "scan (+) 0 (slice 0 1 0 xs)", "reduce (+) 0 xs")

# --- arrays one after the other ---------------------------------------------------------------------------------------

fires("map_after_concat", "map abs (concat(xs, v8))", "concat(map abs xs, map abs v8)")
fires(
    "map_after_concat",
    "map (λr. map (λx. x - c) r) (concat(xss, yss, xss))",
    "concat(map (λr. map (λx. x - c) r) xss, map (λr. map (λx. x - c) r) yss, map (λr. map (λx. x - c) r) xss)",
)
refuses("map_after_concat", "mapSeq abs (concat(xs, v8))", "map abs xs", "concat(map abs xs, map abs v8)")
fires("concat_of_maps", "concat(map abs xs, map abs v8)", "map abs (concat(xs, v8))")
fires("concat_of_maps", "concat(map int32 xs, map int32 v8, map int32 ys)", "map int32 (concat(xs, v8, ys))")
refuses(
    "concat_of_maps",
    "concat(map abs xs, map (λx. x - c) v8)",
    "concat(map abs xs, v8)",
    "concat(v8, map abs xs)",
    "concat(mapSeq abs xs, mapSeq abs v8)",
    "concat(map abs xs, mapSeq abs v8)",
    "map abs (concat(xs, v8))",
)
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
    "slice (n - 1) (-1) n (concat(xs, ys))",
    "slice 2 1 3 v8",
)
fires("slice_after_slice", "slice 1 2 3 (slice 1 1 7 v8)", "slice 2 2 3 v8")
fires("slice_after_slice", "slice 2 (-1) 3 (slice 3 1 4 v8)", "slice 5 (-1) 3 v8")
fires("slice_after_slice", "slice n 1 n (slice n 1 (3*n) xs4)", "slice (2*n) 1 n xs4")
refuses("slice_after_slice", "slice 0 1 2 (slice 0 2 4 v8)", "slice 0 1 2 (slice 7 (-1) 8 v8)", "slice 0 1 2 v8")
fires("element_after_concat", "element (n + 2) (concat(xs, v8))", "element 2 v8")
fires("element_after_concat", "element 7 (concat(v8, xs))", "element 7 v8")
refuses("element_after_concat", "element 2 (concat(xs, v8))", "element 2 v8")
fires("concat_of_concats", "concat(xs, concat(ys, v8), xs)", "concat(xs, ys, v8, xs)")
fires("concat_of_concats", "concat(concat(xs, concat(ys, v8)), v8)", "concat(xs, concat(ys, v8), v8)")
refuses("concat_of_concats", "concat(xs, ys)", "concat(xs, map abs (concat(xs, ys)))", "xs")
fires("concat_of_slices", "concat(slice 0 1 3 v8, slice 3 1 5 v8)", "slice 0 1 8 v8", operand=0)
fires("concat_of_slices", "concat(slice 0 1 n xs4, slice n 1 (2*n) xs4)", "slice 0 1 (3*n) xs4", operand=0)
fires(
    "concat_of_slices",
    "concat(xs, slice 1 1 3 v8, slice 4 1 2 v8, ys)",
    "concat(xs, slice 1 1 5 v8, ys)",
    operand=1,
)
refuses(
    "concat_of_slices",
    "concat(slice 0 1 3 v8, slice 4 1 4 v8)",
    "concat(slice 3 1 5 v8, slice 0 1 3 v8)",
    "concat(slice 0 1 3 v8, slice 3 1 5 (map abs v8))",
    "concat(slice 0 2 3 v8, slice 3 1 5 v8)",
    "concat(slice 0 1 3 v8, slice 3 2 2 v8)",
    "concat(slice 0 1 3 v8, xs)",
    "slice 0 1 3 v8",
    operand=0,
)
refuses("concat_of_slices", "concat(slice 0 1 3 v8, slice 3 1 5 v8)", operand=1)
refuses("concat_of_slices", "concat(slice 0 1 3 v8, slice 3 1 5 v8)", operand=-1)
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
fires("split_of_rows", "split 8 (join (split 4 xs8))", "map (λrs. join rs) (split 2 (split 4 xs8))")
fires(
    "split_of_rows",
    "split (4*m) (join (concat(xss, yss, xss, yss)))",
    "map (λrs. join rs) (split 4 (concat(xss, yss, xss, yss)))",
)
refuses("split_of_rows", "split 4 (join (split 8 xs8))", "split n (join xss)", "split 8 xs8", "join xss")
fires("slice_of_columns", "transpose (slice 1 2 2 (transpose (split 8 xs8)))", "map (slice 1 2 2) (split 8 xs8)")
fires("slice_of_columns", "transpose (slice (m - 1) (-1) m (transpose xss))", "map (λr. slice (m - 1) (-1) m r) xss")
refuses(
    "slice_of_columns",
    "transpose (slice 0 1 n xss)",
    "slice 0 1 8 (transpose (split 8 xs8))",
    "transpose (transpose xss)",
)
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

# --- scatter ----------------------------------------------------------------------------------------------------------

fires("scatter_fusion", "scatter (+) (λi. (i, c)) xs (map (λi. i - 1) is)", "scatter (+) (λi. (i - 1, c)) xs is")
fires(
    "scatter_fusion",
    "scatterSeq (λ(a, b). b) (λp. p) v8 (map (λi. (int64 i, float32 i)) is)",
    "scatterSeq (λ(a, b). b) (λi. (int64 i, float32 i)) v8 is",
)
refuses(
    "scatter_fusion",
    "scatter (+) (λi. (i, c)) xs (mapSeq (λi. i - 1) is)",
    "scatter (+) (λi. (i, c)) (map abs xs) is",
    "map abs (map abs xs)",
)
fires("scatter_to_seq", "scatter (-) (λi. (i, c)) xs is", "scatterSeq (-) (λi. (i, c)) xs is")
refuses("scatter_to_seq", "scatterSeq (-) (λi. (i, c)) xs is", "map abs xs")
fires(
    "scatter_partition",
    "scatter (+) (λi. (i, c)) xs is",
    "concat(scatter (+) (λi. (i, c)) (slice 0 1 (n // 2) xs) is, "
    "scatter (+) (λi. (int64 i - fromSize int64 (n // 2), c)) (slice (n // 2) 1 (n - n // 2) xs) is)",
    at=N // 2,
)
fires(
    "scatter_partition",
    "scatter (λ(a, b). b) (λp. p) v8 (zip(is, map float32 is))",
    "concat(scatter (λ(a, b). b) (λp. p) (slice 0 1 3 v8) (zip(is, map float32 is)), "
    "scatter (λ(a, b). b) (λp. (p.0 - fromSize int32 3, p.1)) (slice 3 1 5 v8) (zip(is, map float32 is)))",
    at=3,
)
refuses("scatter_partition", "scatterSeq (+) (λi. (i, c)) v8 is", "v8", at=3)
refuses("scatter_partition", "scatter (+) (λi. (i, c)) v8 is", "scatter (+) (λi. (i, c)) xs is", at=9)
refuses("scatter_partition", "scatter (+) (λi. (i, c)) v8 is", at=-1)
fires(
    "scatter_split",
    "scatter (+) (λi. (i, c)) v8 is",
    "join (map (λ(xs, s). scatter (+) (λi. (i - s, c)) xs is) "
    "(zip(split 4 v8, generate int32 2 (λk. k * fromSize int32 4))))",
    n=4,
)
fires(
    "scatter_split",
    "scatter (-) (λi. (int64 i, c)) xs4 is",
    "join (map (λ(xs, s). scatter (-) (λi. (int64 i - s, c)) xs is) "
    "(zip(split 4 xs4, generate int64 n (λk. k * fromSize int64 4))))",
    n=4,
)
refuses("scatter_split", "scatter (+) (λi. (i, c)) v8 is", "scatter (+) (λi. (i, c)) xs is", n=3)
refuses("scatter_split", "scatterSeq (+) (λi. (i, c)) v8 is", "split 4 v8", n=4)
refuses("scatter_split", "scatter (+) (λi. (i, c)) v8 is", n=0)
fires(
    "scatter_to_parts",
    "scatter (+) (λi. (i, c)) v8 is",
    "(join ∘ map (λp. reduce (+) p.0 p.1)) (zip(v8, transpose (concat("
    "map (scatter (+) (λi. (i, c)) (repeat 8 (-0.0:float32))) (split (m // 2) (slice 0 1 (2*(m // 2)) is)), "
    "map (scatter (+) (λi. (i, c)) (repeat 8 (-0.0:float32))) (repeat 1 (slice (2*(m // 2)) 1 (m % 2) is))))))",
    at=M // 2 * 2,
    parts=2,
)
fires(
    "scatter_to_parts",
    "scatter maximum (λi. (i, i)) ints is",
    "(join ∘ map (λp. reduce maximum p.0 p.1)) (zip(ints, transpose ("
    "map (scatter maximum (λi. (i, i)) (repeat n (-2147483648:int32))) (split m (slice 0 1 m is)))))",
    at=M,
    parts=1,
)
refuses(
    "scatter_to_parts",
    "scatter (-) (λi. (i, c)) v8 is",
    "scatter (λ(a, b). b) (λi. (i, c)) v8 is",
    "scatterSeq (+) (λi. (i, c)) v8 is",
    "reduce (+) 0 v8",
    at=M,
    parts=1,
)
refuses("scatter_to_parts", "scatter (+) (λi. (i, c)) v8 is", at=M // 2 * 2, parts=3)
refuses("scatter_to_parts", "scatter (+) (λi. (i, c)) v8 is", at=M + 1, parts=1)
refuses("scatter_to_parts", "scatter (+) (λi. (i, c)) v8 is", at=0, parts=1)  # the parts would be empty

# --- sort -------------------------------------------------------------------------------------------------------------

KEY = "(λi. (uint32 i, i))"
fires("sort_fusion", f"sort 8 {KEY} (map (λi. i - 1) is)", "sort 8 (λi. (uint32(i - 1), i - 1)) is")
fires("sort_fusion", "sort 8 (λp. (uint8 p.1, p.0)) (map (λi. (c, i)) is)", "sort 8 (λi. (uint8 i, c)) is")
refuses("sort_fusion", f"sort 8 {KEY} (mapSeq (λi. i - 1) is)", f"sort 8 {KEY} is", "map abs (map abs xs)")
fires("map_sort_fusion", f"map float32 (sort 8 {KEY} is)", "sort 8 (λi. (uint32 i, float32 i)) is")
fires("map_sort_fusion", "map (λp. p.0) (sort 3 (λp. (uint64 p.1, p)) pairs)", "sort 3 (λp. (uint64 p.1, p.0)) pairs")
refuses("map_sort_fusion", f"mapSeq float32 (sort 8 {KEY} is)", f"sort 8 {KEY} is", "map abs (map abs xs)")
fires(
    "sort_by_digits",
    f"sort 8 {KEY} is",
    f"sort 5 (λi. (right_shift(uint32 i, 3:uint32), i)) (sort 3 {KEY} is)",
    n=3,
)
fires(
    "sort_by_digits",
    "sort 5 (λp. (right_shift(uint32 p.1, 3:uint32), p.0)) pairs",
    "sort 1 (λp. (right_shift(uint32 p.1, 7:uint32), p.0)) (sort 4 (λp. (right_shift(uint32 p.1, 3:uint32), p)) pairs)",
    n=4,
)
refuses("sort_by_digits", f"sort 8 {KEY} is", n=8)
refuses("sort_by_digits", f"sort 8 {KEY} is", "is", n=0)
refuses("sort_by_digits", f"sort 8 {KEY} is", n=N)
fires(
    "sort_out_of_map",
    f"map (λis. sort 4 (λi. (uint32 i, c)) (sort 8 {KEY} is)) iss",
    f"map (sort 4 (λi. (uint32 i, c))) (map (sort 8 {KEY}) iss)",
)
refuses(
    "sort_out_of_map",
    f"map (λis. sort 4 {KEY} is) iss",
    f"mapSeq (λis. sort 4 {KEY} (sort 8 {KEY} is)) iss",
    f"map (λ(j, is). sort 4 (λi. (uint32(i + j), i)) (sort 8 {KEY} is)) (zip(ints, iss))",
)
fires(
    "sort_in_parts",
    f"sort 2 {KEY} ints4",
    "let t1 = split n (slice 0 1 (4*n) ints4) in permute (join (map (λ(ss, is). "
    f"rankSeq 2 {KEY} ss is) (zip(transpose (split 4 (concat(repeat 1 0, slice 0 1 15 (scan (+) 0 (join (transpose "
    "(map (scatter (+) (λi. (int64(uint32 i & 3), 1)) (repeat 4 0)) t1))))))), t1))))",
    at=4 * N,
    n=N,
)
fires(
    "sort_in_parts",
    f"sort 3 {KEY} ints",
    "let t1 = repeat 8 0 in let t2 = split (n // 4) (slice 0 1 (4*(n // 4)) ints) in "
    "let t3 = slice (4*(n // 4)) 1 (n % 4) ints in "
    "let t4 = transpose (split 5 (concat(repeat 1 0, slice 0 1 39 (scan (+) 0 (join (transpose (concat("
    "map (scatter (+) (λi. (int64(uint32 i & 7), 1)) t1) t2, "
    "map (scatter (+) (λi. (int64(uint32 i & 7), 1)) t1) (repeat 1 t3))))))))) in "
    f"permute (concat(join (map (λ(ss, is). rankSeq 3 {KEY} ss is) (zip(slice 0 1 4 t4, t2))), "
    f"join (map (λ(ss, is). rankSeq 3 {KEY} ss is) (zip(slice 4 1 1 t4, split (n % 4) t3)))))",
    at=N // 4 * 4,
    n=N // 4,
)
refuses("sort_in_parts", f"sort 3 {KEY} ints4", "ints4", n=3, at=4 * N)
refuses("sort_in_parts", f"sort 17 {KEY} ints4", n=N, at=4 * N)  # too many counters
refuses("sort_in_parts", f"sort 3 {KEY} ints", n=N, at=2 * N)
refuses("sort_in_parts", f"sort 3 {KEY} ints", n=N, at=0)  # there is no part
fires(
    "sort_rows",
    "map (λis. sort 2 (λ(i, j). (uint32 i, j)) (zip(is, is))) iss",
    "map (λ(hs, is). permute (rankSeq 2 (λ(i, j). (uint32 i, j)) (concat(repeat 1 0, slice 0 1 3 (scan (+) 0 hs))) "
    "(zip(is, is)))) (zip(map (λis. scatter (+) (λ(i, j). (int64(uint32 i & 3), 1)) (repeat 4 0) (zip(is, is))) iss, "
    "iss))",
)
refuses(
    "sort_rows",
    f"map (sort 17 {KEY}) iss",
    f"mapSeq (sort 2 {KEY}) iss",
    f"sort 2 {KEY} is",
    "map (λ(j, is). sort 4 (λi. (uint32(i + j), i)) is) (zip(ints, iss))",
)
fires(
    "sort_by_comparison",
    f"sort 8 {KEY} is",
    "let t1 = zip(is, generate int64 m (λi. i)) in permute (map (λ(i, j). let t2 = uint32 i & 255 in (element 0 (reduce "
    "(+) 0 (map (λ(k, l). let t3 = uint32 k & 255 in select((t3 < t2) | (t3 == t2) & (l < j), 1, 0)) t1)), i)) t1)",
)
fires(
    "sort_by_comparison",
    "sort 8 (λ(x, i). (uint8 i, x)) pairs",
    "let t1 = zip(pairs, generate int64 n (λi. i)) in permute (map (λ(p, j). let t2 = uint8(p.1) in (element 0 (reduce "
    "(+) 0 (map (λ(q, l). let t3 = uint8(q.1) in select((t3 < t2) | (t3 == t2) & (l < j), 1, 0)) t1)), p.0)) t1)",
)
refuses("sort_by_comparison", "is", "map abs xs", f"permute (rankSeq 1 {KEY} (repeat 2 0:int32) is)")
