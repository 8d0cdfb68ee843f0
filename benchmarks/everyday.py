"""The programs of the suite "numpy": what people write with NumPy every day, on 16Mi float32 elements."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.harness import Reference, Tolerance, TupleReference, UnavailableError
from benchmarks.idioms import BINS, POINTS, SHARED, SOUGHT, chain, hits, moments, softmax, standardise
from benchmarks.lazy import FrontEnd
from benchmarks.peers.peer import Array
from benchmarks.programs import Arrays, Program, Workload


def _lazy_pi(front: FrontEnd) -> Callable[..., object]:
    if not hasattr(front.la, "random"):
        raise UnavailableError("lazyarr has no random numbers")

    def estimate(seed: Any) -> Any:
        rng = front.la.random.default_rng(seed)
        return hits(front.la, rng.random(POINTS, "float32"), rng.random(POINTS, "float32"))

    return estimate


def _program(name: str) -> Program:
    return Program(name, None, lambda front: partial(SHARED[name], front.la))


PI = Program("pi", None, _lazy_pi)


# --- references -------------------------------------------------------------------------------------------------------


def _exact(values: Any) -> Reference:
    wide = np.asarray(values, np.float64)
    return Reference(wide, np.abs(wide), Tolerance(0.0))


def _chain_reference(x: Array, y: Array) -> Reference:
    wide = [array.astype(np.float64) for array in (x, y)]
    magnitude = np.sqrt(np.abs(wide[1])) + np.maximum(np.abs(wide[0]), np.abs(wide[1]))
    return Reference(chain(np, *wide), magnitude, Tolerance.elementwise(x.dtype, operations=12))


def _softmax_reference(x: Array) -> Reference:
    values = softmax(np, x.astype(np.float64))
    return Reference(values, values, Tolerance.reduction(x.dtype, x.shape[1]))


def _moments_reference(x: Array) -> TupleReference:
    mean, variance = moments(np, x.astype(np.float64))
    tolerance = Tolerance.reduction(x.dtype, x.shape[1])
    return TupleReference(
        [
            Reference(mean, np.mean(np.abs(x), axis=1, dtype=np.float64), tolerance),
            Reference(variance, variance, tolerance),
        ]
    )


def _cumulative_reference(x: Array) -> Reference:
    magnitude = np.cumsum(np.abs(x), dtype=np.float64)
    return Reference(np.cumsum(x, dtype=np.float64), magnitude, Tolerance.reduction(x.dtype, x.size))


def _standardised_reference(x: Array) -> Reference:
    values = standardise(np, x.astype(np.float64))
    return Reference(values, np.abs(values) + 1, Tolerance.reduction(x.dtype, x.size))


def _pi_reference(seed: Array) -> Reference:
    """Six standard deviations of an estimate."""
    spread = 6 * (np.pi * (4 - np.pi) / POINTS) ** 0.5
    return Reference(np.asarray(np.pi), np.asarray(1.0), Tolerance(spread))


# --- workloads --------------------------------------------------------------------------------------------------------


def _normal(*shape: int) -> Callable[[np.random.Generator], Arrays]:
    return lambda rng: (rng.standard_normal(shape, dtype=np.float32),)


def _pair(*shape: int) -> Callable[[np.random.Generator], Arrays]:
    return lambda rng: (rng.standard_normal(shape, dtype=np.float32), rng.standard_normal(shape, dtype=np.float32))


def workloads(rows: int = 4096, columns: int = 4096, small: int = 1000) -> tuple[Workload, ...]:
    """The suite on matrices of that shape, and as many elements in a vector."""
    n = rows * columns
    matrix, vector = _normal(rows, columns), _normal(n)
    read, twice = 4 * n, 8 * n

    def made(name: str, bound: str, nbytes: int, inputs: int, make: Any, reference: Any, calls: int = 1) -> Workload:
        program = PI if name == "pi" else _program(name)
        return Workload(name, program, bound, nbytes, inputs, make, reference, calls)

    return (
        made("chain", "copy", 3 * read, twice, _pair(rows, columns), _chain_reference),
        made("softmax", "copy", twice, read, matrix, _softmax_reference),
        made("moments", "read", read, read, matrix, _moments_reference),
        made("argmin", "read", read, read, vector, lambda x: _exact(np.argmin(x))),
        made("cumulative sum", "copy", twice, read, vector, _cumulative_reference),
        made("sort", "copy", twice, read, vector, lambda x: _exact(np.sort(x))),
        made("transpose", "copy", twice, read, matrix, lambda x: _exact(x.T)),
        made(
            "histogram", "read", read, read,
            lambda rng: (rng.random(n, dtype=np.float32),),
            lambda x: _exact(np.histogram(x, BINS, (0.0, 1.0))[0]),
        ),
        made(
            "members", "copy", 5 * n, read,
            lambda rng: (rng.integers(0, 16, n, dtype=np.int32),),
            lambda x: _exact(np.isin(x, SOUGHT)),
        ),
        made("pi", "read", 4, 4, lambda rng: (np.asarray(rng.integers(1 << 31), np.int32),), _pi_reference),
        made("standardise", "copy", 8 * small, 4 * small, _normal(small), _standardised_reference, calls=20),
    )  # fmt: skip


WORKLOADS = workloads()
