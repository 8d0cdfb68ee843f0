"""Products of vectors and matrices carried out eagerly, by NumPy's functions where these are accurate enough."""

from __future__ import annotations

from collections.abc import Callable
from functools import partial, wraps
from inspect import unwrap
from math import prod
from typing import Any, Final, TypeVar

import numpy as np
from numpy import ndarray

from ir.cost.thresholds.eager import EAGER_ELEMENTS_IN_LOOPS, EAGER_ELEMENTS_ON_CPUS, EAGER_SECONDS_AT_MOST
from ir.cost.thresholds.products import (
    EAGER_MULTIPLICATIONS_AT_MOST,
    EAGER_PRODUCT_ELEMENTS_AT_MOST,
    INTEGER_MULTIPLICATIONS_AT_MOST,
)
from ir.cost.thresholds.tiers import (
    NUMPY_ELEMENT_SECONDS,
    TERMS_IN_A_ROW,
    TERMS_MULTIPLIED_AT_MOST,
    TERMS_OF_A_PRODUCT,
    TERMS_OF_TWO_VECTORS,
)
from ir.reference.calls import dotted
from lazyarr.array import Array, blank
from lazyarr.array.eager import existing, read_eagerly
from lazyarr.config import eagerness, settings
from lazyarr.dtypes import DType, bool_, complex64, complex128, float32, float64
from lazyarr.eager.numbers import RANGES, of_numpys
from lazyarr.eager.operations import allowed, is_beside_eager, is_ready, numpys_functions
from lazyarr.eager.operator_methods import ALONE
from lazyarr.memory.quiet import ERRORS, quietly, run_quietly
from lazyarr.memory.snapshots import pooled
from lazyarr.runtime import computes_on_cpu

__all__ = ["TERMS_AT_MOST", "as_in_numpy", "of_floats", "of_two_arrays", "summed_products"]

F = TypeVar("F", bound=Callable[..., Any])

_MULTIPLICATIONS_AT_MOST: Final = EAGER_SECONDS_AT_MOST / NUMPY_ELEMENT_SECONDS["product"]
TERMS_AT_MOST: Final = {
    float32: TERMS_IN_A_ROW, float64: TERMS_OF_A_PRODUCT, complex64: TERMS_IN_A_ROW, complex128: TERMS_OF_A_PRODUCT,
    **dict.fromkeys((bool_, *RANGES), INTEGER_MULTIPLICATIONS_AT_MOST),
}  # fmt: skip
"""Terms of a product that NumPy adds as accurately as lazyarr; those of integers are exact."""

_MISSING: Final[Any] = object()
_dot = ndarray.dot

_OF_VECTORS: Final = frozenset({np.matmul, np.dot, np.inner, np.vecdot})
"""Those that give a number for two vectors."""

_OF_VECTORS_ALONE: Final = frozenset({np.inner, np.vecdot})
"""Those of which matrices are multiplied otherwise than by `matmul`."""


def as_in_numpy(numpys: Callable[..., Any]) -> Callable[[F], F]:
    """Decorates a replayable function that gives for two arrays of one dtype what NumPy's gives for theirs, but for
    rounding: on small values that exist NumPy's is called.
    """

    def decorated(replayed: F) -> F:
        numpys_functions[unwrap(replayed)] = partial(_by_numpy, numpys)

        is_of_vectors, of_vectors_alone = numpys in _OF_VECTORS, numpys in _OF_VECTORS_ALONE

        @wraps(replayed)
        def product(a: Any = _MISSING, b: Any = _MISSING, /, *arguments: Any, **keywords: Any) -> Any:
            if type(b) is Array and eagerness.on and not arguments and not keywords:
                found = of_floats(a, b, of_vectors_alone) if is_of_vectors else None
                if found is None:
                    found = of_two_arrays(numpys, a, b)
                if found is not None:
                    return found
            if b is not _MISSING:
                return replayed(a, b, *arguments, **keywords)
            return replayed(**keywords) if a is _MISSING else replayed(a, **keywords)

        return product  # type: ignore[return-value]  # it takes and gives what the function does

    return decorated


def of_floats(a: Any, b: Any, of_vectors_alone: bool = False) -> Array | None:
    """The product of two short eager vectors of float64, or of small matrices, of complex128 too, as loops form them;
    None of others.

    NumPy's `dot` takes a third of the time of `matmul`. Of matrices that lie without gaps it gives the same bits.
    """
    dtype = a.dtype if type(a) is Array and type(b) is Array else None
    if (dtype is float64 or dtype is complex128) and b.dtype is dtype:
        x, y = a.value, b.value
        if type(x) is ndarray and type(y) is ndarray:
            extents, others = a.extents, b.extents
            made = blank(Array)  # as `number` and `over` do, without a call
            try:
                if len(extents) == 1 and extents == others:
                    if extents[0] > TERMS_OF_TWO_VECTORS or dtype is complex128:
                        return None
                    made.value, made.extents = float(run_quietly(_dot, x, y)), ()
                elif not of_vectors_alone and len(extents) + len(others) in (3, 4) and len(extents) <= 2 >= len(others):
                    terms = extents[-1]
                    if terms > TERMS_OF_A_PRODUCT or not 0 < x.size * y.size <= EAGER_MULTIPLICATIONS_AT_MOST * terms:
                        return None
                    if not (x.flags.forc and y.flags.forc) or (terms == 1 and dtype is complex128):
                        return None
                    found = made.value = run_quietly(_dot, x, y)
                    made.extents = found.shape
                else:
                    return None
            except ERRORS:
                return None
            made.expr = made.placed = made.traced_in = made.origin = made.family = made.shared = None
            made.dtype = dtype
            return made
    return None


def of_two_arrays(numpys: Callable[..., Any], a: Any, b: Any) -> Array | None:
    """A product of two eager arrays of one dtype, where NumPy's are accurate; None of others."""
    if type(a) is not Array or type(b) is not Array:
        return None
    x, y, dtype = a.value, b.value, a.dtype
    if type(x) is not ndarray or type(y) is not ndarray or dtype is not b.dtype:
        return _of_nothing(numpys, a, b) if a.extents == (0,) == b.extents else None
    extents = a.extents
    if not extents or not b.extents or not extents[-1]:
        return None
    terms = extents[-1]
    try:
        if len(extents) == 1 and len(b.extents) == 1:
            if numpys not in _OF_VECTORS:
                return None
            if terms <= (TERMS_OF_TWO_VECTORS if dtype is float64 else TERMS_AT_MOST.get(dtype, 0)):
                if dtype.kind == "c":
                    return of_numpys(run_quietly(numpys, x, y))  # which may conjugate
                return of_numpys(run_quietly(x.dot, y))
            if dtype.kind in "fc" and terms <= TERMS_MULTIPLIED_AT_MOST and extents == b.extents:
                if dtype.kind == "c" and numpys is np.vecdot:
                    x = x.conj()
                return of_numpys(run_quietly(summed_products, x, y))
        elif 0 < x.size * y.size <= _multiplications(dtype) * terms:
            if terms <= TERMS_AT_MOST.get(dtype, 0):
                return of_numpys(run_quietly(numpys, x, y))
            is_with_vector = len(extents) + len(b.extents) == 3 and b.extents[0] == terms
            if dtype is float64 and is_with_vector and numpys in (np.matmul, np.dot):
                return of_numpys(quietly(dotted, x, y))  # which may wait for threads: others need that context
    except ERRORS:
        pass
    return None


def _multiplications(dtype: DType) -> int:
    """Multiplications of a product of eager arrays up to which it is carried out eagerly."""
    return EAGER_MULTIPLICATIONS_AT_MOST if dtype.kind in "fc" else INTEGER_MULTIPLICATIONS_AT_MOST


def _of_nothing(numpys: Callable[..., Any], a: Array, b: Array) -> Array | None:
    """The product of two vectors without elements, with which triangular loops begin: zero, whatever they are."""
    if numpys not in _OF_VECTORS or a.dtype is not b.dtype:
        return None
    if any(x.placed is not None or x.tracing for x in (a, b)):
        return None
    return of_numpys(a.dtype.type(0))


def summed_products(x: ndarray[Any, Any], y: ndarray[Any, Any]) -> Any:
    """The sum of the products of two vectors of one dtype with as many elements, as accurate as lazyarr's."""
    dtype = x.dtype
    if x.size <= (TERMS_OF_TWO_VECTORS if dtype is float64 else TERMS_AT_MOST[dtype]) or dtype.kind not in "fc":
        return x.dot(y)
    if dtype.char in "fF":
        wide = np.dtype("D" if dtype.char == "F" else "d")
        return dtype.type(summed_products(x.astype(wide), y.astype(wide)))
    if dtype.kind == "c":
        made = x * y
        return dtype.type(complex(np.add.reduce(made.real), np.add.reduce(made.imag)))
    made = np.multiply(x, y, out=pooled(x.shape, x.dtype, shifted=True)) if x.size > ALONE else x * y
    return np.add.reduce(made)  # in pairs


def _by_numpy(numpys: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Array | None:
    """The result of NumPy's function; None where it is to be recorded."""
    if len(arguments) != 2 or keywords:
        return None
    values: list[np.ndarray[Any, Any]] = []
    beside_eager = is_beside_eager(arguments)
    is_in_loop = True  # are all that are multiplied eager, or a large matrix and an eager vector?
    for x in arguments:
        value = x.host if type(x) is Array else None
        if value is None:
            if type(x) is not Array or not is_ready(x, arguments):
                return None
            if prod(x.extents) > EAGER_PRODUCT_ELEMENTS_AT_MOST:
                if not beside_eager or not _is_large_by_vector(*arguments):
                    return None
            else:
                is_in_loop = False
            value = existing(x)
            if value is None:
                return None
            read_eagerly(x)
        values.append(value)
    a, b = values
    dtype, multiplied = a.dtype, a.size * b.size
    if dtype is not b.dtype or not (a.ndim and b.ndim):
        return None
    if not multiplied and not a.ndim == b.ndim == 1:
        return None  # the result may be large
    terms = a.shape[-1]
    at_most = _multiplications(dtype)
    if multiplied > (at_most if is_in_loop else min(at_most, _MULTIPLICATIONS_AT_MOST)) * terms:
        return None
    if terms > TERMS_IN_A_ROW and dtype.kind in "fc" and _is_inaccurate(a, b):
        if numpys not in (np.matmul, np.dot) or dtype.kind == "c" or a.ndim > 2 or b.ndim > 2 or b.shape[0] != terms:
            return None
        numpys = dotted
    try:
        return of_numpys(quietly(numpys, *values))
    except ERRORS:
        return None


def _is_large_by_vector(a: Any, b: Any) -> bool:
    """Is that a product of a large matrix and a vector, on the host's processor, which a loop over small eager arrays
    goes on with?
    """
    matrix, vector = (a, b) if len(a.extents) == 2 else (b, a)
    if len(matrix.extents) != 2 or len(vector.extents) != 1 or prod(matrix.extents) > EAGER_ELEMENTS_ON_CPUS:
        return False
    if max(matrix.extents) > EAGER_ELEMENTS_IN_LOOPS:
        return False
    return allowed() and computes_on_cpu(settings().device)


def _is_inaccurate(a: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> bool:
    """Does NumPy's library err more than lazyarr in this product? With vectors it does, see `ir.reference.calls`."""
    if a.shape[-1] <= (TERMS_IN_A_ROW if a.dtype.char in "fF" else TERMS_OF_A_PRODUCT):
        return False
    return a.ndim == 1 or b.ndim == 1 or 1 in a.shape[-2:] or 1 in b.shape[-2:]
