"""What is checked between the passes of fusion: each kind of fault is found, and named by its pass."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ir.core.expr import Param
from ir.core.notation.parser import parse
from ir.core.patterns import Slice
from ir.errors import VerificationError
from ir.fusion.checks import Checks
from ir.fusion.partition.graph import Graph
from ir.fusion.partition.kernels import partition
from ir.fusion.symbols.symbolise import symbolise
from tests.ir.fusion.graphs import XS, YS, binary, total, unary

ILLEGAL = parse("mapLocal abs xs", {"xs": XS.type})
ROOTS = [unary("abs", XS), total(unary("abs", XS))]
TWO = [binary("subtract", unary("sin", XS), YS), total(YS)]


def begun(roots) -> Checks:
    checks = Checks()
    checks.begin(roots, Graph(roots, {}))
    return checks


@pytest.mark.parametrize(
    ("roots", "message"),
    [
        (ROOTS[:1], "the results are of the types"),
        ([Slice(0, 1, 6, ROOTS[0]), ROOTS[1]], "the results are of the types"),
        ([unary("abs", YS), ROOTS[1]], "ys is not computed before"),
        ([ILLEGAL, ROOTS[1]], "mapLocal"),
    ],
)
def test_a_pass_that_breaks_a_graph_is_named(roots, message):
    with pytest.raises(VerificationError, match=f"after the pass shuffle: (?s:.*){message}"):
        begun(ROOTS).roots("shuffle", roots)


def test_a_pass_that_keeps_results_is_noted():
    checks = begun(ROOTS)
    checks.roots("commute", [unary("abs", unary("abs", XS)), ROOTS[1]])
    assert checks.passed == ["recording", "commute"]


def test_constants_of_a_pass_are_inputs():
    checks = begun(ROOTS)
    made = Param("c0", XS.type)
    with pytest.raises(VerificationError, match="c0 is not computed before"):
        checks.roots("merge", [unary("abs", made), ROOTS[1]])
    checks.note_constant(made)
    checks.roots("merge", [unary("abs", made), ROOTS[1]])


def test_a_partition_without_faults_passes():
    checks = Checks()
    partition(TWO, checks=checks)
    assert checks.passed == ["recording", "partition"]


@pytest.mark.parametrize(
    ("fault", "message"),
    [
        (lambda made: replace(made, tasks=made.tasks[:-1]), "no kernel computes v"),
        (lambda made: replace(made, tasks=made.tasks[::-1]), "v0 is not computed before"),
        (
            lambda made: replace(
                made, tasks=(replace(made.tasks[0], results=made.tasks[0].results * 2), *made.tasks[1:])
            ),
            "a kernel gives 1 arrays for 2 results",
        ),
        (
            lambda made: replace(made, tasks=(replace(made.tasks[0], expr=total(XS)), *made.tasks[1:])),
            r"a result of the type \[float64\]1, not \[float64\]12",
        ),
    ],
)
def test_a_wrong_partition_is_found(fault, message):
    roots = [unary("sin", XS), unary("abs", unary("sin", XS))]
    made = partition(roots)
    assert len(made.tasks) == 2
    with pytest.raises(VerificationError, match=f"after the pass partition: {message}"):
        begun(roots).partition("partition", fault(made))


def test_a_kernel_over_symbols_keeps_its_type():
    e = unary("abs", XS)
    general = symbolise(e, {})
    checks = Checks()
    checks.kernel("symbolise", general, 1, e)
    for wrong, reads, message in (
        (general, 2, "a kernel of 1 inputs is given 2"),
        (replace(general, sizes={}), 1, "nothing says how large n0 is"),
        (replace(general, sizes={"n0": 13}), 1, r"of the type \[float64\]13 at its sizes, not \[float64\]12"),
    ):
        with pytest.raises(VerificationError, match=message):
            checks.kernel("symbolise", wrong, reads, e)
