"""Functions of several operations, which NumPy carries out as one call where operands are small and have values."""

from __future__ import annotations

import warnings

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift
from lazyarr.array import eager
from lazyarr.eager.functions import small_by
from lazyarr.eager.numbers import in_own_memory
from tests.lazyarr.support import COMPLEX, DTYPES

WHOLE = np.array([3, 0, 7, 3, 5, 0, 2, 7, 7, 1])
FRACTIONS = np.array([0.5, -1.25, 3.0, -0.0, 0.0, 7.75, 2.5, 2.5, -8.0, 1.0])
SPECIAL = np.array([np.nan, np.inf, -np.inf, 0.0, -0.0, 1.0, np.nan, 2.0, -3.0, 1.0])

OF_ONE = {
    "sort": la.sort, "sort of rows": lambda x: la.sort(x.reshape(2, 5)), "sort of all": lambda x: la.sort(x, None),
    "sort of columns": lambda x: la.sort(x.reshape(5, 2), 0), "sort, descending": lambda x: la.sort(x, descending=True),
    "sort, unknown kind": lambda x: la.sort(x, kind="x"), "sort along no axis": lambda x: la.sort(x, 1),
    "sort of none": lambda x: la.sort(x[:0]), "sort backwards": lambda x: la.sort(x[::-1]),
    "norm": la.linalg.norm, "norm of rows": lambda x: la.linalg.norm(x.reshape(2, 5)),
    "norm by order": lambda x: la.linalg.norm(x, 2), "norm of a matrix": lambda x: la.linalg.norm(x.reshape(2, 5), 2),
    "norm of none": lambda x: la.linalg.norm(x[:0]), "norm along": lambda x: la.linalg.norm(x.reshape(2, 5), axis=1),
    "norm of one": lambda x: la.linalg.norm(x[0]), "norm, kept": lambda x: la.linalg.norm(x, keepdims=True),
    "norm of every second": lambda x: la.linalg.norm(x[::2]), "norm, unknown": lambda x: la.linalg.norm(x, "x"),
    "argsort": la.argsort, "argsort of columns": lambda x: la.argsort(x.reshape(5, 2), 0),
    "argsort, descending": lambda x: la.argsort(x, descending=True), "argsort of one": lambda x: la.argsort(x[3]),
    "argmax": la.argmax, "argmin of rows": lambda x: la.argmin(x.reshape(2, 5), axis=1, keepdims=True),
    "argmax along no axis": lambda x: la.argmax(x, axis=1), "argmax of none": lambda x: la.argmax(x[:0]),
    "argmax of a truth": lambda x: la.argmax(x, axis=True),
    "count_nonzero": la.count_nonzero, "count_nonzero of rows": lambda x: la.count_nonzero(x.reshape(2, 5), axis=(0,)),
    "bincount": la.bincount, "bincount of some": lambda x: la.bincount(abs(x).astype("int64"), minlength=12),
    "bincount with weights": lambda x: la.bincount(la.asarray(WHOLE), weights=x),
    "bincount, negative minlength": lambda x: la.bincount(la.asarray(WHOLE), x, -1),
    "interp": lambda x: la.interp(x, [-2.0, 0.0, 4.0], [1, 5, 3]), "interp of few": lambda x: la.interp(x[:1], x, x),
    "interp, left and right": lambda x: la.interp(x, la.asarray([-1.0, 1.0]), la.asarray([2.0, 3.0]), left=-9, right=9),
    "interp, period": lambda x: la.interp(x, [0.0, 90.0, 180.0], [5.0, 3.0, 1.0], period=360),
    "interp, other lengths": lambda x: la.interp(x, x, x[1:]), "interp of no samples": lambda x: la.interp(x, [], []),
    "searchsorted": lambda x: la.searchsorted(la.sort(x), x),
    "searchsorted in none": lambda x: la.searchsorted(x[:0], x),
    "searchsorted, right": lambda x: la.searchsorted([0, 1, 3], x, side="right"),
    "searchsorted, sorter": lambda x: la.searchsorted(x, x, sorter=la.argsort(x)),
    "searchsorted, unknown side": lambda x: la.searchsorted(x, x, "middle"),
    "searchsorted in rows": lambda x: la.searchsorted(x.reshape(2, 5), x),
    "digitize": lambda x: la.digitize(x, [-1, 0, 2.5]), "digitize, falling": lambda x: la.digitize(x, [3, 0, -1], True),
    "digitize, neither": lambda x: la.digitize(x, [0, 3, 1]),
    "isin": lambda x: la.isin(x, [0, 3, 7]), "isin, inverted": lambda x: la.isin(x.reshape(2, 5), x[:2], invert=True),
    "isin, as if unique": lambda x: la.isin(x, [3, 3, 0, 0], assume_unique=True),
    "isin many, as if unique": lambda x: la.isin(x, [3, 3, 0, 0, 9, 9] * 20, assume_unique=True),
    "isin none": lambda x: la.isin(x, []), "isin, unknown kind": lambda x: la.isin(x, x, kind="tree"),
    "isin of a number": lambda x: la.isin(x, 3),
    "repeat": lambda x: la.repeat(x, 2), "repeat rows": lambda x: la.repeat(x.reshape(2, 5), [1, 3], axis=0),
    "repeat, never": lambda x: la.repeat(x, 0), "repeat, negative": lambda x: la.repeat(x, -1),
    "repeat, fractions": lambda x: la.repeat(x, 1.5), "repeat, by array": lambda x: la.repeat(x, la.asarray(WHOLE)),
    "take": lambda x: la.take(x, [0, -1, 3]), "take columns": lambda x: la.take(x.reshape(2, 5), [[4], [0]], axis=1),
    "take, clipped": lambda x: la.take(x, [20, -20], mode="clip"), "take one": lambda x: la.take(x, 3),
    "take, wrapped": lambda x: la.take(x, np.array([11, -11]), mode="wrap"), "take, beyond": lambda x: la.take(x, [10]),
    "take by fractions": lambda x: la.take(x, [0.5]), "take nothing": lambda x: la.take(x, np.zeros((0, 2), int)),
    "take by bools": lambda x: la.take(x, [True, False]),
    "diag": la.diag, "diag above": lambda x: la.diag(x, 2), "diag of a matrix": lambda x: la.diag(x.reshape(2, 5), -1),
    "diag of none": lambda x: la.diag(x[:0]), "diag of a cube": lambda x: la.diag(x.reshape(2, 5, 1)),
    "convolve": lambda x: la.convolve(x, x[:3]), "convolve, same": lambda x: la.convolve(x[:2], x, "same"),
    "convolve with none": lambda x: la.convolve(x, x[:0]), "convolve, unknown": lambda x: la.convolve(x, x, "half"),
    "correlate": lambda x: la.correlate(x, x[:4]), "correlate, full": lambda x: la.correlate(x, x[:4], mode="full"),
    "polyval": lambda x: la.polyval([1, -2, 3], x), "polyval of whole": lambda x: la.polyval(x[:3], la.asarray(WHOLE)),
    "polyval of none": lambda x: la.polyval(x[:0], x),
    "unique": la.unique, "unique of rows": lambda x: la.unique(x.reshape(5, 2), axis=0),
    "unique, NaNs apart": lambda x: la.unique(x, equal_nan=False),
    "unique, all": lambda x: la.unique(x.reshape(2, 5), True, True, return_counts=True),
    "histogram": lambda x: la.histogram(x, bins=4), "histogram, density": lambda x: la.histogram(x, 3, (-1, 5), True),
    "histogram, edges": lambda x: la.histogram(x, [-2, 0, 0.5, 9]),
    "histogram by a rule": lambda x: la.histogram(x, "sturges"),
    "histogram, weights": lambda x: la.histogram(la.asarray(WHOLE), bins=3, weights=x),
    "histogram, no bins": lambda x: la.histogram(x, 0),
    "histogram, range of one": lambda x: la.histogram(x, range=(2, 1)),
    "outer": lambda x: la.outer(x, x[:3]), "outer of rows": lambda x: la.outer(x.reshape(2, 5), [2, 3]),
    "outer with none": lambda x: la.outer(x, x[:0]), "outer of mixed": lambda x: la.outer(x, la.asarray(WHOLE)),
    "indices": lambda x: x[[1, -1, 1]], "indices beyond": lambda x: x[[10]], "no indices": lambda x: x[[]],
    "array of indices": lambda x: x[np.array([[0, 9], [3, 3]])], "mask in a list": lambda x: x[[True, False] * 5],
    "indices and slices": lambda x: x.reshape(2, 5)[:, [4, 0]], "pairs": lambda x: x.reshape(2, 5)[[0, 1], [4, 0]],
    "fractions": lambda x: x[[0.5]], "indices in lists": lambda x: x[[[0], [1]]],
    "bools of NumPy": lambda x: x[WHOLE > 2],
    "union1d": lambda x: la.union1d(x, [3, 4]), "intersect1d": lambda x: la.intersect1d(x, x[:3]),
    "intersect1d, places": lambda x: la.intersect1d(x[:7], x[3:], return_indices=True),
    "intersect1d, as if unique": lambda x: la.intersect1d(x, [3, 3, 0, 0], assume_unique=True),
    "setdiff1d": lambda x: la.setdiff1d(x, x[:3]), "setxor1d": lambda x: la.setxor1d(x.reshape(2, 5), [3, 4]),
    "setdiff1d, as if unique": lambda x: la.setdiff1d(x, [3], True),
    "insert": lambda x: la.insert(x, 3, 7), "insert rows": lambda x: la.insert(x.reshape(2, 5), [0, 2], 1, axis=0),
    "insert beyond": lambda x: la.insert(x, 11, 7), "delete": lambda x: la.delete(x, -1),
    "delete columns": lambda x: la.delete(x.reshape(2, 5), [1, 1], axis=1), "delete beyond": lambda x: la.delete(x, 10),
    "lexsort": lambda x: la.lexsort((x, la.asarray(WHOLE))),
    "lexsort of rows": lambda x: la.lexsort([x.reshape(2, 5)], 0),
    "lexsort of numbers": lambda x: la.lexsort((x[0], x[1])), "lexsort beyond": lambda x: la.lexsort((x, x), axis=1),
    "append": lambda x: la.append(x, 7), "append rows": lambda x: la.append(x.reshape(2, 5), x[None, :5], axis=0),
    "append what does not fit": lambda x: la.append(x.reshape(2, 5), x, axis=0),
    "packbits": lambda x: la.packbits(x > 0), "packbits of columns": lambda x: la.packbits(x.reshape(5, 2) > 0, axis=0),
    "nonzero": la.nonzero, "nonzero of rows": lambda x: la.nonzero(x.reshape(2, 5)), "argwhere": la.argwhere,
    "nonzero of a number": lambda x: la.nonzero(x[0]), "argwhere of rows": lambda x: la.argwhere(x.reshape(5, 2)),
    "flatnonzero": lambda x: la.flatnonzero(x.reshape(2, 5)), "flatnonzero of a number": lambda x: la.flatnonzero(x[0]),
    "choose": lambda x: la.choose(la.asarray(WHOLE) % 2, [x, x[::-1]]),
    "choose, wrapped": lambda x: la.choose(WHOLE, (x, x[:1]), mode="wrap"),
    "choose, beyond": lambda x: la.choose(WHOLE, [x, x]), "choose a number": lambda x: la.choose(WHOLE % 2, [x, 2]),
    "choose by elements": lambda x: la.choose(abs(x) % 2, [x, x]), "choose none": lambda x: la.choose(WHOLE, []),
    "select": lambda x: la.select([x > 1, x > 0], [x, x[::-1]]),
    "select, default": lambda x: la.select([x > 1], [x], 7), "select by elements": lambda x: la.select([x], [x]),
    "select, too large a default": lambda x: la.select([x > 1], [x], 1 << 70),
    "select of too large": lambda x: la.select([x > 1, x > 0], [1 << 70, x], -(1 << 64)),
    "select, large": lambda x: la.select([x > 1], [x], 1 << 63),
    "select in rows": lambda x: la.select([(x > 1)[:, None]], [x], x[:3, None, None]),
    "select that does not fit": lambda x: la.select([x > 1], [x[:3]]),
    "choose in rows": lambda x: la.choose(WHOLE[:, None] % 2, [x, x[:, None]]),
    "take_along_axis, in rows": lambda x: la.take_along_axis(x[:, None], la.asarray([[0, 0, -1]]), 1),
    "polyval by a matrix": lambda x: la.polyval(x.reshape(2, 5), x[0]),
    "select of too few": lambda x: la.select([x > 1, x > 0], [x]), "select of none": lambda x: la.select([], []),
    "select of numbers": lambda x: la.select([x > 1, x > 0], [2.5, x], x[0]),
    "resize": lambda x: la.resize(x, (5, 7)), "resize to few": lambda x: la.resize(x.reshape(2, 5), 3),
    "resize to none": lambda x: la.resize(x, 0), "resize none": lambda x: la.resize(x[:0], 4),
    "resize by fractions": lambda x: la.resize(x, 2.5), "resize, negative": lambda x: la.resize(x, (-1, 3)),
    "accumulate": lambda x: la.add.accumulate(x),
    "accumulate rows": lambda x: la.multiply.accumulate(x.reshape(2, 5), 1),
    "accumulate a number": lambda x: la.add.accumulate(x[0]),
    "in float32": lambda x: la.add.accumulate(x, dtype="float32"),
    "sort_complex": la.sort_complex, "sort_complex of rows": lambda x: la.sort_complex(x.reshape(2, 5)),
    "frexp": la.frexp, "modf": la.modf, "frexp of one": lambda x: la.frexp(x[1]),
    "modf of one": lambda x: la.modf(x[5]),
    "cumsum": la.cumsum, "cumsum of columns": lambda x: la.cumsum(x.reshape(5, 2), 0),
    "cumsum along no axis": lambda x: la.cumsum(x, 1), "cumsum in a dtype": lambda x: la.cumsum(x, dtype="float32"),
    "cumprod": la.cumprod, "cumprod of rows": lambda x: la.cumprod(x.reshape(2, 5), axis=-1),
    "meshgrid": lambda x: la.meshgrid(x, [1, 2, 3]), "meshgrid, sparse": lambda x: la.meshgrid(x, x, sparse=True),
    "meshgrid, ij": lambda x: la.meshgrid(x, x[:2], indexing="ij"), "meshgrid of one": lambda x: la.meshgrid(x),
    "meshgrid, unknown": lambda x: la.meshgrid(x, x, indexing="yx"),
    "meshgrid of none": lambda x: la.meshgrid(x, x[:0]),
    "histogram2d": lambda x: la.histogram2d(x, WHOLE, 3), "histogram2d, no bins": lambda x: la.histogram2d(x, x, 0),
    "histogram2d, weights": lambda x: la.histogram2d(WHOLE, WHOLE, bins=4, weights=x),
    "histogram2d, density": lambda x: la.histogram2d(x, x, 3, density=True),
    "histogram2d of other lengths": lambda x: la.histogram2d(x, x[:3]),
    "linspace of arrays": lambda x: la.linspace(x, x[::-1] + 1, 4),
    "linspace, axis": lambda x: la.linspace(0, x, 3, axis=1),
    "linspace of arrays, no end": lambda x: la.linspace(x[:2], 5, 3, endpoint=False),
    "linspace of arrays, one": lambda x: la.linspace(x[5:], 5, 1),
    "i0": lambda x: la.i0(x[:7]), "unravel_index": lambda x: la.unravel_index(WHOLE, (2, 5)),
    "unravel_index of elements": lambda x: la.unravel_index(abs(x), (4, 5)),
    "ravel_multi_index": lambda x: la.ravel_multi_index((WHOLE % 2, abs(x)), (2, 9)),
    "sum from": lambda x: la.sum(x, initial=2), "sum from fractions": lambda x: la.sum(x, initial=2.5),
    "sum in its dtype": lambda x: la.sum(x.reshape(2, 5), 0, x.dtype), "max from": lambda x: la.max(x, initial=3),
    "min from fractions": lambda x: la.min(x, initial=0.5), "prod from": lambda x: la.prod(x[:3], initial=3),
    "sum from too much": lambda x: la.sum(x, initial=1 << 70),
    "max from too much": lambda x: la.max(x, initial=1 << 40),
    "concat with a list": lambda x: la.concat([x, [1, 2]]), "concat with NumPy's": lambda x: la.concat((WHOLE, x)),
    "hstack with a number": lambda x: la.hstack([x, 2]), "concat of numbers": lambda x: la.concat([x, 2]),
    "take_along_axis": lambda x: la.take_along_axis(x.reshape(2, 5), la.asarray([[4, 0], [-1, 1]]), axis=1),
    "take_along_axis, beyond": lambda x: la.take_along_axis(x, la.asarray([10]), axis=0),
}  # fmt: skip

OF_NONE = {
    "linspace": lambda: la.linspace(0, 10, 7), "one": lambda: la.linspace(2, 3, 1),
    "none": lambda: la.linspace(2, 3, 0),
    "no end": lambda: la.linspace(0.1, 0.7, 5, endpoint=False), "down": lambda: la.linspace(5, -5.5, 12),
    "whole": lambda: la.linspace(0, 9, 4, dtype="int32"), "small dtype": lambda: la.linspace(0, 1, 5, dtype=la.float32),
    "negative": lambda: la.linspace(0, 1, -1), "a fraction of them": lambda: la.linspace(0, 1, 2.5),
    "infinite": lambda: la.linspace(0, np.inf, 3), "complex": lambda: la.linspace(0, 1j, 3),
    "bad dtype": lambda: la.linspace(0, 1, 3, dtype="float16"), "along": lambda: la.linspace(0, 1, 3, axis=1),
    "list": lambda: la.asarray([1, 2, 3]), "tuple": lambda: la.array((1.5, -0.0)),
    "list of truths": lambda: la.array([True]),
    "list as floats": lambda: la.asarray([1, 1 << 60], "float32"), "list as whole": lambda: la.asarray([1.5], int),
    "list of large ones": lambda: la.asarray([1 << 63, 1]), "list of larger ones": lambda: la.asarray([1 << 70]),
    "matrix of lists": lambda: la.array([[1, 2], [3, 4]]), "ragged": lambda: la.array([[1, 2], [3]]),
    "matrix of mixed": lambda: la.array([[1, 2.5], [3, True]]), "empty rows": lambda: la.array([[], []]),
    "matrix as floats": lambda: la.array([[1, 2]], "float32"), "cube": lambda: la.array([[[1, 2]], [[3, 4]]]),
    "rows of tuples": lambda: la.array([(1.5, 2), (3, 4)]),
    "matrix of arrays": lambda: la.array([[la.sqrt(4)] * 2] * 2),
    "list as bytes": lambda: la.asarray([300], "uint8"), "empty list": lambda: la.asarray([]),
    "floats as float32": lambda: la.asarray([1e300, 0.1], la.float32),
    "list as truths": lambda: la.asarray([2, 0], bool),
    "list of mixed": lambda: la.asarray([1, 2.5]), "list of complex": lambda: la.asarray([1j]),
    "complex list": lambda: la.asarray([1, 2], complex), "list in columns": lambda: la.asarray([1, 2], order="F"),
    "list in disorder": lambda: la.asarray([1, 2], order="?"), "list shared": lambda: la.asarray([1], copy=False),
    "list of arrays": lambda: la.asarray([la.sqrt(4), la.sqrt(9)]), "unknown list": lambda: la.asarray([1], "float16"),
    "list of arrays as whole": lambda: la.asarray([la.sqrt(4)], int), "matrix": lambda: la.array([1, 2], ndmin=2),
    "logspace": lambda: la.logspace(0, 2, 5), "logspace by two": lambda: la.logspace(0.5, 3, 4, base=2),
    "logspace of none": lambda: la.logspace(0, 1, 0), "logspace, no end": lambda: la.logspace(0, 3, 3, endpoint=False),
    "logspace of a dtype": lambda: la.logspace(0, 3, 4, dtype="int32"), "logspace, -1": lambda: la.logspace(0, 3, -1),
    "geomspace": lambda: la.geomspace(1, 1000, 4), "geomspace below zero": lambda: la.geomspace(-1, -8, 4),
    "geomspace across": lambda: la.geomspace(-1, 8, 4), "geomspace of one": lambda: la.geomspace(2, 8, 1),
    "geomspace of zero": lambda: la.geomspace(0, 8, 4), "geomspace, no end": lambda: la.geomspace(1, 8, 3, False),
    "hanning": lambda: la.hanning(7), "hamming": lambda: la.hamming(4), "bartlett": lambda: la.bartlett(5),
    "blackman": lambda: la.blackman(6)[1:-1], "one point": lambda: la.hanning(1), "no points": lambda: la.hamming(-1),
    "hanning of fractions": lambda: la.hanning(2.5), "hanning of a float": lambda: la.hanning(3.0),
    "tri": lambda: la.tri(3), "tri above": lambda: la.tri(2, 4, 1), "tri of whole": lambda: la.tri(3, dtype="int8"),
    "no tri": lambda: la.tri(0), "tri of fractions": lambda: la.tri(2.5), "tri below": lambda: la.tri(3, 3, -9),
    "index grid": lambda: la.indices((2, 3)), "open index grid": lambda: la.indices((2, 3), sparse=True),
    "index grid of none": lambda: la.indices((2, 0)), "index grid of a dtype": lambda: la.indices((2, 2), "int8"),
    "place in a grid": lambda: la.unravel_index(7, (3, 4)),
    "places by columns": lambda: la.unravel_index([7], (3, 4), "F"),
    "place beyond": lambda: la.unravel_index(12, (3, 4)), "no grid": lambda: la.unravel_index(0, ()),
    "number in a grid": lambda: la.ravel_multi_index((1, 2), (3, 4)),
    "number beyond": lambda: la.ravel_multi_index((1, 9), (3, 4)),
    "number, wrapped": lambda: la.ravel_multi_index((WHOLE, -WHOLE), (3, 4), mode="wrap"),
    "number, clipped": lambda: la.ravel_multi_index((WHOLE, -WHOLE), (3, 4), ("clip", "wrap")),
    "number by columns": lambda: la.ravel_multi_index((WHOLE % 3, WHOLE % 4), (3, 4), order="F"),
    "number of none": lambda: la.ravel_multi_index((), ()),
    "root": lambda: la.sqrt(8), "root of NumPy's": lambda: la.sqrt(np.float32(2)), "root below": lambda: la.sqrt(-1),
    "roots": lambda: la.sqrt([1, 4, 2]), "roots of mixed": lambda: la.sqrt([1, 2.5]),
    "roots in lists": lambda: la.sqrt([[1], [4]]),
    "root of a truth": lambda: la.sqrt(True), "root of nothing": lambda: la.sqrt([]),
    "root of text": lambda: la.sqrt("8"),
    "sum of numbers": lambda: la.add(1, 2), "sum of mixed": lambda: la.add(1, 2.5),
    "sum too large": lambda: la.add(1 << 70, 1),
    "sum of small ones": lambda: la.add(np.int8(100), 100), "sum beyond": lambda: la.add(1, np.uint8(255)),
    "sum with NumPy's": lambda: la.add([1, 2], WHOLE[:2]), "sum of lists": lambda: la.add([1.5, 2], [True]),
    "sum that does not fit": lambda: la.add([1, 2], [1, 2, 3]), "power": lambda: la.power(2, -1),
    "power of floats": lambda: la.power(2.0, -1), "quotient by zero": lambda: la.floor_divide(3, 0),
    "comparison beyond": lambda: la.less(np.uint8(3), 1 << 40), "logarithm of zero": lambda: la.log([0.0, -1.0]),
    "bits of too large": lambda: la.bitwise_count(1 << 70), "bits of a number": lambda: la.bitwise_count(255),
    "complex root": lambda: la.sqrt(-1 + 0j), "truths": lambda: la.logical_and([True, False], True),
    "zeros": lambda: la.zeros(3), "no zeros": lambda: la.zeros((0, 2)),
    "zeros of a dtype": lambda: la.zeros((2, 3), "int8"),
    "one zero": lambda: la.zeros(()), "negative extent": lambda: la.zeros(-1), "ones": lambda: la.ones((2, 1), la.bool),
    "full": lambda: la.full(3, 2.5), "full of whole": lambda: la.full((2,), 7, "float32"),
    "too large": lambda: la.full(3, 300, "int8"), "truncated": lambda: la.full(3, 2.5, "int8"),
    "not a number": lambda: la.full(3, np.nan, "int32"), "complex full": lambda: la.full(3, 1 + 2j),
    "complex as float": lambda: la.full(3, 1 + 2j, "float64"), "full of NumPy's": lambda: la.full(3, np.float32(0.1)),
    "like": lambda: la.full_like(la.asarray(WHOLE), 2.5), "unknown dtype": lambda: la.zeros(3, "float16"),
    "infinite full": lambda: la.full(2, np.inf, "float32"), "large in float32": lambda: la.full(2, 1e300, "float32"),
    "empty": lambda: la.empty((2, 2)), "eye": lambda: la.eye(3), "eye above": lambda: la.eye(2, 4, k=1, dtype="int32"),
    "eye far": lambda: la.eye(2, 3, -7), "no eye": lambda: la.eye(0), "negative eye": lambda: la.eye(-1),
    "eye of fractions": lambda: la.eye(2.5), "identity": lambda: la.identity(2),
    "arange": lambda: la.arange(5), "arange of two": lambda: la.arange(2, 9),
    "arange in steps": lambda: la.arange(9, 0, -2),
    "arange of fractions": lambda: la.arange(0.1, 2, 0.3), "arange of none": lambda: la.arange(5, 2),
    "arange of a dtype": lambda: la.arange(0, 3, 1, "float32"), "arange, no step": lambda: la.arange(0, 3, 0),
    "arange of bools": lambda: la.arange(0, 3, dtype="bool"), "infinite arange": lambda: la.arange(0, np.inf),
    "arange of nothing": lambda: la.arange(), "arange by name": lambda: la.arange(start=1, stop=4),
    "arange of NumPy's": lambda: la.arange(np.int32(4)), "unsigned arange": lambda: la.arange(3, dtype="uint8"),
    "arange as whole": lambda: la.arange(0.5, 4.5, 1.5, dtype="int64"), "complex arange": lambda: la.arange(3j),
    "complex dtype": lambda: la.arange(3, dtype="complex64"),
    "arange beyond": lambda: la.arange(250, 260, dtype="uint8"),
}  # fmt: skip


def outcome(function):
    """The arrays that a function gives; the error's type and text where it raises."""
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        try:
            found = function()
            found = tuple(map(np.asarray, found if isinstance(found, tuple) else (found,)))
        except (ArithmeticError, IndexError, TypeError, ValueError) as error:
            return type(error), str(error)
    return found, [(each.category, str(each.message)) for each in caught]


def recorded(function):
    la.config(tier="reference")
    config.eagerness.want(False)
    try:
        return outcome(function)
    finally:
        la.config(tier="auto")


def compare(function):
    wanted, got = recorded(function), outcome(function)
    if isinstance(wanted[0], type):
        assert got == wanted
        return
    assert got[1] == wanted[1], "warnings"
    assert len(got[0]) == len(wanted[0])
    for a, b in zip(got[0], wanted[0], strict=True):
        assert (a.dtype, a.shape) == (b.dtype, b.shape)
        np.testing.assert_allclose(a, b, rtol=1e-5 if a.dtype in (np.float32, np.complex64) else 1e-12, atol=1e-300)


@pytest.mark.parametrize("name", OF_ONE)
def test_functions_give_what_they_give_where_they_are_recorded(name):
    """Values, dtypes, shapes, warnings, errors: of each dtype, of special values, of memory in steps."""
    with np.errstate(invalid="ignore"):
        values = [(abs(FRACTIONS) if dtype[0] in "ub" else FRACTIONS).astype(dtype) for dtype in (*DTYPES, *COMPLEX)]
        values += [WHOLE, SPECIAL, SPECIAL.astype("float32"), FRACTIONS[::-1]]
    for value in values:
        compare(lambda value=value: OF_ONE[name](la.asarray(value.copy())))
        compare(lambda value=value: OF_ONE[name](la.asarray(np.repeat(value, 2))[::2]))


@pytest.mark.parametrize("name", OF_NONE)
def test_lines_are_what_they_are_where_they_are_recorded(name):
    compare(OF_NONE[name])


def test_they_are_carried_out_at_once_in_memory_of_their_own():
    x = la.asarray(FRACTIONS.copy())
    for function in (lambda: la.interp(x, [0, 1], [2, 3]), lambda: la.take(x, [1, 2]), lambda: x[[0, 1]],
                     lambda: la.repeat(x, 1), lambda: la.diag(x), lambda: la.linspace(0, 1, 5),
                     lambda: la.asarray([1.0, 2.0]), lambda: la.sqrt([1, 2]), lambda: la.add(x, [1.0]),
                     lambda: la.add(WHOLE, WHOLE),
                     lambda: la.concat([x, [1.0]]), lambda: la.select([x > 0], [x]), lambda: la.resize(x, 10),
                     lambda: la.frexp(x)[0], lambda: la.meshgrid(x)[0], lambda: la.negative(FRACTIONS)):  # fmt: skip
        found = function()
        assert found.host is not None
        found[...] = 100
        np.testing.assert_array_equal(np.asarray(x), FRACTIONS)


def test_what_is_traced_large_or_compiled_is_recorded():
    large = la.asarray(np.arange(100_000.0))
    assert la.interp(large, [0, 1], [2, 3]).host is None
    assert la.linspace(0, 1, 5, device=None).host is not None
    assert la.repeat(la.asarray(WHOLE), 10_000).host is None
    assert la.linspace(0, 1, 100_000).host is None
    seen = []
    jitted = lift.jit(lambda x: seen.append(la.take(x, [1, 2]).host) or la.interp(x, [0.0, 1.0], [2.0, 3.0]))
    np.testing.assert_allclose(np.asarray(jitted(eager(FRACTIONS.copy()))), np.interp(FRACTIONS, [0, 1], [2, 3]))
    assert seen == [None]
    la.config(tier="compiled")
    assert la.take(eager(FRACTIONS.copy()), [1, 2]).host is None


@pytest.mark.parametrize("function", [
    lambda a, b: la.add(a, b, dtype="float32"), lambda a, b: la.select([a > 0], [b]),
    lambda a, b: la.select([a > 0, a < 0], [1.5, 2.5], b), lambda a, b: la.choose(a.astype(int), [b, b]),
    lambda a, b: la.ravel_multi_index((a.astype(int), b.astype(int)), (1, 1)),
    lambda a, b: la.take_along_axis(b, a.astype(int), 0), lambda a, b: la.linspace(a, b, 3),
    lambda a, b: la.add(a, b), lambda a, b: la.meshgrid(a, b)[0],
])  # fmt: skip
def test_small_operands_that_broadcast_to_many_elements_are_recorded(function):
    """Of few elements NumPy gives what is recorded of many: no memory is needed for it before somebody asks."""
    few, many = (la.zeros((count, 1)) for count in (8, 1000))
    for each in (few, many):
        each[...] = 0
    assert function(few, few.reshape(1, -1)).host is not None
    assert function(many, many.reshape(1, -1)).host is None


@pytest.mark.parametrize("view", [lambda x: x[::2], lambda x: x, lambda x: np.broadcast_to(x[:1], 4)])
def test_what_a_function_shows_of_its_operand_is_copied(view):
    x = eager(FRACTIONS.copy())
    found = small_by(lambda value: (view(value), 1.5 * value))(la.abs)(x)
    np.testing.assert_array_equal(np.asarray(found[0]), view(FRACTIONS))
    found[0][...] = 100
    np.testing.assert_array_equal(np.asarray(x), FRACTIONS)
    x[...] = 50
    assert (np.asarray(found[0]) == 100).all()


@pytest.mark.parametrize("function", ["convolve", "correlate"])
@pytest.mark.parametrize("dtype", ["bool", "int16", "float32", "complex128"])
def test_longer_vectors_that_exist_are_taken_in_parts(function, dtype):
    """Whole numbers, so that the order of the sums does not count."""
    rng = np.random.default_rng(1)
    for n, m in ((33, 100), (64, 65), (65, 64), (100, 33), (129, 129)):
        x, y = (rng.integers(-3, 4, size).astype(dtype) for size in (n, m))
        if dtype == "complex128":
            x, y = x + 1j * x[::-1], y - 2j * y[::-1]
        for mode in ("full", "same", "valid"):
            mine = getattr(la, function)(la.asarray(x), la.asarray(y), mode)
            theirs = getattr(np, function)(x, y, mode)
            assert mine.dtype == theirs.dtype
            np.testing.assert_array_equal(np.asarray(mine), theirs, str((n, m, mode)))


@pytest.mark.parametrize("through", [lambda x: x, lambda x: x.T, lambda x: x[::-1], lambda x: x.T[1:, ::2]])
def test_norms_of_few_numbers_have_numpys_bits(through):
    rng = np.random.default_rng(12)
    for rows, columns in rng.integers(3, 30, (200, 2)):
        n = rng.normal(size=(rows, columns))
        x = la.asarray(n)
        x[0, 0] = n[0, 0]
        assert float(la.linalg.norm(through(x))) == np.linalg.norm(through(n))


def test_what_numpy_gave_gets_memory_of_its_own_where_it_shows_what_was_given_or_has_gaps():
    given, read_only, pairs = np.arange(6.0), np.arange(3.0), np.arange(6.0)
    read_only.setflags(write=False)
    for found in (given, given[1:], given.reshape(2, 3), read_only, pairs[::2], np.asfortranarray(np.ones((2, 3)))):
        made = in_own_memory(found, [given]).value
        np.testing.assert_array_equal(made, found)
        assert not np.may_share_memory(made, found) and made.flags.c_contiguous and made.flags.writeable
    fresh = np.arange(6.0).reshape(2, 3)
    assert in_own_memory(fresh, [given]).value is fresh
    assert in_own_memory(np.float64(2), [given]).value == 2
