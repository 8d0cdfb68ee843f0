"""What does nothing is left out before a graph is cut into kernels."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.expr import Expr, Param
from ir.core.notation.parser import parse
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT32, array_of
from ir.fusion.checks import Checks
from ir.fusion.partition.graph import Graph
from ir.fusion.partition.kernels import partition
from ir.fusion.prepare.eliminate import does_nothing, eliminate
from ir.fusion.prepare.rewriting import Rewriter

XS = Param("xs", array_of(FLOAT32, 12))
XSS = Param("xss", array_of(FLOAT32, 3, 4))


def expression(text: str) -> Expr:
    found = parse(text, {"xs": XS.type, "xss": XSS.type}, {})
    assert isinstance(found, Expr)
    return found


NOTHING = {
    "map (λx. x) xs": "xs",
    "map (λr. map (λx. x) r) xss": "xss",
    "map (λr. map (λx. x) r) (map (λr. map (λx. x) r) xss)": "xss",
    "join (split 4 xs)": "xs",
    "join (split 4 (map (λx. x) (map (λx. x) xs)))": "xs",
    "id (map (λx. x) xs)": "xs",
    "reduce (+) 0 (map (λx. x) xs)": "reduce (+) 0 xs",
    "map (λx. x + 1) (map (λx. x) (map exp xs))": "map (λx. x + 1) (map exp xs)",
    "map (λx. x * element 0 (map (λx. x) (reduce (+) 0 xs))) xs": "map (λx. x * element 0 (reduce (+) 0 xs)) xs",
}


@pytest.mark.parametrize("text", NOTHING)
def test_it_is_left_out(text):
    e, expected = expression(text), expression(NOTHING[text])
    rewriter = Rewriter()
    (found,) = eliminate([e], Graph([e], {}), rewriter)
    assert found is expected
    assert rewriter.rewritings  # shown as what it is: derivations by rules
    rng = np.random.default_rng(1)
    values = {"xs": rng.random(12, np.float32), "xss": rng.random((3, 4), np.float32)}
    np.testing.assert_array_equal(interpret(found, values), interpret(e, values))


@pytest.mark.parametrize(
    "text",
    [
        "map (λx. x + 0) xs",
        "map (λx. (x, x)) xs",
        "mapSeq (λx. x) xs",
        "map (λr. map (λx. x) (transpose (split 2 r))) xss",
        "map (λr. map (λx. x) (slice 3 (-1) 4 r)) xss",
        "split 4 (join xss)",
    ],
)
def test_what_does_something_stays(text):
    e = expression(text)
    (found,) = eliminate([e], Graph([e], {}), Rewriter())
    assert not does_nothing(e)
    assert found is e


def test_a_result_that_is_an_input_needs_no_kernel():
    roots = [expression("map (λx. x) xs"), expression("map (λx. x * 2) (map (λx. x) xs)")]
    checks = Checks()
    made = partition(roots, checks=checks)
    assert "eliminate" in checks.passed
    assert len(made.tasks) == 1
    assert str(made.tasks[0].expr) == "map (λx. x * 2) xs"
    assert made.results[0] is expression("xs")
    assert [each.times for each in made.rewritings] == [1]


def test_what_exists_already_is_not_looked_at():
    e = expression("map (λx. x) (map exp xs)")
    there = Param("there", e.type)
    made = partition([e], {e: there})
    assert not made.tasks
    assert made.results == (there,)
