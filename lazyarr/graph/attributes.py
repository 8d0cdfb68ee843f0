"""What an object holds: its attributes and items, and those of the lists, tuples, dicts and objects among them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from operator import getitem
from types import FunctionType, MethodType, ModuleType
from typing import Any, TypeAlias

__all__ = ["NOTHING", "PLAIN", "Road", "dict_of", "held", "is_open", "is_ours", "own", "slots", "snapshot", "text"]

_PACKAGE = __name__.partition(".")[0]


def _attribute(x: Any, name: str) -> Any:
    return vars(x)[name]


Road: TypeAlias = tuple[tuple[Callable[[Any, Any], Any], Any], ...]
"""Where something is found in an object: at each step what looks it up (an attribute, a slot, an item), and its key."""


NOTHING = object()
"""What is found where there is nothing."""

PLAIN = frozenset((bool, int, float, complex, str, bytes, type(None)))
"""Numbers and texts, which hold nothing."""


def held(thing: Any) -> Iterator[tuple[Road, Any]]:
    """All that an object holds but plain numbers and texts, each place once. What is met twice is entered where it was
    met first. Classes, modules, functions and objects of lazyarr hold nothing.
    """
    roads: dict[int, Road] = {id(thing): ()}
    holders = [thing]
    for holder in holders:  # more of them are found meanwhile
        for get, key, value in _members(holder):
            road = (*roads[id(holder)], (get, key))
            yield road, value
            if id(value) not in roads:
                roads[id(value)] = road
                holders.append(value)


def is_open(x: Any) -> bool:
    """Can it hold anything that `held` enters?"""
    kind = type(x)
    if kind in PLAIN or is_ours(x):
        return False
    if issubclass(kind, (ModuleType, FunctionType, MethodType, type)):
        return False
    return issubclass(kind, (dict, list, tuple)) or dict_of(x) is not None or next(slots(kind), None) is not None


def _members(x: Any) -> list[tuple[Callable[[Any, Any], Any], Any, Any]]:
    kind = type(x)
    inside = kind is tuple or kind is list or kind is dict
    if not inside and not is_open(x):
        return []
    found: list[tuple[Callable[[Any, Any], Any], Any, Any]] = []
    if issubclass(kind, (dict, list, tuple)):
        items = list(x.items()) if issubclass(kind, dict) else enumerate(x)
        found = [(getitem, key, value) for key, value in items if type(value) not in PLAIN]
    if inside:
        return found
    attributes = list((dict_of(x) or {}).items())
    found += [(_attribute, name, value) for name, value in attributes if type(value) not in PLAIN]
    in_slots = [(getattr, name, own(x, name)) for name in slots(kind)]
    return found + [each for each in in_slots if each[2] is not NOTHING]


def own(x: Any, name: str) -> Any:
    """An attribute, NOTHING if there is none, without asking the `__getattr__` of what stands for other objects."""
    try:
        return object.__getattribute__(x, name)
    except Exception:  # whatever a property raises: it holds nothing that can be seen
        return NOTHING


def dict_of(x: Any) -> dict[str, Any] | None:
    """The attributes of an object that has a dict of them."""
    found = own(x, "__dict__")
    return found if type(found) is dict else None


def is_ours(x: Any) -> bool:
    """Is it an object of lazyarr?"""
    return type(x).__module__.partition(".")[0] == _PACKAGE


def _holds_ours(x: Any) -> bool:
    return is_ours(x) or any(is_ours(value) for _, value in held(x))


def slots(kind: type) -> Iterator[str]:
    """The names under which the objects of a class have slots."""
    for each in kind.__mro__:
        names = vars(each).get("__slots__", ())
        for name in (names,) if isinstance(names, str) else names:
            if name not in ("__dict__", "__weakref__"):
                hidden = name.startswith("__") and not name.endswith("__")
                yield f"_{each.__name__.lstrip('_')}{name}" if hidden else name


def snapshot(holders: Iterable[Any]) -> Callable[[], None]:
    """Remember the members of objects. Returns what puts lazyarr's arrays among them back, and takes new ones out, in
    place; what else changed meanwhile stays, and so do slots, which have no dict.
    """
    opened = [x for x in holders if is_open(x)]
    parts = [part for x in opened for part in (x, dict_of(x))]
    dicts = [(part, dict.copy(part)) for part in parts if isinstance(part, dict)]
    lists = [(part, list.copy(part)) for part in parts if isinstance(part, list)]

    def put_back() -> None:
        for part, before in dicts:
            for key in {**before, **part}:
                now, then = dict.get(part, key, NOTHING), before.get(key, NOTHING)
                if now is then or not (_holds_ours(now) or _holds_ours(then)):
                    continue
                if then is NOTHING:
                    dict.pop(part, key)
                else:
                    dict.__setitem__(part, key, then)
        for items, earlier in lists:
            now, then = ({id(x): x for x in some} for some in (items, earlier))
            if any(_holds_ours(x) for i, x in {**now, **then}.items() if i not in now or i not in then):
                items[:] = earlier

    return put_back


def text(road: Road) -> str:
    """How Python writes it, of an object: `.layers[0].w`."""
    return "".join([f"[{key!r}]" if get is getitem else f".{key}" for get, key in road])
