"""Schedules for scatters: one work-item does all, or each takes a range of places, or a share of the values.

A range of places looks at all values, so that values for one place are combined in their order whatever the schedule. A
share of the values gets an array of its own, whose elements are combined in the end: that is for functions that are
associative and commutative, and for few places.
"""

from __future__ import annotations

from ir.core.expr import Expr, postorder
from ir.core.patterns import SCATTER, Call, Concat, Scatter
from ir.core.sizes import Size, var
from ir.cost.thresholds.sorts import (
    SCATTER_CHUNK,
    SCATTER_COPY_VECTOR,
    SCATTER_MANY_FROM,
    SCATTER_RANGES_OF_FEW,
    SCATTER_RANGES_OF_MANY,
    SCATTER_RANGES_ON_A_CPU_AT_MOST,
    SCATTER_SHARES_PER_CPU_UNIT,
    SCATTER_SHARES_PER_GPU_UNIT,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, body, initial, joined, part, transposed, values
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, seq, tactic, try_, use
from ir.rules.common import element, is_scalar_like, length, neutral
from ir.rules.maps.fusion import fuse_operands
from ir.rules.opencl.lowering import reduce_to_seq
from ir.rules.opencl.memory import to_global, to_private
from ir.rules.opencl.vectorise import is_vectorisable
from ir.rules.sorting.scatter import (
    scatter_in_chunks,
    scatter_in_order,
    scatter_indices_apart,
    scatter_partition,
    scatter_split,
    scatter_to_seq,
)
from ir.schedules.cuts import scatter_to_parts
from ir.schedules.maps.flat import WIDTHS, in_vectors
from ir.schedules.parts import parts_in_order
from ir.schedules.schedule import Choices, Constraint, Machine, Parameter, Schedule, up_to
from ir.schedules.tactics import at_parts, over, push_maps, sequential, to_grid, to_groups

__all__ = ["ScatterByPlaces", "ScatterByValues", "ScatterSequential", "in_chunks"]


_RANGES = (2, 4, 8, 16, 64, 256, 1024, 4096, 16384)
_SHARES = (2, 4, 8, 16, 32, 64, 256, 1024, 4096)
_CHUNKS = (1, 16, 64, 256, 1024)

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
