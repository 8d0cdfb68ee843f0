"""What one process of the fuzzer does: programs one after another, told on standard output a line each.

A line is a JSON object: `{"start": i}` before program i, `{"failure": i, "kind": ..., "detail": ...}`, and at
the end `{"done": n}`. A process that dies or hangs leaves its last start.
"""

from __future__ import annotations

import faulthandler
import itertools
import json
import os
import subprocess
import sys
import threading
import time
from collections.abc import Generator, Iterable, Sequence
from contextlib import closing
from pathlib import Path
from tempfile import NamedTemporaryFile
from typing import Any

from tests.programs.generator import programs
from tests.programs.program import Program
from tests.programs.stored import from_json, to_json

ROOT = Path(__file__).parents[2]
SWITCHING = {"LAZYARR_TIER": "auto", "LAZYARR_TEST_SWITCHING": "1"}
"""The environment in which programs change from one tier to the other after a few runs."""
PATIENCE = 120.0
"""Seconds that one program may take before its process is ended."""


def run(found: Iterable[Program], until: float = float("inf"), only_last: bool = False) -> None:
    """Run programs in this process until a time (of `time.time`). only_last : tell the last one's failure alone."""
    from tests.programs.running import Runner

    runner = Runner()
    count = 0
    for i, program in enumerate(found):
        if time.time() > until:
            break
        tell({"start": i})
        failure = runner.run(program)
        count += 1
        if only_last:
            last = failure
        elif failure is not None:
            tell({"failure": i, **failure.as_dict()})
    if only_last and count and last is not None:
        tell({"failure": count - 1, **last.as_dict()})
    tell({"done": count})


def tell(line: dict[str, Any]) -> None:
    """To the process that waits."""
    print(json.dumps(line), flush=True)


def main(arguments: Sequence[str]) -> None:
    """`seed count until`, or `replay file`."""
    faulthandler.enable()
    if "LAZYARR_TEST_SWITCHING" in os.environ:
        switch_early()
        if arguments[0] != "replay" and int(arguments[0]) % 2:
            borrow_early()
    if arguments[0] == "replay":
        run(from_json(Path(arguments[1]).read_text(encoding="utf-8")), only_last=True)
        return
    seed, count, until = int(arguments[0]), int(arguments[1]), float(arguments[2])
    run(itertools.islice(programs(seed), count), until)


def switch_early() -> None:
    """Let programs be compiled once they have run a few times, as small as these are none ever is; and NumPy's
    calls do with small arrays what is for large ones: use memory again, eagerly, too, add in blocks, carry out
    element-wise functions in blocks on several threads. So do kernels: several results in blocks, and results in
    the memory of inputs that die.
    """
    from ir.fusion.partition import blocks
    from ir.reference import calls, folds, regions, source
    from lazyarr.aliasing import assignment
    from lazyarr.compile import in_place
    from lazyarr.eager import operator_methods, outputs, reductions, shared_out, ufuncs
    from lazyarr.memory import snapshots
    from lazyarr.tiers import programs as tiers

    blocks.is_worth_blocks = lambda *_: True
    blocks.ONE_GROUP_BELOW = 1
    blocks.BLOCKED_SIDE = (1, 1 << 17)
    in_place.IN_PLACE_FROM_BYTES, in_place.IN_PLACE_MADE_AFTER_BYTES = 1, 0
    assert hasattr(ufuncs, "ALONE")
    assert "ALONE" in operator_methods._NAMES
    ufuncs.ALONE = operator_methods._NAMES["ALONE"] = snapshots.COPIES_POOLED_FROM = 0
    tiers.seconds_to_compile_program = lambda kernels, calls, first: 1e-5 * kernels
    tiers.ASKING_SECONDS = tiers.FIRST_ASKING_SECONDS = 0.0
    tiers.Program._saved = lambda *_: 1.0  # type: ignore[method-assign]
    source.NUMPY_REUSED_FROM = source.COPIES_POOLED_FROM = 9  # no numbers
    folds.TERMS_IN_A_ROW = folds.TERMS_OF_A_PRODUCT = 1
    calls.TERMS_IN_A_ROW, calls.TERMS_OF_A_PRODUCT, calls._PAIRED_FROM, calls._WIDENED_UP_TO = 2, 2, 1, 0
    calls.WIDE_SUMS_BY_PRODUCTS_FROM = reductions.WIDE_SUMS_BY_PRODUCTS_FROM = 0
    calls.threads_at_most = shared_out.threads_at_most = lambda: 3
    for module in (shared_out, ufuncs, outputs, assignment):
        module.EAGER_THREADS_FROM_BYTES = 0
    shared_out.THREADS_AT_MOST = 2  # rows are enough
    regions.BLOCKS_FROM_ELEMENTS = regions.BLOCK_ELEMENTS_AT_LEAST = 2
    regions.BLOCK_BYTES, regions.THREADS_FROM_SECONDS = 100, 0.0
    regions.threads_at_most = lambda: 3


def borrow_early() -> None:
    """Let what is recorded from eager arrays, however small, borrow their memory after a few operations."""
    from lazyarr.eager import operations, ufuncs
    from lazyarr.recording import replay

    assert hasattr(ufuncs, "_IN_LOOPS")
    assert hasattr(replay, "EAGER_FUNCTION_ELEMENTS_AT_MOST")
    replay.EAGER_FUNCTION_ELEMENTS_AT_MOST = 1
    operations.EAGER_ELEMENTS_IN_LOOPS = ufuncs.EAGER_ELEMENTS_IN_LOOPS = ufuncs._IN_LOOPS = 1
    operations.BORROWED_FROM, operations.ELEMENTS_BEFORE_BORROWING, operations.COPIES_OF_BORROWED = 2, 30, 1 << 30


# --- from outside -----------------------------------------------------------------------------------------------------


def lines_of(
    arguments: Sequence[str], until: float, environment: dict[str, str] | None = None
) -> Generator[dict[str, Any], None, None]:
    """Start a process and pass on what it tells; where it dies or hangs, a failure for the program it was at.

    until : the time after which it is ended, with no failure
    """
    with NamedTemporaryFile("w+", suffix=".txt") as errors:
        process = subprocess.Popen(
            [sys.executable, "-m", "tests.programs.worker", *arguments],
            cwd=ROOT,
            env={**os.environ, **(environment or {})},
            stdout=subprocess.PIPE,
            stderr=errors,
            text=True,
        )
        watch = _Watch(process, until)
        at, ended = 0, False
        assert process.stdout is not None
        try:
            for text in process.stdout:
                if not text.startswith("{"):
                    continue
                watch.touch()
                line = json.loads(text)
                at, ended = line.get("start", at), "done" in line
                yield line
            code = process.wait()
        finally:
            watch.stop()
            process.stdout.close()
        if not ended and not watch.late:
            errors.seek(0)
            kind = f"hang for {PATIENCE} s" if watch.hung else f"the process ended with {code}"
            yield {"failure": at, "kind": kind, "detail": errors.read()[-3000:]}
            yield {"done": at}


class _Watch:
    """Ends a process that says nothing for `PATIENCE`, or that is at work too late."""

    def __init__(self, process: subprocess.Popen[str], until: float) -> None:
        self.process, self.until = process, until
        self.hung = self.late = False
        self._ended = threading.Event()
        self.touch()
        threading.Thread(target=self._watch, daemon=True).start()

    def touch(self) -> None:
        self.last = time.time()

    def stop(self) -> None:
        self._ended.set()
        if self.process.poll() is None:
            self.process.kill()
        self.process.wait()

    def _watch(self) -> None:
        while not self._ended.wait(0.2):
            now = time.time()
            if now > self.until:
                self.late = True
            elif now - self.last > PATIENCE:
                self.hung = True
            if self.late or self.hung:
                self.process.kill()
                return


def replayed(found: Sequence[Program], until: float, environment: dict[str, str] | None = None) -> str | None:
    """The kind of the failure of the last program, where these run one after another in a new process; else None."""
    with NamedTemporaryFile("w", suffix=".json") as file:
        file.write(to_json(found))
        file.flush()
        with closing(lines_of(["replay", file.name], until, environment)) as lines:
            for line in lines:
                if line.get("failure") == len(found) - 1:
                    return str(line["kind"])
    return None


if __name__ == "__main__":
    main(sys.argv[1:])
