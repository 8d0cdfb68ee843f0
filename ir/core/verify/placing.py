"""Where parts of an expression stand and are computed: what the verifier and rules ask of them."""

from __future__ import annotations

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import MAP_LIBRARY, SCATTER_LOCAL, Map, Memory, Scatter, Vect
from ir.core.place import Place

__all__ = ["body_of", "computed_in", "is_placed", "made_by_local"]

_put_placed = Expr.__dict__["placed"].__set__


def is_placed(e: Expr) -> bool:
    """Does it hold what may not stand everywhere: a parallel map, one that the host's library carries out, or what is
    kept in global or local memory?
    """
    if not e.patterned:
        return False
    if hasattr(e, "placed"):
        return e.placed
    pending = [e]
    while pending:
        node = pending[-1]
        if not node.patterned or hasattr(node, "placed"):
            pending.pop()
            continue
        unknown = [x for x in node.operands if x.patterned and not hasattr(x, "placed")]
        if unknown:
            pending.extend(unknown)
            continue
        if isinstance(node, Memory):
            own = node.space != "private"
        else:
            own = isinstance(node, Map) and (node.how.parallel or node.how is MAP_LIBRARY)
        _put_placed(node, own or any(x.patterned and x.placed for x in node.operands))
        pending.pop()
    return e.placed


def body_of(f: Expr) -> Expr:
    """The body of a function over its opened variables."""
    while isinstance(f, Vect):
        f = f.f
    assert isinstance(f, Lambda)
    return f.enter()[1]


def computed_in(e: Expr, place: Place) -> Place:
    """Where an intermediate result is computed: outside the functions whose variables it does not mention.

    Sharing is kept by computing it once, in the outermost place that binds its variables, still inside the
    mapWorkgroups.
    """
    groups = max((i + 1 for i, kind in enumerate(place.kinds) if kind.name == "mapWorkgroup"), default=0)
    further_in = {p: depth for p, depth in place.bound if depth > groups}
    below = postorder(e, prune=lambda node: not node.loose) if further_in else ()
    depth = max([groups, *(further_in[node] for node in below if node in further_in)])
    return place.but(kinds=place.kinds[:depth])


def made_by_local(e: Expr) -> bool:
    """Do mapLocals, the mapLanes of mapWarps, or all work-items together compute all of it?"""
    if e.traits.by_lanes or (isinstance(e, Scatter) and e.how is SCATTER_LOCAL):
        return True
    if e.is_pattern and e.traits.passes_destination and not e.traits.high_level:
        return all(map(made_by_local, e.operands))
    if isinstance(e, Map):
        deeper = e.how.name == "mapWarp" or e.how.name.startswith("mapSeq")
        return e.how.name in ("mapLocal", "mapLane") or (deeper and made_by_local(body_of(e.f)))
    return False
