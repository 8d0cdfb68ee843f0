"""Comparisons: their rows' verdicts, who is left out and why, and what a failing row does to the others."""

from __future__ import annotations

import itertools
import json
from dataclasses import replace

import pytest

from benchmarks import compare, lazy, programs
from benchmarks.__main__ import main
from benchmarks.harness import Timing, UnavailableError, WrongResultError
from benchmarks.limits import Limit
from benchmarks.peers import Peer
from benchmarks.report import Comparison, Report, Verdict
from tests.tiers import by_tier

ASUM = programs.asum(101)
LIMIT = Limit("read", "way", ASUM.nbytes, Timing((1.0, 1.0)))


def judged(**seconds) -> Comparison:
    names = {"lift": compare.LIFT, "numpy_style": compare.NUMPY_STYLE}
    timings = {names.get(name, name): Timing((value, value)) for name, value in seconds.items()}
    return compare.judge(ASUM, timings, LIMIT)


@pytest.mark.parametrize(
    ("seconds", "verdict"),
    [
        ({"lift": 2.0, "numpy_style": 2.1, "fast": 2.1, "slow": 9.0}, Verdict.PASSES),
        ({"lift": 2.0, "numpy_style": 2.1, "fast": 2.05}, Verdict.FALLS_SHORT),
        ({"lift": 2.1, "numpy_style": 2.0, "fast": 2.05}, Verdict.FALLS_SHORT),
        ({"lift": 2.0, "numpy_style": 2.3, "fast": 9.0}, Verdict.FALLS_SHORT),
        ({"lift": 2.3, "numpy_style": 2.0, "fast": 9.0}, Verdict.FALLS_SHORT),
        ({"lift": 2.0, "fast": 9.0}, Verdict.FALLS_SHORT),
        ({"lift": 2.0, "numpy_style": 2.0}, Verdict.FOR_ORIENTATION),
        ({"fast": 2.0}, Verdict.NOT_MEASURED),
    ],
    ids=["both", "numpy style", "lift", "numpy style apart", "lift apart", "one", "no peer", "none"],
)
def test_both_ways_of_writing_must_reach_the_fastest_peer(seconds, verdict):
    assert judged(**seconds).verdict is verdict


def test_a_row_says_how_it_stands():
    row = judged(lift=2.0, numpy_style=2.1, fast=1.05, slow=9.0)
    assert (row.lift, row.numpy_style, row.peer, row.peer_name) == (2000, 2100, 1050, "fast")
    assert row.speedup == 0.5
    assert row.share == pytest.approx(1 / 2.1)
    assert "lazyarr lift and lazyarr numpy style slower than fast" in row.remark
    assert row.cells()[4] == "0.5"


@pytest.mark.parametrize("changes", [{"failed": True}, {"failed": True, "lift": None, "numpy_style": None}])
def test_a_failed_row_falls_short(changes):
    assert replace(judged(lift=1.0, numpy_style=1.0, fast=9.0), **changes).verdict is Verdict.FALLS_SHORT


def test_a_disturbed_row_does_not_pass():
    row = replace(judged(lift=1.0, numpy_style=1.0, fast=9.0), disturbed=True)
    assert row.verdict is Verdict.DISTURBED


def test_single_calls_are_reported_beside_batches():
    timings = {compare.LIFT: Timing((1.0,)), "fast": Timing((2.0,)), "slow": Timing((3.0,))}
    single = {name: Timing((2 * timing.median,)) for name, timing in timings.items()}
    row = compare.judge(ASUM, timings, None, single=single, calls=20)
    assert row.note == "batches of 20 calls; a single call: lazyarr lift 2000000.0 us, fast 4000000.0 us"
    assert row.samples["slow, single call"] == (6.0,)
    assert row.share is None


def test_a_report_comes_back():
    report = Report("lift", [judged(lift=1.0, numpy_style=1.0, fast=9.0)], {}, {}, {}, {}, {}, "python")
    data = json.loads(report.to_json())
    assert data["rows"][0]["verdict"] == "pass"
    assert data["rows"][0]["samples"]["fast"] == [9.0, 9.0]
    assert Report.from_json(report.to_json()).to_text() == report.to_text()
    assert "peer/ours" in report.to_text()


def test_rows_are_chosen_by_name_and_by_program():
    assert [w.name for w in compare.chosen(["dot", "gemv 4096x4096"])] == ["dot 16Mi", "dot 128Mi", "gemv 4096x4096"]
    assert compare.chosen([]) == list(programs.WORKLOADS)
    with pytest.raises(ValueError, match="there is no row 'none'"):
        compare.chosen(["none"])


def test_input_sets_and_calls_follow_the_size():
    small, large = programs.options(1 << 22), programs.scal(1 << 27)
    assert (compare.sets_for(small, gpu=False), compare.sets_for(large, gpu=False)) == (2, 1)
    assert compare.sets_for(small, gpu=True) * small.input_nbytes >= 3 * 50e6
    assert compare.sets_for(ASUM, gpu=True) == compare.MOST_SETS
    assert (compare.calls_for(small, gpu=False), compare.calls_for(large, gpu=False)) == (1, 1)
    assert (compare.calls_for(ASUM, gpu=True), compare.calls_for(programs.scal(1 << 30), gpu=True)) == (100, 10)


def test_who_raises_is_left_out_and_says_why():
    entrants = compare.Entrants({1: {}})

    def absent():
        raise UnavailableError("has no gather")

    def broken():
        raise RuntimeError("out of memory\nat length")

    checks = ASUM.references(ASUM.inputs(1))
    entrants.admit("peer", {1: [broken]}, checks)
    entrants.admit("wrong", {1: [lambda: -1.0]}, checks)
    entrants.admit(compare.LIFT, {1: [absent]}, checks)
    assert not entrants.failed
    assert entrants.batches == {1: {}}
    assert entrants.out[0] == "peer is left out: RuntimeError: out of memory"
    assert "wrong: 1 of 1 values are wrong" in entrants.out[1]
    assert entrants.out[2] == "lazyarr lift is left out: has no gather"
    entrants.admit(compare.NUMPY_STYLE, {1: [lambda: -1.0]}, checks)
    assert entrants.failed


def run(monkeypatch, measure, **options):
    monkeypatch.setattr(compare, "measure", measure)
    monkeypatch.setattr(compare, "find_peers", lambda makers: ([], []))
    told = []
    return compare.run(budget=1, rounds=1, arguments=[], progress=told.append, **options), told


def test_a_row_that_raises_does_not_end_the_run(monkeypatch):
    def measure(workload, peers, **options):
        if workload.program is programs.ASUM:
            raise RuntimeError("out of memory")
        return Comparison(workload.name, lift=1.0, numpy_style=1.0), LIMIT

    saved = []
    report, told = run(monkeypatch, measure, workloads=(ASUM, programs.dot(7)), save=saved.append)
    assert told == ["asum 101", "dot 7"]
    assert [row.verdict for row in report.rows] == [Verdict.FALLS_SHORT, Verdict.FOR_ORIENTATION]
    assert report.rows[0].note == "RuntimeError: out of memory"
    assert report.limits == {"read": ASUM.nbytes}
    assert [len(each.rows) for each in saved] == [1, 2]


def test_the_budget_is_bounded(monkeypatch):
    given = []

    def measure(workload, peers, **options):
        given.append(options["budget"])
        return Comparison(workload.name), None

    monkeypatch.setattr(compare, "LARGEST_BUDGET", 0.5)
    run(monkeypatch, measure, workloads=(ASUM,))
    assert given == [0.5]


WAYS = list(itertools.product((programs.scal(1009), programs.options(101)), (False, True)))


@pytest.mark.parametrize(("workload", "gpu"), WAYS[:: by_tier(3, 3, 1)], ids=lambda x: getattr(x, "name", str(x)))
def test_a_row_is_measured(monkeypatch, gpu, workload):
    """Batches and copies on the device run on a CPU as well."""
    try:
        lazy.default_device()
    except UnavailableError as error:
        pytest.skip(str(error))
    monkeypatch.setattr(compare, "LIMIT_LENGTH", {False: 1000, True: 1000})
    monkeypatch.setattr(compare, "MOST_SETS", 3)
    monkeypatch.setattr(compare, "MOST_CALLS", 10)
    peer = Peer("numpy", "2", {"scal": {"": lambda x: 3 * x, "wrong": lambda x: x}}, lacks={"black-scholes": "no log"})
    row, limit = compare.measure(workload, [peer], gpu=gpu, budget=0.2, rounds=2)
    assert row.lift > 0
    assert row.numpy_style > 0
    assert not row.failed
    assert row.share > 0
    assert limit.kind == "copy"
    assert ("a single call" in row.note) is gpu
    if workload.program is programs.SCAL:
        assert row.peer_name == "numpy"
        assert "numpy (wrong) is left out" in row.note
        assert (f"{compare.LIFT}, single call" in row.samples) is gpu
    else:
        assert row.verdict in (Verdict.FOR_ORIENTATION, Verdict.FALLS_SHORT)
        assert "no log" in row.note


@pytest.mark.parametrize(
    "arguments",
    [
        ["--suite", "lift", "--rows", "none"],
        ["--suite", "spine", "--rows", "dot"],
        ["--suite", "lift", "--budget", "61"],
        ["--suite", "lift", "--device", "no such device"],
    ],
)
def test_bad_command_lines(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "error: argument" in capsys.readouterr().err


def test_the_command_line_writes_what_there_is(monkeypatch, tmp_path, capsys):
    def measure(workload, peers, **options):
        raise WrongResultError("lazyarr lift: wrong")

    monkeypatch.setattr(compare, "measure", measure)
    monkeypatch.setattr(compare, "find_peers", lambda makers: ([], []))
    target = tmp_path / "report.json"
    assert main(["--suite", "lift", "--rows", "md", "--rounds", "1", "--json", str(target)]) == 1
    assert "md 12288: lazyarr lift: wrong" in capsys.readouterr().out
    (row,) = Report.from_json(target.read_text()).rows
    assert row.verdict is Verdict.FALLS_SHORT
    assert row.lift is None
