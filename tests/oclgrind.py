"""Run code on Oclgrind, a simulated OpenCL device that reports races, accesses out of bounds and uninitialised reads.

The simulator is set up by environment variables before the first platform query, so the code runs in a process of its
own.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from collections.abc import Mapping
from pathlib import Path

# Oclgrind's plugin for uninitialised values gives up on LLVM's `freeze` ("Unsupported instruction: freeze"), which its
# compiler emits for an integer quotient and remainder of the same operands. Without optimisation there is none.
_BUILD_OPTIONS = "-cl-opt-disable"

# Processes that derive many kernels take a tenth of their time for garbage otherwise, as `tests/conftest.py` says.
_PROLOGUE = "import gc\ngc.set_threshold(20_000)\n"

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
    return _run([sys.executable, "-c", _PROLOGUE + code], timeout, environment or {})


def run_tests(*arguments: str, timeout: float = 600.0, environment: Mapping[str, str] | None = None) -> str:
    """Run pytest with the given arguments like `run`; return what the simulator reported."""
    return _run(
        [sys.executable, "-m", "pytest", "-q", "-p", "no:cacheprovider", *arguments], timeout, environment or {}
    )


def _run(command: list[str], timeout: float, environment: Mapping[str, str]) -> str:
    with tempfile.TemporaryDirectory(prefix="lazyarr-oclgrind-") as folder:
        log = Path(folder) / "log"
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
            **environment,
        }
        done = subprocess.run(
            command, cwd=_ROOT, env=variables, capture_output=True, text=True, timeout=timeout, check=False
        )
        assert done.returncode == 0, f"exit status {done.returncode}\n{done.stdout}\n{done.stderr}"
        return log.read_text() if log.exists() else ""
