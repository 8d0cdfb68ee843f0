# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.folds.exponentials`. Powers of two are exact, so that values can be compared."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

LEAST = "-3.4028234663852886e38:float32"
ADD = "λ(a, b). let t = a.1 >= b.1 in let f = exp2 (negative (abs (a.1 - b.1))) in (maximum a.0 b.0, maximum a.1 b.1, select(t, a.2, a.2 * f) + select(t, b.2 * f, b.2))"
NONE = f"(-inf:float32, {LEAST}, 0:float32)"
OF = f"λx. let r = maximum (round (x * 0.0625) * 16 + 0) ({LEAST}) in (x, r, exp2 (x - r))"
TOGETHER = f"reduce ({ADD}) {NONE} ∘ map ({OF})"
TOTAL = "map (λp. p.2 * exp2 (p.1 - p.0))"
LESS = "map (λp. exp2 (p.0 - p.1))"
MAXIMUM = "reduce maximum (-inf)"

fires(
    "normaliser_in_one_reading",
    f"reduce (+) 0 ({LESS} (zip(ws, (join ∘ repeat (n + 8) ∘ {MAXIMUM}) ws)))",
    f"({TOTAL} ∘ {TOGETHER}) ws",
)
fires(  # in two maps
    "normaliser_in_one_reading",
    f"(reduce (+) 0 ∘ map exp2 ∘ map (-)) (zip(ws, (join ∘ repeat (n + 8) ∘ {MAXIMUM}) ws))",
    f"({TOTAL} ∘ {TOGETHER}) ws",
)
fires(  # of each row the numbers less its own maximum
    "normaliser_in_one_reading",
    f"(join ∘ map (reduce (+) 0) ∘ split 4 ∘ {LESS}) (zip(xs4, (join ∘ transpose ∘ repeat 4 ∘ join ∘ map ({MAXIMUM}) ∘ split 4) xs4))",
    f"({TOTAL} ∘ join ∘ map ({TOGETHER}) ∘ split 4) xs4",
)
fires(  # and of each column
    "normaliser_in_one_reading",
    f"(join ∘ map (reduce (+) 0) ∘ transpose ∘ split n ∘ {LESS}) (zip(map abs xs4, (join ∘ repeat 4 ∘ join ∘ map ({MAXIMUM}) ∘ transpose ∘ split n ∘ map abs) xs4))",
    f"({TOTAL} ∘ join ∘ map ({TOGETHER}) ∘ transpose ∘ split n ∘ map abs) xs4",
)
refuses(
    "normaliser_in_one_reading",
    f"reduce (+) 0 ({LESS} (zip(ws, (join ∘ repeat (n + 8) ∘ reduce minimum inf) ws)))",  # another reduction
    f"reduce (+) 0 ({LESS} (zip(xs4, (join ∘ repeat (4*n) ∘ {MAXIMUM}) ys4)))",  # of other numbers
    f"reduce (+) 0 ({LESS} (zip(xs4, ys4)))",
    f"reduce (+) 0 (map (λp. exp2 (p.1 - p.0)) (zip(ws, (join ∘ repeat (n + 8) ∘ {MAXIMUM}) ws)))",  # less the numbers
    f"reduce (+) 0 (map (λp. tanh (p.0 - p.1)) (zip(ws, (join ∘ repeat (n + 8) ∘ {MAXIMUM}) ws)))",
    f"reduce (+) 1 ({LESS} (zip(ws, (join ∘ repeat (n + 8) ∘ {MAXIMUM}) ws)))",
    f"{MAXIMUM} ({LESS} (zip(ws, (join ∘ repeat (n + 8) ∘ {MAXIMUM}) ws)))",
    # each row is shown another one's maximum, or the maximum of columns, or of all
    f"(join ∘ map (reduce (+) 0) ∘ split 4 ∘ {LESS}) (zip(xs4, (join ∘ repeat 4 ∘ join ∘ map ({MAXIMUM}) ∘ split 4) xs4))",
    f"(join ∘ map (reduce (+) 0) ∘ split 4 ∘ {LESS}) (zip(xs4, (join ∘ repeat 4 ∘ join ∘ map ({MAXIMUM}) ∘ transpose ∘ split n) xs4))",
    f"(join ∘ map (reduce (+) 0) ∘ split 4 ∘ {LESS}) (zip(xs4, (join ∘ repeat (4*n) ∘ {MAXIMUM}) xs4))",
)

fires("maximum_with_exponentials", f"{MAXIMUM} xs", f"(map (λp. p.0) ∘ {TOGETHER}) xs", op="exp2")
fires(
    "maximum_with_exponentials",
    f"(join ∘ map ({MAXIMUM}) ∘ transpose ∘ split n) xs4",
    f"(map (λp. p.0) ∘ join ∘ map ({TOGETHER}) ∘ transpose ∘ split n) xs4",
    op="exp2",
)
fires(
    "maximum_with_exponentials",
    f"{MAXIMUM} xs",
    f"(map (λp. p.0) ∘ {TOGETHER}) xs".replace("exp2", "exp"),
    op="exp",
)
refuses(
    "maximum_with_exponentials",
    "reduce minimum inf xs",
    "reduce maximum 0 xs",
    "reduce maximum (-2147483648) ints",
    "(join ∘ map (reduce (+) 0) ∘ split 4) xs4",
    op="exp2",
)
refuses("maximum_with_exponentials", f"{MAXIMUM} xs", op="tanh")

_BLOCK = f"λp. let m = maximum p.0 p.1 in let r = maximum (round (m * 0.0625) * 16 + 0) ({LEAST}) in (m, r, exp2 (p.0 - r) + exp2 (p.1 - r))"
_COLUMNS = "let t1 = (transpose ∘ split 2) xs4 in"
fires(
    "exponentials_in_blocks",
    f"({TOGETHER}) xs4",
    f"{_COLUMNS} (reduce ({ADD}) {NONE} ∘ map ({_BLOCK})) (zip(element 0 t1, element 1 t1))",
    ways=2,
)
_STEP = "λ(p, q). let t = p.0.1 >= q.0.1 in let f = exp2 (negative (abs (p.0.1 - q.0.1))) in let u = select(t, p.0.2, p.0.2 * f) in let v = select(t, q.0.2 * f, q.0.2) in let s = u + v in let a = s - u in ((maximum p.0.0 q.0.0, maximum p.0.1 q.0.1, s), select(t, p.1, p.1 * f) + select(t, q.1 * f, q.1) + (u - (s - a) + (v - a)))"
_PAIRS = f"reduce ({_STEP}) ({NONE}, -0.0:float32)"
fires(  # with corrections, which a block has none of
    "exponentials_in_blocks",
    f"({_PAIRS} ∘ map (λx. let r = maximum (round (x * 0.0625) * 16 + 0) ({LEAST}) in ((x, r, exp2 (x - r)), -0.0:float32))) xs4",
    f"{_COLUMNS} ({_PAIRS} ∘ map (λp. let m = maximum p.0 p.1 in let r = maximum (round (m * 0.0625) * 16 + 0) ({LEAST}) in ((m, r, exp2 (p.0 - r) + exp2 (p.1 - r)), -0.0:float32))) (zip(element 0 t1, element 1 t1))",
    ways=2,
)
refuses("exponentials_in_blocks", f"({TOGETHER}) xs4", ways=1)
refuses(
    "exponentials_in_blocks",
    f"({TOGETHER}) xs",
    "reduce (+) 0 xs4",
    f"reduce ({ADD}) {NONE} (map (λx. (x, x, x)) xs4)",
    f"reduce ({ADD}) (0:float32, 0:float32, 0:float32) (map ({OF}) xs4)",
    ways=2,
)
