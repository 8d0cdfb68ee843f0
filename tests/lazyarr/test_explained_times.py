"""`lift.explain` says what time is predicted, and measures nothing where nothing may be measured."""

from __future__ import annotations

import pytest

import lazyarr as la
from lazyarr import lift
from tests.lazyarr.explaining import X, asum, html, never

pytestmark = pytest.mark.device


@pytest.mark.searches
def test_the_predicted_time_stands_beside_the_measured_one():
    f = lift.jit(lambda x: la.sum(x * x - 7))
    lift.tune(f, la.asarray(X), seconds=None, trials=2)
    (kernel,) = lift.explain(f, la.asarray(X)).kernels
    prediction = kernel.prediction
    assert kernel.unpredicted is None
    assert prediction.bytes_read == 4 * X.size
    assert prediction.bytes_written == 4
    assert prediction.operations == {"float32 arithmetic": 3 * X.size}
    assert prediction.launches == len(kernel.resources)
    slower = max(prediction.transfer_seconds, prediction.compute_seconds)
    assert prediction.seconds == slower + prediction.launch_seconds > 0
    lines = str(kernel).splitlines()
    at = lines.index(f"predicted: {prediction}")
    assert lines[at + 1] == f"measured: {kernel.seconds * 1e3:.4g} ms"
    text = html(kernel)
    assert f"<td>predicted</td><td>{prediction}</td>" in text
    assert f"<td>measured</td><td>{kernel.seconds * 1e3:.4g} ms</td>" in text
    assert f"estimated for this candidate: {kernel.estimate}" in lines
    assert f"<td>estimated for this candidate</td><td>{kernel.estimate}</td>" in text
    assert kernel.estimate.seconds == sum(map(max, kernel.estimate.kernels)) + kernel.estimate.launches > 0


@pytest.mark.searches
def test_the_prediction_is_for_the_lengths_asked_for():
    f = lift.jit(lambda x: la.abs(x) + 7)
    for n in (1000, 1009):  # one kernel serves both
        (kernel,) = lift.explain(f, la.asarray(X[:n])).kernels
        assert kernel.prediction.bytes_read == kernel.prediction.bytes_written == 4 * n
        assert kernel.prediction.operations == {"float32 arithmetic": 2 * n}


def test_nothing_is_benchmarked_where_nothing_may_be_measured(tuned_off, monkeypatch):
    from lazyarr.compile import rates

    monkeypatch.setattr(rates, "_measured", {})
    monkeypatch.setattr(rates.compiler, "cache", lambda: _NoKernels())
    monkeypatch.setattr(rates, "_measure", never)
    (kernel,) = lift.explain(lambda x: la.sum(x * 5), la.asarray(X)).kernels
    assert kernel.prediction is None
    assert "was not benchmarked yet" in kernel.unpredicted
    assert f"not predicted: {kernel.unpredicted}" in str(kernel)
    assert "measured: no" in str(kernel)
    assert f"<td>not predicted</td><td>{kernel.unpredicted}</td>" in html(kernel)


def test_explaining_again_measures_nothing(monkeypatch):
    from lazyarr.compile import rates
    from lazyarr.compile.trials import CandidateRunner

    first = lift.explain(asum, la.asarray(X)).kernels[0].prediction
    monkeypatch.setattr(rates, "_measure", never)
    monkeypatch.setattr(CandidateRunner, "run", never)
    assert lift.explain(asum, la.asarray(X)).kernels[0].prediction == first


@pytest.mark.searches
def test_a_benchmark_that_fails_is_told(monkeypatch):
    from lazyarr.compile import rates
    from lazyarr.runtime import LaunchError

    def refuse(*_):
        raise LaunchError("out of resources\nand more")

    monkeypatch.setattr(rates, "_measured", {})
    monkeypatch.setattr(rates.compiler, "cache", lambda: _NoKernels())
    monkeypatch.setattr(rates, "_measure", refuse)
    (kernel,) = lift.explain(asum, la.asarray(X)).kernels
    assert kernel.prediction is None
    assert kernel.unpredicted.endswith("failed: out of resources")


class _NoKernels:
    """A kernel cache in which nothing is found."""

    def get(self, key):
        return None

    def put(self, key, entry):
        pass

    def trials(self, key):
        return []
