"""The rows of the suites "cold" and "npbench", and what all rows share: verdicts, ratios, numbers as text."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from math import exp, log
from typing import ClassVar


class Verdict(StrEnum):
    """How a row stands to its target."""

    PASSES = "pass"
    FALLS_SHORT = "falls short"
    NOT_MEASURED = "not measured"
    FOR_ORIENTATION = "for orientation"
    DISTURBED = "disturbed"


def ratio(a: float | None, b: float | None) -> float | None:
    """``a / b``, where there are both."""
    return None if a is None or not b else a / b


def number(value: float | None, unit: str = "") -> str:
    """A number with three digits, or a dash."""
    return "-" if value is None else f"{value:.3g}{f' {unit}' if unit else ''}"


@dataclass(frozen=True)
class ColdRow:
    """What lines take with each library, in ``unit``: the sum of them in a fresh process, or a call in a hot one.

    ``measured`` maps the library to its time, ``imports`` to the seconds of its import, ``lines`` to the seconds of
    each line. A library whose process did not come to its end is missing in ``measured``. ``failed`` says that one of
    lazyarr's results is wrong or did not come.
    """

    name: str
    unit: str
    measured: Mapping[str, float]
    imports: Mapping[str, float] = field(default_factory=dict)
    lines: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    note: str = ""
    failed: bool = False
    disturbed: bool = False
    samples: Mapping[str, Sequence[float]] = field(default_factory=dict)

    HEADER: ClassVar[tuple[str, ...]] = ("row", "lazyarr", "numpy", "/numpy", "jax", "import", "verdict")

    @property
    def against_numpy(self) -> float | None:
        """lazyarr's time in NumPy's."""
        return ratio(self.measured.get("lazyarr"), self.measured.get("numpy"))

    @property
    def verdict(self) -> Verdict:
        """These rows have no target: whether they were measured, and all results are right."""
        if self.failed:
            return Verdict.FALLS_SHORT
        if "lazyarr" not in self.measured:
            return Verdict.NOT_MEASURED
        return Verdict.DISTURBED if self.disturbed else Verdict.FOR_ORIENTATION

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        times = {name: number(self.measured.get(name), self.unit) for name in ("lazyarr", "numpy", "jax")}
        imported = number(self.imports.get("lazyarr"), "s")
        against = number(self.against_numpy)
        return (self.name, times["lazyarr"], times["numpy"], against, times["jax"], imported, str(self.verdict))

    @property
    def remark(self) -> str:
        """lazyarr's lines, the longest first, each beside NumPy's; and what else there is to say."""
        ours, numpy = self.lines.get("lazyarr", {}), self.lines.get("numpy", {})
        order = sorted(ours, key=lambda name: -ours[name])
        each = ", ".join(
            f"{name} {ours[name] * 1e3:.1f} ms ({number(ratio(ours[name], numpy.get(name)))})" for name in order
        )
        said = "; ".join(filter(None, (self.note, each and f"each line, and in NumPy's times: {each}")))
        return f"{self.name}: {said}" if said else ""


class Outcome(StrEnum):
    """What became of a program."""

    RIGHT = "right"
    WRONG = "wrong"
    RAISED = "raised"
    TIMED_OUT = "timed out"
    CRASHED = "crashed"
    NOT_COMPARABLE = "not comparable"
    NOT_MEASURED = "not measured"


MOST_FIRST, MOST_SECOND = 20.0, 10.0
"""Times NumPy's time, above which a first and a second call are listed."""


@dataclass(frozen=True)
class ProgramRow:
    """A program's first and second call with NumPy and with lazyarr, in milliseconds.

    ``endless`` is the milliseconds after which the call that did not end was given up: the first without a time. An
    ``outcome`` of ``not measured`` is no fault of lazyarr's: NumPy did not compute it either; of ``not comparable``
    neither: NumPy's own results from inputs one unit in the last place away differ as much.
    """

    name: str
    outcome: Outcome
    numpy_first: float | None = None
    first: float | None = None
    numpy_second: float | None = None
    second: float | None = None
    endless: float | None = None
    note: str = ""
    disturbed: bool = False

    HEADER: ClassVar[tuple[str, ...]] = (
        "program", "numpy first", "first", "/numpy", "numpy second", "second", "/numpy", "outcome",
    )  # fmt: skip

    @property
    def failed(self) -> bool:
        """Whether lazyarr did not give the right results."""
        return self.outcome not in (Outcome.RIGHT, Outcome.NOT_COMPARABLE, Outcome.NOT_MEASURED)

    @property
    def first_ratio(self) -> float | None:
        """The first call in NumPy's times; at least that, if it did not end."""
        return ratio(self.endless if self.first is None else self.first, self.numpy_first)

    @property
    def second_ratio(self) -> float | None:
        """The second call in NumPy's times; at least that, if it did not end."""
        endless = self.endless if self.first is not None else None
        return ratio(endless if self.second is None else self.second, self.numpy_second)

    @property
    def verdict(self) -> Verdict:
        """Whether the results are right and come within the listed multiples of NumPy's time."""
        if self.failed:
            return Verdict.FALLS_SHORT
        if self.first_ratio is None or self.second_ratio is None or self.outcome is Outcome.NOT_COMPARABLE:
            return Verdict.NOT_MEASURED
        if self.first_ratio > MOST_FIRST or self.second_ratio > MOST_SECOND:
            return Verdict.FALLS_SHORT
        return Verdict.DISTURBED if self.disturbed else Verdict.PASSES

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        times = [number(t, "ms") for t in (self.numpy_first, self.first, self.numpy_second, self.second)]
        first = _at_least(self.first_ratio, self.first is None)
        second = _at_least(self.second_ratio, self.second is None)
        return (self.name, times[0], times[1], first, times[2], times[3], second, str(self.outcome))

    @property
    def remark(self) -> str:
        """Why it has that outcome; empty where there is nothing to say."""
        return f"{self.name}: {self.note}" if self.note else ""


def _at_least(value: float | None, bound: bool) -> str:
    return f"> {number(value)}" if bound and value is not None else number(value)


def summary(rows: Sequence[ProgramRow]) -> list[str]:
    """How many programs there are, geometric mean and largest ratio of each call, and which are above the multiples.

    A call that did not end counts with the time after which it was given up. What is wrong, crashed, raised or not
    comparable has no ratio and is counted apart: a wrong result is never fast.
    """
    counts = {outcome: sum(row.outcome == outcome for row in rows) for outcome in Outcome}
    lines = [f"{len(rows)} programs: " + ", ".join(f"{n} {outcome}" for outcome, n in counts.items() if n)]
    timed = [row for row in rows if row.outcome in (Outcome.RIGHT, Outcome.TIMED_OUT)]
    calls = {
        "first": ({row.name: row.first_ratio for row in timed}, {r.name for r in timed if r.first is None}, MOST_FIRST),
        "second": (
            {row.name: row.second_ratio for row in timed}, {r.name for r in timed if r.second is None}, MOST_SECOND,
        ),
    }  # fmt: skip
    for call, (ratios, endless, most) in calls.items():
        known = {name: value for name, value in ratios.items() if value is not None}
        if not known:
            lines.append(f"{call} call: no program was measured")
            continue
        mean = exp(sum(map(log, known.values())) / len(known))
        worst = max(known, key=lambda name: known[name])
        ended = ", those that did not end counted until then" if endless & set(known) else ""
        lines.append(
            f"{call} call, {len(known)} programs{ended}: geometric mean {number(mean)} times NumPy's time, "
            f"largest {_at_least(known[worst], worst in endless)} ({worst})"
        )
        above = sorted((name for name in known if known[name] > most), key=lambda name: -known[name])
        listed = ", ".join(f"{name} {_at_least(known[name], name in endless)}" for name in above) or "none"
        lines.append(
            f"{call} call above {most:g} times: {len(above)}: {listed}"
            if above
            else f"{call} call above {most:g} times: none"
        )
    return lines
