"""What of a value can be read: which of its items, attributes and parts a visit looks at."""

from __future__ import annotations

import functools
from collections import deque
from collections.abc import Collection, Iterator, Set
from contextvars import ContextVar
from types import (
    BuiltinMethodType,
    FunctionType,
    GetSetDescriptorType,
    MappingProxyType,
    MethodType,
    MethodWrapperType,
    ModuleType,
)
from typing import TYPE_CHECKING, Any
from weakref import KeyedRef, ref

from lazyarr.graph import guards
from lazyarr.graph.attributes import NOTHING, PLAIN, dict_of, is_ours, slots
from lazyarr.graph.guards import Look
from lazyarr.graph.packages import OURS, package_of

if TYPE_CHECKING:
    from lazyarr.graph.visits import Visit

__all__ = ["LOOKS", "PARTS", "has_attributes", "named_in", "not_in", "places_in", "unnamed_in"]

PARTS: dict[type, tuple[str, ...]] = {
    BuiltinMethodType: ("__self__",),
    MethodWrapperType: ("__self__",),
    MethodType: ("__func__", "__self__"),
    classmethod: ("__func__",),
    functools.partial: ("func", "args", "keywords"),
    functools.partialmethod: ("func", "args", "keywords"),
    property: ("fget", "fset"),
    staticmethod: ("__func__",),
}
"""What callables and descriptors are made of."""

_DECORATED = ("__wrapped__", "func", "__origin__")
"""Where decorators keep the function that they were given, and generic types their class."""

LOOKS: dict[type, Look] = {
    ContextVar: guards.in_context,
    KeyedRef: guards.referent,
    MappingProxyType: guards.as_dict,
    ref: guards.referent,
    type({}.items()): guards.as_tuple,
    type({}.keys()): guards.as_tuple,
    type({}.values()): guards.as_tuple,
}
"""What leads to another value."""


def has_attributes(visit: Visit, x: Any) -> bool:
    """Is it a module, a class, a function or an object whose attributes code may name?"""
    kind = type(x)
    if issubclass(kind, ModuleType):
        return visit.packages.enters(vars(x).get("__name__"))
    if issubclass(kind, type):
        return visit.packages.enters(x.__module__)
    if kind is FunctionType:
        return bool(vars(x))
    return kind not in PARTS and kind not in LOOKS and not is_ours(x) and visit.opens(x)


def places_in(visit: Visit, x: Any) -> Iterator[tuple[Look, Any]]:
    """What is looked at in a value, whatever names there are."""
    kind = type(x)
    if kind is FunctionType:
        yield from _in_function(visit, x)
    elif issubclass(kind, ModuleType):
        if visit.packages.enters(vars(x).get("__name__")):
            yield from ((guards.in_module, name) for name in _among(vars(x), {"__getattr__"}))
    elif issubclass(kind, type):
        if visit.packages.enters(x.__module__):
            yield from _in_class_itself(visit, x)
    elif kind in PARTS:
        yield from ((guards.part, name) for name in PARTS[kind])
    elif kind in LOOKS:
        yield (LOOKS[kind], None)
    else:
        yield from _items_in(x)
        if is_ours(x):
            if "__wrapped__" in (dict_of(x) or ()):  # a jitted function
                yield (guards.attribute, "__wrapped__")
        elif visit.opens(x):
            yield from _in_instance(visit, x)


def named_in(visit: Visit, x: Any, read: Set[str], assigned: Set[str]) -> Iterator[tuple[Look, Any]]:
    """What is looked at because its name is read; in a class also what takes what is assigned to that name."""
    kind = type(x)
    if issubclass(kind, ModuleType):
        yield from ((guards.in_module, name) for name in _among(vars(x), read) if name != "__getattr__")
    elif issubclass(kind, type):
        names = [name for name in _among(vars(x), read | assigned) if not _is_operator(name, vars(x)[name])]
        yield from ((guards.in_class, name) for name in names if _is_hidden(name) or not visit.reads_all)
    elif kind is FunctionType:
        yield from ((guards.attribute, name) for name in _among(vars(x), read) if name != "__wrapped__")
    elif not _is_whole(visit, kind):
        look = guards.attribute if _says_what_it_has(kind) else guards.usual_attribute
        yield from ((look, name) for name in _among(dict_of(x) or (), read) if name not in _DECORATED)
        yield from ((guards.slot, name) for name in slots(kind) if name in read)


def unnamed_in(visit: Visit, module: ModuleType) -> Iterator[tuple[Look, Any]]:
    """What else is in a module."""
    yield from ((guards.in_module, name) for name in list(vars(module)) if not (_is_hidden(name) or name in visit.read))


def not_in(visit: Visit, x: Any) -> Iterator[tuple[Look, Any]]:
    """What is not there though its name is read; to be asked when all names are known."""
    kind = type(x)
    if issubclass(kind, ModuleType):
        yield (guards.attribute_names, None) if visit.reads_all else (guards.lacks, visit.absent(vars(x)))
    elif issubclass(kind, type):
        members = [each for base in visit.classes(x) for each in vars(base).items()]
        absent = visit.absent(vars(x), [name for name, value in members if _is_operator(name, value)])
        yield (guards.member_names, None) if visit.reads_all else (guards.class_lacks, absent)
    elif kind is not FunctionType and (attributes := dict_of(x)) is not None:
        look = guards.itself_lacks if _says_what_it_has(kind) else guards.lacks
        whole = _is_whole(visit, kind)
        yield (guards.attribute_names, None) if whole else (look, visit.absent(attributes))


def _items_in(x: Any) -> Iterator[tuple[Look, Any]]:
    kind = type(x)
    if issubclass(kind, dict):
        yield (guards.keys, None)
        found = list(dict.keys(x))
        if PLAIN.issuperset(map(type, found)):
            yield from ((guards.item_of_dict, key) for key in found)
        else:
            yield (guards.values, None)
    elif issubclass(kind, (list, tuple, deque)):
        yield from ((guards.item, number) for number in range(guards.length(x)))
    elif issubclass(kind, (set, frozenset)):
        yield (guards.members, None)
    elif issubclass(kind, int):
        yield (guards.number, None)


def _in_function(visit: Visit, f: FunctionType) -> Iterator[tuple[Look, Any]]:
    module = f.__globals__.get("__name__")
    entered = visit.packages.enters(module)
    if entered:
        yield from visit.meet(f)
    if "__wrapped__" in vars(f):
        yield (guards.attribute, "__wrapped__")
    if package_of(module) not in OURS:  # a decorator of the library keeps a function of the user there
        yield from ((guards.cell, number) for number in range(len(f.__closure__ or ())))
    if entered:
        yield from ((guards.part, name) for name in ("__defaults__", "__kwdefaults__") if getattr(f, name))
        if f is not visit.roots[0]:
            yield (guards.part, "__code__")  # which tools that reload modules put into functions


def _in_class_itself(visit: Visit, kind: type) -> Iterator[tuple[Look, Any]]:
    if type(kind) is not type:
        yield (guards.type_of, None)
    yield from (
        (guards.base, number) for number, base in enumerate(kind.__bases__) if visit.packages.enters(base.__module__)
    )
    members = list(vars(kind).items())
    yield from (
        (guards.in_class, name)
        for name, value in members
        if _is_operator(name, value) or (visit.reads_all and not _is_hidden(name))
    )


def _in_instance(visit: Visit, x: Any) -> Iterator[tuple[Look, Any]]:
    kind = type(x)
    yield (guards.type_of, None)
    whole = _is_whole(visit, kind)
    look = guards.attribute if _says_what_it_has(kind) else guards.usual_attribute
    yield from ((look, name) for name in list(dict_of(x) or ()) if whole or name in _DECORATED)
    if whole:
        yield from ((guards.slot, name) for name in slots(kind))


def _among(there: Collection[str], names: Set[str]) -> list[str]:
    if len(names) < 8:  # of many names few are new
        return sorted(name for name in names if name in there)
    return [name for name in list(there) if name in names]


def _is_hidden(name: str) -> bool:
    return name.startswith("__") and name.endswith("__")


def _is_operator(name: str, value: Any) -> bool:
    """Is a member of a class called by operators, `with`, `for`, calls of the class and the like?"""
    return _is_hidden(name) and (callable(value) or type(value) in PARTS)


def _is_whole(visit: Visit, kind: type) -> bool:
    """May all attributes of such an object be read, whatever names there are?"""
    if visit.reads_all:
        return True
    for each in kind.__mro__:
        if each.__module__ in ("collections", "weakref") and each.__dictoffset__:
            return True  # UserDict, ChainMap, WeakValueDictionary
        if not kind.__weakrefoffset__ and vars(each).get("__slots__") and not visit.packages.enters(each.__module__):
            return True  # a Fraction: another one may take its memory
    return False


def _says_what_it_has(kind: type) -> bool:
    """Do objects of a class say by its own code what attributes they have?"""
    return any(map(_looks_up_by_itself, kind.__mro__[:-1]))


def _looks_up_by_itself(kind: type) -> bool:
    """Does a class say by its own code what attributes there are?"""
    members = vars(kind)
    return "__getattribute__" in members or type(members.get("__dict__", NOTHING)) not in (GetSetDescriptorType, object)
