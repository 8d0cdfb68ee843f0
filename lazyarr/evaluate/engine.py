"""Evaluation: the recorded graph becomes a program, which is found again or compiled, and launched."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from typing import Any

import numpy as np

from ir.core.expr import Expr
from ir.core.types import ArrayType, TupleType, shape_of
from lazyarr import debugging
from lazyarr.array import Array
from lazyarr.config import Settings, settings
from lazyarr.evaluate.dying import DyingLeaves
from lazyarr.evaluate.kept_results import kept, kept_inside, note_passed
from lazyarr.evaluate.program_lookup import KnownProgram, signature
from lazyarr.evaluate.short_programs import note_again
from lazyarr.graph.bounded_table import BoundedTable
from lazyarr.graph.builders import components
from lazyarr.graph.leaves import inputs_of, leaf, leaf_over, looks
from lazyarr.graph.recorded_calls import RecordedCall
from lazyarr.graph.tracing import Trace
from lazyarr.graph.vertices import note_value, vertex_of
from lazyarr.runtime import Device, find_device
from lazyarr.tiers.programs import programs_for

logger = logging.getLogger("lazyarr.evaluate")

_default: tuple[Settings, Device] | None = None
"""The default device under the settings in force: looking for it by name costs more than a launch."""

__all__ = ["compute", "device_of", "place_of", "roots_of"]


def device_of(arrays: Sequence[Array | Trace]) -> Device:
    """The device the arrays were put on (of a recording: its arguments), else the default device."""
    for array in arrays:
        if array.placed is not None:
            return find_device(array.placed)
    global _default
    wanted = settings()
    if _default is None or _default[0] is not wanted:
        _default = wanted, find_device(wanted.device or None)
    return _default[1]


def place_of(arrays: Sequence[Array | Trace]) -> Device | str:
    """The device the arrays were put on (of a recording: its arguments), else the name of the default device, which
    is not looked for before a kernel is compiled.
    """
    for array in arrays:
        if array.placed is not None:
            return find_device(array.placed)
    return settings().device


def compute(arrays: Sequence[Array]) -> None:
    """Give each array its value; what they share is computed once. Returns when the kernels are enqueued."""
    if len(arrays) == 1:
        _compute_on(place_of(arrays), arrays)
        return
    by_place: dict[Device | str, list[Array]] = {}
    for array in arrays:
        by_place.setdefault(place_of([array]), []).append(array)
    for place, group in by_place.items():
        _compute_on(place, list({id(array): array for array in group}.values()))  # each once: it changes


_known_programs: dict[Device | str, BoundedTable[Any, KnownProgram]] = {}
"""The programs that ran last on each device, by the signatures of what arrays stood for."""

_CAPACITY = 1 << 17
_WEIGHT = 64
"""What a table of them may hold, and what one weighs beside its key, in items of a key."""


def _compute_on(place: Device | str, arrays: Sequence[Array]) -> None:
    # what they stand for now: another thread may compute or change them meanwhile
    standing = [x.standing for x in arrays]
    wanted, made = _values(place, standing)
    for x, before, found in zip(arrays, standing, made, strict=False):  # beside these others were kept
        node = before.made if type(before) is RecordedCall else before
        leaf = x._realise(before, found[0] if len(found) == 1 else found)
        _note_value(node, leaf)  # type: ignore[arg-type]  # an expression or None
    for before, found in zip(wanted[len(arrays) :], made[len(arrays) :], strict=True):
        assert isinstance(before, RecordedCall)
        _settle(before, found)


def _values(
    place: Device | str, wanted: list[Expr | RecordedCall]
) -> tuple[list[Expr | RecordedCall], list[list[Any]]]:
    """The memory of results, one storage for each part of an element; and of further ones that are kept: all of
    them. Iterative: results that are to be computed first may lie as deep as a program is long.
    """
    waiting = [wanted]
    begun: set[Expr | RecordedCall] = set()
    while True:
        first, found = _values_or_first(place, waiting[-1], begun)
        if first:  # by themselves: the expressions that mention them are made already; what lies deepest comes first
            begun.update(waiting[-1])
            waiting += [[x] for x in first]
            continue
        last = waiting.pop()
        if not waiting:
            return found
        (x,) = last
        assert isinstance(x, RecordedCall)
        _settle(x, found[1][0])


def _values_or_first(
    place: Device | str, wanted: list[Expr | RecordedCall], begun: set[Expr | RecordedCall]
) -> tuple[list[RecordedCall], tuple[list[Expr | RecordedCall], list[list[Any]]]]:
    """What is to be computed before; or, where that is nothing, the same as `_values`.

    Args:
        begun: what others are computed for now, not to be computed before these: an array and what was made of it may
            each be met in the other's expression, where a view of a view is a part of what it began with
    """

    def value(node: Expr) -> Expr | None:
        """The leaf that stands for a vertex."""
        entry = vertex_of(node)
        found = None if entry is None else entry.value()
        if found is None:
            return None
        storage = inputs_of(found)[0].storage
        if isinstance(storage, np.ndarray):
            return found
        return found if storage.device is (device_of(()) if isinstance(place, str) else place) else None

    taken = signature(wanted, value)
    key, held = taken.key, taken.held
    if held or taken.inside:
        first = [x for x in kept_inside(taken) if x not in begun]
        if first:
            return first, ([], [])
        if held:
            key = taken.with_what_decides
    programs = _known_programs.get(place) or _known_programs.setdefault(place, BoundedTable(_CAPACITY))
    found = programs.get(key)
    further = () if not held else kept(taken) if found is None else found.kept
    if held or taken.inside:
        note_passed(taken)
    if further:
        wanted = [*wanted, *[held[i] for i in further]]
    if found is None:
        before = looks.count
        roots, numbers = _roots(taken.expressions(wanted))
        program, apart = programs_for(place).of(roots)
        found = KnownProgram.of(program, apart.leaves, numbers, taken.leaves, further)  # type: ignore[arg-type]  # a recorded graph's leaves
        if looks.count == before:  # else an operation has looked at values, which the key does not show
            programs.put(key, found, _WEIGHT + len(taken.key) + 2 * len(held) + len(taken.pending))
        del roots, apart  # which hold the leaves
    else:
        note_again(found.program, taken)
        if debugging.level:
            logger.info("program found again by its recorded calls: %s", found.program.described)
    leaves, dying = found.leaves(taken.leaves), None
    if found.program.takes_memory:
        dying = DyingLeaves(leaves, taken, len(further))
    made = found.program.run(leaves, dying)
    return [], (wanted, [[made[i] for i in numbers] for numbers in found.results])


def _settle(call: RecordedCall, storage: Sequence[Any]) -> None:
    """The value of a recorded call exists."""
    operation, node = call.operation, call.made
    if operation is None:
        assert node is not None  # recorded at once
        assert isinstance(node.type, ArrayType)
        made = leaf_over(tuple(n.value or 0 for n in shape_of(node.type)), node.type, storage)
    else:
        made = leaf(operation.extents, operation.dtype, storage[0] if len(storage) == 1 else tuple(storage))
    call.settle(made)
    _note_value(node, made)


def _note_value(node: Expr | None, made: Expr) -> None:
    """The value of a vertex exists, and those of its parts where its elements are pairs."""
    if node is None or inputs_of(node):
        return
    note_value(node, made)
    own = inputs_of(made)
    if len(own) > 1:
        for part, each in zip(components(node), own, strict=True):
            note_value(part, each)


def _roots(nodes: Sequence[Expr]) -> tuple[list[Expr], list[list[int]]]:
    """The vertices that give results their values, each once, and the numbers of those of each result."""
    numbers: dict[Expr, int] = {}
    found = []
    for node in nodes:
        is_pair = isinstance(node.type, ArrayType) and isinstance(node.type.element, TupleType)
        found.append([numbers.setdefault(part, len(numbers)) for part in (components(node) if is_pair else (node,))])
    return list(numbers), found


def roots_of(arrays: Sequence[Array]) -> list[Expr]:
    """The vertices that give arrays their values: their own, of a complex array those of its parts."""
    roots: list[Expr] = []
    for array in arrays:
        if array.dtype.kind == "c":
            roots += components(array.node)
        else:
            roots.append(array.node)
    return roots
