"""PoCL's device that runs kernels in the thread that launches them, beside the one with a thread for each processor.

Those threads sleep between launches, and waking them takes longer than a short kernel does. PoCL has another driver,
`basic`, which runs a kernel within the call that enqueues it. `both_drivers` has PoCL make a device of each. lazyarr
does not list that of `basic`: it belongs to the other one, its companion, with which it shares memory and a context.

The names of the drivers are those of PoCL's wheel. Where another PoCL is registered, which would read the variable,
too, and may have further drivers, nothing is asked for.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from ir.locks import make_lock
from lazyarr.runtime import icds, pocl

if TYPE_CHECKING:
    import pyopencl as cl

__all__ = ["both_drivers", "companion_of", "without_companions"]

_SETTING = "POCL_DEVICES"
"""PoCL's own variable for its drivers, which is read when it is first asked: who sets it has decided."""

_MAIN, _COMPANION = "pthread", "basic"

_lock = make_lock()
_tried = False
_asked = False
"""Was PoCL asked for both drivers?"""


@contextlib.contextmanager
def both_drivers() -> Iterator[None]:
    """PoCL, if it is first asked within, has both devices. The environment is as before afterwards.

    One thread at a time asks: another one would take what this one has set for the user's.
    """
    global _tried, _asked
    with _lock:
        first, _tried = not _tried, True
        if not first or _SETTING in os.environ or not pocl.is_only_the_wheel(icds.registered_libraries()):
            yield
            return
        os.environ[_SETTING] = f"{_MAIN} {_COMPANION}"
        try:
            _asked = True  # PoCL may have read it, whatever happens then
            yield
        finally:
            del os.environ[_SETTING]


def without_companions(handles: Sequence[cl.Device]) -> list[cl.Device]:
    """The devices of a platform that are lazyarr's, in their order."""
    return [handle for handle in handles if not _is_companion(handle, handles)]


def companion_of(handle: cl.Device, handles: Sequence[cl.Device]) -> cl.Device | None:
    """The device that runs kernels of another one of its platform in the thread that launches them; None where there is
    none, or it cannot be used.
    """
    if not _is_of(handle, _MAIN):
        return None
    found = next((each for each in handles if _is_companion(each, handles)), None)
    return None if found is None or pocl.fault(found) else found


def _is_companion(handle: cl.Device, handles: Sequence[cl.Device]) -> bool:
    return _asked and _is_of(handle, _COMPANION) and any(_is_of(each, _MAIN) for each in handles)


def _is_of(handle: cl.Device, driver: str) -> bool:
    """Is it a device of that driver of PoCL's?"""
    return "portable computing language" in handle.platform.name.lower() and handle.name.startswith(f"{driver}-")
