"""Kinds of scalar operations that cost alike on a device: what throughput is measured for."""

from __future__ import annotations

from typing import NamedTuple

from ir.core.expr import Expr
from ir.core.nodes.primitives import Call, Cast
from ir.core.scalars import OPERATIONS
from ir.core.types import BOOL, ScalarType, VectorType

__all__ = ["DIVISIONS", "FUNCTIONS", "INSTRUCTIONS", "KINDS", "Work", "kind_of", "lanes", "work_of"]

KINDS = ("arithmetic", "division", "function", "gather")
"""`arithmetic` is what a processor does in an instruction or a few, `division` what takes it some tens of cycles,
`function` what a library computes, and `gather` reads one number by an index that was computed."""

DIVISIONS = {"divide", "floor_divide", "remainder", "sqrt"}
FUNCTIONS = {name for name, op in OPERATIONS.items() if op.rule == "float"} | {"pow"}
INSTRUCTIONS = {"floor", "ceil", "trunc", "round", "copysign"}


class Work(NamedTuple):
    """Operations of one kind on numbers of one dtype; of functions each is of its own, as they take unlike long."""

    kind: str
    dtype: str
    function: str = ""

    def __str__(self) -> str:
        return f"{self.dtype} {self.function or self.kind}"


def kind_of(op: str) -> str:
    """Which of `KINDS` a primitive or a conversion is of."""
    if op in DIVISIONS:
        return "division"
    return "function" if op in FUNCTIONS - INSTRUCTIONS else "arithmetic"


def work_of(e: Call | Cast) -> Work:
    """What one operation is counted as: comparisons and tests as work on what they look at."""
    t = _scalar(e.operands[0])
    if isinstance(e, Cast):
        return Work("arithmetic", t.name)
    if t is BOOL and e.op == "select":
        t = _scalar(e)
    kind = kind_of(e.op)
    return Work(kind, t.name, e.op if kind == "function" else "")


def lanes(e: Expr) -> int:
    """How many scalars a value of scalars or vectors has."""
    return e.type.width if isinstance(e.type, VectorType) else 1


def _scalar(e: Expr) -> ScalarType:
    t = e.type.element if isinstance(e.type, VectorType) else e.type
    assert isinstance(t, ScalarType)
    return t
