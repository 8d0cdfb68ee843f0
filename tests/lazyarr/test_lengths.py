"""A thousand lengths of one program: a handful of kernels, and tables that do not grow with what was computed."""

from __future__ import annotations

import gc
import weakref

import numpy as np
import pytest

import lazyarr as la
from ir.core import expr, types
from lazyarr import config, lift
from lazyarr.tiers import programs as tiers
from tests.lazyarr.support import check
from tests.tiers import by_tier

pytestmark = pytest.mark.device

LENGTHS = by_tier(400, 400, 1000)
FIRST = 1025  # so that all are of one magnitude
KERNELS = 8
"""Kernels of one program that may be built: two steps at most, each for lengths that are multiples of the granule of
extents and for others.
"""


def map_(x):
    return x * 2 + 1


def reduce_(x):
    return la.sum(la.abs(x))


def rows(x):
    return la.sum(x.reshape(-1, 5) * 2, axis=1)


def mixed(x):
    """A reduction, and a map that reads it beside its operand."""
    return (x - la.mean(x)) * x[::-1]


def centred(x):
    """A row reduction, and a map over rows that reads it."""
    rows = x.reshape(-1, 5)
    return (rows - la.mean(rows, axis=1, keepdims=True)) * 2


def smoothed(x):
    return (x[1:] + x[:-1]) / 2


def windows(x):
    return lift.map(la.sum, lift.slide(5, 1, x[:-4])) * 2


WEIGHTS = np.array([[1, 2, -3, 2, 1], [1, 0, 0, 0, -1]], np.float32).T.copy()


def weighed(x):
    """A product of windows."""
    return la.lib.stride_tricks.sliding_window_view(x[:-4], 5) @ la.asarray(WEIGHTS)


EXPECTED = {
    weighed: lambda a: np.lib.stride_tricks.sliding_window_view(a[:-4], 5) @ WEIGHTS,
    windows: lambda a: np.lib.stride_tricks.sliding_window_view(a[:-4], 5).sum(axis=1) * np.float32(2),
    map_: lambda a: a * np.float32(2) + np.float32(1),
    reduce_: lambda a: np.abs(a).sum(),
    rows: lambda a: (a.reshape(-1, 5) * np.float32(2)).sum(axis=1),
    mixed: lambda a: (a - a.mean()) * a[::-1],
    centred: lambda a: (a.reshape(-1, 5) - a.reshape(-1, 5).mean(axis=1, keepdims=True)) * np.float32(2),
    smoothed: lambda a: (a[1:] + a[:-1]) / np.float32(2),
}


@pytest.fixture
def unmeasured():
    """No searches and no stored kernels: what is needed is built."""
    old = config.configure(tune="off", cache="off")
    yield
    config.configure(**vars(old))


@pytest.fixture
def fresh(monkeypatch):
    """A compiler and programs of their own."""
    from lazyarr.compile import compiler, program

    monkeypatch.setattr(compiler, "_compilers", {})
    monkeypatch.setattr(program, "_programs", {})
    monkeypatch.setattr(tiers, "_programs", {})
    return program


def lengths(program, start=FIRST, count=LENGTHS):
    step = 5 if program in (rows, centred) else 1
    return range(step * start, step * (start + count), step)


@pytest.mark.parametrize("jitted", [False, True], ids=["recorded", "jitted"])
@pytest.mark.parametrize("program", EXPECTED, ids=lambda f: f.__name__)
def test_many_lengths_are_a_handful_of_kernels(program, jitted, unmeasured, built, fresh):
    function = lift.jit(program) if jitted else program
    data = np.random.default_rng(1).uniform(-1, 1, 5 * (FIRST + LENGTHS)).astype(np.float32)
    for number, n in enumerate(lengths(program)):
        result = function(la.asarray(data[:n]))
        if number % 97 == 0:
            expected = EXPECTED[program](data[:n].astype(np.float64))
            check(result, expected.astype(np.float32), terms=n, scale=float(n))
        else:
            la.compute(result)
    assert 0 < len(built) <= KERNELS, "\n".join(built)
    (programs,) = fresh._programs.values()
    # devices that read aligned vectors tell lengths that are multiples of them from others
    assert len(programs._cuts) <= (KERNELS if programs._granule == 1 else 2 * KERNELS)
    # PoCL builds a kernel anew for each size of its work-groups
    batches = [made._bound[0] for made in programs._programs.values()]
    groups = {(id(each.kernel), each.local_size) for batch in batches for each in batch._launches}
    assert len(groups) <= KERNELS + 20


def tables() -> dict[str, int]:
    """How much is remembered."""
    from lazyarr.compile import compiler, program
    from lazyarr.recording import apply

    gc.collect()
    (made,) = compiler._compilers.values()
    (programs,) = program._programs.values()
    (both,) = tiers._programs.values()
    return {
        "nodes": len(expr._nodes),
        "types": len(types._types),
        "kernels": len(made._memory),
        "cuts": len(programs._cuts),
        "programs": len(programs._programs),
        "programs of both tiers": len(both._programs),
        "spending": len(both._spending),
        "recipes": len(apply._recipes),
        "wrapped arrays": len(made.device.memory._wrapped),
    }


@pytest.mark.sweep
def test_memory_is_bounded(unmeasured, built, fresh, monkeypatch):
    """What is remembered after many lengths is no more than after a few hundred."""
    monkeypatch.setattr(fresh.CompiledPrograms.__init__, "__defaults__", (64 * fresh._WEIGHT,))
    monkeypatch.setattr(tiers.Programs.__init__, "__defaults__", (64 * tiers._WEIGHT,))
    monkeypatch.setattr(lift.jitted, "SIGNATURES", 64)
    jitted = {program: lift.jit(program) for program in EXPECTED}
    data = np.ones(5 * (FIRST + 650), np.float32)

    def run(start: int, count: int) -> None:
        for program, function in jitted.items():
            for n in lengths(program, start, count):
                la.compute(program(la.asarray(data[:n])), function(la.asarray(data[:n])))

    run(FIRST, 400)  # so many that what is remembered of the last ones is full
    kernels, before = len(built), tables()
    run(FIRST + 400, 250)
    after = tables()
    assert len(built) == kernels  # the kernels of the first lengths serve the others
    # Types made last are kept, and 1024 functions that mention a length; 3500 evaluations would leave more than these.
    slack = {"types": 1100, "nodes": 3 * 1024}
    for name, count in after.items():
        assert count <= before[name] + slack.get(name, 100), f"{name}: {before[name]} became {count}"
    assert after["programs"] <= 64
    assert all(len(function._recordings) <= 64 for function in jitted.values())


def test_nothing_keeps_the_data_of_a_program_alive(unmeasured, fresh):
    """Kernels and programs are remembered, what they were made with is not."""
    for function in (mixed, lift.jit(mixed)):
        data = np.ones(4321, np.float32)
        dead = weakref.ref(data)
        result = function(la.asarray(data))
        la.compute(result)
        del data
        gc.collect()
        assert dead() is None
        check(result, np.zeros(4321, np.float32), scale=1.0)
