"""What every test shares: a kernel cache of its own, reproducible random programs, and how many there were of them.

The cache folder is set here, at import, because pytest imports this file before any test imports lazyarr. Each process
of a parallel run gets a folder of its own, so no test sees what another process has tuned.
"""

from __future__ import annotations

import os
import shutil
import tempfile
from collections import Counter

import pytest
from hypothesis import HealthCheck, settings

from tests.generators import SHAPES

_CACHE_FOLDER = tempfile.mkdtemp(prefix="lazyarr-tests-")
os.environ["LAZYARR_CACHE_DIR"] = _CACHE_FOLDER

# No deadline: the first run of an example may build a kernel.
# "repeatable" (the default) tries the same examples each time; "explore" looks for new ones.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


# --- how many random programs were tried ------------------------------------------------------------------------------

_elsewhere: Counter[int] = Counter()
"""The shapes of the random programs that the workers of a parallel run have made."""


def pytest_sessionfinish(session: pytest.Session) -> None:
    if hasattr(session.config, "workeroutput"):  # a worker of a parallel run
        session.config.workeroutput["random_programs"] = [list(item) for item in SHAPES.items()]


@pytest.hookimpl(optionalhook=True)
def pytest_testnodedown(node: object, error: object) -> None:
    """A worker has ended."""
    _elsewhere.update(dict(getattr(node, "workeroutput", {}).get("random_programs", [])))


def pytest_terminal_summary(terminalreporter: pytest.TerminalReporter) -> None:
    shapes = SHAPES + _elsewhere
    if shapes:
        terminalreporter.write_line(f"random programs: {shapes.total()} made, {len(shapes)} different ones")


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(_CACHE_FOLDER, ignore_errors=True)
