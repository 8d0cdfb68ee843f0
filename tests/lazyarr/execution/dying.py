"""Arrays in memory of the pool, and what tells whether results take it."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr.compile import in_place as module
from lazyarr.config import configure
from lazyarr.evaluate import dying as evaluated
from lazyarr.lift import dying as called

COUNT = 4099
TWO = np.float32(2)


@pytest.fixture(autouse=True)
def at_once(monkeypatch):
    """However small results are; other threads of the test run do not matter; no searches."""
    monkeypatch.setattr(module, "IN_PLACE_FROM_BYTES", 1)
    monkeypatch.setattr(module, "IN_PLACE_MADE_AFTER_BYTES", 0)
    monkeypatch.setattr(evaluated, "is_alone", lambda: True)
    monkeypatch.setattr(called, "is_alone", lambda: True)
    before = configure(tier="compiled", tune="off")
    yield
    configure(tier=before.tier, tune=before.tune)


def fresh(count=COUNT, dtype="float32"):
    """An array in memory of the pool, and its values."""
    values = (np.arange(count) % 97).astype(dtype)
    x = la.asarray(values) + np.ones((), dtype)
    la.compute(x)
    return x, values + np.ones((), dtype)


def place(x):
    """Which piece of the device's memory has the value: what the host sees may be a copy, at an address used before."""
    la.compute(x)
    return x.node.storage.key


def doubled(x):
    """`x *= 2`, computed; did it stay where it was?"""
    before = place(x)
    x *= TWO
    return place(x) == before


def warm():
    """The programs of `doubled` ran twice, so that they may write in place."""
    x, _ = fresh()
    doubled(x)
    return doubled(x)
