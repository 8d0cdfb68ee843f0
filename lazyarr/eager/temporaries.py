"""Memory for results of operators on large eager arrays: that of an operand which dies with the operation, if there is
one, as NumPy does it for its own temporaries; else some that is used again.

    y[1:-1] = 0.25 * (x[:-2] + x[2:])      # the memory of the sum takes the product

An operand dies if nothing but the expression holds it. References tell that an array has one holder, not which: a NumPy
array of objects may be it, whose operators call those of its elements, of one element many times (`@`, broadcasts). So
it must be seen that the interpreter itself asks, for its own operand:

* Slices and such of large arrays note which instruction made them. It was given an `Array`, since NumPy's arrays never
  ask their elements for parts.
* An operator one of whose operands such an instruction made, as the code says, was called by the interpreter: NumPy's
  arrays leave operators beside an `Array` to that (its `__array_ufunc__` is None). So its result is noted, too.

Memory of noted results alone is taken: expressions of names (`a + b + c`) prove nothing of who asks. What a class of
somebody's own does with an operand is not seen: one that kept it (`stack << x[1:]`), and handed it to the same
instruction in an array of objects which alone holds it, would pass for the interpreter.

A note holds the code object, as long as the array lives.
"""

from __future__ import annotations

import sys
from itertools import pairwise
from sys import getrefcount
from types import CodeType
from typing import Any, Final
from weakref import ref

import numpy as np
from numpy import ndarray

from lazyarr.array import Array
from lazyarr.dtypes import DType
from lazyarr.memory.snapshots import COUNTS, HostBlock, pooled

__all__ = ["memory_for"]

_NOTED: Final = frozenset({"BINARY_OP", "BINARY_SLICE", "BINARY_SUBSCR"})
"""Instructions whose results may be noted."""

_PLAIN: Final = frozenset(
    {"BUILD_SLICE", "BUILD_TUPLE", "CALL", "LOAD_ATTR", "LOAD_CLOSURE", "LOAD_CONST", "LOAD_DEREF", "LOAD_FAST"}
    | {"LOAD_FAST_CHECK", "LOAD_GLOBAL", "LOAD_METHOD", "LOAD_NAME", "PRECALL", "PUSH_NULL", "UNARY_NEGATIVE"}
)
"""Instructions that put one result in the place of what they take from the stack, and perhaps something above it."""

_NOTHING: Final = frozenset({"CACHE", "EXTENDED_ARG", "KW_NAMES", "NOP"})
"""Instructions that leave the stack as it is."""

_NOWHERE: Final = range(0)
_Places = tuple[range, range]
_Table = dict[int, _Places]

_known: dict[int, tuple[ref[CodeType], _Table]] = {}
"""By the identity of a code object, as long as that lives."""


def _operands(code: CodeType) -> _Table:
    """For the offset of each binary operator in a code object, of which such an instruction made an operand, those that
    made both: from their offset to that of the next ones, since some are met at the end of their inline caches.
    """
    import dis  # few processes come here

    found: _Table = {}
    stack: list[range] = []  # what made that which lies on top, as far as that is known
    for each, next_one in pairwise(dis.get_instructions(code)):
        if each.is_jump_target:
            stack.clear()
        name = each.opname
        if name in _NOTHING:
            continue
        if name not in _NOTED and name not in _PLAIN:
            stack.clear()
            continue
        if name == "BINARY_OP":
            left, right = [_NOWHERE, _NOWHERE, *stack][-2:]
            if left or right:
                found[each.offset] = left, right
        grows = dis.stack_effect(each.opcode, each.arg, jump=False)
        del stack[max(0, len(stack) - max(0, 1 - grows)) :]
        stack.extend([range(each.offset, next_one.offset) if name in _NOTED else _NOWHERE] * max(1, grows))
    return found


def _remembered(code: CodeType) -> tuple[ref[CodeType], _Table]:
    key = id(code)
    known = _known[key] = ref(code, lambda _: _known.pop(key, None)), _operands(code)
    return known


def _is_of(x: Any, code: CodeType, places: range) -> bool:
    """Did that instruction of the code make that operand?"""
    if type(x) is not Array:
        return False
    made = getattr(x, "made_by", None)
    return made is not None and made[0] is code and made[1] in places


def _references(x: Any) -> tuple[int, int]:
    """What `getrefcount` says of an operand and its value, two calls below what an operator calls."""
    value = x.value
    return getrefcount(x), getrefcount(value)


class _Probe:
    """What calls as the operators of arrays do, down to `_dies`."""

    __slots__ = ("value",)

    def __init__(self) -> None:
        self.value = object()

    def __add__(self, other: Any) -> tuple[Any, ...]:
        p, q = self.value, other.value  # which the text of the operators holds
        return *_called(self, other), p is q


def _called(a: Any, b: Any) -> tuple[Any, ...]:
    x, y = a.value, b.value
    return *_asked(a, b), x is y


def _asked(a: Any, b: Any) -> tuple[Any, ...]:
    return _references(a), _references(b)


def _of_dying() -> tuple[int, int]:
    """What `_references` says of an operand that dies; -1 where references do not tell."""
    left, right, *_ = _Probe() + _Probe()
    named, other = _Probe(), _Probe()
    named_left, named_right, *_ = named + other
    tells = COUNTS and left == right and named_left == named_right == (left[0] + 1, left[1])
    return left if tells else (-1, -1)


_DYING: Final = _of_dying()


def _dies(x: Any, shape: tuple[int, ...], dtype: DType) -> bool:
    """Is that operand, which shows no other one's memory, the expression's alone, and fit for such a result?"""
    value = x.value
    if (getrefcount(x), getrefcount(value)) != _DYING or type(value) is not ndarray:
        return False
    return x.dtype is dtype and value.shape == shape and type(value.base) is HostBlock and value.flags.carray


def memory_for(
    shape: tuple[int, ...], dtype: DType, a: Any, b: Any
) -> tuple[np.ndarray[Any, Any], tuple[CodeType, int] | None]:
    """Memory in row-major order for the result of an operator, which may be that of an operand, for the function that
    the operator of `lazyarr.eager.operator_methods` calls; and what is to be noted of that result.

    Args:
        a: the first operand, an array or a number
        b: the second one
    """
    made_by = None
    if COUNTS:
        frame = sys._getframe(3)
        code, at = frame.f_code, frame.f_lasti
        places = (_known.get(id(code)) or _remembered(code))[1].get(at)
        if places is not None:
            left, right = places
            of_left = left and _is_of(a, code, left)
            if of_left:
                made_by = code, at
                if a.shared is None and _dies(a, shape, dtype):
                    return a.value, made_by
            if right and (not of_left or (type(b) is Array and b.shared is None)) and _is_of(b, code, right):
                made_by = code, at
                # else the operator may not hold the value of b
                holds = type(a) is not Array or type(a.value) is ndarray
                if holds and b.shared is None and _dies(b, shape, dtype):
                    return b.value, made_by
    return pooled(shape, dtype, shifted=True), made_by
