"""`python -m lazyarr devices` and `doctor`: what can be used, what cannot and why, what to do about it."""

from __future__ import annotations

import platform
import sys
from dataclasses import fields
from importlib import metadata
from typing import TYPE_CHECKING, Any

from lazyarr.config import settings
from lazyarr.errors import LazyarrError
from lazyarr.runtime import default_device, devices, diagnose

if TYPE_CHECKING:
    from lazyarr.runtime import Device, Finding

__all__ = ["add", "list_devices"]

_DISTRIBUTIONS = ("lazyarr", "numpy", "pyopencl", "pocl-binary-distribution", "scikit-optimize", "cachetools")


def add(commands: Any) -> None:
    """Describe the commands' arguments."""
    parser = commands.add_parser("devices", help="list the devices that can be used, and why others cannot")
    parser.set_defaults(run=lambda options: list_devices())
    parser = commands.add_parser("doctor", help="the same with versions, settings and the state of the cache")
    parser.set_defaults(run=lambda options: list_devices() | _circumstances())


def list_devices() -> int:
    """Print what was found; returns 1 where no device can be used."""
    findings = diagnose()
    try:
        found = devices()
    except LazyarrError as error:
        _print_findings(findings, skip=str(error))
        print(f"error: {error}", file=sys.stderr)
        return 1
    _print_findings(findings)
    status = 0
    default: Device | None = None
    try:
        default = default_device()
    except LazyarrError as error:
        print(f"error: {error}", file=sys.stderr)
        status = 1
    for device in found:
        print(f"\n{device.index}  {device.name} ({device.kind}){', the default' if device is default else ''}")
        print(f"  platform: {device.platform}, {device.platform_version}")
        print(f"  driver: {device.driver}")
        for field in fields(device.limits):
            print(f"  {field.name.replace('_', ' ')}: {getattr(device.limits, field.name)}")
    return status


def _print_findings(findings: list[Finding], skip: str = "") -> None:
    for finding in findings:
        if finding.message != skip:
            print(finding)


def _circumstances() -> int:
    """Print what else decides how lazyarr behaves here."""
    from kernel_cache import KernelCache

    print(f"\nversions\n  python: {platform.python_version()}")
    for name in _DISTRIBUTIONS:
        try:
            print(f"  {name}: {metadata.version(name)}")
        except metadata.PackageNotFoundError:
            print(f"  {name}: not installed")
    print("\nsettings")
    for name, value in vars(settings()).items():
        print(f"  {name}: {value!r}")
    cache = KernelCache()
    held = cache.statistics()
    print(f"\ncache\n  {held.path}: {held.entries} kernels, {held.trials} trials, {held.bytes} bytes")
    problems = cache.verify()
    for problem in problems:
        print(f"  {problem.kind} {problem.where}: {problem.message}")
    cache.close()
    return 1 if problems else 0
