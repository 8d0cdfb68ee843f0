"""Programs of deferred operations, found again without making their expressions.

    signature of  softmax(m): leaf (20, 50)
    key:          1, None, divide, None, 5, ..., (20, 50)        leaves: m

What operations were applied to is walked through once. Operations are objects, equal where they record the same for
operands of the same shapes and dtypes, so they, and where each operand was met before, tell the program. Expressions
that were recorded at once are taken apart as `ir.fusion.skeleton` does.
"""

from __future__ import annotations

from collections.abc import Callable, Container, Sequence
from operator import attrgetter
from typing import Any, NamedTuple

from ir.core.expr import Expr
from ir.core.patterns import Generate, Literal, Repeat, Zip
from ir.fusion.skeleton import skeleton
from lazyarr.deferred import Deferred
from lazyarr.execution.program import Program
from lazyarr.inputs import Input, inputs_of

__all__ = ["Recalled", "Signature", "recalled_by", "signature"]

_shape = attrgetter("shape")


class Signature(NamedTuple):
    """What arrays stand for, apart from their data: equal keys are the same program over other leaves.

    deferred : is any of it, so that its expression may hold vertices that were computed and are not seen here?
    """

    key: tuple[Any, ...]
    leaves: list[Input]
    deferred: bool


class Recalled(NamedTuple):
    """A program that ran for a signature.

    order : of each of its leaves, the place among those of the signature; or the leaf itself, which an operation brings
        along. results : of each array the numbers of its roots, one for each part of an element
    """

    program: Program
    order: tuple[int | Input, ...]
    results: tuple[tuple[int, ...], ...]

    def leaves(self, given: Sequence[Input]) -> Sequence[Input]:
        """The leaves of the program, where the signature has those."""
        return [given[at] if type(at) is int else at for at in self.order]  # type: ignore[misc]  # else a leaf


def recalled_by(
    program: Program, leaves: Sequence[Input], results: Sequence[Sequence[int]], given: Sequence[Input]
) -> Recalled:
    """The same of a program whose leaves these are.

    given : the leaves of the signature
    """
    place = {leaf: i for i, leaf in enumerate(given)}
    return Recalled(program, tuple([place.get(leaf, leaf) for leaf in leaves]), tuple([tuple(r) for r in results]))


def signature(
    roots: Sequence[Expr | Deferred], known: Callable[[Expr], Expr | None], marked: Container[int]
) -> Signature:
    """Take apart what arrays stand for; iterative, linear in what is walked through.

    known : the leaf that stands for a vertex that is computed already, or the zip of leaves for an array of tuples;
        None for any other. marked : the addresses (`id`) of all vertices for which it may know something
    """
    key: list[Any] = [len(roots)]
    leaves: list[Input] = []
    place: dict[Any, int] = {}  # where each was met first: a position in the key
    others: list[Expr] = []
    stack: list[tuple[Deferred, Sequence[Expr | Deferred]]] = []
    deferred: Deferred | None = None
    met: Sequence[Expr | Deferred] = roots
    while True:
        for x in met:
            if type(x) is Deferred:
                operands = x.operands
                made = x.made  # looked at after the operands: if it is no leaf, then they were those
                if made is None or not inputs_of(made):
                    number = place.get(x)
                    if number is None:
                        place[x] = len(key)
                        stack.append((x, operands))
                    key.append(number)
                    continue
                x = made
            number = place.get(x)
            if number is not None:
                key.append(number)
                continue
            place[x] = len(key)
            if type(x) is Input:
                key.append(x.shape)
                leaves.append(x)
            elif parts := inputs_of(x):  # type: ignore[arg-type]  # not deferred
                key.append(Zip)
                for part in parts:
                    number = place.get(part)
                    if number is None:
                        place[part] = len(key)
                        leaves.append(part)
                    key.append(part.shape if number is None else number)
            elif _is_constant(x):  # type: ignore[arg-type]  # not deferred
                key.append(x)
            else:
                key.append(Expr)
                others.append(x)  # type: ignore[arg-type]  # as above
        if not stack:
            break
        deferred, met = stack.pop()
        key.append(deferred.operation)
    if others:
        found = skeleton(others, _shape, known, marked)
        key += (found.structure, found.numbers)
        for leaf in found.leaves:
            number = place.get(leaf)
            if number is None:
                place[leaf] = len(key)
                leaves.append(leaf)  # type: ignore[arg-type]  # a recorded graph's leaf
            key.append(number)
    return Signature(tuple(key), leaves, deferred is not None)


def _is_constant(x: Expr) -> bool:
    """Does it depend on no data, so that it is the same object wherever it is recorded?"""
    if type(x) is Repeat:
        return type(x.x) is Literal
    return type(x) is Generate and bool(x.operands[0].outline)  # type: ignore[attr-defined]  # a function, taken apart before
