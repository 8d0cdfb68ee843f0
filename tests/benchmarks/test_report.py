from __future__ import annotations

import json

import pytest

from benchmarks import report
from benchmarks.report import Report, Row, Verdict


def a_row(**changes) -> Row:
    values = {
        "name": "asum",
        "unit": "ms",
        "measured": 3.0,
        "target": 4.0,
        "target_text": "fast",
        "peer": 6.0,
        "peer_name": "numpy",
        "samples": {"lazyarr": [0.003, 0.0031], "numpy": [0.006, 0.0061]},
    }
    return Row(**(values | changes))


def a_report(*rows: Row) -> Report:
    return Report(
        suite="spine",
        rows=list(rows),
        limits={"read": 20e9, "copy": 21e9},
        missing={"jax": "No module named 'jax'"},
        machine={"cpu": "a processor", "cores": 2},
        versions={"numpy": "2.0"},
        device={"name": "a device"},
        command="python -m benchmarks",
    )


def test_round_trip():
    given = a_report(a_row(), a_row(name="dot", measured=None, peer=None, note="no front end"))
    assert Report.from_json(given.to_json()) == given


def test_json_states_verdicts_and_raw_samples():
    data = json.loads(a_report(a_row()).to_json())
    assert data["rows"][0]["verdict"] == "pass"
    assert data["rows"][0]["samples"]["numpy"] == [0.006, 0.0061]


def test_another_format_is_refused():
    with pytest.raises(ValueError, match="expected format 1, got 99"):
        Report.from_json('{"format": 99}')


@pytest.mark.parametrize(
    ("changes", "verdict"),
    [
        ({}, Verdict.PASSES),
        ({"measured": 4.0}, Verdict.PASSES),
        ({"measured": 4.1}, Verdict.FALLS_SHORT),
        ({"slower_than_peer": True}, Verdict.FALLS_SHORT),
        ({"failed": True}, Verdict.FALLS_SHORT),
        ({"failed": True, "measured": None}, Verdict.FALLS_SHORT),
        ({"measured": None}, Verdict.NOT_MEASURED),
        ({"target": None}, Verdict.FOR_ORIENTATION),
    ],
)
def test_verdicts(changes, verdict):
    assert a_row(**changes).verdict is verdict


def test_ratios():
    row = a_row()
    assert row.against_target == 0.75
    assert row.against_peer == 0.5
    assert a_row(measured=None).against_target is None
    assert a_row(peer=None).against_peer is None


def test_text_shows_each_row_and_each_missing_peer():
    text = a_report(a_row(), a_row(name="dot", measured=None, note="no front end")).to_text()
    assert "peer jax is missing: No module named 'jax'" in text
    assert "read bandwidth measured: 20.0 GB/s" in text
    lines = text.splitlines()
    assert any(line.startswith("asum") and line.endswith("pass") for line in lines)
    assert any(line.startswith("dot") and line.endswith("not measured") for line in lines)
    assert any(line.startswith("dot:") and "no front end" in line for line in lines)


def test_machine_reads_the_processor(tmp_path):
    info = tmp_path / "cpuinfo"
    info.write_text("processor : 0\nmodel name\t: Some CPU @ 2 GHz\n")
    found = report.machine(info)
    assert found["cpu"] == "Some CPU @ 2 GHz"
    assert found["cores"] >= 1


def test_versions_leave_out_what_is_not_installed():
    assert set(report.versions(["numpy", "no-such-distribution-here"])) == {"numpy"}


def test_command_line_names_no_folder():
    shown = report.command_line(["--suite", "spine", "--json", "/some/where/out.json", "--json=/else/where/b.json"])
    assert shown == "python -m benchmarks --suite spine --json out.json --json=b.json"
