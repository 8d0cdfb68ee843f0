"""Which arrays share a kernel with reductions of their columns; each condition on both sides."""

from __future__ import annotations

import random

import numpy as np
import pytest

from ir.core.expr import Expr
from ir.core.patterns import Join, Repeat, Tuple
from ir.core.semantics.interpreter import interpret
from ir.fusion.checks import Checks
from ir.fusion.partition import blocks as module
from ir.fusion.partition.kernels import partition
from ir.fusion.partition.reasons import Condition, Reasons
from ir.fusion.symbols.symbolise import symbolise
from ir.schedules.candidates import Candidates
from tests.ir.fusion.graphs import binary, run, unary
from tests.ir.fusion.test_blocks import INPUTS, A, M, N, P, R, columns, product, rows


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(module, "BLOCKS_BY_ITEMS_FROM_ELEMENTS", 1)
    monkeypatch.setattr(module, "BLOCKED_SIDE", (1, 1 << 17))


X = unary("abs", A)
SUMS = product(columns(X), R)


def together(*roots: Expr, by_items: bool = True) -> list[Expr]:
    """The kernels of an array and what is made of its columns; all values are as without."""
    parts = partition(roots, checks=Checks(), blocks=True, loops=True, by_items=by_items)
    for actual, root in zip(run(parts, INPUTS), roots, strict=True):
        np.testing.assert_allclose(actual, interpret(root, INPUTS), rtol=1e-12)
    found = [task.expr for task in parts.tasks if isinstance(task.expr, Tuple)]
    names = [{s.name for s in Candidates.of(symbolise(e, {}).expr).schedules} for e in found]
    assert all(names)
    return [e for e, each in zip(found, names, strict=True) if "array_columns" in each]


@pytest.mark.parametrize(
    "roots",
    [
        (X, SUMS),
        (SUMS, X),
        (X, product(columns(binary("multiply", X, X)), R)),  # of what is made of it, element by element
        (binary("add", A, Join(Repeat(N, P))), product(columns(binary("add", A, Join(Repeat(N, P)))), R)),
        (X, product(columns(X), unary("abs", R))),
        (X, SUMS, product(rows(X), SUMS)),  # which a second kernel reads
    ],
    ids=["sums", "order", "made", "repeated", "computed", "read"],
)
def test_an_array_and_reductions_of_its_columns_are_one_kernel(roots):
    (kernel,) = together(*roots)
    assert len(kernel.operands) == 2
    assert not together(*roots, by_items=False)


def test_what_is_made_of_the_reductions_is_computed_there_as_well():
    used = binary("add", unary("abs", SUMS), P)
    parts = partition((X, used), blocks=True, loops=True, by_items=True)
    assert [len(task.results) for task in parts.tasks] == [2]
    together(X, used)
    # which others need, too
    parts = partition((X, SUMS, used), blocks=True, loops=True, by_items=True)
    assert [len(task.results) for task in parts.tasks] == [2, 1]
    assert len(together(X, SUMS, used)) == 1
    # and what is made of that, where both are asked for
    twice = binary("add", used, used)
    parts = partition((X, used, twice), blocks=True, loops=True, by_items=True)
    assert [len(task.results) for task in parts.tasks] == [2, 1]
    assert len(together(X, used, twice)) == 1


OTHER = product(rows(A), P)


@pytest.mark.parametrize(
    "roots",
    [
        (SUMS,),  # nobody asks for the array
        (X, product(rows(X), P)),  # rows
        (X, product(columns(A), R)),  # of another array
        (X, product(columns(X), OTHER)),  # which need what is not there before the array is
        (X, SUMS, product(columns(X), unary("abs", R))),  # two, which share a kernel of their own
        (X, product(columns(binary("add", X, Join(Repeat(N, P)))), R)),  # of what is no element of it
    ],
    ids=["array", "rows", "other", "waits", "several", "elements"],
)
def test_other_reductions_are_not(roots):
    assert not together(*roots)


def test_a_value_between_them_that_others_read_is_stored():
    squares = binary("multiply", X, X)
    assert together(X, product(columns(squares), R))
    assert not together(X, product(columns(squares), R), product(rows(squares), P))


@pytest.mark.parametrize("side", [(8, 1 << 17), (1, 4)], ids=["narrow", "long"])
def test_narrow_and_long_matrices_are_two_kernels(monkeypatch, side):
    monkeypatch.setattr(module, "BLOCKED_SIDE", side)
    assert not together(X, SUMS)


def test_small_arrays_are_two_kernels(monkeypatch):
    monkeypatch.setattr(module, "BLOCKS_BY_ITEMS_FROM_ELEMENTS", 2 * N * M)
    assert not together(X, SUMS)


def test_of_two_reductions_that_need_the_array_one_shares_its_kernel():
    other = product(columns(X, 6), P)  # of another form
    assert len(together(X, SUMS, other)) == 1


def test_the_reason_says_why_they_are_apart():
    reasons = Reasons()
    partition((X, product(rows(X), P)), blocks=True, loops=True, by_items=True, reasons=reasons)
    assert Condition.RESULT in reasons.conditions(X, None)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_of_matrices_and_vectors_keep_their_values(seed):
    """However rows, columns and what is made of them depend on each other: no kernel waits for itself."""
    rng = random.Random(seed)
    matrices, of_rows, of_columns = [A, X], [R], [P]
    for _ in range(rng.randint(3, 9)):
        m = rng.choice(matrices)
        match rng.randrange(7):
            case 0:
                matrices.append(binary("add", m, Join(Repeat(N, rng.choice(of_columns)))))
            case 1:
                matrices.append(binary("multiply", m, rng.choice(matrices)))
            case 2:
                of_columns.append(product(columns(m), rng.choice(of_rows)))
            case 3:
                of_rows.append(product(rows(m), rng.choice(of_columns)))
            case 4:
                of_columns.append(binary("add", rng.choice(of_columns), rng.choice(of_columns)))
            case 5:
                of_rows.append(unary("abs", rng.choice(of_rows)))
            case 6:
                matrices.append(unary("abs", m))
    made = [*matrices[1:], *of_rows[1:], *of_columns[1:]]
    together(*dict.fromkeys(rng.sample(made, rng.randint(1, len(made)))))
