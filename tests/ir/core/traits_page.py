"""The page `docs/patterns.md`, made from the classes: every pattern with its type scheme, meaning and traits."""

from __future__ import annotations

import inspect
import re
from dataclasses import fields
from pathlib import Path

import ir.core.patterns  # noqa: F401  # defines every pattern
from ir.core.expr import Expr
from ir.core.signature import SIGNATURES
from ir.core.traits import Traits

__all__ = ["PAGE", "classes", "page"]

PAGE = Path(__file__).parents[3] / "docs" / "patterns.md"


def classes() -> list[type[Expr]]:
    """The classes of nodes of the language; tests define some of their own."""
    found: list[type[Expr]] = []
    pending: list[type[Expr]] = [Expr]
    while pending:
        for cls in pending.pop().__subclasses__():
            if cls not in found and cls.__module__.startswith("ir.core.") and "twin" not in vars(cls):
                pending.append(cls)
                if not cls.is_pattern or cls in SIGNATURES.values():
                    found.append(cls)
    return sorted(found, key=lambda cls: (not cls.is_pattern, cls.__name__))


def traits_of(cls: type[Expr]) -> str:
    """The words that hold of a class."""
    words = [f.name for f in fields(Traits) if f.type == "bool" and getattr(cls.traits, f.name)]
    words += [f"streams {', '.join(cls.traits.streams)}"] * bool(cls.traits.streams)
    return ", ".join(words).replace("_", "-") or "none"


_STEPS = (
    "## Steps that keep lengths",
    "",
    "The pattern `iterate` shrinks its array. For steps that keep shapes and dtypes there is",
    "`lift.iterate(n, step, x)` (`lazyarr.lift.iteration`). It calls the step once, on arrays that stand for `x`, and",
    "records what that made n times, each time of the result before. So n is a number that is known when a program is",
    "recorded, and the graph is that of `for _ in range(n): x = step(x)`. Each step of a stencil is a kernel",
    "(`ir.fusion.prepare.stored_parts`); several steps of a large array are one (`ir.fusion.partition.steps`).",
)


def page() -> str:
    """The page's text."""
    doc = inspect.getdoc(Traits) or ""
    meanings = re.findall(r"^    (\w+): (.*(?:\n        .*)*)", doc, re.MULTILINE)
    cell = re.compile(r"\s+")
    lines = [
        "# The patterns",
        "",
        "Made from the classes: refresh it with `LAZYARR_REFRESH_GOLDEN=1 pytest tests/ir/core/test_traits.py`.",
        "",
        "A pattern says what it is in its own file: type scheme, meaning, traits. Passes ask for traits, so that a new",
        "pattern needs its file, its rules and its generation only: `tests/ir/opencl/test_new_pattern.py` adds two.",
        "",
        "| trait | of a pattern that has it |",
        "|---|---|",
        *(f"| {name.replace('_', '-')} | {cell.sub(' ', text)} |" for name, text in meanings),
        "",
        "## Patterns",
        "",
        "| type scheme | meaning | traits |",
        "|---|---|---|",
    ]
    patterns = [cls for cls in classes() if cls.is_pattern]
    lines += [f"| `{vars(cls)['scheme']}` | {vars(cls)['meaning']} | {traits_of(cls)} |" for cls in patterns]
    lines += ["", "## Other nodes", "", "| node | traits |", "|---|---|"]
    lines += [f"| {cls.__name__} | {traits_of(cls)} |" for cls in classes() if not cls.is_pattern]
    return "\n".join([*lines, "", *_STEPS, ""])
