"""Several steps of a stencil that one kernel does, in tiles that overlap: memory is read and written once for all.

Kernels of one step each come from the partition. Those that do the same, one with the result of the other, become one;
`ir.schedules.maps.steps` lowers it. Its sizes stay numbers: which shift of an index is one of a row, symbols do not
say.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace

from ir.core.expr import Expr, Param, postorder, substitute
from ir.core.sizes import Size
from ir.core.types import ArrayType
from ir.cost.thresholds.partition import (
    STEPS_AT_ONCE,
    STEPS_EXTENT_AT_LEAST,
    STEPS_OF_A_LINE_FROM,
    STEPS_OF_A_PLANE_FROM,
)
from ir.fusion.partition.kernel_expressions import KernelTask, Partition
from ir.rules.stencils import Form, form_of, is_step

__all__ = ["steps_together"]


@dataclass
class _Group:
    """Steps of one form, each made of the one before, as one kernel.

    Attributes:
        tasks: those of one step
        expr: what they compute, over the array that they begin with
        border: the array from which the first of all steps of the loop kept its border
    """

    tasks: list[KernelTask]
    form: Form
    expr: Expr
    border: Expr


def steps_together(made: Partition) -> Partition:
    """The same kernels, but for steps that become one: each is read by the next one alone."""
    readers = Counter(x for task in made.tasks for x in _inputs(task.expr))
    groups: dict[Param, _Group] = {}  # by the result of their last step
    of: dict[KernelTask, _Group] = {}
    for task in made.tasks:
        found = _one_step(task, groups)
        if found is None:
            continue
        previous, start, form = found
        expr = substitute(task.expr, {start: previous})  # what is kept is the same in all steps
        before = groups.get(previous)
        border = start if before is None else before.border
        alone = readers[previous] == 1 and previous not in made.results
        if before is not None and alone and before.form == form and len(before.tasks) < STEPS_AT_ONCE:
            del groups[previous]
            group = _Group([*before.tasks, task], form, substitute(expr, {previous: before.expr}), border)
            of |= dict.fromkeys(before.tasks, group)
        else:
            group = _Group([task], form, expr, border)
        groups[task.results[0]] = of[task] = group
    several = {id(group): group for group in of.values() if len(group.tasks) > 1}
    if not several:
        return made
    tasks = []
    for task in made.tasks:
        own = of.get(task)
        if own is None or len(own.tasks) == 1:
            tasks.append(task)
        elif task is own.tasks[-1]:
            tasks.append(replace(task, expr=own.expr, steps=True))
    return replace(made, tasks=tuple(tasks))


def _one_step(task: KernelTask, groups: Mapping[Param, _Group]) -> tuple[Param, Param, Form] | None:
    """The array that a step is made of, the one from which it keeps its border, and its form.

    These are one array; or the second is what all steps so far have kept theirs from.
    """
    t = task.expr.type
    if task.start is not None or not is_step(task.expr) or not isinstance(t, ArrayType):
        return None
    arrays = [x for x in _inputs(task.expr) if x.type is t]
    if not 1 <= len(arrays) <= 2 or not _is_as_long(t.length, STEPS_OF_A_LINE_FROM):
        return None
    for previous, start in ((arrays[0], arrays[-1]), (arrays[-1], arrays[0])):
        before = groups.get(previous)
        if start is previous or (before is not None and before.border is start):
            form = form_of(task.expr, previous, start)
            if form is None or not all(_is_as_long(n, STEPS_EXTENT_AT_LEAST) for n in form.shape):
                return None
            if len(form.shape) > 1 and not _is_as_long(t.length, STEPS_OF_A_PLANE_FROM):
                return None
            if start is not previous and before is not None and not _keep_the_same(form, before.form):
                return None
            return previous, start, form
    return None


def _keep_the_same(form: Form, other: Form) -> bool:
    return form.shape == other.shape and form.border == other.border


def _inputs(e: Expr) -> list[Param]:
    """The arrays in memory that a kernel reads."""
    return [x for x in postorder(e) if isinstance(x, Param) and not x.binder and isinstance(x.type, ArrayType)]


def _is_as_long(n: Size, least: int) -> bool:
    """Is it of the magnitude of a number, or of a larger one?"""
    return (n.value or 0).bit_length() >= least.bit_length()
