"""Is a sudoku solved? And candidates of a cell, and a solver for an easy one."""

import numpy as np

puzzle = np.array([
    [1, 2, 3, 4], [3, 4, 0, 2],
    [2, 0, 4, 3], [4, 3, 2, 0],
])  # fmt: skip
DIGITS = set(range(1, 5))


def box(grid, r, c):
    r0, c0 = 2 * (r // 2), 2 * (c // 2)
    return grid[r0 : r0 + 2, c0 : c0 + 2]


def candidates(grid, r, c):
    used = set(grid[r, :].tolist()) | set(grid[:, c].tolist()) | set(box(grid, r, c).flatten().tolist())
    return DIGITS - used


def valid(grid):
    rows = np.all(np.sort(grid, axis=1) == np.arange(1, 5))
    columns = np.all(np.sort(grid, axis=0) == np.arange(1, 5)[:, None])
    boxes = grid.reshape(2, 2, 2, 2).swapaxes(1, 2).reshape(4, 4)
    return bool(rows and columns and (np.sort(boxes, axis=1) == np.arange(1, 5)).all())


grid = puzzle.copy()
while (grid == 0).any():
    for r, c in zip(*np.where(grid == 0)):
        options = candidates(grid, r, c)
        if len(options) == 1:
            grid[r, c] = options.pop()
            print(f"({r}, {c}) <- {grid[r, c]}")
print(grid, valid(grid), valid(puzzle), sep="\n")
print(0 in puzzle, 0 in grid, 5 in grid[0], list(map(int, grid[0])), sorted(grid[:, 1], reverse=True)[0] == 4)
print("|".join(str(v) for v in grid[1]), sum(grid[2]), max(grid[3]), min(grid.flat), len(set(grid.ravel().tolist())))
