"""`einsum`: sums of products over named dimensions, two operands at a time, each a matrix product.

What is left to do beside the products are transposes, reshapes and sums.
"""

from __future__ import annotations

import operator
import string
from collections.abc import Callable
from functools import lru_cache
from math import prod
from typing import Any

import numpy as np

from ir.cost.thresholds.eager import EAGER_FUNCTION_ELEMENTS_AT_MOST
from ir.cost.thresholds.tiers import TERMS_IN_A_ROW
from lazyarr.aliasing import viewing
from lazyarr.aliasing.outputs import dtype_of, put_reduced
from lazyarr.aliasing.viewing import diagonal_view
from lazyarr.api.elementwise.standard import multiply
from lazyarr.api.linear.products import matmul
from lazyarr.api.reduce.reductions import sum as sum_
from lazyarr.array import Array
from lazyarr.dtypes import SUPPORTED, as_dtype, promote
from lazyarr.eager.functions import small_by
from lazyarr.eager.products import summed_products
from lazyarr.memory.orders import as_order
from lazyarr.recording.conversion import astype
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import permute_dims, reshape
from lazyarr.recording.positional import diagonal
from lazyarr.recording.replay import replayable

__all__ = ["einsum", "einsum_path"]


def einsum(
    subscripts: Any,
    *operands: Any,
    dtype: Any = None,
    order: str = "K",
    casting: Any = "safe",
    optimize: Any = False,
    out: Any = None,
) -> Array:
    """The sums of products that the subscripts name, as NumPy's: `einsum("ij,jk->ik", a, b)`.

    Repeated letters of an operand take its diagonal; letters that the result does not have are summed over; `...`
    stands for dimensions that broadcast. Operands are contracted from the left, two at a time, in the dtype that all
    and `out` promote to, or in `dtype`: `casting` must allow to convert operands to it, and the result to `out`'s.
    `optimize` and `order` are there for NumPy's sake and change no value; with `optimize`, as in NumPy, the result may
    leave out `...`, over which is summed then. One operand of which nothing is summed over is shown by a view, to which
    may be assigned.

    In place of subscripts, each operand may have a list of numbers behind it, and the result's stand last.

    Raises:
        ValueError: subscripts that do not fit the operands.
        TypeError: operands or an `out` that do not convert.
    """
    if not isinstance(subscripts, str):
        subscripts, operands = _as_letters((subscripts, *operands))
    as_order(order, "einsum")
    may_sum_dots = optimize is not False
    if out is not None:
        made = _contracted(
            subscripts, *operands, dtype=dtype, casting=casting, may_sum_dots=may_sum_dots, to=dtype_of(out)
        )
        return put_reduced("einsum", out, made, casting)
    if len(operands) == 1:
        x = asarray(operands[0], function="einsum")
        (term,), result = _parse(subscripts, (x.ndim,), may_sum_dots)
        if set(term) == set(result) and (dtype is None or as_dtype(dtype, "einsum") is x.dtype):
            return _view(term, x, result)
    if dtype is None and not may_sum_dots and "." not in subscripts:
        found = _of_few(subscripts, *operands)
        if found is not None:
            return found
    return _contracted(subscripts, *operands, dtype=dtype, casting=casting, may_sum_dots=may_sum_dots)


@replayable
def _contracted(subscripts: str, *operands: Any, dtype: Any, casting: Any, may_sum_dots: bool, to: Any = None) -> Array:
    """The sums of products, in memory of their own, to be put into an array of dtype `to`."""
    arrays = [asarray(x, function="einsum") for x in operands]
    if not arrays:
        raise ValueError("einsum: expected one or more arrays behind the subscripts")
    dtypes = [*(x.dtype for x in arrays), *([to] if to in SUPPORTED else [])]
    target = promote(*dtypes) if dtype is None else as_dtype(dtype, "einsum")
    for number, x in enumerate(arrays):
        if not np.can_cast(x.dtype, target, casting):
            raise TypeError(
                f"einsum: operand {number} of dtype {x.dtype.name} does not convert to {target.name} with casting "
                f"{casting!r}"
            )
    arrays = [x if x.dtype is target else astype(x, target) for x in arrays]
    terms, result = _parse(subscripts, tuple([x.ndim for x in arrays]), may_sum_dots)
    extents: dict[str, int] = {}
    for term, array in zip(terms, arrays, strict=True):
        for letter, extent in zip(term, array.shape, strict=True):
            known = extents.get(letter, 1)
            if known != extent and 1 not in (known, extent):
                raise ValueError(f"einsum: {letter!r} has extents {known} and {extent} in {subscripts!r}")
            extents[letter] = max(known, extent)
    current, array = _single(terms[0], arrays[0])
    for number in range(1, len(arrays)):
        term, other = _single(terms[number], arrays[number])
        later = {letter for t in (*terms[number + 1 :], result) for letter in t}
        current, array = _pair(current, array, term, other, later)
    return _finish(current, array, result)


def einsum_path(subscripts: Any, *operands: Any, optimize: Any = "greedy") -> tuple[list[Any], str]:
    """The order in which NumPy would contract the operands, and its description; from their shapes alone.

    `einsum` here contracts from the left: it takes the path as `optimize`, and follows none.
    """
    if not isinstance(subscripts, str):
        subscripts, operands = _as_letters((subscripts, *operands))
    arrays = [asarray(x, function="einsum_path") for x in operands]
    shapes = [np.broadcast_to(np.empty((), x.dtype), x.shape) for x in arrays]
    path, description = np.einsum_path(subscripts, *shapes, optimize=optimize)
    return list(path), description


def _as_letters(given: tuple[Any, ...]) -> tuple[str, tuple[Any, ...]]:
    """Operands with lists of numbers behind them as subscripts and operands."""
    lists = [*given[1::2], *(given[-1:] if len(given) % 2 else ())]
    operands = given[: len(given) // 2 * 2 : 2]
    letters = string.ascii_letters
    try:
        terms = ["".join("..." if i is Ellipsis else letters[operator.index(i)] for i in each) for each in lists]
    except (TypeError, IndexError):
        raise TypeError(f"einsum: expected subscripts, or lists of numbers below {len(letters)}, got {lists}") from None
    result = f"->{terms.pop()}" if len(given) % 2 else ""
    return ",".join(terms) + result, operands


def _by_numpy(subscripts: str, *operands: Any) -> Any:
    """The sums of few products of arrays of real numbers of one dtype, by NumPy; None of others."""
    kinds = {x.dtype if type(x) is np.ndarray else None for x in operands}
    if len(kinds) > 1 or None in kinds or operands[0].dtype.kind not in "fiu":
        return None
    terms, result = _parse(subscripts, tuple([x.ndim for x in operands]), False)
    x, y = operands[0], operands[-1]
    if len(operands) == 2 and terms[0] == terms[1] and not result and x.shape == y.shape and x.size:
        return summed_products(x.reshape(-1), y.reshape(-1)) if len(set(terms[0])) == x.ndim else None
    extents: dict[str, int] = {}
    for term, each in zip(terms, operands, strict=True):
        for letter, extent in zip(term, each.shape, strict=True):
            extents[letter] = max(extent, extents.get(letter, 1))
    summed = [extent for letter, extent in extents.items() if letter not in result]
    # NumPy adds to zero, also where nothing is summed over: there negative zeros get another sign
    is_accurate = x.dtype.kind != "f" or (summed and prod(summed) <= TERMS_IN_A_ROW)
    few = is_accurate and 0 < prod(extents.values()) <= EAGER_FUNCTION_ELEMENTS_AT_MOST and 0 not in x.shape
    return np.einsum(subscripts, *operands) if few else None


_of_few: Callable[..., Array | None] = small_by(_by_numpy)(lambda *_: None)


@lru_cache(maxsize=1024)
def _parse(subscripts: str, dimensions: tuple[int, ...], may_sum_dots: bool) -> tuple[tuple[str, ...], str]:
    """The letters of each operand and of the result, the dimensions of `...` as letters of their own."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(dimensions):
        raise ValueError(f"einsum: {subscripts!r} names {len(terms)} operands, got {len(dimensions)}")
    spare = [chr(0x3B1 + i) for i in range(max(dimensions, default=0))]  # Greek letters
    expanded, widest = [], 0
    for term, ndim in zip(terms, dimensions, strict=True):
        before, dots, after = term.partition("...")
        count = ndim - len(before) - len(after) if dots else 0
        if count < 0 or (not dots and len(term) != ndim):
            raise ValueError(f"einsum: {term!r} does not fit an operand of {ndim} dimensions")
        widest = max(widest, count)
        expanded.append(before + "".join(spare[len(spare) - count :]) + after)
    ellipsis = "".join(spare[len(spare) - widest :])
    letters = "".join(terms).replace(".", "")
    if not letters.isalpha() and letters:
        raise ValueError(f"einsum: expected letters, commas, `...` and `->`, got {subscripts!r}")
    if arrow:
        if ellipsis and "..." not in right and not may_sum_dots:
            raise ValueError(f"einsum: the result {right!r} has no `...`, which stands for {widest} dimensions here")
        result = right.replace("...", ellipsis)
    else:
        result = ellipsis + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if len(set(result)) < len(result) or not set(result) <= set("".join(expanded)):
        raise ValueError(f"einsum: the result {right!r} repeats a letter or names one that no operand has")
    return tuple(expanded), result


def _single(term: str, array: Array, diagonal: Callable[..., Array] = diagonal) -> tuple[str, Array]:
    """An operand with the diagonal of each repeated letter taken, that letter last."""
    for letter in [c for c in dict.fromkeys(term) if term.count(c) > 1]:
        while term.count(letter) > 1:
            first, second = term.index(letter), term.rindex(letter)
            if array.shape[first] != array.shape[second]:
                raise ValueError(f"einsum: {letter!r} names extents {array.shape[first]} and {array.shape[second]}")
            array = diagonal(array, 0, first, second)
            term = term[:first] + term[first + 1 : second] + term[second + 1 :] + letter
    return term, array


def _view(term: str, x: Array, result: str) -> Array:
    """An operand of which nothing is summed over: its diagonals, and its dimensions in the order of the result."""
    term, x = _single(term, x, diagonal_view)
    return viewing.permute_dims(x, [term.index(c) for c in result])


def _pair(a: str, x: Array, b: str, y: Array, later: set[str]) -> tuple[str, Array]:
    """Two operands contracted over the letters that nothing needs later."""
    a, x = _summed(a, x, later | set(b))
    b, y = _summed(b, y, later | set(a))
    batch = [c for c in a if c in b and c in later]
    inner_ = [c for c in a if c in b and c not in later]
    rows, columns = [c for c in a if c not in b], [c for c in b if c not in a]
    for c in (*batch, *inner_):  # a dimension of extent one stands for any
        if x.shape[a.index(c)] != y.shape[b.index(c)]:
            return _broadcast_pair(a, x, b, y, later)
    left = permute_dims(x, [a.index(c) for c in (*batch, *rows, *inner_)])
    right = permute_dims(y, [b.index(c) for c in (*batch, *inner_, *columns)])
    head, k = left.shape[: len(batch)], prod(x.shape[a.index(c)] for c in inner_)
    m, n = prod(x.shape[a.index(c)] for c in rows), prod(y.shape[b.index(c)] for c in columns)
    shape = (*head, *(x.shape[a.index(c)] for c in rows), *(y.shape[b.index(c)] for c in columns))
    if not inner_:
        product = multiply(reshape(left, (*head, m, 1)), reshape(right, (*head, 1, n)))
    else:
        product = matmul(reshape(left, (*head, m, k)), reshape(right, (*head, k, n)))
    return "".join((*batch, *rows, *columns)), reshape(product, shape)


def _broadcast_pair(a: str, x: Array, b: str, y: Array, later: set[str]) -> tuple[str, Array]:
    letters = a + "".join(c for c in b if c not in a)
    product = multiply(_spread(a, x, letters), _spread(b, y, letters))
    return _summed(letters, product, later)


def _spread(term: str, x: Array, letters: str) -> Array:
    ordered = permute_dims(x, [term.index(c) for c in letters if c in term])
    return reshape(ordered, tuple(x.shape[term.index(c)] if c in term else 1 for c in letters))


def _summed(term: str, x: Array, needed: set[str]) -> tuple[str, Array]:
    """An operand summed over the letters that nothing needs."""
    axes = tuple(i for i, c in enumerate(term) if c not in needed)
    if not axes:
        return term, x
    return "".join(c for c in term if c in needed), sum_(x, axis=axes, dtype=x.dtype)


def _finish(term: str, x: Array, result: str) -> Array:
    term, x = _summed(term, x, set(result))
    return permute_dims(x, [term.index(c) for c in result])
