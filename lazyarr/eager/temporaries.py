"""Memory for results of operators on large eager arrays: that of an operand which dies with the operation, if there is
one, as NumPy does it for its own temporaries; else some that is used again.

    y = 0.25 * (a + b) + c      # the memory of a + b takes the product, and then the sum

An operand dies if nothing but the expression holds it. References tell that an array has one holder, not which: a NumPy
array of objects, or C code, may be it, and asks for sums of what it keeps. So the memory of each result notes which
instruction made it, and a later operator takes it only where the code says that its operand is what that gave.
"""

from __future__ import annotations

import sys
from sys import getrefcount
from types import CodeType
from typing import Any, Final

import numpy as np
from numpy import ndarray

from lazyarr.array import Array
from lazyarr.dtypes import DType
from lazyarr.memory.snapshots import COUNTS, HostBlock, pooled

__all__ = ["memory_for", "noted_memory"]

_Memory = np.ndarray[Any, Any]
_Place = tuple[int, int]

_OPERATIONS: Final = frozenset({"BINARY_OP", "UNARY_NEGATIVE", "UNARY_INVERT"})
"""Instructions whose results are noted."""

_PLAIN: Final = frozenset(
    {"BINARY_SLICE", "BINARY_SUBSCR", "BUILD_SLICE", "BUILD_TUPLE", "CALL", "LOAD_ATTR", "LOAD_CLOSURE", "LOAD_CONST"}
    | {"LOAD_DEREF", "LOAD_FAST", "LOAD_FAST_CHECK", "LOAD_GLOBAL", "LOAD_METHOD", "LOAD_NAME", "PRECALL", "PUSH_NULL"}
)
"""Instructions that put one result in the place of what they take from the stack, and perhaps something above it."""

_NOTHING: Final = frozenset({"CACHE", "EXTENDED_ARG", "KW_NAMES", "NOP"})
"""Instructions that leave the stack as it is."""

_NONE: Final = -1, -1
_CODES_KNOWN: Final = 256
_known: dict[int, tuple[CodeType, dict[int, _Place]]] = {}
"""By the identity of a code object, which is kept for that."""


def _operands(code: CodeType) -> dict[int, _Place]:
    """For the place of each binary operator in a code object, where its operands were computed; -1 of others."""
    import dis  # few processes come here

    found: dict[int, _Place] = {}
    stack: list[int] = []  # where what lies on top was computed, as far as that is known
    for each in dis.get_instructions(code):
        if each.is_jump_target:
            stack.clear()
        name, at = each.opname, each.offset
        if name in _NOTHING:
            continue
        if name not in _OPERATIONS and name not in _PLAIN:
            stack.clear()
            continue
        if name == "BINARY_OP":
            found[at] = (stack[-2], stack[-1]) if len(stack) > 1 else (-1, stack[-1]) if stack else _NONE
        grows = dis.stack_effect(each.opcode, each.arg, jump=False)
        del stack[max(0, len(stack) - max(0, 1 - grows)) :]
        stack.extend([at if name in _OPERATIONS else -1] * max(1, grows))
    return found


def _operands_at(code: CodeType, at: int) -> _Place:
    known = _known.get(id(code))
    if known is None:
        if len(_known) >= _CODES_KNOWN:
            _known.clear()
        known = _known[id(code)] = code, _operands(code)
    return known[1].get(at, _NONE)


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


def _dies(x: Any, made: int, code: CodeType, shape: Any, dtype: DType) -> bool:
    """Is that operand, which an instruction of the code made, the expression's alone, and fit for such a result?"""
    value = x.value
    if (getrefcount(x), getrefcount(value)) != _DYING or type(value) is not ndarray:
        return False
    block = value.base
    if x.shared is not None or x.dtype is not dtype or value.shape != shape or type(block) is not HostBlock:
        return False
    return block.made[0] is code and block.made[1] == made and value.flags.carray


def memory_for(shape: tuple[int, ...], dtype: DType, a: Any, b: Any) -> _Memory:
    """Memory in row-major order for the result of an operator, which may be that of an operand, for the function that
    the operator of `lazyarr.eager.operator_methods` calls.

    Args:
        a: the first operand, an array or a number
        b: the second one
    """
    frame = sys._getframe(3)
    code, at = frame.f_code, frame.f_lasti
    del frame
    found: Any = None
    if COUNTS:
        left, right = _operands_at(code, at)
        if left >= 0 and type(a) is Array and _dies(a, left, code, shape, dtype):
            found = a.value
        elif (
            right >= 0
            and type(b) is Array
            and (type(a) is not Array or type(a.value) is ndarray)  # else the operator may not hold the value of b
            and _dies(b, right, code, shape, dtype)
        ):
            found = b.value
    if found is None:
        found = pooled(shape, dtype, shifted=True)
    return _noted(found, code, at)


def noted_memory(shape: tuple[int, ...], dtype: DType) -> _Memory:
    """The same for an operator of one operand, whose memory is not taken."""
    frame = sys._getframe(3)
    return _noted(pooled(shape, dtype, shifted=True), frame.f_code, frame.f_lasti)


def _noted(found: _Memory, code: CodeType, at: int) -> _Memory:
    """Memory, with the instruction that makes its contents."""
    block = found.base
    if type(block) is HostBlock:  # small results have memory of their own
        block.made = code, at
    return found
