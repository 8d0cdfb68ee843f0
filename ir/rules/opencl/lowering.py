"""OpenCL-specific rules: ICFP 2015 figure 7, (a) to (c), with the context conditions of section 4.2 and the thesis
chapter.
"""

from __future__ import annotations

from collections.abc import Iterator

from ir.core.expr import Expr, Lambda, postorder
from ir.core.patterns import (
    MAP,
    MAP_SEQ,
    MAP_SEQ_HEAD,
    MAP_SEQ_UNROLL,
    REDUCE,
    REDUCE_SEQ,
    REDUCE_SEQ_UNROLL,
    SCAN,
    SCAN_MAP_SEQ,
    SCAN_MAP_SEQ_UNROLL,
    SCAN_SEQ,
    SCAN_SEQ_UNROLL,
    Id,
    Kind,
    Map,
    Memory,
    Reduce,
    Reorder,
    ReorderStride,
    Scan,
    Vect,
    map_global,
    map_lane,
    map_local,
    map_warp,
    map_workgroup,
)
from ir.core.sizes import Size
from ir.core.verify import is_placed
from ir.cost.thresholds.partition import UNROLLED_TURNS_AT_MOST
from ir.rewrite.rule import Context, Label, functions_of, rule
from ir.rules.common import divides, is_bound, length

__all__ = ["allows_global", "allows_lane", "allows_local", "allows_warp", "allows_workgroup"]


def _parallel(context: Context) -> list[Kind]:
    return [kind for kind in context if kind.parallel]


def parallel_inside(e: Expr) -> set[Kind]:
    """The parallel maps inside a function, which a map lowered after them must fit around."""
    if not is_placed(e):
        return set()
    return {node.how for node in _computed_inside(e) if isinstance(node, Map) and node.how.parallel}


def _computed_inside(f: Expr) -> Iterator[Expr]:
    """What is computed for each argument of a function; not the intermediate results that need none of its variables,
    which are computed once, before the map (the group's own sum, in a function of its work-items).
    """
    while isinstance(f, Vect):
        f = f.f
    if not isinstance(f, Lambda):
        return iter(())
    params, body = f.open()
    needing: set[Expr] = set(params)
    for node in postorder(body):
        if any(x in needing for x in node.operands):
            needing.add(node)

    def is_outside(node: Expr) -> bool:
        near = isinstance(node, Memory) and not node.is_global  # a kernel's result is outside all functions
        return near and node not in needing and not is_bound(node)

    return postorder(body, is_outside)


def allows_workgroup(context: Context, dim: int) -> bool:
    """A mapWorkgroup may stand at the top or inside mapWorkgroups of other dimensions only."""
    return all(kind.name == "mapWorkgroup" and kind.dim != dim for kind in functions_of(context))


def allows_local(context: Context, dim: int) -> bool:
    """A mapLocal needs a mapWorkgroup around it, and no mapLocal of its dimension, no mapWarp nor any mapGlobal."""
    kinds = _parallel(context)
    names = {kind.name for kind in kinds}
    return "mapWorkgroup" in names and map_local(dim) not in kinds and names <= {"mapWorkgroup", "mapLocal"}


def allows_warp(context: Context) -> bool:
    """A mapWarp needs a mapWorkgroup around it, and no map over work-items."""
    kinds = _parallel(context)
    return map_workgroup(0) in kinds and all(kind.name == "mapWorkgroup" for kind in kinds)


def allows_lane(context: Context, lanes: int) -> bool:
    """A mapLane needs a mapWarp of as many lanes around it, and no mapLane."""
    kinds = _parallel(context)
    return map_warp(lanes) in kinds and all(kind.name != "mapLane" for kind in kinds)


def allows_global(context: Context, dim: int) -> bool:
    """A mapGlobal may stand at the top or inside mapGlobals of other dimensions only."""
    return all(kind.name == "mapGlobal" and kind.dim != dim for kind in functions_of(context))


@rule(source="ICFP'15 fig. 7a")
def map_to_workgroup(e: Map, context: Context, *, dim: int) -> Expr | None:
    """map f  ->  mapWorkgroup f"""
    match e:
        case Map(f, xs, how) if how == MAP and allows_workgroup(context, dim):
            if all(kind.name != "mapGlobal" and kind != map_workgroup(dim) for kind in parallel_inside(f)):
                return Map(f, xs, map_workgroup(dim))
    return None


@rule(source="ICFP'15 fig. 7a")
def map_to_local(e: Map, context: Context, *, dim: int) -> Expr | None:
    """map f  ->  mapLocal f"""
    match e:
        case Map(f, xs, how) if how == MAP and allows_local(context, dim):
            if all(kind.name == "mapLocal" and kind.dim != dim for kind in parallel_inside(f)) and not _has_local(f):
                return Map(f, xs, map_local(dim))
    return None


@rule(source="ICFP'15 fig. 7a")
def map_to_global(e: Map, context: Context, *, dim: int) -> Expr | None:
    """map f  ->  mapGlobal f"""
    match e:
        case Map(f, xs, how) if how == MAP and allows_global(context, dim):
            if all(kind.name == "mapGlobal" and kind.dim != dim for kind in parallel_inside(f)):
                return Map(f, xs, map_global(dim))
    return None


@rule(source="thesis ch. 5, map-warp [not mwp and mwg and not mlc : mwp]")
def map_to_warp(e: Map, context: Context, *, lanes: int) -> Expr | None:
    """map f  ->  mapWarp f"""
    match e:
        case Map(f, xs, how) if how == MAP and lanes > 0 and allows_warp(context):
            if parallel_inside(f) <= {map_lane(lanes)} and not _has_local(f):
                return Map(f, xs, map_warp(lanes))
    return None


@rule(source="thesis ch. 5, map-lane [not mln and mwp : mln]")
def map_to_lane(e: Map, context: Context, *, lanes: int) -> Expr | None:
    """map f  ->  mapLane f"""
    match e:
        case Map(f, xs, how) if how == MAP and lanes > 0 and allows_lane(context, lanes):
            if not parallel_inside(f) and not _has_local(f):
                return Map(f, xs, map_lane(lanes))
    return None


def _has_local(f: Expr) -> bool:
    """Is something in f kept in local memory, which is no place for one work-item's own values?"""
    return is_placed(f) and any(isinstance(node, Memory) and node.space == "local" for node in _computed_inside(f))


@rule(source="ICFP'15 fig. 7a")
def map_to_seq(e: Map) -> Expr | None:
    """map f  ->  mapSeq f      where no mapWorkgroup, mapWarp or mapGlobal is inside f"""
    match e:
        case Map(f, xs, how) if how == MAP and all(kind.name in ("mapLocal", "mapLane") for kind in parallel_inside(f)):
            return Map(f, xs, MAP_SEQ)
    return None


@rule(source="ICFP'15 fig. 7b")
def reduce_to_seq(e: Reduce) -> Expr | None:
    """reduce f z  ->  reduceSeq f z"""
    match e:
        case Reduce(f, z, xs, how) if how == REDUCE:
            return Reduce(f, z, xs, REDUCE_SEQ)
    return None


@rule(source="ICFP'15 fig. 7b, for scans")
def scan_to_seq(e: Scan) -> Expr | None:
    """scan f z  ->  scanSeq f z"""
    match e:
        case Scan(f, z, xs, how) if how == SCAN:
            return Scan(f, z, xs, SCAN_SEQ)
    return None


@rule(source="semantics of head")
def leave_out_behind_head(e: Map, context: Context) -> Expr | None:
    """mapSeq f  ->  mapSeqHead f      where no mapLocal, mapWarp or mapLane is around it: a barrier in f would not be
    reached by all work-items
    """
    match e:
        case Map(f, xs, how) if how == MAP_SEQ and not any(kind.is_local for kind in functions_of(context)):
            return Map(f, xs, MAP_SEQ_HEAD)
    return None


@rule(source="design sec. 4, unrolled forms")
def unroll(e: Expr) -> Expr | None:
    """mapSeq f  ->  mapSeqUnroll f,  reduceSeq f z  ->  reduceSeqUnroll f z,  scanSeq f z  ->  scanSeqUnroll f z
    (and scanMapSeq) for a small constant length
    """
    match e:
        case Map(f, xs, how) if how == MAP_SEQ and _is_short(xs):
            return Map(f, xs, MAP_SEQ_UNROLL)
        case Reduce(f, z, xs, how) if how == REDUCE_SEQ and _is_short(xs):
            return Reduce(f, z, xs, REDUCE_SEQ_UNROLL)
        case Scan(f, z, xs, how) if how == SCAN_SEQ and _is_short(xs):
            return Scan(f, z, xs, SCAN_SEQ_UNROLL)
        case Scan(f, z, xs, how) if how == SCAN_MAP_SEQ and _is_short(xs):
            return Scan(f, z, xs, SCAN_MAP_SEQ_UNROLL)
    return None


def _is_short(xs: Expr) -> bool:
    n = length(xs).value
    return n is not None and n <= UNROLLED_TURNS_AT_MOST


@rule(source="ICFP'15 fig. 7c")
def reorder_to_id(e: Reorder) -> Expr | None:
    """reorder  ->  id"""
    return Id(e.xs)


@rule(Label.REORDERING, "ICFP'15 fig. 7c")
def reorder_to_stride(e: Reorder, *, stride: Size | int) -> Expr | None:
    """reorder  ->  reorderStride s"""
    match e:
        case Reorder(xs) if divides(stride, length(xs)):
            return ReorderStride(stride, xs)
    return None
