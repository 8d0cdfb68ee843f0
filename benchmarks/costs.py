"""Rows of the suite "spine" that are no bandwidth: a small call, a candidate, the import, recording a long chain."""

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

from benchmarks.harness import Neighbours, Timing, UnavailableError, interleave
from benchmarks.lazy import bare_launcher, candidate_maker, front_end
from benchmarks.operations import ASUM, inputs
from benchmarks.report import Comparison, Row

R = TypeVar("R", Row, Comparison)

LENGTH = 1 << 24
SMALL = 64
OURS = "lazyarr"
EXTRA_PER_CALL = 20e-6
"""Seconds that a jitted call may take beyond the bare kernel."""
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
    arrays = inputs(ASUM, SMALL, sets=1)
    f = front.lift.jit(ASUM.write(front))
    x = front.la.asarray(arrays[0][0])
    front.la.compute(f(x))

    def run() -> object:
        result = f(x)
        front.la.compute(result)
        return result

    contestants = {OURS: [run], "bare pyopencl": [bare_launcher(front, f, x)]}
    timings = interleave(contestants, {OURS: [ASUM.reference(*arrays[0])]}, rounds=100 * rounds, warm_up=100)
    mine, bare = timings[OURS].median, timings["bare pyopencl"].median
    return Row(
        name="call",
        unit="us",
        measured=(mine - bare) * 1e6,
        target=EXTRA_PER_CALL * 1e6,
        target_text=f"asum of {SMALL} elements: at most {EXTRA_PER_CALL * 1e6:.0f} us more than the bare kernel",
        note=f"a call takes {mine * 1e6:.1f} us, the bare kernel {bare * 1e6:.1f} us",
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
