"""How two explanations differ: two devices' derivations of one function, say."""

from __future__ import annotations

import difflib
import itertools
from dataclasses import dataclass
from typing import Any

from ir.core.notation.printer import show
from ir.rewrite.derivation import place_text
from ir.rewrite.strategy import Step
from lazyarr.lift.explanation import Explanation, KernelExplanation

__all__ = ["Difference", "ExplanationDiff", "KernelDiff", "compare", "compare_kernels"]


@dataclass(frozen=True)
class Difference:
    """A value that both have, but not the same one.

    Attributes:
        what: the name of a parameter; of a step's, with the rule and the place
    """

    what: str
    first: Any
    second: Any

    def __str__(self) -> str:
        return f"{self.what}: {self.first} | {self.second}"


@dataclass(frozen=True)
class KernelDiff:
    """How two kernels differ.

    Attributes:
        names: what the two are called: their devices
        expressions: the high-level expressions as text, None if both compute the same
        shared: the number of steps with the same rule at the same place in both derivations
        only_first, only_second: the steps of one derivation alone, with their numbers from 1
        parameters: the values chosen that differ, the kernel's own and those of shared steps
        source: the difference of the OpenCL sources in the unified format; empty if they are the same
    """

    names: tuple[str, str]
    expressions: tuple[str, str] | None
    shared: int
    only_first: tuple[tuple[int, Step], ...]
    only_second: tuple[tuple[int, Step], ...]
    parameters: tuple[Difference, ...]
    source: str

    def __bool__(self) -> bool:
        """Is there a difference?"""
        return bool(self.expressions or self.only_first or self.only_second or self.parameters or self.source)

    def __str__(self) -> str:
        lines = []
        if self.expressions is not None:
            lines += ["different expressions:", *(f"  {text}" for text in self.expressions)]
        lines.append(f"{self.shared} steps in both")
        for name, steps in zip(self.names, (self.only_first, self.only_second), strict=True):
            if steps:
                lines.append(f"only on {name}:")
                lines += [f"  {number:2}. {described(step)}" for number, step in steps]
        if self.parameters:
            lines += ["parameters:", *(f"  {each}" for each in self.parameters)]
        if self.source:
            lines += ["source:", *(f"  {line}".rstrip() for line in self.source.splitlines())]
        return "\n".join(lines) if self else f"no difference in {self.shared} steps, parameters and source"


@dataclass(frozen=True)
class ExplanationDiff:
    """How two explanations differ, kernel by kernel. Print it; true if there is a difference.

    Attributes:
        names: what the two are called: their devices
        counts: how many kernels each has; only those that both have are compared
    """

    names: tuple[str, str]
    counts: tuple[int, int]
    kernels: tuple[KernelDiff, ...]

    def __bool__(self) -> bool:
        """Is there a difference?"""
        return self.counts[0] != self.counts[1] or any(self.kernels)

    def __str__(self) -> str:
        parts = [f"{self.names[0]} | {self.names[1]}"]
        if self.counts[0] != self.counts[1]:
            parts[0] += f"\n{self.counts[0]} | {self.counts[1]} kernels"
        parts += [f"kernel {number}\n{'-' * 72}\n{each}" for number, each in enumerate(self.kernels, 1)]
        return "\n\n".join(parts)

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from lazyarr.lift.html import diff_page  # shows what this module makes

        return diff_page(self)


def described(step: Step) -> str:
    """A step as one line: rule, parameters, place."""
    given = ", ".join(f"{name} = {value}" for name, value in step.parameters)
    return f"{step.rule}{f' ({given})' if given else ''} {place_text(step)}"


def compare(first: Explanation, second: Explanation) -> ExplanationDiff:
    """What is different in the second; kernels are compared in the order in which they run."""
    pairs = zip(first.kernels, second.kernels, strict=False)
    devices = [e.kernels[0].device if e.kernels else "no kernel" for e in (first, second)]
    return ExplanationDiff(
        _names(*devices),
        (len(first.kernels), len(second.kernels)),
        tuple(itertools.starmap(compare_kernels, pairs)),
    )


def compare_kernels(first: KernelExplanation, second: KernelExplanation) -> KernelDiff:
    """What is different in the second kernel."""
    mine, others = first.derivation.steps, second.derivation.steps
    keys, other_keys = ([(step.rule, step.path, step.again) for step in steps] for steps in (mine, others))
    blocks = difflib.SequenceMatcher(None, keys, other_keys, autojunk=False).get_matching_blocks()
    shared = [(block.a + i, block.b + i) for block in blocks for i in range(block.size)]
    here, there = {a for a, _ in shared}, {b for _, b in shared}
    parameters = _different("", first.configuration, second.configuration)
    for a, b in shared:
        what = f"step {a + 1} | {b + 1}, {mine[a].rule} {place_text(mine[a])}, "
        parameters += _different(what, dict(mine[a].parameters), dict(others[b].parameters))
    same = first.general.expr is second.general.expr
    names = _names(first.device, second.device)
    changed = difflib.unified_diff(first.source.splitlines(), second.source.splitlines(), *names, lineterm="")
    return KernelDiff(
        names,
        None if same else (show(first.general.expr), show(second.general.expr)),
        len(shared),
        tuple((n, step) for n, step in enumerate(mine, 1) if n - 1 not in here),
        tuple((n, step) for n, step in enumerate(others, 1) if n - 1 not in there),
        tuple(parameters),
        "\n".join(changed),
    )


def _names(first: str, second: str) -> tuple[str, str]:
    """The devices' names, told apart where they are the same."""
    return (first, second) if first != second else (f"{first} (first)", f"{second} (second)")


def _different(what: str, first: dict[str, Any], second: dict[str, Any]) -> list[Difference]:
    names = dict.fromkeys([*first, *second])
    return [
        Difference(what + name, first.get(name, "none"), second.get(name, "none"))
        for name in names
        if first.get(name) != second.get(name)
    ]
