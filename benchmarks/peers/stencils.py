"""The stencils of the suite "tiles" in other libraries."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from benchmarks.peers.peer import Operation
from benchmarks.stencils import AROUND, FIFTH, KEPT, NEAR, SELF, STEPS, conv2d, repeated

Ways = dict[str, dict[str, Operation]]


def numpy_stencils() -> Ways:
    """The same functions."""
    steps = {**KEPT, **AROUND}
    found: Ways = {f"{name} x {n}": {"": _looped(step, np, n)} for name, step in steps.items() for n in (1, STEPS)}
    return {**found, "conv2d": {"": conv2d}}


def _looped(step: Any, xp: Any, steps: int) -> Operation:
    return lambda u: repeated(step, xp, u, steps)


def jax_stencils(jax: Any) -> Ways:
    """The same formulas, jitted as a whole; what is assigned becomes `.at[..].set`."""
    jnp = jax.numpy

    class Assigned:
        """An array of JAX's that slices of are assigned to."""

        def __init__(self, x: Any) -> None:
            self.x = x

        def __setitem__(self, key: Any, value: Any) -> None:
            self.x = self.x.at[key].set(value)

    class Module:
        """JAX's functions, and copies that can be assigned to."""

        roll, pad = staticmethod(jnp.roll), staticmethod(jnp.pad)

        @staticmethod
        def asarray(x: Any, copy: bool) -> Any:
            return Assigned(x)

    def steps_of(step: Any, n: int) -> Operation:
        def run(u: Any) -> Any:
            for _ in range(n):
                v = step(Module, u)
                u = v.x if isinstance(v, Assigned) else v
            return u

        compiled: Operation = jax.jit(run)
        return compiled

    def convolution(x: Any, weights: Any) -> Any:
        return jax.lax.conv_general_dilated(
            x, weights, (1, 1), "VALID", dimension_numbers=("NHWC", "HWIO", "NHWC"),
            precision=jax.lax.Precision.HIGHEST,
        )  # fmt: skip

    steps = {**KEPT, **AROUND}
    found: Ways = {f"{name} x {n}": {"": steps_of(step, n)} for name, step in steps.items() for n in (1, STEPS)}
    return {**found, "conv2d": {"": jax.jit(convolution), "slices": jax.jit(conv2d)}}


def numba_stencils(numba: Any) -> Ways:
    """Parallel loops, a step each, that write into ready outputs in turns; borders are written in the same loops."""
    parallel = numba.njit(parallel=True, fastmath=True)
    serial = numba.njit(fastmath=True)
    one, three, fifth, self, near = np.float32(1), np.float32(3), FIFTH, SELF, NEAR

    def line(u: Any, v: Any) -> None:
        n = u.size
        v[0], v[n - 1] = u[0], u[n - 1]
        for i in numba.prange(1, n - 1):
            v[i] = (u[i - 1] + u[i] + u[i + 1]) / three

    def plane(u: Any, v: Any) -> None:
        n, m = u.shape
        for i in numba.prange(n):
            if i in (0, n - 1):
                for j in range(m):
                    v[i, j] = u[i, j]
            else:
                v[i, 0], v[i, m - 1] = u[i, 0], u[i, m - 1]
                for j in range(1, m - 1):
                    v[i, j] = fifth * (u[i, j] + u[i, j - 1] + u[i, j + 1] + u[i - 1, j] + u[i + 1, j])

    def space(u: Any, v: Any) -> None:
        n, m, o = u.shape
        for i in numba.prange(n):
            for j in range(m):
                if i in (0, n - 1) or j in (0, m - 1):
                    for k in range(o):
                        v[i, j, k] = u[i, j, k]
                else:
                    v[i, j, 0], v[i, j, o - 1] = u[i, j, 0], u[i, j, o - 1]
                    for k in range(1, o - 1):
                        around = u[i + 1, j, k] + u[i - 1, j, k] + u[i, j + 1, k] + u[i, j - 1, k]
                        v[i, j, k] = self * u[i, j, k] + near * (around + u[i, j, k + 1] + u[i, j, k - 1])

    def bordered(above: Callable[[int, int], int], below: Callable[[int, int], int], weight: int) -> Any:
        """5 points, with neighbours beyond a border at other places, or of no weight."""
        first, last, edge = serial(above), serial(below), np.float32(weight)

        def step(u: Any, v: Any) -> None:
            n, m = u.shape
            for i in numba.prange(n):
                up = i - 1 if i > 0 else first(i, n)
                down = i + 1 if i < n - 1 else last(i, n)
                a = one if i > 0 else edge
                b = one if i < n - 1 else edge
                for j in range(1, m - 1):
                    v[i, j] = fifth * (u[i, j] + u[i, j - 1] + u[i, j + 1] + a * u[up, j] + b * u[down, j])
                left, right, j = first(0, m), last(m - 1, m), m - 1
                v[i, 0] = fifth * (u[i, 0] + edge * u[i, left] + u[i, 1] + a * u[up, 0] + b * u[down, 0])
                v[i, j] = fifth * (u[i, j] + u[i, j - 1] + edge * u[i, right] + a * u[up, j] + b * u[down, j])

        return step

    def convolution(x: Any, weights: Any, out: Any) -> None:
        n, h, w, d = out.shape
        k, c = weights.shape[0], weights.shape[2]
        for row in numba.prange(n * h):
            b, i = row // h, row % h
            for j in range(w):
                out[b, i, j, :] = 0
                for p in range(k):
                    for q in range(k):
                        for r in range(c):
                            value = x[b, i + p, j + q, r]
                            for s in range(d):
                                out[b, i, j, s] += value * weights[p, q, r, s]

    convolved = parallel(convolution)
    images: dict[Any, Any] = {}

    def conv2d_ready(x: Any, weights: Any) -> Any:
        k = weights.shape[0]
        shape = (x.shape[0], x.shape[1] - k + 1, x.shape[2] - k + 1, weights.shape[3])
        out = images.setdefault(shape, np.zeros(shape, np.float32))
        convolved(x, weights, out)
        return out

    steps = {
        "line": line,
        "plane": plane,
        "space": space,
        "periodic": bordered(lambda i, n: n - 1, lambda i, n: 0, 1),
        "zero": bordered(lambda i, n: 0, lambda i, n: 0, 0),
        "reflecting": bordered(lambda i, n: 1, lambda i, n: n - 2, 1),
    }
    found: Ways = {}
    for name, step in steps.items():
        ways = {"ready output": parallel(step), "ready output, 1 thread": serial(step)}
        for n in (1, STEPS):
            found[f"{name} x {n}"] = {label: partial(_in_turns, loop, n, {}) for label, loop in ways.items()}
    return {**found, "conv2d": {"ready output": conv2d_ready}}


def _in_turns(step: Any, steps: int, ready: dict[Any, Any], u: Any) -> Any:
    """So many steps, into two arrays in turns that are made once for each shape."""
    pair = ready.get(u.shape)
    if pair is None:
        pair = ready[u.shape] = (np.zeros_like(u), np.zeros_like(u))
    for i in range(steps):
        step(u, pair[i % 2])
        u = pair[i % 2]
    return u
