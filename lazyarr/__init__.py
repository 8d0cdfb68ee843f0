"""lazyarr: NumPy-style lazy arrays, rewritten by rules and compiled to OpenCL kernels tuned for the device.

Array functions run nothing: they record. `float(x)`, `np.asarray(x)`, `print(x)` and `compute(x, y)` compute. The names
are the Python array API standard's, with NumPy's spellings beside them. Several shadow builtins: `import lazyarr as
la`.
"""

from math import e, inf, nan, pi

from lazyarr import config, elementwise, lift
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
from lazyarr.dtypes import bool_ as bool
from lazyarr.dtypes import float32, float64, int8, int16, int32, int64, result_type, uint8, uint16, uint32, uint64
from lazyarr.elementwise import *  # noqa: F403  # its __all__ is the standard's chapter of element-wise functions
from lazyarr.errors import LazyarrError, TracingError
from lazyarr.grids import diag, eye, fromfunction, identity, indices, meshgrid, tri, tril, triu, vander
from lazyarr.products import dot, matmul, vecdot
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
from lazyarr.ranges import arange, geomspace, linspace, logspace
from lazyarr.reductions import all, any, max, mean, min, prod, std, sum, var

__all__ = [
    "Array", "LazyarrError", "TracingError", "all", "any", "asarray", "bool", "broadcast_arrays", "broadcast_to",
    "compute", "config", "dot", "e", "expand_dims", "flip", "float32", "float64", "full", "full_like", "inf", "int8",
    "int16", "int32", "int64", "lift", "matmul", "matrix_transpose", "max", "mean", "min", "moveaxis", "nan", "newaxis",
    "ones", "ones_like", "permute_dims", "pi", "prod", "ravel", "reshape", "result_type", "squeeze", "std",
    "sum", "swapaxes",
    "transpose", "uint8", "uint16", "uint32", "uint64", "var", "vecdot", "zeros", "zeros_like",
]  # fmt: skip
__all__ += [
    "arange", "array", "diag", "empty", "empty_like", "eye", "fromfunction", "geomspace", "identity", "indices",
    "linspace", "logspace", "meshgrid", "tri", "tril", "triu", "vander",
]  # fmt: skip
__all__ += elementwise.__all__
