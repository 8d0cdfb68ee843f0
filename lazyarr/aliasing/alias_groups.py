"""Alias groups: a base and its views, weakly, and which of them are out of date. `lazyarr.aliasing.views` says what
that means.
"""

from __future__ import annotations

from math import prod
from weakref import KeyedRef, ref

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.lib.stride_tricks import as_strided

from ir.core.expr import Expr
from ir.cost.thresholds.partition import UNKNOWN_LAYOUTS_AT_MOST
from lazyarr.aliasing.view_steps import Layout, Step
from lazyarr.array import Array
from lazyarr.graph.leaves import inputs_of
from lazyarr.graph.recorded_calls import RecordedCall

__all__ = ["AliasGroup", "ViewOf", "lies_in_order", "root_of"]

_REMEMBERED = 8
"""Assignments to views that are remembered, for views that have a value and were not met by them."""


class AliasGroup:
    """A base and the views of it.

    Attributes:
        base: the array
        views: weak references to the views, by their identity
        fresh: weak references to those of them that are not out of date
        shape, dtype: the base's, when the first view was made
        held: the base, while a view needs it (`views` above)
        version: how many assignments there were
        writes: which of them were to views, and to the elements between which bounds, as far as a view that is out of
            date has kept a value
        keepers: where those are, the oldest first.
        traced: the recording that views which were out of date were last said to belong to
    """

    __slots__ = ("__weakref__", "_depth", "_layout", "_under", "base", "dtype", "forget", "fresh", "held", "keepers",
                 "keeping", "shape", "traced", "version", "views", "writes")  # fmt: skip

    def __init__(self, base: Array) -> None:
        self.base = ref(base)
        self.forget = _Forget(self)
        self.shape, self.dtype = base.extents, base.dtype
        self.views: dict[int, KeyedRef[int, Array]] = {}
        self.fresh: dict[int, KeyedRef[int, Array]] = {}
        self.held: Array | None = None
        self.version = 0
        self.keeping = False
        self.keepers: list[ViewOf] = []
        self.traced = base.traced_in
        self.writes: tuple[tuple[int, tuple[int, int]], ...] = ()
        self._layout: Layout | None = None
        self._under = base.origin
        self._depth = 0
        if base.origin is not None:
            self._depth = base.origin.family._depth + 1
            if self._depth > UNKNOWN_LAYOUTS_AT_MOST:
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
        views, number = self.views, id(view)
        views[number] = self.fresh[number] = KeyedRef(view, self.forget, number)
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
                for origin in self.keepers:
                    origin.kept = None
                self.keepers = []
            else:
                self._drop_old()
                self.writes = (*self.writes[1 - _REMEMBERED :], (self.version, written.bounds()))
        while fresh := [reference for reference in list(self.fresh.values()) if reference() is not by]:
            for reference in fresh:  # then those that other threads have made meanwhile of some of them
                view = reference()
                if view is None or view.origin is None:
                    if self.fresh.get(reference.key) is reference:  # else a new view lies where that one did
                        self.fresh.pop(reference.key, None)
                    continue
                standing = view.expr
                node = standing.made if isinstance(standing, RecordedCall) else standing
                if written is not None and node is not None and inputs_of(node):
                    view.origin.kept = self.version - 1, node
                    self.keepers.append(view.origin)
                    if not self.keeping:
                        self.keeping = True
                        self.writes = ((self.version, written.bounds()),)
                self.put_out(reference.key, base, view)
        if base.traced_in is not self.traced:
            self.traced = base.traced_in
            for reference in list(self.views.values()):
                view = reference()
                if view is not None and view.expr is None:
                    view.traced_in = base.traced_in

    def _drop_old(self) -> None:
        """Forget the values kept since before the assignments that are remembered."""
        done = 0
        for origin in self.keepers:
            if origin.kept is not None and origin.kept[0] > self.version - 1 - _REMEMBERED:
                break
            origin.kept = None
            done += 1
        del self.keepers[:done]

    def put_out(self, number: int, base: Array, view: Array) -> None:
        """A view is out of date."""
        self.fresh.pop(number, None)
        view.expr = None
        view.traced_in = base.traced_in
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

    def __init__(self, family: AliasGroup) -> None:
        self.family = ref(family)

    def __call__(self, gone: KeyedRef[int, Array]) -> None:
        family = self.family()
        if family is not None:
            if family.views.get(gone.key) is gone:
                del family.views[gone.key]
                family.fresh.pop(gone.key, None)
            if family.held is not None and len(family.views) < 2:
                family.let_go()


class ViewOf:
    """Where the elements of a view come from: the family, and the steps from its base.

    Attributes:
        read_only: may the view not be assigned to?
        base: held by a view that may show an element more than once.
        kept: its value and the family's version, when it was put out of date by an assignment to another view
    """

    __slots__ = ("_bounds", "base", "family", "kept", "read_only", "steps")

    def __init__(self, family: AliasGroup, steps: tuple[Step, ...], read_only: bool, base: Array | None) -> None:
        self.family = family
        self.steps = steps
        self.read_only = read_only
        self.base = base
        self.kept: tuple[int, Expr] | None = None
        self._bounds: tuple[int, int] | None = None

    @property
    def overlaps(self) -> bool:
        """May the view show an element more than once?"""
        return self.base is not None

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


def root_of(x: Array) -> Array:
    """The base of a view, if it lives; any other array itself."""
    base = None if x.origin is None else x.origin.family.base()
    return x if base is None else base


def lies_in_order(x: Array) -> bool:
    """Do the elements of an array lie, and may they be written to, as those of one that is no view? So they do where
    its base is dead, and the steps from there leave them in row-major order.
    """
    origin = x.origin
    return origin is None or (root_of(x) is x and not origin.read_only and origin.layout().flags.c_contiguous)
