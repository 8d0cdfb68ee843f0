"""What a function could read from outside: a walk over it, by the names in its code.

Starting at the function and at the objects among its arguments, everything that its code could name is visited: global
names, closures, defaults, and of objects, classes and modules those attributes whose names occur in the code of the
functions that are met, which are visited themselves.
"""

from __future__ import annotations

from array import array
from collections import deque
from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from importlib.util import resolve_name
from marshal import dumps
from operator import attrgetter, itemgetter, methodcaller
from types import FunctionType, GetSetDescriptorType, MemberDescriptorType, ModuleType
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from lazyarr.graph import guards
from lazyarr.graph.attributes import NOTHING, PLAIN, dict_of, slots
from lazyarr.graph.code_names import names_in
from lazyarr.graph.guards import Check, Guards, Look, Step
from lazyarr.graph.packages import Packages, package_of
from lazyarr.graph.read_places import LOOKS, PARTS, has_attributes, named_in, not_in, places_in, unnamed_in

__all__ = ["Visit", "guards_of"]

MOST = 4096
"""Places beyond which nothing more is visited. A container of numbers and texts alone is one place."""

_BUFFERS = (array, bytearray, memoryview, np.void)
"""Containers of numbers alone."""

_DATA = PLAIN | {dict, frozenset, list, set, tuple}


def guards_of(roots: Sequence[Any]) -> Callable[[], Guards]:
    """Look at what functions and objects can read; to be called before a function runs. Returns what looks again after
    it, and gives the guards: without what the function itself has changed meanwhile, but for arrays that it put there.
    """
    roads: dict[Any, int] = {}
    visit = _visited(roots)
    before = dict(zip(visit.roads(roads), visit.places(), strict=True))

    def after() -> Guards:
        visit = _visited(roots)
        return Guards(visit.kept([before.get(road) for road in visit.roads(roads)]))

    return after


class _Before(NamedTuple):
    """A place before a function ran, and what was in a list or dict of numbers and texts there."""

    step: Step
    items: dict[Any, Any]


def _visited(roots: Sequence[Any]) -> Visit:
    visit = Visit(roots, reads_all=False)
    if not visit.run():
        visit = Visit(roots, reads_all=True)
        visit.run()
    return visit


class Visit:
    """A walk over what can be read from the roots.

    Attributes:
        reads_all: may code read attributes that it does not name?
        packages: those whose functions, classes and modules are visited
        read, assigned: the names in the code that was met
    """

    def __init__(self, roots: Sequence[Any], reads_all: bool) -> None:
        self.roots = roots
        self.reads_all = reads_all
        self.steps: list[Step] = []
        self.values: list[Any] = [*roots]
        self.read: set[str] = set()
        self.assigned: set[str] = set()
        self._opaque = False
        homes = [x.__module__ if isinstance(x, FunctionType) else type(x).__module__ for x in roots]
        self.packages = Packages(homes)
        self._known = {id(x): i for i, x in enumerate(roots)}
        self._pending: deque[int] = deque(range(len(roots)))
        self._holders: list[int] = []  # what has attributes
        self._absent: dict[Any, frozenset[str]] = {}

    def run(self) -> bool:
        """Visit everything; False where more of it may be read than was thought, and it is to be done again."""
        read: frozenset[str] = frozenset()
        assigned: frozenset[str] = frozenset()
        modules: deque[int] = deque()
        while True:
            while self._pending and len(self.steps) < MOST:
                number = self._pending.popleft()
                value = self.values[number]
                self._add_all(number, places_in(self, value))
                if has_attributes(self, value):
                    self._add_all(number, named_in(self, value, read, assigned))
                    self._holders.append(number)
                    if issubclass(type(value), ModuleType):
                        modules.append(number)
                if self._opaque and not self.reads_all:
                    return False
            new, newly_assigned = self.read - read, self.assigned - assigned
            read, assigned = frozenset(self.read), frozenset(self.assigned)
            if new or newly_assigned:
                for number in self._holders:
                    self._add_all(number, named_in(self, self.values[number], new, newly_assigned))
            elif self.reads_all and modules:  # last, because it may be much
                number = modules.popleft()
                self._add_all(number, unnamed_in(self, self.values[number]))
            else:
                break
        for number in self._holders:
            self._add_all(number, not_in(self, self.values[number]))
        return True

    def _add_all(self, parent: int, places: Iterable[tuple[Look, Any]]) -> None:
        for look, key in places:
            if len(self.steps) >= MOST:
                break
            self._add(parent, look, key)

    def _add(self, parent: int, look: Look, key: Any) -> None:
        try:
            value = look(self.values[parent], key)
        except (LookupError, AttributeError, TypeError, ValueError):
            return
        if issubclass(type(value), ModuleType) and not self.packages.enters(vars(value).get("__name__")):
            return
        number = len(self.values)
        check, expected, opened = self._expectation(value)
        self.steps.append(Step(parent, look, key, check, expected))
        self.values.append(value)
        if opened:
            self._known[id(value)] = number
            self._pending.append(number)

    def _expectation(self, value: Any) -> tuple[Check, Any, bool]:
        """How a value is compared, with what, and whether it is entered."""
        kind = type(value)
        if kind in _BUFFERS:
            return guards.same_data, (kind, dumps(value, 2)), False
        if kind in PLAIN or issubclass(kind, np.generic):
            return guards.same_value, value, False
        if value is NOTHING:
            return guards.identical, value, False
        known = self._known.get(id(value))
        if known is not None and self.values[known] is value:
            return guards.same_as, known, False
        if issubclass(kind, (list, tuple, dict, set, frozenset, deque)):
            data = _data(value) if kind in _DATA else None
            if data is not None:
                return guards.same_data, (kind, data), False
            return guards.same_shape, (kind, guards.length(value)), True
        self._opaque = self._opaque or kind in (attrgetter, methodcaller)
        try:
            return guards.same_object, ref(value), True
        except TypeError:  # it cannot be known weakly
            opened = self.opens(value) or kind in PARTS or kind in LOOKS
            weak = opened or kind in (GetSetDescriptorType, MemberDescriptorType)  # these hold their classes
            return (guards.same_identity, (kind, id(value)), opened) if weak else (guards.identical, value, False)

    def opens(self, x: Any) -> bool:
        """Has an object attributes, or a class whose functions are visited?"""
        kind = type(x)
        return dict_of(x) is not None or next(slots(kind), None) is not None or self.packages.enters(kind.__module__)

    def classes(self, kind: type) -> list[type]:
        """A class and its bases, as far as these are visited."""
        return [each for each in kind.__mro__ if self.packages.enters(each.__module__)]

    def meet(self, f: FunctionType) -> Sequence[Any]:
        """Note which names the code of a function has. Returns the places that it reads as global names, or imports."""
        names = names_in(f.__code__)
        self.read |= names.read
        self.assigned |= names.assigned
        self._opaque = self._opaque or names.opaque
        found: list[tuple[Look, Any]] = [
            (guards.global_name, name) for name in sorted(names.globals) if name in f.__globals__
        ]
        for level, name in sorted(names.imported):
            try:
                full = resolve_name("." * level + name, f.__globals__.get("__package__") or "") if level else name
            except ImportError:
                continue
            found += [
                (guards.imported, each)
                for each in dict.fromkeys((package_of(full), full))
                if self.packages.enters(each)
            ]
        return found

    def absent(self, there: Iterable[str], others: Iterable[str] = ()) -> frozenset[str]:
        """The names in the code that was met, and others, that are not there."""
        key = (frozenset(there), frozenset(others))
        found = self._absent.get(key)
        if found is None:
            found = self._absent[key] = _the_same(frozenset(self.read).union(key[1]) - key[0])
        return found

    def roads(self, numbers: dict[Any, int]) -> list[int]:
        """For each step a number that says by which looks it is reached from a root.

        Args:
            numbers: of all roads so far; grows
        """
        found = [-i for i in range(1, len(self.roots) + 1)]
        for step in self.steps:
            found.append(numbers.setdefault((found[step.parent], step.look, type(step.key), step.key), len(numbers)))
        return found[len(self.roots) :]

    def places(self) -> list[_Before]:
        """What is at each place."""
        values = self.values[len(self.roots) :]
        return [_Before(step, _items_of(step, value)) for step, value in zip(self.steps, values, strict=True)]

    def kept(self, before: Sequence[_Before | None]) -> list[Step]:
        """The steps without what the function has changed itself: numbers and texts that were others before, and how
        much is in a container; what is in it counts.

        Args:
            before: what was at each of these places before the function ran
        """
        count = len(self.roots)
        moved = {i: i for i in range(count)}
        found: list[Step] = []
        filled: set[int] = set()
        for number, (step, earlier) in enumerate(zip(self.steps, before, strict=True), count):
            if step.parent not in moved or (step.check is guards.same_as and step.expected not in moved):
                continue
            value = self.values[number]
            unchanged: list[Any] = []
            if step.parent in filled and step.look in (guards.keys, guards.values):
                step = step._replace(check=guards.same_kind, expected=tuple)
            elif earlier is not None and not self._as_before(value, step, earlier.step):
                was_nothing = earlier.step.expected is None or earlier.step.expected is NOTHING
                if step.check is guards.same_value and not was_nothing:
                    continue
                if step.check in (guards.same_data, guards.same_shape):
                    unchanged = _unchanged(_items_of(step, value), earlier.items)
                    step = step._replace(check=guards.same_kind, expected=type(value))
                    filled.add(number)
            place = moved[number] = count + len(found)
            expected = moved[step.expected] if step.check is guards.same_as else step.expected
            found.append(step._replace(parent=moved[step.parent], expected=expected))
            if unchanged:
                take = itemgetter(*unchanged)
                taken = take(value)
                found.append(Step(place, guards.taken, take, guards.same_data, (type(taken), dumps(taken, 2))))
        return found

    def _as_before(self, value: Any, step: Step, earlier: Step) -> bool:
        if step.check is not earlier.check:
            return False
        if step.check is guards.same_as:
            return True  # the place that it is compared with is looked at itself
        return value is earlier.expected or earlier.check(value, earlier.expected, self.values)


@lru_cache(maxsize=1024)
def _the_same(names: frozenset[str]) -> frozenset[str]:
    """The set of these names that recordings share."""
    return names


def _items_of(step: Step, x: Any) -> dict[Any, Any]:
    """The items of a list or dict of numbers and texts as they are now, containers as bytes; none of anything else."""
    if step.check is not guards.same_data or type(x) not in (dict, list):
        return {}
    items = x.items() if type(x) is dict else enumerate(x)
    return {key: value if type(value) in PLAIN else (dumps(value, 2),) for key, value in items}


def _unchanged(now: dict[Any, Any], then: dict[Any, Any]) -> list[Any]:
    """The keys, or numbers, of items that are in both alike."""
    return [key for key, item in now.items() if key in then and dumps(item, 2) == dumps(then[key], 2)]


def _data(x: Any) -> bytes | None:
    """A container of numbers and texts, and of such containers, as bytes that tell it from others; None for others."""
    pending, seen = [x], {id(x)}
    for each in pending:
        for items in (dict.keys(each), dict.values(each)) if type(each) is dict else (each,):
            kinds = set(map(type, items))
            if not kinds <= _DATA:
                return None
            if not kinds <= PLAIN:
                inner = [y for y in items if type(y) not in PLAIN]
                for y in inner:
                    if id(y) not in seen:
                        seen.add(id(y))
                        pending.append(y)
                    elif type(y) is not tuple or not PLAIN.issuperset(map(type, y)):
                        return None  # what is there twice, or holds itself, has guards that say so
    try:
        return dumps(x, 2)  # of that version: equal data have equal bytes
    except ValueError:  # it is nested too deeply
        return None
