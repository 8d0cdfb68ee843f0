"""Maps whose functions no kernel can compute as they are, cut into several (map fission): `lift.map` of a function that
sorts, and of whatever else has results in the middle.

A row that is sorted has to be in memory before anything reads it: there is no barrier inside of a kernel. So what a
function sorts, scans, scatters or reduces on its way becomes a map of its own, and maps of maps become one. Then they
are vertices of the graph like those that functions of whole arrays record, and are cut into kernels as these are.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import MAP, Concat, Element, Join, Map, Reduce, Repeat, Scan, Scatter, Sort, Split, Zip
from ir.fusion.arrange import by_way_of_flat
from ir.fusion.graph import Graph, captured, is_computed, reduces
from ir.fusion.tasks import rebuild
from ir.rewrite.rule import RULES
from ir.rules.common import length
from ir.rules.fusion import row_parts

__all__ = ["apart", "sorts"]


def sorts(f: Expr) -> bool:
    """Does a function sort anything?"""
    return any(isinstance(node, Sort) for node in postorder(f))


def always(f: Expr) -> bool:
    """Any function."""
    return True


def apart(roots: Sequence[Expr], graph: Graph, wanted: Callable[[Expr], bool] = always) -> list[Expr]:
    """The roots over maps of which each sorts, scans, scatters or reduces once at most, and does nothing after that.

    graph : what is below the roots
    wanted : which functions are cut
    """
    done: dict[Expr, Expr] = {}
    for node in graph.order:
        done[node] = node if node in graph.known else _cut(rebuild(node, done), wanted)
    return [done[root] for root in roots]


def _cut(e: Expr, wanted: Callable[[Expr], bool]) -> Expr:
    """A vertex; a map whose function is to be cut as several."""
    if not isinstance(e, Map) or not isinstance(e.f, Lambda) or not wanted(e.f):
        return e
    known = dict.fromkeys((e.xs, *captured(e.f)), e.xs)  # only what is in them is asked for, not what stands for it
    while True:
        done: dict[Expr, Expr] = {}
        for node in Graph([e], known).order:
            made = node if node in known else rebuild(node, done)
            done[node] = made if node in known else (_once(made) or made)
        if done[e] is e:
            return e
        e = done[e]


def _once(e: Expr) -> Expr | None:
    """A map as two, or a map of maps as one; None where there is no need to."""
    if not isinstance(e, Map) or e.how != MAP or not isinstance(e.f, Lambda):
        return None
    _, body = e.f.open()
    last = body
    while isinstance(last, (Join, Element)):
        last = last.operands[0]
    repeated = {node.x for node in postorder(body) if isinstance(node, Repeat)}
    for number, part in enumerate(row_parts(e.f)):
        stored = _is_stored(part) or (part in repeated and is_computed(part))
        if stored and not (part is last and isinstance(part, Reduce)):
            return RULES["row_fission"](e, part=number)
    if isinstance(body, Concat):
        columns = RULES["concat_out_of_map"](e)
        return None if columns is None else by_way_of_flat(columns)
    if isinstance(body, Map) and reduces(body.f):
        return _flat(e, body)
    if isinstance(body, Sort) and isinstance(body.xs, Map) and isinstance(body.xs.xs, Zip):
        sorted_rows = RULES["sort_out_of_map"](e)  # keys are of numbers, not of what these are made of
        rows = None if sorted_rows is None else _flat(sorted_rows.operands[1], body.xs)
        return None if rows is None or sorted_rows is None else Map(sorted_rows.operands[0], rows)
    return None


def _flat(e: Expr, row: Expr) -> Expr | None:
    """A map of maps, each of which gives such a row, as one map."""
    rows = Join(e)
    flat = RULES["map_out_of_rows"](rows) or RULES["flatten_rows"](rows)
    return None if flat is None or length(row).value == 0 else Split(length(row), flat)


def _is_stored(e: Expr) -> bool:
    """Is it a result that has to be in memory before it is read?"""
    return isinstance(e, (Concat, Reduce, Scan, Scatter, Sort)) or (isinstance(e, Map) and reduces(e.f))
