"""Scopes: what variables stand for, which nodes have been computed, and where new statements go."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from ir.core.expr import Expr
from ir.core.sizes import Size
from ir.opencl.read.views import Value
from ir.opencl.tree import Block, Turns

__all__ = ["Position", "Scope"]

Position: TypeAlias = tuple[str, Size, Size]
"""Where an index is read (the name of the memory and the place in it), and the length it is clamped to."""


class Scope:
    """One block of the kernel: bindings of lambda variables and the values already computed in it.

    Attributes:
        within: the scope whose block this one goes on filling, if it opens none. Names are looked up where a function
            was written, in `parent`; the variables that hold indices are those of the blocks around the place where it
            is used.
    """

    def __init__(
        self, parent: Scope | None, bindings: dict[Expr, Value], block: Block, within: Scope | None = None
    ) -> None:
        self.parent = parent
        self._divisions: dict[tuple[Size, Size], tuple[Size, Size]] = {} if within is None else within._divisions
        self._positions: dict[Position, Size] = {} if within is None else within._positions
        self._around = parent if within is None else within
        self.bindings = dict(bindings)
        self.block = block

    def binds(self, e: Expr) -> bool:
        """Is the variable bound in this very block?"""
        return e in self.bindings

    def find(self, e: Expr) -> Value | None:
        """The value of a variable or of a node computed before, in this block or one around it."""
        scope: Scope | None = self
        while scope is not None:
            value = scope.bindings.get(e)
            if value is not None:
                return value
            scope = scope.parent
        return None

    def remember(self, e: Expr, value: Value) -> Value:
        """Keep a node's value for its other uses in this block."""
        self.bindings[e] = value
        return value

    def division(self, i: Size, row: Size) -> tuple[Size, Size] | None:
        """The variables that hold `i // row` and `i % row`, if this block or one around it has declared some."""
        return next((s._divisions[i, row] for s in self._outwards() if (i, row) in s._divisions), None)

    def remember_division(self, i: Size, row: Size, parts: tuple[Size, Size]) -> None:
        """Keep the variables of a division for its other uses in this block."""
        self._divisions[i, row] = parts

    def position(self, key: Position) -> Size | None:
        """The variable that holds an index read from memory, if this block or one around it has read it."""
        return next((s._positions[key] for s in self._outwards() if key in s._positions), None)

    def _outwards(self) -> Iterator[Scope]:
        """The scopes whose blocks lie around the place where this one is used, itself first."""
        scope: Scope | None = self
        while scope is not None:
            yield scope
            scope = scope._around

    def mapped_by_local(self) -> list[Turns]:
        """The turns of the mapLocals around the place where this scope is used, the outermost first."""
        blocks = {id(scope.block): scope.block for scope in self._outwards()}  # some fill one together
        found = [block.turns for block in blocks.values() if block.turns is not None]
        return [turns for turns in reversed(found) if turns.kind == "mapLocal"]

    def remember_position(self, key: Position, variable: Size) -> None:
        """Keep an index that was read for its other uses in this block."""
        self._positions[key] = variable
