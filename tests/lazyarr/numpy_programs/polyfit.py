"""Fits of polynomials, roots, derivatives, interpolation, quadrature."""

import numpy as np

x = np.linspace(0, 4, 9)
y = 2 * x**2 - 3 * x + 1
coefficients = np.polyfit(x, y, 2)
print(np.round(coefficients, 6) + 0.0, np.polyval(coefficients, 5.0).round(6))
p = np.poly1d([2, -3, 1])
print(p(0.5), p.order, np.sort(p.roots), p.deriv()(1), np.polyder([2, -3, 1]), p.integ()(1))
print(
    np.sort(np.roots([1, -6, 11, -6])).round(6), np.poly([1, 2]), np.polymul([1, 1], [1, -1]), np.polyadd([1], [1, 2])
)
print(np.interp([0.25, 3.9, 9], x, y), np.interp(2.2, x, y, left=-1))
V = np.vander(x, 3, increasing=True)
c, *_ = np.linalg.lstsq(V, y, rcond=None)
print(c.round(6), V.shape, np.linalg.matrix_rank(V))
nodes, weights = np.polynomial.legendre.leggauss(4)
print("integral", np.sum(weights * nodes**6).round(8), np.trapezoid(y, x).round(4))
series = np.polynomial.Polynomial.fit(x, y, 2).convert().coef
print(series.round(6), np.polynomial.polynomial.polyval(2.0, [1, -3, 2]))
cheb = np.cos(np.pi * (np.arange(5) + 0.5) / 5)
print(np.sort(cheb).round(4), np.diff(y, n=2).round(4), np.gradient(y, x)[[0, 4, -1]])


def newton(f, df, x0, steps=6):
    for _ in range(steps):
        x0 = x0 - f(x0) / df(x0)
    return x0


print(newton(lambda v: v**2 - 2, lambda v: 2 * v, np.float64(1.0)), newton(np.cos, lambda v: -np.sin(v), 1.0).round(8))
