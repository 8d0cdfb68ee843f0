"""Derivations are remembered: many tests look at the same candidates of the zoo, each from another side."""

from __future__ import annotations

from functools import lru_cache

from ir.schedules import candidates

candidates._derived = lru_cache(maxsize=4096)(candidates._derived.__wrapped__)
