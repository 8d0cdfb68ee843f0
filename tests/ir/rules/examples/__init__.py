"""For each rule: expressions at which it fires, with what it makes of them, and expressions at which it refuses.

A rule without both is a rule without a test: `test_registry` fails for it.
"""

from tests.ir.rules.examples import (  # each adds its own
    algorithmic,
    folds,
    lowering,
    made,
    nests,
    placed,
    products,
    slices,
    sums,
    tiles,
    views,
    windows,
)
from tests.ir.rules.examples.example import FIRES, REFUSES, Example

__all__ = [
    "FIRES", "REFUSES", "Example", "algorithmic", "folds", "lowering", "made", "nests", "placed", "products", "slices",
    "sums", "tiles", "views", "windows",
]  # fmt: skip
