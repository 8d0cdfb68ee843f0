"""Jitted functions that assign to their arguments, in several threads: parts of one array that do not overlap."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift
from lazyarr.array import core
from tests.lazyarr.support import check
from tests.threads import in_threads

SETTINGS = ({}, {"in_place": "off"}, {"tier": "compiled"})


@lift.jit
def one_more(v):
    v += 1


@pytest.mark.device
@pytest.mark.parametrize("dtype", ["float64", "complex64"])
@pytest.mark.parametrize("wanted", SETTINGS, ids=str)
def test_threads_assign_to_parts_of_one_array(wanted, dtype, tuned_off):
    before = config.configure(**wanted)
    try:
        x = la.zeros(40_000, dtype=dtype)

        def work(i):
            for _ in range(60):
                one_more(x[i * 4000 : (i + 1) * 4000])

        in_threads(work, range(10))
        check(x, np.full(40_000, 60, dtype))
    finally:
        config.configure(**vars(before))


def disturb(x, monkeypatch):
    """Whenever something is computed, the second half of an array is assigned to, as by another thread."""
    evaluate = core._bound.evaluate

    def disturbed(arrays):
        evaluate(arrays)
        x[10_000:] = 3 * x[10_000:] + 1

    monkeypatch.setattr(core._bound, "evaluate", disturbed)


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_a_part_is_put_out_of_date_as_soon_as_it_is_computed(dtype, monkeypatch):
    x = la.zeros(20_000, dtype=dtype)
    one_more(x[:100])
    disturb(x, monkeypatch)
    one_more(x[:10_000])
    one_more(x[:10_000])
    monkeypatch.undo()
    expected = np.full(20_000, 2, dtype)
    expected[:100] = 3
    check(x[:10_000], expected[:10_000])


@pytest.mark.parametrize("dtype", ["float32", "complex64"])
def test_a_captured_part_is_put_out_of_date_as_soon_as_it_is_computed(dtype, monkeypatch):
    x = la.asarray(np.arange(20_000).astype(dtype))
    part = x[:10_000]
    scaled = lift.jit(lambda y: y * part)
    y = la.full(10_000, 2, dtype=dtype)
    scaled(y)
    x[15_000:] = 0
    disturb(x, monkeypatch)
    found = scaled(y)
    monkeypatch.undo()
    check(found, 2 * np.arange(10_000).astype(dtype))
