"""The packages' files as syntax trees, each parsed and walked once in a process, for all tests that look at them."""

from __future__ import annotations

import ast
from functools import cache
from pathlib import Path

__all__ = ["PACKAGES", "ROOT", "files", "nodes", "parsed"]

ROOT = Path(__file__).resolve().parent.parent
PACKAGES = ("ir", "tuner", "kernel_cache", "lazyarr")


@cache
def files(folder: str) -> tuple[Path, ...]:
    """The modules in a folder of the repository and below it."""
    found = tuple(sorted((ROOT / folder).rglob("*.py")))
    assert found
    return found


@cache
def parsed(file: Path) -> ast.Module:
    """The tree of a file; nobody changes it."""
    return ast.parse(file.read_text(encoding="utf-8"), str(file))


@cache
def nodes(file: Path) -> tuple[ast.AST, ...]:
    """All nodes of a file, as `ast.walk` gives them."""
    return tuple(ast.walk(parsed(file)))
