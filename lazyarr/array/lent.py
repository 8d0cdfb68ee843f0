"""Memory that eager arrays show but do not own: that of a value, which nobody writes to, lent to loops that read parts.

    for i in range(n): x[i] = (b[i] - L[i, :i] @ x[:i]) / L[i, i]     # L is large: to copy it would take long

A large array that becomes eager because parts of it are read shows the memory that it stands for. All NumPy views of
that are read-only, so that who writes to one gets to know (`Array.memory`): the memory is copied once then, and
the array and its views, which are remembered for that, show the copy from then on. Remembering costs more than taking
a part does, so that memory of which very many parts are taken is copied, too.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any
from weakref import ref

import numpy as np

from ir.cost.thresholds.eager import EAGER_BYTES_AT_MOST, LENT_BYTES_A_PART
from lazyarr.memory.snapshots import snapshot

if TYPE_CHECKING:
    from ir.core.expr import Expr
    from lazyarr.array.core import Array

__all__ = ["Lent", "address_of", "is_lent"]

_Memory = np.ndarray[Any, Any]
_MANY = 256
"""Views from which on those that are gone are looked for."""


class Lent:
    """Memory that was lent. All is done while `lazyarr.array.eager.changing` is held.

    Attributes:
        memory: the elements of the whole array, in row-major order, read-only; None once they were copied
        node: the leaf that has them, as long
        copy: where they are since
        address: where they were
        views: the arrays that show them, weakly
    """

    __slots__ = ("_left", "_next", "address", "copy", "memory", "node", "views")

    def __init__(self, memory: _Memory, node: Expr) -> None:
        self.memory: _Memory | None = memory
        self.node: Expr | None = node
        self.copy: _Memory | None = None
        self.address = address_of(memory)
        self.views: list[ref[Array]] = []
        self._next = _MANY
        # parts until a copy of all has cost no more than remembering them did
        self._left = memory.nbytes // LENT_BYTES_A_PART if memory.nbytes <= EAGER_BYTES_AT_MOST else 0

    def add(self, x: Array, read_only: bool) -> None:
        """An array shows a part of the memory."""
        if read_only:
            x.fixed = True
        if self.memory is None:
            self._move(x)  # it was copied since somebody took the part
            return
        views = self.views
        views.append(ref(x))
        if len(views) >= self._next:  # views come and go while nobody writes
            self.views = [each for each in views if each() is not None]
            self._next = max(_MANY, 2 * len(self.views))
        self._left -= 1
        if not self._left:
            self.end()

    def end(self) -> None:
        """Copy the memory: somebody is about to write to it, or takes so many parts that it pays."""
        if self.memory is None:
            return
        self.copy = snapshot(self.memory, writeable=True)
        self.memory = self.node = None
        for reference in self.views:
            x = reference()
            if x is not None:
                self._move(x)
        self.views = []

    def _move(self, x: Array) -> None:
        """Let an array show the copy."""
        value: Any = x.value
        copy = self.copy
        assert copy is not None
        if type(value) is not np.ndarray or np.may_share_memory(value, copy):
            return
        if value.size:
            at = address_of(value) - self.address
            found: _Memory = np.ndarray(value.shape, value.dtype, copy, at, value.strides)
        else:
            found = np.empty(value.shape, value.dtype)
        found.setflags(write=not hasattr(x, "fixed"))
        x.value = found


def address_of(x: _Memory) -> int:
    """Where the first element of a NumPy array lies."""
    at: int = x.__array_interface__["data"][0]
    return at


def is_lent(x: Array) -> bool:
    """Does an eager array show lent memory?"""
    shared = x.shared
    return shared is not None and shared.lent is not None and shared.lent.memory is not None
