"""Recording an element-wise function: a `map` of a scalar function over its operands, zipped.

Which dtypes a function accepts and what it computes stand in `lazyarr.elements.scalar_functions`. The scalar functions
are made once for each function, dtypes and constants (a recipe), so that recording builds two nodes and no lambda.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import lru_cache
from math import prod
from struct import Struct
from typing import Any

import numpy as np

from ir.core.expr import Bound, Expr, Lambda, fun
from ir.core.patterns import Get, Literal, Map, Repeat, Zip
from ir.core.types import BOOL, TupleType
from ir.reference.library import note_absolute
from lazyarr.array import Array, array_of, combine
from lazyarr.array.core import borrowed
from lazyarr.array.eager import existing
from lazyarr.array.operators import Operators
from lazyarr.array.scalar import Scalar
from lazyarr.config import count_host_call
from lazyarr.dtypes import SUPPORTED, WEAK, DType, Weak, as_dtype, bool_, to_ir
from lazyarr.eager import contractions
from lazyarr.eager.numbers import RANGES
from lazyarr.eager.operations import is_fused
from lazyarr.eager.ufuncs import ufunc_eagerly
from lazyarr.elements.scalar_functions import COMPARISONS, Loop, loop_of
from lazyarr.elements.scalars import cast, literal_of
from lazyarr.graph.builders import broadcast, constant, empty, first
from lazyarr.graph.leaves import looks
from lazyarr.graph.tracing import recordings
from lazyarr.memory.quiet import quietly
from lazyarr.recording.changing_numbers import as_input, changing_numbers
from lazyarr.recording.creation import asarray
from lazyarr.recording.replay import replayable

__all__ = ["answered", "apply", "as_scalar", "check_operands", "is_foreign", "together"]

_Slot = int | bytes  # a function's operand: the position of an array among the zipped ones, or the bits of a constant
_Recipe = tuple[Lambda | None, DType, bool]  # what is mapped, the result's dtype; without a function: every element
_Key = tuple[str | int | bytes | tuple[Any, ...], ...]

_recipes: dict[_Key, _Recipe] = {}
_RECIPES = 4096
"""Recipes kept; constants are part of them, so there is no end of recipes. Then all are forgotten."""

_bits_of = Struct("d").pack


def _apply(name: str, *operands: Any) -> Any:
    """Record the element-wise function of that name: an `Array`, or a `Scalar` if all operands are numbers of a lambda.

    Operands are arrays, traced scalars, NumPy's arrays and scalars, Python numbers, and nested lists of numbers.

    Raises:
        TypeError: dtypes that the function does not take.
        ValueError: shapes that do not broadcast.
        OverflowError: a Python integer that its dtype cannot hold.
    """
    if name == "pow" and type(operands[1]) is Array:
        _check_powers(*operands)
    # What decides the function that is mapped: dtypes, which operands are the same array, numbers with their kinds.
    key: list[Any] = [name]
    nodes: list[Expr] = []
    shape: tuple[int, ...] | None = None
    bound = False
    for operand in operands:
        kind = type(operand)
        if kind is Array:
            if shape is None:
                shape = operand.extents
            elif operand.extents != shape:
                return _apply(name, *_broadcast(name, operands))
            if operand.placed is not None or operand.traced_in is not None:
                bound = True
            node = operand.node
            if node in nodes:
                key.append((nodes.index(node),))
            else:
                key.append(operand.dtype.char)
                nodes.append(node)
        elif kind is float:
            key.append(_bits_of(operand))  # which tell -0.0 from 0.0, and a NaN from no other
        elif kind is int:
            key.append(operand)
        elif kind is bool:
            key.append("true" if operand else "false")
        elif kind is complex:
            key.append(_bits_of(operand.real) + _bits_of(operand.imag))
        elif isinstance(operand, np.generic):
            key.append((operand.dtype.char, operand.tobytes()))
        elif any(type(other) is Scalar for other in operands):
            return _apply_to_scalars(name, operands)
        else:
            answer = answered(name, operands)
            if answer is not NotImplemented:
                return answer
            return apply(name, *(x if type(x) in WEAK else asarray(x, function=name) for x in operands))
    if shape is None:  # an array of a number: of NumPy's, if there is one, as Python's are weak
        at = next((i for i, x in enumerate(operands) if isinstance(x, np.generic)), 0)
        return apply(name, *(asarray(x, function=name) if i == at else x for i, x in enumerate(operands)))
    recipe = _recipes.get(tuple(key))
    if recipe is None:
        recipe = _recipe(name, operands)
        if len(_recipes) >= _RECIPES:
            _recipes.clear()
        _recipes[tuple(key)] = recipe
    f, dtype, answer = recipe
    device, trace = combine(name, [x for x in operands if type(x) is Array]) if bound else (None, None)
    if 0 in shape:
        return array_of(empty(dtype), shape, dtype, device, trace)
    if f is None:
        return array_of(constant(prod(shape), answer, dtype), shape, dtype, device, trace)
    if type(f.body) is Bound and len(nodes) == 1:  # the identity: `conj` of real numbers, `floor` of integers
        return array_of(nodes[0], shape, dtype, device, trace)
    return array_of(Map(f, nodes[0] if len(nodes) == 1 else Zip(*nodes)), shape, dtype, device, trace)


def answered(name: str, operands: tuple[Any, ...], out: Any = None, **keywords: Any) -> Any:
    """What another library's object among the operands, or as `out`, makes of NumPy's function of that name, which
    NumPy asks it for, too: by its `__array_ufunc__`. `NotImplemented` where nobody answers.

    pandas knows arrays by their class (of others `&` of integers are truths): it gets NumPy's arrays.
    """
    ufunc = getattr(np, name, None)
    out = () if out is None else out if type(out) is tuple else (out,)
    others = [x for x in (*operands, *out) if is_foreign(x)] if isinstance(ufunc, np.ufunc) else []
    for x in others:
        if hasattr(x, "__pandas_priority__"):
            operands = tuple(np.asarray(each) if type(each) is Array else each for each in operands)
        given = {key: option for key, option in keywords.items() if option is not _DEFAULTS[key]}
        found = type(x).__array_ufunc__(x, ufunc, "__call__", *operands, **given, **({"out": out} if out else {}))
        if found is not NotImplemented:
            return found
    return NotImplemented


_DEFAULTS = {"where": True, "dtype": None, "casting": "same_kind", "signature": None}
"""Of keywords, which nobody is asked about."""


def is_foreign(x: Any) -> bool:
    """Is it another library's object, which NumPy's functions ask what they give of it?"""
    answer = None if isinstance(x, Operators) else getattr(type(x), "__array_ufunc__", None)
    return answer is not None and answer is not np.ndarray.__array_ufunc__


def _compared(name: str, operands: tuple[Any, ...]) -> Array | None:
    """NumPy's comparison with what no lazy array is made of (text, dates, objects, long doubles); None of others."""
    if name not in COMPARISONS or any(type(x) is Scalar or (type(x) is Array and x.tracing) for x in operands):
        return None
    if any(is_foreign(x) for x in operands):
        return None  # which was asked, and has none
    values = [x if type(x) in WEAK else np.asarray(x) for x in operands]
    if all(type(x) in WEAK or x.dtype in SUPPORTED for x in values):
        return None
    found = getattr(np, name)(*values)
    count_host_call(name)
    return asarray(found, device=next((x.placed for x in operands if type(x) is Array), None))


_recorded = replayable(_apply)
contractions.bind(lambda a, b: _recorded("multiply", a, b))


def apply(name: str, *operands: Any) -> Any:
    """See `_apply`; carried out eagerly where that is sooner done than recorded. Comparisons with what no lazy array is
    made of are NumPy's.
    """
    found = ufunc_eagerly(name, operands)
    if found is not None:
        return found
    try:
        changing = () if recordings.count else changing_numbers(name, operands)
        if changing:
            operands = _with_inputs(name, operands, changing)
        if is_fused(*operands):
            given = [borrowed(x) if type(x) is Array else x for x in operands]
            made = _recorded(name, *given)
            if type(made) is not Array or all(made.expr is not x.expr for x in given if type(x) is Array):
                return made  # else it is the operand itself: the first power
        return _recorded(name, *operands)
    except TypeError:
        compared = _compared(name, operands)
        if compared is None:
            raise
        return compared


def _with_inputs(name: str, operands: tuple[Any, ...], places: tuple[int, ...]) -> tuple[Any, ...]:
    """The operands with arrays of one number in place of the numbers there; these stay where the dtype that they are
    converted to does not hold them.
    """
    loop, made = _loop(name, operands), list(operands)
    for at in places:
        target, number = loop.operands[at], operands[at]
        if target.kind in "fc" or (target.kind in "iu" and RANGES[target][0] <= number <= RANGES[target][1]):
            made[at] = as_input(_bits(name, number, target), target)
    return tuple(made)


def _apply_to_scalars(name: str, operands: tuple[Any, ...]) -> Any:
    """The same where an operand is a number of a lambda: beside arrays of some shape it stands for all elements."""
    operands = tuple([x if type(x) in (*WEAK, Scalar) else asarray(x, function=name) for x in operands])
    arrays = tuple([x for x in operands if type(x) in (Array, Scalar)])
    if any(x.shape for x in arrays):
        return _apply(name, *_broadcast(name, operands))
    loop = _loop(name, operands)
    answer = _decided(name, operands, loop)
    _, trace = combine(name, arrays)
    if answer is not None:
        return Scalar(Literal(answer, BOOL), trace)
    return Scalar(loop.build(*map(_scalar_operand, operands, loop.operands)), trace)


def _broadcast(name: str, operands: tuple[Any, ...]) -> list[Any]:
    """The operands with their arrays, and numbers of a lambda, as arrays of the common shape."""
    arrays = [x for x in operands if type(x) is Array or type(x) is Scalar]
    shape = _common_shape(name, arrays)
    found = []
    for x in operands:
        if type(x) is Array and x.shape != shape:
            node = empty(x.dtype) if 0 in shape else broadcast(x.node, x.shape, shape)
            x = array_of(node, shape, x.dtype, x.placed, x.traced_in)
        elif type(x) is Scalar:
            x = array_of(Repeat(prod(shape), x.expr), shape, x.dtype, x.placed, x.traced_in)
        found.append(x)
    return found


def _recipe(name: str, operands: tuple[Any, ...]) -> _Recipe:
    """What to map over arrays, numbers and NumPy's numbers like these."""
    loop = _loop(name, operands)
    answer = _decided(name, operands, loop)
    if answer is not None:
        return None, bool_, answer
    nodes: list[Expr] = []
    slots: list[_Slot] = []
    for operand, target in zip(operands, loop.operands, strict=True):
        if type(operand) is not Array:
            slots.append(_bits(name, operand, target))
            continue
        if operand.node not in nodes:
            nodes.append(operand.node)
        slots.append(nodes.index(operand.node))
    f = _scalar_lambda(loop, _kinds(name, operands), slots)
    if name == "abs" and loop.operands[0].kind == "c":
        note_absolute(f)
    return f, loop.result, False


def _kinds(name: str, operands: tuple[Any, ...]) -> tuple[DType | Weak, ...]:
    return tuple([type(x) if type(x) in WEAK else as_dtype(x.dtype, name) for x in operands])


def _loop(name: str, operands: tuple[Any, ...]) -> Loop:
    loop = loop_of(name, _kinds(name, operands))
    if name == "pow" and loop.result.kind == "i" and type(operands[1]) not in (Array, Scalar) and operands[1] < 0:
        raise ValueError("pow: integers to negative integer powers are not allowed; convert the base to a float")
    return loop


def check_operands(name: str, operands: Sequence[Any], casting: str) -> None:
    """`TypeError` for an operand that does not convert to what the function of that name takes by NumPy's rule; its
    error for a rule that there is not. Numbers of Python's have no dtype of their own.
    """
    if casting in _TAKEN_ANYHOW:
        return
    np.can_cast(np.int8, np.int8, casting)  # type: ignore[arg-type]  # NumPy checks the rule's name
    found = tuple([x if type(x) in (*WEAK, Array, Scalar) else asarray(x, function=name) for x in operands])
    for x, target in zip(found, _loop(name, found).operands, strict=True):
        if type(x) not in WEAK and x.dtype is not target:
            raise TypeError(
                f"{name}: cannot convert an operand of dtype {x.dtype.name} to {target.name} by {casting!r}"
            )


_TAKEN_ANYHOW = frozenset({"safe", "same_kind", "unsafe"})
"""Rules by which operands convert to whatever they promote to."""


def _check_powers(base: Any, power: Array) -> None:
    """`ValueError` for integers to negative powers, as NumPy raises it: powers are computed for that. Where these have
    no value, as a function is recorded, a kernel gives the reciprocal's whole part for them.
    """
    kind = getattr(base, "dtype", np.dtype(type(base))).kind
    if power.dtype.kind != "i" or kind not in "biu" or not getattr(base, "size", 1):
        return
    if kind == "u" and np.result_type(base.dtype, power.dtype).kind == "f":
        return  # of uint64 beside signed integers
    looks.count += 1  # whatever is found: the powers may be known another time
    values = existing(power)
    if values is None and not power.tracing and not recordings.count:
        values = power.to_numpy()
    if values is not None and values.size and values.min() < 0:
        if type(base) is int:
            power.dtype.type(base)  # OverflowError, which NumPy raises first
        raise ValueError("pow: integers to negative integer powers are not allowed; convert the base to a float")


def _scalar_lambda(loop: Loop, kinds: tuple[DType | Weak, ...], slots: list[_Slot]) -> Lambda:
    """The function that a `map` applies: of a scalar, or of a tuple of scalars where two or more arrays are zipped."""
    types = {slot: to_ir(kind) for slot, kind in zip(slots, kinds, strict=True) if isinstance(slot, int)}  # type: ignore[arg-type]

    def body(parameter: Expr) -> Expr:
        exprs: list[Expr] = []
        for slot, target in zip(slots, loop.operands, strict=True):
            if isinstance(slot, int):
                exprs.append(cast(parameter if len(types) == 1 else Get(slot, parameter), target))
            else:
                exprs.append(literal_of(slot, target))
        return loop.build(*exprs)

    return fun(types[0] if len(types) == 1 else TupleType(tuple(types[i] for i in range(len(types)))), body)


def as_scalar(value: Any) -> Scalar:
    """A number as a traced scalar: a `Scalar`, a 0-dimensional array, a Python or NumPy number."""
    if type(value) is Scalar:
        return value
    array = asarray(value)
    if array.shape:
        raise ValueError(f"expected a number, got an array of shape {array.shape}")
    return Scalar(first(array.node), array.traced_in)


def _scalar_operand(operand: Any, target: DType) -> Expr:
    if type(operand) in (Scalar, Array):
        return cast(as_scalar(operand).expr, target)
    return literal_of(_bits("scalar", operand, target), target)


def _bits(name: str, value: Any, dtype: DType) -> bytes:
    """The bits of a Python or NumPy number as a constant of that dtype."""
    if type(value) is int and dtype.kind in "iu":
        limits = np.iinfo(dtype)
        if not limits.min <= value <= limits.max:
            raise OverflowError(f"{name}: Python integer {value} is out of bounds for {dtype.name}")
    found: bytes = quietly(dtype.type, value).tobytes()
    return found


def _common_shape(name: str, arrays: Sequence[Array | Scalar]) -> tuple[int, ...]:
    """The shape that the arrays' shapes broadcast to.

    Raises:
        ValueError: there is none.
    """
    found = together(*[array.shape for array in arrays])
    if found is None:
        shapes = ", ".join([str(each.shape) for each in arrays])
        raise ValueError(f"{name}: expected operands whose shapes broadcast together, got {shapes}")
    return found


@lru_cache(maxsize=4096)
def together(*shapes: tuple[int, ...]) -> tuple[int, ...] | None:
    """The shape that shapes broadcast to; None if there is none."""
    found: tuple[int, ...] = ()
    for shape in shapes:
        if len(shape) > len(found):
            shape, found = found, shape
        missing = len(found) - len(shape)
        extents = list(found)
        for axis, extent in enumerate(shape, missing):
            if extents[axis] == 1:
                extents[axis] = extent
            elif extent not in (1, extents[axis]):
                return None
        found = tuple(extents)
    return found


def _decided(name: str, operands: tuple[Any, ...], loop: Loop) -> bool | None:
    """The answer of a comparison of integers with a Python integer that their dtype cannot hold; None if it can."""
    if name not in COMPARISONS or not any(type(x) is int for x in operands):
        return None
    a, b = operands
    if (a if type(b) is int else b).dtype is bool_:
        return None  # NumPy takes bools for int64 here, as in arithmetic, where it raises
    target = loop.operands[0]
    if target.kind not in "iu":
        return None
    limits = np.iinfo(target)
    for value in (a, b):
        if type(value) is int and not limits.min <= value <= limits.max:
            sign = 1 if value > 0 else -1  # the array's elements count as zero beside it
            return COMPARISONS[name](sign, 0) if value is a else COMPARISONS[name](0, sign)
    return None
