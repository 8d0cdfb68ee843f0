"""Guards of a recording: what a function could read from outside, and whether it is still as it was.

Starting at the function and at the objects among its arguments, everything that its code could name is visited: global
names, closures, defaults, and of objects, classes and modules those attributes whose names occur in the code of the
functions that are met, which are visited themselves. Numbers, texts and containers of these are compared by value,
arrays and other objects by identity. Nothing is kept alive but numbers and texts; no code of the user is run.
"""

from __future__ import annotations

import dis
import functools
import sys
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from functools import lru_cache
from marshal import dumps
from types import CodeType, FunctionType, GetSetDescriptorType, MemberDescriptorType, MethodType, ModuleType
from typing import Any, NamedTuple, TypeAlias
from weakref import ref

import numpy as np

from lazyarr.graph.attributes import NOTHING, PLAIN, dict_of, is_ours, own, slots

__all__ = ["Guards", "guards_of"]

MOST = 4096
"""Places beyond which nothing more is visited. A container of numbers and texts alone is one place."""

_OTHERS = frozenset(sys.stdlib_module_names - {"__main__"}) | {"ir", "lazyarr", "kernel_cache", "numpy", "tuner"}
"""Packages whose functions, classes and modules are not visited."""

_BY_NAME = frozenset(
    ("__dict__", "asdict", "astuple", "attrgetter", "dir", "eval", "exec", "getattr", "hasattr", "replace", "vars")
)
"""Where code mentions one of these it may read attributes whose names it does not: all of them count."""

_PARTS: dict[type, tuple[str, ...]] = {
    MethodType: ("__func__", "__self__"),
    classmethod: ("__func__",),
    functools.partial: ("func", "args", "keywords"),
    functools.partialmethod: ("func", "args", "keywords"),
    property: ("fget",),
    staticmethod: ("__func__",),
}
"""What callables and descriptors are made of."""

_DECORATED = ("__wrapped__", "func")
"""Where decorators keep the function that they were given."""

_DATA = PLAIN | {dict, frozenset, list, set, tuple}

Look: TypeAlias = Callable[[Any, Any], Any]
Check: TypeAlias = Callable[[Any, Any, Sequence[Any]], bool]


# How a place is looked at. Each gives NOTHING where there is nothing, or raises what `Guards.hold` expects.


def _global(f: Any, name: str) -> Any:
    return f.__globals__.get(name, NOTHING)


def _cell(f: Any, number: int) -> Any:
    try:
        return f.__closure__[number].cell_contents
    except ValueError:
        return NOTHING


def _part(x: Any, name: str) -> Any:
    return getattr(x, name)


def _type(x: Any, _: None) -> Any:
    return type(x)


def _base(kind: Any, number: int) -> Any:
    return kind.__bases__[number]


def _in_class(kind: Any, name: str) -> Any:
    return type.__getattribute__(kind, "__dict__").get(name, NOTHING)


def _in_module(module: Any, name: str) -> Any:
    return vars(module).get(name, NOTHING)


def _attribute(x: Any, name: str) -> Any:
    return (dict_of(x) or {}).get(name, NOTHING)


def _usual_attribute(x: Any, name: str) -> Any:
    return x.__dict__.get(name, NOTHING)


def _slot(x: Any, name: str) -> Any:
    return own(x, name)


def _names(x: Any, _: None) -> Any:
    return tuple(dict_of(x) or ())


def _keys(x: Any, _: None) -> Any:
    return tuple(dict.keys(x))


def _item_of_dict(x: Any, key: Any) -> Any:
    return dict.get(x, key, NOTHING)


def _item(x: Any, number: int) -> Any:
    return _builtin(x).__getitem__(x, number)


def _members(x: Any, _: None) -> Any:
    return tuple(sorted(map(id, x)))


# How what is found there is compared with what was: `value is expected` was tried before.


def _same_value(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    return type(value) is type(expected) and dumps(value, 2) == dumps(expected, 2)


def _same_data(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    kind, data = expected
    return type(value) is kind and dumps(value, 2) == data


def _same_object(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    return expected() is value


def _same_shape(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    kind, length = expected
    return type(value) is kind and _length(value) == length


def _same_identity(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    kind, identity = expected
    return type(value) is kind and id(value) == identity  # one that took its memory is told by what is in it


def _same_as(value: Any, expected: Any, found: Sequence[Any]) -> bool:
    return found[expected] is value


def _identical(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    return value is expected


class _Step(NamedTuple):
    """A place: where it is, in what was found before it, and what was there."""

    parent: int
    look: Look
    key: Any
    check: Check
    expected: Any


class Guards:
    """What was there when a function was recorded, in an order in which it can be looked at again."""

    __slots__ = ("_steps",)

    def __init__(self, steps: Sequence[_Step]) -> None:
        self._steps = steps

    def __bool__(self) -> bool:
        return bool(self._steps)

    def hold(self, roots: Sequence[Any]) -> bool:
        """Is all as it was? `roots` are those of this call."""
        return self._failing(roots) < 0

    def changed(self, roots: Sequence[Any]) -> str:
        """The first place that is not as it was, as Python writes it; empty where all is."""
        failing = self._failing(roots)
        return _text(self._steps, failing, len(roots), roots) if failing >= 0 else ""

    def _failing(self, roots: Sequence[Any]) -> int:
        found = [*roots]
        try:
            for parent, look, key, check, expected in self._steps:
                value = look(found[parent], key)
                if value is not expected and not check(value, expected, found):
                    break
                found.append(value)
            else:
                return -1
        except (LookupError, AttributeError, TypeError, ValueError):
            pass  # what was looked at has another structure now
        return len(found) - len(roots)


def _text(steps: Sequence[_Step], number: int, offset: int, roots: Sequence[Any]) -> str:
    if number < 0:
        return ""
    parent, look, key, *_ = steps[number]
    above = _text(steps, parent - offset, offset, roots) if parent >= offset else _root(roots[parent])
    if look is _global:
        return str(key)
    if look is _cell:
        f = roots[parent] if parent < offset else None
        return str(f.__code__.co_freevars[key]) if isinstance(f, FunctionType) else above
    if look in (_attribute, _usual_attribute, _slot, _in_class, _in_module):
        return f"{above}.{key}"
    return f"{above}[{key!r}]" if look in (_item, _item_of_dict) else above


def _root(x: Any) -> str:
    return str(getattr(x, "__qualname__", type(x).__name__))


def guards_of(roots: Sequence[Any]) -> Callable[[], Guards]:
    """Look at what functions and objects can read; to be called before a function runs. Returns what looks again after
    it, and gives the guards: without what the function itself has changed meanwhile, but for arrays that it put there.
    """
    before = _visited(roots).places()

    def after() -> Guards:
        return Guards(_visited(roots).kept(before))

    return after


class _Names(NamedTuple):
    """What the code of a function reads by name: global names, and these, attributes and methods."""

    globals: frozenset[str]
    all: frozenset[str]


@lru_cache(maxsize=1024)
def _names_in(code: CodeType) -> _Names:
    read: set[str] = set()
    outside: set[str] = set()
    pending = [code]
    for each in pending:
        pending += [x for x in each.co_consts if isinstance(x, CodeType)]
        for i in dis.get_instructions(each):
            if i.opcode in dis.hasname and not i.opname.startswith(("STORE", "DELETE")):
                (outside if i.opname in ("LOAD_GLOBAL", "LOAD_NAME") else read).add(i.argval)
    return _Names(frozenset(outside), frozenset(read | outside))


def _visited(roots: Sequence[Any]) -> _Visit:
    """A visit that knows all names from its beginning: more are found in the functions that they lead to."""
    names: frozenset[str] = frozenset()
    while True:
        visit = _Visit(roots, names)
        visit.run()
        if visit.names == names or len(visit.steps) >= MOST:
            return visit
        names = frozenset(visit.names)


class _Visit:
    """A walk over what can be read from the roots."""

    def __init__(self, roots: Sequence[Any], names: frozenset[str]) -> None:
        self.roots = roots
        self.steps: list[_Step] = []
        self.values: list[Any] = [*roots]
        self.names = set(names)
        self.asked = names
        self.reads_all = not _BY_NAME.isdisjoint(names)
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
        check, expected, opened = self._expectation(value, number)
        self.steps.append(_Step(parent, look, key, check, expected))
        self.values.append(value)
        if opened:
            self._known[id(value)] = number
            self._pending.append(number)

    def _expectation(self, value: Any, number: int) -> tuple[Check, Any, bool]:
        """How a value is compared, with what, and whether it is entered."""
        kind = type(value)
        if kind in PLAIN or issubclass(kind, np.generic):
            return _same_value, value, False
        if value is NOTHING:
            return _identical, value, False
        known = self._known.get(id(value))
        if known is not None and self.values[known] is value:
            return _same_as, known, False
        if issubclass(kind, (list, tuple, dict, set, frozenset, deque)):
            data = _data(value) if kind in _DATA else None
            if data is not None:
                return _same_data, (kind, data), False
            return _same_shape, (kind, _length(value)), True
        try:
            return _same_object, ref(value), True
        except TypeError:  # it cannot be known weakly
            opened = _is_open(value) or kind in _PARTS
            weak = opened or kind in (GetSetDescriptorType, MemberDescriptorType)  # these hold their classes
            return (_same_identity, (kind, id(value)), opened) if weak else (_identical, value, False)

    def may_read(self, name: str) -> bool:
        """May code read an attribute of that name?"""
        return self.reads_all or name in self.asked

    def places(self) -> dict[Any, _Step]:
        """Each step under its road from a root."""
        return dict(zip(self._roads(), self.steps, strict=True))

    def _roads(self) -> list[Any]:
        roads: list[Any] = [*range(len(self.roots))]
        for step in self.steps:
            roads.append((roads[step.parent], step.look, _hashable(step.key)))
        return roads[len(self.roots) :]

    def kept(self, before: dict[Any, _Step]) -> list[_Step]:
        """The steps but those for what was something else before, or was not there."""
        count = len(self.roots)
        moved = {i: i for i in range(count)}
        found: list[_Step] = []
        for number, (road, step) in enumerate(zip(self._roads(), self.steps, strict=True), count):
            value = self.values[number]
            earlier = before.get(road)
            if step.parent not in moved or (step.check is _same_as and step.expected not in moved):
                continue
            same = earlier is not None and self._as_before(value, step, earlier)
            if same or (is_ours(value) and step.check is _same_object):
                moved[number] = count + len(found)
                expected = moved[step.expected] if step.check is _same_as else step.expected
                found.append(step._replace(parent=moved[step.parent], expected=expected))
        return found

    def _as_before(self, value: Any, step: _Step, earlier: _Step) -> bool:
        if step.check is not earlier.check:
            return False
        if step.check is _same_as:
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
        if not _is_foreign(x.__name__):
            yield from ((_in_module, name) for name in list(vars(x)) if name in visit.asked)
    elif issubclass(kind, type):
        yield from _in_class_itself(visit, x)
    elif kind in _PARTS:
        yield from ((_part, name) for name in _PARTS[kind])
    else:
        yield from _items_in(x)
        if is_ours(x):
            if "__wrapped__" in (dict_of(x) or ()):  # a jitted function
                yield (_attribute, "__wrapped__")
        elif _is_open(x):
            yield from _in_instance(visit, x)


def _items_in(x: Any) -> Iterator[tuple[Look, Any]]:
    kind = type(x)
    if issubclass(kind, dict):
        yield (_keys, None)
        yield from ((_item_of_dict, key) for key in list(dict.keys(x)))
    elif issubclass(kind, (list, tuple, deque)):
        yield from ((_item, number) for number in range(_length(x)))
    elif issubclass(kind, (set, frozenset)):
        yield (_members, None)


def _in_function(visit: _Visit, f: FunctionType) -> Iterator[tuple[Look, Any]]:
    if _is_foreign(f.__globals__.get("__name__")):
        return
    read = _names_in(f.__code__)
    visit.names |= read.all
    for name in sorted(read.globals):
        value = f.__globals__.get(name, NOTHING)
        if value is not NOTHING and not (isinstance(value, ModuleType) and _is_foreign(value.__name__)):
            yield (_global, name)
    yield from ((_cell, number) for number in range(len(f.__closure__ or ())))
    yield from ((_part, name) for name in ("__defaults__", "__kwdefaults__") if getattr(f, name))
    yield from ((_attribute, name) for name in list(vars(f)) if visit.may_read(name))


def _in_class_itself(visit: _Visit, kind: type) -> Iterator[tuple[Look, Any]]:
    if _is_foreign(kind.__module__):
        return
    yield from ((_base, number) for number, base in enumerate(kind.__bases__) if not _is_foreign(base.__module__))
    for name, value in list(vars(kind).items()):
        hidden = name.startswith("__") and name.endswith("__")  # called by operators, `with`, `for` and the like
        if isinstance(value, FunctionType) if hidden else visit.may_read(name):
            yield (_in_class, name)


def _in_instance(visit: _Visit, x: Any) -> Iterator[tuple[Look, Any]]:
    kind = type(x)
    yield (_type, None)
    yield from ((_slot, name) for name in slots(kind) if visit.may_read(name))
    attributes = dict_of(x)
    if attributes is None:
        return
    if visit.reads_all:
        yield (_names, None)
    names = [name for name in attributes if name in _DECORATED or visit.may_read(name)]
    for each in kind.__mro__:  # what would hide a member of the class
        if not _is_foreign(each.__module__):
            names += [name for name in vars(each) if name in visit.asked and name not in attributes]
    usual = not any(map(_looks_up_by_itself, kind.__mro__[:-1]))
    yield from ((_usual_attribute if usual else _attribute, name) for name in dict.fromkeys(names))


def _looks_up_by_itself(kind: type) -> bool:
    """Does a class say by its own code what attributes there are?"""
    members = vars(kind)
    return "__getattribute__" in members or type(members.get("__dict__", NOTHING)) not in (GetSetDescriptorType, object)


def _length(x: Any) -> int:
    return int(_builtin(x).__len__(x))


def _builtin(x: Any) -> Any:
    """Which of Python's containers it is, whose methods a class of its own may have changed."""
    return next(kind for kind in (dict, list, tuple, set, frozenset, deque) if issubclass(type(x), kind))


def _is_foreign(module: object) -> bool:
    return str(module).partition(".")[0] in _OTHERS


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
                inner = [y for y in items if type(y) not in PLAIN and id(y) not in seen]
                seen.update(map(id, inner))
                pending += inner
    try:
        return dumps(x, 2)  # of that version: equal data have equal bytes
    except ValueError:  # it holds itself, or is nested too deeply
        return None
