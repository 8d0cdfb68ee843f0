"""The schedule for everything else: the outermost maps go to work-items, what is inside runs in order."""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import Map, Memory, Reduce, Sort, Zip
from ir.rewrite.derivation import Derivation
from ir.rewrite.places import Place, array, below, body, function, here
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, at, seq, use
from ir.rules.opencl.lowering import map_to_global
from ir.rules.opencl.memory import to_private
from ir.schedules.parts import computes, is_of_parts
from ir.schedules.rows.compensated import pairs_inside
from ir.schedules.schedule import Choices, Machine, Parameter, Schedule
from ir.schedules.tactics import is_open_map, push_maps, sequential, to_grid

__all__ = ["Nest", "keep_intermediates"]


def keep_intermediates(e: Expr, context: Context) -> Rewritten:
    """Every sequential result that another pattern reads is kept in private memory."""
    return _keep(e, context, written=True)


def _keep(e: Expr, context: Context, *, written: bool) -> Rewritten:
    done = Rewritten(e, ())
    if not e.patterned:
        return done
    for index in range(len(e.operands)):
        inherits = (
            (e.is_pattern and e.traits.passes_destination and not isinstance(e, Zip))
            or isinstance(e, (Lambda, Memory))
            or (isinstance(e, Map) and index == 0 and written)
        )

        def inside(operand: Expr, inner: Context, inherits: bool = inherits) -> Rewritten:
            return _keep(operand, inner, written=written and inherits)

        step = at((index,), inside)(done.expr, context)
        assert step is not None  # `inside` always succeeds
        done = Rewritten(step.expr, done.steps + step.steps)
    if not written and isinstance(done.expr, (Map, Reduce)) and "Seq" in done.expr.how.name:
        kept = to_private(done.expr, context)
        assert kept is not None
        done = Rewritten(kept.expr, done.steps + kept.steps)
    return done


def _outermost(e: Expr) -> Place | None:
    """The place of the outermost open map, below views only."""
    place = here
    while e.traits.passes_destination and len(e.operands) == 1 and not is_open_map(e):
        place, e = place / below(type(e)), e.operands[0]
    return place if is_open_map(e) else None


class Nest(Schedule):
    """Up to two levels of nested maps become a grid of work-items; everything inside them is sequential."""

    name = "nest"

    def matches(self, e: Expr) -> bool:
        """Any expression whose outermost pattern, below views, is a map, and that sorts nothing; arrays side by side
        are parts.
        """
        sorts = any(isinstance(node, Sort) for node in postorder(e))
        return _outermost(e) is not None and not sorts and not is_of_parts(e)

    def parameters(self, e: Expr) -> tuple[Parameter, ...]:
        """How many of the nested maps are parallel."""
        return (Parameter("depth", (1, 2) if self._inner(e) is not None else (1,)),)

    @staticmethod
    def _inner(e: Expr) -> Place | None:
        """The place of the outermost open map of what the outermost one makes of a row."""
        outer = _outermost(e)
        row = None if outer is None else (outer / body).of(e)
        inner = None if row is None else _outermost(row)
        if outer is None or row is None or inner is None:
            return None
        read = (inner / array).of(row)
        if read is None or computes(read):
            return None  # each work-item of a row would compute what the row's map reads
        return outer / body / inner

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """As deep as possible on a GPU, one level on a CPU."""
        return {"depth": 1 if machine.is_cpu else self.parameters(e)[0].values[-1]}

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """mapGlobal1 (mapGlobal0 (sequential))"""
        outer = _outermost(start.result)
        assert outer is not None
        inner = self._inner(start.result) if choices["depth"] == 2 else None
        levels = at(outer, to_grid)
        if inner is not None:
            levels = seq(at(outer, use(map_to_global, dim=1)), at(inner, to_grid))
        inside = at((inner or outer) / function, seq(pairs_inside, push_maps, sequential))
        return start.then(seq(levels, inside, keep_intermediates), self.name)
