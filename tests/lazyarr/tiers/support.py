"""What tests of the choice of a tier share: a program, and what is assumed of machines."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np

import lazyarr as la
from lazyarr.tiers import programs

X = np.random.default_rng(3).uniform(-1, 1, (40, 7)).astype(np.float32)


def work(x):
    e = la.exp(x - la.max(x, axis=1, keepdims=True))
    return e / la.sum(e, axis=1, keepdims=True)


def expected(x):
    e = np.exp(x - x.max(axis=1, keepdims=True))
    return e / e.sum(axis=1, keepdims=True)


def assume(monkeypatch, *, asking=None, compiling=None, saved=None, unknown=False):
    """So many seconds until a program asks whether kernels pay, and to compile each kernel; what share of a run kernels
    save; none is known from before. What is not given stays.
    """
    for name in ("ASKING_SECONDS", "FIRST_ASKING_SECONDS") if asking is not None else ():
        monkeypatch.setattr(programs, name, asking)
    if compiling is not None:
        monkeypatch.setattr(programs, "seconds_to_compile_program", lambda kernels, calls, first: compiling * kernels)
    if saved is not None:
        monkeypatch.setattr(programs.Program, "_saved", lambda self, seconds, works, kernels: saved)
    if unknown:
        monkeypatch.setattr("lazyarr.compile.program.CompiledProgram.is_known", lambda self: False)


def program_of(f, *arrays):
    """What a jitted function recorded for such arrays."""
    return f.recording(*map(la.asarray, arrays))[0].program


def run(code: str, **environment: str) -> str:
    given = {k: v for k, v in os.environ.items() if not k.startswith("LAZYARR_")} | environment
    done = subprocess.run([sys.executable, "-c", code], env=given, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    return done.stdout
