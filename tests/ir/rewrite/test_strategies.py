"""The strategy combinators: what they apply, where, and the steps they leave behind."""

from __future__ import annotations

import threading

import pytest

import ir.rules  # noqa: F401  # registers every rule
from ir.core import expr
from ir.core.expr import Expr, Lambda
from ir.core.patterns import MAP, Element, Id, Kind, Map, Repeat, Zip, map_workgroup
from ir.errors import RewriteError
from ir.rewrite import strategy
from ir.rewrite.contexts import MOVED
from ir.rewrite.rule import KEPT, READ, RULES, Label, Rule, rule
from ir.rewrite.strategy import (
    Rewritten,
    Step,
    at,
    at_value,
    bottom_up,
    choice,
    enter,
    everywhere,
    leave,
    of,
    once,
    patterns_of,
    repeat,
    seq,
    succeed,
    top_down,
    try_,
    use,
)
from ir.rules.maps.algorithmic import id_elimination, id_introduction, split_join
from ir.rules.opencl.lowering import map_to_global, map_to_seq
from ir.rules.opencl.memory import to_private
from tests.ir.rules.notation import term


def fail(e, context):
    return None


def run(s, text):
    done = s(term(text), ())
    return None if done is None else done.expr


def test_use_records_the_rule_and_its_parameters():
    done = use(split_join, n=4)(term("map abs xs4"), ())
    assert done.expr is term("join (map (map abs) (split 4 xs4))")
    assert done.steps == (Step("split_join", (), (("n", 4),)),)
    assert use(split_join, n=3)(term("map abs xs4"), ()) is None


def test_succeed_changes_nothing():
    assert succeed(term("xs"), ()) == Rewritten(term("xs"), ())


def test_seq_runs_all_or_fails():
    both = seq(map_to_seq, to_private)
    done = both(term("map abs xs"), ())
    assert done.expr is term("toPrivate (mapSeq abs xs)")
    assert [step.rule for step in done.steps] == ["map_to_seq", "to_private"]
    assert run(seq(map_to_seq, map_to_seq), "map abs xs") is None
    assert run(seq(), "xs") is term("xs")


def test_choice_takes_the_first_that_succeeds():
    assert run(choice(fail, map_to_seq, use(map_to_global, dim=0)), "map abs xs") is term("mapSeq abs xs")
    assert run(choice(fail, fail), "map abs xs") is None
    assert run(choice(), "xs") is None


def test_try_never_fails():
    assert run(try_(map_to_seq), "map abs xs") is term("mapSeq abs xs")
    assert run(try_(map_to_seq), "xs") is term("xs")


def test_repeat_goes_on_while_it_succeeds():
    done = repeat(id_elimination)(term("id (id (id xs))"), ())
    assert done.expr is term("xs")
    assert len(done.steps) == 3
    assert run(repeat(fail), "xs") is term("xs")


def test_a_repetition_without_end_is_an_error():
    with pytest.raises(RewriteError, match=f"did not end after {strategy.REPEAT_LIMIT} steps"):
        repeat(lambda e, context: Rewritten(e, ()))(term("xs"), ())


def test_at_goes_down_a_path():
    done = at((1, 0, 0), map_to_seq)(term("map (map abs) (map (map abs) xss)"), ())
    assert done.expr is term("map (map abs) (map (mapSeq abs) xss)")
    assert done.steps == (Step("map_to_seq", (1, 0, 0)),)
    assert run(at((5,), map_to_seq), "map abs xs") is None
    assert run(at((0, 0, 0, 7), map_to_seq), "map (map abs) xss") is None
    assert run(at((), map_to_seq), "map abs xs") is term("mapSeq abs xs")


def test_at_value_rewrites_what_is_there_wherever_it_is_used():
    text = "let ys = map abs xs in map (λ(x, y). x + y * element 0 ys) (zip(ys, map abs ys))"
    done = at_value((1, 0), map_to_seq)(term(text), ())
    assert done.expr is term(text.replace("let ys = map", "let ys = mapSeq"))
    assert done.steps == (Step("map_to_seq", (1, 0)),)
    inner = at_value((1, 0), seq(map_to_seq, at((1,), id_introduction)))(term(text), ())
    assert inner.steps == (Step("map_to_seq", (1, 0)), Step("id_introduction", (1, 0, 1)))
    assert run(at_value((1, 1, 1, 0), map_to_seq), text) is None
    assert run(at_value((0, 0), map_to_seq), "map (λr. map abs r) xss") is None  # it depends on the row
    assert run(at_value((0, 0), map_to_seq), "map (λx. element 0 (map abs v8) * x) xs") is None
    of_none = "map (λx. x * element 0 (map abs v8)) xs"
    assert run(at_value((0, 0, 1, 0), map_to_seq), of_none) is term(of_none.replace("map abs", "mapSeq abs"))


def test_top_down_takes_users_first_and_bottom_up_operands():
    text = "map (map abs) (map (map abs) xss)"
    top, bottom = top_down(map_to_seq)(term(text), ()), bottom_up(map_to_seq)(term(text), ())
    assert top.expr is term("mapSeq (map abs) (map (map abs) xss)")
    assert top.steps == (Step("map_to_seq", ()),)
    assert bottom.expr is term("map (mapSeq abs) (map (map abs) xss)")
    assert bottom.steps == (Step("map_to_seq", (0, 0)),)
    assert run(top_down(map_to_seq), "xss") is None
    assert run(bottom_up(map_to_seq), "xss") is None


def test_everywhere_leaves_no_place():
    assert run(everywhere(map_to_seq), "map (map abs) (map (map abs) xss)") is term(
        "mapSeq (mapSeq abs) (mapSeq (mapSeq abs) xss)"
    )
    assert run(everywhere(map_to_seq), "xs") is term("xs")


def test_places_may_be_deeper_than_the_stack():
    text = "map abs xs"
    e = term(text)
    for _ in range(5000):
        e = Id(e)
    path = (0,) * 5000
    for there in (at(path, map_to_seq), *(walk(map_to_seq) for walk in (top_down, bottom_up, everywhere))):
        done = there(e, ())
        assert done.steps == (Step("map_to_seq", path),)
        found = done.expr
        for _ in range(5000):
            found = found.xs
        assert found is term("mapSeq abs xs")


def test_a_shared_vertex_is_looked_at_once():
    e = term("map abs xs")
    for _ in range(64):
        e = Zip(e, e)
    seen = []
    assert top_down(lambda node, context: seen.append(node))(e, ()) is None
    assert bottom_up(lambda node, context: seen.append(node))(e, ()) is None
    # each zip and the map: as the result and, but for the outermost, as something read; no scalar code
    assert 2 * 65 <= len(seen) <= 2 * 2 * 66


@pytest.mark.parametrize(
    "text",
    [
        "map (map abs) xss",
        "reduce (+) 0 (map abs xs)",
        "mapWorkgroup (λr. mapLocal (λx. x + element 0 r) r) xss",
        "zip(xs, map abs ys)",
        "iterate 3 (λ[2*k → k]. join ∘ map (reduce (+) 0) ∘ split 2) xs8",
    ],
)
def test_leave_undoes_enter(text):
    def check(e):
        for index in range(len(e.operands)):
            operand, _ = enter(e, index, ())
            assert leave(e, index, operand) is e
            check(operand)

    check(term(text))


def test_the_context_names_what_is_around():
    e = term("mapWorkgroup (λr. mapSeq abs (toLocal (mapLocal abs r))) xss")
    f, context = enter(e, 0, ())
    assert isinstance(f, Lambda)
    assert context == (map_workgroup(),)
    body, context = enter(f, 0, context)
    assert enter(body, 0, context)[1] == (map_workgroup(), Kind("mapSeq"))
    kept, reading = enter(body, 1, context)
    assert reading == (map_workgroup(), READ)
    assert enter(kept, 0, reading)[1] == (map_workgroup(), KEPT)
    assert enter(e, 1, ())[1] == (READ,)
    assert enter(e, 0, (READ,))[1] == (READ, map_workgroup())
    joined = term("reduceSeq (+) 0 (join (toGlobal (mapWorkgroup (mapLocal abs) xss)))")
    moved, context = enter(joined, 2, ())
    stored, context = enter(moved, 0, context)
    assert context == (READ,)
    assert enter(stored, 0, context)[1] == ()  # a kernel of its own begins
    turned = term("map (map transpose) (split 2 (split 2 (split 2 (toGlobal (mapGlobal abs v8)))))")
    inner, context = enter(turned, 0, ())
    body, context = enter(inner, 0, context)
    innermost, context = enter(body, 0, context)
    assert context == (Kind("map"), MOVED, Kind("map"), MOVED)
    assert use(RULES["array_partition"], at=1)(enter(innermost, 0, context)[0], context) is None


def test_a_rule_that_breaks_the_type_is_an_error():
    broken = Rule("broken", lambda e: term("xss"), Label.EXACT, "", (), frozenset(), False)
    with pytest.raises(RewriteError, match="rule broken changed the type"):
        broken(term("xs"))


def test_two_rules_of_one_name_are_an_error():
    with pytest.raises(RewriteError, match="two rules are named map_fusion"):

        @rule()
        def map_fusion(e: Expr):
            """A -> A"""


def test_a_choice_tries_a_strategy_only_where_it_may_succeed():
    seen = []

    @of(Map)
    def maps_only(e, context):
        seen.append(e)
        return

    e = term("map (λx. x + 1) (map (λx. x * 2) xs)")
    assert top_down(choice(maps_only, id_elimination))(e, ()) is None
    assert seen == [e, e.xs]
    assert choice(maps_only, id_elimination)(Id(e), ()).expr is e
    assert len(seen) == 2


def test_a_rule_does_not_apply_to_other_patterns_than_its_own():
    rule = RULES["id_elimination"]
    assert rule.patterns == (Id,)
    assert rule.rewrite(term("xs")) is None
    assert rule.rewrite(Id(term("xs"))) is term("xs")


def test_a_sequence_may_succeed_where_its_first_strategy_may():
    assert patterns_of(seq(id_elimination, map_to_seq)) == (Id,)
    assert set(patterns_of(choice(id_elimination, map_to_seq))) == {Id, Map}
    assert patterns_of(try_(id_elimination))[-1] is Expr  # it always succeeds


def test_once_does_not_rewrite_an_expression_again_in_the_same_context():
    seen = []

    def note(e, context):
        seen.append((e, context))
        return id_elimination(e, context)

    remembering, e = once(note), Id(term("xs"))
    assert remembering(e, ()) == id_elimination(e, ()) == remembering(e, ())
    assert remembering(term("xs"), ()) is remembering(term("xs"), ()) is None
    assert remembering(e, (READ,)) == id_elimination(e, (READ,))
    assert seen == [(e, ()), (term("xs"), ()), (e, (READ,))]


def test_a_place_under_a_binder_keeps_the_functions_identity():
    """Rewriting and undoing it inside a function gives the very same expression: binders have no names."""
    e = term("map (λr. map (λx. x + element 0 r) r) xss")
    there = at((0, 0), map_to_seq)(e, ()).expr
    back = at((0, 0), lambda node, context: Rewritten(Map(node.f, node.xs, MAP), ()))(there, ()).expr
    assert back is e


def test_a_function_that_is_rewritten_keeps_its_parameters():
    e = term("map (λr. map (λx. x + element 0 r) r) xss")
    (before,), body = e.f.enter()
    after = at((0, 0), map_to_seq)(e, ()).expr
    assert after.f is not e.f
    assert after.f.enter()[0] == (before,)
    assert after.f.enter()[1].f is body.f  # what was not rewritten is the very same
    assert after.f.open()[0] != (before,)


def test_a_function_does_not_keep_its_parameters_where_it_becomes_a_part_of_its_body():
    f = term("map (λr. map (λx. x + 1) r) xss").f
    (row,), body = f.enter()
    outer = f.with_body(Element(0, Map(f, Repeat(2, body))))
    assert outer is term("map (λr. element 0 (map (λr. map (λx. x + 1) r) (repeat 2 (map (λx. x + 1) r)))) xss").f
    assert outer.enter()[0] != (row,)
    rewritten = seq(at((0, 0, 0, 0), map_to_seq), at((0, 0, 1, 0), map_to_seq))(outer, ())
    wanted = "map (λr. element 0 (map (λr. mapSeq (λx. x + 1) r) (repeat 2 (mapSeq (λx. x + 1) r)))) xss"
    assert rewritten.expr is term(wanted).f


def test_a_function_of_fewer_levels_has_parameters_of_its_own():
    f = term("map (λr. map (λx. x + 1) r) xss").f
    (row,), _ = f.enter()
    small = f.with_body(row)
    assert small is term("map (λr. r) xss").f
    outer = f.with_body(Element(0, Map(small, Repeat(2, row))))
    assert outer.enter()[0] == (row,), "it has as many levels"
    assert outer.enter()[1].xs.f.enter()[0] != (row,)


def test_threads_open_a_function_by_the_same_parameters(monkeypatch):
    f, barrier, found = term("map (λr. map (λx. x + 987) r) xss").f, threading.Barrier(4, timeout=60), []
    substitute = expr.substitute

    def once_all_have_parameters(*arguments):
        barrier.wait()
        return substitute(*arguments)

    monkeypatch.setattr(expr, "substitute", once_all_have_parameters)

    def work():
        found.append((f.enter(), f.open()))

    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert found == [found[0]] * 4
