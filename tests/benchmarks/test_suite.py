"""Peers, limits and the spine's rows, on small arrays and fake timings."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import costs, limits, operations, spine
from benchmarks.__main__ import main
from benchmarks.harness import Timing, UnavailableError
from benchmarks.limits import Limit
from benchmarks.peers import MAKERS, Missing, find_peers
from benchmarks.report import Row, Verdict


@pytest.fixture(scope="module")
def peers():
    # jax and torch are slow to import, where they are installed at all
    return find_peers({name: MAKERS[name] for name in ("numpy", "numexpr", "numba")})[0]


@pytest.mark.parametrize("operation", operations.OPERATIONS, ids=lambda operation: operation.name)
@pytest.mark.parametrize("length", [1, 1009])
def test_peers_agree_with_the_reference(peers, operation, length):
    sets = operations.inputs(operation, length)
    for peer in peers:
        for name, thunks in peer.contestants(operation.name, sets).items():
            for thunk, arrays in zip(thunks, sets, strict=True):
                operation.reference(*arrays).check(name, thunk())


def test_a_missing_peer_is_reported():
    def absent():
        raise ImportError("No module named 'absent'")

    assert find_peers({"absent": absent}) == ([], [Missing("absent", "No module named 'absent'")])


@pytest.mark.parametrize("operation", operations.OPERATIONS, ids=lambda operation: operation.name)
def test_input_sets_differ(operation):
    first, second = operations.inputs(operation, 64)
    assert all(not np.array_equal(a, b) for a, b in zip(first, second, strict=True))
    assert len(first) == operation.arity
    assert all(array.dtype == np.float32 for array in first)


def test_limits_copy_what_they_should():
    arrays = [np.arange(1009, dtype=np.float32), -np.arange(1009, dtype=np.float32)]
    ways = limits.Ways(arrays)
    try:
        for thunks in ways.copy().values():
            for thunk, array in zip(thunks, arrays, strict=True):
                thunk()
                assert np.array_equal(ways.output, array)
        assert set(ways.read())
    finally:
        ways.close()


def test_a_copy_counts_both_ways():
    timings = {"slow": Timing((4.0,)), "fast": Timing((2.0,))}
    assert limits.fastest("read", timings, 100).bytes_per_second == 50
    copy = limits.fastest("copy", timings, 100)
    assert copy.way == "fast"
    assert copy.bytes_per_second == 100
    assert copy.seconds(300) == 3


@pytest.mark.parametrize(
    ("mine", "verdict"),
    [
        (1.0, Verdict.PASSES),
        (1.11, Verdict.PASSES),
        (1.12, Verdict.FALLS_SHORT),
    ],
)
def test_ninety_percent_of_the_limit_passes(mine, verdict):
    # 100 bytes at 100 bytes per second take 1 s, at 90 % of that 1.111 s
    limit = Limit("read", "way", 100, Timing((1.0,)))
    timings = {
        spine.OURS: Timing((mine,)),
        "slow peer": Timing((5.0,)),
        "peer": Timing((2.0,)),
        "limit: way": limit.timing,
    }
    row = spine.judge(operations.ASUM, timings, limit, 100)
    assert row.verdict is verdict
    assert row.peer_name == "peer"
    assert row.peer == 2000


def test_slower_than_a_peer_falls_short():
    limit = Limit("read", "way", 100, Timing((1.0,)))
    row = spine.judge(operations.ASUM, {spine.OURS: Timing((1.05,)), "peer": Timing((1.0,))}, limit, 100)
    assert row.verdict is Verdict.FALLS_SHORT


def test_without_a_front_end_peers_still_count():
    limit = Limit("read", "way", 100, Timing((1.0,)))
    row = spine.judge(operations.ASUM, {"peer": Timing((1.0,))}, limit, 100, "no front end")
    assert row.verdict is Verdict.NOT_MEASURED
    assert row.note == "no front end"
    assert row.peer == 1000


def test_what_cannot_be_measured_says_why():
    def measure() -> Row:
        raise UnavailableError("no device")

    row = costs.guarded("call", "small", measure)
    assert row.verdict is Verdict.NOT_MEASURED
    assert row.note == "no device"


def test_overflowing_the_stack_falls_short():
    def measure() -> Row:
        raise RecursionError

    assert costs.guarded("record", "long chains", measure).verdict is Verdict.FALLS_SHORT


@pytest.mark.parametrize("arguments", [["--suite", "none"], ["--repeat", "0"], ["--budget", "-1"], ["--budget", "nan"]])
def test_bad_command_lines(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "error: argument" in capsys.readouterr().err
