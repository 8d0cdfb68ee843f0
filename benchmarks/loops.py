"""The suite "loops": a loop that trains, and reads a value of it every so many steps, against NumPy in the same run.

What is read when decides how much is recorded before it is computed; and what is computed on the way to the value that
is asked for must not be computed again for the next.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.costs import OURS, guarded, samples_of
from benchmarks.harness import Reference, Tolerance, interleave
from benchmarks.lazy import front_end
from benchmarks.report import Report, Row
from benchmarks.suite import made

STEPS = 1000
EVERY = (1, 10, 100, STEPS)
ROWS, COLUMNS = 2000, 120
AT_MOST = 3.0
"""Times NumPy's time."""


def descend(a: Any, b: Any, w: Any, every: int, steps: int = STEPS) -> list[float]:
    """`p = A w; w -= 0.0001 B p` again and again: the sum of p every so many steps, and of w at the end."""
    read = []
    for step in range(steps):
        p = a @ w
        w = w - 0.0001 * (b @ p)
        if step % every == every - 1:
            read.append(float(p.sum()))
    return [*read, float(w.sum())]


def row(every: int, rounds: int, steps: int = STEPS) -> Row:
    """The loop, read every so many steps."""
    rng = np.random.default_rng(5)
    left = rng.standard_normal((ROWS, COLUMNS)) / COLUMNS
    data: tuple[Any, Any, Any] = (left, left.T.copy(), rng.standard_normal(COLUMNS))
    la = front_end().la
    ours: tuple[Any, Any, Any] = tuple(map(la.asarray, data))
    expected = np.array(descend(*data, every, steps))
    reference = Reference(
        expected, np.abs(expected).max() * np.ones_like(expected), Tolerance.reduction(expected.dtype, steps * ROWS)
    )
    contestants: dict[str, list[Callable[[], object]]] = {
        OURS: [lambda: np.array(descend(*ours, every, steps))],
        "numpy": [lambda: np.array(descend(*data, every, steps))],
    }
    timings = interleave(contestants, {name: [reference] for name in contestants}, rounds=rounds)
    mine, numpy = timings[OURS], timings["numpy"]
    return Row(
        name=f"read every {every}",
        unit="ms",
        measured=mine.median * 1e3,
        target=AT_MOST * numpy.median * 1e3,
        target_text=f"{steps} steps in at most {AT_MOST:g} times NumPy's time",
        note=f"{mine.median / numpy.median:.2f} times NumPy's median, {mine.minimum / numpy.minimum:.2f} times at best",
        samples=samples_of(timings),
    )


def run(*, budget: float, rounds: int, arguments: Sequence[str], progress: Callable[[str], None]) -> Report:
    """Measure the suite. Nothing is tuned: ``budget`` is the other suites'. ``progress`` is told what comes next."""
    rows = []
    for every in EVERY:
        name = f"read every {every}"
        progress(name)
        rows.append(guarded(name, "loop", lambda every=every: row(every, rounds)))  # type: ignore[misc]  # its default
    return made("loops", rows, {}, [], [], arguments)
