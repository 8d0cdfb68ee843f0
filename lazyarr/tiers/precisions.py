"""Which precisions of products a device has."""

from __future__ import annotations

from collections.abc import Sequence

from ir.core.expr import Expr
from ir.core.patterns import Call
from ir.core.stored import everything_below
from lazyarr.config import DEFAULT_PRECISION
from lazyarr.errors import SettingError
from lazyarr.runtime import Device

__all__ = ["check_tensor_cores", "takes_tensor_cores"]


def check_tensor_cores(device: Device) -> None:
    """The device has what such a product takes.

    Raises:
        SettingError: it has not.
    """
    if not device.limits.tensor_cores:
        raise SettingError(
            f"matmul_precision='tf32' takes tensor cores, and {device.name} has none: it has {DEFAULT_PRECISION!r} "
            f"alone. Set la.config(matmul_precision={DEFAULT_PRECISION!r}) before the product, or another device"
        )


def takes_tensor_cores(roots: Sequence[Expr]) -> bool:
    """Is there a product of TF32 numbers?"""
    nodes = (node for root in roots for node in everything_below(root))
    return any(isinstance(node, Call) and node.op == "round_to_tf32" for node in nodes)
