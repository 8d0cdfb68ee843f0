"""`python -m tests.programs`: the fuzzer of programs; see `docs/testing.md`."""

from __future__ import annotations

import argparse
import os
import sys
from pathlib import Path

from tests.programs.fuzzing import Fuzzing, Options


def main() -> int:
    """1 where anything failed."""
    parser = argparse.ArgumentParser(prog="python -m tests.programs", description=__doc__)
    parser.add_argument("--seconds", type=float, help="when to stop (default: 60, or never where --rounds is given)")
    parser.add_argument("--seed", type=int, default=0, help="of the first process; the others have those after it")
    parser.add_argument("--programs", type=int, default=500, help="of one process (default: 500)")
    parser.add_argument(
        "--processes", type=int, default=os.cpu_count() or 1, help="at a time (default: one for each core)"
    )
    parser.add_argument("--rounds", type=int, help="processes in all (default: as many as there is time for)")
    parser.add_argument("--device", default="", help="the device, as LAZYARR_DEVICE names it")
    tiers = ("auto", "compiled", "reference", "switching")
    parser.add_argument("--tier", choices=tiers, default="", help="what carries them out (switching: both, in turns)")
    parser.add_argument("--log", type=Path, help="a file to which everything that is told is written, too")
    given = parser.parse_args()
    seconds = given.seconds if given.seconds is not None or given.rounds is not None else 60.0
    options = Options(seconds, given.seed, given.programs, given.processes, given.rounds, given.device, given.tier)

    def say(text: str) -> None:
        print(text, flush=True)
        if given.log is not None:
            with given.log.open("a", encoding="utf-8") as file:
                file.write(text + "\n")

    return 1 if Fuzzing(options, say).run() else 0


if __name__ == "__main__":
    sys.exit(main())
