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
