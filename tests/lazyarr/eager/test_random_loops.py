"""Random loops over a few small arrays, their views among them, against NumPy: nothing but time tells what is eager."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift

EXTENTS = (1, 2, 3, 5, 40)


class Loop:
    """Arrays and what they are to NumPy, and what is done to both."""

    def __init__(self, seed: int) -> None:
        self.rng = np.random.default_rng(seed)
        self.extent = int(self.rng.choice(EXTENTS))
        self.pool = [self.made(shape) for shape in ((self.extent,) * 2, (self.extent,)) * 3]
        self.jitted = lift.jit(lambda x, y: x * 2 + y)

    def made(self, shape):
        given = self.rng.standard_normal(shape)
        array = la.asarray(given.copy())
        return (array + 0 if self.rng.random() < 0.3 else array), given

    def two_alike(self):
        """One pair of the pool, and another of its shape."""
        a, x = self.pool[self.rng.integers(len(self.pool))]
        alike = [pair for pair in self.pool if pair[1].shape == x.shape]
        return a, x, *alike[self.rng.integers(len(alike))]

    def step(self):
        """What is made, if anything is."""
        a, x, b, y = self.two_alike()
        if not np.abs(x).max(initial=0) < 1e6:
            return self.made(x.shape)
        return STEPS[self.rng.integers(len(STEPS))](self, a, x, b, y)

    def put(self, pair):
        if pair is not None and pair[1].ndim:
            self.pool[self.rng.integers(len(self.pool))] = pair

    def check(self):
        for a, x in self.pool:
            assert (a.shape, a.dtype) == (x.shape, x.dtype)
            np.testing.assert_allclose(a, x, rtol=1e-8, atol=1e-8)


def _element(loop, a, x, b, y):
    if x.size:
        k, value = int(loop.rng.integers(len(x))), float(loop.rng.random())
        a[k] = value
        x[k] = value


def _in_place(loop, a, x, b, y):
    a += b
    x += y


def _scaled(loop, a, x, b, y):
    a *= 0.5
    x *= 0.5


def _whole(loop, a, x, b, y):
    a[...] = b
    x[...] = y


def _out(loop, a, x, b, y):
    la.add(a, b, out=a)
    np.add(x, y, out=x)


def _at(loop, a, x, b, y):
    if x.size:
        name = ("add", "maximum", "hypot", "subtract")[loop.rng.integers(4)]
        at, new = loop.rng.integers(-len(x), len(x), 5), loop.rng.standard_normal((5, *x.shape[1:]))
        getattr(la, name).at(a, la.asarray(at), la.asarray(new))
        getattr(np, name).at(x, at, new)


def _inverted(loop, a, x, b, y):
    if x.ndim == 2:
        n = len(x)
        return la.linalg.inv(a @ a.T + la.eye(n)), np.linalg.inv(x @ x.T + np.eye(n))
    return None


def _multiplied(loop, a, x, b, y):
    other = loop.pool[loop.rng.integers(len(loop.pool))]
    if x.shape[-1:] == other[1].shape[:1]:
        return (a @ other[0]) * 0.1, (x @ other[1]) * 0.1
    return None


def _stacked(loop, a, x, b, y):
    return la.stack([a, b, a])[-1], np.stack([x, y, x])[-1]


def _asked(loop, a, x, b, y):
    if abs(x.sum()) > 1e-6:
        assert bool(a.sum() > 0) == bool(x.sum() > 0)


STEPS = [
    _element, _in_place, _scaled, _whole, _out, _at, _inverted, _multiplied, _stacked, _asked,
    lambda loop, a, x, b, y: (a + b, x + y), lambda loop, a, x, b, y: (a * 0.5 - b, x * 0.5 - y),
    lambda loop, a, x, b, y: (a.T, x.T), lambda loop, a, x, b, y: (a[1:], x[1:]),
    lambda loop, a, x, b, y: (a[::-1], x[::-1]), lambda loop, a, x, b, y: (la.sort(a, axis=0), np.sort(x, axis=0)),
    lambda loop, a, x, b, y: (loop.jitted(a, b), x * 2 + y), lambda loop, a, x, b, y: (a.copy(), x.copy()),
    lambda loop, a, x, b, y: (la.abs(a) ** 0.5, np.abs(x) ** 0.5),
    lambda loop, a, x, b, y: (la.where(a > b, a, b), np.where(x > y, x, y)),
    lambda loop, a, x, b, y: (la.concat([a, b])[: len(x)], np.concatenate([x, y])[: len(x)]),
]  # fmt: skip


@pytest.mark.parametrize("seed", range(60))
def test_random_loops_are_numpys(seed):
    loop = Loop(seed)
    for _ in range(40):
        loop.put(loop.step())
        if loop.rng.random() < 0.15:
            loop.check()
    loop.check()
