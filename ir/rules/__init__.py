"""The rule set, by family; importing this package registers every rule."""

from ir.rules.folds import accuracy, exponentials, moments, products, reduction, scan, scan_by_group
from ir.rules.layout import broadcasts, concat, generate, ragged, slices, slide, steps, views
from ir.rules.maps import accumulate, algorithmic, blocks, fusion, horizontal, parts, shares, zips
from ir.rules.opencl import fused, in_order, library, lowering, memory, tensor_cores, vectorise
from ir.rules.sorting import compact, scatter, scatter_by_sorting, sort

__all__ = [
    "accumulate", "accuracy", "algorithmic", "blocks", "broadcasts", "compact", "concat", "exponentials", "fused",
    "fusion", "generate", "horizontal", "in_order", "library", "lowering", "memory", "moments", "parts", "products",
    "ragged", "reduction", "scan", "scan_by_group", "scatter", "scatter_by_sorting", "shares", "slices", "slide",
    "sort", "steps", "tensor_cores", "vectorise", "views", "zips",
]  # fmt: skip
