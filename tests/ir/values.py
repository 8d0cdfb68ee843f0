"""Inputs for expressions, and the comparisons of values that rules and generated kernels have to stand up to."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from ir.core.expr import Expr, Param, postorder
from ir.core.patterns import REDUCE, REDUCE_SEQ, SCAN, Iterate, Map, Reduce, ReducePart, Scan, Tuple
from ir.core.semantics.interpreter import Interpreter, interpret
from ir.core.semantics.values import Value, leaves, map_leaves, random_value
from ir.core.types import ArrayType, FunctionType, ScalarType, TupleType, Type, VectorType

Sizes = Mapping[str, int]


def free_variables(e: Expr) -> list[Param]:
    """The parameters of an expression, those of functions that were opened around it included."""
    return [node for node in postorder(e) if isinstance(node, Param)]


def integral(value: Value, limit: int = 1 << 10) -> Value:
    """The value with whole numbers for its floats: as different from each other, and added up without rounding."""

    def whole(a: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
        if a.dtype.kind != "f":
            return a
        ranks = np.empty(a.size, np.int64)
        ranks[np.argsort(a, axis=None)] = np.arange(a.size)
        return ((ranks % (2 * limit)) - min(a.size // 2, limit)).reshape(a.shape).astype(a.dtype)

    return map_leaves(whole, value)


def random_inputs(e: Expr, sizes: Sizes, seed: int = 0, *, whole: bool = False) -> dict[Any, Any]:
    """A value for each free variable; `whole` gives whole numbers, on which sums are exact in any order."""
    rng = np.random.default_rng(seed)
    values = {p: random_value(p.type, sizes, rng) for p in free_variables(e)}
    return {p: integral(v) for p, v in values.items()} if whole else values


class Evaluation:
    """`interpret` of one expression, for inputs and sizes that are given again and again: how it is evaluated is found
    out once, but where an `iterate` has other functions at other sizes.

    Args:
        plans: how functions of other expressions are evaluated, which this one may have in common with them; those of
            its own are added
    """

    def __init__(self, e: Expr, plans: dict[Expr, Any] | None = None) -> None:
        self.e = e
        self.follows_sizes = any(isinstance(node, Iterate) for node in postorder(e))
        self.interpreter = Interpreter({}, {})
        if plans is not None and not self.follows_sizes:
            self.interpreter.plans = plans

    def __call__(self, inputs: Mapping[Any, Any], sizes: Sizes) -> Any:
        if sizes != self.interpreter.sizes:
            before, self.interpreter = self.interpreter, Interpreter({}, dict(sizes))
            if not self.follows_sizes:
                self.interpreter.plans = before.plans
        self.interpreter.inputs = inputs
        return self.interpreter.value(self.e)


def observable(e: Expr) -> Expr:
    """An expression with the same meaning that has a value: a function is applied to seven arguments."""
    if not isinstance(e.type, FunctionType):
        return e
    if len(e.type.params) == 1:
        return Map(e, Param("probe", ArrayType(e.type.params[0], 7)))
    accumulator, element = e.type.params
    return Reduce(e, Param("start", accumulator), Param("probe", ArrayType(element, 7)), REDUCE_SEQ)


def flat(value: Any) -> Iterator[np.ndarray[Any, Any]]:
    """The arrays of a value."""
    for part in leaves(value):
        yield np.asarray(part)


def assert_identical(actual: Any, expected: Any) -> None:
    """Equal bit for bit; a NaN equals a NaN."""
    pairs = list(zip(flat(actual), flat(expected), strict=True))
    for a, b in pairs:
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        np.testing.assert_array_equal(a, b)
        if a.dtype.kind == "f":
            numbers = ~np.isnan(a)
            np.testing.assert_array_equal(np.signbit(a)[numbers], np.signbit(b)[numbers])


def are_identical(actual: Any, expected: Any) -> bool:
    """Are they equal bit for bit?"""
    pairs = zip(flat(actual), flat(expected), strict=True)
    return all(a.dtype == b.dtype and a.shape == b.shape and a.tobytes() == b.tobytes() for a, b in pairs)


def assert_close(actual: Any, expected: Any, terms: int, scale: float) -> None:
    """Equal but for the rounding of `terms` additions of numbers whose absolute values add up to `scale`."""
    for a, b in zip(flat(actual), flat(expected), strict=True):
        assert a.dtype == b.dtype
        assert a.shape == b.shape
        if a.dtype.kind != "f":
            np.testing.assert_array_equal(a, b)
        else:
            tolerance = float(np.finfo(a.dtype).eps) * (terms + 2) * scale
            np.testing.assert_allclose(a, b, rtol=0, atol=tolerance, equal_nan=True)


def assert_permuted(actual: Any, expected: Any) -> None:
    """The same elements along the first dimension, in any order."""

    def rows(value: Any) -> list[bytes]:
        arrays = list(flat(value))
        return sorted(b"".join(np.ascontiguousarray(a[i]).tobytes() for a in arrays) for i in range(len(arrays[0])))

    assert rows(actual) == rows(expected)


def has_free_order(e: Expr) -> bool:
    """Does it add or multiply floats in an order that is left open, which the interpreter chooses by memory layout?"""
    return any(
        (isinstance(node, ReducePart) or (isinstance(node, (Reduce, Scan)) and node.how in (REDUCE, SCAN)))
        and _has_float(node.init.type)
        for node in postorder(e)
    )


def _has_float(t: Type) -> bool:
    if isinstance(t, TupleType):
        return any(map(_has_float, t.elements))
    if isinstance(t, ArrayType | VectorType):
        return _has_float(t.element)
    return isinstance(t, ScalarType) and t.is_float


def magnitude(e: Expr, inputs: Mapping[Any, Any], sizes: Sizes) -> tuple[int, float]:
    """How many numbers a reduction or scan combines, and the sum of their (finite) absolute values, over all of `e`.

    Reductions inside functions are not looked into: their rounding is part of the values that are combined.
    """
    terms, scale = 1, 0.0
    nodes = [*postorder(e, prune=lambda part: isinstance(part.type, FunctionType)), e]  # two at least, for a tuple
    for node, value in zip(nodes, interpret(Tuple(*nodes), inputs, sizes), strict=True):  # what they share only once
        for a in flat(value):
            if a.dtype.kind == "f" and a.size:
                terms = max(terms, a.size)
                with np.errstate(all="ignore"):
                    sizes_ = np.abs(a[np.isfinite(a)].astype(np.float64))
                # the results of a scan are sums already
                scale = max(scale, float(sizes_.max(initial=0) if isinstance(node, Scan) else sizes_.sum()))
    return terms, scale


def inner_magnitude(e: Expr, inputs: Mapping[Any, Any], sizes: Sizes) -> float:
    """A bound for the numbers that reductions inside functions add up: all inputs' absolute values, squared."""
    total = 1.0
    for node in free_variables(e):
        for a in flat(inputs[node]):
            if a.dtype.kind == "f" and a.size:
                total += float(np.square(a.astype(np.float64)).sum())
    return total


Named = tuple[tuple[str, int], ...]
"""Sizes, as pairs of names and numbers."""


@lru_cache(maxsize=64)
def meaning(high: Expr, sizes: Named, seed: int, whole: bool) -> tuple[dict[Any, Any], Any]:
    """Inputs, and what the expression means for them: the same for each of its schedules and kernels."""
    inputs = random_inputs(high, dict(sizes), seed, whole=whole)
    with np.errstate(all="ignore"):
        return inputs, interpret(high, inputs, dict(sizes))


@lru_cache(maxsize=64)
def rounded(high: Expr, sizes: Named, seed: int, whole: bool) -> tuple[int, float]:
    """`magnitude` for the inputs of `meaning`, to its sum `inner_magnitude` added."""
    inputs, _ = meaning(high, sizes, seed, whole)
    terms, scale = magnitude(high, inputs, dict(sizes))
    return terms, scale + inner_magnitude(high, inputs, dict(sizes))
