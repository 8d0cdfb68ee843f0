"""Views: arrays that show elements of another one, its base, as in NumPy. What is assigned to either is seen by both.

Expressions do not change, so a view is no window onto memory: it is an array of its own that knows how its elements are
chosen from those of its base. Where one of the two is assigned to, the other comes to stand for a new expression:

    a = la.zeros((3, 4)); row = a[1]
    row += 1        # also records a[1] = row
    a[:, 0] = 5     # also records row = a[1]

NumPy decides which functions give views: slices, integers beside them, transposes, and reshaping of what lies in
memory without gaps. A view that nobody holds costs nothing, and a base that nobody holds lives on only while two or
more views of it do, which may show the same elements.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import prod
from typing import Any, Protocol
from weakref import ref

import numpy as np
from numpy.lib.array_utils import byte_bounds
from numpy.lib.stride_tricks import as_strided

from lazyarr import movement
from lazyarr.array import Array
from lazyarr.indexing import chosen
from lazyarr.keys import Key
from lazyarr.pending import note_assignment

__all__ = ["Chosen", "Family", "Layout", "Origin", "Permuted", "Reversed", "Shaped", "Step", "as_view", "is_element_of",
           "related", "spread", "stand_for"]  # fmt: skip


Layout = np.ndarray[Any, Any]


class Step(Protocol):
    """How elements are chosen from an array."""

    def of(self, x: Array) -> Array:
        """The chosen elements of an array."""

    def into(self, x: Array, new: Array) -> Array:
        """The array with others in the place of the chosen ones; of `new` only the elements and their order count."""

    def on(self, layout: Layout) -> Layout:
        """The same of a NumPy array, of which no element is read."""


@dataclass(slots=True)  # not frozen: that makes each several times as dear
class Chosen:
    """By a key without arrays of indices."""

    key: Key

    def of(self, x: Array) -> Array:
        """`x[key]`"""
        return chosen("index", x, self.key)

    def into(self, x: Array, new: Array) -> Array:
        """`x` after `x[key] = new`."""
        from lazyarr.updating import with_key

        return with_key("setitem", x, self.key, _reshaped(new, self.key.shape)) if new.size else x

    def on(self, layout: Layout) -> Layout:
        """By slices, then by the dimensions that are kept."""
        ends = [start + count * step for start, step, count in self.key.cuts]
        cuts = [slice(a, None if b < 0 else b, s) for (a, s, _), b in zip(self.key.cuts, ends, strict=True)]
        kept = [0 if axis not in self.key.kept else slice(None) for axis in range(layout.ndim)]
        new = tuple(None if axis is None else slice(None) for axis in self.key.kept)
        return layout[tuple(cuts)][tuple(kept)][new]


@dataclass(slots=True)  # not frozen: that makes each several times as dear
class Shaped:
    """All of them in their order, in another shape."""

    shape: tuple[int, ...]

    def of(self, x: Array) -> Array:
        """`reshape(x, shape)`"""
        return _reshaped(x, self.shape)

    def into(self, x: Array, new: Array) -> Array:
        """`reshape(new, x.shape)`"""
        return _reshaped(new, x.shape)

    def on(self, layout: Layout) -> Layout:
        """`reshape`, of what lies so that it needs no copy."""
        return layout.reshape(self.shape, copy=False)


@dataclass(slots=True)  # not frozen: that makes each several times as dear
class Permuted:
    """All of them, with the dimensions in another order: that of the view is dimension `axes[i]`."""

    axes: tuple[int, ...]

    def of(self, x: Array) -> Array:
        """`permute_dims(x, axes)`"""
        return movement.permute_dims(x, self.axes)

    def into(self, x: Array, new: Array) -> Array:
        """The dimensions in the old order."""
        back = tuple(int(axis) for axis in np.argsort(self.axes))
        return movement.permute_dims(_reshaped(new, tuple(x.shape[axis] for axis in self.axes)), back)

    def on(self, layout: Layout) -> Layout:
        """`transpose`"""
        return layout.transpose(self.axes)


@dataclass(slots=True)  # not frozen: that makes each several times as dear
class Reversed:
    """All of them, in the opposite order along some dimensions."""

    axes: tuple[int, ...]

    def of(self, x: Array) -> Array:
        """`flip(x, axes)`"""
        return movement.flip(x, self.axes)

    def into(self, x: Array, new: Array) -> Array:
        """The same again."""
        return movement.flip(_reshaped(new, x.shape), self.axes)

    def on(self, layout: Layout) -> Layout:
        """`flip`"""
        return np.flip(layout, self.axes)


def _reshaped(x: Array, shape: tuple[int, ...]) -> Array:
    return Array(x.node, shape, x.dtype, x.device, x.trace)


# --- who shows whose elements -----------------------------------------------------------------------------------------


class _Shown(ref[Array]):
    """A view, not kept alive, and its identity."""

    __slots__ = ("number",)
    number: int


class Family:
    """A base and the views of it.

    base : the array; views : weak references to the views, by their identity. shape : the base's, when the first view
        was made. held : the base, while two or more views live. memory : where layouts of them lie
    """

    __slots__ = ("__weakref__", "base", "forget", "held", "memory", "shape", "views")

    def __init__(self, base: Array) -> None:
        self.base = ref(base)
        self.forget = _Forget(self)
        self.shape = base.shape
        self.memory = np.empty(0, np.int8)
        self.views: dict[int, _Shown] = {}
        self.held: Array | None = None

    def add(self, base: Array, view: Array) -> None:
        """Take in a view."""
        views = self.views
        shown = _Shown(view, self.forget)
        shown.number = id(view)
        views[shown.number] = shown
        if len(views) > 1:
            self.held = base


class _Forget:
    """What happens when a view dies; it keeps nothing alive."""

    __slots__ = ("family",)

    def __init__(self, family: Family) -> None:
        self.family = ref(family)

    def __call__(self, gone: _Shown) -> None:
        family = self.family()
        if family is not None:
            family.views.pop(gone.number, None)
            if len(family.views) < 2:
                base, family.held = family.held, None
                if len(family.views) > 1:  # another thread has made one meanwhile
                    family.held = base


class Origin:
    """Where the elements of a view come from: the family, and the steps from its base."""

    __slots__ = ("_bounds", "family", "steps")

    def __init__(self, family: Family, steps: tuple[Step, ...]) -> None:
        self.family = family
        self.steps = steps
        self._bounds: tuple[int, int] | None = None

    def is_apart(self, other: Origin) -> bool:
        """Does one end where the other begins, or before, so that no element is in both?"""
        (a, b), (c, d) = self.bounds(), other.bounds()
        return b <= c or d <= a

    def bounds(self) -> tuple[int, int]:
        """From where to where the elements would lie."""
        if self._bounds is None:
            self._bounds = byte_bounds(self.layout())
        return self._bounds

    def layout(self) -> Layout:
        """A NumPy array that lies in memory as NumPy's view would. There is no memory: it is not to be read."""
        made = as_strided(self.family.memory, self.family.shape, _strides(self.family.shape))
        for step in self.steps:
            made = step.on(made)
        return made


def _strides(shape: tuple[int, ...]) -> tuple[int, ...]:
    return tuple(prod(shape[axis + 1 :]) for axis in range(len(shape)))


def _base_of(x: Array) -> Array | None:
    """The base of a view, if it lives."""
    return None if x.origin is None else x.origin.family.base()


def as_view(x: Array, made: Array, step: Step) -> Array:
    """An array that was made of another by a step, as a view of it; it is given back."""
    origin = x.origin
    base = None if origin is None else origin.family.base()
    if origin is None or base is None:
        family = x.family
        if family is None:
            family = x.family = Family(x)
        made.origin = Origin(family, _from(x, family, step))
        family.add(x, made)
    else:
        made.origin = Origin(origin.family, (*origin.steps, step))
        origin.family.add(base, made)
    return made


def _from(base: Array, family: Family, step: Step) -> tuple[Step, ...]:
    """The steps of a view of the base itself, which may have another shape by now than when its first view was made."""
    return (step,) if base.shape == family.shape else (Shaped(base.shape), step)


def is_element_of(value: Any, x: Array, step: Step) -> bool:
    """Is the value the view of an array by that step, so that assigning it there changes nothing?"""
    if type(value) is not Array or value.origin is None or value.origin.steps[-1] != step:
        return False
    base = _base_of(value)
    if base is None:
        return False
    if base is x:
        return value.origin.steps == _from(x, value.origin.family, step)
    return x.origin is not None and base is _base_of(x) and x.origin.steps == value.origin.steps[:-1]


def related(x: Any, y: Array) -> bool:
    """Are both the base or views of the same array, and not the same array?"""
    if type(x) is not Array or x is y:
        return False
    bases = [each if (base := _base_of(each)) is None else base for each in (x, y)]
    return bases[0] is bases[1]


def spread(x: Array) -> None:
    """Let the base of an array that was changed, and the other views of that, show the change."""
    base, family = x, x.family
    if x.origin is not None and (found := _base_of(x)) is not None:
        base, family = found, x.origin.family
        stages = [_reshaped(base, family.shape)]
        for step in x.origin.steps[:-1]:
            stages.append(step.of(stages[-1]))
        new = x
        for stage, step in zip(reversed(stages), reversed(x.origin.steps), strict=True):
            new = step.into(stage, new)
        before = base.node
        stand_for(base, new)
        note_assignment(base, before)
    if family is None:
        return
    for each in list(family.views.values()):
        view = each()
        if view is None or view is x or view.origin is None:
            continue
        if base is not x and x.origin is not None and view.origin.is_apart(x.origin):
            continue
        shown = _reshaped(base, family.shape)
        for step in view.origin.steps:
            shown = step.of(shown)
        stand_for(view, shown)


def stand_for(x: Array, new: Array) -> None:
    """Let an array object stand for the value of another, in no view of it."""
    if new.trace is not None and x.trace is None:
        new.trace.changed.append((ref(x), x.node))
    x.node, x.trace = new.node, new.trace
    if x.device is None:
        x.device = new.device
