"""NumPy's orders in memory, as functions are given them."""

from __future__ import annotations

from typing import Any

__all__ = ["as_order"]


def as_order(order: Any, function: str, known: tuple[str, ...] = ("C", "K", "A", "F")) -> str:
    """NumPy's order in memory as a capital letter, "C" for None; `TypeError` or `ValueError` if it is not one."""
    if order is None or order == "C":
        return "C"
    if not isinstance(order, str):
        raise TypeError(f"{function}: expected order to be a letter, got {order!r}")
    if order.upper() not in known:
        names = ", ".join(map(repr, known[:-1]))
        raise ValueError(f"{function}: expected order to be {names} or {known[-1]!r}, got {order!r}")
    return order.upper()
