"""Two patterns are added here, with all that belongs to them in this file: nothing else has to know of them.

`find` stops at the first element for which something holds; no reduction does. `diagonal` is a view of two dimensions.
"""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.expr import Expr, Lambda, Param, fun
from ir.core.notation.parser import parse
from ir.core.notation.printer import show
from ir.core.notation.words import quote
from ir.core.patterns import (
    Call,
    FromSize,
    IndexView,
    Literal,
    Map,
    Pattern,
    Split,
    Transpose,
    length_of,
)
from ir.core.semantics.denotations import denotes
from ir.core.semantics.error_bounds import BOUNDS, interpret_bounded
from ir.core.semantics.interpreter import Scope, interpret
from ir.core.semantics.rounding import Bounded, parts
from ir.core.signature import array_type, require_same
from ir.core.sizes import size, var
from ir.core.traits import Traits
from ir.core.types import BOOL, FLOAT32, INT32, ArrayType, FunctionType
from ir.core.verify import verify, verify_low_level
from ir.cost.count import count
from ir.errors import GenerationError, IRError, VerificationError
from ir.fusion.partition.graph import is_computed, reduces
from ir.fusion.partition.kernels import partition
from ir.fusion.symbols.symbolise import symbolise
from ir.opencl.generate import generate
from ir.opencl.read.views import Index, element_at, target_at
from ir.opencl.tree import Block, If, Statement
from ir.opencl.write.writers import writes
from ir.rewrite.rule import RULES, rule
from ir.rewrite.strategy import everywhere, seq, use
from tests.ir.opencl.running import check

# --- the patterns: type scheme, meaning, traits -----------------------------------------------------------------------


class Find(Pattern):
    """`find p xs = [i]` for the first i at which p holds, the length of xs if there is none."""

    scheme = "find : (A -> bool) -> [A]n -> [int32]1"
    meaning = "the index of the first element for which p holds, n if there is none"
    traits = Traits(computes=True, collective=True, high_level=True, size_neutral=True, streams=("xs",))
    __match_args__ = ("p", "xs")
    p: Lambda
    xs: Expr

    def __new__(cls, p, xs):
        return cls._make((p, xs))

    def _infer(self):
        require_same(self.name, FunctionType((array_type(self.name, self.xs.type).element,), BOOL), self.p.type)
        return ArrayType(INT32, 1)


class FindSeq(Find):
    """The same, by one work-item, which stops there."""

    scheme = "findSeq : (A -> bool) -> [A]n -> [int32]1"
    meaning = "find, by a loop that stops"
    traits = Traits(computes=True, collective=True)


class Diagonal(IndexView):
    """`diagonal xss i = xss i i`."""

    scheme = "diagonal : [[A]n]n -> [A]n"
    meaning = "element i is element i of row i"
    traits = Traits(view=True, natural=True, size_neutral=True)
    __match_args__ = ("xss",)
    xss: Expr

    def __new__(cls, xss):
        return cls._make((xss,))

    def _infer(self):
        rows = array_type("diagonal", self.xss.type)
        row = array_type("diagonal", rows.element)
        require_same("diagonal", rows.length, row.length)
        return row

    def source(self, by, i):
        return i, i


@denotes(Find, FindSeq)
def _find(run, node, scope):
    xs, depth = scope.values[node.xs], scope.depth
    n = run.extent(length_of(node.xs))
    holds = np.asarray(run.call(node.p, [xs], scope, depth + 1))
    holds = np.broadcast_to(holds, (*holds.shape[:-1], n))
    none = np.ones((*holds.shape[:-1], 1), bool)
    return np.concatenate([holds, none], axis=-1).argmax(axis=-1, keepdims=True).astype(np.int32)


@denotes(Find, among=BOUNDS)
def _find_of_bounded(run, node, scope):
    """As far off as the length, where a number that is looked at may be off."""
    values, error = parts(scope.values[node.xs])
    exact = scope.values | {node.xs: values}
    found = _find(run, node, Scope(exact, scope.depth))
    if error is None:
        return found
    off = np.where(error.max(axis=-1, keepdims=True, initial=0) > 0, run.extent(length_of(node.xs)), 0.0)
    return Bounded((found, np.broadcast_to(off, found.shape)))


@denotes(Diagonal)
def _diagonal(run, node, scope):
    return scope.values[node.xss].diagonal(axis1=scope.depth, axis2=scope.depth + 1)


# --- their rules and their generation ---------------------------------------------------------------------------------


@rule(source="map fusion")
def find_fusion(e: Expr) -> Expr | None:
    """find p ∘ map f  ->  find (p ∘ f)"""
    match e:
        case Find(p, Map(Lambda() as f, xs)) if type(e) is Find:
            return Find(fun(xs.type.element, lambda x: p(f(x))), xs)
    return None


@rule(source="by its meaning")
def find_to_seq(e: Expr) -> Expr | None:
    """find p  ->  findSeq p"""
    return FindSeq(e.p, e.xs) if type(e) is Find else None


@rule(source="a diagonal of a transposed matrix is its own")
def diagonal_of_transpose(e: Expr) -> Expr | None:
    """diagonal ∘ transpose  ->  diagonal"""
    match e:
        case Diagonal(Transpose(xss)):
            return Diagonal(xss)
    return None


OWN = {made.name: made for made in (find_fusion, find_to_seq, diagonal_of_transpose)}
for name in OWN:
    del RULES[name]  # other tests try all rules that are registered


@pytest.fixture(autouse=True)
def own_rules(monkeypatch):
    for name, made in OWN.items():
        monkeypatch.setitem(RULES, name, made)


@writes(FindSeq)
def write_find(writer, e, target):
    """Write the length; then a loop writes the index at which p holds, and stops."""
    place, xs = target_at(target, size(0)), writer.read(e.xs)
    writer.store(writer.read(FromSize(length_of(e.xs), INT32)), place, INT32)
    (x,), body = e.p.open()
    with writer.loop("", length_of(e.xs)) as i:
        writer.scope.bindings[x] = element_at(xs, i)
        holds, found = writer.text(body), Block()
        with writer.block(found):
            writer.store(Index(i), place, INT32)
            if length_of(e.xs).value != 1:  # of one turn there is no loop
                writer.emit(Statement("break"))
        writer.emit(If(holds, found))


# --- what they can do -------------------------------------------------------------------------------------------------

N, M = var("n", 1), var("m", 1)
ROW = ArrayType(FLOAT32, N)
INPUTS = {"xs": ROW, "xss": ArrayType(ROW, M), "square": ArrayType(ROW, N)}
SIZES = {"n": 37, "m": 5}


def term(text):
    return parse(text, INPUTS)


TEXTS = [
    "find (λx. x > 0.5) xs",
    "findSeq (λx. x > 0.5) xs",
    "map (find (λx. x > 0.5)) xss",
    "(find isnan ∘ map sqrt ∘ diagonal) square",
    "(diagonal ∘ transpose) square",
]


@pytest.mark.parametrize("text", TEXTS)
def test_they_are_printed_and_parsed(text):
    e = term(text)
    assert show(e) == text
    assert parse(show(e), INPUTS) is e
    verify(e)
    assert quote("find") == "`find`", "it is a word of the language now"


@pytest.mark.parametrize("text", ["find abs xs", "find (λx. x > 0.5) square", "diagonal xss", "diagonal xs"])
def test_ill_typed_ones_are_refused(text):
    with pytest.raises(Exception, match=r"find|diagonal|greater"):
        term(text)


def test_they_mean_what_their_denotations_say():
    xs = np.array([[0, 1, 2], [3, 0, 0], [0, 0, 0]], np.float32)
    rows = parse("map (find (λx. x > 1)) square", INPUTS)
    assert interpret(rows, {"square": xs}, {"n": 3}).tolist() == [[2], [0], [3]]
    assert interpret(term("diagonal square"), {"square": xs}, {"n": 3}).tolist() == [0, 0, 0]


def test_their_traits_are_asked_for():
    found, diagonal = term("find (λx. x > 0.5) xs"), term("diagonal square")
    assert is_computed(found)
    assert not is_computed(diagonal)
    f = fun(INPUTS["xs"], lambda row: Find(found.p, row))
    assert reduces(f)
    assert not reduces(fun(INPUTS["square"], Diagonal))
    with pytest.raises(VerificationError, match="high-level"):
        verify_low_level(found)
    with pytest.raises(VerificationError, match="view is no result"):
        verify_low_level(diagonal)
    with pytest.raises(VerificationError, match="no toGlobal"):
        verify_low_level(term("mapGlobal (λi. i) (findSeq (λx. x > 0.5) xs)"))
    with pytest.raises(GenerationError, match="find"):
        generate(found)


def test_a_cost_model_counts_them():
    cost = count(term("find (λx. x > 0.5) xs"))
    assert cost.read is 4 * N
    assert list(cost.operations.values()) == [N]
    assert count(term("mapGlobal abs (diagonal square)")).read is 4 * N


def test_errors_spread_through_them():
    values = {"xs": np.array([0.25, 0.75, 1], np.float32)}
    ((index, error),) = interpret_bounded(term("find (λx. x > 0.5) xs"), values, {"n": 3})
    assert (index.tolist(), error.tolist()) == ([1], [0])
    ((index, error),) = interpret_bounded(term("find (λx. x > 0.5) (map sqrt xs)"), values, {"n": 3})
    assert (index.tolist(), error.tolist()) == ([1], [3])
    with pytest.raises(IRError, match="findSeq: nothing says how errors spread"):
        interpret_bounded(term("findSeq (λx. x > 0.5) xs"), values, {"n": 3})


def program(n):
    """The index of the first element of a diagonal whose square root is larger than a half, plus one, and its data."""
    t = ArrayType(FLOAT32, size(n * n))
    flat = Param("a", t)
    roots = Map(fun(FLOAT32, lambda x: Call("sqrt", Call("abs", x))), Diagonal(Split(n, flat)))
    found = Find(fun(FLOAT32, lambda x: Call("greater", x, Literal(0.5, FLOAT32))), roots)
    return Map(fun(INT32, lambda i: Call("add", i, Literal(1, INT32))), found), flat


def test_a_program_with_them_is_cut_into_kernels_that_compute_it():
    root, flat = program(7)
    parts = partition([root])
    assert len(parts.tasks) == 2  # what is found is waited for
    first, second = (task.expr for task in parts.tasks)
    assert type(first) is Find
    assert type(second) is Map
    values = np.zeros(49, np.float32)
    values[[24, 40]] = -1, 1
    known = {"a": values}
    for task in parts.tasks:
        known[task.results[0].identifier] = interpret(task.expr, known)
    (result,) = parts.results
    assert known[result.identifier].tolist() == interpret(root, {"a": values}).tolist() == [4]
    general = symbolise(first, {flat: (7, 7)}, 1)
    assert not general.fixed, "it is one kernel for all lengths"
    assert interpret(general.expr, {"x0": values}, general.sizes).tolist() == [3]


LOWERED = seq(everywhere(use(find_fusion)), everywhere(use(find_to_seq)), everywhere(use(diagonal_of_transpose)))


@pytest.mark.parametrize("n", [1, 7, 64])
def test_its_kernel_computes_what_it_means(n, device):
    first = partition([program(n)[0]]).tasks[0].expr
    low = LOWERED(first, ()).expr
    assert type(low) is FindSeq
    assert isinstance(low.xs, Diagonal), "the map is in the predicate"
    assert ("break" in generate(low).source) == (n > 1)
    check(device, first, low, {}, exact=True)


def test_one_work_item_of_each_row_computes_it(device):
    high = term("map (find (λx. x > 0.5)) xss")
    low = seq(use(RULES["map_to_global"], dim=0), everywhere(use(find_to_seq)))(high, ()).expr
    assert low is term("mapGlobal (findSeq (λx. x > 0.5)) xss")
    check(device, high, low, SIZES, exact=True)


def test_a_result_in_the_kernel_is_kept_where_a_rule_says(device):
    high = term("map (λxs. map (λi. i + 1) (find (λx. x > 0.5) xs)) xss")
    kept = "mapGlobal (λxs. mapSeq (λi. i + 1) (toPrivate (findSeq (λx. x > 0.5) xs))) xss"
    check(device, high, term(kept), SIZES, exact=True)
    assert RULES["to_private"](term("findSeq (λx. x > 0.5) xs")).expr is term("toPrivate (findSeq (λx. x > 0.5) xs)")


def test_a_view_is_read_by_its_index_function(device):
    high = term("map abs (diagonal (transpose square))")
    low = seq(everywhere(use(diagonal_of_transpose)), use(RULES["map_to_global"], dim=0))(high, ()).expr
    assert low is term("mapGlobal abs (diagonal square)")
    check(device, high, low, SIZES, exact=True)
