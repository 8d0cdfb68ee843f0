"""Every rule is taken by something: a strategy or a pass of the packages, or by hand where one follows the papers."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from ir.rewrite.rule import RULES
from tests.ir.rules.page import BY_HAND, ours
from tests.sources import PACKAGES, ROOT, files, nodes


@cache
def mentioned() -> frozenset[str]:
    """The rules that the packages' code names: as an imported object, or by their names outside of `ir.rules`."""
    return frozenset(name for package in PACKAGES for path in files(package) for name in _in(path))


def _in(path: Path) -> Iterator[str]:
    is_rules = path.is_relative_to(ROOT / "ir" / "rules")
    imported = {
        alias.asname or alias.name: alias.name
        for node in nodes(path)
        if isinstance(node, ast.ImportFrom) and (node.module or "").startswith("ir.rules")
        for alias in node.names
    }
    for node in nodes(path):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and not is_rules:
            yield node.value
        elif isinstance(node, ast.Name) and isinstance(node.ctx, ast.Load) and node.id in imported:
            yield imported[node.id].rstrip("_")
        elif isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id in imported:
            yield node.attr.rstrip("_")


def test_a_rule_is_taken_by_something():
    """By a strategy or a pass: use it, delete it, or list it in BY_HAND with its reason."""
    rules = {rule.name for rule in ours()}
    assert rules - mentioned() - set(BY_HAND) == set()
    assert rules & mentioned() & set(BY_HAND) == set(), "these need not stand in BY_HAND"


def test_only_rules_are_kept_for_derivations_by_hand():
    assert set(BY_HAND) <= set(RULES)
