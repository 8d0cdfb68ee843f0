"""Which nodes of an expression a printer must name, and under which function: each node is then printed once.

A node belongs to the innermost function whose variable occurs in it (none for closed nodes). It gets a name there if it
would otherwise be printed more than once, or if the text around it would be nested too deeply.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from ir.core.expr import Expr, Lambda, Param
from ir.core.patterns import Get, Iterate, Splat, Vect
from ir.core.sizes import Size
from ir.walks import walk

__all__ = ["MAX_DEPTH", "Sharing", "analyse", "children", "main_operand", "visible_nodes"]

MAX_DEPTH = 24

Free = frozenset[Any]  # free variables: Params of opened functions, and size variables that an iterate binds
_NONE: Free = frozenset()


@dataclass
class Sharing:
    """The analysis of one expression.

    Attributes:
        nodes: all nodes, operands first
        free: the variables that occur free in each
        named: for each function (None: the whole expression) the nodes to be named at the beginning of its body, in an
            order in which each needs only those before it
        bare: the parameters used otherwise than by projection
    """

    nodes: list[Expr]
    free: dict[Expr, Free]
    named: dict[Lambda | None, list[Expr]] = field(default_factory=dict)
    bare: set[Expr] = field(default_factory=set)


def children(node: Expr) -> tuple[Expr, ...]:
    """The operands; of a function its body over its own parameters."""
    return (node.open()[1],) if isinstance(node, Lambda) else node.operands


def visible_nodes(root: Expr, limit: int) -> set[Expr] | None:
    """The first `limit` nodes from the root down, breadth first; None if that is all of them."""
    seen, level = {root}, [root]
    while level:
        following: list[Expr] = []
        for node in level:
            for child in children(node):
                if child not in seen:
                    if len(seen) >= limit:
                        return seen
                    seen.add(child)
                    following.append(child)
        level = following
    return None


def main_operand(node: Expr) -> Expr | None:
    """The array a pattern is applied to, whose text stands beside the pattern's and not inside it."""
    last = len(node.operand_names) - 1  # of a zip or concat -1
    is_stage = last >= 0 and last not in node.function_operands and (node.is_pattern or type(node) is Splat)
    return node.operands[last] if is_stage else None


def analyse(root: Expr, visible: set[Expr] | None) -> Sharing:
    """Find the nodes to be named; nodes outside `visible` are leaves."""

    def below(node: Expr) -> tuple[Expr, ...]:
        return children(node) if visible is None or node in visible else ()

    nodes = walk([root], below)
    parts = {node: below(node) for node in nodes}
    binder = {p: f for f in nodes if isinstance(f, Lambda) for p in f.open()[0]}
    bound_sizes = frozenset(node.size_variable for node in nodes if isinstance(node, Iterate))
    free = _free_variables(parts, bound_sizes)
    depth: dict[Lambda, int] = {}  # of nesting, counting only functions whose variables are used
    home: dict[Expr, Lambda | None] = {}
    # A function's depth needs only variables of functions around it, which the reversed postorder meets first.
    for node in reversed(nodes):
        around = [binder[p] for p in free[node] if p in binder]
        home[node] = max(around, key=lambda f: depth.get(f, 0)) if around else None
        if isinstance(node, Lambda):
            outer = home[node]
            depth[node] = 1 + (depth[outer] if outer is not None else 0)
    sharing = Sharing(nodes, free)
    shared = _count_uses(parts, home, sharing)
    nesting: dict[Expr, int] = {}
    for node in nodes:
        owner = home[node]
        level = 0
        main = main_operand(node)
        for child in parts[node]:
            level = max(level, nesting[child] + (child is not main))
        nesting[node] = level
        body = owner.open()[1] if owner is not None else root
        if isinstance(node, Lambda | Vect) or not parts[node] or node in (root, body) or _is_trivial(node):
            continue
        in_scope = free[node] & bound_sizes <= free[body]
        if (shared[node] > 1 or level >= MAX_DEPTH) and in_scope:
            sharing.named.setdefault(owner, []).append(node)
            nesting[node] = 0
    return sharing


def _is_trivial(node: Expr) -> bool:
    while isinstance(node, Get):
        node = node.operand
    return not node.operands


def _free_variables(parts: dict[Expr, tuple[Expr, ...]], bound_sizes: Free) -> dict[Expr, Free]:
    free: dict[Expr, Free] = {}
    for node, below in parts.items():
        found: Free = frozenset((node,)) if isinstance(node, Param) and node.binder else _NONE
        for child in below:
            part = free[child]
            if isinstance(node, Iterate) and child is node.f:
                part = part - {node.size_variable}
            if not part <= found:
                found = part if found <= part else found | part
        if isinstance(node, Lambda):
            found = found.difference(node.open()[0])
        elif bound_sizes and not isinstance(node, Param):
            sizes = node.parameters[:1] if isinstance(node, Iterate) else node.parameters
            mentioned = {v for p in sizes if isinstance(p, Size) for v in p.variables & bound_sizes}
            found = found | mentioned if mentioned else found
        free[node] = found
    return free


def _count_uses(
    parts: dict[Expr, tuple[Expr, ...]], home: dict[Expr, Lambda | None], sharing: Sharing
) -> dict[Expr, int]:
    """How often each node is printed per printing of the function it belongs to; more than once is 2."""
    uses = dict.fromkeys(parts, 0)

    def printings(inner: Lambda | None, outer: Lambda | None) -> int:
        times = 1
        while inner is not outer and inner is not None and times < 2:
            times *= uses[inner]
            inner = home[inner]
        return times

    for node, below in reversed(parts.items()):
        for child in below:
            if isinstance(node, Lambda):
                times = 1 if home[child] is node else uses[node]
            elif isinstance(node, Vect):
                times = uses[node]
            else:
                times = printings(home[node], home[child])
            uses[child] = min(2, uses[child] + max(times, 1))
            if isinstance(child, Param) and not isinstance(node, Get):
                sharing.bare.add(child)
    return uses
