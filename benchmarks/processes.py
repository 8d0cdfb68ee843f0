"""Fresh Python processes that measure: each has a time limit, answers line by line, and always leaves a record.

A process is a module that calls `serve`. It is asked with JSON, and answers with a line of JSON whenever it knows
something: what it said before it hung or crashed is kept. Times are seconds.
"""

from __future__ import annotations

import compileall
import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import Any

Said = Mapping[str, Any]
Say = Callable[..., None]
"""What a process answers with: `say(name=value, ...)`."""

ROOT = Path(__file__).resolve().parent.parent
"""The folder that holds the packages."""
PACKAGES = ("lazyarr", "ir", "tuner", "kernel_cache", "benchmarks")
OURS = ("LAZYARR_", "POCL_CACHE_DIR")
"""Variables that a measuring process does not inherit: what they say would decide what is measured."""


class Ending(StrEnum):
    """How a process ended."""

    DONE = "done"
    TIMED_OUT = "timed out"
    CRASHED = "crashed"
    FAILED = "failed"


@dataclass(frozen=True)
class Answer:
    """What a process said, in order; how it ended, and why if not well; how many seconds it lived.

    Each thing said has the seconds since the process's beginning as ``at``.
    """

    said: tuple[Said, ...]
    ending: Ending
    reason: str
    seconds: float

    def find(self, key: str) -> Any:
        """The last value that was said under that name, or None."""
        return next((line[key] for line in reversed(self.said) if key in line), None)


def compile_packages() -> None:
    """Compile Python's byte code, as pip does when it installs: it is no part of anybody's first minute."""
    for package in PACKAGES:
        compileall.compile_dir(ROOT / package, quiet=2)


def environment(caches: Path, device: str = "", **settings: str) -> dict[str, str]:
    """The variables of a measuring process.

    Args:
        caches: the folder that holds lazyarr's and PoCL's cache; other processes that get it find what these kept.
        device: the device, as ``LAZYARR_DEVICE`` takes it; empty: lazyarr's choice.
        settings: lazyarr's settings, as ``tune="off"``.
    """
    found = {name: value for name, value in os.environ.items() if not name.startswith(OURS)}
    for variable in ("LAZYARR_CACHE_DIR", "POCL_CACHE_DIR"):
        folder = caches / variable.partition("_")[0].lower()
        folder.mkdir(parents=True, exist_ok=True)
        found[variable] = str(folder)
    found["PYTHONPATH"] = os.pathsep.join(filter(None, (str(ROOT), os.environ.get("PYTHONPATH"))))
    if device:
        found["LAZYARR_DEVICE"] = device
    return found | {f"LAZYARR_{name.upper()}": value for name, value in settings.items()}


def ask(module: str, request: Mapping[str, Any], variables: Mapping[str, str], limit: float) -> Answer:
    """Run ``python -m module`` in a process of its own, and kill it and its children after ``limit`` seconds."""
    with tempfile.TemporaryDirectory(prefix="lazyarr-benchmark-") as name:
        folder = Path(name)
        answers, output = folder / "answers", folder / "output"
        answers.touch()
        (folder / "request").write_text(json.dumps(request), encoding="utf-8")
        begin = time.monotonic()
        # Its output goes to a file: a pipe stays open as long as any grandchild lives.
        with output.open("wb") as stream:
            process = subprocess.Popen(
                [sys.executable, "-m", module, str(folder)],
                cwd=folder, env=dict(variables), stdin=subprocess.DEVNULL, stdout=stream, stderr=stream,
                start_new_session=True,
            )  # fmt: skip
            try:
                process.wait(limit)
                ended = True
            except subprocess.TimeoutExpired:
                ended = False
            finally:
                # Compilers that it started go with it, and so they do if this process is interrupted.
                with suppress(ProcessLookupError):
                    os.killpg(process.pid, signal.SIGKILL)
                process.wait()
        seconds = time.monotonic() - begin
        said = _read(answers.read_text(encoding="utf-8"), begin)
        if not ended:
            return Answer(said, Ending.TIMED_OUT, f"did not end within {limit:g} s", seconds)
        return Answer(said, *_ending(process.returncode, output), seconds)


def _read(text: str, begin: float) -> tuple[Said, ...]:
    """The lines that were written to their end; ``at`` is the seconds since ``begin``."""
    whole, _, _ = text.rpartition("\n")
    lines = [json.loads(line) for line in whole.splitlines()]
    return tuple(line | {"at": line["at"] - begin} for line in lines)


def _ending(status: int, output: Path) -> tuple[Ending, str]:
    """How a process with that exit status ended, and why."""
    if status < 0:
        try:
            name = signal.Signals(-status).name
        except ValueError:
            name = f"signal {-status}"
        return Ending.CRASHED, f"ended by {name}"
    if status > 0:
        lines = output.read_text(encoding="utf-8", errors="replace").strip().splitlines()
        return Ending.FAILED, (lines or [f"exit status {status}"])[-1][:300]
    return Ending.DONE, ""


def serve(work: Callable[[Said, Say], None]) -> None:
    """The process's side of `ask`: do what is asked, and say what becomes known."""
    folder = Path(sys.argv[1])
    request = json.loads((folder / "request").read_text(encoding="utf-8"))
    with (folder / "answers").open("a", encoding="utf-8") as stream:

        def say(**known: object) -> None:
            stream.write(json.dumps(known | {"at": time.monotonic()}) + "\n")  # one clock for all processes
            stream.flush()

        work(request, say)
