"""The kernels that the cost model is judged by: programs in NumPy's style, at shapes from small to large."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np

from benchmarks.lazy import front_end
from ir.core.semantics.values import Layout, Leaf, evaluate_type
from ir.fusion.symbols.symbolise import SymbolicKernel
from lazyarr.compile.compiled import parameters

__all__ = ["KERNELS", "KernelCase", "Shape", "drawn", "generals"]

Shape = tuple[int, ...]
Array = np.ndarray[Any, np.dtype[Any]]

_LINES: tuple[Shape, ...] = ((1 << 20,), (1 << 24,), (3000,))
_SQUARES: tuple[Shape, ...] = ((1000, 1000), (4096, 4096), (60, 60))
_MATRICES: tuple[Shape, ...] = (*_SQUARES, (100_000, 32), (32, 100_000))


@dataclass(frozen=True)
class KernelCase:
    """A program over arrays.

    Attributes:
        write: the program, given the namespace and the arrays
        inputs: their shapes and dtypes, for the case's shape
        shapes: the middle one first, then the others
    """

    name: str
    write: Callable[..., Any]
    inputs: Callable[[Shape], list[tuple[Shape, str]]]
    shapes: tuple[Shape, ...]

    def at(self, place: int) -> tuple[Shape, ...]:
        """The shape at that place in the order of measuring, as none or one; all that are left at the last."""
        return self.shapes[place:] if place == 3 else self.shapes[place : place + 1]


def _same(count: int = 1, dtype: str = "float32") -> Callable[[Shape], list[tuple[Shape, str]]]:
    return lambda s: [(s, dtype)] * count


def _case(name: str, write: Callable[..., Any], inputs: Any, shapes: tuple[Shape, ...]) -> KernelCase:
    return KernelCase(name, write, inputs, shapes)


def _softmax(la: Any, x: Any, axis: int) -> Any:
    e = la.exp(x - la.max(x, axis=axis, keepdims=True))
    return e / la.sum(e, axis=axis, keepdims=True)


def _black_scholes(la: Any, s: Any, k: Any, t: Any) -> Any:
    root = la.sqrt(t)
    d = (la.log(s / k) + 0.06 * t) / (0.3 * root)
    return s / (1 + la.exp(-1.7 * d)) - k * la.exp(-0.05 * t) / (1 + la.exp(-1.7 * (d - 0.3 * root)))


KERNELS: tuple[KernelCase, ...] = (
    _case("scaled", lambda la, x: x * 2 + 1, _same(), _LINES),
    _case("axpy", lambda la, x, y: x * 3 + y, _same(2), _LINES),
    _case("exp of sin", lambda la, x: la.exp(la.sin(x)), _same(), _LINES),
    _case("tanh, float64", lambda la, x: la.tanh(x), _same(dtype="float64"), _LINES),
    _case("Black-Scholes", _black_scholes, _same(3), _LINES),
    _case("integers", lambda la, x: x // 3 + x % 5, _same(dtype="int32"), _LINES),
    _case("where", lambda la, x: la.where(x > 1, x * 2, x - 1), _same(), _LINES),
    _case("reversed", lambda la, x: x[::-1] * 2, _same(), _LINES),
    _case("strided", lambda la, x: x[::2] + x[1::2], _same(), _LINES),
    _case("stencil", lambda la, x: x[:-2] + x[1:-1] * 2 + x[2:], _same(), _LINES),
    _case("transposed", lambda la, x: x.T + 1, _same(), _MATRICES),
    _case("transposed plus", lambda la, x, y: x.T * 2 + y, lambda s: [(s, "float32"), (s[::-1], "float32")], _MATRICES),
    _case("plus row", lambda la, x, r: x + r, lambda s: [(s, "float32"), (s[1:], "float32")], _MATRICES),
    _case("plus column", lambda la, x, c: x + c[:, None], lambda s: [(s, "float32"), (s[:1], "float32")], _MATRICES),
    _case("outer", lambda la, c, r: c[:, None] * r, lambda s: [(s[:1], "float32"), (s[1:], "float32")], _SQUARES),
    _case("stencil of 5", lambda la, x: x[1:-1, 1:-1] * 4 - x[:-2, 1:-1] - x[2:, 1:-1] - x[1:-1, :-2] - x[1:-1, 2:],
          _same(), _SQUARES),
    _case("taken", lambda la, x, at: la.take(x, at), lambda s: [(s, "float32"), (s, "int32")], _LINES),
    _case("rows taken", lambda la, x, at: la.take(x, at, axis=0), lambda s: [(s, "float32"), (s[:1], "int32")],
          _MATRICES),
    _case("sum", lambda la, x: la.sum(x), _same(), _LINES),
    _case("sum, float64", lambda la, x: la.sum(x), _same(dtype="float64"), _LINES),
    _case("dot", lambda la, x, y: la.sum(x * y), _same(2), _LINES),
    _case("greatest", lambda la, x: la.max(x), _same(), _LINES),
    _case("place of the greatest", lambda la, x: la.argmax(x), _same(), _LINES),
    _case("sum of exp", lambda la, x: la.sum(la.exp(x)), _same(), _LINES),
    _case("sums of rows", lambda la, x: la.sum(x, axis=1), _same(), _MATRICES),
    _case("sums of columns", lambda la, x: la.sum(x, axis=0), _same(), _MATRICES),
    _case("greatest of rows", lambda la, x: la.max(x, axis=1), _same(), _MATRICES),
    _case("greatest of columns", lambda la, x: la.max(x, axis=0), _same(), _MATRICES),
    _case("argmax of rows", lambda la, x: la.argmax(x, axis=1), _same(), _MATRICES),
    _case("matrix by vector", lambda la, a, x: a @ x, lambda s: [(s, "float32"), (s[1:], "float32")], _MATRICES),
    _case("transposed by vector", lambda la, a, x: a.T @ x, lambda s: [(s, "float32"), (s[:1], "float32")], _MATRICES),
    _case("softmax of rows", lambda la, x: _softmax(la, x, 1), _same(), _MATRICES),
    _case("variance of rows", lambda la, x: la.var(x, axis=1), _same(), _MATRICES),
    _case("sums of the middle", lambda la, x: la.sum(x, axis=1), _same(), ((64, 128, 100), (256, 256, 256), (7, 8, 9))),
    _case("cumulative", lambda la, x: la.cumulative_sum(x), _same(), _LINES),
    _case("cumulative rows", lambda la, x: la.cumulative_sum(x, axis=1), _same(), _MATRICES),
    _case("cumulative columns", lambda la, x: la.cumulative_sum(x, axis=0), _same(), _MATRICES),
    _case("sorted", lambda la, x: la.sort(x), _same(), ((100_000,), (1 << 20,), (500,), (5000,))),
    _case("sorted rows", lambda la, x: la.sort(x, axis=1), _same(), ((1000, 100), (100, 10_000), (20, 20))),
    _case("product", lambda la, a, b: a @ b, lambda s: [((s[0], s[2]), "float32"), ((s[2], s[1]), "float32")],
          ((256, 256, 256), (1024, 1024, 1024), (20, 20, 20), (32, 32, 100_000), (2000, 16, 2000))),
    _case("products", lambda la, a, b: a @ b, _same(2), ((1000, 32, 32), (20, 10, 10), (50, 128, 128))),
)  # fmt: skip


def generals(case: KernelCase, shape: Shape) -> list[SymbolicKernel]:
    """The kernels of a case's program at that shape, each of another form once."""
    front = front_end()
    arrays = [front.la.asarray(_values(dtype, s, 1000)) for s, dtype in case.inputs(shape)]
    recording, _ = front.lift.jit(lambda *xs: case.write(front.la, *xs)).recording(*arrays)
    found = {(step.general.expr, tuple(step.general.sizes.values())): step.general for step in recording.steps}
    return list(found.values())


def drawn(general: SymbolicKernel) -> list[Array]:
    """Random inputs of a kernel at its sizes, one array for each component; integers are small places."""
    leaves = [leaf for p in parameters(general) for leaf in _leaves(evaluate_type(p.type, general.sizes))]
    longest = max((prod(leaf.shape) for leaf in leaves), default=1)
    return [_values(leaf.dtype.name, (prod(leaf.shape),), longest) for leaf in leaves]


def _leaves(layout: Layout) -> list[Leaf]:
    return [leaf for part in layout for leaf in _leaves(part)] if isinstance(layout, tuple) else [layout]


def _values(dtype: str, shape: Shape, longest: int) -> Array:
    rng = np.random.default_rng(prod(shape))
    kind = np.dtype(dtype).kind
    if kind == "b":
        return rng.integers(0, 2, shape).astype(np.bool_)
    if kind in "iu":
        return rng.integers(0, min(longest, 1000), shape).astype(dtype)
    return (0.5 + rng.random(shape, np.float32)).astype(dtype)
