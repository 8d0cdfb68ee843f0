"""Kinds of scalar operations that cost alike on a device: what throughput is measured for."""

from __future__ import annotations

from typing import NamedTuple

from ir.core.expr import Expr, Lambda, postorder
from ir.core.nodes.primitives import Call, Cast
from ir.core.scalars import OPERATIONS
from ir.core.types import BOOL, ScalarType, VectorType
from ir.cost.thresholds.ratios import SIMPLE_OPERATIONS, SIMPLE_OPERATIONS_OF_OTHERS

__all__ = [
    "DIVISIONS", "FUNCTIONS", "INSTRUCTIONS", "KINDS", "Work", "kind_of", "lanes", "simple_operations",
    "waiting_operations", "work_of",
]  # fmt: skip

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


def simple_operations(e: Expr) -> int:
    """In the time of how many simple operations an operation is done; 0 for what is none."""
    if isinstance(e, Call):
        return SIMPLE_OPERATIONS.get(e.op, SIMPLE_OPERATIONS_OF_OTHERS)
    return int(isinstance(e, Cast))


def waiting_operations(e: Expr) -> int:
    """How many simple operations wait for each other on the longest way from the inputs to the result."""
    longest: dict[Expr, int] = {}
    for node in postorder(e):
        before = [longest[x] for x in node.operands]
        functions = sum(n for x, n in zip(node.operands, before, strict=True) if isinstance(x, Lambda))
        arrays = max((n for x, n in zip(node.operands, before, strict=True) if not isinstance(x, Lambda)), default=0)
        longest[node] = functions + arrays + simple_operations(node)
    return longest[e]


def lanes(e: Expr) -> int:
    """How many scalars a value of scalars or vectors has."""
    return e.type.width if isinstance(e.type, VectorType) else 1


def _scalar(e: Expr) -> ScalarType:
    t = e.type.element if isinstance(e.type, VectorType) else e.type
    assert isinstance(t, ScalarType)
    return t
