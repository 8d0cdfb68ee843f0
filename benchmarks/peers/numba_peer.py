"""Numba."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from benchmarks.formulas import (
    ALPHA,
    BETA,
    CUTOFF_SQUARED,
    DENSITY,
    DRIFT,
    LJ1,
    LJ2,
    POLYNOMIAL,
    RATE,
    SLOPE,
    VOLATILITY,
)
from benchmarks.idioms import BINS, POINTS
from benchmarks.peers.everyday import numba_everyday
from benchmarks.peers.peer import Operation, Peer, into_ready, threads
from benchmarks.peers.sequences import numba_fused
from benchmarks.peers.stencils import numba_stencils


def numba_peer() -> Peer:
    """Numba: parallel loops, reassociated sums (fastmath), on as many threads as there are cores."""
    numba: Any = importlib.import_module("numba")
    numba.set_num_threads(min(threads(), numba.config.NUMBA_NUM_THREADS))
    parallel = numba.njit(parallel=True, fastmath=True)

    @parallel  # type: ignore[untyped-decorator]  # numba has no types
    def scal_into(x: Any, out: Any) -> None:
        for i in numba.prange(x.size):
            out[i] = 3 * x[i]

    @parallel  # type: ignore[untyped-decorator]
    def scal(x: Any) -> Any:
        out = np.empty_like(x)
        for i in numba.prange(x.size):
            out[i] = 3 * x[i]
        return out

    @parallel  # type: ignore[untyped-decorator]
    def asum(x: Any) -> Any:
        total = np.float32(0)
        for i in numba.prange(x.size):
            total += abs(x[i])
        return total

    @parallel  # type: ignore[untyped-decorator]
    def dot(x: Any, y: Any) -> Any:
        total = np.float32(0)
        for i in numba.prange(x.size):
            total += x[i] * y[i]
        return total

    alpha, beta = np.float32(ALPHA), np.float32(BETA)  # Python's floats would widen everything

    @parallel  # type: ignore[untyped-decorator]
    def gemv(a: Any, x: Any, y: Any) -> Any:
        out = np.empty(a.shape[0], np.float32)
        for i in numba.prange(a.shape[0]):
            total = np.float32(0)
            for j in range(a.shape[1]):
                total += a[i, j] * x[j]
            out[i] = alpha * total + beta * y[i]
        return out

    return Peer(
        "numba",
        str(numba.__version__),
        {
            "scal": {"": scal, "ready output": into_ready(scal_into)},
            "asum": {"": asum},
            "dot": {"": dot},
            "gemv": {"": gemv},
            "black-scholes": _black_scholes(numba),
            "md": {"": _md(numba, transposed=False)},
            "md transposed": {"": _md(numba, transposed=True)},
            **{name: {"": way} for name, way in numba_everyday(numba, threads(), POINTS, BINS).items()},
            **numba_stencils(numba),
            **{name: {"ready output": way} for name, way in numba_fused(numba, threads()).items()},
        },
        lacks={"sort": "numba's sort is one thread's"},
    )


def _black_scholes(numba: Any) -> dict[str, Operation]:
    # Constants are float32: a Python float is a float64 here and would widen everything.
    one, half = np.float32(1), np.float32(0.5)
    slope, density = np.float32(SLOPE), np.float32(DENSITY)
    rate, v, drift = np.float32(RATE), np.float32(VOLATILITY), np.float32(DRIFT)
    c0, c1, c2, c3, c4 = (np.float32(value) for value in POLYNOMIAL)

    @numba.njit(fastmath=True, inline="always")  # type: ignore[untyped-decorator]
    def normal(d: Any) -> Any:
        k = one / (one + slope * abs(d))
        tail = density * np.exp(-half * d * d) * (k * (c0 + k * (c1 + k * (c2 + k * (c3 + k * c4)))))
        return one - tail if d > 0 else tail

    @numba.njit(parallel=True, fastmath=True)  # type: ignore[untyped-decorator]
    def prices_into(s: Any, k: Any, t: Any, call: Any, put: Any) -> None:
        for i in numba.prange(s.size):
            root = v * np.sqrt(t[i])
            d1 = (np.log(s[i] / k[i]) + drift * t[i]) / root
            p1, p2 = normal(d1), normal(d1 - root)
            discounted = k[i] * np.exp(-rate * t[i])
            call[i] = s[i] * p1 - discounted * p2
            put[i] = discounted * (one - p2) - s[i] * (one - p1)

    def prices(s: Any, k: Any, t: Any) -> tuple[Any, Any]:
        call, put = np.empty_like(s), np.empty_like(s)
        prices_into(s, k, t, call, put)
        return call, put

    ready: dict[int, tuple[Any, Any]] = {}

    def prices_ready(s: Any, k: Any, t: Any) -> tuple[Any, Any]:
        call, put = ready.get(s.size) or ready.setdefault(s.size, (np.zeros_like(s), np.zeros_like(s)))
        prices_into(s, k, t, call, put)
        return call, put

    return {"": prices, "ready output": prices_ready}


def _md(numba: Any, transposed: bool) -> Operation:
    one, cutoff, lj1, lj2 = np.float32(1), np.float32(CUTOFF_SQUARED), np.float32(LJ1), np.float32(LJ2)

    @numba.njit(parallel=True, fastmath=True)  # type: ignore[untyped-decorator]
    def md(x: Any, y: Any, z: Any, neighbours: Any) -> Any:
        fx, fy, fz = np.empty_like(x), np.empty_like(x), np.empty_like(x)
        count = neighbours.shape[0] if transposed else neighbours.shape[1]
        for i in numba.prange(x.size):
            tx, ty, tz = np.float32(0), np.float32(0), np.float32(0)
            for j in range(count):
                n = neighbours[j, i] if transposed else neighbours[i, j]
                dx, dy, dz = x[i] - x[n], y[i] - y[n], z[i] - z[n]
                squared = dx * dx + dy * dy + dz * dz
                if squared < cutoff:
                    inverse = one / squared
                    sixth = inverse * inverse * inverse
                    force = inverse * sixth * (lj1 * sixth - lj2)
                    tx += force * dx
                    ty += force * dy
                    tz += force * dz
            fx[i], fy[i], fz[i] = tx, ty, tz
        return fx, fy, fz

    def run(*arrays: Any) -> object:
        return md(*arrays)

    return run
