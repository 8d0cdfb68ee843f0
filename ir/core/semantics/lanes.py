"""Scans by distances that double: of an array whose elements may be grouped in any way, and of the lanes of warps."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ir.core.expr import Expr
from ir.core.nodes.lanes import ScanLane
from ir.core.semantics.batch import at, length_of, lift, reshape, spread
from ir.core.semantics.values import Value
from ir.core.signature import LANES

if TYPE_CHECKING:
    from ir.core.semantics.interpreter import Interpreter, Scope

__all__ = ["doubling_scan", "scan_lane"]


def scan_lane(run: Interpreter, node: ScanLane, scope: Scope) -> Value:
    """`scanLane f e x (32*i + j) = scan f e (x (32*i), ..., x (32*i + 31)) j`, grouped as distances double."""
    xs, axis = scope.values[node.xs], scope.depth
    n = length_of(xs, axis)
    rows = reshape(xs, axis, 1, (n // LANES, LANES))
    scanned = doubling_scan(run, node.f, rows, scope, axis + 1)
    init = lift(scope.values[node.init], axis, axis + 2)
    found = spread(run.call(node.f, [init, scanned], scope, axis + 2), axis + 1, LANES)
    return reshape(found, axis, 2, (n,))


def doubling_scan(run: Interpreter, f: Expr, xs: Value, scope: Scope, axis: int) -> Value:
    """All elements up to each, along an axis, combined by an associative function: distances double at each step."""
    length, distance = length_of(xs, axis), 1
    while distance < length:
        before, after = at(xs, axis, slice(0, length - distance)), at(xs, axis, slice(distance, length))
        combined = spread(run.call(f, [before, after], scope, axis + 1), axis, length - distance)
        xs = run.joined([at(xs, axis, slice(0, distance)), combined], axis)
        distance *= 2
    return xs
