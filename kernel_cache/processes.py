"""Who began a trial, and whether that process still lives."""

import os
import platform
import sys
import time
from dataclasses import asdict, dataclass
from functools import lru_cache
from pathlib import Path

# How long a trial counts as running when its process cannot be seen from here (another host or container).
UNSEEN_SECONDS = 3600.0


@dataclass(frozen=True)
class ProcessStamp:
    """A process, named so that a later one with the same number is not mistaken for it.

    Attributes:
        pid: its number.
        start: when it started, in a unit only good for comparison; None where the system does not tell.
        host: name of the host.
        boot: identity of the host's uptime, "" where the system does not tell.
        namespace: in which `pid` counts (containers have their own), "" where the system does not tell.
    """

    pid: int
    start: str | None
    host: str
    boot: str
    namespace: str

    def as_json(self) -> dict[str, int | str | None]:
        """Return the fields, to be stored."""
        return asdict(self)


def this_process() -> ProcessStamp:
    """Return the stamp of the process that calls."""
    return _stamp(os.getpid())


@lru_cache(maxsize=1)
def _stamp(pid: int) -> ProcessStamp:
    state = _state_and_start(pid)
    return ProcessStamp(pid, state[1] if state else None, platform.node(), _boot(), _namespace())


def is_running(stamp: ProcessStamp, begun: float) -> bool:
    """Whether the process that began something at `begun` (seconds since the epoch) still lives."""
    here = this_process()
    if stamp.host == here.host and stamp.boot != here.boot:
        return False
    visible = (stamp.host, stamp.boot, stamp.namespace) == (here.host, here.boot, here.namespace)
    if not visible:
        return time.time() - begun < UNSEEN_SECONDS
    if stamp == here:
        return True
    if stamp.start is None:
        # The number may have been given to another process since, so such a trial ages, too.
        return _exists(stamp.pid) and time.time() - begun < UNSEEN_SECONDS
    state = _state_and_start(stamp.pid)
    # A zombie has ended; only its parent has not asked how.
    return state is not None and state[1] == stamp.start and state[0] not in "ZX"


def _state_and_start(pid: int) -> tuple[str, str] | None:
    """Return state letter and start time (clock ticks since boot) of a process, None if it is gone or hidden."""
    try:
        text = Path(f"/proc/{pid}/stat").read_bytes().decode("utf-8", "replace")
        # The second field, the command, may itself hold spaces and parentheses.
        fields = text[text.rindex(")") + 1 :].split()
        return fields[0], fields[19]
    except (OSError, ValueError, IndexError):
        return None


def _boot() -> str:
    try:
        return Path("/proc/sys/kernel/random/boot_id").read_bytes().decode("ascii").strip()
    except (OSError, ValueError):
        return ""


def _namespace() -> str:
    try:
        return os.readlink("/proc/self/ns/pid")
    except OSError:
        return ""


if sys.platform == "win32":
    import ctypes

    def _exists(pid: int) -> bool:
        """Here `os.kill` would end the process, whatever the signal."""
        query_limited_information, still_active = 0x1000, 259
        kernel = ctypes.windll.kernel32
        handle = kernel.OpenProcess(query_limited_information, False, pid)
        if not handle:
            return False
        try:
            code = ctypes.c_ulong()
            return bool(kernel.GetExitCodeProcess(handle, ctypes.byref(code))) and code.value == still_active
        finally:
            kernel.CloseHandle(handle)

else:

    def _exists(pid: int) -> bool:
        try:
            os.kill(pid, 0)
        except ProcessLookupError:
            return False
        except (OSError, OverflowError):
            # There is one, but it is not ours to signal.
            return True
        return True
