"""The only part of lazyarr that talks to OpenCL: devices, buffers, programs, launches and their times.

Importing it touches no device and does not import pyopencl.
"""

from lazyarr.memory.pool import Pool, PoolStatistics
from lazyarr.runtime.batches import Batch, Launch
from lazyarr.runtime.devices import Device, Limits, finish_on_host, is_lost
from lazyarr.runtime.discovery import (
    Finding,
    computes_on_cpu,
    default_device,
    devices,
    diagnose,
    find_device,
    may_compute_elsewhere,
)
from lazyarr.runtime.errors import AllocationError, BuildError, DeviceError, LaunchError
from lazyarr.runtime.memory import Buffer
from lazyarr.runtime.programs import BoundKernel, Program
from lazyarr.runtime.queues import Event
from lazyarr.runtime.timing import Timing

__all__ = [
    "AllocationError", "Batch", "BoundKernel", "Buffer", "BuildError", "Device", "DeviceError", "Event", "Finding",
    "Launch", "LaunchError", "Limits", "Pool", "PoolStatistics", "Program", "Timing", "computes_on_cpu",
    "default_device", "devices", "diagnose", "find_device", "finish_on_host", "is_lost",
    "may_compute_elsewhere",
]  # fmt: skip
