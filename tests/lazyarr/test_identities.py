"""What does nothing copies nothing, and yet nobody sees what is written to another array."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift
from tests.lazyarr.evaluation import ON_DEVICE

TIERS = [
    {"tier": "reference"},
    {"tier": "auto"},
    pytest.param({"tier": "compiled"}, marks=pytest.mark.skipif(not ON_DEVICE, reason="needs a device")),
]


@pytest.fixture(autouse=True)
def restored():
    old = config.settings()
    yield
    config.configure(**vars(old))


def same(x):
    return lift.map(lambda v: v, x)


@pytest.mark.skipif(not ON_DEVICE, reason="needs a device")
def test_no_kernel_copies_it():
    la.config(tier="compiled", tune="off")
    x = la.asarray(np.arange(1000, dtype="f4")) + 1
    f = lift.jit(lambda x: (same(x), x * 2))
    copied, doubled = f(x)
    np.testing.assert_array_equal(np.asarray(copied), np.arange(1, 1001))
    np.testing.assert_array_equal(np.asarray(doubled), 2 * np.arange(1, 1001))
    assert len(f.recording(x)[0].program.compiled.steps) == 1
    assert "map_identity_elimination" in str(lift.explain(f, x))


@pytest.mark.parametrize("wanted", TIERS, ids=lambda each: each["tier"])
@pytest.mark.parametrize("n", [0, 1, 5, 300_000])
@pytest.mark.parametrize("jitted", [False, True])
def test_nobody_sees_what_is_written_to_another(wanted, n, jitted):
    la.config(tune="off", **wanted)
    given = np.arange(n, dtype="f4")
    x = la.asarray(given.copy()) + 1
    np.asarray(x)
    copied, other = (lift.jit(lambda x: (same(x), x * 2)) if jitted else lambda x: (same(x), x * 2))(x)
    again = same(x)
    for each in (copied, again):
        np.testing.assert_array_equal(np.asarray(each), given + 1)
    np.testing.assert_array_equal(np.asarray(other), 2 * (given + 1))
    if n:
        copied[0] = 77
        np.testing.assert_array_equal(np.asarray(x), given + 1)
        x[:] = x * 3
        np.testing.assert_array_equal(np.asarray(again), given + 1)
        again *= 5
        np.testing.assert_array_equal(np.asarray(x), 3 * (given + 1))
        assert float(copied[0]) == 77
        np.testing.assert_array_equal(np.asarray(copied)[1:], given[1:] + 1)


@pytest.mark.parametrize("wanted", TIERS, ids=lambda each: each["tier"])
def test_a_source_that_changes_afterwards(wanted):
    la.config(tune="off", **wanted)
    source = np.arange(300_000, dtype="f4")
    found = same(la.asarray(source))
    np.asarray(found)
    source += 9
    np.testing.assert_array_equal(np.asarray(found), np.arange(300_000))
