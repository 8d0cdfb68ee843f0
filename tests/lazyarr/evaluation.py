"""An engine that evaluates recorded expressions by the reference interpreter.

It tells whether what is recorded is right, for many shapes and dtypes in little time; that kernels compute what the
interpreter does is tested with a few of them, and in the tests of `ir`. Which tests it computes: `conftest.py`.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

import numpy as np

from ir.core.expr import Param, postorder, substitute
from ir.core.semantics.interpreter import interpret
from lazyarr.array import Array, core
from lazyarr.graph.leaves import Input, host_memory
from tests.tiers import tier

ON_DEVICE = tier() != "quick" and os.environ.get("LAZYARR_TEST_ENGINE", "device") == "device"
"""Does a device compute, if not for each case?"""

# A new structure costs a build on the device, nothing in the interpreter.
EXAMPLES = 60 if tier() == "all" and not ON_DEVICE else 10


def compute(arrays: Sequence[Array]) -> None:
    """What `lazyarr.evaluate.engine.compute` does: give each array its value as storage."""
    for array in arrays:
        leaves = [node for node in postorder(array.node) if isinstance(node, Input)]
        inputs = {node.identifier: host_memory(node, np.dtype(node.type.element.name)) for node in leaves}
        program = substitute(array.node, {node: Param(node.identifier, node.type) for node in leaves})
        value = interpret(program, inputs)
        if array.dtype.kind == "c":
            parts, value = value, np.empty(array.size, array.dtype)
            value.real, value.imag = parts
        assert value.dtype == array.dtype, f"dtype recorded as {array.dtype}, computed as {value.dtype}"
        assert value.shape == (array.size,)
        array._realise(array.standing, np.array(value))


@contextmanager
def interpreted() -> Iterator[None]:
    """Within it, or within a function that it decorates, values are computed by the interpreter."""
    bound = core._bound
    before = bound.evaluate
    bound.evaluate = compute
    try:
        yield
    finally:
        bound.evaluate = before
