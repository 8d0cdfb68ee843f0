"""Views of arrays whose values exist, read as NumPy's views of the same memory: nothing is computed or laid out anew.

    np.asarray(la.flip(x))        # NumPy's view of the memory of x, read-only

The memory of a value never changes: an array that is assigned to comes to stand for other memory, and the views read
before keep what they show.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from lazyarr.array.eager import changing
from lazyarr.array.lent import is_lent
from lazyarr.config import eagerness
from lazyarr.graph.leaves import Input, inputs_of, is_borrowed, is_on_host, looks, on_host
from lazyarr.graph.recorded_calls import RecordedCall
from lazyarr.graph.tracing import recordings

if TYPE_CHECKING:
    from lazyarr.array.core import Array

__all__ = ["shown"]


def shown(x: Array) -> np.ndarray[Any, Any] | None:
    """A view's elements as they lie in the memory of its base, read-only; those of an eager array as they lie in
    memory that was lent to it. Waits for the device.

    None where the view has a value of its own, or that of its base does not exist or lies in a device's own memory; of
    parts of complex numbers, which lie apart; and where kernels alone are to compute.
    """
    origin, value = x.origin, x.value
    if recordings.count or not eagerness.on:
        return None
    if type(value) is np.ndarray and not value.flags.writeable and is_lent(x):
        looks.count += 1
        return value.view()
    if origin is None or value is not None:
        return None
    with changing:  # both stand for the same elements
        base = origin.family.base()
        if base is None or x.traced_in is not None or _has_value(x):
            return None
        memory = _memory(base)
    if memory is None:
        return None
    try:
        found = on_host(memory).reshape(origin.family.shape)
        for step in origin.steps:
            found = step.on(found)
        found = found.reshape(x.extents, copy=False)
    except ValueError:
        return None  # of another shape by now, so that NumPy copies
    looks.count += 1
    found.setflags(write=False)
    return found


def _has_value(x: Array) -> bool:
    node: Any = x.expr
    if type(node) is RecordedCall:
        node = node.made
    return node is not None and bool(inputs_of(node))


def _memory(base: Array) -> Input | None:
    """The leaf that a base of views stands for, where it has one that the host sees."""
    node: Any = base.expr
    if type(node) is RecordedCall:
        node = node.made
    if type(node) is not Input or base.placed is not None or base.traced_in is not None:
        return None
    return node if is_on_host(node.storage) and not is_borrowed(node) else None
