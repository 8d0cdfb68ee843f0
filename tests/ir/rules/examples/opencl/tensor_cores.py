"""Examples of the rules of `ir.rules.opencl.tensor_cores`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses


def _outer_products(term: str, rows: int = 16, columns: int = 8) -> str:
    """Chunks of 8 outer products, added up."""
    added = f"map (λ(r, a). map (λ(d, b). d + {term}) (zip(r, x.1))) (zip(cs, x.0))"
    beside = f"split 8 (split {columns} (slice 0 1 {8 * columns} w128))"
    chunks = f"zip(split 8 (split {rows} (slice 0 1 {8 * rows} v128)), {beside})"
    turn = f"λ(ass, p). element 0 (reduceSeq (λ(cs, x). {added}) ass (zip(p.0, p.1)))"
    return f"element 0 (reduceSeq ({turn}) (repeat {rows} (repeat {columns} 0.0:float32)) ({chunks}))"


def _by_warp(p: str, q: str, width: int = 1) -> str:
    """What a warp makes of them."""
    shown = (
        "join ∘ join ∘ map (map (map join)) ∘ map (map (map join)) ∘ map (map (map transpose)) ∘ map transpose ∘ "
        "map (map transpose) ∘ map (map (map transpose)) ∘ transpose ∘ map transpose ∘ "
        "map (map (map (map (split 2)))) ∘ split 4"
    )
    turn = f"λ(cs, p). mma {width} cs (map (map ({p})) p.0) (map (map ({q})) p.1)"
    columns = 8 if width == 1 else 16
    held = f"repeat 32 (repeat 1 (repeat {columns // 8} (repeat 4 0.0:float32)))"
    chunks = f"zip(split 8 (split 16 (slice 0 1 128 v128)), split 8 (split {columns} (slice 0 1 {8 * columns} w128)))"
    return f"({shown} ∘ element 0 ∘ reduceSeq ({turn}) ({held})) ({chunks})"


fires(
    "reduce_by_warp",
    _outer_products("round_to_tf32 a * round_to_tf32 b"),
    _by_warp("round_to_tf32", "round_to_tf32"),
    width=1,
)
fires(
    "reduce_by_warp",
    _outer_products("round_to_tf32 a * round_to_tf32 b", columns=16),
    _by_warp("round_to_tf32", "round_to_tf32", width=4),
    width=4,
)
refuses("reduce_by_warp", _outer_products("round_to_tf32 a * round_to_tf32 b"), width=4)
refuses("reduce_by_warp", _outer_products("round_to_tf32 a * round_to_tf32 b", columns=16), width=2)
fires(
    "reduce_by_warp",
    _outer_products("round_to_tf32 (a + c) * round_to_tf32 (abs b)"),
    _by_warp("λx. round_to_tf32 (x + c)", "round_to_tf32 ∘ abs"),
    width=1,
)
refuses(
    "reduce_by_warp",
    _outer_products("a * round_to_tf32 b"),
    _outer_products("round_to_tf32 a * round_to_tf32 a"),
    _outer_products("round_to_tf32 a + round_to_tf32 b"),
    _outer_products("round_to_tf32 a * round_to_tf32 b", rows=8),
    "element 0 (reduceSeq (+) 0.0:float32 xs)",
    width=1,
)

fires(
    "reduce_by_warp",
    _outer_products("cut_to_tf32 a * round_to_tf32 b"),
    _by_warp("λx. x", "round_to_tf32").replace("map (map (λx. x)) p.0", "p.0"),
    width=1,
)

fires(
    "round_beforehand",
    "map (λxs. map (λys. reduce (+) 0.0:float32 (map (λ(x, y). round_to_tf32 x * round_to_tf32 (abs y)) (zip(xs, "
    "ys)))) yss) xss",
    "map (λxs. map (λys. reduce (+) 0.0:float32 (map (λ(x, y). cut_to_tf32 x * cut_to_tf32 y) (zip(xs, ys)))) (map "
    "(map (round_to_tf32 ∘ abs)) yss)) (map (map round_to_tf32) xss)",
)
fires(
    "round_beforehand",
    "map (λxs. map (λys. element 0 (reduce (+) 0.0:float32 (map (λ(y, x). round_to_tf32 x * round_to_tf32 y) (zip(ys, "
    "xs))))) yss) xss",
    "map (λxs. map (λys. element 0 (reduce (+) 0.0:float32 (map (λ(x, y). cut_to_tf32 x * cut_to_tf32 y) (zip(xs, "
    "ys))))) (map (map round_to_tf32) yss)) (map (map round_to_tf32) xss)",
)
refuses(
    "round_beforehand",
    "map (λxs. map (λys. reduce (+) 0.0:float32 (map (λ(x, y). round_to_tf32 x * y) (zip(xs, ys)))) yss) xss",
    "map (λxs. map (λys. reduce (+) 0.0:float32 (map (λ(x, y). round_to_tf32 x + round_to_tf32 y) (zip(xs, ys)))) yss) "
    "xss",
    "map (λxs. map (λys. reduce (+) 0.0:float32 (map (λ(x, y). round_to_tf32 x * round_to_tf32 x) (zip(xs, ys)))) yss) "
    "xss",
    "map (λxs. map (λys. reduce (+) 0.0:float32 (map (λ(x, y). cut_to_tf32 x * cut_to_tf32 y) (zip(xs, ys)))) yss) xss",
    *(
        "map (λxs. map (λys. reduce (+) 0.0:float32 (map (λ(x, y). round_to_tf32 x * round_to_tf32 (y * "
        f"{other})) (zip(xs, ys)))) yss) xss"
        for other in ("element 0 xs", "element 0 ys")
    ),
)


def _inside(depth: int, views: str) -> str:
    return f"map ({_inside(depth - 1, views)})" if depth else views


def _by_lanes(exchanged: tuple[int, ...], down: int, steps: int, tiles: int) -> str:
    """The views of flat numbers, and those before, of a matrix of `tiles` times as many terms as a tile has."""
    there = [_inside(depth, "transpose") for depth in exchanged]
    apart = (_inside(6, "split 4"), _inside(5, "split 8"), _inside(4, f"split {8 * steps}"), f"split {down}")
    flat = (*["join"] * 7, *reversed(there), *apart, _inside(1, "split 8"), "split 16")
    shown = ("join", "join", _inside(2, "join"), _inside(4, "join ∘ join ∘ join"), *there)
    counts = [f"split {n}" for n in (tiles, down, steps, 8, 4, 2, 2)]
    return " ∘ ".join((*shown, *counts, *flat))


for _rule, _exchanged in (
    ("rows_by_lanes", (3, 2, 1, 4, 3, 4, 5, 6, 5)),
    ("columns_by_lanes", (3, 2, 1, 4, 3, 4, 6, 5)),
):
    for _of, (_down, _steps, _tiles) in (
        ("split 8 v128", (1, 1, 1)),
        ("split 32 v1024", (2, 2, 2)),
        ("split 32 v1024", (1, 1, 4)),
    ):
        _tile = {"rows": 16 * _down, "terms": 8 * _steps}
        fires(_rule, _of, f"({_by_lanes(_exchanged, _down, _steps, _tiles)}) ({_of})", **_tile)
    refuses(_rule, "split 4 v128", "split 16 v128", "xss", "split 8 (split 1 v128)", "ints", rows=16, terms=8)
    refuses(_rule, "map (slice 0 1 0) (split 8 v128)", rows=16, terms=8)
    for _tile in (
        {"rows": 32, "terms": 8},
        {"rows": 16, "terms": 16},
        {"rows": 8, "terms": 8},
        {"rows": 0, "terms": 8},
    ):
        refuses(_rule, "split 8 v128", **_tile)

fires(
    "pad_terms",
    "map (λxs. map (λys. element 0 (reduce (+) 0.0:float32 (map (*) (zip(xs, ys))))) yss) xss",
    "map (λxs. map (λys. element 0 (reduce (+) 0.0:float32 (map (*) (zip(xs, ys))))) (map (λys. concat(ys, repeat 3 "
    "0.0:float32)) yss)) (map (λxs. concat(xs, repeat 3 0.0:float32)) xss)",
    count=3,
)
fires(
    "pad_terms",
    "map (λxs. map (λys. reduce (+) 0.0:float32 (map (*) (zip(ys, xs)))) yss) xss",
    "map (λxs. map (λys. reduce (+) 0.0:float32 (map (*) (zip(ys, xs)))) (map (λys. concat(ys, repeat 1 0.0:float32)) "
    "yss)) (map (λxs. concat(xs, repeat 1 0.0:float32)) xss)",
    count=1,
)
refuses(
    "pad_terms",
    "map (λxs. map (λys. reduce (+) 0.0:float32 (map (λ(x, y). x * y + 1) (zip(xs, ys)))) yss) xss",
    "map (λxs. map (λys. reduce (*) 1.0:float32 (map (*) (zip(xs, ys)))) yss) xss",
    "map (λxs. map (λys. reduce (+) 0.0:float32 (map (*) (zip(xs, xs)))) yss) xss",
    "map (λxs. map (λys. reduceSeq (-) 0.0:float32 (map (*) (zip(xs, ys)))) yss) xss",
    "map (λxs. map (λys. reduce (+) 0.0:float32 (map (λ(x, y). x * (y * c)) (zip(xs, ys)))) yss) xss",
    count=3,
)
