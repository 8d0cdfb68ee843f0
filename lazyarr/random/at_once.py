"""Random numbers of small arrays, drawn at once: what the recorded expression says of a block's words, carried out by
NumPy (`ir.reference`) on words that the host made.

The program of a distribution is written once, for arrays of two numbers: nothing in it but its inputs has a length.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

import numpy as np

from ir.core.expr import Lambda, fun
from ir.core.patterns import Element, Get, Map, Repeat, Zip
from ir.core.types import ScalarType, TupleType
from lazyarr.array import Array
from lazyarr.array.eager import existing
from lazyarr.dtypes import DType, scalar_type, uint32
from lazyarr.elements.formulas import Number
from lazyarr.graph.leaves import inputs_of, leaf
from lazyarr.memory.quiet import quietly
from lazyarr.random.distributions import BLOCKS, number_of
from lazyarr.random.philox import UINT32
from lazyarr.random.words import words_at

if TYPE_CHECKING:
    from ir.reference.generate import NumPyProgram

__all__ = ["numbers_at", "values_of", "written"]

_Numbers = np.ndarray[Any, Any]


def values_of(parameters: tuple[Array, ...], shape: tuple[int, ...]) -> tuple[_Numbers, ...] | None:
    """The values of parameters, flat: of one number each, or of as many as are drawn; None where one is not there."""
    found = []
    for x in parameters:
        value = existing(x)
        if value is None:
            return None
        found.append((value if value.size == 1 else np.broadcast_to(value, shape)).reshape(-1))
    return tuple(found)


def numbers_at(
    function: str, dtype: DType, numbers: tuple[int, int], start: int, count: int, parameters: tuple[_Numbers, ...] = ()
) -> _Numbers:
    """So many numbers of a distribution, from a position on.

    Args:
        numbers: the key and the stream
        parameters: flat arrays, of one number each or of as many as are drawn
    """
    blocks = BLOCKS.get(function, 1)
    words = words_at(*numbers, start, count * blocks)
    if blocks > 1:
        words = [x[i::blocks] for i in range(blocks) for x in words]  # type: ignore[assignment]  # more of them
    program = written(function, dtype, tuple([(x.dtype, x.size == 1) for x in parameters]))
    return quietly(program.call, *words, *parameters)[0]


@cache
def written(function: str, dtype: DType, parameters: tuple[tuple[DType, bool], ...], length: int = 2) -> NumPyProgram:
    """The program of a distribution, of blocks' words and of parameters.

    Args:
        parameters: the dtype of each, and whether it is one number
        length: of what is drawn by an expression that the program is written from
    """
    from ir.reference.generate import write  # few programs are written, and it takes long to import

    words = [leaf((length,), uint32, None) for _ in range(4 * BLOCKS.get(function, 1))]
    given = [leaf((1 if one else length,), x, None) for x, one in parameters]
    nodes = [Repeat(length, Element(0, x)) if one else x for x, (_, one) in zip(given, parameters, strict=True)]
    types = tuple([scalar_type(x) for x, _ in parameters])
    made = Map(_of_words(function, scalar_type(dtype), len(words), types), Zip(*words, *nodes))
    return write([made], [part for x in (*words, *given) for part in inputs_of(x)])


def _of_words(function: str, t: ScalarType, count: int, types: tuple[ScalarType, ...]) -> Lambda:
    """`λ(words..., parameters...). number`."""

    def body(x: Any) -> Any:
        given = [Number(Get(i, x)) for i in range(count + len(types))]
        return number_of(function, tuple(given[:count]), t, given[count:]).expr

    return fun(TupleType((UINT32,) * count + types), body)
