"""`docs/rules.md` says what the registry holds."""

from __future__ import annotations

import os

import pytest

from ir.rewrite.rule import RULES
from tests.ir.rules.page import FIGURES, PAGE, ours, page


def test_the_page_is_made_from_the_registry():
    if os.environ.get("LAZYARR_REFRESH_GOLDEN", "") not in ("", "0"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(), "docs/rules.md is old: run with LAZYARR_REFRESH_GOLDEN=1"


def test_the_page_lists_every_rule():
    text = PAGE.read_text(encoding="utf-8")
    assert [rule.name for rule in ours() if f"| `{rule.name}` |" not in text] == []


@pytest.mark.parametrize(("figure", "equation", "names"), FIGURES, ids=[f"{f}: {e}" for f, e, _ in FIGURES])
def test_every_rule_of_the_papers_figures_exists(figure, equation, names):
    assert set(names) <= set(RULES)
