"""Functions that run on the host: what patterns do not express (yet) goes through a well-kept library, never silently.

Each such function is named in `HOST_FUNCTIONS` with its library and the reason. A call computes its arguments, is
counted (`lazyarr.config.statistics()`), and inside a jitted function raises `TracingError`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from ir.cost.thresholds.eager import EAGER_FUNCTION_ELEMENTS_AT_MOST
from lazyarr.array import Array, array_of, box, combine, compute
from lazyarr.array.eager import existing
from lazyarr.config import count_host_call, eagerness
from lazyarr.eager.numbers import in_own_memory, of_numpys
from lazyarr.graph.leaves import looks
from lazyarr.graph.pytree import flatten, map_leaves
from lazyarr.graph.tracing import refuse
from lazyarr.recording.creation import asarray

__all__ = ["HOST_FUNCTIONS", "HostFunction", "call_host", "host_apply", "on_values", "values_by_host", "wrapped"]

_ITERATIVE = "an iteration until convergence: its length depends on the values"
_FACTORS = "a factorisation: each column depends on those before it, which no pattern expresses"
_PYTHON = "a Python function is called for every element"
_COEFFICIENTS = "short lists of coefficients; at arrays a polynomial is evaluated by what they record"
_IN_TURN = "each result depends on the one before it, by a function that is not associative"
_FOREIGN = "a universal function of another library, of which nothing but its values is known"
_MEMORY = "the bytes of elements are read, or put, one by one"


@dataclass(frozen=True)
class HostFunction:
    """A function, or a method of arrays, that runs on the host: the library's function, and why."""

    name: str
    library: str
    reason: str


def _table() -> dict[str, HostFunction]:
    reasons = {
        _ITERATIVE: "eig eigh eigvals eigvalsh svd svdvals pinv matrix_rank cond lstsq",
        _FACTORS: "cholesky qr solve inv det slogdet",
    }
    rows = [(f"linalg.{name}", f"numpy.linalg.{name}", why) for why, names in reasons.items() for name in names.split()]
    rows += [(name, f"numpy.{name}", _ITERATIVE) for name in ("polyfit", "poly", "roots")]
    rows += [(name, f"numpy.{name}", _PYTHON) for name in ("frompyfunc", "vectorize")]
    rows.append(("ufunc.accumulate", "numpy.ufunc.accumulate", _IN_TURN))
    rows.append(("Array.__array_ufunc__", "the library that the function comes from", _FOREIGN))
    rows.append(("polynomial", "numpy.polynomial", _COEFFICIENTS))
    rows += [(f"Array.{name}", f"numpy.ndarray.{name}", _MEMORY) for name in ("byteswap", "getfield", "setfield")]
    return {name: HostFunction(name, library, why) for name, library, why in rows}


HOST_FUNCTIONS = _table()
"""By their names in the namespace of lazyarr."""


_NOTHING: Final = object()


def call_host(name: str, function: Callable[..., Any], *arrays: Any, **options: Any) -> Any:
    """The library's function of the arrays' values; NumPy's arrays and numbers in its result become those on their
    device, eager where the values were there and they are small.

    Args:
        name: a name in `HOST_FUNCTIONS`
        function: writes to none of its arguments

    Raises:
        TracingError: arrays that belong to a function being recorded.
        Exception: what the library raises.
    """
    if eagerness.on and name in HOST_FUNCTIONS:
        found = _of_values(name, function, arrays, options)
        if found is not _NOTHING:
            return found
    return host_apply(name, function, *[asarray(x, function=name) for x in arrays], **options)


def _of_values(name: str, function: Callable[..., Any], arrays: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """`call_host` where all values are there and no device was asked for; `_NOTHING` elsewhere."""
    values = []
    for x in arrays:
        if type(x) is not Array:
            return _NOTHING
        value = x.value
        if type(value) is not np.ndarray:
            value = existing(x)
            if value is None:
                return _NOTHING
        values.append(value)
    if options and any(isinstance(x, Array) for x in options.values()):
        return _NOTHING
    looks.count += 1
    count_host_call(name)
    return _eagerly(function(*values, **options), values)


def _eagerly(result: Any, given: list[np.ndarray[Any, Any]]) -> Any:
    """NumPy's arrays and numbers in a result as eager ones, if they are small, in memory of their own."""
    if type(result) is np.ndarray and result.size <= EAGER_FUNCTION_ELEMENTS_AT_MOST:
        made = in_own_memory(result, given)
        return made if made.extents else box(made)
    if isinstance(result, np.generic):
        return of_numpys(result)
    if isinstance(result, tuple):
        parts = [_eagerly(part, given) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    return wrapped(result, None)


def host_apply(name: str, function: Callable[..., Any], *arguments: Any, **keywords: Any) -> Any:
    """`call_host` for a function of arguments of any kind, of which some may be or hold arrays.

    Args:
        name: a name in `HOST_FUNCTIONS`

    Raises as `call_host` does.
    """
    return wrapped(*values_by_host(name, function, arguments, keywords))


def values_by_host(
    name: str, function: Callable[..., Any], arguments: Sequence[Any], keywords: Mapping[str, Any]
) -> tuple[Any, Any]:
    """What `host_apply` makes arrays of: NumPy's arrays and numbers, and the device.

    Raises as `call_host` does.
    """
    if name not in HOST_FUNCTIONS:
        raise KeyError(f"{name} is no host function: add it to HOST_FUNCTIONS with its library and the reason")
    leaves, _ = flatten([list(arguments), dict(keywords)])
    arrays = [x for x in leaves if isinstance(x, Array)]
    entry = HOST_FUNCTIONS[name]
    for array in arrays:
        if array.tracing:
            refuse("host", f"{name}, which runs on the host through {entry.library} ({entry.reason}),", array)
    device, _ = combine(name, arrays)
    compute(*arrays)
    count_host_call(name)
    return on_values(function, arguments, keywords), device


def on_values(function: Callable[..., Any], arguments: Sequence[Any], keywords: Mapping[str, Any]) -> Any:
    """What a function gives for arguments of any kind, with NumPy's arrays in place of arrays in them."""
    values = map_leaves(lambda x: np.asarray(x) if isinstance(x, Array) else x, [list(arguments), dict(keywords)])
    return function(*values[0], **values[1])


def wrapped(result: Any, device: Any) -> Any:
    """Arrays in place of NumPy's arrays and numbers, which may be parts of tuples."""
    if isinstance(result, tuple):
        parts = [wrapped(part, device) for part in result]
        return type(result)(*parts) if hasattr(result, "_fields") else tuple(parts)
    if isinstance(result, (np.ndarray, np.generic)):
        found = asarray(np.asarray(result), device=device)
        return found if isinstance(result, np.ndarray) else array_of(found.standing, (), found.dtype, found.placed)
    return result
