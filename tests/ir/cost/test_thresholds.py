"""Numbers that decide stand in `ir.cost.thresholds`, each with its measurement; `docs/thresholds.md` says the same."""

from __future__ import annotations

import ast
import os
import subprocess
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from ir.schedules import candidates
from tests.ir.cost.page import PAGE, TABLES, page, thresholds
from tests.sources import files, nodes

ALL = [(table, threshold) for table in TABLES for threshold in thresholds(table)]
FOLDERS = ("ir/schedules", "ir/fusion", "ir/rules", "ir/cost")

ELSEWHERE = {
    "prepare/fission.py: _OF_ARRAYS": "the level of a function, which follows from its operands",
    "cost/footprints.py: _ANYWHERE": "a stride that is longer than memory",
    "partition/graph.py: _OF_ARRAYS": "the level of a function, which follows from its operands",
}
"""Numbers that decide nothing by themselves, and why."""


def test_the_page_is_made_from_the_table():
    if os.environ.get("LAZYARR_REFRESH_GOLDEN", "") not in ("", "0"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(), "docs/thresholds.md is old: run with LAZYARR_REFRESH_GOLDEN=1"


def test_each_says_what_it_decides_and_what_was_measured():
    assert [t.name for _, t in ALL if not t.meaning.endswith((".", ";")) or not t.measured.endswith(".")] == []
    assert {(table, t.name) for table, t in ALL} - imported() == set(), "nothing decides by these"


@cache
def imported() -> frozenset[tuple[str, str]]:
    """The numbers that modules import, and from which table."""
    return frozenset(
        (node.module.removeprefix("ir.cost.thresholds."), name.name)
        for package in ("ir", "lazyarr")
        for path in files(package)
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and node.module is not None
        for name in node.names
    )


def test_no_other_number_of_a_module_decides():
    modules = [path for folder in FOLDERS for path in files(folder) if path.parent.name != "thresholds"]
    numbers = {name for path in modules if path.name != "processors.py" for name in numbers_of(path)}
    assert numbers == set(ELSEWHERE)


def numbers_of(path: Path) -> Iterator[str]:
    """The upper-case names of a module, or of its classes, that stand for a number."""
    for body in [n for n in nodes(path) if isinstance(n, ast.Module | ast.ClassDef)]:
        for statement in body.body:
            targets = statement.targets if isinstance(statement, ast.Assign) else [getattr(statement, "target", None)]
            for target in targets:
                if (
                    isinstance(target, ast.Name)
                    and target.id.isupper()
                    and is_number(getattr(statement, "value", None))
                ):
                    yield f"{path.parent.name}/{path.name}: {target.id}"


def is_number(value: ast.AST | None) -> bool:
    """An expression of numbers, names and operators alone, at least one of them a number."""
    inside = [] if value is None else list(ast.walk(value))
    operators = (ast.Constant, ast.BinOp, ast.UnaryOp, ast.operator, ast.unaryop, ast.Name, ast.expr_context)
    numbers = [n.value for n in inside if isinstance(n, ast.Constant)]
    return (
        bool(numbers)
        and all(isinstance(n, operators) for n in inside)
        and all(type(n) in (int, float) for n in numbers)
    )


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("3", True),
        ("-1.5", True),
        ("1 << 14", True),
        ("2 * OTHER", True),
        ("(1, 2)", False),
        ("OTHER", False),
        ("'3'", False),
    ],
)
def test_what_counts_as_a_number(text: str, found: bool):
    assert is_number(ast.parse(text, mode="eval").body) is found


def test_the_orders_name_the_same_schedules_and_all_of_them():
    orders = {t.name: t.value for t in thresholds("defaults") if t.name.startswith("ORDER_")}
    names = sorted({s.name for s in candidates._SCHEDULES})
    assert len(orders) == 4
    assert all(sorted(order) == names for order in orders.values())


def test_the_table_imports_nothing_but_typing():
    tables = {f"ir.cost.thresholds.{table}" for table in TABLES}
    code = f"import sys, {', '.join(tables)}; print(*(m for m in sys.modules if m.split('.')[0] in ('ir', 'numpy')))"
    loaded = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    assert set(loaded) == {"ir", "ir.cost", "ir.cost.thresholds", *tables}
