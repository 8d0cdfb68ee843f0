"""The schedule for an array and a reduction of as many elements, which one loop computes: it writes an element and
accumulates, so that memory is read once, and what both are made of is computed once.

Blocks of the array are shared out to work-groups: of one work-item, or of several that take neighbouring elements in
turns. A second kernel reduces what each work-item has accumulated.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from ir.core.expr import Expr
from ir.core.patterns import Reduce, Tuple
from ir.cost.thresholds.reductions import (
    BLOCKS_PER_UNIT_AT_LEAST,
    ONE_LOOP_BLOCK,
    ONE_LOOP_GROUPS_PER_UNIT,
    ONE_LOOP_TURNS,
    REDUCTION_WAYS,
    TREE_GROUP,
)
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, joined
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, everywhere, seq, try_, use
from ir.rules.common import element, length
from ir.rules.folds.reduction import mapped_by, reduce_to_parts
from ir.rules.layout.ragged import zero_of
from ir.rules.maps.accumulate import loops_together, maps_together
from ir.rules.maps.algorithmic import map_identity, split_join
from ir.rules.maps.fusion import elements_of_map
from ir.rules.opencl.lowering import map_to_seq, unroll
from ir.rules.opencl.memory import to_global, tuple_in_global
from ir.schedules.blocks_by_items import turns_of_rows
from ir.schedules.maps.flat import in_vectors, is_elementwise, pieces
from ir.schedules.maps.flat import widths as widths_of_map
from ir.schedules.reductions.chains import WAYS, in_short_chains, input_length, is_parallel, short_chains, widths
from ir.schedules.reductions.folding import (
    Folding,
    cut_reduction,
    fold,
    fold_exact,
    parts_over,
    split_parts,
    sums_in_blocks,
    whole_over,
)
from ir.schedules.reductions.trees import LOCAL, fold_in_group, fold_row, groups_fit
from ir.schedules.rows.compensated import Compensated
from ir.schedules.schedule import (
    ALONE,
    PREFETCH,
    Choices,
    Constraint,
    Machine,
    Parameter,
    Schedule,
    prefetching,
    up_to,
    widest_of,
)
from ir.schedules.tactics import (
    alone_over,
    in_order,
    over,
    push_maps,
    sequential,
    split_over,
    to_groups,
    to_items,
)

__all__ = ["InOneLoop", "InOneLoopByGroup"]

_BLOCK = (1024, 4096, 8192, 16384, 32768, 65536)
_WAYS = Parameter("ways", WAYS)
_SHARES = ("turns", "local", "local")
"""By what the elements are shared out: blocks of turns of all work-items, of which as many fold the blocks' parts."""
_TURNS = (1, 2, 4, 8, 16, 32, 64, 128, 256, 512)


class _OfAll(Schedule):
    """All elements of an array: a part of each block, and then of all parts."""

    name = "loop_sums"

    def matches(self, e: Expr) -> bool:
        """Reductions by an associative, commutative function."""
        return is_parallel(e)

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """join ∘ mapWorkgroup (fold) ∘ toGlobal (mapWorkgroup (fold) ∘ split)"""
        n, block, how = input_length(start.result), choices["block"], Folding.of(choices)
        parts = n // block
        alone = whole_over(to_groups, choice(sums_in_blocks(replace(how, prefetch=0)), in_order))
        each, rest = parts_over(to_groups, fold_exact(how)), whole_over(to_groups, fold(how))
        if parts.value == 0:
            partial = seq(use(reduce_to_parts, parts=1), at(array, seq(parts_over(to_groups, fold(how)), to_global)))
        else:
            partial = cut_reduction(n, block * parts, parts, each, rest, to_global)
        return start.then(seq(partial, alone), self.name)


class _OfAllByGroup(Schedule):
    """The same, by the work-items of a group, which folds what they have accumulated."""

    name = "loop_sums_of_groups"
    exchanges = True

    def matches(self, e: Expr) -> bool:
        """Reductions by an associative, commutative function, of what accumulators can begin with."""
        return is_parallel(e) and isinstance(e, Reduce) and zero_of(element(mapped_by(e.xs)[1])) is not None

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """reduce f z ∘ toGlobal (join ∘ mapWorkgroup (fold ∘ toLocal (turns of all work-items)) ∘ split)"""
        n, local = input_length(start.result), choices["local"]
        block = local * choices["turns"]
        parts = n // block
        if parts.value == 0:
            by_one = parts_over(to_groups, fold_row(n, local, Folding()))
            partial = seq(use(reduce_to_parts, parts=1), at(array, seq(by_one, to_global)))
        else:
            elements = seq(try_(map_identity), map_to_seq, try_(unroll))
            folded = over(map_to_seq, fold_in_group(local, Folding()))
            group = split_over(1, to_groups, turns_of_rows(local, over(to_items, elements), folded))
            each = seq(split_parts, push_maps, elements_of_map, group)
            rest = whole_over(to_groups, fold_row(n % block, local, Folding()))
            partial = cut_reduction(n, block * parts, parts, each, rest, to_global)
        return start.then(seq(partial, whole_over(to_groups, _fold_parts(local))), self.name)


def _fold_parts(local: int) -> Strategy:
    return lambda e, context: fold_row(input_length(e), local, Folding())(e, context)


class _InOneLoop(Schedule):
    """What both share: an array and reductions of as many elements, each lowered by itself, and then put together."""

    fold: Compensated

    def matches(self, e: Expr) -> bool:
        """An element-wise array and reductions of as many elements."""
        if not isinstance(e, Tuple) or [is_elementwise(x) for x in e.operands].count(True) != 1:
            return False
        n, folded = length(_mapped(e)), _reductions(e)
        return bool(folded) and all(is_parallel(x) and input_length(x) is n for x in folded)

    def widths(self, e: Expr) -> tuple[int, ...]:
        """The widths of vectors that the array and all reductions allow."""
        allowed = [widths_of_map(_mapped(e)), *(widths(self.fold.reduced(x)) for x in _reductions(e))]
        return tuple(sorted(set(allowed[0]).intersection(*allowed)))

    def short_chains(self, e: Expr, *factors: str) -> list[Constraint]:
        """Accumulators with bounded rounding errors."""
        return list(chain.from_iterable(short_chains(self.fold.reduced(x), *factors) for x in _reductions(e)))

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """(xs, f ys)  ->  (t.0, f t.1)      for t = toGlobal (the array and partial results, by one loop a block)"""
        e = start.result
        parts = (
            at((i,), self.elements(choices) if x is _mapped(e) else self.fold.strategy(choices))
            for i, x in enumerate(e.operands)
        )
        together = everywhere(choice(maps_together, loops_together))
        return start.then(seq(*parts, tuple_in_global, together), self.name)

    @abstractmethod
    def elements(self, choices: Choices) -> Strategy:
        """The elements in the turns in which the reductions take them."""


class InOneLoop(_InOneLoop):
    """A block for each work-group, whose one loop writes the elements and accumulates."""

    name = "one_loop"
    fold = Compensated(_OfAll())

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many elements a block has, how wide vectors are, how many of them a turn takes, and how far ahead memory
        is asked.
        """
        return (
            Parameter("block", _BLOCK),
            Parameter("width", self.widths(e)),
            _WAYS,
            Parameter("prefetch", PREFETCH),
        )

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Blocks of which there are some for each compute unit, full vectors, several accumulators."""
        n = max(1, length(_mapped(e)).evaluate(sizes))
        shared = min(n // (BLOCKS_PER_UNIT_AT_LEAST * machine.compute_units), ONE_LOOP_BLOCK)
        block = up_to(shared, _BLOCK)
        width = widest_of(self.parameters(e)[1].values, e, machine)
        return {"block": block, "width": width, "ways": REDUCTION_WAYS, "prefetch": 0}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Accumulators with bounded rounding errors; hints where they help."""
        return [ALONE, *self.short_chains(e, "block", "width", "ways"), prefetching()]

    def elements(self, choices: Choices) -> Strategy:
        """A block by one work-item, which takes several vectors a turn; the elements left over one by one."""
        block, ways = choices["block"], choices["ways"]
        turn = choices["width"] * ways
        step: Strategy = map_to_seq
        if ways > 1:
            step = seq(use(split_join, n=ways), at(joined, over(map_to_seq, seq(map_to_seq, unroll))))
        vectors = in_vectors(choices["width"], step)

        def run(e: Expr, context: Context) -> Rewritten | None:
            n = length(e)
            whole = block * (n // block)
            rest = pieces(n - whole, turn * ((n - whole) // turn), vectors, sequential)
            tail = split_over(n - whole, to_groups, rest)
            return pieces(n, whole, split_over(block, to_groups, vectors), tail)(e, context)

        return run


class InOneLoopByGroup(_InOneLoop):
    """A block for each work-group, whose work-items take its elements in turns, write these and accumulate; the group
    folds what they have accumulated.
    """

    name = "one_loop_group"
    exchanges = True
    fold = Compensated(_OfAllByGroup())

    def matches(self, e: Expr) -> bool:
        """Of reductions that groups fold. The first of them is made in the loop that writes the elements: a loop of a
        group has one array of accumulators. The others read the block again, which is in the cache.
        """
        return super().matches(e) and all(map(self.fold.matches, _reductions(e)))

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many work-items are in a group, and in how many turns they take a block."""
        return (Parameter("local", LOCAL), Parameter("turns", _TURNS))

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Large groups and a few turns; fewer that leave a few groups for each compute unit."""
        n, local = max(1, length(_mapped(e)).evaluate(sizes)), min(TREE_GROUP, machine.max_work_group_size)
        shared = min(ONE_LOOP_TURNS, n // (ONE_LOOP_GROUPS_PER_UNIT * machine.compute_units * local))
        found = {"local": local, "turns": up_to(shared, _TURNS)}
        for reduced in map(self.fold.reduced, _reductions(e)):
            found = in_short_chains(reduced, found, (Parameter("turns", _TURNS),), ("turns",), sizes, _SHARES)
        return found

    def constraints(self, e: Expr) -> list[Constraint]:
        """Groups that fit, accumulators with bounded rounding errors."""
        folded = [x for x in map(self.fold.reduced, _reductions(e)) if isinstance(x, Reduce)]
        return [*groups_fit(folded, 3), *self.short_chains(e, *_SHARES)]

    def elements(self, choices: Choices) -> Strategy:
        """A block by all work-items in turns; the elements left over by one group."""
        local = choices["local"]
        block = local * choices["turns"]
        turns = seq(use(split_join, n=local), at(joined, over(map_to_seq, alone_over(to_items))))

        def run(e: Expr, context: Context) -> Rewritten | None:
            n = length(e)
            whole = block * (n // block)
            rest = split_over(n - whole, to_groups, alone_over(to_items))
            return pieces(n, whole, split_over(block, to_groups, turns), rest)(e, context)

        return run


def _mapped(e: Expr) -> Expr:
    return next(x for x in e.operands if is_elementwise(x))


def _reductions(e: Expr) -> list[Reduce]:
    return [x for x in e.operands if isinstance(x, Reduce)]
