"""The fuzzer itself: the same programs for a seed, printed programs that run, faults that are found and made short."""

from __future__ import annotations

import hashlib
import itertools
import os
import subprocess
import sys
import time
from dataclasses import replace

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config
from tests.programs.fuzzing import SHOWN, Fuzzing, Options
from tests.programs.generator import programs
from tests.programs.program import Data, Program, Statement
from tests.programs.reference import Refused, expected, is_valid
from tests.programs.running import Runner
from tests.programs.shrinking import shortest
from tests.programs.source import standalone
from tests.programs.stored import from_json, to_json
from tests.programs.vocabulary import DTYPES
from tests.programs.worker import ROOT, SWITCHING, replayed


@pytest.fixture(autouse=True)
def _untuned():
    before = config.configure(tune="off")
    yield
    config.configure(tune=before.tune)


def first(seed, count):
    return list(itertools.islice(programs(seed), count))


def text(found):
    return "\n".join(program.source() + "".join(program.functions.values()) for program in found)


def digest(found):
    return hashlib.sha256(text(found).encode()).hexdigest()


def of_lines(*lines, dtype="float64", shape=(3,), seed=0):
    """A program of an array v0 and these lines."""
    made = [Statement("v0 = xp.asarray(d0)", ("v0",), data=Data(dtype, shape, seed))]
    for line in lines:
        name = line.split(" = ")[0]
        made.append(Statement(line, (name,) if name != line and name.isalnum() else ()))
    return Program(tuple(made))


def test_programs_follow_from_the_seed_alone():
    script = "from tests.programs.test_fuzzer import *; print(digest(first(3, 80)))"
    for hash_seed in ("1", "2"):
        environment = {**os.environ, "PYTHONHASHSEED": hash_seed}
        done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True)
        assert done.stdout.strip() == digest(first(3, 80)), done.stderr
    assert text(first(3, 20)) != text(first(4, 20))


@pytest.mark.sweep
def test_many_seeds_cover_dtypes_shapes_and_kinds_of_statements():
    found = [program for seed in range(25) for program in first(seed, 40)]
    written = text(found)
    data = [s.data for program in found for s in program.statements if s.data]
    assert {d.dtype for d in data} == set(DTYPES)
    assert {len(d.shape) for d in data} == {0, 1, 2, 3}
    assert any(0 in d.shape for d in data) and any(1 in d.shape for d in data)
    for word in ("out=", "+= ", "[::-1]", "f.jit(g)", "f.f0(", "f.compute(", "for i in", "float(", ".tolist()", " @ ",
                 "reshape", ".T", "sort(", "sum(", "concatenate", "broadcast_to", "xp.where", "astype"):  # fmt: skip
        assert word in written, word


def test_all_programs_run_with_numpy_and_read_values():
    for program in first(5, 60):
        assert expected(program).observations
        assert from_json(to_json([program])) == [program]


def test_data_are_printed_as_they_are():
    for dtype in DTYPES:
        for shape in [(), (1,), (3, 4), (0, 2)]:
            data = Data(dtype, shape, 5)
            printed = eval(data.source(), {"np": np})
            assert printed.dtype == dtype and printed.shape == shape
            assert printed.tobytes() == data.value().tobytes()


def test_programs_come_again_with_other_data():
    seen = [tuple(s.text for s in program.statements) for program in first(6, 200)]
    assert len(set(seen)) < 150


def test_values_that_are_not_exact_are_known():
    sine = Statement("v1 = xp.sin(v0)", ("v1",), rough=True)
    read = Statement("read(np.asarray(v1))")
    program = of_lines().with_statements([*of_lines().statements, sine, read])
    assert [observation.rough for observation in expected(program).observations] == [True]
    step = Statement("v2 = v1 > 0", ("v2",), sharp=True)
    with pytest.raises(Refused, match="step"):
        expected(program.with_statements([*program.statements, step]))
    with pytest.raises(Refused, match="fractions"):
        expected(of_lines("v1 = v0 / 3"))


def test_functions_of_small_integers_are_rounded_as_float32():
    cosh = Statement("v1 = xp.fmax(xp.cosh(v0), np.int64(2))", ("v1",), rough=True)
    read = Statement("read(np.asarray(v1))")
    for dtype, narrow in (("int16", True), ("int32", False)):
        program = of_lines(dtype=dtype, shape=(1,))
        found = expected(program.with_statements([*program.statements, cosh, read]))
        assert (found.values["v1"].dtype, found.narrow) == (np.float64, narrow)
    program = of_lines(dtype="int8", shape=(1,))
    with pytest.raises(Refused, match="float16"):
        expected(program.with_statements([*program.statements, cosh, read]))


def test_edges_of_numpy_are_programs_too():
    for line in ("v1 = xp.take(v0, [1, 0], axis=-1)", "v1 = xp.partition(v0, 9, axis=0)"):
        assert is_valid(of_lines(line, "read(np.asarray(v1))", shape=(0, 1))), line
    for line in ("v1 = xp.cumulative_sum(v0, axis=0)", "v1 = xp.argsort(v0, axis=0)", "v1 = xp.take(v0, [0], axis=0)"):
        assert is_valid(of_lines(line, "read(np.asarray(v1))", shape=())), line
    assert not is_valid(of_lines("v1 = v0.reshape(-2)", "read(np.asarray(v1))"))


def test_what_lazyarr_does_otherwise_on_purpose_is_refused():
    number = of_lines("v1 = v0.sum()", dtype="int32")
    with pytest.raises(Refused, match="another type"):
        expected(number.with_statements([*number.statements, Statement("v1 += 0.5", ("v1",))]))
    with pytest.raises(Refused, match="complex"):
        expected(of_lines("v1 = xp.sort(v0)", dtype="complex64"))
    with pytest.raises(Refused, match="order that `partition` leaves"):
        expected(of_lines("v1 = xp.partition(v0, 1, axis=1).take([0, 1], axis=0).max(axis=0)", shape=(3, 3)))
    expected(of_lines("v1 = xp.partition(v0, 1, axis=1).take([0, 1], axis=1).max(axis=1)", shape=(3, 3)))
    with pytest.raises(Refused, match="sign of a zero"):
        expected(of_lines("v1 = xp.dot(v0, -1)", dtype="complex128"))
    with pytest.raises(Refused, match="no array"):
        expected(number.with_statements([*number.statements, Statement("v2 = v1[...]", ("v2",), arrays=("v1",))]))


def test_the_source_of_an_array_is_written_to_only_where_numpy_has_copied_it():
    shared, copied = of_lines(), of_lines()
    write = Statement("d0[...] = 9")
    copied = copied.with_statements([replace(copied.statements[0], text="v0 = xp.array(d0)"), write])
    assert is_valid(copied, reads=False)
    assert not is_valid(shared.with_statements([*shared.statements, write]), reads=False)


def test_a_write_of_rounded_values_through_a_view_is_seen_in_its_base():
    view, write = Statement("v1 = v0[1:]", ("v1",)), Statement("v1 += xp.sin(v1)", writes=("v1",), rough=True)
    read = Statement("read(np.asarray(v0))")
    program = of_lines().with_statements([*of_lines().statements, view, write, read])
    assert expected(program).observations[0].rough


def test_printed_programs_run_alone_and_fail_where_lazyarr_is_wrong(monkeypatch, capsys):
    found = [of_lines("v1 = v0 + 1", "read(np.asarray(v1))"), of_lines("v1 = xp.flip(v0)", "read(np.asarray(v1))")]
    found.append(next(program for program in first(1, 200) if program.called))
    exec(compile(standalone(found), "<printed>", "exec"), {})
    assert capsys.readouterr().out.count("program_") >= 3
    monkeypatch.setattr(la, "flip", lambda x: x + 0)
    with pytest.raises(SystemExit, match="not NumPy's"):
        exec(compile(standalone(found), "<printed>", "exec"), {})


class Stale:
    """`flip` as it would be if it kept the result that it gave first for each shape."""

    def __init__(self):
        self.kept = {}
        self.flip = la.flip

    def __call__(self, x):
        return self.kept.setdefault((x.shape, x.dtype), self.flip(x).copy())


def test_a_value_kept_from_an_earlier_program_is_found_and_made_short(monkeypatch):
    def others(seed):
        return of_lines("v1 = v0 * 2", "v2 = v1 - v0", "read(np.asarray(v2))", seed=seed)

    flipped = ["v1 = v0 + 1", "v2 = xp.flip(v0)", "v3 = v1 * 2", "read(np.asarray(v3))", "read(np.asarray(v2))"]
    found = [others(1), of_lines(*flipped, seed=2), others(3), others(4), of_lines(*flipped, seed=5), others(6)]

    def failing(some):
        monkeypatch.setattr(la, "flip", Stale())
        runner = Runner()
        failures = [runner.run(program) for program in some]
        monkeypatch.undo()
        return failures

    kinds = [failure and failure.kind for failure in failing(found)]
    assert kinds == [None, None, None, None, "another value", None]
    assert "np.asarray(v2)" in failing(found)[4].detail
    short = shortest(found[:5], lambda some: failing(some)[-1] is not None)
    assert [[s.text for s in program.statements] for program in short] == [
        ["v0 = xp.asarray(d0)", "v2 = xp.flip(v0)"],
        ["v0 = xp.asarray(d0)", "v2 = xp.flip(v0)", "read(np.asarray(v2))"],
    ]
    assert {d.shape for program in short for s in program.statements if (d := s.data)} <= {(1,), (2,)}


@pytest.mark.parametrize(
    ("wrong", "kind"),
    [
        (lambda x: x + 0, "another value"),
        (lambda x: la.astype(x, la.float32), "another type"),
        (lambda x: la.sort(x, axis=9), "AxisError"),
    ],
)
def test_a_wrong_function_is_found(monkeypatch, wrong, kind):
    monkeypatch.setattr(la, "flip", wrong)
    program = of_lines("v1 = xp.flip(v0)", "read(np.asarray(v1))")
    assert kind in Runner().run(program).kind


def test_an_exact_float_may_not_be_off_at_all(monkeypatch):
    monkeypatch.setattr(la, "flip", lambda x: la.asarray(np.flip(np.asarray(x)) * (1 + 1e-15)))
    program = of_lines("v1 = xp.flip(v0)", "read(np.asarray(v1))")
    assert Runner().run(program).kind == "another value"


def test_programs_run_in_processes_of_their_own_where_a_dead_one_is_a_failure():
    ends = of_lines("xp is np or __import__('os')._exit(3)", "read(np.asarray(v0))")
    good = of_lines("read(np.asarray(v0))")
    assert is_valid(ends)
    until = time.time() + 60
    assert replayed([good, ends], until) == "the process ended with 3"
    assert replayed([ends, good], until) is None
    assert replayed([good], until) is None


def test_a_run_tells_failures_with_all_to_repeat_them(monkeypatch):
    second = "np.runs = getattr(np, 'runs', 0) + (xp is not np)\nv1 = v0 + (np.runs > 1)"  # wrong from the second on
    statements = [*of_lines().statements, Statement(second, ("v1",)), Statement("read(np.asarray(v1))")]
    program = Program(tuple(statements))

    def replayed_here(some, until, environment):
        monkeypatch.setattr(np, "runs", 0, raising=False)
        return [failure and failure.kind for failure in map(Runner().run, some)][-1]

    def lines(*_):
        yield from ({"start": i} for i in range(9))
        yield from ({"failure": i, "kind": "another value", "detail": "of `read(np.asarray(v1))`"} for i in range(1, 9))
        yield {"done": 9}

    monkeypatch.setattr("tests.programs.fuzzing.programs", lambda seed: itertools.repeat(program))
    monkeypatch.setattr("tests.programs.fuzzing.replayed", replayed_here)
    monkeypatch.setattr("tests.programs.fuzzing.lines_of", lines)
    told = []
    assert Fuzzing(Options(seconds=60, seed=7, count=9, processes=1, rounds=1), told.append).run() == 8
    failures = [text for text in told if "FAILURE" in text]
    assert len(failures) == SHOWN and all("2 program(s)" in failure for failure in failures)
    assert "python -m tests.programs --seed 7 --rounds 1 --programs 2 --processes 1" in failures[0]
    assert "9 programs" in told[-2] and "8 x another value" in told[-1]


def test_programs_can_be_made_to_change_their_tier():
    script = (
        "import itertools\nfrom lazyarr import config\nfrom tests.programs.worker import programs, run, switch_early\n"
        "switch_early()\nrun(itertools.islice(programs(1), 40))\n"
        "print(sorted({tier for tier, _ in config.tier_statistics()}))"
    )
    environment = os.environ | SWITCHING | {"LAZYARR_TUNE": "off"}
    done = subprocess.run([sys.executable, "-c", script], cwd=ROOT, env=environment, capture_output=True, text=True)
    assert done.stdout.splitlines()[-1] == "['compiled', 'reference']", done.stderr
