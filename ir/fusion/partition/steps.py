"""Several steps of a stencil that one kernel does, in tiles that overlap: memory is read and written once for all.

Kernels of one step each come from the partition. Those that do the same, one with the result of the other, become one;
`ir.schedules.maps.steps` lowers it. A step may keep its border from the array that the loop began with: the step before
it has that border, too, so that it is made of this one alone (rule `border_of_step_before`). One that computes its
border is told apart from the step before (rule `step_told_apart`).
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, replace
from math import prod

from ir.core.expr import Expr, Param, postorder, substitute
from ir.core.patterns import Slice
from ir.core.sizes import Size
from ir.core.types import ArrayType
from ir.cost.thresholds.partition import (
    STEPS_AT_ONCE,
    STEPS_EXTENT_AT_LEAST,
    STEPS_OF_A_LINE_FROM,
    STEPS_OF_A_PLANE_FROM,
)
from ir.fusion.partition.kernel_expressions import KernelTask, Partition
from ir.fusion.prepare.rewriting import Rewriter
from ir.rewrite.strategy import use
from ir.rules.layout.slices import slice_to_column, slice_to_rows
from ir.rules.layout.steps import border_of_step_before, step_told_apart
from ir.rules.stencils import Form, arrays_in, form_of, is_step, may_be_step

__all__ = ["steps_together"]


@dataclass
class _Group:
    """Steps of one form, each made of the one before, as one kernel.

    Attributes:
        tasks: those of one step, each made of one array
        steps: what each computes, and the array that it is made of
    """

    tasks: list[KernelTask]
    form: Form
    steps: list[tuple[Expr, Param]]

    def together(self, rewriter: Rewriter) -> Expr:
        """What all compute, over the array that they begin with."""
        found: Expr | None = None
        for step, previous in self.steps:
            apart = step if is_step(step) else rewriter.apply(step_told_apart, step, ())
            assert apart is not None
            apart = substitute(apart, _by_rows(apart, self.form, rewriter))
            found = apart if found is None else substitute(apart, {previous: found})
        assert found is not None
        return found


def steps_together(made: Partition, rewriter: Rewriter) -> Partition:
    """The same kernels, but for steps that become one: each is read by the next one alone.

    Args:
        rewriter: what has rewritten vertices before
    """
    readers = Counter(x for task in made.tasks for x in arrays_in(task.expr))
    steps = {task.results[0]: task.expr for task in made.tasks if _may_be_a_step(task)}
    groups: dict[Param, _Group] = {}  # by the result of their last step
    of: dict[KernelTask, _Group] = {}
    alone: dict[KernelTask, KernelTask] = {}
    for task in made.tasks:
        step = _over_the_one_before(task, steps, rewriter) if task.results[0] in steps else None
        if step is None:
            continue
        alone[task] = replace(task, expr=step)
        (previous,) = (x for x in arrays_in(step) if x.type is step.type)
        form = form_of(step, previous, previous)
        if form is None or not _is_large(form):
            continue
        before = groups.get(previous)
        is_private = readers[previous] == 1 and previous not in made.results
        if before is not None and is_private and before.form == form and len(before.tasks) < STEPS_AT_ONCE:
            del groups[previous]
            group = _Group([*before.tasks, task], form, [*before.steps, (step, previous)])
            of |= dict.fromkeys(before.tasks, group)
        else:
            group = _Group([task], form, [(step, previous)])
        groups[task.results[0]] = of[task] = group
    tasks = []
    for task in made.tasks:
        group_of = of.get(task)
        if group_of is None or len(group_of.tasks) == 1:
            tasks.append(alone.get(task, task))
        elif task is group_of.tasks[-1]:
            tasks.append(replace(task, expr=group_of.together(rewriter), steps=True))
    return replace(made, tasks=tuple(tasks), rewritings=rewriter.rewritings)


def _by_rows(e: Expr, form: Form, rewriter: Rewriter) -> dict[Expr, Expr]:
    """Slices of arrays in memory that take a column, or rows, and that as elements of rows, or as rows."""
    if len(form.shape) == 1 or form.keeps:  # what is kept is a part of a whole already
        return {}
    rows = use(slice_to_rows, n=form.shape[-1])
    slices = [node for node in postorder(e) if isinstance(node, Slice) and isinstance(node.xs, Param)]
    found = {node: rewriter.apply(slice_to_column if node.step > 1 else rows, node, ()) for node in slices}
    return {node: made for node, made in found.items() if made is not None}


def _may_be_a_step(task: KernelTask) -> bool:
    t = task.expr.type
    if task.start is not None or not isinstance(t, ArrayType) or not _is_as_long(t.length, STEPS_OF_A_LINE_FROM):
        return False
    return may_be_step(task.expr)


def _over_the_one_before(task: KernelTask, steps: Mapping[Param, Expr], rewriter: Rewriter) -> Expr | None:
    """A step over one array: what it is made of and keeps its border of; None where it needs another one.

    Whose border the step before keeps is seen in that step alone: long loops cost no more a step than short ones.
    """
    arrays = [x for x in arrays_in(task.expr) if x.type is task.expr.type]
    if len(arrays) == 1:
        return task.expr
    for previous in arrays:
        if previous in steps:
            both = substitute(task.expr, {previous: steps[previous]})
            found = rewriter.apply(border_of_step_before, both, ())
            if found is not None:
                return substitute(found, {steps[previous]: previous})
    return None


def _is_large(form: Form) -> bool:
    """Are tiles worth it, and are there several of them?"""
    total = prod(n.value or 0 for n in form.shape)
    if len(form.shape) > 1 and total.bit_length() < STEPS_OF_A_PLANE_FROM.bit_length():
        return False
    sides = (n - 2 * b for n, b in zip(form.shape, form.border, strict=True))  # for which there are symbols
    return all(_is_as_long(n, STEPS_EXTENT_AT_LEAST) for n in sides)


def _is_as_long(n: Size, least: int) -> bool:
    """Is it of the magnitude of a number, or of a larger one?"""
    return (n.value or 0).bit_length() >= least.bit_length()
