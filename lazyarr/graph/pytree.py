"""Nested arguments and results: tuples, lists, dicts and the like, taken apart and put together again."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Iterator, Sequence
from dataclasses import Field, dataclass, field, fields
from typing import Any, NamedTuple, TypeAlias

import numpy as np

__all__ = ["Structure", "constant_key", "flatten", "in_order_of", "is_flat", "map_leaves", "register", "unflatten"]


@dataclass(frozen=True, slots=True)
class _Leaf:
    """Where a leaf stood."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A container: its type, the keys of a dict (of another, what else it is made of), and what it held.

    Attributes:
        constant: what tells the keys from those of another one, in their order
    """

    kind: type
    keys: tuple[Any, ...] = field(compare=False)
    children: tuple[Structure, ...]
    constant: Any = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "constant", constant_key(self.keys))


def constant_key(x: Any) -> Any:
    """What tells a constant from others, also in tuples, frozen sets and dataclasses, where Python takes 1, 1.0 and
    True for the same.
    """
    kind = type(x)
    if kind is str:
        return x
    if isinstance(x, tuple):
        return (kind, tuple([constant_key(each) for each in x]))
    if isinstance(x, frozenset):
        return (kind, frozenset([constant_key(each) for each in x]))
    if isinstance(x, (float, complex, np.inexact, range)):
        return (kind, repr(x))  # 0.0 == -0.0, NaN equals nothing, and range(0, 1) == range(0, 9, 9)
    parts = [constant_key(getattr(x, each.name)) for each in _compared(kind)]
    return (kind, x, *parts)


def _compared(kind: type) -> list[Field[Any]]:
    """The fields by which objects of a dataclass are compared."""
    return [each for each in getattr(kind, "__dataclass_fields__", {}).values() if each.compare]


# Hashable and comparable: two trees with equal structures differ in their leaves alone. None is a tree without leaves.
Structure: TypeAlias = _Leaf | _Node

_LEAF = _Leaf()
_NONE = _Node(type(None), (), ())


class _Registered(NamedTuple):
    """How a container comes apart, to what it is made of beside its children, and these; and together again."""

    apart: Callable[[Any], tuple[tuple[Any, ...], Sequence[Any]]]
    together: Callable[[tuple[Any, ...], Sequence[Any]], Any]


_registered: dict[type, _Registered] = {
    OrderedDict: _Registered(
        lambda x: (tuple(x), list(x.values())), lambda keys, values: OrderedDict(zip(keys, values, strict=True))
    ),
    slice: _Registered(lambda x: ((), (x.start, x.stop, x.step)), lambda _, parts: slice(*parts)),
}


def register(
    kind: type,
    apart: Callable[[Any], tuple[tuple[Any, ...], Sequence[Any]]],
    together: Callable[[tuple[Any, ...], Sequence[Any]], Any],
) -> None:
    """Let objects of a class be containers.

    Args:
        apart: what an object is made of beside its children (hashable), and its children
        together: makes one of both
    """
    _registered[kind] = _Registered(apart, together)


def flatten(tree: Any, opens: Callable[[Any], bool] | None = None) -> tuple[list[Any], Structure]:
    """The leaves of a tree in their order, and its structure, to which the order of a dict belongs.

    Whatever is not a tuple, list, dict, named tuple, slice, None or of a registered class is a leaf.

    Args:
        opens: says which dataclass instances are containers of their fields; None: none is
    """
    leaves: list[Any] = []
    return leaves, _flatten(tree, leaves, opens)


def _flatten(tree: Any, leaves: list[Any], opens: Callable[[Any], bool] | None) -> Structure:
    if tree is None:
        return _NONE
    kind = type(tree)
    if kind is dict:
        return _Node(kind, tuple(tree), tuple([_flatten(child, leaves, opens) for child in tree.values()]))
    if kind is tuple or kind is list or (isinstance(tree, tuple) and hasattr(tree, "_fields")):
        return _Node(kind, (), tuple([_flatten(child, leaves, opens) for child in tree]))
    registered = _registered.get(kind)
    if registered is not None:
        keys, values = registered.apart(tree)
        return _Node(kind, keys, tuple([_flatten(child, leaves, opens) for child in values]))
    if opens is not None and hasattr(kind, "__dataclass_fields__") and opens(tree):
        names = dict.fromkeys([*[field.name for field in fields(tree)], *getattr(tree, "__dict__", ())])
        keys = tuple([name for name in names if hasattr(tree, name)])
        return _Node(kind, keys, tuple([_flatten(getattr(tree, key), leaves, opens) for key in keys]))
    leaves.append(tree)
    return _LEAF


def is_flat(structure: Structure) -> bool:
    """Is it that of a tuple or list of leaves?"""
    if isinstance(structure, _Leaf) or structure.kind not in (tuple, list):
        return False
    return all(isinstance(child, _Leaf) for child in structure.children)


def unflatten(structure: Structure, leaves: Sequence[Any]) -> Any:
    """The tree of that structure with those leaves; `ValueError` if there are too few or too many."""
    rest = iter(leaves)
    try:
        tree = _unflatten(structure, rest)
    except StopIteration:
        raise ValueError(f"unflatten: {len(leaves)} leaves are too few for the structure") from None
    if next(rest, _LEAF) is not _LEAF:
        raise ValueError(f"unflatten: {len(leaves)} leaves are too many for the structure")
    return tree


def _unflatten(structure: Structure, leaves: Iterator[Any]) -> Any:
    if isinstance(structure, _Leaf):
        return next(leaves)
    if structure is _NONE or structure.kind is type(None):
        return None
    children = [_unflatten(child, leaves) for child in structure.children]
    if structure.kind is dict:
        return dict(zip(structure.keys, children, strict=True))
    if structure.kind is tuple or structure.kind is list:
        return structure.kind(children)
    if structure.kind in _registered:
        return _registered[structure.kind].together(structure.keys, children)
    if structure.keys:  # as the instance was: it is not initialised again
        made: Any = object.__new__(structure.kind)
        for key, child in zip(structure.keys, children, strict=True):
            object.__setattr__(made, key, child)
        return made
    return structure.kind(*children)  # a named tuple


def in_order_of(like: Any, tree: Any) -> Any:
    """The tree, where its dicts have the same keys as those of another one, in the order of these."""
    kind = type(tree)
    if kind is not type(like):
        return tree
    if kind is dict:
        names = like if tree.keys() == like.keys() else tree
        return {name: in_order_of(like.get(name), tree[name]) for name in names}
    if (kind is tuple or kind is list or (isinstance(tree, tuple) and hasattr(tree, "_fields"))) and len(tree) == len(
        like
    ):
        children = [in_order_of(first, second) for first, second in zip(like, tree, strict=True)]
        return kind(*children) if hasattr(kind, "_fields") else kind(children)
    return tree


def map_leaves(f: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with `f` of each leaf in its place."""
    leaves, structure = flatten(tree)
    return unflatten(structure, [f(leaf) for leaf in leaves])
