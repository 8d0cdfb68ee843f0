"""Which of the tests' kernels the device's compiler optimises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from zlib import crc32

__all__ = ["is_optimised", "some_optimised"]

_ONE_OF = 16
"""Of so many kernels one is optimised: it takes most of the time of tests that look at many kernels, and what the
generator writes is right or wrong without it. Tests of what an optimiser may conclude have it for all of theirs.
"""

_LONG = 32_000
"""Characters of a source from which on a kernel with barriers is not among those: it takes PoCL's optimiser minutes."""


def is_optimised(source: str) -> bool:
    """Is this kernel, of which no test says so, optimised? It is the same in each run and in each process."""
    takes_minutes = len(source) > _LONG and "barrier(" in source
    return crc32(source.encode()) % _ONE_OF == 0 and not takes_minutes


@contextmanager
def some_optimised() -> Iterator[None]:
    """Within it, PoCL optimises those kernels alone."""
    from lazyarr.runtime import Device  # it reads the settings, which must be made before

    build = Device.build

    def built(
        device: Any,
        source: str,
        binary: bytes | None = None,
        options: Sequence[str] = (),
        declarations: str = "",
        in_thread: bool = False,
    ) -> Any:
        if device.is_pocl and not is_optimised(source):
            options = (*options, "-cl-opt-disable")
        return build(device, source, binary, options, declarations, in_thread)

    Device.build = built  # type: ignore[method-assign]
    try:
        yield
    finally:
        Device.build = build  # type: ignore[method-assign]
