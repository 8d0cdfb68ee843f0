"""Which arrays share a kernel with reductions of their columns; each condition on both sides."""

from __future__ import annotations

import random
from functools import reduce

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun
from ir.core.notation.parser import parse
from ir.core.patterns import Call, Concat, Join, Literal, Repeat, Scan, Slice, Tuple
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT64, INT32, array_of
from ir.fusion.checks import Checks
from ir.fusion.partition import array_columns
from ir.fusion.partition import blocks as module
from ir.fusion.partition.kernels import partition
from ir.fusion.partition.reasons import Condition, Reasons
from ir.fusion.program import plan_program
from ir.fusion.symbols.structure_key import structure_key
from ir.fusion.symbols.symbolise import symbolise
from ir.schedules.candidates import Candidates
from tests.ir.fusion.graphs import binary, run, unary
from tests.ir.fusion.test_blocks import INPUTS, A, B, M, N, P, R, columns, flat, product, rows


@pytest.fixture(autouse=True)
def _small(monkeypatch):
    monkeypatch.setattr(array_columns, "is_worth_blocks", lambda *_, **__: True)
    monkeypatch.setattr(module, "is_worth_blocks", lambda *_: True)
    monkeypatch.setattr(module, "BLOCKED_SIDE", (1, 1 << 17))


X = unary("abs", A)
SUMS = product(columns(X), R)


def scanned(xs: Expr) -> Expr:
    return Scan(fun((FLOAT64, FLOAT64), lambda a, b: Call("add", a, b)), Literal(0, FLOAT64), xs)


def together(*roots: Expr, by_items: bool = True) -> list[Expr]:
    """The kernels of an array and what is made of its columns; all values are as without."""
    parts = partition(roots, checks=Checks(), loops=True, written=True, by_items=by_items)
    inputs = INPUTS | {"C": np.arange(20.0)}
    for actual, root in zip(run(parts, inputs), roots, strict=True):
        np.testing.assert_allclose(actual, interpret(root, inputs), rtol=1e-12)
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
        (X, product(columns(X), product(rows(A), P))),  # beside what another kernel makes
        (X, SUMS, product(rows(X), SUMS)),  # which a second kernel reads
    ],
    ids=["sums", "order", "made", "repeated", "computed", "beside", "read"],
)
def test_an_array_and_reductions_of_its_columns_are_one_kernel(roots):
    (kernel,) = together(*roots)
    assert len(kernel.operands) == 2
    assert not together(*roots, by_items=False)


@pytest.mark.slow
def test_what_is_made_of_the_reductions_is_computed_there_as_well():
    used = binary("add", unary("abs", SUMS), P)
    parts = partition((X, used), loops=True, written=True, by_items=True)
    assert [len(task.results) for task in parts.tasks] == [2]
    together(X, used)
    # of several results none is written beside the array
    for roots in ((X, SUMS, used), (X, used, binary("add", used, used))):
        parts = partition(roots, loops=True, written=True, by_items=True)
        assert sorted(len(task.results) for task in parts.tasks) == [1, 2]
        assert not together(*roots)


@pytest.mark.parametrize(
    "roots",
    [
        (SUMS,),  # nobody needs the array
        (X, product(rows(X), P)),  # rows
        (X, product(columns(A), R)),  # of another array
        (X, product(columns(X), product(rows(X), P))),  # which need what waits for the array
        (X, SUMS, product(columns(X), unary("abs", R))),  # two, which share a kernel of their own
        (X, product(columns(binary("add", X, Join(Repeat(N, P)))), R)),  # of what is no element of it
    ],
    ids=["array", "rows", "other", "waits", "several", "elements"],
)
def test_other_reductions_are_not(roots):
    assert not together(*roots)


def test_what_others_read_as_well_is_computed_again_or_stored():
    squares = binary("multiply", X, X)
    assert together(X, product(columns(squares), R), product(rows(squares), P))
    assert not together(X, squares, product(columns(squares), R), product(rows(squares), P))[1:]


def parsed(*lines: str) -> tuple[Expr, ...]:
    """A program's results, which the last line puts into brackets."""
    inputs = {"A": A.type, "B": B.type, "C": array_of(FLOAT64, 5 * M), "p": P.type, "r": R.type}
    return parse(" ".join(lines), inputs).operands


def test_an_array_that_other_kernels_read_is_written_as_well():
    """Nobody asks for it, but it is stored."""
    x = reduce(lambda x, _: unary("sin", x), range(20), A)  # to compute it twice is more work
    sums = product(columns(x), R)
    assert len(together(sums, product(rows(x), P))) == 1


NUMBER = unary("abs", Param("p0", array_of(FLOAT64, 1)))
LONG = reduce(lambda x, _: binary("add", unary("abs", x), A), range(8), A)


@pytest.mark.parametrize(
    "roots",
    [
        (X, binary("add", SUMS, product(columns(X), unary("abs", R)))),  # one result of two reductions
        (unary("abs", scanned(A)), product(columns(unary("abs", scanned(A))), R)),  # a scan is no map
        (Concat(X, A), product(columns(Concat(X, A)), Concat(R, R))),  # nor are two parts
        (NUMBER, product(columns(binary("add", A, Join(Repeat(N * M, NUMBER)))), R)),  # one number of all elements
        (X, product(columns(B), Slice(0, M, N, X))),  # of what is not made of it
    ],
    ids=["two", "scan", "parts", "number", "unlike"],
)
def test_these_are_two_kernels(roots):
    assert not together(*roots)


def test_columns_of_which_an_index_is_found_are_two_kernels():
    """Their accumulators are pairs."""
    text = (
        "let b = map (λx. x * 3) xs in (b, map (λp. p.1) (join (map (λc. reduce (λ(x, y). "
        "let f = (y.0 > x.0) | (y.0 >= x.0) & (y.1 < x.1) in (select(f, y.0, x.0), select(f, y.1, x.1))) "
        "(-2147483648, 2147483647) (zip(c, generate int32 6 (λi. i)))) (transpose (split 4 b)))))"
    )
    roots = parse(text, {"xs": array_of(INT32, N * M)}).operands
    parts = partition(roots, loops=True, written=True, by_items=True)
    assert not any(isinstance(task.expr, Tuple) for task in parts.tasks)


def test_what_only_the_columns_need_is_stored_where_it_is_read_often():
    roots = product(columns(X), Slice(0, M, N, X)), product(rows(B), P)
    parts = partition(roots, loops=True, written=True, by_items=True)
    assert len(parts.tasks) == 3


def test_both_together_have_no_more_vertices_than_a_kernel_may():
    roots = LONG, product(columns(reduce(lambda x, _: binary("add", unary("sin", x), A), range(8), LONG)), R)
    assert len(together(*roots)) == 1
    apart = partition(roots, limit=40, loops=True, written=True, by_items=True)
    assert not any(isinstance(task.expr, Tuple) for task in apart.tasks)


def test_a_kernel_does_not_wait_for_itself():
    """What is stored between the array and the columns, or is read beside them, is made of the array."""
    between = parsed(
        "let b = map abs A in",
        "let w = map abs (slice 0 4 6 b) in",
        "(b, join (map (λc. reduce (+) 0 (map (*) (zip(c, w)))) (transpose (split 4 b))))",
    )
    together(*between)
    beside = parsed(
        "let b = map abs A in",
        "let w = map abs (slice 0 1 4 b) in",
        "(b, map (*) (zip(join (map (reduce (+) 0) (transpose (split 4 b))), w)), map (*) (zip(C, join (repeat 5 w))))",
    )
    together(*beside)
    chain = X
    for _ in range(60):
        chain = binary("add", unary("abs", chain), A)
    together(X, product(columns(chain), R))


def test_no_other_kernel_is_given_up_where_there_is_no_schedule():
    """The array is a view when it is brought into its normal form."""
    roots = parsed(
        "let b = map abs (join (transpose (split 6 A))) in",
        "(b, join (map (reduce (+) 0) (transpose (split 4 b))),",
        "join (map (λx. reduce (+) 0 (map (*) (zip(x, p)))) (split 4 B)),",
        "join (map (λx. reduce (+) 0 (map (*) (zip(x, r)))) (transpose (split 4 B))))",
    )
    made = plan_program(roots, structure_key(roots, flat), flat, 1)
    names = [{s.name for s in Candidates.of(step.general.expr).schedules} for step in made.steps]
    assert sum("blocks_items" in each for each in names) == 1
    assert not any("array_columns" in each for each in names)


@pytest.mark.parametrize("side", [(8, 1 << 17), (1, 4)], ids=["narrow", "long"])
def test_narrow_and_long_matrices_are_two_kernels(monkeypatch, side):
    monkeypatch.setattr(module, "BLOCKED_SIDE", side)
    assert not together(X, SUMS)


def test_small_arrays_are_two_kernels(monkeypatch):
    monkeypatch.setattr(array_columns, "is_worth_blocks", lambda *_, **__: False)
    assert not together(X, SUMS)


def test_of_two_reductions_that_need_the_array_one_shares_its_kernel():
    other = product(columns(X, 6), P)  # of another form
    assert len(together(X, SUMS, other)) == 1


def test_the_reason_says_why_they_are_apart():
    reasons = Reasons()
    partition((X, product(rows(X), P)), loops=True, written=True, by_items=True, reasons=reasons)
    assert Condition.RESULT in reasons.conditions(X, None)


@pytest.mark.parametrize("seed", range(40))
def test_random_programs_of_matrices_and_vectors_keep_their_values(seed):
    """However rows, columns and what is made of them depend on each other: no kernel waits for itself."""
    rng = random.Random(seed)
    matrices, of_rows, of_columns = [A, X], [R], [P]
    for _ in range(rng.randint(3, 9)):
        m = rng.choice(matrices)
        match rng.randrange(9):
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
            case 7:
                of_columns.append(unary("abs", Slice(0, 1, M, m)))
            case 8:
                of_rows.append(unary("abs", Slice(0, M, N, m)))
    made = [*matrices[1:], *of_rows[1:], *of_columns[1:]]
    together(*dict.fromkeys(rng.sample(made, rng.randint(1, len(made)))))
