"""Writes hints: what a later turn of a loop will read or write is asked of memory ahead of time.

A place further on may lie beyond the end of its array, where nothing is read. Its index must not overflow all the same:
where it is not known to lie close behind a place that is read, it is computed in 64 bits.
"""

from __future__ import annotations

from ir.core.expr import Expr
from ir.core.patterns import Prefetch
from ir.core.sizes import HEADROOM, Size, size
from ir.core.types import ArrayType, TupleType, Type
from ir.opencl.read.expressions import ViewReader
from ir.opencl.read.views import ArrayView, Lanes, Load, Storage, Target, TupleView, Value, element_at, target_at
from ir.opencl.tree import Statement
from ir.opencl.write.helpers import PREFETCH
from ir.opencl.write.spelling import Spelling

__all__ = ["FAR", "LONG_ROW", "NO_LOOP", "HintWriter"]

_HINTS = 8
"""Elements of a row that hints are given for at most; a longer row is read by a loop of its own."""


LONG_ROW = f"prefetch of rows of more than {_HINTS} elements"
FAR = "prefetch of places that indices of 32 bits may not name"
NO_LOOP = "prefetch where there is no loop"


class HintWriter(ViewReader):
    """The part of the kernel writer that asks memory for what comes next.

    Attributes:
        unheeded: the hints of the expression that are not given, by the reason.
    """

    def __init__(self, spelling: Spelling) -> None:
        super().__init__(spelling)
        self.unheeded: dict[str, None] = {}

    def hint_reads(self, e: Expr, xs: Value, index: Size) -> None:
        """Ask for what a later turn of a loop over `e`, whose view is `xs`, will read."""
        if isinstance(e, Prefetch):
            assert isinstance(e.type, ArrayType)
            self._hint_read(element_at(xs, index), element_at(xs, index + e.distance), e.type.element)

    def hint_writes(self, target: Target, index: Size, distance: Size, t: Type) -> None:
        """Ask for the place to which the turn of a loop that is `distance` ahead will write."""
        self._hint_write(target_at(target, index), target_at(target, index + distance), t)

    def _hint_read(self, now: Value, ahead: Value, t: Type) -> None:
        """Ask for a value in global memory; of a vector, for the place where it begins."""
        match now, ahead, t:
            case Load(index=here), Load(storage, index), _ if storage.space == "global":
                self._hint("read", storage, here, index)
            case Lanes(_, lane), Lanes(_, later), _:
                self._hint_read(lane(size(0)), later(size(0)), t)
            case TupleView(parts), TupleView(later_parts), TupleType():
                for part, later_part, p in zip(parts, later_parts, t.elements, strict=True):
                    self._hint_read(part, later_part, p)
            case ArrayView(at), ArrayView(later_at), ArrayType():
                for i in self._hinted(t):
                    self._hint_read(at(i), later_at(i), t.element)

    def _hint_write(self, now: Target, ahead: Target, t: Type) -> None:
        """Ask for a place in global memory that will be written."""
        if now.lanes is not None and ahead.lanes is not None:
            self._hint_write(now.lanes(size(0)), ahead.lanes(size(0)), t)
        elif now.parts is not None and ahead.parts is not None and isinstance(t, TupleType):
            for part, later, p in zip(now.parts, ahead.parts, t.elements, strict=True):
                self._hint_write(part, later, p)
        elif now.at is not None and ahead.at is not None and isinstance(t, ArrayType):
            for i in self._hinted(t):
                self._hint_write(now.at(i), ahead.at(i), t.element)
        elif ahead.storage is not None and ahead.storage.space == "global":
            assert now.index is not None
            assert ahead.index is not None
            self._hint("write", ahead.storage, now.index, ahead.index)

    def _hinted(self, t: ArrayType) -> list[Size]:
        """The elements of a row that hints are given for: all, or none."""
        if t.length.value is None or t.length.value > _HINTS:
            self.unheeded[LONG_ROW] = None
            return []
        return [size(i) for i in range(t.length.value)]

    def _hint(self, use: str, storage: Storage, now: Size, ahead: Size) -> None:
        """Ask for the place `ahead`, in the turn that concerns the place `now`."""
        if self.spelling.index_type == "long" or _is_close(ahead - now):
            place = self._pointer(storage.name, ahead)
        elif all(atom.kind == "var" for monomial, _ in ahead.terms for atom, _ in monomial):
            place = f"{storage.name} + ({self.spelling.wide_size(ahead)})"
        else:  # a quotient or remainder of what may have overflown
            self.unheeded[FAR] = None
            return
        self.spelling.helpers["prefetch"] = PREFETCH
        hint = Statement(f"PREFETCH_{use.upper()}({place})")
        if hint not in self.scope.block.body:  # what is zipped twice is asked for once
            self._emit(hint)


def _is_close(distance: Size) -> bool:
    """Is it certainly no further than indices of 32 bits have room for?"""
    low, high = distance.bounds()
    return low is not None and high is not None and low >= -HEADROOM and high <= HEADROOM
