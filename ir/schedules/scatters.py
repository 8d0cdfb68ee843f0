"""Schedules for scatters: one work-item does all, or each takes a range of places, or a share of the values.

A range of places looks at all values, so that values for one place are combined in their order whatever the schedule. A
share of the values gets an array of its own, whose elements are combined in the end: that is for functions that are
associative and commutative, and for few places.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from ir.core.expr import Expr, postorder
from ir.core.nodes.scatters import adds_integers
from ir.core.patterns import SCATTER, Call, Concat, Head, Reduce, Repeat, Scatter
from ir.core.sizes import Size, size, var
from ir.cost.thresholds.sorts import (
    SCATTER_CHUNK,
    SCATTER_COMBINING_GROUP,
    SCATTER_COPY_VECTOR,
    SCATTER_ITEM_SHARE,
    SCATTER_ITEMS_PER_UNIT,
    SCATTER_MANY_FROM,
    SCATTER_RANGES_OF_A_GROUP,
    SCATTER_RANGES_OF_FEW,
    SCATTER_RANGES_OF_MANY,
    SCATTER_RANGES_ON_A_CPU_AT_MOST,
    SCATTER_SHARES_PER_CPU_UNIT,
    SCATTER_SHARES_PER_GPU_UNIT,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, below, body, initial, joined, part, transposed, values
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, seq, tactic, try_, use
from ir.rules.common import element, is_scalar_like, length, neutral
from ir.rules.folds.reduction import reduce_before_start
from ir.rules.maps.algorithmic import map_identity, split_join
from ir.rules.maps.fusion import fuse_operands
from ir.rules.opencl.lowering import map_to_seq, reduce_to_seq
from ir.rules.opencl.memory import to_global, to_local, to_private
from ir.rules.opencl.vectorise import is_vectorisable
from ir.rules.sorting.scatter import (
    scatter_in_chunks,
    scatter_in_order,
    scatter_indices_apart,
    scatter_pad,
    scatter_partition,
    scatter_split,
    scatter_to_local,
    scatter_to_seq,
)
from ir.schedules.cuts import scatter_to_parts
from ir.schedules.maps.flat import WIDTHS, in_vectors
from ir.schedules.parts import parts_in_order
from ir.schedules.reductions.folding import Folding
from ir.schedules.reductions.trees import fold_row
from ir.schedules.rows.finished import finish
from ir.schedules.schedule import MACHINE, Choices, Constraint, Machine, Parameter, Schedule, bytes_of, up_to
from ir.schedules.tactics import at_parts, over, push_maps, sequential, to_grid, to_groups, to_items

__all__ = ["ScatterByGroups", "ScatterByPlaces", "ScatterByValues", "ScatterSequential", "in_chunks"]


_RANGES = (2, 4, 8, 16, 64, 256, 1024, 4096, 16384)
_SHARES = (2, 4, 8, 16, 32, 64, 256, 1024, 4096)
_CHUNKS = (1, 16, 64, 256, 1024)
_ITEMS = "work-items in a work-group"
_GROUPS = (16, 32, 64, 132, 264, 528, 1056, 2112)
_LOCAL = (128, 256, 512, 1024)
_KEPT = (256, 1024, 4096)

_alone: Strategy = seq(scatter_to_seq, at(array, parts_in_order(SCATTER_COPY_VECTOR)))
"""scatter f key xs  ->  scatterSeq f key (mapSeq id xs)"""


@tactic
def in_chunks(e: Scatter, chunk: int, width: int) -> Strategy:
    """scatter f key xs  ->  join (reduceSeq (λ(a, c). scatterSeq f fst a (zip(toPrivate (map (fst ∘ key) c), c))) xs)

    The indices of some values are computed in vectors before these are combined one by one, which no vector can do.
    What no chunk takes comes in the end. For chunks of one value nothing of the kind.
    """
    count = length(e.ys)
    whole = count // chunk * chunk
    if chunk == 1 or whole.value == 0:
        return _alone
    indices = seq(push_maps, in_vectors(width, sequential), to_private)
    turn = seq(scatter_indices_apart, scatter_to_seq, at(values / part(0), indices))
    both = seq(at(body, turn), at(initial, parts_in_order(SCATTER_COPY_VECTOR)))
    turns = seq(use(scatter_in_chunks, n=chunk), at(joined, both))
    if whole is count:
        return turns
    return seq(use(scatter_in_order, at=whole), scatter_to_seq, at(array, turns))


def _width(e: Expr, widest: int) -> int:
    """The widest vector that the indices of a scatter can be computed in; one where that is no function of scalars."""
    assert isinstance(e, Scatter)
    wide = is_vectorisable(e.key) and is_scalar_like(element(e.ys))
    return up_to(widest, WIDTHS) if wide else 1


def _computes_indices(e: Expr) -> bool:
    """Is more to be done for an index than to read it, and change its type?"""
    assert isinstance(e, Scatter)
    return any(isinstance(node, Call) for node in postorder(e.key))


class _Scatters(Schedule):
    def matches(self, e: Expr) -> bool:
        """Any scatter."""
        return isinstance(e, Scatter) and e.how == SCATTER


class ScatterSequential(_Scatters):
    """One work-item: what is best for few values."""

    name = "sequential"

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """scatterSeq f key (mapSeq id xs)"""
        return start.then(_alone, self.name)


class ScatterByPlaces(_Scatters):
    """Each work-item has a range of the result's places, and takes the values that belong there."""

    name = "places"

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many ranges, and whether they are work-items of groups that the runtime forms, or groups of one."""
        return (Parameter("ranges", _RANGES), Parameter("grouped", (0, 1)))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """A range for each compute unit of a CPU, many for a GPU."""
        if machine.is_cpu:
            units = min(machine.compute_units, SCATTER_RANGES_ON_A_CPU_AT_MOST)
            return {"ranges": up_to(units, _RANGES), "grouped": 0}
        return {
            "ranges": SCATTER_RANGES_OF_MANY if elements >= SCATTER_MANY_FROM else SCATTER_RANGES_OF_FEW,
            "grouped": 1,
        }

    def constraints(self, e: Expr) -> list[Constraint]:
        """A place for each range."""
        assert isinstance(e, Scatter)
        return [Constraint.le(var("ranges", 1), length(e.xs), "ranges of places")]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """concat(join ∘ mapWorkgroup (λ(c, s). scatterSeq f (key - s) c ys) ∘ split, the same for the rest)"""
        assert isinstance(start.result, Scatter)
        n, ranges = length(start.result.xs), choices["ranges"]
        level = to_grid if choices["grouped"] else to_groups

        def shared(count: Size) -> Strategy:
            places = seq(push_maps, try_(fuse_operands), over(level, _alone))
            return seq(use(scatter_split, n=count), at(joined, places))

        share = n // ranges
        whole = share * ranges
        if whole is n:
            return start.then(shared(share), self.name)
        parts = at_parts(shared(share), shared(n - whole))
        return start.then(seq(use(scatter_partition, at=whole), parts), self.name)


class ScatterByValues(_Scatters):
    """Each work-item has a share of the values and an array of its own; a second kernel combines the arrays."""

    name = "values"

    def matches(self, e: Expr) -> bool:
        """Scatters that combine by an associative, commutative primitive."""
        return super().matches(e) and isinstance(e, Scatter) and neutral(e.f) is not None

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many shares, of how many values at once the indices are computed, and how wide the vectors for that."""
        widths = tuple(w for w in WIDTHS if w <= _width(e, max(WIDTHS)))
        return (Parameter("shares", _SHARES), Parameter("chunk", _CHUNKS), Parameter("width", widths))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """A few for each compute unit; on a CPU vectors of indices, where there is something to compute."""
        each = SCATTER_SHARES_PER_CPU_UNIT if machine.is_cpu else SCATTER_SHARES_PER_GPU_UNIT
        units = each * max(1, machine.compute_units)
        width = _width(e, machine.native_vector_width) if machine.is_cpu and _computes_indices(e) else 1
        shares = up_to(units, _SHARES)
        return {"shares": shares, "chunk": SCATTER_CHUNK if width > 1 else 1, "width": width}

    def constraints(self, e: Expr) -> list[Constraint]:
        """More values than places, all shares' together; whole vectors in a chunk."""
        assert isinstance(e, Scatter)
        return [
            Constraint.le(var("shares", 1) * length(e.xs), length(e.ys), "places of all shares"),
            Constraint.le(var("width", 1), var("chunk", 1), "indices computed at once"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapGlobal (reduceSeq f) ∘ zip xs ∘ transpose ∘ toGlobal (mapWorkgroup (scatterSeq f (repeat n z)))"""
        assert isinstance(start.result, Scatter)
        m, shares = length(start.result.ys), choices["shares"]
        own_values = in_chunks(choices["chunk"], choices["width"])
        each = over(to_groups, own_values)

        def own(e: Expr, context: Context) -> Rewritten | None:
            parts = at_parts(each, each) if isinstance(e, Concat) else each
            return seq(parts, to_global)(e, context)

        combined = seq(push_maps, try_(fuse_operands), over(to_grid, try_(reduce_to_seq)))
        cut = scatter_to_parts(m // shares * shares, shares)
        return start.then(seq(cut, at(joined, seq(at(array / part(1) / transposed, own), combined))), self.name)


class ScatterByGroups(_Scatters):
    """Each work-group has a share of the values, which its work-items add up in local memory; others combine the sums.

    What does not fit there at once is added up range by range of places, for each of which the values are read again.
    """

    name = "groups"
    exchanges = True

    def matches(self, e: Expr) -> bool:
        """Scatters that add up integers."""
        return super().matches(e) and isinstance(e, Scatter) and adds_integers(e.f) and isinstance(e.xs, Repeat)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many groups, how many work-items in each, and how many places are added up to at a time."""
        return (Parameter("shares", _GROUPS), Parameter("local", _LOCAL), Parameter("kept", _KEPT))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """As for few places and that many values."""
        return self._chosen(machine, 1, elements, _KEPT)

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """As many places at a time as there are, as far as local memory allows."""
        assert isinstance(e, Scatter)
        places, values = (length(x).evaluate(sizes) for x in (e.xs, e.ys))
        most = machine.local_memory_bytes // bytes_of(element(e.xs))
        return self._chosen(machine, places, values, tuple(n for n in _KEPT if n <= most) or _KEPT[:1])

    def _chosen(self, machine: Machine, places: int, values: int, allowed: Sequence[int]) -> dict[str, int]:
        """All work-items that run at once, in groups of one for each place that is added up to at a time; fewer groups
        for few values.
        """
        kept = next((n for n in allowed if n >= places), allowed[-1])
        local = up_to(min(kept, machine.max_work_group_size), _LOCAL)
        items = min(SCATTER_ITEMS_PER_UNIT * max(1, machine.compute_units), values // SCATTER_ITEM_SHARE)
        shares = min(items // local, values // max(1, places))
        return {"shares": up_to(shares, _GROUPS), "local": local, "kept": kept}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Groups and sums that fit, more values than places of all groups, and no value read often."""
        assert isinstance(e, Scatter)
        local, kept, shares = var("local", 1), var("kept", 1), var("shares", 1)
        return [
            *(Constraint.le(n, MACHINE["max_work_group_size"], _ITEMS) for n in (local, SCATTER_COMBINING_GROUP)),
            Constraint.le(kept * bytes_of(element(e.xs)), MACHINE["local_memory_bytes"], "bytes of local memory"),
            Constraint.le(local, kept, "work-items that set a place to zero"),
            Constraint.le(shares * length(e.xs), length(e.ys), "places of all groups"),
            Constraint.le(length(e.xs), SCATTER_RANGES_OF_A_GROUP * kept, "ranges of places that a group adds up to"),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (fold_row) ∘ zip xs ∘ transpose ∘ toGlobal (mapWorkgroup (join ∘ mapSeq (mapLocal id ∘
        toLocal (scatterLocal f key))))
        """
        assert isinstance(start.result, Scatter)
        m, shares = length(start.result.ys), choices["shares"]
        each = over(to_groups, _in_local_memory(choices["local"], choices["kept"]))

        def own(e: Expr, context: Context) -> Rewritten | None:
            return seq(at_parts(each, each) if isinstance(e, Concat) else each, to_global)(e, context)

        cut, sums = scatter_to_parts(m // shares * shares, shares), over(to_groups, _combined())
        return start.then(seq(cut, at(joined, seq(at(array / part(1) / transposed, own), sums))), self.name)


@tactic
def _combined(e: Reduce) -> Strategy:
    """reduce f c  ->  map (f c) ∘ fold_row"""
    return seq(reduce_before_start, at(array, fold_row(length(e.xs), SCATTER_COMBINING_GROUP, Folding())), finish)


@tactic
def _in_local_memory(e: Scatter, local: int, kept: int) -> Strategy:
    """scatter f key (repeat n z)  ->  head n (join (mapSeq (λ(c, s). mapLocal id (toLocal (scatterLocal f (key - s)
    (mapLocal id c)))) ..))      for ranges of that many places
    """
    by_items = seq(use(split_join, n=local), at(joined, over(map_to_seq, over(to_items, sequential))))
    added = seq(scatter_to_local, at(array, seq(map_identity, by_items)), to_local)
    one = seq(map_identity, at(array, added), by_items)
    ranges = seq(use(scatter_split, n=kept), at(joined, seq(push_maps, try_(fuse_operands), over(map_to_seq, one))))
    missing = -length(e.xs) % kept
    return ranges if missing is size(0) else seq(use(scatter_pad, count=missing), at(below(Head), ranges))
