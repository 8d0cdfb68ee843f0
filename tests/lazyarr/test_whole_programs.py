"""Small programs of ten kinds as they are written for NumPy, run with NumPy and with lazyarr in its place."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config


@pytest.fixture(autouse=True)
def _untuned():
    before = config.configure()
    config.configure(tune="off")
    yield
    config.configure(tune=before.tune)


def filter_of_an_image(m):
    image = m.array(np.random.default_rng(0).integers(0, 256, size=(11, 13)).astype(np.uint8))
    kernel = m.array([[1, 2, 1], [2, 4, 2], [1, 2, 1]]) / 16
    framed = m.pad(image.astype(float), 1, mode="edge")
    out = m.zeros_like(image, dtype=float)
    for i in range(3):
        for j in range(3):
            out += kernel[i, j] * framed[i : i + image.shape[0], j : j + image.shape[1]]
    blurred = m.clip(m.rint(out), a_min=0, a_max=255).astype(m.uint8)
    counts, edges = m.histogram(image, bins=8, range=(0, 256))
    return blurred, m.interp(image.ravel(), edges[:-1], counts.cumsum() / counts.sum() * 255).reshape(image.shape)


def k_means(m):
    rng = np.random.default_rng(1)
    points = m.array(np.concatenate([rng.normal(c, 0.5, (8, 2)) for c in ((0, 0), (4, 4))]))
    centres = points[[0, 8]].copy()
    for _ in range(2):
        labels = m.argmin(m.linalg.norm(points[:, m.newaxis] - centres, axis=2), axis=1)
        centres = m.array([points[labels == k].mean(axis=0) for k in range(2)])
    return centres, labels, m.bincount(labels, minlength=3)


def game_of_life(m):
    board = m.zeros((7, 8), dtype=int)
    for row, column in [(0, 1), (1, 2), (2, 0), (2, 1), (2, 2)]:
        board[row, column] = 1
    for _ in range(2):
        near = sum(m.roll(m.roll(board, y, 0), x, 1) for y in (-1, 0, 1) for x in (-1, 0, 1) if (y, x) != (0, 0))
        board = ((near == 3) | ((board == 1) & (near == 2))).astype(int)
    return board, "\n".join("".join(".#"[cell] for cell in row) for row in board)


def principal_components(m):
    rng = np.random.default_rng(2)
    x = m.asarray(rng.normal(size=(17, 3)) @ rng.normal(size=(3, 3)))
    z = (x - x.mean(axis=0)) / x.std(axis=0, ddof=1)
    c = m.cov(z, rowvar=False)
    values, vectors = m.linalg.eigh(c)
    order = m.argsort(values)[::-1]
    vectors = vectors[:, order] * m.sign(vectors[:, order][0])
    kept = int(m.searchsorted(m.cumsum(values[order] / c.trace()), 0.9) + 1)
    return values[order], c.trace(), kept, z.dot(vectors[:, :kept])


def factors_with_pivots(m):
    start = m.array(np.random.default_rng(3).normal(size=(4, 4)))
    a, n = start.copy(), 4
    pivots, lower = m.arange(n), m.eye(n)
    for k in range(n - 1):
        p = k + int(m.argmax(m.abs(a[k:, k])))
        a[[k, p]] = a[[p, k]]
        pivots[[k, p]] = pivots[[p, k]]
        lower[[k, p], :k] = lower[[p, k], :k]
        lower[k + 1 :, k] = a[k + 1 :, k] / a[k, k]
        a[k + 1 :, k:] -= m.outer(lower[k + 1 :, k], a[k, k:])
    upper = m.triu(a)
    b, y = m.ones(n), m.zeros(n)
    for i in range(n):
        y[i] = b[pivots[i]] - lower[i, :i] @ y[:i]
    return lower, upper, pivots, y, m.allclose(lower @ upper, start[pivots])


def backtracking(m):
    """Latin squares: the first that fits."""
    grid = m.array([[1, 2, 3, 4], [3, 0, 1, 2], [2, 1, 0, 3], [4, 3, 2, 0]])

    def solved() -> bool:
        empty = m.argwhere(grid == 0)
        if len(empty) == 0:
            return True
        row, column = empty[0]
        for value in range(1, 5):
            if value not in grid[row] and value not in grid[:, column]:
                grid[row, column] = value
                if solved():
                    return True
                grid[row, column] = 0
        return False

    return solved(), grid


def letters_of_a_text(m):
    codes = m.frombuffer(b"the quick brown fox jumps over the lazy dog", dtype=m.uint8)
    counts = m.bincount(codes, minlength=128)
    letters = m.flatnonzero(counts)
    often = letters[m.argsort(-counts[letters], kind="stable")]
    values, inverse, number = m.unique(codes, return_inverse=True, return_counts=True)
    pairs = m.zeros((len(values), len(values)), dtype=int)
    m.add.at(pairs, (inverse[:-1], inverse[1:]), 1)
    p = number / number.sum()
    return [(chr(c), int(counts[c])) for c in often[:3]], pairs, f"{-(p * m.log2(p)).sum():.3f}"


def random_walks(m):
    steps = m.asarray(np.random.default_rng(4).choice([-1, 1], size=(9, 50)))
    walks = steps.cumsum(axis=1)
    hit = m.abs(walks) >= 5
    first = hit[hit.any(axis=1)].argmax(axis=1)
    return first, m.percentile(walks[:, -1], [5, 50, 95]), (walks == 0).sum(1), (walks**2).mean(axis=0)


def filter_of_frequencies(m):
    t = m.arange(0, 1, 1 / 64)
    x = m.sin(2 * m.pi * 5 * t) + 0.5 * m.sin(2 * m.pi * 20 * t)
    spectrum, f = m.fft.rfft(x), m.fft.rfftfreq(len(x), d=1 / 64)
    spectrum[f > 10] = 0
    window = m.hanning(7)
    window /= window.sum()
    return m.fft.irfft(spectrum, n=len(x)), m.convolve(x, window, mode="same"), m.unwrap(m.angle(m.exp(10j * m.pi * t)))


def escape_times(m):
    y, x = m.ogrid[-1.4:1.4:5j, -2:0.8:7j]
    c = x + y * 1j
    z, times = c, 4 + m.zeros(c.shape, dtype=int)
    for i in range(3):
        z = z**2 + c
        away = (z * m.conj(z)).real > 2**2
        times[away & (times == 4)] = i
        z[away] = 2
    return times, m.unique(times, return_counts=True)


def step_of_a_network(m):
    rng = np.random.default_rng(5)
    x, y = m.array([[0.0, 0], [0, 1], [1, 0], [1, 1]]), m.array([[0], [1], [1], [0]])
    w1, b1, w2 = m.array(rng.normal(size=(2, 5))), m.zeros((1, 5)), m.array(rng.normal(size=(5, 1)))
    for _ in range(2):
        h = m.tanh(x @ w1 + b1)
        p = 1 / (1 + m.exp(-(h @ w2)))
        loss = -m.mean(y * m.log(p) + (1 - y) * m.log(1 - p))
        d = (p - y) / len(x)
        dh = d @ w2.T * (1 - h**2)
        for weights, slope in ((w1, x.T @ dh), (b1, dh.sum(axis=0, keepdims=True)), (w2, h.T @ d)):
            weights -= 0.5 * slope
    return loss, w1, b1, w2, (p > 0.5).astype(int).squeeze()


PROGRAMS = [
    filter_of_an_image, k_means, game_of_life, principal_components, factors_with_pivots, backtracking,
    letters_of_a_text, random_walks, filter_of_frequencies, escape_times, step_of_a_network,
]  # fmt: skip


def compare(own: Any, theirs: Any) -> None:
    if isinstance(theirs, (tuple, list)):
        assert len(own) == len(theirs)
        for a, b in zip(own, theirs, strict=True):
            compare(a, b)
    elif isinstance(theirs, str):
        assert own == theirs
    else:
        a, b = np.asarray(own), np.asarray(theirs)
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a, b, rtol=1e-9, atol=1e-9)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda f: f.__name__)
def test_a_program_is_numpys(program):
    compare(program(la), program(np))
