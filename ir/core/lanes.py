"""Lanes: which lane of a vector is read, as far as it is known before a kernel runs.

A vector that is put together from scalars in memory (`asVector`) is read lane by lane at any place. One that stands in
a register, or was stored whole, has lanes with names and no address: asScalar reads it where the lane is a number, as
in an unrolled loop. Reading is followed as the generator does it, views as functions of an index, but without values.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import count
from typing import TypeAlias

from ir.core.expr import Expr, Lambda, Param, postorder
from ir.core.patterns import (
    MAP,
    AsScalar,
    AsVector,
    Concat,
    FromSize,
    Gather,
    Generate,
    Get,
    IndexView,
    Iterate,
    Literal,
    Map,
    MapReduce,
    Memory,
    Overlap,
    Reduce,
    Repeat,
    Scatter,
    Splat,
    Tuple,
    Zip,
    length_of,
    moves_elements,
    narrow,
)
from ir.core.sizes import Size, is_le, is_lt, size, var
from ir.core.stored import holds_array, part_of
from ir.core.types import ArrayType, TupleType, Type, VectorType
from ir.errors import VerificationError

__all__ = ["check_lanes"]


class _Whole:
    """A vector in a register or in memory that holds vectors."""


class _Lanes:
    """A vector that is read from the scalars at its lanes."""

    def __init__(self, width: int, lane: Callable[[Size], _Value]) -> None:
        self.width = width
        self.lane = lane


class _Parts:
    """A tuple."""

    def __init__(self, *parts: _Value) -> None:
        self.parts = parts


class _Array:
    """An array: `at(i)` is element i."""

    def __init__(self, at: Callable[[Size], _Value]) -> None:
        self.at = at


_Value: TypeAlias = _Whole | _Lanes | _Parts | _Array | None
"""What is known of a value; of a scalar nothing."""

_Scope: TypeAlias = "dict[Expr, _Value]"
_WHOLE = _Whole()


def check_lanes(root: Expr) -> None:
    """Raise `VerificationError` where a lane of a vector that is kept as a whole is chosen by a variable."""
    if any(isinstance(node, AsScalar) for node in postorder(root)):
        _Reader().write(root, {})


class _Reader:
    def __init__(self) -> None:
        self.numbers = count()
        self.kept: dict[object, None] = {}

    # --- what is computed ---------------------------------------------------------------------------------------------

    def write(self, e: Expr, scope: _Scope) -> None:
        """Everything that is read so that a result can be written."""
        match e:
            case Scatter():
                self.write_scatter(e, scope)
            case Get() | Map() if (part := part_of(e)) is not None:
                self.turns(part[0], scope)
            case Map(how=how) if how == MAP and not moves_elements(e):
                _force(self.read(e, scope))
            case Map(_, xs) | Memory(_, xs) if isinstance(e, Memory) or moves_elements(e):
                self.write(xs, scope)
            case _ if e.traits.passes_destination:
                for operand in e.operands:
                    self.write(operand, scope)
            case _ if e.traits.computes and not e.traits.materialised:
                self.turns(e, scope)
            case _:
                _force(self.read(e, scope))

    def turns(self, e: Expr, scope: _Scope) -> None:
        """The turns of a loop: its functions at each index that is known, or at one that is not."""
        if isinstance(e, Reduce) and isinstance(e.init.type, ArrayType):
            self.write(e.init, scope)
        else:
            for operand in e.operands[:-1]:
                if not isinstance(operand, Lambda):
                    _force(self.read(operand, scope))
        xs = self.read(e.operands[-1], scope)
        for i in self.indices(getattr(e, "how", e).name, length_of(e.operands[-1])):
            for f in e.operands:
                if isinstance(f, Lambda):
                    params, body = f.open()
                    arguments = (*(_stored(t) for t in f.types[:-1]), _at(xs, i))
                    self.write(body, {**scope, **dict(zip(params, arguments, strict=True))})

    def indices(self, how: str, trip: Size) -> Iterator[Size]:
        n = trip.value
        if n is not None and how.endswith("Unroll"):
            yield from map(size, range(n))
        elif n == 1 and how not in ("mapLocal", "mapWarp", "mapLane"):
            yield size(0)
        else:
            yield self.variable(trip)

    def combined(self, i: Size, row: Size, j: Size) -> Size:
        """`i * row + j`."""
        return i * row + j

    def divided(self, i: Size, row: Size, rows: Size) -> tuple[Size, Size]:
        """`i // row` and `i % row`."""
        return i // row, i % row

    def variable(self, extent: Size) -> Size:
        """An index below an extent of which nothing else is known."""
        return var(f"index_{next(self.numbers)}", 0, extent - 1)

    def write_scatter(self, e: Scatter, scope: _Scope) -> None:
        assert isinstance(e.f, Lambda)
        assert isinstance(e.key, Lambda)
        assert isinstance(e.ys.type, ArrayType)
        assert isinstance(e.xs.type, ArrayType)
        if e.xs not in scope:  # an accumulator
            self.write(e.xs, scope)
        ys, ((y,), pair), (combined, body) = self.read(e.ys, scope), e.key.open(), e.f.open()
        named = self.read(pair, {**scope, y: _at(ys, self.variable(e.ys.type.length))})
        _force(named)
        arguments = (_stored(e.xs.type.element), _part(named, 1))
        self.write(body, {**scope, **dict(zip(combined, arguments, strict=True))})

    # --- what is read -------------------------------------------------------------------------------------------------

    def read(self, e: Expr, scope: _Scope) -> _Value:
        """The view of an expression."""
        if e in scope:
            return scope[e]
        if isinstance(e, Param):
            return _stored(e.type)
        if not (e.patterned or holds_array(e.type)):
            return self.scalar(e, scope)
        match e:
            case Get(index, operand):
                return _part(self.read(operand, scope), index)
            case Tuple():
                return _Parts(*(self.read(operand, scope) for operand in e.operands))
            case Zip():
                arrays = [self.read(operand, scope) for operand in e.operands]
                return _Array(lambda i: _Parts(*(_at(a, i) for a in arrays)))
            case IndexView():
                inner = self.read(e.operands[0], scope)
                below = _WHOLE if isinstance(e, Repeat) and isinstance(inner, _Lanes) else inner
                return e.array(e.source, self, below, _Array, _at)
            case AsVector(width, xs):
                inner = self.read(xs, scope)
                return _Array(lambda i: _vector(inner, i, width, e.type.element))  # type: ignore[attr-defined]  # an array
            case AsScalar(xs):
                inner, width = self.read(xs, scope), narrow(xs.type.element)[1]  # type: ignore[attr-defined]  # an array
                return _Array(lambda i: _lane(_at(inner, i // width), i % width, e))
            case Concat():
                return _concatenated([(self.read(x, scope), length_of(x)) for x in e.operands])
            case Overlap(first=first, last=last):
                return _concatenated([(self.read(first, scope), e.start), (self.read(last, scope), length_of(last))])
            case Gather(xs, indices):
                inner, where, extent = self.read(xs, scope), self.read(indices, scope), length_of(xs)

                def gathered(i: Size) -> _Value:
                    _force(_at(where, i))
                    return _at(inner, self.variable(extent))

                return _Array(gathered)
            case _ if e.traits.materialised:
                return self.memory(e, scope)
            case MapReduce():
                return _stored(e.type)
            case Map(Lambda() as f, xs):
                inner, (params, body) = self.read(xs, scope), f.open()
                return _Array(lambda i: self.read(body, {**scope, params[0]: _at(inner, i)}))
            case Generate(_, f):
                params, body = f.open()
                return _Array(lambda i: self.read(body, {**scope, params[0]: None}))
        return self.scalar(e, scope)

    def scalar(self, root: Expr, scope: _Scope) -> _Value:
        """A scalar, vector or tuple, what it is computed from read before it."""

        def is_read(e: Expr) -> bool:
            return e is not root and (e in scope or holds_array(e.type) or isinstance(e, IndexView))

        found: _Scope = {}
        for e in postorder(root, prune=is_read):
            operands = [found[x] if x in found else self.read(x, scope) for x in e.operands]
            match e:
                case Tuple():
                    found[e] = _Parts(*operands)
                case Get(index, _):
                    found[e] = _part(operands[0], index)
                case Literal() | FromSize():
                    found[e] = None
                case Param() | Splat():
                    found[e] = _stored(e.type)
                case _:
                    for operand in operands:
                        _force(operand)
                    found[e] = _stored(e.type)
        return found[root]

    def memory(self, e: Expr, scope: _Scope) -> _Value:
        """What is computed before it is read: once for each value of the variables that it needs."""
        free = [node for node in postorder(e, prune=lambda node: not node.loose) if isinstance(node, Param)]
        key = (e, *(scope.get(p) for p in free))
        if key not in self.kept:
            self.kept[key] = None
            self.write(e.operands[-1], scope)
            if isinstance(e, Iterate):
                params, body = e.f.open()
                self.write(body, {**scope, params[0]: _stored(params[0].type)})
        return _stored(e.type)


def _stored(t: Type) -> _Value:
    """A value in memory or in registers."""
    if isinstance(t, ArrayType):
        return _Array(lambda i: _stored(t.element))
    if isinstance(t, TupleType):
        return _Parts(*map(_stored, t.elements))
    return _WHOLE if isinstance(t, VectorType) else None


def _vector(inner: _Value, i: Size, width: int, t: Type, path: tuple[int, ...] = ()) -> _Value:
    if isinstance(t, TupleType):
        return _Parts(*(_vector(inner, i, width, part, (*path, k)) for k, part in enumerate(t.elements)))

    def lane(k: Size) -> _Value:
        value = _at(inner, i * width + k)
        for component in path:
            value = _part(value, component)
        return value

    return _Lanes(width, lane)


def _lane(value: _Value, k: Size, e: Expr) -> _Value:
    match value:
        case _Parts(parts=parts):
            return _Parts(*(_lane(part, k, e) for part in parts))
        case _Lanes(lane=lane):
            return lane(k)
    if k.value is None:
        raise VerificationError(
            f"asScalar: a vector that is stored as a whole, or chosen from several, is read at lane {k}, in a loop "
            "that is not unrolled: unroll the loop, or store scalars (toX ∘ asScalar instead of asScalar ∘ toX)"
            f"\n    {e!r}"
        )
    return None


def _force(value: _Value) -> None:
    """Read all of a scalar, vector or tuple."""
    match value:
        case _Parts(parts=parts):
            for part in parts:
                _force(part)
        case _Lanes(width=width, lane=lane):
            for k in range(width):
                lane(size(k))


def _at(value: _Value, i: Size) -> _Value:
    return value.at(i) if isinstance(value, _Array) else None


def _part(value: _Value, index: int) -> _Value:
    match value:
        case _Parts(parts=parts):
            return parts[index]
        case _Array(at=at):
            return _Array(lambda i: _part(at(i), index))
    return None


def _concatenated(parts: list[tuple[_Value, Size]]) -> _Value:
    def at(i: Size, which: int = 0) -> _Value:
        view, length = parts[which]
        if which == len(parts) - 1 or is_lt(i, length):
            return _at(view, i)
        if is_le(length, i):
            return at(i - length, which + 1)
        return _either(_at(view, i), at(i - length, which + 1))

    return _Array(at)


def _either(a: _Value, b: _Value) -> _Value:
    """One of two values, chosen where it is read."""
    match a, b:
        case _Array(), _Array():
            return _Array(lambda i: _either(_at(a, i), _at(b, i)))
        case _Parts(parts=first), _Parts(parts=second):
            return _Parts(*map(_either, first, second))
    _force(a)
    _force(b)
    return None if a is None else _WHOLE
