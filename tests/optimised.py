"""Which of the tests' kernels the device's compiler optimises."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any
from zlib import crc32

__all__ = ["is_optimised", "some_optimised", "takes_minutes"]

_ONE_OF = 16
"""Of so many kernels one is optimised: it takes most of the time of tests that look at many kernels, and what the
generator writes is right or wrong without it. Tests of what an optimiser may conclude have it for all of theirs.
"""

_LONG = 32_000
"""Characters of a source from which on a kernel with barriers is not among those: it takes PoCL's optimiser minutes."""

_SHARE = 8_000
"""Of kernels with barriers that are longer than this half as many are, of those twice as long a third, and so on:
PoCL's optimiser takes half a second for each thousand characters of them.
"""


def is_optimised(source: str) -> bool:
    """Is this kernel, of which no test says so, optimised? It is the same in each run and in each process."""
    shares = 1 + len(source) // _SHARE if _has_barriers(source) else 1
    return crc32(source.encode()) % (_ONE_OF * shares) == 0 and not takes_minutes(source)


def takes_minutes(source: str) -> bool:
    """Does the optimiser take minutes for such a kernel?"""
    return len(source) > _LONG and _has_barriers(source)


def _has_barriers(source: str) -> bool:
    return "barrier(" in source


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
