"""The command line: ``python -m benchmarks --suite spine [--json FILE] [--budget SECONDS] [--repeat N]``."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

from benchmarks import spine
from benchmarks.harness import WrongResultError

SUITES = {"spine": spine.run}


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
    """Measure a suite, print its table, write its JSON if asked for; returns 1 if a contestant's result is wrong."""
    given = sys.argv[1:] if arguments is None else list(arguments)
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description="Measure lazyarr.")
    parser.add_argument("--suite", choices=sorted(SUITES), default="spine", help="what to measure (default: spine)")
    parser.add_argument("--json", type=Path, metavar="FILE", help="write the report with all raw samples here")
    parser.add_argument("--budget", type=_positive, default=60.0, metavar="SECONDS", help="tuning for each kernel (60)")
    parser.add_argument("--repeat", type=_count, default=31, metavar="N", help="rounds of timing (31)")
    options = parser.parse_args(given)

    def progress(name: str) -> None:
        print(f"measuring {name}", file=sys.stderr, flush=True)

    try:
        result = SUITES[options.suite](budget=options.budget, rounds=options.repeat, arguments=given, progress=progress)
    except WrongResultError as error:
        print(f"wrong result: {error}", file=sys.stderr)
        return 1
    print(result.to_text())
    if options.json is not None:
        options.json.write_text(result.to_json() + "\n", encoding="utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
