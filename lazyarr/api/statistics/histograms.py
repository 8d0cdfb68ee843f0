"""`histogram` and `histogram_bin_edges`: which bin an element lies in is a formula where the bins are equal, and looked
up where they are not; how many there are in each is a scatter (`lazyarr.api.select.combining`).
"""

from __future__ import annotations

import builtins
import warnings
from dataclasses import dataclass
from math import prod
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ir.cost.thresholds.eager import EAGER_FUNCTION_ELEMENTS_AT_MOST
from ir.cost.thresholds.sorts import COUNTED_BY_NUMPY_UP_TO
from lazyarr.api.elementwise.standard import logical_and, minimum
from lazyarr.api.order.bisection import searchsorted
from lazyarr.api.reduce.reductions import max as max_
from lazyarr.api.reduce.reductions import min as min_
from lazyarr.api.reduce.reductions import sum as sum_
from lazyarr.api.select.combining import counted
from lazyarr.array import Array, compute
from lazyarr.array.eager import existing
from lazyarr.dtypes import DType, promote
from lazyarr.eager.functions import on_host, small_by
from lazyarr.graph.tracing import refuse
from lazyarr.memory.masked import refuse_masked
from lazyarr.recording.conversion import astype, of_parts, where
from lazyarr.recording.creation import as_arrays, as_value, asarray
from lazyarr.recording.movement import ravel, whole_number

__all__ = ["histogram", "histogram2d", "histogram_bin_edges", "histogramdd"]

MOST_NEAREST = 1 << 18
ROUNDINGS = 16
"""Bins at most, and how far their edges are apart at least, in roundings of the greatest: then the index of the nearest
edge, computed in the elements' dtype, is that of one end of the right bin.
"""


@dataclass(frozen=True)
class _Bins:
    """Edges, and for equal bins the limits that they were made of."""

    edges: NDArray[Any]
    limits: tuple[Any, Any] | None


def histogram_bin_edges(a: Any, bins: Any = 10, range: Any = None, weights: Any = None) -> Array:
    """The edges of `histogram`'s bins: given ones, or those of as many equal bins from the least to the greatest
    element.

    Args:
        weights: change nothing, as in NumPy
    """
    return asarray(_bins(_values("histogram_bin_edges", a), bins, range).edges)


def _histogram(a: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None) -> Any:
    """NumPy's function, of integers and floats, for bins that it need not choose."""
    few = np.ndim(bins) or (type(bins) is int and bins <= EAGER_FUNCTION_ELEMENTS_AT_MOST)
    real = np.asarray(a).dtype.kind in "iuf" and not np.iscomplexobj(weights)
    if not few or not real:
        return None
    if np.asarray(weights).dtype != np.float32:
        return np.histogram(a, bins, range, density, weights)
    # kernels add them in float64; NumPy takes differences of running sums in float32 where bins have several widths
    counts, edges = np.histogram(a, bins, range, density, np.asarray(weights, np.float64))
    return (counts if density else counts.astype(np.float32)), edges


@small_by(_histogram)
def histogram(
    a: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None
) -> tuple[Array, Array]:
    """How many elements lie in each bin (of the last also those on its end), and the edges of the bins.

    Args:
        bins: how many of equal width, their edges, or the name of a rule (`lazyarr.api.statistics.bin_widths`)
        range: the ends of equal bins, a pair of numbers; None: the least and the greatest element, computed now
        weights: what each element counts, in the shape of `a`
        density: divide by the sum and the widths of the bins, so that the integral is one

    Raises:
        ValueError: bins or a range that make no sense, or more equal bins than there are numbers between the ends
            of the range.
    """
    refuse_masked(bins, "histogram")
    x, bins = _values("histogram", a), as_arrays(bins)
    if isinstance(bins, str) and weights is not None:
        raise TypeError(f"histogram: there are no rules for bins of weighted elements, got {bins!r}")
    own = None if weights is None else ravel(asarray(weights, function="histogram"))
    if own is not None and own.shape != x.shape:
        raise ValueError(f"histogram: expected weights of shape {x.shape}, got shape {own.shape}")
    if x.size <= COUNTED_BY_NUMPY_UP_TO and all(each is None or existing(each) is not None for each in (x, own)):
        found = _by_numpy(x, own, bins, range, density)
        if found is not None:
            return found
    known = _bins(x, bins, range)
    counts = _sums(_bin_of(x, known), own, max(0, len(known.edges) - 1))
    if own is not None:
        counts = astype(counts, own.dtype)
    if density:
        counts = counts / asarray(np.diff(known.edges).astype(np.float64)) / sum_(counts)
    return counts, asarray(known.edges)


def _by_numpy(x: Array, weights: Array | None, bins: Any, limits: Any, density: bool) -> tuple[Array, Array] | None:
    """What NumPy counts in arrays whose values exist; None where that is not to be asked."""
    edges: list[Any] = []

    def counts(values: Any, weights: Any = None) -> Any:
        given = np.asarray(bins) if isinstance(bins, Array) else bins
        ends = np.asarray(limits) if isinstance(limits, Array) else limits
        found = _histogram(values, given, ends, density, weights)
        if found is None:
            return None
        edges.append(found[1])
        return found[0]

    made = on_host(counts, x, *(() if weights is None else (weights,)))
    return None if made is None else (made, asarray(edges[-1]))


def _sums(at: Array, weights: Array | None, length: int) -> Array:
    """The sums of the weights by bin; of complex ones part by part."""
    if weights is None or weights.dtype.kind != "c":
        return counted("histogram", at, weights, length)
    return of_parts(*[counted("histogram", at, part, length) for part in (weights.real, weights.imag)])


def histogramdd(
    sample: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None
) -> tuple[Array, list[Array]]:
    """How many points lie in each cell of a grid, and the edges of the cells along each dimension.

    Args:
        sample: a row for each point, or a sequence of vectors, one for each dimension.
        bins: a number, or for each dimension a number or edges.
        range: for each dimension its ends, or None.
        weights, density: as for `histogram`

    Raises:
        ValueError: other shapes, and what `histogram` does.
    """
    if isinstance(sample, (tuple, list)):
        columns = [ravel(asarray(x, function="histogramdd")) for x in sample]
        common = promote(*(x.dtype for x in columns))  # as those of one array
        columns = [astype(x, common) for x in columns]
    else:
        points = asarray(sample, function="histogramdd")
        points = points.reshape(-1, 1) if points.ndim == 1 else points
        if points.ndim != 2:
            raise ValueError(f"histogramdd: expected a row for each point, got shape {points.shape}")
        columns = [points[:, i] for i in builtins.range(points.shape[1])]
    wanted = [bins] * len(columns) if np.isscalar(bins) else list(bins)
    limits = [None] * len(columns) if range is None else list(range)
    if len(wanted) != len(columns) or len(limits) != len(columns):
        raise ValueError(f"histogramdd: expected bins and ranges for {len(columns)} dimensions")
    known = [_bins(x, b, r, of_ends=True) for x, b, r in zip(columns, wanted, limits, strict=True)]
    shape = tuple(len(each.edges) - 1 for each in known)
    places = [_bin_of(x, each) for x, each in zip(columns, known, strict=True)]
    inside, at = places[0] >= 0, astype(places[0], "int64")
    for place, extent in zip(places[1:], shape[1:], strict=True):
        inside, at = logical_and(inside, place >= 0), at * extent + place
    own = None if weights is None else ravel(asarray(weights, function="histogramdd"))
    counts = astype(counted("histogramdd", where(inside, at, -1), own, prod(shape)), "float64").reshape(shape)
    if density:
        for axis, each in enumerate(known):
            widths = np.diff(each.edges).astype(np.float64)
            counts = counts / widths.reshape((-1,) + (1,) * (len(shape) - axis - 1))
        counts = counts / sum_(counted("histogramdd", where(inside, at, -1), own, prod(shape)))
    return counts, [asarray(each.edges) for each in known]


def _histogram2d(x: Any, y: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None) -> Any:
    """NumPy's function, of integers and float64, for equal bins of a number that is given."""
    few = type(bins) is int and bins > 0 and bins**2 <= EAGER_FUNCTION_ELEMENTS_AT_MOST
    real = all(each is None or np.asarray(each).dtype.char in "bhilqBHILQd" for each in (x, y, weights))
    return np.histogram2d(x, y, bins, None, density, weights) if few and real and range is None else None


@small_by(_histogram2d)
def histogram2d(
    x: Any, y: Any, bins: Any = 10, range: Any = None, density: bool = False, weights: Any = None
) -> tuple[Array, Array, Array]:
    """How many points of these coordinates lie in each cell of a grid, and its edges along both dimensions.

    Args:
        bins: a number, edges for both dimensions, or a pair of such. The rest is as for `histogramdd`.
    """
    pair = bins if np.isscalar(bins) or len(bins) == 2 else [bins, bins]
    counts, (across, along) = histogramdd((x, y), pair, range, density, weights)
    return counts, across, along


# --- edges ------------------------------------------------------------------------------------------------------------


def _values(function: str, a: Any) -> Array:
    """The elements, flat; bools as NumPy has them here: as uint8, with a warning."""
    x = ravel(asarray(a, function=function))
    if x.dtype.kind == "c":
        raise TypeError(f"{function}: expected real numbers, got {x.dtype.name}")
    if x.dtype.kind != "b":
        return x
    warnings.warn(f"{function}: converting bools to uint8, as NumPy does", RuntimeWarning, stacklevel=3)
    return astype(x, "uint8")


def _bins(x: Array, bins: Any, limits: Any, of_ends: bool = False) -> _Bins:
    """The bins, on the host: which values there are decides where they lie.

    Args:
        of_ends: have the edges of equal bins the dtype of their ends alone, as in `histogramdd`, whatever x has
    """
    if isinstance(bins, str):
        from lazyarr.api.statistics.bin_widths import bins_by_rule  # needed seldom

        bins = bins_by_rule(bins, x, *(float(end) for end in _limits(x, limits)))
    edges = np.asarray(as_value(bins, "histogram"))
    if edges.ndim:
        if edges.ndim > 1 or (edges[1:] < edges[:-1]).any():
            raise ValueError("histogram: expected bins to be a vector of edges that increase")
        return _Bins(edges, None)
    count = whole_number("histogram", "bins", bins, None)
    if count < 1:
        raise ValueError(f"histogram: expected one or more bins, got {bins}")
    first, last = _limits(x, limits)
    own = (1.0,) if of_ends else (x.dtype if x.dtype.kind == "f" else np.float64, np.float32)
    dtype = np.result_type(first, last, *own)
    lines = np.linspace(first, last, count + 1, endpoint=True, dtype=dtype)
    if (lines[1:] <= lines[:-1]).any():
        raise ValueError(f"histogram: {count} bins from {first} to {last} have no width in {dtype.name}: ask for fewer")
    return _Bins(lines, (first, last))


def _limits(x: Array, limits: Any) -> tuple[Any, Any]:
    """The ends of equal bins: those that are given, else the extremes, which are as wide as x for NumPy's rounding."""
    if limits is None:
        if x.tracing:
            refuse("value", "histogram without a range", x)
        first, last = _extremes(x)
    else:
        first, last = limits if isinstance(limits, (tuple, list)) else np.asarray(limits)
        first, last = (
            x if isinstance(x, np.floating) else float(x) for x in (first, last)
        )  # whose dtype edges take on
        if first > last:
            raise ValueError(f"histogram: expected a range whose end is not before its beginning, got {limits}")
    if not (np.isfinite(first) and np.isfinite(last)):
        raise ValueError(f"histogram: the range ({first}, {last}) is not finite")
    return (first - 0.5, last + 0.5) if first == last else (first, last)


def _extremes(x: Array) -> tuple[Any, Any]:
    """The least and the greatest element, as numbers of x's dtype."""
    if not x.size:
        return x.dtype.type(0), x.dtype.type(1)
    low, high = min_(x), max_(x)
    compute(low, high)
    return np.asarray(low)[()], np.asarray(high)[()]


# --- the bin of an element --------------------------------------------------------------------------------------------


def _bin_of(x: Array, bins: _Bins) -> Array:
    """The bin of each element; one outside has none, which is a place that does not exist."""
    if len(bins.edges) < 2:
        return asarray(np.full(x.shape, -1))
    if bins.limits is not None and (bins.edges.dtype == np.float64 or x.dtype == bins.edges.dtype):
        x = astype(x, bins.edges.dtype)
        line = _Line.through(bins.edges, *bins.limits, x.dtype)
        if line is not None:
            return _nearest(x, bins.edges, line)
    return _searched(x, bins.edges)


@dataclass(frozen=True)
class _Line:
    """Edges as a function of their indices: edge i is `i * step + start`, computed in these numbers' dtype and rounded
    to the elements'.
    """

    start: Any
    step: Any

    @classmethod
    def through(cls, edges: NDArray[Any], first: Any, last: Any, dtype: DType) -> _Line | None:
        """The line on which equal bins' edges lie, each bit of them, where they are far enough apart, and bins are not
        so narrow that their inverse overflows; else None.

        The last edge is left out: NumPy sets it by itself, and whatever is not below it is in the last bin anyway.
        """
        count, ends = len(edges) - 1, edges.astype(dtype)
        rounding = np.spacing(np.abs(ends).max())
        if count > MOST_NEAREST or not np.diff(ends).min() >= ROUNDINGS * rounding:
            return None
        if count / np.finfo(dtype).max >= float(ends[-1]) - float(ends[0]):
            return None
        for wide in (dtype.type, np.float64):
            start = wide(first)
            step = (wide(last) - start) / wide(count)
            made = np.arange(count, dtype=wide) * step + start
            if (made.astype(dtype) == ends[:-1]).all():
                return cls(start, step)
        return None


def _nearest(x: Array, edges: NDArray[Any], line: _Line) -> Array:
    """The bin between equally spaced edges: the nearest edge is one end of it, and a comparison tells which.

    What says where the bins lie are inputs, so that all ranges share a kernel.
    """
    count = len(edges) - 1
    first, last = asarray(edges[0], x.dtype), asarray(edges[-1], x.dtype)
    scale = asarray(count / (float(edges[-1]) - float(edges[0])), x.dtype)
    start, step = asarray(line.start), asarray(line.step)
    inside = logical_and(x >= first, x <= last)
    near = astype(where(inside, (x - first) * scale, 0) + 0.5, "int32")
    edge = astype(astype(near, start.dtype) * step + start, x.dtype)
    at = minimum(where(x >= edge, near, near - 1), asarray(count - 1, "int32"))
    return where(inside, at, -1)


def _searched(x: Array, edges: NDArray[Any]) -> Array:
    """The bin between edges that lie anywhere: how many edges do not lie behind an element, less one."""
    count, lines = len(edges) - 1, asarray(edges)
    at = minimum(astype(searchsorted(lines, x, side="right"), "int32"), asarray(count, "int32")) - 1
    return where(logical_and(x >= lines[0], x <= lines[count]), at, -1)
