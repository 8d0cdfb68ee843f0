# ruff: noqa: E501  # an expression reads best on one line
"""Examples of `ir.rules.opencl.in_order`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

fires(
    "maps_in_order",
    "mapWorkgroup (λr. map abs (map abs r)) xss",
    "mapWorkgroup (λr. mapSeq abs (toPrivate (mapSeq abs r))) xss",
    at_=(0, 0),
    width=1,
)
fires(
    "maps_in_order",
    "mapWorkgroup (λr. map (λ(x, y). x + y) (zip(slice 0 1 6 (map abs v8), slice 2 1 6 (map abs v8)))) xss",
    "let t = toPrivate (asScalar (mapSeq abs (asVector 4 v8))) in let z = zip(slice 0 1 6 t, slice 2 1 6 t) in mapWorkgroup (λr. overlap 6 (asScalar (mapSeq (+) (asVector 4 (slice 0 1 4 z)))) (asScalar (mapSeq (+) (asVector 4 (slice 2 1 4 z))))) xss",
    at_=(0, 0),
    width=4,
)
fires(
    "maps_in_order",
    "mapWorkgroup (λc. map (λr. concat(slice 0 1 1 r, map abs (slice 1 1 2 r))) (map (map abs) c)) cube",
    "mapWorkgroup (λc. mapSeq (λr. concat(mapSeq (λx. x) (slice 0 1 1 r), mapSeq abs (slice 1 1 2 r))) (toPrivate (mapSeq (mapSeq abs) c))) cube",
    at_=(0, 0),
    width=1,
)
refuses(
    "maps_in_order",
    "mapWorkgroup (λr. map abs (mapSeq abs r)) xss",
    "mapWorkgroup (λr. map abs (scan (+) 0 r)) xss",
    "mapWorkgroup (λr. concat(r, r)) xss",  # nothing is computed
    "mapWorkgroup (λc. map (λr. reduce (+) 0 r) c) cube",
    "mapWorkgroup (λc. map (λr. map abs (map abs r)) c) cube",  # a row would have to be kept for each
    at_=(0, 0),
    width=1,
)
refuses("maps_in_order", "mapWorkgroup (λr. map abs r) xss", at_=(0, 0), width=5)
refuses(
    "maps_in_order", "map (λ(r, x). zip(repeat 2 r, repeat 2 x)) (zip(map (λx. repeat 3 x) (map abs xs), xs))", width=1
)
refuses(
    "maps_in_order",
    "map (λ(r, x). concat(zip(repeat 2 r, repeat 2 x), zip(repeat 2 r, repeat 2 x))) (zip(map (repeat 3) (map abs xs), xs))",
    width=1,
)
fires(
    "maps_by_items",
    "mapWorkgroup (λr. map (λ(x, y). x + y) (zip(slice 0 1 6 (map abs v8), slice 2 1 6 (map abs v8)))) xss",
    "let t1 = toLocal (concat((join ∘ mapSeq (mapLocal abs) ∘ split 3 ∘ slice 0 1 6) v8, (mapLocal abs ∘ slice 6 1 2) v8)) in mapWorkgroup (λxs. (join ∘ mapSeq (mapLocal (+)) ∘ split 3) (zip(slice 0 1 6 t1, slice 2 1 6 t1))) xss",
    at_=(0, 0),
    items=3,
    each=1,
)
fires(
    "maps_by_items",
    "mapWorkgroup1 (mapWorkgroup0 (λc. map (λr. concat(slice 0 1 1 r, map abs (slice 1 1 1 r))) (map (λr. map abs r) (split 2 v8)))) (repeat 2 xss)",
    "let t1 = split 2 v8 in let t2 = toLocal (concat((join ∘ mapLocal1 (mapSeq (mapLocal abs)) ∘ split 3 ∘ slice 0 1 3) t1, (mapLocal1 (mapLocal abs) ∘ slice 3 1 1) t1)) in (mapWorkgroup1 (mapWorkgroup (λxs. concat((join ∘ mapLocal1 (mapSeq (λys. concat((mapLocal (λx. x) ∘ slice 0 1 1) ys, (mapLocal abs ∘ slice 1 1 1) ys))) ∘ split 3 ∘ slice 0 1 3) t2, (mapLocal1 (λys. concat((mapLocal (λx. x) ∘ slice 0 1 1) ys, (mapLocal abs ∘ slice 1 1 1) ys)) ∘ slice 3 1 1) t2))) ∘ repeat 2) xss",
    at_=(0, 0, 0, 0),
    items=1,
    each=3,
)
fires(
    "maps_by_items",
    "mapWorkgroup (λc. map (λr. map abs r) c) cube",
    "mapWorkgroup (λxs. concat((join ∘ mapSeq (mapLocal1 (mapLocal abs)) ∘ split 4 ∘ slice 0 1 (4*(m // 4))) xs, (mapLocal1 (mapLocal abs) ∘ slice (4*(m // 4)) 1 (m % 4)) xs)) cube",
    at_=(0, 0),
    items=4,
    each=1,
)
refuses(
    "maps_by_items",
    "mapWorkgroup (λr. map abs (mapSeq abs r)) xss",
    "mapWorkgroup (λr. concat(r, r)) xss",  # nothing is computed
    "mapSeq (λr. map abs r) xss",
    at_=(0, 0),
    items=4,
    each=1,
)
refuses("maps_by_items", "mapWorkgroup (λr. map abs r) xss", at_=(0, 0), items=0, each=1)
