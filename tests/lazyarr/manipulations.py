"""Calls of the functions that put arrays together, take them apart and rearrange them, for any namespace like NumPy's.

Each is a function of a namespace and three arrays: of shape (3, 4), (2, 3, 5) and (7,).
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

__all__ = ["CALLS", "SHAPES"]

SHAPES = ((3, 4), (2, 3, 5), (7,))
CALLS: dict[str, Callable[[Any, Any, Any, Any], Any]] = {
    # one after the other
    "concat": lambda n, a, b, c: n.concat([a, a * 2, a[:1]]),
    "concat along the last": lambda n, a, b, c: n.concat([b, b[..., ::-2]], axis=-1),
    "concat along the middle": lambda n, a, b, c: n.concat([b, b[:, 1:], b], axis=1),
    "concat flattened": lambda n, a, b, c: n.concat([a, b, c], axis=None),
    "concat of one": lambda n, a, b, c: n.concat([c]),
    "concat with nothing": lambda n, a, b, c: n.concat([c[:0], c, c[:0]]),
    "concat of nothing": lambda n, a, b, c: n.concat([a[:, :0], a[:, :0]], axis=1),
    "concat of dtypes": lambda n, a, b, c: n.concat([c, n.asarray([1, 2])]),
    "concatenate": lambda n, a, b, c: n.concatenate((a, a), dtype="complex128"),
    "stack": lambda n, a, b, c: n.stack([a, a[::-1], a]),
    "stack along the last": lambda n, a, b, c: n.stack([a, a[::-1]], axis=-1),
    "stack in the middle": lambda n, a, b, c: n.stack(arrays=[b, b], axis=2),
    "stack of scalars": lambda n, a, b, c: n.stack([c[0], c[3]]),
    "vstack": lambda n, a, b, c: n.vstack([c, c]),
    "vstack of matrices": lambda n, a, b, c: n.vstack([a, a[1]]),
    "hstack": lambda n, a, b, c: n.hstack([c, c[:2]]),
    "hstack of matrices": lambda n, a, b, c: n.hstack([a, a[:, :1]]),
    "dstack": lambda n, a, b, c: n.dstack([a, a]),
    "dstack of vectors": lambda n, a, b, c: n.dstack([c, c]),
    "column_stack": lambda n, a, b, c: n.column_stack([c, c[::-1], n.stack([c, c], axis=1)]),
    "append": lambda n, a, b, c: n.append(a, values=a[:1], axis=0),
    "append flattened": lambda n, a, b, c: n.append(a, c),
    "block": lambda n, a, b, c: n.block([[a, a[:, :2]], [a[:2], a[:2, 1:3]]]),
    "block of vectors": lambda n, a, b, c: n.block([c, c[:2]]),
    "block of depths": lambda n, a, b, c: n.block([[[b, b], [b, b]]]),
    "block of numbers": lambda n, a, b, c: n.block([[c], [c]]),
    "block of one": lambda n, a, b, c: n.block(a),
    "insert": lambda n, a, b, c: n.insert(c, 3, c[0]),
    "insert at the end": lambda n, a, b, c: n.insert(c, 7, c[:1]),
    "insert several": lambda n, a, b, c: n.insert(c, [1, -1, 1], c[:3]),
    "insert a row": lambda n, a, b, c: n.insert(a, 1, a[0], axis=0),
    "insert columns": lambda n, a, b, c: n.insert(a, [1, 3], a[:, :2], axis=1),
    "insert rows before one": lambda n, a, b, c: n.insert(a, [1], a[:2], axis=0),
    "insert flattened": lambda n, a, b, c: n.insert(a, slice(0, 4, 2), c[0]),
    "delete": lambda n, a, b, c: n.delete(c, 3),
    "delete several": lambda n, a, b, c: n.delete(c, [0, -1, 3, 0]),
    "delete a slice": lambda n, a, b, c: n.delete(a, slice(None, None, 2), axis=1),
    "delete by a mask": lambda n, a, b, c: n.delete(a, [True, False, True], axis=0),
    "delete flattened": lambda n, a, b, c: n.delete(a, [5, 6]),
    "delete all": lambda n, a, b, c: n.delete(c, slice(None)),
    # taken apart
    "split": lambda n, a, b, c: n.split(a, 2, axis=1),
    "split at": lambda n, a, b, c: n.split(c, [2, 2, 5, 9]),
    "array_split": lambda n, a, b, c: n.array_split(c, 3),
    "array_split into many": lambda n, a, b, c: n.array_split(c, 9),
    "hsplit": lambda n, a, b, c: n.hsplit(a, [1, 3]),
    "vsplit": lambda n, a, b, c: n.vsplit(a, 3),
    "dsplit": lambda n, a, b, c: n.dsplit(b, [2]),
    "hsplit of a vector": lambda n, a, b, c: n.hsplit(c, 7),
    "unstack": lambda n, a, b, c: n.unstack(b),
    "unstack the last": lambda n, a, b, c: n.unstack(b, axis=-1),
    # again and again
    "repeat": lambda n, a, b, c: n.repeat(a, 3),
    "repeat along": lambda n, a, b, c: n.repeat(b, repeats=2, axis=1),
    "repeat none": lambda n, a, b, c: n.repeat(a, 0, axis=0),
    "repeat each": lambda n, a, b, c: n.repeat(a, n.asarray([2, 0, 3, 1]), axis=1),
    "repeat each by one": lambda n, a, b, c: n.repeat(c, n.asarray([2])),
    "tile": lambda n, a, b, c: n.tile(a, 3),
    "tile two ways": lambda n, a, b, c: n.tile(a, reps=(2, 3)),
    "tile more ways": lambda n, a, b, c: n.tile(c, (2, 1, 2)),
    "tile fewer ways": lambda n, a, b, c: n.tile(b, (2,)),
    "tile none": lambda n, a, b, c: n.tile(c, 0),
    "resize": lambda n, a, b, c: n.resize(a, new_shape=(5, 3)),
    "resize to less": lambda n, a, b, c: n.resize(a, 5),
    # moved
    "roll": lambda n, a, b, c: n.roll(c, 2),
    "roll back and far": lambda n, a, b, c: n.roll(c, -16),
    "roll a matrix": lambda n, a, b, c: n.roll(a, 5),
    "roll along": lambda n, a, b, c: n.roll(b, -1, axis=1),
    "roll along two": lambda n, a, b, c: n.roll(b, (1, 2), axis=(0, 2)),
    "roll along one twice": lambda n, a, b, c: n.roll(a, (1, 1), axis=(0, 0)),
    "flip": lambda n, a, b, c: n.flip(b, axis=(0, 2)),
    "fliplr": lambda n, a, b, c: n.fliplr(a),
    "flipud": lambda n, a, b, c: n.flipud(a),
    "rot90": lambda n, a, b, c: n.rot90(a),
    "rot90 twice": lambda n, a, b, c: n.rot90(b, 2, axes=(1, 2)),
    "rot90 back": lambda n, a, b, c: n.rot90(b, -1, axes=(2, 0)),
    "rollaxis": lambda n, a, b, c: n.rollaxis(b, 2),
    "moveaxis": lambda n, a, b, c: n.moveaxis(b, source=(0, 1), destination=(-1, 0)),
    "swapaxes": lambda n, a, b, c: n.swapaxes(b, axis1=0, axis2=-1),
    "permute_dims": lambda n, a, b, c: n.permute_dims(b, (2, 0, 1)),
    "matrix_transpose": lambda n, a, b, c: n.matrix_transpose(b),
    # shapes
    "reshape": lambda n, a, b, c: n.reshape(b, (5, -1)),
    "reshape by columns": lambda n, a, b, c: n.reshape(b, (5, 6), order="F"),
    "expand_dims": lambda n, a, b, c: n.expand_dims(a, axis=(0, 2)),
    "squeeze": lambda n, a, b, c: n.squeeze(b[:1, :, :1]),
    "broadcast_to": lambda n, a, b, c: n.broadcast_to(a[:, :1], (2, 3, 5)),
    "broadcast_arrays": lambda n, a, b, c: n.broadcast_arrays(a[:, :1], b, c[:5]),
    "atleast_2d": lambda n, a, b, c: n.atleast_2d(c[0], c, b),
    "atleast_3d": lambda n, a, b, c: n.atleast_3d(c[0], c, a),
    # borders
    "pad": lambda n, a, b, c: n.pad(a, 1),
    "pad unevenly": lambda n, a, b, c: n.pad(a, ((0, 2), (1, 0)), constant_values=((1, 2), (3, 4))),
    "pad by the edge": lambda n, a, b, c: n.pad(b, ((1, 0), (0, 0), (2, 3)), mode="edge"),
    "pad around": lambda n, a, b, c: n.pad(c, (3, 9), mode="wrap"),
    # by index
    "take": lambda n, a, b, c: n.take(c, n.asarray([[1, -1], [6, 0]])),
    "take along": lambda n, a, b, c: n.take(b, indices=n.asarray([2, 0, 2]), axis=1),
    "take one": lambda n, a, b, c: n.take(b, 2, axis=1),
    "take flattened": lambda n, a, b, c: n.take(a, n.asarray([11, 4])),
    "take none": lambda n, a, b, c: n.take(a, n.asarray(np.zeros(0, int)), axis=0),
    "take wrapped": lambda n, a, b, c: n.take(c, n.asarray([-9, 8, 21]), mode="wrap"),
    "take clipped": lambda n, a, b, c: n.take(c, n.asarray([-9, 8, 5]), mode="clip"),
    "take_along_axis": lambda n, a, b, c: n.take_along_axis(a, n.asarray([[0, 3], [1, -1], [2, 2]]), axis=1),
    "take_along_axis broadcast": lambda n, a, b, c: n.take_along_axis(b, n.asarray([[[4, 0, 0]]]), axis=2),
    "take_along_axis flattened": lambda n, a, b, c: n.take_along_axis(a, n.asarray([5, -1]), axis=None),
    "choose": lambda n, a, b, c: n.choose(n.asarray([2, 0, 1, 1]), [a, a[0], c[:4]]),
    "choose, of floats and a number": lambda n, a, b, c: n.choose(
        a == a[0], [n.asarray(np.arange(4, dtype="float32")), 2]
    ),
    "choose, of a number and small integers": lambda n, a, b, c: n.choose(
        a == a[0], [-1, n.asarray(np.arange(4, dtype="int8"))]
    ),
    "choose, of integers and a fraction": lambda n, a, b, c: n.choose(
        a == a[0], [n.asarray(np.arange(4, dtype="int8")), 2.5]
    ),
    "choose, of bools and a number": lambda n, a, b, c: n.choose(a == a[0], [a == a[1], 5]),
    "choose, of numbers": lambda n, a, b, c: n.choose(a == a[0], [2, 3.5]),
    "choose, of a number that wraps": lambda n, a, b, c: n.choose(
        a == a[0], [n.asarray(np.arange(4, dtype="uint8")), 300]
    ),
    "take of a single number": lambda n, a, b, c: n.take(a[0, 0] + 0, n.asarray([0, -1]), axis=0),
    "take of nothing": lambda n, a, b, c: n.take(a[:0], n.asarray([[1, 900]]), axis=-1),
    "take none of nothing": lambda n, a, b, c: n.take(a[:0], n.asarray(np.zeros(0, int)), axis=0),
    "choose by a mask": lambda n, a, b, c: n.choose(a == a[0], [a, a[::-1]]),
    "take by a mask": lambda n, a, b, c: n.take(a, n.asarray([True, False, True])),
    "choose wrapped": lambda n, a, b, c: n.choose(n.asarray([[5], [-1], [0]]), [a, a[::-1]], mode="wrap"),
    "choose clipped": lambda n, a, b, c: n.choose(n.asarray([5, -1, 0, 1]), [a, a[::-1]], mode="clip"),
    "select": lambda n, a, b, c: n.select([a == a[0], a == a[:, :1]], [a, a[::-1]], 1),
    "select broadcast": lambda n, a, b, c: n.select([a[:, :1] == a[0, 0]], [c[:4]], 0),
    "where": lambda n, a, b, c: n.where(a == a[1], a, a[:1]),
    "diagonal": lambda n, a, b, c: n.diagonal(a),
    "diagonal above": lambda n, a, b, c: n.diagonal(b, 1, 0, 2),
    "diagonal outside": lambda n, a, b, c: n.diagonal(a, -7),
    "diag": lambda n, a, b, c: n.diag(c, 2),
    "diagflat": lambda n, a, b, c: n.diagflat(a, -1),
    "trim_zeros": lambda n, a, b, c: n.trim_zeros(n.concat([c[:0], n.zeros_like(c), c, n.zeros_like(c)])),
    # by a mask
    "compress": lambda n, a, b, c: n.compress([True, False, True], a, axis=0),
    "compress less": lambda n, a, b, c: n.compress([False, True], a, axis=1),
    "compress flattened": lambda n, a, b, c: n.compress([0, 1, 1], a),
    "extract": lambda n, a, b, c: n.extract(a == a[0], a),
    "nonzero": lambda n, a, b, c: n.nonzero(a * (a == a[0])),
    "argwhere": lambda n, a, b, c: n.argwhere(b),
    "flatnonzero": lambda n, a, b, c: n.flatnonzero(a),
    "argwhere of a scalar": lambda n, a, b, c: n.argwhere(c[0]),
    "where of one": lambda n, a, b, c: n.where(a),
}
