"""The suite "cold": the first minute. Everyday lines in fresh processes, with empty caches and with what these kept.

Each measurement is a process of its own for each library, one after another. Time counts from after the import to the
last line's result. Small arrays are measured too, in a hot process.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from statistics import median

from benchmarks.cold_lines import SHAPES, SMALL
from benchmarks.cold_process import LIBRARIES
from benchmarks.costs import marked
from benchmarks.harness import Neighbours
from benchmarks.lazy import chosen_device
from benchmarks.processes import Answer, Ending, ask, compile_packages, environment
from benchmarks.records import ColdRow
from benchmarks.report import Report
from benchmarks.suite import made

LIMIT = 300.0
"""Seconds after which a process is given up."""
OURS = "lazyarr"
MODULE = "benchmarks.cold_process"
UNTUNED_FROM = 100_000
"""Rows from which the lines are also measured without a search on the first call."""

Ask = Callable[[str, Mapping[str, object], Mapping[str, str], float], Answer]


@dataclass
class Lines:
    """What one library's process said about its lines."""

    total: float | None
    """Seconds of the inputs and all lines; None if the process did not come to the last one."""
    imported: float | None = None
    seconds: dict[str, float] = field(default_factory=dict)
    faults: list[str] = field(default_factory=list)
    """Wrong results, lines that failed, an end that is none."""
    missing: str = ""
    """Why the library is not there."""


def understood(answer: Answer) -> Lines:
    """What the process of a library's lines said."""
    if missing := answer.find("missing"):
        return Lines(None, missing=missing)
    seconds = {said["line"]: said["seconds"] for said in answer.said if "seconds" in said}
    faults = [f"{said['line']}: {said['wrong']}" for said in answer.said if said.get("wrong")]
    began, inputs = answer.find("began"), answer.find("inputs")
    whole = began == "" and not any(said.get("wrong") and said["line"] not in seconds for said in answer.said)
    if answer.ending is not Ending.DONE:
        where = (
            f" in the line {began}" if began else " after its last line" if began == "" else " before its first line"
        )
        faults.append(f"the process {answer.ending}{where}: {answer.reason}")
    total = inputs + sum(seconds.values()) if whole else None
    return Lines(total, answer.find("imported"), seconds, faults)


def lines_row(name: str, found: Mapping[str, Lines], lifetimes: Mapping[str, float]) -> ColdRow:
    """The row of the libraries' processes; ``lifetimes`` are their seconds from beginning to end."""
    present = {library: lines for library, lines in found.items() if not lines.missing}
    notes = [f"{library}: {fault}" for library, lines in present.items() for fault in lines.faults]
    notes += [
        f"{library}, {len(lines.seconds)} lines until then: {sum(lines.seconds.values()):.3g} s"
        for library, lines in present.items()
        if lines.total is None
    ]
    ours = present.get(OURS)
    return ColdRow(
        name=name,
        unit="s",
        measured={library: lines.total for library, lines in present.items() if lines.total is not None},
        imports={library: lines.imported for library, lines in present.items() if lines.imported is not None},
        lines={library: lines.seconds for library, lines in present.items()},
        note="; ".join(notes),
        failed=bool(ours and ours.faults),
        samples={f"{library}, the whole process": [lifetimes[library]] for library in present},
    )


def small_rows(answers: Mapping[str, Answer]) -> list[ColdRow]:
    """A row for each small line, in microseconds, of the libraries' hot processes.

    NumPy takes turns with each library; the row has its time beside lazyarr.
    """
    ours = answers[OURS]
    rows: dict[str, ColdRow] = {}
    for library in (OURS, *(library for library in answers if library != OURS)):
        for said in answers[library].said:
            if "line" not in said:
                continue
            row = rows.get(said["line"], ColdRow(f"{SMALL} elements, {said['line']}", "us", {}))
            for name, samples in said.get("samples", {}).items():
                if library == OURS or name != "numpy":
                    row = replace(
                        row,
                        measured={**row.measured, name: median(samples) * 1e6},
                        samples={**row.samples, name: samples},
                    )
            if said["wrong"]:
                note = "; ".join(filter(None, (row.note, f"{library}: {said['wrong']}")))
                row = replace(row, note=note, failed=row.failed or library == OURS)
            rows[said["line"]] = row
    if ours.ending is not Ending.DONE or (ours.find("missing") and not rows):
        reason = f"{ours.ending} in {ours.find('began') or 'the process'}: {ours.reason or ours.find('missing')}"
        rows["ended"] = ColdRow(f"{SMALL} elements", "us", {}, note=reason, failed=ours.ending is not Ending.DONE)
    return list(rows.values())


def turns(rows: int, columns: int) -> list[tuple[str, dict[str, str]]]:
    """Names of what is measured at that size, and lazyarr's settings for each."""
    size = f"{rows:,} x {columns}"
    plain: list[tuple[str, dict[str, str]]] = [(size, {})]
    return [*plain, (f"{size}, tune off", {"tune": "off"})] if rows >= UNTUNED_FROM else plain


def run(
    *,
    rounds: int,
    arguments: Sequence[str],
    progress: Callable[[str], None],
    save: Callable[[Report], object] = lambda report: None,
    limit: float | None = None,
    shapes: Sequence[tuple[int, int]] = SHAPES,
    asked: Ask = ask,
) -> Report:
    """Measure the suite.

    Args:
        rounds: samples of the small lines are twenty times as many.
        arguments: the command line, for the report.
        progress: is told what comes next.
        save: is given the report so far after each row.
        limit: seconds for each process; ``LIMIT`` if there is none.
        shapes: rows and columns of the arrays.
        asked: runs a process.
    """
    seconds = LIMIT if limit is None else limit
    device = chosen_device()
    compile_packages()
    found: list[ColdRow] = []
    missing: dict[str, str] = {}

    def report() -> Report:
        return replace(made("cold", tuple(found), {}, [], [], arguments), missing=dict(missing))

    for rows, columns in shapes:
        for name, settings in turns(rows, columns):
            with tempfile.TemporaryDirectory(prefix="lazyarr-cold-") as folder:
                for caches in ("cold", "kept"):
                    title = f"{name}, {caches} caches"
                    progress(title)
                    neighbours = Neighbours()
                    answers = {}
                    for library in LIBRARIES:
                        variables = environment(Path(folder) / library, device, **settings)
                        request = {"library": library, "what": "lines", "rows": rows, "columns": columns}
                        answers[library] = asked(MODULE, request, variables, seconds)
                    understandings = {library: understood(answer) for library, answer in answers.items()}
                    missing |= {library: lines.missing for library, lines in understandings.items() if lines.missing}
                    lifetimes = {library: answer.seconds for library, answer in answers.items()}
                    found.append(marked(lines_row(title, understandings, lifetimes), neighbours))
                    save(report())
    progress(f"{SMALL} elements")
    neighbours = Neighbours()
    with tempfile.TemporaryDirectory(prefix="lazyarr-cold-") as folder:
        small = {
            library: asked(
                MODULE,
                {"library": library, "what": "small", "rounds": 20 * rounds},
                environment(Path(folder) / library, device),
                seconds,
            )
            for library in LIBRARIES
            if library != "numpy"
        }
    found += [marked(row, neighbours) for row in small_rows(small)]
    save(report())
    return report()
