"""`lift.explain` for another device, and two explanations compared."""

from __future__ import annotations

from html import escape

import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.runtime import DeviceError
from tests import oclgrind
from tests.lazyarr.explaining import X, asum, html, never

pytestmark = pytest.mark.device


def test_two_explanations_are_compared():
    sums, products = lift.explain(asum, la.asarray(X)), lift.explain(lambda x: la.prod(la.abs(x)), la.asarray(X))
    same = sums.diff(lift.explain(asum, la.asarray(X)))
    assert not same
    assert "no difference in" in str(same)
    html(same)
    other = products.diff(lift.explain(lambda x: la.prod(la.sqrt(x)), la.asarray(X)))
    (kernel,) = other.kernels
    assert other
    assert kernel.expressions == ("(reduce (*) 1 ∘ map abs) x0", "(reduce (*) 1 ∘ map sqrt) x0")
    assert kernel.only_first == kernel.only_second == ()
    assert kernel.shared == len(products.kernels[0].derivation.steps)
    assert any(line.startswith("+") and "sqrt" in line for line in kernel.source.splitlines())
    (kernel,) = sums.diff(products).kernels  # only sums of floats have corrections
    assert "reduce_to_pairs" in {step.rule for _, step in kernel.only_first}
    assert "reduce_to_pairs" not in {step.rule for _, step in kernel.only_second}
    two = sums.diff(lift.explain(lambda x: x / la.sum(x), la.arange(20_000.0)))
    assert two.counts == (1, 2)
    assert "1 | 2 kernels" in str(two)


@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_another_device_is_explained_and_compared():
    here = lift.explain(asum, la.asarray(X))
    there = lift.explain(asum, la.asarray(X), device="oclgrind")
    if here.kernels[0].device == there.kernels[0].device:
        pytest.skip("there is no other device")
    assert "Oclgrind" in there.kernels[0].device
    difference = here.diff(there)
    (kernel,) = difference.kernels
    assert kernel.expressions is None
    assert kernel.names == (here.kernels[0].device, there.kernels[0].device)
    mine, others = here.kernels[0], there.kernels[0]
    assert kernel.shared + len(kernel.only_first) == len(mine.derivation.steps)
    assert kernel.shared + len(kernel.only_second) == len(others.derivation.steps)
    for number, step in kernel.only_second:
        assert others.derivation.steps[number - 1] == step
    chosen = {each.what: (each.first, each.second) for each in kernel.parameters}
    names = set(mine.configuration) & set(others.configuration)
    assert {name for name in names if mine.configuration[name] != others.configuration[name]} <= set(chosen)
    assert others.prediction is None
    assert "simulates a device" in others.unpredicted
    text = html(difference)
    for each in kernel.parameters:
        assert escape(str(each)) in text
    assert f"--- {mine.device}" in str(difference)


def test_a_device_that_is_not_there_is_named_with_those_that_are(monkeypatch):
    from lazyarr.compile import rates

    monkeypatch.setattr(rates, "_measure", never)
    with pytest.raises(DeviceError, match=r"(?s)no device matches 'moon'; there are:.*0:0"):
        lift.explain(asum, la.asarray(X), device="moon")


def test_a_device_needs_an_array_to_be_put_there():
    with pytest.raises(ValueError, match="none of the arguments is an array"):
        lift.explain(lambda n: la.sum(la.ones(n)), 5, device="cpu")
