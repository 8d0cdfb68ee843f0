"""What every pass of fusion has to keep, checked between passes by those who look for a bug."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence

from ir.core.expr import Expr, Param, postorder
from ir.core.size_variables import sizes_in
from ir.core.verify import verify
from ir.errors import VerificationError
from ir.fusion.partition.graph import Graph
from ir.fusion.partition.kernel_expressions import KernelTask, Partition
from ir.fusion.symbols.symbolise import SymbolicKernel, numbered
from ir.opencl.read.views import leaves

__all__ = ["Checks"]


class Checks:
    """Checks the expressions that passes make; each raises `VerificationError`, which names the pass.

    Attributes:
        passed: what was checked and found right, in order.
    """

    def __init__(self) -> None:
        self.passed: list[str] = []
        self._types: list[object] = []
        self._inputs: set[Param] = set()

    def begin(self, roots: Sequence[Expr], graph: Graph) -> None:
        """Note what passes start from: the types of the results, and the inputs that there are."""
        self._types = [root.type for root in roots]
        values = [graph.known[node] for node in graph.order if node in graph.known]
        self._inputs = _inputs([*roots, *values])
        self._verified("recording", roots)
        self.passed.append("recording")

    def note_constant(self, made: Param) -> None:
        """A pass made an input of its own: an array of constants."""
        self._inputs.add(made)

    def roots(self, name: str, roots: Sequence[Expr]) -> None:
        """After a pass that rewrites a graph: the results have their types, and read no other inputs."""
        if [root.type for root in roots] != self._types:
            types = ", ".join(str(root.type) for root in roots)
            raise _broken(name, f"the results are of the types {types}, not {', '.join(map(str, self._types))}")
        self._reads_only(name, roots, self._inputs)
        self._verified(name, roots)
        self.passed.append(name)

    def partition(self, name: str, made: Partition) -> None:
        """After a graph was cut into kernels: each computes its results, of inputs and of results before it."""
        unwritten = Counter(result for task in made.tasks for result in task.results)
        there = set(self._inputs)
        for task in made.tasks:
            self._reads_only(name, [task.expr], there)
            self._gives_results(name, task)
            unwritten.subtract(task.results)
            there.update(result for result in task.results if not unwritten[result])
        if missing := [result for result in made.results if result not in there]:
            raise _broken(name, f"no kernel computes {', '.join(map(repr, missing))}")
        self._verified(name, [task.expr for task in made.tasks])
        self.passed.append(name)

    def kernel(self, name: str, general: SymbolicKernel, reads: int, before: Expr | None = None) -> None:
        """After a pass that makes a kernel over symbols.

        Args:
            name: the pass.
            general: the kernel.
            reads: how many buffers are passed to it.
            before: the expression over numbers that it was made of, if it is known.
        """
        wanted = sum(leaves(p.type) for p in numbered(general.expr))
        if wanted != reads:
            raise _broken(name, f"a kernel of {wanted} inputs is given {reads}", general.expr)
        if unknown := {v.name for v in sizes_in(general.expr)} - general.sizes.keys():
            raise _broken(name, f"nothing says how large {', '.join(sorted(unknown))} is", general.expr)
        if before is not None and general.at_its_sizes().expr.type is not before.type:
            there = general.at_its_sizes().expr.type
            raise _broken(name, f"the result is of the type {there} at its sizes, not {before.type}", general.expr)
        self._verified(name, [general.expr])
        self.passed.append(name)

    def _reads_only(self, name: str, made: Iterable[Expr], there: set[Param]) -> None:
        for e in made:
            if unknown := _inputs([e]) - there:
                raise _broken(name, f"{', '.join(sorted(p.identifier for p in unknown))} is not computed before", e)

    def _gives_results(self, name: str, task: KernelTask) -> None:
        own, wanted = leaves(task.expr.type), sum(leaves(result.type) for result in task.results)
        if own != wanted:
            raise _broken(name, f"a kernel gives {own} arrays for {wanted} results", task.expr)
        if len(task.results) == 1 and task.start is None and task.expr.type is not task.results[0].type:
            raise _broken(name, f"a result of the type {task.expr.type}, not {task.results[0].type}", task.expr)

    def _verified(self, name: str, made: Iterable[Expr]) -> None:
        for e in made:
            try:
                verify(e)
            except VerificationError as error:
                raise _broken(name, str(error)) from error


def _inputs(made: Sequence[Expr]) -> set[Param]:
    """The free variables of expressions; iterative, and each vertex once."""
    found: set[Param] = set()
    seen: set[Expr] = set()
    for e in made:
        for node in postorder(e, prune=seen.__contains__):
            seen.add(node)
            if isinstance(node, Param) and not node.binder:
                found.add(node)
    return found


def _broken(name: str, what: str, e: Expr | None = None) -> VerificationError:
    return VerificationError(f"after the pass {name}: {what}" + ("" if e is None else f"\n    {e}"))
