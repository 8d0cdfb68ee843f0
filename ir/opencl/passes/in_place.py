"""Which results of a kernel may lie in the memory of an input: those whose turns read only what they write themselves.

    for (int i = 0; i < n; ++i) result[i] = 2 * x[i];        // result may be x
    for (int i = 0; i < n; ++i) result[i] = x[n - 1 - i];    // another turn reads what this one has written

The decision is made on the tree that the generator makes before it prints: there everything is decided, who runs which
turn, in what order, and which elements each statement names. It holds for all sizes. A kernel of which anything is
unclear is refused; the named conditions say what is asked for.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise, permutations

from ir.core.sizes import Size, is_le, size
from ir.core.types import ScalarType
from ir.cost.thresholds.tiers import IN_PLACE_NESTED_LOOPS_AT_MOST
from ir.opencl.passes.accesses import NAME, AccessLog
from ir.opencl.stages import Launch
from ir.opencl.tree import Access, Barrier, Block, Function, Loop, Node, Statement, Turns, children, texts

__all__ = ["CONDITIONS", "why_not_in_place"]

CONDITIONS = {
    "known_places": "each mention of the two arrays names elements whose index is known",
    "same_type": "both hold scalars of one type",
    "read_and_written": "the input is read, the result is written only",
    "own_turns": "each turn, and no other, is run by one work-item: no two of them write the same element",
    "linear": "indices are sums of the turns' variables times factors, none of which depends on data",
    "apart": "the elements of one turn are no other turn's: the factors of the variables leave room for those inside",
    "same_turn": "what is read in one nest of loops is written in the same turn of it, or nowhere in the kernel",
    "read_first": "within a turn an element is read before it is written",
}
"""What is asked of a kernel, by name."""


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
class _Windows:
    """Elements that turns name, each some of its own: from `base`, and a factor times each turn's number, on.

    Attributes:
        turns: the factor of each loop's variable, and how many turns it has; loops of one turn are left out
        reads, writes: is there a use that reads, and one that writes?
    """

    base: Size
    width: int
    turns: tuple[tuple[Size, Size], ...]
    reads: bool
    writes: bool


class _UnclearError(Exception):
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
            raise _UnclearError("read_and_written")
        by_turns: dict[tuple[int, ...], list[_Use]] = {}
        for use in uses:
            by_turns.setdefault(tuple(map(id, use.turns)), []).append(use)
        known = frozenset(declared)
        windows = [found for each in by_turns.values() for found in _windows(each, launch, known)]
        _check_apart(windows)
    except _UnclearError as problem:
        return str(problem)
    return ""


def _check_types(accesses: AccessLog, read: str, written: str) -> None:
    memory = accesses.memory
    if read not in memory or written not in memory:
        raise _UnclearError("read_and_written")
    one, other = memory[read], memory[written]
    if one.space != "global" or other.space != "global":
        raise _UnclearError("known_places")
    if not isinstance(one.element, ScalarType) or one.element is not other.element:
        raise _UnclearError("same_type")


def _uses(function: Function, accesses: AccessLog, read: str, written: str) -> list[_Use]:
    """All uses of the two arrays."""
    found: list[_Use] = []
    for order, (node, turns, in_header) in enumerate(_in_order(function.body, ())):
        if isinstance(node, Statement) and node.text.startswith("PREFETCH"):
            continue  # reads and writes nothing
        if isinstance(node, Barrier):
            continue
        stored = node.stored if isinstance(node, Statement) else None
        if stored is not None and stored.name == read:
            raise _UnclearError("read_and_written")
        own = stored is not None and stored.name == written
        for text in texts(node):
            names = NAME.findall(text)
            if names.count(written) != own:  # it is named where it is stored to, and nowhere else
                raise _UnclearError("read_and_written")
            if read not in names:
                continue
            named, rest = accesses.taken_apart(text)
            if in_header or read in NAME.findall(rest):
                raise _UnclearError("known_places")
            found += [_use(access, False, turns, order) for access in named if access.name == read]
        if stored is not None and own:
            found.append(_use(stored, True, turns, order))
    return found


def _in_order(node: Node, turns: tuple[Turns, ...]) -> Iterator[tuple[Node, tuple[Turns, ...], bool]]:
    """The nodes in the order of the text, the loops around each, and whether it is a loop's own header."""
    if isinstance(node, Loop):
        if node.body.turns is None:
            raise _UnclearError("own_turns")
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
        raise _UnclearError("known_places")
    return _Use(access.index, access.width, writes, turns, order)


def _windows(uses: Sequence[_Use], launch: Launch, declared: frozenset[Size]) -> Iterator[_Windows]:
    """What the uses inside the same loops name, those together that overlap; each is read before it is written."""
    turns = uses[0].turns
    _check_owner(turns, launch)
    waiting = list(uses)
    while waiting:
        origin = waiting[0].index
        near: list[tuple[int, int, _Use]] = []  # at a known distance: from where on, and before which element
        for use in waiting:
            offset = (use.index - origin).value
            if offset is not None:
                near.append((offset, offset + use.width, use))
        waiting = [use for use in waiting if all(use is not other for _, _, other in near)]
        near.sort(key=lambda each: each[:2])
        while near:
            begin, end, first = near.pop(0)
            together, last = [(begin, end, first)], end
            while near and near[0][0] < last:
                together.append(near.pop(0))
                last = max(last, together[-1][1])
            _check_order(together)
            base, factors = _factors(origin + begin, turns, declared)
            reads, writes = (any(use.writes is kind for _, _, use in together) for kind in (False, True))
            yield _Windows(base, last - begin, factors, reads, writes)


def _check_order(uses: Sequence[tuple[int, int, _Use]]) -> None:
    for begin, end, use in uses:
        for start, stop, other in uses:
            if other.writes and not use.writes and other.order < use.order and begin < stop and start < end:
                raise _UnclearError("read_first")


def _check_apart(windows: Sequence[_Windows]) -> None:
    """Does no window share an element with another one, of which one is read and the other written?

    Windows of the same loops, and those of loops that are alike (the turns of an unrolled one), lie at equal distances:
    these count as one more loop. Any others lie behind each other.
    """
    alike: dict[frozenset[tuple[Size, Size, int]], list[_Windows]] = {}
    for each in windows:
        several = [(*pair, each.turns[:i].count(pair)) for i, pair in enumerate(each.turns)]
        alike.setdefault(frozenset(several), []).append(each)
    spans = []
    for family in alike.values():
        reads, writes = any(each.reads for each in family), any(each.writes for each in family)
        step, ordered = _in_steps([each.base for each in family])
        turns = family[0].turns if len(ordered) == 1 else (*family[0].turns, (step, size(len(ordered))))
        begin = ordered[0]
        spans.append((begin, begin + _room(turns, max(each.width for each in family)), reads, writes))
    for number, (begin, end, reads, writes) in enumerate(spans):
        for start, stop, others_read, others_write in spans[:number]:
            meet = (reads and others_write) or (writes and others_read)
            if meet and not (is_le(end, start) or is_le(stop, begin)):
                raise _UnclearError("same_turn")


def _in_steps(bases: Sequence[Size]) -> tuple[Size, list[Size]]:
    """The distance from each to the next one, and all of them in order."""
    if len(set(bases)) < len(bases):
        raise _UnclearError("same_turn")  # of different loops
    rest, ordered = list(bases), list[Size]()
    while rest:
        least = next((each for each in rest if all(is_le(each, other) for other in rest)), None)
        if least is None:
            raise _UnclearError("apart")
        ordered.append(least)
        rest.remove(least)
    steps = {after - before for before, after in pairwise(ordered)}
    if len(steps) > 1:
        raise _UnclearError("apart")
    return next(iter(steps), size(0)), ordered


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
        raise _UnclearError("own_turns")


def _factors(
    index: Size, turns: Sequence[Turns], declared: frozenset[Size]
) -> tuple[Size, tuple[tuple[Size, Size], ...]]:
    """An index without the turns' variables, and the factor of each of these, beside how many turns there are, of loops
    of several.
    """
    variables = {each.index for each in turns}
    if len(variables) < len(turns):
        raise _UnclearError("linear")
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
        raise _UnclearError("linear")
    return base, tuple([(factor, trip) for factor, trip in factors if trip.value != 1])


def _room(several: Sequence[tuple[Size, Size]], width: int) -> Size:
    """How many elements lie between the first and the last that are named, if each turn has `width` of its own."""
    if len(several) > IN_PLACE_NESTED_LOOPS_AT_MOST:
        raise _UnclearError("apart")
    for order in permutations(reversed(several)):  # the innermost loop first: mostly that is how they lie
        room = size(width)
        for factor, trip in order:
            if not is_le(room, factor):
                break
            room = room + factor * (trip - 1)
        else:
            return room
    raise _UnclearError("apart")
