"""Random keys for `x[key]`: slices, integers, `...`, None, arrays of indices that broadcast together, masks."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import strategies as st

import lazyarr as la

__all__ = ["basic_keys", "in_numpy", "keys", "parts"]


def parts(extent: int) -> st.SearchStrategy[Any]:
    """An integer in range, or any slice."""
    bound = st.one_of(st.none(), st.integers(-extent - 2, extent + 2))
    step = st.one_of(st.none(), st.integers(1, 4), st.integers(-4, -1))
    slices = st.builds(slice, bound, bound, step)
    return slices if extent == 0 else st.one_of(slices, st.integers(-extent, extent - 1))


@st.composite
def basic_keys(draw: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """Integers, slices, `...` and None for arrays of that shape."""
    used = draw(st.integers(0, len(shape)))
    after = draw(st.integers(0, used)) if draw(st.booleans()) else 0
    before = used - after
    key = [draw(parts(extent)) for extent in shape[:before]]
    if after or draw(st.booleans()):
        key.append(Ellipsis)
    key += [draw(parts(extent)) for extent in shape[len(shape) - after :]]
    for _ in range(draw(st.integers(0, 2))):
        key.insert(draw(st.integers(0, len(key))), None)
    return tuple(key)


_ARRAYS = (np.ndarray, la.Array, list, tuple)
_COMMON = [(), (1,), (3,), (5,), (2, 3), (0,), (1, 2)]


@st.composite
def keys(draw: Any, shape: tuple[int, ...]) -> tuple[Any, ...]:
    """The same with arrays of indices (of any integer dtype, lists, tuples, or arrays) and masks among them."""
    rng = np.random.default_rng(draw(st.integers(0, 2**32 - 1)))
    common = draw(st.sampled_from(_COMMON))
    key: list[Any] = []
    count = draw(st.integers(0, len(shape)))
    dots = draw(st.integers(0, count))  # before the part of that number stand dots, for the dimensions without one
    hidden = len(shape) - count
    masked = False
    axis = 0
    while axis < len(shape):
        if axis == dots and hidden:
            key.append(Ellipsis)
            axis += hidden
            hidden = 0
            continue
        extent = shape[axis]
        kind = draw(st.sampled_from(["array", "array", "mask", "basic", "basic", "none"]))
        if kind == "none":
            key.append(None)
            continue
        if kind == "mask" and not masked and not any(isinstance(part, _ARRAYS) for part in key):
            depth = draw(st.integers(1, (dots if hidden and dots > axis else len(shape)) - axis))
            sides = shape[axis : axis + depth]
            if draw(st.integers(0, 4)) == 4:  # a mask may have no place in a dimension
                sides = tuple(draw(st.sampled_from([0, side])) for side in sides)
            mask = rng.random(sides) < 0.5
            key.append(draw(st.sampled_from([mask, la.asarray(mask)])))
            axis += depth
            common = (1,)  # what broadcasts with any number
            masked = True
            continue
        kept = common[draw(st.integers(0, len(common))) :]
        own = tuple(1 if draw(st.booleans()) and e > 1 else e for e in kept)
        if kind == "array" and (extent or 0 in own):
            signed = draw(st.sampled_from(["int64", "int32", "int8", "uint8", "uint64"]))
            low = 0 if signed[0] == "u" else -extent
            values = rng.integers(low, max(extent, 1), own).astype(signed)
            listed = values.tolist(), _in_tuples(values.tolist())
            key.append(draw(st.sampled_from([values, la.asarray(values), la.asarray(values) + 0, *listed])))
        else:
            key.append(draw(parts(extent)))
        axis += 1
    if key and key[-1] is Ellipsis and draw(st.booleans()):
        key.pop()
    return tuple(key)


def _in_tuples(x: Any) -> Any:
    """Lists as tuples."""
    return tuple(map(_in_tuples, x)) if isinstance(x, list) else x


def in_numpy(key: Any) -> Any:
    """The key with NumPy's arrays in place of lazyarr's; lists of indices keep being lists."""
    if isinstance(key, tuple):
        return tuple(map(in_numpy, key))
    return np.asarray(key) if isinstance(key, la.Array) else key
