"""The rule set, by theme; importing this package registers every rule."""

from ir.rules import (
    algorithmic,
    broadcasts,
    fusion,
    horizontal,
    lowering,
    memory,
    ragged,
    reduction,
    vectorise,
    views,
    zips,
)

__all__ = [
    "algorithmic", "broadcasts", "fusion", "horizontal", "lowering", "memory", "ragged", "reduction", "vectorise",
    "views", "zips",
]  # fmt: skip
