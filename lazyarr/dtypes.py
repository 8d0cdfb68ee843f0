"""Dtypes: which ones arrays may have, and how they promote.

A dtype is a `numpy.dtype`, so NumPy's and lazyarr's compare equal. Promotion follows NumPy 2 (NEP 50) and the array
API: array dtypes promote by NumPy's table, a Python number adapts to the array beside it ("weak").
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np

from ir.core.types import ScalarType, scalar

__all__ = [
    "DType", "as_dtype", "bool_", "float32", "float64", "floating", "from_ir", "int8", "int16", "int32", "int64",
    "promote", "result_type", "sum_dtype", "to_ir", "uint8", "uint16", "uint32", "uint64",
]  # fmt: skip

DType: TypeAlias = np.dtype[Any]
Weak: TypeAlias = type[bool] | type[int] | type[float]

bool_: Final[DType] = np.dtype("bool")
int8: Final[DType] = np.dtype("int8")
int16: Final[DType] = np.dtype("int16")
int32: Final[DType] = np.dtype("int32")
int64: Final[DType] = np.dtype("int64")
uint8: Final[DType] = np.dtype("uint8")
uint16: Final[DType] = np.dtype("uint16")
uint32: Final[DType] = np.dtype("uint32")
uint64: Final[DType] = np.dtype("uint64")
float32: Final[DType] = np.dtype("float32")
float64: Final[DType] = np.dtype("float64")

_SUPPORTED: Final = (bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64)
_TO_IR: Final[dict[DType, ScalarType]] = {dtype: scalar(dtype.name) for dtype in _SUPPORTED}
# dtypes are told apart by identity in the front end, and NumPy has several objects for one dtype
_CANONICAL: Final[dict[DType, DType]] = {dtype: dtype for dtype in _SUPPORTED}
_FROM_IR: Final[dict[ScalarType, DType]] = {t: dtype for dtype, t in _TO_IR.items()}


def to_ir(dtype: DType) -> ScalarType:
    """The ir's scalar type of a supported dtype."""
    return _TO_IR[dtype]


def from_ir(t: Any) -> DType:
    """The dtype of one of the ir's scalar types."""
    return _FROM_IR[t]


def as_dtype(dtype: Any, function: str = "dtype") -> DType:
    """The supported dtype that a dtype, scalar type, name or Python type (`bool`, `int`, `float`) means.

    Raises `TypeError`, naming the function, for anything else; `float16` and the complex ones among it.
    """
    found = np.dtype(dtype)
    canonical = _CANONICAL.get(found) or _CANONICAL.get(found.newbyteorder("="))
    if canonical is None:
        names = ", ".join(t.name for t in _SUPPORTED)
        raise TypeError(f"{function}: dtype {found.name} is not supported; expected one of {names}")
    return canonical


def result_type(*operands: Any) -> DType:
    """The dtype that arrays, dtypes and Python numbers promote to together, as in the array API."""
    return promote(*(_kind(operand) for operand in operands))


def _kind(operand: Any) -> DType | Weak:
    if type(operand) in (bool, int, float):
        return type(operand)
    dtype = getattr(operand, "dtype", None)
    return as_dtype(operand if dtype is None else dtype, "result_type")


def promote(*kinds: DType | Weak) -> DType:
    """The dtype of an operation over operands of those kinds; a Python type stands for a Python number."""
    return _promote(kinds)


@cache
def _promote(kinds: tuple[DType | Weak, ...]) -> DType:
    strong = [kind for kind in kinds if isinstance(kind, np.dtype)]
    weak = {kind for kind in kinds if isinstance(kind, type)}  # apart, because np.dtype("int64") == int
    if not strong:
        return float64 if float in weak else int64 if int in weak else bool_
    found = strong[0]
    for dtype in strong[1:]:
        found = np.promote_types(found, dtype)
    found = _CANONICAL[found]
    if float in weak and found.kind != "f":
        return float64
    if int in weak and found is bool_:
        return int64
    return found


@cache
def floating(dtype: DType) -> DType:
    """The dtype in which a function of real numbers (`sqrt`, `sin`) is computed.

    As NumPy's, but where that is float16 (bool and the 8-bit integers) it is float32.
    """
    if dtype.kind == "f":
        return dtype
    return float32 if dtype.itemsize <= 2 else float64


@cache
def sum_dtype(dtype: DType) -> DType:
    """The dtype in which `sum` and `prod` accumulate: int64 for bool and signed, uint64 for unsigned integers."""
    if dtype.kind in "bi":
        return int64
    return uint64 if dtype.kind == "u" else dtype
