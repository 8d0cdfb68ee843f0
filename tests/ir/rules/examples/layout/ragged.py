# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.layout.ragged`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses
from tests.ir.rules.notation import N

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

fires("reduce_pad", "reduce (+) 0 xs", "reduce (+) 0 (concat(xs, repeat (n % 4) 0.0:float32))", count=N % 4)
fires("reduce_pad", "reduce (*) 1 (concat(xs, ys))", "reduce (*) 1 (concat(xs, ys, repeat 3 1.0:float32))", count=3)
refuses("reduce_pad", "reduce (+) 1 xs", "reduce (-) 0 xs", "reduceSeq (+) 0 xs", count=3)
refuses("reduce_pad", "reduce (+) 0 xs", count=-1)

fires("array_partition", "xs", "concat(slice 0 1 (n // 2) xs, slice (n // 2) 1 (n - n // 2) xs)", at=N // 2)
fires("array_partition", "xss", "concat(slice 0 1 n xss, slice n 1 0 xss)", at=N)
refuses("array_partition", "xs", at=N + 1)
refuses("array_partition", "v8", at=-1)
refuses("array_partition", "c", at=0)

fires(
    "map_overlap",
    "map abs v128",
    "overlap 128 (map abs (slice 0 1 120 v128)) (map abs (slice 112 1 16 v128))",
    first=120,
    last=16,
)
fires("map_overlap", "map abs xs", "overlap n (map abs (slice 0 1 n xs)) (map abs (slice n 1 0 xs))", first=N, last=0)
refuses("map_overlap", "map abs v128", first=120, last=7)  # one element is in neither
refuses("map_overlap", "map abs v128", first=129, last=7)
refuses("map_overlap", "map abs xs", first=8, last=8)  # there may be more elements, or fewer
refuses("map_overlap", "mapSeq abs v128", "v128", first=128, last=8)

fires("map_pad", "map abs xs", "head n (map abs (concat(xs, repeat 3 0:float32)))", count=3)
fires("map_pad", "map abs xs", "head n (map abs (concat(xs, repeat 0 0:float32)))", count=0)
fires(
    "map_pad",
    "map (λr. element 0 (reduce (+) 0 r)) xss",
    "head n (map (λr. element 0 (reduce (+) 0 r)) (concat(xss, repeat 2 (repeat m 0:float32))))",
    count=2,
)
fires(
    "map_pad", "map (λp. p.0) pairs", "head n (map (λp. p.0) (concat(pairs, repeat 2 (0:float32, 0:int32))))", count=2
)
refuses("map_pad", "map abs xs", count=-1)
refuses("map_pad", "mapSeq abs xs", "xs", "map (vect 4 abs) (asVector 4 xs4)", count=4)

fires("map_after_head", "map abs (head n ws)", "head n (map abs ws)")
fires("map_after_head", "map (λ(x, y). x - y) (head n (zip(ws, ws)))", "head n (map (λ(x, y). x - y) (zip(ws, ws)))")
refuses("map_after_head", "mapSeq abs (head n ws)", "head n (map abs ws)", "map abs (slice 0 1 n ws)")

fires("zip_of_head", "zip(head n ws, ints)", "head n (zip(ws, concat(ints, repeat 8 0:int32)))", operand=0)
fires(
    "zip_of_head",
    "zip(xss, head n (concat(yss, yss)))",
    "head n (zip(concat(xss, repeat n (repeat m 0:float32)), concat(yss, yss)))",
    operand=1,
)
refuses("zip_of_head", "zip(head n ws, ints)", "zip(xs, ys)", operand=1)
refuses("zip_of_head", "zip(head n ws, ints)", operand=2)

fires(
    "reduce_in_chunks",
    "reduceSeq (+) 0 v8",
    "reduceSeq (λ(acc, ys). element 0 (reduceSeq (+) acc ys)) 0:float32 (split 4 v8)",
    n=4,
)
fires(
    "reduce_in_chunks",
    "reduceSeq (λ(acc, p). acc + p.0 * p.1) 0:float32 (zip(xs4, ys4))",
    "reduceSeq (λ(acc, t). element 0 (reduceSeq (λ(a, p). a + p.0 * p.1) acc (zip(t.0, t.1)))) 0:float32"
    " (zip(split 4 xs4, split 4 ys4))",
    n=4,
)
refuses("reduce_in_chunks", "reduceSeq (+) 0 xs", "reduce (+) 0 xs4", "xs4", n=4)
refuses("reduce_in_chunks", "reduceSeq (+) 0 v8", n=0)

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
