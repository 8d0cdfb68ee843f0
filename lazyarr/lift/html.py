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
from lazyarr.lift.text import (
    around,
    equation,
    facts,
    fissions_title,
    listed,
    rewriting_title,
    source_title,
    trials_summary,
)

if TYPE_CHECKING:
    from lazyarr.lift.comparison import ExplanationDiff
    from lazyarr.lift.explanation import KernelExplanation
    from lazyarr.lift.text import Derived

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
        parts += _derived(fission)
    for rewriting in rewritings:
        parts += [f"<h3>{escape(rewriting_title(rewriting))}</h3>", *_derived(rewriting)]
    for number, kernel in enumerate(kernels, 1):
        parts += [f"<h3>kernel {number} of {len(kernels)}</h3>", *_kernel(kernel)]
    return _fragment(parts or ["<p>no kernel</p>"])


def diff_page(difference: ExplanationDiff) -> str:
    """How two explanations differ."""
    return _fragment([_pre(str(difference))])


def _fragment(parts: Iterable[str]) -> str:
    return "\n".join(['<div class="lazyarr">', _STYLE, *parts, "</div>"])


def _pre(text: str) -> str:
    return f"<pre>{escape(text)}</pre>"


def _table(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    lines = ["<table>", "<tr>" + "".join(f"<th>{escape(cell)}</th>" for cell in head) + "</tr>"]
    lines += ["<tr>" + "".join(f"<td>{escape(str(cell))}</td>" for cell in row) + "</tr>" for row in rows]
    return "\n".join([*lines, "</table>"])


def _derived(each: Derived) -> list[str]:
    """A derivation with what stands around it."""
    before, (title, result) = around(each)
    parts = [part for name, text in before for part in (f"<b>{name}</b>", _pre(text))]
    return [*parts, *_steps(each.derivation), f"<b>{title}</b>", _pre(result)]


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
    parts = [*_derived(kernel), _table(("parameter", "value"), [*kernel.configuration.items(), *facts(kernel)])]
    if kernel.trials:
        parts += _search(kernel)
    return [*parts, f"<details><summary><b>{source_title(kernel)}</b></summary>", _pre(kernel.source), "</details>"]


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


def marked(before: Expr, after: Expr) -> tuple[str, str]:
    """Two expressions as escaped HTML text, what differs between them in `<mark>`."""
    old, new = changes(show_indented(before), show_indented(after))
    return _with_marks(old), _with_marks(new)


def _with_marks(runs: Iterable[Run]) -> str:
    return "".join(f"<mark>{escape(text)}</mark>" if changed and text else escape(text) for text, changed in runs)
