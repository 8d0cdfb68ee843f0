"""The suite "cold": its lines mean the same everywhere, and whatever its processes say becomes a row."""

from __future__ import annotations

import json

import numpy as np
import pytest

import lazyarr as la
from benchmarks import cold, cold_lines, cold_process
from benchmarks.cold_lines import LINES
from benchmarks.processes import Answer, Ending
from benchmarks.records import Verdict
from benchmarks.report import Report


class Altered:
    """NumPy, with some functions replaced."""

    def __init__(self, **others):
        self.__dict__.update(others)

    def __getattr__(self, name):
        return getattr(np, name)


def said_of(xp, asarray=np.asarray, rows=13, columns=4):
    said = []
    cold_process.lines(xp, asarray, rows, columns, lambda **known: said.append(known))
    return said


def faults(said):
    return {line["line"]: line["wrong"] for line in said if line.get("wrong")}


def test_there_are_twenty_lines_of_finite_values_with_names_of_their_own():
    assert len({line.name for line in LINES}) == 20
    given = cold_lines.inputs(13, 4)
    for line in LINES:
        for part in cold_process.read(line.write(np, given)):
            assert part.size and np.all(np.isfinite(part)), line.name


def test_numpy_agrees_with_itself_and_each_line_has_its_seconds():
    said = said_of(np)
    assert faults(said) == {}
    assert [line["line"] for line in said if "seconds" in line] == [line.name for line in LINES]
    assert all(line["seconds"] > 0 for line in said if "seconds" in line)
    assert said[0]["inputs"] > 0


@pytest.mark.parametrize("rows", [1000, 9973])
def test_the_tolerances_hold_for_sums_in_another_order(rows):
    backwards = Altered(sum=lambda x, axis=None, **k: np.sum(np.flip(np.asarray(x), axis), axis=axis, **k))
    assert faults(said_of(backwards, rows=rows)) == {}


def test_wrong_lines_and_lines_that_fail_are_told_from_right_ones():
    def unsupported(*arguments, **options):
        raise NotImplementedError("no median\nhere")

    xp = Altered(
        sort=lambda x, axis: np.sort(x, axis=axis)[::-1],
        mean=lambda x: np.mean(x) * (1 + 1e-3),
        median=unsupported,
        histogram=lambda *a, **k: np.histogram(*a, **k)[:1],
    )
    found = faults(said_of(xp))
    assert set(found) == {"sort", "mean", "median of columns", "histogram"}
    assert "values are wrong" in found["sort"] and "values are wrong" in found["mean"]
    assert found["median of columns"] == "NotImplementedError: no median"
    assert found["histogram"] == "expected 2 results, got 1"


@pytest.mark.device
@pytest.mark.slow
@pytest.mark.parametrize("line", LINES, ids=lambda line: line.name)
def test_lazyarr_gives_numpys_values(line, monkeypatch):
    monkeypatch.setattr(cold_lines, "LINES", (line,))
    before = la.config(tune="off")
    try:
        assert faults(said_of(la, la.asarray)) == {}
    finally:
        la.config(**vars(before))


def lines_said(seconds, began="", **wrong):
    said = [{"imported": 0.5}, {"inputs": 0.25}]
    said += [{"line": name, "seconds": t} for name, t in seconds.items()]
    said += [{"began": began}, *({"line": name, "wrong": text} for name, text in wrong.items())]
    return tuple(line | {"at": float(at)} for at, line in enumerate(said))


def test_a_process_that_did_its_lines():
    found = cold.understood(Answer(lines_said({"add": 1.0, "sort": 2.0}, add="", sort=""), Ending.DONE, "", 5.0))
    assert (found.total, found.imported, found.faults) == (3.25, 0.5, [])
    assert found.seconds == {"add": 1.0, "sort": 2.0}


def test_a_wrong_line_is_a_fault_and_its_time_is_known():
    found = cold.understood(Answer(lines_said({"add": 1.0}, add="off by 3"), Ending.DONE, "", 5.0))
    assert (found.total, found.faults) == (1.25, ["add: off by 3"])


def test_a_line_that_failed_leaves_no_total():
    found = cold.understood(Answer(lines_said({"add": 1.0}, sort="TypeError: no"), Ending.DONE, "", 5.0))
    assert (found.total, found.faults) == (None, ["sort: TypeError: no"])


@pytest.mark.parametrize(
    ("said", "fault"),
    [
        (lines_said({"add": 1.0}, began="sort"), "the process timed out in the line sort: did not end"),
        (lines_said({"add": 1.0}), "the process timed out after its last line: did not end"),
        ((), "the process timed out before its first line: did not end"),
    ],
)
def test_a_process_that_did_not_end_is_a_fault(said, fault):
    assert cold.understood(Answer(said, Ending.TIMED_OUT, "did not end", 5.0)).faults == [fault]


def row_of(**libraries):
    return cold.lines_row("rows", libraries, dict.fromkeys(libraries, 9.0))


def test_the_row_of_three_libraries():
    row = row_of(
        numpy=cold.Lines(0.5, 0.1, {"add": 0.1, "sort": 0.4}),
        lazyarr=cold.Lines(2.0, 0.4, {"add": 0.2, "sort": 1.6}),
        jax=cold.Lines(3.0, 2.0, {"add": 1.0, "sort": 2.0}, ["sort: off"]),
    )
    assert (row.against_numpy, row.failed, row.verdict) == (4.0, False, Verdict.FOR_ORIENTATION)
    assert row.cells() == ("rows", "2 s", "0.5 s", "4", "3 s", "0.4 s", "for orientation")
    assert "sort 1600.0 ms (4), add 200.0 ms (2)" in row.remark
    assert "jax: sort: off" in row.remark
    assert row.samples["lazyarr, the whole process"] == [9.0]


def test_the_row_of_a_process_that_did_not_end():
    row = row_of(numpy=cold.Lines(0.5), lazyarr=cold.Lines(None, 0.4, {"add": 4.0}, ["the process timed out"]))
    assert (row.failed, row.verdict, row.against_numpy) == (True, Verdict.FALLS_SHORT, None)
    assert "lazyarr: the process timed out; lazyarr, 1 lines until then: 4 s" in row.remark


def test_a_library_that_is_missing_has_no_time():
    found = cold.understood(Answer(({"missing": "No module named 'jax'", "at": 0.0},), Ending.DONE, "", 1.0))
    assert found.missing == "No module named 'jax'"
    row = row_of(numpy=cold.Lines(0.5), lazyarr=cold.Lines(1.0), jax=found)
    assert "jax" not in row.measured and row.verdict is Verdict.FOR_ORIENTATION
    assert row_of(numpy=cold.Lines(0.5), lazyarr=found).verdict is Verdict.NOT_MEASURED


def hot(name, library, seconds, numpy, wrong=""):
    if wrong:
        return {"line": name, "wrong": wrong}
    return {"line": name, "wrong": "", "samples": {library: [seconds] * 3, "numpy": [numpy] * 3}}


def test_small_lines_are_microseconds_beside_numpys_of_the_same_process():
    answers = {
        "lazyarr": Answer((hot("add", "lazyarr", 4e-6, 1e-6), hot("sum", "lazyarr", 0, 0, "off")), Ending.DONE, "", 1),
        "jax": Answer((hot("add", "jax", 8e-6, 7e-6), hot("sum", "jax", 9e-6, 7e-6)), Ending.DONE, "", 1),
    }
    add, total = cold.small_rows(answers)
    assert add.measured == pytest.approx({"lazyarr": 4.0, "numpy": 1.0, "jax": 8.0})
    assert (add.against_numpy, add.failed) == (pytest.approx(4.0), False)
    assert total.failed and total.note == "lazyarr: off" and total.verdict is Verdict.FALLS_SHORT


def test_a_hot_process_that_did_not_end_is_a_row():
    answers = {"lazyarr": Answer(({"began": "x + y jitted"},), Ending.TIMED_OUT, "did not end within 1 s", 1)}
    (row,) = cold.small_rows(answers)
    assert row.failed and row.note == "timed out in x + y jitted: did not end within 1 s"


def test_small_lines_that_are_wrong_are_said_to_be(monkeypatch):
    monkeypatch.setattr(cold_process, "WARM_UP", 1)
    said = []
    xp = Altered(abs=lambda x: x - 1)
    cold_process.small("numpy-like", xp, np.asarray, 3, lambda **known: said.append(known))
    found = {line["line"]: line for line in said if "line" in line}
    assert "values are wrong" in found["sum(abs(x)) plain"]["wrong"]
    assert found["x + y plain"]["wrong"] == ""
    assert len(found["x + y plain"]["samples"]["numpy-like"]) == 3


def test_each_library_has_caches_of_its_own_which_the_second_process_finds():
    asked = []

    def answer(module, request, variables, limit):
        asked.append((request, variables, limit))
        if request["what"] == "small":
            return Answer((hot("add", request["library"], 4e-6, 1e-6),), Ending.DONE, "", 1.0)
        return Answer(lines_said({"add": 1.0}, add=""), Ending.DONE, "", 5.0)

    saved = []
    shapes = [(7, 4), (cold.UNTUNED_FROM, 4)]
    report = cold.run(
        rounds=2, arguments=["--suite", "cold"], progress=lambda name: None, save=saved.append, limit=3.0,
        shapes=shapes, asked=answer,
    )  # fmt: skip
    assert [row.name for row in report.rows] == [
        "7 x 4, cold caches",
        "7 x 4, kept caches",
        "100,000 x 4, cold caches",
        "100,000 x 4, kept caches",
        "100,000 x 4, tune off, cold caches",
        "100,000 x 4, tune off, kept caches",
        "64 elements, add",
    ]
    lines = [(r["library"], v["LAZYARR_CACHE_DIR"], v.get("LAZYARR_TUNE")) for r, v, _ in asked if r["what"] == "lines"]
    assert len(lines) == 18
    for first in (0, 6, 12):
        turn = lines[first : first + 6]
        assert turn[:3] == turn[3:]
        assert len({folder for _, folder, _ in turn}) == 3
    assert len({folder for _, folder, _ in lines}) == 9
    assert [tune for _, _, tune in lines] == [None] * 12 + ["off"] * 6
    assert {limit for *_, limit in asked} == {3.0}
    assert len(saved) == 7
    read = Report.from_json(report.to_json())
    assert [row.verdict for row in read.rows] == [row.verdict for row in report.rows]
    assert json.loads(report.to_json())["rows"][0]["lines"]["lazyarr"] == {"add": 1.0}
    assert "7 x 4, cold caches" in report.to_text()
