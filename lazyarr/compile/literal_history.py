"""When the numbers of kernels become inputs: where a kernel was asked for with different ones a few times."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from cachetools import LRUCache
from numpy.typing import NDArray

from ir.core.expr import Expr
from ir.core.patterns import Literal
from ir.cost.thresholds.tiers import CONSTANT_KERNELS_AT_MOST
from ir.fusion.program import ProgramPlan, Step
from ir.fusion.symbols.literal_inputs import numbers_apart, opened
from ir.locks import make_lock
from ir.opencl.read.views import leaves
from lazyarr.compile.compiled import parameters

__all__ = ["Numbers"]


_REMEMBERED = 4096
"""Kernels whose numbers are remembered: those that were asked for last."""


@dataclass
class _History:
    """The numbers with which a kernel was asked for: the first, others (a few of them), and where they differed."""

    first: tuple[Literal, ...]
    others: set[tuple[Literal, ...]]
    differing: set[int]

    def note(self, numbers: tuple[Literal, ...]) -> frozenset[int]:
        """Remember these; which of them should be read from memory."""
        if numbers != self.first and len(self.others) < CONSTANT_KERNELS_AT_MOST:
            self.others.add(numbers)
        self.differing.update(i for i, (a, b) in enumerate(zip(self.first, numbers, strict=True)) if a is not b)
        return frozenset(self.differing if len(self.others) >= CONSTANT_KERNELS_AT_MOST else ())


class Numbers:
    """What kernels of one device were asked for with. Safe to use from several threads."""

    def __init__(self) -> None:
        self._seen: LRUCache[Expr, _History] = LRUCache(_REMEMBERED)
        self._lock = make_lock(self._forget)

    def read(self, made: ProgramPlan) -> ProgramPlan:
        """The same kernels, but that numbers are read from memory where kernels differ in them only."""
        found = [self._of(step) for step in made.steps]
        if not any(which for _, _, which in found):
            return made
        return _Reading(made).run(found)

    def _forget(self) -> None:
        self._seen = LRUCache(_REMEMBERED)

    def _of(self, step: Step) -> tuple[Expr, tuple[Literal, ...], frozenset[int]]:
        apart, numbers = numbers_apart(step.general.expr)
        if not numbers or step.general.fixed:
            return apart, numbers, frozenset()
        with self._lock:
            history = self._seen.get(apart)
            if history is None:
                history = self._seen[apart] = _History(numbers, set(), set())
            return apart, numbers, history.note(numbers)


class _Reading:
    """A cut whose slots make room for further constants."""

    def __init__(self, made: ProgramPlan) -> None:
        self.made = made
        self.constants: list[NDArray[Any]] = list(made.constants)
        self.slots: dict[Literal, int] = {}
        self.first = made.leaves + len(made.constants)  # of the slots that steps fill

    def run(self, found: list[tuple[Expr, tuple[Literal, ...], frozenset[int]]]) -> ProgramPlan:
        steps = [self._step(step, *each) for step, each in zip(self.made.steps, found, strict=True)]
        return replace(
            self.made,
            steps=tuple(map(self._moved, steps)),
            results=tuple(map(self._shifted, self.made.results)),
            constants=tuple(self.constants),
        )

    def _step(self, step: Step, apart: Expr, numbers: tuple[Literal, ...], which: frozenset[int]) -> Step:
        """The step over its own slots and, as negative ones, those of numbers."""
        if not which:
            return step
        made = opened(step.general, numbers, apart, which)
        own = iter(step.reads)
        old = [tuple(next(own) for _ in range(leaves(p.type))) for p in parameters(step.general)]
        reads = [slot for x in made.inputs for slot in (old[x] if isinstance(x, int) else (~self._number(x),))]
        return replace(step, general=made.general, reads=tuple(reads))

    def _number(self, literal: Literal) -> int:
        """The slot of an array of one element with that value."""
        if literal not in self.slots:
            self.slots[literal] = self.made.leaves + len(self.constants)
            self.constants.append(np.frombuffer(literal.bits, literal.dtype.name))
        return self.slots[literal]

    def _moved(self, step: Step) -> Step:
        reads = tuple([~slot if slot < 0 else self._shifted(slot) for slot in step.reads])
        into = step.into and replace(step.into, slot=self._shifted(step.into.slot))
        return replace(step, reads=reads, into=into)

    def _shifted(self, slot: int) -> int:
        return slot if slot < self.first else slot + len(self.constants) - len(self.made.constants)
