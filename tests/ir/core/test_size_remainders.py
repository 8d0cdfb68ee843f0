"""Sizes: which sums are shown with remainders, and what it takes to see that there is none."""

from __future__ import annotations

import random

import pytest

from ir.core.sizes import Size, division, remainders, var

x, y, n = var("x", 0, 4095), var("y", 0, 1023), var("n", 1)
PARTS = [x, y, n, *[(x + k) // 4 for k in (0, 1, 5)], x // 32, (4 * y + x) // 8, x // n, x // (8 * n), (y + 3 * n) // n]
DIVISORS = [2, 3, 4, 6, 32, n, 2 * n, 5 * n]


def sums(seed: int) -> list[Size]:
    """Random sums of quotients, of remainders of quotients, and of multiples of both."""
    rng = random.Random(seed)
    found = []
    for _ in range(150):
        total = Size.__mul__(rng.choice(PARTS), 1)
        for _ in range(rng.randint(1, 4)):
            part, divisor = rng.choice(PARTS), rng.choice(DIVISORS)
            part = rng.choice([part, part // divisor, part % divisor, (part // divisor) % rng.choice(DIVISORS)])
            total = total + rng.choice([1, 1, 2, -3, 8, 126, n]) * part
        found.append(total)
    return found


@pytest.mark.parametrize("seed", range(4))
def test_what_cannot_hold_a_remainder_has_none(seed, monkeypatch):
    given = sums(seed)
    found = [remainders.fold_remainders(a) for a in given]
    asked = []
    monkeypatch.setattr(remainders, "_may_hold", lambda *a, f=remainders._may_hold: asked.append(f(*a)) or True)
    assert found == [remainders.fold_remainders(a) for a in given]
    assert asked.count(False) > 20 and asked.count(True) > 20


@pytest.mark.parametrize(
    ("a", "text"),
    [
        ((x // 4) % 2, "(x // 4) % 2"),
        ((x // 4 + 3) % 5, "(x // 4 + 3) % 5"),
        (n * ((x // 4) % 2) + y // 32, "n*((x // 4) % 2) + y // 32"),
        ((x // n + 5) % 7, "(x // n + 5) % 7"),
    ],
)
def test_remainders_of_quotients_are_shown(a, text):
    assert str(a) == text


@pytest.mark.parametrize("a", [126 * (y // 2) + 4 * x + 2 * (x // 128), 8 * (x // 4) - 2 * (y // 8) + n], ids=str)
def test_where_there_is_none_nothing_is_divided(a, monkeypatch):
    monkeypatch.setattr(division, "floor_div", lambda *_: pytest.fail("to divide takes searches for bounds"))
    assert remainders.fold_remainders(a) == a.polynomial
