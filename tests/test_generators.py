"""The random programs: reproducible, told apart, and counted."""

from __future__ import annotations

import random

from tests.generators import SHAPES, random_program


def test_a_seed_gives_one_program():
    for seed in range(20):
        first, second = (random_program(random.Random(seed), low_level=bool(seed % 2)) for _ in range(2))
        assert first.expr is second.expr
        assert first.sizes == second.sizes
        assert first.shape == second.shape


def test_programs_are_counted_and_told_apart():
    before = SHAPES.total()
    programs = [random_program(random.Random(seed)) for seed in range(10_000, 10_200)]
    assert SHAPES.total() == before + 200
    distinct = {(program.expr, tuple(program.sizes.items())) for program in programs}
    assert len({program.shape for program in programs}) == len(distinct) > 190
