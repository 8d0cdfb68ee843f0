"""Programs of recorded calls, found again without making their expressions.

    signature of  softmax(m): leaf (20, 50)
    key:          1, None, divide, None, 5, ..., (20, 50)        leaves: m

What operations were applied to is walked through once. Operations are objects, equal where they record the same for
operands of the same shapes and dtypes, so they, and where each operand was met before, tell the program. Expressions
that were recorded at once are taken apart as `ir.fusion.symbols.structure_key` does.

The key says all that decides the program; where results on the way may be kept beside those that were asked for,
`Signature.with_what_decides` says which. The program is made of what that says (`Signature.expressions`): of the
operations, over leaves where a value exists by now. So what is remembered for a key holds no leaf of the arrays that it
was first made for.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import islice
from operator import attrgetter
from sys import getrefcount
from typing import Any, NamedTuple

from ir.core.expr import Expr, substitute
from ir.core.patterns import Generate, Literal, Repeat, Zip
from ir.fusion.symbols.structure_key import structure_key
from lazyarr.graph.leaves import Input, inputs_of
from lazyarr.graph.recorded_calls import RecordedCall, over_leaves
from lazyarr.graph.vertices import VERTICES
from lazyarr.tiers.programs import Program

__all__ = ["KnownProgram", "Signature", "signature"]

_shape = attrgetter("shape")


class Signature(NamedTuple):
    """What results stand for, apart from their data: equal keys are the same program over other leaves.

    Attributes:
        leaves: in the order in which the key has them
        pending: the recorded calls that have no value, and what each was applied to
        values: the leaves of those that have one
        held: of the pending ones those that were not asked for and that something else refers to than what is computed
            here, an array or another result: they may be needed again.
        inside: the same, met in expressions alone that were recorded at once
        known: the vertices of those expressions that have values, and their leaves
        place: where each was met first, a position in the key
    """

    key: tuple[Any, ...]
    leaves: list[Input]
    pending: dict[RecordedCall, tuple[Expr | RecordedCall, ...]]
    values: dict[RecordedCall, Expr]
    held: list[RecordedCall]
    inside: list[RecordedCall]
    known: dict[Expr, Expr]
    place: dict[Any, int]

    @property
    def with_what_decides(self) -> tuple[Any, ...]:
        """The key, and what decides beside it which of those that are held are kept
        (`lazyarr.evaluate.kept_results`).
        """
        place = self.place
        return self.key, tuple([place[x] for x in self.held]), tuple([x.passed for x in self.pending])

    def expressions(self, results: Sequence[Expr | RecordedCall]) -> list[Expr]:
        """The expressions of some results that were met, over the leaves and what operations make of numbers."""
        known = self.known
        return over_leaves(results, self.pending, self.values, lambda e: substitute(e, known) if known else e)


class KnownProgram(NamedTuple):
    """A program that ran for a signature.

    Attributes:
        order: of each of its leaves the place among those of the signature; or the leaf itself, where an operation
            makes it of numbers among its arguments, which the key has.
        results: of each result the numbers of its roots, one for each part of an element.
        kept: the numbers of those that are kept, of the ones that are held
    """

    program: Program
    order: tuple[int | Input, ...]
    results: tuple[tuple[int, ...], ...]
    kept: tuple[int, ...]

    @classmethod
    def of(
        cls,
        program: Program,
        leaves: Sequence[Input],
        results: Sequence[Sequence[int]],
        given: Sequence[Input],
        kept: tuple[int, ...],
    ) -> KnownProgram:
        """A program whose leaves these are, for a signature that has the given ones."""
        place = {leaf: i for i, leaf in enumerate(given)}
        order = tuple([place.get(leaf, leaf) for leaf in leaves])
        return cls(program, order, tuple([tuple(r) for r in results]), kept)

    def leaves(self, given: Sequence[Input]) -> Sequence[Input]:
        """The leaves of the program, where the signature has those."""
        return [given[at] if type(at) is int else at for at in self.order]  # type: ignore[misc]  # else a leaf


def signature(roots: Sequence[Expr | RecordedCall], known: Callable[[Expr], Expr | None]) -> Signature:
    """Take apart what results stand for; iterative, linear in what is walked through.

    Args:
        known: the leaf that stands for a vertex that is computed already, or the zip of leaves for an array of tuples;
            None for any other
    """
    key: list[Any] = [len(roots)]
    leaves: list[Input] = []
    place: dict[Any, int] = {}  # where each was met first: a position in the key
    again: dict[Any, int] = {}  # how often more
    others: list[Expr] = []
    pending: dict[RecordedCall, tuple[Expr | RecordedCall, ...]] = {}
    values: dict[RecordedCall, Expr] = {}
    asked = -1
    stack: list[tuple[Any, Sequence[Expr | RecordedCall]]] = []
    operation: Any
    met: Sequence[Expr | RecordedCall] = roots
    while True:
        for x in met:
            number = place.get(x)
            if number is not None:
                key.append(number)
                again[x] = again.get(x, 0) + 1
                continue
            place[x] = len(key)
            if type(x) is RecordedCall:
                operands = x.operands
                made = x.made  # looked at after the operands: if it is no leaf, then they were those
                if made is not None and not inputs_of(made) and id(made) in VERTICES:
                    found = known(made)
                    if found is not None:
                        made = found
                        x.settle(found)
                if made is None or not inputs_of(made):
                    if x.operation is None:
                        key.append(Expr)
                        others.append(made)  # type: ignore[arg-type]  # recorded at once
                        pending[x] = ()
                    else:
                        key.append(None)
                        pending[x] = operands
                        stack.append((x.operation, operands))
                    continue
                values[x] = made
                number = place.get(made)
                if number is not None:
                    key.append(number)
                    continue
                place[made] = len(key)
                x = made
            if type(x) is Input:
                key.append(x.shape)
                leaves.append(x)
            elif parts := inputs_of(x):  # type: ignore[arg-type]  # not a call
                key.append(Zip)
                for part in parts:
                    number = place.get(part)
                    if number is None:
                        place[part] = len(key)
                        leaves.append(part)
                    key.append(part.shape if number is None else number)
            elif _is_constant(x):  # type: ignore[arg-type]  # as above
                key.append(x)
            else:
                key.append(Expr)
                others.append(x)  # type: ignore[arg-type]  # as above
        if asked < 0:
            asked = len(pending)  # the results among them come first
        if not stack:
            break
        operation, met = stack.pop()
        key.append(operation)
    inside: dict[RecordedCall, None] = {}
    vertices: dict[Expr, Expr] = {}
    if others:

        def value(node: Expr) -> Expr | None:
            """The leaf of a vertex that is computed; who waits for another one is noted."""
            found = known(node)
            holder = VERTICES[id(node)].holder
            call = None if found is not None or holder is None else holder()
            if call is not None and call not in pending:
                inside[call] = None
            return found

        apart = structure_key(others, _shape, value, VERTICES)
        vertices = apart.known
        key += (apart.structure, apart.numbers)
        for leaf in apart.leaves:
            number = place.get(leaf)
            if number is None:
                place[leaf] = len(key)
                leaves.append(leaf)  # type: ignore[arg-type]  # a recorded graph's leaf
            key.append(number)
        _count_below(pending, again)
    del x, met  # which refer to some
    held = _held(dict.fromkeys(islice(pending, asked, None)), again, _OF_PENDING)
    found_inside = _held(inside, again, _OF_INSIDE) if inside else []
    return Signature(tuple(key), leaves, pending, values, held, found_inside, vertices, place)


def _count_below(pending: dict[RecordedCall, tuple[Expr | RecordedCall, ...]], again: dict[Any, int]) -> None:
    """Count the references among what lies below expressions that were recorded at once."""
    stack = [x.operands for x in pending if x.operation is None]
    seen: set[RecordedCall] = set()
    while stack:
        for x in stack.pop():
            if type(x) is RecordedCall:
                again[x] = again.get(x, 0) + 1
                if x not in seen and x not in pending:
                    seen.add(x)
                    stack.append(x.operands)


def _held(met: dict[RecordedCall, None], again: dict[Any, int], others: int) -> list[RecordedCall]:
    """Those that are referred to by something else than what was walked through.

    Args:
        again: how often each was met
        others: how many more references there are to each, by tables and operands
    """
    expected = others + _WHILE_COUNTED
    found = [x for x in met if getrefcount(x) > expected]
    return [x for x in found if x not in again or getrefcount(x) - again[x] > expected + _IN_BOTH] if found else found


def _while_counted() -> int:
    """The references that `_held` adds to an object: what one has that a table alone refers to, but for that."""
    (found,) = [getrefcount(x) for x in {object(): None}]
    return found - 1


_WHILE_COUNTED = _while_counted()
_OF_PENDING = 4
"""Other references to a pending result: `place`, `pending`, the table of those that are counted, and its first user."""
_OF_INSIDE = 1
"""The same of one that was met inside of an expression: `inside`. Its users are among those that were counted."""
_IN_BOTH = 2
"""Further references to one that was met again: by the table that says so, and by the list of those looked at twice."""


def _is_constant(x: Expr) -> bool:
    """Does it depend on no data, so that it is the same object wherever it is recorded?"""
    if type(x) is Repeat:
        return type(x.x) is Literal
    return type(x) is Generate and bool(x.operands[0].outline)  # type: ignore[attr-defined]  # a function, taken apart before
