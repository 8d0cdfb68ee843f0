"""Schedules in which the work-items of a group fold together: a tree in local memory (ICFP 2015, section 6)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace

from ir.core.expr import Expr
from ir.core.patterns import Reduce, Split
from ir.core.sizes import Size, SizeLike, minimum, size, var
from ir.cost.thresholds.defaults import GPU_VECTOR_AT_MOST
from ir.cost.thresholds.reductions import (
    FEW_LONG_ROWS_PER_UNIT,
    LONG_ROW_FROM,
    LONG_ROW_TREE_GROUP_AT_MOST,
    LONG_ROW_TREE_TURNS,
    LONG_ROW_TREE_VECTOR_AT_MOST,
    REDUCTION_WAYS,
    ROW_TREE_GROUP,
    SHORT_ROW_ALONE_UP_TO,
    SHORT_TREE_GROUP,
    TREE_GROUP,
    TREE_GROUPS_AT_LEAST,
    TREE_GROUPS_PER_UNIT,
    TREE_TURNS_AT_LEAST,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, below, body, here, joined, part
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, seq, tactic, use
from ir.rules.common import divides
from ir.rules.folds.reduction import part_iterate, part_reorder, reduce_to_part, reduce_to_parts
from ir.rules.folds.scan_by_group import reduce_by_lanes
from ir.rules.layout.ragged import reduce_flatten, reduce_pad, reduce_partition
from ir.rules.maps.algorithmic import map_identity
from ir.rules.opencl.lowering import unroll
from ir.rules.opencl.memory import to_global, to_last_group, to_local
from ir.schedules.reductions.chains import (
    WAYS,
    Rows,
    in_short_chains,
    input_length,
    is_parallel,
    is_shared,
    short_chains,
    widths,
)
from ir.schedules.reductions.folding import (
    Folding,
    few,
    fold_exact,
    parts_over,
    reorder_below_maps,
    split_parts,
    strided,
    whole_over,
)
from ir.schedules.rows.dependent import needs_others, others_of, reduce_others
from ir.schedules.schedule import (
    MACHINE,
    Choices,
    Constraint,
    Machine,
    Parameter,
    Schedule,
    bytes_of,
    product_of,
    satisfied,
    up_to,
)
from ir.schedules.tactics import (
    alone_over,
    at_parts,
    count_of_rows,
    in_order,
    is_open_map,
    over,
    push_maps,
    rows_in,
    split_over,
    to_groups,
    to_items,
)

__all__ = [
    "LOCAL", "OF_ANY_LENGTH", "ReduceTree", "RowsByTree", "fits_a_group", "fold_in_group", "fold_row", "fold_row_here",
    "groups_allowed", "groups_fit", "halved", "partials_of_row", "share_by_items",
]  # fmt: skip

_GROUPS = (8, 16, 32, 64, 108, 128, 132, 216, 256, 264, 432, 512, 528, 1024, 1056, 2048)
"""Powers of two, and multiples of the compute units of common devices: 108 and 132."""

LOCAL = (32, 64, 128, 256, 512)
"""Work-items in a group that folds together."""


def group_parameters(widths: Sequence[int]) -> tuple[Parameter, ...]:
    """How many work-items are in a group that folds together, and how each folds, in vectors of those widths or one."""
    narrow = tuple(w for w in widths if w <= GPU_VECTOR_AT_MOST)
    return (Parameter("local", LOCAL), Parameter("width", narrow), Parameter("ways", WAYS))


OF_ANY_LENGTH = 3 * (minimum(product_of("width", "ways") - 1, 1) + 1)
"""Partial results of a work-item where `fold_row` folds: of each share, of what is left, and half as many again."""


def fits_a_group(e: Reduce, kept: SizeLike = 3) -> list[Constraint]:
    """A group fits the device, and its partial results with their half-sized copy and the result fit local memory,
    beside those of the reductions that it needs.

    Args:
        kept: how many each work-item keeps there
    """
    return groups_fit((e, *others_of(e)), kept)


def groups_fit(
    reductions: Sequence[Reduce], kept: SizeLike = OF_ANY_LENGTH, items: SizeLike | None = None
) -> list[Constraint]:
    """The same of some reductions; of groups that have so many work-items, `local` if it is not said."""
    local = var("local", 1) if items is None else size(items)
    partial = (local * kept + 1) * sum(bytes_of(each.init.type) for each in reductions)
    return [
        Constraint.le(local, MACHINE["max_work_group_size"], "work-items in a work-group"),
        Constraint.le(partial, MACHINE["local_memory_bytes"], "bytes of local memory"),
    ]


def groups_allowed(reductions: Sequence[Reduce], machine: Machine) -> tuple[int, ...]:
    """How many work-items a group may have that make some reductions, each with one accumulator; few if none fits."""
    constraints, alone = groups_fit(reductions), {**machine.bindings(), "width": 1, "ways": 1}
    return tuple(x for x in LOCAL if satisfied(constraints, {**alone, "local": x}, {}) is None) or LOCAL[:1]


def share_by_items(level: Strategy, items: int, how: Folding) -> Strategy:
    """reducePart f z n  ->  join ∘ mapX (fold) ∘ split ∘ reorderStride n: a strided share for each of n work-items"""
    return seq(
        part_reorder,
        at(array, reorder_below_maps),
        split_parts,
        push_maps,
        at(joined / array / below(Split), strided(items, how.width)),
        at(joined, over(level, fold_exact(how))),
    )


_halve: Strategy = parts_over(to_items, few(2))
"""reducePart f z n  ->  join ∘ mapLocal (reduceSeq f z) ∘ split 2"""


_by_one_item: Strategy = whole_over(to_items, in_order)
"""reduce f z  ->  join ∘ mapLocal (reduceSeq f z) ∘ split n: one work-item of the group does it"""


def fold_in_group(local: int, how: Folding, *, lanes: bool = False) -> Strategy:
    """A reduction whose length is a multiple of local * how.step, by the work-items of one group.

    reduce f z  ->  mapLocal id ∘ iterate (join ∘ mapLocal (reduceSeq f z) ∘ split 2)
                    ∘ toLocal (join ∘ mapLocal (reduceSeq f z) ∘ split ∘ reorderStride local)

    Args:
        lanes: whether the lanes of warps combine what work-items have, and one work-item what warps have
    """
    in_lanes = seq(reduce_by_lanes, whole_over(to_items, seq(in_order, unroll)))
    return seq(
        use(reduce_to_parts, parts=local),
        at(array, seq(share_by_items(to_items, local, how), to_local)),
        *((in_lanes,) if lanes else halved(local)),
    )


class ReduceTree(Schedule):
    """Work-groups whose work-items fold strided elements and then halve the partial results in local memory."""

    name = "tree"
    exchanges = True

    def matches(self, e: Expr) -> bool:
        """Reductions of scalars by an associative, commutative function."""
        return is_parallel(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many groups, how many work-items in each, and how a work-item folds."""
        return (Parameter("groups", _GROUPS), *group_parameters(widths(e)), Parameter("one_kernel", (0, 1)))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Two groups for each compute unit, as large as local memory allows, four vectors for each work-item; less of
        everything for short arrays.
        """
        assert isinstance(e, Reduce)
        wide = up_to(GPU_VECTOR_AT_MOST, widths(e))
        fits, folding = fits_a_group(e, OF_ANY_LENGTH), {"width": wide, "ways": REDUCTION_WAYS}
        allowed = (n for n in LOCAL if satisfied(fits, {**machine.bindings(), **folding, "local": n}, {}) is None)
        local = max((n for n in allowed if n <= TREE_GROUP), default=LOCAL[0])
        for width, ways in ((wide, REDUCTION_WAYS), (wide, 1), (1, 1)):
            groups = max(
                g for g in _GROUPS if g <= max(TREE_GROUPS_AT_LEAST, TREE_GROUPS_PER_UNIT * machine.compute_units)
            )
            if TREE_TURNS_AT_LEAST * groups * local * width * ways <= elements:
                break
        while groups > TREE_GROUPS_AT_LEAST and TREE_TURNS_AT_LEAST * groups * local > elements:
            groups //= 2
        groups = up_to(max(TREE_GROUPS_AT_LEAST, groups), _GROUPS)
        return {
            "groups": groups,
            "local": local if TREE_TURNS_AT_LEAST * groups * local <= elements else SHORT_TREE_GROUP,
            "width": width,
            "ways": ways,
            "one_kernel": int(machine.device_fence),
        }

    def constraints(self, e: Expr) -> list[Constraint]:
        """Groups that fit, and accumulators with bounded rounding errors."""
        assert isinstance(e, Reduce)
        taken = product_of("groups", "local", "width", "ways")
        return [
            *short_chains(e, "groups", "local", "width", "ways"),
            Constraint.le(taken, input_length(e), "elements that all groups take in one turn"),
            Constraint.le(var("one_kernel", 0), MACHINE["device_fence"], "work-groups see what others wrote"),
            *fits_a_group(e, OF_ANY_LENGTH),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (fold_in_group) ∘ toGlobal (mapWorkgroup (fold_in_group) ∘ split), or toLastGroup

        What is left beside equal chunks goes to the groups block by block, and only what is no whole block to one of
        them; neutral elements bring the partial results to twice the number of groups.
        """
        groups, local, how = choices["groups"], choices["local"], Folding.of(choices)
        n, block = input_length(start.result), local * how.step
        turns, blocks = (n // block) // groups, (n // block) % groups
        whole = groups * turns * block
        each = parts_over(to_groups, fold_in_group(local, how))
        count = groups if whole is n else 2 * groups
        last_local = min(local, 1 << (groups.bit_length() - 1))
        last = whole_over(to_groups, fold_row(size(count), last_local, Folding()))
        if choices["one_kernel"]:
            last = seq(last, at(joined, to_last_group))
        if whole is n:
            partial = seq(use(reduce_to_parts, parts=groups), at(array, seq(each, to_global)))
            return start.then(seq(partial, last), self.name)
        neutral = seq(map_identity, split_over(1, to_groups, to_items))
        end = [] if (n % block).value == 0 else [whole_over(to_groups, fold_row(n % block, local, Folding()))]
        left = use(reduce_partition, at=blocks * block, parts=blocks) if end else use(reduce_to_parts, parts=blocks)
        further = [each] if blocks.value != 0 else []
        partial = seq(
            use(reduce_partition, at=whole, parts=groups),
            seq(*[seq(at(array / part(1), left), reduce_flatten) for _ in further]),
            use(reduce_pad, count=groups - len(end) - blocks),
            at(array, seq(at_parts(each, *further, *end, neutral), to_global)),
        )
        return start.then(seq(partial, last), self.name)


class RowsByTree(Rows):
    """A work-group for each row, whose work-items fold strided elements and then halve the partial results."""

    name = "row_tree"
    exchanges = True

    def matches(self, e: Expr) -> bool:
        """The reductions of the rows of a matrix, by an associative, commutative function."""
        return is_shared(self.row(e))

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many work-items in a group, and how a work-item folds."""
        return group_parameters(widths(self._row(e)))

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """Small groups, so that short rows keep all work-items busy."""
        row = self._row(e)
        n = input_length(row).value
        long = n is None or n >= LONG_ROW_FROM
        wide = up_to(GPU_VECTOR_AT_MOST, widths(row))
        width, ways = (wide, REDUCTION_WAYS) if long else (1, 1)
        return {"local": min(ROW_TREE_GROUP, machine.max_work_group_size), "width": width, "ways": ways}

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Larger groups and more accumulators for very long rows.

        On GPUs groups grow with the rows, and each work-item reads pairs into one accumulator, or, of few rows, wider
        vectors and several of them at a time; of short rows whose reductions need each other, which warps do not share,
        it reads one element at a time.
        """
        row = self._row(e)
        found = self.default(e, machine, elements)
        columns = input_length(row).evaluate(sizes)
        if not machine.is_cpu and columns >= LONG_ROW_FROM:
            most = min(LONG_ROW_TREE_GROUP_AT_MOST, machine.max_work_group_size)
            wanted = max(ROW_TREE_GROUP, columns // LONG_ROW_TREE_TURNS)
            found |= {"local": up_to(min(wanted, most), LOCAL), **self._folded(e, row, machine, sizes)}
        elif not machine.is_cpu and columns > SHORT_ROW_ALONE_UP_TO and needs_others(row):
            found |= {"width": 1, "ways": 1}
        groups = tuple(n for n in LOCAL if n <= machine.max_work_group_size)
        scope = tuple(Parameter("local", groups) if p.name == "local" else p for p in self.parameters(e))
        return in_short_chains(row, found, scope, ("local", "ways"), sizes)

    def _folded(self, e: Expr, row: Reduce, machine: Machine, sizes: Mapping[str, int]) -> dict[str, int]:
        """How a work-item of a GPU folds its share of a long row: where there are few, more of it is in flight."""
        few = count_of_rows(e).evaluate(sizes) <= FEW_LONG_ROWS_PER_UNIT * machine.compute_units
        if few and GPU_VECTOR_AT_MOST in widths(row) and divides(GPU_VECTOR_AT_MOST, input_length(row)):
            return {"width": GPU_VECTOR_AT_MOST, "ways": REDUCTION_WAYS}
        return {"width": up_to(LONG_ROW_TREE_VECTOR_AT_MOST, widths(row)), "ways": 1}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Groups that fit, a row with something for each work-item, accumulators with bounded rounding errors."""
        row = self._row(e)
        taken = product_of("local", "width", "ways")
        return [
            Constraint.le(taken, input_length(row), "elements that a group takes in one turn"),
            *short_chains(row, "local", "width", "ways"),
            *fits_a_group(row, OF_ANY_LENGTH),
        ]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (fold_in_group)"""
        n, local, how = input_length(self._row(start.result)), choices["local"], Folding.of(choices)
        others = reduce_others(seq(fold_row_here(local, how), to_local))
        groups = over(to_groups, seq(others, fold_row(n, local, how)))
        return start.then(at(rows_in(start.result), groups), self.name)


@tactic
def fold_row_here(e: Expr, local: int, how: Folding) -> Strategy:
    """The reduction that stands here, of any length; one that may not be regrouped is done by one of the work-items."""
    if not isinstance(e, Reduce) or not is_parallel(e):
        return _by_one_item
    narrow = up_to(how.width, widths(e))
    return fold_row(input_length(e), local, replace(how, width=narrow))


def fold_row(n: Size, local: int, how: Folding) -> Strategy:
    """A row of any length, by the work-items of one group.

    reduce f z  ->  mapLocal id ∘ iterate (..) ∘ toLocal (what `partials_of_row` makes)
    """
    step = local * how.step
    whole = step * (n // step)
    if whole is n:
        return seq(push_maps, fold_in_group(local, how))
    if whole.value == 0 and (n // local).value == 0:
        return _by_one_item
    count, cut, made = partials_of_row(n, local, how, to_items)
    return seq(cut, at(array, seq(made, to_local)), *halved(count))


def partials_of_row(n: Size, items: int, how: Folding, level: Strategy) -> tuple[int, Strategy, Strategy]:
    """A row whose length is no multiple of a turn: each work-item has an equal share of whole turns, an equal share of
    what is left, and at most one element of the rest. Neutral elements bring the number of all these to a power of two.

    reduce f z  ->  reduce f z (concat(shares, shares, mapX id, mapX id ∘ repeat m z))

    Returns:
        how many results, how the reduction is cut, and how what it reads then is lowered
    """
    step = items * how.step
    whole = step * (n // step)
    shares = [(whole, how), (items * ((n - whole) // items), Folding())] if how.step > 1 else [(whole, how)]
    shares = [(length, each) for length, each in shares if length.value != 0]
    slots = 2 if len(shares) == 1 else 4
    place, cuts = here, []
    for length, _ in shares:
        cuts.append(at(place, use(reduce_partition, at=length, parts=items)))
        place = place / array / part(1)
    padded = use(reduce_pad, count=(slots - len(shares)) * items - n % items)
    parts = [seq(push_maps, share_by_items(level, items, each)) for _, each in shares]
    made = at_parts(*parts, _each(level), _each(level))
    return slots * items, seq(*cuts, *[reduce_flatten for _ in shares], padded), made


def _each(level: Strategy) -> Strategy:
    """Each element by a work-item."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        pushed = push_maps(e, context)
        lowered = alone_over(level) if is_open_map(pushed.expr) else seq(map_identity, level)
        return seq(push_maps, lowered)(e, context)

    return run


def halved(count: int) -> tuple[Strategy, ...]:
    """reduce f z  ->  mapLocal id ∘ iterate (join ∘ mapLocal (reduceSeq f z) ∘ split 2), for so many in local memory"""
    return (
        reduce_to_part,
        use(part_iterate, factor=2, count=count.bit_length() - 1),
        at(body, _halve),
        map_identity,
        to_items,
    )
