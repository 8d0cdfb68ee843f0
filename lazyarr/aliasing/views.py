"""Views: arrays that show elements of another one, its base, as in NumPy. What is assigned to either is seen by both.

Expressions do not change, so a view is no window onto memory: it is an array of its own that knows by which steps its
elements are chosen from those of its base. What is assigned to a view is recorded in its base at once:

    a = la.zeros((3, 4)); row = a[1]
    row += 1        # also records a[1] = row
    a[:, 0] = 5     # row is out of date

A view that is out of date has no expression. It is made of the base's when it is asked for, so that an assignment
costs no more where there are many views, and views that nobody reads cost nothing.

NumPy decides which functions give views: slices, integers beside them, transposes, reshaping of what lies in memory
without gaps, parts of complex numbers; and which of them are read-only: diagonals, windows, what was broadcast. A base
that nobody holds lives on while a view of it is out of date, or while two or more views live, which may show the same
elements.
"""

from __future__ import annotations

from math import prod
from typing import Any
from weakref import ref

import numpy as np

from ir.core.expr import Expr
from ir.cost.thresholds.eager import EAGER_ELEMENTS_AT_MOST
from ir.cost.thresholds.partition import CHANGE_BYTES, CHANGES_RECORDED_AT_MOST
from lazyarr.aliasing.alias_groups import AliasGroup, ViewOf, lies_in_order, root_of
from lazyarr.aliasing.view_chains import fits, joined
from lazyarr.aliasing.view_steps import Chosen, Layout, Part, Shaped, Step, Viewed, chosen_from, reshaped
from lazyarr.array import Array, array_of, arrayed, box, view_of
from lazyarr.array.eager import Shared, changing, existing, noted, shared_by, snapshot_leaf, written
from lazyarr.array.lent import Lent, is_lent
from lazyarr.graph.leaves import host_memory, looks
from lazyarr.graph.recorded_calls import RecordedCall, recorded
from lazyarr.graph.tracing import Trace, recordings
from lazyarr.memory.snapshots import snapshot

__all__ = [
    "address_of", "as_view", "assigned", "become_eager", "changing", "check_writeable", "is_element_of",
    "is_writeable", "laid_out", "lies_backwards", "refreshed", "related", "replaced", "reshape_in_place", "restored",
    "row_major", "set_writeable", "stand_for", "strides_of", "view_layout", "whole_of", "written_through",
]  # fmt: skip


def _base_of(x: Array) -> Array | None:
    """The base of a view, if it lives."""
    return None if x.origin is None else x.origin.family.base()


def as_view(x: Array, made: Array | None, step: Step, before: Expr | RecordedCall, read_only: bool = False) -> Array:
    """An array that was made of another by a step, as a view of it; it is given back. Of a number it is a copy.

    Args:
        made: None: it is made here, where NumPy's view does not do
        before: what the other one stood for when it was made
    """
    if not (x.extents or read_only) and x.is_number:
        made = step.of(x) if made is None else made
        return arrayed(made) if type(step) is Chosen else made  # a copy, as in NumPy: numbers do not change
    if x.host is not None and not recordings.count:
        return view_of(x, step.on(x.host), read_only)
    if x.host is not None and x.family is None:
        shared = shared_by(x)
        shared.recorded = noted(shared.recorded, x)
    made = step.of(x) if made is None else made
    if made.value is not None:  # it was computed eagerly, but stands for what x stands for
        _ = made.standing
        made.value = made.shared = None
    origin, overlaps, base = x.origin, step.overlaps, None
    if origin is not None:
        base = origin.family.base()
        overlaps = overlaps or origin.overlaps
    if base is None or origin is None:
        base, family = x, x.family
        if family is None:
            with changing:
                family = x.family
                if family is None:
                    family = x.family = AliasGroup(x)
        steps = _from(x, family, step)
    else:
        family = origin.family
        steps = joined(family.layout, origin.steps, step)
    if overlaps:
        overlaps = any(each.overlaps for each in steps)  # still, as the chain is now
    made.origin = ViewOf(family, steps, read_only or not is_writeable(x), base if overlaps else None)
    family.add(base, made)
    # now that assignments find it: has another thread made one before?
    if x.expr is not before and x.standing is not before:
        with changing:
            family.put_out(id(made), base, made)
    return made


def _from(base: Array, family: AliasGroup, step: Step) -> tuple[Step, ...]:
    """The steps of a view of the base itself, which may have another shape by now than when its first view was made."""
    return (step,) if base.extents == family.shape else (Shaped(base.shape), step)


def is_element_of(value: Any, x: Array, step: Step) -> bool:
    """Is the value the view of an array by that step, so that assigning it there changes nothing?"""
    if type(value) is not Array or value.origin is None:
        return False
    base = _base_of(value)
    if base is None:
        return False
    if base is x:
        return value.origin.steps == _from(x, value.origin.family, step)
    if x.origin is None or base is not _base_of(x):
        return False
    return value.origin.steps == joined(value.origin.family.layout, x.origin.steps, step)


def related(x: Any, y: Array) -> bool:
    """Are both the base or views of the same array, and not the same array?"""
    if type(x) is not Array or x is y:
        return False
    if x.shared is not None and x.shared is y.shared:
        return True
    return root_of(x) is root_of(y)


def laid_out(x: Array) -> Layout:
    """A NumPy array that lies in memory as NumPy's would, beside those of the base and of its other views."""
    if x.host is not None:
        return x.host
    if _base_of(x) is not None:
        return x.origin.layout()  # type: ignore[union-attr]  # it has a base
    return np.empty(x.extents, x.dtype) if x.family is None else x.family.layout()


def view_layout(x: Array) -> Layout | None:
    """How a view lies in memory; None of an array that is none, which lies in row-major order."""
    return x.host if x.host is not None else None if x.origin is None else x.origin.layout()


def lies_backwards(x: Array) -> bool:
    """Does the first dimension vary fastest where the elements lie?"""
    layout = view_layout(x)
    if layout is None:
        return False
    flags = layout.flags
    return bool(flags.f_contiguous and not flags.c_contiguous)


def row_major(shape: tuple[int, ...], itemsize: int) -> tuple[int, ...]:
    """The bytes from one element to the next along each dimension, where they lie so."""
    return tuple([prod(shape[axis + 1 :]) * itemsize for axis in range(len(shape))])


def strides_of(x: Array) -> tuple[int, ...]:
    """The bytes from one element to the next along each dimension, of a view in the memory of its base."""
    layout = view_layout(x)
    if layout is None:
        return row_major(x.extents, x.dtype.itemsize)
    return layout.strides if layout.shape == x.extents else layout.reshape(x.extents, copy=False).strides


def address_of(layout: Layout) -> int:
    """Where the first element lies; comparable among the layouts of one base."""
    return layout.__array_interface__["data"][0]  # type: ignore[no-any-return]  # an integer


def whole_of(x: Array) -> tuple[Array, int]:
    """The furthest base of an array that lives, itself if none does, and how many bytes behind that one's first element
    its own one lies. Where the base of an eager array is gone, its memory lives: another array shows all of that.
    """
    behind = 0
    while True:
        host, origin, shared = x.host, x.origin, x.shared
        base = None
        if host is not None:
            base = None if shared is None else shared.owner()
            if base is None:
                memory = _memory_below(host)
                return (
                    (x, behind)
                    if memory is host
                    else (view_of(x, memory), behind + address_of(host) - address_of(memory))
                )
            if base is x or base.host is None:
                return x, behind
            behind += address_of(host) - address_of(base.host)
        else:
            base = _base_of(x)
            if base is None or origin is None:
                return x, behind
            behind += address_of(origin.layout()) - address_of(origin.family.layout())
        x = base


def _memory_below(host: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array of which a NumPy array shows a part, of the same dtype, itself if there is none."""
    found = host
    while type(found.base) is np.ndarray and found.base.dtype == host.dtype:
        found = found.base
    return host if found.size == host.size else found.view()


def is_writeable(x: Array) -> bool:
    """May it be assigned to? Lent memory is copied first."""
    if hasattr(x, "fixed"):
        return False
    host = x.host
    if host is None:
        return x.origin is None or not x.origin.read_only
    return host.flags.writeable or is_lent(x)


def check_writeable(x: Array) -> None:
    """`ValueError` for an array that is read-only, as NumPy's is."""
    if not is_writeable(x):
        raise ValueError("assignment destination is read-only: assign to a copy, or set the array's flags.writeable")


def set_writeable(x: Array, write: bool) -> None:
    """Let an array be assigned to, or not: also by views that are made of it from then on, not by older ones, nor by
    what it is a view of. `ValueError` for a view of what is read-only.
    """
    if x.is_number:
        return
    with changing:
        base = x.shared.owner() if x.shared is not None else _base_of(x)
        if not write:
            x.fixed = True
        elif base is not None and base is not x and not is_writeable(base):
            raise ValueError("cannot set WRITEABLE flag to True of this array: it is a view of one that is read-only")
        elif hasattr(x, "fixed"):
            del x.fixed
        if x.origin is not None:
            x.origin.read_only = not write
        if x.value is not None and not (write and is_lent(x)):  # which is copied before it is written to
            (x.value if type(x.value) is np.ndarray else x.memory()).setflags(write=write)


# --- assignments ------------------------------------------------------------------------------------------------------


def assigned(x: Array) -> None:
    """An array has come to stand for something else: so does its base, and other views are out of date."""
    origin = x.origin
    base = None if origin is None else origin.family.base()
    if base is None or origin is None:
        if x.family is not None:
            x.family.outdate(x, None)
        return
    _put_into(base, origin.family, origin.steps, x)
    origin.family.outdate(base, None if origin.overlaps else x)


def _put_into(base: Array, family: AliasGroup, steps: tuple[Step, ...], new: Array) -> None:
    """Put the elements that steps lead to into the base."""
    stages = [reshaped(base, family.shape)]
    for step in steps[:-1]:
        stages.append(step.of(stages[-1]))
    for stage, step in zip(reversed(stages), reversed(steps), strict=True):
        new = step.into(stage, new)
    stand_for(base, new)


def refreshed(x: Array) -> Expr | RecordedCall:
    """The expression of a view that was out of date, made of its base's."""
    with changing:
        found = x.expr
        if found is not None:
            return found
        if x.value is not None:
            return _slice_of_lent(x) or snapshot_leaf(x)
        origin = x.origin
        assert origin is not None
        family = origin.family
        base = family.base()
        assert base is not None  # held as long as there are such views
        found = origin.still()
        if found is None:
            shown = reshaped(base, family.shape)
            for step in origin.steps:
                shown = step.of(shown)
            found = shown.standing
        x.traced_in = base.traced_in
        if x.placed is None:
            x.placed = base.placed
        x.expr = found
        reference = family.views.get(id(x))
        if reference is not None:
            family.fresh[id(x)] = reference
        if len(family.views) < 2:
            family.let_go()
        return found


def _slice_of_lent(x: Array) -> Expr | RecordedCall | None:
    """The elements of an eager array as slices of the leaf whose memory was lent, where there are many that do not lie
    side by side; else None.
    """
    shared, part = x.shared, x.host
    lent = None if shared is None else shared.lent
    if shared is None or lent is None or lent.memory is None or lent.node is None or part is None:
        return None
    if part.size <= EAGER_ELEMENTS_AT_MOST or part.flags.c_contiguous:
        return None
    whole = lent.memory
    step = chosen_from(whole, part)
    if step is None:
        return None
    shared.leaves = noted(shared.leaves, x)
    x.expr = found = step.of(array_of(lent.node, whole.shape, x.dtype)).standing
    return found


def stand_for(x: Array, new: Array) -> None:
    """Let an array object stand for the value of another, in no view of it."""
    if x.value is not None and new.traced_in is None:
        looks_before = looks.count
        value = (new.to_numpy() if new.host is None else new.host).reshape(x.extents)
        host = x.memory()
        if host.flags.writeable:
            np.copyto(host, value)
        else:  # a base that is read-only is written to by views that are older than that
            host.setflags(write=True)
            np.copyto(host, value)
            host.setflags(write=False)
        looks.count = looks_before  # nobody has looked at the value
        written(x)
        if x.placed is None:
            x.placed = new.placed
        return
    standing = new.standing
    if new.traced_in is not None and x.traced_in is not new.traced_in:
        new.traced_in.changed.append((ref(x), x.standing, x.traced_in))
        if x.value is not None:
            x.away, x.value = x.value, None  # until `restored`
    if type(standing) is RecordedCall:
        before = x.expr
        standing.changes = 1 + x.nbytes // CHANGE_BYTES + (before.changes if type(before) is RecordedCall else 0)
        if standing.changes > CHANGES_RECORDED_AT_MOST:
            depth, standing = standing.depth, recorded(new.node)
            standing.depth = depth
    x.traced_in = new.traced_in
    x.expr = standing
    if x.placed is None:
        x.placed = new.placed


def replaced(x: Array, node: Expr) -> None:
    """Let an array stand for a value that was computed for it, in its base and views too."""
    check_writeable(x)
    with changing:
        if x.value is not None:
            np.copyto(x.memory(), host_memory(node, x.dtype).reshape(x.extents))
            written(x)
            return
        if x.origin is None and x.family is None:
            x.expr = node
            return
        if x.expr is None:
            refreshed(x)
        x.expr = node
        assigned(x)


def restored(x: Array, before: Expr | RecordedCall, traced_in: Trace | None) -> None:
    """Let an array stand again for what it stood for before a recording; a view does as soon as its base does."""
    with changing:
        if _base_of(x) is None:
            x.expr, x.traced_in = before, traced_in
            if hasattr(x, "away"):
                x.value = x.away
                del x.away
            if x.family is not None:
                x.family.outdate(x, None)


def written_through(x: Array, key: Any, value: Any) -> None:
    """`x[key] = value` of a view that shows elements more than once: to all of them goes what is assigned to one."""
    from lazyarr.aliasing.assignment import set_item  # which brings views up to date

    origin = x.origin
    assert origin is not None
    base = origin.base
    assert base is not None
    family = origin.family
    prefix = [step.overlaps for step in origin.steps].index(True)
    if any(type(step) in (Part, Viewed) for step in origin.steps[prefix:]):
        raise ValueError("setitem: cannot assign to parts of elements that are shown more than once: assign to a copy")
    stage = reshaped(base, family.shape)
    for step in origin.steps[:prefix]:
        stage = step.of(stage)
    at: Any = np.arange(stage.size).reshape(stage.shape)
    for step in origin.steps[prefix:]:
        at = step.on(at)
    parts = key if isinstance(key, tuple) else (key,)
    at = at[tuple([np.asarray(part) if isinstance(part, Array) else part for part in parts])]
    flat = reshaped(stage, (stage.size,))
    set_item(flat, at, value)
    new = reshaped(flat, stage.shape)
    if prefix:
        _put_into(base, family, origin.steps[:prefix], new)
    else:
        stand_for(base, new)
    family.outdate(base, None)


def reshape_in_place(x: Array, shape: tuple[int, ...]) -> None:
    """`x.shape = shape`.

    Raises:
        AttributeError: a view that lies so that another shape of it would be a copy.
    """
    with changing:
        if x.origin is not None:
            if not fits(x.origin.layout(), shape):
                raise AttributeError("shape: incompatible shape for in-place modification: use x.reshape(...)")
            if x.family is not None:
                x.family.layout()  # which follows from what changes now
            x.origin.steps = joined(x.origin.family.layout, x.origin.steps, Shaped(shape))
        if x.value is not None:
            value = x.value if type(x.value) is np.ndarray else x.memory()
            host = value.reshape(shape)
            if host.size and not np.may_share_memory(host, value):
                raise AttributeError("shape: incompatible shape for in-place modification: use x.reshape(...)")
            x.value, x.expr = host, None
        x.extents = shape
        box(x)


# --- eager arrays -----------------------------------------------------------------------------------------------------


def become_eager(x: Array, lent: bool = False) -> bool:
    """Let an array whose value exists, with its base and all their views, have memory that is written to in place.

    Args:
        lent: does it show the memory of what it stands for, if that lies row by row, until somebody writes to it? Else
            it has a copy.

    Returns:
        Is it eager now? Not where a value is still to be computed, or a view shows elements more than once.
    """
    with changing:
        base = root_of(x)
        if x.host is not None or base.host is not None or not lies_in_order(base):
            return x.host is not None
        value = existing(base)
        if value is None:
            return False
        family = base.family
        views = [] if family is None else [v for v in [r() for r in list(family.views.values())] if v is not None]
        for view in views:
            if view.traced_in is not None or view.placed is not None or view.origin is None or view.family is not None:
                return False
            if view.origin.overlaps and not view.origin.read_only:
                return False
        shared = Shared(base)
        value = value.reshape(base.extents)
        if lent and value.flags.c_contiguous:
            value.setflags(write=False)
            shared.lent = Lent(value, base.node)
            base.value = value.view()
            shared.lent.add(base, read_only=False)
        else:
            base.value = snapshot(value, writeable=True)
        base.shared = shared
        shared.leaves.append(ref(base))  # what it stands for holds until the next write
        base.family = base.origin = None
        for view in views:
            assert family is not None and view.origin is not None
            shown = base.value.reshape(family.shape)
            for step in view.origin.steps:
                shown = step.on(shown)
            shown = shown.reshape(view.extents)
            if view.origin.read_only:
                shown.setflags(write=False)
            read_only = view.origin.read_only
            view.value, view.shared, view.expr, view.origin = shown, shared, None, None
            box(view)
            if shared.lent is not None:
                shared.lent.add(view, read_only)
        if hasattr(base, "fixed"):
            base.value.setflags(write=False)
        return True
