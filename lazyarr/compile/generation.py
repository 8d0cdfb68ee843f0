"""What of a device and a kernel the generator is told: decided here, for all that is generated for a device."""

from __future__ import annotations

from collections.abc import Mapping

from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.opencl.generate import Program, generate
from ir.opencl.passes.workarounds import GUARDED_BARRIERS
from ir.opencl.stages import Place
from ir.rewrite.derivation import Derivation
from lazyarr.runtime import Device

__all__ = ["generated", "granule", "workarounds_of"]


def workarounds_of(device: Device) -> tuple[str, ...]:
    """What the device's compiler gets wrong, of all versions of PoCL: it was seen in 3.0, and costs nothing there."""
    return (GUARDED_BARRIERS,) if device.is_pocl else ()


def generated(
    device: Device,
    general: SymbolicKernel,
    derivation: Derivation,
    name: str = "lazyarr",
    in_place: Mapping[int, Place] | None = None,
) -> Program:
    """The OpenCL program of a derivation's result for that device.

    Args:
        in_place: see `ir.opencl.generate.generate`

    Raises:
        ir.errors.GenerationError: a high-level pattern is left.
    """
    index = "long" if general.wide else "int"
    return generate(derivation.result, name, index, device.alignment, general.part, workarounds_of(device), in_place)


def granule(device: Device) -> int:
    """What extents are factored by where they are its multiples, so that kernels read aligned vectors."""
    return 1 if device.alignment == 1 else 16
