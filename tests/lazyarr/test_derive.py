"""`lift.derive`: rules applied by name, what is refused and why, and what is derived runs."""

from __future__ import annotations

import doctest
import re
from pathlib import Path

import numpy as np
import pytest

import lazyarr as la
from ir.core.notation.parser import parse
from ir.core.sizes import var
from ir.core.types import FLOAT32, INT32, ArrayType, TupleType, VectorType, array_of
from ir.errors import ParseError, VerificationError
from ir.rewrite.derivation import replay
from ir.rewrite.rule import RULES, Earlier, Step
from lazyarr import lift
from lazyarr.config import configure
from lazyarr.lift.derivation import figure
from lazyarr.lift.places import place_at, places
from lazyarr.lift.type_text import read_type
from lazyarr.runtime import default_device

N = var("n", 1)
X = np.arange(-60, 60, dtype=np.float32)


def asum() -> lift.ManualDerivation:
    return lift.derive("(reduce (+) 0 ∘ map abs) xs", xs="[float32](4*n)")


def term(text: str):
    return parse(text, {"xs": array_of(FLOAT32, 4 * N)}, {"n": N})


# --- steps ------------------------------------------------------------------------------------------------------------


def test_a_step_is_taken_where_the_rule_applies_if_that_is_one_place():
    d = asum()
    assert d.apply("split_join", n=4) is d
    assert d.expression is term("(reduce (+) 0 ∘ join ∘ map (map abs) ∘ split 4) xs")
    (step,) = d.steps
    assert (step.rule, step.path, step.parameters) == ("split_join", (2,), (("n", 4),))


@pytest.mark.parametrize("at", [(2, 0), [2, 0], "map (map", "map(map abs", 0])
def test_a_place_is_a_path_a_text_or_a_number(at):
    d = asum().apply("split_join", n=4)
    d.apply("map_to_workgroup", at, dim=0)
    assert d.expression is term("(reduce (+) 0 ∘ join ∘ mapWorkgroup0 (map abs) ∘ split 4) xs")


def test_a_place_that_is_not_told_apart_is_asked_for():
    d = asum().apply("split_join", n=4)
    with pytest.raises(lift.DerivationError) as raised:
        d.apply("map_to_seq")
    message = str(raised.value)
    assert "applies at 2 places" in message
    assert "0: (2, 0)  (map (map abs) ∘ split 4) xs" in message
    assert "1: (2, 0, 0, 0)  map abs chunk" in message
    with pytest.raises(lift.DerivationError, match="none of them begins with 'reduce'"):
        d.apply("map_to_seq", at="reduce")
    with pytest.raises(lift.DerivationError, match="there is no place 2"):
        d.apply("map_to_seq", at=2)
    assert len(d) == 1


def test_lengths_may_be_written():
    d = asum().apply("split_join", n="4 * n // 4")
    assert d.expression is term("(reduce (+) 0 ∘ join ∘ map (map abs) ∘ split n) xs")
    for text in ("k", "n +", "("):
        with pytest.raises(lift.DerivationError, match=r"n = .* is no length"):
            asum().apply("split_join", n=text)
    with pytest.raises(lift.DerivationError, match="expected width to be a number, got n"):
        asum().apply("vectorise_map", width="n")
    assert asum().apply("vectorise_map", width="4").steps[0].parameters == (("width", 4),)


@pytest.mark.parametrize("again", [None, Earlier(1, 1, 0)], ids=["once", "again"])
def test_a_step_that_cannot_be_taken_is_refused(again):
    d = asum()
    with pytest.raises(lift.DerivationError, match="there is no rule named no_rule"):
        d.apply(Step("no_rule", (), (), again))
    with pytest.raises(lift.DerivationError, match=r"map_to_seq at .* does not apply"):
        d.apply(Step("map_to_seq", (), (), again))
    step = Step("split_join", (2,), (("n", 4),))
    for place, parameters in (((2,), {}), (None, {"n": 8}), (None, {"at": (2,)})):
        with pytest.raises(lift.DerivationError, match="a step has its own place and parameters"):
            d.apply(step, place, **parameters)
    assert d.steps == ()


def test_a_parameter_may_be_called_as_the_place_is():
    d = asum().apply("map_partition", at=4)
    assert d.expression is term("reduce (+) 0 (concat(map abs (slice 0 1 4 xs), map abs (slice 4 1 (4*n - 4) xs)))")
    d.apply("map_partition", (2, 0), at=1)
    assert d.steps[1] == Step("map_partition", (2, 0), (("at", 1),))
    with pytest.raises(lift.DerivationError, match="the place is given twice"):
        asum().apply("split_join", (2,), at=(2,), n=4)


def test_undo_and_copy():
    d = asum()
    start = d.expression
    d.apply("split_join", n=4).apply("map_to_seq", at="map abs")
    other = d.copy().apply("map_to_seq")
    assert (len(d), len(other)) == (2, 3)
    one = d.undo().expression
    assert one is term("(reduce (+) 0 ∘ join ∘ map (map abs) ∘ split 4) xs")
    assert len(other) == 3
    with pytest.raises(lift.DerivationError, match="there are 1 steps, not 2"):
        d.undo(2)
    assert d.undo(0).expression is one
    assert d.undo().expression is start
    assert d.steps == ()
    assert d.apply("reduce_to_seq").states == (start, term("(reduceSeq (+) 0 ∘ map abs) xs"))


def test_the_derivation_is_data():
    d = asum().apply("reduce_to_parts", parts="n").apply("part_split", parts=1)
    assert replay(d.derivation.start, d.steps).result is d.expression
    assert d.derivation.states() == list(d.states)


# --- refusals ---------------------------------------------------------------------------------------------------------


def test_an_unknown_rule_names_similar_ones():
    with pytest.raises(lift.DerivationError, match="no rule named 'split_jion'; did you mean split_join"):
        asum().apply("split_jion", n=4)
    with pytest.raises(lift.DerivationError, match=r"the rules are .*map_fusion"):
        asum().apply("zzzzzz")
    with pytest.raises(lift.DerivationError, match="no rule named"):
        asum().applicable("fuse")


def test_a_rule_that_does_not_apply_shows_its_equation_and_what_stands_there():
    d = asum()
    with pytest.raises(lift.DerivationError) as raised:
        d.apply("split_join", at=(), n=4)
    message = str(raised.value)
    assert "split_join does not apply at ()" in message
    assert "map f -> join ∘ map (map f) ∘ split n" in message
    assert "n = 4" in message
    assert "(reduce (+) 0 ∘ map abs) xs" in message
    assert "it applies at (2,)" in message
    with pytest.raises(lift.DerivationError, match=r"does not apply anywhere\n .*\n +n = 3\nto"):
        d.apply("split_join", n=3)
    with pytest.raises(lift.DerivationError, match=r"there is no place \(2, 7\)"):
        d.apply("split_join", at=(2, 7), n=4)
    assert len(d) == 0


def test_parameters_are_asked_for_by_name():
    with pytest.raises(lift.DerivationError, match="reduce_partition has to be given at, parts: at missing"):
        asum().apply("reduce_partition", parts=2)
    with pytest.raises(lift.DerivationError, match="to be given n: it has no parameter m"):
        asum().apply("split_join", n=4, m=3)
    with pytest.raises(lift.DerivationError, match="to be given nothing: it has no parameter n"):
        asum().apply("map_fusion", n=3)


# --- what applies -----------------------------------------------------------------------------------------------------


def test_whatever_is_listed_can_be_applied():
    d = asum().apply("split_join", n=4)
    listed = d.applicable()
    assert {"map_to_seq", "map_to_workgroup", "interchange", "reduce_to_parts"} <= {each.rule for each in listed}
    for each in listed:
        assert set(each.parameters) == set(RULES[each.rule].parameters)
        assert each.examples
        for example in each.examples:
            d.copy().apply(each.rule, each.path, **example)


def test_what_needs_no_parameter_is_listed_wherever_it_fires():
    d = asum().apply("split_join", n=4)
    listed = {(each.rule, each.path) for each in d.applicable()}
    expected = {
        (rule.name, place.path)
        for rule in RULES.values()
        if not rule.parameters
        for place in places(d.expression)
        if rule(place.node, place.context) is not None
    }
    assert {(name, path) for name, path in listed if not RULES[name].parameters} == expected
    assert expected


def test_the_list_can_be_narrowed_and_printed():
    d = asum().apply("split_join", n=4)
    assert [each.path for each in d.applicable("map_to_seq")] == [(2, 0), (2, 0, 0, 0)]
    assert str(d.applicable("map_to_seq")).splitlines()[0] == "map_to_seq at (2, 0)"
    assert str(d.applicable("map_fusion")) == "no rule applies"


def test_conditions_on_the_context_count():
    d = lift.derive("(join ∘ map (map abs) ∘ split 4) xs", xs="[float32](4*n)")
    assert not d.applicable("map_to_local")
    d.apply("map_to_workgroup", at="map (map", dim=0)
    assert [each.path for each in d.applicable("map_to_local")] == [(0, 0, 0)]


def test_shared_nodes_are_visited_once():
    text = "let t0 = map abs xs in " + " ".join(f"let t{i + 1} = map (+) (zip(t{i}, t{i})) in" for i in range(40))
    d = lift.derive(f"{text} t40", xs="[float32]n")
    assert len(list(places(d.expression))) < 200
    assert len(d.applicable("map_to_seq")) == 41


def test_places_are_found_again_by_their_path():
    d = asum().apply("reduce_to_parts", parts="n").apply("part_split", parts=1)
    for place in places(d.expression):
        assert place_at(d.expression, place.path) == place


# --- text -------------------------------------------------------------------------------------------------------------


def test_steps_are_printed_as_the_paper_prints_them():
    d = asum().apply("split_join", n=4).apply("map_to_seq", at="map abs")
    assert str(d).splitlines() == [
        "                     (reduce (+) 0 ∘ map abs) xs",
        "=6c split_join(n=4)  (reduce (+) 0 ∘ join ∘ map (map abs) ∘ split 4) xs  (1)",
        "=7a map_to_seq       (reduce (+) 0 ∘ join ∘ map (mapSeq abs) ∘ split 4) xs  (2)",
    ]
    assert repr(d) == str(d)


def test_figures_are_those_of_the_rules_sources():
    assert figure(RULES["split_join"]) == "6c"
    assert figure(RULES["vectorise_reduce"]) == "6d,7e"
    assert figure(RULES["stride_after_map"]) == ""


def test_types_are_read_as_they_print():
    m = var("m", 1)
    for t in (
        FLOAT32,
        array_of(FLOAT32, N),
        array_of(FLOAT32, N, m),
        ArrayType(TupleType((FLOAT32, INT32)), 4 * N),
        array_of(TupleType((FLOAT32, array_of(INT32, 3))), N * m + 1, 2),
        ArrayType(VectorType(FLOAT32, 4), N),
    ):
        assert read_type(str(t), {}) is t
    for text in ("", "[float32", "[float32]", "float", "[float32]n m", "(float32)", "<float32>", "[float32](n", "[]n"):
        with pytest.raises(ValueError, match="no type"):
            read_type(text, {})


# --- what to derive from ----------------------------------------------------------------------------------------------


def test_texts_need_the_types_of_their_variables():
    with pytest.raises(ParseError, match="a value"):
        lift.derive("map abs xs")
    with pytest.raises(TypeError, match="by name"):
        lift.derive("map abs xs", "[float32]n")
    with pytest.raises(TypeError, match="the type of xs as a text"):
        lift.derive("map abs xs", xs=X)
    sized = lift.derive("(join ∘ split c) xs", xs="[float32](c*k)", sizes={"c": var("c", 1)})
    assert sized.apply("join_after_split").expression is parse(
        "xs", {"xs": array_of(FLOAT32, var("c", 1) * var("k", 1))}
    )


def test_functions_arrays_and_expressions():
    x = la.asarray(X)
    from_function = lift.derive(lambda x: la.sum(la.abs(x)), x)
    assert str(from_function.expression) == "(reduce (+) 0 ∘ map abs) x0"
    assert lift.derive(lift.jit(lambda x: la.sum(la.abs(x))), x).expression is from_function.expression
    assert lift.derive(la.sum(la.abs(x))).expression is from_function.expression
    assert lift.derive(from_function.expression).expression is from_function.expression
    with pytest.raises(ValueError, match="as they are, which takes no kernel"):
        lift.derive(x)
    with pytest.raises(ValueError, match="2 kernels"):
        lift.derive(lambda x: x / la.sum(x), la.arange(20_000.0))
    with pytest.raises(TypeError, match="got int"):
        lift.derive(3)
    with pytest.raises(TypeError, match="sizes belong to a text"):
        lift.derive(from_function.expression, sizes={})


# --- code and values --------------------------------------------------------------------------------------------------


def lowered() -> lift.ManualDerivation:
    d = asum().apply("split_join", n=4).apply("reduce_to_seq")
    return d.apply("map_to_global", at="map (map", dim=0).apply("map_to_seq").apply("to_global", at="join")


def test_code_is_generated_of_what_is_fully_lowered():
    d = asum()
    assert not d.is_lowered
    with pytest.raises(VerificationError, match="a high-level pattern is left"):
        d.source()
    with pytest.raises(VerificationError, match="a high-level pattern is left"):
        d.run(X)
    d.verify()
    with pytest.raises(VerificationError, match="before the first step"):
        d.verify(low_level=True)
    d = lowered()
    assert d.is_lowered
    assert d.verify() is d
    assert d.source().count("__kernel void lazyarr_") == 2
    assert "__kernel void mine_0(" in d.source("mine")


def test_vectors_that_would_be_stored_whole_are_refused_by_name():
    e = "mapGlobal abs (asScalar (toGlobal (mapGlobal (λv. v) (asVector 4 xs))))"
    d = lift.derive(e, xs="[float32](4*n)")
    assert not d.is_lowered
    with pytest.raises(VerificationError, match=r"toGlobal at .*: global memory: it holds scalars, not <float32>4"):
        d.run(X)


@pytest.mark.device
def test_what_was_derived_runs():
    found = lowered().run(X)
    assert found.shape == (1,)
    assert found.dtype == np.float32
    assert np.asarray(found).tolist() == [np.abs(X).sum()]
    assert float((found + 1)[0]) == np.abs(X).sum() + 1  # a lazy array like any other
    assert np.asarray(lowered().run(xs=la.asarray(X[:8]) + 1)).tolist() == [np.abs(X[:8] + 1).sum()]


@pytest.mark.device
def test_a_recorded_function_is_called_like_itself():
    x, y = la.asarray(X), la.asarray(X[::-1].copy())
    d = lift.derive(lambda x, y: {"d": (y - 2 * x).reshape(10, 12)}, x, y)
    d.apply("fuse_operand", operand=1).apply("map_to_global", dim=0)
    np.testing.assert_array_equal(np.asarray(d.run()["d"]), (X[::-1] - 2 * X).reshape(10, 12))
    np.testing.assert_array_equal(np.asarray(d.run(y, x)["d"]), (X - 2 * X[::-1]).reshape(10, 12))
    d = lift.derive(lambda x: la.sum(x), x).apply("reduce_to_seq")
    assert float(d.run(la.asarray(X[:50]))) == X[:50].sum()
    with pytest.raises(ValueError, match="another expression"):
        d.run(la.asarray(X.astype(np.float64)))
    with pytest.raises(TypeError, match="sizes of a recorded function"):
        d.run(sizes={"n0": 3})
    d = lift.derive(la.sum(la.asarray(X) * 3)).apply("reduce_to_seq").apply("map_to_seq").apply("reduce_seq_fusion")
    assert float(d.run()) == 3 * X.sum()


@pytest.fixture
def kernels_alone():
    """Products by kernels, not by the host's library."""
    before = configure(library="off")
    yield
    configure(library=before.library)


@pytest.mark.device
@pytest.mark.parametrize(
    "function",
    [
        lambda m: la.sum(m * m),
        lambda m: la.sum(m, axis=1),
        lambda m: m @ m.T,
        lambda m: {"two": la.abs(m) + 1, "results": (la.abs(m) * 2).reshape(5, 24)},
    ],
    ids=["sum", "rows", "product", "two results"],
)
def test_what_lazyarr_does_by_itself_can_be_done_by_hand(function, kernels_alone):
    m = la.asarray(X.reshape(8, 15))
    (kernel,) = lift.explain(function, m).kernels
    d = lift.derive(function, m)
    for step in kernel.derivation.steps:
        d.apply(step)
    assert d.steps == kernel.derivation.steps
    assert d.expression == kernel.derivation.result
    if default_device().alignment == 1:  # `source` knows no device; others' buffers begin where vectors may
        assert d.source() == kernel.source
    found, expected = d.run(), function(m)
    for key in found if isinstance(found, dict) else [...]:
        np.testing.assert_array_equal(np.asarray(found[key]), np.asarray(expected[key]))


@pytest.mark.device
def test_matrices_tuples_and_scalars_are_bound():
    d = lift.derive("map (map (λx. x * c)) xss", xss="[[float32]m]n", c="float32")
    d.apply("map_to_global", at="map (map", dim=0).apply("map_to_seq")
    xss = X.reshape(8, 15)
    found = d.run(xss, np.float32(3))
    assert found.shape == (8, 15)
    np.testing.assert_array_equal(np.asarray(found), 3 * xss)
    d = lift.derive("map (λ(a, b). (b, a)) ps", ps="[(float32, int32)]n").apply("map_to_seq")
    numbers = np.arange(120, dtype=np.int32)
    first, second = d.run((X, numbers))
    np.testing.assert_array_equal(np.asarray(first), numbers)
    np.testing.assert_array_equal(np.asarray(second), X)


@pytest.mark.device
def test_arrays_that_do_not_fit_are_refused():
    d = lowered()
    with pytest.raises(TypeError, match=r"expected xs: \[float32\]\(4\*n\); missing: xs"):
        d.run()
    with pytest.raises(TypeError, match="got 2 arrays"):
        d.run(X, X)
    with pytest.raises(TypeError, match="given twice or unknown: ys"):
        d.run(X, ys=X)
    with pytest.raises(TypeError, match="float64"):
        d.run(X.astype(np.float64))
    with pytest.raises(ValueError, match="do not say what n is"):
        d.run(X[:7])  # no multiple of four
    d = lift.derive("(join ∘ mapSeq (mapSeq abs) ∘ split i) xs", xs="[float32](i*j)")
    with pytest.raises(ValueError, match="do not say what i, j is"):
        d.run(X)
    np.testing.assert_array_equal(np.asarray(d.run(X, sizes={"j": 5})), np.abs(X))


@pytest.mark.device
@pytest.mark.parametrize("name", ["derivation.md", "tiled_product.md"])
def test_the_pages_in_the_documentation_are_what_happens(name):
    page = Path(__file__).parents[2] / "docs" / name
    blocks = re.findall(r"```python\n(.*?)```", page.read_text(encoding="utf-8"), re.DOTALL)
    assert len(blocks) > 5
    report: list[str] = []
    test = doctest.DocTestParser().get_doctest("\n".join(blocks), {}, page.name, str(page), 0)
    runner = doctest.DocTestRunner(optionflags=doctest.ELLIPSIS)
    result = runner.run(test, out=report.append)
    assert result.attempted > 20
    assert result.failed == 0, "".join(report)
