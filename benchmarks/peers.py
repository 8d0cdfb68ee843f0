"""The same operations in other libraries: NumPy, numexpr, numba, and jax and torch where they are installed.

A peer that cannot be imported is reported as missing, never left out silently.
"""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from benchmarks.harness import Thunk

Array = NDArray[Any]
Operation = Callable[..., object]


def threads() -> int:
    """How many threads this process may run at once."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


@dataclass(frozen=True)
class Peer:
    """A library to compare with.

    ``operations`` maps an operation's name (``scal``: 3 * x, ``asum``: the sum of absolute values, ``dot``) to its ways
    of being written; the plain way has the empty label. ``convert`` turns a NumPy array into the library's, outside the
    timing.
    """

    name: str
    version: str
    operations: Mapping[str, Mapping[str, Operation]]
    convert: Callable[[Array], object] = lambda array: array

    def contestants(self, operation: str, sets: Sequence[tuple[Array, ...]]) -> dict[str, list[Thunk]]:
        """Each way of ``operation``, bound to each set of inputs."""
        converted = [tuple(self.convert(array) for array in inputs) for inputs in sets]
        return {
            f"{self.name}{f' ({label})' if label else ''}": [_bind(function, inputs) for inputs in converted]
            for label, function in self.operations[operation].items()
        }


@dataclass(frozen=True)
class Missing:
    """A peer that cannot be measured here, and why."""

    name: str
    reason: str


def _bind(function: Operation, inputs: tuple[object, ...]) -> Thunk:
    return lambda: function(*inputs)


def _into_ready(write: Callable[[Array, Array], object]) -> Operation:
    """A way of ``scal`` that writes into one output, made and touched once for each shape and dtype."""
    outputs: dict[tuple[tuple[int, ...], np.dtype[Any]], Array] = {}

    def run(x: Array) -> Array:
        output = outputs.get((x.shape, x.dtype))
        if output is None:
            output = outputs[x.shape, x.dtype] = np.full_like(x, np.nan)
        write(x, output)
        return output

    return run


def numpy_peer() -> Peer:
    """NumPy."""
    return Peer(
        "numpy",
        np.__version__,
        {
            "scal": {"": lambda x: 3 * x, "ready output": _into_ready(lambda x, out: np.multiply(x, 3, out=out))},
            "asum": {"": lambda x: np.sum(np.abs(x))},
            "dot": {"": np.dot},
        },
    )


def numexpr_peer() -> Peer:
    """Numexpr, on as many threads as there are cores.

    Numexpr adds float32 terms one after the other in float32: the sum of 2**24 products is 2 % off. Its sums are
    therefore written to add in float64 (a float64 constant widens the terms); otherwise its results fail the check.
    """
    numexpr: Any = importlib.import_module("numexpr")
    numexpr.set_num_threads(threads())

    def expression(text: str) -> Operation:
        def run(x: Array, y: Array | None = None) -> object:
            return numexpr.evaluate(text, local_dict={"x": x, "y": y}, global_dict={})

        return run

    def write(x: Array, out: Array) -> object:
        return numexpr.evaluate("3 * x", local_dict={"x": x}, global_dict={}, out=out)

    return Peer(
        "numexpr",
        str(numexpr.__version__),
        {
            "scal": {"": expression("3 * x"), "ready output": _into_ready(write)},
            "asum": {"": expression("sum(1.0 * abs(x))")},
            "dot": {"": expression("sum(1.0 * x * y)")},
        },
    )


def numba_peer() -> Peer:
    """Numba: parallel loops, reassociated sums (fastmath), on as many threads as there are cores."""
    numba: Any = importlib.import_module("numba")
    numba.set_num_threads(min(threads(), numba.config.NUMBA_NUM_THREADS))
    parallel = numba.njit(parallel=True, fastmath=True)

    @parallel  # type: ignore[untyped-decorator]  # numba has no types
    def scal_into(x: Any, out: Any) -> None:
        for i in numba.prange(x.size):
            out[i] = 3 * x[i]

    @parallel  # type: ignore[untyped-decorator]
    def scal(x: Any) -> Any:
        out = np.empty_like(x)
        for i in numba.prange(x.size):
            out[i] = 3 * x[i]
        return out

    @parallel  # type: ignore[untyped-decorator]
    def asum(x: Any) -> Any:
        total = np.float32(0)
        for i in numba.prange(x.size):
            total += abs(x[i])
        return total

    @parallel  # type: ignore[untyped-decorator]
    def dot(x: Any, y: Any) -> Any:
        total = np.float32(0)
        for i in numba.prange(x.size):
            total += x[i] * y[i]
        return total

    return Peer(
        "numba",
        str(numba.__version__),
        {"scal": {"": scal, "ready output": _into_ready(scal_into)}, "asum": {"": asum}, "dot": {"": dot}},
    )


def jax_peer() -> Peer:
    """JAX on its CPU device, jitted."""
    jax: Any = importlib.import_module("jax")
    cpu = jax.devices("cpu")[0]

    def jitted(function: Callable[..., Any]) -> Operation:
        compiled = jax.jit(function)
        return lambda *inputs: compiled(*inputs).block_until_ready()

    return Peer(
        "jax",
        str(jax.__version__),
        {
            "scal": {"": jitted(lambda x: 3 * x)},
            "asum": {"": jitted(lambda x: jax.numpy.sum(jax.numpy.abs(x)))},
            "dot": {"": jitted(jax.numpy.dot)},
        },
        lambda array: jax.device_put(array, cpu),
    )


def torch_peer() -> Peer:
    """Torch on the CPU."""
    torch: Any = importlib.import_module("torch")
    torch.set_num_threads(threads())
    return Peer(
        "torch",
        str(torch.__version__),
        {
            "scal": {"": lambda x: 3 * x},
            "asum": {"": lambda x: torch.sum(torch.abs(x))},
            "dot": {"": torch.dot},
        },
        torch.from_numpy,
    )


MAKERS: Mapping[str, Callable[[], Peer]] = {
    "numpy": numpy_peer,
    "numexpr": numexpr_peer,
    "numba": numba_peer,
    "jax": jax_peer,
    "torch": torch_peer,
}


def find_peers(makers: Mapping[str, Callable[[], Peer]] = MAKERS) -> tuple[list[Peer], list[Missing]]:
    """The peers that can be imported here, and those that cannot."""
    found: list[Peer] = []
    missing: list[Missing] = []
    for name, make in makers.items():
        try:
            found.append(make())
        except ImportError as error:
            missing.append(Missing(name, str(error)))
    return found, missing
