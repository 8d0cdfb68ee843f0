"""The suite "numpy" in numba's loops and numexpr's expressions."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.idioms import SOUGHT
from benchmarks.peers.peer import Array, Operation

BLOCK = 64
"""Rows and columns of a block of a transposition: two of them lie in the first cache."""


def numexpr_everyday(numexpr: Any) -> dict[str, Operation]:
    """The suite's element-wise chain; half is a float32, as a written one would widen everything."""
    text = "exp(-(x * x)) * sqrt(abs(y)) + half * where(x > y, x, y)"

    def chain(x: Array, y: Array) -> object:
        return numexpr.evaluate(text, local_dict={"x": x, "y": y, "half": np.float32(0.5)}, global_dict={})

    return {"chain": chain}


NUMEXPR_LACKS = {
    "softmax": "numexpr fuses no reductions along rows",
    "moments": "numexpr has no means and variances",
    "argmin": "numexpr has no argmin",
    "cumulative sum": "numexpr has no cumulative sums",
    "sort": "numexpr sorts nothing",
    "transpose": "numexpr moves nothing",
    "histogram": "numexpr has no histograms",
    "members": "numexpr searches nothing",
    "pi": "numexpr has no random numbers",
    "standardise": "numexpr has no means",
}


def numba_everyday(numba: Any, threads: int, points: int, bins: int) -> dict[str, Operation]:
    """The suite in parallel loops; a cumulative sum is one loop, since each step waits for the one before."""
    parallel = numba.njit(parallel=True, fastmath=True)
    half = np.float32(0.5)

    @parallel  # type: ignore[untyped-decorator]  # numba has no types
    def chain(x: Any, y: Any) -> Any:
        out = np.empty_like(x)
        for i in numba.prange(x.shape[0]):
            for j in range(x.shape[1]):
                a, b = x[i, j], y[i, j]
                out[i, j] = np.exp(-(a * a)) * np.sqrt(abs(b)) + half * (a if a > b else b)
        return out

    @parallel  # type: ignore[untyped-decorator]
    def softmax(x: Any) -> Any:
        out = np.empty_like(x)
        for i in numba.prange(x.shape[0]):
            most = x[i, 0]
            for j in range(x.shape[1]):
                most = max(most, x[i, j])
            total = np.float32(0)
            for j in range(x.shape[1]):
                e = np.exp(x[i, j] - most)
                out[i, j] = e
                total += e
            for j in range(x.shape[1]):
                out[i, j] /= total
        return out

    @parallel  # type: ignore[untyped-decorator]
    def moments(x: Any) -> Any:
        means, variances = np.empty(x.shape[0], np.float32), np.empty(x.shape[0], np.float32)
        count = np.float32(x.shape[1])
        for i in numba.prange(x.shape[0]):
            total, squares = np.float32(0), np.float32(0)
            for j in range(x.shape[1]):
                total += x[i, j]
            mean = total / count
            for j in range(x.shape[1]):
                squares += (x[i, j] - mean) ** 2
            means[i], variances[i] = mean, squares / count
        return means, variances

    @parallel  # type: ignore[untyped-decorator]
    def argmin(x: Any) -> Any:
        found = np.empty(threads, np.int64)
        share = (x.size + threads - 1) // threads
        for t in numba.prange(threads):
            best = min(t * share, x.size - 1)
            for i in range(best, min(x.size, (t + 1) * share)):
                if x[i] < x[best]:
                    best = i
            found[t] = best
        best = found[0]
        for t in range(1, threads):
            if x[found[t]] < x[best]:
                best = found[t]
        return best

    @numba.njit(fastmath=True)  # type: ignore[untyped-decorator]
    def cumulative_sum(x: Any) -> Any:
        out = np.empty_like(x)
        total = np.float32(0)
        for i in range(x.size):
            total += x[i]
            out[i] = total
        return out

    @parallel  # type: ignore[untyped-decorator]
    def transpose(x: Any) -> Any:
        rows, columns = x.shape
        out = np.empty((columns, rows), x.dtype)
        for block in numba.prange((columns + BLOCK - 1) // BLOCK):
            for begin in range(0, rows, BLOCK):
                for j in range(block * BLOCK, min(columns, (block + 1) * BLOCK)):
                    for i in range(begin, min(rows, begin + BLOCK)):
                        out[j, i] = x[i, j]
        return out

    @parallel  # type: ignore[untyped-decorator]
    def histogram(x: Any) -> Any:
        tables = np.zeros((threads, bins), np.int64)
        share = (x.size + threads - 1) // threads
        for t in numba.prange(threads):
            for i in range(t * share, min(x.size, (t + 1) * share)):
                v = x[i]
                if 0 <= v <= 1:
                    tables[t, min(bins - 1, int(v * bins))] += 1
        return tables.sum(axis=0)

    sought = np.array(SOUGHT, np.int32)

    @parallel  # type: ignore[untyped-decorator]
    def members(x: Any) -> Any:
        out = np.empty(x.size, np.bool_)
        for i in numba.prange(x.size):
            found = False
            for each in sought:
                found = found or x[i] == each
            out[i] = found
        return out

    @parallel  # type: ignore[untyped-decorator]
    def pi(seed: Any) -> Any:
        count = 0
        for _ in numba.prange(points):
            a, b = np.random.random(), np.random.random()  # numba's generators in a parallel loop
            if a * a + b * b < 1:
                count += 1
        return 4 * count / points

    @numba.njit(fastmath=True)  # type: ignore[untyped-decorator]
    def standardise(x: Any) -> Any:
        total, squares = np.float32(0), np.float32(0)
        for v in x:
            total += v
        mean = total / np.float32(x.size)
        for v in x:
            squares += (v - mean) ** 2
        return (x - mean) / np.sqrt(squares / np.float32(x.size))

    return {
        "chain": chain, "softmax": softmax, "moments": moments, "argmin": argmin, "cumulative sum": cumulative_sum,
        "transpose": transpose, "histogram": histogram, "members": members, "pi": pi, "standardise": standardise,
    }  # fmt: skip
