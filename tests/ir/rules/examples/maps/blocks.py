# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.maps.blocks`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

_ROWS = "λb. join (map (λx. reduce (+) 0 (map (*) (zip(x, join (map (reduce maximum (-inf)) b))))) (transpose b))"
fires(
    "columns_by_blocks",
    "join (map (λx. reduce (+) 0 (map (*) (zip(x, join (map (reduce maximum (-inf)) xss))))) (transpose xss))",
    f"join (map (reduce (+) 0) (transpose (concat(map ({_ROWS}) (split 4 (slice 0 1 (4*(n // 4)) xss)), map ({_ROWS}) (split 1 (slice (4*(n // 4)) 1 (n % 4) xss))))))",
    rows=4,
)
fires(
    "columns_by_blocks",  # of whole blocks, the other way round
    "join (map (λx. reduce (+) 0 (map (-) (zip(join (map (reduce (+) 0) xss), x)))) (transpose xss))",
    "join (map (reduce (+) 0) (transpose (map (λb. join (map (λx. reduce (+) 0 (map (-) (zip(join (map (reduce (+) 0) b), x)))) (transpose b))) (split 1 (slice 0 1 n xss)))))",
    rows=1,
)
refuses(
    "columns_by_blocks",
    "join (map (λx. reduce (+) 0 (map (*) (zip(x, xs)))) (transpose xss))",  # numbers in memory
    "join (map (λx. reduceSeq (+) 0 (map (*) (zip(x, join (map (reduce (+) 0) xss))))) (transpose xss))",
    "join (map (λx. reduce (+) 1 (map (*) (zip(x, join (map (reduce (+) 0) xss))))) (transpose xss))",  # no neutral element
    "join (map (λx. reduce (+) 0 (map (*) (zip(x, x)))) (transpose xss))",
    "join (map (λx. reduce (+) 0 x) (transpose xss))",
    "join (map (reduce (+) 0) xss)",
    rows=4,
)
refuses(
    "columns_by_blocks",
    "join (map (λx. reduce (+) 0 (map (*) (zip(x, join (map (reduce (+) 0) xss))))) (transpose xss))",
    rows=0,
)

fires(
    "columns_by_rows",
    "let zss = split 4 xs4 in join (map (λx. reduce (+) 0 (map (*) (zip(x, join (map (reduce maximum (-inf)) zss))))) (transpose zss))",
    "(head 4 ∘ join ∘ transpose ∘ element 0 ∘ reduceSeq (λ(acc, xs). map (λ(ys, zs). map (λ(x, us). x + (element 0 ∘ reduce (+) 0 ∘ map (*)) (zip(us, (join ∘ map (reduce maximum (-inf))) xs))) (zip(ys, zs))) (zip(acc, (transpose ∘ split 3) (concat(transpose xs, (repeat 2 ∘ repeat 1) 0.0:float32))))) ((repeat 3 ∘ repeat 2) 0.0:float32) ∘ split 1 ∘ split 4) xs4",
    rows=1,
    items=3,
)
fires(
    "columns_by_rows",  # some rows at once, however many columns there are
    "let zss = slice 0 1 (2*(n // 2)) xss in join (map (λx. reduce (+) 0 (map (-) (zip(join (map (reduce (+) 0) zss), x)))) (transpose zss))",
    "(head m ∘ join ∘ transpose ∘ element 0 ∘ reduceSeq (λ(acc, xs). map (λ(ys, zs). map (λ(x, us). x + (element 0 ∘ reduce (+) 0 ∘ map (-)) (zip((join ∘ map (reduce (+) 0)) xs, us))) (zip(ys, zs))) (zip(acc, (transpose ∘ split 2) (concat(transpose xs, (repeat (1 - (m + 1) % 2) ∘ repeat 2) 0.0:float32))))) ((repeat 2 ∘ repeat ((m + 1) // 2)) 0.0:float32) ∘ split 2 ∘ slice 0 1 (2*(n // 2))) xss",
    rows=2,
    items=2,
)
fires(
    "columns_by_rows",  # nothing is left over
    "let zss = split 4 xs4 in join (map (λx. reduce (+) 0 (map (*) (zip(x, join (map (reduce (+) 0) zss))))) (transpose zss))",
    "(join ∘ transpose ∘ element 0 ∘ reduceSeq (λ(acc, xs). map (λ(ys, zs). map (λ(x, us). x + (element 0 ∘ reduce (+) 0 ∘ map (*)) (zip(us, (join ∘ map (reduce (+) 0)) xs))) (zip(ys, zs))) (zip(acc, (transpose ∘ split 4 ∘ transpose) xs))) ((repeat 4 ∘ repeat 1) 0.0:float32) ∘ split 1 ∘ split 4) xs4",
    rows=1,
    items=4,
)
refuses(
    "columns_by_rows",
    "join (map (λx. reduce (+) 0 (map (*) (zip(x, join (map (reduce (+) 0) xss))))) (transpose xss))",  # no pairs of rows
    "join (map (λx. reduce (+) 0 (map (*) (zip(x, xs)))) (transpose xss))",
    rows=2,
    items=4,
)
refuses(
    "columns_by_rows",
    "join (map (λx. reduce (+) 0 (map (*) (zip(x, join (map (reduce (+) 0) xss))))) (transpose xss))",
    rows=1,
    items=0,
)
