"""The wiring between the suites and lazyarr: bare launches, candidates, rows disturbed by other processes."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import costs, lazy, loops, overhead
from benchmarks.operations import ASUM, inputs
from benchmarks.report import Row, Verdict
from tests.tiers import by_tier


class Busy:
    def __init__(self, cores):
        self.value = cores

    def cores(self):
        return self.value


@pytest.mark.parametrize(
    ("cores", "measured", "verdict"),
    [
        (None, 3.0, Verdict.PASSES),
        (0.3, 3.0, Verdict.PASSES),
        (0.31, 3.0, Verdict.DISTURBED),
        (0.31, 5.0, Verdict.FALLS_SHORT),
        (2.0, None, Verdict.NOT_MEASURED),
    ],
)
def test_a_disturbed_row_never_passes(cores, measured, verdict):
    row = Row(name="asum", unit="ms", measured=measured, target=4.0, target_text="fast", note="reached")
    marked = costs.marked(row, Busy(cores))
    assert marked.verdict is verdict
    assert marked.note.startswith("reached")
    assert ("not to be trusted" in marked.note) == marked.disturbed


def test_every_cost_is_marked(monkeypatch):
    monkeypatch.setattr(costs, "Neighbours", lambda: Busy(1.0))
    row = Row(name="call", unit="us", measured=1.0, target=2.0, target_text="fast")
    assert costs.guarded("call", "small", lambda: row).verdict is Verdict.DISTURBED


@pytest.fixture(scope="module")
def front():
    found = lazy.front_end()
    runtime = pytest.importorskip("lazyarr.runtime")
    try:
        runtime.default_device()
    except runtime.DeviceError as error:
        pytest.skip(str(error))
    return found


def test_bare_launches_give_the_result(front):
    ((x,),) = inputs(ASUM, costs.SMALL, sets=1)
    f = front.lift.jit(ASUM.write(front))
    lowered = front.lift.lowered(f, front.la.asarray(x))
    fixed = lazy.FrontEnd(front.la, type("Fixed", (), {"lowered": staticmethod(lambda *a: lowered)}))
    last = lowered.launches[-1]
    results = [a for a, kind in zip(last.arguments, last.argument_types, strict=True) if kind == "buffer"]
    results[-1].fill(0)
    lazy.bare_launcher(fixed, f, None)()
    ASUM.reference(x).check("bare", results[-1].to_numpy("f4", (1,))[0])


def test_plain_arguments():
    class Buffer:
        handle = "a pyopencl buffer"

    assert lazy.plain_argument(Buffer(), "buffer") == "a pyopencl buffer"
    assert type(lazy.plain_argument(3, "int32")) is np.int32
    assert type(lazy.plain_argument(3, "int64")) is np.int64


def test_candidates_begin_again_when_they_are_used_up():
    made = []

    def candidates(f, x):
        made.append(f)
        yield from ("first", "second")

    fixed = lazy.FrontEnd(None, type("Fixed", (), {"candidates": staticmethod(candidates)}))
    make = lazy.candidate_maker(fixed, len, None)
    assert [make() for _ in range(5)] == ["first", "second", "first", "second", "first"]
    assert len(made) == 3


def test_rows_of_costs(front):
    assert costs.candidate_row(2).measured > 0
    for row in (costs.call_row(1), costs.evaluation_row(1), costs.idle_row(2, 0.0)):
        assert row.unit == "us"
        assert {*row.samples} == {"lazyarr", "bare pyopencl"}
    assert len(costs.lengths_row(5).samples["lazyarr"]) == 5
    assert set(costs.operation_row(1, repeats=2).samples) == {"x + y", "x * 2.0", "abs(x)", "x < y"}
    assert costs.record_row((10, 100), repeats=1).measured > 0


@pytest.mark.parametrize("every", [4, 1][: by_tier(1, 1, 2)])
def test_rows_of_loops(front, every):
    row = loops.row(every, rounds=1, steps=8)
    assert {*row.samples} == {"lazyarr", "numpy"}
    assert row.target == pytest.approx(3 * 1e3 * row.samples["numpy"][0])


def test_rows_of_overhead(front):
    recordings = overhead.recordings(front)
    assert len({name for name, _, _ in recordings}) == len(recordings)
    for recording in recordings[:: by_tier(3, 3, 1)]:
        row = overhead.recording_row(recording, 2, repeats=2)
        assert row.measured > 0
        assert row.target == recording[1] * costs.PER_OPERATION * 1e6
    name, f, data, expected = overhead.evaluations(front)[1]
    row = costs.evaluation_row_of(name, front, f, 1, data, expected)
    assert row.name == "evaluate softmax(m)"
    assert {*row.samples} == {"lazyarr", "bare pyopencl"}
