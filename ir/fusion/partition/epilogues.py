"""What is made of reductions' results, in the kernel of the reductions: a mean's division, the `beta*y` of a gemv, the
bias and the rectifier of a layer.

There is no barrier across work-groups, but element i of a map needs only the reduction of row i, which the same
work-items have just done. That saves writing and reading the result, and a launch.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from ir.core.expr import Expr, Lambda
from ir.core.patterns import Concat, Map, Zip
from ir.core.types import ScalarType
from ir.cost.thresholds.partition import FREE_OPERATIONS
from ir.fusion.partition.bundles import Bundles, Rows
from ir.fusion.partition.graph import Graph, captured, is_computed
from ir.fusion.partition.reasons import Condition
from ir.fusion.partition.storage import Assignment
from ir.fusion.partition.traffic import Costs
from ir.fusion.prepare.absorb import Taking
from ir.rules.common import element, length

__all__ = ["finish", "is_aligned", "is_elementwise"]


def finish(cut: Assignment, together: Bundles, products: bool = True) -> bool:
    """Let the kernels of reductions do what is done with their results, where that needs only results of one row and
    what other kernels have stored before.

    A kernel of reductions reads only what has fewer ends below it than they have. What it takes over may read, besides
    its results, no more than that: then no two kernels wait for each other in a circle.

    Args:
        products: may kernels of products of matrices do so?

    Returns:
        Does a kernel of a product do so?
    """
    forms = {**together.rows, **(together.products if products else {})}
    return bool(forms) and _Finishing(cut, together, forms).run()


@dataclass(frozen=True)
class _Reductions:
    """A kernel of reductions: their form, how many ends are below them, themselves included, and whether they are the
    elements of a product of matrices.
    """

    form: Rows
    depth: int
    of_product: bool


class _Finishing(Taking):
    def __init__(self, cut: Assignment, together: Bundles, forms: Mapping[Expr, Rows]) -> None:
        super().__init__(cut)
        self.together = together
        self.costs = Costs()
        self.reductions: dict[int, _Reductions] = {}  # the kernels that do some
        for node in cut.graph.order:
            if node in cut.maker and node in forms:
                of_product = node in together.products
                self.reductions[cut.maker[node]] = _Reductions(forms[node], together.depth[node], of_product)

    def run(self) -> bool:
        """Take over what can be; does a kernel of a product?"""
        products = False
        last = {nodes[-1]: number for number, nodes in self.results.items()}
        for node in self.graph.order:
            number = last.get(node)
            if number in self.results and all(is_elementwise(x, self.graph) for x in self.results[number]):
                targets = self._targets(number)
                if isinstance(targets, Condition):
                    self.refused(number, targets)
                else:
                    for other in targets[1:]:
                        self.join(other, targets[0])
                    self.take_over(number, targets[0])
                    products |= self.reductions[targets[0]].of_product
        return products

    def _targets(self, number: int) -> list[int] | Condition:
        """The kernels of reductions that can make a kernel's results as well, as one; or why there are none."""
        cut, depth = self.cut, self.together.depth
        reads = cut.kernels[number].reads
        makers = dict.fromkeys(cut.maker[x] for x in reads if cut.maker.get(x) in self.reductions)
        deepest = max((self.reductions[k].depth for k in makers), default=0)
        targets = [k for k in makers if self.reductions[k].depth == deepest]
        if not targets:
            return Condition.NO_REDUCTION
        if len(targets) > 1 and not self._are_alike(targets):
            return Condition.SEVERAL_REDUCTIONS
        own = {x for x in reads if cut.maker.get(x) in targets}
        if any(not self.graph.exists(x) and x not in own and depth[x] >= deepest for x in reads):
            return Condition.NOT_READY
        if any(isinstance(node, Concat) for node in cut.kernels[number].vertices):
            return Condition.PARTS
        form = self.reductions[targets[0]].form
        if any(length(x) is not form.count for x in self.results[number]) or not is_aligned(self, number, own):
            return Condition.NOT_ALIGNED
        if not self.fits(number, targets, own):
            return Condition.TOO_MANY
        if self.reductions[targets[0]].of_product:
            alone = len(self.results[number]) == 1 and not any(self.is_needed(x, number) for x in own)
            return targets if alone else Condition.NEEDED
        count, each = (1 if n.value is None else n.value for n in (form.count, form.each))
        is_little = self.costs.operations(cut.kernels[number]) <= count * (FREE_OPERATIONS + each)
        return targets if is_little else Condition.MUCH_WORK

    def _are_alike(self, numbers: Sequence[int]) -> bool:
        """Do kernels of one depth reduce rows of one form, to numbers, so that one can do the work of all?

        None reads what another one computes, as they are of one depth.
        """
        if len({self.reductions[k].form.kind for k in numbers}) > 1 or any(
            self.reductions[k].of_product for k in numbers
        ):
            return False
        return all(isinstance(element(x), ScalarType) for k in numbers for x in self.results[k])


def is_elementwise(node: Expr, graph: Graph) -> bool:
    """A map of numbers to numbers."""
    return is_computed(node) and not graph.is_barrier(node) and isinstance(element(node), ScalarType)


def is_aligned(taking: Taking, number: int, own: set[Expr]) -> bool:
    """Does element i of what a kernel makes need element i of those arrays only?"""
    graph, elsewhere = taking.graph, set[Expr]()  # what is read in another order, or as a whole
    vertices = sorted(set(taking.cut.kernels[number].vertices), key=taking.position.__getitem__, reverse=True)
    for node in vertices:
        if node in elsewhere or not (isinstance(node, Zip) or is_computed(node)):
            elsewhere.update(graph.reads(node))
        elif isinstance(node, Map) and isinstance(node.f, Lambda):
            elsewhere.update(captured(node.f))
    return not elsewhere & own
