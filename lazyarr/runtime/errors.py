"""What can go wrong between lazyarr and a device."""

from __future__ import annotations

from lazyarr.errors import LazyarrError


class DeviceError(LazyarrError):
    """No device could be found, chosen or used."""


class AllocationError(LazyarrError, MemoryError):
    """A buffer is larger than the device allows, or its memory is exhausted. Sizes in bytes.

    It is a `MemoryError` too, so code written for NumPy catches it.
    """


class LaunchError(LazyarrError):
    """A kernel could not be enqueued, or failed while it ran."""


class BuildError(LazyarrError):
    """A program did not compile. The message shows the source with line numbers, and the compiler's log.

    Attributes:
        source: the OpenCL C source text.
        log: what the compiler said.
    """

    def __init__(self, message: str, source: str = "", log: str = "") -> None:
        self.source = source
        self.log = log
        lines = source.splitlines()
        width = len(str(len(lines)))
        numbered = "\n".join(f"{number:{width}d} | {line}" for number, line in enumerate(lines, 1))
        parts = [message]
        if log.strip():
            parts.append(f"build log:\n{log.strip()}")
        if numbered:
            parts.append(f"source:\n{numbered}")
        super().__init__("\n\n".join(parts))
