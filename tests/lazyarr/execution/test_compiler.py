"""Where a kernel comes from: a search, the prediction or the cache; and what a crash or an interrupt leaves behind."""

from __future__ import annotations

import math
import os
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import lazyarr as la
from ir.core.expr import Expr
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from lazyarr.check.reference import Mismatch, Reference
from lazyarr.compile import compiled as compiled_module
from lazyarr.compile import compiler as compiler_module
from lazyarr.compile import searching, trials
from lazyarr.compile.compiled import Compiled
from lazyarr.compile.compiler import Compiler
from lazyarr.compile.executable import Executable
from lazyarr.compile.trials import CandidateRunner
from lazyarr.errors import CandidateWarning, CompileError
from lazyarr.memory.pool import Pool
from lazyarr.runtime import BuildError, Program
from lazyarr.runtime.declarations import Declarations
from tests.lazyarr.execution.kernels import X, asum, kernel_of, scal
from tuner import Budget, Outcome, WrongAnswerWarning

ROOT = Path(__file__).parents[3]


def value(compiled: Compiled, inputs) -> np.ndarray:
    (result,) = compiled.executable.launch(inputs, tuple(compiled.general.sizes.values()))
    return result.to_numpy("f4", (result.nbytes // 4,))


def right(compiled: Compiled, inputs) -> None:
    np.testing.assert_allclose(value(compiled, inputs), np.abs(X).sum(dtype=np.float64), rtol=1e-4)


@pytest.fixture
def three_trials(set_to, monkeypatch):
    """Searches on first call that end after three trials."""
    set_to(tune="first-call", tune_seconds=100.0, tune_above=1)
    monkeypatch.setattr(compiler_module, "Budget", lambda seconds, trials=3: Budget(seconds, trials))


def test_threads_open_one_cache(monkeypatch):
    opened = []

    class Slow:
        def __init__(self):
            opened.append(self)
            time.sleep(0.01)

    monkeypatch.setattr(compiler_module, "_shared_cache", None)
    monkeypatch.setattr(compiler_module, "KernelCache", Slow)
    with ThreadPoolExecutor(8) as pool:
        found = [each.result() for each in [pool.submit(compiler_module.cache) for _ in range(8)]]
    assert found == opened * 8


def test_off_measures_nothing(kernels, set_to, monkeypatch):
    set_to(tune="off", tune_above=1)
    monkeypatch.setattr(CandidateRunner, "run", _never)
    device, general, inputs = kernel_of(asum())
    compiled = Compiler(device).compile(general, inputs)
    assert compiled.origin == "predicted"
    right(compiled, inputs)


def test_small_problems_are_not_measured(kernels, set_to, monkeypatch):
    set_to(tune="first-call", tune_seconds=100.0, tune_above=X.size + 1)
    monkeypatch.setattr(CandidateRunner, "run", _never)
    device, general, inputs = kernel_of(asum())
    assert Compiler(device).compile(general, inputs).origin == "predicted"


@pytest.mark.parametrize("lengths", [(16400, 65520), (65520, 16400)])
def test_deterministic_kernels_do_not_depend_on_who_came_first(kernels, set_to, monkeypatch, lengths):
    set_to(tune="first-call", tune_above=1, deterministic=True)
    monkeypatch.setattr(CandidateRunner, "run", _never)
    asked = []
    defaults = Candidates.defaults

    def noted(self, machine, sizes):
        asked.append(dict(sizes))
        return defaults(self, machine, sizes)

    monkeypatch.setattr(Candidates, "defaults", noted)
    for length in lengths:
        device, general, inputs = kernel_of(la.sum(la.abs(la.asarray(np.resize(X, length)))))
        compiled = Compiler(device).compile(general, inputs)
        np.testing.assert_allclose(value(compiled, inputs), np.abs(np.resize(X, length)).sum(dtype=float), rtol=1e-4)
    assert asked[0] == dict.fromkeys(asked[0], 65535)  # the second came from the cache


def test_deterministic_kernels_are_not_those_that_were_tuned(kernels, three_trials, set_to):
    device, general, inputs = kernel_of(asum())
    assert Compiler(device).compile(general, inputs).origin == "tuned"
    set_to(deterministic=True)
    assert Compiler(device).compile(general, inputs).origin == "predicted"


@pytest.mark.parametrize("small", [True, False])
def test_kernels_known_to_be_wrong_are_not_kept(kernels, three_trials, monkeypatch, small):
    device, general, inputs = kernel_of(asum())
    wrong = "small_mismatch" if small else "full_mismatch"
    monkeypatch.setattr(trials.Problem, wrong, lambda *_: Mismatch("element 3: expected 1, got 2"))
    raised = pytest.raises(CompileError, match="every kernel's result on a small instance differs")
    with pytest.warns(WrongAnswerWarning), raised if small else nullcontext():
        assert Compiler(device).compile(general, inputs).origin == "predicted"
    assert compiler_module.cache().get(Compiler(device)._key(general)) is None


def test_the_key_names_all_code_that_makes_a_kernel(kernels, monkeypatch):
    """What is kept by other code is not taken: of all packages that decide what is built."""
    named = []
    monkeypatch.setattr(compiler_module, "code_version", lambda *packages: named.extend(packages) or "")
    device, general, _ = kernel_of(asum())
    Compiler(device)._key(general)
    for part in (Expr, Candidates, generate, Compiled, Executable, BuildError, Reference, Pool):
        assert any(part.__module__.startswith(f"{package.__name__}.") for package in named), part


def test_first_call_searches_and_remembers(kernels, three_trials, monkeypatch):
    device, general, inputs = kernel_of(asum())
    compiler = Compiler(device)
    compiled = compiler.compile(general, inputs)
    assert compiled.origin == "tuned"
    assert len(compiled.result.trials) == 3
    assert compiled.seconds == compiled.result.best.seconds
    right(compiled, inputs)
    monkeypatch.setattr(CandidateRunner, "run", _never)
    assert compiler.compile(general, inputs) is compiled


@pytest.mark.parametrize("tuned", [True, False])
def test_a_second_process_only_loads(kernels, three_trials, set_to, monkeypatch, tuned):
    if not tuned:
        set_to(tune="off")
    device, general, inputs = kernel_of(asum())
    made = Compiler(device).compile(general, inputs)
    kernels()
    for owner, name in (
        (Candidates, "derive"),
        (CandidateRunner, "run"),
        (compiled_module, "generated"),
        (trials, "build"),
    ):
        monkeypatch.setattr(owner, name, _never)
    loaded = Compiler(device).compile(general, inputs)
    assert loaded.origin == "cache"
    assert loaded.configuration == made.configuration
    assert loaded.seconds == made.seconds
    assert loaded.executable.plan == made.executable.plan
    assert loaded.executable.program.source == made.executable.program.source
    if made.executable.program.binary is not None:
        assert loaded.executable.program.from_binary == device.has_binaries
    right(loaded, inputs)


@pytest.mark.parametrize("ready", [True, False])
def test_a_default_is_kept_with_a_binary_only_where_that_costs_nothing(kernels, set_to, monkeypatch, ready):
    monkeypatch.setattr(type(kernel_of(asum())[0]), "has_binaries", ready)
    asked = []
    monkeypatch.setattr(Program, "binary", property(lambda self: asked.append(self) or b"a binary"))
    set_to(tune="off")
    device, general, inputs = kernel_of(asum())
    made = Compiler(device).compile(general, inputs)
    assert made.origin == "predicted" and len(asked) == ready
    entry = compiler_module.cache().get(Compiler(device)._key(general))
    assert entry.binaries == ((b"a binary",) if ready else ())
    assert entry.sources == (made.executable.program.source,)


def test_a_default_is_kept_with_the_declarations_that_it_needs(kernels, set_to, monkeypatch):
    """So that a later process does not read the compiler's header to find them."""
    set_to(tune="off")
    device, general, inputs = kernel_of(asum())
    made = Compiler(device).compile(general, inputs)
    kernels()
    monkeypatch.setattr(Declarations, "before", _never)
    loaded = Compiler(device).compile(general, inputs)
    assert loaded.origin == "cache"
    assert loaded.executable.program.declarations in ("", made.executable.program.declarations)
    right(loaded, inputs)


@pytest.mark.parametrize("asked", [True, False])
def test_a_search_that_was_asked_for_keeps_the_binary(kernels, three_trials, monkeypatch, asked):
    """Others leave it where the device would compile for it once more while a user waits."""
    monkeypatch.setattr(type(kernel_of(asum())[0]), "has_binaries", False)
    monkeypatch.setattr(Program, "binary", property(lambda self: b"a binary"))
    device, general, inputs = kernel_of(asum())
    compiler = Compiler(device)
    made = compiler.tune(general, inputs, None, 3) if asked else compiler.compile(general, inputs)
    assert made.origin == "tuned"
    entry = compiler_module.cache().get(compiler._key(general))
    assert set(entry.binaries) == ({b"a binary"} if asked else set())


def test_a_prediction_gives_way_to_a_search(kernels, three_trials, set_to):
    device, general, inputs = kernel_of(asum())
    set_to(tune="off")
    assert Compiler(device).compile(general, inputs).origin == "predicted"
    set_to(tune="first-call")
    assert Compiler(device).compile(general, inputs).origin == "tuned"
    set_to(tune="off")
    assert Compiler(device).compile(general, inputs).origin == "cache"


def test_without_the_cache_nothing_is_kept(kernels, three_trials, set_to):
    set_to(cache="off")
    device, general, inputs = kernel_of(asum())
    assert Compiler(device).compile(general, inputs).origin == "tuned"
    assert list(kernels().entries()) == []
    assert Compiler(device).compile(general, inputs).origin == "tuned"


@pytest.mark.parametrize(
    "spoil",
    [
        lambda e: replace(e, plan={}),
        lambda e: replace(e, plan=[1]),
        lambda e: replace(e, plan={**e.plan, "sizes": ["other"]}),
        lambda e: replace(e, plan={**e.plan, "kernels": [{**e.plan["kernels"][0], "name": "absent"}]}),
        lambda e: replace(e, plan={**e.plan, "kernels": [{**e.plan["kernels"][0], "arguments": [["x9", 0, False]]}]}),
        lambda e: replace(e, plan={name: value for name, value in e.plan.items() if name != "declarations"}),
        lambda e: replace(e, sources=()),
        lambda e: replace(e, sources=("this is no OpenCL",), binaries=()),
        lambda e: replace(e, configuration=[7]),
        lambda e: replace(e, configuration=None),
    ],
    ids=[
        "empty plan",
        "no plan",
        "sizes",
        "kernel",
        "arguments",
        "declarations",
        "no source",
        "source",
        "list",
        "null",
    ],
)
def test_an_entry_that_does_not_read_is_made_again(kernels, set_to, spoil):
    set_to(tune="off")
    device, general, inputs = kernel_of(asum())
    compiler = Compiler(device)
    compiler.compile(general, inputs)
    key = compiler._key(general)
    cache = kernels()
    good = cache.get(key)
    cache.put(key, spoil(good))
    cache = kernels()
    compiled = Compiler(device).compile(general, inputs)
    right(compiled, inputs)
    assert compiled.origin == "predicted"
    assert cache.get(key).plan == good.plan


def test_a_binary_that_does_not_load_falls_back_to_the_source(kernels, set_to):
    set_to(tune="off")
    device, general, inputs = kernel_of(asum())
    compiler = Compiler(device)
    compiler.compile(general, inputs)
    cache = kernels()
    entry = cache.get(compiler._key(general))
    cache.put(compiler._key(general), replace(entry, binaries=(b"no binary",)))
    compiled = Compiler(device).compile(general, inputs)
    assert compiled.origin == "cache"
    assert not compiled.executable.program.from_binary
    right(compiled, inputs)


def test_another_length_of_the_class_uses_the_same_kernel(kernels, set_to, monkeypatch):
    import lazyarr as la

    set_to(tune="off")
    device, general, inputs = kernel_of(asum())
    compiler = Compiler(device)
    first = compiler.compile(general, inputs)
    monkeypatch.setattr(Candidates, "derive", _never)
    for n in (X.size - 1, 20011):
        _, other, other_inputs = kernel_of(la.sum(la.abs(la.asarray(X[:n]))))
        found = compiler.compile(other, other_inputs)
        assert found is first
        (result,) = found.executable.launch(other_inputs, (n,))
        np.testing.assert_allclose(result.to_numpy("f4", (1,)), np.abs(X[:n]).sum(dtype=np.float64), rtol=1e-4)


CRASH = """
import os, signal
from lazyarr import config
from lazyarr.compile.compiler import Compiler
from lazyarr.check.reference import Mismatch
from lazyarr.compile.trials import CandidateRunner
from tests.lazyarr.execution.kernels import asum, kernel_of

CandidateRunner.run = lambda self, configuration: os.kill(os.getpid(), signal.SIGKILL)
config.configure(tune="first-call", tune_seconds=100.0, tune_above=1)
device, general, inputs = kernel_of(asum())
Compiler(device).compile(general, inputs)
"""


def test_a_candidate_that_killed_the_process_is_never_tried_again(tmp_path, monkeypatch, three_trials):
    folder = tmp_path / "cache"
    environment = os.environ | {"LAZYARR_CACHE_DIR": str(folder)}
    done = subprocess.run([sys.executable, "-c", CRASH], env=environment, cwd=ROOT, capture_output=True, check=False)
    assert done.returncode == -signal.SIGKILL, done.stderr
    monkeypatch.setenv("LAZYARR_CACHE_DIR", str(folder))
    monkeypatch.setattr(compiler_module, "_shared_cache", None)
    device, general, inputs = kernel_of(asum())
    compiled = Compiler(device).compile(general, inputs)
    (crashed,) = compiled.result.known
    assert crashed.outcome is Outcome.crashed
    assert crashed.key not in [trial.key for trial in compiled.result.trials]
    assert crashed.configuration["schedule"] in Candidates.of(general.expr).parameters()
    right(compiled, inputs)
    assert compiled.configuration != Candidates.of(general.expr).normalised(crashed.configuration)
    compiler_module.cache().close()


def test_an_interrupt_keeps_the_best_so_far(kernels, three_trials, monkeypatch):
    original = CandidateRunner.run
    ran = []

    def run(self, configuration):
        ran.append(configuration)
        if len(ran) == 2:
            raise KeyboardInterrupt
        return original(self, configuration)

    monkeypatch.setattr(CandidateRunner, "run", run)
    device, general, inputs = kernel_of(asum())
    compiler = Compiler(device)
    with pytest.raises(KeyboardInterrupt):
        compiler.compile(general, inputs)
    compiled = compiler.compile(general, inputs)  # the next call searches no more
    assert len(ran) == 2
    assert compiled.result.stopped_by == "interrupted"
    assert compiled.configuration == Candidates.of(general.expr).normalised(ran[0])
    right(compiled, inputs)
    assert list(kernels().entries()) == []  # an interrupted search is not the last word for later processes


def test_an_interrupt_of_a_search_that_was_asked_for_returns_the_best_so_far(kernels, three_trials, monkeypatch):
    original = CandidateRunner.run
    ran = []

    def run(self, configuration):
        ran.append(configuration)
        if len(ran) == 2:
            raise KeyboardInterrupt
        return original(self, configuration)

    monkeypatch.setattr(CandidateRunner, "run", run)
    device, general, inputs = kernel_of(asum())
    assert Compiler(device).tune(general, inputs, None, 3).result.stopped_by == "interrupted"


def test_an_interrupt_before_anything_worked_is_an_interrupt(kernels, three_trials, monkeypatch):
    def run(self, configuration):
        raise KeyboardInterrupt

    monkeypatch.setattr(CandidateRunner, "run", run)
    device, general, inputs = kernel_of(asum())
    with pytest.raises(KeyboardInterrupt):
        Compiler(device).compile(general, inputs)


def test_a_wrong_candidate_is_reported_and_never_chosen(kernels, three_trials, monkeypatch):
    wrong = []
    original = trials.build

    class Wrong:
        def __init__(self, executable):
            self.executable = executable

        def enqueue(self, *arguments, **options):
            outputs, events = self.executable.enqueue(*arguments, **options)
            outputs[0].fill(0)
            return outputs, events

    def build(device, general, configuration, *rest, **named):
        made = original(device, general, configuration, *rest, **named)
        if wrong:
            return made
        wrong.append(configuration)
        return Wrong(made)

    monkeypatch.setattr(trials, "build", build)
    device, general, inputs = kernel_of(scal())
    with pytest.warns(WrongAnswerWarning, match=r"^1 of \d candidates for the kernel map .* differ"):
        compiled = Compiler(device).compile(general, inputs)
    assert compiled.configuration != wrong[0]
    np.testing.assert_array_equal(value(compiled, inputs), X * np.float32(3))


def test_the_prediction_passes_over_what_does_not_build(kernels, set_to, monkeypatch):
    set_to(tune="off")
    original, refused = compiler_module.build, []

    def build(device, general, configuration, *rest, **named):
        if not refused:
            refused.append(configuration)
            raise BuildError("made to fail", "source", "log")
        return original(device, general, configuration, *rest, **named)

    monkeypatch.setattr(compiler_module, "build", build)
    device, general, inputs = kernel_of(asum())
    with pytest.warns(CandidateWarning, match="made to fail"):
        compiled = Compiler(device).compile(general, inputs)
    assert compiled.configuration != refused[0]
    right(compiled, inputs)


@pytest.mark.parametrize("tune", ["off", "first-call"])
@pytest.mark.filterwarnings("ignore::lazyarr.errors.CandidateWarning")
def test_nothing_works(kernels, three_trials, set_to, monkeypatch, tune):
    def build(*arguments, **named):
        raise BuildError("made to fail", "source", "log")

    set_to(tune=tune)
    monkeypatch.setattr(compiler_module, "build", build)
    monkeypatch.setattr(trials, "build", build)
    device, general, inputs = kernel_of(asum())
    with pytest.raises(CompileError, match=r"(?s)reduce.*made to fail"):
        Compiler(device).compile(general, inputs)


def _never(*arguments, **options):
    raise AssertionError("called")


def test_searches_on_first_calls_share_the_seconds_of_a_process(kernels, three_trials, set_to, monkeypatch):
    """What they leave takes the default, and is searched for by a process that has seconds left."""
    monkeypatch.setattr(compiler_module, "_searched_seconds", 0.0)
    device, general, inputs = kernel_of(asum())
    set_to(tune_total=0.0)
    found = Compiler(device).compile(general, inputs)
    assert found.origin == "predicted"
    right(found, inputs)
    assert compiler_module._searched_seconds == 0.0
    set_to(tune_total=100.0)
    assert Compiler(device).compile(general, inputs).origin == "tuned"
    spent = compiler_module._searched_seconds
    assert spent > 0
    device, other, given = kernel_of(scal())
    set_to(tune_total=spent / 2)
    assert Compiler(device).compile(other, given).origin == "predicted"
    assert compiler_module._searched_seconds == spent


@pytest.mark.parametrize(("seconds", "origin"), [(0.5, "predicted"), (0.01, "tuned"), (math.inf, "tuned")])
def test_a_kernel_whose_runs_take_the_seconds_of_a_search_is_searched_for_later(
    kernels, three_trials, set_to, monkeypatch, seconds, origin
):
    """Where there is a prediction. A search that is asked for goes on."""
    monkeypatch.setattr(searching, "predicted_seconds", lambda *arguments: seconds)
    set_to(tune_seconds=3.0)
    device, general, inputs = kernel_of(asum())
    compiler = Compiler(device)
    found = compiler.compile(general, inputs)
    assert found.origin == origin
    assert compiler.is_searched_later(general) is (origin == "predicted")
    right(found, inputs)
    assert compiler.tune(general, inputs, None, 1).origin == "tuned"


def test_a_search_that_was_asked_for_keeps_to_its_seconds(kernels, monkeypatch):
    """No trial starts that is predicted to take longer than what is left, once one has run."""
    device, general, inputs = kernel_of(asum())
    monkeypatch.setattr(compiler_module, "predicting", lambda cost: lambda configuration, trials: 3600.0)
    found = Compiler(device).tune(general, inputs, 60.0, None).result
    assert (len(found.trials), found.stopped_by) == (1, "budget")
