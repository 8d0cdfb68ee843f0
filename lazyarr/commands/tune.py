"""`python -m lazyarr tune script.py`: run a script once, search for kernels of what it computed, say what was won."""

from __future__ import annotations

import argparse
import runpy
import sys
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

from lazyarr.commands.inputs import InputError
from lazyarr.config import configure
from lazyarr.debugging import counted

__all__ = ["add"]

_TIMINGS = 5
"""Runs of which the fastest counts."""


def add(commands: Any) -> None:
    """Describe the command's arguments."""
    text = "run a script once and search for the fastest kernels of all that it computed; they are kept in the cache"
    parser = commands.add_parser("tune", help=text, description=text[0].upper() + text[1:])
    parser.add_argument("script", type=Path, help="the Python script")
    parser.add_argument("arguments", nargs=argparse.REMAINDER, help="its own arguments")
    parser.add_argument("--seconds", type=float, default=10.0, metavar="S", help="of searching for each program (10)")
    parser.add_argument("--trials", type=int, metavar="N", help="the most candidates that are tried for a kernel")
    parser.set_defaults(run=_run)


def _run(options: argparse.Namespace) -> int:
    from lazyarr.tiers.programs import watching  # needs what plans programs: the command line answers without it

    if not options.script.is_file():
        raise InputError(f"tune: there is no file {options.script}: name a Python script")
    if not options.seconds > 0:
        raise InputError(f"tune: --seconds must be above 0, got {options.seconds:g}")
    before = sys.argv, configure(tune="off", tier="auto")
    sys.argv = [str(options.script), *options.arguments]
    try:
        with watching() as ran, suppress(SystemExit):
            runpy.run_path(str(options.script), run_name="__main__")
    finally:
        sys.argv = before[0]
        configure(**vars(before[1]))
    programs = sorted(ran.items(), key=lambda item: -item[1][0] * _predicted(item[0]))
    print(f"{options.script} ran {len(programs)} programs", flush=True)
    saved = 0.0
    for number, (program, (runs, leaves)) in enumerate(programs, 1):
        saved += runs * _tuned(f"{number} of {len(programs)}", program, runs, leaves, options)
    print(f"a run of the script is predicted to take {saved:.3g} s less, where its programs run on the faster tier")
    return 0


def _predicted(program: Any) -> float:
    """Seconds of a run on the reference tier; many where it has none, so that such a program comes first."""
    written = program.reference.program
    return 1e9 if written is None else written.seconds


def _tuned(which: str, program: Any, runs: int, leaves: Sequence[Any], options: argparse.Namespace) -> float:
    """Search for a program's kernels, print what became of it; the seconds that a run takes less."""
    from lazyarr.compile.refusals import abridged  # as above
    from lazyarr.graph.leaves import buffer_of  # as above

    print(f"\n{which}, {runs} {'run' if runs == 1 else 'runs'}: {abridged(program.expressions, 100)}", flush=True)
    compiled = program.compiled
    device = compiled.device
    given = [buffer_of(leaf, device) for leaf in leaves]
    written = program.reference.program
    numpys = None if written is None else _fastest(lambda: program.reference.run(leaves))
    compiled.prepare(given, search=True, seconds=options.seconds / max(len(compiled.steps), 1), trials=options.trials)

    def run() -> None:
        compiled.run(given)
        device.finish()

    kernels = _fastest(run)
    text = f"  {counted(len(compiled.steps), 'kernel')}: {kernels * 1e3:.3g} ms"
    if numpys is None:
        print(f"{text}; NumPy has no calls for it")
        return 0.0
    print(f"{text}; NumPy: {numpys * 1e3:.3g} ms, {numpys / kernels:.2g} times that")
    return max(0.0, numpys - kernels)


def _fastest(run: Callable[[], Any]) -> float:
    found = []
    for _ in range(_TIMINGS):
        began = time.perf_counter()
        run()
        found.append(time.perf_counter() - began)
    return min(found)
