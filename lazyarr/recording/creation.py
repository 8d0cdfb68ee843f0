"""Arrays from NumPy's, from numbers and from lists."""

from __future__ import annotations

import operator
import reprlib
from math import prod
from sys import getrefcount
from typing import Any

import numpy as np
from numpy.exceptions import ComplexWarning

from ir.core.patterns import Repeat
from ir.cost.thresholds.eager import EAGER_FUNCTION_ELEMENTS_AT_MOST
from lazyarr.array import Array, array_of, arrayed, box, eager, known_device, lies_in, over, same_device
from lazyarr.array.eager import existing
from lazyarr.array.operators import is_arraylike
from lazyarr.array.scalar import Scalar
from lazyarr.config import eagerness
from lazyarr.dtypes import SUPPORTED, WEAK, DType, as_dtype, bool_, check_cast, complex128, float64, int64, promote
from lazyarr.eager.joins import as_joined, values_together
from lazyarr.eager.operations import allowed, is_ready
from lazyarr.graph.leaves import leaf
from lazyarr.memory.masked import refuse_masked
from lazyarr.memory.orders import as_order
from lazyarr.memory.snapshots import ONE_HOLDER, is_constant, snapshot, taken_over
from lazyarr.recording.replay import warn

__all__ = ["as_arrays", "as_shape", "as_value", "asarray"]


def asarray(
    obj: Any,
    /,
    dtype: Any = None,
    order: str | None = None,
    *,
    device: Any = None,
    copy: bool | None = None,
    function: str = "asarray",
) -> Array:
    """The object as an array; an `Array` of that dtype is itself.

    What is made of NumPy memory means the values of that moment: they are copied, in one pass (64 MiB take about 5 ms,
    where their sum takes 2 and NumPy's copy 10; `docs/accuracy.md` has the table). Memory is shared without a copy
    where nobody else can write to it: that of a temporary (`asarray(np.arange(n))`), of an array that is read-only
    like all that it is a view of, of a lazy array's value and of `bytes`; and where `copy=False` asks for it. Shared
    memory must not be written to as long as the result, or anything recorded from it, is in use, and assignments to
    the result are not seen in it. A CPU device computes with the copy, or with what is shared, where it lies; other
    devices get it when it is first needed.

    Args:
        obj: an `Array`, a NumPy array or scalar, a Python number, nested lists of numbers, or what NumPy makes an array
            of
        dtype: convert to it
        device: the device to compute on; None: the default one
        copy: True: always copy; False: share the memory whoever can write to it, and raise `ValueError` where it cannot
            be shared: other dtypes and byte orders, gaps, complex numbers, whose parts are kept apart
        order: NumPy's order in memory ("C", "F", "K" or "A"): what does not lie in it is copied, though the copy has no
            order
        function: whose name stands in errors

    Warns, with `numpy.exceptions.ComplexWarning`, where complex arrays become real.

    Raises:
        TypeError: a dtype that is not supported (float16, strings, objects), or Python's complex numbers that
            should become real.
        OverflowError: a Python number that an integer dtype cannot hold.
        ValueError: NaN, for an integer dtype; masked elements of `numpy.ma`.
        DeviceError: a device that there is not.
    """
    if type(obj) is Array and dtype is None and order is None and device is None and copy is None:
        return obj if obj.extents or function != "asarray" else arrayed(obj, obj)
    if type(copy) is str:  # type: ignore[comparison-overlap]  # which NumPy refuses, too
        raise ValueError(f"{function}: expected copy to be True, False or None, got {copy!r}")
    if type(obj) in _LISTS and device is None and order in _ANY_ORDER and copy is not False:
        few = _few_numbers(obj, dtype, function)
        if few is not None:
            return few
    elif isinstance(obj, _ALONE) and dtype is None and device is None and order in _ANY_ORDER and copy is not False:
        alone = _number_alone(obj, function)
        if alone is not None:
            return alone
    unheld = type(obj) is np.ndarray and getrefcount(obj) == ONE_HOLDER and taken_over(obj)  # while nobody else does
    if device is not None:
        known_device(device)
    letter = as_order(order, function)
    if isinstance(obj, Array):
        if copy is False and dtype is not None and as_dtype(dtype, function) is not obj.dtype:
            raise ValueError(f"{function}: {obj.dtype.name} does not become {as_dtype(dtype).name} without a copy")
        found = _convert(obj, dtype, function)
        if found is obj and order is not None and not copy and not lies_in(letter, obj):
            if copy is False:
                raise ValueError(f"{function}: elements do not lie in the order {order!r} without a copy")
            copy = True
        if copy and found is obj:
            found = array_of(obj.standing, obj.shape, obj.dtype, obj.placed, obj.traced_in)
        found = arrayed(found, obj)
        return found if device is None else _put(found, device, function)
    if isinstance(obj, Scalar):
        return _convert(array_of(Repeat(1, obj.expr), (), obj.dtype, None, obj.traced_in), dtype, function)
    kinds = _kinds_in(obj) if isinstance(obj, (list, tuple)) else _NONE
    if not kinds.isdisjoint(_LAZY):
        if copy is False:
            raise ValueError(f"{function}: a copy is needed and copy=False was given")
        target = None if dtype is None else as_dtype(dtype, function)
        return asarray(_stacked(obj, function, target), target, device=device, function=function)
    if type(obj) is not np.ndarray and (kinds is _NONE or any(issubclass(kind, np.ndarray) for kind in kinds)):
        refuse_masked(obj, function)
    try:
        source = np.asarray(obj)
    except ValueError:  # NumPy does not know what their `__array__` gives
        with_arrays = as_arrays(obj)
        if with_arrays is obj or copy is False:
            raise
        return asarray(with_arrays, dtype, order, device=device, copy=copy, function=function)
    if source.dtype.kind in "USO" and dtype is not None:  # numbers written as text, None, fractions: NumPy reads them
        source = _read(function, obj, source, as_dtype(dtype, function))
    elif source.dtype.kind not in "biufc":
        if source.dtype.kind in "USO" and not isinstance(obj, (np.ndarray, np.generic)):
            raise TypeError(f"{function}: expected an array, or numbers, got {reprlib.repr(obj)}")
        as_dtype(source.dtype, function)  # raises, whatever it should be converted to
    target = as_dtype(source.dtype if dtype is None else dtype, function)
    if isinstance(obj, _OF_PYTHON):
        check_cast(function, source.dtype, target)
    elif source.dtype.kind == "c" and target.kind not in "cb":
        warn(f"{function}: {source.dtype.name} to {target.name} drops the imaginary parts", ComplexWarning)
        source = source.real
    if source.dtype != target and isinstance(obj, _OF_PYTHON):
        source = _numbers(obj, target, function)
    value = source
    if source.dtype != target or not (source.flags.c_contiguous and source.flags.aligned):
        value = np.require(source, dtype=target, requirements=["C", "A"])
    fresh = isinstance(obj, _WITHOUT_MEMORY) or value is not source
    if copy is False and (fresh or target.kind == "c"):
        raise ValueError(f"{function}: a copy is needed and copy=False was given")
    if fresh:
        value.setflags(write=False)
    elif target.kind != "c" and not unheld and (copy or (copy is None and not is_constant(value))):
        value = snapshot(value)  # of complex numbers `leaf` copies the parts
    return box(array_of(leaf(value.shape, target, value.reshape(-1)), value.shape, target, device))


def _read(function: str, obj: Any, source: np.ndarray[Any, Any], target: DType) -> np.ndarray[Any, Any]:
    """Text and objects as numbers of that dtype; where they are none, an error that names the function."""
    try:
        return source.astype(target)
    except (TypeError, ValueError) as error:
        kind = TypeError if isinstance(error, TypeError) else ValueError
        raise kind(f"{function}: expected numbers that become {target.name}, got {reprlib.repr(obj)}") from None


_LISTS = frozenset({list, tuple})
_ANY_ORDER = frozenset({None, "C", "K", "A"})


def _few_numbers(obj: Any, dtype: Any, function: str) -> Array | None:
    """A list of a few of Python's numbers, or of lists of such, as an eager array; so are eager numbers of one dtype.
    None of others. Most such arrays are written to, or meet others as small.
    """
    if not obj or not (eagerness.on or allowed()) or len(obj) > EAGER_FUNCTION_ELEMENTS_AT_MOST:
        return None
    kinds = set(map(type, obj))
    if Array in kinds:
        made = _numbers_together(obj)
        return made if made is None or dtype is None or as_dtype(dtype, function) is made.dtype else None
    if kinds == _OF_LISTS:  # a matrix
        if len(obj) * len(obj[0]) > EAGER_FUNCTION_ELEMENTS_AT_MOST or len({*map(len, obj)}) != 1:
            return None
        kinds = {type(x) for row in obj for x in row}
    if not kinds or not kinds <= WEAK:
        return None
    target = None if dtype is None else as_dtype(dtype, function)
    if target is not None and complex in kinds and target.kind not in "cb":
        return None
    try:
        value = np.array(obj, target)
    except (OverflowError, ValueError):
        return None  # recording raises lazyarr's own error
    return over(value, value.shape, value.dtype) if value.dtype in SUPPORTED else None


def _number_alone(obj: Any, function: str) -> Array | None:
    """A number that a user makes an array of, as an eager one; None where it is to be recorded."""
    if function not in _ASKED_FOR or not (eagerness.on or allowed()):
        return None
    value = np.asarray(obj)
    return box(eager(value)) if value.dtype in SUPPORTED else None


_ALONE = (int, float, complex, np.generic)

_ASKED_FOR = frozenset({"array", "asarray"})
"""Functions whose array is what the user wanted, not an operand of something else."""

_OF_LISTS = frozenset({list})

_DTYPES: dict[type, DType] = {bool: bool_, int: int64, float: float64, complex: complex128}
"""What Python's numbers become beside eager ones."""

_OF_PYTHON = (bool, int, float, complex, list, tuple, range)
"""Python's numbers, and what holds them: converted number by number, so that none is changed silently."""

_WITHOUT_MEMORY = (*_OF_PYTHON, np.generic)
"""What NumPy makes a new array for. Arrays and buffers (memoryview, bytearray, array.array) have memory already."""


def _numbers(obj: Any, target: DType, function: str) -> np.ndarray[Any, Any]:
    """Python numbers as elements of a dtype; what NumPy raises where one does not fit."""
    try:
        return np.asarray(obj, target)
    except (OverflowError, ValueError) as error:
        raise type(error)(f"{function}: {error}") from None


def as_arrays(obj: Any) -> Any:
    """An object, or nested lists of some, with the lazy arrays that `__array__` of objects gives in their place."""
    if type(obj) in WEAK:
        return obj
    if isinstance(obj, (list, tuple)):
        if WEAK.issuperset(map(type, obj)):
            return obj
        if not _LISTS.isdisjoint(map(type, obj)):
            _kinds_in(obj)  # for its error
        found = [as_arrays(x) for x in obj]
        return obj if all(x is y for x, y in zip(found, obj, strict=True)) else found
    if isinstance(obj, (Array, np.ndarray, np.generic)) or not is_arraylike(obj):
        return obj
    made = obj.__array__()
    return made if isinstance(made, Array) else obj


def as_value(obj: Any, function: str = "asarray") -> Any:
    """NumPy's array of an object or of nested lists; a lazy one where `__array__` of objects gives lazy arrays.

    Args:
        function: whose name stands in errors
    """
    refuse_masked(obj, function)
    try:
        return np.asarray(obj)
    except ValueError:  # NumPy does not know what their `__array__` gives
        with_arrays = as_arrays(obj)
        if with_arrays is obj:
            raise
        return asarray(with_arrays, function=function)


def _holds_arrays(obj: Any) -> bool:
    """Is there a lazy array, or a number of a lambda, in nested lists?"""
    return not _LAZY.isdisjoint(_kinds_in(obj))


_LAZY = frozenset({Array, Scalar})
_NONE: frozenset[type] = frozenset()


def _kinds_in(obj: Any) -> set[type]:
    """The types of what nested lists hold, and those of the lists in them.

    Raises:
        ValueError: more levels than arrays have dimensions, as where a list holds itself.
    """
    kinds: set[type] = set()
    level = [obj]
    for _ in range(_MOST_DIMENSIONS):
        inner = {}  # each list once
        for items in level:
            found = set(map(type, items))
            kinds |= found
            if not _LISTS.isdisjoint(found):
                inner.update({id(item): item for item in items if type(item) in _LISTS})
        if not inner:
            return kinds
        level = list(inner.values())
    raise ValueError(f"expected lists in lists of at most {_MOST_DIMENSIONS} levels")


_MOST_DIMENSIONS = 64  # NumPy's limit


def _stacked(items: Any, function: str, target: DType | None) -> Array:
    """Nested lists with lazy arrays in them, stacked; small values that exist are put together, nothing is computed.

    With a dtype each element is converted for itself: an array is cast, a number has to be one that the dtype holds.
    """
    if eagerness.on or allowed():
        numbers = _numbers_together(items)
        if numbers is not None and target in (None, numbers.dtype):
            return numbers
    parts = [_stacked(x, function, target) if isinstance(x, (list, tuple)) and _holds_arrays(x) else x for x in items]
    found = [_element(x, function, target) for x in parts]
    if any(x.shape != found[0].shape for x in found):
        shapes = ", ".join(str(x.shape) for x in found)
        raise ValueError(f"{function}: expected arrays of one shape in a list, got shapes {shapes}")
    if eagerness.on or allowed():
        made = _values_together(found)
        if made is not None:
            return made
    from lazyarr.recording.joining import stack_arrays  # which makes arrays of what it is given

    return stack_arrays(function, found)


def _element(x: Any, function: str, target: DType | None) -> Array:
    """What a list holds beside arrays, as an array: NumPy's numbers are converted as Python's are."""
    if isinstance(x, np.generic) and target is not None:
        return asarray([x], target, function=function).reshape(())
    return asarray(x, target, function=function)


def _numbers_together(items: Any) -> Array | None:
    """Eager numbers of one dtype as an eager vector, of int64, float64 and complex128 also beside each other and
    Python's; None of all else.
    """
    values, dtypes = [], set()
    for x in items:
        if type(x) is Array:
            number: Any = x.value
            if x.extents or type(number) not in WEAK:
                return None
            dtypes.add(x.dtype)
        else:
            number, dtype = x, _DTYPES.get(type(x))
            if dtype is None or (dtype is int64 and not -(2**63) <= x < 2**63):
                return None
            dtypes.add(dtype)
        values.append(number)
    if len(dtypes) != 1 and not dtypes.issubset(_WIDE):
        return None
    return eager(np.array(values, max(dtypes, key=_WIDE.index) if len(dtypes) > 1 else dtypes.pop()))


_WIDE = (int64, float64, complex128)
"""Of which numbers beside each other are of the last of theirs."""


def _values_together(arrays: list[Array]) -> Array | None:
    """Arrays of one shape, small ones whose values exist, or many, along a new first dimension; None where that is
    recorded.
    """
    together = values_together(arrays) if eagerness.on else None
    if together is not None:
        return as_joined(np.array(together, promote(*{x.dtype: None for x in arrays})))
    if len(arrays) * prod(arrays[0].extents) > EAGER_FUNCTION_ELEMENTS_AT_MOST:
        return None
    values = []
    for x in arrays:
        value = existing(x) if is_ready(x, arrays) else None
        if value is None:
            return None
        values.append(value)
    return eager(np.array(values, promote(*{x.dtype: None for x in arrays})))


def _put(x: Array, device: Any, function: str) -> Array:
    """The array on a device; `ValueError` for one that is on another, or becomes so only when a function is called."""
    if x.placed is None and not x.tracing:
        return box(array_of(x.standing, x.shape, x.dtype, device, x.traced_in))
    if not same_device(device, x.device if x.placed is None else x.placed):
        raise ValueError(f"{function}: the array is on device {x.placed or x.device}, expected {device}")
    return x


def _convert(array: Array, dtype: Any, function: str) -> Array:
    if dtype is None:
        return array
    from lazyarr.recording.conversion import converted  # imports this module

    return converted(function, array, as_dtype(dtype, function), copy=False)


def as_shape(shape: Any, function: str) -> tuple[int, ...]:
    """A shape given as an integer or a sequence of integers; `TypeError` or `ValueError` if it is not one."""
    if type(shape) is not tuple:
        try:
            return (operator.index(shape),)
        except TypeError:
            pass
    try:
        extents = tuple([operator.index(extent) for extent in shape])
    except TypeError:
        raise TypeError(f"{function}: expected shape to be integers, got {shape!r}") from None
    if len(extents) > _MOST_DIMENSIONS:
        raise ValueError(f"{function}: expected at most {_MOST_DIMENSIONS} dimensions, got {len(extents)}")
    return extents
