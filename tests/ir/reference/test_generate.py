"""What NumPy programs of graphs are: statements, memory, what is refused; random ones have the interpreter's values."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.expr import Expr, fun
from ir.core.patterns import (
    REDUCE_SEQ,
    Call,
    Concat,
    Element,
    Get,
    Iterate,
    Join,
    Literal,
    Map,
    Reduce,
    Repeat,
    Scatter,
    Slice,
    Split,
    Tuple,
    Zip,
)
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import var
from ir.core.types import FLOAT32, FLOAT64, INT32, ArrayType, TupleType
from ir.cost.thresholds.tiers import COPIES_POOLED_FROM, TURNS_WRITTEN_UP_TO
from ir.reference import calls, cumulative, folds, selections, source
from ir.reference.generate import write
from ir.reference.source import UnwrittenError
from tests.ir.reference.checks import U32, add, check, leaf, sum_of, values
from tests.ir.reference.programs import flat_program, flat_results
from tests.tiers import by_tier


@pytest.mark.parametrize(
    "root",
    [
        Reduce(fun((FLOAT64, FLOAT64), add), Literal(0, FLOAT64), leaf("x", TURNS_WRITTEN_UP_TO + 1), REDUCE_SEQ),
        Iterate(
            2,
            var("m", 1),
            fun(ArrayType(FLOAT64, 2 * var("m", 1)), lambda xs: Slice(0, 2, var("m", 1), xs)),
            leaf("x", 4),
        ),
        Repeat(0, Literal(0, FLOAT64)),
        Scatter(
            fun((FLOAT64, FLOAT64), lambda a, b: Call("subtract", a, Call("abs", b))),
            fun(FLOAT64, lambda v: Tuple(Literal(0, INT32), v)),
            leaf("x", 4),
            leaf("x", 4),
        ),
    ],
    ids=["reduceSeq", "iterate", "empty", "scatter"],
)
def test_what_has_no_calls_is_refused(root):
    with pytest.raises(UnwrittenError):
        write([root], [leaf("x", 4), leaf("x", TURNS_WRITTEN_UP_TO + 1)])


def test_equal_statements_are_one_and_dead_ones_none():
    x = leaf("x", 6)
    rows = Split(3, x)

    def centred(r: Expr) -> Expr:
        mean = Element(0, sum_of(r))
        return Map(fun(FLOAT64, lambda e: Call("subtract", e, mean)), r)

    twice = Map(fun(ArrayType(FLOAT64, 3), lambda r: Zip(centred(r), centred(r))), rows)
    made = check(flat_results(twice), values(x))
    assert made.text.count("op_add.reduce") == 1
    assert made.text.count("op_subtract(") == 1
    unused = Map(
        fun(TupleType((FLOAT64, FLOAT64)), lambda p: Get(0, p)), Zip(x, Map(fun(FLOAT64, lambda e: Call("exp", e)), x))
    )
    assert "op_exp" not in check([unused], values(x)).text


def test_memory_of_dead_values_is_used_again():
    x = leaf("x", 4096)
    e: Expr = x
    for name in ("abs", "sqrt", "negative"):
        e = Map(fun(FLOAT64, lambda v, name=name: Call(name, v)), e)
    text = check([e, sum_of(x)], values(x)).text
    assert text.count("out=") == 2  # not over the input
    rows = ArrayType(FLOAT64, 64)
    sums = Join(Map(fun(rows, sum_of), Split(64, e)))
    assert (
        "; del t"
        in check(
            [Map(fun(FLOAT64, lambda v: Call("sqrt", v)), Map(fun(FLOAT64, lambda v: Call("abs", v)), sums))], values(x)
        ).text
    )


def test_bits_of_an_input_are_not_written_to():
    x = leaf("x", 4096, FLOAT32)
    low = Map(fun(FLOAT32, lambda v: Call("bitwise_and", Call("bits", v), Literal(7, U32))), x)
    twice = Map(fun(U32, lambda v: Call("bitwise_xor", v, Literal(3, U32))), low)
    assert check([twice], values(x)).text.count("out=") == 1


def test_results_keep_no_larger_memory_alive():
    x = leaf("x", 1000)
    given = values(x)
    (found,) = write([Slice(10, 1, 5, x)], [x]).call(*given.values())
    assert not np.may_share_memory(found, given[x])
    (whole,) = write([x], [x]).call(*given.values())
    np.testing.assert_array_equal(whole, given[x])


@pytest.mark.slow
def test_a_long_chain_is_written_iteratively():
    x = leaf("x", 3)
    e: Expr = x
    for _ in range(20000):
        e = Map(fun(FLOAT64, lambda v: Call("negative", v)), e)
    (found,) = write([e], [x]).call(np.array([1.0, -2.0, 3.0]))
    np.testing.assert_array_equal(found, [1.0, -2.0, 3.0])


@pytest.mark.parametrize("small_is_large", [False, True])
def test_random_programs_have_the_interpreters_values(monkeypatch, small_is_large):
    """Also where what is done with large arrays alone is done with these."""
    if small_is_large:
        monkeypatch.setattr(source, "NUMPY_REUSED_FROM", 9)  # no numbers
        monkeypatch.setattr(source, "COPIES_POOLED_FROM", 9)
        monkeypatch.setattr(folds, "TERMS_IN_A_ROW", 1)
        monkeypatch.setattr(folds, "TERMS_OF_A_PRODUCT", 2)
        monkeypatch.setattr(calls, "TERMS_IN_A_ROW", 2)
        monkeypatch.setattr(calls, "TERMS_OF_A_PRODUCT", 2)
        monkeypatch.setattr(cumulative, "_IN_TURN", 3)
        monkeypatch.setattr(cumulative, "CUMULATIVE_PAIRS_UP_TO", 8)
        monkeypatch.setattr(cumulative, "CUMULATIVE_BLOCK", 16)
        monkeypatch.setattr(selections, "SELECTED_FROM", 2)
        monkeypatch.setattr(calls, "_WIDENED_UP_TO", 0)
    compared = 0
    for seed in range(by_tier(60, 300, 1200)):
        made = flat_program(seed, steps=12)
        if made is None:
            continue
        roots, inputs = made
        try:
            check(roots, inputs)
        except UnwrittenError:
            continue
        compared += 1
    assert compared > by_tier(20, 100, 500)


def test_large_results_lie_in_the_memory_that_is_given_for_them():
    """But for those of operands that lie column by column."""
    xs, ys = (leaf(name, COPIES_POOLED_FROM // 4) for name in ("xs", "ys"))
    inputs = values(xs, ys)
    made = []

    def empty(shape, dtype):
        made.append(np.empty(shape, dtype))
        return made[-1]

    def added(x, y):
        return Map(fun(TupleType((FLOAT64, FLOAT64)), lambda v: Call("add", Get(0, v), Get(1, v))), Zip(x, y))

    joined = Concat(xs, ys)  # as a roll is
    for root in (joined, added(xs, ys), added(added(xs, ys), xs)):  # the second sum takes the memory of the first
        made.clear()
        (found,) = write([root], [xs, ys], empty=empty).call(*inputs.values())
        np.testing.assert_array_equal(found, interpret(root, inputs))
        (memory,) = made
        assert np.may_share_memory(found, memory)
    assert source._memory(empty, (3, 2), "<f8", np.ones((3, 2))) is made[-1]
    for operand, strides in (
        (np.ones((2, 3)).T, (8, 24)),
        (np.ones((3, 1)), (16, 8)),
        (np.ones((1, 2)), (16, 8)),
        (np.ones(2), (16, 8)),
        (np.ones((3, 4))[:, ::2], (16, 8)),
        (np.ones((2, 9)).T[::-3], (8, 24)),
    ):
        assert source._memory(empty, (3, 2), "<f8", np.ones(1), operand).strides == strides
    found = source._memory(empty, (5, 3, 2), "<f8", np.ones((2, 3)).T, np.ones((5, 1, 1)))
    assert (found.shape, found.strides) == ((5, 3, 2), (48, 8, 24))
