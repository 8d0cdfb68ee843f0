"""The rule set, by theme; importing this package registers every rule."""

from ir.rules import (
    algorithmic,
    broadcasts,
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
    sort,
    vectorise,
    views,
    zips,
)

__all__ = [
    "algorithmic",
    "broadcasts",
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
    "sort",
    "vectorise",
    "views",
    "zips",
]
