"""The suite "npbench": public NumPy programs with their import changed, against NumPy.

The programs are those of https://github.com/spcl/npbench, of which the user has a checkout. Each runs in a process of
its own, with empty caches and a time limit. What fails is part of the table.
"""

from __future__ import annotations

import os
import tempfile
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from pathlib import Path

from benchmarks.costs import marked
from benchmarks.harness import Neighbours
from benchmarks.lazy import chosen_device
from benchmarks.processes import Answer, Ending, ask, compile_packages, environment
from benchmarks.records import Outcome, ProgramRow
from benchmarks.report import Report
from benchmarks.suite import made

PRESETS = ("S", "M", "L", "paper")
VARIABLE = "NPBENCH_DIR"
LIMIT = 100.0
"""Seconds after which a program's process is given up."""
MODULE = "benchmarks.npbench_process"
LOST = "NumPy's results from inputs one ulp apart differ as much"
HOW = f"get it with `git clone https://github.com/spcl/npbench`, and name its folder by --npbench or {VARIABLE}"

Ask = Callable[[str, Mapping[str, object], Mapping[str, str], float], Answer]


def checkout(given: Path | None) -> Path:
    """The folder of the checkout: what is given, or the environment's.

    Raises:
        ValueError: there is none, or it is no checkout of npbench.
    """
    named = str(given) if given is not None else os.environ.get(VARIABLE, "")
    if not named:
        raise ValueError(f"this suite runs the programs of npbench, which are not part of lazyarr: {HOW}")
    folder = Path(named)
    if not (folder / "bench_info").is_dir() or not (folder / "npbench" / "benchmarks").is_dir():
        raise ValueError(f"{folder} is no checkout of npbench (it has no bench_info or no npbench/benchmarks): {HOW}")
    return folder.resolve()


def programs(folder: Path) -> list[str]:
    """The names of all programs of a checkout."""
    return sorted(path.stem for path in (folder / "bench_info").glob("*.json"))


def chosen(folder: Path, names: Sequence[str]) -> list[str]:
    """The programs with these names; all where there are none.

    Raises:
        ValueError: there is no program of a name.
    """
    known = programs(folder)
    unknown = [name for name in names if name not in known]
    if unknown:
        raise ValueError(f"there is no program {unknown[0]!r}; the programs are {', '.join(known)}")
    return [name for name in known if not names or name in names]


def understood(name: str, answer: Answer) -> ProgramRow:
    """The row of a program, of what its process said and how it ended."""
    times = {(said["library"], said["call"]): said["seconds"] * 1e3 for said in answer.said if "seconds" in said}
    row = ProgramRow(
        name=name,
        outcome=Outcome.RIGHT,
        numpy_first=times.get(("numpy", "first")),
        numpy_second=times.get(("numpy", "second")),
        first=times.get(("lazyarr", "first")),
        second=times.get(("lazyarr", "second")),
    )
    began: str | None = answer.find("began")
    lost = {said["call"] for said in answer.said if said.get("lost")}
    differs = {said["call"]: f"{said['call']} call, {said['wrong']}" for said in answer.said if said.get("wrong")}
    wrong = [text for call, text in differs.items() if call not in lost]
    if wrong:
        return replace(row, outcome=Outcome.WRONG, note="; ".join(wrong))
    if unmeasured := answer.find("unmeasured") or answer.find("long"):
        return replace(row, outcome=Outcome.NOT_MEASURED, note=unmeasured)
    if raised := answer.find("raised"):
        return replace(row, outcome=Outcome.RAISED, note=f"{raised}, in: {began}")
    if answer.ending is Ending.DONE:
        return (
            replace(row, outcome=Outcome.NOT_COMPARABLE, note=f"{LOST}: {'; '.join(differs.values())}") if lost else row
        )
    if began is None:
        return replace(row, outcome=Outcome.NOT_MEASURED, note=answer.reason)
    reason = f"{answer.reason}, in: {began or 'its end'}"
    if began.startswith("numpy") or began == "initialise":
        return replace(row, outcome=Outcome.NOT_MEASURED, note=reason)
    if answer.ending is Ending.TIMED_OUT:
        endless = (answer.seconds - answer.find("at")) * 1e3 if began.startswith("lazyarr") else None
        return replace(row, outcome=Outcome.TIMED_OUT, endless=endless, note=reason)
    return replace(row, outcome=Outcome.CRASHED, note=reason)


def run(
    *,
    folder: Path,
    preset: str = "S",
    names: Sequence[str] = (),
    limit: float | None = None,
    within: float = 0.0,
    arguments: Sequence[str],
    progress: Callable[[str], None],
    save: Callable[[Report], object] = lambda report: None,
    asked: Ask = ask,
) -> Report:
    """Measure the suite.

    Args:
        folder: the checkout.
        preset: npbench's name of the sizes.
        within: seconds that a call of NumPy may take; where it takes longer, the program has the next smaller sizes. 0:
            any number.
        names: of programs; all where empty.
        limit: seconds for a program's process; ``LIMIT`` if there is none.
        arguments: the command line, for the report.
        progress: is told what comes next.
        save: is given the report so far after each program.
        asked: runs a process.
    """
    seconds = LIMIT if limit is None else limit
    device = chosen_device()
    compile_packages()
    rows: list[ProgramRow] = []
    for name in chosen(folder, names):
        progress(name)
        neighbours = Neighbours()
        with tempfile.TemporaryDirectory(prefix="lazyarr-npbench-") as caches:
            variables = environment(Path(caches), device)
            row = _measured(name, {"checkout": str(folder), "program": name}, preset, within, variables, seconds, asked)
        rows.append(marked(row, neighbours))
        save(made("npbench", tuple(rows), {}, [], [], arguments))
    return made("npbench", tuple(rows), {}, [], [], arguments)


def _measured(
    name: str,
    request: Mapping[str, object],
    preset: str,
    within: float,
    variables: Mapping[str, str],
    limit: float,
    asked: Ask,
) -> ProgramRow:
    """The row of a program at that preset, or at the largest that NumPy computes within so many seconds."""
    chosen = preset
    while True:
        answer = asked(MODULE, {**request, "preset": chosen, "within": within}, variables, limit)
        row = understood(name, answer)
        smaller = PRESETS[: PRESETS.index(chosen)]
        if not (within and smaller and row.outcome is Outcome.NOT_MEASURED):
            break
        chosen = smaller[-1]
    if chosen == preset or row.outcome is Outcome.NOT_MEASURED:
        return row
    note = f"size {chosen}: at larger ones NumPy takes more than {within:g} s, or does not compute it"
    return replace(row, note=f"{note}; {row.note}" if row.note else note)
