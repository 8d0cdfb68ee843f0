# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules that tiles need beside those of other maps."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses
from tests.ir.rules.notation import M, N

fires("join_out_of_map", "join (map (λr. join (map (repeat 2) r)) xss)", "join (join (map (map (repeat 2)) xss))")
refuses(
    "join_out_of_map",
    "join (map (map abs) xss)",
    "join (mapSeq (λr. join (mapSeq (repeat 2) r)) xss)",
    "join xss",
    "xs",
)
fires("row_pad", "xs4", "slice 0 1 (4*n) (concat(xs4, slice 0 1 n xs4))", count=N)
fires("row_pad", "map abs v8", "slice 0 1 8 (concat(map abs v8, slice 0 1 3 (map abs v8)))", count=3)
refuses("row_pad", "v8", count=9)
refuses("row_pad", "xs", "v8", count=M)
refuses("row_pad", "c", count=1)
fires(
    "rows_to_copies",
    "map (map (λ(x, y). x - y)) (split m (zip(nm, map abs nm)))",
    "let t = split m (zip(nm, map abs nm)) in map (λ(r, s). map (λ(y, p). p.0 - y) (zip(r, s))) (zip(map (map (λ(x, y). y)) t, t))",
    members=2,
)
fires(
    "rows_to_copies",
    "map (map (λ(x, y). x - y)) (split m (zip(nm, map abs nm)))",
    "let t = split m (zip(nm, map abs nm)) in map (λ(r, s, q). map (λ(x, y, p). x - y) (zip(r, s, q))) (zip(map (map (λ(x, y). x)) t, map (map (λ(x, y). y)) t, t))",
    members=3,
)
refuses("rows_to_copies", "map (map (λ(x, y). x - y)) (split m (zip(nm, nm)))", members=0)
refuses("rows_to_copies", "map (map (λ(x, y). x - y)) (split m (zip(nm, nm)))", members=4)
refuses(
    "rows_to_copies",
    "map (map abs) xss",
    "mapSeq (map (λ(x, y). x - y)) (split m (zip(nm, nm)))",
    "map (mapSeq (λ(x, y). x - y)) (split m (zip(nm, nm)))",
    "map (λr. map (λ(x, y). x - y * (element 0 r).0) r) (split m (zip(nm, nm)))",
    members=1,
)
