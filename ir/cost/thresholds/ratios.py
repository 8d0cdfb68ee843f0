"""What work costs in bytes moved to or from memory, where no rates of a device are at hand.

Decisions that are made while a program is recorded, looked up or partitioned must not depend on measurements, which
differ from run to run: these few numbers are the same everywhere. They are right within a factor of two or three, and
what hangs on them is whether a result is stored or computed again, never what it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

OPERATION_BYTES: Final[Mapping[str, float]] = {
    "arithmetic": 0.25,
    "division": 2.0,
    "function": 4.0,
    "gather": 4.0,
}
"""Bytes that are moved in the time of one scalar operation of a kind (`ir.cost.operations.KINDS`). Not measured on
record.
"""

LAUNCH_BYTES: Final = 200_000
"""Bytes that are moved in the time of a launch. Measured: 20 microseconds at 10 GB/s on a CPU; an H200 moves 48 MB in
its 12.
"""

OPERATIONS_PER_BYTE: Final = 4
"""Simple operations that a device does in the time in which it moves a byte; decides what is computed again.

Not measured on record. Low on purpose: CPUs with wide vectors and GPUs do more, so that where computing again is
predicted to pay it does on all of them.
"""

SIMPLE_OPERATIONS: Final[Mapping[str, int]] = {
    **dict.fromkeys(
        (
            "add", "subtract", "multiply", "negative", "abs", "sign", "minimum", "maximum", "equal", "not_equal",
            "less", "less_equal", "greater", "greater_equal", "bitwise_and", "bitwise_or", "bitwise_xor",
            "bitwise_invert", "select", "isnan", "isinf", "isfinite", "bits", "copysign", "floor", "ceil", "trunc",
            "round",
        ),
        1,
    ),
    **dict.fromkeys(("divide", "floor_divide", "remainder", "sqrt"), 8),
    **dict.fromkeys(("exp", "exp2"), 20),
}  # fmt: skip
"""Simple operations in the time of an operation, by its name, relative to `OPERATIONS_PER_BYTE`. Measured: PoCL with
two cores, float32; summing exp(x) takes up to twice as long as summing x, which is 16 operations for the 4 bytes of x.
"""

SIMPLE_OPERATIONS_OF_OTHERS: Final = 100
"""The same of all other operations: logarithms, functions of angles, powers. Measured: the same way; summing log(x)
takes 4 times as long as summing x, sin and tanh 6 to 15 times.
"""
