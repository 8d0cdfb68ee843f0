"""Carries out element-wise functions block by block, so that what lies between them stays in the cache."""

from __future__ import annotations

import threading
from collections.abc import Callable, Iterator, Sequence
from itertools import pairwise
from math import prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from ir.cost.thresholds.tiers import PIECES_APART_BYTES
from ir.reference.workers import together

__all__ = ["in_blocks"]

_Index: TypeAlias = tuple[int | slice, ...]


def in_blocks(
    function: Callable[..., None],
    empty: Callable[..., NDArray[Any]],
    shape: tuple[int, ...],
    operands: Sequence[Any],
    results: Sequence[str],
    pieces: Sequence[str],
    elements: int,
    threads: int,
) -> list[NDArray[Any]] | None:
    """The results of an element-wise function; None where NumPy would not let all of them lie in one order.

    Args:
        function: takes a block of each operand and each result, and for each piece memory of as many elements
        empty: gives memory of a shape and dtype
        shape: of the results; operands are broadcast to it
        results, pieces: dtypes
        elements: of a block, or up to twice as many
        threads: on how many it is carried out
    """
    are_arrays = [isinstance(x, np.ndarray) and x.ndim > 0 for x in operands]
    each = list(zip(operands, are_arrays, strict=True))
    arrays = [x if x.shape == shape else np.broadcast_to(x, shape) for x, is_array in each if is_array]
    flat = all(x.flags.c_contiguous for x in arrays)
    order = list(range(len(shape))) if flat else _order(len(shape), arrays)
    if order is None:
        return None
    found = made = [empty(tuple([shape[axis] for axis in order]), np.dtype(dtype)) for dtype in results]
    if order != sorted(order):
        found = [x.transpose(np.argsort(order)) for x in made]
    extents = (prod(shape),) if flat else made[0].shape
    made = [x.reshape(extents) for x in made]
    rest = iter(arrays)
    given = [(next(rest).transpose(order).reshape(extents) if is_array else x, is_array) for x, is_array in each]

    def carry_out(indices: Iterator[_Index]) -> None:
        memory: dict[tuple[int, ...], list[NDArray[Any]]] = {}
        for index in indices:
            blocks = [x[index] for x in made]
            kept = memory.get(blocks[0].shape)
            if kept is None:
                kept = memory[blocks[0].shape] = _memory(pieces, blocks[0].shape)
            function(*[x[index] if is_array else x for x, is_array in given], *blocks, *kept)

    together(carry_out, _indices(extents, elements), threads)
    return found


def _order(ndim: int, operands: Sequence[NDArray[Any]]) -> list[int] | None:
    """The axes, outermost first, as they lie in the results of NumPy's calls for these operands: row by row where none
    says otherwise, or as they lie in each operand; None of others.
    """
    strides = [[abs(stride) for stride in x.strides] for x in operands]
    if all(_falls([stride for stride in each if stride]) for each in strides):
        return list(range(ndim))
    order = sorted(range(ndim), key=lambda axis: -strides[0][axis])
    for each in strides:
        if 0 in each or len(set(each)) < ndim or not _falls([each[axis] for axis in order]):
            return None
    return order


def _falls(numbers: Sequence[int]) -> bool:
    return all(a >= b for a, b in pairwise(numbers))


def _indices(extents: tuple[int, ...], elements: int) -> list[_Index]:
    """Where the blocks lie: whole rows of the first axis whose rows are no larger than a block."""
    axis = 0
    while axis < len(extents) - 1 and prod(extents[axis + 1 :]) > elements:
        axis += 1
    n = extents[axis]
    count = max(1, n // max(1, elements // prod(extents[axis + 1 :])))  # one element alone is no row to NumPy
    ends = [n * i // count for i in range(count + 1)]
    parts = [slice(*pair) for pair in pairwise(ends)]
    return [(*outer, part) for outer in np.ndindex(*extents[:axis]) for part in parts]


class Scratch(threading.local):
    """Memory of a thread for what lies between functions of a block: each call writes there before it reads."""

    memory: NDArray[np.uint8] = np.empty(0, np.uint8)


_scratch = Scratch()


def _memory(dtypes: Sequence[str], shape: tuple[int, ...]) -> list[NDArray[Any]]:
    """For each dtype an array of that shape, of memory of the thread."""
    sizes = [-(-prod(shape) * np.dtype(dtype).itemsize // 64) * 64 + PIECES_APART_BYTES for dtype in dtypes]
    if sum(sizes) > _scratch.memory.nbytes:
        _scratch.memory = np.empty(sum(sizes), np.uint8)
    found = []
    for i, dtype in enumerate(dtypes):
        start = sum(sizes[:i])
        found.append(_scratch.memory[start : start + prod(shape) * np.dtype(dtype).itemsize].view(dtype).reshape(shape))
    return found
