"""Which kernels of the front end's tests the device's compiler optimises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from zlib import crc32

from tests.tiers import by_tier

ONE_OF = by_tier(16, 16, 4)
"""Of so many kernels PoCL optimises one, the same in each run: optimising takes most of a test's time, and what the
generator writes is right or wrong without it. A test that is marked `optimised` has it for all.
"""


@contextmanager
def some_optimised() -> Iterator[None]:
    """Within it, PoCL optimises one of `ONE_OF` kernels."""
    from lazyarr.runtime import Device  # it reads the settings, which must be made before

    build = Device.build

    def built(device: Any, source: str, *given: Any, options: Sequence[str] = (), **more: Any) -> Any:
        if device.is_pocl and crc32(source.encode()) % ONE_OF:
            options = (*options, "-cl-opt-disable")
        return build(device, source, *given, options=options, **more)

    Device.build = built  # type: ignore[method-assign]
    try:
        yield
    finally:
        Device.build = build  # type: ignore[method-assign]
