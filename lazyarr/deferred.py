"""What an array stands for before anybody asks for its expression: an operation and what it was applied to.

Programs record the same operations on arrays of the same shapes again and again. What such an operation checks and what
its result looks like was found out the first time (`lazyarr.operations`), so all that is left to record is which one it
was and of what. The expression is made of that when somebody looks at it; a program that ran before is found again
without one (`lazyarr.recall`).
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from ir.core.expr import Expr
from lazyarr.dtypes import DType

__all__ = ["Deferred", "Operation", "expression"]


class Operation:
    """A function with all that decides what it records, but for the arrays: where shapes, dtypes and the other
    arguments are the same it is the same object.

    function, arguments, keywords : the call, `Place`s where the arrays stood. operands : shape and dtype of each array
    extents, dtype : the result's. picks : may it be a slice of its operand, so that an element needs no kernel? step :
    of one that chooses elements, what kind of view that is
    """

    __slots__ = ("arguments", "dtype", "extents", "function", "keywords", "operands", "picks", "step")

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
        self.picks = False
        self.step: Any = None

    def of(self, nodes: Sequence[Expr]) -> Expr:
        """The expression of the result for those of the operands."""
        from lazyarr.array import Array  # which defers

        arrays = [Array(node, *like) for node, like in zip(nodes, self.operands, strict=True)]
        keywords = {name: _filled(value, arrays) for name, value in self.keywords.items()}
        found: Expr = self.function(*_filled(self.arguments, arrays), **keywords).node
        return found


class Place(int):
    """The number of the array that stands there among the arguments of an operation."""

    __slots__ = ()


def _filled(value: Any, arrays: Sequence[Any]) -> Any:
    kind = type(value)
    if kind is Place:
        return arrays[value]
    if kind is tuple or kind is list:
        return kind([_filled(each, arrays) for each in value])
    return value


class Deferred:
    """The result of an operation. It is told apart by its identity.

    made : the expression, once it was made; the leaf over its value, once that was computed
    operands : what the operation was applied to, each an expression or deferred; none any more once there is a value
    """

    __slots__ = ("__weakref__", "made", "operands", "operation")
    loose = False  # what depends on a parameter is recorded at once

    def __init__(self, operation: Operation, operands: tuple[Expr | Deferred, ...]) -> None:
        self.operation = operation
        self.operands = operands
        self.made: Expr | None = None

    def settle(self, leaf: Expr) -> None:
        """The value exists, and the leaf stands for it from now on."""
        self.made = leaf  # first: another thread may be about to read the operands
        self.operands = ()


def expression(deferred: Deferred) -> Expr:
    """What is deferred as an expression. Linear in what was not made yet, however deep."""
    waiting = [deferred]
    while waiting:
        last = waiting[-1]
        operands = last.operands
        if last.made is not None:  # looked at after the operands were: then they were those
            waiting.pop()
            continue
        before = len(waiting)
        nodes: list[Any] = []
        for x in operands:
            if type(x) is not Deferred:
                nodes.append(x)
            elif x.made is None:
                waiting.append(x)
            else:
                nodes.append(x.made)
        if len(waiting) == before:
            last.made = last.operation.of(nodes)
            waiting.pop()
    assert deferred.made is not None
    return deferred.made
