"""Simulation by hand: a deck of cards, an elevator, dynamic programming tables, bin packing, game of nim, knapsack."""

import numpy as np

weights, values, capacity = [1, 3, 4, 5], np.array([1, 4, 5, 7]), 7
table = np.zeros((len(weights) + 1, capacity + 1), dtype=int)
for i, (w, v) in enumerate(zip(weights, values), start=1):
    table[i] = table[i - 1]
    table[i, w:] = np.maximum(table[i - 1, w:], table[i - 1, : capacity + 1 - w] + v)
print(table, table[-1, -1])
a, b = "kitten", "sitting"
d = np.zeros((len(a) + 1, len(b) + 1), dtype=np.int32)
d[:, 0], d[0, :] = np.arange(len(a) + 1), np.arange(len(b) + 1)
for i in range(1, len(a) + 1):
    for j in range(1, len(b) + 1):
        d[i, j] = min(d[i - 1, j] + 1, d[i, j - 1] + 1, d[i - 1, j - 1] + (a[i - 1] != b[j - 1]))
print(d[-1, -1], d.dtype, d[2:4])
coins, amount = [1, 5, 7], 11
ways = np.zeros(amount + 1, dtype=np.int64)
ways[0] = 1
for c in coins:
    for s in range(c, amount + 1):
        ways[s] += ways[s - c]
print(ways[amount], ways)
triangle = np.zeros((5, 5), dtype=int)
triangle[:, 0] = 1
for i in range(1, 5):
    triangle[i, 1:] = triangle[i - 1, 1:] + triangle[i - 1, :-1]
print(triangle, triangle.sum(axis=1))
queens, solutions = np.full(5, -1), []


def place(row):
    if row == 5:
        solutions.append(queens.tolist())
        return
    for column in range(5):
        previous = queens[:row]
        if not np.any((previous == column) | (np.abs(previous - column) == row - np.arange(row))):
            queens[row] = column
            place(row + 1)
            queens[row] = -1


place(0)
print(len(solutions), solutions[0], queens)
spiral = np.arange(12).reshape(3, 4)
out = []
while spiral.size:
    out.append(spiral[0].tolist())
    spiral = np.rot90(spiral[1:])
print(sum(out, []))
magic = np.zeros((3, 3), int)
r, c = 0, 1
for k in range(1, 10):
    magic[r, c] = k
    nr, nc = (r - 1) % 3, (c + 1) % 3
    if magic[nr, nc]:
        nr, nc = (r + 1) % 3, c
    r, c = nr, nc
print(magic, {int(s) for s in magic.sum(0)} == {int(np.trace(magic)), int(np.trace(np.fliplr(magic)))})
stock = np.array([7, 1, 5, 3, 6, 4])
print(
    (stock - np.minimum.accumulate(stock)).max(), np.maximum(np.diff(stock), 0).sum(), np.argmax(stock[1:] - stock[0])
)
bits = np.array([[(k >> b) & 1 for b in range(3)] for k in range(8)])
print(bits[bits.sum(1) == 2], np.bitwise_xor.reduce([3, 4, 5]), (bits @ [1, 2, 4] == np.arange(8)).all())
best, current = -np.inf, 0
for v in np.array([-2, 1, -3, 4, -1, 2, 1, -5, 4]):
    current = max(v, current + v)
    best = max(best, current)
print(best, current, type(best) is not str)
