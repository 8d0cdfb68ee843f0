"""The numbers that benchmarks of a device compute with, and what must come of them.

All repeat after `PERIOD` elements, and so does the result: it is known from the interpreter's value for the first ones.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from ir.core.expr import Param
from ir.core.types import BOOL, ArrayType, ScalarType
from ir.fusion.symbols.symbolise import SymbolicKernel
from lazyarr.check.reference import Reference
from lazyarr.compile.compiled import parameters

__all__ = ["PERIOD", "inputs_of", "mismatch"]

PERIOD = 16

Array = np.ndarray[Any, np.dtype[Any]]


def inputs_of(general: SymbolicKernel, indexed: int) -> list[Array]:
    """The inputs of a benchmark at its length; indices are into the first of them, of that many elements."""
    return [_repeated(p, _length(p), indexed) for p in general.inputs]


def _length(p: Param) -> int:
    assert isinstance(p.type, ArrayType)
    return p.type.length.evaluate({})


def _repeated(p: Param, length: int, indexed: int) -> Array:
    """Numbers that stay finite in every benchmark, or indices anywhere of such numbers."""
    assert isinstance(p.type, ArrayType)
    t = p.type.element
    assert isinstance(t, ScalarType)
    places, turns = np.arange(PERIOD), -(-length // PERIOD)
    if p.identifier == "at":
        blocks = np.random.default_rng(0).integers(0, indexed // PERIOD, length)
        return np.asarray(blocks * PERIOD + np.tile(places, turns)[:length], t.name)
    values = places % 3 == 0 if t is BOOL else 0.5 + places / 64 if t.is_float else 2 + places % 2
    return np.tile(np.asarray(values, t.name), turns)[:length]


def mismatch(general: SymbolicKernel, granule: int, result: Array) -> str | None:
    """What is wrong with a benchmark's result at its length, which is a multiple of `PERIOD`; None if nothing.

    Args:
        granule: what lengths are factored by
    """
    sizes = dict.fromkeys(general.sizes, PERIOD // granule)
    inputs = zip(general.inputs, parameters(general), strict=True)
    values = {q.identifier: _repeated(p, PERIOD, PERIOD) for p, q in inputs}
    reference = Reference.of(general.expr, values, sizes)
    turns = result.reshape(-1, PERIOD)
    for extreme in (turns.min(axis=0), turns.max(axis=0)):  # NaN if one is
        wrong = reference.mismatch([extreme])
        if wrong is not None:
            return str(wrong)
    return None
