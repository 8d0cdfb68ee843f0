"""The memory of operands that die takes results, and that of no other."""

from __future__ import annotations

import operator
import random
from functools import reduce
from itertools import accumulate

import numpy as np
import pytest

from lazyarr.eager import temporaries
from lazyarr.memory.snapshots import COPIES_POOLED_FROM, COUNTS
from tests.lazyarr.eager.support import eager

ROWS = COPIES_POOLED_FROM // 800 + 9

pytestmark = pytest.mark.skipif(not COUNTS, reason="references do not tell who holds an array")


@pytest.fixture
def fresh(monkeypatch):
    """How many results took memory that no operand had."""
    taken = []
    pooled = temporaries.pooled

    def counted(shape, dtype, shifted):
        taken.append(shape)
        return pooled(shape, dtype, shifted)

    monkeypatch.setattr(temporaries, "pooled", counted)

    def count(function, *arguments):
        function(*arguments)  # operators are made on first use
        taken.clear()
        function(*arguments)
        return len(taken)

    return count


def step(a, b):
    return 0.125 * (a[2:] - 2.0 * a[1:-1] + a[:-2]) + b[1:-1]


def negated(a, b):
    return -a * (b - a)


def both_die(a, b):
    return (a + b) * (a - b)


def nothing_dies(a, b):
    c = a + b
    return c * 2.0


def the_result_is_another(a, b):
    return a + b > 0.5


def kept_by_a_name(a, b):
    return [(c := a + b) * 2.0, c]


@pytest.mark.parametrize(
    ("function", "count"),
    [(step, 1), (negated, 2), (both_die, 2), (nothing_dies, 2), (the_result_is_another, 2), (kept_by_a_name, 2)],
)
def test_operands_that_die_give_their_memory(function, count, fresh):
    a, b = eager(ROWS, 100), eager(ROWS, 100)
    assert fresh(function, a, b) == count
    found, wanted = function(a, b), function(np.asarray(a), np.asarray(b))
    np.testing.assert_array_equal(np.asarray(found), np.asarray(wanted))


def elements_of_objects(x):
    held = np.empty(2, object)
    held[0], held[1] = x + 1.0, x + 2.0
    return [(held + 1.0)[0], (held[:] * 2.0)[1], (held * 2.0 - 1.0)[0], (0.5 + (held - held))[1], *held]


def views(x):
    return [(y := x + 1.0)[1:], y * 2.0, (x - 1.0)[::2] * 2.0, (x * x).T + 1.0, (z := (x - 3.0)[:3]) * 2.0, z]


def functions(x):
    made = [x + float(i) for i in range(4)]
    total = sum(made)
    return [total, reduce(operator.add, made), *accumulate(made), operator.mul(x + 1.0, x), (x + 1.0).__add__(x), *made]


def turns(x):
    found = []
    for i in range(3):
        y = x * 2.0 + float(i)
        found.append(y if i else y + 1.0)
    return [*found, y]


def ways(x):
    return [(x + 1.0 if i else x) * 2.0 + (x - 1.0 and 1.0 if i > 5 else 3.0) for i in range(3)] + [x]


def dtypes(x):
    y = x.astype("int32")
    return [(y + 1) / 2, (y + 1) * 2.5, (y * 2) // 3, (x > 1.0) & (x < 3.0), (y + 1) ** 2, (x + 1j * x) * (1 + 2j)]


def shapes(x):
    row = x[0] + 1.0
    return [(x - row) / (row + 2.0), (row * 2.0) + x, row]


@pytest.mark.parametrize("function", [elements_of_objects, views, functions, turns, ways, dtypes, shapes])
def test_what_is_held_keeps_its_value(function):
    x = eager(ROWS, 100)
    y = np.asarray(x).copy()
    for _ in range(3):
        with np.errstate(all="ignore"):
            expected = function(y)
        for found, wanted in zip(function(x), expected, strict=True):
            np.testing.assert_array_equal(np.asarray(found), wanted)


def test_generators_and_threads_of_calls_keep_what_they_hold():
    def held(a):
        yield (a + 1.0) * (yield a) + (a - 1.0)

    x = eager(ROWS, 100)
    turns = held(x)
    next(turns)
    np.testing.assert_array_equal(
        np.asarray(turns.send(x + 2.0)), (y := np.asarray(x)) * 0 + (y + 1) * (y + 2) + (y - 1)
    )


SYMBOLS = ("+", "-", "*", "/")


def expression(chance: random.Random, names: list[str], depth: int) -> str:
    if depth == 0 or chance.random() < 0.2:
        return chance.choice([*names, "2.0", "a[:]", "b[::-1]", "0.5", "k"])
    if chance.random() < 0.15:
        return f"-({expression(chance, names, depth - 1)})"
    if chance.random() < 0.1:
        names.append(f"t{len(names)}")
        name = names[-1]
        return f"({name} := {expression(chance, names[:-1], depth - 1)} + 0.25 * a)"
    left, right = (expression(chance, names, depth - 1) for _ in range(2))
    return f"({left} {chance.choice(SYMBOLS)} {right})"


@pytest.mark.parametrize("seed", range(12))
def test_random_statements_give_numpys_bits(seed):
    chance = random.Random(seed)
    names, lines = ["a", "b"], []
    for i in range(8):
        lines.append(f"s{i} = {expression(chance, names, 4)} + a * 0")
        names.append(f"s{i}")
        if chance.random() < 0.4:
            lines.append(f"a[1:-1] = ({expression(chance, names, 3)} + a * 0)[1:-1]")
    names = [name for name in names if f"{name} :=" in "".join(lines) or f"{name} =" in "".join(lines)]
    text = "def f(a, b, k):\n    " + "\n    ".join(lines) + f"\n    return [{', '.join(names)}, a, b]"
    scope: dict[str, object] = {}
    exec(text, scope)
    x, y = eager(ROWS, 100), eager(ROWS, 100)
    u, v = np.asarray(x).copy(), np.asarray(y).copy()
    with np.errstate(all="ignore"):
        wanted = scope["f"](u, v, 1.25)
    for found, each in zip(scope["f"](x, y, 1.25), wanted, strict=True):
        np.testing.assert_array_equal(np.asarray(found), each)


def test_where_operands_come_from():
    def function(a, b, c):
        return (a + b) * c[1:] - (-b if c else f(a + b, a * b)) * (b - a)

    known = temporaries._operands(function.__code__)
    assert len(known) == 7
    sums = [places for places in known.values() if places != (-1, -1)]
    assert all(each in known or each == -1 for places in sums for each in places)
    assert len(sums) >= 2


def f(x, y):
    return x
