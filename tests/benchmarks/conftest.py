"""What tests of benchmarks share."""

from __future__ import annotations

import pytest

import lazyarr as la
from lazyarr import config


@pytest.fixture
def untuned():
    """Values of programs are looked at under the predicted best: searches would take minutes, and look for others."""
    old = config.settings()
    la.config(tune="off")
    yield
    la.config(**vars(old))
