"""Which tests of the front end run kernels, and which are computed by the reference interpreter.

In `--tier all` every test runs on the device. In `--tier test` the first case of each test does, and what is marked
`device`, with the kernels that are predicted to be best: a search takes a second or more and tries other ones each
time. What is marked `searches` makes one in this tier, too. Further cases and random programs are interpreted. In
`--tier quick`, or with `LAZYARR_TEST_ENGINE=interpreter`, nothing runs on a device, and what is marked `device` is
skipped.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from lazyarr import config
from tests.lazyarr.evaluation import ON_DEVICE, interpreted
from tests.optimised import some_optimised
from tests.tiers import tier

HERE = Path(__file__).parent


@pytest.fixture
def tuned_off() -> Iterator[None]:
    """The predicted best kernels, without a search."""
    old = config.configure(tune="off")
    yield
    config.configure(**vars(old))


def runs_kernels(item: pytest.Item) -> bool:
    """Is a test computed on the device?"""
    if not ON_DEVICE:
        return False
    if tier() == "all" or item.get_closest_marker("device") is not None:
        return True
    case = getattr(item, "callspec", None)
    is_first = case is None or not any(case.indices.values())
    return is_first and not getattr(item.function, "is_hypothesis_test", False)


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
        if tier() != "test" or item.get_closest_marker("searches") is not None:
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
