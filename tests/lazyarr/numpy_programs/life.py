"""Game of Life on a torus, by rolls; a glider comes back after 4 steps, moved by one."""

import numpy as np

ROWS, COLUMNS = 8, 9


def step(board: np.ndarray) -> np.ndarray:
    neighbours = np.zeros(board.shape, dtype=int)
    for dy in (-1, 0, 1):
        for dx in (-1, 0, 1):
            if dy or dx:
                neighbours += np.roll(board, (dy, dx), axis=(0, 1))
    return np.where((neighbours == 3) | ((board == 1) & (neighbours == 2)), 1, 0)


board = np.zeros((ROWS, COLUMNS), dtype=int)
board[1:4, 1:4] = [[0, 1, 0], [0, 0, 1], [1, 1, 1]]
start = board.copy()
for generation in range(4):
    board = step(board)
    print(f"generation {generation + 1}: {board.sum()} alive, rows {np.flatnonzero(board.any(axis=1))}")
for row in board:
    print("".join("#" if cell else "." for cell in row))
assert np.array_equal(board, np.roll(start, (1, 1), (0, 1)))
assert board[0, 0] in (0, 1) and isinstance(board, np.ndarray)
print(np.argwhere(board == 1).tolist(), board.max() == 1, type(board).__name__ != "list")
