"""Guards of a recording: places from which its function read, and what was there.

Numbers, texts and containers of these are compared by value, arrays and other objects by identity. Nothing is kept
alive but numbers and texts; no code of the user is run. `lazyarr.graph.visits` finds the places.
"""

from __future__ import annotations

import sys
from collections import OrderedDict, deque
from collections.abc import Callable, Sequence
from marshal import dumps
from types import FunctionType
from typing import Any, NamedTuple, TypeAlias

from lazyarr.graph.attributes import NOTHING, dict_of, own

__all__ = [
    "Check", "Guards", "Look", "Step", "as_dict", "as_tuple", "attribute", "attribute_names", "base", "cell",
    "class_lacks", "global_name", "identical", "imported", "in_class", "in_context", "in_module", "item",
    "item_of_dict", "itself_lacks", "keys", "lacks", "length", "member_names", "members", "number", "part",
    "referent", "same_as", "same_data", "same_identity", "same_kind", "same_object", "same_shape", "same_value", "slot",
    "taken", "type_of", "usual_attribute", "values",
]  # fmt: skip

Look: TypeAlias = Callable[[Any, Any], Any]
Check: TypeAlias = Callable[[Any, Any, Sequence[Any]], bool]


# How a place is looked at. Each gives NOTHING where there is nothing, or raises what `Guards.hold` expects.


def global_name(f: Any, name: str) -> Any:
    """A global name of a function."""
    return f.__globals__.get(name, NOTHING)


def imported(_: Any, name: str) -> Any:
    """A module."""
    return sys.modules.get(name, NOTHING)


def cell(f: Any, number: int) -> Any:
    """What a function closes over, by its number."""
    try:
        return f.__closure__[number].cell_contents
    except ValueError:
        return NOTHING


def part(x: Any, name: str) -> Any:
    """What a callable or a descriptor is made of."""
    return getattr(x, name)


def referent(x: Any, _: None) -> Any:
    """What a weak reference leads to."""
    return x()


def in_context(x: Any, _: None) -> Any:
    """What a context variable has here."""
    return x.get(NOTHING)


def as_dict(x: Any, _: None) -> Any:
    """What a view of a dict shows."""
    return dict(x)


def as_tuple(x: Any, _: None) -> Any:
    """What a view of the keys, the values or the items of a dict shows."""
    return tuple(x)


def number(x: Any, _: None) -> Any:
    """The integer that an object of a class of its own is."""
    return int.__index__(x)


def type_of(x: Any, _: None) -> Any:
    """The class."""
    return type(x)


def base(kind: Any, number: int) -> Any:
    """A class that a class is made of."""
    return kind.__bases__[number]


def in_class(kind: Any, name: str) -> Any:
    """A member of a class itself."""
    return type.__getattribute__(kind, "__dict__").get(name, NOTHING)


def class_lacks(kind: Any, names: frozenset[str]) -> Any:
    """Has a class itself no member of those names?"""
    return type.__getattribute__(kind, "__dict__").keys().isdisjoint(names)


def member_names(kind: Any, _: None) -> Any:
    """Which members a class itself has."""
    return tuple(type.__getattribute__(kind, "__dict__"))


def in_module(module: Any, name: str) -> Any:
    """A name in a module."""
    return vars(module).get(name, NOTHING)


def attribute(x: Any, name: str) -> Any:
    """An attribute of an object itself, whatever its class says of attributes."""
    return (dict_of(x) or {}).get(name, NOTHING)


def usual_attribute(x: Any, name: str) -> Any:
    """The same of an object whose class says nothing of them."""
    return x.__dict__.get(name, NOTHING)


def lacks(x: Any, names: frozenset[str]) -> Any:
    """Has an object itself, whose class says nothing of attributes, or a module none of those names?"""
    return x.__dict__.keys().isdisjoint(names)


def itself_lacks(x: Any, names: frozenset[str]) -> Any:
    """The same of any object."""
    return (dict_of(x) or {}).keys().isdisjoint(names)


def slot(x: Any, name: str) -> Any:
    """What is in a slot."""
    return own(x, name)


def attribute_names(x: Any, _: None) -> Any:
    """Which attributes an object has."""
    return tuple(dict_of(x) or ())


def keys(x: Any, _: None) -> Any:
    """The keys of a dict, in their order."""
    return tuple(OrderedDict.keys(x) if issubclass(type(x), OrderedDict) else dict.keys(x))


def values(x: Any, _: None) -> Any:
    """The values of a dict, whose keys may have code of their own that looks them up."""
    return tuple(dict.values(x))


def item_of_dict(x: Any, key: Any) -> Any:
    """What a dict has for a key."""
    return dict.get(x, key, NOTHING)


def item(x: Any, number: int) -> Any:
    """What is at a place in a sequence."""
    return _builtin(x).__getitem__(x, number)


def taken(x: Any, take: Callable[[Any], Any]) -> Any:
    """Some items of a container."""
    return take(x)


def members(x: Any, _: None) -> Any:
    """What is in a set, in some order."""
    return tuple(sorted(_builtin(x).__iter__(x), key=id))


# How what is found there is compared with what was: `value is expected` was tried before.


def same_value(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    """A number or text of that type; with the sign of a zero."""
    return type(value) is type(expected) and dumps(value, 2) == dumps(expected, 2)


def same_data(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    """A container of that type with those bytes."""
    kind, data = expected
    return type(value) is kind and dumps(value, 2) == data


def same_object(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    """The object that is known weakly."""
    return value is not None and expected() is value


def same_shape(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    """A container of that type and length, whose items have guards of their own."""
    kind, count = expected
    return type(value) is kind and length(value) == count


def same_kind(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    """A container of that type, whose length does not count, because the function changes it."""
    return type(value) is expected


def same_identity(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    """An object of that type where that one lay, which cannot be known weakly."""
    kind, identity = expected
    return type(value) is kind and id(value) == identity  # one that took its memory is told by what is in it


def same_as(value: Any, expected: Any, found: Sequence[Any]) -> bool:
    """What was found at another place."""
    return found[expected] is value


def identical(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    """That object."""
    return value is expected


def length(x: Any) -> int:
    """How many items a container has, whatever its class says."""
    return int(_builtin(x).__len__(x))


def _builtin(x: Any) -> Any:
    """Which of Python's containers it is, whose methods a class of its own may have changed."""
    return next(kind for kind in (dict, list, tuple, set, frozenset, deque) if issubclass(type(x), kind))


class Step(NamedTuple):
    """A place: where it is, in what was found before it, and what was there."""

    parent: int
    look: Look
    key: Any
    check: Check
    expected: Any


class Guards:
    """What was there when a function was recorded, in an order in which it can be looked at again."""

    __slots__ = ("_steps",)

    def __init__(self, steps: Sequence[Step]) -> None:
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
        except (LookupError, AttributeError, TypeError, ValueError, RuntimeError):
            pass  # what was looked at has another structure now
        return len(found) - len(roots)


def _text(steps: Sequence[Step], number: int, offset: int, roots: Sequence[Any]) -> str:
    text = ""
    place = number + offset
    while place >= offset:
        parent, look, key, *_ = steps[place - offset]
        if look is global_name:
            return f"{key}{text}"
        if look is cell and parent < offset and isinstance(roots[parent], FunctionType):
            return f"{roots[parent].__code__.co_freevars[key]}{text}"
        if look in (attribute, usual_attribute, slot, in_class, in_module):
            text = f".{key}{text}"
        elif look in (item, item_of_dict):
            text = f"[{key!r}]{text}"
        place = parent
    return f"{_root(roots[place])}{text}"


def _root(x: Any) -> str:
    return str(getattr(x, "__qualname__", type(x).__name__))
