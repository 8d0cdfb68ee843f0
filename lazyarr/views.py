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
from threading import RLock
from typing import Any
from weakref import KeyedRef, ref

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.lib.stride_tricks import as_strided

from ir.core.expr import Expr
from lazyarr.array import Array
from lazyarr.inputs import inputs_of
from lazyarr.pending import note_assignment
from lazyarr.view_steps import Layout, Part, Shaped, Step, Viewed, fits, joined, reshaped

__all__ = ["Family", "Origin", "as_view", "assigned", "changing", "check_writeable", "is_element_of", "laid_out",
           "refreshed", "related", "replaced", "reshape_in_place", "restored", "stand_for",
           "written_through"]  # fmt: skip

changing = RLock()
"""Held while an array and its relatives come to stand for something else: threads may write different elements."""

_REMEMBERED = 8
"""Assignments to views that are remembered, for views that have a value and were not met by them."""

_DEEPEST = 8
"""Bases, each a view of one that died, whose layouts are not asked for yet."""


class Family:
    """A base and the views of it.

    base : the array. views : weak references to the views, by their identity; fresh : to those that are not out of date
    shape, dtype : the base's, when the first view was made. held : the base, while a view needs it (`views` above)
    version : how many assignments there were; writes : which of them were to views, and to the elements between which
    bounds, as far as a view that is out of date has kept a value. traced : the recording that views which were out of
    date were last said to belong to
    """

    __slots__ = ("__weakref__", "_depth", "_layout", "_under", "base", "dtype", "forget", "fresh", "held", "keeping",
                 "shape", "traced", "version", "views", "writes")  # fmt: skip

    def __init__(self, base: Array) -> None:
        self.base = ref(base)
        self.forget = _Forget(self)
        self.shape, self.dtype = base.extents, base.dtype
        self.views: dict[int, KeyedRef[int, Array]] = {}
        self.fresh: dict[int, KeyedRef[int, Array]] = {}
        self.held: Array | None = None
        self.version = 0
        self.keeping = False
        self.traced = base.trace
        self.writes: tuple[tuple[int, tuple[int, int]], ...] = ()
        self._layout: Layout | None = None
        self._under = base.origin
        self._depth = 0
        if base.origin is not None:
            self._depth = base.origin.family._depth + 1
            if self._depth > _DEEPEST:
                self.layout()

    def layout(self) -> Layout:
        """A NumPy array that lies in memory as NumPy's base would. There is no memory: it is not to be read."""
        if self._layout is None:
            if self._under is None:
                empty = np.empty(0, self.dtype)
                strides = [prod(self.shape[axis + 1 :]) * empty.itemsize for axis in range(len(self.shape))]
                self._layout = as_strided(empty, self.shape, strides)
            else:
                self._layout = self._under.layout()
                self._under = None
            self._depth = 0
        return self._layout

    def add(self, base: Array, view: Array) -> None:
        """Take in a view."""
        views = self.views
        views[id(view)] = self.fresh[id(view)] = KeyedRef(view, self.forget, id(view))
        if len(views) > 1:
            self.held = base

    def outdate(self, base: Array, by: Array | None) -> None:
        """All views are out of date, save one by which the base was assigned to. Each becomes so once, however many
        assignments follow before it is read.
        """
        self.version += 1
        written = None if by is None else by.origin
        if self.keeping:
            if written is None:
                self.keeping = False
            else:
                self.writes = (*self.writes[1 - _REMEMBERED :], (self.version, written.bounds()))
        while fresh := [reference for reference in list(self.fresh.values()) if reference() is not by]:
            for reference in fresh:  # then those that other threads have made meanwhile of some of them
                view = reference()
                if view is None or view.origin is None:
                    self.fresh.pop(reference.key, None)
                    continue
                node = view.expr
                if written is not None and node is not None and inputs_of(node):
                    view.origin.kept = self.version - 1, node
                    if not self.keeping:
                        self.keeping = True
                        self.writes = ((self.version, written.bounds()),)
                self.put_out(reference.key, base, view)
        if base.trace is not self.traced:
            self.traced = base.trace
            for reference in list(self.views.values()):
                view = reference()
                if view is not None and view.expr is None:
                    view.trace = base.trace

    def put_out(self, number: int, base: Array, view: Array) -> None:
        """A view is out of date."""
        self.fresh.pop(number, None)
        view.expr = None
        view.trace = base.trace
        self.held = base

    def let_go(self) -> None:
        """Let the base die with its last user, unless a view needs it."""
        if len(self.views) < 2:
            base, self.held = self.held, None
            if len(self.views) > 1 or len(self.fresh) < len(self.views):  # another thread has made one meanwhile
                self.held = base


class _Forget:
    """What happens when a view dies; it keeps nothing alive."""

    __slots__ = ("family",)

    def __init__(self, family: Family) -> None:
        self.family = ref(family)

    def __call__(self, gone: KeyedRef[int, Array]) -> None:
        family = self.family()
        if family is not None:
            if family.views.get(gone.key) is gone:
                del family.views[gone.key]
                family.fresh.pop(gone.key, None)
            if len(family.views) < 2:
                family.let_go()


class Origin:
    """Where the elements of a view come from: the family, and the steps from its base.

    read_only : may the view not be assigned to? overlaps : may it show an element more than once? Then it holds its
    base. kept : its value and the family's version, when it was put out of date by an assignment to another view
    """

    __slots__ = ("_bounds", "base", "family", "kept", "overlaps", "read_only", "steps")

    def __init__(self, family: Family, steps: tuple[Step, ...], read_only: bool, overlaps: Array | None) -> None:
        self.family = family
        self.steps = steps
        self.read_only = read_only
        self.overlaps = overlaps is not None
        self.base = overlaps
        self.kept: tuple[int, Expr] | None = None
        self._bounds: tuple[int, int] | None = None

    def bounds(self) -> tuple[int, int]:
        """From where to where the elements would lie."""
        if self._bounds is None:
            self._bounds = byte_bounds(self.layout())
        return self._bounds

    def layout(self) -> Layout:
        """A NumPy array that lies in memory as NumPy's view would; it is not to be read."""
        made = self.family.layout()
        for step in self.steps:
            made = step.on(made)
        return made

    def still(self) -> Expr | None:
        """The value that was kept, if all that was assigned since ends before it begins, or the other way round."""
        kept, self.kept = self.kept, None
        family = self.family
        if kept is None or not family.keeping:
            return None
        version, node = kept
        since = [bounds for number, bounds in family.writes if number > version]
        if len(since) < family.version - version:
            return None
        begin, end = self.bounds()
        return node if all(b <= begin or end <= a for a, b in since) else None


def _base_of(x: Array) -> Array | None:
    """The base of a view, if it lives."""
    return None if x.origin is None else x.origin.family.base()


def as_view(x: Array, made: Array, step: Step, before: Expr, read_only: bool = False) -> Array:
    """An array that was made of another by a step, as a view of it; it is given back.

    before : what the other one stood for when it was made
    """
    origin = x.origin
    overlaps = step.overlaps
    base = None
    if origin is not None:
        base = origin.family.base()
        read_only, overlaps = read_only or origin.read_only, overlaps or origin.overlaps
    if base is None or origin is None:
        base, family = x, x.family
        if family is None:
            with changing:
                family = x.family
                if family is None:
                    family = x.family = Family(x)
        steps = _from(x, family, step)
    else:
        family = origin.family
        steps = joined(family.layout, origin.steps, step)
    made.origin = Origin(family, steps, read_only, base if overlaps else None)
    family.add(base, made)
    # now that assignments find it: has another thread made one before?
    if x.expr is not before and x.node is not before:
        with changing:
            family.put_out(id(made), base, made)
    return made


def _from(base: Array, family: Family, step: Step) -> tuple[Step, ...]:
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
    bases = [each if (base := _base_of(each)) is None else base for each in (x, y)]
    return bases[0] is bases[1]


def laid_out(x: Array) -> Layout:
    """A NumPy array that lies in memory as NumPy's would, beside those of the base and of its other views."""
    if _base_of(x) is not None:
        return x.origin.layout()  # type: ignore[union-attr]  # it has a base
    return np.empty(x.extents, x.dtype) if x.family is None else x.family.layout()


def check_writeable(x: Array) -> None:
    """`ValueError` for a view that is read-only, as NumPy's is."""
    if x.origin is not None and x.origin.read_only:
        raise ValueError("assignment destination is read-only: it shows elements of another array; assign to a copy")


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


def _put_into(base: Array, family: Family, steps: tuple[Step, ...], new: Array) -> None:
    """Put the elements that steps lead to into the base."""
    stages = [reshaped(base, family.shape)]
    for step in steps[:-1]:
        stages.append(step.of(stages[-1]))
    part, before = new.node, base.node
    for stage, step in zip(reversed(stages), reversed(steps), strict=True):
        new = step.into(stage, new)
    stand_for(base, new)
    note_assignment(base, before, part)


def refreshed(x: Array) -> Expr:
    """The expression of a view that was out of date, made of its base's."""
    with changing:
        found = x.expr
        if found is not None:
            return found
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
            found = shown.node
        x.trace = base.trace
        if x.device is None:
            x.device = base.device
        x.expr = found
        reference = family.views.get(id(x))
        if reference is not None:
            family.fresh[id(x)] = reference
        if len(family.views) < 2:
            family.let_go()
        return found


def stand_for(x: Array, new: Array) -> None:
    """Let an array object stand for the value of another, in no view of it."""
    node = new.node
    if new.trace is not None and x.trace is None:
        new.trace.changed.append((ref(x), x.node))
    x.trace = new.trace
    x.expr = node
    if x.device is None:
        x.device = new.device


def replaced(x: Array, node: Expr) -> None:
    """Let an array stand for a value that was computed for it, in its base and views too."""
    check_writeable(x)
    with changing:
        if x.origin is None and x.family is None:
            x.expr = node
            return
        if x.expr is None:
            refreshed(x)
        x.expr = node
        assigned(x)


def restored(x: Array, before: Expr) -> None:
    """Let an array stand again for what it stood for before a recording; a view does as soon as its base does."""
    with changing:
        if _base_of(x) is None:
            x.expr, x.trace = before, None
            if x.family is not None:
                x.family.outdate(x, None)


def written_through(x: Array, key: Any, value: Any) -> None:
    """`x[key] = value` of a view that shows elements more than once: to all of them goes what is assigned to one."""
    from lazyarr.updating import set_item

    origin = x.origin
    assert origin is not None
    base = origin.base
    assert base is not None
    family = origin.family
    prefix = next(i for i, step in enumerate(origin.steps) if step.overlaps)
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
        before = base.node
        stand_for(base, new)
        note_assignment(base, before)
    family.outdate(base, None)


def reshape_in_place(x: Array, shape: tuple[int, ...]) -> None:
    """`x.shape = shape`. Raises `AttributeError` for a view that lies so that another shape of it would be a copy."""
    with changing:
        if x.origin is not None:
            if not fits(x.origin.layout(), shape):
                raise AttributeError("shape: incompatible shape for in-place modification: use x.reshape(...)")
            if x.family is not None:
                x.family.layout()  # which follows from what changes now
            x.origin.steps = joined(x.origin.family.layout, x.origin.steps, Shaped(shape))
        x.extents = shape
