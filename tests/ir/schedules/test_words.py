"""Strategies say what they mean: rules are the rules themselves, and places are named."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

import pytest

import ir.rules  # noqa: F401  # registers every rule
from ir.rewrite.rule import RULES
from tests.sources import ROOT, files, nodes

REWRITING = ("ir/fusion", "ir/rewrite", "ir/schedules")

AT = ("at", "at_value", "apply")
"""What takes a place as an argument."""

LARGEST_INDEX = 3
"""No node has more operands, but for what is zipped, put together or called."""


def rules_in_strings(inside: Iterable[ast.AST]) -> Iterator[int]:
    """The lines of strings that are names of rules."""
    for node in inside:
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node.value in RULES:
            yield node.lineno


def long_paths(inside: Iterable[ast.AST], any_tuple: bool) -> Iterator[int]:
    """The lines of places of more than two integers: where one is taken and, if asked for, in any tuple."""
    for node in inside:
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
    found = []
    for file in files(package):
        inside, name = nodes(file), str(file.relative_to(ROOT))
        found += [f"{name}:{line}: a rule in a string" for line in rules_in_strings(inside)]
        found += [f"{name}:{line}: a path" for line in long_paths(inside, name.startswith(REWRITING))]
    assert not found, "import the rule, and compose the place from those of ir.rewrite.places: " + "; ".join(found)


def test_what_is_looked_for_is_found():
    strings = _inside('use(RULES["map_to_seq"])\nchoice(*map(named, ("unroll", "to_local")))\nx = "to local"')
    assert list(rules_in_strings(strings)) == [1, 2, 2]
    paths = _inside("at((0, 0, 0), s)\nplace = (0, 1, 0)\nat((0, 1), s)\nd.apply(r, (*place, 0, 0))\nways = (1, 2, 4)")
    assert sorted(long_paths(paths, any_tuple=True)) == [1, 1, 2, 4, 4]
    assert sorted(long_paths(paths, any_tuple=False)) == [1, 4]


def _inside(text: str) -> tuple[ast.AST, ...]:
    return tuple(ast.walk(ast.parse(text)))
