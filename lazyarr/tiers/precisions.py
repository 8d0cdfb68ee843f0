"""Which precisions of products a device has."""

from __future__ import annotations

from collections.abc import Sequence

from ir.core.expr import Expr
from ir.core.patterns import Call
from ir.core.stored import everything_below
from lazyarr.config import DEFAULT_PRECISION
from lazyarr.errors import SettingError
from lazyarr.runtime import Device

__all__ = ["check_precision"]


def check_precision(device: Device, roots: Sequence[Expr]) -> None:
    """Nothing is computed in a precision that the device lacks.

    Raises:
        SettingError: it is.
    """
    if not device.limits.tensor_cores and any(map(_is_rounded, roots)):
        raise SettingError(
            f"matmul_precision='tf32' takes tensor cores, and {device.name} has none: it has {DEFAULT_PRECISION!r} "
            f"alone. Set la.config(matmul_precision={DEFAULT_PRECISION!r}) before the product, or another device"
        )


def _is_rounded(root: Expr) -> bool:
    return any(isinstance(node, Call) and node.op == "round_to_tf32" for node in everything_below(root))
