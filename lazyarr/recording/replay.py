"""Functions that are recorded as operations: seen before with such arguments, they only note what they are applied to.

The first call with arrays of some shapes and dtypes, and with some other arguments, does everything: it checks them,
raises, builds the expression. If it read no values and its result is a new array, then the next such call must come to
a result of the same shape and dtype, and gets a recorded call (`lazyarr.graph.recorded_calls`).
"""

from __future__ import annotations

import inspect
import sys
import warnings
from collections.abc import Callable, Sequence
from functools import wraps
from math import prod
from struct import Struct
from types import EllipsisType, NoneType
from typing import Any, Final, TypeVar

import numpy as np

from ir.core.expr import Expr
from ir.core.nodes.views import Slice
from ir.cost.thresholds.eager import EAGER_FUNCTION_ELEMENTS_AT_MOST
from lazyarr.array import Array, array_of
from lazyarr.array.eager import existing, read_eagerly
from lazyarr.config import eagerness, precisions
from lazyarr.eager.at_once import carried_out_at_once
from lazyarr.eager.operations import allowed, carried_out, is_ready, numpys_functions, recording_only
from lazyarr.graph.leaves import Input, looks
from lazyarr.graph.recorded_calls import Operation, RecordedCall, composing, depth_of
from lazyarr.graph.tracing import current, recordings
from lazyarr.recording import deep
from lazyarr.recording.precision import as_recorded, in_precision

__all__ = ["each_time", "plain", "replayable", "warn"]

F = TypeVar("F", bound=Callable[..., Any])
T = TypeVar("T")

_CAPACITY: Final = 4096
"""Operations of one age. There are two ages: the older one is forgotten when the younger one is full."""

_LONGEST: Final = 64
"""Items of a key beyond which an operation is not looked for."""

_bits_of = Struct("d").pack
_SAME: Final = {str, NoneType, EllipsisType, int, type, *[type(np.dtype(code)) for code in "?bhilqBHILQefdgFDG"]}
"""Types of arguments that are equal to no other argument that means something else."""


class _Operations:
    """The operations that were met, by what decides them; None for calls that must always be made."""

    def __init__(self) -> None:
        self.young: dict[Any, Operation | None] = {}
        self._old: dict[Any, Operation | None] = {}

    def older(self, key: Any) -> Any:
        """What was last met a while ago, young again; `_UNKNOWN` if it was not."""
        found = self._old.get(key, _UNKNOWN)
        if found is not _UNKNOWN and found is not None:  # of what is to be called it is asked again some day
            self.put(key, found)
        return found

    def put(self, key: Any, operation: Operation | None) -> None:
        """Remember one."""
        if len(self.young) >= _CAPACITY:
            self._old, self.young = self.young, {}
        self.young[key] = operation


def plain(cls: type[T]) -> type[T]:
    """A class of hashable arguments that hold no arrays and nothing that is equal to what means something else."""
    _SAME.add(cls)
    return cls


_UNKNOWN: Final[Any] = object()
_KEYWORDS: Final = object()
"""What stands in a key before the arguments that were given by name."""
_operations = _Operations()


class Call(Operation):
    """An operation that is a call of a function of arrays."""

    __slots__ = ()

    def of(self, nodes: Sequence[Expr]) -> Expr:
        """The expression of the result for those of the operands."""
        arrays = [array_of(node, *like) for node, like in zip(nodes, self.operands, strict=True)]
        keywords = {name: _filled(value, arrays) for name, value in self.keywords.items()}
        composing.depth += 1
        try:
            with recording_only:
                function = as_recorded(self.function) if precisions.vary else self.function
                found: Expr = function(*_filled(self.arguments, arrays), **keywords).node
        finally:
            composing.depth -= 1
        return found


class Place(int):
    """The number of the array that stands there among the arguments of an operation."""

    __slots__ = ()


def _filled(value: Any, arrays: Sequence[Any]) -> Any:
    kind = type(value)
    if kind is Place:
        return arrays[value]
    if kind is tuple or kind is list:
        return kind([_filled(each, arrays) for each in value])
    return value


def replayable(function: F) -> F:
    """Decorates a function of arrays and other arguments that gives an array: calls like earlier ones are only noted.

    What it gives must follow from its arguments alone, their shapes and dtypes in case of arrays, and from the values
    of arrays only through expressions of theirs. A call with an array `out` is made each time, and only once: it
    assigns to that array.
    """
    names = list(inspect.signature(function).parameters)
    place_of_out = names.index("out") if "out" in names else sys.maxsize

    @wraps(function)
    def replayed(*arguments: Any, **keywords: Any) -> Any:
        if (keywords and keywords.get("out") is not None) or (
            len(arguments) > place_of_out and arguments[place_of_out] is not None
        ):
            return _called(function, arguments, keywords)
        if recordings.count and current() is not None:
            return function(*arguments, **keywords)  # which arrays it reads is noted
        called = in_precision(function) if precisions.vary else function
        key: list[Any] = [called]
        operands: list[Any] = []
        placed = None
        depth = 0
        nested = False  # do operands stand elsewhere than among the arguments?
        for x in arguments:
            kind = type(x)
            if kind is Array:
                if x.value is not None and allowed():
                    found_eagerly = _eagerly(function, arguments, keywords)
                    if found_eagerly is not None:
                        return found_eagerly
                standing = x.expr
                if type(standing) is RecordedCall:
                    if standing.depth > depth:
                        depth = standing.depth
                elif type(standing) is not Input or x.traced_in is not None:
                    if x.traced_in is not None or x.standing.loose:
                        return function(*arguments, **keywords)
                    standing = x.standing
                    nested = True
                key.append((x.extents, x.dtype.char))
                operands.append(standing)
                if x.placed is not None:
                    placed = x.placed
            elif kind is float:
                key.append(_bits_of(x))  # which tell -0.0 from 0.0, and a NaN from no other
            elif kind in _SAME:
                key.append(x)
            else:
                nested = True
                if not _noted(x, key, operands):
                    return _called(function, arguments, keywords)
        if keywords:
            if keywords.get("device") is not None:
                return _called(function, arguments, keywords)  # the result is put there, whatever the operands are on
            key.append(_KEYWORDS)
            for name, x in keywords.items():
                key.append(name)
                if type(x) in _SAME:
                    key.append(x)
                    continue
                nested = True
                if not _noted(x, key, operands):
                    return _called(function, arguments, keywords)
        whole = tuple(key)
        operation = _operations.young.get(whole, _UNKNOWN)
        if operation is _UNKNOWN:
            operation = _operations.older(whole)
        if operation is None:
            return _called(function, arguments, keywords)
        is_known = operation is not _UNKNOWN
        if is_known and operation.at_once and placed is None and (eagerness.on or allowed()):
            made_at_once = carried_out_at_once(operation, operands)
            if made_at_once is not None:
                return made_at_once
        if not depth and placed is None and (operation.eager is not False if is_known else operands) and allowed():
            found_eagerly = _eagerly(function, arguments, keywords)
            if found_eagerly is not None:
                return found_eagerly
            operation = _operations.young.get(whole, _UNKNOWN)
        if operation is _UNKNOWN:
            return _first(called, whole, arguments, keywords, operands, placed)
        if operation is None:
            return _called(function, arguments, keywords)
        if placed is not None and any(type(x) is Array and x.placed not in (None, placed) for x in arguments):
            return function(*arguments, **keywords)  # which says so
        found = RecordedCall(operation, tuple(operands), depth_of(operands) if nested else depth)
        made = array_of(found, operation.extents, operation.dtype, placed)
        if found.depth > deep.PENDING_DEPTH_AT_MOST // 2:
            deep.compute_if_deep(made, found)
        return made

    return replayed  # type: ignore[return-value]  # it takes and gives what the function does


def _eagerly(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Array | None:
    """The result of a call like one that was met, carried out on values that exist; None where it is to be recorded."""
    by_numpy = numpys_functions.get(function)
    if by_numpy is not None:
        found = by_numpy(arguments, keywords)
        if found is not None:
            return found
    key: list[Any] = [function]
    arrays: list[Array] = []
    if not all(_noted(x, key, arrays, _itself) for x in arguments):
        return None
    if keywords:
        key.append(_KEYWORDS)
        for name, x in keywords.items():
            key.append(name)
            if name == "device" or not _noted(x, key, arrays, _itself):
                return None
    values = []
    for x in arrays:
        if prod(x.extents) > EAGER_FUNCTION_ELEMENTS_AT_MOST or not is_ready(x, arrays):
            return None
        value = existing(x)
        if value is None:
            return None
        read_eagerly(x)
        values.append(value)
    whole = tuple(key)
    operation = _operations.young.get(whole, _UNKNOWN)
    if operation is _UNKNOWN:
        operation = _operations.older(whole)
        if operation is _UNKNOWN:
            made: Array = _first(function, whole, arguments, keywords, [x.standing for x in arrays], None)
            operation = _operations.young.get(whole)
            if operation is None:
                return made  # such calls are made each time, but once
    if operation is None:
        return None
    if prod(operation.extents) > EAGER_FUNCTION_ELEMENTS_AT_MOST:
        operation.eager = False
    return carried_out(operation, values)


def _itself(x: Array) -> Array:
    return x


def _standing(x: Array) -> Expr | RecordedCall:
    return x.standing


def _called(function: Callable[..., Any], arguments: tuple[Any, ...], keywords: dict[str, Any]) -> Any:
    """A call that is made each time. What it recorded keeps hold of the operands' results, which others may need."""
    made = function(*arguments, **keywords)
    if type(made) is Array and not isinstance(made.expr, (RecordedCall, Input)):
        found: list[Array] = []
        _emptied((arguments, tuple(keywords.values())), found)
        _share(made, [x.standing for x in found if x is not made])
        standing = made.standing
        if type(standing) is RecordedCall and standing.depth > deep.PENDING_DEPTH_AT_MOST // 2:
            deep.compute_if_deep(made, standing)
    return made


def _share(made: Array, operands: Sequence[Expr | RecordedCall]) -> None:
    """Let an array stand for what one of the operands stands for, if that is its expression (in another shape); else
    for something of its own, made of them.
    """
    for standing in operands:
        if type(standing) is RecordedCall and standing.made is made.expr:
            made.expr = standing
            return
    made.held(tuple(operands))


def each_time() -> None:
    """The call that is being made is to be made each time: it warns."""
    looks.count += 1


def warn(message: str, category: type[Warning]) -> None:
    """Warn where lazyarr was called, each time it is."""
    each_time()
    frame, level = sys._getframe(), 1
    while frame.f_back is not None and frame.f_globals.get("__name__", "").split(".")[0] == "lazyarr":
        frame, level = frame.f_back, level + 1
    warnings.warn(message, category, level)


def _noted(x: Any, key: list[Any], operands: list[Any], of: Callable[[Array], Any] = _standing) -> bool:
    """Note an argument: what is made of arrays among the operands, others in the key. Can such calls be recognised?"""
    kind = type(x)
    if kind in _SAME:
        key.append(x)
    elif kind is bool:
        key.append((bool, x))
    elif kind is float:
        key.append(_bits_of(x))
    elif kind is complex:
        key.append((complex, _bits_of(x.real), _bits_of(x.imag)))
    elif kind is slice:
        parts = x.start, x.stop, x.step
        if not _SAME.issuperset(map(type, parts)):
            return False
        key.append((slice, parts))
    elif kind is tuple or kind is list:
        if len(x) + len(key) > _LONGEST or (kind is list and any(type(each) is list for each in x)):
            return False
        if kind is tuple and _SAME.issuperset(map(type, x)):
            key.append((tuple, x))
            return True
        key.append((kind, len(x)))
        return all(_noted(each, key, operands, of) for each in x)
    elif kind is Array:
        if x.placed is not None or x.traced_in is not None or (x.value is None and x.standing.loose):
            return False
        key.append((x.extents, x.dtype.char))
        operands.append(of(x))
    elif isinstance(x, np.generic) and x.dtype.kind in "biufc":
        key.append((np.generic, x.dtype.char, x.tobytes()))
    else:
        return False
    return True


def _first(
    function: Callable[..., Any],
    key: tuple[Any, ...],
    arguments: tuple[Any, ...],
    keywords: dict[str, Any],
    operands: list[Any],
    placed: Any,
) -> Any:
    """A call unlike those that were met: made, and remembered.

    Args:
        placed: the device that one of the operands was put on
    """
    arrays: list[Array] = []
    template = _emptied(arguments, arrays)
    operation = Call(
        function,
        template,
        {name: _emptied(value, arrays) for name, value in keywords.items()},
        tuple([(x.extents, x.dtype) for x in arrays]),
    )
    before = looks.count
    with recording_only:
        made = function(*arguments, **keywords)
    if (
        looks.count != before
        or type(made) is not Array
        or made.origin is not None
        or made.family is not None
        or made.traced_in is not None
        or made.placed != placed
        or 0 in made.extents
        or any(x.expr is not standing for x, standing in zip(arrays, operands, strict=True))  # it assigned to one
        or any(made.expr is standing for standing in operands)
    ):
        _operations.put(key, None)
        if type(made) is Array and not isinstance(made.expr, (RecordedCall, Input)):
            _share(made, operands)
        return made
    operation.extents, operation.dtype = made.extents, made.dtype
    operation.picks = type(made.expr) is Slice
    _operations.put(key, operation)
    found = RecordedCall(operation, tuple(operands), depth_of(operands))
    if isinstance(made.expr, Expr):
        found.become(made.expr)
    made.expr = found
    if found.depth > deep.PENDING_DEPTH_AT_MOST // 2:
        deep.compute_if_deep(made, found)
    return made


def _emptied(value: Any, arrays: list[Array]) -> Any:
    """An argument with places instead of its arrays, which are put in order."""
    kind = type(value)
    if kind is Array:
        arrays.append(value)
        return Place(len(arrays) - 1)
    if kind is tuple or kind is list:
        return kind([_emptied(each, arrays) for each in value])
    return value
