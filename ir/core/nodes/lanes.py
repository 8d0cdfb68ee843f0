"""`scanLane`: what the lanes of warps scan, each lane an element."""

from __future__ import annotations

from ir.core.expr import Expr, Lambda
from ir.core.signature import LANES, Pattern, array_type, exact_quotient, require_same
from ir.core.sizes import size
from ir.core.traits import Traits
from ir.core.types import FunctionType, ScalarType, TupleType, Type
from ir.errors import TypeMismatch

__all__ = ["ScanLane"]


class ScanLane(Pattern):
    """`scanLane f z xs`: each 32 neighbours are scanned alone, as `scan f z` does it.

    The work-items of a group compute an element each. Values go from lane to lane of a warp, and not through memory
    that others see. Distances double at each of five steps, so the grouping, and with it each bit, is always the same.

    Hillis and Steele, "Data parallel algorithms", 1986; PTX ISA, `shfl.sync.up`.
    """

    scheme = "scanLane : ((A, A) -> A) -> A -> [A](32*n) -> [A](32*n)"
    meaning = "scan each 32 neighbours alone; f is associative, and distances double"
    traits = Traits(computes=True, collective=True, by_lanes=True)
    __match_args__ = ("f", "init", "xs")
    f: Lambda
    init: Expr
    xs: Expr

    def __new__(cls, f: Expr, init: Expr, xs: Expr) -> ScanLane:
        return cls._make((f, init, xs))

    def _infer(self) -> Type:
        xs, acc = array_type("scanLane", self.xs.type), self.init.type
        exact_quotient("scanLane", xs.length, size(LANES))
        if not _is_handed_on(acc):
            raise TypeMismatch("scanLane", "numbers, or tuples of them", acc)
        require_same("scanLane", xs.element, acc)
        require_same("scanLane", FunctionType((acc, acc), acc), self.f.type)
        return xs


def _is_handed_on(t: Type) -> bool:
    """Is it what a lane can hand on: a number, or several?"""
    return all(map(_is_handed_on, t.elements)) if isinstance(t, TupleType) else isinstance(t, ScalarType)
