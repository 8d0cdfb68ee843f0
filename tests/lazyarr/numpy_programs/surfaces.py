"""Data of surfaces and contours: meshgrid, mgrid, ogrid, gradients, level sets."""

import numpy as np

x = np.linspace(-2, 2, 9)
y = np.linspace(-1, 1, 5)
X, Y = np.meshgrid(x, y)
Z = X * np.exp(-(X**2) - Y**2)
print(X.shape, Y.shape, Z.max().round(5), "at", X.flat[Z.argmax()], Y.ravel()[Z.argmax()])
dy, dx = np.gradient(Z, y, x)
row, col = np.unravel_index(np.argmin(Z), Z.shape)
print(row, col, x[col], y[row], np.round(dx[row, col], 6), dy[row, col].round(6))
levels = np.linspace(Z.min(), Z.max(), 5)
bands = np.digitize(Z, levels)
print(bands)
yy, xx = np.mgrid[0:3, 0:4]
r = np.sqrt((yy - 1) ** 2 + (xx - 1.5) ** 2)
disc = np.where(r <= 1.2, 1, 0)
print(disc, disc.dtype)
a, b = np.ogrid[:3, :4]
print((a * b).tolist(), np.broadcast_shapes(a.shape, b.shape), np.indices((2, 2)).sum(axis=0))
points = np.dstack([X, Y]).reshape(-1, 2)
vertices = np.column_stack((points, Z.ravel()))
print(points.shape, vertices[::11].round(3))
theta = np.deg2rad(np.arange(0, 360, 60))
circle = np.array([np.cos(theta), np.sin(theta)]).T
area = 0.5 * np.abs(np.dot(circle[:, 0], np.roll(circle[:, 1], 1)) - np.dot(circle[:, 1], np.roll(circle[:, 0], 1)))
rotation = np.array([[np.cos(np.pi / 6), -np.sin(np.pi / 6)], [np.sin(np.pi / 6), np.cos(np.pi / 6)]])
print(area.round(5), (circle @ rotation.T).round(3), np.rad2deg(np.arctan2(circle[1, 1], circle[1, 0])).round(6))
masked = np.where(Z > 0.1, Z, np.nan)
print(np.nansum(masked).round(4), np.isfinite(masked).sum(), np.nanargmax(masked))
mask = np.ones((2, 3), bool)
mask[0, 1] = False
print(np.place(r, r > 1.2, [0]), r.round(2), np.copyto(r, 9, where=disc == 1), r.sum().round(3), mask)
