"""NumPy's names for what is the same in lazyarr: dtypes, constants, settings of printing and of errors, helpers."""

from numpy import (
    False_,
    ScalarType,
    True_,
    base_repr,
    binary_repr,
    byte,
    cdouble,
    csingle,
    double,
    dtype,
    errstate,
    euler_gamma,
    exceptions,
    format_float_positional,
    format_float_scientific,
    get_printoptions,
    geterr,
    index_exp,
    int_,
    intc,
    intp,
    isscalar,
    iterable,
    long,
    longlong,
    min_scalar_type,
    ndindex,
    printoptions,
    s_,
    set_printoptions,
    seterr,
    short,
    single,
    typename,
    ubyte,
    uint,
    uintc,
    uintp,
    ulong,
    ulonglong,
    ushort,
)

from lazyarr.array import Array

__all__ = [
    "False_", "ScalarType", "True_", "base_repr", "binary_repr", "byte", "cdouble", "csingle", "double", "dtype",
    "errstate", "euler_gamma", "exceptions", "format_float_positional", "format_float_scientific", "get_printoptions",
    "geterr", "index_exp", "int_", "intc", "intp", "isscalar", "iterable", "long", "longlong", "min_scalar_type",
    "ndarray", "ndindex", "printoptions", "s_", "set_printoptions", "seterr", "short", "single", "typename",
    "ubyte", "uint", "uintc", "uintp", "ulong", "ulonglong", "ushort",
]  # fmt: skip

ndarray = Array
"""So that `isinstance(x, np.ndarray)` asks what it should."""
