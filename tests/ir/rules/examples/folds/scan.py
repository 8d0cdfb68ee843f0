# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.folds.scan`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

MAX_PARTS = "map (λ(a, ys). (map (λy. maximum(a, y)) ∘ scan maximum (-inf)) ys)"
ADD_PARTS = "map (λ(a, ys). (map (λy. a + y) ∘ scan (+) 0) ys)"
TURN = "let t = p.0 + x in let a = t - p.0 in (t, p.1 + -0.0:float32 + (p.0 - (t - a) + (x - a)))"

fires(
    "last_of_scan", "reduce maximum c (concat(xs, repeat 1 c))", "slice n 1 1 (scan maximum c (concat(xs, repeat 1 c)))"
)
refuses("last_of_scan", "reduce (+) 0 xs", "reduce (-) c v8", "reduceSeq (+) 0 v8", "scan (+) 0 v8")

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

fires(
    "scan_of_rows",
    "scan (+) 3 (concat(join (split 4 (slice 0 1 (4*(n // 4)) ints)), slice (4*(n // 4)) 1 (n % 4) ints))",
    "let ys = (split 4 ∘ slice 0 1 (4*(n // 4))) ints in let cs = scan (+) 3 (concat(repeat 1 0:int32, (join ∘ map (reduce (+) 0)) ys)) in "
    f"concat((join ∘ {ADD_PARTS}) (zip(slice 0 1 (n // 4) cs, ys)), (join ∘ {ADD_PARTS}) (zip(slice (n // 4) 1 1 cs, (split (n % 4) ∘ slice (4*(n // 4)) 1 (n % 4)) ints)))",
)
fires(
    "scan_of_rows",
    "scan (+) 0 (concat(join (split (n // 4) (slice 0 1 (4*(n // 4)) ints)), slice (4*(n // 4)) 1 (n % 4) ints))",
    "let ys = (split (n // 4) ∘ slice 0 1 (4*(n // 4))) ints in let cs = scan (+) 0 (concat(repeat 1 0:int32, (join ∘ map (reduce (+) 0)) ys)) in "
    f"concat((join ∘ {ADD_PARTS}) (zip(slice 0 1 4 cs, ys)), (join ∘ {ADD_PARTS}) (zip(slice 4 1 1 cs, (split (n % 4) ∘ slice (4*(n // 4)) 1 (n % 4)) ints)))",
)
refuses(
    "scan_of_rows",
    "scan (-) 0 (concat(join xss, xs))",
    "scanSeq (+) 0 (concat(join xss, xs))",
    "scan (+) 0 (concat(join xss, xs, ys))",
    "scan (+) 0 (concat(join xss, slice 0 1 0 xs))",  # nothing is left
    "scan (+) 0 (join xss)",
    "scan (+) 0 (concat(xs, join xss))",
    "map abs (concat(join xss, xs))",
)

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
    "mapSeq abs xs",
)
fires(
    "scan_map_fusion",
    "mapSeq abs (scanSeqUnroll (+) 0 v8)",
    "scanMapSeqUnroll (λ(acc, x). let y = acc + x in (y, abs y)) 0 v8",
)
fires(
    "zip_into_scan",
    "zip(ys, scanSeq (+) 0 xs)",
    "scanMapSeq (λ(acc, p). let y = acc + p.1 in (y, (p.0, y))) 0:float32 (zip(ys, xs))",
    operand=1,
)
fires(
    "zip_into_scan",
    "zip(scanMapSeq (λ(acc, x). (acc + x, acc * x)) 0 xs, ys)",
    "scanMapSeq (λ(acc, p). (acc + p.0, (acc * p.0, p.1))) 0:float32 (zip(xs, ys))",
    operand=0,
)
refuses("zip_into_scan", "zip(scan (+) 0 xs, ys)", "zip(mapSeq abs xs, ys)", operand=0)
refuses("zip_into_scan", "zip(scanSeq (+) 0 xs, ys)", operand=1)
refuses("zip_into_scan", "zip(scanSeq (+) 0 xs, ys)", operand=2)

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

fires(
    "vectorise_sums",
    "scan (+) c xs4",
    "asScalar (scanMapSeq (λ(p, v). let w = element 0 (asVector 2 (concat(repeat 1 (-0.0:float32), slice 0 1 1 (asScalar (repeat 1 v))))) + v in let x = element 1 (asScalar (repeat 1 w)) in "
    f"({TURN}, splat 2 (select(abs p.1 > -0.0:float32, p.0 + p.1, p.0)) + w)) (c, -0.0:float32) (asVector 2 xs4))",
    width=2,
)
refuses("vectorise_sums", "scan (+) 0 xs", "scan (+) 0 ints4", "scan maximum (-inf) xs4", "scanSeq (+) 0 xs4", width=4)
refuses("vectorise_sums", "scan (+) 0 xs4", width=3)

fires("scan_in_one_part", "scan (+) c xs", "join (map (scan (+) c) (split n xs))")
refuses("scan_in_one_part", "scanSeq (+) c xs", "scan (+) 0 (slice 0 1 0 xs)", "reduce (+) 0 xs")
