"""What a function could read from outside: a walk over it, by the names in its code.

Starting at the function and at the objects among its arguments, everything that its code could name is visited: global
names, closures, defaults, and of objects, classes and modules those attributes whose names occur in the code of the
functions that are met, which are visited themselves.
"""

from __future__ import annotations

import dis
import functools
import sys
from array import array
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextvars import ContextVar
from functools import lru_cache
from marshal import dumps
from types import (
    CodeType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MemberDescriptorType,
    MethodType,
    ModuleType,
)
from typing import Any, NamedTuple
from weakref import ref

import numpy as np

from lazyarr.graph import guards
from lazyarr.graph.attributes import NOTHING, PLAIN, dict_of, is_ours, slots
from lazyarr.graph.guards import Check, Guards, Look, Step

__all__ = ["guards_of"]

MOST = 4096
"""Places beyond which nothing more is visited. A container of numbers and texts alone is one place."""

_OTHERS = frozenset(sys.stdlib_module_names) | {"ir", "lazyarr", "kernel_cache", "numpy", "tuner"}
"""Packages whose functions, classes and modules are not visited."""

_BY_NAME = frozenset(("__dict__", "__getattribute__", "asdict", "astuple", "attrgetter"))
"""Where code mentions one of these it may read attributes whose names it does not: all of them count."""

_BUILTINS_BY_NAME = frozenset(("eval", "exec", "getattr", "hasattr", "vars"))
"""Likewise, of global names."""

_PARTS: dict[type, tuple[str, ...]] = {
    MethodType: ("__func__", "__self__"),
    classmethod: ("__func__",),
    functools.partial: ("func", "args", "keywords"),
    functools.partialmethod: ("func", "args", "keywords"),
    property: ("fget",),
    staticmethod: ("__func__",),
}
"""What callables and descriptors are made of."""

_CHANGED = 64
"""Items of a container that a function fills itself which are looked at."""

_DECORATED = ("__wrapped__", "func")
"""Where decorators keep the function that they were given."""

_BUFFERS = (array, bytearray)
"""Containers of numbers alone."""

_LOOKS: dict[type, Look] = {ContextVar: guards.in_context, MappingProxyType: guards.as_dict, ref: guards.referent}
"""What leads to another value."""

_DATA = PLAIN | {dict, frozenset, list, set, tuple}


def guards_of(roots: Sequence[Any]) -> Callable[[], Guards]:
    """Look at what functions and objects can read; to be called before a function runs. Returns what looks again after
    it, and gives the guards: without what the function itself has changed meanwhile, but for arrays that it put there.
    """
    before = _visited(roots).places()

    def after() -> Guards:
        return Guards(_visited(roots).kept(before))

    return after


class _Names(NamedTuple):
    """What the code of a function reads by name.

    Attributes:
        globals: global names
        all: these, attributes and methods
        opaque: may it read attributes that it does not name?
    """

    globals: frozenset[str]
    all: frozenset[str]
    opaque: bool


@lru_cache(maxsize=1024)
def _names_in(code: CodeType) -> _Names:
    read: set[str] = set()
    outside: set[str] = set()
    matches = False
    pending = [code]
    for each in pending:
        pending += [x for x in each.co_consts if isinstance(x, CodeType)]
        for i in dis.get_instructions(each):
            if i.opcode in dis.hasname and not i.opname.startswith(("STORE", "DELETE")):
                (outside if i.opname in ("LOAD_GLOBAL", "LOAD_NAME") else read).add(i.argval)
            matches = matches or i.opname == "MATCH_CLASS"
    opaque = matches or not (_BY_NAME.isdisjoint(read | outside) and _BUILTINS_BY_NAME.isdisjoint(outside))
    return _Names(frozenset(outside), frozenset(read | outside), opaque)


def _visited(roots: Sequence[Any]) -> _Visit:
    """A visit that knows all names from its beginning: more are found in the functions that they lead to."""
    visit = _Visit(roots, frozenset(), False)
    while True:
        visit.run()
        if (visit.names == visit.asked and visit.opaque == visit.reads_all) or len(visit.steps) >= MOST:
            return visit
        visit = _Visit(roots, frozenset(visit.names), visit.opaque)


class _Before(NamedTuple):
    """A place before a function ran, and what was in a container there."""

    step: Step
    items: dict[Any, bytes]


class _Visit:
    """A walk over what can be read from the roots.

    Attributes:
        names, opaque: what the code that was met names, and whether it may read attributes that it does not
        asked, reads_all: these, of the visit before
    """

    def __init__(self, roots: Sequence[Any], names: frozenset[str], opaque: bool) -> None:
        self.roots = roots
        self.steps: list[Step] = []
        self.values: list[Any] = [*roots]
        self.names = set(names)
        self.opaque = opaque
        self.asked = names
        self.reads_all = opaque
        self._home = {_package(x.__module__ if isinstance(x, FunctionType) else type(x).__module__) for x in roots}
        self._known = {id(x): i for i, x in enumerate(roots)}
        self._pending: deque[int] = deque(range(len(roots)))

    def run(self) -> None:
        while self._pending and len(self.steps) < MOST:
            number = self._pending.popleft()
            for look, key in _places_in(self, self.values[number]):
                if len(self.steps) == MOST:
                    break
                self._add(number, look, key)

    def _add(self, parent: int, look: Look, key: Any) -> None:
        try:
            value = look(self.values[parent], key)
        except (LookupError, AttributeError, TypeError, ValueError):
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
        if kind in PLAIN or issubclass(kind, np.generic):
            return guards.same_value, value, False
        if value is NOTHING:
            return guards.identical, value, False
        known = self._known.get(id(value))
        if known is not None and self.values[known] is value:
            return guards.same_as, known, False
        if kind in _BUFFERS:
            return guards.same_data, (kind, dumps(value, 2)), False
        if issubclass(kind, (list, tuple, dict, set, frozenset, deque)):
            data = _data(value) if kind in _DATA else None
            if data is not None:
                return guards.same_data, (kind, data), False
            return guards.same_shape, (kind, guards.length(value)), True
        try:
            return guards.same_object, ref(value), True
        except TypeError:  # it cannot be known weakly
            opened = _is_open(value) or kind in _PARTS or kind in _LOOKS
            weak = opened or kind in (GetSetDescriptorType, MemberDescriptorType)  # these hold their classes
            return (guards.same_identity, (kind, id(value)), opened) if weak else (guards.identical, value, False)

    def enters(self, module: object) -> bool:
        """Are a module's functions and classes visited? Not where it belongs to another package that is installed."""
        package = _package(module)
        return package not in _OTHERS and (package in self._home or not _is_installed(package))

    def may_read(self, name: str) -> bool:
        """May code read an attribute of that name?"""
        return self.reads_all or name in self.asked

    def places(self) -> dict[Any, _Before]:
        """What is at each place, under its road from a root."""
        count = len(self.roots)
        values = self.values[count:]
        return {
            road: _Before(step, _items_as_bytes(value) if step.check is guards.same_data else {})
            for road, step, value in zip(self._roads(), self.steps, values, strict=True)
        }

    def _roads(self) -> list[Any]:
        roads: list[Any] = [*range(len(self.roots))]
        for step in self.steps:
            roads.append((roads[step.parent], step.look, _hashable(step.key)))
        return roads[len(self.roots) :]

    def kept(self, before: dict[Any, _Before]) -> list[Step]:
        """The steps without what the function has changed itself: numbers and texts that were others before, and how
        much is in a container; what is in it counts.
        """
        count = len(self.roots)
        moved = {i: i for i in range(count)}
        found: list[Step] = []
        for number, (road, step) in enumerate(zip(self._roads(), self.steps, strict=True), count):
            if step.parent not in moved or (step.check is guards.same_as and step.expected not in moved):
                continue
            value, earlier = self.values[number], before.get(road)
            items: dict[Any, bytes] = {}
            if earlier is not None and not self._as_before(value, step, earlier.step):
                if step.check is guards.same_value and earlier.step.expected is not None:
                    continue
                if step.check in (guards.same_data, guards.same_shape):
                    items = _items_as_bytes(value) if step.check is guards.same_data else {}
                    step = step._replace(check=guards.same_kind, expected=type(value))
            place = moved[number] = count + len(found)
            expected = moved[step.expected] if step.check is guards.same_as else step.expected
            found.append(step._replace(parent=moved[step.parent], expected=expected))
            for (look, key), item in items.items():
                if earlier is not None and earlier.items.get((look, key), item) == item:
                    check, expected, _ = self._expectation(look(value, key))
                    found.append(Step(place, look, key, check, expected))
        return found

    def _as_before(self, value: Any, step: Step, earlier: Step) -> bool:
        if step.check is not earlier.check:
            return False
        if step.check is guards.same_as:
            return True  # the place that it is compared with is looked at itself
        return value is earlier.expected or earlier.check(value, earlier.expected, self.values)


def _hashable(key: Any) -> Any:
    try:
        hash(key)
    except TypeError:
        return id(key)
    return (type(key), key)


def _places_in(visit: _Visit, x: Any) -> Iterator[tuple[Look, Any]]:
    """What is looked at in a value."""
    kind = type(x)
    if kind is FunctionType:
        yield from _in_function(visit, x)
    elif issubclass(kind, ModuleType):
        if visit.enters(x.__name__):
            yield from ((guards.in_module, name) for name in list(vars(x)) if name in visit.asked)
    elif issubclass(kind, type):
        yield from _in_class_itself(visit, x)
    elif kind in _PARTS:
        yield from ((guards.part, name) for name in _PARTS[kind])
    elif kind in _LOOKS:
        yield (_LOOKS[kind], None)
    else:
        yield from _items_in(x)
        if is_ours(x):
            if "__wrapped__" in (dict_of(x) or ()):  # a jitted function
                yield (guards.attribute, "__wrapped__")
        elif _is_open(x):
            yield from _in_instance(visit, x)


def _items_in(x: Any) -> Iterator[tuple[Look, Any]]:
    kind = type(x)
    if issubclass(kind, dict):
        yield (guards.keys, None)
        yield from ((guards.item_of_dict, key) for key in list(dict.keys(x)))
    elif issubclass(kind, (list, tuple, deque)):
        yield from ((guards.item, number) for number in range(guards.length(x)))
    elif issubclass(kind, (set, frozenset)):
        yield (guards.identities, None)


def _items_as_bytes(x: Any) -> dict[Any, bytes]:
    """The items of a container of numbers and texts, by how they are looked at."""
    places = [place for place in _items_in(x) if place[0] in (guards.item, guards.item_of_dict)]
    return {(look, key): dumps(look(x, key), 2) for look, key in places[:_CHANGED]}


def _in_function(visit: _Visit, f: FunctionType) -> Iterator[tuple[Look, Any]]:
    if not visit.enters(f.__globals__.get("__name__")):
        return
    read = _names_in(f.__code__)
    visit.names |= read.all
    visit.opaque |= read.opaque
    for name in sorted(read.globals):
        value = f.__globals__.get(name, NOTHING)
        if value is not NOTHING and not (isinstance(value, ModuleType) and not visit.enters(value.__name__)):
            yield (guards.global_name, name)
    yield from ((guards.cell, number) for number in range(len(f.__closure__ or ())))
    yield from ((guards.part, name) for name in ("__defaults__", "__kwdefaults__") if getattr(f, name))
    if f is not visit.roots[0]:
        yield (guards.part, "__code__")  # which tools that reload modules put into functions
    yield from ((guards.attribute, name) for name in list(vars(f)) if visit.may_read(name))


def _in_class_itself(visit: _Visit, kind: type) -> Iterator[tuple[Look, Any]]:
    if not visit.enters(kind.__module__):
        return
    if type(kind) is not type:
        yield (guards.type_of, None)
    yield from ((guards.base, number) for number, base in enumerate(kind.__bases__) if visit.enters(base.__module__))
    for name, value in list(vars(kind).items()):
        hidden = name.startswith("__") and name.endswith("__")  # called by operators, `with`, `for` and the like
        if isinstance(value, FunctionType) if hidden else visit.may_read(name):
            yield (guards.in_class, name)


def _in_instance(visit: _Visit, x: Any) -> Iterator[tuple[Look, Any]]:
    kind = type(x)
    yield (guards.type_of, None)
    yield from ((guards.slot, name) for name in slots(kind) if visit.may_read(name))
    attributes = dict_of(x)
    if attributes is None:
        return
    if visit.reads_all:
        yield (guards.attribute_names, None)
    whole = any(each.__module__ == "collections" and each.__dictoffset__ for each in kind.__mro__)  # UserDict, ChainMap
    names = [name for name in list(attributes) if whole or name in _DECORATED or visit.may_read(name)]
    for each in kind.__mro__:  # what would hide a member of the class
        if visit.enters(each.__module__):
            names += [name for name in list(vars(each)) if name in visit.asked and name not in attributes]
    usual = not any(map(_looks_up_by_itself, kind.__mro__[:-1]))
    yield from ((guards.usual_attribute if usual else guards.attribute, name) for name in dict.fromkeys(names))


def _looks_up_by_itself(kind: type) -> bool:
    """Does a class say by its own code what attributes there are?"""
    members = vars(kind)
    return "__getattribute__" in members or type(members.get("__dict__", NOTHING)) not in (GetSetDescriptorType, object)


def _package(module: object) -> str:
    return str(module).partition(".")[0]


def _is_installed(package: str) -> bool:
    file = getattr(sys.modules.get(package), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file


def _is_open(x: Any) -> bool:
    return dict_of(x) is not None or next(slots(type(x)), None) is not None


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
                if any(id(y) in seen for y in inner if type(y) is not tuple):
                    return None  # what is there twice, or holds itself, has guards that say so
                seen.update(map(id, inner))
                pending += inner
    try:
        return dumps(x, 2)  # of that version: equal data have equal bytes
    except ValueError:  # it is nested too deeply
        return None
