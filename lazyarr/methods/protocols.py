"""How NumPy and other libraries meet lazyarr's arrays: NumPy's functions applied to them, DLPack, devices.

NumPy's functions and ufuncs record lazyarr's function of the same name; where there is none they raise `TypeError`, but
for those in `CONVERTED`, whose results are text or files: these get the values. Functions that write to NumPy's own
arrays get the values, too, and so do ufuncs of other libraries, whose results become arrays again.
"""

from __future__ import annotations

import inspect
import operator
import sys
from collections.abc import Callable
from types import ModuleType
from typing import Any, Final

import numpy as np
from numpy._core import umath

from lazyarr.aliasing.outputs import put_out
from lazyarr.array import Array, same_device
from lazyarr.array import number as of_number
from lazyarr.array.operators import Operators
from lazyarr.config import eagerness
from lazyarr.dtypes import SUPPORTED, float64
from lazyarr.eager.ufuncs import reflected
from lazyarr.memory.masked import refuse_masked
from lazyarr.memory.snapshots import snapshot
from lazyarr.recording.creation import asarray
from lazyarr.recording.host import on_values, values_by_host, wrapped

__all__ = ["CHANGING", "CONVERTED", "Protocols", "from_dlpack"]

CONVERTED: Final = frozenset(
    {"array2string", "array_repr", "array_str", "save", "savetxt", "savez", "savez_compressed"}
)  # fmt: skip
"""NumPy's functions that compute lazyarr's arrays and run on their values."""

CHANGING: Final = frozenset({"put", "place", "putmask", "put_along_axis"})
"""NumPy's functions that write to their first argument: where that is NumPy's they run on the values of the others."""

_KNOWN = (Operators, np.ndarray, np.generic, bool, int, float, complex, list, tuple, type(None))
_NUMPYS: Final = frozenset({f for f in (*vars(np).values(), *vars(umath).values()) if isinstance(f, np.ufunc)})
"""NumPy's own; that of `clip`, which its method calls, stands behind a function of that name."""
_ABOVE_PANDAS: Final = 5000
"""A priority above that of tables, the highest."""
_PANDAS_IN_PLACE: Final = frozenset({"_inplace_method"})
"""pandas' functions for operators in place, which take what the operator gives."""
_CPU: Final = (1, 0)
"""DLPack's device of the host's memory: its type and number."""


_functions: dict[np.ufunc, Callable[..., Any]] = {}
"""lazyarr's functions for NumPy's that were called."""


def _on_first_use(ufunc: np.ufunc) -> Callable[[Array, float], Any]:
    """`reflected`, which takes long to make it, and then stands in the table itself."""

    def first(x: Array, number: float) -> Any:
        made = _beside_numbers[ufunc] = reflected(ufunc.__name__)
        return made(x, number)

    return first


_FLOAT64: Final = np.float64
_beside_numbers: Final[dict[np.ufunc, Callable[[Array, float], Any]]] = {
    ufunc: _on_first_use(ufunc)
    for ufunc in (np.add, np.subtract, np.multiply, np.divide, np.less, np.less_equal, np.greater, np.greater_equal,
                  np.equal, np.not_equal, np.maximum, np.minimum)
}  # fmt: skip
"""What carries functions out of an array and a number that comes before it."""


_OF_TWO_NUMBERS: Final[dict[np.ufunc, Callable[[float, float], float]]] = {
    np.add: operator.add, np.subtract: operator.sub, np.multiply: operator.mul,
}  # fmt: skip
"""The same for two numbers: Python's operators, which raise nothing."""


class Protocols:
    """The protocols that other libraries ask arrays for."""

    __slots__ = ()

    def __array_ufunc__(self, ufunc: np.ufunc, method: str, *inputs: Any, **keywords: Any) -> Any:
        is_plain = not keywords and method == "__call__"
        if is_plain and len(inputs) == 2 and eagerness.on:
            number, x = inputs  # NumPy's number comes first in an operator
            if type(number) is _FLOAT64 and type(x) is Array and x.dtype is float64:
                value: Any = x.value
                of_two = _OF_TWO_NUMBERS.get(ufunc) if type(value) is float else None
                if of_two is not None:
                    return of_number(of_two(float(number), value), float64)
                function = _beside_numbers.get(ufunc)
                if function is not None:
                    found = function(x, float(number))  # beside float64 Python's number is as good
                    if found is not None:
                        return found
        operands = inputs if method != "at" else (inputs[0], *inputs[2:])  # places may be slices and the like
        for x in operands:
            if not isinstance(x, _KNOWN):
                return NotImplemented
        if is_plain:
            function = _functions.get(ufunc)
            if function is not None:
                return function(*inputs)
        if method == "at" and isinstance(inputs[0], np.ndarray):
            return on_values(ufunc.at, inputs, keywords)
        function = _named(ufunc.__name__)
        if ufunc not in _NUMPYS:
            function = _of_another_library(ufunc, method)
        elif function is None:
            raise TypeError(_missing(f"numpy.{ufunc.__name__}", ufunc.__name__))
        elif method != "__call__":
            function = getattr(function, method, None)
            if function is None:
                raise TypeError(_missing(f"numpy.{ufunc.__name__}.{method}", f"{ufunc.__name__}.{method}"))
        out = keywords.pop("out", None)
        if out is not None and method == "at":
            raise TypeError(f"{ufunc.__name__}.at takes no out")
        if out is None and not keywords and method == "__call__" and ufunc in _NUMPYS:
            _functions[ufunc] = function
        if out is None or ufunc.nout == 1:
            return _call(function, inputs, keywords, None if out is None else out[0])
        made = function(*inputs, **keywords)
        return tuple(
            x if target is None else _put(ufunc.__name__, target, x) for x, target in zip(made, out, strict=True)
        )

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Array:
        """What another library computed with NumPy, as a lazy array."""
        found = asarray(array)
        return found[()] if return_scalar else found

    def __array_function__(
        self, function: Callable[..., Any], types: Any, arguments: tuple[Any, ...], keywords: dict[str, Any]
    ) -> Any:
        if not all(issubclass(t, (Array, np.ndarray, np.generic)) for t in types):
            return NotImplemented
        place = function.__module__.removeprefix("numpy").removeprefix(".")
        name = f"{place}.{function.__name__}".removeprefix(".")
        changed = arguments[0] if arguments else keywords.get("a", keywords.get("arr"))
        if name in CONVERTED or (name in CHANGING and isinstance(changed, np.ndarray)):
            return on_values(function, arguments, keywords)
        own = _named(name)
        if own is None:
            raise TypeError(_missing(f"numpy.{name}", name))
        keywords = dict(keywords)
        if keywords and not arguments:  # where lazyarr's first operands have no names
            for parameter in list(inspect.signature(function).parameters)[: _operands(own)]:
                if parameter not in keywords:
                    break
                arguments = (*arguments, keywords.pop(parameter))
        return _call(own, arguments, keywords, keywords.pop("out", None))

    @property
    def __pandas_priority__(self) -> int:
        """Above pandas' objects, which then leave operators to arrays: pandas knows arrays by their class, and would
        take those of lazyarr for lists, or for single numbers. Its operators in place have to be done by itself.
        """
        asked_by = sys._getframe(1).f_back
        return -1 if asked_by is not None and asked_by.f_code.co_name in _PANDAS_IN_PLACE else _ABOVE_PANDAS

    # --- DLPack and devices -------------------------------------------------------------------------------------------

    def __array_namespace__(self, api_version: str | None = None) -> ModuleType:
        import lazyarr  # the namespace itself, which imports this module

        return lazyarr

    def __reduce__(self: Any) -> tuple[Any, ...]:
        from lazyarr.evaluate.engine import device_of  # as above

        placed = self.placed
        if placed is not None and not isinstance(placed, str):
            # Another process has other objects; the default device is the default one there, too.
            placed = None if placed is device_of(()) else placed.name
        return _restore, (self.__array__(copy=True), placed)

    def __dlpack_device__(self) -> tuple[int, int]:
        return _CPU

    def __dlpack__(
        self,
        *,
        stream: Any = None,
        max_version: tuple[int, int] | None = None,
        dl_device: tuple[int, int] | None = None,
        copy: bool | None = None,
    ) -> Any:
        """The value in the host's memory, as DLPack hands it over: computed if need be.

        It is the memory that lazyarr uses, and read-only. Consumers that speak no version that can say so (DLPack 1.0)
        get a copy; with `copy=False` they get a `BufferError`.
        """
        value: np.ndarray[Any, Any] = np.asarray(self)
        if min(value.strides, default=1) <= 0 and copy is not False:
            value = snapshot(value)  # some libraries know no such strides
        if dl_device is not None and tuple(dl_device) != _CPU:
            raise BufferError(f"__dlpack__: arrays are handed over in the host's memory, not on device {dl_device}")
        if stream is not None:
            raise ValueError(f"__dlpack__: the host's memory has no streams, got stream {stream!r}")
        if max_version is None or max_version[0] < 1:
            if copy is False:
                raise BufferError("__dlpack__: only DLPack 1.0 can say that the memory is read-only: a copy is needed")
            return value.copy().__dlpack__()
        return value.__dlpack__(max_version=max_version, copy=copy)

    @property
    def device(self: Any) -> Any:
        """The `Device` that computes it: the one it was put on, else the default one.

        In a function of `lift.jit` that is the device that the function's arguments were put on.

        Raises:
            DeviceError: there is none, or none of that name.
        """
        from lazyarr.evaluate.engine import device_of  # needs OpenCL, which importing lazyarr must not

        if self.expr is None:
            _ = self.standing  # a view that is out of date, whose base may have been put on a device
        return device_of([x for x in (self, self.traced_in) if x is not None])

    def to_device(self: Any, device: Any, /, *, stream: Any = None) -> Any:
        """The array on a device, anything `find_device` takes (None: the default one); itself if it was put there."""
        if stream is not None:
            raise ValueError(f"to_device: there are no streams to wait for, got {stream!r}")
        if device == self.placed or (None not in (device, self.placed) and same_device(device, self.placed)):
            return self
        return asarray(self if self.placed is None else self.to_numpy(), device=device)


def from_dlpack(x: Any, /, *, device: Any = None, copy: bool | None = None) -> Any:
    """Another library's array, which lies in the host's memory, with the values of that moment.

    Args:
        copy: False: its memory is shared, which must not be written to then as long as the result is in use; by default
            it is copied, since nobody knows who else writes to it

    Raises:
        BufferError, ValueError: the library cannot hand it over, or not without the copy that was not allowed.
        TypeError: dtypes that lazyarr does not have.
    """
    if isinstance(x, Array):
        return asarray(x, device=device, copy=copy)
    if not hasattr(x, "__dlpack__"):
        raise TypeError(f"from_dlpack: expected an array with __dlpack__, got {type(x).__name__}")
    refuse_masked(x, "from_dlpack")
    return asarray(np.from_dlpack(x), device=device, copy=copy, function="from_dlpack")


def _restore(value: np.ndarray[Any, Any], device: Any) -> Any:
    return asarray(value, device=device)


def _of_another_library(ufunc: np.ufunc, method: str) -> Callable[..., Any]:
    """A universal function that is not NumPy's (`scipy.special.erf`), of the arrays' values: on the host, counted.

    Results of dtypes that lazyarr does not have stay NumPy's arrays: those of `np.frompyfunc` are of Python objects.
    """
    if method == "at":
        raise TypeError(f"{ufunc.__name__}.at: expected NumPy arrays, whose memory can be written to: np.asarray(x)")

    def function(*inputs: Any, **keywords: Any) -> Any:
        made, device = values_by_host("Array.__array_ufunc__", getattr(ufunc, method), inputs, keywords)
        parts = [_ours(part, device) for part in made] if isinstance(made, tuple) else _ours(made, device)
        return tuple(parts) if isinstance(made, tuple) else parts

    function.__name__ = ufunc.__name__
    return function


def _ours(made: Any, device: Any) -> Any:
    known = not isinstance(made, np.ndarray) or made.dtype.newbyteorder("=") in SUPPORTED
    return wrapped(made, device) if known else made


def _named(name: str) -> Any:
    """lazyarr's function of a dotted name; None if there is none."""
    import lazyarr  # as above

    found: Any = lazyarr
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def _missing(theirs: str, ours: str) -> str:
    return f"{theirs}: lazyarr has no {ours}: apply it to the values, np.asarray(x)"


def _operands(function: Any) -> int:
    """How many parameters can be given by position alone."""
    kinds = [p.kind for p in inspect.signature(function).parameters.values()]
    return kinds.count(inspect.Parameter.POSITIONAL_ONLY)


def _call(function: Any, arguments: tuple[Any, ...], keywords: dict[str, Any], out: Any) -> Any:
    """The function's result, put into `out` where there is one."""
    if out is None:
        return function(*arguments, **keywords)
    if "out" in inspect.signature(function).parameters:
        return function(*arguments, **keywords, out=out)
    return _put(getattr(function, "__name__", "out"), out, function(*arguments, **keywords))


def _put(function: str, out: Any, made: Any) -> Any:
    return put_out(function, out, asarray(made))
