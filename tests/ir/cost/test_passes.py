"""What decides where a graph is cut: launches and readings by the nominal rates of a CPU and of a GPU."""

from __future__ import annotations

from dataclasses import replace

import pytest

from ir.core.expr import Param, fun
from ir.core.patterns import Call
from ir.core.sizes import size
from ir.core.types import FLOAT32, FLOAT64, TupleType, array_of
from ir.cost import passes
from ir.cost.passes import (
    bytes_alike,
    instructions_of,
    is_read_within_a_launch,
    least_alike,
    pays_to_read_once,
    rows_to_be_busy,
    seconds_from_memory,
    seconds_of_instructions,
    seconds_to_read,
    seconds_to_store,
)
from ir.cost.processors import CPU, GPU

MIB = 1 << 20


def test_what_the_last_cache_holds_comes_from_there():
    processor = replace(GPU, units=10, caches=(100, 1000), fetches=(3.0, 20.0))
    assert seconds_to_read(1000, processor) == pytest.approx(1000 / 30)
    assert seconds_to_read(1001, processor) == pytest.approx(1001 / 20)
    assert seconds_to_store(400, processor) == pytest.approx(1200 / 30)
    assert seconds_to_store(600, processor) == pytest.approx(1200 / 20 + 600 / 30)
    assert seconds_to_read(17 * MIB, CPU) == pytest.approx(17 * MIB / 50e9)


@pytest.mark.parametrize(
    ("by_items", "count", "within"),
    [(False, MIB // 4, True), (False, MIB, False), (True, 32 * MIB, True), (True, 64 * MIB, False)],
)
def test_a_launch_takes_longer_than_reading_little(by_items, count, within):
    assert is_read_within_a_launch(count, by_items) == within


def test_what_is_left_of_one_reading_is_written_and_read(monkeypatch):
    monkeypatch.setattr(passes, "GPU", replace(GPU, caches=(0, 0), fetches=(1.0, 10.0), next_launch=3.0))
    assert pays_to_read_once(71, 20, by_items=True)  # 7.1 seconds, against 3 and twice 2
    assert not pays_to_read_once(70, 20, by_items=True)
    assert not pays_to_read_once(30, 0, by_items=True)
    assert pays_to_read_once(31, 0, by_items=True)


def test_rows_keep_each_unit_of_a_cpu_busy():
    assert rows_to_be_busy(False, 12) == 12
    assert rows_to_be_busy(False, None) == CPU.units
    assert rows_to_be_busy(True, 132) == 1  # a launch takes longer than one of them takes a unit


def test_lengths_of_one_magnitude_count_alike():
    assert [least_alike(size(n)) for n in (1, 2, 3, 4, 1000, 1024)] == [1, 2, 2, 4, 512, 1024]
    assert least_alike(Param("x", array_of(FLOAT32, 0)).type.length) == 0
    assert bytes_alike(array_of(FLOAT64, 1000)) == 512 * 8
    assert bytes_alike(array_of(TupleType((FLOAT32, FLOAT64)), 5)) == 4 * 12
    assert bytes_alike(array_of(array_of(FLOAT32, 3), 5)) == 4 * 2 * 4


def test_instructions_are_those_of_vectors_or_warps():
    f = fun(FLOAT32, lambda x: Call("exp", Call("add", x, Call("divide", x, x))))
    for by_items, processor in ((False, CPU), (True, GPU)):
        assert instructions_of(f, by_items) == 1 + processor.division + processor.function
    assert seconds_of_instructions(8, 4, by_items=False) == pytest.approx(8 / (2 * 3e9 * 2.5 * 8))
    assert seconds_of_instructions(8, 8, by_items=False) == pytest.approx(8 / (2 * 3e9 * 2.5 * 4))
    assert seconds_of_instructions(8, 4, by_items=True) == pytest.approx(8 / (132 * 1.7e9 * 4 * 32))
    assert seconds_from_memory(8, by_items=True) == pytest.approx(8 / 3e12)
