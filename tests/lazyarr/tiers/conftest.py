"""Tests of the choice of a tier begin with no program known, and put settings back."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

import lazyarr as la
from lazyarr import config
from lazyarr.eager import operations
from lazyarr.evaluate import engine
from lazyarr.tiers import programs


@pytest.fixture
def restored() -> Iterator[None]:
    """The tier that predictions choose, without a search; settings are put back."""
    old = config.settings()
    la.config(tune="off", tier="auto")
    config.reset_statistics()
    yield
    la.config(**vars(old))
    config.reset_statistics()


@pytest.fixture
def own_programs(restored: None, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Programs that no other test has run, in a process that has compiled something and records what is small, too."""
    monkeypatch.setattr(programs, "_programs", {})
    monkeypatch.setattr(engine, "_known_programs", {})
    monkeypatch.setattr(programs, "_compiles", True)
    with operations.recording_only:
        yield
