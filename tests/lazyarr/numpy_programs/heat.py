"""Heat equation by slices in place; steady state against the line; a 2-D plate."""

import numpy as np

nx, alpha = 11, 0.25
u = np.zeros(nx)
u[0], u[-1] = 100, 50
steps = 0
while True:
    old = u.copy()
    u[1:-1] = u[1:-1] + alpha * (u[2:] - 2 * u[1:-1] + u[:-2])
    steps += 1
    if np.max(np.abs(u - old)) < 0.9 or steps > 100:
        break
print(steps, np.round(u, 2))
plate = np.zeros((6, 7))
plate[0, :] = 1.0
plate[:, -1] = 2.0
for _ in range(5):
    inner = 0.25 * (plate[:-2, 1:-1] + plate[2:, 1:-1] + plate[1:-1, :-2] + plate[1:-1, 2:])
    plate[1:-1, 1:-1] = inner
print(np.array_str(plate, precision=3, suppress_small=True))
gy, gx = np.gradient(plate)
print(f"flux {gx.mean():.4f} {gy.mean():.4f}; largest at {np.unravel_index(np.hypot(gx, gy).argmax(), plate.shape)}")
laplacian = np.diff(plate, 2, axis=0)[:, 1:-1] + np.diff(plate, n=2, axis=1)[1:-1]
print(np.abs(laplacian).max().round(6), np.trapezoid(u, dx=0.1))
