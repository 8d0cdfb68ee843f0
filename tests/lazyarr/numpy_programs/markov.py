"""Markov chains: powers, stationary distributions, PageRank, absorbing states."""

import numpy as np

P = np.array([[0.9, 0.075, 0.025], [0.15, 0.8, 0.05], [0.25, 0.25, 0.5]])
np.testing.assert_almost_equal(P.sum(axis=1), np.ones(3))
print(np.linalg.matrix_power(P, 8).round(4))
state = np.array([1.0, 0, 0])
for _ in range(10):
    state = state @ P
_values, _vectors = np.linalg.eig(P.T)
stationary = np.real(_vectors[:, np.argmin(np.abs(_values - 1))])
stationary = stationary / stationary.sum()
print(stationary.round(4), np.allclose(stationary @ P, stationary), state.round(4))
A = np.vstack([P.T - np.eye(3), np.ones(3)])
print(np.allclose(np.linalg.lstsq(A, np.array([0, 0, 0, 1.0]), rcond=None)[0], stationary))
links = np.array([[0, 1, 1, 0], [0, 0, 1, 0], [1, 0, 0, 1], [0, 0, 1, 0]], dtype=float)
M = (links / links.sum(axis=1, keepdims=True)).T
rank = np.ones(4) / 4
for iteration in range(100):
    new = 0.85 * M @ rank + 0.15 / 4
    if np.abs(new - rank).sum() < 1e-3:
        break
    rank = new
print("pagerank", rank.round(3), "order", np.argsort(-rank), iteration)
Q, R = np.array([[0, 0.5], [0.5, 0]]), np.array([[0.5, 0], [0, 0.5]])
N = np.linalg.inv(np.identity(2) - Q)
print(N @ R, N.sum(1), np.linalg.det(N).round(6), np.linalg.solve(np.eye(2) - Q, R))
entropy = -np.sum(stationary[:, None] * P * np.log2(P))
print(f"entropy rate {entropy:.4f}", np.kron(np.eye(2, dtype=int), np.array([[1, 2]])))
