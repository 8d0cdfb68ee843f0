"""lazyarr: NumPy-style lazy arrays, rewritten by rules and compiled to OpenCL kernels tuned for the device.

Array functions run nothing: they record. `float(x)`, `np.asarray(x)`, `print(x)` and `compute(x, y)` compute. The names
are the Python array API standard's, with NumPy's spellings beside them. Several shadow builtins: `import lazyarr as
la`. The dtypes are NumPy's scalar types: `x.dtype == la.float32`, and `la.float32(1.5)` is a number.
"""

from math import e, inf, nan, pi

from numpy import (
    bool_,
    complex64,
    complex128,
    complexfloating,
    float32,
    float64,
    floating,
    generic,
    inexact,
    int8,
    int16,
    int32,
    int64,
    integer,
    number,
    signedinteger,
    uint8,
    uint16,
    uint32,
    uint64,
    unsignedinteger,
)
from numpy import bool_ as bool

from lazyarr import config, elementwise, lift, ufuncs
from lazyarr.array import Array, compute
from lazyarr.creation import (
    array,
    asarray,
    empty,
    empty_like,
    full,
    full_like,
    ones,
    ones_like,
    zeros,
    zeros_like,
)
from lazyarr.dtype_functions import can_cast, finfo, iinfo, isdtype, issubdtype, promote_types, result_type
from lazyarr.elementwise import *  # noqa: F403  # its __all__ is the standard's chapter of element-wise functions
from lazyarr.errors import LazyarrError, TracingError
from lazyarr.grids import diag, eye, fromfunction, identity, indices, meshgrid, tri, tril, triu, vander
from lazyarr.inspection import __array_api_version__, __array_namespace_info__
from lazyarr.linalg import dot, matmul, vecdot
from lazyarr.movement import (
    broadcast_arrays,
    broadcast_to,
    expand_dims,
    flip,
    matrix_transpose,
    moveaxis,
    newaxis,
    permute_dims,
    ravel,
    reshape,
    squeeze,
    swapaxes,
    transpose,
)
from lazyarr.ranges import arange
from lazyarr.reductions import all, any, max, mean, min, prod, ptp, std, sum, var
from lazyarr.scans import cumprod, cumsum, cumulative_prod, cumulative_sum, diff, nancumprod, nancumsum, trapezoid
from lazyarr.searching import argmax, argmin, count_nonzero
from lazyarr.spacing import geomspace, linspace, logspace
from lazyarr.ufuncs import *  # noqa: F403  # NumPy's element-wise functions beyond the standard

__all__ = [
    "Array", "LazyarrError", "TracingError", "__array_api_version__", "__array_namespace_info__", "all", "any",
    "arange", "argmax", "argmin", "array", "asarray", "bool", "bool_", "broadcast_arrays", "broadcast_to", "can_cast",
    "complex64", "complex128", "complexfloating", "compute", "config", "count_nonzero", "cumprod", "cumsum",
    "cumulative_prod", "cumulative_sum", "diag", "diff", "dot", "e", "empty", "empty_like", "expand_dims", "eye",
    "finfo", "flip", "float32", "float64", "floating", "fromfunction", "full", "full_like", "generic", "geomspace",
    "identity", "iinfo", "indices", "inexact", "inf", "int8", "int16", "int32", "int64", "integer", "isdtype",
    "issubdtype", "lift", "linspace", "logspace", "matmul", "matrix_transpose", "max", "mean", "meshgrid", "min",
    "moveaxis", "nan", "nancumprod", "nancumsum", "newaxis", "number", "ones", "ones_like", "permute_dims", "pi",
    "prod", "promote_types", "ptp", "ravel", "reshape", "result_type", "signedinteger", "squeeze", "std", "sum",
    "swapaxes", "transpose", "trapezoid", "tri", "tril", "triu", "uint8", "uint16", "uint32", "uint64",
    "unsignedinteger", "vander", "var", "vecdot", "zeros", "zeros_like",
]  # fmt: skip
__all__ += elementwise.__all__
__all__ += ufuncs.__all__
