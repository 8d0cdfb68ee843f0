"""The pages name what exists: links and paths lead to files, dotted names to the code; the glossary is sorted."""

from __future__ import annotations

import importlib
import re
from importlib.util import find_spec
from pathlib import Path

import pytest

from tests.lazyarr.test_rooms import ROOMS

ROOT = Path(__file__).resolve().parent.parent
DOCS = sorted((ROOT / "docs").glob("*.md"))
LINKING = [*DOCS, ROOT / "README.md", ROOT / "CONTRIBUTING.md"]
NAMING = [*DOCS, ROOT / "CONTRIBUTING.md"]

MADE_IN_EXAMPLES = {"ir/schedules/maps/strided.py", "tests/ir/schedules/test_strided.py"}

LINK = re.compile(r"\[[^\]]*\]\(([^)\s]+)\)")
FENCED = re.compile(r"^```.*?^```", re.MULTILINE | re.DOTALL)
SPAN = re.compile(r"`([^`]+)`")
NAME = re.compile(r"(?:lazyarr|ir|tuner|kernel_cache)(?:\.\w+)+")
PATH = re.compile(r"(?:lazyarr|ir|tuner|kernel_cache|benchmarks|tests)/[\w./]*")
DRAWN = re.compile(r"[a-z_]+(?:/[a-z_]+)+")
TERM = re.compile(r"^- \*\*(.+?)\*\*:", re.MULTILINE)


def text_of(page: Path) -> str:
    return page.read_text(encoding="utf-8")


def named(text: str) -> list[str]:
    """The dotted names that stand alone in backticks, outside of blocks of code."""
    return [span for span in SPAN.findall(FENCED.sub("", text)) if NAME.fullmatch(span)]


def exists(name: str) -> bool:
    """Is it a module, or an attribute (of an attribute) of one?"""
    parts = name.split(".")
    known = 1
    while known < len(parts) and _is_module(".".join(parts[: known + 1])):
        known += 1
    found = importlib.import_module(".".join(parts[:known]))
    for part in parts[known:]:
        if not hasattr(found, part) and part not in getattr(found, "__annotations__", {}):
            return False
        found = getattr(found, part, None)
    return True


def _is_module(name: str) -> bool:
    try:
        return find_spec(name) is not None
    except ModuleNotFoundError:  # what it would lie in is no package
        return False


@pytest.mark.parametrize("page", LINKING, ids=lambda page: page.name)
def test_links_lead_to_files(page):
    prose = SPAN.sub("", FENCED.sub("", text_of(page)))
    targets = [target.partition("#")[0] for target in LINK.findall(prose)]
    local = [target for target in targets if target and "://" not in target]
    assert [target for target in local if not (page.parent / target).exists()] == []


@pytest.mark.parametrize("page", NAMING, ids=lambda page: page.name)
def test_names_are_those_of_the_code(page):
    assert [name for name in dict.fromkeys(named(text_of(page))) if not exists(name)] == []


@pytest.mark.parametrize("page", LINKING, ids=lambda page: page.name)
def test_paths_lead_to_files(page):
    paths = {span for span in SPAN.findall(FENCED.sub("", text_of(page))) if PATH.fullmatch(span)}
    assert sorted(path for path in paths - MADE_IN_EXAMPLES if not (ROOT / path).exists()) == []


def test_what_the_examples_make_is_not_there():
    assert [path for path in MADE_IN_EXAMPLES if (ROOT / path).exists()] == []


def test_names_are_found_and_told_apart():
    assert named("`ir.core.sizes`, `ir/core`, `lazyarr` and\n```\n`ir.gone`\n```\n") == ["ir.core.sizes"]
    assert exists("lazyarr.array.core.Array.shape")
    assert exists("ir.fusion.program.ProgramPlan.fissions")
    assert not exists("ir.core.gone")
    assert not exists("lazyarr.array.core.Array.gone")


def test_the_glossary_is_sorted_and_has_each_term_once():
    terms = [term.casefold() for term in TERM.findall(text_of(ROOT / "docs" / "glossary.md"))]
    assert len(terms) > 100
    assert terms == sorted(set(terms))


def test_the_map_has_every_room_and_fits_a_page():
    text = text_of(ROOT / "docs" / "architecture.md")
    assert [room for room in ROOMS if f"`{room}`" not in text] == []
    assert len(text.splitlines()) <= 110


def test_the_road_goes_through_modules_that_exist():
    road = FENCED.findall(text_of(ROOT / "docs" / "architecture.md"))[0]
    drawn = DRAWN.findall(road)
    assert len(drawn) > 15
    roots = (ROOT / "lazyarr", ROOT / "ir", ROOT)
    assert [name for name in drawn if not any((root / f"{name}.py").exists() for root in roots)] == []


@pytest.mark.parametrize("page", ["architecture", "lazyarr", "runtime", "ir", "tuner", "kernel_cache", "glossary"])
def test_every_page_can_be_reached_from_the_readme(page):
    assert f"docs/{page}.md" in text_of(ROOT / "README.md")
