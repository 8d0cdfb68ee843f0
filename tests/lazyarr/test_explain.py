"""`lift.explain`, `tune`, `lowered` and `candidates`: what they say is what runs."""

from __future__ import annotations

from itertools import islice

import numpy as np
import pytest

import lazyarr as la
from ir.core.interpreter import interpret
from ir.core.text import show_indented
from ir.rewrite.rule import RULES
from lazyarr import lift
from tests.lazyarr.evaluation import ON_DEVICE

pytestmark = pytest.mark.skipif(not ON_DEVICE, reason="explains kernels of the real engine")

X = np.linspace(-3, 5, 1009, dtype=np.float32)


def asum(x):
    return la.sum(la.abs(x))


def test_a_kernel_is_explained():
    (kernel,) = lift.explain(asum, la.asarray(X)).kernels
    text = str(kernel)
    assert show_indented(kernel.general.expr).splitlines()[0] in text
    assert show_indented(kernel.derivation.result).splitlines()[0] in text
    assert kernel.source.strip() in "\n".join(line[2:] for line in text.splitlines())
    assert "__kernel" in kernel.source
    for step in kernel.derivation.steps:
        assert step.rule in RULES
        assert step.rule in text
    for name, value in kernel.configuration.items():
        assert f"{name} = {value}" in text


def test_the_derivation_starts_and_ends_where_it_says():
    (kernel,) = lift.explain(asum, la.asarray(X)).kernels
    assert kernel.derivation.start is kernel.general.expr
    inputs = {kernel.general.inputs[0].identifier: X}
    named = {p.identifier: X for p in _free(kernel.general.expr)}
    assert len(named) == len(inputs) == 1
    high = interpret(kernel.general.expr, named, kernel.general.sizes)
    low = interpret(kernel.derivation.result, named, kernel.general.sizes)
    np.testing.assert_allclose(np.asarray(low), np.asarray(high), rtol=1e-4)


def _free(e):
    from ir.core.expr import Param, postorder

    return [node for node in postorder(e) if isinstance(node, Param) and not node.binder]


def test_several_kernels_in_order():
    explanation = lift.explain(lambda x: x / la.sum(x), la.asarray(X))
    assert len(explanation.kernels) == 2
    assert "reduce" in str(explanation.kernels[0].general.expr)
    assert "kernel 1 of 2" in str(explanation)
    assert "kernel 2 of 2" in str(explanation)


def test_a_function_without_kernels():
    assert lift.explain(lambda x: x, la.asarray(X)).kernels == ()


def test_a_jitted_function_keeps_its_recording():
    calls = []
    f = lift.jit(lambda x: calls.append(1) or asum(x))
    lift.explain(f, la.asarray(X))
    np.testing.assert_allclose(float(f(la.asarray(X))), np.abs(X).sum(), rtol=1e-4)
    lift.explain(f, la.asarray(X))
    assert len(calls) == 1


def test_tuning_is_explained_with_its_failures(monkeypatch):
    from lazyarr.execution import trials
    from lazyarr.runtime import BuildError

    built = []
    original = trials.build

    def build(device, general, configuration, *rest):
        built.append(dict(configuration))
        if len(built) == 2:
            raise BuildError("made to fail", "source", "log")
        return original(device, general, configuration, *rest)

    monkeypatch.setattr(trials, "build", build)
    f = lift.jit(lambda x: la.sum(x * x + 5))
    (result,) = lift.tune(f, la.asarray(X), seconds=None, trials=4)
    assert len(result.trials) == 4
    assert [str(trial.outcome) for trial in result.trials].count("build_failed") == 1
    (kernel,) = lift.explain(f, la.asarray(X)).kernels
    assert kernel.origin == "tuned"
    text = str(kernel)
    assert "search: 4 trials, 3 ran well" in text
    assert "build_failed: " in text
    assert "made to fail" in text


def test_lowered_launches_compute_the_result():
    f = lift.jit(asum)
    lowered = lift.lowered(f, la.asarray(X))
    assert lowered.launches
    for launch in lowered.launches:
        assert f"__kernel void {launch.kernel}(" in launch.source
        assert len(launch.arguments) == len(launch.argument_types)
        for argument, kind in zip(launch.arguments, launch.argument_types, strict=True):
            assert isinstance(argument, int) == (kind != "buffer")
    from benchmarks.lazy import FrontEnd, bare_launcher

    run = bare_launcher(FrontEnd(la, _Fixed(lowered)), f, None)
    run()
    last = lowered.launches[-1]
    results = [a for a in last.arguments if not isinstance(a, int)]
    np.testing.assert_allclose(results[-1].to_numpy("f4", (1,))[0], np.abs(X).sum(), rtol=1e-4)


class _Fixed:
    """Stands for `lift` where the launches are known."""

    def __init__(self, lowered):
        self.known = lowered

    def lowered(self, f, *args):
        return self.known


def test_candidates_are_made_one_by_one():
    sources = list(islice(lift.candidates(asum, la.asarray(X)), 5))
    assert len(sources) == 5
    assert len(set(sources)) > 1
    assert all("__kernel void candidate" in source for source in sources)
    assert sources == list(islice(lift.candidates(asum, la.asarray(X)), 5))


def test_candidates_need_a_kernel():
    with pytest.raises(ValueError, match="no kernel"):
        next(lift.candidates(lambda x: x, la.asarray(X)))
