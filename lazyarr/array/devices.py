"""The devices that arrays were put on: which one is meant, and which one the result of several arrays has."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from lazyarr.graph.tracing import Trace

__all__ = ["combine", "known_device", "same_device"]


def known_device(device: Any) -> Any:
    """The device as it was given, None for the default one. `DeviceError` for what is none, or a name that none has."""
    if device is not None:
        from lazyarr.runtime import find_device  # needs OpenCL, which importing lazyarr must not

        find_device(device)
    return device


def same_device(a: Any, b: Any) -> bool:
    """Whether two devices are one, however they were given. `DeviceError` for a name that no device has."""
    if a == b:
        return True
    from lazyarr.runtime import find_device  # needs OpenCL, which importing lazyarr must not

    return find_device(a) is find_device(b)


def combine(function: str, operands: Sequence[Any]) -> tuple[Any, Trace | None]:
    """The common device and the trace of the result of a function of those arrays and traced scalars.

    Raises:
        ValueError: two operands were put on different devices.
    """
    device = trace = None
    for operand in operands:
        if operand.traced_in is not None:
            trace = operand.traced_in
        if operand.placed is not None:
            if device is not None and not same_device(operand.placed, device):
                raise ValueError(f"{function}: the arrays are on different devices: {device} and {operand.placed}")
            device = operand.placed
    return device, trace
