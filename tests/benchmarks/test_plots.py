"""Pictures of reports: a bar for each row that was measured, on the right side of 1."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree

import pytest

from benchmarks import plots
from benchmarks.records import ColdRow, Outcome, ProgramRow
from benchmarks.report import Comparison, Report, Row

SVG = "{http://www.w3.org/2000/svg}"
RESULTS = Path(plots.__file__).parent / "results"


def drawn(suite, *rows):
    """The bars (left, width, colour) and all texts."""
    report = Report(suite, rows, {}, {}, {}, {}, {"name": "a <device>"}, "")
    root = ElementTree.fromstring(plots.plot(report))
    bars = [(float(r.get("x")), float(r.get("width")), r.get("fill")) for r in root.iter(f"{SVG}rect") if r.get("x")]
    return bars, [t.text for t in root.iter(f"{SVG}text")]


def test_a_faster_row_goes_right_from_one_and_a_slower_one_left():
    rows = [Comparison("fast", numpy_style=1.0, peer=4.0, peer_name="jax"), Comparison("slow", lift=2.0, peer=1.0)]
    ((left, wide, faster), (start, narrow, slower)), texts = drawn("lift", *rows)
    assert left == pytest.approx(start + narrow, abs=0.2)  # both at 1
    assert wide == pytest.approx(2 * narrow, abs=0.2)  # two doublings and one
    assert faster != slower
    assert {"4 jax", "0.5", "fast", "slow", "suite lift on a <device>"} <= set(texts)


@pytest.mark.parametrize(
    ("suite", "row", "said"),
    [
        ("fusion", Comparison("a", numpy_style=1.0, peer=2.0, failed=True), "falls short"),
        ("lift", Comparison("a"), "not measured"),
        ("npbench", ProgramRow("a", Outcome.WRONG, 1.0, 1.0, 1.0, 1.0), "falls short"),
        ("cold", ColdRow("a", "s", {"numpy": 1.0}), "not measured"),
    ],
)
def test_what_is_wrong_or_not_measured_has_no_bar(suite, row, said):
    bars, texts = drawn(suite, row)
    assert not bars and said in texts


def test_the_rows_of_other_suites():
    assert "2 second call" in drawn("npbench", ProgramRow("a", Outcome.RIGHT, 1.0, 9.0, 1.0, 0.5))[1]
    assert "0.25" in drawn("cold", ColdRow("a", "s", {"numpy": 1.0, "lazyarr": 4.0}))[1]
    assert "2 numba" in drawn("spine", Row("a", "ms", 1.0, None, "", peer=2.0, peer_name="numba"))[1]


def test_a_report_without_rows_is_refused():
    with pytest.raises(ValueError, match="expected one row or more"):
        drawn("lift")


def test_a_picture_stands_beside_the_report(tmp_path):
    stored = RESULTS / "npbench-pocl.json"
    copy = tmp_path / stored.name
    copy.write_bytes(stored.read_bytes())
    assert plots.main([str(copy)]) == 0
    assert "crc16" in (tmp_path / "npbench-pocl.svg").read_text(encoding="utf-8")
