"""Examples of the rules of `ir.rules.opencl.library`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

DOT = "reduce (+) 0:float32 (map (*) (zip(r, c)))"
FLIPPED = "reduce (+) 0:float32 (map (λ(x, y). y * x) (zip(r, c)))"

fires("map_to_library", f"map (λr. map (λc. {DOT}) yss) xss", f"mapLibrary (λr. map (λc. {DOT}) yss) xss")
fires(
    "map_to_library",
    f"join (map (λr. join (map (λc. {FLIPPED}) (transpose (transpose yss)))) xss)",
    f"join (mapLibrary (λr. join (map (λc. {FLIPPED}) (transpose (transpose yss)))) xss)",
    at_=(0,),
)
fires(
    "map_to_library",
    f"map (λp. map (λr. map (λc. element 0 ({DOT})) (p.1)) (p.0)) (zip(cube, cube))",
    f"mapLibrary (λp. map (λr. map (λc. element 0 ({DOT})) (p.1)) (p.0)) (zip(cube, cube))",
)
refuses(
    "map_to_library",
    "map abs xs",
    "map (map abs) xss",
    "map (λr. map (λc. reduce (+) 1:float32 (map (*) (zip(r, c)))) yss) xss",
    "map (λr. map (λc. reduce (*) 0:float32 (map (*) (zip(r, c)))) yss) xss",
    "map (λr. map (λc. reduce (+) 0:float32 (map (+) (zip(r, c)))) yss) xss",
    "map (λr. map (λc. reduce (+) 0:float32 (map (λ(x, y). x * x) (zip(r, c)))) yss) xss",
    "map (λr. map (λc. reduce (+) 0:float32 (map (λ(x, y, z). x * y) (zip(r, c, c)))) yss) xss",
    "map (λr. map (λc. reduce (+) 0 (map (*) (zip(r, c)))) iss) iss",
    f"mapSeq (λr. map (λc. {DOT}) yss) xss",
    f"map (λr. mapSeq (λc. {DOT}) yss) xss",
    "map (λr. map (λc. reduceSeq (+) 0:float32 (map (*) (zip(r, c)))) yss) xss",
    f"mapLibrary (λr. map (λc. {DOT}) yss) xss",
)
refuses("map_to_library", f"map (λa. map (λr. map (λc. {DOT}) yss) xss) xs", at_=(0, 0))

ORDERED = "(λi. (bitwise_xor(uint32 i, 2147483648:uint32), i))"
FALLING = "(λi. (bitwise_invert (bitwise_xor(uint32 i, 2147483648:uint32)), i))"
fires("sort_to_library", f"map (sort 32 {ORDERED}) iss", f"mapLibrary (sort 32 {ORDERED}) iss")
fires(
    "sort_to_library",
    f"join (map (λr. sort 32 {FALLING} r) (transpose iss))",
    f"join (mapLibrary (λr. sort 32 {FALLING} r) (transpose iss))",
    at_=(0,),
)
refuses(
    "sort_to_library",
    "map abs xs",
    "map (map abs) xss",
    f"map (sort 31 {ORDERED}) iss",
    "map (sort 32 (λi. (uint32 i, i))) iss",
    "map (sort 32 (λi. (bitwise_xor(uint32 i, 2147483648:uint32), i + 1))) iss",
    f"mapSeq (sort 32 {ORDERED}) iss",
    f"mapLibrary (sort 32 {ORDERED}) iss",
)
refuses("sort_to_library", f"map (λa. map (sort 32 {ORDERED}) iss) xs", at_=(0, 0))
