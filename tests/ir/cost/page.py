"""The page `docs/thresholds.md`, made from the docstrings of `ir.cost.thresholds`."""

from __future__ import annotations

import ast
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path

import ir.cost.thresholds

__all__ = ["PAGE", "TABLES", "Threshold", "page", "thresholds"]

PAGE = Path(__file__).parents[3] / "docs" / "thresholds.md"
TABLES = (
    "partition",
    "defaults",
    "reductions",
    "products",
    "scans",
    "sorts",
    "tiers",
    "drawing",
    "masks",
    "calling_thread",
    "compiling",
    "ratios",
    "prediction",
)


@dataclass(frozen=True)
class Threshold:
    """A name, its value, what it decides, and the measurement behind it; the last is empty where none is stated."""

    name: str
    value: object
    meaning: str
    measured: str


def thresholds(table: str) -> Iterator[Threshold]:
    """The numbers of a module, as they stand there."""
    module = import_module(f"ir.cost.thresholds.{table}")
    body = ast.parse(Path(str(module.__file__)).read_text(encoding="utf-8")).body
    for statement, follows in zip(body, [*body[1:], ast.Pass()], strict=True):
        if isinstance(statement, ast.AnnAssign):
            assert isinstance(statement.target, ast.Name)
            text = (
                follows.value.value if isinstance(follows, ast.Expr) and isinstance(follows.value, ast.Constant) else ""
            )
            meaning, measured = re.fullmatch(
                r"(.*?)((?:Measured:|Not measured on record).*)?", _line(str(text))
            ).groups()  # type: ignore[union-attr]
            name = statement.target.id
            yield Threshold(name, getattr(module, name), meaning.strip(), measured or "")


def page() -> str:
    """The page's text."""
    lines = [
        "# Thresholds",
        "",
        "Made from `ir.cost.thresholds` by `LAZYARR_REFRESH_GOLDEN=1 pytest tests/ir/cost/test_thresholds.py`.",
        "",
        _line(str(ir.cost.thresholds.__doc__).replace("; `docs/thresholds.md` shows them as a page", "")),
    ]
    for table in TABLES:
        what = _line(str(import_module(f"ir.cost.thresholds.{table}").__doc__))
        lines += [
            "",
            f"## {table}",
            "",
            what,
            "",
            "| name | value | what it decides | measurement |",
            "|---|---|---|---|",
        ]
        lines += [f"| `{t.name}` | {_shown(t.value)} | {t.meaning} | {t.measured} |" for t in thresholds(table)]
    return "\n".join(lines) + "\n"


def _line(text: str) -> str:
    return " ".join(text.split())


def _shown(value: object) -> str:
    """A value; of a mapping the names by value, of an order its items."""
    if isinstance(value, tuple):
        return ", ".join(str(item) for item in value)
    if not isinstance(value, Mapping):
        return f"{value:,}" if isinstance(value, int) else f"{value:g}"
    names: dict[object, list[str]] = {}
    for name, number in value.items():
        names.setdefault(number, []).append(name)
    return "; ".join(f"{', '.join(map(str, found))}: {_of(number)}" for number, found in names.items())


def _of(number: object) -> str:
    return " and ".join(map(str, number)) if isinstance(number, tuple) else str(number)
