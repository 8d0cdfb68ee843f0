"""Chains of the steps that lead from a base to a view, kept short however many views of views a program makes."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from ir.cost.thresholds.partition import VIEW_STEPS_AT_MOST
from lazyarr.aliasing.view_steps import Chosen, Layout, Part, Shaped, Step, Strided, Viewed, whole
from lazyarr.recording.keys import Key

__all__ = ["fits", "joined"]


def fits(layout: Layout, shape: tuple[int, ...]) -> bool:
    """Does what lies so show its elements in another shape without a copy?"""
    try:
        layout.reshape(shape, copy=False)
    except ValueError:
        return False
    return True


def joined(layout: Callable[[], Layout], steps: tuple[Step, ...], step: Step) -> tuple[Step, ...]:
    """Steps and one more, in a chain of few.

    Args:
        layout: where the elements lie that the first step is applied to
    """
    steps = (*steps, step)
    if len(steps) <= VIEW_STEPS_AT_MOST:
        return steps
    found: list[Step] = []
    at = layout()
    begin, stage = 0, at  # behind the last step to parts of elements, and what lies there
    for each in steps:
        extents = at.shape
        at = each.on(at)
        if type(each) is Shaped and (as_key := _units(extents, each.shape)) is not None:
            each = as_key
        last = found[-1] if len(found) > begin else None
        together: Step | None = None
        if type(each) is Chosen and type(last) is Chosen:
            together = _composed(last.key, each.key)
        elif type(each) is Shaped and type(last) is Shaped:
            together = each
        if together is not None:
            found[-1] = together
        else:
            found.append(each)
        if type(each) in (Part, Viewed):
            begin, stage = len(found), at
    if len(found) - begin <= VIEW_STEPS_AT_MOST // 2 or not stage.flags.c_contiguous:
        return tuple(found)
    counted = np.arange(stage.size).reshape(stage.shape)
    for each in found[begin:]:
        counted = each.on(counted)
    return (*found[:begin], *_by_strides(stage.size, counted))


def _units(before: tuple[int, ...], after: tuple[int, ...]) -> Chosen | None:
    """The step from one shape to another that differs in dimensions of extent one alone, as a key."""
    axes = [axis for axis, extent in enumerate(before) if extent != 1]
    if [before[axis] for axis in axes] != [extent for extent in after if extent != 1]:
        return None
    rest = iter(axes)
    return Chosen(Key(whole(before), tuple([None if extent == 1 else next(rest) for extent in after])))


def _composed(first: Key, second: Key) -> Chosen | None:
    """What the second key chooses of what the first one does; None where one is left of a new dimension or none is."""
    cuts = list(first.cuts)
    for axis, (start, step, count) in zip(first.kept, second.cuts, strict=True):
        if axis is None:
            if count != 1:
                return None
            continue
        a, s, _ = cuts[axis]
        cuts[axis] = (a + s * start, s * step, count) if count > 1 else (a + s * start if count else 0, 1, count)
    return Chosen(Key(tuple(cuts), tuple([None if axis is None else first.kept[axis] for axis in second.kept])))


def _by_strides(size: int, counted: Layout) -> tuple[Step, ...]:
    """The steps to elements of an array in row-major order whose positions a NumPy array holds, as a view of theirs."""
    strides = tuple(stride // counted.itemsize for stride in counted.strides)
    if not counted.size:
        return (Strided(0, counted.shape, (0,) * counted.ndim),)
    flat = counted.reshape(-1)
    start, count = int(flat[0]), flat.size
    step = int(flat[1]) - start if count > 1 else 1
    if (np.diff(flat) == step).all():
        return Shaped((size,)), Chosen(Key(((start, step, count),), (0,))), Shaped(counted.shape)
    return (Strided(start, counted.shape, strides),)
