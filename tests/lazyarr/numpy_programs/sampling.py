"""Monte Carlo, bootstrap, Cholesky sampling, shuffles, seeds: what holds for any generator."""

import numpy as np

rng = np.random.default_rng(42)
_points = rng.random((2000, 2))
_inside = np.hypot(*_points.T) <= 1.0
_pi = 4 * _inside.mean()
print("pi about 3.1:", abs(_pi - np.pi) < 0.2, _points.shape, _points.dtype)
_sample = rng.normal(5, 2, size=200)
_means = np.array([rng.choice(_sample, size=_sample.size, replace=True).mean() for _ in range(50)])
_low, _high = np.percentile(_means, [2.5, 97.5])
print("interval holds the mean:", _low < _sample.mean() < _high, bool(_high - _low < 2))
cov = np.array([[2.0, 0.6], [0.6, 1.0]])
L = np.linalg.cholesky(cov)
_draws = rng.standard_normal((4000, 2)) @ L.T + [1, -1]
print(L.round(4), np.abs(np.cov(_draws, rowvar=False) - cov).max() < 0.3, np.abs(_draws.mean(0) - [1, -1]).max() < 0.2)
np.random.seed(0)
_a = np.random.rand(3)
np.random.seed(0)
print(
    "seeded:", np.array_equal(_a, np.random.rand(3)), np.random.randn(2, 3).shape, np.random.randint(1, 7, 5).max() <= 6
)
_deck = np.arange(10)
rng.shuffle(_deck)
print(sorted(_deck.tolist()), np.sort(rng.permutation(6)), len(set(rng.choice(20, 5, replace=False).tolist())))
_walk = np.cumsum(rng.choice([-1, 1], size=(30, 100)), axis=1)
print(_walk.shape, np.all(np.abs(np.diff(_walk, axis=1)) == 1), (np.abs(_walk[:, -1]) % 2 == 0).all())
_dice = rng.integers(1, 7, size=(1000, 2)).sum(axis=1)
print(
    _dice.min() >= 2, _dice.max() <= 12, np.bincount(_dice, minlength=13)[:2], np.bincount(_dice).argmax() in (6, 7, 8)
)
print(np.random.choice(["a", "b"]) in "ab", np.random.uniform(-1, 1, 4).shape, np.random.normal(size=3).dtype)
_x = rng.multivariate_normal([0, 0], cov, size=7)
print(_x.shape, rng.exponential(2.0, 3).shape, rng.poisson(3, (2, 2)).dtype, rng.binomial(10, 0.5) <= 10)
