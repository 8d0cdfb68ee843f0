# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.maps.shares`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

fires(
    "reduce_by_shares",
    "reduce (+) 0 (map abs xs)",
    "(reduce (+) 0 ∘ join ∘ map (λ(ys, zs, us, vs). (reduce (+) ((element 0 ∘ reduce (+) 0 ∘ map (λ(x, y). select(y, abs(x), 0))) (zip(ys, zs))) ∘ map (λ(x, y). select(y, abs(x), 0))) (zip(us, vs)))) (zip((transpose ∘ split 2) (concat(slice 0 1 (min(6, n)) xs, repeat (6 - min(6, n)) 0.0:float32)), (transpose ∘ split 2) (concat(repeat (min(6, n)) true, repeat (6 - min(6, n)) false)), (transpose ∘ split 2) (concat(slice (min(6, n)) 1 (n - min(6, n)) xs, repeat (1 - (n - min(6, n) + 1) % 2) 0.0:float32)), (transpose ∘ split 2) (concat(repeat (n - min(6, n)) true, repeat (1 - (n - min(6, n) + 1) % 2) false))))",
    items=2,
    kept=3,
)
fires(
    "reduce_by_shares",  # all are kept, and nothing is left over
    "reduce maximum (-inf) v8",
    "(reduce maximum (-inf) ∘ join ∘ map (λ(xs, ys). (reduce maximum (-inf) ∘ map (λ(x, y). select(y, x, -inf))) (zip(xs, ys)))) (zip((transpose ∘ split 4 ∘ slice 0 1 8) v8, (transpose ∘ split 4 ∘ repeat 8) true))",
    items=4,
    kept=2,
)
fires(
    "reduce_by_shares",  # all are kept
    "reduce (+) 0 (map (*) (zip(v8, v8)))",
    "let t1 = (transpose ∘ split 3) (concat(slice 0 1 8 v8, repeat 4 0.0:float32)) in (reduce (+) 0 ∘ join ∘ map (λ(xs, ys, zs). (reduce (+) 0 ∘ map (λ(x, y, z). select(z, x * y, 0))) (zip(xs, ys, zs)))) (zip(t1, t1, (transpose ∘ split 3) (concat(repeat 8 true, repeat 4 false))))",
    items=3,
    kept=4,
)
refuses("reduce_by_shares", "reduceSeq (+) 0 xs", "reduce (+) 1 xs", "reduce (-) 0 xs", items=2, kept=3)
refuses("reduce_by_shares", "reduce (+) 0 xs", items=0, kept=3)

fires(
    "map_by_shares",
    "map abs xs",
    "concat((head (min(6, n)) ∘ join ∘ transpose ∘ map (map abs) ∘ transpose ∘ split 2) (concat(slice 0 1 (min(6, n)) xs, repeat (6 - min(6, n)) 0.0:float32)), (head (n - min(6, n)) ∘ join ∘ transpose ∘ map (map abs) ∘ transpose ∘ split 2) (concat(slice (min(6, n)) 1 (n - min(6, n)) xs, repeat (1 - (n - min(6, n) + 1) % 2) 0.0:float32)))",
    items=2,
    kept=3,
)
fires(
    "map_by_shares",  # all are kept, and nothing is left over
    "map (*) (zip(v8, v8))",
    "let t1 = (transpose ∘ split 4 ∘ slice 0 1 8) v8 in (join ∘ transpose ∘ map (λ(xs, ys). map (*) (zip(xs, ys)))) (zip(t1, t1))",
    items=4,
    kept=2,
)
fires(
    "map_by_shares",  # two are left
    "map (*) (zip(v8, v8))",
    "let t1 = (transpose ∘ split 3 ∘ slice 0 1 6) v8 in let t2 = (transpose ∘ split 3) (concat(slice 6 1 2 v8, repeat 1 0.0:float32)) in concat((join ∘ transpose ∘ map (λ(xs, ys). map (*) (zip(xs, ys)))) (zip(t1, t1)), (head 2 ∘ join ∘ transpose ∘ map (λ(xs, ys). map (*) (zip(xs, ys)))) (zip(t2, t2)))",
    items=3,
    kept=2,
)
refuses("map_by_shares", "mapSeq abs xs", "reduce (+) 0 xs", "xs", items=2, kept=3)
refuses("map_by_shares", "map abs xs", items=2, kept=0)

fires(
    "reduce_by_shares",  # what is kept is computed before, what is left each time
    "reduce (+) 0 (map (λx. x * x) (map exp v8))",
    "(reduce (+) 0 ∘ join ∘ map (λ(xs, ys, zs, us). (reduce (+) ((element 0 ∘ reduce (+) 0 ∘ map (λ(x, y). select(y, x * x, 0))) (zip(xs, ys))) ∘ map (λ(x, y). let t1 = exp(x) in select(y, t1 * t1, 0))) (zip(zs, us)))) (zip((map (map exp) ∘ transpose ∘ split 3 ∘ slice 0 1 6) v8, (transpose ∘ split 3 ∘ repeat 6) true, (transpose ∘ split 3) (concat(slice 6 1 2 v8, repeat 1 0.0:float32)), (transpose ∘ split 3) (concat(repeat 2 true, repeat 1 false))))",
    items=3,
    kept=2,
)
fires(
    "map_by_shares",
    "map (λx. x * x) (map exp v8)",
    "concat((join ∘ transpose ∘ map (map (λx. x * x)) ∘ map (map exp) ∘ transpose ∘ split 3 ∘ slice 0 1 6) v8, (head 2 ∘ join ∘ transpose ∘ map (map (λx. let t1 = exp(x) in t1 * t1)) ∘ transpose ∘ split 3) (concat(slice 6 1 2 v8, repeat 1 0.0:float32)))",
    items=3,
    kept=2,
)

fires(
    "reduce_by_shares",  # in vectors, nothing is left over
    "reduce maximum (-inf) v8",
    "(reduce maximum (-inf) ∘ join ∘ map (λ(xs, ys). (reduce maximum (-inf) ∘ map (λ(x, y). select(y, x, -inf))) (zip(xs, ys)))) (zip((map join ∘ transpose ∘ split 2 ∘ split 2 ∘ slice 0 1 8) v8, (map join ∘ transpose ∘ split 2 ∘ split 2 ∘ repeat 8) true))",
    items=2,
    kept=4,
    width=2,
)
fires(
    "map_by_shares",  # in vectors, two are left
    "map (*) (zip(v8, v8))",
    "let t1 = (map join ∘ transpose ∘ split 3 ∘ split 2 ∘ slice 0 1 6) v8 in let t2 = (transpose ∘ split 3) (concat(slice 6 1 2 v8, repeat 1 0.0:float32)) in concat((asScalar ∘ join ∘ transpose ∘ map (λ(xs, ys). (map (vect 2 (*)) ∘ asVector 2) (zip(xs, ys)))) (zip(t1, t1)), (head 2 ∘ join ∘ transpose ∘ map (λ(xs, ys). map (*) (zip(xs, ys)))) (zip(t2, t2)))",
    items=3,
    kept=2,
    width=2,
)
refuses("reduce_by_shares", "reduce (+) 0 xs", items=2, kept=3, width=2)  # no number of vectors
refuses("map_by_shares", "map abs xs", items=2, kept=3, width=2)
refuses("map_by_shares", "map abs xs", items=2, kept=3, width=3)  # there are no such vectors
refuses("map_by_shares", "map abs xs", items=2, kept=3, width=0)
refuses("reduce_by_shares", "reduce (+) 0 xs", items=2, kept=3, width=0)
refuses("map_by_shares", "map abs xs", items=2, kept=4, width=-2)

fires(
    "row_in_common",
    "map (λx. exp x / (element 0 (reduce (+) 0 (map exp xs)))) xs",
    "let t1 = map exp xs in map (λx. x / (element 0 ∘ reduce (+) 0 ∘ map (λy. y)) t1) t1",
)
fires(
    "row_in_common",
    "map (λx. (x - c) / (element 0 (reduce (+) 0 (map (λy. (y - c) * (y - c)) xs)))) xs",
    "let t1 = map (λx. x - c) xs in map (λx. x / (element 0 ∘ reduce (+) 0 ∘ map (λy. y * y)) t1) t1",
)
fires(
    "row_in_common",  # what functions inside have in common is lifted out of them, if it needs none of their variables
    "map (λx. (element 0 (reduce (+) 0 (map (λz. z * exp x) ys))) / (element 0 (reduce (+) 0 (map exp xs)))) xs",
    "let t1 = map exp xs in map (λx. (element 0 (reduce (+) 0 (map (λz. z * x) ys))) / (element 0 ∘ reduce (+) 0 ∘ map (λy. y)) t1) t1",
)
refuses(
    "row_in_common",
    "map (λx. (element 0 (reduce (+) 0 (map (λz. z * x) ys))) / (element 0 (reduce (+) 0 (map (λy. element 0 (reduce (+) 0 (map (λz. z * y) ys))) xs)))) xs",
    "map (λx. x / (element 0 (reduce (+) 0 (map exp xs)))) xs",  # the element itself is used
    "map (λx. exp x / (element 0 (reduce (+) 0 (map exp ys)))) xs",  # of another row
    "map (λx. exp x / (element 0 (reduceSeq (+) 0 (map exp xs)))) xs",
    "map (λx. exp x / (element 0 (reduce (+) 0 (map (λy. exp y * y) xs)))) xs",
    "map (λx. exp x) xs",
)
