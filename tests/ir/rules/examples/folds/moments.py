# ruff: noqa: E501  # an equation reads best on one line
"""Examples of the rules of `ir.rules.folds.moments`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

ADD = "λ(a, b). (a.0 + b.0, a.1 + b.1)"
NEAR = "float64 (select(isfinite {0}, {0}, 0:float32))"
POWERS = f"λp. let d = float64 p.0 - {NEAR.format('p.1')} in (d, d * d)"


def together(n: str) -> str:
    return f"λvs. reduce ({ADD}) (0:float64, 0:float64) (map ({POWERS}) (zip(vs, (join ∘ map (repeat ({n})) ∘ slice 0 1 1) vs)))"


def squares(n: str) -> str:
    return f"map (λp. float32 (maximum (p.1 - p.0 * p.0 / fromSize float64 ({n})) (0:float64)))"


def added(n: str) -> str:
    return f"map (λp. float32 (fromSize float64 ({n}) * {NEAR.format('p.1')} + p.0.0))"


def mean(n: str) -> str:
    return f"map (λx. x / fromSize float32 ({n}))"


SQUARED = "map (λp. (p.0 - p.1) * (p.0 - p.1))"
SUM = "reduce (+) 0"

fires(
    "squares_in_one_reading",
    f"{SUM} ({SQUARED} (zip(ws, (join ∘ repeat (n + 8) ∘ {mean('n + 8')} ∘ {SUM}) ws)))",
    f"({squares('n + 8')} ∘ ({together('n + 8')})) ws",
)
fires(  # in two maps
    "squares_in_one_reading",
    f"({SUM} ∘ map (λd. d * d) ∘ map (-)) (zip(ws, (join ∘ repeat (n + 8) ∘ {mean('n + 8')} ∘ {SUM}) ws))",
    f"({squares('n + 8')} ∘ ({together('n + 8')})) ws",
)
fires(  # of each row the numbers less its own mean
    "squares_in_one_reading",
    f"(join ∘ map ({SUM}) ∘ split 4 ∘ {SQUARED}) (zip(xs4, (join ∘ transpose ∘ repeat 4 ∘ {mean('4')} ∘ join ∘ map ({SUM}) ∘ split 4) xs4))",
    f"({squares('4')} ∘ join ∘ map ({together('4')}) ∘ split 4) xs4",
)
fires(  # and of each column
    "squares_in_one_reading",
    f"(join ∘ map ({SUM}) ∘ transpose ∘ split n ∘ {SQUARED}) (zip(map abs xs4, (join ∘ repeat 4 ∘ {mean('4')} ∘ join ∘ map ({SUM}) ∘ transpose ∘ split n ∘ map abs) xs4))",
    f"({squares('4')} ∘ join ∘ map ({together('4')}) ∘ transpose ∘ split n ∘ map abs) xs4",
)
refuses(
    "squares_in_one_reading",
    f"{SUM} ({SQUARED} (zip(ws, (join ∘ repeat (n + 8) ∘ {SUM}) ws)))",  # not divided
    f"{SUM} ({SQUARED} (zip(ws, map (λp. p.0 * p.1) (zip(ws, ws)))))",  # nor is a pair
    f"{SUM} ({SQUARED} (zip(ws, (join ∘ repeat (n + 8) ∘ {mean('n + 7')} ∘ {SUM}) ws)))",  # by another number
    f"{SUM} ({SQUARED} (zip(ws, (join ∘ repeat (n + 8) ∘ {mean('n + 8')} ∘ reduce maximum (-inf)) ws)))",
    f"{SUM} ({SQUARED} (zip(xs4, (join ∘ repeat (4*n) ∘ {mean('4*n')} ∘ {SUM}) ys4)))",  # of other numbers
    f"{SUM} (map (λp. (p.0 - p.1) * (p.1 - p.0)) (zip(ws, (join ∘ repeat (n + 8) ∘ {mean('n + 8')} ∘ {SUM}) ws)))",
    f"{SUM} (map (λp. (p.0 + p.1) * (p.0 + p.1)) (zip(ws, (join ∘ repeat (n + 8) ∘ {mean('n + 8')} ∘ {SUM}) ws)))",
    f"reduce (+) 1 ({SQUARED} (zip(ws, (join ∘ repeat (n + 8) ∘ {mean('n + 8')} ∘ {SUM}) ws)))",
    f"reduce maximum (-inf) ({SQUARED} (zip(ws, (join ∘ repeat (n + 8) ∘ {mean('n + 8')} ∘ {SUM}) ws)))",
    # each row is shown another one's mean, or the mean of columns, or of all
    f"(join ∘ map ({SUM}) ∘ split 4 ∘ {SQUARED}) (zip(xs4, (join ∘ repeat 4 ∘ {mean('4')} ∘ join ∘ map ({SUM}) ∘ split 4) xs4))",
    f"(join ∘ map ({SUM}) ∘ split 4 ∘ {SQUARED}) (zip(xs4, (join ∘ repeat 4 ∘ {mean('4')} ∘ join ∘ map ({SUM}) ∘ transpose ∘ split n) xs4))",
    f"(join ∘ map ({SUM}) ∘ split 4 ∘ {SQUARED}) (zip(xs4, (join ∘ repeat (4*n) ∘ {mean('4*n')} ∘ {SUM}) xs4))",
)

fires(
    "sum_with_squares",
    f"{SUM} ws",
    f"{added('n + 8')} (zip(({together('n + 8')}) ws, slice 0 1 1 ws))",
)
fires(
    "sum_with_squares",
    f"(join ∘ map ({SUM}) ∘ transpose ∘ split n) xs4",
    f"{added('4')} (zip((join ∘ map ({together('4')}) ∘ transpose ∘ split n) xs4, (join ∘ map (slice 0 1 1) ∘ transpose ∘ split n) xs4))",
)
refuses("sum_with_squares", "reduce maximum (-inf) xs", "reduce (+) 1 xs", "reduce (+) 0 ints")
refuses(
    "sum_with_squares",
    "(reduce (+) 0 ∘ slice 0 1 0) xs",
    "(join ∘ map (reduce (+) 0) ∘ map (slice 0 1 0) ∘ split 4) xs4",
)
