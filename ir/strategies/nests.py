"""The schedule for everything else: the outermost maps go to work-items, what is inside runs in order."""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import Map, Memory, Reduce, Sort, Zip
from ir.rewrite.derivation import Derivation
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Path, Rewritten, Strategy, at, child, enter, seq
from ir.strategies.compensated import pairs_inside
from ir.strategies.parts import computes, is_of_parts
from ir.strategies.schedule import Choices, Machine, Parameter, Schedule
from ir.strategies.tactics import is_open_map, named, push_maps, sequential

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

        def below(operand: Expr, inner: Context, inherits: bool = inherits) -> Rewritten:
            return _keep(operand, inner, written=written and inherits)

        step = child(index, below)(done.expr, context)
        assert step is not None  # `below` always succeeds
        done = Rewritten(step.expr, done.steps + step.steps)
    if not written and isinstance(done.expr, (Map, Reduce)) and "Seq" in done.expr.how.name:
        kept = named("to_private")(done.expr, context)
        assert kept is not None
        done = Rewritten(kept.expr, done.steps + kept.steps)
    return done


def _outermost(e: Expr) -> Path | None:
    """The place of the outermost open map, below views only."""
    if is_open_map(e):
        return ()
    if e.traits.passes_destination and len(e.operands) == 1:
        below = _outermost(e.operands[0])
        return None if below is None else (0, *below)
    return None


def _follow(e: Expr, path: Path) -> Expr:
    for index in path:
        e, _ = enter(e, index, ())
    return e


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
    def _inner(e: Expr) -> tuple[Path, Path] | None:
        outer = _outermost(e)
        if outer is None:
            return None
        found = _follow(e, outer)
        assert isinstance(found, Map)
        if not isinstance(found.f, Lambda):
            return None
        body = found.f.open()[1]
        inner = _outermost(body)
        if inner is None or computes(_follow(body, inner).operands[1]):
            return None  # each work-item of a row would compute what the row's map reads
        return outer, (*outer, 0, 0, *inner)

    def default(self, e: Expr, machine: Machine, elements: int) -> dict[str, int]:
        """As deep as possible on a GPU, one level on a CPU."""
        return {"depth": 1 if machine.is_cpu else self.parameters(e)[0].values[-1]}

    def derive(self, start: Derivation, choices: Choices) -> Derivation:
        """mapGlobal1 (mapGlobal0 (sequential))"""
        outer = _outermost(start.result)
        assert outer is not None
        both = self._inner(start.result)
        steps: list[Strategy]
        if choices["depth"] == 2 and both is not None:
            steps = [at(both[0], named("map_to_global", dim=1)), at(both[1], named("map_to_global", dim=0))]
            inside = (*both[1], 0)
        else:
            steps = [at(outer, named("map_to_global", dim=0))]
            inside = (*outer, 0)
        return start.then(
            seq(*steps, at(inside, seq(pairs_inside, push_maps, sequential)), keep_intermediates), self.name
        )
