"""Steps of stencils in NumPy's style, as people write them: slices that are assigned to, `roll`, `pad`.

Arrays are float32. `xp` is a module with NumPy's functions whose arrays can be assigned to.
"""

from __future__ import annotations

from typing import Any

import numpy as np

STEPS = 4
"""Steps of the rows of several."""
FIFTH, SELF, NEAR = np.float32(0.2), np.float32(0.4), np.float32(0.1)


def line(xp: Any, u: Any) -> Any:
    """1-D Jacobi: the mean of three neighbours, the ends kept."""
    v = xp.asarray(u, copy=True)
    v[1:-1] = (u[:-2] + u[1:-1] + u[2:]) / np.float32(3)
    return v


def plane(xp: Any, u: Any) -> Any:
    """5 points in two dimensions, the border kept."""
    v = xp.asarray(u, copy=True)
    v[1:-1, 1:-1] = FIFTH * (u[1:-1, 1:-1] + u[1:-1, :-2] + u[1:-1, 2:] + u[:-2, 1:-1] + u[2:, 1:-1])
    return v


def space(xp: Any, u: Any) -> Any:
    """7 points in three dimensions, the border kept."""
    v = xp.asarray(u, copy=True)
    v[1:-1, 1:-1, 1:-1] = SELF * u[1:-1, 1:-1, 1:-1] + NEAR * (
        u[2:, 1:-1, 1:-1]
        + u[:-2, 1:-1, 1:-1]
        + u[1:-1, 2:, 1:-1]
        + u[1:-1, :-2, 1:-1]
        + u[1:-1, 1:-1, 2:]
        + u[1:-1, 1:-1, :-2]
    )
    return v


def periodic(xp: Any, u: Any) -> Any:
    """5 points in two dimensions, what leaves on one side comes back on the other."""
    return FIFTH * (u + xp.roll(u, 1, 0) + xp.roll(u, -1, 0) + xp.roll(u, 1, 1) + xp.roll(u, -1, 1))


def _padded(xp: Any, u: Any, mode: str) -> Any:
    p = xp.pad(u, 1, mode=mode)
    return FIFTH * (p[1:-1, 1:-1] + p[1:-1, :-2] + p[1:-1, 2:] + p[:-2, 1:-1] + p[2:, 1:-1])


def zero(xp: Any, u: Any) -> Any:
    """5 points in two dimensions, zeros around."""
    return _padded(xp, u, "constant")


def reflecting(xp: Any, u: Any) -> Any:
    """5 points in two dimensions, the array mirrored around."""
    return _padded(xp, u, "reflect")


def conv2d(x: Any, weights: Any) -> Any:
    """npbench's conv2d: images (N, H, W, C) and weights (K, K, C, D) give (N, H - K + 1, W - K + 1, D)."""
    k = weights.shape[0]
    h, w = x.shape[1] - k + 1, x.shape[2] - k + 1
    found = 0
    for i in range(k):
        for j in range(k):
            found = found + x[:, i : i + h, j : j + w, :] @ weights[i, j]
    return found


KEPT = {"line": line, "plane": plane, "space": space}
"""Steps with kept borders, by the names of their programs."""
AROUND = {"periodic": periodic, "zero": zero, "reflecting": reflecting}
"""Others."""


def repeated(step: Any, xp: Any, u: Any, steps: int) -> Any:
    """So many steps, in a loop."""
    for _ in range(steps):
        u = step(xp, u)
    return u
