"""NumPy's element-wise functions of large arrays, shared out among threads: each computes some rows of the result.

Each element is computed by the same call as by one thread, so that the bits are the same.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import pairwise
from typing import Any

import numpy as np
from numpy import ndarray

from ir.cost.thresholds.eager import EAGER_THREADS_FROM_BYTES
from ir.cost.thresholds.tiers import THREADS_AT_MOST
from ir.reference.workers import threads_at_most, together
from lazyarr.memory.quiet import quietly

__all__ = ["copied_by_threads", "put_by_threads"]

_Function = Callable[..., Any]


def put_by_threads(run: _Function, function: _Function, values: Sequence[Any], out: ndarray[Any, Any]) -> None:
    """Put the result of an element-wise function, which takes `out` by name, into an array.

    An interrupt may leave some parts done.

    Args:
        run: runs a function of NumPy's that is not shared out, without warnings
        values: arrays, which broadcast to the shape of `out`, and numbers; of these `out` itself may be one
    """
    parts = _parts(out) if out.nbytes >= EAGER_THREADS_FROM_BYTES else ()
    if len(parts) < 2 or any(x is not out and type(x) is ndarray and np.may_share_memory(x, out) for x in values):
        run(function, *values, out=out)  # by name: NumPy warns of `maximum` of three
        return
    shape = out.shape
    given = [x if type(x) is not ndarray or x.shape == shape else np.broadcast_to(x, shape) for x in values]

    def carry_out(indices: Iterator[Any]) -> None:
        for index in indices:
            function(*[x[index] if type(x) is ndarray else x for x in given], out=out[index])

    # not by `run`: who waits for threads must not keep others from a context that all of them share
    quietly(partial(together, carry_out, parts, threads_at_most()))


def copied_by_threads(host: ndarray[Any, Any], key: Any, given: ndarray[Any, Any]) -> None:
    """`host[key] = given`, of many elements of its dtype, for a key without arrays."""
    put_by_threads(_called, _copied, (given,), host[key])


def _called(function: _Function, *arguments: Any, **options: Any) -> Any:
    return function(*arguments, **options)


def _copied(x: ndarray[Any, Any], out: ndarray[Any, Any]) -> None:
    out[...] = x  # `copyto` would not mind that it is read-only, where x is the same memory


def _parts(out: ndarray[Any, Any]) -> list[Any]:
    """Where the rows of each part lie, along the first axis that is long enough; none where there is none, or one
    thread alone.
    """
    if threads_at_most() < 2:
        return []
    for axis, extent in enumerate(out.shape):
        if extent >= THREADS_AT_MOST:
            ends = [extent * i // THREADS_AT_MOST for i in range(THREADS_AT_MOST + 1)]
            return [(*(slice(None),) * axis, slice(*pair)) for pair in pairwise(ends)]
        if extent > 1:
            return []
    return []
