"""Which tests of the front end run kernels, and which are computed by the reference interpreter.

In `--tier all` every test runs on the device, but for cases of what is marked `recording`: where the interpreter shows
the same faults, as most of those of dtypes, shapes and arguments, one further case in four does, with the kernels that
are predicted to be best. Elsewhere a search that no test asked for tries a few candidates, however long that takes: the
same ones each time. In `--tier test` the first case of each test runs there, and what is marked `device`, with the
predicted kernels. What is marked `searches` makes whole searches, in both tiers. Further cases and random programs are
interpreted. In `--tier quick`, or with `LAZYARR_TEST_ENGINE=interpreter`, nothing runs on a device, and what is marked
`device` is skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any
from zlib import crc32

import pytest

from lazyarr import config
from tests.lazyarr.evaluation import ON_DEVICE, interpreted
from tests.optimised import some_optimised
from tests.tiers import tier
from tuner.budget import Budget

HERE = Path(__file__).parent

ONE_OF = 4
"""Of so many further cases of what is marked `recording`, and is of no dtype, one runs kernels in `--tier all`, the
same in each run.
"""

CANDIDATES = 4
"""So many does a search try, in `--tier all`, where a test does not ask for it: the predicted best, then others."""


@pytest.fixture
def tuned_off() -> Iterator[None]:
    """The predicted best kernels, without a search."""
    old = config.configure(tune="off")
    yield
    config.configure(**vars(old))


@pytest.fixture
def compiled() -> Iterator[None]:
    """Kernels alone, the predicted best ones, without a search."""
    old = config.configure(tier="compiled", tune="off")
    yield
    config.configure(**vars(old))


@pytest.fixture
def built(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The sources that are built from then on."""
    from lazyarr.runtime import Device

    sources: list[str] = []
    build = Device.build

    def noting(self: Device, source: str, *more: Any, **named: Any) -> Any:
        sources.append(source)
        return build(self, source, *more, **named)

    monkeypatch.setattr(Device, "build", noting)
    return sources


def runs_kernels(item: pytest.Item) -> bool:
    """Is a test computed on the device?"""
    if not ON_DEVICE:
        return False
    if item.get_closest_marker("device") is not None:
        return True
    case = getattr(item, "callspec", None)
    is_first = case is None or not any(case.indices.values())
    if tier() == "all":
        of_recording = item.get_closest_marker("recording") is not None
        of_recording = of_recording and not (case is not None and "dtype" in case.params)  # kernels differ by dtype
        return is_first or not of_recording or crc32(item.nodeid.encode()) % ONE_OF == 0
    return is_first and not getattr(item.function, "is_hypothesis_test", False)


@contextmanager
def few_candidates() -> Iterator[None]:
    """Within it, searches on first calls try `CANDIDATES` ones; those of `lift.tune` do as they are told."""
    from lazyarr.compile import compiler

    def bounded(seconds: float | None, *trials: int | None) -> Budget:
        return Budget(seconds, *trials) if trials else Budget(None, CANDIDATES)

    compiler.Budget = bounded  # type: ignore[misc, assignment]
    try:
        yield
    finally:
        compiler.Budget = Budget  # type: ignore[misc]


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Iterator[None]:
    if not ON_DEVICE or item.get_closest_marker("optimised") is not None:
        return (yield)
    with some_optimised():
        return (yield)


@pytest.hookimpl(wrapper=True)
def pytest_runtest_call(item: pytest.Item) -> Iterator[None]:
    if item.path.parent != HERE:  # the folders below are about kernels and devices
        return (yield)
    if runs_kernels(item):
        if item.get_closest_marker("searches") is not None:
            return (yield)
        if tier() == "all" and item.get_closest_marker("recording") is None:
            with few_candidates():
                return (yield)
        before = config.configure(tune="off")
        try:
            return (yield)
        finally:
            config.configure(tune=before.tune)
    if item.get_closest_marker("device") is not None:
        pytest.skip("runs kernels")
    with interpreted():
        return (yield)
