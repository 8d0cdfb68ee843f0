"""Processes with a time limit: whatever becomes of them, what they said stays."""

from __future__ import annotations

import os
import time
from pathlib import Path

import pytest

from benchmarks import processes
from benchmarks.processes import Ending, ask, environment

HEAD = """
import os, signal, subprocess, sys, time
from benchmarks.processes import serve
def work(request, say):
    say(began="first")
"""


@pytest.fixture
def asked(tmp_path, monkeypatch):
    """What a process answers whose work has that text."""

    def run(text, limit=30.0, **request):
        body = "\n".join(f"    {line}" for line in text.splitlines())
        (tmp_path / "made_for_a_test.py").write_text(f"{HEAD}{body}\nserve(work)\n")
        monkeypatch.setenv("PYTHONPATH", str(tmp_path))
        return ask("made_for_a_test", request, environment(tmp_path / "caches"), limit)

    return run


def test_a_process_answers_what_it_is_asked(asked):
    answer = asked("say(twice=2 * request['n'])\nprint('its output is no answer')", n=21)
    assert answer.ending is Ending.DONE
    assert (answer.find("began"), answer.find("twice"), answer.find("other")) == ("first", 42, None)
    assert 0 < answer.said[0]["at"] <= answer.said[1]["at"] <= answer.seconds


def test_a_process_that_does_not_end_is_recorded_and_killed_with_its_children(asked):
    begin = time.perf_counter()
    answer = asked("child = subprocess.Popen(['sleep', '60'])\nsay(child=child.pid)\ntime.sleep(60)", limit=1.0)
    assert time.perf_counter() - begin < 20
    assert (answer.ending, answer.reason) == (Ending.TIMED_OUT, "did not end within 1 s")
    assert answer.find("began") == "first"
    child = answer.find("child")
    for _ in range(100):
        if not _runs(child):
            break
        time.sleep(0.05)
    assert not _runs(child)


def _runs(pid: int) -> bool:
    """Whether there is such a process that is not dead and waiting to be reaped."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


def test_a_crash_is_recorded(asked):
    answer = asked("os.kill(os.getpid(), signal.SIGSEGV)")
    assert (answer.ending, answer.reason) == (Ending.CRASHED, "ended by SIGSEGV")
    assert answer.find("began") == "first"


def test_an_exception_is_recorded(asked):
    answer = asked("raise ValueError('no such thing')")
    assert (answer.ending, answer.reason) == (Ending.FAILED, "ValueError: no such thing")


def test_a_line_that_was_cut_is_no_answer(asked):
    answer = asked("say(a=1)\nopen(sys.argv[1] + '/answers', 'a').write('{\"a\": 2')\nos._exit(3)")
    assert (answer.ending, answer.reason, answer.find("a")) == (Ending.FAILED, "exit status 3", 1)


def test_caches_are_the_processs_own_and_settings_are_not_inherited(tmp_path, monkeypatch):
    monkeypatch.setenv("LAZYARR_TUNE", "off")
    monkeypatch.setenv("LAZYARR_CACHE", "off")
    monkeypatch.setenv("POCL_CACHE_DIR", "/elsewhere")
    found = environment(tmp_path, "cpu", tune_seconds="1")
    assert {name: value for name, value in found.items() if name.startswith(processes.OURS)} == {
        "LAZYARR_CACHE_DIR": str(tmp_path / "lazyarr"),
        "POCL_CACHE_DIR": str(tmp_path / "pocl"),
        "LAZYARR_DEVICE": "cpu",
        "LAZYARR_TUNE_SECONDS": "1",
    }
    assert not any(os.listdir(found[name]) for name in ("LAZYARR_CACHE_DIR", "POCL_CACHE_DIR"))
