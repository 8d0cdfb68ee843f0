"""Explanations as HTML for notebooks: one self-contained fragment, every text escaped, nothing fetched."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from html import escape
from typing import TYPE_CHECKING

from ir.core.expr import Expr
from ir.core.notation.printer import show_indented
from ir.cost.predict import milliseconds
from ir.fusion.prepare.fission import Fission
from ir.fusion.prepare.rewriting import Rewriting
from ir.rewrite.derivation import Derivation
from ir.rewrite.rule import RULES
from lazyarr.lift.changes import Run, changes
from lazyarr.lift.comparison import described
from lazyarr.lift.text import equation, fissions_title, listed, rewriting_title, source_title, trials_summary

if TYPE_CHECKING:
    from lazyarr.lift.comparison import ExplanationDiff, KernelDiff
    from lazyarr.lift.explanation import KernelExplanation

__all__ = ["diff_page", "marked", "page"]

_STYLE = """<style>
.lazyarr pre { margin: 0.2em 0 0.6em 1em; white-space: pre-wrap; text-align: left; }
.lazyarr mark { background: #ffe08a; color: #000; }
.lazyarr summary { cursor: pointer; }
.lazyarr small { opacity: 0.75; }
.lazyarr td, .lazyarr th { text-align: left; padding-right: 1em; }
</style>"""


def page(
    kernels: Sequence[KernelExplanation], fissions: Sequence[Fission] = (), rewritings: Sequence[Rewriting] = ()
) -> str:
    """The kernels of an explanation, one after the other, after what was cut and rewritten before these were made."""
    parts = [f"<h3>{escape(fissions_title(fissions))}</h3>"] if fissions else []
    for fission in fissions:
        parts += _fission(fission)
    for rewriting in rewritings:
        parts += [f"<h3>{escape(rewriting_title(rewriting))}</h3>", *_rewriting(rewriting)]
    for number, kernel in enumerate(kernels, 1):
        parts += [f"<h3>kernel {number} of {len(kernels)}</h3>", *_kernel(kernel)]
    return _fragment(parts or ["<p>no kernel</p>"])


def diff_page(difference: ExplanationDiff) -> str:
    """How two explanations differ."""
    first, second = map(escape, difference.names)
    parts = [f"<h3>{first} | {second}</h3>"]
    if difference.counts[0] != difference.counts[1]:
        parts.append(f"<p>{difference.counts[0]} | {difference.counts[1]} kernels</p>")
    for number, each in enumerate(difference.kernels, 1):
        parts += [f"<h4>kernel {number}</h4>", *_kernel_diff(each)]
    return _fragment(parts)


def _fragment(parts: Iterable[str]) -> str:
    return "\n".join(['<div class="lazyarr">', _STYLE, *parts, "</div>"])


def _pre(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["<table>", "<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table>"])


def _fission(fission: Fission) -> list[str]:
    derivation = fission.derivation
    parts = ["<b>expression</b>", _pre(show_indented(derivation.start))]
    if fission.reason:
        parts += ["<b>cut since it could not be made as it is</b>", _pre(fission.reason)]
    return [*parts, *_steps(derivation), "<b>cut into</b>", _pre(show_indented(derivation.result))]


def _rewriting(rewriting: Rewriting) -> list[str]:
    derivation = rewriting.derivation
    parts = ["<b>expression</b>", _pre(show_indented(derivation.start)), *_steps(derivation)]
    return [*parts, "<b>rewritten to</b>", _pre(show_indented(derivation.result))]


def _steps(derivation: Derivation) -> list[str]:
    """Each step with its rule, and the expression before and after it, folded up."""
    states = derivation.states()
    parts = [f"<details><summary><b>derivation</b> ({len(states) - 1} steps)</summary>"]
    for number, step in enumerate(derivation.steps, 1):
        rule = RULES[step.rule]
        before, after = marked(states[number - 1], states[number])
        parts += [
            f"<details><summary>{number}. <b>{escape(described(step))}</b> "
            f"<small>{escape(rule.source)}; {escape(str(rule.label))}</small></summary>",
            _pre(equation(rule)),
            f"<pre>{before}</pre>",
            f"<pre>{after}</pre>",
            "</details>",
        ]
    return [*parts, "</details>"]


def _kernel(kernel: KernelExplanation) -> list[str]:
    derivation = kernel.derivation
    parts = ["<b>high-level expression</b>", _pre(show_indented(derivation.start))]
    if kernel.apart:
        parts += ["<b>cut from a larger kernel</b>", _pre(kernel.apart)]
    parts += _steps(derivation)
    parts += ["<b>low-level expression</b>", _pre(show_indented(derivation.result))]
    facts: list[tuple[object, object]] = [("device", kernel.device), ("origin", kernel.origin)]
    facts += list(kernel.configuration.items())
    if kernel.lengths:
        facts.append(("made for these lengths alone", listed(kernel.lengths)))
    facts.append(("predicted", kernel.prediction or f"no: {kernel.unpredicted}"))
    facts.append(("measured", "no" if kernel.seconds is None else milliseconds(kernel.seconds)))
    if kernel.estimate is not None:
        facts.append(("estimated for this candidate", kernel.estimate))
    parts.append(_table(("parameter", "value"), facts))
    parts.append("<b>launches</b>")
    parts.append(
        _table(
            ("kernel", "work-items", "work-group", "local memory"),
            [
                (
                    each.kernel,
                    " x ".join(map(str, each.global_size)),
                    "chosen by the runtime" if each.local_size is None else " x ".join(map(str, each.local_size)),
                    "" if each.local_bytes is None else f"{each.local_bytes} bytes",
                )
                for each in kernel.resources
            ],
        )
    )
    parts += [f"<p>written for the device's compiler: {escape(each)}</p>" for each in kernel.workarounds]
    parts += [f"<p>not given: {escape(each)}</p>" for each in kernel.unheeded]
    if kernel.refused:
        parts.append("<b>refused here</b>")
        rows = [(listed(each.configuration), each.reason) for each in kernel.refused]
        parts.append(_table(("candidate", "why"), rows))
    if kernel.trials:
        parts += _search(kernel)
    parts += [f"<details><summary><b>{source_title(kernel)}</b></summary>", _pre(kernel.source), "</details>"]
    return parts


def _search(kernel: KernelExplanation) -> list[str]:
    rows = [
        (
            listed(trial.configuration),
            trial.outcome,
            "" if trial.seconds is None else milliseconds(trial.seconds),
            trial.detail.splitlines()[0] if trial.detail else "",
        )
        for trial in kernel.trials
    ]
    return [
        f"<details><summary><b>search</b>: {escape(trials_summary(kernel))}</summary>",
        _table(("candidate", "outcome", "time", "detail"), rows),
        "</details>",
    ]


def _kernel_diff(difference: KernelDiff) -> list[str]:
    parts = []
    if difference.expressions is not None:
        parts += ["<b>different expressions</b>", *map(_pre, difference.expressions)]
    parts.append(f"<p>{difference.shared} steps in both</p>")
    for name, steps in zip(difference.names, (difference.only_first, difference.only_second), strict=True):
        if steps:
            rows = [(number, described(step)) for number, step in steps]
            parts += [f"<b>only on {escape(name)}</b>", _table(("step", "rule"), rows)]
    if difference.parameters:
        rows_ = [(each.what, each.first, each.second) for each in difference.parameters]
        parts.append(_table(("parameter", *difference.names), rows_))
    if difference.source:
        parts += ["<details><summary><b>sources</b></summary>", _pre(difference.source), "</details>"]
    return parts


def marked(before: Expr, after: Expr) -> tuple[str, str]:
    """Two expressions as escaped HTML text, what differs between them in `<mark>`."""
    old, new = changes(show_indented(before), show_indented(after))
    return _with_marks(old), _with_marks(new)


def _with_marks(runs: Iterable[Run]) -> str:
    return "".join(f"<mark>{escape(text)}</mark>" if changed and text else escape(text) for text, changed in runs)
