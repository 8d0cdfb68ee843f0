"""Examples of the rules of `ir.rules.opencl.fused`."""

from __future__ import annotations

from tests.ir.rules.examples.example import fires, refuses

fires("fuse_multiply_add", "c + c * 2", "fma c 2 c")
fires(
    "fuse_multiply_add", "map (λ(x, y). x + y * x) (zip(xs, ys))", "map (λ(x, y). fma y x x) (zip(xs, ys))", at_=(0, 0)
)
refuses("fuse_multiply_add", "c * 2 + c", "i + i * 2", "c - c * 2")
