"""Walks over graphs of any kind: of expressions, vertices, kernels or arrays."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from typing import TypeVar

__all__ = ["reached", "walk"]

N = TypeVar("N", bound=Hashable)


def walk(roots: Iterable[N], below: Callable[[N], Sequence[N]]) -> list[N]:
    """Every distinct node that `below` leads to from the roots, once, after those below it. Iterative."""
    seen: set[N] = set()
    order: list[N] = []
    pending = [(root, False) for root in reversed(tuple(roots))]
    while pending:
        node, is_done = pending.pop()
        if is_done:
            order.append(node)
        elif node not in seen:
            seen.add(node)
            pending.append((node, True))
            pending.extend((each, False) for each in reversed(below(node)) if each not in seen)
    return order


def reached(roots: Iterable[N], below: Callable[[N], Iterable[N]]) -> Iterator[N]:
    """Every distinct node that `below` leads to from the roots, once, as it is met. Iterative."""
    seen: set[N] = set()
    pending = list(roots)
    while pending:
        node = pending.pop()
        if node not in seen:
            seen.add(node)
            yield node
            pending.extend(below(node))
