"""Sizes: one object for one size, its text, and what is refused."""

from __future__ import annotations

import copy
import math
import os
import pickle
import subprocess
import sys
import threading
from pathlib import Path

import pytest

from ir.core.sizes import (
    Size,
    SizeError,
    ceil_div,
    minimum,
    parse_size,
    power,
    size,
    var,
)

n = var("n", 1)
m = var("m", 1)


def test_variables_are_identified_by_name_and_range() -> None:
    assert var("n", 1) is n
    assert var("n", 0) is not n
    assert var("i", 0, size(7)) is var("i", 0, 7)
    assert var("i", 0, n - 1) is var("i", 0, n + 2 - 3)
    i = var("i", 0, n - 1)
    assert (i * 4).variables == {i}
    assert (i // m).variables == {i, m}
    assert (i.name, i.lo, i.hi, i.is_variable) == ("i", 0, n - 1, True)
    assert not (i + 1).is_variable
    with pytest.raises(SizeError, match="bare variable"):
        (i + 1).name
    twins = var("x", 0, 3) - var("x", 0, 4)
    assert twins.value is None
    assert len(twins.variables) == 2


@pytest.mark.parametrize("name", ["", "1x", "a b", "min", "max", "if", "a.b"])
def test_names_that_could_not_be_read_back_are_refused(name: str) -> None:
    with pytest.raises(SizeError, match="identifier"):
        var(name)


def test_constants_and_coercion() -> None:
    assert size(3) is size(size(3))
    assert size(True) is size(1)
    assert size(10**30) is size(10**30)
    assert size(3).value == 3
    assert n.value is None
    assert (n - n).value == 0
    assert 3 - n is -(n - 3)
    with pytest.raises(TypeError):
        size(1.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        n + 1.5  # type: ignore[operator]
    with pytest.raises(TypeError):
        assert n < 3  # type: ignore[operator]


def test_evaluation_errors_name_the_variable() -> None:
    with pytest.raises(SizeError, match="'m'"):
        (n + m).evaluate({"n": 1})


def test_copies_and_pickles_are_the_same_object() -> None:
    i = var("i", 0, n // 4 - 1)
    a = (i * m + 3) % 7 + minimum(i, m) // 2
    assert copy.deepcopy(a) is a
    assert copy.copy(a) is a
    assert pickle.loads(pickle.dumps(a)) is a
    assert pickle.loads(pickle.dumps([atom for monomial, _ in a.terms for atom, _ in monomial])) == [
        atom for monomial, _ in a.terms for atom, _ in monomial
    ]


def test_threads_build_one_object() -> None:
    results: list[list[Size]] = []
    start = threading.Barrier(8)

    def work() -> None:
        start.wait()
        x = var("thread_x", 0, 1000)
        results.append([(x * k + 1) // 7 + x % (k + 2) for k in range(1, 200)])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert all(a is b for other in results for a, b in zip(results[0], other, strict=True))


# -- text ------------------------------------------------------------------------------------------------------------


def test_canonical_text() -> None:
    i, j, k = var("i", 0, n - 1), var("j", 0, 3), var("k", 0)
    expected = {
        "4*i + j": j + 4 * i,
        "n // 4": n // 4,
        "(n + 3) // 4": ceil_div(n, 4),
        "i % 3": i % 3,
        "min(m, n)": minimum(n, m),
        "n**2": n * n,
        "n - i - 1": n - 1 - i,
        "-i": -i,
        "-i - 1": -i - 1,
        "3 - i": 3 - i,
        "i*m + j": j + i * m,
        "16*(n // 16)": 16 * (n // 16),
        "2**k": power(2, k),
        "(n // (2**k)) % 2": n // power(2, k) % 2,
        "(-2)**k": power(-2, k),
        "(-2)**k*2**k": power(-2, k) * power(2, k),
        "(m % 3)*(n % 4)": (n % 4) * (m % 3),
        "(n % 4)**2": (n % 4) * (n % 4),
        "0": size(0),
        "-3": size(-3),
    }
    scope = {"n": n, "m": m, "i": i, "j": j, "k": k}
    for text, a in expected.items():
        assert str(a) == text
        assert parse_size(text, scope) is a
    for exponent in range(9):
        a = math.prod([n % 4] * exponent, start=size(1))
        assert parse_size(str(a), scope) is a


@pytest.mark.parametrize(
    "text",
    [
        *("", "n +", "n / 2", "n.bit_length()", "f(n)", "min(n)", "min(n, 1, 2)", "max(n, key=1)", "1.5", "True"),
        *("'n'", "n[0]", "n if n else n", "lambda: n", "n < 3", "~n", "unknown", "n // 0", "n ** -1", "n\0"),
        *("10 ** 10 ** 10", "(" * 500 + "n" + ")" * 500, "9" * 5000, "__import__('os')"),
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(SizeError):
        parse_size(text, {"n": n})


PRINT_A_BATCH = """
from ir.core.sizes import *
names = ["n", "m", "a", "zeta", "k"]
vs = [var(x, 1) for x in ORDER(names)]
by = {v.name: v for v in vs}
n, m, a, zeta, k = (by[x] for x in names)
kept = [n // d for d in ORDER([7, 2, 11, 4, 3, 5])]
i, j = var("i", 0, n - 1), var("j", 0, m // 4 - 1)
same_name = {end: var("x", 0, end) for end in ORDER([7, 3, 9, 4])}
twins = var("x", 0, 3) * var("x", 0, 4) - 2 * var("x", 0, n)
batch = [n * m + a * zeta - k, minimum(n, minimum(m, zeta)) // k, (i * m + j) % 7 // 2, (a + zeta + k) // (n + m),
         (n % 4) * (m % 3) + n // 4 * m, maximum(i * 4 + j, k), power(n + m, 3), power(2, k) % zeta, twins, twins // 5,
         sum(end * x for end, x in sorted(same_name.items())), n - n // 4 * 4 - n // 3 * 3,
         5 * n - sum(n // d * d for d in (2, 3, 5, 7, 11)), m * n - n // k * k * m - m // k * k * n]
for s in batch:
    print(s, s.digest, s.bounds(), sorted(map(str, s.variables)), [c for _, c in s.terms])
"""


@pytest.mark.slow
def test_deterministic_over_hash_seeds_and_creation_orders() -> None:
    root = str(Path(__file__).parents[3])
    outputs = []
    for seed, order in [("0", "list"), ("1", "list"), ("2", "sorted"), ("3", "reversed")]:
        code = PRINT_A_BATCH.replace("ORDER", order)
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        outputs.append(done.stdout)
    assert outputs[0].count("\n") == 14
    assert all(output == outputs[0] for output in outputs)


@pytest.mark.parametrize("first", ["bounds", "division", "functions", "polynomials", "remainders", "terms", "text"])
def test_the_files_can_be_imported_in_any_order(first: str) -> None:
    use = "n = s.var('n', 1); print(n // 2 // 4, n % 3, s.is_le(1, n))"
    code = f"import ir.core.sizes.{first}, ir.core.sizes as s; {use}"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "n // 8 n % 3 True\n"
