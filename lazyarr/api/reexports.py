"""NumPy's names for what is the same in lazyarr: dtypes, constants, settings of printing and of errors, helpers."""

from typing import Any

import numpy as np
from numpy import (
    False_,
    ScalarType,
    True_,
    base_repr,
    binary_repr,
    byte,
    bytes_,
    cdouble,
    character,
    clongdouble,
    csingle,
    double,
    dtype,
    errstate,
    euler_gamma,
    flexible,
    float16,
    format_float_positional,
    format_float_scientific,
    get_include,
    get_printoptions,
    getbufsize,
    geterr,
    geterrcall,
    half,
    index_exp,
    info,
    int_,
    intc,
    intp,
    iterable,
    little_endian,
    long,
    longdouble,
    longlong,
    memmap,
    mintypecode,
    ndindex,
    object_,
    printoptions,
    s_,
    sctypeDict,
    set_printoptions,
    setbufsize,
    seterr,
    seterrcall,
    short,
    show_config,
    show_runtime,
    single,
    str_,
    typecodes,
    typename,
    ubyte,
    uint,
    uintc,
    uintp,
    ulong,
    ulonglong,
    ushort,
    void,
)

from lazyarr import exceptions, typing
from lazyarr.api.create.ndarray import ndarray
from lazyarr.api.elementwise.ufunc import ufunc
from lazyarr.array import Array
from lazyarr.methods.flat import Flat

__all__ = [
    "False_", "ScalarType", "True_", "base_repr", "binary_repr", "byte", "bytes_", "cdouble", "character",
    "clongdouble", "csingle", "double", "dtype", "errstate", "euler_gamma", "exceptions", "flatiter", "flexible",
    "float16", "format_float_positional", "format_float_scientific", "get_include", "get_printoptions", "getbufsize",
    "geterr", "geterrcall", "half", "index_exp", "info", "int_", "intc", "intp", "isscalar", "iterable",
    "little_endian", "long", "longdouble", "longlong", "memmap", "mintypecode", "ndarray", "ndindex", "object_",
    "printoptions", "s_", "sctypeDict", "set_printoptions", "setbufsize", "seterr", "seterrcall", "short",
    "show_config", "show_runtime", "single", "str_", "typecodes", "typename", "typing", "ubyte", "ufunc", "uint",
    "uintc", "uintp", "ulong", "ulonglong", "ushort", "void",
]  # fmt: skip


def isscalar(element: Any) -> bool:
    """Is it a single number? What NumPy gives as a number is one; an array without dimensions is not."""
    return np.isscalar(element) or (isinstance(element, Array) and element.is_number)


flatiter = Flat
