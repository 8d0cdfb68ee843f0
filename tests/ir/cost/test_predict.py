"""The predicted time, worked out by hand for made-up rates."""

from __future__ import annotations

import pytest

from ir.core.sizes import size, var
from ir.cost.count import Cost
from ir.cost.operations import Work
from ir.cost.predict import Rates, predict

N = var("n", 1)
ADD, EXP = Work("arithmetic", "float32"), Work("function", "float32")
RATES = Rates(bytes_per_second=8e9, launch_seconds=1e-5, operations_per_second={ADD: 1e10, EXP: 1e8})


def test_the_longer_of_transfer_and_compute_counts():
    mostly_moved = predict(Cost(4 * N, 4 * N, size(0), {ADD: 2 * N}), {"n": 1_000_000}, RATES)
    assert mostly_moved.transfer_seconds == pytest.approx(1e-3)
    assert mostly_moved.compute_seconds == pytest.approx(2e-4)
    assert mostly_moved.seconds == pytest.approx(1e-3 + 1e-5)
    mostly_computed = predict(Cost(4 * N, 4 * N, size(0), {ADD: 2 * N, EXP: N}), {"n": 1_000_000}, RATES, launches=3)
    assert mostly_computed.compute_seconds == pytest.approx(1e-2 + 2e-4)
    assert mostly_computed.seconds == pytest.approx(1.02e-2 + 3e-5)


def test_what_it_is_made_of_is_told():
    told = predict(Cost(4 * N, size(4), 12 * N, {EXP: N}), {"n": 1000}, RATES, launches=2)
    assert (told.bytes_read, told.bytes_written, told.bytes_gathered) == (4000, 4, 12000)
    assert told.operations == {"float32 function": 1000}
    text = str(told)
    for part in ("2 launches", "4000 bytes read", "4 written", "12000 gathered", "1000 float32 function"):
        assert part in text
    assert "gathered" not in str(predict(Cost(4 * N, 4 * N, size(0), {}), {"n": 7}, RATES))


def test_a_missing_rate_is_named():
    with pytest.raises(KeyError, match="float64"):
        predict(Cost(N, N, size(0), {Work("arithmetic", "float64"): N}), {"n": 7}, RATES)
