"""Which results of a kernel may lie in the memory of an input: those whose turns read the very elements that they write.

    for (int i = 0; i < n; ++i) result[i] = 2 * x[i];        // result may be x
    for (int i = 0; i < n; ++i) result[i] = x[n - 1 - i];    // another turn reads what this one has written

The decision is made on the tree that the generator makes before it prints: there everything is decided, who runs which
turn, in what order, and which elements each statement names. It holds for all sizes. A kernel of which anything is
unclear is refused; the named conditions say what is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import permutations

from ir.core.sizes import Size, is_le, size
from ir.core.types import ScalarType
from ir.opencl.passes.accesses import NAME, AccessLog
from ir.opencl.stages import Launch
from ir.opencl.tree import Access, Barrier, Block, Function, If, Loop, Node, Statement, Turns, children, texts

__all__ = ["CONDITIONS", "why_not_in_place"]

CONDITIONS = {
    "known_places": "each mention of the two arrays names elements whose index is known",
    "same_type": "both hold scalars of one type",
    "read_and_written": "the input is read, the result is written only",
    "own_turns": "each turn, and no other, is run by one work-item: no two of them write the same element",
    "linear": "indices are sums of the turns' variables times factors, none of which depends on data",
    "apart": "the elements of one turn are no other turn's: the factors of the variables leave room for those inside",
    "same_turn": "what is read in one nest of loops is written in the same one, or nowhere in the kernel",
    "read_first": "within a turn an element is read before it is written",
}
"""What is asked of a kernel, by name."""

_NESTED_AT_MOST = 5
"""Loops around a statement whose order is tried in all ways."""


@dataclass(frozen=True)
class _Use:
    """A statement reads or writes `width` elements from `index` on.

    Attributes:
        turns: the loops around it, the outermost first
        order: its place in the text
    """

    index: Size
    width: int
    writes: bool
    turns: tuple[Turns, ...]
    order: int


@dataclass(frozen=True)
class _Nest:
    """The uses inside the same loops.

    Attributes:
        begin, end: all elements that they name lie from `begin` on, before `end`
        reads, writes: is there one that reads, and one that writes?
    """

    begin: Size
    end: Size
    reads: bool
    writes: bool


class _Unclear(Exception):
    """A condition does not hold; its name."""


def why_not_in_place(
    function: Function, accesses: AccessLog, launch: Launch, declared: Collection[Size], read: str, written: str
) -> str:
    """The first condition that speaks against a result in the memory of an input; empty if it may lie there.

    Args:
        function: the kernel, in which both have names of their own
        declared: all variables of sizes that it declares
        read, written: the names of the input and of the result
    """
    try:
        _check_types(accesses, read, written)
        uses = _uses(function, accesses, read, written)
        if not (any(use.writes for use in uses) and any(not use.writes for use in uses)):
            raise _Unclear("read_and_written")
        by_turns: dict[tuple[int, ...], list[_Use]] = {}
        for use in uses:
            by_turns.setdefault(tuple(map(id, use.turns)), []).append(use)
        nests = [_nest(each, launch, frozenset(declared)) for each in by_turns.values()]
        for number, one in enumerate(nests):
            for other in nests[:number]:
                meet = (one.reads and other.writes) or (one.writes and other.reads)
                if meet and not (is_le(one.end, other.begin) or is_le(other.end, one.begin)):
                    raise _Unclear("same_turn")
    except _Unclear as problem:
        return str(problem)
    return ""


def _check_types(accesses: AccessLog, read: str, written: str) -> None:
    memory = accesses.memory
    if read not in memory or written not in memory:
        raise _Unclear("read_and_written")
    one, other = memory[read], memory[written]
    if one.space != "global" or other.space != "global":
        raise _Unclear("known_places")
    if not isinstance(one.element, ScalarType) or one.element is not other.element:
        raise _Unclear("same_type")


def _uses(function: Function, accesses: AccessLog, read: str, written: str) -> list[_Use]:
    """All uses of the two arrays."""
    found: list[_Use] = []
    for order, (node, turns, in_header) in enumerate(_in_order(function.body, ())):
        if isinstance(node, Statement) and node.text.startswith("PREFETCH"):
            continue  # reads and writes nothing
        stored = node.stored if isinstance(node, Statement) else None
        for text in texts(node):
            if isinstance(node, Barrier):
                continue
            named, rest = accesses.taken_apart(text)
            if {read, written} & set(NAME.findall(rest)):
                raise _Unclear("known_places")
            for access in named:
                if access.name == written:
                    if access is not stored:
                        raise _Unclear("read_and_written")
                elif access.name == read:
                    if access is stored:
                        raise _Unclear("read_and_written")
                    if in_header:
                        raise _Unclear("known_places")
                    found.append(_use(access, False, turns, order))
        if stored is not None and stored.name == written:
            found.append(_use(stored, True, turns, order))
        elif stored is not None and stored.name == read:
            raise _Unclear("read_and_written")
    return found


def _in_order(node: Node, turns: tuple[Turns, ...]) -> Iterator[tuple[Node, tuple[Turns, ...], bool]]:
    """The nodes in the order of the text, the loops around each, and whether it is a loop's own header."""
    if isinstance(node, Loop):
        if node.body.turns is None:
            raise _Unclear("own_turns")
        yield node, turns, True
    elif isinstance(node, Block):
        if node.turns is not None:
            turns = (*turns, node.turns)
    else:
        yield node, turns, False
    for part in children(node):
        yield from _in_order(part, turns)


def _use(access: Access, writes: bool, turns: tuple[Turns, ...], order: int) -> _Use:
    if access.index is None:
        raise _Unclear("known_places")
    return _Use(access.index, access.width, writes, turns, order)


def _nest(uses: Sequence[_Use], launch: Launch, declared: frozenset[Size]) -> _Nest:
    """What the uses inside the same loops name, if no two turns share an element and each reads before it writes."""
    turns = uses[0].turns
    _check_owner(turns, launch)
    origin = uses[0].index
    offsets = [(use.index - origin).value for use in uses]
    if any(offset is None for offset in offsets):
        raise _Unclear("linear")
    spans = [(offset, offset + use.width) for offset, use in zip(offsets, uses, strict=True) if offset is not None]
    least = min(begin for begin, _ in spans)
    width = max(end for _, end in spans) - least
    for use, (begin, end) in zip(uses, spans, strict=True):
        for other, (start, stop) in zip(uses, spans, strict=True):
            if other.writes and not use.writes and other.order < use.order and begin < stop and start < end:
                raise _Unclear("read_first")
    base, factors = _factors(origin + least, turns, declared)
    room = _room(factors, width)
    writes = any(use.writes for use in uses)
    return _Nest(base, base + room, not all(use.writes for use in uses), writes)


def _check_owner(turns: Sequence[Turns], launch: Launch) -> None:
    """Is each turn run by one work-item? In each dimension of the launch one loop shares the turns out."""
    kinds = [(each.kind, each.dim) for each in turns if each.kind]
    wanted = []
    for dim, extent in enumerate(launch.groups):
        if launch.local is None:
            wanted += [("mapGlobal", dim)] if extent.value != 1 else []
            continue
        wanted += [("mapWorkgroup", dim)] if extent.value != 1 else []
        wanted += [("mapLocal", dim)] if launch.local[dim] != 1 else []
    known = {"mapGlobal", "mapWorkgroup", "mapLocal"}
    if any(kind not in known for kind, _ in kinds) or len(set(kinds)) < len(kinds) or not set(wanted) <= set(kinds):
        raise _Unclear("own_turns")


def _factors(
    index: Size, turns: Sequence[Turns], declared: frozenset[Size]
) -> tuple[Size, list[tuple[Size, Size]]]:
    """An index without the turns' variables, and the factor of each of these, beside how many turns there are."""
    variables = {each.index for each in turns}
    if len(variables) < len(turns):
        raise _Unclear("linear")
    base = index.substitute(dict.fromkeys(variables, 0))
    rebuilt, factors = base, []
    for each in turns:
        others: dict[Size, int] = dict.fromkeys(variables, 0)
        others[each.index] = 1
        factor = index.substitute(others) - base
        rebuilt = rebuilt + factor * each.index
        factors.append((factor, each.trip))
    mentioned = {v for trip in (base, *(x for pair in factors for x in pair)) for v in trip.variables}
    if rebuilt is not index or mentioned & (variables | declared):
        raise _Unclear("linear")
    return base, factors


def _room(factors: Sequence[tuple[Size, Size]], width: int) -> Size:
    """How many elements lie between the first and the last that are named, if each turn has `width` of its own."""
    several = [(factor, trip) for factor, trip in factors if trip.value != 1]
    if len(several) > _NESTED_AT_MOST:
        raise _Unclear("apart")
    for order in permutations(reversed(several)):  # the innermost loop first: mostly that is how they lie
        room = size(width)
        for factor, trip in order:
            if not is_le(room, factor):
                break
            room = room + factor * (trip - 1)
        else:
            return room
    raise _Unclear("apart")
