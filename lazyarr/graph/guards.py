"""Guards of a recording: places from which its function read, and what was there.

Numbers, texts and containers of these are compared by value, arrays and other objects by identity. Nothing is kept
alive but numbers and texts; no code of the user is run. `lazyarr.graph.visits` finds the places.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Sequence
from marshal import dumps
from types import FunctionType
from typing import Any, NamedTuple, TypeAlias

from lazyarr.graph.attributes import NOTHING, dict_of, own

__all__ = [
    "Check", "Guards", "Look", "Step", "as_dict", "attribute", "attribute_names", "base", "cell", "global_name",
    "identical", "identities", "in_class", "in_context", "in_module", "item", "item_of_dict", "keys", "length", "part",
    "referent", "same_as", "same_data", "same_identity", "same_kind", "same_object", "same_shape", "same_value", "slot",
    "type_of", "usual_attribute",
]  # fmt: skip

Look: TypeAlias = Callable[[Any, Any], Any]
Check: TypeAlias = Callable[[Any, Any, Sequence[Any]], bool]


# How a place is looked at. Each gives NOTHING where there is nothing, or raises what `Guards.hold` expects.


def global_name(f: Any, name: str) -> Any:
    """A global name of a function."""
    return f.__globals__.get(name, NOTHING)


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


def type_of(x: Any, _: None) -> Any:
    """The class."""
    return type(x)


def base(kind: Any, number: int) -> Any:
    """A class that a class is made of."""
    return kind.__bases__[number]


def in_class(kind: Any, name: str) -> Any:
    """A member of a class itself."""
    return type.__getattribute__(kind, "__dict__").get(name, NOTHING)


def in_module(module: Any, name: str) -> Any:
    """A name in a module."""
    return vars(module).get(name, NOTHING)


def attribute(x: Any, name: str) -> Any:
    """An attribute of an object itself, whatever its class says of attributes."""
    return (dict_of(x) or {}).get(name, NOTHING)


def usual_attribute(x: Any, name: str) -> Any:
    """The same of an object whose class says nothing of them."""
    return x.__dict__.get(name, NOTHING)


def slot(x: Any, name: str) -> Any:
    """What is in a slot."""
    return own(x, name)


def attribute_names(x: Any, _: None) -> Any:
    """Which attributes an object has."""
    return tuple(dict_of(x) or ())


def keys(x: Any, _: None) -> Any:
    """The keys of a dict, in their order."""
    return tuple(dict.keys(x))


def item_of_dict(x: Any, key: Any) -> Any:
    """What a dict has for a key."""
    return dict.get(x, key, NOTHING)


def item(x: Any, number: int) -> Any:
    """What is at a place in a sequence."""
    return _builtin(x).__getitem__(x, number)


def identities(x: Any, _: None) -> Any:
    """Which objects a set has."""
    return tuple(sorted(map(id, x)))


# How what is found there is compared with what was: `value is expected` was tried before.


def same_value(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    """A number or text of that type; with the sign of a zero."""
    return type(value) is type(expected) and dumps(value, 2) == dumps(expected, 2)


def same_data(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    """A container with those bytes."""
    kind, data = expected
    return type(value) is kind and dumps(value, 2) == data


def same_object(value: Any, expected: Any, _: Sequence[Any]) -> bool:
    """The object that is known weakly."""
    return expected() is value


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
    if number < 0:
        return ""
    parent, look, key, *_ = steps[number]
    above = _text(steps, parent - offset, offset, roots) if parent >= offset else _root(roots[parent])
    if look is global_name:
        return str(key)
    if look is cell:
        f = roots[parent] if parent < offset else None
        return str(f.__code__.co_freevars[key]) if isinstance(f, FunctionType) else above
    if look in (attribute, usual_attribute, slot, in_class, in_module):
        return f"{above}.{key}"
    return f"{above}[{key!r}]" if look in (item, item_of_dict) else above


def _root(x: Any) -> str:
    return str(getattr(x, "__qualname__", type(x).__name__))
