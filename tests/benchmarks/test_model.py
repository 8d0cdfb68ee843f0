"""The suite "model": what is stored can be read again, and how predictions are judged."""

from __future__ import annotations

import pytest

from benchmarks.__main__ import main
from benchmarks.kernels import KERNELS
from benchmarks.model import Measured, ModelReport, Timed, Tried, judgement
from tests.ir.schedules.zoo import CPU

REPORT = ModelReport(
    {"name": "a device"},
    CPU,
    [
        Measured(
            "scaled",
            (3000,),
            0,
            [Tried({"schedule": "nest", "depth": 1}, 2e-5), Tried({"schedule": "grid"}, None, "no")],
        ),
        Measured("axpy", (3000,), 0, [Tried({"schedule": "nest", "depth": 1}, 4e-5)]),
    ],
    "python -m benchmarks --suite model",
)


def test_what_is_stored_is_read_again():
    assert ModelReport.from_json(REPORT.to_json()) == REPORT


def test_a_wrong_result_fails_and_a_refused_one_does_not():
    assert not REPORT.failed
    wrong = Measured("scaled", (3000,), 0, [Tried({"schedule": "nest"}, None, "wrong: 1 and not 2")])
    assert ModelReport({}, CPU, [wrong], "").failed


def test_the_regret_of_a_choice_is_its_time_over_the_best():
    tie = [Timed("first", 2.0, 1.0), Timed("second", 1.0, 2.0), Timed("third", 4.0, 8.0)]
    good = [Timed("first", 3.0, 3.0), Timed("second", 3.0, 2.0)]
    alone = [Timed("first", 1.0, 100.0)]
    errors, *regrets = judgement([(True, tie), (False, good), (True, alone)])
    assert errors.startswith("6 candidates; predicted over measured: ")
    found = {line.partition(": regret of ")[2].partition(":")[0]: line for line in regrets if line.startswith("large")}
    assert "regret of today's default: 2.000" in found["today's default"]
    assert "regret of the predicted best: 2.000" in found["the predicted best"]
    assert "others: 1.000" in found["the better of the default and the predicted best of the others"]
    assert all(line.startswith(("all sizes, 2 kernels", "large sizes, 1 kernels")) for line in regrets)


def test_every_case_has_a_name_of_its_own_and_is_measured_at_all_of_its_shapes():
    assert len({case.name for case in KERNELS}) == len(KERNELS)
    for case in KERNELS:
        assert [shape for place in range(4) for shape in case.at(place)] == list(case.shapes)


def test_stored_times_are_judged_by_the_command_line(tmp_path, capsys):
    file = tmp_path / "measured.json"
    file.write_text(REPORT.to_json(), encoding="utf-8")
    assert main(["--suite", "model", "--measured", str(file)]) == 0
    printed = capsys.readouterr().out
    assert "scaled (3000,): nest 0.02 (" in printed
    assert "2 candidates; predicted over measured: " in printed


def test_it_is_refused_for_other_suites(tmp_path):
    with pytest.raises(SystemExit):
        main(["--suite", "spine", "--measured", str(tmp_path / "x.json")])
