"""The memory of operands that die takes results, and that of no other."""

from __future__ import annotations

import dis
import gc
import operator
import random
from concurrent.futures import ThreadPoolExecutor
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


def both_die(a, b):
    return (a[:] + b) * (a - b[:])


def one_is_taken(a, b):
    return 2.0 * (a + b[::-1]) - a


def of_names(a, b):
    return (a + b) * 2.0


def nothing_dies(a, b):
    c = a[:] + b
    return c * 2.0


def the_result_is_another(a, b):
    return a[:] + b > 0.5


def kept_by_a_name(a, b):
    return [(c := a[:] + b) * 2.0, c]


@pytest.mark.parametrize(
    ("function", "count"),
    [
        (step, 1),
        (both_die, 2),
        (one_is_taken, 1),
        (of_names, 2),
        (nothing_dies, 2),
        (the_result_is_another, 2),
        (kept_by_a_name, 2),
    ],
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


def matrices_of_objects(x):
    """Each element of what dies is read several times."""
    held = np.empty((2, 2), object)
    for i in range(4):
        held[i // 2, i % 2] = x + float(i)
    column, turned = held[:, :1], np.array([[0.0, -1.0], [1.0, 0.0]], object)
    found = [(held * 2.0) @ turned, turned @ (held[:] * 2.0), (held[:] - 1.0) @ (held[::-1] * 2.0)]
    found += [(column * 2.0) * held[0], held[0] * (column[:] * 2.0), (held[0][:] + 1.0)[:, None] * (held - held[0])]
    found += [np.dot(held[:] * 2.0, turned), (held[0] * 2.0)[:, None] * (held[1] - 1.0)]
    return [*np.concatenate([np.ravel(each) for each in found]), *held.ravel()]


def arrays_and_objects_in_turns(x):
    """The same instructions meet arrays, whose results are kept, and then objects, these results among them."""
    held, found, factors = np.empty((2, 1), object), [], np.ones((1, 3), object)
    given = [x, x + 1.0, held, x - 1.0, held]
    for each in given:
        made = (each[:] * 2.0 - 1.0) * (factors if each is held else 3.0)
        if each is held:
            found += [*made.ravel(), *((each[:] * 2.0) @ factors).ravel(), *held.ravel()]
        else:
            held[1, 0], held[0, 0] = each[1:], made
        del made
    return found


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


@pytest.mark.parametrize(
    "function",
    [
        elements_of_objects,
        matrices_of_objects,
        arrays_and_objects_in_turns,
        views,
        functions,
        turns,
        ways,
        dtypes,
        shapes,
    ],
)
def test_what_is_held_keeps_its_value(function):
    x = eager(ROWS, 100)
    y = np.asarray(x).copy()
    for _ in range(3):
        with np.errstate(all="ignore"):
            expected = function(y)
        for found, wanted in zip(function(x), expected, strict=True):
            np.testing.assert_array_equal(np.asarray(found), wanted)


def test_what_is_found_without_a_name_keeps_its_value():
    """The instructions say that an operand dies; references, that somebody has it."""
    x, y = eager(ROWS, 100), eager(ROWS, 100)
    a, held = np.asarray(x).copy(), []

    def found():
        held[:] = [each for each in gc.get_objects() if type(each) is type(x) and each is not x and each is not y]
        return 2.0

    for _ in range(2):
        made = (x[:] + y) * found()
        np.testing.assert_array_equal(np.asarray(made), (a + a) * 2.0)
        sums = [each for each in held if each.shape == x.shape and each is not made and getattr(each, "made_by", None)]
        assert sums
        assert any(np.array_equal(np.asarray(each), a + a) for each in sums)


def test_generators_keep_what_they_hold():
    def held(a):
        yield (a[:] + 1.0) * (yield a) + (a[:] - 1.0)

    x = eager(ROWS, 100)
    y = np.asarray(x).copy()
    several = [held(x) for _ in range(3)]
    for each in several:
        next(each)
    for i, each in enumerate(several):
        np.testing.assert_array_equal(np.asarray(each.send(x + float(i))), (y + 1.0) * (y + i) + (y - 1.0))


def test_threads_keep_what_they_hold():
    x = eager(ROWS, 100)
    y = np.asarray(x).copy()

    def worked(number: float) -> bool:
        wanted = (y + number) * (y - 2.0) - (y[::-1] * number)
        return all(
            np.array_equal(np.asarray((x[:] + number) * (x - 2.0) - (x[::-1] * number)), wanted) for _ in range(20)
        )

    with ThreadPoolExecutor(4) as threads:
        assert all(threads.map(worked, map(float, range(8))))


SYMBOLS = ("+", "-", "*", "/")


def expression(chance: random.Random, names: list[str], depth: int) -> str:
    if depth == 0 or chance.random() < 0.2:
        return chance.choice([*(f"{name}[:]" for name in names), *names, "2.0", "b[::-1]", "0.5", "k"])
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
        return (a[1:] + b) * c - (-b[0] if c else b[0]) * (2.0 - (a + b))

    code = function.__code__
    noted = [
        (each.opname, each.argrepr, each.offset)
        for each in dis.get_instructions(code)
        if each.opname in temporaries._NOTED and each.argrepr != "[]"
    ]
    parts = [at for name, _, at in noted if name != "BINARY_OP"]
    operators = {at: sign for name, sign, at in noted if name == "BINARY_OP"}
    plus, times, again, difference, product, all_of_it = operators
    assert [operators[at] for at in (plus, times, again, difference, product, all_of_it)] == [
        "+",
        "*",
        "+",
        "-",
        "*",
        "-",
    ]
    starts = {at: tuple(each.start for each in places) for at, places in temporaries._operands(code).items()}
    assert starts == {
        plus: (parts[0], 0), times: (plus, 0), difference: (0, again), product: (0, difference),
        all_of_it: (0, product),
    }  # fmt: skip


def test_code_is_known_as_long_as_it_lives():
    scope: dict[str, object] = {}
    exec("def f(x): return (x[:] + 1.0) * 2.0", scope)
    x = eager(ROWS, 100)
    _ = (x[:] + 1.0) * 2.0  # operators are written out when they are used first, by a function that calls them then
    gc.collect()
    before = len(temporaries._known)
    scope["f"](x)
    assert len(temporaries._known) == before + 1
    scope.clear()
    gc.collect()
    assert len(temporaries._known) == before
