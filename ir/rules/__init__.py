"""The rule set, by theme; importing this package registers every rule."""

from ir.rules import (
    algorithmic,
    broadcasts,
    fusion,
    generate,
    horizontal,
    lowering,
    memory,
    ragged,
    reduction,
    scan,
    vectorise,
    views,
    zips,
)

__all__ = [
    "algorithmic", "broadcasts", "fusion", "generate", "horizontal", "lowering", "memory", "ragged", "reduction",
    "scan", "vectorise", "views", "zips",
]  # fmt: skip
