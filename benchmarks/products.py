"""Products of matrices and transpositions of the suite "tiles"."""

from __future__ import annotations

from functools import partial
from math import prod

import numpy as np

from benchmarks.fusion import program
from benchmarks.harness import Check, Reference, Tolerance
from benchmarks.peers.peer import Array
from benchmarks.programs import Arrays, Workload
from benchmarks.sequences import PRODUCTS

__all__ = ["operations_of", "products"]

TALL = {"small": (1000, 8), "usual": (100_000, 32), "large": (100_000, 32)}
BATCH = {"small": 10, "usual": 1000, "large": 1000}
TRANSPOSED = {"small": (96,), "usual": (4096,), "large": (4096, 16384)}
SQUARES = {"small": (64,), "usual": (1024, 2048, 4096), "large": (1024, 2048, 4096)}
NARROW = {"small": (64, 16), "usual": (4096, 64), "large": (4096, 64)}


def products(sizes: str = "usual") -> tuple[Workload, ...]:
    """The rows at one of `benchmarks.fusion.SIZES`."""
    m, k = TALL[sizes]
    side, inner = NARROW[sizes]
    batch = (BATCH[sizes], 32, 32)
    last = SQUARES[sizes][-1]
    return (
        *(_product("product", f"product {n}", (n, n), (n, n), shape=(n, n)) for n in SQUARES[sizes]),
        _product("transposed product", f"transposed {m}x{k} times {m}x{k}", (m, k), (m, k), shape=(k, k)),
        _product("product", f"product {side}x{inner}x{side}", (side, inner), (inner, side), shape=(side, side)),
        _product("product", f"product of {batch[0]} of 32", batch, batch, shape=batch),
        _product("relu", f"relu(x @ w + b) {last}", (last, last), (last, last), (last,), shape=(last, last)),
        *(_transposition(n) for n in TRANSPOSED[sizes]),
    )


def _product(name: str, title: str, *shapes: tuple[int, ...], shape: tuple[int, ...]) -> Workload:
    read = 4 * sum(map(prod, shapes))
    terms = shapes[0][0] if name == "transposed product" else shapes[0][-1]
    make, reference = partial(_random, shapes), partial(_product_reference, name, terms)
    return Workload(title, program(name, PRODUCTS[name]), "read", read + 4 * prod(shape), read, make, reference)


def _transposition(n: int) -> Workload:
    make = partial(_random, ((n, n),))
    size = 4 * n * n
    transposed = program("transpose", PRODUCTS["transpose"])
    return Workload(f"transposition {n}", transposed, "copy", 2 * size, size, make, _transposed)


def _random(shapes: tuple[tuple[int, ...], ...], rng: np.random.Generator) -> Arrays:
    """Values around zero, so that a rectifier has something to do."""
    return tuple(rng.random(shape, dtype=np.float32) - np.float32(0.5) for shape in shapes)


def _product_reference(name: str, terms: int, *arrays: Array) -> Check:
    """Errors are relative to the sum of the terms' absolute values."""
    wide = [array.astype(np.float64) for array in arrays]
    values = PRODUCTS[name](np, *wide)
    magnitude = PRODUCTS[name](np, *map(np.abs, wide))
    return Reference(values, magnitude, Tolerance.reduction(arrays[0].dtype, terms))


def _transposed(x: Array) -> Check:
    values = np.ascontiguousarray(x.T).astype(np.float64)
    return Reference(values, np.abs(values), Tolerance(0.0))


def operations_of(workload: Workload) -> int:
    """Multiplications and additions of a product; 0 of other programs."""
    if workload.program.name not in PRODUCTS or workload.program.name == "transpose":
        return 0
    a, b, *_ = workload.inputs(1)[0]
    return int(2 * a.size * b.shape[-1])
