"""Launch plans as JSON: what is read back launches the same, and what is no plan is refused."""

from __future__ import annotations

import json

import numpy as np
import pytest

import lazyarr as la
from ir.schedules.candidates import Candidates
from lazyarr.compile.compiled import build
from lazyarr.compile.plan import Plan
from lazyarr.compile.trials import machine_of
from tests.lazyarr.execution.kernels import asum, kernel_of, scal

PROGRAMS = {
    "asum": asum,
    "scal": scal,
    "rows": lambda: la.sum(la.asarray(np.ones((31, 57), np.float32)), axis=1),
    "pairs": lambda: la.lift.unzip(la.lift.map(lambda e: (e + 1, e > 0), la.asarray(np.ones(30011))))[0],
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_round_trip(name):
    device, general, _ = kernel_of(PROGRAMS[name]())
    candidates = Candidates.of(general.expr)
    plan = build(device, general, candidates.default(machine_of(device), general.sizes)).plan
    text = json.dumps(plan.to_json())
    read = Plan.from_json(json.loads(text))
    assert json.dumps(read.to_json()) == text
    for values in (general.sizes, dict.fromkeys(general.sizes, 7), {n: 4099 + i for i, n in enumerate(general.sizes)}):
        for one, other in zip(plan.kernels, read.kernels, strict=True):
            assert [g.evaluate(values) for g in one.global_size] == [g.evaluate(values) for g in other.global_size]
            assert [n.evaluate(values) for n in one.elements] == [n.evaluate(values) for n in other.elements]
            assert (one.name, one.arguments, one.local_size) == (other.name, other.arguments, other.local_size)
            assert (one.result, one.result_bytes) == (other.result, other.result_bytes)
    assert (read.sizes, read.index_type) == (plan.sizes, plan.index_type)


def valid() -> dict:
    device, general, _ = kernel_of(asum())
    candidates = Candidates.of(general.expr)
    return build(device, general, candidates.default(machine_of(device), general.sizes)).plan.to_json()


@pytest.mark.parametrize(
    "spoil",
    [
        lambda p: p.clear(),
        lambda p: p.update(kernels=[]),
        lambda p: p.update(kernels=3),
        lambda p: p.update(kernels=[{}]),
        lambda p: p["kernels"][0].update(global_size=["n0 +"]),
        lambda p: p["kernels"][0].update(global_size=["unknown"]),
        lambda p: p["kernels"][0].update(local_size=["many"]),
        lambda p: p["kernels"][0].update(arguments=[["x0", 0]]),
        lambda p: p["kernels"][0].update(result_bytes=None),
    ],
)
def test_what_is_no_plan_is_refused(spoil):
    plan = valid()
    Plan.from_json(plan)
    spoil(plan)
    with pytest.raises((ValueError, KeyError, TypeError)):
        Plan.from_json(plan)
