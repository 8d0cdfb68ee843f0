"""For each rule: expressions at which it fires, with what it makes of them, and expressions at which it refuses.

The files are named after those of `ir.rules`. A rule without examples of both kinds fails in `test_registry`.
"""

from tests.ir.rules.examples.example import FIRES, REFUSES, Example
from tests.ir.rules.examples.folds import accuracy, exponentials, moments, products, reduction, scan, scan_by_group
from tests.ir.rules.examples.layout import broadcasts, concat, generate, ragged, slices, slide, steps, views
from tests.ir.rules.examples.maps import accumulate, algorithmic, blocks, fusion, horizontal, parts, shares, zips
from tests.ir.rules.examples.opencl import fused, in_order, library, lowering, memory, tensor_cores, vectorise
from tests.ir.rules.examples.sorting import compact, scatter, scatter_by_sorting, sort

__all__ = [
    "FIRES", "REFUSES", "Example", "accumulate", "accuracy", "algorithmic", "blocks", "broadcasts", "compact", "concat",
    "exponentials", "fused", "fusion", "generate", "horizontal", "in_order", "library", "lowering", "memory", "moments",
    "parts", "products", "ragged", "reduction", "scan", "scan_by_group", "scatter", "scatter_by_sorting", "shares",
    "slices", "slide", "sort", "steps", "tensor_cores", "vectorise", "views", "zips",
]  # fmt: skip
