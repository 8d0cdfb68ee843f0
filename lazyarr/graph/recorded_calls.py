"""What an array stands for before anybody asks for its expression: an operation and what it was applied to.

Programs record the same operations on arrays of the same shapes again and again. What such an operation checks and what
its result looks like was found out the first time (`lazyarr.recording.replay`), so all that is left to record is which
one it was and of what. The expression is made of that when somebody looks at it; a program that ran before is found
again without one (`lazyarr.evaluate.program_lookup`).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from typing import Any

from ir.core.expr import Expr
from ir.locks import make_rlock
from lazyarr.dtypes import DType
from lazyarr.graph.leaves import inputs_of
from lazyarr.graph.vertices import note_holder

__all__ = ["Operation", "RecordedCall", "composing", "depth_of", "expression", "over_leaves", "recorded"]


class Operation:
    """A function with all that decides what it records, but for the arrays: where shapes, dtypes and the other
    arguments are the same it is the same object.

    Attributes:
        function, arguments, keywords: the call, `Place`s where the arrays stood.
        operands: shape and dtype of each array
        extents, dtype: the result's.
        picks: may it be a slice of its operand, so that an element needs no kernel?
        step: of one that chooses elements, what kind of view that is.
        cuts: is it where a loop that reads nothing is computed?
        cost: what carrying it out takes, once that was asked (`lazyarr.evaluate.kept_results`)
        eager: what carries it out on values that exist (`lazyarr.eager.operations`), False where nothing does; None
            before that was asked
        at_once: how it is carried out on values of any size, if it is (`lazyarr.eager.at_once`); False where it was,
            and is not any more
    """

    __slots__ = (
        "arguments",
        "at_once",
        "cost",
        "cuts",
        "dtype",
        "eager",
        "extents",
        "function",
        "keywords",
        "operands",
        "picks",
        "step",
    )

    def __init__(
        self,
        function: Any,
        arguments: tuple[Any, ...],
        keywords: dict[str, Any],
        operands: tuple[tuple[tuple[int, ...], DType], ...],
    ) -> None:
        self.function = function
        self.arguments = arguments
        self.keywords = keywords
        self.operands = operands
        self.extents: tuple[int, ...] = ()
        self.dtype: DType
        self.picks = self.cuts = False
        self.step: Any = None
        self.cost: Any = None
        self.eager: Any = None
        self.at_once: Any = None

    def of(self, nodes: Sequence[Expr]) -> Expr:
        """The expression of the result for those of the operands."""
        raise NotImplementedError


class _Composing(threading.local):
    """Of how many operations a thread makes the expression: nothing is computed meanwhile."""

    depth = 0


composing = _Composing()


_settling = make_rlock()
"""Held while a result gets its expression or its value; what dies meanwhile may evaluate something in its turn."""


class RecordedCall:
    """The result of an operation, or an expression that was recorded at once. It is told apart by its identity.

    Attributes:
        operation: None of what was recorded at once
        made: the expression, once it was made; the leaf over its value, once that was computed
        operands: what the operation was applied to, each an expression or another call; none any more once there is a
            value
        changes: what the assignments weigh that made an array stand for this since it had an expression
        depth: how many results that are not computed lie on the longest way to it, at most
        passed: has an evaluation computed it on the way to something else, and not kept it?
    """

    __slots__ = ("__weakref__", "changes", "depth", "made", "operands", "operation", "passed")
    loose = False  # what depends on a parameter is recorded at once

    def __init__(self, operation: Operation | None, operands: tuple[Expr | RecordedCall, ...], below: int) -> None:
        """`below` is the greatest depth of the operands (`depth_of`)."""
        self.operation = operation
        self.operands = operands
        self.made: Expr | None = None
        self.changes = 0
        self.passed = False
        self.depth = below + 1

    @property
    def picks(self) -> bool:
        """May it be a slice of what is in memory?"""
        below: Expr | RecordedCall | None = self
        while type(below) is RecordedCall and below.operation is not None:
            if not below.operation.picks:
                return below is not self and below.made is not None
            below = next(iter(below.operands), None)  # there is none any more where another thread computed it
        return True

    def settle(self, leaf: Expr) -> None:
        """The value exists, and the leaf stands for it from now on, unless another one does."""
        with _settling:
            if self.made is None or not inputs_of(self.made):
                self.made = leaf  # first: another thread may be about to read the operands
            self.operands = ()
            self.depth = 0

    def become(self, made: Expr) -> None:
        """This is its expression, unless its value exists by now."""
        if inputs_of(made):  # a part of what it was made of that exists
            self.settle(made)
            return
        with _settling:
            if self.made is None:
                self.made = made
                note_holder(made, self)


def depth_of(operands: Sequence[Expr | RecordedCall]) -> int:
    """How many results that are not computed lie on the longest way to one made of these, at most."""
    deepest = 0
    for x in operands:
        if type(x) is RecordedCall and x.depth > deepest:
            deepest = x.depth
    return deepest


def recorded(node: Expr, operands: tuple[Expr | RecordedCall, ...] = ()) -> RecordedCall:
    """An expression that was recorded at once, as something that is told apart from others.

    Args:
        operands: what it was made of, as far as that is known: it may be needed for other results
    """
    found = RecordedCall(None, operands, depth_of(operands))
    found.become(node)
    return found


def expression(call: RecordedCall) -> Expr:
    """The expression of a recorded call. Linear in what was not made yet, however deep."""
    waiting = [call]
    while waiting:
        last = waiting[-1]
        operands = last.operands
        if last.made is not None:  # looked at after the operands were: then they were those
            waiting.pop()
            continue
        before = len(waiting)
        nodes: list[Any] = []
        for x in operands:
            if type(x) is not RecordedCall:
                nodes.append(x)
            elif x.made is None:
                waiting.append(x)
            else:
                nodes.append(x.made)
        if len(waiting) == before:
            assert last.operation is not None  # else it is made
            last.become(last.operation.of(nodes))
            waiting.pop()
    assert call.made is not None
    return call.made


def over_leaves(
    results: Sequence[Expr | RecordedCall],
    operands: Mapping[RecordedCall, tuple[Expr | RecordedCall, ...]],
    values: Mapping[RecordedCall, Expr],
    told: Callable[[Expr], Expr],
) -> list[Expr]:
    """The expressions of some results, made anew of what is computed and of what was recorded at once.

    What `expression` gives may be older: made before something below was computed.

    Args:
        operands: of each call that has no value.
        values: the leaves of those that have one
        told: what stands in the place of an expression that was recorded at once
    """
    made: dict[Expr | RecordedCall, Expr] = {}
    waiting = list(results)
    while waiting:
        last = waiting[-1]
        if last in made:
            waiting.pop()
        elif type(last) is not RecordedCall:
            made[last] = told(last)  # type: ignore[arg-type]  # not a call
        elif last in values:
            made[last] = values[last]
        elif last.operation is None:
            assert last.made is not None  # recorded at once
            made[last] = told(last.made)
        else:
            below = operands[last]
            missing = [x for x in below if x not in made]
            if missing:
                waiting += missing
            else:
                made[last] = last.operation.of([made[x] for x in below])
    return [made[result] for result in results]
