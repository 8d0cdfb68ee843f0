"""The rooms of `lazyarr` and the arrows between them: imports go down, rooms are small and say what they are for."""

from __future__ import annotations

import ast
from collections import defaultdict
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.sources import ROOT, files, parsed

PACKAGE = ROOT / "lazyarr"

# From the ground up: a room imports itself and those before it.
ROOMS = (
    "base", "dtypes", "elements", "memory", "runtime", "graph", "array", "eager", "recording", "aliasing", "check",
    "compile", "tiers", "evaluate", "lift", "api.elementwise", "api.reduce", "api.shape", "api.select", "api.create",
    "api.order", "api.linear", "api.statistics", "api.signal", "api.functional", "methods", "namespaces", "lib",
    "random", "api", "lazyarr", "commands",
)  # fmt: skip
# The modules beside the rooms: what everything may import, and what users import by name.
BASE = {"config", "debugging", "errors", "exceptions", "typing", "version"}
NAMESPACES = {"emath", "fft", "linalg", "polynomial", "testing"}
UPWARDS = {
    ("lazyarr.methods.protocols", "lazyarr"): "NumPy's functions are looked up in the namespace by their names",
}
MOST_MODULES = 20
MOST_IN_CIRCLE = 5
MOST_LATE = 30
"""Imports inside functions, of which there were 282."""


class Import(NamedTuple):
    """One import of a module of `lazyarr` by another; late: inside of a function; line: its text."""

    source: str
    target: str
    late: bool
    line: str


@cache
def modules() -> dict[str, Path]:
    """The modules by their dotted names."""
    found = {}
    for file in files("lazyarr"):
        parts = file.relative_to(ROOT).with_suffix("").parts
        found[".".join(parts[:-1] if parts[-1] == "__init__" else parts)] = file
    return found


def room_of(module: str) -> str:
    """The room that a module lies in."""
    _, *rest = module.split(".")
    if not rest:
        return "lazyarr"
    if rest[0] == "api" and (len(rest) > 2 or (PACKAGE / Path(*rest)).is_dir()) and len(rest) > 1:
        return f"api.{rest[1]}"
    if len(rest) == 1 and not (PACKAGE / rest[0]).is_dir():
        if rest == ["__main__"]:
            return "commands"
        return "base" if rest[0] in BASE else "namespaces" if rest[0] in NAMESPACES else "?"
    return rest[0]


def _imports(module: str, node: ast.AST, lines: list[str], late: bool) -> Iterator[Import]:
    for child in ast.iter_child_nodes(node):
        if isinstance(child, ast.If) and "TYPE_CHECKING" in ast.unparse(child.test):
            for other in child.orelse:
                yield from _imports(module, other, lines, late)
            continue
        line = lines[child.lineno - 1] if hasattr(child, "lineno") else ""
        if isinstance(child, ast.Import):
            for alias in child.names:
                if alias.name.partition(".")[0] == "lazyarr":
                    yield Import(module, alias.name, late, line)
        elif isinstance(child, ast.ImportFrom) and child.module and child.module.partition(".")[0] == "lazyarr":
            for alias in child.names:
                whole = f"{child.module}.{alias.name}"
                yield Import(module, whole if whole in modules() else child.module, late, line)
        yield from _imports(module, child, lines, late or isinstance(child, (ast.FunctionDef, ast.Lambda)))


@cache
def imports() -> tuple[Import, ...]:
    """All imports within `lazyarr`, but for those that type checkers alone see."""
    found: list[Import] = []
    for module, file in modules().items():
        text = file.read_text(encoding="utf-8")
        found += _imports(module, parsed(file), text.split("\n"), False)
    return tuple(found)


def test_every_module_lies_in_a_room():
    assert {room_of(module) for module in modules()} == set(ROOMS)


def test_imports_go_down():
    level = {room: i for i, room in enumerate(ROOMS)}
    up = [
        (each.source, each.target)
        for each in imports()
        if level[room_of(each.target)] > level[room_of(each.source)] and (each.source, each.target) not in UPWARDS
    ]
    assert not up, "a room imports one above it: move what it needs down, or bind it in lazyarr.methods.table"


def test_the_exceptions_are_needed():
    assert set(UPWARDS) <= {(each.source, each.target) for each in imports()}


@pytest.mark.parametrize("room", ROOMS)
def test_rooms_are_small_and_say_what_they_are_for(room):
    inside = [module for module in modules() if room_of(module) == room]
    assert 0 < len(inside) <= MOST_MODULES + 1  # with its __init__
    package = "lazyarr" if room in ("base", "namespaces") else f"lazyarr.{room}".removesuffix(".lazyarr")
    said = ast.get_docstring(parsed(modules()[package]))
    assert said and len(said.split("\n")) <= 10


def test_imports_inside_functions_have_a_reason_beside_them():
    late = [each for each in imports() if each.late]
    assert len(late) <= MOST_LATE
    assert not [(each.source, each.line.strip()) for each in late if "#" not in each.line]


def test_circles_inside_of_rooms_are_small():
    arrows: dict[str, set[str]] = defaultdict(set)
    for each in imports():
        if (each.source, each.target) not in UPWARDS and each.source != each.target:
            arrows[each.source].add(each.target)

    def reached(start: str) -> set[str]:
        found, pending = set(), [start]
        while pending:
            for target in arrows[pending.pop()] - found:
                found.add(target)
                pending.append(target)
        return found

    ways = {module: reached(module) for module in modules()}
    for module, below in ways.items():
        circle = {other for other in below if module in ways[other]}
        assert len(circle) <= MOST_IN_CIRCLE, sorted(circle)
