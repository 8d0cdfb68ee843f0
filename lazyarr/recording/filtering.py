"""The elements at which a mask is true, found by kernels: a scan counts them, and each goes to the place that it gave,
or comes from there (Blelloch, "Prefix sums and their applications", 1990, section 1.4).

The others go behind them, so that one program does all, however many there are: it parts the elements, and counts. The
number is read, and the result is the front of what was written. That is as much memory as all elements take; where it
is too much they are counted first, and only those are written. The scan belongs to the kernel that writes.
"""

from __future__ import annotations

from math import prod
from typing import Any, TypeAlias

from ir.core.expr import Expr, fun, postorder
from ir.core.patterns import Call, Cast, Compact, FromSize, Get, Literal, Map, Reduce, Scan, Tuple, Zip
from ir.core.types import BOOL, INT64, element_type
from ir.cost.thresholds.masks import (
    COUNTED_FIRST_ABOVE,
    COUNTED_FIRST_FROM_BYTES,
    FILTERED_ON_A_DEVICE_FROM,
    FRONT_COPIED_FROM_BYTES,
    FRONT_MEMORY_AT_MOST,
    MASK_LOOKED_AT,
)
from lazyarr import config
from lazyarr.array import Array, array_of, combine, enqueue
from lazyarr.dtypes import component_of, from_ir, int64
from lazyarr.graph.builders import index_type, indices
from lazyarr.graph.leaves import Input, front, is_on_host
from lazyarr.graph.recorded_calls import RecordedCall, depth_of
from lazyarr.recording.conversion import astype, where
from lazyarr.recording.indexing import gathered, index
from lazyarr.recording.movement import ravel, view
from lazyarr.recording.replacing import as_assigned, in_shape
from lazyarr.recording.replay import replayable
from lazyarr.runtime import Device
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
    device = find_device(wanted.device or None if mask.placed is None else mask.placed)
    if x.placed is not mask.placed:
        other = find_device(wanted.device or None if x.placed is None else x.placed)
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
    if prod(behind) == 1:
        found = _chosen(_flat(x), mask)
        return view(found, None, (found.extents[0], *behind)) if behind else found
    places = true_places(mask)
    (count,) = places.extents
    if not count or not prod(behind):
        return view(x, None, (count, *behind))
    rows = view(x, x.node, (prod(mask.extents), prod(behind)))
    return view(gathered("index", rows, places, (count,)), None, (count, *behind))


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
    """The places in the flattened mask, as int64, at which it is true. Many are found as smaller integers, if these do,
    of which only the front is converted, by another program.
    """
    n = prod(mask.extents)
    t = INT64 if n * INT64.bytes < COUNTED_FIRST_FROM_BYTES else index_type(n)
    return astype(_chosen(array_of(indices(n, t), (n,), from_ir(t), mask.placed), mask), int64, copy=False)


def counted(mask: Array) -> Counted:
    """A mask, flat, for each of its elements how many are true up to it, and how many there are.

    The mask is a result, which is stored and read: where two kernels found what is true, each in its own order and by
    its own vectors, they might disagree about what is nearly so, and values go to places of others or outside.
    """
    flat = _flat(mask)
    ends = _ends(flat)
    enqueue(flat, ends)
    return flat, ends, int(index(ends, -1))


def _flat(x: Array) -> Array:
    return x if len(x.extents) == 1 else ravel(x)


def _chosen(values: Array, mask: Array) -> Array:
    """The values at which a mask is true, one after the other.

    Where all values may be written, one program parts them and counts, only the number is read, and the result is the
    front of their memory. Else what is true is counted first, and another program writes no more than that. As in
    `counted` the mask is a result, but on GPUs: there the scan counts, too, and its kernels make the mask, which is
    stored where they might disagree (`ir.fusion.prepare.count_by_scans`).
    """
    n, parted = values.extents[0], None
    if not _may_all_be_written(values, mask):
        flat = _flat(mask)
        total = _total(flat, False)
        enqueue(flat, total)
    elif _device_of(values).kind != "cpu":
        total, parted = _by_one_scan(values, mask)
        enqueue(total, parted)
    else:
        flat = _flat(mask)
        total, parted = _total(flat, False), _put_apart(values, flat, n)
        enqueue(flat, total, parted)
    count = total.only_number()
    assert type(count) is int
    if not count:
        return view(values if parted is None else parted, None, (0,))
    if parted is None:
        return _put_apart(values, flat, count)
    copies = parted.size > FRONT_MEMORY_AT_MOST * count and parted.nbytes >= FRONT_COPIED_FROM_BYTES
    return view(parted, front(parted.node, count, copies), (count,))


def _may_all_be_written(values: Array, mask: Array) -> bool:
    """Does a buffer of the device hold all values, and do they take little more memory than what they, and the mask,
    are made of, or little anyway? Of generated ones, and of those that are broadcast, hardly anything is read.
    """
    if values.nbytes < COUNTED_FIRST_FROM_BYTES:
        return True
    device = _device_of(values)
    if values.size * component_of(values.dtype).itemsize > device.limits.max_allocation_bytes:
        return False
    read = {node for made in (values.node, mask.node) for node in postorder(made) if type(node) is Input}
    nbytes = sum(prod(node.shape) * node.type.element.bytes for node in read)  # type: ignore[attr-defined]  # scalars'
    return values.nbytes <= COUNTED_FIRST_ABOVE * nbytes


def _by_one_scan(values: Array, mask: Array) -> tuple[Array, Array]:
    """How many are true, and the values in two parts; no array that stands for the mask is left."""
    flat = _flat(_passed(mask))
    return _total(flat, True), _put_apart(values, flat, values.extents[0])


def _passed(mask: Array) -> Array:
    """A mask that is made on the way and not kept, whoever holds the array: the kernels of a filter make it faster than
    they write and read it. One that was passed before is kept.
    """
    call = mask.standing
    if type(call) is not RecordedCall or call.operation is None or call.passed:
        return mask
    operands = call.operands
    if not operands:  # as well where another thread has computed it by now
        return mask
    call.passed = True
    made = RecordedCall(call.operation, operands, depth_of(operands))
    return array_of(made, mask.extents, mask.dtype, mask.placed, mask.traced_in)


def _device_of(x: Array) -> Device:
    return find_device(config.settings().device or None if x.placed is None else x.placed)


@replayable
def _total(flat: Array, by_scan: bool) -> Array:
    """How many are true. The ones are an expression of their own: with those of `_ones`, which another kernel reads,
    the loop that makes the mask could not count (`ir.fusion.partition.blocks.is_one_loop`).

    Args:
        by_scan: are they those, so that whoever scans them counts (`ir.fusion.prepare.count_by_scans`)?
    """
    t = index_type(flat.extents[0])
    ones = (
        _ones(flat) if by_scan else Map(fun(BOOL, lambda m: Call("select", m, Literal(1, t), Literal(0, t))), flat.node)
    )
    found = Reduce(fun((t, t), lambda a, b: Call("add", a, b)), Literal(0, t), ones)
    return array_of(found, (), from_ir(t), flat.placed, flat.traced_in)


@replayable
def _ends(flat: Array) -> Array:
    return array_of(_counts(flat), flat.extents, from_ir(index_type(flat.extents[0])), flat.placed, flat.traced_in)


def _counts(flat: Array) -> Expr:
    """How many are true up to each."""
    t = index_type(flat.extents[0])
    return Scan(fun((t, t), lambda a, b: Call("add", a, b)), Literal(0, t), _ones(flat))


def _ones(flat: Array) -> Expr:
    t = index_type(flat.extents[0])
    return Map(fun(BOOL, lambda m: Cast(m, t)), flat.node)


@replayable
def _put_apart(values: Array, flat: Array, capacity: int) -> Array:
    """The values at which the mask is true, in order. Where there is room for all, the others follow backwards.

    Each goes to a place that follows from how many are true up to it, its end: where the mask is true the one before
    that, else as far from the back as others are false before, or nowhere. Every place is named once.
    """
    n = flat.extents[0]
    t = index_type(n)
    together = Zip(flat.node, _counts(flat), indices(n, t), values.node)

    def placed(each: Expr) -> Expr:
        true, end, i, value = (Get(k, each) for k in range(4))
        last = Call("subtract", FromSize(n, t), Literal(1, t))
        from_back = Call("subtract", last, Call("subtract", i, end))
        other = from_back if capacity == n else FromSize(capacity, t)
        return Tuple(Call("select", true, Call("subtract", end, Literal(1, t)), other), value)

    found = Compact(capacity, Map(fun(element_type(together.type), placed), together))
    device, trace = combine("index", (values, flat))
    return array_of(found, (capacity,), values.dtype, device, trace)
