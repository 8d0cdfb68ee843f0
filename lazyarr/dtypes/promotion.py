"""The array API standard's questions about dtypes, and NumPy's: kinds, conversions, limits."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from lazyarr.dtypes import DType, as_dtype, component_of, promote, result_type

__all__ = [
    "KINDS", "FloatInfo", "IntegerInfo", "can_cast", "finfo", "iinfo", "isdtype", "issubdtype", "promote_types",
    "result_type",
]  # fmt: skip

KINDS: Final[dict[str, str]] = {
    "bool": "b",
    "signed integer": "i",
    "unsigned integer": "u",
    "integral": "iu",
    "real floating": "f",
    "complex floating": "c",
    "numeric": "iufc",
}
"""The standard's names of kinds, and the letters of NumPy's that belong to each."""


@dataclass(frozen=True)
class FloatInfo:
    """Limits of a floating-point dtype (of a complex one: of its parts), as Python numbers.

    Attributes:
        dtype: the real dtype
        bits: bits of one number
        eps: the distance from 1 to the next greater number
        max, min: the greatest and the least finite number
        smallest_normal, tiny: the least positive number with all digits
        smallest_subnormal: the least positive number
        epsneg: the distance from 1 to the next lesser number
        precision: decimal digits that are surely kept; resolution is 10 to the power of minus that
    """

    dtype: DType
    bits: int
    eps: float
    max: float
    min: float
    smallest_normal: float
    tiny: float
    smallest_subnormal: float
    epsneg: float
    precision: int
    resolution: float


@dataclass(frozen=True)
class IntegerInfo:
    """Limits of an integer dtype: its bits, its greatest and least number."""

    dtype: DType
    bits: int
    max: int
    min: int


def _dtype_of(operand: Any, function: str) -> DType:
    """The dtype of an array, or the one that is meant."""
    found = None if isinstance(operand, type) else getattr(operand, "dtype", None)
    return as_dtype(operand if found is None else found, function)


def finfo(dtype: Any) -> FloatInfo:
    """The limits of a floating-point or complex dtype, or of an array's; `ValueError` for any other."""
    dtype = component_of(_dtype_of(dtype, "finfo"))
    if dtype.kind != "f":
        raise ValueError(f"finfo: expected a floating-point or complex dtype, got {dtype.name} (use la.iinfo)")
    found = np.finfo(dtype)
    return FloatInfo(
        dtype=dtype,
        bits=found.bits,
        eps=float(found.eps),
        max=float(found.max),
        min=float(found.min),
        smallest_normal=float(found.smallest_normal),
        tiny=float(found.tiny),
        smallest_subnormal=float(found.smallest_subnormal),
        epsneg=float(found.epsneg),
        precision=int(found.precision),
        resolution=float(found.resolution),
    )


def iinfo(type: Any, /) -> IntegerInfo:
    """The limits of an integer dtype, or of an array's; `ValueError` for any other."""
    dtype = _dtype_of(type, "iinfo")
    if dtype.kind not in "iu":
        raise ValueError(f"iinfo: expected an integer dtype, got {dtype.name} (use la.finfo)")
    found = np.iinfo(dtype)
    return IntegerInfo(dtype, found.bits, int(found.max), int(found.min))


def isdtype(dtype: Any, kind: Any) -> bool:
    """Is it that dtype, of that kind (see `KINDS`), or one of several?

    Raises:
        ValueError: a name that is no kind.
        TypeError: what is neither name nor dtype.
    """
    found = as_dtype(dtype, "isdtype")
    if isinstance(kind, tuple):
        return any(isdtype(found, one) for one in kind)
    if isinstance(kind, str):
        if kind not in KINDS:
            raise ValueError(f"isdtype: expected kind to be one of {', '.join(KINDS)}, got {kind!r}")
        return found.kind in KINDS[kind]
    return found is as_dtype(kind, "isdtype")


def can_cast(from_: Any, to: Any, /, casting: Any = "safe") -> bool:
    """Can an array or dtype be converted to a dtype without loss (`casting`: by NumPy's rule of that name)?"""
    return np.can_cast(_dtype_of(from_, "can_cast"), as_dtype(to, "can_cast"), casting)


def promote_types(type1: Any, type2: Any, /) -> DType:
    """The dtype that two dtypes promote to."""
    return promote(as_dtype(type1, "promote_types"), as_dtype(type2, "promote_types"))


def issubdtype(arg1: Any, arg2: Any) -> bool:
    """Is a dtype of a NumPy class of scalars, such as `la.floating`, or of another dtype?"""
    return np.issubdtype(arg1, arg2)
