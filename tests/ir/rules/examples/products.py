"""Examples of the rules that products of matrices are made of."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

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

fires(
    "exchange_maps",
    "map (λx. map (λy. y * x) v8) xs",
    "transpose (map (λy. map (λx. y * x) xs) v8)",
)
fires("exchange_maps", "map (λr. map abs v8) xss", "transpose (map (λy. map (λr. abs(y)) xss) v8)")
refuses(
    "exchange_maps",
    "map (λr. map abs r) xss",
    "map (λr. mapSeq abs v8) xss",
    "mapSeq (λr. map abs v8) xss",
    "map (λr. transpose cube) xss",
)

fires("map_by_columns", "map join cube", "map (λxss. join (transpose xss)) (map transpose cube)")
refuses("map_by_columns", "map abs xs", "map (λr. map abs r) xss", "mapSeq join cube")

fires(
    "transpose_of_zips",
    "transpose (map (λr. zip(r, is)) xss)",
    "map (λp. map (λx. (x, p.1)) p.0) (zip(transpose xss, is))",
)
fires(
    "transpose_of_zips",
    "transpose (map (λr. zip(is, r, is)) xss)",
    "map (λp. map (λx. (p.1, x, p.2)) p.0) (zip(transpose xss, is, is))",
)
refuses(
    "transpose_of_zips",
    "transpose (map (λr. zip(r, map abs r)) xss)",
    "transpose (map (λr. zip(is, is)) xss)",
    "transpose (map (λr. zip(r, r)) xss)",
    "transpose (mapSeq (λr. zip(r, is)) xss)",
    "map (λr. zip(r, is)) xss",
)

fires("fuse_multiply_add", "c + c * 2", "fma c 2 c")
fires(
    "fuse_multiply_add", "map (λ(x, y). x + y * x) (zip(xs, ys))", "map (λ(x, y). fma y x x) (zip(xs, ys))", at_=(0, 0)
)
refuses("fuse_multiply_add", "c * 2 + c", "i + i * 2", "c - c * 2")

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

fires("transpose_introduction", "xss", "transpose (transpose xss)")
fires("transpose_introduction", "map join cube", "transpose (transpose (map join cube))")
refuses("transpose_introduction", "xs", "c", "transpose xss")
fires(
    "transpose_of_zips",
    "transpose (map (λr. zip(slice 0 1 m (slice 0 1 m r), is)) xss)",
    "map (λp. map (λx. (x, p.1)) p.0) (zip(transpose (map (λr. slice 0 1 m (slice 0 1 m r)) xss), is))",
)

fires(
    "map_beside",
    "map (λx. map (λy. y * x) v8) xs",
    "map (λp. map (λy. y * p.0) p.1) (zip(xs, repeat n v8))",
)
refuses(
    "map_beside",
    "map (λr. map abs r) xss",
    "mapSeq (λx. map (λy. y * x) v8) xs",
    "map (λx. mapSeq (λy. y * x) v8) xs",
    "map abs xs",
)
