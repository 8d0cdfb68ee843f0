"""The suite "fusion" in numba's loops, with ready outputs, and numexpr's expressions."""

from __future__ import annotations

from typing import Any

import numpy as np

from benchmarks.formulas import ALPHA, BETA
from benchmarks.peers.peer import Array, Operation, Ready

NUMEXPR_FUSED = {
    "sscal": ("al * a", 1),
    "madd": ("a + b", 2),
    "vadd": ("a + b + c", 3),
    "waxpby": ("al * a + be * b", 2),
}
"""Expressions of so many arrays; constants are float32, as a written one would widen everything."""


def numexpr_fused(numexpr: Any) -> dict[str, Operation]:
    """The suite's element-wise programs, into ready outputs."""

    def bound(text: str, count: int) -> Operation:
        ready = Ready()

        def run(*arrays: Array) -> object:
            values = dict(zip("abc"[:count], arrays, strict=True)) | {"al": np.float32(ALPHA), "be": np.float32(BETA)}
            out = ready.like(arrays[0], arrays[0].shape)
            return numexpr.evaluate(text, local_dict=values, global_dict={}, out=out)

        return run

    return {name: bound(text, count) for name, (text, count) in NUMEXPR_FUSED.items()}


def numba_fused(numba: Any, threads: int) -> dict[str, Operation]:
    """The sequences in parallel loops. What is summed over rows has a part for each thread, which are added up."""
    parallel = numba.njit(parallel=True, fastmath=True)
    alpha, beta, one = np.float32(ALPHA), np.float32(BETA), np.float32(1)

    @parallel  # type: ignore[untyped-decorator]  # numba has no types
    def axpydot(w: Any, v: Any, u: Any, z: Any) -> Any:
        total = np.float32(0)
        for i in numba.prange(w.size):
            value = w[i] - alpha * v[i]
            z[i] = value
            total += value * u[i]
        return total

    @parallel  # type: ignore[untyped-decorator]
    def rows_and_columns(a: Any, p: Any, r: Any, q: Any, s: Any, parts: Any, both: Any) -> None:
        """q = A p, and s = A^T r; A^T q where both is False. A is read once, or a row again while it is near."""
        rows, columns = a.shape
        share = (rows + parts.shape[0] - 1) // parts.shape[0]
        for t in numba.prange(parts.shape[0]):
            own = parts[t]
            own[:] = 0
            for i in range(t * share, min(rows, (t + 1) * share)):
                total = np.float32(0)
                for j in range(columns):
                    total += a[i, j] * p[j]
                q[i] = total
                factor = r[i] if both else total
                for j in range(columns):
                    own[j] += a[i, j] * factor
        for j in numba.prange(columns):
            total = np.float32(0)
            for t in range(parts.shape[0]):
                total += parts[t, j]
            s[j] = total

    @parallel  # type: ignore[untyped-decorator]
    def products(a: Any, x: Any, y: Any, f: Any, g: Any, out: Any) -> None:
        for i in numba.prange(a.shape[0]):
            total = np.float32(0)
            for j in range(a.shape[1]):
                total += a[i, j] * x[j]
            out[i] = f * total + g * y[i]

    @parallel  # type: ignore[untyped-decorator]
    def columns_of(a: Any, y: Any, z: Any, out: Any, parts: Any) -> None:
        rows, columns = a.shape
        share = (rows + parts.shape[0] - 1) // parts.shape[0]
        for t in numba.prange(parts.shape[0]):
            own = parts[t]
            own[:] = 0
            for i in range(t * share, min(rows, (t + 1) * share)):
                for j in range(columns):
                    own[j] += a[i, j] * y[i]
        for j in numba.prange(columns):
            total = np.float32(0)
            for t in range(parts.shape[0]):
                total += parts[t, j]
            out[j] = beta * total + z[j]

    @parallel  # type: ignore[untyped-decorator]
    def updated(a: Any, u1: Any, v1: Any, u2: Any, v2: Any, y: Any, z: Any, b: Any, out: Any, parts: Any) -> None:
        rows, columns = a.shape
        share = (rows + parts.shape[0] - 1) // parts.shape[0]
        for t in numba.prange(parts.shape[0]):
            own = parts[t]
            own[:] = 0
            for i in range(t * share, min(rows, (t + 1) * share)):
                for j in range(columns):
                    value = a[i, j] + u1[i] * v1[j] + u2[i] * v2[j]
                    b[i, j] = value
                    own[j] += value * y[i]
        for j in numba.prange(columns):
            total = np.float32(0)
            for t in range(parts.shape[0]):
                total += parts[t, j]
            out[j] = beta * total + z[j]

    @parallel  # type: ignore[untyped-decorator]
    def gesummv_into(a: Any, b: Any, x: Any, out: Any) -> None:
        for i in numba.prange(a.shape[0]):
            first, second = np.float32(0), np.float32(0)
            for j in range(a.shape[1]):
                first += a[i, j] * x[j]
                second += b[i, j] * x[j]
            out[i] = alpha * first + beta * second

    @parallel  # type: ignore[untyped-decorator]
    def sum_into(x: Any, y: Any, z: Any, f: Any, g: Any, h: Any, out: Any) -> None:
        for i in numba.prange(x.size):
            out[i] = f * x[i] + g * y[i] + h * z[i]

    @parallel  # type: ignore[untyped-decorator]
    def scaled_into(x: Any, y: Any, f: Any, g: Any, out: Any) -> None:
        for i in numba.prange(x.size):
            out[i] = f * x[i] + g * y[i]

    @parallel  # type: ignore[untyped-decorator]
    def scal_into(x: Any, f: Any, out: Any) -> None:
        for i in numba.prange(x.size):
            out[i] = f * x[i]

    @parallel  # type: ignore[untyped-decorator]
    def softmax_into(x: Any, out: Any) -> None:
        for i in numba.prange(x.shape[0]):
            most, total = x[i, 0], np.float32(0)
            for j in range(x.shape[1]):
                most = max(most, x[i, j])
            for j in range(x.shape[1]):
                out[i, j] = np.exp(x[i, j] - most)
                total += out[i, j]
            inverse = one / total
            for j in range(x.shape[1]):
                out[i, j] *= inverse

    @parallel  # type: ignore[untyped-decorator]
    def moments_into(x: Any, means: Any, variances: Any) -> None:
        count = np.float32(x.shape[1])
        for i in numba.prange(x.shape[0]):
            total, squares = np.float32(0), np.float32(0)
            for j in range(x.shape[1]):
                total += x[i, j]
            for j in range(x.shape[1]):
                squares += (x[i, j] - total / count) ** 2
            means[i], variances[i] = total / count, squares / count

    ready = Ready()

    def new(name: str, x: Any, *shape: int) -> Any:
        return ready.like(x, shape, name)

    def run_axpydot(w: Any, v: Any, u: Any) -> object:
        z = new("z", w, w.size)
        return z, axpydot(w, v, u, z)

    def run_bicgk(a: Any, p: Any, r: Any) -> object:
        q, s, parts = new("q", a, a.shape[0]), new("s", a, a.shape[1]), new("parts", a, threads, a.shape[1])
        rows_and_columns(a, p, r, q, s, parts, True)
        return q, s

    def run_atax(a: Any, x: Any) -> object:
        q, s, parts = new("q", a, a.shape[0]), new("s", a, a.shape[1]), new("parts", a, threads, a.shape[1])
        rows_and_columns(a, x, q, q, s, parts, False)
        return s

    def run_sgemv(a: Any, x: Any, y: Any) -> object:
        out = new("q", a, a.shape[0])
        products(a, x, y, alpha, beta, out)
        return out

    def run_sgemvt(a: Any, y: Any, z: Any) -> object:
        x, w, parts = new("x", a, a.shape[1]), new("w", a, a.shape[0]), new("parts", a, threads, a.shape[1])
        columns_of(a, y, z, x, parts)
        products(a, x, y, alpha, np.float32(0), w)
        return x, w

    def run_gemver(a: Any, u1: Any, v1: Any, u2: Any, v2: Any, y: Any, z: Any) -> object:
        b, x, w = new("b", a, *a.shape), new("x", a, a.shape[1]), new("w", a, a.shape[0])
        updated(a, u1, v1, u2, v2, y, z, b, x, new("parts", a, threads, a.shape[1]))
        products(b, x, y, alpha, np.float32(0), w)
        return b, x, w

    def run_gesummv(a: Any, b: Any, x: Any) -> object:
        out = new("q", a, a.shape[0])
        gesummv_into(a, b, x, out)
        return out

    def run_madd(a: Any, b: Any) -> object:
        out = new("b", a, *a.shape)
        scaled_into(a.reshape(-1), b.reshape(-1), one, one, out.reshape(-1))
        return out

    def run_vadd(w: Any, y: Any, z: Any) -> object:
        out = new("z", w, w.size)
        sum_into(w, y, z, one, one, one, out)
        return out

    def run_waxpby(x: Any, y: Any) -> object:
        out = new("z", x, x.size)
        scaled_into(x, y, alpha, beta, out)
        return out

    def run_sscal(x: Any) -> object:
        out = new("z", x, x.size)
        scal_into(x, alpha, out)
        return out

    def run_softmax(x: Any) -> object:
        out = new("b", x, *x.shape)
        softmax_into(x, out)
        return out

    def run_moments(x: Any) -> object:
        means, variances = new("q", x, x.shape[0]), new("w", x, x.shape[0])
        moments_into(x, means, variances)
        return means, variances

    return {
        "axpydot": run_axpydot, "atax": run_atax, "bicgk": run_bicgk, "sgemv": run_sgemv, "sgemvt": run_sgemvt,
        "sscal": run_sscal, "gemver": run_gemver, "gesummv": run_gesummv, "madd": run_madd, "vadd": run_vadd,
        "waxpby": run_waxpby, "softmax rows": run_softmax, "moments rows": run_moments,
    }  # fmt: skip
