"""Principal components by eigh and by SVD agree."""

import numpy as np

np.set_printoptions(precision=3, suppress=True)
i = np.arange(24.0)
X = np.c_[np.sin(i), 2 * np.sin(i) + 0.1 * np.cos(3 * i), i % 5]
Xc = X - X.mean(axis=0)
cov = np.cov(Xc.T)
values, vectors = np.linalg.eigh(cov)
order = np.argsort(values)[::-1]
values, vectors = values[order], vectors[:, order]
for k in range(vectors.shape[1]):
    if vectors[np.abs(vectors[:, k]).argmax(), k] < 0:
        vectors[:, k] *= -1
scores = Xc @ vectors[:, :2]
U, S, Vt = np.linalg.svd(Xc, full_matrices=False)
print("explained:", values / values.sum())
print("singular values agree:", np.allclose(S**2 / (len(X) - 1), values))
print("orthonormal:", np.allclose(vectors.T @ vectors, np.eye(3)))
print("reconstruction error:", round(float(np.linalg.norm(Xc - scores @ vectors[:, :2].T)), 6))
print(np.abs(np.corrcoef(scores, rowvar=False)) > 0.999)
print(np.allclose(np.abs(Vt), np.abs(vectors.T)), U.shape, np.linalg.matrix_rank(Xc))
np.set_printoptions(precision=8, suppress=False)
