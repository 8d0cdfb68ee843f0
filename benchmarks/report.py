"""What a suite reports: rows with their targets, as a plain-text table and as JSON.

The JSON holds the raw samples and what is needed to judge them (processor, versions, device, command line); it names
neither the machine nor any folder on it.
"""

from __future__ import annotations

import json
import os
import platform
import shlex
from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass, field
from importlib import metadata
from pathlib import Path
from typing import Any, ClassVar

from benchmarks.records import ColdRow, ProgramRow, Verdict, number, ratio, summary

FORMAT = 1
DISTRIBUTIONS = ("lazyarr", "numpy", "pyopencl", "pocl-binary-distribution", "scikit-optimize", "numexpr", "numba")

__all__ = ["ROWS", "AnyRow", "Comparison", "Report", "Row", "Verdict", "command_line", "machine", "versions"]


@dataclass(frozen=True)
class Row:
    """One measurement of lazyarr: ``measured`` and ``target`` in ``unit``, smaller is better.

    ``peer`` is the fastest other library's value in the same unit, ``peer_name`` who it was. ``slower_than_peer`` says
    that the difference to it exceeds the noise, ``disturbed`` that other processes were busy meanwhile: then nothing
    passes. ``samples`` holds each contestant's raw samples in seconds.
    """

    name: str
    unit: str
    measured: float | None
    target: float | None
    target_text: str
    peer: float | None = None
    peer_name: str = ""
    slower_than_peer: bool = False
    note: str = ""
    failed: bool = False
    disturbed: bool = False
    samples: Mapping[str, Sequence[float]] = field(default_factory=dict)

    HEADER: ClassVar[tuple[str, ...]] = ("row", "measured", "target", "/target", "fastest peer", "/peer", "verdict")

    @property
    def verdict(self) -> Verdict:
        """Whether the target is met, and lazyarr not slower than the fastest peer."""
        if self.failed:
            return Verdict.FALLS_SHORT
        if self.measured is None:
            return Verdict.NOT_MEASURED
        if self.target is None:
            return Verdict.FOR_ORIENTATION
        if self.measured > self.target or self.slower_than_peer:
            return Verdict.FALLS_SHORT
        return Verdict.DISTURBED if self.disturbed else Verdict.PASSES

    @property
    def against_target(self) -> float | None:
        """``measured / target``: at most 1 reaches it."""
        return ratio(self.measured, self.target)

    @property
    def against_peer(self) -> float | None:
        """``measured / peer``: below 1 is faster than the fastest peer."""
        return ratio(self.measured, self.peer)

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        peer = "-" if self.peer is None else f"{number(self.peer, self.unit)} {self.peer_name}"
        ratios = (number(self.against_target), number(self.against_peer))
        target = number(self.target, self.unit)
        return (self.name, number(self.measured, self.unit), target, ratios[0], peer, ratios[1], str(self.verdict))

    @property
    def remark(self) -> str:
        """What stands below the table."""
        return f"{self.name}: target {self.target_text}{f'; {self.note}' if self.note else ''}"


@dataclass(frozen=True)
class Comparison:
    """One program written for lazyarr in the papers' notation (``lift``), in NumPy's style, or both; milliseconds.

    ``peer`` is the fastest other library's time, ``peer_name`` who it was. ``slower`` names the ways of writing that
    are slower than it beyond the noise, ``apart`` says that the two ways differ by more than they may, ``ways`` in how
    many it is written. ``share`` is the reached part of the measured bandwidth. The rest is as in `Row`.
    """

    name: str
    lift: float | None = None
    numpy_style: float | None = None
    peer: float | None = None
    peer_name: str = ""
    slower: Sequence[str] = ()
    apart: bool = False
    ways: int = 2
    share: float | None = None
    note: str = ""
    failed: bool = False
    disturbed: bool = False
    samples: Mapping[str, Sequence[float]] = field(default_factory=dict)

    HEADER: ClassVar[tuple[str, ...]] = (
        "row", "lift", "numpy style", "fastest peer", "peer/ours", "bandwidth", "verdict",
    )  # fmt: skip

    @property
    def ours(self) -> float | None:
        """The slowest way of writing: all must be fast."""
        return max(self._measured, default=None)

    @property
    def _measured(self) -> list[float]:
        return [t for t in (self.lift, self.numpy_style) if t is not None]

    @property
    def speedup(self) -> float | None:
        """``peer / ours``: at least 1 is the target."""
        return ratio(self.peer, self.ours)

    @property
    def verdict(self) -> Verdict:
        """Whether all ways of writing are no slower than the fastest peer, and no different from each other."""
        if self.failed:
            return Verdict.FALLS_SHORT
        if self.ours is None:
            return Verdict.NOT_MEASURED
        if len(self._measured) < self.ways or self.slower or self.apart:
            return Verdict.FALLS_SHORT
        if self.peer is None:
            return Verdict.FOR_ORIENTATION
        return Verdict.DISTURBED if self.disturbed else Verdict.PASSES

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        peer = "-" if self.peer is None else f"{number(self.peer, 'ms')} {self.peer_name}"
        share = "-" if self.share is None else f"{self.share:.0%}"
        ours = (number(self.lift, "ms"), number(self.numpy_style, "ms"))
        return (self.name, *ours, peer, number(self.speedup), share, str(self.verdict))

    @property
    def remark(self) -> str:
        """What stands below the table; empty where there is nothing to say."""
        slow = f"{' and '.join(self.slower)} slower than {self.peer_name}" if self.slower else ""
        apart = "the two ways of writing differ" if self.apart else ""
        said = "; ".join(filter(None, (slow, apart, self.note)))
        return f"{self.name}: {said}" if said else ""


@dataclass(frozen=True)
class FusionRow(Comparison):
    """A program of the suite "fusion" or "tiles".

    ``kernels`` is how many lazyarr runs. ``passes`` are the bytes that they move over those of the largest input,
    ``least`` the same of the bytes that must move: each input and each result once. None where that is not known.
    """

    ways: int = 1
    kernels: int | None = None
    passes: float | None = None
    least: float | None = None

    HEADER: ClassVar[tuple[str, ...]] = (
        "row", "lazyarr", "fastest peer", "peer/ours", "kernels", "passes", "least", "bandwidth", "verdict",
    )  # fmt: skip

    def cells(self) -> tuple[str, ...]:
        """The row of the table."""
        name, _, _, peer, speedup, share, verdict = super().cells()
        kernels = "-" if self.kernels is None else str(self.kernels)
        return (
            name, number(self.ours, "ms"), peer, speedup, kernels, number(self.passes), number(self.least), share,
            verdict,
        )  # fmt: skip


AnyRow = Row | Comparison | ColdRow | ProgramRow
ROWS: Mapping[str, type[Row] | type[Comparison] | type[ColdRow] | type[ProgramRow]] = {
    "spine": Row,
    "overhead": Row,
    "loops": Row,
    "lift": Comparison,
    "numpy": Comparison,
    "cold": ColdRow,
    "npbench": ProgramRow,
    "fusion": FusionRow,
    "tiles": FusionRow,
}
"""The kind of row of each suite."""


@dataclass(frozen=True)
class Report:
    """The rows of one suite and the circumstances of the run.

    ``limits`` maps a name (``read``, ``copy``) to bytes per second, ``missing`` an absent peer's name to the reason.
    """

    suite: str
    rows: Sequence[AnyRow]
    limits: Mapping[str, float]
    missing: Mapping[str, str]
    machine: Mapping[str, str | int]
    versions: Mapping[str, str]
    device: Mapping[str, str]
    command: str

    def to_json(self) -> str:
        """The report as JSON text, with each row's verdict."""
        rows = [asdict(row) | {"verdict": str(row.verdict)} for row in self.rows]
        return json.dumps({"format": FORMAT, **asdict(self), "rows": rows, "summary": self.summary}, indent=1)

    @property
    def summary(self) -> list[str]:
        """What the programs of npbench amount to; other suites have no more than their rows."""
        return summary(programs) if (programs := [row for row in self.rows if isinstance(row, ProgramRow)]) else []

    @staticmethod
    def from_json(text: str) -> Report:
        """Read back what `to_json` wrote.

        Raises:
            ValueError: the text is not a report of this format.
        """
        data: dict[str, Any] = json.loads(text)
        found = data.pop("format", None)
        if found != FORMAT:
            raise ValueError(f"report: expected format {FORMAT}, got {found!r}")
        data.pop("summary", None)
        kind = ROWS[data["suite"]]
        rows = [kind(**{key: value for key, value in row.items() if key != "verdict"}) for row in data.pop("rows")]
        return Report(rows=rows, **data)

    def to_text(self) -> str:
        """The report as a table of plain text."""
        lines = [f"suite {self.suite}: {self.command}"]
        lines += [_properties("machine", self.machine), _properties("versions", self.versions)]
        lines.append(_properties("device", self.device))
        for name, rate in self.limits.items():
            lines.append(f"{name} bandwidth measured: {rate / 1e9:.1f} GB/s{COPY_CONVENTION if name == 'copy' else ''}")
        lines += [f"peer {name} is missing: {reason}" for name, reason in self.missing.items()]
        header = ROWS[self.suite].HEADER
        cells = [header, *(row.cells() for row in self.rows)]
        widths = [max(len(line[i]) for line in cells) for i in range(len(header))]
        lines.append("")
        for line in cells:
            lines.append("  ".join(cell.ljust(width) for cell, width in zip(line, widths, strict=True)).rstrip())
            if line is header:
                lines.append("  ".join("-" * width for width in widths))
        lines.append("")
        lines += [row.remark for row in self.rows if row.remark]
        lines += ["", *self.summary] if self.summary else []
        return "\n".join(lines)


COPY_CONVENTION = " (bytes read and bytes written both counted)"


def _properties(title: str, values: Mapping[str, object]) -> str:
    return f"{title}: " + (", ".join(f"{key} {value}" for key, value in values.items()) or "unknown")


def machine(cpu_info: Path = Path("/proc/cpuinfo")) -> dict[str, str | int]:
    """The processor's model, the cores for this process and how busy they are, system, Python; no host's name."""
    model = platform.processor() or platform.machine()
    if cpu_info.exists():
        for line in cpu_info.read_text(encoding="utf-8", errors="replace").splitlines():
            if line.startswith("model name"):
                model = line.partition(":")[2].strip()
                break
    cores = len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1
    load = f"{os.getloadavg()[0]:.1f}" if hasattr(os, "getloadavg") else "unknown"
    return {
        "cpu": model,
        "cores": cores,
        "load": load,
        "system": platform.system(),
        "python": platform.python_version(),
    }


def versions(names: Sequence[str] = DISTRIBUTIONS) -> dict[str, str]:
    """The versions of the distributions that are installed."""
    found = {}
    for name in names:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            continue
    return found


def command_line(arguments: Sequence[str]) -> str:
    """The command as typed, with folders cut from file names."""
    shown = []
    for argument in arguments:
        option, equals, value = argument.partition("=")
        shown.append(f"{option}={Path(value).name}" if equals and os.sep in value else Path(argument).name or argument)
    return shlex.join(["python", "-m", "benchmarks", *shown])
