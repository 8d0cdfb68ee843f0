"""The papers' primitives over lazy arrays: `map reduce scan zip split join slide`, `gather`, `generate`.

A function is called once, on values that stand for an element: a number (`Scalar`) of a 1-dimensional array, a row
(`Array`) of an N-dimensional one, a tuple of those where arrays were zipped. What it returns becomes the body of an ir
lambda. The functions of `lazyarr` and these primitives work on all of them, so lambdas nest.

With the last argument left out, `map`, `reduce`, `scan`, `split` and `slide` give a function of it, so programs compose
without naming arrays: `asum = lift.compose(lift.reduce(operator.add, 0), lift.map(abs))`.
"""

from __future__ import annotations

import builtins
from collections.abc import Callable, Sequence
from functools import partial
from math import prod
from typing import Any

import numpy as np

from ir.core.expr import Expr, Lambda, close, fresh, fun, postorder, substitute
from ir.core.patterns import Element, Gather, Map, Reduce, Repeat, Scan, Slide, Tuple, Zip
from ir.core.types import ArrayType, element_type
from lazyarr.array import Array, combine
from lazyarr.array.scalar import Scalar
from lazyarr.dtypes import from_ir, int64, promote
from lazyarr.elements.scalars import cast
from lazyarr.graph import builders as record
from lazyarr.graph.pytree import register
from lazyarr.lift.values import (
    Pairs,
    Row,
    Spec,
    Zipped,
    applied,
    call,
    check_function,
    collect,
    collection,
    default,
    described,
    elements,
    leaves,
    lower,
    raised,
)
from lazyarr.recording.apply import as_scalar
from lazyarr.recording.conversion import astype
from lazyarr.recording.creation import asarray
from lazyarr.recording.movement import broadcast_to, reshape, whole_number

_NUMBERS = (bool, int, float, complex)
_INITIAL = (*_NUMBERS, np.number, np.bool_, np.ndarray, Array, Scalar, tuple, list)

__all__ = ["compose", "gather", "generate", "join", "map", "reduce", "scan", "slide", "split", "unzip", "zip"]


def map(f: Callable[..., Any], xs: Any = None, /) -> Any:
    """`f` of every element along the first dimension.

    Args:
        f: a function of an element. Zipped elements come as one tuple, or as several arguments if `f` takes that many.
            It may give a number, an array (the result has one dimension more) or a tuple (the result is `Zipped`)
        xs: an array of one or more dimensions, or `Zipped`; left out, `map(f)` is a function of it

    Raises:
        TracingError: `f` branches on an element; names the line.
    """
    check_function("lift.map(f, xs)", f)
    if xs is None:
        return partial(map, f)
    xs = collection("lift.map", xs)
    nodes, spec = elements(xs)
    assert isinstance(nodes.type, ArrayType)
    element = fresh(nodes.type.element)
    value = call(f, raised(element, spec, xs.placed, xs.traced_in))
    body, result = lower("lift.map", value)
    device, trace = combine("lift.map", (xs, *leaves(value)))
    if xs.size:
        found: Expr = _without_scans(Map(close([element], body), nodes))
    else:  # nothing to compute: what the body gives for elements that are not there
        found = Repeat(len(xs), substitute(body, {element: default(element.type)}))
    return collect(found, (len(xs),), result, device, trace)


def _without_scans(node: Expr) -> Expr:
    """The map with what its function scans and reads again as arrays of their own."""
    if not any(isinstance(part, Scan) for part in postorder(node.operands[0])):
        return node
    from ir.rules.folds.scan import scan_out_of_map  # the rules, which importing lazyarr must not pay for

    while (apart := scan_out_of_map.rewrite(node)) is not None:
        node = apart
    return node


def reduce(f: Callable[..., Any], init: Any, xs: Any = None, /) -> Any:
    """All elements along the first dimension combined by `f`, which must be associative with `init` as neutral element.

    Args:
        f: a function of two elements that gives one; the order in which elements are combined is not fixed
        init: the result where there are no elements; it is converted to the element's dtype, or decides it (a float
            among integers), as in an addition. For zipped elements a tuple
        xs: an array of one or more dimensions (of rows: combined element by element), or `Zipped`; left out, `reduce(f,
            init)` is a function of it

    Gives a 0-dimensional array (for rows: an array, for zipped elements: a tuple).

    Raises:
        TypeError: `f` does not give the element's dtype.
    """
    check_function("lift.reduce(f, init, xs)", f, takes=2)
    if xs is None:
        return partial(reduce, f, init)
    found = _Folding("lift.reduce", f, init, xs)
    # where there are no elements, so that the reduction of none is not left to the device
    node = Reduce(found.step, found.start, found.nodes) if found.xs.size else Repeat(1, found.start)
    return _single(node, found.spec, found.placed, found.traced_in)


def scan(f: Callable[..., Any], init: Any, xs: Any = None, /) -> Any:
    """For each element along the first dimension, all up to it, itself included, combined by `f`, starting from `init`.

    `f` must be associative; elements are combined in their order, grouped in any way. `init` need not be neutral.
    Arguments otherwise as for `reduce`; the result has the shape of `xs` (for zipped elements it is `Zipped`).
    """
    check_function("lift.scan(f, init, xs)", f, takes=2)
    if xs is None:
        return partial(scan, f, init)
    found = _Folding("lift.scan", f, init, xs)
    node = Scan(found.step, found.start, found.nodes) if found.xs.size else found.nodes
    return collect(node, found.xs.shape[:1], found.spec, found.placed, found.traced_in)


class _Folding:
    """What `reduce` and `scan` make of their arguments: a function of two elements, a start and the elements."""

    step: Lambda
    start: Expr
    nodes: Expr

    def __init__(self, function: str, f: Callable[..., Any], init: Any, xs: Any) -> None:
        xs = collection(function, xs)
        _check_initial(function, init)
        if isinstance(xs, Array) and not isinstance(init, (tuple, list)):
            kind = type(init) if type(init) in _NUMBERS else asarray(init, function=function).dtype
            xs = astype(xs, promote(xs.dtype, kind))
        self.xs = xs
        self.nodes, self.spec = elements(xs)
        assert isinstance(self.nodes.type, ArrayType)
        t = self.nodes.type.element
        self.start = _initial(function, init, self.spec, default(t))
        a, b = fresh(t), fresh(t)
        value = applied(f, *[raised(each, self.spec, xs.placed, xs.traced_in) for each in (a, b)])
        body, _ = lower(function, value)
        if type(value) in _NUMBERS:
            body = cast(body, from_ir(element_type(t)))
        if body.type is not t:
            raise TypeError(f"{function}: expected a function that gives {t}, as its arguments are, got {body.type}")
        self.step = close([a, b], body)
        self.placed, self.traced_in = combine(function, (xs, *leaves(value), *leaves(init)))


def _check_initial(function: str, init: Any) -> None:
    if not isinstance(init, _INITIAL):
        raise TypeError(
            f"{function}: expected init to be a number or an array, or a tuple for zipped elements, got "
            f"{described(init)}: {function}(f, init, xs)"
        )


def _initial(function: str, init: Any, spec: Spec, like: Expr) -> Expr:
    """The initial value as an expression of the type of `like`; a number serves for every element of a row."""
    if isinstance(spec, tuple):
        if not isinstance(init, (tuple, list)) or len(init) != len(spec):
            raise TypeError(
                f"{function}: expected init to be a tuple of {len(spec)}, as the elements are, got {init!r}"
            )
        parts = builtins.zip(init, spec, like.operands, strict=True)
        return Tuple(*(_initial(function, value, part, component) for value, part, component in parts))
    if isinstance(spec, Pairs):
        raise TypeError(f"{function}: rows of zipped elements cannot be combined; reduce within each by lift.map first")
    dtype = from_ir(element_type(like.type))
    if isinstance(spec, Row):
        return broadcast_to(asarray(init, dtype, function=function), spec.shape).node
    if type(init) in _NUMBERS:
        return record.literal(init, dtype)
    if np.ndim(init):
        raise ValueError(f"{function}: expected init to be a number, as the elements are, got {described(init)}")
    return cast(as_scalar(init).expr, dtype)


def _single(node: Expr, spec: Spec, device: Any, trace: Any) -> Any:
    """The only element of `[A]1` as a value: arrays, in tuples where the element is one."""
    if isinstance(spec, tuple):
        assert isinstance(node.type, ArrayType)
        t = node.type.element
        return tuple(_single(Map(record.component(t, i), node), part, device, trace) for i, part in enumerate(spec))
    found = collect(node, (1,), spec, device, trace)
    return reshape(found, found.shape[1:])


def zip(*xs: Any) -> Zipped:
    """The arrays side by side: an element is the tuple of theirs. `ValueError` unless their first extents agree."""
    if len(xs) < 2:
        raise TypeError(f"lift.zip: expected two or more arrays, got {len(xs)}")
    arrays = [collection("lift.zip", x) for x in xs]
    lengths = [len(x) for x in arrays]
    if len(set(lengths)) > 1:
        raise ValueError(
            f"lift.zip: expected arrays of one length, got lengths {', '.join(builtins.map(str, lengths))}"
        )
    nodes, specs = builtins.zip(*(elements(x) for x in arrays), strict=True)
    device, trace = combine("lift.zip", tuple(arrays))
    return Zipped(Zip(*nodes), (lengths[0],), tuple(specs), device, trace)


def unzip(xs: Zipped, /) -> tuple[Any, ...]:
    """The arrays that were zipped, or those of the components of what a function that gives tuples was mapped to."""
    if not isinstance(xs, Zipped):
        raise TypeError(f"lift.unzip: expected zipped arrays, got {type(xs).__name__}")
    found = []
    for i, spec in enumerate(xs.element):
        if type(xs.node) is Zip:
            node = xs.node.operands[i]
        else:
            assert isinstance(xs.node.type, ArrayType)
            node = Map(record.component(xs.node.type.element, i), xs.node)
        found.append(collect(node, xs.shape, spec, xs.placed, xs.traced_in))
    return tuple(found)


def _rezipped(shape: tuple[int, ...], arrays: Sequence[Any]) -> Any:
    """`unzip`, undone, for tuples in that shape."""
    count = prod(shape)
    return _reshaped(zip(*[_reshaped(x, (count, *x.shape[len(shape) :])) for x in arrays]), shape)


register(Zipped, lambda xs: (xs.shape, unzip(xs)), _rezipped)


def split(n: int, xs: Any = None, /) -> Any:
    """The first dimension cut into chunks of n elements: one dimension more. `ValueError` unless n divides its extent.

    Left without `xs`, `split(n)` is a function of it.
    """
    n = whole_number("lift.split", "n", n, None)
    if xs is None:
        return partial(split, n)
    xs = collection("lift.split", xs)
    extent = xs.shape[0]
    if n < 1 or extent % n:
        raise ValueError(f"lift.split: expected a chunk that divides the length {extent}, got {n}")
    return _reshaped(xs, (extent // n, n, *xs.shape[1:]))


def join(xs: Any, /) -> Any:
    """The first two dimensions as one; `ValueError` if there are fewer."""
    xs = collection("lift.join", xs)
    if len(xs.shape) < 2:
        raise ValueError(f"lift.join: expected two or more dimensions, got shape {xs.shape}")
    return _reshaped(xs, (prod(xs.shape[:2]), *xs.shape[2:]))


def slide(size: int, step: int, xs: Any = None, /) -> Any:
    """The windows of `size` neighbouring elements, each beginning `step` elements behind the one before.

    Args:
        size, step: whole numbers of 1 or more; windows overlap where the step is smaller than the size
        xs: an array of one or more dimensions (of rows: windows of neighbouring rows), or `Zipped`, of `size` elements
            or more; left out, `slide(size, step)` is a function of it

    Gives one dimension more: an array of shape (n, ..) becomes one of shape ((n - size) // step + 1, size, ..).
    Elements behind the last whole window are in none. Nothing is copied where the windows are read by `map` or a
    reduction. For windows along another dimension `map` it over those before: `lift.map(lift.slide(3, 1), rows)`.

    Raises:
        ValueError: a size or step below 1, or arrays without a window.
        TypeError: numbers that are not whole.
    """
    if xs is None:
        return partial(slide, size, step)
    window, apart = [whole_number("lift.slide", *each, 1) for each in (("size", size), ("step", step))]
    xs = collection("lift.slide", xs)
    extent = xs.shape[0]
    if extent < window:
        raise ValueError(f"lift.slide: expected windows of at most the length {extent}, got size {window}")
    nodes, spec = elements(xs)
    shape = ((extent - window) // apart + 1, window)
    return collect(record.join(Slide(window, apart, nodes)), shape, spec, xs.placed, xs.traced_in)


def _reshaped(xs: Array | Zipped, shape: tuple[int, ...]) -> Array | Zipped:
    if isinstance(xs, Array):
        return reshape(xs, shape)
    return Zipped(xs.node, shape, xs.element, xs.placed, xs.traced_in)


def gather(xs: Any, indices: Any, /) -> Any:
    """The elements of `xs` (its rows, where it has more dimensions) that the indices name: `xs[indices]`.

    Args:
        xs: an array of one or more dimensions, or `Zipped`; in a function of `lift.map` often a whole captured array
        indices: an array of whole numbers of any shape, or one number, also an element that `lift.map` walks over. They
            count from 0; one outside, negative ones included, is clamped to the nearest that there is, for their values
            are not known when the program is recorded

    Gives an array of the shape of the indices followed by that of an element; `Zipped` for zipped arrays; for one index
    the element.

    Raises:
        IndexError: indices that are not whole numbers, or of an array that has no elements.
    """
    xs = collection("lift.gather", xs)
    at = indices if isinstance(indices, Scalar) else asarray(indices, function="lift.gather")
    if at.dtype.kind not in "iu":
        raise IndexError(f"lift.gather: expected indices of an integer dtype, got indices of dtype {at.dtype.name}")
    if not len(xs) and at.size:
        raise IndexError(f"lift.gather: expected an array xs with elements, got shape {xs.shape}")
    if at.dtype.name not in ("int32", "int64"):
        at = astype(at, "int64")
    device, trace = combine("lift.gather", (xs, at))
    nodes, spec = elements(xs)
    if isinstance(at, Scalar):
        return raised(Element(0, Gather(nodes, Repeat(1, at.expr))), spec, device, trace)
    node = Gather(nodes, at.node)
    if not at.shape:
        return _single(node, spec, device, trace)
    found = collect(node, at.shape, spec, device, trace)
    if isinstance(at.node, Map) and found.size:  # computed indices become a part of an index function: a map copies it
        assert isinstance(found.node.type, ArrayType)
        found.node = Map(fun(found.node.type.element, lambda x: x), found.node)
    return found


def generate(n: int, f: Callable[..., Any] | None = None, /, *, device: Any = None) -> Any:
    """`f` of each index from 0 to n - 1: an array that is computed wherever it is read, and stored only if asked for.

    Args:
        f: a function of an index, an int64 `Scalar`. What it may give is as for `lift.map`: a number, an array (the
            result has one dimension more) or a tuple (the result is `Zipped`). Left out, `generate(n)` is a function of
            it

    Raises:
        ValueError: a negative n.
        TypeError: one that is not a whole number.
    """
    count = whole_number("lift.generate", "n", n)
    if f is None:
        return partial(generate, count)
    check_function("lift.generate(n, f)", f)
    index = fresh(record.index_type(count))
    value = applied(f, Scalar(cast(index, int64)))
    body, result = lower("lift.generate", value)
    found, trace = combine("lift.generate", leaves(value))
    node = record.generated(close([index], body), count)
    return collect(node, (count,), result, found if device is None else device, trace)


def compose(*functions: Callable[..., Any]) -> Callable[..., Any]:
    """The functions one after the other, the last one first: `compose(f, g)(x) = f(g(x))`."""
    if not functions:
        raise TypeError("lift.compose: expected one or more functions")
    for place, f in enumerate(functions):
        check_function("lift.compose(f, g, ..)", f, f"argument {place}")

    def composition(*arguments: Any) -> Any:
        value = functions[-1](*arguments)
        for f in reversed(functions[:-1]):
            value = f(value)
        return value

    return composition
