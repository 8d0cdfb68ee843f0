"""The values that lambdas of `lazyarr.lift` see, and how they stand for expressions."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from math import prod
from typing import Any, TypeAlias, Union

import numpy as np

from ir.core.expr import Expr
from ir.core.patterns import Get, Literal, Repeat, Tuple
from ir.core.types import ArrayType, ScalarType, TupleType, Type, element_type
from lazyarr.array import Array, array_of
from lazyarr.array.scalar import Scalar
from lazyarr.dtypes import from_ir
from lazyarr.eager.operations import recording_only
from lazyarr.graph import builders as record
from lazyarr.graph.tracing import Trace
from lazyarr.recording.apply import as_scalar
from lazyarr.recording.creation import asarray

__all__ = [
    "Pairs", "Row", "Spec", "Zipped", "applied", "call", "check_function", "collect", "collection", "default",
    "described", "elements", "leaves", "lower", "raised",
]  # fmt: skip


@dataclass(frozen=True, slots=True)
class Row:
    """The element is an array of that shape."""

    shape: tuple[int, ...]


@dataclass(frozen=True, slots=True)
class Pairs:
    """The element is a `Zipped` of that shape with such elements."""

    shape: tuple[int, ...]
    element: tuple[Any, ...]


# What an element is beside its type: a number (None), a row, a tuple of such, or a row of tuples.
Spec: TypeAlias = Union[Row, Pairs, "tuple[Spec, ...]", None]


class Zipped:
    """Arrays zipped: an array whose elements are tuples. `lift.map`, `reduce`, `zip`, `split`, `join`, `unzip` take it.

    Attributes:
        node: the expression, `[(A, B, ...)]N`, flat
        shape: the extents of the dimensions over the tuples, whose product is N
        element: what the components are
        placed, traced_in: as an `Array`'s
    """

    __slots__ = ("element", "node", "placed", "shape", "traced_in")

    def __init__(
        self, node: Expr, shape: tuple[int, ...], element: tuple[Spec, ...], device: Any, trace: Trace | None
    ) -> None:
        self.node = node
        self.shape = shape
        self.element = element
        self.placed = device
        self.traced_in = trace

    @property
    def size(self) -> int:
        """The number of tuples."""
        return prod(self.shape)

    def __len__(self) -> int:
        return self.shape[0]

    def __iter__(self) -> Any:
        raise TypeError(
            "zipped arrays are not iterated: lift.unzip gives the arrays, lift.map a function of each tuple"
        )

    def __repr__(self) -> str:
        return f"<zipped {element_type(self.node.type)}, shape {self.shape}>"


def check_function(call: str, f: Any, argument: str = "f", takes: int | None = None) -> None:
    """`TypeError` for what is no function, or takes another number of arguments.

    Args:
        call: how the function that was called is called: `lift.map(f, xs)`
        argument: the argument's name there
        takes: the number of arguments that it is to take; None: any
    """
    function = call.partition("(")[0]
    if not callable(f):
        raise TypeError(f"{function}: expected {argument} to be a function, got {described(f)}: {call}")
    if takes is None:
        return
    try:
        signature = inspect.signature(f)
    except (TypeError, ValueError):  # of functions that do not tell
        return
    try:
        signature.bind(*[None] * takes)
    except TypeError:
        text = f"expected {argument} to be a function of {takes} arguments, got one of {signature}"
        raise TypeError(f"{function}: {text}: {call}") from None


def described(x: Any) -> str:
    """A value, in errors."""
    if isinstance(x, (Array, np.ndarray)):
        return f"an array of shape {x.shape}"
    return f"{x!r}"


def collection(function: str, xs: Any) -> Array | Zipped:
    """What a primitive walks over: an array of one or more dimensions or `Zipped`; `ValueError` for a number."""
    found = xs if isinstance(xs, Zipped) else asarray(xs, function=function)
    if not found.shape:
        raise ValueError(f"{function}: expected an array of one or more dimensions, got a 0-dimensional one")
    return found


def elements(xs: Array | Zipped) -> tuple[Expr, Spec]:
    """`[A]n`, n the first extent, and what its elements are."""
    rest = xs.shape[1:]
    if isinstance(xs, Zipped):
        spec: Spec = Pairs(rest, xs.element) if rest else xs.element
    else:
        spec = Row(rest) if rest else None
    if not rest:
        return xs.node, spec
    inner = prod(rest)
    if xs.size:
        return record.split(inner, xs.node), spec
    assert isinstance(xs.node.type, ArrayType)
    return Repeat(xs.shape[0], default(ArrayType(xs.node.type.element, inner))), spec


def default(t: Type) -> Expr:
    """Some value of that type, closed: zeros."""
    if isinstance(t, TupleType):
        return Tuple(*(default(part) for part in t.elements))
    if isinstance(t, ArrayType):
        return Repeat(t.length, default(t.element))
    assert isinstance(t, ScalarType)
    return Literal(0, t)


def raised(expr: Expr, spec: Spec, device: Any, trace: Trace | None) -> Any:
    """The Python value that stands for an element."""
    if isinstance(spec, tuple):
        return tuple(raised(Get(i, expr), part, device, trace) for i, part in enumerate(spec))
    if isinstance(spec, Pairs):
        return Zipped(expr, spec.shape, spec.element, device, trace)
    if isinstance(spec, Row):
        return array_of(expr, spec.shape, from_ir(element_type(expr.type)), device, trace)
    return Scalar(expr, trace)


def lower(function: str, value: Any) -> tuple[Expr, Spec]:
    """The expression of what a user's function returned, and what it is; `TypeError` for what is not a value."""
    if isinstance(value, Scalar):
        return value.expr, None
    if isinstance(value, Array):
        return value.node, Row(value.shape)
    if isinstance(value, Zipped):
        return value.node, Pairs(value.shape, value.element)
    if isinstance(value, (tuple, list)) and len(value) > 1:
        exprs, specs = zip(*(_component(function, part) for part in value), strict=True)
        return Tuple(*exprs), tuple(specs)
    if isinstance(value, (bool, int, float, complex, np.generic)):
        return as_scalar(value).expr, None
    if isinstance(value, np.ndarray):
        return lower(function, asarray(value, function=function))
    raise TypeError(
        f"{function}: expected a function that gives numbers, arrays or tuples of two or more, got {value!r}"
    )


def _component(function: str, value: Any) -> tuple[Expr, Spec]:
    """`lower` of a component of a tuple, in which a 0-dimensional array is a number: tuples hold no arrays of one."""
    if isinstance(value, Array) and not value.shape:
        return record.first(value.node), None
    return lower(function, value)


def leaves(value: Any) -> tuple[Any, ...]:
    """The arrays and scalars in a value."""
    if isinstance(value, (tuple, list)):
        return tuple(leaf for part in value for leaf in leaves(part))
    return (value,) if isinstance(value, (Scalar, Array, Zipped)) else ()


def collect(node: Expr, shape: tuple[int, ...], spec: Spec, device: Any, trace: Trace | None) -> Array | Zipped:
    """The results of a function as a collection: `node` is `[B]N`, N the product of `shape`, B described by `spec`."""
    if isinstance(spec, tuple):
        return Zipped(node, shape, spec, device, trace)
    if isinstance(spec, Pairs):
        return Zipped(record.join(node), (*shape, *spec.shape), spec.element, device, trace)
    dtype = from_ir(element_type(node.type))
    if isinstance(spec, Row):
        shape = (*shape, *spec.shape)
        node = record.join(node)
    return array_of(node if prod(shape) else record.empty(dtype), shape, dtype, device, trace)


def call(f: Callable[..., Any], value: Any) -> Any:
    """`f` of an element; a tuple is handed over as several arguments to a function that takes that many."""
    return applied(f, *value) if isinstance(value, tuple) and _arity(f) == len(value) else applied(f, value)


def applied(f: Callable[..., Any], *values: Any) -> Any:
    """A user's function of elements: what it computes is part of the expression, so nothing is carried out eagerly."""
    with recording_only:
        return f(*values)


def _arity(f: Callable[..., Any]) -> int | None:
    """The number of positional arguments without a default; None where Python cannot tell."""
    try:
        parameters = inspect.signature(f).parameters.values()
    except (TypeError, ValueError):
        return None
    return sum(p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD) for p in parameters)
