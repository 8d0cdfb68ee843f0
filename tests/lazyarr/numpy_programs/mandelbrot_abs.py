"""Mandelbrot by abs(z) > 2, masks and complex numbers, drawn with characters."""

import numpy as np


def mandelbrot(h, w, maxit=12):
    y, x = np.ogrid[-1.2 : 1.2 : h * 1j, -2 : 0.6 : w * 1j]
    c = x + y * 1j
    z = c
    divtime = maxit + np.zeros(z.shape, dtype=int)
    for i in range(maxit):
        z = z**2 + c
        diverge = abs(z) > 2
        div_now = diverge & (divtime == maxit)
        divtime[div_now] = i
        z[diverge] = 2
    return divtime


times = mandelbrot(7, 17)
palette = np.array(list(" .:-=+*#%@X$&"))[:13] if False else " .:-=+*#%@X$&"
for line in times:
    print("".join(palette[t] for t in line))
c = np.linspace(-2, 0.5, 5)[:, np.newaxis] + 1j * np.linspace(-1, 1, 3)
z = np.zeros_like(c)
inside = np.ones(c.shape, dtype=bool)
with np.errstate(over="ignore", invalid="ignore"):
    for _ in range(8):
        z[inside] = z[inside] ** 2 + c[inside]
        inside[np.abs(z) > 2] = False
print(inside.astype(int), np.count_nonzero(inside), times.mean(), c.dtype, z.real.max() <= 2)
