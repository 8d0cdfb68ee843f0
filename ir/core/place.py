"""Where a node of an expression stands, as the verifier sees it."""

from __future__ import annotations

from typing import Any, TypeAlias

from ir.core.expr import Expr, Param
from ir.core.patterns import Kind

__all__ = ["GENERATE", "Place"]

GENERATE = Kind("generate")
"""The function of a generate: around a place in it as a map is, though it emits no loop."""

_Path: TypeAlias = "tuple[_Path, int] | None"
"""The operands taken from the root, the last one first."""


class Place:
    """Where a node stands.

    Attributes:
        kinds: the maps, reductions, scans, iterations and generated arrays around it, outermost first
        use: where its value is written (`global`, `local`, `private`), or `read`
        kernel: the number of the kernel it is computed in
        bound: for each variable in scope, how many of `kinds` stand around its function's body
        pairs: whether a permute writes each value of its pairs where the index beside it says
        runs: whether it does at all: not in the function of a map over no elements
        path: how it was reached, for messages
    """

    __slots__ = ("bound", "kernel", "kinds", "pairs", "path", "runs", "use")

    def __init__(
        self,
        kinds: tuple[Kind, ...] = (),
        use: str = "global",
        kernel: int = 0,
        bound: tuple[tuple[Param, int], ...] = (),
        path: _Path = None,
        pairs: bool = False,
        runs: bool = True,
    ) -> None:
        self.kinds = kinds
        self.use = use
        self.kernel = kernel
        self.bound = bound
        self.path = path
        self.pairs = pairs
        self.runs = runs

    def but(self, **changes: Any) -> Place:
        """The same place but for these."""
        return Place(**{name: changes.get(name, getattr(self, name)) for name in Place.__slots__})

    def of(self, e: Expr) -> object:
        """The expression at this place, however it was reached."""
        return e, self.kinds, self.use, self.kernel, self.bound, self.pairs, self.runs

    def operand(self, index: int, use: str | None = None) -> Place:
        """The place of an operand, written where the node itself is unless another use is named."""
        pairs = self.pairs and use is None
        return Place(self.kinds, use or self.use, self.kernel, self.bound, (self.path, index), pairs, self.runs)

    def inside(self, kind: Kind | None, variables: tuple[Param, ...], use: str, index: int = 0) -> Place:
        """The body, over these variables, of a function that is the operand at `index`."""
        kinds = self.kinds if kind is None else (*self.kinds, kind)
        bound = (*self.bound, *[(p, len(kinds)) for p in variables])
        pairs = self.pairs and use == self.use
        return Place(kinds, use, self.kernel, bound, ((self.path, index), 0), pairs, self.runs)

    def operands(self) -> list[int]:
        """The operands taken from the root."""
        found, path = [], self.path
        while path is not None:
            path, index = path
            found.append(index)
        return found[::-1]
