"""Three tiers of tests: `--tier quick`, `--tier test`, `--tier all` (docs/testing.md).

`all` runs everything. `test` leaves out what is marked `sweep`, and a test that asks `by_tier` looks at fewer examples.
`quick` also leaves out what needs a device or another process, and takes the first and each sixteenth case of a test.
"""

from __future__ import annotations

import os
from typing import Final, TypeVar

__all__ = ["TIERS", "by_tier", "choose", "tier"]

T = TypeVar("T")

TIERS: Final = ("quick", "test", "all")
_VARIABLE: Final = "LAZYARR_TEST_TIER"


def choose(name: str) -> None:
    """Set the tier of this process and of those that it starts, before tests are imported."""
    os.environ[_VARIABLE] = name


def tier() -> str:
    """The tier that runs; everything where none was chosen."""
    return os.environ.get(_VARIABLE, "all")


def by_tier(quick: T, test: T, every: T) -> T:
    """One of three values."""
    return dict(zip(TIERS, (quick, test, every), strict=True))[tier()]
