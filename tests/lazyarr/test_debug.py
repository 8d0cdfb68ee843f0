"""The debug ladder: what each level says, which broken passes the last one finds, and that nothing is said without."""

from __future__ import annotations

import logging
import os
import re
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lazyarr as la
from ir.core.expr import Param
from ir.fusion import program as cut
from ir.fusion.partition import kernels as partition
from ir.rewrite.derivation import Derivation, replay
from ir.schedules.candidates import Candidates
from lazyarr import config, lift
from lazyarr.compile import program, verifying
from lazyarr.errors import CompileError, SettingError
from lazyarr.runtime import Batch
from tests.lazyarr.evaluation import ON_DEVICE

pytestmark = pytest.mark.skipif(not ON_DEVICE, reason="kernels are logged where there are any")

X = np.arange(-7, 6, dtype="float32")

PROGRAM = """
import lazyarr as la, numpy as np
x = la.asarray(np.arange(5.0, dtype="float32"))
for _ in range(2):
    assert float(la.sum(la.abs(x))) == 10
"""


@pytest.fixture(autouse=True)
def restored():
    old = config.settings()
    la.config(tune="off")
    yield
    la.config(**vars(old))


@pytest.fixture
def said(caplog):
    """Asks for the records that were logged since it was asked before."""
    caplog.set_level(logging.DEBUG, "lazyarr")

    def taken() -> list[logging.LogRecord]:
        found = list(caplog.records)
        caplog.clear()
        return found

    return taken


def run(code: str = PROGRAM, **environment: str) -> subprocess.CompletedProcess[str]:
    variables = {k: v for k, v in os.environ.items() if not k.startswith("LAZYARR_")}
    variables = variables | {"LAZYARR_TIER": "compiled"} | environment
    return subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)


def fresh(number: int) -> float:
    """The value of a program whose structure no other number has: a kernel of its own."""
    y = la.asarray(X)
    for bit in f"{number:06b}":
        y = la.sin(y) if bit == "1" else la.cos(y)
    return float(la.sum(y))


def matches(patterns: list[str], lines: list[str]) -> None:
    assert len(lines) == len(patterns), lines
    for pattern, line in zip(patterns, lines, strict=True):
        assert re.fullmatch(pattern, line), line


PLANNED = r"lazyarr\.compile: program planned for .+ in \d+ us: 2 operations, 1 kernel"
KERNEL = r"lazyarr\.compile: kernel from {}, ready in \d+\.\d{{3}} s: schedule = .+: \(reduce .+ map abs\) x0"
TIER = r"lazyarr\.tiers: program runs on the compiled tier: the setting `tier`"
AGAIN = r"lazyarr\.evaluate: program found again by its recorded calls: 1 kernel"
LAUNCH = (
    r"lazyarr\.runtime: launch 1 of 1 took [\d.]+ us( in the calling thread)?: "
    r"lazyarr, work-items \d+ in groups .+: \(reduce .+ map abs\) x0"
)
EVENTS = [TIER, PLANNED, KERNEL.format("the default configuration"), LAUNCH, AGAIN, LAUNCH]


# --- through the environment ------------------------------------------------------------------------------------------


def test_the_first_and_the_last_level_on_standard_error(tmp_path):
    done = run(LAZYARR_CACHE_DIR=str(tmp_path / "first"))
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")
    given = {"LAZYARR_CACHE_DIR": str(tmp_path / "second")}
    matches(EVENTS, run(LAZYARR_DEBUG="1", **given).stderr.splitlines())
    text = run(LAZYARR_DEBUG="4", **given).stderr
    said = ["program planned", "verified a program after the passes recording, partition", "kernel from the cache"]
    for part in [
        *said,
        "after each of",
        "derivation of (reduce",
        "source of (reduce",
        "   1 ",
        "__kernel void",
        "launch 1",
    ]:
        assert part in text


def test_the_page_shows_what_is_said():
    page = Path(__file__).parents[2].joinpath("docs", "debugging.md").read_text(encoding="utf-8")
    matches(EVENTS, [line for line in page.split("Level 2 adds")[0].splitlines() if line.startswith("lazyarr.")])


def test_a_program_that_configured_logging_says_what_is_seen(tmp_path):
    configured = "import logging; logging.basicConfig(level=logging.INFO, format='mine %(message)s')\n" + PROGRAM
    lines = run(configured, LAZYARR_DEBUG="3", LAZYARR_CACHE_DIR=str(tmp_path)).stderr.splitlines()
    assert len(lines) == 6 and all(line.startswith("mine ") for line in lines)


@pytest.mark.parametrize("text", ["loud", "5", "-1", "1.5", ""])
def test_a_level_that_there_is_not_is_an_error(text, monkeypatch):
    monkeypatch.setenv("LAZYARR_DEBUG", text)
    with pytest.raises(SettingError, match=rf"must be a whole number from 0 to 4, got '?{text}'?$"):
        config._from_environment()


# --- through la.config ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("value", [5, -1, True, "2", 1.0])
def test_config_refuses_what_is_no_level(value):
    with pytest.raises(SettingError, match="debug must be a whole number from 0 to 4"):
        la.config(debug=value)
    assert config.settings().debug == 0


def test_a_handler_is_attached_once_and_taken_away(monkeypatch, capsys):
    room = logging.getLogger("lazyarr")
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    la.config(debug=1)
    la.config(debug=2)
    assert (len(room.handlers), room.level) == (1, logging.DEBUG)
    logging.getLogger("lazyarr.compile").debug("said")
    logging.getLogger().handlers.append(logging.NullHandler())  # the program has one of its own now
    logging.getLogger("lazyarr.compile").debug("said twice")
    assert capsys.readouterr().err == "lazyarr.compile: said\n"
    la.config(debug=0)
    assert (room.handlers, room.level) == ([], logging.NOTSET)


def test_handlers_and_levels_of_a_program_stay(monkeypatch):
    room, mine = logging.getLogger("lazyarr"), logging.NullHandler()
    monkeypatch.setattr(logging.getLogger(), "handlers", [mine])
    la.config(debug=4)
    assert (room.handlers, room.level, logging.getLogger().handlers) == ([], logging.NOTSET, [mine])
    monkeypatch.setattr(logging.getLogger(), "handlers", [])
    monkeypatch.setattr(room, "level", logging.ERROR)
    la.config(debug=3)
    assert (room.handlers, room.level) == ([], logging.ERROR)


def test_levels_are_cumulative(said):
    kinds = {}
    for level in (1, 2, 3, 4):
        la.config(debug=level)
        fresh(level)
        records = said()
        kinds[level] = {re.split(r" (of|for|from|after|\d|\()", r.getMessage())[0] for r in records}
        assert {r.levelno for r in records} == ({logging.INFO} if level == 1 else {logging.INFO, logging.DEBUG})
    events = {"program runs on the compiled tier: the setting `tier`", "program planned", "kernel", "launch"}
    assert kinds[1] == events
    assert kinds[2] == events | {"derivation"}
    assert kinds[3] == kinds[2] | {"source"}
    assert kinds[4] == kinds[3] | {"verified", "verified a program"}


def test_a_search_says_how_many_candidates_and_the_best_time(said):
    la.config(debug=1, tune="first-call", tune_above=1, tune_seconds=0.3)
    fresh(5)
    (found,) = [text for r in said() if (text := r.getMessage()).startswith("kernel from a search")]
    assert re.match(r"kernel from a search of \d+ candidates?, the best of which took [\d.]+ us, ready in", found)


def test_turning_it_on_shows_the_kernel_that_ran_before(said):
    fresh(6)
    assert not said()
    for _ in range(2):
        la.config(debug=1)
        fresh(6)
        found = [text for r in said() if (text := r.getMessage()).startswith("kernel")]
        assert [text.split(", ")[0] for text in found] == ["kernel from memory"]
        la.config(debug=0)
        fresh(6)
        assert not said()


def test_derivations_and_sources_are_those_that_explain_shows(said):
    f = lift.jit(lambda x: la.sum(la.tan(la.abs(x))))
    la.config(debug=3)
    float(f(la.asarray(X)))
    texts = [r.getMessage() for r in said()]
    (derivation,) = [text for text in texts if text.startswith("derivation of")]
    (source,) = [text for text in texts if text.startswith("source of")]
    explained = lift.explain(f, la.asarray(X)).kernels[0]
    steps = [line for line in derivation.splitlines() if re.match(r" +\d+\. \w+ .*at \[", line)]
    assert len(steps) == len(explained.derivation.steps) > 3
    assert set(steps) <= set(str(explained).splitlines())
    lines = [re.fullmatch(r" *(\d+) ?(.*)", line).groups() for line in source.splitlines()[1:]]
    assert [int(number) for number, _ in lines] == list(range(1, len(lines) + 1))
    assert [text for _, text in lines] == explained.source.splitlines()


def test_every_launch_of_a_program_is_timed(said):
    la.config(debug=1)
    long = np.arange(-7, 20_000, dtype="float32")
    x = la.asarray(long)
    y = np.asarray((x - la.max(x)) * la.max(la.abs(x)))
    np.testing.assert_allclose(y, (long - long.max()) * np.abs(long).max(), rtol=1e-5)
    launches = [r.getMessage() for r in said() if r.name == "lazyarr.runtime"]
    count = len(launches)
    assert count > 1
    assert [re.match(r"launch (\d+) of (\d+) took [\d.]+ us", text).groups() for text in launches] == [
        (str(i), str(count)) for i in range(1, count + 1)
    ]


def test_off_launches_are_not_waited_for_one_by_one_nor_named(monkeypatch):
    f = lift.jit(lambda x: la.sum(la.abs(x) * 6000.5))
    x = la.asarray(X)
    kinds, names = [], []
    monkeypatch.setattr(program, "abridged", lambda e: names.append(e) or "name")
    for level in (0, 1, 0):
        la.config(debug=level)
        recording, leaves = f.recording(x)
        compiled = recording.program.compiled
        named = len(names)
        kinds.append((type(compiled.batch(recording.inputs(leaves, compiled.device))) is Batch, len(names) == named))
    assert kinds == [(True, True), (False, False), (True, True)]


# --- verifying --------------------------------------------------------------------------------------------------------


def test_below_level_4_nothing_is_verified(monkeypatch):
    def unwanted(*_args, **_kwargs):
        raise AssertionError("verified")

    monkeypatch.setattr(verifying, "Checks", unwanted)
    monkeypatch.setattr(Derivation, "verify", unwanted)
    la.config(debug=3)
    fresh(7)
    la.config(debug=4)
    with pytest.raises(AssertionError, match="verified"):
        fresh(8)


def broken(message: str, compute) -> None:
    la.config(debug=4)
    with pytest.raises(CompileError, match=message):
        compute()


def test_a_pass_that_invents_an_input_is_named(monkeypatch):
    arrange = partition.arrange

    def faulty(roots, *given):
        made, *rest = arrange(roots, *given)
        return [Param("stranger", root.type) for root in made], *rest

    monkeypatch.setattr(partition, "arrange", faulty)
    x = la.asarray(X)
    broken("after the pass arrange: stranger is not computed", lambda: np.asarray(la.concat([x * 8000.5, x])))


def test_a_pass_that_orders_kernels_wrongly_is_named(monkeypatch):
    tasks = partition.tasks

    def faulty(*args):
        made = tasks(*args)
        return replace(made, tasks=made.tasks[::-1])

    monkeypatch.setattr(partition, "tasks", faulty)
    x = la.asarray(np.ones(20_000, "float32"))
    broken("after the pass partition: v0 is not computed before", lambda: np.asarray(x * 9000.5 - la.sum(x * 9000.5)))


def test_a_pass_that_forgets_a_size_is_named(monkeypatch):
    symbolise = cut.symbolise
    monkeypatch.setattr(cut, "symbolise", lambda *args, **named: replace(symbolise(*args, **named), sizes={}))
    broken("after the pass symbolise: nothing says how large n0 is", lambda: fresh(9))


def test_a_pass_that_exchanges_kernels_is_named(monkeypatch):
    class Faulty(program.Numbers):
        def read(self, made):
            return replace(made, steps=tuple(replace(step, reads=step.reads[:-1]) for step in made.steps))

    compiler = program.Compiler(la.asarray(X).device)
    programs = program.CompiledPrograms(compiler)
    programs._numbers = Faulty()
    root = la.abs(la.asarray(X)).node
    broken("after the pass literal_history: a kernel of 1 inputs is given 0", lambda: programs.of([root]))


def test_a_derivation_that_ends_too_early_is_named_by_its_last_rule(monkeypatch):
    derive = Candidates.derive

    def faulty(self, configuration):
        made = derive(self, configuration)
        return replay(made.start, made.steps[:1])

    monkeypatch.setattr(Candidates, "derive", faulty)
    broken(r"after step 1, \w+: .*a high-level pattern is left", lambda: fresh(10))


def test_a_derivation_whose_steps_lead_elsewhere_is_found(monkeypatch):
    derive = Candidates.derive

    def faulty(self, configuration):
        made = derive(self, configuration)
        return replace(made, result=made.states()[-2])

    monkeypatch.setattr(Candidates, "derive", faulty)
    broken("the steps lead to", lambda: fresh(11))


def test_a_search_does_not_pass_over_what_is_broken(monkeypatch):
    derive = Candidates.derive
    monkeypatch.setattr(Candidates, "derive", lambda self, c: Derivation.of(derive(self, c).start))
    la.config(tune="first-call", tune_above=1)
    broken("before the first step: .*a high-level pattern is left", lambda: fresh(12))
