"""Bodies under gravity: leapfrog, with energy and momentum."""

import numpy as np

G = 1.0


def acceleration(pos, mass, softening):
    x, y, z = pos[:, 0:1], pos[:, 1:2], pos[:, 2:3]
    dx, dy, dz = x.T - x, y.T - y, z.T - z
    inv_r3 = dx**2 + dy**2 + dz**2 + softening**2
    inv_r3[inv_r3 > 0] = inv_r3[inv_r3 > 0] ** (-1.5)
    ax = G * (dx * inv_r3) @ mass
    ay = G * (dy * inv_r3) @ mass
    az = G * (dz * inv_r3) @ mass
    return np.hstack((ax, ay, az))


def energy(pos, vel, mass):
    kinetic = 0.5 * np.sum(mass * vel**2)
    d = pos[None] - pos[:, None]
    inv_r = np.sqrt((d**2).sum(-1))
    inv_r[inv_r > 0] = 1.0 / inv_r[inv_r > 0]
    return kinetic, G * np.sum(np.triu(-(mass * mass.T) * inv_r, 1))


n = 4
angle = 2 * np.pi * np.arange(n) / n
pos = np.stack([np.cos(angle), np.sin(angle), 0.1 * np.arange(n)], axis=1)
vel = np.cross(np.array([0, 0, 1.0]), pos) * 0.8
mass = np.full((n, 1), 20.0) / n
vel -= np.mean(mass * vel, 0) / np.mean(mass)
acc = acceleration(pos, mass, 0.1)
dt, saved = 0.01, np.zeros((n, 3, 6))
saved[:, :, 0] = pos
for i in range(5):
    vel += acc * dt / 2.0
    pos += vel * dt
    acc = acceleration(pos, mass, 0.1)
    vel += acc * dt / 2.0
    saved[:, :, i + 1] = pos
ke, pe = energy(pos, vel, mass)
print(f"KE {ke:.4f} PE {pe:.4f}")
print("momentum", np.round(np.abs((mass * vel).sum(axis=0)), 10))
print(saved[0, :, -1], np.ptp(saved[..., -1], axis=0))
