"""The rooms of `ir` are small, and each says what it is for; `tests.lazyarr.test_rooms` has those of `lazyarr`."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

from tests.lazyarr.test_rooms import MOST_MODULES

PACKAGE = Path(__file__).resolve().parents[2] / "ir"
ROOMS = sorted(file.parent for file in PACKAGE.rglob("__init__.py"))


@pytest.mark.parametrize("room", ROOMS, ids=lambda room: str(room.relative_to(PACKAGE.parent)))
def test_a_room_is_small_and_says_what_it_is_for(room):
    assert len([file for file in room.glob("*.py") if file.stem != "__init__"]) <= MOST_MODULES
    said = ast.get_docstring(ast.parse((room / "__init__.py").read_text(encoding="utf-8")))
    assert said and len(said.split("\n")) <= 10
