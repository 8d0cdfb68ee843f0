# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.folds.scan_by_group`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses
from tests.ir.rules.notation import N

fires(
    "scan_in_turns",
    "scan maximum c v8",
    "join (scanMapSeq (λ(a, ys). let zs = scan maximum (-inf) ys in (element 0 (reduce maximum a (slice 3 1 1 zs)), map (λx. maximum a x) zs)) c (split 4 v8))",
    n=4,
)
fires(
    "scan_in_turns",
    "scan (+) 3 (map abs ints4)",
    "join (scanMapSeq (λ(a, ys). let zs = scan (+) 0 (map abs ys) in (element 0 (reduce (+) a (slice 3 1 1 zs)), map (λx. a + x) zs)) 3:int32 (split 4 ints4))",
    n=4,
)
fires(
    "scan_in_turns",
    "scan (+) c xs4",
    "join (scanMapSeq (λ(p, ys). let zs = scan (+) (-0.0) ys in (element 0 (reduce (λ(p, q). let t = p.0 + q.0 in let a = t - p.0 in (t, p.1 + q.1 + (p.0 - (t - a) + (q.0 - a)))) p (map (λx. (x, -0.0:float32)) (slice 3 1 1 zs))), map (λx. select(abs p.1 > -0.0:float32, p.0 + p.1, p.0) + x) zs)) (c, -0.0:float32) (split 4 xs4))",
    n=4,
)
refuses("scan_in_turns", "scan (+) c xs", n=4)
refuses("scan_in_turns", "scan (+) c xs", n=N)  # there may be no element in a part
refuses("scan_in_turns", "scan (-) 0 v8", "scanSeq (+) 0 v8", "reduce (+) 0 v8", n=4)

fires("scan_pad", "scan (+) c xs", "head n (scan (+) c (concat(xs, repeat 3 0.0:float32)))", count=3)
fires(
    "scan_pad",
    "scan maximum c (map abs xs)",
    "head n (scan maximum c (map abs (concat(xs, repeat 0 0.0:float32))))",
    count=0,
)
refuses("scan_pad", "scan (+) c xs", count=-1)
refuses("scan_pad", "scanSeq (+) c xs", "reduce (+) c xs", count=3)

fires("scan_before_carry", "scan (+) c xs", "map (λx. c + x) (scan (+) (-0.0) xs)")
refuses("scan_before_carry", "scan maximum (-inf) xs", "scan (-) c xs", "scanSeq (+) c xs")

DOUBLED = "concat(repeat 1 (-inf:float32), slice 0 1 7 v8)"
fires(
    "scan_by_doubling",
    f"mapWorkgroup (λxs. scan maximum (-inf) ({DOUBLED})) xss",
    f"""mapWorkgroup (λxs. let a = toLocal (mapLocal (λ(x, y). maximum x y) (zip(concat(repeat 1 (-inf:float32), slice 0 1 7 ({DOUBLED})), {DOUBLED}))) in
    let b = toLocal (mapLocal (λ(x, y). maximum x y) (zip(concat(repeat 2 (-inf:float32), slice 0 1 6 a), a))) in
    toLocal (mapLocal (λ(x, y). maximum x y) (zip(concat(repeat 4 (-inf:float32), slice 0 1 4 b), b)))) xss""",
    at_=(0, 0),
)
refuses("scan_by_doubling", f"scan maximum (-inf) ({DOUBLED})")  # in no work-group
refuses(
    "scan_by_doubling",
    "mapWorkgroup (λxs. scan maximum (-inf) v8) xss",
    "mapWorkgroup (λxs. scan maximum (-inf) (concat(repeat 1 0.0:float32, slice 0 1 7 v8))) xss",
    "mapWorkgroup (λxs. scan maximum (-inf) (concat(repeat 1 (-inf:float32), xs))) xss",
    f"mapWorkgroup (λxs. scan maximum c ({DOUBLED})) xss",
    f"mapWorkgroup (λxs. toLocal (scan maximum (-inf) ({DOUBLED}))) xss",
    at_=(0, 0),
)
refuses("scan_by_doubling", f"mapWorkgroup (λxs. toPrivate (scan maximum (-inf) ({DOUBLED}))) xss", at_=(0, 0, 0))
refuses(
    "scan_by_doubling",
    f"mapWorkgroup (λxss. mapLocal (λxs. scan maximum (-inf) ({DOUBLED})) xss) cube",
    at_=(0, 0, 0, 0),
)
refuses(
    "scan_by_doubling",
    f"mapWorkgroup (λxss. mapWarp (λxs. scan maximum (-inf) ({DOUBLED})) xss) cube",
    at_=(0, 0, 0, 0),
)

BEFORE = "element 0 (reduce maximum (-inf) (map (λ(j, y). select(j < i, y, -inf:float32)) (zip(generate int32 8 (λj. j), ys))))"
SUMS = "concat(repeat 1 0:int32, ints)"
fires(
    "scan_by_reductions",
    "scan maximum (-inf) (concat(repeat 1 (-inf:float32), v8))",
    f"map (λ(i, ys). {BEFORE}) (zip(generate int32 9 (λi. i), repeat 9 v8))",
    count=0,
)
fires(
    "scan_by_reductions",
    "scan maximum c (concat(repeat 1 (-inf:float32), v8))",
    f"map (λ(i, ys). maximum c ({BEFORE})) (zip(generate int32 9 (λi. i), repeat 9 v8))",
    count=0,
)
fires(
    "scan_by_reductions",  # 32 bits may not hold all places
    f"scan (+) 3 ({SUMS})",
    "map (λ(i, ys). 3 + element 0 (reduce (+) 0 (map (λ(j, y). select(j < i, y, 0)) (zip(generate int64 (n + 3) (λj. j), concat(ys, repeat 3 0:int32)))))) (zip(generate int64 (n + 1) (λi. i), repeat (n + 1) ints))",
    count=3,
)
refuses(
    "scan_by_reductions",
    "scan (+) 0 ints",
    "scan (+) 0 (concat(repeat 1 1:int32, ints))",
    "scan (+) 0 (concat(repeat 2 0:int32, ints))",
    "scan (+) 0 (concat(ints, repeat 1 0:int32))",
    f"scan (-) 0 ({SUMS})",
    f"scanSeq (+) 0 ({SUMS})",
    count=0,
)
refuses("scan_by_reductions", f"scan (+) 0 ({SUMS})", count=-1)

LATER = "concat(repeat 1 (-inf:float32), slice 0 1 63 r)"
ONE_WARP = LATER.replace("63", "31")
fires(
    "scan_by_lanes",
    f"mapWorkgroup (λr. scan maximum (-inf) ({LATER})) (split 64 v128)",
    f"""mapWorkgroup (λr. let zs = toLocal (scanLane maximum (-inf) ({LATER})) in
    toLocal (mapLocal (λ(i, x). maximum (element 0 (toPrivate (reduceSeqUnroll (λ(a, p). maximum a (select((p.0 + 1) * 32 <= i, p.1, -inf:float32))) (-inf:float32) (zip(generate int32 1 (λj. j), slice 31 32 1 zs))))) x) (zip(generate int32 64 (λi. i), zs)))) (split 64 v128)""",
    at_=(0, 0),
)
fires(
    "scan_by_lanes",
    f"mapWorkgroup (λr. scan maximum (-inf) ({ONE_WARP})) (split 32 v128)",
    f"mapWorkgroup (λr. toLocal (scanLane maximum (-inf) ({ONE_WARP}))) (split 32 v128)",
    at_=(0, 0),
)
refuses("scan_by_lanes", f"scan maximum (-inf) ({ONE_WARP.replace(' r)', ' v128)')})")  # in no work-group
refuses(
    "scan_by_lanes",
    f"mapWorkgroup (λxs. scan maximum (-inf) ({DOUBLED})) xss",  # no whole warp
    "mapWorkgroup (λxs. scan maximum (-inf) (concat(repeat 1 (-inf:float32), xs))) xss",
    f"mapWorkgroup (λr. scan maximum c ({ONE_WARP})) (split 32 v128)",
    f"mapWorkgroup (λr. toLocal (scan maximum (-inf) ({ONE_WARP}))) (split 32 v128)",
    at_=(0, 0),
)
refuses(
    "scan_by_lanes",
    f"mapWorkgroup (λrs. mapLocal (λr. scan maximum (-inf) ({ONE_WARP})) rs) (split 2 (split 64 v128))",
    at_=(0, 0, 0, 0),
)

fires(
    "reduce_by_lanes",
    "mapWorkgroup (λr. reduce maximum (-inf) r) (split 64 v128)",
    "mapWorkgroup (λr. reduce maximum (-inf) (slice 31 32 2 (toLocal (scanLane maximum (-inf) r)))) (split 64 v128)",
    at_=(0, 0),
)
refuses("reduce_by_lanes", "reduce maximum (-inf) v128")  # in no work-group
refuses(
    "reduce_by_lanes",
    "mapWorkgroup (λr. reduce maximum (-inf) r) (split 16 v128)",
    "mapWorkgroup (λr. reduce maximum 0 r) (split 64 v128)",
    "mapWorkgroup (λr. reduceSeq maximum (-inf) r) (split 64 v128)",
    "mapWorkgroup (λr. toLocal (reduce maximum (-inf) r)) (split 64 v128)",
    at_=(0, 0),
)
