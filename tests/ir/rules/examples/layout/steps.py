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


def bordered(x: str, before: str, behind: str, f: str = "λ(a, b). a - b") -> str:
    """A step of an array between others of one element each."""
    whole = f"concat({before}, {x}, {behind})"
    return f"map ({f}) (zip(slice 0 1 128 ({whole}), slice 2 1 128 ({whole})))"


def wrapped(x: str) -> str:
    """A step of an array that comes again at its ends."""
    return bordered(x, f"slice 127 1 1 ({x})", f"slice 0 1 1 ({x})")


def mirrored(x: str) -> str:
    """A step of an array that is mirrored at its ends."""
    return bordered(x, f"slice 1 1 1 ({x})", f"slice 126 1 1 ({x})")


def filled(x: str, first: float = 0.5, last: float = 0.5) -> str:
    """A step of an array between numbers."""
    return bordered(x, f"repeat 1 {first}:float32", f"repeat 1 {last}:float32")


def apart(step: str) -> str:
    """A step that is told apart from what it is made of."""
    return f"map (λx. x) ({step})"


for made in (wrapped, mirrored, filled):
    fires("step_told_apart", made("v128"), apart(made("v128")))
refuses(
    "step_told_apart",
    apart(wrapped("v128")),
    step("v128"),  # it keeps its border, and is told apart
    filled("v128", last=0.25),  # another number at the other end
    bordered("v128", "slice 127 1 1 v128", "slice 1 1 1 v128"),
    bordered("v128", "slice 127 1 1 w128", "slice 0 1 1 w128"),  # of another array
    mirrored(mirrored("v128")),  # two steps; of what is read around a mirror the second one is another function
    "map abs v128",
)
fires(
    "steps_in_tiles",
    apart(mirrored(apart(mirrored("v128")))),
    "concat("
    "(join ∘ map (λxs. let t1 = concat(map (-) (zip(slice 1 1 1 xs, slice 1 1 1 xs)), map (-) (zip(slice 0 1 20 xs, slice 2 1 20 xs))) in concat(map (-) (zip(slice 1 1 1 t1, slice 1 1 1 t1)), map (-) (zip(slice 0 1 19 t1, slice 2 1 19 t1)))) ∘ split 22 ∘ slice 0 1 22) v128, "
    "(join ∘ map (λxs. let t2 = map (-) (zip(slice 0 1 22 xs, slice 2 1 22 xs)) in map (-) (zip(slice 0 1 20 t2, slice 2 1 20 t2))) ∘ slide 24 20 ∘ slice 18 1 104) v128, "
    "(join ∘ map (λxs. let t3 = concat(map (-) (zip(slice 0 1 22 xs, slice 2 1 22 xs)), map (-) (zip(slice 22 1 1 xs, slice 22 1 1 xs))) in concat(map (-) (zip(slice 14 1 7 t3, slice 16 1 7 t3)), map (-) (zip(slice 21 1 1 t3, slice 21 1 1 t3)))) ∘ split 24 ∘ slice 104 1 24) v128)",
    rows=20,
    columns=1,
)
refuses(
    "steps_in_tiles",
    apart(mirrored(apart(wrapped("v128")))),  # of another kind
    apart(filled(apart(filled("v128", 0.25, 0.25)))),
    apart(wrapped("v128")),
    rows=20,
    columns=1,
)
