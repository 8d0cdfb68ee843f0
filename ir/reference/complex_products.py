"""Products of complex numbers by NumPy's, in their order: where parts were multiplied apart, the product of some may
overflow, and what is infinite times zero is NaN.
"""

from __future__ import annotations

from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda
from ir.core.nodes.arrangements import Zip
from ir.core.nodes.maps import Map
from ir.core.nodes.primitives import Call, Get, Tuple
from ir.core.types import FLOAT32, FLOAT64, TupleType
from ir.cost.thresholds.tiers import NUMPY_ELEMENT_SECONDS
from ir.reference.axes import Factor
from ir.reference.elementwise import paired
from ir.reference.layout import Operand, Term, merged, seconds_to_copy, whole
from ir.reference.source import Source

__all__ = ["is_complex_product", "is_complex_product_of_rows", "is_one", "multiplied", "multiplied_up_to_each"]


def is_complex_product(f: Lambda) -> bool:
    """Does a function multiply two complex numbers, which are pairs of their parts?"""
    return len(f.variables) == 2 and _multiplies(f.body, *f.variables)


def is_complex_product_of_rows(f: Lambda) -> bool:
    """Is it that, or a function that multiplies the numbers of two rows, at each place?"""
    body = f.body
    if not isinstance(body, Map) or len(f.variables) != 2:
        return is_complex_product(f)
    pairs, inner = body.xs, body.f
    if not isinstance(pairs, Zip) or pairs.operands != tuple(f.variables) or not isinstance(inner, Lambda):
        return False
    (both,) = inner.variables
    return _multiplies(inner.body, Get(0, both), Get(1, both))


def _multiplies(body: Expr, a: Expr, b: Expr) -> bool:
    if not isinstance(body, Tuple) or a.type != b.type or not isinstance(a.type, TupleType):
        return False
    parts = set(a.type.elements)
    if len(a.type.elements) != 2 or not parts <= {FLOAT32, FLOAT64} or len(parts) > 1:
        return False
    (real, imaginary), (re, im) = (Get(0, a), Get(1, a)), (Get(0, b), Get(1, b))
    return body is Tuple(
        Call("subtract", Call("multiply", real, re), Call("multiply", imaginary, im)),
        Call("add", Call("multiply", real, im), Call("multiply", imaginary, re)),
    )


def multiplied(source: Source, xs: Term, depth: int) -> Term:
    """The product of all along a dimension, which is dropped."""
    both, axis = _along(source, xs, depth)
    shape = (*both.shape[:axis], *both.shape[axis + 1 :])
    dimensions = [
        tuple([Factor(f.extent, f.axis if f.axis is None or f.axis < axis else f.axis - 1) for f in dimension])
        for number, dimension in enumerate(both.dimensions)
        if number != depth
    ]
    return _parts(source, "reduce", both, axis, shape, dimensions)


def multiplied_up_to_each(source: Source, xs: Term, depth: int) -> Term:
    """The product of all up to each along a dimension."""
    both, axis = _along(source, xs, depth)
    return _parts(source, "accumulate", both, axis, both.shape, both.dimensions)


def is_one(source: Source, init: Term) -> bool:
    """Is it the number one, with which a product may begin?"""
    if isinstance(init, Operand):
        return False
    values = [source.value(part.text) if isinstance(part, Operand) else None for part in init]
    return values == [1, 0]


def _along(source: Source, xs: Term, depth: int) -> tuple[Operand, int]:
    """The complex numbers, and the axis that a dimension is."""
    assert isinstance(xs, tuple)
    both = paired(source, [part for part in xs if isinstance(part, Operand)])
    both = merged(source, whole(source, both, [depth]), [depth])
    ((_, axis),) = both.dimensions[depth]
    assert axis is not None
    return both, axis


def _parts(source: Source, method: str, both: Operand, axis: int, shape: tuple[int, ...], dimensions: Any) -> Term:
    """The real and the imaginary parts of what a method of NumPy's product makes."""
    seconds = prod(both.shape) * NUMPY_ELEMENT_SECONDS["scan"] + seconds_to_copy(both.shape, both.dtype)
    arguments = (both.text, f"axis={axis}")
    made = source.assign(f"op_multiply.{method}", arguments, both.reads, shape, both.dtype, kernels=1, seconds=seconds)
    part = np.empty(0, both.dtype).real.dtype
    planes = [
        source.assign("", (f"{made}.{name}",), (made,), shape, part, view_of=made if shape else None)
        for name in ("real", "imag")
    ]
    return tuple([both.of(plane, dimensions) for plane in planes])
