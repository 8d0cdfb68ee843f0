"""Barrier elimination: the kernel writer puts a barrier wherever one may be needed; this pass removes the others.

Source: "Lift: a functional data-parallel IR for high-performance GPU code generation" (CGO 2017), section 5. One
condition covers the barrier before the first write, the one after the last use, two in a row, and the one at the end of
a loop whose turns begin with another: a barrier is needed if without it accesses that conflict are not kept apart.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import replace
from math import gcd, prod
from typing import NamedTuple

from ir.core.sizes import Size, var
from ir.opencl.tree import Access, Barrier, Block, Declare, Function, If, Loop, Node, Statement, children, walk

__all__ = ["barriers_of", "remove_barriers"]


def remove_barriers(function: Function) -> None:
    """Remove each barrier that no access needs, the most deeply nested first and then in the order of the text.

    Before: accesses to local memory that conflict have a barrier between them on every path.
    After: they still have. Two accesses conflict where one writes, both may concern one element, and it is not proved
        that one work-item alone makes both accesses to it. No barrier that is left can be removed alone.
    """
    barriers = barriers_of(function)
    if not barriers:
        return
    if function.group is not None and prod(function.group) == 1:
        dropped = {id(barrier) for _, barrier in barriers}
    else:
        flow, dropped = _Flow(function), set[int]()
        allowed = flow.neighbours(dropped)
        for _, barrier in sorted(barriers, key=lambda found: -found[0]):
            if flow.neighbours(dropped | {id(barrier)}) == allowed:
                dropped.add(id(barrier))
    for node in walk(function.body):
        if isinstance(node, Block):
            node.body[:] = [part for part in node.body if id(part) not in dropped]


def barriers_of(function: Function) -> list[tuple[int, Barrier]]:
    """The barriers in the order of the text, each with the number of loops around it."""
    found: list[tuple[int, Barrier]] = []

    def visit(node: Node, depth: int) -> None:
        if isinstance(node, Barrier):
            found.append((depth, node))
        for part in children(node):
            visit(part, depth + isinstance(node, Loop))

    visit(function.body, 0)
    return found


_Span = tuple[int | None, int | None]
"""The first and the last of some elements; None where that is not known."""


class _Owner(NamedTuple):
    """Which work-item of a dimension an index belongs to: index // stride % modulus of it, counted from `start`.

    Attributes:
        modulus: None where nothing above it is added, so that the remainder need not be taken
        last: the largest result, if it is known
    """

    stride: int
    start: int
    modulus: int | None
    last: int | None


class _Who(NamedTuple):
    """What is known in one dimension of the work-items that make an access.

    Attributes:
        is_first: the first one alone makes it
        owner: the one that makes it can be read off the index
    """

    is_first: bool
    owner: _Owner | None

    def agrees(self, other: _Who, span: _Span) -> bool:
        """Is it the same one wherever both concern the same element, of those?"""
        if self.is_first_at(span) and other.is_first_at(span):
            return True
        return self.owner is not None and other.owner is not None and _agree(self.owner, other.owner)

    def is_first_at(self, span: _Span) -> bool:
        """Is it the first one at all these elements?"""
        first, last = span
        if self.is_first or self.owner is None or self.owner.start or first is None or last is None:
            return self.is_first
        return first >= 0 and last < self.owner.stride


class _Use(NamedTuple):
    """All that matters of an access: uses that are equal conflict with the same others.

    Attributes:
        span: the first and the last element that it may concern; None where that is not known
    """

    arrays: frozenset[str]
    is_write: bool
    made_by: tuple[_Who, ...] | None
    span: _Span = (None, None)

    def conflicts(self, other: _Use) -> bool:
        """May two work-items concern one element, one of them writing it?"""
        if not (self.is_write or other.is_write) or not self.arrays & other.arrays:
            return False
        if _is_before(self.span, other.span) or _is_before(other.span, self.span):
            return False
        if self.made_by is None or other.made_by is None:
            return True
        span = _common(self.span, other.span)
        return not all(a.agrees(b, span) for a, b in zip(self.made_by, other.made_by, strict=True))


class _Flow:
    """Which accesses can follow which others without a barrier in between.

    Each access is a bit; the state at a place of the program is the set of accesses that reach it.
    """

    def __init__(self, function: Function) -> None:
        self.body = function.body
        self._items = {str(index) for index in function.items}
        local = {d.name for d in walk(function.body) if isinstance(d, Declare) and d.space == "__local"}
        self._at: dict[int, list[int]] = {}
        uses: dict[_Use, int] = {}
        members: defaultdict[int, int] = defaultdict(int)
        self._use_of: list[int] = []
        for node in walk(function.body):
            if not isinstance(node, (Statement, Declare, If)):
                continue
            writes = node.writes if isinstance(node, Statement) else ()
            for access, is_write in [*((a, False) for a in node.reads), *((a, True) for a in writes)]:
                for arrays, place in _places(access, function, local):
                    found = _Use(arrays, is_write, _makers(place, function), _span(place))
                    use = uses.setdefault(found, len(uses))
                    members[use] |= 1 << len(self._use_of)
                    self._at.setdefault(id(node), []).append(len(self._use_of))
                    self._use_of.append(use)
        self._rivals = [sum(members[number] for other, number in uses.items() if use.conflicts(other)) for use in uses]

    def neighbours(self, dropped: set[int]) -> dict[int, int]:
        """For each access the conflicting ones that reach it, while some barriers are left out."""
        found: dict[int, int] = {}
        self._through(self.body, 0, dropped, found)
        return found

    def _through(self, node: Node, state: int, dropped: set[int], found: dict[int, int]) -> int:
        for number in self._at.get(id(node), ()):
            state |= 1 << number
            rivals = state & self._rivals[self._use_of[number]]
            if rivals:
                found[number] = found.get(number, 0) | rivals
        match node:
            case Barrier():
                return state if id(node) in dropped else 0
            case Loop(var=index, body=body, runs=runs):
                once = self._through(body, state, dropped, found)
                if index in self._items and not any(isinstance(part, Barrier) for part in walk(body)):
                    return once if runs else state | once  # a map's turns are independent of each other
                again = once | self._through(body, state | once, dropped, found)
                return again if runs else state | again
            case If(body=body):
                return state | self._through(body, state, dropped, found)
            case Block(body=parts):
                for part in parts:
                    state = self._through(part, state, dropped, found)
        return state


# --- work-items and the elements they own ---------------------------------------------------------------------------


def _places(access: Access, function: Function, local: set[str]) -> Iterator[tuple[frozenset[str], Access]]:
    """The local arrays that an access may concern, and where: a pointer to a part of one counts from its start."""
    arrays = function.arrays[access.name] & local
    starts = function.parts.get(access.name)
    if starts is None:
        if arrays:
            yield arrays, access
        return
    for array in sorted(arrays):
        index = None if access.index is None else starts[array] + access.index
        yield frozenset({array}), replace(access, index=index)


def _span(access: Access) -> _Span:
    if access.index is None:
        return None, None
    first, last = access.index.bounds()
    return first, None if last is None else last + access.width - 1


def _is_before(one: _Span, other: _Span) -> bool:
    return one[1] is not None and other[0] is not None and one[1] < other[0]


def _common(one: _Span, other: _Span) -> _Span:
    firsts = [first for first, _ in (one, other) if first is not None]
    lasts = [last for _, last in (one, other) if last is not None]
    return max(firsts, default=None), min(lasts, default=None)


def _makers(access: Access, function: Function) -> tuple[_Who, ...] | None:
    """For each dimension with several work-items which of them make an access; None if that is not known."""
    if access.index is None or function.group is None:
        return None
    index = access.index + (var("lane", 0, access.width - 1) if access.width > 1 else 0)
    found = []
    for dim, extent in enumerate(function.group):
        if extent > 1:
            items = [v for v in index.variables if function.items.get(v) == dim]
            if len(items) != 1:
                return None
            found.append(_Who(items[0].bounds()[1] == 0, _owner(index, items[0])))
    return tuple(found)


def _owner(index: Size, item: Size) -> _Owner | None:
    """Read the variable off an index that is `item` times a constant, something smaller, and multiples of more."""
    rest, last = index.substitute({item: 0}), item.bounds()[1]
    stride = (index.substitute({item: 1}) - rest).value
    if stride is None or stride <= 0 or index is not rest + item * stride:
        return None
    start, above = 0, 0
    for monomial, coefficient in (rest - rest % stride).terms:
        if coefficient % stride:
            return None
        if monomial:
            above = gcd(above, coefficient)
        else:
            start = coefficient
    modulus = above // stride if above else None
    if modulus is not None and (last is None or last >= modulus):
        return None
    return _Owner(stride, start, modulus, last)


def _agree(a: _Owner, b: _Owner) -> bool:
    """Do they read the same work-item off the same index?"""
    if (a.stride, a.start) != (b.stride, b.start):
        return False
    if a.modulus is not None and b.modulus is not None:
        return a.modulus == b.modulus
    modulus = b.modulus if a.modulus is None else a.modulus
    return modulus is None or all(last is not None and last < modulus for last in (a.last, b.last))
