"""Sums of products of matrices as one product: `a @ b + c @ d` is `[a c] @ [b; d]`.

That is what a convolution is where it is written with slices: a product for each shift of an image, and their sum. What
stands side by side then are windows of the image, and the weights as they lie in memory. Both are views: nothing is
copied, and the sums stay in registers where each product wrote an array and the next read it. Where anything would have
to be read part by part the products stay as they are.
"""

from __future__ import annotations

from collections.abc import Sequence

from ir.core.expr import Expr
from ir.core.patterns import Map, Zip
from ir.cost.thresholds.products import JOINED_TERMS_AT_MOST, PRODUCTS_JOINED_AT_MOST
from ir.fusion.partition.graph import Graph
from ir.fusion.prepare.rewriting import Rewriter, rewritten
from ir.rewrite.contexts import Context
from ir.rewrite.places import array, body, joined, transposed, viewed
from ir.rewrite.strategy import Rewritten, Strategy, at, seq, try_
from ir.rules.common import length_of_row
from ir.rules.folds.products import MatrixProduct, adds, sum_of_products
from ir.rules.layout.broadcasts import transpose_of_transpose
from ir.rules.layout.slide import concat_of_functions_of_rows, concat_of_shifted_rows
from ir.rules.maps.parts import concat_of_slices, concat_of_splits

__all__ = ["join_products"]


def join_products(roots: Sequence[Expr], graph: Graph, rewriter: Rewriter) -> list[Expr] | None:
    """The same results with sums of products as one product, where that reads views alone; None where there are none.

    Args:
        rewriter: what has rewritten vertices before
    """
    sums = _sums(graph)
    if not sums:
        return None

    def joined(node: Expr, made: Expr) -> Expr | None:
        return rewriter.apply(_joined, made, ()) if node in sums else None

    done = rewritten(graph, joined)
    return [done[root] for root in roots]


def _sums(graph: Graph) -> frozenset[Expr]:
    """The largest sums of products whose parts nothing else reads, and that are predicted to take less time as one."""
    like: dict[Expr, MatrixProduct] = {}  # products, sums of these and zips of what they add: the first product of each
    terms: dict[Expr, int] = {}
    for node in graph.order:
        product = None if graph.exists(node) else MatrixProduct.of(node)
        parts = _parts(node) if product is None and not graph.exists(node) else ()
        first = product or (like.get(parts[0]) if parts else None)
        if first is None or not all(x in like and first.is_like(like[x]) for x in parts):
            continue
        if not isinstance(node, Map) or adds(node, first):
            like[node], terms[node] = first, sum(terms[x] for x in parts) or 1
    if all(count == 1 for count in terms.values()):
        return frozenset()
    readers = graph.readers()
    inner = {x for x in like if x not in graph.wanted and [y in like for y in readers.get(x, ())] == [True]}
    whole: set[Expr] = set()
    for node in like:  # operands first
        if MatrixProduct.of(node) or all(x in inner and x in whole for x in _parts(node)):
            whole.add(node)
    sums = (x for x in whole - inner if isinstance(x, Map) and terms[x] > 1)
    return frozenset(x for x in sums if _pays(terms[x], like[x]))


def _parts(e: Expr) -> tuple[Expr, ...]:
    """What a zip of two holds, or a map reads."""
    return (e.xs,) if isinstance(e, Map) else e.operands if isinstance(e, Zip) and len(e.operands) == 2 else ()


def _pays(count: int, product: MatrixProduct) -> bool:
    """Does one product save more in arrays that are written and read than it loses where the host's library could have
    computed each?
    """
    return count <= PRODUCTS_JOINED_AT_MOST and (length_of_row(product.rows).value or 0) <= JOINED_TERMS_AT_MOST


def _joined(e: Expr, context: Context) -> Rewritten | None:
    rows, columns = joined / array, joined / body / joined / array
    return seq(sum_of_products, at(rows, _side_by_side), at(columns, at(transposed, _in_place)))(e, context)


def _side_by_side(e: Expr, context: Context) -> Rewritten | None:
    """transpose (concat(transpose xss, transpose yss, ..))  ->  windows, if it is that"""
    nested = seq(concat_of_functions_of_rows, at(transposed / joined / array, _side_by_side))
    return seq(at(transposed, seq(try_(concat_of_shifted_rows), try_(nested))), transpose_of_transpose)(e, context)


_in_place: Strategy = seq(concat_of_splits, at(viewed, concat_of_slices))
"""concat(split n (slice s 1 m xs), split n (slice (s + m) 1 m xs), ..)  ->  split n (slice s 1 (k * m) xs)"""
