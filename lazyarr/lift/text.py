"""Explanations as text: what `print(lift.explain(f, x))` shows of one kernel."""

from __future__ import annotations

import difflib
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from ir.core.notation.printer import show, show_indented
from ir.cost.predict import milliseconds
from ir.fusion.prepare.fission import Fission
from ir.fusion.prepare.rewriting import Rewriting
from ir.rewrite.derivation import Derivation, step_title
from ir.rewrite.rule import RULES, Rule, Step
from lazyarr.lift.changes import abridged, changes
from tuner import Trial

if TYPE_CHECKING:
    from lazyarr.lift.explanation import KernelExplanation

    Derived: TypeAlias = KernelExplanation | Fission | Rewriting

__all__ = [
    "MARKS", "around", "equation", "facts", "fission_text", "fissions_title", "kernel_text", "kernels_text", "listed",
    "rewriting_text", "rewriting_title", "source_title", "trials_summary",
]  # fmt: skip

MARKS = "⟦⟧"
"""What stands around the changed part of an expression: signs that the notation does not have."""

_BEST = 3
"""Trials that ran well shown, the fastest."""

_FAILED = 10
"""Trials that failed shown."""


def kernels_text(kernels: Sequence[KernelExplanation]) -> Iterator[str]:
    """How several kernels came to be, as one text for each. Programs repeat what they do: where an earlier kernel was
    derived by the same rules at the same places, only what is different is shown of the states and of the source.
    """
    known: dict[tuple[Step, ...], int] = {}
    count = len(kernels)
    for number, kernel in enumerate(kernels, 1):
        like = known.setdefault(tuple([step._replace(parameters=()) for step in kernel.derivation.steps]), number)
        text = kernel_text(kernel, None if like == number else (like, kernels[like - 1]))
        yield f"kernel {number} of {count}\n{'=' * 72}\n{text}"


def kernel_text(kernel: KernelExplanation, like: tuple[int, KernelExplanation] | None = None) -> str:
    """How one kernel came to be, as text.

    Args:
        like: an earlier one that was derived by the same rules at the same places, and its number
    """
    if like is None:
        lines = _derived(kernel)
    else:
        number, other = like
        high, low = show_indented(kernel.derivation.start), show_indented(kernel.derivation.result)
        lines = [*_text_like("high-level expression", high, show_indented(other.derivation.start), number), ""]
        if kernel.apart:
            lines += ["cut from a larger kernel:", _indent(kernel.apart), ""]
        lines += [*_steps_like(kernel.derivation, number, other), ""]
        lines += _text_like("low-level expression", low, show_indented(other.derivation.result), number)
    lines += ["", f"parameters: {listed(kernel.configuration)}"]
    lines += [f"{name}: {value}" for name, value in facts(kernel)]
    if kernel.trials:
        lines += _trials(kernel)
    if like is None or kernel.by_library or like[1].by_library:
        lines += ["", f"{source_title(kernel)}:", _indent(kernel.source)]
    else:
        lines += ["", *_text_like("OpenCL source", kernel.source, like[1].source, like[0])]
    return "\n".join(lines)


def facts(kernel: KernelExplanation) -> list[tuple[str, object]]:
    """What is said of a kernel in a line each: the name, and the value."""
    found: list[tuple[str, object]] = [("device", kernel.device), ("origin", kernel.origin)]
    if kernel.lengths:
        found.append(("made for these lengths alone", listed(kernel.lengths)))
    no_prediction = ("not predicted", kernel.unpredicted)
    found.append(no_prediction if kernel.prediction is None else ("predicted", kernel.prediction))
    found.append(("measured", "no" if kernel.seconds is None else milliseconds(kernel.seconds)))
    if kernel.estimate is not None:
        found.append(("estimated for this candidate", kernel.estimate))
    found += [("launch", each) for each in kernel.resources]
    found += [("refused", each) for each in kernel.refused]
    found += [("written for the device's compiler", each) for each in kernel.workarounds]
    return found + [("not given", each) for each in kernel.unheeded]


def around(each: Derived) -> tuple[list[tuple[str, str]], tuple[str, str]]:
    """The texts that stand before a derivation, with their titles, and the one that stands after it."""
    derivation = each.derivation
    start, result = show_indented(derivation.start), show_indented(derivation.result)
    if isinstance(each, Rewriting):
        return [("expression", start)], ("rewritten to", result)
    if isinstance(each, Fission):
        why = [("cut since it could not be made as it is", each.reason)] if each.reason else []
        return [("expression", start), *why], ("cut into", result)
    why = [("cut from a larger kernel", each.apart)] if each.apart else []
    return [("high-level expression", start), *why], ("low-level expression", result)


def _derived(each: Derived) -> list[str]:
    """A derivation with what stands around it."""
    before, (title, result) = around(each)
    lines = [line for name, text in before for line in (f"{name}:", _indent(text), "")]
    return [*lines, *_steps(each.derivation), "", f"{title}:", _indent(result)]


def source_title(kernel: KernelExplanation) -> str:
    """What stands above a kernel's source."""
    return "no kernel, but a call of the host's library" if kernel.by_library else "OpenCL source"


def fissions_title(fissions: Sequence[Fission]) -> str:
    """What stands above them."""
    what = "" if len(fissions) == 1 else f"{len(fissions)} expressions "
    return f"{what}cut into several before kernels were made"


def fission_text(fission: Fission) -> str:
    """How an expression was cut into several, as text."""
    return "\n".join(_derived(fission))


def rewriting_title(rewriting: Rewriting) -> str:
    """What stands above how values were rewritten."""
    if rewriting.times == 1:
        return "rewritten before kernels were made"
    return f"{rewriting.times} values rewritten in one way before kernels were made, for example"


def rewriting_text(rewriting: Rewriting) -> str:
    """How values were rewritten before there were kernels, as text."""
    return "\n".join([rewriting_title(rewriting), "=" * 72, *_derived(rewriting)])


def _steps(derivation: Derivation) -> list[str]:
    """Each step with its rule, and the expression before and after it: the changed part marked, in its context."""
    lines = [f"derivation (what a step changes is in {MARKS}):"]
    texts = [show(state) for state in derivation.states()]
    met: set[str] = set()  # a rule's equation stands at its first step
    for number, step in enumerate(derivation.steps, 1):
        lines.append(f"  {step_title(number, step)}")
        if step.rule not in met:
            lines.append(f"      {equation(RULES[step.rule])}")
        met.add(step.rule)
        before, after = changes(texts[number - 1], texts[number])
        lines.append(f"      before: {abridged(before, _marked)}")
        lines.append(f"      after:  {abridged(after, _marked)}")
    return lines


def _steps_like(derivation: Derivation, number: int, like: KernelExplanation) -> list[str]:
    """That the steps are those of an earlier kernel, and the titles of those that have other parameters."""
    others = like.derivation.steps
    lines = [f"derivation: by the rules of kernel {number}, at the same places"]
    for i, (step, other) in enumerate(zip(derivation.steps, others, strict=True), 1):
        if step.parameters != other.parameters:
            lines.append(f"  {step_title(i, step)}")
    return lines


def _text_like(title: str, text: str, other: str, number: int) -> list[str]:
    """A text that is like an earlier kernel's: the lines that are different, with their numbers, or all of it where
    these are many.
    """
    lines, others = text.splitlines(), other.splitlines()
    if lines == others:
        return [f"{title}: that of kernel {number}"]
    shown = []
    for tag, a, b, c, d in difflib.SequenceMatcher(None, others, lines, autojunk=False).get_opcodes():
        if tag != "equal":
            shown += [f"  line {i + 1}: {lines[i].strip()}" for i in range(c, d)]
            shown += [f"  without its line {i + 1}: {others[i].strip()}" for i in range(a + d - c, b)]
    if 2 * len(shown) > len(lines):
        return [f"{title}:", _indent(text)]
    return [f"{title}: that of kernel {number}, but for", *shown]


def _marked(text: str) -> str:
    return f"{MARKS[0]}{text}{MARKS[1]}"


def trials_summary(kernel: KernelExplanation) -> str:
    """How many candidates a search tried, how many ran well, and why it ended or when it was."""
    ran = sum(trial.ok for trial in kernel.trials)
    ended = "kept in the cache" if kernel.tuning is None else f"stopped by {kernel.tuning.stopped_by}"
    return f"{len(kernel.trials)} trials, {ran} ran well, {ended}"


def _trials(kernel: KernelExplanation) -> list[str]:
    lines = [f"search: {trials_summary(kernel)}"]
    timed = [(trial.seconds, number) for number, trial in enumerate(kernel.trials) if trial.seconds is not None]
    for seconds, number in sorted(timed)[:_BEST]:
        lines.append(f"  {milliseconds(seconds)}: {listed(kernel.trials[number].configuration)}")
    failed = [trial for trial in kernel.trials if not trial.ok]
    lines += [_failure(trial) for trial in failed[:_FAILED]]
    if len(failed) > _FAILED:
        lines.append(f"  and {len(failed) - _FAILED} more that failed")
    return lines


def _failure(trial: Trial) -> str:
    return f"  {trial.outcome}: {listed(trial.configuration)}: {trial.detail.partition(chr(10))[0]}"


def equation(rule: Rule) -> str:
    """A rule's equation on one line."""
    return " ".join(rule.equation.split())


def listed(values: Mapping[str, Any]) -> str:
    """Names and values on one line."""
    return ", ".join(f"{name} = {value}" for name, value in values.items())


def _indent(text: str) -> str:
    return "\n".join("  " + line for line in text.splitlines())
