"""`sort`, `rankSeq` and `permute`: what they denote, under maps too, which types they take, and their notation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ir.core.expr import Param, fun
from ir.core.notation.parser import parse
from ir.core.notation.printer import show
from ir.core.patterns import Compact, CompactBeside, Get, Map, Permute, RankRunsSeq, RankSeq, Sort, SortRuns, Tuple
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import var
from ir.core.types import FLOAT32, INT32, ScalarType, TupleType, array_of
from ir.errors import IRError, TypeMismatch
from tests.ir.core.naive import naive, to_lists

N = var("n")
PAIR = TupleType((ScalarType("uint8"), FLOAT32))
PAIRS = Param("pairs", array_of(PAIR, N))
ROWS = Param("rows", array_of(PAIR, 3, N))
STARTS = Param("starts", array_of(INT32, 4))
KEY = fun(PAIR, lambda p: Tuple(Get(0, p), Get(1, p)))

EXPRESSIONS = [
    Sort(8, KEY, PAIRS),
    Sort(3, KEY, PAIRS),
    SortRuns(3, 1, KEY, PAIRS),
    SortRuns(3, 5, KEY, PAIRS),
    RankSeq(2, KEY, STARTS, PAIRS),
    RankRunsSeq(2, 8, KEY, STARTS, PAIRS),
    Map(fun(array_of(PAIR, N), lambda row: Sort(4, KEY, row)), ROWS),
    Map(fun(array_of(PAIR, N), lambda row: SortRuns(4, 4, KEY, row)), ROWS),
    Map(fun(array_of(PAIR, N), lambda row: RankSeq(2, KEY, STARTS, row)), ROWS),
]


def inputs(n: int, seed: int) -> dict[str, object]:
    rng = np.random.default_rng(seed)

    def pairs(*shape: int) -> tuple[np.ndarray, np.ndarray]:
        return rng.integers(0, 256, shape).astype(np.uint8) % 23, rng.normal(size=shape).astype(np.float32)

    return {"pairs": pairs(n), "rows": pairs(3, n), "starts": rng.integers(0, 9, 4).astype(np.int32)}


@pytest.mark.parametrize("e", EXPRESSIONS, ids=str)
@settings(max_examples=20)
@given(n=st.sampled_from([0, 1, 2, 7, 31]), seed=st.integers(0, 999))
def test_the_denotation_agrees_with_lists(e, n, seed):
    given_, sizes = inputs(n, seed), {"n": n}
    assert to_lists(interpret(e, given_, sizes), e.type, sizes) == naive(e, given_, sizes)


@pytest.mark.parametrize("e", EXPRESSIONS, ids=str)
def test_the_notation_is_read_back(e):
    types = {p.identifier: p.type for p in (PAIRS, ROWS, STARTS)}
    assert parse(show(e), types, {"n": N}) is e


def test_permute_puts_values_where_their_indices_say():
    e = Permute(Param("xs", array_of(TupleType((INT32, FLOAT32)), N)))
    values = np.array([1.5, 2.5, 3.5], np.float32)
    found = interpret(e, {"xs": (np.array([2, 0, 1], np.int32), values)}, {"n": 3})
    np.testing.assert_array_equal(found, [2.5, 3.5, 1.5])
    assert naive(e, {"xs": (np.array([2, 0, 1], np.int32), values)}, {"n": 3}) == list(found)
    for wrong in ([0, 0, 1], [1, 2, 3], [-1, 0, 1]):
        with pytest.raises(IRError, match="no permutation of 0 to 2"):
            interpret(e, {"xs": (np.array(wrong, np.int32), values)}, {"n": 3})


def test_compact_puts_some_values_where_their_indices_say():
    e = Compact(2, Param("xs", array_of(TupleType((INT32, FLOAT32)), N)))
    values = np.array([1.5, 2.5, 3.5, 4.5], np.float32)
    given_ = {"xs": (np.array([2, 1, 2, 0], np.int32), values)}
    np.testing.assert_array_equal(interpret(e, given_, {"n": 4}), [4.5, 2.5])
    assert naive(e, given_, {"n": 4}) == [4.5, 2.5]
    for wrong in ([0, 0, 1, 2], [0, 1, 3, 2], [-1, 0, 1, 2], [0, 2, 2, 2]):
        with pytest.raises(IRError, match="the indices below 2 are no permutation of 0 to 1"):
            interpret(e, {"xs": (np.array(wrong, np.int32), values)}, {"n": 4})
    with pytest.raises(IRError, match="the indices below 5 are no permutation"):  # fewer than are asked for
        interpret(Compact(var("m"), e.xs), given_, {"n": 4, "m": 5})
    rows = Param("rows", array_of(TupleType((INT32, FLOAT32)), 2, 3))
    each = Map(fun(rows.type.element, lambda row: Compact(1, row)), rows)
    places = np.array([[1, 0, 1], [0, 1, 1]], np.int32)
    found = interpret(each, {"rows": (places, np.arange(6, dtype=np.float32).reshape(2, 3))}, {})
    np.testing.assert_array_equal(found, [[1], [3]])


def test_two_compacts_beside_each_other():
    pair = TupleType((INT32, FLOAT32))
    e = CompactBeside(2, 1, Param("xs", array_of(TupleType((pair, TupleType((INT32, INT32)))), N)))
    values = (np.array([2, 1, 0], np.int32), np.array([1.5, 2.5, 3.5], np.float32))
    ends = (np.array([1, 1, 0], np.int32), np.array([5, 6, 7], np.int32))
    kept, last = interpret(e, {"xs": (values, ends)}, {"n": 3})
    np.testing.assert_array_equal(kept, [3.5, 2.5])
    np.testing.assert_array_equal(last, [7])
    assert naive(e, {"xs": (values, ends)}, {"n": 3}) == ([3.5, 2.5], [7])
    assert parse(show(e), {"xs": e.xs.type}, {"n": N}) is e
    with pytest.raises(IRError, match="the indices below 1 are no permutation"):
        interpret(e, {"xs": (values, (np.array([1, 1, 2], np.int32), ends[1]))}, {"n": 3})
    with pytest.raises(TypeMismatch, match="compactBeside: expected elements of two pairs"):
        CompactBeside(1, 1, Param("xs", array_of(FLOAT32, N)))
    with pytest.raises(TypeMismatch, match="compactBeside: expected pairs of an int32 or int64"):
        CompactBeside(1, 1, Param("xs", array_of(TupleType((pair, pair.elements[1])), N)))
    with pytest.raises(TypeMismatch, match="compactBeside: expected an array of 5 elements or more"):
        CompactBeside(2, 5, Param("xs", array_of(TupleType((pair, pair)), 4)))


def test_sorting_rank_by_rank_is_sorting():
    """The places that `rankSeq` finds, given the starts of the histogram's bins, are those of the sorted array."""
    given_ = inputs(31, 1)
    keys = given_["pairs"][0] % 4  # type: ignore[index]
    starts = np.r_[0, np.cumsum(np.bincount(keys, minlength=4))[:-1]].astype(np.int32)
    found = interpret(Permute(RankSeq(2, KEY, STARTS, PAIRS)), given_ | {"starts": starts}, {"n": 31})
    np.testing.assert_array_equal(found, interpret(Sort(2, KEY, PAIRS), given_, {"n": 31}))


def test_types_are_checked():
    signed = fun(PAIR, lambda p: Tuple(Get(1, p), Get(0, p)))
    with pytest.raises(TypeMismatch, match="unsigned"):
        Sort(3, signed, PAIRS)
    with pytest.raises(TypeMismatch, match="1 to 8 bits"):
        Sort(9, KEY, PAIRS)
    with pytest.raises(TypeMismatch, match="a key and a value"):
        Sort(3, fun(PAIR, lambda p: Get(0, p)), PAIRS)
    with pytest.raises(TypeMismatch, match="rankSeq"):
        RankSeq(3, KEY, STARTS, PAIRS)
    for run in (0, 1, 12):
        with pytest.raises(TypeMismatch, match="rankRunsSeq: expected runs of a power of two"):
            RankRunsSeq(2, run, KEY, STARTS, PAIRS)
    with pytest.raises(TypeMismatch, match="permute"):
        Permute(PAIRS)
    with pytest.raises(TypeMismatch, match="compact: expected pairs of an int32 or int64"):
        Compact(1, PAIRS)
    with pytest.raises(TypeMismatch, match="compact: expected an array of 5 elements or more"):
        Compact(5, Param("xs", array_of(TupleType((INT32, FLOAT32)), 4)))
