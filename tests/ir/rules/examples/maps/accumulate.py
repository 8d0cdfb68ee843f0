# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.maps.accumulate`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

# --- parallel maps ----------------------------------------------------------------------------------------------------

_BOTH = "let s = mapWorkgroup (λp. (mapSeq abs p.0, reduceSeq (+) 0 p.1)) (zip(xss, yss)) in "
fires(
    "maps_together",
    "(mapWorkgroup (mapSeq abs) xss, mapWorkgroup (reduceSeq (+) 0) yss)",
    f"{_BOTH}(map (λp. p.0) s, map (λp. p.1) s)",
)
fires(
    "maps_together",
    "(concat(join (mapWorkgroup (mapSeq abs) xss), v8), xs, join (mapWorkgroup (reduceSeq (+) 0) yss))",
    f"{_BOTH}(concat(join (map (λp. p.0) s), v8), xs, join (map (λp. p.1) s))",
)
fires(
    "maps_together",
    "(mapGlobal (mapSeq abs) xss, join (mapGlobal (reduceSeq (+) 0) yss), mapGlobal (mapSeq (λx. x * c)) yss)",
    "let s = mapGlobal (λp. (mapSeq abs p.0, reduceSeq (+) 0 p.1, mapSeq (λx. x * c) p.2)) (zip(xss, yss, yss)) in"
    " (map (λp. p.0) s, join (map (λp. p.1) s), map (λp. p.2) s)",
)
refuses(
    "maps_together",
    "(mapWorkgroup (mapSeq abs) xss, mapGlobal (mapSeq abs) yss)",  # for others each
    "(mapWorkgroup (mapSeq abs) xss, mapWorkgroup (mapSeq abs) (transpose yss))",  # as many as there are columns
    "(mapWorkgroup abs xs, mapWorkgroup abs ys)",  # numbers: a tuple of them is an element
    "(mapSeq (mapSeq abs) xss, mapSeq (mapSeq abs) yss)",  # in order
    "(mapWorkgroup (mapSeq abs) xss, mapWorkgroup (mapSeq abs) (toGlobal (mapWorkgroup (mapSeq abs) xss)))",  # one needs the other
    "(xss, mapWorkgroup (mapSeq abs) yss)",
)

# --- loops in order ---------------------------------------------------------------------------------------------------

_Q = "let q = mapReduceSeq (λ(a, p). (a + p.1, abs p.0)) 0:float32 (zip(xs, ys)) in "
fires("loops_together", "(mapSeq abs xs, reduceSeq (+) 0 ys)", f"{_Q}(q.1, q.0)")
fires("loops_together", "(toPrivate (reduceSeq (+) 0 ys), mapSeq abs xs)", f"{_Q}(q.0, q.1)")
fires(
    "loops_together",
    "(concat(mapSeq abs xs, mapSeq abs v8), mapSeq (λs. s * c) (toPrivate (reduceSeq (+) 0 ys)))",
    f"{_Q}(concat(q.1, mapSeq abs v8), mapSeq (λs. s * c) q.0)",
)
fires(
    "loops_together",  # of vectors, with hints
    "(asScalar (prefetch 2 (mapSeq (λx. x * splat 4 c) (prefetch 2 (asVector 4 xs4)))), asScalar (toPrivate (reduceSeq (+) (splat 4 0) (prefetch 3 (asVector 4 ys4)))))",
    "let q = mapReduceSeq (λ(a, p). (a + p.1, p.0 * splat 4 c)) (splat 4 0:float32) (prefetch 3 (zip(asVector 4 xs4, asVector 4 ys4))) in (asScalar q.1, asScalar q.0)",
)
fires(
    "loops_together",  # rows in each turn
    "(join (mapSeq (mapSeq abs) xss), reduceSeq (λ(a, p). a + int32 p) 0:int32 ys)",
    "let q = mapReduceSeq (λ(a, p). (a + int32 p.1, mapSeq abs p.0)) 0:int32 (zip(xss, ys)) in (join q.1, q.0)",
)
fires(
    "loops_together",  # two accumulators
    "(toPrivate (reduceSeq (+) 0 ys), mapSeq abs xs, toPrivate (reduceSeq maximum (-5) ints))",
    "let q = mapReduceSeq (λ(a, p). ((a.0 + p.1, maximum(a.1, p.2)), abs p.0)) (0:float32, -5:int32) (zip(xs, ys, ints)) in"
    " (repeat 1 (element 0 q.0).0, q.1, repeat 1 (element 0 q.0).1)",
)
fires(
    "loops_together",  # what is written as it is is no part of such a tuple
    "(reduceSeq (+) 0 ys, mapSeq abs xs, toPrivate (reduceSeq maximum (-5) ints))",
    f"{_Q}(q.0, q.1, toPrivate (reduceSeq maximum (-5) ints))",
)
fires(
    "loops_together",  # an array is accumulated
    "(mapSeq abs xs, mapSeq abs (element 0 (toPrivate (reduceSeq (λ(a, r). mapSeq (λ(b, x). b + x) (zip(a, r))) (repeat m 0:float32) xss))))",
    "let q = mapReduceSeq (λ(a, p). (mapSeq (λ(b, x). b + x) (zip(a, p.1)), abs p.0)) (repeat m 0:float32) (zip(xs, xss)) in (q.1, mapSeq abs (element 0 q.0))",
)
refuses(
    "loops_together",
    "(mapSeq abs xs, reduceSeq (+) 0 xs4)",  # as many turns do not do
    "(map abs xs, reduceSeq (+) 0 ys)",
    "(mapSeq abs xs, reduce (+) 0 ys)",
    "(mapSeq abs xs, map (λs. s * c) (reduceSeq (+) 0 ys))",  # read before it is kept
    "(mapSeq abs xs, mapSeq abs ys)",
    "(reduceSeq (+) 0 xs, reduceSeq (+) 0 ys)",
    "(mapSeq abs xs, reduceSeq (+) 0 (toPrivate (mapSeq abs xs)))",  # the sum needs the array
    "(mapSeq (λx. x * element 0 (toPrivate (reduceSeq (+) 0 ys))) xs, toPrivate (reduceSeq (+) 0 ys))",  # the array needs the sum
    "(mapSeq abs xs, toPrivate (reduceSeq (λ(a, r). map (λ(b, x). b + x) (zip(r, a))) (repeat m 0) xss))",  # no turn changes it where it lies
)
