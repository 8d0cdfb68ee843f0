"""The command line: ``python -m benchmarks --suite spine [--json FILE] [--budget SECONDS] [--rounds N]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import cold, compare, everyday, fusion, loops, model, npbench, overhead, programs, spine, tiles
from benchmarks.harness import UnavailableError, WrongResultError
from benchmarks.lazy import use_device
from benchmarks.records import ColdRow, ProgramRow
from benchmarks.report import Comparison, Report

COMPARED = {"lift": programs.WORKLOADS, "numpy": everyday.WORKLOADS}
"""The workloads of the suites that compare whole programs with other libraries."""
ALONE = {"spine": spine, "overhead": overhead, "loops": loops}
"""The others."""
FRESH = ("cold", "npbench")
"""Those that measure in fresh processes."""
SIZED = {"fusion": fusion, "tiles": tiles}
"""Those that compare whole programs at sizes to choose from."""
SUITES = (*COMPARED, *SIZED, *ALONE, *FRESH, "model")


def _positive(text: str) -> float:
    value = float(text)
    if not value > 0:
        raise argparse.ArgumentTypeError(f"expected a number above 0, got {text}")
    return value


def _count(text: str) -> int:
    value = int(text)
    if value < 1:
        raise argparse.ArgumentTypeError(f"expected a count of at least 1, got {text}")
    return value


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure a suite, print its table, write its JSON if asked for.

    Returns 1 if one of lazyarr's results is wrong or does not come.
    """
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure lazyarr.")
    parser.add_argument("--suite", choices=SUITES, default="spine", help="what to measure (default: spine)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report with all raw samples here")
    parser.add_argument("--budget", type=_positive, default=60.0, metavar="SECONDS", help="tuning for each kernel (60)")
    parser.add_argument("--rounds", "--repeat", type=_count, default=31, metavar="N", help="rounds of timing (31)")
    parser.add_argument(
        "--rows", metavar="A,B", default="", help="only these rows or programs (of lift, numpy, fusion, tiles, npbench)"
    )
    parser.add_argument("--device", metavar="NAME", help="the device, as LAZYARR_DEVICE takes it")
    parser.add_argument(
        "--limit", type=_positive, metavar="SECONDS", help="for a process of cold (300) or npbench (100), all of model"
    )
    parser.add_argument("--measured", type=Path, metavar="FILE", help="predict for the times in this JSON (of model)")
    parser.add_argument("--npbench", type=Path, metavar="DIR", help=f"a checkout of npbench (or {npbench.VARIABLE})")
    parser.add_argument("--preset", choices=npbench.PRESETS, default="S", help="the sizes of npbench's programs (S)")
    parser.add_argument(
        "--within", type=_positive, default=0.0, metavar="SECONDS",
        help="where a call of NumPy takes longer, a program of npbench has the next smaller sizes (no limit)",
    )  # fmt: skip
    parser.add_argument(
        "--sizes", choices=fusion.SIZES, default="usual", help="the sizes of the programs of fusion and tiles (usual)"
    )
    options = parser.parse_args(given)
    rows = [name.strip() for name in options.rows.split(",") if name.strip()]
    sized = SIZED.get(options.suite)
    workloads = COMPARED.get(options.suite, ()) if sized is None else sized.workloads(options.sizes)
    if options.limit is not None and options.suite not in (*FRESH, "model"):
        parser.error(f"argument --limit: the suite {options.suite} has no processes to limit")
    if options.measured is not None and options.suite != "model":
        parser.error(f"argument --measured: the suite {options.suite} predicts nothing")
    if options.suite == "npbench":
        try:
            folder = npbench.checkout(options.npbench)
        except ValueError as error:
            parser.error(f"argument --npbench: {error}")
        try:
            npbench.chosen(folder, rows)
        except ValueError as error:
            parser.error(f"argument --rows: {error}")
    elif rows and not workloads:
        parser.error(f"argument --rows: the suite {options.suite} has no rows to choose from")
    try:
        compare.chosen(rows if workloads else (), workloads)
    except ValueError as error:
        parser.error(f"argument --rows: {error}")
    if workloads and options.budget > compare.LARGEST_BUDGET:
        parser.error(
            f"argument --budget: the suite {options.suite} takes at most {compare.LARGEST_BUDGET:g} seconds a kernel"
        )
    if options.device is not None:
        try:
            use_device(options.device)
        except UnavailableError as error:
            parser.error(f"argument --device: {error}")

    def progress(name: str) -> None:
        print(f"measuring {name}", file=sys.stderr, flush=True)

    def save(report: Report) -> None:
        if options.json is not None:
            options.json.write_text(report.to_json() + "\n", encoding="utf-8")

    budget, rounds = options.budget, options.rounds
    if options.suite == "model":
        if options.measured is None:
            measured = model.run(options.limit or model.LIMIT, given, progress)
        else:
            measured = model.ModelReport.from_json(options.measured.read_text(encoding="utf-8"))
        print(measured.to_text())
        if options.json is not None:
            options.json.write_text(measured.to_json() + "\n", encoding="utf-8")
        return int(measured.failed)
    try:
        if workloads:
            result = compare.run(
                budget=budget, rounds=rounds, arguments=given, progress=progress, rows=rows, save=save,
                workloads=workloads, suite=options.suite, **({} if sized is None else {"described": sized.described}),
            )  # fmt: skip
        elif options.suite == "npbench":
            result = npbench.run(
                folder=folder, preset=options.preset, names=rows, limit=options.limit,
                within=options.within, arguments=given, progress=progress, save=save,
            )  # fmt: skip
        elif options.suite == "cold":
            result = cold.run(rounds=rounds, arguments=given, progress=progress, save=save, limit=options.limit)
        else:
            result = ALONE[options.suite].run(budget=budget, rounds=rounds, arguments=given, progress=progress)
    except WrongResultError as error:
        print(f"wrong result: {error}", file=sys.stderr)
        return 1
    print(result.to_text())
    save(result)
    return int(any(row.failed for row in result.rows if isinstance(row, Comparison | ColdRow | ProgramRow)))


if __name__ == "__main__":
    sys.exit(main())
