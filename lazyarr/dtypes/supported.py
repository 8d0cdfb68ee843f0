"""Dtypes: which ones arrays may have, and how they promote.

A dtype is a `numpy.dtype`, so NumPy's and lazyarr's compare equal. Promotion follows NumPy 2 (NEP 50) and the array
API: array dtypes promote by NumPy's table, a Python number adapts to the array beside it ("weak").

In `ir` a complex number is the tuple of its real and imaginary part: `complex64` is `(float32, float32)`.
"""

from __future__ import annotations

from functools import cache
from typing import Any, Final, TypeAlias

import numpy as np

from ir.core.types import FLOAT32, FLOAT64, ScalarType, TupleType, Type, scalar

__all__ = [
    "SUPPORTED", "WEAK", "DType", "Weak", "as_dtype", "bool_", "check_cast", "complex64", "complex128", "component_of",
    "float32", "float64", "floating", "from_ir", "int8", "int16", "int32", "int64", "promote", "result_type",
    "scalar_type", "sum_dtype", "to_ir", "uint8", "uint16", "uint32", "uint64",
]  # fmt: skip

DType: TypeAlias = np.dtype[Any]
Weak: TypeAlias = type[bool] | type[int] | type[float] | type[complex]

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
complex64: Final[DType] = np.dtype("complex64")
complex128: Final[DType] = np.dtype("complex128")

_REAL: Final = (bool_, int8, int16, int32, int64, uint8, uint16, uint32, uint64, float32, float64)
SUPPORTED: Final = (*_REAL, complex64, complex128)
"""All dtypes of the array API standard."""

_TO_IR: Final[dict[DType, Type]] = {
    **{dtype: scalar(dtype.name) for dtype in _REAL},
    complex64: TupleType((FLOAT32, FLOAT32)),
    complex128: TupleType((FLOAT64, FLOAT64)),
}
# dtypes are told apart by identity in the front end, and NumPy has several objects for one dtype
_CANONICAL: Final[dict[DType, DType]] = {dtype: dtype for dtype in SUPPORTED}
_BY_TYPE: Final[dict[type, DType]] = {type(dtype): dtype for dtype in SUPPORTED}
_FROM_IR: Final[dict[Type, DType]] = {t: dtype for dtype, t in _TO_IR.items()}
_COMPONENTS: Final = {complex64: float32, complex128: float64}
WEAK: Final = frozenset({bool, int, float, complex})


def to_ir(dtype: DType) -> Type:
    """The ir's type of an element of a supported dtype: a scalar, or for complex numbers the pair of two."""
    return _TO_IR[dtype]


def scalar_type(dtype: DType) -> ScalarType:
    """The ir's scalar type of a real dtype."""
    found = _TO_IR[dtype]
    assert isinstance(found, ScalarType), f"{dtype} is complex: its elements are pairs"
    return found


def from_ir(t: Any) -> DType:
    """The dtype of one of the ir's scalar types, or of a pair of floats."""
    return _FROM_IR[t]


def component_of(dtype: DType) -> DType:
    """The dtype of the real and imaginary parts of a complex dtype; any other dtype itself."""
    return _COMPONENTS.get(dtype, dtype)


def as_dtype(dtype: Any, function: str = "dtype") -> DType:
    """The supported dtype that a dtype, scalar type, name or Python type (`bool`, `int`, `float`, `complex`) means.

    Raises:
        TypeError: anything else, `float16` among it; names the function.
    """
    known = _BY_TYPE.get(type(dtype))
    if known is not None and known is dtype:
        return known
    if hasattr(type(dtype), "__array_namespace__") and not isinstance(dtype, str):  # as NumPy's text has, too
        raise TypeError(f"{function}: expected a dtype, got an array; its own is x.dtype")
    try:
        found = np.dtype(dtype)
    except TypeError:
        raise TypeError(f"{function}: expected a dtype, got {dtype!r}") from None
    canonical = _CANONICAL.get(found) or _CANONICAL.get(found.newbyteorder("="))
    if canonical is None:
        names = ", ".join(t.name for t in SUPPORTED)
        raise TypeError(f"{function}: dtype {found.name} is not supported; expected one of {names}")
    return canonical


def check_cast(function: str, source: DType, target: DType) -> None:
    """Raise `TypeError` where an array may not be converted: of a complex number it is not said which part is meant."""
    if source.kind == "c" and target.kind not in "cb":
        raise TypeError(
            f"{function}: dtype {source.name} does not become {target.name}: take la.real(x), la.imag(x) or la.abs(x)"
        )


def result_type(*arrays_and_dtypes: Any) -> DType:
    """The dtype that arrays, dtypes and Python numbers promote to together, as in the array API.

    `ValueError` if there are none.
    """
    if not arrays_and_dtypes:
        raise ValueError("result_type: expected at least one array, dtype or number")
    return promote(*(_kind(operand) for operand in arrays_and_dtypes))


def _kind(operand: Any) -> DType | Weak:
    if type(operand) in WEAK:
        return type(operand)
    dtype = None if isinstance(operand, type) else getattr(operand, "dtype", None)
    return as_dtype(operand if dtype is None else dtype, "result_type")


def promote(*kinds: DType | Weak) -> DType:
    """The dtype of an operation over operands of those kinds; a Python type stands for a Python number."""
    return _promote(kinds)


@cache
def _promote(kinds: tuple[DType | Weak, ...]) -> DType:
    strong = [kind for kind in kinds if isinstance(kind, np.dtype)]
    weak = {kind for kind in kinds if isinstance(kind, type)}  # apart, because np.dtype("int64") == int
    if not strong:
        return complex128 if complex in weak else float64 if float in weak else int64 if int in weak else bool_
    found = _CANONICAL[np.result_type(*strong)]  # of several at once: pairs, one after the other, depend on their order
    if complex in weak and found.kind != "c":
        return complex64 if found is float32 else complex128
    if float in weak and found.kind not in "fc":
        return float64
    if int in weak and found is bool_:
        return int64
    return found


@cache
def floating(dtype: DType) -> DType:
    """The dtype in which a function of real or complex numbers (`sqrt`, `sin`) is computed.

    As NumPy's, but where that is float16 (bool and the 8-bit integers) it is float32.
    """
    if dtype.kind in "fc":
        return dtype
    return float32 if dtype.itemsize <= 2 else float64


@cache
def sum_dtype(dtype: DType) -> DType:
    """The dtype in which `sum` and `prod` accumulate: int64 for bool and signed, uint64 for unsigned integers."""
    if dtype.kind in "bi":
        return int64
    return uint64 if dtype.kind == "u" else dtype
