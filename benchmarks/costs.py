"""Rows that are no bandwidth: small calls and evaluations, a candidate, the import, recording."""

from __future__ import annotations

import json
import subprocess
import sys
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from statistics import median
from typing import Any, TypeVar

import numpy as np

from benchmarks.harness import Neighbours, Reference, Timing, UnavailableError, interleave
from benchmarks.lazy import FrontEnd, bare_launcher, candidate_maker, front_end
from benchmarks.operations import ASUM, DOT, Floats, inputs
from benchmarks.records import ColdRow, ProgramRow
from benchmarks.report import Comparison, Row

R = TypeVar("R", Row, Comparison, ColdRow, ProgramRow)

LENGTH = 1 << 24
SMALL = 64
LENGTHS_FROM = 1025
OURS = "lazyarr"
EXTRA_PER_CALL = 20e-6
"""Seconds that a jitted call may take beyond the bare kernel."""
EXTRA_PER_EVALUATION = 60e-6
"""Seconds that recording and evaluating a small expression seen before may take beyond the bare kernel."""
PER_OPERATION = 10e-6
"""Seconds for recording an element-wise operation."""
PER_CANDIDATE = 50e-3
"""Seconds for deriving and generating one candidate."""
IMPORT = 0.5
"""Seconds for importing lazyarr."""
QUIET = 0.3
"""Cores that other processes may keep busy before a row counts as disturbed."""
CHAINS = (1_000, 10_000, 100_000)
GROWTH = 2.0
"""How much longer an operation of the longest chain may take than one of the shortest: linear, allowing for caches."""


def samples_of(timings: Mapping[str, Timing]) -> dict[str, Sequence[float]]:
    """The raw samples, for the report."""
    return {name: timing.samples for name, timing in timings.items()}


def call_row(rounds: int) -> Row:
    """A jitted call on a small array against enqueue-and-wait of the same kernel through bare pyopencl."""
    front = front_end()
    return _beyond_bare("call", front, front.lift.jit(ASUM.write(front)), EXTRA_PER_CALL, rounds, *_small_asum())


def evaluation_row(rounds: int) -> Row:
    """Recording a small expression and evaluating it, which was done before, against its bare kernel."""
    front = front_end()
    return _beyond_bare("evaluation", front, ASUM.write(front), EXTRA_PER_EVALUATION, rounds, *_small_asum())


def evaluation_row_of(
    name: str, front: FrontEnd, f: Callable[..., Any], rounds: int, data: Floats, expected: Reference
) -> Row:
    """The same for any function of a small array, whose name and value are given."""
    return _beyond_bare(f"evaluate {name}", front, f, EXTRA_PER_EVALUATION, rounds, name, data, expected)


def _small_asum() -> tuple[str, Floats, Reference]:
    ((data,),) = inputs(ASUM, SMALL, sets=1)
    return f"asum of {SMALL} elements", data, ASUM.reference(data)


def _beyond_bare(
    name: str,
    front: FrontEnd,
    f: Callable[..., Any],
    extra: float,
    rounds: int,
    what: str,
    data: Floats,
    expected: Reference,
) -> Row:
    """What ``f`` takes on a small array beyond its kernels, enqueued and waited for through bare pyopencl."""
    x = front.la.asarray(data)
    front.la.compute(f(x))

    def run() -> object:
        result = f(x)
        front.la.compute(result)
        return result

    contestants = {OURS: [run], "bare pyopencl": [bare_launcher(front, f, x)]}
    timings = interleave(contestants, {OURS: [expected]}, rounds=100 * rounds, warm_up=100)
    mine, bare = timings[OURS], timings["bare pyopencl"]
    return Row(
        name=name,
        unit="us",
        measured=(mine.median - bare.median) * 1e6,
        target=extra * 1e6,
        target_text=f"{what}: at most {extra * 1e6:.0f} us more than the bare kernel",
        note=f"it takes {_both(mine)}, the bare kernel {_both(bare)}",
        samples=samples_of(timings),
    )


def _both(timing: Timing) -> str:
    return f"{timing.median * 1e6:.1f} us (at best {timing.minimum * 1e6:.1f})"


def idle_row(calls: int = 20, idle: float = 0.3, sleep: Callable[[float], object] = time.sleep) -> Row:
    """A small jitted call after the process has slept, when neither code nor data are in the caches."""
    front = front_end()
    f = front.lift.jit(ASUM.write(front))
    x = front.la.asarray(inputs(ASUM, SMALL, sets=1)[0][0])
    front.la.compute(f(x))
    bare = bare_launcher(front, f, x)
    contestants = {OURS: [lambda: front.la.compute(f(x))], "bare pyopencl": [bare]}
    timings = interleave(contestants, rounds=calls, rest=idle, sleep=sleep)
    return Row(
        name="idle",
        unit="us",
        measured=timings[OURS].median * 1e6,
        target=None,
        target_text=f"asum of {SMALL} elements, {idle:g} s after the call before",
        note=f"it takes {_both(timings[OURS])}, the bare kernel {_both(timings['bare pyopencl'])}",
        samples=samples_of(timings),
    )


def lengths_row(lengths: int = 300) -> Row:
    """Evaluating an expression for lengths that it was not evaluated for before."""
    front = front_end()
    data = np.ones(4 * LENGTHS_FROM, np.float32)
    taken = []
    for n in range(LENGTHS_FROM, LENGTHS_FROM + lengths):
        x, y = front.la.asarray(data[:n]), front.la.asarray(data[-n:])
        begin = time.perf_counter()
        front.la.compute(x * 2 + y)
        taken.append(time.perf_counter() - begin)
    return Row(
        name="lengths",
        unit="us",
        measured=median(taken) * 1e6,
        target=None,
        target_text=f"x * 2 + y for each of {lengths} lengths from {LENGTHS_FROM} on, once",
        note=f"at best {min(taken) * 1e6:.1f} us, the first {taken[0] * 1e6:.0f} us",
        samples={OURS: taken},
    )


def repeated(record: Callable[[], object], repeats: int) -> Callable[[], object]:
    """What does it that often."""

    def run() -> object:
        for _ in range(repeats):
            record()
        return None

    return run


def operation_row(rounds: int, repeats: int = 300) -> Row:
    """Recording element-wise operations, each ``repeats`` times for a sample."""
    front = front_end()
    x, y = (front.la.asarray(array) for array in inputs(DOT, SMALL, sets=1)[0])
    operations: dict[str, Callable[[], object]] = {
        "x + y": lambda: x + y,
        "x * 2.0": lambda: x * 2.0,
        "abs(x)": lambda: front.la.abs(x),
        "x < y": lambda: x < y,
    }

    timings = interleave({name: [repeated(record, repeats)] for name, record in operations.items()}, rounds=10 * rounds)
    each = {name: timing.median / repeats for name, timing in timings.items()}
    times = ", ".join(
        f"{name} {seconds * 1e6:.1f} us (at best {timings[name].minimum / repeats * 1e6:.1f})"
        for name, seconds in each.items()
    )
    return Row(
        name="operation",
        unit="us",
        measured=max(each.values()) * 1e6,
        target=PER_OPERATION * 1e6,
        target_text=f"record an element-wise operation in at most {PER_OPERATION * 1e6:.0f} us",
        note=times,
        samples=samples_of(timings),
    )


def candidate_row(rounds: int) -> Row:
    """Deriving and generating one candidate of asum."""
    front = front_end()
    x = front.la.asarray(inputs(ASUM, LENGTH, sets=1)[0][0])
    timings = interleave({OURS: [candidate_maker(front, front.lift.jit(ASUM.write(front)), x)]}, rounds=rounds)
    return Row(
        name="candidate",
        unit="ms",
        measured=timings[OURS].median * 1e3,
        target=PER_CANDIDATE * 1e3,
        target_text=f"derive and generate one candidate of asum in at most {PER_CANDIDATE * 1e3:.0f} ms",
        samples=samples_of(timings),
    )


IMPORT_PROGRAM = """
import json, time
begin = time.perf_counter()
import lazyarr
print(json.dumps(time.perf_counter() - begin))
"""

TOUCH_PROGRAM = """
import json
import pyopencl
import pyopencl._cl
touched = []
def watch(owner, name):
    original = getattr(owner, name)
    def watched(*arguments, **keywords):
        touched.append(name)
        return original(*arguments, **keywords)
    setattr(owner, name, watched)
watch(pyopencl, "get_platforms")
watch(pyopencl._cl, "get_platforms")
watch(pyopencl, "create_some_context")
import lazyarr
print(json.dumps(touched))
"""


def _in_new_process(program: str) -> Any:
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False)
    if done.returncode:
        raise UnavailableError((done.stderr.strip().splitlines() or [f"exit status {done.returncode}"])[-1])
    return json.loads(done.stdout)


def import_row(repeats: int = 5) -> Row:
    """``import lazyarr`` in new processes: its time, and that it asks OpenCL for nothing."""
    front_end()
    _in_new_process(IMPORT_PROGRAM)  # writes the byte code
    samples = [float(_in_new_process(IMPORT_PROGRAM)) for _ in range(repeats)]
    touched = _in_new_process(TOUCH_PROGRAM)
    return Row(
        name="import",
        unit="ms",
        measured=median(samples) * 1e3,
        target=IMPORT * 1e3,
        target_text=f"import lazyarr in at most {IMPORT * 1e3:.0f} ms, touching no device",
        failed=bool(touched),
        note=f"touches OpenCL: {', '.join(touched)}" if touched else "touches no device",
        samples={OURS: samples},
    )


def record_row(chains: Sequence[int] = CHAINS, repeats: int = 3) -> Row:
    """Recording chains of ``x = x + y``: the longest chain's time for an operation against the shortest's."""
    front = front_end()
    samples: dict[str, Sequence[float]] = {}
    for operations in chains:
        taken = []
        for _ in range(repeats):
            y = front.la.asarray(np.ones(SMALL, np.float32))
            x = y
            begin = time.perf_counter()
            for _ in range(operations):
                x = x + y
            taken.append(time.perf_counter() - begin)
            del x
        samples[f"{operations} operations"] = taken
    each = [median(taken) / operations for taken, operations in zip(samples.values(), chains, strict=True)]
    times = ", ".join(f"{t * 1e6:.2f} us at {n:,}" for t, n in zip(each, chains, strict=True))
    return Row(
        name="record",
        unit="x",
        measured=each[-1] / each[0],
        target=GROWTH,
        target_text=f"linear: an operation of {chains[-1]:,} takes at most {GROWTH:g} times one of {chains[0]:,}",
        note=f"an operation takes {times}",
        samples=samples,
    )


def guarded(name: str, target: str, measure: Callable[[], Row]) -> Row:
    """The row, or one that says why it could not be measured. A wrong result is raised, never reported as missing."""
    neighbours = Neighbours()
    try:
        return marked(measure(), neighbours)
    except UnavailableError as error:
        return Row(name=name, unit="", measured=None, target=None, target_text=target, note=str(error))
    except RecursionError as error:
        return Row(name=name, unit="", measured=None, target=None, target_text=target, note=repr(error), failed=True)


def marked(row: R, neighbours: Neighbours) -> R:
    """The row, marked as disturbed if other processes were busy while it was measured."""
    others = neighbours.cores() or 0.0
    if others <= QUIET:
        return row
    busy = f"other processes kept {others:.1f} cores busy, so these times are not to be trusted"
    return replace(row, disturbed=True, note=f"{row.note}; {busy}" if row.note else busy)
