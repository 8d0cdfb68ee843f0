"""The elements at which a mask is true, found by kernels: a scan counts them, and each goes to the place that it gave,
or comes from there (Blelloch, "Prefix sums and their applications", 1990, section 1.4).

How many there are is asked before that, so that the result has its shape. The scan belongs to the kernel that writes.
"""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

from ir.core.expr import Expr, fun
from ir.core.patterns import Call, Cast, Compact, FromSize, Get, Literal, Map, Reduce, Scan, Tuple, Zip
from ir.core.types import BOOL, INT64, ScalarType, element_type
from ir.cost.thresholds.tiers import FILTERED_ON_A_DEVICE_FROM, MASK_LOOKED_AT
from lazyarr import config
from lazyarr.array import Array, array_of, combine, enqueue
from lazyarr.dtypes import from_ir, int64
from lazyarr.graph.builders import index_type, indices
from lazyarr.graph.leaves import Input, is_on_host
from lazyarr.graph.recorded_calls import RecordedCall
from lazyarr.recording.conversion import where
from lazyarr.recording.indexing import gathered, index
from lazyarr.recording.movement import ravel, view
from lazyarr.recording.replacing import as_assigned, in_shape
from lazyarr.recording.replay import replayable
from lazyarr.runtime.discovery import find_device

__all__ = ["Counted", "counted", "filters_by_kernels", "kept", "true_places", "with_kept"]

Counted: TypeAlias = tuple[Array, Array, int]


def filters_by_kernels(x: Array, mask: Array) -> bool:
    """Do kernels find where a mask of an array's first dimensions is true? So it is where nothing else may compute, and
    on a device with memory of its own, where what the mask is made of lies there, or is large. The mask of an array on
    another device is read.
    """
    count, wanted = prod(mask.extents), config.settings()
    if not count or x.tracing or mask.tracing or x.extents[: len(mask.extents)] != mask.extents:
        return False
    wholly = wanted.tier == "compiled" or wanted.deterministic
    if not wholly and count < FILTERED_ON_A_DEVICE_FROM and not _lies_on_a_device(mask):
        return False
    device, other = (find_device(wanted.device or None if y.placed is None else y.placed) for y in (mask, x))
    if device is not other:
        return False
    return wholly or not device.zero_copy


def _lies_on_a_device(mask: Array) -> bool:
    """Is it made of an array that the host does not see? It looks at what was recorded last."""
    waiting: list[Expr | RecordedCall] = [mask.standing]
    for number, node in enumerate(waiting):  # which grows
        if number == MASK_LOOKED_AT:
            break
        made = node.made if type(node) is RecordedCall else node
        if type(made) is Input:
            if made.storage is not None and not is_on_host(made.storage):
                return True
        else:
            waiting += node.operands
    return False


def kept(x: Array, mask: Array) -> Array:
    """The parts of an array that a mask, of its first dimensions, is true at, one after the other."""
    behind = x.extents[len(mask.extents) :]
    flat, ends, count = counted(mask)
    if not count or not prod(behind):
        return view(x, None, (count, *behind))
    if prod(behind) == 1:
        found = _compacted(ravel(x), flat, ends, count)
    else:
        rows = view(x, x.node, (flat.extents[0], prod(behind)))
        found = gathered("index", rows, _places(flat, ends, count), (count,))
    return view(found, None, (count, *behind))


def with_kept(x: Array, counted: Counted, value: Any) -> Array:
    """The array with values, one after the other, or one for all, where a mask of its shape is true.

    Raises:
        ValueError: there are more or fewer of them.
    """
    flat, ends, count = counted
    new = in_shape("setitem", as_assigned("setitem", value, x.dtype), (count,))
    if not count:
        return x
    spread = gathered("setitem", view(new, None, (count, 1)), ends - 1, flat.extents)  # before the first: the first
    return view(where(flat, view(spread, None, flat.extents), ravel(x)), None, x.extents)


def true_places(mask: Array) -> Array:
    """The places in the flattened mask, as int64, at which it is true."""
    flat, ends, count = counted(mask)
    return _places(flat, ends, count) if count else view(array_of(flat.node, (0,), int64, flat.placed), None, (0,))


def counted(mask: Array, ends_are_read: bool = False) -> Counted:
    """A mask, flat, for each of its elements how many are true up to it, and how many there are.

    The second is computed only if it is said to be read as an array of its own.

    The mask is a result, which is stored and read: where two kernels found what is true, each in its own order and by
    its own vectors, they might disagree about what is nearly so, and values go to places of others or outside.
    """
    flat = ravel(mask)
    if ends_are_read:
        ends = _ends(flat)
        enqueue(flat, ends)
        return flat, ends, int(index(ends, -1))
    total = _total(flat)
    enqueue(flat, total)
    return flat, _ends(flat), int(total)  # made of the mask that is stored


@replayable
def _total(flat: Array) -> Array:
    t = index_type(flat.extents[0])
    found = Reduce(fun((t, t), lambda a, b: Call("add", a, b)), Literal(0, t), _ones(flat, t))
    return array_of(found, (), from_ir(t), flat.placed, flat.traced_in)


@replayable
def _ends(flat: Array) -> Array:
    t = index_type(flat.extents[0])
    sums = Scan(fun((t, t), lambda a, b: Call("add", a, b)), Literal(0, t), _ones(flat, t))
    return array_of(sums, flat.extents, from_ir(t), flat.placed, flat.traced_in)


def _ones(flat: Array, t: ScalarType) -> Expr:
    return Map(fun(BOOL, lambda m: Cast(m, t)), flat.node)


@replayable
def _compacted(values: Array, flat: Array, ends: Array, count: int) -> Array:
    device, trace = combine("index", (values, flat, ends))
    return array_of(_put_together(values.node, flat, ends, count), (count,), values.dtype, device, trace)


@replayable
def _places(flat: Array, ends: Array, count: int) -> Array:
    found = _put_together(indices(flat.extents[0], INT64), flat, ends, count)
    return array_of(found, (count,), int64, flat.placed, flat.traced_in)


def _put_together(values: Expr, flat: Array, ends: Array, count: int) -> Expr:
    """The values at which the mask is true, each in the place before its end."""
    t = index_type(flat.extents[0])
    together = Zip(flat.node, ends.node, values)

    def placed(each: Expr) -> Expr:
        true, end, value = (Get(i, each) for i in range(3))
        return Tuple(Call("select", true, Call("subtract", end, Literal(1, t)), FromSize(count, t)), value)

    return Compact(count, Map(fun(element_type(together.type), placed), together))
