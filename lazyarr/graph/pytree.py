"""Nested arguments and results: tuples, lists, dicts and named tuples, taken apart and put together again."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

__all__ = ["Structure", "flatten", "map_leaves", "unflatten"]


@dataclass(frozen=True, slots=True)
class _Leaf:
    """Where a leaf stood."""


@dataclass(frozen=True, slots=True)
class _Node:
    """A container: its type, the keys of a dict, and what it held."""

    kind: type
    keys: tuple[Any, ...]
    children: tuple[Structure, ...]


# Hashable and comparable: two trees with equal structures differ in their leaves alone. None is a tree without leaves.
Structure: TypeAlias = _Leaf | _Node

_LEAF = _Leaf()
_NONE = _Node(type(None), (), ())


def flatten(tree: Any) -> tuple[list[Any], Structure]:
    """The leaves of a tree in a fixed order, and its structure. A dict's order does not matter if its keys sort.

    Whatever is not a tuple, list, dict, named tuple or None is a leaf.
    """
    leaves: list[Any] = []
    return leaves, _flatten(tree, leaves)


def _flatten(tree: Any, leaves: list[Any]) -> Structure:
    if tree is None:
        return _NONE
    kind = type(tree)
    if kind is dict:
        try:
            keys = tuple(sorted(tree))
        except TypeError:
            keys = tuple(tree)
        return _Node(kind, keys, tuple([_flatten(tree[key], leaves) for key in keys]))
    if kind is tuple or kind is list or (isinstance(tree, tuple) and hasattr(tree, "_fields")):
        return _Node(kind, (), tuple([_flatten(child, leaves) for child in tree]))
    leaves.append(tree)
    return _LEAF


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
    return structure.kind(*children)  # a named tuple


def map_leaves(f: Callable[[Any], Any], tree: Any) -> Any:
    """The tree with `f` of each leaf in its place."""
    leaves, structure = flatten(tree)
    return unflatten(structure, [f(leaf) for leaf in leaves])
