"""What of a device and a kernel the generator is told: decided here, for all that is generated for a device."""

from __future__ import annotations

from collections.abc import Mapping

from ir.core.expr import Expr, postorder
from ir.core.patterns import MAP_SEQ, MAP_SEQ_HEAD, Map
from ir.cost.thresholds.tiers import LONG_INDICES_FROM_LOOPS
from ir.fusion.symbols.symbolise import SymbolicKernel
from ir.opencl.generate import Program, generate
from ir.opencl.passes.workarounds import GUARDED_BARRIERS
from ir.opencl.stages import Place
from ir.rewrite.derivation import Derivation
from lazyarr.runtime import Device

__all__ = ["generated", "granule", "has_many_loops", "index_type", "workarounds_of"]


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
    low = derivation.result
    index = index_type(low, wide=general.wide, on_cpu=device.kind == "cpu")
    return generate(low, name, index, device.alignment, general.part, workarounds_of(device), in_place)


def index_type(low: Expr, *, wide: bool, on_cpu: bool) -> str:
    """What the kernels of a lowered expression count in.

    Args:
        wide: do indices need 64 bits?
    """
    return "long" if wide or (on_cpu and has_many_loops(low)) else "int"


def has_many_loops(low: Expr) -> bool:
    """Does a lowered expression have so many loops that a CPU's compiler takes long to choose what they count in?

    LLVM writes each index of a loop in every type of integers that the kernel's loops count in, and asks of each
    whether it may overflow: of 64 bits, as addresses are, there is one.
    """
    loops = sum(isinstance(node, Map) and node.how in (MAP_SEQ, MAP_SEQ_HEAD) for node in postorder(low))
    return loops >= LONG_INDICES_FROM_LOOPS


def granule(device: Device) -> int:
    """What extents are factored by where they are its multiples, so that kernels read aligned vectors."""
    return 1 if device.alignment == 1 else 16
