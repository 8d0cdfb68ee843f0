"""Calls of NumPy that vertices of a graph stand for, noted beside these: `fft` beside the butterflies it is made of.

A graph means what its patterns say, and kernels are made of these alone. Where a vertex is known to be the result of a
function that NumPy has, the reference tier calls that. Notes are kept as long as their vertices.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple, TypeAlias
from weakref import WeakKeyDictionary, WeakSet

from ir.core.expr import Expr, Lambda, Param, postorder, substitute_each
from ir.core.patterns import Join, Reduce, Tuple, Zip

__all__ = [
    "Correlation", "Interpolation", "LibraryCall", "Transform", "is_absolute", "note", "note_absolute", "noted_below",
]  # fmt: skip


class Transform(NamedTuple):
    """A call of one of NumPy's Fourier transforms.

    Attributes:
        name: NumPy's
        operand: the flat array that is transformed, of tuples for complex numbers
        shape: the operand's
        result: that of what comes out
        n, axis, norm: the other arguments
        kernels: how many reductions the patterns have
    """

    name: str
    operand: Expr
    shape: tuple[int, ...]
    result: tuple[int, ...]
    n: int
    axis: int
    norm: str
    kernels: int = 0


class Interpolation(NamedTuple):
    """A call of `interp`.

    Attributes:
        operand: a tuple of flat arrays: where values are asked for, the places and the values of samples, and, of one
            element each, the values before the first and behind the last sample
        kernels: how many reductions the patterns have
    """

    operand: Tuple
    kernels: int = 0


class Correlation(NamedTuple):
    """A call of `correlate` for a few real numbers that are moved along as many or more.

    Attributes:
        operand: a tuple of two flat arrays, the shorter one second
        before, behind: how many places there are where it begins before the first element, or ends behind the last
        kernels: how many reductions the patterns have
    """

    operand: Tuple
    before: int
    behind: int
    kernels: int = 0


LibraryCall: TypeAlias = Transform | Interpolation | Correlation

_absolute: WeakSet[Lambda] = WeakSet()


def note_absolute(f: Lambda) -> None:
    """Note that a function of a pair is the absolute value of a complex number."""
    _absolute.add(f)


def is_absolute(f: Expr) -> bool:
    """Is a function noted to be that?"""
    return f in _absolute


_noted: WeakKeyDictionary[Expr, LibraryCall] = WeakKeyDictionary()


def note(made: Expr, call: LibraryCall) -> None:
    """Note that a flat array, made of patterns, is the result of a call. Rows that it joins are noted, too: who splits
    it again is given these.
    """
    if made.loose or made is call.operand:
        return
    given = {call.operand, *(call.operand.operands if isinstance(call.operand, (Tuple, Zip)) else ())}
    call = call._replace(kernels=sum([isinstance(x, Reduce) for x in postorder(made, given.__contains__)]))
    _noted[made] = call
    while isinstance(made, Join):
        made = made.xs
        _noted[made] = call


def noted_below(
    roots: Sequence[Expr], leaves: Iterable[Param], replacements: Mapping[Param, Expr] | None = None
) -> dict[Expr, LibraryCall]:
    """The vertices below some roots that calls stand for; with replacements those of the graph in which these stand for
    the leaves. Operands of calls are looked at as well.

    Args:
        leaves: those of the graph; a call that reads another one is left out
    """
    found: dict[Expr, LibraryCall] = {}
    if not len(_noted):
        return found
    given = set(leaves)
    met: set[Expr] = set()
    seen: set[Expr] = set()  # by which it is known what reads others
    others: set[Expr] = set()
    waiting = list(roots)
    while waiting:
        for node in postorder(waiting.pop(), met.__contains__):
            met.add(node)
            call = _noted.get(node)
            if call is None:
                continue
            for each in postorder(call.operand, seen.__contains__):
                seen.add(each)
                is_other = isinstance(each, Param) and not each.binder and each not in given
                if is_other or not others.isdisjoint(each.operands):
                    others.add(each)
            if call.operand not in others:
                found[node] = call
                waiting.append(call.operand)
    if not replacements:
        return found
    nodes, calls = list(found), list(found.values())
    replaced = substitute_each([*nodes, *[call.operand for call in calls]], replacements)
    operands = replaced[len(nodes) :]
    return {
        node: call._replace(operand=operand)  # type: ignore[arg-type]  # a tuple stays one
        for node, call, operand in zip(replaced[: len(nodes)], calls, operands, strict=True)
    }
