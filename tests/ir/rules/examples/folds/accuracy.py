# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.folds.accuracy`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

RESULT = "λ(s, c). select(abs c > -0.0:float32, s + c, s)"
STEP = "λ(p, q). let t = p.0 + q.0 in let a = t - p.0 in (t, p.1 + q.1 + (p.0 - (t - a) + (q.0 - a)))"
PAIRS = f"reduce ({STEP}) (0:float32, -0.0:float32)"
FRESH = "map (λx. (x, -0.0:float32))"
FIRST = "reduce (λ(a, p). let t = (p.0 > a.0) | (p.0 >= a.0) & (p.1 < a.1) in (select(t, p.0, a.0), select(t, p.1, a.1))) (-2147483648:int32, 2147483647:int32)"
TURN = "let t = p.0 + x in let a = t - p.0 in (t, p.1 + -0.0:float32 + (p.0 - (t - a) + (x - a)))"

fires("reduce_to_pairs", "reduce (+) 0 xs", f"(map ({RESULT}) ∘ {PAIRS} ∘ {FRESH}) xs")
fires(
    "reduce_to_pairs",
    "reduce (λ(a, b). (a.0 + b.0, maximum a.1 b.1)) (c, -inf:float32) (zip(xs, ys))",
    "(map (λ(s, c). (select(abs c > -0.0:float32, s.0 + c, s.0), s.1)) ∘ reduce (λ(p, q). let t = p.0.0 + q.0.0 in let a = t - p.0.0 in ((t, maximum p.0.1 q.0.1), p.1 + q.1 + (p.0.0 - (t - a) + (q.0.0 - a)))) ((c, -inf:float32), -0.0:float32) ∘ map (λx. (x, -0.0:float32))) (zip(xs, ys))",
)
fires(
    "reduce_to_pairs",
    "reduce (λ(a, b). (a.0 + b.0, a.1 + b.1)) (0:float32, 0:float32) (zip(xs, ys))",
    "let z = (-0.0:float32, -0.0:float32) in (map (λ(s, c). (select(abs c.0 > -0.0:float32, s.0 + c.0, s.0), select(abs c.1 > -0.0:float32, s.1 + c.1, s.1))) ∘ reduce (λ(p, q). let t = p.0.0 + q.0.0 in let u = p.0.1 + q.0.1 in let a = t - p.0.0 in let b = u - p.0.1 in ((t, u), (p.1.0 + q.1.0 + (p.0.0 - (t - a) + (q.0.0 - a)), p.1.1 + q.1.1 + (p.0.1 - (u - b) + (q.0.1 - b))))) ((0:float32, 0:float32), z) ∘ map (λx. (x, z))) (zip(xs, ys))",
)
refuses("reduce_to_pairs", "reduce (+) 0 ints", "reduce maximum (-inf) xs", "reduce (*) 1 xs", "reduceSeq (+) 0 xs")
refuses("reduce_to_pairs", f"({PAIRS} ∘ {FRESH}) xs", "map abs xs")

fires(
    "reduce_in_blocks",
    "reduce (+) 0 (map abs xs4)",
    "let t1 = transpose (split 2 xs4) in reduce (+) 0 (map (λp. abs p.0 + abs p.1) (zip(element 0 t1, element 1 t1)))",
    ways=2,
)
fires(
    "reduce_in_blocks",
    "reduce maximum (-inf) xs4",
    "let t1 = transpose (split 4 xs4) in reduce maximum (-inf) (map (λp. maximum (maximum p.0 p.1) (maximum p.2 p.3)) (zip(element 0 t1, element 1 t1, element 2 t1, element 3 t1)))",
    ways=4,
)
fires(  # what is exact is added without corrections
    "reduce_in_blocks",
    f"({PAIRS} ∘ {FRESH}) xs4",
    f"let t1 = transpose (split 4 xs4) in ({PAIRS} ∘ map (λp. (p.0 + p.1 + (p.2 + p.3), -0.0:float32))) (zip(element 0 t1, element 1 t1, element 2 t1, element 3 t1))",
    ways=4,
)
fires(  # and what is not with them
    "reduce_in_blocks",
    f"{PAIRS} (zip(xs4, ys4))",
    f"let t1 = transpose (split 2 (zip(xs4, ys4))) in ({PAIRS} ∘ map (λ(p, q). let t = p.0 + q.0 in let a = t - p.0 in (t, p.1 + q.1 + (p.0 - (t - a) + (q.0 - a))))) (zip(element 0 t1, element 1 t1))",
    ways=2,
)
fires(  # a component of the result may need all of the operands'
    "reduce_in_blocks",
    f"{FIRST} (map (λ(x, i). (i, x)) (zip(ints4, ints4)))",
    f"let t1 = transpose (split 2 (zip(ints4, ints4))) in {FIRST} (map (λ(p, q). let t = (q.1 > p.1) | (q.1 >= p.1) & (q.0 < p.0) in (select(t, q.1, p.1), select(t, q.0, p.0))) (zip(element 0 t1, element 1 t1)))",
    ways=2,
)
refuses("reduce_in_blocks", "reduce (+) 0 xs", "reduceSeq (+) 0 xs4", "reduce (-) 0 xs4", "reduce (+) 1 xs4", ways=4)
refuses("reduce_in_blocks", "reduce (+) 0 xs4", ways=1)

fires(
    "scan_to_pairs",
    "scan (+) c xs",
    f"scanMapSeq (λ(p, x). let r = {TURN} in (r, select(abs r.1 > -0.0:float32, r.0 + r.1, r.0))) (c, -0.0:float32) xs",
)
refuses("scan_to_pairs", "scan (+) 0 ints", "scan maximum (-inf) xs", "scanSeq (+) 0 xs", "reduce (+) 0 xs")
