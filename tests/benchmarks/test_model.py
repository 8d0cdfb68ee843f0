"""The suite "model": what is stored can be read again, and how predictions are judged."""

from __future__ import annotations

from math import inf

import pytest

from benchmarks.__main__ import main
from benchmarks.kernels import KERNELS, generals
from benchmarks.model import Measured, ModelReport, Timed, Tried, judgement, slow_defaults, worst
from ir.cost.functions import Functions
from ir.cost.operations import Work
from ir.schedules.candidates import Candidates
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
    Functions.of({Work("function", "float32", "exp"): 1e9, Work("function", "float64", "pow"): 1e8}),
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
    factors, *regrets = judgement([(True, tie), (False, good), (True, alone)])
    assert factors.startswith("6 candidates; predicted over measured: ")
    found = {line.partition(": regret of ")[2].partition(":")[0]: line for line in regrets if line.startswith("large")}
    assert "regret of today's default: 2.000" in found["today's default"]
    assert "regret of the predicted best: 2.000" in found["the predicted best"]
    assert "others: 1.000" in found["the better of the default and the predicted best of the others"]
    counted = [line for line in regrets if "regret" in line]
    assert all(line.startswith(("all sizes, 2 kernels", "large sizes, 1 kernels")) for line in counted)


def test_errors_are_told_by_schedule_the_worst_first():
    kernels = [[Timed("near", 2.0, 2.5), Timed("far", 1.0, 3.0)], [Timed("near", 4.0, 3.0), Timed("far", 2.0, 1.0)]]
    errors = [line for line in judgement([(True, kernel) for kernel in kernels]) if ": error " in line]
    assert [line.partition(",")[0] for line in errors] == ["all schedules", "far", "near"]
    assert errors[0].startswith("all schedules, 4 candidates: error 0.25, 0.38, 0.88;")
    assert errors[1] == "far, 2 candidates: error 0.88, 1.25, 1.62; predicted over measured, median: 1.75"
    assert errors[2].endswith("predicted over measured, median: 1.00")


def test_the_worst_predictions_and_the_slow_defaults_are_named():
    kernels = {
        "good": [Timed("first", 1.0, 1.0), Timed("second", 2.0, 9.0)],
        "slow": [Timed("first", 2.0, 1.0), Timed("library", 1.0, inf)],
    }
    assert [line.split(": ")[1] for line in worst(kernels, 2)] == ["good", "slow"]
    told = slow_defaults(kernels)
    assert told[0].startswith("today's default has 0.75 of the best's speed in the median")
    assert told[0].endswith("for 1 of 2 kernels")
    assert [line.partition(": ")[2].partition(":")[0] for line in told[1:]] == ["slow"]
    assert slow_defaults({}) == worst({}) == []


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


def test_kernels_that_programs_no_longer_have_are_named_and_left_out():
    gone = [
        Measured("axpy", (3000,), 7, [Tried({"schedule": "nest", "depth": 1}, 1.0)]),
        Measured("axpy", (3000,), 0, [Tried({"schedule": "row_item"}, 1.0)]),
    ]
    text = ModelReport({}, CPU, [*REPORT.measured, *gone], "").to_text()
    assert text.count("axpy (3000,): left out, no longer such a kernel") == 2
    assert "2 candidates; predicted over measured: " in text
    assert "nothing to judge" in ModelReport({}, CPU, gone, "").to_text()


def test_defaults_of_today_come_first_and_kernels_without_one_are_left_out_where_defaults_are_judged():
    (general,) = generals(next(case for case in KERNELS if case.name == "scaled"), (3000,))
    candidates = Candidates.of(general.expr)
    default = candidates.default(CPU, general.sizes)
    nest = candidates.default_of("nest", CPU, general.sizes)
    assert default["schedule"] != "nest"
    both = Measured("scaled", (3000,), 0, [Tried(nest, 1e-5), Tried(default, 4e-5)])
    text = ModelReport({}, CPU, [both], "").to_text()
    assert f"scaled (3000,): {default['schedule']} 0.04 (" in text
    assert "for 1 of 1 kernels" in text
    text = ModelReport({}, CPU, [both, Measured("scaled", (10_000,), 0, [Tried(nest, 1e-5)])], "").to_text()
    assert "not its default of today" in text
    assert "3 candidates; " in text
    assert "for 1 of 1 kernels" in text


def test_it_is_refused_for_other_suites(tmp_path):
    with pytest.raises(SystemExit):
        main(["--suite", "spine", "--measured", str(tmp_path / "x.json")])
