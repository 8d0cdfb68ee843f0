"""Strategies say what they mean: rules are the rules themselves, and places are named."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

import ir.rules  # noqa: F401  # registers every rule
from ir.rewrite.rule import RULES

ROOT = Path(__file__).resolve().parents[3]
REWRITING = ("ir/fusion", "ir/rewrite", "ir/schedules")

AT = ("at", "at_value", "apply")
"""What takes a place as an argument."""

LARGEST_INDEX = 3
"""No node has more operands, but for what is zipped, put together or called."""


def rules_in_strings(tree: ast.AST) -> Iterator[int]:
    """The lines of strings that are names of rules."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in RULES:
            yield node.lineno


def long_paths(tree: ast.AST, any_tuple: bool) -> Iterator[int]:
    """The lines of places of more than two integers: where one is taken and, if asked for, in any tuple."""
    for node in ast.walk(tree):
        if isinstance(node, ast.Call) and getattr(node.func, "id", getattr(node.func, "attr", "")) in AT:
            for argument in node.args[:2]:
                if isinstance(argument, ast.Tuple) and len(argument.elts) > 2:
                    yield argument.lineno
        elif any_tuple and isinstance(node, ast.Tuple):
            indices = [each.value for each in node.elts if isinstance(each, ast.Constant) and type(each.value) is int]
            starred = [each for each in node.elts if isinstance(each, ast.Starred)]
            if len(indices) + len(starred) == len(node.elts) > 2 and max(indices, default=9) <= LARGEST_INDEX:
                yield node.lineno


@pytest.mark.parametrize("package", ["ir", "tuner", "kernel_cache", "lazyarr"])
def test_rules_are_named_by_no_string_and_places_by_no_path(package):
    files = sorted((ROOT / package).rglob("*.py"))
    assert files
    found = []
    for file in files:
        tree, name = ast.parse(file.read_text(encoding="utf-8")), str(file.relative_to(ROOT))
        found += [f"{name}:{line}: a rule in a string" for line in rules_in_strings(tree)]
        found += [f"{name}:{line}: a path" for line in long_paths(tree, name.startswith(REWRITING))]
    assert not found, "import the rule, and compose the place from those of ir.rewrite.places: " + "; ".join(found)


def test_what_is_looked_for_is_found():
    strings = ast.parse('use(RULES["map_to_seq"])\nchoice(*map(named, ("unroll", "to_local")))\nx = "to local"')
    assert list(rules_in_strings(strings)) == [1, 2, 2]
    paths = "at((0, 0, 0), s)\nplace = (0, 1, 0)\nat((0, 1), s)\nd.apply(r, (*place, 0, 0))\nways = (1, 2, 4)"
    assert sorted(long_paths(ast.parse(paths), any_tuple=True)) == [1, 1, 2, 4, 4]
    assert sorted(long_paths(ast.parse(paths), any_tuple=False)) == [1, 4]
