"""The six programs of the suite "lift", each written in the papers' notation and in NumPy's style.

scal (3 * x), asum (the sum of absolute values), dot, gemv (alpha A x + beta y, as BLAS and the papers define it),
Black-Scholes (calls and puts; SHOC's constants) and md (SHOC's Lennard-Jones force of each particle's nearest
neighbours within a cutoff), all in float32.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from math import prod
from operator import add, mul
from typing import Any

import numpy as np

from benchmarks.formulas import CUTOFF_SQUARED, LJ1, LJ2, black_scholes, forces, lennard_jones, scaled_sum, take
from benchmarks.harness import Check, Reference, Tolerance, TupleReference, UnavailableError
from benchmarks.lazy import FrontEnd
from benchmarks.peers.peer import Array

Arrays = tuple[Array, ...]
Writer = Callable[[FrontEnd], Callable[..., object]]

EDGE = 20.0
"""The edge of the cube that the particles of md are in."""
DISTINCT = 2
"""Sets of inputs that differ; further ones are copies, which only keep the caches from answering."""


@dataclass(frozen=True)
class Program:
    """A program by its name among the peers: ``lift`` and ``numpy_style`` give the function for lazyarr's modules.

    ``lift`` is None where it is written in NumPy's style alone; ``jitted`` is False where that cannot be recorded as a
    whole, as sizes follow from values.
    """

    name: str
    lift: Writer | None
    numpy_style: Writer
    jitted: bool = True


@dataclass(frozen=True)
class Workload:
    """A program on inputs of one size.

    ``make(rng)`` gives a set of inputs, ``reference`` what the result should be. ``bound`` says which limit bounds it
    (``"read"`` or ``"copy"``), ``nbytes`` how many bytes a call has to move, ``input_nbytes`` how many it reads.
    ``calls`` are made one after the other, and waited for together, on a CPU.
    """

    name: str
    program: Program
    bound: str
    nbytes: int
    input_nbytes: int
    make: Callable[[np.random.Generator], Arrays]
    reference: Callable[..., Check]
    calls: int = 1

    def inputs(self, sets: int) -> list[Arrays]:
        """So many sets of inputs, in memory of their own."""
        rng = np.random.default_rng(prod(map(ord, self.program.name)) % (1 << 32))
        found = [self.make(rng) for _ in range(min(sets, DISTINCT))]
        return found + [tuple(np.copy(x) for x in found[i % DISTINCT]) for i in range(DISTINCT, sets)]

    def references(self, sets: list[Arrays]) -> list[Check]:
        """The reference of each set."""
        found = [self.reference(*arrays) for arrays in sets[:DISTINCT]]
        return [found[i % DISTINCT] for i in range(len(sets))]


# --- the programs -----------------------------------------------------------------------------------------------------


def _lift_gemv(front: FrontEnd) -> Callable[..., object]:
    lift = front.lift

    def gemv(a: Any, x: Any, y: Any) -> Any:
        products = lift.map(lambda row: lift.reduce(add, 0, lift.map(mul, lift.zip(row, x))), a)
        return lift.map(scaled_sum, lift.zip(products, y))

    return gemv


def _lift_black_scholes(front: FrontEnd) -> Callable[..., object]:
    la, lift = front.la, front.lift
    return lambda s, k, t: lift.unzip(lift.map(partial(black_scholes, la), lift.zip(s, k, t)))


def _gather(front: FrontEnd) -> Callable[[Any, Any], Any]:
    if not hasattr(front.lift, "gather"):
        raise UnavailableError("lazyarr.lift has no gather")
    gather: Callable[[Any, Any], Any] = front.lift.gather
    return gather


def _lift_md(transposed: bool, front: FrontEnd) -> Callable[..., object]:
    la, lift, gather = front.la, front.lift, _gather(front)

    def particle(x: Any, y: Any, z: Any) -> Callable[[Any], Any]:
        def force(own: Any) -> Any:
            px, py, pz, neighbours = own

            def between(qx: Any, qy: Any, qz: Any) -> tuple[Any, Any, Any]:
                dx, dy, dz = px - qx, py - qy, pz - qz
                strength = lennard_jones(la, dx * dx + dy * dy + dz * dz)
                return strength * dx, strength * dy, strength * dz

            others = lift.zip(gather(x, neighbours), gather(y, neighbours), gather(z, neighbours))
            return lift.reduce(_add_components, (0.0, 0.0, 0.0), lift.map(between, others))

        return force

    def md(x: Any, y: Any, z: Any, neighbours: Any) -> Any:
        lists = la.matrix_transpose(neighbours) if transposed else neighbours
        return lift.unzip(lift.map(particle(x, y, z), lift.zip(x, y, z, lists)))

    return md


def _add_components(a: Any, b: Any) -> tuple[Any, ...]:
    return tuple(map(add, a, b))


def _numpy_md(transposed: bool, front: FrontEnd) -> Callable[..., object]:
    return partial(forces, front.la, _gather(front), 0 if transposed else 1)


SCAL = Program("scal", lambda front: front.lift.map(lambda v: 3 * v), lambda front: lambda x: 3 * x)
ASUM = Program(
    "asum",
    lambda front: lambda x: front.lift.reduce(add, 0, front.lift.map(abs, x)),
    lambda front: lambda x: front.la.sum(front.la.abs(x)),
)
DOT = Program(
    "dot",
    lambda front: lambda x, y: front.lift.reduce(add, 0, front.lift.map(mul, front.lift.zip(x, y))),
    lambda front: lambda x, y: front.la.sum(x * y),
)
GEMV = Program(
    "gemv",
    _lift_gemv,
    lambda front: lambda a, x, y: scaled_sum(a @ x, y),
)
BLACK_SCHOLES = Program(
    "black-scholes", _lift_black_scholes, lambda front: lambda s, k, t: black_scholes(front.la, s, k, t)
)
MD = Program("md", partial(_lift_md, False), partial(_numpy_md, False))
MD_TRANSPOSED = Program("md transposed", partial(_lift_md, True), partial(_numpy_md, True))
PROGRAMS = (SCAL, ASUM, DOT, GEMV, BLACK_SCHOLES, MD, MD_TRANSPOSED)


# --- their inputs and references --------------------------------------------------------------------------------------


def _uniform(rng: np.random.Generator, low: float, high: float, *shape: int) -> Array:
    """float32 in [low, high), without a float64 array of that size."""
    values = rng.random(shape, dtype=np.float32)
    values *= np.float32(high - low)
    values += np.float32(low)
    return values


def _signed(rng: np.random.Generator, *shape: int) -> Array:
    """Magnitudes in [0.5, 1.5) of both signs, so that forgetting the absolute value shows."""
    values = _uniform(rng, -1, 1, *shape)
    values += np.copysign(np.float32(0.5), values)
    return values


def _positive(rng: np.random.Generator, *shape: int) -> Array:
    """Values in [0.5, 1.5): sums of terms of mixed signs would cancel and hide errors behind their tolerance."""
    return _uniform(rng, 0.5, 1.5, *shape)


def _scal_reference(x: Array) -> Reference:
    values = np.multiply(x, 3.0, dtype=np.float64)
    return Reference(values, np.abs(values), Tolerance.elementwise(x.dtype))


def _asum_reference(x: Array) -> Reference:
    total = np.asarray(np.sum(np.abs(x), dtype=np.float64))
    return Reference(total, total, Tolerance.reduction(x.dtype, x.size))


def _dot_reference(x: Array, y: Array) -> Reference:
    products = np.multiply(x, y, dtype=np.float64)
    return Reference(
        np.asarray(products.sum()), np.asarray(np.abs(products).sum()), Tolerance.reduction(x.dtype, x.size)
    )


def _gemv_reference(a: Array, x: Array, y: Array) -> Reference:
    wide = x.astype(np.float64)
    products = np.array([np.dot(row.astype(np.float64), wide) for row in a])
    values = np.asarray(scaled_sum(products, y.astype(np.float64)))
    return Reference(values, values, Tolerance.reduction(x.dtype, x.size))  # all terms are positive


def _black_scholes_reference(s: Array, k: Array, t: Array) -> TupleReference:
    """Errors are relative to the two terms that are subtracted: those of the distribution are multiplied with them."""
    wide = [array.astype(np.float64) for array in (s, k, t)]
    tolerance = Tolerance.elementwise(s.dtype, operations=40)
    magnitude = wide[0] + wide[1]
    return TupleReference([Reference(values, magnitude, tolerance) for values in black_scholes(np, *wide)])


def _md_reference(axis: int, x: Array, y: Array, z: Array, neighbours: Array) -> TupleReference:
    """A term is a dozen operations, its attraction subtracted from its repulsion; errors are relative to their sum."""
    wide = [array.astype(np.float64) for array in (x, y, z)]
    values = forces(np, take, axis, wide[0], wide[1], wide[2], neighbours)
    lists = neighbours if axis else neighbours.T
    differences = [p[:, None] - p[lists] for p in wide]
    inverse = 1 / np.sum(np.square(differences), axis=0)
    strength = np.where(inverse > 1 / CUTOFF_SQUARED, inverse**4 * (LJ1 * inverse**3 + LJ2), 0)
    relative = float(np.finfo(x.dtype).eps) * (16 + lists.shape[1] ** 0.5)
    return TupleReference(
        [
            Reference(value, np.sum(strength * np.abs(d), axis=1), Tolerance(relative))
            for value, d in zip(values, differences, strict=True)
        ]
    )


def neighbour_lists(positions: Array, count: int, block: int = 512) -> Array:
    """The numbers of the ``count`` nearest others of each particle, nearest first; ``positions`` are [3, N]."""
    particles = positions.shape[1]
    if not 0 < count < particles:
        raise ValueError(f"count: expected 1 to {particles - 1} neighbours of {particles} particles, got {count}")
    found = np.empty((particles, count), np.int32)
    for begin in range(0, particles, block):
        own = np.arange(begin, min(begin + block, particles))
        squared = sum((p[own, None] - p[None, :]) ** 2 for p in positions)
        assert isinstance(squared, np.ndarray)
        squared[np.arange(own.size), own] = np.inf
        nearest = np.argpartition(squared, count - 1, axis=1)[:, :count]
        order = np.argsort(np.take_along_axis(squared, nearest, 1), axis=1)
        found[own] = np.take_along_axis(nearest, order, 1)
    return found


def _particles(particles: int, count: int, transposed: bool, rng: np.random.Generator) -> Arrays:
    positions = np.stack([_uniform(rng, 0, EDGE, particles) for _ in range(3)])
    lists = neighbour_lists(positions, count)
    return (*(np.ascontiguousarray(p) for p in positions), np.ascontiguousarray(lists.T) if transposed else lists)


# --- the workloads ----------------------------------------------------------------------------------------------------


def _size(n: int) -> str:
    return f"{n >> 20}Mi" if n >= 1 << 20 and not n % (1 << 20) else str(n)


def scal(n: int) -> Workload:
    """3 * x."""
    return Workload(f"scal {_size(n)}", SCAL, "copy", 8 * n, 4 * n, lambda rng: (_signed(rng, n),), _scal_reference)


def asum(n: int) -> Workload:
    """The sum of absolute values."""
    return Workload(f"asum {_size(n)}", ASUM, "read", 4 * n, 4 * n, lambda rng: (_signed(rng, n),), _asum_reference)


def dot(n: int) -> Workload:
    """The dot product."""

    def make(rng: np.random.Generator) -> Arrays:
        return _positive(rng, n), _positive(rng, n)

    return Workload(f"dot {_size(n)}", DOT, "read", 8 * n, 8 * n, make, _dot_reference)


def gemv(m: int, n: int) -> Workload:
    """A matrix of m rows and n columns times a vector, and a vector of m, both scaled."""

    def make(rng: np.random.Generator) -> Arrays:
        return _positive(rng, m, n), _positive(rng, n), _positive(rng, m)

    read = 4 * (m * n + n + m)
    return Workload(f"gemv {m}x{n}", GEMV, "read", read + 4 * m, read, make, _gemv_reference)


def options(n: int) -> Workload:
    """Black-Scholes of n options."""

    def make(rng: np.random.Generator) -> Arrays:
        return _uniform(rng, 5, 30, n), _uniform(rng, 1, 100, n), _uniform(rng, 0.25, 10, n)

    name = f"black-scholes {_size(n)}"
    return Workload(name, BLACK_SCHOLES, "copy", 20 * n, 12 * n, make, _black_scholes_reference)


def md(particles: int, count: int, transposed: bool = False) -> Workload:
    """Forces on particles from so many neighbours each; the lists lie [N, K], or [K, N] where transposed."""
    program = MD_TRANSPOSED if transposed else MD
    read = 4 * particles * (count + 3)
    make = partial(_particles, particles, count, transposed)
    reference = partial(_md_reference, 0 if transposed else 1)
    return Workload(f"{program.name} {particles}", program, "read", read + 12 * particles, read, make, reference)


WORKLOADS: tuple[Workload, ...] = (
    *(make(n) for make in (scal, asum, dot) for n in (1 << 24, 1 << 27)),
    gemv(4096, 4096),
    gemv(8192, 16384),
    options(1 << 22),
    md(12288, 128),
    md(12288, 128, transposed=True),
)
