"""Linear algebra by hand against np.linalg: Gram-Schmidt, Jacobi, power iteration, LU, determinants."""

import numpy as np


def gram_schmidt(A):
    Q = np.zeros_like(A)
    for k in range(A.shape[1]):
        v = A[:, k].copy()
        for j in range(k):
            v -= np.dot(Q[:, j], A[:, k]) * Q[:, j]
        Q[:, k] = v / np.linalg.norm(v)
    return Q, Q.T @ A


A = np.array([[4.0, 1, 0], [1, 3, 1], [0, 1, 2]])
b = np.array([1.0, 2, 3])
Q, R = gram_schmidt(A)
q, r = np.linalg.qr(A)
print(
    np.allclose(Q @ R, A),
    np.allclose(np.abs(q), np.abs(Q)),
    np.allclose(np.tril(R, -1), 0),
    np.abs(np.diag(r)).round(4),
)
x = np.zeros_like(b)
D = np.diag(A)
rest = A - np.diagflat(D)
for _ in range(30):
    x = (b - rest @ x) / D
print(np.round(x, 4), np.linalg.solve(A, b).round(4), np.linalg.norm(A @ x - b) < 1e-4)
v = np.ones(3) / np.sqrt(3)
for _ in range(25):
    v = A @ v
    v /= np.linalg.norm(v)
print("largest", (v @ A @ v).round(5), np.linalg.eigvalsh(A)[-1].round(5))
L = np.linalg.cholesky(A)
print(L.round(3), np.prod(np.diag(L)) ** 2, np.linalg.det(A).round(6), np.linalg.slogdet(A)[1].round(6))
U = A.copy()
lower = np.eye(3)
for i in range(3):
    for j in range(i + 1, 3):
        lower[j, i] = U[j, i] / U[i, i]
        U[j, i:] -= lower[j, i] * U[i, i:]
print(
    np.allclose(lower @ U, A),
    U.round(3),
    np.linalg.norm(A, "fro").round(4),
    np.linalg.norm(A, np.inf),
    np.linalg.norm(b, 1),
)
try:
    np.linalg.inv(np.zeros((2, 2)))
except np.linalg.LinAlgError as error:
    print("singular:", error)
try:
    np.ones((2, 3)) @ np.ones((2, 3))
except ValueError:
    print("shapes do not fit")
u, s, vt = np.linalg.svd(np.arange(6.0).reshape(2, 3))
print(u.shape, s.round(4), vt.shape, np.linalg.pinv(np.arange(6.0).reshape(2, 3)).shape, np.linalg.multi_dot([A, A, b]))
result = np.linalg.eigh(A)
print(result.eigenvalues.round(4), np.vdot(b, b), np.outer(b, b)[2], np.cross([1, 0, 0], [0, 1, 0]), np.linalg.trace(A))
