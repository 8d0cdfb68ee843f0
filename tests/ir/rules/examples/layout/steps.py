# ruff: noqa: E501  # an expression reads best on one line
"""Examples of `ir.rules.layout.steps`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses


def step(x: str, f: str = "λ(a, b). a - b", kept: str = "slice 127 1 1") -> str:
    """A step that keeps the first and the last element."""
    return over(x, x, f, kept, x)


def over(x: str, first: str, f: str = "λ(a, b). a - b", kept: str = "slice 127 1 1", last: str = "") -> str:
    """A step of an array that keeps the first and the last element of others, or of one other."""
    last = last or first
    return f"map (λx. x) (concat(slice 0 1 1 ({first}), map ({f}) (zip(slice 0 1 126 ({x}), slice 2 1 126 ({x}))), {kept} ({last})))"


def wide(x: str, border: str) -> str:
    """A step that keeps two elements at each end."""
    return f"map (λx. x) (concat(slice 0 1 2 ({border}), map (λ(a, b). a - b) (zip(slice 0 1 124 ({x}), slice 4 1 124 ({x}))), slice 126 1 2 ({border})))"


TWO = step(step("v128"))

fires(
    "steps_in_tiles",
    TWO,
    "concat("
    "(join ∘ map (λxs. let t1 = concat(slice 0 1 1 xs, map (-) (zip(slice 0 1 20 xs, slice 2 1 20 xs))) in concat(slice 0 1 1 t1, map (-) (zip(slice 0 1 19 t1, slice 2 1 19 t1)))) ∘ split 22 ∘ slice 0 1 22) v128, "
    "(join ∘ map (λxs. let t2 = map (-) (zip(slice 0 1 22 xs, slice 2 1 22 xs)) in map (-) (zip(slice 0 1 20 t2, slice 2 1 20 t2))) ∘ slide 24 20 ∘ slice 18 1 104) v128, "
    "(join ∘ map (λxs. let t3 = concat(map (-) (zip(slice 0 1 22 xs, slice 2 1 22 xs)), slice 23 1 1 xs) in concat(map (-) (zip(slice 14 1 7 t3, slice 16 1 7 t3)), slice 22 1 1 t3)) ∘ split 24 ∘ slice 104 1 24) v128)",
    rows=20,
    columns=1,
)
refuses("steps_in_tiles", TWO, rows=63, columns=1)  # two tiles and what is around them are more
refuses("steps_in_tiles", TWO, rows=0, columns=1)
refuses("steps_in_tiles", TWO, rows=1, columns=1)  # an inner tile would reach the border
refuses(
    "steps_in_tiles",
    step("v128"),
    step(step("v128"), "λ(a, b). b - a"),  # another step
    step(step("v128", kept="slice 126 1 1")),  # it moves what it keeps
    step(step("map (λx. abs x) v128")),
    "map abs v128",
    rows=20,
    columns=1,
)

fires("border_of_step_before", over(step("v128"), "v128"), TWO)
fires("border_of_step_before", over(step("v128"), step("v128"), last="v128"), TWO)
fires("border_of_step_before", over(over("w128", "v128"), "v128"), step(over("w128", "v128")))
fires("border_of_step_before", over(wide("w128", "v128"), "v128"), step(wide("w128", "v128")))
refuses(
    "border_of_step_before",
    TWO,  # it is made of one array
    step("v128"),
    over("w128", "v128"),
    over(step("w128"), "v128"),  # the step before has another border
    over(over("v128", "v128", last="w128"), "v128"),
    wide(step("v128"), "v128"),  # it keeps less
    over(step("v128"), "v128", kept="slice 126 1 1"),  # what is kept is moved
    over(step("v128", kept="slice 126 1 1"), "v128"),
    over(step("v128"), "w128", last="v128"),
    "map (λx. x) (concat(slice 0 1 1 v128, map (λ(a, b). a - b) (zip(slice 0 1 126 v128, slice 2 1 126 ("  # it reads more
    + step("v128")
    + "))), slice 127 1 1 v128))",
)
