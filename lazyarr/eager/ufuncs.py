"""Element-wise functions carried out eagerly: NumPy's own, where they give what lazyarr's do, and Python's of numbers.

Operators of loops come here first, thousands of times a second: two operands, of which one is an eager array and the
other one, too, or a number of Python's. What is not as simple is looked at more closely, or recorded.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from math import prod
from typing import Any, Final

import numpy as np
from numpy import ndarray

from ir.cost.thresholds.eager import EAGER_ELEMENTS_AT_MOST, EAGER_ELEMENTS_IN_LOOPS, EAGER_THREADS_FROM_BYTES
from lazyarr.array import Array, blank, number
from lazyarr.array.eager import existing, read_eagerly
from lazyarr.config import eagerness
from lazyarr.dtypes import SUPPORTED, WEAK, bool_, float64
from lazyarr.eager.contractions import deferred, note_product
from lazyarr.eager.numbers import (
    EXACT,
    OF_BOOLS,
    OF_COMPLEX_ALONE,
    OF_FLOATS,
    OF_INTEGERS,
    RANGES,
    as_value,
    broadcast_size,
    of_numpys,
    of_scalar,
)
from lazyarr.eager.numpys_ufuncs import beside, chosen, known_ufunc, numpys_ufuncs
from lazyarr.eager.operations import allowed, is_numpys, is_ready
from lazyarr.eager.operator_methods import ALONE, Operator, operator
from lazyarr.eager.shared_out import put_by_threads
from lazyarr.eager.temporaries import memory_for
from lazyarr.memory.quiet import ERRORS, quietly, run_quietly
from lazyarr.memory.snapshots import pooled

__all__ = ["by_known", "by_numpy", "of_one", "of_two", "reflected", "ufunc_eagerly"]

_IN_LOOPS: Final = EAGER_ELEMENTS_IN_LOOPS


def _nothing(a: Any, b: Any) -> None:
    return None


@cache
def reflected(name: str) -> Operator:
    """A function of two operands, of which the second is an array and given first; it gives None where these are not as
    simple.
    """
    return operator(name, by_numpy(name), _nothing, is_reflected=True)


@cache
def of_two(name: str) -> Operator:
    """A function of two operands, of which one is an array; it gives None where these are not as simple."""
    forward: Any = None
    backward: Any = None

    def function(a: Any, b: Any) -> Any:
        nonlocal forward, backward
        if forward is None:
            backward = reflected(name)
            forward = operator(name, by_numpy(name), _nothing)
        return forward(a, b) if type(a) is Array else backward(b, a)

    return function


@cache
def by_numpy(name: str) -> Operator:
    """A function of two operands by NumPy's function; it gives None where that is to be recorded."""
    known, is_product = numpys_ufuncs[name], name == "multiply"

    def function(a: Any, b: Any) -> Array | None:
        broadcasts = False
        if type(a) is Array:
            x: Any = a.value
            if x is None:
                return None
            extents: tuple[int, ...] | None = a.extents
            if type(b) is Array:
                y: Any = b.value
                if y is None:
                    return None
                dtype = a.dtype
                if dtype is b.dtype:
                    if type(x) is not ndarray and type(y) is not ndarray and dtype is not float64:
                        x, y = a.host, b.host  # of their dtype; beside an array, Python's number is as good
                    ufunc = known.get(dtype)
                else:
                    x, y = a.host, b.host
                    ufunc = known.get((dtype, b.dtype))
                size = x.size if type(x) is ndarray else 1
                if extents != b.extents:
                    if type(y) is ndarray:
                        if size > 1 < y.size and size * y.size > ALONE:
                            size = _broadcast_size(x, y)
                            broadcasts = is_product and _repeat_each_other(a.extents, b.extents)
                            if broadcasts:
                                put_off = deferred(a, b, size)
                                if put_off is not None:
                                    return put_off
                            if not 0 <= size <= EAGER_ELEMENTS_IN_LOOPS:
                                return None  # it may be larger than both, or recording raises lazyarr's own error
                        else:
                            size *= y.size
                    if b.extents:
                        extents = None if extents else b.extents
            else:
                kind = type(b)
                if type(x) is not ndarray and not (type(x) is float and (kind is float or _is_exact(b))):
                    x = a.host
                y, ufunc, size = b, beside(known, a.dtype, kind), x.size if type(x) is ndarray else 1
        elif type(b) is Array and b.value is not None:
            y = b.value
            if type(y) is not ndarray:
                y = b.host
            x, extents, ufunc, size = a, b.extents, known.get((type(a), b.dtype)), y.size
        else:
            return None
        if ufunc is None:
            return _beside_numpys(function, a, b)  # type: ignore[no-any-return]  # an Array, or None
        if size > EAGER_ELEMENTS_IN_LOOPS and not is_numpys(size, a, b):
            return None
        made_by = None
        try:
            may_lie_so = extents is None or len(extents) > 1
            if size <= ALONE or (may_lie_so and (_lies_by_columns(x) or _lies_by_columns(y))):
                found = run_quietly(ufunc[0], x, y)
            else:
                shape, dtype = extents or np.broadcast(x, y).shape, ufunc[1]
                may_raise = name == "pow" and dtype.kind in "iu"  # when it has written some elements
                if may_raise:
                    found = pooled(shape, dtype, shifted=True)
                else:
                    found, made_by = memory_for(shape, dtype, a, b)
                if size * dtype.itemsize < EAGER_THREADS_FROM_BYTES:
                    run_quietly(ufunc[0], x, y, out=found)
                else:
                    put_by_threads(run_quietly, ufunc[0], (x, y), found)
        except ERRORS:
            return None
        if extents and (len(extents) == 1 or found.flags.c_contiguous):
            made = blank(Array)  # as `over` does, without a call
            made.expr = made.placed = made.traced_in = made.origin = made.family = made.shared = None
            made.value = found
            made.extents = extents
            made.dtype = ufunc[1]
            if made_by is not None:
                made.made_by = made_by
        else:
            made = of_numpys(found)
        if broadcasts:
            note_product(made, x, y, size)
        return made

    return function


def _broadcast_size(x: ndarray[Any, Any], y: ndarray[Any, Any]) -> int:
    """Elements of what two arrays broadcast to; -1 where they do not."""
    try:
        return np.broadcast(x, y).size
    except ValueError:
        return -1


def _repeat_each_other(a: tuple[int, ...], b: tuple[int, ...]) -> bool:
    """May arrays of those extents have each of their elements many times beside the other one?"""
    return (1 in a or len(a) < len(b)) and (1 in b or len(b) < len(a))


def _is_exact(x: Any) -> bool:
    """Is it an integer of Python's that is a float64 number, too?"""
    return type(x) is int and -EXACT < x < EXACT


def _lies_by_columns(x: Any) -> bool:
    """Does it lie column by column? NumPy, which goes through it in that order, finds memory for the result then."""
    return type(x) is ndarray and x.flags.fnc


def _beside_numpys(function: Operator, a: Any, b: Any) -> Any:
    """A function of an eager array and a number of NumPy's; None of others."""
    if isinstance(a, np.generic):
        made = of_scalar(a)
        return None if made is None else function(made, b)
    made = of_scalar(b) if isinstance(b, np.generic) else None
    return None if made is None else function(a, made)


@cache
def of_one(name: str) -> Callable[[Any], Array | None]:
    """A function of one operand, an array; it gives None where that is to be recorded."""
    of_floats, of_integers, of_bools = OF_FLOATS.get(name), OF_INTEGERS.get(name), OF_BOOLS.get(name)
    of_complex = OF_COMPLEX_ALONE.get(name)
    known = numpys_ufuncs[name]

    def function(a: Any) -> Array | None:
        p: Any = a.value
        kind = type(p)
        if kind is ndarray:
            if p.size > _IN_LOOPS and not is_numpys(p.size, a):
                return None
        elif kind is float:
            if of_floats is not None:
                try:
                    return number(of_floats(p), float64)
                except ValueError:
                    pass
        elif kind is int:
            if of_integers is not None:
                found, (least, most) = of_integers(p), RANGES[a.dtype]
                if least <= found <= most:
                    return number(found, a.dtype)
            p = a.host
        elif kind is bool:
            if of_bools is not None:
                return number(of_bools(p), bool_)
            p = a.host
        elif kind is complex:
            if of_complex is not None:
                try:
                    return number(of_complex[0](p), of_complex[1])
                except OverflowError:
                    pass  # NumPy has a result
        else:
            return None
        ufunc = known.get(a.dtype)
        if ufunc is None:
            return None
        try:
            if kind is not ndarray or p.size <= ALONE or _lies_by_columns(p):
                found = run_quietly(ufunc[0], p)
            else:
                found = pooled(p.shape, ufunc[1], shifted=True)
                put_by_threads(run_quietly, ufunc[0], (p,), found)
        except ERRORS:
            return None
        extents = a.extents
        if extents and (len(extents) == 1 or found.flags.c_contiguous):
            made = blank(Array)  # as `over` does, without a call
            made.expr = made.placed = made.traced_in = made.origin = made.family = made.shared = None
            made.value = found
            made.extents = extents
            made.dtype = ufunc[1]
            return made
        return of_numpys(found)

    return function


def ufunc_eagerly(name: str, operands: Sequence[Any]) -> Array | None:
    """The result of an element-wise function; None where it is to be recorded."""
    if not eagerness.on and not allowed():
        return None
    if len(operands) < 3 and (type(operands[0]) is Array or type(operands[-1]) is Array):
        found: Array | None = (of_two(name) if len(operands) == 2 else of_one(name))(*operands)
        if found is not None:
            return found
    if not _is_few(operands):
        return None if Array in map(type, operands) else _beside_values(name, operands)
    key: list[Any] = []
    values: list[Any] = []
    for x in operands:
        kind = type(x)
        if kind is Array:
            value = x.host
            if value is None:
                if not is_ready(x, operands):
                    return None
                value = existing(x)
                if value is None:
                    return None
                read_eagerly(x)
            key.append(value.dtype)
            values.append(value)
        elif kind in WEAK:
            key.append(kind)
            values.append(x)
        elif isinstance(x, np.generic) and x.dtype in SUPPORTED:
            key.append(x.dtype)
            values.append(x)
        else:
            return _beside_values(name, operands)
    function = known_ufunc(name, key, values)
    if function is None:
        return None
    try:
        is_large = any(type(x) is ndarray and x.size > ALONE for x in values)
        if not is_large or function[0] is chosen or any(map(_lies_by_columns, values)):
            return of_numpys(quietly(function[0], *values))
        made = pooled(np.broadcast(*values).shape, function[1], shifted=True)
        put_by_threads(quietly, function[0], values, made)
        return of_numpys(made)
    except ERRORS:
        return None


def _beside_values(name: str, operands: Sequence[Any]) -> Array | None:
    """The same where numbers stand alone, or operands are small arrays of NumPy's or lists of numbers of one kind."""
    values: list[Any] = []
    for x in operands:
        kind = type(x)
        if kind is Array:
            value = existing(x) if is_ready(x, operands) else None
            if value is None:
                return None
            read_eagerly(x)
        elif kind in WEAK:
            value = x
        else:
            value = as_value(x)
            if value is None:
                return None
        values.append(value)
    if not any(
        type(x) is ndarray for x in values
    ):  # as recorded: one number stands for an array, one of NumPy's if there is one, and others are weak
        at = next((i for i, x in enumerate(values) if type(x) not in WEAK), 0)
        values[at] = np.asarray(values[at])
        if values[at].dtype not in SUPPORTED:
            return None
    return by_known(name, values)


def by_known(name: str, values: Sequence[Any]) -> Array | None:
    """The result of an element-wise function for values of NumPy's and numbers of Python's; None where it is to be
    recorded, as that of many elements is.
    """
    try:
        if len(values) > 1 and broadcast_size(values) > EAGER_ELEMENTS_AT_MOST:
            return None
    except ValueError:
        return None  # recording raises lazyarr's own error
    function = known_ufunc(name, [type(x) if type(x) in WEAK else x.dtype for x in values], values)
    if function is None:
        return None
    try:
        return of_numpys(quietly(function[0], *values))
    except ERRORS:
        return None


def _is_few(operands: Sequence[Any]) -> bool:
    """Are the results few enough, or as many as an eager operand has, or the array whose parts it shows?"""
    shape: tuple[int, ...] | None = None
    size = largest = eager_ones = 0  # elements of the result at most, of the largest operand, and of the eager ones
    for x in operands:
        if type(x) is not Array:
            continue
        own = prod(x.extents)
        size = own if shape is None or x.extents == shape else size * own
        shape = x.extents
        largest = max(largest, own)
        if x.value is not None:
            eager_ones = max(eager_ones, own)
    if shape is None:
        return False
    at_most = EAGER_ELEMENTS_IN_LOOPS if eager_ones else EAGER_ELEMENTS_AT_MOST
    if size > at_most and size != largest:
        try:
            size = prod(np.broadcast_shapes(*[x.extents for x in operands if type(x) is Array]))
        except ValueError:
            return False  # recording raises lazyarr's own error
    if size > at_most and size != eager_ones and not any(size == _shown_size(x) for x in operands):
        return False
    return size <= at_most or is_numpys(size, *operands)


def _shown_size(x: Any) -> int:
    """Elements of the eager array that an operand is a part of; 0 of others."""
    owner = x.shared.owner() if type(x) is Array and x.shared is not None else None
    return 0 if owner is None else prod(owner.extents)
