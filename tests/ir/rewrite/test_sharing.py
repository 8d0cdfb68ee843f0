"""Values that stand at several places: as many steps as there are values and uses, and the value stays one."""

from __future__ import annotations

import gc
import json
import random
from itertools import pairwise

import numpy as np
import pytest

import ir.rules  # noqa: F401  # registers every rule
from ir.core.expr import Expr, Param, fun, postorder
from ir.core.notation.printer import show
from ir.core.patterns import MAP, Call, Element, Get, Id, Join, Map, Repeat, Slice, Split, Transpose, Tuple, Zip
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT32, INT64, array_of
from ir.errors import RewriteError
from ir.rewrite.derivation import Derivation, place_text, replay, step_title, steps_from_json
from ir.rewrite.rule import READ, Earlier, Rewritten
from ir.rewrite.strategy import REPEAT_LIMIT, Step, at, everywhere, of, repeat, seq, top_down
from ir.rules.common import element, length
from ir.rules.maps.algorithmic import id_elimination
from ir.rules.opencl.lowering import map_to_seq
from ir.rules.opencl.memory import to_private
from ir.schedules.normal_form.normalise import normalise
from tests.ir.rules.notation import term


def stored(derivation: Derivation) -> Derivation:
    """The same after it was stored and replayed."""
    return replay(derivation.start, steps_from_json(json.loads(json.dumps(derivation.to_json())), {}))


def taken(e: Expr, strategy) -> Derivation:
    """Where a strategy leads; as it is replayed, too."""
    found = Derivation.of(e).then(strategy)
    again = stored(found)
    assert again.result is found.result
    assert again.steps == found.steps
    found.verify(low_level=False)
    return found


def tree(depth: int, leaf: Expr) -> Expr:
    """As many values as levels, with two places for each place of the level above."""
    e = leaf
    for _ in range(depth):
        e = Zip(Id(e), e)
    return e


def test_as_many_steps_are_taken_as_there_are_values():
    leaf = term("map abs xs")
    counts = []
    for depth in (5, 10, 20, 40):
        found = taken(tree(depth, leaf), everywhere(id_elimination))
        assert not any(isinstance(node, Id) for node in postorder(found.result))
        assert sum(1 for _ in postorder(found.result)) == sum(1 for _ in postorder(leaf)) + depth
        counts.append(len(found.steps))
    assert all(count <= 4 * depth for count, depth in zip(counts, (5, 10, 20, 40), strict=True))


def test_a_value_is_rewritten_at_all_places_where_it_is_met_again():
    found = taken(term("let ys = map abs xs in zip(id ys, map abs ys, id ys, ys)"), everywhere(id_elimination))
    assert found.result is term("let ys = map abs xs in zip(ys, map abs ys, ys, ys)")
    assert found.steps == (Step("id_elimination", (0,)), Step("id_elimination", (2,)))
    found = taken(
        term("let ys = id xs in zip(map abs ys, zip(map negative ys, map abs ys), ys)"), everywhere(id_elimination)
    )
    assert found.result is term("zip(map abs xs, zip(map negative xs, map abs xs), xs)")
    assert found.steps == tuple(Step("id_elimination", path) for path in ((0, 1), (1, 0, 1), (1, 1, 1), (2,)))


def test_a_value_that_took_several_steps_takes_one_where_it_is_met_again():
    e = term("let ys = map abs (id (id xs)) in zip(map log ys, zip(map negative ys, ys))")
    found = taken(e, everywhere(id_elimination))
    assert found.result is term("let ys = map abs xs in zip(map log ys, zip(map negative ys, ys))")
    again = Step("id_elimination", (1, 0, 1), (), Earlier(2, 2, 1))
    once_more = Step("id_elimination", (1, 1, 1), (), Earlier(3, 2, 0))
    assert found.steps == (Step("id_elimination", (0, 1, 1)),) * 2 + (again, once_more)
    assert place_text(again) == "at [1, 0, 1], as 2 steps before, and the step after it"
    assert "3. id_elimination at [1, 0, 1], as 2 steps before, and the step after it  [" in step_title(3, again)
    below = Derivation.of(Zip(e, e.operands[0])).then(at((0,), everywhere(id_elimination)))
    assert [step.again for step in below.steps] == [step.again for step in found.steps]
    assert stored(below).result is below.result is Zip(found.result, e.operands[0])


@pytest.mark.parametrize(
    ("place", "again"),
    [
        ((0, 1), (2, 2, 1)),  # another value
        ((2,), (2, 2, 1)),  # another context
        ((1, 0, 1), (3, 2, 1)),  # no such step
        ((1, 0, 1), (2, 3, 1)),  # not so many steps
        ((1, 0, 1), (1, 1, 1)),  # what stood there then
        ((1, 0, 1), (2, 0, 1)),
        ((7,), (2, 2, 1)),
    ],
)
def test_only_the_same_value_in_the_same_context_goes_as_before(place, again):
    e = term("let ys = map abs (id (id xs)) in zip(map log ys, map negative ys, map negative (map negative xs))")
    e = Tuple(*e.operands[:2], e.operands[0].xs)
    steps = [Step("id_elimination", (0, 1, 1)), Step("id_elimination", (0, 1, 1))]
    done = replay(e, [*steps, Step("id_elimination", (1, 1), (), Earlier(2, 2, 1))])
    assert done.result.operands[1] is term("map negative (map abs xs)")
    assert replay(e, steps).take(done.steps[2]) == done
    with pytest.raises(RewriteError, match="rule id_elimination at"):
        replay(e, [*steps, Step("id_elimination", place, (), Earlier(*again))])


def test_steps_elsewhere_are_not_what_became_of_a_value():
    e = term("zip(id (map abs (id xs)), id (map abs (id xs)))")
    steps = [Step("id_elimination", (0,)), Step("id_elimination", (0, 1))]
    found = replay(e, [*steps, Step("id_elimination", (1,), (), Earlier(2, 2, 0))])
    assert found.result is term("zip(map abs xs, map abs xs)")
    with pytest.raises(RewriteError, match="rule id_elimination at"):
        replay(e, [steps[0], Step("id_elimination", (1,)), Step("id_elimination", (1,), (), Earlier(1, 1, 0))])


def test_a_value_in_another_context_is_another_place():
    @of(Map)
    def read_maps(e, context):
        return map_to_seq(e, context) if context[-1:] == (READ,) else None

    e = Tuple(*[term(text) for text in ("map abs xs", "map abs (map abs xs)", "reduce (+) 0 (map abs xs)")])
    e = Tuple(*e.operands, term("map abs (map abs xs)"))
    found = taken(e, everywhere(read_maps))
    assert found.result is Tuple(
        term("map abs xs"),
        term("map abs (mapSeq abs xs)"),
        term("reduce (+) 0 (mapSeq abs xs)"),
        term("map abs (mapSeq abs xs)"),
    )
    assert len(found.steps) == 3


def of_rows(depth: int, name: str) -> Expr:
    """`map (λr. ..) name` of a function that uses its row, and an element of another array, at many places."""
    xss = term(name)
    row = xss.type.element

    def body(r):
        e = Id(Map(fun(FLOAT32, lambda x: Call("add", x, Element(0, Id(r)))), Id(r)))
        return tree(depth, e)

    return Map(fun(row, body), xss)


def test_a_variable_is_of_its_function():
    for depth in (3, 6, 12):
        one, two = of_rows(depth, "xss"), of_rows(depth, "yss")
        assert one.f is two.f
        e = Zip(one, two, Map(fun(one.f.result, lambda r: Id(r)), Id(one)))
        found = taken(e, everywhere(id_elimination))
        assert not any(isinstance(node, Id) for node in postorder(found.result))
        assert len(found.steps) <= 4 * depth + 20
        values = {"xss": np.arange(6, dtype=np.float32).reshape(2, 3), "yss": -np.ones((2, 3), np.float32)}
        if depth == 3:
            before, after = (interpret(each, values, {"n": 2, "m": 3}) for each in (e, found.result))
            assert str(before) == str(after)


def test_variables_of_different_functions_are_not_the_same():
    e = term("zip(map (λr. id r) xss, map (λr. map abs (id r)) xss, map (λr. map (λs. id s) (split 1 (id r))) xss)")
    found = taken(e, everywhere(id_elimination))
    assert found.result is term("zip(map (λr. r) xss, map (λr. map abs r) xss, map (λr. map (λs. s) (split 1 r)) xss)")


def test_a_replay_does_not_ask_how_functions_were_opened_before():
    """A derivation is replayed where its states live already, their functions opened with variables of their own."""
    start = show(Zip(*(of_rows(4, "xss"),) * 2, of_rows(5, "xss")))

    def derived() -> tuple[list, list[str], str]:
        found = Derivation.of(term.__wrapped__(start)).then(everywhere(id_elimination))
        return found.to_json(), [show(state) for state in found.states()], show(found.result)

    steps, states, result = derived()
    gc.collect()
    alive = [term.__wrapped__(state) for state in reversed(states)]
    for state in alive:
        for node in postorder(state):
            if hasattr(node, "enter"):
                node.enter()
    assert show(replay(term.__wrapped__(start), steps_from_json(steps, {})).result) == result


def test_what_a_strategy_passes_through_is_left_alone_elsewhere():
    @of(Map)
    def kept(e, context):
        wanted = isinstance(e, Map) and e.how == MAP
        return seq(map_to_seq, to_private)(e, context) if wanted and context[-1:] == (READ,) else None

    e = term("let ys = map abs xs in zip(map abs ys, mapSeq abs (mapSeq abs xs), map negative ys, map log ys)")
    found = taken(e, everywhere(kept))
    kept_ = "let ys = toPrivate (mapSeq abs xs) in "
    assert found.result is term(kept_ + "zip(map abs ys, mapSeq abs (mapSeq abs xs), map negative ys, map log ys)")


def test_several_strategies_are_tried_in_their_order():
    e = term("zip(id (map abs (id xs)), map abs (id (map abs xs)))")
    one_by_one = repeat(lambda e, c: top_down(id_elimination)(e, c) or top_down(map_to_seq)(e, c))(e, ())
    found = taken(e, everywhere(id_elimination, map_to_seq))
    assert found.result is one_by_one.expr
    assert [step.rule for step in found.steps] == ["id_elimination"] * 3 + ["map_to_seq"] * 3


def shared_program(rng: random.Random, size: int) -> Expr:
    """Arrays computed from elements, views and arrays that were computed before: any of them may be used again."""
    n = 12
    arrays: list[Expr] = [Param(f"x{i}", array_of(INT64, n)) for i in range(2)]
    for _ in range(size):
        x, y = rng.choice(arrays), rng.choice(arrays[-2:])
        pairs, rows, pair = Zip(x, y), Split(3, x), Element(rng.randrange(n), Zip(y, x))
        number = Call("add", Get(0, pair), Get(1, pair))
        own = fun(element(pairs), lambda p: Call("add", Call("multiply", Get(0, p), Get(1, p)), Get(1, p)))
        with_number = fun(INT64, lambda a, k=number: Call("add", a, Call("multiply", k, a)))
        of_row = fun(element(rows), lambda r: Map(fun(INT64, lambda a: Call("add", a, Element(1, r))), r))
        negative = fun(INT64, lambda a: Call("negative", a))
        made = [
            Map(own, pairs),
            Map(with_number, x),
            Join(Map(of_row, rows)),
            Slice(n - 1, -1, n, y),
            Slice(n - 1, -1, n, Map(with_number, y)),
            Join(Repeat(n, Map(negative, Slice(2, 1, 1, y)))),
        ]
        arrays.append(rng.choice(made))
    return arrays[-1]


@pytest.mark.parametrize("seed", range(24))
def test_shared_programs_keep_their_values(seed):
    e = shared_program(random.Random(seed), 8)
    found = taken(e, normalise)
    values = np.random.default_rng(seed)
    inputs = {p.identifier: values.integers(-9, 9, 12) for p in postorder(e) if isinstance(p, Param) and not p.binder}
    np.testing.assert_array_equal(interpret(found.result, inputs, {}), interpret(e, inputs, {}))


def test_as_many_steps_are_taken_as_there_are_numbers():
    """Each number is used four times in the next one: with a step for each place, 16 of them would take 4^16."""
    counts = []
    for size in (4, 8, 16):
        x = Param("x", array_of(INT64, 12))
        number: Expr = Get(0, Element(0, Zip(x, x)))
        for i in range(1, size):
            pair = Element(i % 12, Zip(x, x))
            one = Call("add", Call("multiply", number, Get(0, pair)), number)
            number = Call("add", Call("multiply", one, Get(1, pair)), one)
        found = taken(Map(fun(INT64, lambda a, number=number: Call("add", a, number)), x), normalise)
        counts.append(len(found.steps))
    assert counts[0] > 4
    assert all(count <= 4 * size for count, size in zip(counts, (4, 8, 16), strict=True))


def pairs(f: str, x: Expr, y: Expr) -> Expr:
    """A function of two elements, of those of two arrays."""
    zipped = Zip(x, y)
    return Map(fun(element(zipped), lambda p: Call(f, Get(0, p), Get(1, p))), zipped)


def shifted(x: Expr) -> Expr:
    """`x[1:] * x[:-1] + x[1:]`"""
    n = length(x) - 1
    return pairs("add", pairs("multiply", Slice(1, 1, n, x), Slice(0, 1, n, x)), Slice(1, 1, n, x))


def transposed(x: Expr) -> Expr:
    """`x.T * x + x.T` of a matrix of three rows"""
    turned = Join(Transpose(Split(3, x)))
    return pairs("add", pairs("multiply", turned, x), turned)


def reversed_(x: Expr) -> Expr:
    """`x[::-1] * x + x[::-1]`"""
    turned = Slice(length(x) - 1, -1, length(x), x)
    return pairs("add", pairs("multiply", turned, x), turned)


@pytest.mark.slow
@pytest.mark.parametrize("step", [shifted, transposed, reversed_])
def test_views_of_what_is_computed_step_by_step_unfold_nothing(step):
    """The second place of a value arises when the first is done with: a step reads x[i + 1] and x[i], the next one
    x[i + 2], x[i + 1] twice, and x[i]. There are as many values as steps times shifts.
    """
    counts = []
    n = 9 if step is transposed else 30
    for size in (3, 6, 12):
        x: Expr = Param("x", array_of(INT64, n))
        for _ in range(size):
            x = step(x)
        found = taken(x, normalise)
        counts.append((len(found.steps), sum(1 for _ in postorder(found.result))))
        values = {"x": np.arange(n) % 7 - 3}
        np.testing.assert_array_equal(interpret(found.result, values, {}), interpret(x, values, {}))
    for before, after in pairwise(counts):
        assert all(b <= 4.5 * a for a, b in zip(before, after, strict=True)), counts


def test_values_without_end_are_an_error():
    @of(Map)
    def grow(e, context):
        return Rewritten(Id(e), (Step("id_introduction", ()),))

    with pytest.raises(RewriteError, match=f"did not end after {REPEAT_LIMIT} steps"):
        everywhere(grow)(term("map abs xs"), ())
