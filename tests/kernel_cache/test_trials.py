from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from kernel_cache import EntryError, KernelCache, processes
from kernel_cache.processes import this_process
from tests.kernel_cache.helpers import ROOT, make_key, run_child, sql

OpenCache = Callable[..., KernelCache]

KEY = make_key()

PREAMBLE = f"import sys; sys.path.insert(0, {str(ROOT)!r})\nimport os\nfrom kernel_cache import *\n"
BEGIN = "cache = KernelCache(Path(sys.argv[1]))\nassert cache.begin_trial(make_key(), {'local': 64})\n"


def outcomes(cache: KernelCache) -> list[str]:
    return [trial.outcome for trial in cache.trials(KEY)]


def test_a_trial_from_begin_to_finish(open_cache: OpenCache) -> None:
    cache = open_cache()
    before = time.time()
    assert cache.begin_trial(KEY, {"local": 64, "order": "row"})
    assert outcomes(cache) == ["running"] == outcomes(open_cache())
    cache.finish_trial(KEY, {"order": "row", "local": 64}, "ok", 0.5, "fine \udc80\x00")
    (trial,) = open_cache().trials(KEY)
    assert (trial.configuration, trial.outcome, trial.seconds) == ({"local": 64, "order": "row"}, "ok", 0.5)
    assert trial.detail == "fine \udc80\x00"
    assert trial.finished is not None
    assert before <= trial.begun <= trial.finished <= time.time()


def test_trials_come_in_the_order_begun_and_per_key(cache: KernelCache) -> None:
    for local in (8, 2, 4):
        cache.begin_trial(KEY, {"local": local})
    cache.begin_trial(make_key("other"), {"local": 1})
    cache.finish_trial(KEY, {"local": 8}, "wrong_answer", None, "")
    assert [trial.configuration for trial in cache.trials(KEY)] == [{"local": 8}, {"local": 2}, {"local": 4}]
    assert outcomes(cache) == ["wrong_answer", "running", "running"]


def test_a_trial_may_be_finished_without_a_beginning(cache: KernelCache) -> None:
    cache.finish_trial(KEY, {"local": 1}, "refused")
    assert outcomes(cache) == ["refused"]


def test_beginning_again_replaces(cache: KernelCache) -> None:
    cache.finish_trial(KEY, {"local": 1}, "ok", 1.0, "")
    cache.begin_trial(KEY, {"local": 1})
    assert outcomes(cache) == ["running"]


@pytest.mark.parametrize(
    "arguments", [("running", None, ""), ("", None, ""), (3, None, ""), ("ok", float("nan"), ""), ("ok", 1.0, b"x")]
)
def test_what_cannot_be_stored_is_refused(cache: KernelCache, arguments: tuple[object, ...]) -> None:
    with pytest.raises(EntryError):
        cache.finish_trial(KEY, {}, *arguments)  # type: ignore[arg-type]
    with pytest.raises(EntryError):
        cache.begin_trial(KEY, {1: 2})  # type: ignore[dict-item]
    assert cache.trials(KEY) == []


def test_long_details_are_cut(cache: KernelCache) -> None:
    cache.finish_trial(KEY, {}, "build_failed", None, "start" + "x" * 1_000_000)
    (trial,) = cache.trials(KEY)
    assert trial.detail.startswith("start") and len(trial.detail) == 16_384


@pytest.mark.parametrize("end", ["os._exit(0)", "os.kill(os.getpid(), 9)", "os.abort()", "raise KeyboardInterrupt", ""])
def test_a_trial_that_ended_its_process_reads_as_crashed(cache: KernelCache, path: Path, end: str) -> None:
    run_child(BEGIN + end, path)
    (trial,) = cache.trials(KEY)
    assert (trial.configuration, trial.outcome, trial.finished) == ({"local": 64}, "crashed", None)
    # The same configuration may be tried again, on purpose.
    cache.begin_trial(KEY, {"local": 64})
    assert outcomes(cache) == ["running"]


def test_a_trial_finished_by_a_process_now_gone_stays_finished(cache: KernelCache, path: Path) -> None:
    run_child(BEGIN + "cache.finish_trial(make_key(), {'local': 64}, 'ok', 0.5, ''); os._exit(0)", path)
    assert outcomes(cache) == ["ok"]


@pytest.mark.skipif(not hasattr(os, "waitid"), reason="needs POSIX processes")
def test_a_trial_runs_while_its_process_lives_and_not_when_it_is_a_zombie(cache: KernelCache, path: Path) -> None:
    code = PREAMBLE + "from pathlib import Path\nfrom tests.kernel_cache.helpers import make_key\n" + BEGIN
    code += "print('begun', flush=True)\nsys.stdin.read()\n"
    command = [sys.executable, "-c", code, str(path)]
    child = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True)
    assert child.stdout is not None and child.stdin is not None
    try:
        assert child.stdout.readline() == "begun\n"
        assert outcomes(cache) == ["running"]
        child.kill()
        # Wait until it has ended, but leave it a zombie.
        os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
        assert outcomes(cache) == ["crashed"]
    finally:
        child.kill()
        child.wait()
        child.stdin.close()
        child.stdout.close()
    assert child.returncode == -signal.SIGKILL
    assert outcomes(cache) == ["crashed"]


def test_a_process_with_the_same_number_is_not_the_same_process() -> None:
    here = this_process()
    assert processes.is_running(here, time.time())
    if here.start is not None:
        assert not processes.is_running(replace(here, start="1"), time.time())
    assert not processes.is_running(replace(here, boot="before the crash"), time.time())


def test_a_process_that_cannot_be_seen_is_given_an_hour() -> None:
    for elsewhere in (replace(this_process(), host="other"), replace(this_process(), namespace="other", pid=1)):
        assert processes.is_running(elsewhere, time.time() - 60)
        assert not processes.is_running(elsewhere, time.time() - 2 * 3600)


def test_without_start_times_the_number_decides(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(processes, "_state_and_start", lambda pid: None)
    child = subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    stamp = replace(this_process(), pid=child.pid, start=None)
    assert processes.is_running(stamp, time.time())
    assert not processes.is_running(stamp, time.time() - 2 * 3600)
    child.communicate()
    assert not processes.is_running(stamp, time.time())


def test_a_command_name_cannot_confuse_the_reader(tmp_path: Path) -> None:
    name = tmp_path / "a) Z 1 (b"
    name.symlink_to(os.path.realpath(sys.executable))
    child = subprocess.Popen([name, "-c", "input()"], stdin=subprocess.PIPE)
    state = processes._state_and_start(child.pid)
    child.communicate()
    if state is not None:
        assert state[0] in "RSD" and state[1].isdigit() and int(state[1]) > 1


def test_beginning_flushes_the_disk(cache: KernelCache) -> None:
    """A power cut cannot be staged, but what SQLite is told can be seen."""
    cache.get(KEY)
    statements: list[str] = []
    assert cache._database._connection is not None
    cache._database._connection.set_trace_callback(statements.append)
    cache.begin_trial(KEY, {"local": 1})
    modes = [text for text in statements if "synchronous" in text]
    assert modes == ["PRAGMA synchronous=FULL"]
    assert statements.index(modes[0]) < statements.index("BEGIN IMMEDIATE") < statements.index("COMMIT")


@pytest.mark.parametrize("column", ["configuration", "record", "checksum"])
def test_a_damaged_trial_reads_as_none(cache: KernelCache, path: Path, column: str) -> None:
    cache.begin_trial(KEY, {"local": 1})
    cache.begin_trial(KEY, {"local": 2})
    damage = {"configuration": "{}", "record": '{"outcome":"ok"}', "checksum": b"x"}[column]
    sql(path, f"UPDATE trials SET {column}=? WHERE configuration='{{\"local\":1}}'", damage)
    assert [trial.configuration for trial in cache.trials(KEY)] == [{"local": 2}]
    assert [problem.kind for problem in cache.verify()] == ["trial"]
