"""Element-wise functions in blocks: which statements form regions, and that the bits are those of whole arrays."""

from __future__ import annotations

import re
from itertools import product

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from ir.core.expr import Expr, Param, fun
from ir.core.patterns import Call, Cast, Get, Join, Literal, Map, Reduce, Slice, Split, Transpose, Zip
from ir.core.types import FLOAT32, FLOAT64, INT32, ArrayType, ScalarType, TupleType
from ir.reference import blocks, regions
from ir.reference.blocks import in_blocks
from ir.reference.generate import NumPyProgram, write
from ir.reference.source import UnwrittenError
from tests.ir.reference.programs import Inputs, flat_program
from tests.tiers import by_tier

NEVER = 1 << 60


@pytest.fixture
def small(monkeypatch):
    """Blocks of a few elements, on three threads."""
    monkeypatch.setattr(regions, "BLOCKS_FROM_ELEMENTS", 2)
    monkeypatch.setattr(regions, "BLOCK_BYTES", 100)
    monkeypatch.setattr(regions, "BLOCK_ELEMENTS_AT_LEAST", 2)
    monkeypatch.setattr(regions, "THREADS_FROM_SECONDS", 0.0)
    monkeypatch.setattr(regions, "threads_at_most", lambda: 3)


def leaf(name: str, length: int, t: ScalarType = FLOAT64) -> Param:
    return Param(name, ArrayType(t, length))


def each(f, *xs: Expr) -> Expr:
    """A function of one element of each array, over all of them."""
    types = [x.type.element for x in xs]
    if len(xs) == 1:
        return Map(fun(types[0], f), xs[0])
    return Map(fun(TupleType(tuple(types)), lambda p: f(*[Get(i, p) for i in range(len(xs))])), Zip(*xs))


def numbers(*leaves: Param) -> Inputs:
    rng = np.random.default_rng(5)
    return {x: rng.uniform(-9, 9, x.type.length.value).astype(str(x.type.element)) for x in leaves}


def same_bits(monkeypatch, roots: list[Expr], inputs: Inputs) -> NumPyProgram:
    """The program in blocks and that of whole arrays give the same; the first is given back."""
    made = write(roots, list(inputs))
    with monkeypatch.context() as m, np.errstate(all="ignore"):
        m.setattr(regions, "BLOCKS_FROM_ELEMENTS", NEVER)
        whole = write(roots, list(inputs))
        assert "in_blocks" not in whole.text
        for got, want in zip(made.call(*inputs.values()), whole.call(*inputs.values()), strict=True):
            assert (got.dtype, got.shape) == (want.dtype, want.shape), made.text
            assert got.tobytes() == want.tobytes(), made.text
    return made


# --- which statements are carried out together ------------------------------------------------------------------------


def test_what_lies_between_becomes_no_array(small, monkeypatch):
    x, y = leaf("x", 1009), leaf("y", 1009)
    e = each(
        lambda a, b: Call("select", Call("less", a, b), Call("sqrt", Call("abs", a)), Cast(Cast(b, FLOAT32), FLOAT64)),
        x, y,
    )  # fmt: skip
    made = same_bits(monkeypatch, [e], numbers(x, y))
    assert made.text.count("in_blocks(") == 1
    block, program = made.text.split("def program")
    assert "select_into" in block and "astype" not in block
    assert program.count("empty") == 1 and "('<f8',), (" in program  # one result


def test_memory_of_a_piece_is_used_again(small, monkeypatch):
    """A chain needs one piece, however long; what is read again keeps its own."""
    x = leaf("x", 300)
    e: Expr = x
    for name in ("abs", "sqrt", "negative", "exp", "floor"):
        e = each(lambda v, name=name: Call(name, v), e)
    made = same_bits(monkeypatch, [e], numbers(x))
    assert "k0" in made.text and "k1" not in made.text
    again = each(lambda a, b, c: Call("subtract", Call("multiply", a, b), c), each(lambda v: Call("sin", v), x), e, x)
    made = same_bits(monkeypatch, [again], numbers(x))
    assert "k1" in made.text and "k2" not in made.text


def test_a_region_ends_where_elements_of_other_places_are_read(small, monkeypatch):
    x = leaf("x", 36)
    squares = each(lambda v: Call("multiply", v, v), x)
    rows = Split(6, squares)
    turned = Join(Transpose(rows))
    shifted = Slice(1, 1, 35, squares)
    sums = Reduce(fun((FLOAT64, FLOAT64), lambda a, b: Call("maximum", a, b)), Literal(-np.inf, FLOAT64), squares)
    largest = Join(Map(fun(FLOAT64, lambda m: each(lambda v: Call("divide", v, m), squares)), sums))
    row = ArrayType(FLOAT64, 6)
    table = Map(fun(FLOAT64, lambda v: each(lambda w: Call("multiply", v, w), Slice(3, 1, 6, x))), Slice(20, 1, 6, x))
    less = fun(TupleType((row, row)), lambda p: each(lambda a, b: Call("subtract", a, b), Get(0, p), Get(1, p)))
    for root in (
        each(lambda a, b: Call("subtract", a, b), squares, turned),
        Join(Map(less, Zip(table, Transpose(table)))),
        each(lambda a, b: Call("subtract", a, b), Slice(0, 1, 35, squares), shifted),
        each(lambda a, b: Call("subtract", Call("exp", a), b), largest, squares),
    ):
        made = same_bits(monkeypatch, [root], numbers(x))
        assert made.text.count("in_blocks(") == 2, made.text


def test_what_reads_a_result_of_its_own_region_waits_for_no_other(small, monkeypatch):
    """A statement that reads a region and what was made of that otherwise, and one more that joins the two."""
    x = leaf("x", 24)
    first = each(lambda v: Call("sqrt", Call("abs", v)), x)
    turned = Join(Transpose(Split(4, first)))
    second = each(lambda a, b: Call("add", a, b), first, turned)
    third = each(lambda a, b, c: Call("add", Call("multiply", a, b), c), second, first, x)
    same_bits(monkeypatch, [third, second, first], numbers(x))


def test_memory_that_ends_in_a_region_is_let_go_of(small, monkeypatch):
    """Also where the operands lie in no common order, so that whole arrays are computed."""
    n = 64
    x, y = leaf("x", n * n), leaf("y", n * n)
    cols = Map(fun(ArrayType(FLOAT64, n), lambda r: each(lambda v: Call("exp", v), r)), Transpose(Split(n, x)))
    rows = Split(n, each(lambda v: Call("abs", v), y))
    both = Map(
        fun(TupleType((ArrayType(FLOAT64, n), ArrayType(FLOAT64, n))),
            lambda p: each(lambda a, b: Call("sqrt", Call("add", Call("abs", a), b)), Get(0, p), Get(1, p))),
        Zip(cols, rows),
    )  # fmt: skip
    monkeypatch.setattr(regions, "BLOCKS_FROM_ELEMENTS", n)
    program = same_bits(monkeypatch, [Join(both)], numbers(x, y))
    assert "del t" in program.text.split("else:")[-1]


@pytest.mark.slow
def test_a_long_chain_of_large_arrays_is_written_iteratively(small):
    x = leaf("x", 5)
    e: Expr = x
    for _ in range(5000):
        e = each(lambda v: Call("negative", v), e)
    (found,) = write([e], [x]).call(np.arange(5.0))
    np.testing.assert_array_equal(found, np.arange(5.0))


def test_independent_chains_are_not_held_at_once(small):
    """Each is reduced before the next one is begun."""
    x = leaf("x", 100)
    plus = fun((FLOAT64, FLOAT64), lambda a, b: Call("add", a, b))
    roots = [
        Reduce(plus, Literal(0, FLOAT64), each(lambda v, k=k: Call("exp", Call("multiply", v, Literal(k, FLOAT64))), x))
        for k in range(2, 6)
    ]
    text = write(roots, [x]).text
    assert re.findall(r"in_blocks|reduce", text.split("def program")[1]) == ["in_blocks", "reduce"] * 4


@pytest.mark.parametrize("block", [1, 64, 200])
def test_random_programs_have_the_same_bits(small, monkeypatch, block):
    monkeypatch.setattr(regions, "BLOCK_BYTES", block)
    compared = 0
    for seed in range(by_tier(60, 200, 1000)):
        made = flat_program(seed, steps=14)
        if made is None:
            continue
        try:
            program = same_bits(monkeypatch, *made)
        except UnwrittenError:
            continue
        compared += "in_blocks" in program.text
    assert compared > by_tier(15, 60, 300)


# --- blocks -----------------------------------------------------------------------------------------------------------


def increment(x, y, result, piece):
    """Fails where a block is left out or done twice; needs all of the piece, which others use, too."""
    np.add(x, y, out=piece)
    result += piece


LAYOUTS = {
    "rows": lambda shape: np.empty(shape),
    "columns": lambda shape: np.empty(shape[::-1]).T,
    "every other": lambda shape: np.empty([2 * n for n in shape])[tuple([slice(None, None, 2)] * len(shape))],
    "backwards": lambda shape: np.empty(shape)[::-1],
    "windows": lambda shape: as_strided(np.empty(sum(shape)), shape, (8,) * len(shape)),
    "one row": lambda shape: np.empty(shape[-1]),
    "one column": lambda shape: np.empty((*shape[:-1], 1)),
    "number": lambda shape: np.float64(3),
}


@pytest.mark.slow
@pytest.mark.parametrize(
    "shape", [(2,), (997,), (7, 31), (31, 7), (3, 500), (500, 2), (4, 5, 13), (2, 3, 400), (13, 2, 3)]
)
@pytest.mark.parametrize("threads", [1, 3])
def test_each_element_is_computed_once(shape, threads):
    rng = np.random.default_rng(1)
    for (a, first), (b, second) in product(LAYOUTS.items(), repeat=2):
        x, y = first(shape), second(shape)
        for operand in (x, y):
            if np.ndim(operand):
                operand[...] = rng.random(operand.shape)
        if np.broadcast_shapes(np.shape(x), np.shape(y)) != shape:
            continue
        for elements in (2, 5, 64, 10**6):
            found = in_blocks(increment, np.zeros, shape, (x, y), ("<f8",), ("<f8",), elements, threads)
            if found is None:
                assert "columns" in (a, b) and a != b and len(shape) > 1  # elsewhere there is an order
                continue
            want = np.add(x, y)
            np.testing.assert_array_equal(found[0], want)
            assert found[0].strides == want.strides, (a, b)
            if a == b == "rows" and len(shape) == 1:
                assert found[0].base is None  # no view


def test_blocks_are_as_small_as_asked_for_and_never_one_element():
    sizes = []
    x = np.arange(1001.0)
    (found,) = in_blocks(
        lambda x, r: (sizes.append(x.size), np.copyto(r, x)), np.empty, (1001,), (x,), ("<f8",), (), 10, 1
    )
    np.testing.assert_array_equal(found, x)
    assert sum(sizes) == 1001 and {10, 11} == set(sizes)
    sizes.clear()
    in_blocks(lambda x, r: sizes.append(x.size), np.empty, (3,), (x[:3],), ("<f8",), (), 2, 1)
    assert sizes == [3]


def test_pieces_of_one_block_do_not_overlap():
    pieces = blocks._memory(("<f8", "|b1", "<i4", "<f8"), (3, 5))
    for i, piece in enumerate(pieces):
        piece[...] = i
    for i, piece in enumerate(pieces):
        assert piece.shape == (3, 5) and (piece == piece.dtype.type(i)).all()


def test_calls_differ_in_their_data_alone(small, monkeypatch):
    """Nothing of an earlier call, of another dtype and size, is seen in a later one."""
    for n, t in ((501, FLOAT64), (17, FLOAT32), (501, INT32), (1000, FLOAT32)):
        x, y = leaf("x", n, t), leaf("y", n, t)
        e = each(lambda a, b: Call("maximum", Call("multiply", a, b), Call("negative", a)), x, y)
        program = same_bits(monkeypatch, [e], numbers(x, y))
        kept = [program.call(a, b)[0] for a, b in ((np.full(n, 2, str(t)), np.full(n, 3, str(t))),) * 2]
        other = program.call(np.full(n, -5, str(t)), np.full(n, 3, str(t)))[0]
        assert (kept[0] == 6).all() and (kept[1] == 6).all() and (other == 5).all()


def test_errors_are_ignored_or_raised_on_all_threads(small):
    x = leaf("x", 1000)
    program = write([each(lambda v: Call("log", v), x)], [x])
    data = np.ones(1000)
    for at in (0, 500, 999):
        data[at] = -1.0
        with np.errstate(all="ignore"):
            assert np.isnan(program.call(data)[0]).sum() == 1
        with np.errstate(invalid="raise"), pytest.raises(FloatingPointError):
            program.call(data)
        data[at] = 1.0


def test_predictions_know_of_blocks_and_threads(monkeypatch):
    n = regions.BLOCKS_FROM_ELEMENTS * 4
    x = leaf("x", n)
    e = each(lambda v: Call("sqrt", Call("add", Call("multiply", v, v), v)), x)
    monkeypatch.setattr(regions, "threads_at_most", lambda: 1)
    alone = write([e], [x])
    monkeypatch.setattr(regions, "threads_at_most", lambda: 2)
    both = write([e], [x])
    monkeypatch.setattr(regions, "BLOCKS_FROM_ELEMENTS", NEVER)
    whole = write([e], [x])
    assert 0 < both.seconds < alone.seconds < whole.seconds


def test_one_call_on_one_thread_needs_no_blocks(small, monkeypatch):
    x = leaf("x", 100)
    e = each(lambda v: Call("sqrt", v), x)
    assert "in_blocks" in write([e], [x]).text
    monkeypatch.setattr(regions, "threads_at_most", lambda: 1)
    assert "in_blocks" not in write([e], [x]).text
