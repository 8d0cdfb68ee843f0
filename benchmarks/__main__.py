"""The command line: ``python -m benchmarks --suite spine [--json FILE] [--budget SECONDS] [--rounds N]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import lift, spine
from benchmarks.harness import UnavailableError, WrongResultError
from benchmarks.lazy import use_device
from benchmarks.report import Report

SUITES = ("lift", "spine")


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
    """Measure a suite, print its table, write its JSON if asked for; returns 1 if one of lazyarr's results is wrong."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure lazyarr.")
    parser.add_argument("--suite", choices=SUITES, default="spine", help="what to measure (default: spine)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report with all raw samples here")
    parser.add_argument("--budget", type=_positive, default=60.0, metavar="SECONDS", help="tuning for each kernel (60)")
    parser.add_argument("--rounds", "--repeat", type=_count, default=31, metavar="N", help="rounds of timing (31)")
    parser.add_argument("--rows", metavar="A,B", default="", help="only these rows or programs (suite lift)")
    parser.add_argument("--device", metavar="NAME", help="the device, as LAZYARR_DEVICE takes it")
    options = parser.parse_args(given)
    rows = [name.strip() for name in options.rows.split(",") if name.strip()]
    if rows and options.suite != "lift":
        parser.error("argument --rows: only the suite lift has rows to choose from")
    try:
        lift.chosen(rows)
    except ValueError as error:
        parser.error(f"argument --rows: {error}")
    if options.suite == "lift" and options.budget > lift.LARGEST_BUDGET:
        parser.error(f"argument --budget: the suite lift takes at most {lift.LARGEST_BUDGET:g} seconds a kernel")
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
    try:
        if options.suite == "lift":
            result = lift.run(budget=budget, rounds=rounds, arguments=given, progress=progress, rows=rows, save=save)
        else:
            result = spine.run(budget=budget, rounds=rounds, arguments=given, progress=progress)
    except WrongResultError as error:
        print(f"wrong result: {error}", file=sys.stderr)
        return 1
    print(result.to_text())
    save(result)
    return int(options.suite == "lift" and any(row.failed for row in result.rows))


if __name__ == "__main__":
    sys.exit(main())
