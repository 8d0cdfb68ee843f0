"""Numbers of kernels as inputs: which are, and that the kernel means the same."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.expr import postorder
from ir.core.notation.parser import parse
from ir.core.patterns import Literal
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import var
from ir.core.types import FLOAT32, INT32, array_of
from ir.fusion.symbols.literal_inputs import numbers_apart, opened
from ir.fusion.symbols.symbolise import SymbolicKernel
from tests.ir import values

N, M = var("n", 1), var("m", 1)
ENV = {
    "xs": array_of(FLOAT32, N), "ys": array_of(FLOAT32, N), "xss": array_of(FLOAT32, N, M), "is": array_of(INT32, N),
}  # fmt: skip
SIZES = {"n": 7, "m": 3}


def kernel(text: str) -> SymbolicKernel:
    return SymbolicKernel(parse(text, ENV), (), SIZES, False)


def apart(text: str) -> list[float]:
    return [literal.value for literal in numbers_apart(parse(text, ENV))[1]]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("map (λx. x * 2.5 + 1) xs", [2.5, 1]),
        ("map (λx. x * 2.5 + 2.5) xs", [2.5]),  # one number in two places
        ("map (λx. (x * 2) * (x + 3)) xs", [2, 3]),
        ("reduce (+) 0 (map (λx. x * 2) xs)", [2]),
        ("reduce (λ(a, x). a + x) 1 xs", []),
        ("scan (+) 3 (map (λx. x - 4) xs)", [4]),
        ("join (map (λr. reduce (+) 0 (map (λx. x * 5) r)) xss)", [5]),
        ("map (λx. select (x > 2) x 3) xs", [2, 3]),
        ("map (λ(x, y). x * 2 + y) (zip(map abs xs, repeat n 4:float32))", [2]),  # what is repeated stays
        ("map (λi. i * 2 + 1) is", [2, 1]),
        ("map (λx. x * 2) (gather xs (map (λi. i // 3) is))", [2]),  # the index is computed with integers
        ("map (λi. float32 i * 2) (generate int32 n (λi. i * 3))", [2]),
        ("map (λx. x | true) (map (λx. x > 1) xs)", [1]),
        ("map abs xs", []),
        ("map (λx. (x * 2) ** 3 + 4) xs", [2, 4]),
    ],
)
def test_which_numbers_come_apart(text, expected):
    assert apart(text) == expected


def test_kernels_that_differ_in_numbers_are_the_same_apart_from_them():
    one, other = (
        numbers_apart(parse(f"map (λ(x, y). x * {a} + y * {b}) (zip(xs, ys))", ENV)) for a, b in ((2, 3), (7, 0.5))
    )
    assert one[0] is other[0]
    assert numbers_apart(parse("map (λ(x, y). x * 2 + y * 2) (zip(xs, ys))", ENV))[0] is not one[0]


@pytest.mark.parametrize("which", [{0}, {1}, {0, 1}, set()])
@pytest.mark.parametrize(
    "text",
    [
        "map (λ(x, y). x * 2.5 + y * 3) (zip(xs, ys))",
        "reduce (+) 0 (map (λx. (x - 2.5) * 3) xs)",
        "zip(map (λx. x * 2.5) xs, map (λy. y - 3) ys)",
        "map (λx. x * 2.5 - 3) (slice (n - 1) (-1) n xs)",
        "join (map (λr. reduce maximum (-inf) (map (λx. x * 2.5 + 3) r)) xss)",
        "map (λp. p.0 * 2.5 + p.1 * 3) (zip(ys, xs))",  # whose inputs come in another order
    ],
)
def test_a_kernel_that_reads_its_numbers_means_the_same(text, which):
    general = kernel(text)
    found, numbers = numbers_apart(general.expr)
    assert [number.value for number in numbers] == [2.5, 3]
    made = opened(general, numbers, found, which)
    inputs = values.random_inputs(general.expr, SIZES, seed=4, whole=False)
    old = [node for node in postorder(general.expr) if node.name == "param" and not node.binder]
    given = {
        f"x{i}": inputs[old[x]] if isinstance(x, int) else np.array([x.value], x.dtype.name)
        for i, x in enumerate(made.inputs)
    }
    assert sum(isinstance(x, Literal) for x in made.inputs) == len(which)
    assert sorted(x for x in made.inputs if isinstance(x, int)) == list(range(len(old)))
    values.assert_identical(interpret(made.general.expr, given, SIZES), interpret(general.expr, inputs, SIZES))
