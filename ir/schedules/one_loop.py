"""The schedule for an array and a reduction of as many elements, which one loop computes: it writes an element and
accumulates, so that memory is read once, and what both are made of is computed once.

Blocks of the array are shared out to work-groups of one work-item; a second kernel reduces what each has accumulated.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import chain

from ir.core.expr import Expr
from ir.core.patterns import Tuple
from ir.cost.thresholds.reductions import BLOCKS_PER_UNIT_AT_LEAST, ONE_LOOP_BLOCK, REDUCTION_WAYS
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import array, joined
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, everywhere, seq, use
from ir.rules.common import length
from ir.rules.folds.reduction import reduce_to_parts
from ir.rules.maps.accumulate import loops_together, maps_together
from ir.rules.maps.algorithmic import split_join
from ir.rules.opencl.lowering import map_to_seq, unroll
from ir.rules.opencl.memory import to_global, tuple_in_global
from ir.schedules.maps.flat import in_vectors, is_elementwise, pieces
from ir.schedules.maps.flat import widths as widths_of_map
from ir.schedules.reductions.chains import WAYS, input_length, is_parallel, short_chains, widths
from ir.schedules.reductions.folding import (
    Folding,
    cut_reduction,
    fold,
    fold_exact,
    parts_over,
    sums_in_blocks,
    whole_over,
)
from ir.schedules.rows.compensated import Compensated
from ir.schedules.schedule import (
    PREFETCH,
    Choices,
    Constraint,
    Machine,
    Parameter,
    Schedule,
    prefetching,
    widest_of,
)
from ir.schedules.tactics import in_order, over, sequential, split_over, to_groups

__all__ = ["InOneLoop"]

_BLOCK = (1024, 4096, 8192, 16384, 32768, 65536)


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


_FOLD = Compensated(_OfAll())


class InOneLoop(Schedule):
    """A block for each work-group, whose one loop writes the elements and accumulates."""

    name = "one_loop"

    def matches(self, e: Expr) -> bool:
        """An element-wise array and reductions of as many elements."""
        if not isinstance(e, Tuple) or [is_elementwise(x) for x in e.operands].count(True) != 1:
            return False
        n, folded = length(_mapped(e)), _reductions(e)
        return bool(folded) and all(is_parallel(x) and input_length(x) is n for x in folded)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many elements a block has, how wide vectors are, how many of them a turn takes, and how far ahead memory
        is asked.
        """
        allowed = [widths_of_map(_mapped(e)), *(widths(_FOLD.reduced(x)) for x in _reductions(e))]
        common = tuple(sorted(set(allowed[0]).intersection(*allowed)))
        return (
            Parameter("block", _BLOCK),
            Parameter("width", common),
            Parameter("ways", WAYS),
            Parameter("prefetch", PREFETCH),
        )

    def default_at(self, e: Expr, machine: Machine, elements: int, sizes: Mapping[str, int]) -> dict[str, int]:
        """Blocks of which there are some for each compute unit, full vectors, several accumulators."""
        n = max(1, length(_mapped(e)).evaluate(sizes))
        shared = min(n // (BLOCKS_PER_UNIT_AT_LEAST * machine.compute_units), ONE_LOOP_BLOCK)
        block = max((b for b in _BLOCK if b <= shared), default=_BLOCK[0])
        width = widest_of(self.parameters(e)[1].values, e, machine)
        return {"block": block, "width": width, "ways": REDUCTION_WAYS, "prefetch": 0}

    def constraints(self, e: Expr) -> list[Constraint]:
        """Accumulators with bounded rounding errors; hints where they help."""
        chains = (short_chains(_FOLD.reduced(x), "block", "width", "ways") for x in _reductions(e))
        return [*chain.from_iterable(chains), prefetching()]

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """(xs, f ys)  ->  (t.0, f t.1)      for t = toGlobal (the array and partial results, by one loop a block)"""
        e = start.result
        parts = (
            at((i,), _elements(choices) if x is _mapped(e) else _folded(choices)) for i, x in enumerate(e.operands)
        )
        together = everywhere(choice(maps_together, loops_together))
        return start.then(seq(*parts, tuple_in_global, together), self.name)


def _mapped(e: Expr) -> Expr:
    return next(x for x in e.operands if is_elementwise(x))


def _reductions(e: Expr) -> list[Expr]:
    return [x for x in e.operands if not is_elementwise(x)]


def _elements(choices: Choices) -> Strategy:
    """The elements in the turns in which the reductions take them."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        n, block, ways = length(e), choices["block"], choices["ways"]
        whole, turn = block * (n // block), choices["width"] * ways
        step: Strategy = map_to_seq
        if ways > 1:
            step = seq(use(split_join, n=ways), at(joined, over(map_to_seq, seq(map_to_seq, unroll))))
        vectors = in_vectors(choices["width"], step)
        rest = pieces(n - whole, turn * ((n - whole) // turn), vectors, sequential)
        tail = split_over(n - whole, to_groups, rest)
        return pieces(n, whole, split_over(block, to_groups, vectors), tail)(e, context)

    return run


def _folded(choices: Choices) -> Strategy:
    return lambda e, context: _FOLD.derive(Derivation.of(e), choices).rewritten()
