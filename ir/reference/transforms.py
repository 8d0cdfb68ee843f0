"""What vertices are noted to be the results of, by NumPy's functions: Fourier transforms, interpolation and
correlations.
"""

from __future__ import annotations

from math import log2, prod

import numpy as np

from ir.core.types import ScalarType, TupleType, Type, element_type
from ir.cost.thresholds.tiers import NUMPY_ELEMENT_SECONDS
from ir.reference.axes import Factor, extent_of
from ir.reference.layout import Operand, Term, merged, seconds_to_copy, whole
from ir.reference.library import Correlation, Interpolation, Transform
from ir.reference.source import Source, UnwrittenError

__all__ = ["correlated", "interpolated", "transformed"]


def transformed(source: Source, call: Transform, operand: Term, t: Type) -> Term:
    """The flat result of a call.

    Args:
        t: the type of what it stands for
    """
    t = element_type(t)
    part = t.elements[0] if isinstance(t, TupleType) else t
    if not isinstance(part, ScalarType):
        raise UnwrittenError(f"a transform of type {t}")
    dtype = np.dtype(part.name)
    made = np.result_type(dtype, np.complex64) if isinstance(t, TupleType) else dtype
    given = [merged(source, whole(source, x, [0]), [0]) for x in _parts(operand)]
    shape = tuple([extent for extent in call.result if extent > 1])
    rows = prod(call.shape) // call.shape[call.axis]
    seconds = rows * call.n * log2(call.n) * NUMPY_ELEMENT_SECONDS["transform"]
    arguments = (repr(call.name), str(call.shape), str(call.n), str(call.axis), repr(call.norm))
    found = source.assign(
        "transformed", (*arguments, *[x.text for x in given]), [v for x in given for v in x.reads], shape, made,
        kernels=call.kernels, seconds=seconds + seconds_to_copy(call.shape, made),
        work=f"transform of {dtype}",
    )  # fmt: skip
    dimensions = (tuple([Factor(extent, axis) for axis, extent in enumerate(shape)]),)
    if not isinstance(t, TupleType):
        return Operand(found.name, found, dimensions, dtype)
    planes = []
    for name in ("real", "imag"):
        plane = source.assign("", (f"{found}.{name}",), (found,), shape, dtype, view_of=found)
        planes.append(Operand(plane.name, plane, dimensions, dtype))
    return tuple(planes)


def interpolated(source: Source, call: Interpolation, operand: Term) -> Operand:
    """The flat result of a call."""
    given = [merged(source, whole(source, x, [0]), [0]) for x in _parts(operand)]
    count, samples = (extent_of(x.dimensions[0]) for x in given[:2])
    found = source.assign(
        "interpolated", [x.text for x in given], [v for x in given for v in x.reads], (count,), given[2].dtype,
        kernels=call.kernels, seconds=count * log2(samples + 1) * NUMPY_ELEMENT_SECONDS["interpolation"],
    )  # fmt: skip
    return Operand(found.name, found, ((Factor(count, 0),),), given[2].dtype)


def correlated(source: Source, call: Correlation, operand: Term) -> Operand:
    """The flat result of a call."""
    x, y = [merged(source, whole(source, part, [0]), [0]) for part in _parts(operand)]
    n, m = (extent_of(part.dimensions[0]) for part in (x, y))
    count = n - m + 1 + call.before + call.behind
    found = source.assign(
        "correlated", (x.text, y.text, str(call.before), str(call.behind), "empty"), [*x.reads, *y.reads], (count,),
        x.dtype, kernels=call.kernels,
        seconds=seconds_to_copy((count,), x.dtype) + count * m * NUMPY_ELEMENT_SECONDS["correlation"],
    )  # fmt: skip
    return Operand(found.name, found, ((Factor(count, 0),),), x.dtype)


def _parts(operand: Term) -> list[Operand]:
    if isinstance(operand, Operand):
        return [operand]
    return [part for part in operand if isinstance(part, Operand)]
