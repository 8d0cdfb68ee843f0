"""Kalman filter of position and velocity, matrices of small sizes."""

import numpy as np

dt = 1.0
F = np.array([[1, dt], [0, 1]])
H = np.array([[1, 0]])
Q = np.array([[0.05, 0.05], [0.05, 0.05]])
R = np.array([[0.5]])
x = np.zeros((2, 1))
P = np.eye(2) * 10
measured = np.arange(6) * 0.9 + np.array([0.1, -0.2, 0.05, 0.3, -0.1, 0.0])
track = []
for z in measured:
    x = F @ x
    P = F @ P @ F.T + Q
    y = z - H @ x
    S = H @ P @ H.T + R
    K = P @ H.T @ np.linalg.inv(S)
    x = x + K @ y
    P = (np.eye(2) - K @ H) @ P
    track.append(x.flatten())
track = np.array(track)
print(track.round(4))
print("symmetric:", np.allclose(P, P.T), "positive:", np.all(np.linalg.eigvalsh(P) > 0), x[1, 0].round(5))
print("gain", K.squeeze().round(4), f"innovation {y.item():+.4f}", P.diagonal().round(4), np.trace(P).round(5))
print(np.block([[P, np.zeros((2, 1))], [np.zeros((1, 2)), R]]).shape, np.linalg.cond(P) > 1)
