"""Sums of products over named dimensions: `tensordot`, `outer`, `inner`, `vdot`, `kron`, `einsum`.

Each becomes transposes, reshapes and one matrix product for two operands, so that there is one way to contract.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import prod
from typing import Any

from lazyarr.array import Array
from lazyarr.creation import asarray
from lazyarr.elementwise import conj, multiply
from lazyarr.movement import normalise_axes, permute_dims, reshape
from lazyarr.products import matmul
from lazyarr.reductions import sum as sum_

__all__ = ["diagonal", "einsum", "inner", "kron", "outer", "tensordot", "trace", "vdot"]


def tensordot(a: Any, b: Any, /, axes: Any = 2) -> Array:
    """The sums of products over pairs of dimensions; what is left of `a` comes first in the result, then of `b`.

    axes : a number n: the last n dimensions of `a` with the first n of `b`; or two sequences of dimensions

    Raises `ValueError` for dimensions of different extents.
    """
    a, b = asarray(a, function="tensordot"), asarray(b, function="tensordot")
    if isinstance(axes, int):
        if not 0 <= axes <= min(a.ndim, b.ndim):
            raise ValueError(f"tensordot: expected 0 to {min(a.ndim, b.ndim)} axes, got {axes}")
        left, right = tuple(range(a.ndim - axes, a.ndim)), tuple(range(axes))
    else:
        first, second = axes
        left, right = normalise_axes("tensordot", first, a.ndim), normalise_axes("tensordot", second, b.ndim)
    extents = [a.shape[axis] for axis in left]
    if extents != [b.shape[axis] for axis in right]:
        raise ValueError(f"tensordot: axes {left} of shape {a.shape} do not fit axes {right} of shape {b.shape}")
    rows = [axis for axis in range(a.ndim) if axis not in left]
    columns = [axis for axis in range(b.ndim) if axis not in right]
    k, shape = prod(extents), (*(a.shape[axis] for axis in rows), *(b.shape[axis] for axis in columns))
    m, n = prod(a.shape[axis] for axis in rows), prod(b.shape[axis] for axis in columns)
    product = matmul(
        reshape(permute_dims(a, (*rows, *left)), (m, k)), reshape(permute_dims(b, (*right, *columns)), (k, n))
    )
    return reshape(product, shape)


def outer(a: Any, b: Any, /) -> Array:
    """The products of each element of `a` with each of `b`, both taken as vectors: shape (size of a, size of b)."""
    a, b = asarray(a, function="outer"), asarray(b, function="outer")
    return multiply(reshape(a, (a.size, 1)), reshape(b, (1, b.size)))


def inner(a: Any, b: Any, /) -> Array:
    """The sums of products along the last dimensions of both; with a number the multiple."""
    a, b = asarray(a, function="inner"), asarray(b, function="inner")
    if not a.shape or not b.shape:
        return multiply(a, b)
    if a.shape[-1] != b.shape[-1]:
        raise ValueError(f"inner: expected last dimensions of one extent, got shapes {a.shape} and {b.shape}")
    return tensordot(a, b, axes=((-1,), (-1,)))


def vdot(a: Any, b: Any, /) -> Array:
    """The dot product of all elements of both as vectors, those of `a` conjugated."""
    a, b = asarray(a, function="vdot"), asarray(b, function="vdot")
    if a.size != b.size:
        raise ValueError(f"vdot: expected as many elements in both, got shapes {a.shape} and {b.shape}")
    return matmul(reshape(conj(a) if a.dtype.kind == "c" else a, -1), reshape(b, -1))


def kron(a: Any, b: Any, /) -> Array:
    """The Kronecker product: the block of `b` scaled by each element of `a`."""
    a, b = asarray(a, function="kron"), asarray(b, function="kron")
    ndim = max(a.ndim, b.ndim)
    left, right = ((1,) * (ndim - x.ndim) + x.shape for x in (a, b))
    apart = [extent for pair in zip(left, (1,) * ndim, strict=True) for extent in pair]
    between = [extent for pair in zip((1,) * ndim, right, strict=True) for extent in pair]
    product = multiply(reshape(a, tuple(apart)), reshape(b, tuple(between)))
    return reshape(product, tuple(m * n for m, n in zip(left, right, strict=True)))


def diagonal(x: Any, /, offset: int = 0, axis1: int = -2, axis2: int = -1) -> Array:
    """The elements (i, i + offset) of the last two dimensions, or of `axis1` and `axis2`, as the last dimension.

    `ValueError` for fewer than two dimensions. NumPy's function of this name takes the first two by default.
    """
    x = asarray(x, function="diagonal")
    if x.ndim < 2:
        raise ValueError(f"diagonal: expected two or more dimensions, got shape {x.shape}")
    first, second = normalise_axes("diagonal", (axis1, axis2), x.ndim)
    x = permute_dims(x, (*(axis for axis in range(x.ndim) if axis not in (first, second)), first, second))
    m, n = x.shape[-2:]
    start = offset if offset >= 0 else -offset * n
    count = max(0, min(m, n - offset) if offset >= 0 else min(m + offset, n))
    flat = reshape(x, (*x.shape[:-2], m * n))
    return flat[..., start : start + (count - 1) * (n + 1) + 1 : n + 1] if count else flat[..., :0]


def trace(x: Any, /, *, offset: int = 0, dtype: Any = None) -> Array:
    """The sums of the diagonals of the last two dimensions."""
    return sum_(diagonal(x, offset), axis=-1, dtype=dtype)


# --- einsum ---------------------------------------------------------------------------------------------------------


def einsum(subscripts: str, /, *operands: Any) -> Array:
    """The sums of products that the subscripts name, as NumPy's: `einsum("ij,jk->ik", a, b)`.

    Repeated letters of an operand take its diagonal; letters that the result does not have are summed over; `...`
    stands for dimensions that broadcast. Operands are contracted from the left, two at a time.

    Raises `ValueError` for subscripts that do not fit the operands.
    """
    arrays = [asarray(x, function="einsum") for x in operands]
    terms, result = _parse(subscripts, arrays)
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


def _parse(subscripts: str, arrays: Sequence[Array]) -> tuple[list[str], str]:
    """The letters of each operand and of the result, the dimensions of `...` as letters of their own."""
    left, arrow, right = subscripts.replace(" ", "").partition("->")
    terms = left.split(",")
    if len(terms) != len(arrays):
        raise ValueError(f"einsum: {subscripts!r} names {len(terms)} operands, got {len(arrays)}")
    spare = [chr(0x3B1 + i) for i in range(max((array.ndim for array in arrays), default=0))]  # Greek letters
    expanded, widest = [], 0
    for term, array in zip(terms, arrays, strict=True):
        before, dots, after = term.partition("...")
        count = array.ndim - len(before) - len(after) if dots else 0
        if count < 0 or (not dots and len(term) != array.ndim):
            raise ValueError(f"einsum: {term!r} does not fit an operand of shape {array.shape}")
        widest = max(widest, count)
        expanded.append(before + "".join(spare[len(spare) - count :]) + after)
    ellipsis = "".join(spare[len(spare) - widest :])
    letters = "".join(terms).replace(".", "")
    if not letters.isalpha() and letters:
        raise ValueError(f"einsum: expected letters, commas, `...` and `->`, got {subscripts!r}")
    if arrow:
        result = right.replace("...", ellipsis)
    else:
        result = ellipsis + "".join(sorted(c for c in set(letters) if letters.count(c) == 1))
    if len(set(result)) < len(result) or not set(result) <= set("".join(expanded)):
        raise ValueError(f"einsum: the result {right!r} repeats a letter or names one that no operand has")
    return expanded, result


def _single(term: str, array: Array) -> tuple[str, Array]:
    """An operand with the diagonal of each repeated letter taken, that letter last."""
    for letter in [c for c in dict.fromkeys(term) if term.count(c) > 1]:
        while term.count(letter) > 1:
            first, second = term.index(letter), term.rindex(letter)
            if array.shape[first] != array.shape[second]:
                raise ValueError(f"einsum: {letter!r} names extents {array.shape[first]} and {array.shape[second]}")
            array = diagonal(array, 0, first, second)
            term = term[:first] + term[first + 1 : second] + term[second + 1 :] + letter
    return term, array


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
