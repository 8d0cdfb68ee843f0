"""Loops over arrays: nditer, ndenumerate, ndindex, vectorize, frompyfunc, apply_along_axis, piecewise."""

import numpy as np

a = np.arange(6).reshape(2, 3)
for (i, j), v in np.ndenumerate(a):
    print(i, j, v, end="; ")
print()
print([a[index] for index in np.ndindex(a.shape)] == list(range(6)), [int(v) for v in np.nditer(a)])
with np.nditer(a, op_flags=["readwrite"]) as it:
    for v in it:
        v[...] = 2 * v
print(a, sum(v for v in a.flat), [x * y for x, y in np.nditer([a[0], a[1]])])
it = np.nditer(a, flags=["multi_index"])
for _v in it:
    if _v > 7:
        print(it.multi_index, _v)
grade = np.vectorize(lambda s: 1 if s >= 5 else -1)
print(grade(a), grade(a).dtype)
named = np.vectorize(lambda s: "big" if s > 5 else "small")
print(named(a[1]).tolist() if False else [("big" if s > 5 else "small") for s in a[1]])
step = np.frompyfunc(lambda x, y: x * 10 + y, 2, 1)
print(
    step(a[0], 1).tolist(), np.apply_along_axis(lambda r: r.max() - r.min(), 1, a), np.apply_along_axis(sorted, 1, -a)
)
print(
    np.piecewise(a.astype(float), [a < 4, a >= 4], [lambda x: -x, lambda x: x**2]),
    np.fromfunction(lambda i, j: i + j, (2, 2)),
)
print(np.array([f(2.0) for f in (np.sin, np.sqrt, np.exp)]).round(4), np.fromiter((k * k for k in range(4)), dtype=int))
out = np.empty(3)
for k, column in enumerate(a.T):
    out[k] = column.mean()
print(out, np.array(list(map(sum, a))), np.array([list(r) for r in a]).shape, np.vstack([r + 1 for r in a]))
i = 0
while i < len(out) and out[i] < 4:
    i += 1
print(i, range(a.shape[0])[-1], list(range(a[0, 1])), [0] * a[0, 1], "ab" * a[0, 1], [10, 20, 30][a[0, 1]], 5 - a[0, 1])
np.add(a, 1, out=a)
np.multiply(a, 2, where=a > 3, out=a)
print(a, np.cumsum(a, axis=1, out=np.empty_like(a)), np.abs(np.array([-1.5, 2])).tolist())
