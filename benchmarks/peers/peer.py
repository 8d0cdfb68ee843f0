"""What a peer is: a library, its ways of writing each operation, and how its results are waited for and read."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Thunk, batched

Array = NDArray[Any]
Operation = Callable[..., object]


def threads() -> int:
    """How many threads this process may run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def same(value: Any) -> Any:
    """The value."""
    return value


@dataclass(frozen=True)
class Peer:
    """A library to compare with.

    ``operations`` maps an operation's name to its ways of being written; the plain way has the empty label. The names
    are ``scal`` (3 * x), ``asum`` (the sum of absolute values), ``dot``, ``gemv`` (alpha A x + beta y),
    ``black-scholes``, ``md`` and ``md transposed`` (`benchmarks.programs` says what they compute), ``read`` and
    ``copy`` (for the limits of a GPU).
    ``convert`` turns a NumPy array into the library's, outside the timing. An operation may return before its result is
    complete; ``finish`` waits for it. ``to_numpy`` reads one array of a result. ``lacks`` says why an operation is not
    there. ``release`` gives memory back that the library keeps.
    """

    name: str
    version: str
    operations: Mapping[str, Mapping[str, Operation]]
    convert: Callable[[Array], object] = same
    finish: Callable[[Any], object] = same
    to_numpy: Callable[[Any], object] = same
    lacks: Mapping[str, str] = field(default_factory=dict)
    release: Callable[[], object] = lambda: None

    def contestants(self, operation: str, sets: Sequence[tuple[Array, ...]], count: int = 1) -> dict[str, list[Thunk]]:
        """Each way of ``operation``, bound to each set of inputs; ``count`` calls are made before waiting for them."""
        ways = self.operations.get(operation, {})
        converted = [tuple(self.convert(array) for array in inputs) for inputs in sets] if ways else []
        return {
            f"{self.name}{f' ({label})' if label else ''}": batched(function, self.finish, converted, count)
            for label, function in ways.items()
        }


@dataclass(frozen=True)
class Missing:
    """A peer that cannot be measured here, and why."""

    name: str
    reason: str


class Ready:
    """Outputs that are made and touched once for each name, shape and dtype."""

    def __init__(self) -> None:
        self._outputs: dict[Any, Array] = {}

    def like(self, x: Array, shape: tuple[int, ...], name: str = "") -> Array:
        """An array of that shape and x's dtype."""
        found = self._outputs.get((name, shape, x.dtype))
        if found is None:
            found = self._outputs[name, shape, x.dtype] = np.zeros(shape, x.dtype)
        return found


def into_ready(write: Callable[[Any, Any], object], like: Callable[[Any], Any] = np.zeros_like) -> Operation:
    """A way of ``scal`` that writes into one output, made and touched once for each shape and dtype."""
    outputs: dict[tuple[Any, Any], Any] = {}

    def run(x: Any) -> Any:
        output = outputs.get((x.shape, x.dtype))
        if output is None:
            output = outputs[x.shape, x.dtype] = like(x)
        write(x, output)
        return output

    return run
