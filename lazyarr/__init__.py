"""lazyarr: NumPy-style lazy arrays, rewritten by rules and compiled to OpenCL kernels tuned for the device.

Array functions run nothing: they record. `float(x)`, `np.asarray(x)`, `print(x)` and `compute(x, y)` compute. The names
are the Python array API standard's, with NumPy's spellings beside them. Several shadow builtins: `import lazyarr as
la`.
"""

from math import e, inf, nan, pi

from lazyarr import config, elementwise, joining, lift, movement, taking
from lazyarr.array import Array, compute
from lazyarr.combining import bincount, histogram, histogram_bin_edges
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
from lazyarr.joining import *  # noqa: F403  # arrays put together, by the standard's and NumPy's names
from lazyarr.linalg import dot, matmul, vecdot
from lazyarr.movement import *  # noqa: F403  # views, by the standard's and NumPy's names
from lazyarr.padding import pad
from lazyarr.positions import diagonal, fill_diagonal, ix_, ravel_multi_index, unravel_index
from lazyarr.ranges import arange, geomspace, linspace, logspace
from lazyarr.reductions import all, any, max, mean, min, prod, ptp, std, sum, var
from lazyarr.repeating import repeat, resize, roll, tile
from lazyarr.scans import cumprod, cumsum, cumulative_prod, cumulative_sum, diff, nancumprod, nancumsum, trapezoid
from lazyarr.searching import argmax, argmin, count_nonzero
from lazyarr.splitting import array_split, dsplit, hsplit, split, unstack, vsplit
from lazyarr.taking import *  # noqa: F403  # elements by indices and masks, by the standard's and NumPy's names

__all__ = [
    "Array", "LazyarrError", "TracingError", "all", "any", "asarray", "bool", "compute", "config", "cumprod",
    "cumsum", "cumulative_prod", "cumulative_sum", "diff", "dot", "e", "float32", "float64", "full", "full_like",
    "inf", "int8", "int16", "int32", "int64", "lift", "matmul", "max", "mean", "min", "nan", "nancumprod",
    "nancumsum", "ones", "ones_like", "pi", "prod", "result_type", "std", "sum", "trapezoid", "uint8", "uint16",
    "uint32", "uint64", "var", "vecdot", "zeros", "zeros_like",
]  # fmt: skip
__all__ += [
    "arange", "argmax", "argmin", "array", "count_nonzero", "diag", "empty", "empty_like", "eye", "fromfunction",
    "geomspace", "identity", "indices", "linspace", "logspace", "meshgrid", "ptp", "tri", "tril", "triu", "vander",
]  # fmt: skip
__all__ += [
    "array_split", "bincount", "diagonal", "dsplit", "fill_diagonal", "histogram", "histogram_bin_edges", "hsplit",
    "ix_", "pad", "ravel_multi_index", "repeat", "resize", "roll", "split", "tile", "unravel_index", "unstack", "vsplit",
]  # fmt: skip
__all__ += [*elementwise.__all__, *joining.__all__, *movement.__all__, *taking.__all__]
