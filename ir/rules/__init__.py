"""The rule set, by theme; importing this package registers every rule."""

from ir.rules import (
    algorithmic,
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
)

__all__ = [
    "algorithmic",
    "fusion",
    "generate",
    "horizontal",
    "lowering",
    "memory",
    "ragged",
    "reduction",
    "scan",
    "vectorise",
    "views",
]
