"""Tricks with newaxis, ix_, einsum, stacking, fancy indices, views."""

import numpy as np

a = np.arange(12).reshape(3, 4)
print(a[np.ix_([0, 2], [1, 3])], a[[0, 2], [1, 3]], a[..., -1], a[::-1, ::2], a[a % 2 == 0])
print(
    np.einsum("ij->j", a), np.einsum("ij,ij->i", a, a), np.einsum("ii", a[:3, :3]), np.einsum("i,j->ij", a[0], a[1])[1]
)
v = np.arange(3)
print((v[:, np.newaxis] - v).tolist(), (v[:, None] == v).astype(int).trace(), np.multiply.outer(v, v).sum())
b = a.T
b[0, 0] = 100
print(a[0, 0], b.shape, np.shares_memory(a, b), b.base is not None, a.flags["C_CONTIGUOUS"])
row = a[1]
row *= 10
print(a[1], a.ravel()[4:8], a.sum(axis=0, keepdims=True), a.cumsum(axis=1)[:, -1])
a[:, 1], a[:, 2] = a[:, 2].copy(), a[:, 1].copy()
a[[0, 2]] = a[[2, 0]]
print(a)
batch = np.arange(2 * 3 * 2).reshape(2, 3, 2)
print(np.matmul(batch, batch.transpose(0, 2, 1)).shape, np.einsum("bij,bkj->bik", batch, batch)[1, 0])
print(
    np.moveaxis(batch, 0, -1).shape,
    np.swapaxes(batch, 0, 1).shape,
    np.expand_dims(batch, 1).shape,
    np.squeeze(batch[:1]).shape,
)
print(np.concatenate([v, v + 10]), np.stack([v, v]).shape, np.hstack([v, 7]), np.tile(v, (2, 2)), np.repeat(v, 2))
print(np.r_[1:4, 0, 9], np.c_[v, v**2], np.s_[1:3], np.mgrid[0:2, 0:2][1], np.array_split(np.arange(7), 3)[0])
print(np.where(a > 50, a, -1)[0], np.select([v < 1, v > 1], [v * 10, v * 100], -5), np.choose([0, 1, 0], [v, -v]))
print(np.delete(v, 1), np.insert(v, 1, 9), np.append(v, [3]), np.flip(v), np.trim_zeros(np.array([0, 1, 2, 0])))
print(np.isin(v, [0, 2]), np.intersect1d(v, [1, 2, 5]), np.union1d(v, [7]), np.setdiff1d(v, [1]), np.unique([3, 1, 3]))
c = np.zeros((2, 3))
c[:] = v
c[0] += 1
c[:, -1] = [7, 8]
c[c > 5] = 0
print(c, c.T.copy().flags.c_contiguous, np.triu(np.ones((3, 3)), 1).sum(), np.tril_indices(2), c.any(), c.all(axis=1))
x, y = np.array([3, 1, 2]), np.array([9, 8, 7])
order = x.argsort()
print(
    x[order],
    y[order],
    np.lexsort((y, x)),
    np.sort(x).searchsorted(2),
    np.array_equal(x, [3, 1, 2]),
    (x < y).all(),
    x @ y,
)
x[0], y[-1] = y[-1], x[0]
x, y = y, x
first, *rest = x
print(first, rest, x.tolist(), [*y], dict(zip("abc", x.tolist())), len(x), x.shape == (3,), x.nonzero()[0].size)
