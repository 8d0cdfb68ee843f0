# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.sorting.compact`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

fires(
    "last_to_compact",
    "slice n 1 1 (concat(xs, repeat 1 c))",
    "compact 1 (map (λ(i, x). (select(i == fromSize int64 (n + 1) - 1:int64, 0:int64, 1:int64), x)) (zip(generate int64 (n + 1) (λi. i), concat(xs, repeat 1 c))))",
)
fires(
    "last_to_compact",
    "slice 7 (-2) 1 v8",
    "compact 1 (map (λ(i, x). (select(i == fromSize int32 8 - 1:int32, 0:int32, 1:int32), x)) (zip(generate int32 8 (λi. i), v8)))",
)
refuses("last_to_compact", "slice 6 1 1 v8", "slice 6 1 2 v8", "slice 0 1 n xs")

_KEPT = "compact ((n + 1)//2) (map (λi. (select(i & 1 == 0, right_shift(i, 1), fromSize int32 ((n + 1)//2)), i)) (generate int32 n (λi. i)))"

fires(
    "compacts_together",
    "(compact 4 (map (λi. (right_shift(i, 1), float32 i)) (slice 0 2 4 (generate int32 8 (λi. i)))), compact 4 (zip(slice 4 1 4 (generate int32 8 (λi. i - 4)), slice 0 1 4 v8)))",
    "compactBeside 4 4 (zip(map (λi. (right_shift(i, 1), float32 i)) (slice 0 2 4 (generate int32 8 (λi. i))), zip(slice 4 1 4 (generate int32 8 (λi. i - 4)), slice 0 1 4 v8)))",
)
fires(
    "compacts_together",
    f"({_KEPT}, compact n (map (λx. x) (zip(generate int32 n (λi. i), xs))))",
    f"compactBeside ((n + 1)//2) n (zip({_KEPT.removeprefix('compact ((n + 1)//2) (').removesuffix(')')}, map (λx. x) (zip(generate int32 n (λi. i), xs))))",
)
refuses(
    "compacts_together",
    "(compact n (zip(generate int32 n (λi. i), xs)), compact 8 (zip(generate int32 8 (λi. i), v8)))",
    "(compact n (zip(generate int32 n (λi. i), xs)), xs)",
    "(xs, ys)",
)
