"""Which devices there are, which one to use, and what stands in the way of the others."""

from __future__ import annotations

import os
import re
import sys
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from typing import TYPE_CHECKING

from ir.locks import make_lock
from lazyarr.runtime import affinity, companions, icds, pocl
from lazyarr.runtime.devices import Device
from lazyarr.runtime.errors import DeviceError

if TYPE_CHECKING:
    import pyopencl as cl

_REMEDY = 'install an OpenCL runtime, for instance `pip install "lazyarr[pocl]"` for a CPU device'
_CHECK_DRIVER = "check the vendor's driver, and the rights to its device files"
_KINDS = {"gpu": 2, "accelerator": 1, "cpu": 0}

_DEVICE_FILES = ("nvidia*", "kfd", "dxg", "dri/renderD*")
"""What drivers of GPUs put into /dev on Linux: NVIDIA's, AMD's, Windows' below Linux, and the kernel's own."""

_lock = make_lock()
_devices: tuple[Device, ...] | None = None


@dataclass(frozen=True)
class Finding:
    """One thing that `diagnose` has to say.

    Attributes:
        subject: a device, a platform, a driver library or a file.
        usable: whether lazyarr can use it.
        message: what was found.
        remedy: what to do about it, or "".
    """

    subject: str
    usable: bool
    message: str
    remedy: str = ""

    def __str__(self) -> str:
        remedy = f" ({self.remedy})" if self.remedy else ""
        return f"{'ok' if self.usable else '--'}  {self.subject}: {self.message}{remedy}"


def devices() -> list[Device]:
    """All usable devices, the fastest first, simulators last. The same objects every time.

    Raises:
        DeviceError: pyopencl cannot be imported, or there is no OpenCL platform or usable device.
    """
    global _devices
    if _devices is None:
        with _lock:
            if _devices is None:
                found = [
                    Device(handle, f"{p}:{d}", companions.companion_of(handle, _all_handles(platform)))
                    for p, platform in enumerate(_platforms())
                    for d, handle in enumerate(_handles(platform))
                    if not _unusable(handle)
                ]
                if not found:
                    raise DeviceError(f"no OpenCL device can be used; {_refusals() or _REMEDY}")
                _devices = tuple(sorted(found, key=_speed, reverse=True))
    return list(_devices)


def default_device() -> Device:
    """The device that `LAZYARR_DEVICE` names, as `find_device` takes it; otherwise the fastest that is no simulator.

    Raises:
        DeviceError: there is none, or `LAZYARR_DEVICE` names none.
    """
    spec = os.environ.get("LAZYARR_DEVICE", "").strip()
    if spec:
        try:
            return _search(spec)
        except DeviceError as error:
            raise DeviceError(f"LAZYARR_DEVICE={spec!r}: {error}") from error
    best = devices()[0]
    if best.simulator:
        raise DeviceError(
            f"the only OpenCL device that can be used is a simulator; {_refusals() or _REMEDY}, "
            f"or set LAZYARR_DEVICE={best.platform!r} to use it nevertheless"
        )
    return best


def find_device(spec: str | Device | None = None) -> Device:
    """The device that `spec` names.

    Args:
        spec: None for `default_device()`; a Device for itself; `"platform:device"` numbers; a kind (`"cpu"`, `"gpu"`,
            `"accelerator"`); or part of the name of a platform or device. Upper and lower case are the same. If several
            match, the fastest is taken, and a simulator only if nothing else matches.

    Raises:
        DeviceError: nothing matches; the message lists what there is.
    """
    if isinstance(spec, Device):
        return spec
    if spec is None:
        return default_device()
    if not isinstance(spec, str):
        raise DeviceError(f"expected a device or what names one, such as 'cpu' or '0:0', got {spec!r}")
    return _search(spec.strip())


@lru_cache
def computes_on_cpu(spec: str) -> bool:
    """Is the device that `spec` names as for `find_device`, or by default, a CPU?

    OpenCL, which takes a tenth of a second to start, is asked only where something else may be there.
    """
    if not (spec or os.environ.get("LAZYARR_DEVICE", "").strip() or _may_have_gpu()):
        return True
    try:
        return find_device(spec or None).kind == "cpu"
    except DeviceError:
        return True  # there is nothing else


def may_compute_elsewhere(place: Device | str) -> bool:
    """May the device, which is named as for `find_device`, or the default one, be another processor than the host's? To
    say so OpenCL is not asked.
    """
    if isinstance(place, Device):
        return place.kind != "cpu"
    name = (place or os.environ.get("LAZYARR_DEVICE", "")).strip().lower()
    return name != "cpu" and (name == "gpu" or _may_have_gpu())


def _may_have_gpu() -> bool:
    return sys.platform != "linux" or _has_any(_DEVICE_FILES)


@lru_cache
def _has_any(patterns: tuple[str, ...]) -> bool:
    """Are there files of these in /dev? Looked for once: a program that runs on NumPy asks at each run."""
    return any(True for pattern in patterns for _ in Path("/dev").glob(pattern))


def diagnose() -> list[Finding]:
    """What OpenCL offers on this machine and what stands in the way, for people to read. Never raises."""
    findings = []
    try:
        import pyopencl as cl
    except Exception as error:
        return [Finding("pyopencl", False, f"cannot be imported: {error}", "pip install --upgrade pyopencl")]
    for driver in icds.register():
        if driver.problem:
            findings.append(Finding(driver.library, False, driver.problem))
        elif not driver.registered:
            message = "found but not registered; lazyarr registers it for its own processes"
            remedy = f"for all programs: put that path into /etc/OpenCL/vendors/{driver.name}.icd"
            findings.append(Finding(driver.library, True, message, remedy))
    mending = pocl.mend()
    if mending is not None and not mending.problem:
        message = f"does not know this processor; lazyarr gives it its functions for {mending.variant}"
        if mending.processor:
            message += f", and has it compile for {mending.processor}"
        findings.append(Finding("PoCL", True, message))
    for file, library in icds.dangling():
        findings.append(Finding(str(file), False, f"names {library}, which does not exist", "remove or correct it"))
    try:
        platforms = _platforms()
    except DeviceError as error:
        return [*findings, Finding("OpenCL", False, str(error))]
    for platform in platforms:
        name = platform.name.strip()
        try:
            handles = companions.without_companions(platform.get_devices())
        except cl.Error as error:
            findings.append(Finding(name, False, f"platform has no devices: {error}", _CHECK_DRIVER))
            continue
        if not handles:
            findings.append(Finding(name, False, "platform has no devices", _CHECK_DRIVER))
        findings += [_examine(name, handle) for handle in handles]
    return findings


def _examine(platform: str, handle: cl.Device) -> Finding:
    subject = f"{handle.name.strip()} on {platform}"
    reason = _unusable(handle)
    if reason:
        return Finding(subject, False, reason)
    try:
        device = next(device for device in devices() if device.handle == handle)
        buffer = device.allocate(64)
        buffer.fill(0x5A)
        if not (buffer.to_numpy("u1", (64,)) == 0x5A).all():
            return Finding(subject, False, "a buffer does not keep what was written to it")
    except Exception as error:
        return Finding(subject, False, f"cannot run a command: {error}")
    memory = "shares the host's memory" if device.zero_copy else "has memory of its own"
    note = "a simulator: used only when asked for" if device.simulator else f"usable {device.kind}, {memory}"
    return Finding(subject, True, f"{note} (device {device.index}, driver {device.driver})")


def _platforms() -> list[cl.Platform]:
    try:
        import pyopencl as cl
    except Exception as error:
        raise DeviceError(f"pyopencl cannot be imported: {error}; `pip install --upgrade pyopencl` may help") from error
    icds.register()
    pocl.mend()
    try:
        with companions.both_drivers(), affinity.threads_apart():
            platforms = cl.get_platforms()
    except cl.Error:
        # The loader's way to say that there is none.
        platforms = []
    if not platforms:
        raise DeviceError(f"no OpenCL platform was found on this machine; {_REMEDY}")
    return list(platforms)


def _refusals() -> str:
    """The devices that lazyarr cannot use, and why; "" if there are none."""
    handles = [handle for platform in _platforms() for handle in _handles(platform)]
    return "; ".join(f"{handle.name.strip()}: {reason}" for handle in handles if (reason := _unusable(handle)))


def _handles(platform: cl.Platform) -> list[cl.Device]:
    """The devices of a platform that lazyarr lists."""
    return companions.without_companions(_all_handles(platform))


def _all_handles(platform: cl.Platform) -> list[cl.Device]:
    import pyopencl as cl

    try:
        return list(platform.get_devices())
    except cl.Error:
        return []


def _unusable(handle: cl.Device) -> str:
    """Why lazyarr cannot use a device, or ""."""
    import pyopencl as cl

    try:
        if not handle.available:
            return "the device is not available"
        if not handle.compiler_available:
            return "no compiler: the driver cannot compile OpenCL C"
        if int(handle.type) == int(cl.device_type.CUSTOM):
            return "a device of fixed function, which runs no programs"
        return pocl.fault(handle)
    except cl.Error as error:
        return f"the driver does not answer: {error}"


def _speed(device: Device) -> tuple[bool, int, int, bool]:
    """A rough order of speed: kind, then compute units; among equal CPUs PoCL comes first."""
    pocl = "portable computing language" in device.platform.lower()
    return (not device.simulator, _KINDS[device.kind], device.limits.compute_units, pocl)


def _search(spec: str) -> Device:
    known = devices()
    wanted = spec.lower()
    if re.fullmatch(r"\d+:\d+", wanted):
        matches = [device for device in known if device.index == wanted]
    elif wanted in _KINDS:
        matches = [device for device in known if device.kind == wanted]
    else:
        matches = [device for device in known if wanted in device.platform.lower() or wanted in device.name.lower()]
    if not wanted or not matches:
        listing = "\n".join(f"  {device.index}  {device.name}  ({device.kind}, {device.platform})" for device in known)
        refusals = _refusals()
        raise DeviceError(
            f"no device matches {spec!r}; there are:\n{listing}" + (f"\nnot used: {refusals}" if refusals else "")
        )
    return matches[0]  # `devices` puts the fastest first and simulators last
