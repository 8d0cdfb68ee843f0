"""Linear and logistic regression by gradient descent, and the closed form."""

import numpy as np


def add_bias(x):
    return np.hstack([np.ones((x.shape[0], 1)), x])


x = np.linspace(-1, 1, 21).reshape(-1, 1)
y = 3 * x[:, 0] - 0.5 + 0.1 * np.cos(9 * x[:, 0])
A = add_bias(x)
w = np.zeros(A.shape[1])
history = []
for epoch in range(40):
    error = A.dot(w) - y
    w -= 0.5 * A.T.dot(error) / len(y)
    history.append((error**2).mean())
exact, residuals, _rank, singular = np.linalg.lstsq(A, y, rcond=None)
normal = np.linalg.inv(A.T @ A) @ A.T @ y
print(f"w = {w}, exact = {exact}, rank {_rank}, residual {residuals[0]:.5f}")
print("loss fell:", all(b <= a for a, b in zip(history, history[1:])), f"{history[0]:.4f} -> {history[-1]:.6f}")
assert np.allclose(exact, normal)
r2 = 1 - np.sum((y - A @ exact) ** 2) / np.sum((y - y.mean()) ** 2)
print("R2: {:.4f}".format(r2))


def sigmoid(z):
    return 1.0 / (1.0 + np.exp(-z))


labels = (x[:, 0] + 0.2 * np.sin(20 * x[:, 0]) > 0).astype(np.float64)
v = np.zeros((2, 1))
for _ in range(30):
    p = sigmoid(A @ v)
    v = v - 2.0 * (A.T @ (p - labels[:, np.newaxis])) / labels.size
p = sigmoid(A @ v).ravel()
eps = np.finfo(float).eps
loss = -np.mean(labels * np.log(p + eps) + (1 - labels) * np.log(1 - p + eps))
accuracy = np.mean((p >= 0.5) == labels.astype(bool))
print("loss", loss.round(4), "accuracy", round(accuracy, 4), "boundary", (-v[0] / v[1]).item())
