"""Cut the recorded graph into kernels (paper 003): sweeps from the results to the inputs, linear in the graph.

A value is computed inside the kernel that reads it when exactly one kernel does. It is stored when it is a reduction
(its result cannot be used by the kernel that computes it: there is no global barrier), when it is broadcast
(recomputing it for every copy costs more than storing it), when the kernel has grown too long, or when several kernels
read it and computing it again in each of them is predicted to cost more (`ir.fusion.partition.traffic`). Results that
share what they are made of are computed by one kernel (`ir.fusion.partition.bundles`), and so are what is made of a
reduction's results element by element (`ir.fusion.partition.epilogues`) or of a scan's
(`ir.fusion.partition.scan_results`), further reductions of the same rows, and the elements that need them
(`ir.fusion.partition.row_chains`). Before that the concats of a program's assignments are put
in order (`ir.fusion.prepare.order_concats`), and each part of a long one is written by a kernel of its own.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ir.core.expr import Expr
from ir.core.patterns import Compact, Concat, Map
from ir.cost.thresholds.partition import FUSED_OPERATIONS_AT_MOST
from ir.fusion.checks import Checks
from ir.fusion.partition.array_columns import write_what_columns_reduce
from ir.fusion.partition.blocks import in_blocks
from ir.fusion.partition.bundles import Bundles, Rows, bundles
from ir.fusion.partition.epilogues import finish
from ir.fusion.partition.graph import Graph, Known
from ir.fusion.partition.kernel_expressions import KernelTask, Partition, tasks
from ir.fusion.partition.layers import Layers, layers
from ir.fusion.partition.read_counts import Demand
from ir.fusion.partition.reasons import Reasons
from ir.fusion.partition.row_chains import Near, chain_rows
from ir.fusion.partition.row_columns import reduce_columns_of_rows
from ir.fusion.partition.scan_results import compacts_of_scans, finish_scans
from ir.fusion.partition.steps import steps_together
from ir.fusion.partition.storage import Assignment
from ir.fusion.partition.traffic import nbytes_moved, recompute, recompute_numbers
from ir.fusion.prepare.count_by_scans import count_by_scans, masks_of_filters
from ir.fusion.prepare.eliminate import does_nothing, eliminate
from ir.fusion.prepare.fission import apart, cannot_be_one
from ir.fusion.prepare.join_products import join_products
from ir.fusion.prepare.merge_parts import Constants
from ir.fusion.prepare.one_reading import read_once
from ir.fusion.prepare.order_concats import arrange
from ir.fusion.prepare.rewriting import Rewriter
from ir.fusion.prepare.sort_scatters import sort_scatters
from ir.rewrite.derivation import Derivation

__all__ = ["KernelTask", "Partition", "Prepared", "cut_prepared", "partition", "prepare"]


@dataclass(frozen=True)
class Prepared:
    """A graph to be cut, which does not depend on what a cut may do.

    Attributes:
        roots, graph: after all passes that rewrite graphs, whatever a cut may do
        grouped: concats of many parts, each of which a kernel of its own writes
        fissions: how maps were cut
        rewriter: what has rewritten vertices
    """

    roots: Sequence[Expr]
    graph: Graph
    grouped: frozenset[Expr]
    fissions: Sequence[Derivation]
    rewriter: Rewriter


def prepare(
    roots: Sequence[Expr],
    known: Known | None = None,
    constants: Constants | None = None,
    checks: Checks | None = None,
    by_items: bool = False,
    doubles: bool = True,
    units: int | None = None,
) -> Prepared:
    """The graph below `roots` as it is cut into kernels.

    Args:
        known: vertices whose values exist already, and the variables that stand for them; zips of those for tuples
        constants: makes a variable for an array of constants; None: there are none (see
            `ir.fusion.prepare.merge_parts`)
        checks: what each pass makes is checked by these; None: nothing is
        by_items: do the work-items of a group share blocks, loops and rows, as on GPUs?
        doubles: does the device compute with numbers of 64 bits?
        units: compute units of the device; None: as many as a common one has
    """
    known = known if known is not None else dict[Expr, Expr]()
    graph = Graph(roots, known)
    grouped: frozenset[Expr] = frozenset()
    fissions: list[Derivation] = []
    rewriter = Rewriter()
    if checks is not None:
        checks.begin(roots, graph)

    def after(name: str, new: Sequence[Expr]) -> None:
        """Go on with what a pass has made of the roots."""
        nonlocal roots, graph
        if checks is not None:
            checks.roots(name, new)
        roots, graph = new, Graph(new, known)

    if any(does_nothing(node) for node in graph.order):
        after("eliminate", eliminate(roots, graph, rewriter))
    if any(isinstance(node, Map) and cannot_be_one(node.f) for node in graph.order):
        made_apart, fissions = apart(roots, graph, cannot_be_one)
        after("fission", made_apart)
    if (joined := join_products(roots, graph, rewriter)) is not None:
        after("join_products", joined)
    if by_items and (ordered := sort_scatters(roots, graph, rewriter)) is not None:
        after("sort_scatters", ordered)
    if (once := read_once(roots, graph, rewriter, by_items, doubles, Near.on(by_items, units))) is not None:
        after("read_once", once)
    if any(isinstance(node, Concat) for node in graph.order):
        arranged, grouped, rewriter = arrange(roots, graph, constants, rewriter)
        after("arrange", arranged)
    return Prepared(roots, graph, grouped, fissions, rewriter)


def partition(
    roots: Sequence[Expr],
    known: Known | None = None,
    limit: int = FUSED_OPERATIONS_AT_MOST,
    checks: Checks | None = None,
    by_items: bool = False,
    doubles: bool = True,
    units: int | None = None,
    **allowed: Any,
) -> Partition:
    """Cut the graph below `roots` into kernels: `prepare` and `cut_prepared`."""
    prepared = prepare(roots, known, checks=checks, by_items=by_items, doubles=doubles, units=units)
    return cut_prepared(prepared, limit, checks, by_items=by_items, units=units, **allowed)


def cut_prepared(
    prepared: Prepared,
    limit: int = FUSED_OPERATIONS_AT_MOST,
    checks: Checks | None = None,
    reasons: Reasons | None = None,
    by_items: bool = False,
    units: int | None = None,
    spread: bool = True,
    dependent: bool = True,
    loops: bool = False,
    products: bool = True,
    steps: bool = False,
    rows: bool = True,
    columns: bool = False,
    scans: bool = True,
    written: bool = False,
) -> Partition:
    """Cut a graph into kernels.

    Args:
        limit: the number of vertices in one kernel, at most
        checks, by_items, units: see `prepare`
        reasons: takes why neighbours are not in one kernel; None: nobody asks
        spread: may a kernel compute the parts of a concat? Else they are stored before it
        dependent: may a kernel reduce rows again that it has reduced? Else the first results are stored
        loops: may a kernel compute results of different lengths, block by block or in one loop?
        products: may the kernel of a product of matrices do what is done with its elements?
        steps: may a kernel do several steps of a stencil?
        rows: may a kernel make the elements of rows that it has reduced?
        columns: may it reduce the columns of a matrix whose rows it has reduced?
        scans: may the kernel of a scan do what is done with its elements?
        written: may the kernel that writes an array reduce its columns? Only with `loops`
    """
    roots, graph, grouped, rewriter = prepared.roots, prepared.graph, prepared.grouped, prepared.rewriter.copy()
    near = Near.on(by_items, units)
    wanted, masks = len(roots), dict[Expr, bool]()
    if by_items and any(isinstance(node, Compact) for node in graph.order):
        if scans and (counted := count_by_scans(roots, graph, rewriter)) is not None:
            if checks is not None:
                checks.roots("count_by_scans", counted)
            roots, graph = counted, Graph(counted, graph.known)
        masks = masks_of_filters(graph)
        roots = [*roots, *(mask for mask, again in masks.items() if not (again and scans))]
        graph = Graph(roots, graph.known)
    if reasons is not None:
        reasons.begin(graph)

    def assigned(graph: Graph, cut: Layers | None) -> tuple[Assignment, Bundles, Mapping[Expr, Rows]]:
        together = bundles(graph, limit, by_items, cut)
        reductions = together.rows
        if loops:
            together = in_blocks(graph, together, by_items)
        if by_items and scans:
            together = compacts_of_scans(graph, together)
        made = Assignment(graph, together.number, limit, Demand(graph, grouped, spread, by_items), reasons)
        recompute(made, masks)
        return made, together, reductions

    cut, together, reductions = assigned(graph, None)
    if (found := layers(graph, limit)) is not None:
        of_layers = assigned(graph.in_layers(found.stored, found.members), found)
        if nbytes_moved(of_layers[0]) < nbytes_moved(cut):
            cut, together, reductions = of_layers
        elif reasons is not None:
            cut, together, reductions = assigned(graph, None)  # whose reasons are noted
    graph = cut.graph
    finished = finish(cut, together, products)
    if spread:  # else it may be one of the parts
        recompute_numbers(cut)
    chained = chain_rows(cut, reductions, dependent, rows, by_items, near)
    scanned = scans and finish_scans(cut, by_items)
    crossed = columns and reduce_columns_of_rows(cut, together, by_items, near)
    beside = write_what_columns_reduce(cut, together) if written and loops and by_items else frozenset[Expr]()
    made = tasks(roots, graph, cut.maker, grouped, rewriter, (together.blocks - chained.results) | beside)
    made = steps_together(made, rewriter) if steps else made
    done = {"rows": chained.mapped, "dependent": chained.gathered, "products": finished, "columns": crossed}
    done |= {"spread": spread, "loops": loops, "steps": steps, "scans": scanned, "written": bool(beside)}
    used = frozenset(name for name, is_so in done.items() if is_so)
    made = replace(made, results=made.results[:wanted], used=used, fissions=tuple(prepared.fissions))
    if reasons is not None:
        reasons.cut, reasons.made = cut, made
    if checks is not None:
        checks.partition("partition", made)
    return made
