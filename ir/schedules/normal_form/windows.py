"""Small windows, each beginning one element later, are read as arrays side by side: what is made of their elements is
an element-wise map then, for which every schedule of maps is good, vectors among them.

    join (map (reduce (+) 0) (slide 2 1 xs))  =  map (λ(x, y). 0 + x + y) (zip(slice 0 1 m xs, slice 1 1 m xs))
"""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import MAP, Concat, Join, Map, Reduce, Slide
from ir.core.types import ArrayType
from ir.rewrite.places import body, joined
from ir.rewrite.rule import Context
from ir.rewrite.strategy import Rewritten, Strategy, at, choice, everywhere, repeat, seq, try_, use
from ir.rules.common import components, element, is_scalar_like
from ir.rules.folds.reduction import reduce_elements
from ir.rules.layout.slices import element_after_concat
from ir.rules.layout.slide import windows_to_zip
from ir.rules.layout.views import element_after_map, element_of_repeat, element_of_slice, element_of_zip
from ir.rules.maps.fusion import elements_of_map, fuse_operand, map_out_of_rows
from ir.schedules.maps.flat import is_elementwise
from ir.schedules.tactics import row_of

__all__ = ["windows_apart"]

_ELEMENTS = (
    reduce_elements, element_of_repeat, element_of_slice, element_after_concat, element_after_map,
    element_of_zip,
)  # fmt: skip
_known_elements: Strategy = everywhere(choice(*_ELEMENTS))


def _overlaps(e: Expr) -> bool:
    """Is it windows of scalars, each of which begins one element later?"""
    return isinstance(e, Slide) and e.step.value == 1 and e.window.value != 1 and is_scalar_like(element(e.xs))


def _maps_windows(e: Expr) -> bool:
    return isinstance(e, Map) and e.how == MAP and any(map(_overlaps, components(e.xs))) and _stays_small(e.f)


def _stays_small(f: Expr) -> bool:
    """Do the reductions in a function use each of their variables once? Written out, they grow with each element by one
    application; rewritten place by place, what is used twice would double with each.
    """
    return all(_uses_each_once(node.f) for node in postorder(f) if isinstance(node, Reduce))


def _uses_each_once(f: Expr) -> bool:
    if not isinstance(f, Lambda):
        return False
    variables, body = f.open()
    uses = [x for node in postorder(body) for x in node.operands if x in variables]
    return len(uses) == len(set(uses))


def windows_apart(e: Expr, context: Context) -> Rewritten | None:
    """A map that makes one number of each window becomes an element-wise map of arrays side by side; that of rows of
    such moves out of the rows.
    """
    if isinstance(e, Join) and isinstance(e.xs, Map) and isinstance(e.xs.f, Lambda):
        if _maps_windows(e.xs):
            return _elementwise(seq(elements_of_map, _apart))(e, context)
        row = row_of(e)
        if row is not None and (_maps_windows(row) or (isinstance(row, Join) and _maps_windows(row.xs))):
            each = seq(windows_apart, repeat(seq(_computed_windows, windows_apart)))
            return seq(at(joined / body, each), try_(map_out_of_rows))(e, context)
    return _elementwise(_apart)(e, context) if _maps_windows(e) and _is_flat(e) else None


def _computed_windows(e: Expr, context: Context) -> Rewritten | None:
    """What is made of the elements of windows, made by the map that reads them beside those that are arrays already:
    outside of the rows it could not take it in any more.
    """
    if isinstance(e, Map) and e.how == MAP:
        for i, x in enumerate(components(e.xs)):
            if isinstance(x, Map) and x.how == MAP and any(map(_overlaps, components(x.xs))):
                return use(fuse_operand, operand=i)(e, context)
    return None


_apart: Strategy = seq(windows_to_zip, at(body, _known_elements))


def _is_flat(e: Expr) -> bool:
    return isinstance(e.type, ArrayType) and is_scalar_like(e.type.element)


def _elementwise(strategy: Strategy) -> Strategy:
    """The strategy, if it leaves a map of scalars that puts no windows together."""

    def run(e: Expr, context: Context) -> Rewritten | None:
        done = strategy(e, context)
        if done is None or not is_elementwise(done.expr) or not isinstance(done.expr, Map):
            return None
        return None if any(isinstance(node, Concat) for node in postorder(done.expr.f)) else done

    return run
