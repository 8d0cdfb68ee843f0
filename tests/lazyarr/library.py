"""What tests of calls of the host's library share: settings that allow it, and how many calls there were."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from lazyarr import config
from lazyarr.runtime import find_device


@pytest.fixture(autouse=True)
def kernels() -> Iterator[None]:
    """Compiled kernels without a search or a cache, and the library beside them."""
    if not find_device().zero_copy or find_device().simulator:
        pytest.skip("the host does not see the device's memory")
    old = config.configure(tier="compiled", tune="off", deterministic=False, library="on", cache="off")
    config.reset_statistics()
    yield
    config.configure(**vars(old))


def calls_of(function: str) -> int:
    """How often NumPy's function was called as a kernel since the last time."""
    found = config.statistics().get(f"kernel: numpy.{function}", 0)
    config.reset_statistics()
    return found
