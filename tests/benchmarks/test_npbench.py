"""The suite "npbench" on a checkout with small programs, made here, and on libraries that are wrong on purpose."""

from __future__ import annotations

import json
import sys
import time
import types

import numpy as np
import pytest

from benchmarks import npbench, npbench_process, verdicts
from benchmarks.__main__ import main
from benchmarks.processes import Answer, Ending
from benchmarks.records import Outcome, ProgramRow, Verdict, summary
from benchmarks.report import Report

SCALED = """
import numpy as np

def initialize(N, datatype=np.float64):
    return datatype(3), np.linspace(0, 1, N), np.arange(N)
"""
SCALED_NUMPY = """
import numpy as np

def scaled(alpha, x, i, N):
    x[1:] += alpha * np.sqrt(x[:-1])
    return x.sum(), (i + N,)
"""


def info(name, **changes):
    return {
        "benchmark": {
            "name": name, "short_name": name, "relative_path": f"group/{name}", "module_name": name, "func_name": name,
            "parameters": {"S": {"N": 11}, "M": {"N": 101}},
            "init": {"func_name": "initialize", "input_args": ["N"], "output_args": ["alpha", "x", "i"]},
            "input_args": ["alpha", "x", "i", "N"], "array_args": ["x", "i"], "output_args": ["x"],
        }
        | changes
    }  # fmt: skip


@pytest.fixture
def add(tmp_path):
    """A function that adds a program to a checkout in `tmp_path`."""

    def write(name, initialise=SCALED, numpy=SCALED_NUMPY, **changes):
        folder = tmp_path / "npbench" / "benchmarks" / "group" / name
        folder.mkdir(parents=True)
        (tmp_path / "bench_info").mkdir(exist_ok=True)
        (tmp_path / "bench_info" / f"{name}.json").write_text(json.dumps(info(name, **changes)))
        (folder / f"{name}.py").write_text(initialise)
        (folder / f"{name}_numpy.py").write_text(numpy.replace("scaled", name))
        return tmp_path

    return write


@pytest.fixture
def worked(add, monkeypatch, tmp_path):
    """The row of a program, worked on in this process by NumPy and by a library that is NumPy but for what is given."""

    def run(preset="S", changes=None, numpy=SCALED_NUMPY, initialise=SCALED, **others):
        folder = add("scaled", initialise, numpy, **(changes or {}))
        fake = types.ModuleType("lazyarr")
        fake.__dict__.update({name: getattr(np, name) for name in ("sqrt", "asarray", "sum", "exp")} | others)
        monkeypatch.setitem(sys.modules, "lazyarr", fake)
        monkeypatch.setattr(npbench_process, "REST", 0.0)
        said = []
        request = {"checkout": str(folder), "program": "scaled", "preset": preset}
        npbench_process.work(request, lambda **known: said.append(known | {"at": 0.0}))
        return npbench.understood("scaled", Answer(tuple(said), Ending.DONE, "", 1.0))

    return run


def test_a_right_program_has_four_times(worked):
    row = worked()
    assert (row.outcome, row.note) == (Outcome.RIGHT, "")
    assert all(t > 0 for t in (row.numpy_first, row.first, row.numpy_second, row.second))
    assert row.first_ratio == row.first / row.numpy_first
    assert row.second_ratio == row.second / row.numpy_second


def test_the_checkout_is_left_as_it_is(worked, tmp_path):
    worked()
    texts = [path.read_text() for path in sorted(tmp_path.rglob("*.py"))]
    assert texts == [SCALED, SCALED_NUMPY]


@pytest.mark.parametrize(
    ("sqrt", "said"),
    [
        (lambda x: np.sqrt(x) * (1 + 1e-6), "first call, returned: result 0: 1 of 1 values are wrong"),
        (lambda x: np.sqrt(x)[::-1], "first call, in x: 10 of 11 values are wrong"),
    ],
)
def test_a_wrong_result_is_wrong_whether_it_is_returned_or_written(worked, sqrt, said):
    row = worked(sqrt=sqrt)
    assert row.outcome is Outcome.WRONG
    assert row.note.startswith(said)
    assert row.failed and row.verdict is Verdict.FALLS_SHORT


def test_writing_to_an_array_that_numpy_leaves_alone_is_wrong(worked):
    def touch(i):
        i[2] = 7

    numpy = SCALED_NUMPY.replace("return x.sum(), (i + N,)", "getattr(np, 'touch', id)(i)\n    return x.sum()")
    row = worked(numpy=numpy, touch=touch)
    assert row.note.startswith("first call, in i: 1 of 11 values are wrong, first at (2,): expected 2, got 7")


def test_a_program_goes_wrong_in_its_second_call_only(worked):
    calls = []

    def sqrt(x):
        calls.append(1)
        return np.sqrt(x) + (len(calls) > 1)

    assert worked(sqrt=sqrt).note.startswith("second call, returned")


CHAOTIC_NUMPY = """
import numpy as np

def scaled(alpha, x, i, N):
    for _ in range(200):  # the logistic map: errors double with each step
        x[:] = 4 * x * (1 - getattr(np, "sqrt")(x * x))
    return x + 1, (i + N,)
"""
CHAOTIC = SCALED.replace("np.linspace(0, 1, N)", "np.linspace(0.1, 0.9, N)")


@pytest.mark.parametrize(
    ("sqrt", "outcome"),
    [
        (np.sqrt, Outcome.RIGHT),
        (lambda x: np.sqrt(x) * (1 + 2e-16), Outcome.NOT_COMPARABLE),
        (lambda x: np.sqrt(x) * np.nan, Outcome.WRONG),
        (lambda x: np.sqrt(x) - 30, Outcome.WRONG),
    ],
)
def test_what_inputs_one_ulp_apart_change_as_much_is_not_comparable(worked, sqrt, outcome):
    with np.errstate(all="ignore"):
        row = worked("M", sqrt=sqrt, numpy=CHAOTIC_NUMPY, initialise=CHAOTIC)
    assert row.outcome is outcome
    assert row.failed == (outcome is Outcome.WRONG)
    if outcome is Outcome.NOT_COMPARABLE:
        assert row.note.startswith("NumPy's results from inputs one ulp apart differ as much: first call, ")
        assert row.verdict is Verdict.NOT_MEASURED
        assert summary([row])[:2] == ["1 programs: 1 not comparable", "first call: no program was measured"]


@pytest.mark.parametrize("added", [1, 2])
def test_a_difference_in_an_array_that_moved_inputs_leave_alone_stays_wrong(worked, added):
    """Though another array of the program is chaotic."""
    numpy = CHAOTIC_NUMPY.replace("return", "i[3] += int(getattr(np, 'exp')(0.0))\n    return")
    off = lambda x: np.sqrt(x) * (1 + 2e-16)
    row = worked("M", sqrt=off, exp=lambda x: added, numpy=numpy, initialise=CHAOTIC)
    assert row.outcome is (Outcome.NOT_COMPARABLE if added == 1 else Outcome.WRONG)


@pytest.mark.parametrize(
    ("error", "is_lost"), [(0.9, True), (9.0, True), (11.0, False), (np.nan, False), (np.inf, False), (0.0, True)]
)
def test_how_far_apart_results_may_be(error, is_lost):
    expected = np.linspace(1, 2, 50)
    moved, got = expected + np.where(np.arange(50) % 5, 0, 1.0), expected.copy()
    got[7] += error
    assert verdicts.is_lost_in(expected, moved, got, 1e-12) is is_lost
    assert verdicts.is_lost_in(expected, expected, got, 1e-12) is (error == 0)
    few = expected.copy()
    few[0] += 1
    assert not verdicts.is_lost_in(expected, few, expected + 0.5, 1e-12)  # fifty of them, not one
    assert not verdicts.is_lost_in(expected, moved[:-1], got, 1e-12)


@pytest.mark.parametrize("dtype", ["f4", "f8", "c16", "i8"])
def test_floats_are_moved_by_one_unit_in_the_last_place(dtype):
    x = np.arange(-50, 50).astype(dtype)
    moved = verdicts.moved_apart(x)
    assert moved.dtype == x.dtype
    if dtype == "i8":
        assert np.array_equal(moved, x)
        return
    parts = [(x.real, moved.real), (x.imag, moved.imag)] if dtype == "c16" else [(x, moved)]
    for before, after in parts:
        is_zero = before == 0
        assert np.array_equal(after[is_zero], before[is_zero])
        up, down = np.nextafter(before, np.inf), np.nextafter(before, -np.inf)
        assert np.all(is_zero | (after == up) | (after == down))
        assert is_zero.all() or (np.any(after == up) and np.any(after == down))


def test_an_unsupported_function_is_recorded_with_its_reason(worked):
    def sqrt(x):
        raise TypeError("cannot take this\nat all")

    row = worked(sqrt=sqrt)
    assert (row.outcome, row.note) == (Outcome.RAISED, "TypeError: cannot take this, in: lazyarr, first call")
    assert (row.first, row.first_ratio) == (None, None)
    assert row.numpy_second > 0


def test_what_the_program_states_is_allowed(worked):
    off = lambda x: np.sqrt(x) * (1 + 1e-6)
    assert worked(sqrt=off, changes={"norm_error": 1e-4}).outcome is Outcome.RIGHT


@pytest.mark.parametrize(
    ("options", "reason"),
    [
        ({"preset": "paper"}, "ProgramError: there is no preset paper"),
        ({"numpy": SCALED_NUMPY.replace("np.sqrt", "np.sqroot")}, "AttributeError: module 'numpy' has no attribute"),
        ({"numpy": SCALED_NUMPY.replace("import numpy as np", "from numpy import *\nimport numpy\nnp = numpy")},
         "scaled_numpy.py has no line `import numpy as np` to change"),
        ({"initialise": "raise OSError('no data')"}, "OSError: no data"),
    ],
)  # fmt: skip
def test_what_is_no_fault_of_lazyarrs_is_not_measured(worked, options, reason):
    row = worked(**options)
    assert row.outcome is Outcome.NOT_MEASURED
    assert row.note.startswith(reason)
    assert not row.failed


def test_a_program_without_initialisation_gets_its_parameters(worked):
    text = "import numpy as np\n\ndef scaled(N):\n    return np.sqrt(np.asarray([1.0 * N]))\n"
    changes = {"init": None, "input_args": ["N"], "array_args": [], "output_args": []}
    assert worked(numpy=text, changes=changes).outcome is Outcome.RIGHT


def test_numpy_is_given_up_after_the_time_that_it_may_take():
    def spin():
        while True:
            pass

    with pytest.raises(npbench_process.TooLongError, match="more than"), npbench_process.at_most(0.05):
        spin()
    with npbench_process.at_most(0.0):
        time.sleep(0.1)
    with npbench_process.at_most(0.05):
        pass
    time.sleep(0.1)  # nothing is due any more


def test_a_program_has_the_largest_sizes_that_numpy_computes_in_time(add):
    folder = add("scaled")
    right = Answer((*calls(0.1, 0.1, 0.5, 0.4), {"began": "", "at": 1.0}), Ending.DONE, "", 3.0)
    long = Answer(({"long": "NumPy takes more than 10 s", "at": 11.0},), Ending.DONE, "", 11.0)
    asked = []

    def run(fits, **changes):
        def process(module, request, variables, limit):
            asked.append((request["preset"], request["within"]))
            return right if request["preset"] in fits else long

        del asked[:]
        given = {"folder": folder, "arguments": [], "progress": lambda name: None, "asked": process} | changes
        (found,) = npbench.run(**given).rows
        return found

    found = run("SM", preset="L", within=10.0)
    assert asked == [("L", 10.0), ("M", 10.0)]
    assert found.outcome is Outcome.RIGHT and found.note.startswith("size M: ")
    assert "size" not in run("SML", preset="L", within=10.0).note
    found = run("", preset="M", within=10.0)
    assert asked == [("M", 10.0), ("S", 10.0)]
    assert found.outcome is Outcome.NOT_MEASURED and found.note.startswith("NumPy takes more than 10 s")
    assert run("S", preset="L").outcome is Outcome.NOT_MEASURED
    assert asked == [("L", 0.0)]


def calls(*seconds):
    names = [("numpy", "first"), ("numpy", "second"), ("lazyarr", "first"), ("lazyarr", "second")]
    return tuple(
        {"library": library, "call": call, "seconds": t, "at": 1.0}
        for (library, call), t in zip(names, seconds, strict=False)
    )


@pytest.mark.parametrize(
    ("said", "began", "outcome", "first_ratio", "second_ratio"),
    [
        (calls(0.1, 0.1), "lazyarr, first call", Outcome.TIMED_OUT, 80, None),
        (calls(0.1, 0.1, 0.5), "lazyarr, second call", Outcome.TIMED_OUT, 5, 80),
        (calls(0.1, 0.1, 0.5), "check of the first call", Outcome.TIMED_OUT, 5, None),
        (calls(0.1, 0.1, 0.5, 0.4), "", Outcome.TIMED_OUT, 5, 4),
        (calls(0.1, 0.1), "import", Outcome.TIMED_OUT, None, None),
        (calls(0.1), "numpy, second call", Outcome.NOT_MEASURED, None, None),
        ((), "initialise", Outcome.NOT_MEASURED, None, None),
    ],
)
def test_a_call_that_does_not_end_counts_until_it_was_given_up(said, began, outcome, first_ratio, second_ratio):
    answer = Answer((*said, {"began": began, "at": 2.0}), Ending.TIMED_OUT, "did not end within 10 s", 10.0)
    row = npbench.understood("p", answer)
    assert row.outcome is outcome
    assert row.first_ratio == (None if first_ratio is None else pytest.approx(first_ratio))
    assert row.second_ratio == (None if second_ratio is None else pytest.approx(second_ratio))
    assert row.note.startswith("did not end within 10 s, in: ")


def test_a_crash_is_recorded():
    said = (*calls(0.1, 0.1), {"began": "lazyarr, first call", "at": 2.0})
    row = npbench.understood("p", Answer(said, Ending.CRASHED, "ended by SIGSEGV", 3.0))
    assert (row.outcome, row.note) == (Outcome.CRASHED, "ended by SIGSEGV, in: lazyarr, first call")
    assert row.failed and row.first_ratio is None


def test_wrong_results_stay_wrong_when_the_process_then_crashes():
    said = (*calls(0.1, 0.1, 0.2), {"call": "first", "wrong": "returned: off", "at": 2.0}, {"began": "x", "at": 2.0})
    row = npbench.understood("p", Answer(said, Ending.CRASHED, "ended by SIGSEGV", 3.0))
    assert (row.outcome, row.note) == (Outcome.WRONG, "first call, returned: off")


def row(name, first, second, outcome=Outcome.RIGHT, endless=None):
    return ProgramRow(name, outcome, 1.0, first, 1.0, second, endless)


def test_the_summary_has_mean_and_largest_and_lists_what_is_above():
    rows = [
        row("a", 4.0, 2.0),
        row("b", 25.0, 8.0),
        row("slow", None, None, Outcome.TIMED_OUT, endless=640.0),
        row("wrong", 0.001, 0.001, Outcome.WRONG),
        row("raised", None, None, Outcome.RAISED),
    ]
    assert summary(rows) == [
        "5 programs: 2 right, 1 wrong, 1 raised, 1 timed out",
        "first call, 3 programs, those that did not end counted until then: geometric mean 40 times NumPy's time, "
        "largest > 640 (slow)",
        "first call above 20 times: 2: slow > 640, b 25",
        "second call, 2 programs: geometric mean 4 times NumPy's time, largest 8 (b)",
        "second call above 10 times: none",
    ]
    assert summary([row("raised", None, None, Outcome.RAISED)])[1:] == [
        "first call: no program was measured",
        "second call: no program was measured",
    ]


@pytest.mark.parametrize(
    ("found", "verdict"),
    [
        (row("a", 20.0, 10.0), Verdict.PASSES),
        (row("a", 20.1, 1.0), Verdict.FALLS_SHORT),
        (row("a", 1.0, 10.1), Verdict.FALLS_SHORT),
        (row("a", 1.0, 1.0, Outcome.WRONG), Verdict.FALLS_SHORT),
        (row("a", None, None, Outcome.NOT_MEASURED), Verdict.NOT_MEASURED),
    ],
)
def test_verdicts_of_programs(found, verdict):
    assert found.verdict is verdict


def test_the_report_has_each_program_and_is_read_back(add):
    folder = add("scaled")
    add("another")
    answer = Answer((*calls(0.1, 0.1, 0.5, 0.4), {"began": "", "at": 1.0}), Ending.DONE, "", 3.0)
    asked, saved = [], []

    def process(module, request, variables, limit):
        asked.append((request["program"], variables["LAZYARR_CACHE_DIR"], limit))
        return answer

    report = npbench.run(folder=folder, arguments=[], progress=lambda name: None, save=saved.append, asked=process)
    assert [name for name, _, _ in asked] == ["another", "scaled"]
    assert len({caches for _, caches, _ in asked}) == 2
    assert {limit for *_, limit in asked} == {npbench.LIMIT}
    assert len(saved) == 2
    data = json.loads(report.to_json())
    assert data["summary"][0] == "2 programs: 2 right"
    assert Report.from_json(report.to_json()).rows == list(report.rows)
    text = report.to_text()
    assert "2 programs: 2 right" in text and "first call, 2 programs: geometric mean 5 times" in text


def test_bad_command_lines(add, capsys, monkeypatch, tmp_path):
    monkeypatch.delenv(npbench.VARIABLE, raising=False)

    def refused(*arguments):
        with pytest.raises(SystemExit) as stopped:
            main(["--suite", "npbench", *arguments])
        assert stopped.value.code == 2
        return capsys.readouterr().err

    assert "git clone https://github.com/spcl/npbench" in refused()
    assert "is no checkout of npbench" in refused("--npbench", str(tmp_path))
    monkeypatch.setenv(npbench.VARIABLE, str(add("scaled")))
    assert "there is no program 'other'; the programs are scaled" in refused("--rows", "other")
    assert "argument --preset" in refused("--preset", "XL")
    assert "argument --limit" in refused("--limit", "0")


@pytest.mark.parametrize("arguments", [["--suite", "cold", "--rows", "add"], ["--suite", "spine", "--limit", "3"]])
def test_options_that_a_suite_does_not_have(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "error: argument" in capsys.readouterr().err


def test_a_time_limit_ends_a_program_and_the_suite_goes_on(add, capsys):
    folder = add("endless", numpy="import numpy as np\n\ndef scaled(*arguments):\n    while True:\n        pass\n")
    assert main(["--suite", "npbench", "--npbench", str(folder), "--limit", "1.5"]) == 0
    out = capsys.readouterr().out
    assert "endless: did not end within 1.5 s, in: numpy, first call" in out
    assert "1 programs: 1 not measured" in out


@pytest.mark.device
@pytest.mark.slow
def test_lazyarr_computes_a_program_in_a_process_of_its_own(add, capsys, tmp_path):
    file = tmp_path / "report.json"
    folder = str(add("scaled"))
    assert main(["--suite", "npbench", "--npbench", folder, "--rows", "scaled", "--json", str(file)]) == 0
    (found,) = Report.from_json(file.read_text()).rows
    assert found.outcome == Outcome.RIGHT
    assert found.first > 0 and found.second > 0
    assert "measuring scaled" in capsys.readouterr().err
