"""The rule set, by theme; importing this package registers every rule."""

from ir.rules import (
    algorithmic,
    concat,
    fusion,
    generate,
    horizontal,
    lowering,
    memory,
    ragged,
    reduction,
    scan,
    scatter,
    vectorise,
    views,
)

__all__ = [
    "algorithmic",
    "concat",
    "fusion",
    "generate",
    "horizontal",
    "lowering",
    "memory",
    "ragged",
    "reduction",
    "scan",
    "scatter",
    "vectorise",
    "views",
]
