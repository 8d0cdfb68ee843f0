"""What the namespace holds: the array API standard's names, and how each function is done.

docs/functions.md is made from it. What is named neither in `lazyarr.recording.host` nor below is recorded and compiled.
"""

from __future__ import annotations

from types import ModuleType
from typing import Any, Final

from lazyarr import emath
from lazyarr.api import reexports as names
from lazyarr.api.create import files
from lazyarr.recording.host import HOST_FUNCTIONS

__all__ = ["AT_ONCE", "NO_ARRAYS", "OF_VALUES", "STANDARD", "functions_of", "how", "standard_names"]

STANDARD: Final[dict[str, str]] = {
    "creation": "arange asarray empty empty_like eye from_dlpack full full_like linspace meshgrid ones ones_like tril "
    "triu zeros zeros_like",
    "dtypes": "astype can_cast finfo iinfo isdtype result_type",
    "elements": "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_invert bitwise_left_shift "
    "bitwise_or bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor "
    "floor_divide greater greater_equal hypot imag isfinite isinf isnan less less_equal log log10 log1p log2 logaddexp "
    "logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive pow "
    "real reciprocal remainder round sign signbit sin sinh sqrt square subtract tan tanh trunc",
    "indexing": "take take_along_axis",
    "inspection": "__array_namespace_info__",
    "linear algebra": "matmul matrix_transpose tensordot vecdot",
    "manipulation": "broadcast_arrays broadcast_shapes broadcast_to concat expand_dims flip moveaxis permute_dims "
    "repeat reshape roll squeeze stack tile unstack",
    "searching": "argmax argmin count_nonzero nonzero searchsorted where",
    "sets": "isin unique_all unique_counts unique_inverse unique_values",
    "sorting": "argsort sort",
    "statistics": "cumulative_prod cumulative_sum max mean min prod std sum var",
    "utilities": "all any diff",
    "linalg": "cholesky cross det diagonal eig eigh eigvals eigvalsh inv matmul matrix_norm matrix_power matrix_rank "
    "matrix_transpose outer pinv qr slogdet solve svd svdvals tensordot trace vecdot vector_norm",
    "fft": "fft fftfreq fftn fftshift hfft ifft ifftn ifftshift ihfft irfft irfftn rfft rfftfreq rfftn",
}
"""The functions of the standard, version 2025.12, by chapter; those of the extensions under the extension's name."""

_SHAPE = "the shape of the result follows from values, which are computed when it is called"
_RANGE = "how many counts there are, or where bins lie, follows from values, which are computed when it is called"


def _for_all(names: str, reason: str) -> dict[str, str]:
    return dict.fromkeys(names.split(), reason)


AT_ONCE: Final[dict[str, str]] = {
    **_for_all("argwhere compress extract flatnonzero mask_indices nonzero trim_zeros unique", _SHAPE),
    **_for_all("unique_all unique_counts unique_inverse unique_values", _SHAPE),
    **_for_all("bincount histogram histogram2d histogram_bin_edges histogramdd", _RANGE),
    **_for_all(
        "real_if_close", "whether the result is complex follows from values, which are computed when it is called"
    ),
    **{f"emath.{name}": "whether the result is complex follows from values" for name in emath.__all__},
    **_for_all("apply_along_axis", "the function is called with every row, as a lazy array of its own"),
}
"""Functions that are compiled but cannot be recorded by a jitted function, with the reason."""

NO_ARRAYS: Final = frozenset(
    _for_all("__array_namespace_info__ broadcast_shapes can_cast finfo iinfo isdtype issubdtype promote_types", "")
) | {
    "result_type",
    "common_type",
    "einsum_path",
    "iscomplexobj",
    "isfortran",
    "isrealobj",
    "ndim",
    "random.get_state",
    "random.seed",
    "random.set_state",
    "shape",
    "size",
    *names.__all__,
}
"""Functions of dtypes, shapes and devices, in which there is nothing to compile."""

OF_VALUES: Final = frozenset(
    {*files.__all__, "array2string", "array_repr", "array_str", "asarray_chkfinite", "may_share_memory",
     "random.bytes", "shares_memory", "polydiv"}
)  # fmt: skip
"""Functions that read arrays, or compute them and go on with their values: files, text, checks, memory."""


def standard_names() -> list[str]:
    """The functions of the standard by their names below `lazyarr`: `sum`, `linalg.inv`."""
    extensions = ("linalg", "fft")
    return [
        f"{chapter}.{name}" if chapter in extensions else name
        for chapter, names in STANDARD.items()
        for name in names.split()
    ]


def functions_of(module: ModuleType) -> dict[str, Any]:
    """The functions that a namespace exports, by name."""
    found = {name: getattr(module, name) for name in module.__all__}
    return {name: f for name, f in sorted(found.items()) if callable(f) and not isinstance(f, type)}


def how(name: str) -> tuple[str, str]:
    """How a function is done ("compiled", "compiled, at once", "values", "host" or "no arrays"), and why not simply
    compiled.
    """
    if name in NO_ARRAYS:
        return "no arrays", ""
    if name in OF_VALUES:
        return "values", ""
    if name in HOST_FUNCTIONS:
        return f"host: `{HOST_FUNCTIONS[name].library}`", HOST_FUNCTIONS[name].reason
    return ("compiled, at once", AT_ONCE[name]) if name in AT_ONCE else ("compiled", "")
