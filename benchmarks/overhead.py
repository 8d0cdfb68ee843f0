"""The suite "overhead": what recording each kind of operation costs, and evaluating small expressions seen before.

An operation is recorded again and again on small arrays, its result dropped each time. Of a function that is made of
others (a standard deviation is a mean, a difference, a square, ...) each that it records may cost as much.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from benchmarks.costs import OURS, PER_OPERATION, evaluation_row_of, guarded, repeated, samples_of
from benchmarks.harness import Reference, Tolerance, interleave
from benchmarks.lazy import FrontEnd, front_end
from benchmarks.operations import Floats
from benchmarks.report import Report, Row
from benchmarks.suite import made

ROWS, COLUMNS = 20, 50
REPEATS = 100
"""Recordings in a sample."""

Recording = tuple[str, int, Callable[[], object]]
"""The name of an operation, how many others it records (1: itself), and what records it."""


def recordings(front: FrontEnd) -> list[Recording]:
    """All operations that are measured, on vectors x and y, matrices m and w, a vector v that fits m, and indices."""
    la = front.la
    m, w = (la.asarray(array) for array in (_matrix(), _matrix().T.copy()))
    x, y, v = (la.asarray(array) for array in (_vector(), 2 * _vector(), _matrix()[0].copy()))
    at = la.asarray(np.array([1, 2, 3, ROWS - 1, 0]))
    generator = la.random.default_rng(3)
    return [
        ("x + y", 1, lambda: x + y),
        ("m + v", 1, lambda: m + v),
        ("exp(x)", 1, lambda: la.exp(x)),
        ("sum(x)", 1, lambda: la.sum(x)),
        ("sum(m, axis=1)", 1, lambda: la.sum(m, axis=1)),
        ("sum(m, axis=0)", 1, lambda: la.sum(m, axis=0)),
        ("max(m, axis=0)", 1, lambda: la.max(m, axis=0)),
        ("argmax(x)", 1, lambda: la.argmax(x)),
        ("cumsum(x)", 1, lambda: la.cumsum(x)),
        ("m.T", 1, lambda: m.T),
        ("x[1:]", 1, lambda: x[1:]),
        ("m[1:, 2]", 1, lambda: m[1:, 2]),
        ("x[at]", 1, lambda: x[at]),
        ("take(x, at)", 1, lambda: la.take(x, at)),
        ("m[at]", 1, lambda: m[at]),
        ("concat([x, y])", 1, lambda: la.concat([x, y])),
        ("stack([x, y])", 1, lambda: la.stack([x, y])),
        ("dot(x, y)", 1, lambda: la.dot(x, y)),
        ("m @ v", 1, lambda: m @ v),
        ("m @ w", 1, lambda: m @ w),
        ("random(1000)", 1, lambda: generator.random(1000)),
        ("mean(m, axis=1)", 2, lambda: la.mean(m, axis=1)),
        ("std(x)", 7, lambda: la.std(x)),
        ("diff(x)", 3, lambda: la.diff(x)),
    ]


def recording_row(recording: Recording, rounds: int, repeats: int = REPEATS) -> Row:
    """What recording one of the operations takes."""
    name, others, record = recording
    timings = interleave({OURS: [repeated(record, repeats)]}, rounds=rounds)
    taken = timings[OURS]
    limit = PER_OPERATION * others * 1e6
    own = f"{others} operations, each in" if others > 1 else "in"
    return Row(
        name=f"record {name}",
        unit="us",
        measured=taken.median / repeats * 1e6,
        target=limit,
        target_text=f"{own} at most {PER_OPERATION * 1e6:.0f} us",
        note=f"at best {taken.minimum / repeats * 1e6:.1f} us",
        samples=samples_of(timings),
    )


def _vector() -> Floats:
    return np.arange(1, ROWS * COLUMNS + 1, dtype=np.float32)


def _matrix() -> Floats:
    """Distinct numbers whose exponentials are of one magnitude."""
    return (_vector() / np.float32(ROWS * COLUMNS)).reshape(ROWS, COLUMNS)


def evaluations(
    front: FrontEnd,
) -> list[tuple[str, Callable[[Any], Any], Floats, Reference]]:
    """The expressions that are evaluated: name, function of one array, the array, and the result."""
    la = front.la
    x, m = _vector(), _matrix()

    def softmax(rows: Any) -> Any:
        e = la.exp(rows - la.max(rows, axis=1, keepdims=True))
        return e / la.sum(e, axis=1, keepdims=True)

    def reference(value: Any) -> Reference:
        return Reference(value, np.abs(value), Tolerance.reduction(x.dtype, x.size))

    shifted = np.exp(m.astype(float) - m.max(axis=1, keepdims=True))
    wide = x.astype(float)
    return [
        ("x[1:] - x[:-1]", lambda a: a[1:] - a[:-1], x, reference(wide[1:] - wide[:-1])),
        ("softmax(m)", softmax, m, reference(shifted / shifted.sum(axis=1, keepdims=True))),
        ("(x - mean(x)) / std(x)", lambda a: (a - la.mean(a)) / la.std(a), x, _standardised(wide)),
    ]


def _standardised(x: Any) -> Reference:
    value = (x - x.mean()) / x.std()
    return Reference(value, np.full(value.shape, np.abs(value).max()), Tolerance.reduction(np.dtype("f4"), x.size))


def run(*, budget: float, rounds: int, arguments: Sequence[str], progress: Callable[[str], None]) -> Report:
    """Measure the suite. Nothing is tuned: ``budget`` is the other suites'. ``progress`` is told what comes next."""
    front = front_end()
    rows = []
    for recording in recordings(front):
        progress(recording[0])
        rows.append(guarded(recording[0], "recording", lambda recording=recording: recording_row(recording, rounds)))  # type: ignore[misc]  # its default
    for name, f, data, expected in evaluations(front):
        progress(name)
        row = evaluation_row_of(name, front, f, rounds, data, expected)
        rows.append(row)
    return made("overhead", rows, {}, [], [], arguments)
