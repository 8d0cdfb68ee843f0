"""lazyarr: NumPy-style lazy arrays, rewritten by rules and compiled to OpenCL kernels tuned for the device.

Array functions record, but for those of small arrays, which NumPy carries out at once. `float(x)`, `np.asarray(x)`,
`print(x)` and `compute(x, y)` compute. The names are the Python array API standard's, with NumPy's spellings beside
them. Several shadow builtins: `import lazyarr as la`. The dtypes are NumPy's scalar types: `x.dtype == la.float32`, and
`la.float32(1.5)` is a number.
"""

from importlib import import_module as _import
from math import e, inf, nan, pi
from typing import TYPE_CHECKING, Any

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

from lazyarr import config, emath, lib, lift, linalg, testing, version
from lazyarr.api import numpy_aliases, reexports
from lazyarr.api.create import bessel, files, index_grids, windows
from lazyarr.api.create.bessel import *  # noqa: F403  # Kaiser's window, and the function in it
from lazyarr.api.create.files import *  # noqa: F403  # NumPy's functions that read and write
from lazyarr.api.create.grids import (
    diag,
    diagflat,
    eye,
    fromfunction,
    identity,
    indices,
    meshgrid,
    tri,
    tril,
    triu,
    vander,
)
from lazyarr.api.create.index_grids import *  # noqa: F403  # indices of parts of a matrix, `mgrid r_ c_`
from lazyarr.api.create.ranges import arange
from lazyarr.api.create.spacing import geomspace, linspace, logspace
from lazyarr.api.create.windows import *  # noqa: F403  # windows for signals, polynomials
from lazyarr.api.elementwise import standard as elementwise
from lazyarr.api.elementwise import ufuncs
from lazyarr.api.elementwise.standard import *  # noqa: F403  # its __all__ is the standard's chapter of element-wise functions
from lazyarr.api.elementwise.ufuncs import *  # noqa: F403  # NumPy's element-wise functions beyond the standard
from lazyarr.api.functional import by_function, iteration
from lazyarr.api.functional import piecewise as pieces
from lazyarr.api.functional.by_function import *  # noqa: F403  # Python functions along arrays
from lazyarr.api.functional.iteration import *  # noqa: F403  # element by element
from lazyarr.api.functional.piecewise import *  # noqa: F403  # functions given piece by piece
from lazyarr.api.linear import contractions
from lazyarr.api.linear.contractions import *  # noqa: F403  # sums of products over chosen dimensions
from lazyarr.api.linear.einsum import einsum, einsum_path
from lazyarr.api.linear.products import dot, matmul, matvec, vecdot, vecmat
from lazyarr.api.namespace_info import __array_api_version__, __array_namespace_info__
from lazyarr.api.numpy_aliases import *  # noqa: F403  # NumPy's names for what is here, and its questions about arrays
from lazyarr.api.order import bisection, sets, sorting
from lazyarr.api.order.bisection import *  # noqa: F403  # places in sorted vectors
from lazyarr.api.order.sets import *  # noqa: F403  # distinct elements, and which arrays have which
from lazyarr.api.order.sorting import *  # noqa: F403  # sorts, and the indices that sort
from lazyarr.api.reduce.reductions import all, any, max, mean, min, prod, ptp, std, sum, var
from lazyarr.api.reduce.scans import (
    cumprod,
    cumsum,
    cumulative_prod,
    cumulative_sum,
    diff,
    nancumprod,
    nancumsum,
    trapezoid,
)
from lazyarr.api.reduce.searching import argmax, argmin, count_nonzero
from lazyarr.api.reexports import *  # noqa: F403  # what is the same in NumPy
from lazyarr.api.select import taking
from lazyarr.api.select.combining import bincount
from lazyarr.api.select.taking import *  # noqa: F403  # elements by indices and masks, by the standard's and NumPy's names
from lazyarr.api.shape import joining
from lazyarr.api.shape.bits import bitwise_count, packbits, unpackbits
from lazyarr.api.shape.blocks import block
from lazyarr.api.shape.joining import *  # noqa: F403  # arrays put together, by the standard's and NumPy's names
from lazyarr.api.shape.positions import fill_diagonal, ix_, ravel_multi_index, unravel_index
from lazyarr.api.shape.repeating import repeat, resize, roll, tile
from lazyarr.api.shape.splitting import array_split, dsplit, hsplit, split, unstack, vsplit
from lazyarr.api.signal import filtering, polynomials
from lazyarr.api.signal.filtering import *  # noqa: F403  # signals moved along each other
from lazyarr.api.signal.padding import pad
from lazyarr.api.signal.polynomials import *  # noqa: F403  # polynomials by their coefficients
from lazyarr.api.statistics import averages, differences, nan_reductions, order_statistics
from lazyarr.api.statistics.averages import *  # noqa: F403  # averages and covariances
from lazyarr.api.statistics.differences import *  # noqa: F403  # derivatives and lists of differences
from lazyarr.api.statistics.histograms import histogram, histogram2d, histogram_bin_edges, histogramdd
from lazyarr.api.statistics.nan_reductions import *  # noqa: F403  # reductions without NaNs
from lazyarr.api.statistics.order_statistics import *  # noqa: F403  # medians and quantiles
from lazyarr.array import Array, compute
from lazyarr.dtypes.promotion import can_cast, finfo, iinfo, isdtype, issubdtype, promote_types, result_type
from lazyarr.errors import LazyarrError, TracingError
from lazyarr.methods.protocols import from_dlpack
from lazyarr.methods.table import bind as _bind
from lazyarr.recording import movement
from lazyarr.recording.creation import asarray
from lazyarr.recording.filled import empty, empty_like, full, full_like, ones, ones_like, zeros, zeros_like
from lazyarr.recording.movement import *  # noqa: F403  # views, by the standard's and NumPy's names
from lazyarr.version import __version__

# isort: split
from lazyarr.aliasing.viewing import *  # noqa: F403  # last: those of the functions above whose results are views
from lazyarr.aliasing.viewing import diagonal, rot90

if TYPE_CHECKING:
    from lazyarr import fft, polynomial, random
    from lazyarr.lift.visualization import visualize

_bind()


def __getattr__(name: str) -> Any:
    if name == "visualize":  # needs what cuts graphs into kernels, which importing lazyarr must not pay for
        return _import("lazyarr.lift.visualization").visualize
    if name in ("fft", "polynomial", "random"):  # these import NumPy's, which come when they are used first, too
        return _import(f"lazyarr.{name}")
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


def __dir__() -> list[str]:
    return sorted({*__all__, "errors"})


__all__ = [
    "Array", "LazyarrError", "TracingError", "__array_api_version__", "__array_namespace_info__", "__version__", "all",
    "any", "arange", "argmax", "argmin", "array_split", "asarray", "bincount", "bitwise_count", "block",
    "bool", "bool_", "can_cast", "complex64", "complex128", "complexfloating", "compute", "config", "count_nonzero",
    "cumprod", "cumsum", "cumulative_prod", "cumulative_sum", "diag", "diagflat", "diagonal", "diff", "dot", "dsplit",
    "e", "einsum", "einsum_path", "emath", "empty", "empty_like", "eye", "fft", "fill_diagonal", "finfo", "float32",
    "float64", "floating", "from_dlpack", "fromfunction", "full", "full_like", "generic", "geomspace", "histogram",
    "histogram2d", "histogram_bin_edges", "histogramdd", "hsplit", "identity", "iinfo", "indices", "inexact", "inf",
    "int8", "int16", "int32", "int64", "integer", "isdtype", "issubdtype", "ix_", "lib", "lift", "linalg", "linspace",
    "logspace", "matmul", "matvec", "max", "mean", "meshgrid", "min", "nan", "nancumprod", "nancumsum", "number",
    "ones", "ones_like", "packbits", "pad", "pi", "polynomial", "prod", "promote_types", "ptp", "random",
    "ravel_multi_index", "repeat", "resize", "result_type", "roll", "rot90", "signedinteger", "split", "std", "sum",
    "testing", "tile", "trapezoid", "tri", "tril", "triu", "uint8", "uint16", "uint32", "uint64", "unpackbits",
    "unravel_index", "unsignedinteger", "unstack", "vander", "var", "vecdot", "vecmat", "version", "visualize",
    "vsplit", "zeros", "zeros_like",
]  # fmt: skip
__all__ += [
    *bessel.__all__, *bisection.__all__, *by_function.__all__, *contractions.__all__, *differences.__all__,
    *elementwise.__all__, *files.__all__, *filtering.__all__, *numpy_aliases.__all__, *index_grids.__all__,
    *joining.__all__, *movement.__all__, *reexports.__all__, *nan_reductions.__all__, *order_statistics.__all__,
    *pieces.__all__, *polynomials.__all__, *sets.__all__, *sorting.__all__, *averages.__all__, *taking.__all__,
    *ufuncs.__all__, *iteration.__all__, *windows.__all__,
]  # fmt: skip
