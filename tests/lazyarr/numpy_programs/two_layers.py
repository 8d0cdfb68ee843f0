"""A network of two layers: softmax, cross entropy, backpropagation, batches, gradient check, dict of weights."""

import numpy as np


def softmax(z):
    e = np.exp(z - np.max(z, axis=1, keepdims=True))
    return e / np.sum(e, axis=1, keepdims=True)


def relu(z):
    return np.maximum(0, z)


def forward(params, x):
    z1 = x @ params["W1"] + params["b1"]
    a1 = relu(z1)
    return z1, a1, softmax(a1.dot(params["W2"]) + params["b2"])


def loss_of(params, x, y):
    p = forward(params, x)[-1]
    return -np.mean(np.log(p[range(len(y)), y])) + 0.5 * 1e-3 * sum(np.sum(params[k] ** 2) for k in ("W1", "W2"))


def gradients(params, x, y):
    z1, a1, p = forward(params, x)
    delta = p.copy()
    delta[np.arange(y.shape[0]), y] -= 1
    delta /= y.shape[0]
    grads = {"W2": a1.T @ delta + 1e-3 * params["W2"], "b2": np.sum(delta, axis=0)}
    d1 = delta @ params["W2"].T
    d1[z1 <= 0] = 0
    grads["W1"] = x.T @ d1 + 1e-3 * params["W1"]
    grads["b1"] = d1.sum(axis=0)
    return grads


i = np.arange(18)
X = np.array([np.cos(i * 0.7), np.sin(i * 1.3)]).T + (i % 3)[:, None]
y = i % 3
params = {
    "W1": np.sin(np.arange(10.0)).reshape(2, 5), "b1": np.zeros(5),
    "W2": np.cos(np.arange(15.0)).reshape(5, 3), "b2": np.zeros((3,)),
}  # fmt: skip
first = loss_of(params, X, y)
for epoch in range(3):
    for start in range(0, len(X), 9):
        batch = slice(start, start + 9)
        grads = gradients(params, X[batch], y[batch])
        for key in params:
            params[key] -= 0.3 * grads[key]
print(f"{first:.6f} -> {loss_of(params, X, y):.6f}")
grads = gradients(params, X, y)
eps = 1e-5
bumped = {k: v.copy() for k, v in params.items()}
bumped["W1"][1, 2] += eps
dipped = {k: v.copy() for k, v in params.items()}
dipped["W1"][1, 2] -= eps
numeric = (loss_of(bumped, X, y) - loss_of(dipped, X, y)) / (2 * eps)
print("gradient check:", np.isclose(numeric, grads["W1"][1, 2], rtol=1e-4))
print("accuracy", np.mean(np.argmax(forward(params, X)[2], axis=1) == y))
print({k: v.shape for k, v in params.items()}, sum(v.size for v in params.values()))
