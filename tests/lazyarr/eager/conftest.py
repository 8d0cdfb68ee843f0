"""Arrays under the tier that users have: small ones are eager."""

from __future__ import annotations

import pytest

import lazyarr as la
from lazyarr import config


@pytest.fixture(autouse=True)
def auto():
    old = config.settings()
    la.config(tier="auto", tune="off")
    yield
    la.config(**vars(old))
