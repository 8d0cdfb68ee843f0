"""Functions that count how often they are recorded, and their arguments."""

from __future__ import annotations

import numpy as np

import lazyarr as la
from lazyarr import lift
from tests.lazyarr.support import check

X = np.linspace(-3, 5, 7, dtype=np.float32)
Y = np.arange(7, dtype=np.float32) + 1


def counted(function):
    """The function jitted, and the list of its recordings."""
    calls = []

    def wrapper(*args, **kwargs):
        calls.append(1)
        return function(*args, **kwargs)

    return lift.jit(wrapper), calls


HEAD = """
import collections
import contextlib
import contextvars
import enum
import functools
import operator
import sys
import types
import weakref
from dataclasses import dataclass, field
from fractions import Fraction
from typing import NamedTuple
import numpy as np
import lazyarr as la
from lazyarr import lift
N = types.SimpleNamespace
ARRAY, OTHER = la.asarray(np.ones(7)), la.asarray(np.full(7, 3.0))
"""


def compare_around(before, change):
    """A program defines `f(x)`, then something is changed that it reads: jitted it gives what it gives plainly, each
    time, and is recorded twice.
    """
    scope = {"__name__": __name__}
    exec(HEAD + before, scope)
    f, calls = counted(scope["f"])
    x = la.asarray(X)
    for recordings in (1, 2):
        for _ in range(3):
            check(f(x), np.asarray(scope["f"](x)), 1, 2.0)
        assert len(calls) == recordings
        exec(change, scope)
