"""What every test shares: tiers, a kernel cache of its own, reproducible random programs, and how many those were.

The cache folder is set here, at import, because pytest imports this file before any test imports lazyarr. Each process
of a parallel run gets a folder of its own, so no test sees what another process has tuned.
"""

from __future__ import annotations

import gc
import os
import shutil
import tempfile
import zlib
from collections import Counter
from collections.abc import Hashable, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import HealthCheck, settings
from hypothesis.internal.conjecture import providers

from tests import linker, tiers
from tests.generators import SHAPES
from tests.order import group_of

_CACHE_FOLDER = tempfile.mkdtemp(prefix="lazyarr-tests-")
os.environ["LAZYARR_CACHE_DIR"] = _CACHE_FOLDER
os.environ.setdefault("LAZYARR_TUNE_TOTAL", "1e9")
os.environ.setdefault("POCL_AFFINITY", "0")  # the processes of a parallel run have the same processors
os.environ.setdefault("LAZYARR_TIER", "compiled")  # tests of kernels; those of the other tiers ask for them

linker.put_first(Path(_CACHE_FOLDER))

# --- tiers ------------------------------------------------------------------------------------------------------------

NOT_QUICK = ("tests/benchmarks", "tests/programs", "tests/lazyarr/execution", "tests/lazyarr/runtime")
"""Folders whose tests need a device or processes of their own."""

LEFT_OUT = {"quick": ("sweep", "slow", "device"), "test": ("sweep",), "all": ()}
"""What a test is marked that a tier leaves out."""

ONE_OF = 16
"""Of so many cases of a test the quick tier takes one."""

SAMPLED = ("tests/lazyarr", "tests/ir/fusion", "tests/ir/opencl", "tests/ir/schedules", "tests/benchmarks")
"""Folders of whose tests the middle tier takes the first case, and those that it draws: their cases take long."""

ONE_OF_SAMPLED = 4
"""Of about so many cases of such a test it draws one."""


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--tier", choices=tiers.TIERS, default="all", help="how much to run (docs/testing.md)")


def pytest_configure(config: pytest.Config) -> None:
    """Before any test is imported: what follows from the tier, and how random programs are drawn.

    No deadline: the first run of an example may build a kernel. "repeatable" (the default) tries the same examples each
    time; "explore" looks for new ones.
    """
    tiers.choose(config.getoption("tier"))
    gc.set_threshold(_NEW_OBJECTS)
    common = {"deadline": None, "suppress_health_check": [HealthCheck.too_slow]}
    settings.register_profile("repeatable", derandomize=True, max_examples=tiers.by_tier(10, 40, 100), **common)
    settings.register_profile("explore", max_examples=1000, **common)
    settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))
    if tiers.tier() == "quick":
        # Hypothesis also draws numbers that stand in the sources. Each worker reads all of these before its first test,
        # which takes 4 seconds of processor time, half of what collecting takes.
        providers._get_local_constants = lambda: providers._local_constants  # none


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """The quick tier does not even import what it leaves out; None: whatever others say."""
    left_out = any(collection_path.is_relative_to(config.rootpath / folder) for folder in NOT_QUICK)
    return (tiers.tier() == "quick" and left_out) or None


@pytest.hookimpl(wrapper=True)
def pytest_generate_tests(metafunc: pytest.Metafunc) -> Iterator[None]:
    """Cases that the tier leaves out are not made: making all took half of the time in which tests are collected.

    Of a test of which a case is named on the command line all are: pytest ends where what is named is not made.
    pytest asks nobody which of a test's cases to make; they stand in `_calls`.
    """
    yield
    calls = metafunc._calls
    if any(f"::{metafunc.function.__name__}[" in named for named in metafunc.config.args):
        return
    # Where none is left pytest would make the test without a case; the first has a mark, too, for which it is dropped.
    calls[:] = _drawn(metafunc.definition, calls) or calls[:1]


def _drawn(test: pytest.Function, cases: list[Any]) -> list[Any]:
    """Those of a test's cases that the tier looks at."""
    wanted = [case for case in cases if not any(mark.name in LEFT_OUT[tiers.tier()] for mark in case.marks)]
    if tiers.tier() == "quick":
        return wanted[::ONE_OF]
    if tiers.tier() == "all" or not test.nodeid.startswith(SAMPLED) or test.get_closest_marker("each") is not None:
        return wanted
    return [*wanted[:1], *(case for case in wanted[1:] if _is_drawn(f"{test.nodeid}[{case.id}]"))]


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    kept, left = [], []
    for item in items:
        needs_device = tiers.tier() == "quick" and "device" in getattr(item, "fixturenames", ())
        (left if needs_device or any(map(item.get_closest_marker, LEFT_OUT[tiers.tier()])) else kept).append(item)
    config.hook.pytest_deselected(items=left)
    items[:] = kept


def _is_drawn(case: str) -> bool:
    """Is it one of those that the middle tier looks at? The same ones in each run, and none in step with parameters."""
    return zlib.crc32(case.encode()) % ONE_OF_SAMPLED == 0


# --- collections of garbage -------------------------------------------------------------------------------------------

_NEW_OBJECTS = 20_000
"""After so many new objects the youngest are looked at: after 700, as Python does, garbage took 17 of 107 seconds, now
10 of 92.
"""

_looked_at_again = 32
"""After so many files all that is alive is looked at for garbage, then after twice as many, and so on: what there is
grows with them. Of one test in 24, the files after the 128th left 64 objects of garbage among 3.2 million; finding them
took 2.8 seconds.
"""

_last: Hashable = None
"""The file of the last test, or the group that it was put into."""

_files = 0
"""How many files' tests have begun."""


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """What earlier files left is not looked at again: tests that call `gc.collect` often would take most of their time
    for what a worker remembers by then. Looking at all of it takes seconds, so it is not done for each file.
    """
    global _last, _files, _looked_at_again
    if group_of(item) != _last:
        _last = group_of(item)
        _files += 1
        if _files == _looked_at_again:
            _looked_at_again *= 2
            gc.unfreeze()  # what has become garbage since is collected
        gc.collect()
        gc.freeze()


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
