"""The reference tier: a graph's operations as calls of NumPy on memory that the host sees, or the interpreter's."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import numpy as np

from ir.core.expr import Expr, Param, substitute
from ir.core.nodes.primitives import Tuple
from ir.reference.generate import NumPyProgram, write
from ir.reference.library import LibraryCall
from ir.reference.source import UnwrittenError
from lazyarr.graph.leaves import Input, on_host
from lazyarr.memory.quiet import quietly
from lazyarr.memory.snapshots import pooled

__all__ = ["ReferenceTier"]


class ReferenceTier:
    """A graph for NumPy.

    Attributes:
        program: its calls; None where there are none for it, then the interpreter computes it
        why: what there are no calls for
    """

    __slots__ = ("_call", "program", "why")

    def __init__(self, roots: Sequence[Expr], leaves: Sequence[Input], noted: Mapping[Expr, LibraryCall]) -> None:
        """`noted` are the vertices that calls of NumPy stand for (`ir.reference.library`)."""
        self.program: NumPyProgram | None = None
        self.why = ""
        try:
            self.program = write(roots, leaves, noted, pooled)
            self._call: Callable[..., Sequence[np.ndarray[Any, Any]]] = self.program.call
        except UnwrittenError as error:
            self.why = str(error)
            self._call = _interpreted(roots, leaves)

    def run(self, leaves: Sequence[Input]) -> list[np.ndarray[Any, Any]]:
        """The values of the roots: flat arrays, which are not to be written to."""
        given = []
        for leaf in leaves:
            storage = leaf.storage
            given.append(storage if type(storage) is np.ndarray and storage.ndim == 1 else on_host(leaf))
        found = list(quietly(self._call, *given))  # as kernels are
        for each in found:
            each.setflags(write=False)
        return found


def _interpreted(roots: Sequence[Expr], leaves: Sequence[Input]) -> Callable[..., Sequence[np.ndarray[Any, Any]]]:
    from ir.core.semantics.interpreter import interpret  # which few programs need, and takes long to import

    params = [Param(f"x{i}", leaf.type) for i, leaf in enumerate(leaves)]  # leaves with memory it does not know
    given = [substitute(root, dict(zip(leaves, params, strict=True))) for root in roots]
    whole = given[0] if len(given) == 1 else Tuple(*given)

    def call(*arrays: np.ndarray[Any, Any]) -> list[np.ndarray[Any, Any]]:
        found = interpret(whole, dict(zip(params, arrays, strict=True)))
        return [np.array(each) for each in ([found] if len(roots) == 1 else found)]

    return call
