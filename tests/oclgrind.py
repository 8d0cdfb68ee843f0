"""Run code on Oclgrind, a simulated OpenCL device that reports races, accesses out of bounds and uninitialised reads.

The simulator is set up by environment variables before the first platform query, so each code runs in a process of its
own. Importing what most of them need takes a second of processor time: one process does so, and each code runs in a
fork of it (`python -m tests.oclgrind`, which asks for no platform).
"""

from __future__ import annotations

import atexit
import gc
import importlib
import json
import os
import select
import signal
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path
from types import ModuleType

# Oclgrind's plugin for uninitialised values gives up on LLVM's `freeze` ("Unsupported instruction: freeze"), which its
# compiler emits for an integer quotient and remainder of the same operands. Without optimisation there is none.
_BUILD_OPTIONS = "-cl-opt-disable"

_IMPORTED = ("lazyarr", "tests.ir.opencl.running", "tests.ir.schedules.zoo")
"""What codes have in common."""

_ROOT = Path(__file__).resolve().parent.parent


def available() -> bool:
    """Whether the simulator is installed."""
    from lazyarr.runtime import DeviceError, find_device

    try:
        return find_device("oclgrind").simulator
    except DeviceError:
        return False


def run(code: str, *, timeout: float = 120.0, environment: Mapping[str, str] | None = None) -> str:
    """Run Python source text with the simulator as lazyarr's default device; return what the simulator reported.

    The text is empty if nothing is wrong with the kernels. The working folder is the repository's root, so that tests
    and their helpers can be imported.

    Arguments:
        code: Python source text; an exception in it fails the call.
        timeout: seconds.
        environment: variables to set besides.

    Raises:
        AssertionError: the process failed; the message holds what it printed.
    """
    with tempfile.TemporaryDirectory(prefix="lazyarr-oclgrind-") as folder:
        log, printed = Path(folder) / "log", Path(folder) / "printed"
        variables = {
            **os.environ,
            "OCLGRIND_DATA_RACES": "1",
            "OCLGRIND_UNINITIALIZED": "1",
            "OCLGRIND_BUILD_OPTIONS": _BUILD_OPTIONS,
            "OCLGRIND_LOG": str(log),
            # A report for each work-item of a wrong kernel would fill disks.
            "OCLGRIND_MAX_ERRORS": "100",
            "LAZYARR_DEVICE": "oclgrind",
            "PYTHONPATH": os.pathsep.join([str(_ROOT), os.environ.get("PYTHONPATH", "")]).rstrip(os.pathsep),
            **(environment or {}),
        }
        status = _Forks.of(variables).run({"code": code, "variables": variables, "printed": str(printed)}, timeout)
        assert status == 0, f"exit status {status}\n{printed.read_text() if printed.exists() else ''}"
        return log.read_text() if log.exists() else ""


class _Forks:
    """A process that has imported what codes need, and runs each in a fork of itself."""

    def __init__(self, variables: Mapping[str, str]) -> None:
        command = [sys.executable, "-m", "tests.oclgrind"]
        pipe = subprocess.PIPE
        self.process = subprocess.Popen(
            command, cwd=_ROOT, env=dict(variables), stdin=pipe, stdout=pipe, start_new_session=True
        )

    @classmethod
    def of(cls, variables: Mapping[str, str]) -> _Forks:
        """The one with these environment variables, but for the simulator's and pytest's, which no import reads."""
        key = frozenset(item for item in variables.items() if not item[0].startswith(("OCLGRIND_", "PYTEST_")))
        found = _forks.get((os.getpid(), key))
        if found is None or found.process.poll() is not None:
            found = _forks[os.getpid(), key] = cls(variables)
        return found

    def run(self, asked: Mapping[str, object], timeout: float) -> int:
        """The exit status of one code."""
        given, answers = self.process.stdin, self.process.stdout
        assert given is not None
        assert answers is not None
        try:
            given.write(json.dumps(asked).encode() + b"\n")
            given.flush()
            done, _, _ = select.select([answers], [], [], timeout)
            if not done:
                raise subprocess.TimeoutExpired(self.process.args, timeout)
            answer = answers.readline()
        except BaseException:  # also an interruption: the answer would be taken for that of the next code
            self.end()
            raise
        if answer:
            return int(answer)
        self.end()  # it was ended; what it ran may live
        return self.process.returncode or 1

    def end(self) -> None:
        """End it, and what it runs."""
        with suppress(ProcessLookupError):
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.communicate()


_forks: dict[tuple[int, frozenset[tuple[str, str]]], _Forks] = {}
"""By the process that started them, and their environment variables."""


@atexit.register
def _end_all() -> None:
    for (process, _), forks in _forks.items():
        if process == os.getpid():
            forks.end()


def _asked_for() -> str:
    """In a fork the code that it is to run; in the process itself, when nobody asks for more, nothing."""
    for name in _IMPORTED:
        importlib.import_module(name)
    gc.set_threshold(20_000)  # as `tests/conftest.py` says
    gc.freeze()
    for line in sys.stdin:
        asked = json.loads(line)
        process = os.fork()
        if not process:
            os.environ.clear()  # the first code may have had other ones
            os.environ.update(asked["variables"])
            printed = os.open(asked["printed"], os.O_WRONLY | os.O_CREAT)
            nothing = os.open(os.devnull, os.O_RDONLY)
            for old, new in ((nothing, 0), (printed, 1), (printed, 2)):
                os.dup2(old, new)
            return str(asked["code"])
        _, status = os.waitpid(process, 0)
        print(os.waitstatus_to_exitcode(status), flush=True)
    return ""


if __name__ == "__main__":
    _code = compile(_asked_for(), "<string>", "exec")
    sys.modules["__main__"] = ModuleType("__main__")
    exec(_code, vars(sys.modules["__main__"]))
