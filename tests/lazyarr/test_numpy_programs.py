"""Programs as people type them for NumPy (`numpy_programs`), run as they are with NumPy and with lazyarr in its place.

Compared is what they print, numbers up to rounding, and what their variables hold in the end; names that begin with an
underscore hold random numbers. Values are computed by the interpreter: kernels for programs of this kind are run by
`test_whole_programs.py`, and for all of these with `LAZYARR_TEST_PROGRAMS=device`.
"""

from __future__ import annotations

import contextlib
import io
import os
import re
import types
import warnings
from pathlib import Path
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config
from tests.lazyarr import evaluation

PROGRAMS = sorted((Path(__file__).parent / "numpy_programs").glob("*.py"))
NUMBER = re.compile(r"-?(?:\d+\.?\d*(?:e[+-]?\d+)?|\binf\b|\bnan\b)")
IN_A_LIST = re.compile(r"(?:np\.(?:int|float)64|array)\(([^()\[]*)\)|np\.(True|False)_")
"""A number as lists and tuples show it: NumPy's is `np.int64(3)`, a 0-dimensional array is `array(3)`."""
OTHER = {"folder", "path", "text"}
"""Variables of names of files, which are new in each run."""


@pytest.fixture(autouse=True)
def _computed_here():
    before = config.configure()
    config.configure(tune="off")
    device = os.environ.get("LAZYARR_TEST_PROGRAMS") == "device"
    with contextlib.nullcontext() if device else evaluation.interpreted():
        yield
    config.configure(tune=before.tune)


def run(program: str) -> tuple[str, dict[str, Any]]:
    """What a program prints, and its variables."""
    scope: dict[str, Any] = {"__name__": "__main__"}
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        exec(compile(program, "program", "exec"), scope)  # programs of this repository
    return printed.getvalue(), scope


def lines_that_differ(own: str, theirs: str) -> list[str]:
    """Pairs of lines whose text is another, or a number by more than rounding."""
    first, second = own.splitlines(), theirs.splitlines()
    assert len(first) == len(second), f"{len(first)} lines for {len(second)}"
    return [f"{a!r} for {b!r}" for a, b in zip(first, second, strict=True) if not alike(a, b)]


def alike(own: str, theirs: str) -> bool:
    own, theirs = (IN_A_LIST.sub(r"\1\2", line) for line in (own, theirs))
    if NUMBER.sub("#", own) != NUMBER.sub("#", theirs):
        return False
    numbers = [[float(x) for x in NUMBER.findall(line)] for line in (own, theirs)]
    return np.allclose(*numbers, rtol=1e-8, atol=1e-9, equal_nan=True)


def agree(own: Any, theirs: Any, name: str) -> None:
    """A variable of one run against that of the other."""
    if isinstance(theirs, (list, tuple)):
        assert type(own).__name__ == type(theirs).__name__ and len(own) == len(theirs), name
        for i, (a, b) in enumerate(zip(own, theirs, strict=True)):
            agree(a, b, f"{name}[{i}]")
    elif isinstance(theirs, dict):
        assert own.keys() == theirs.keys(), name
        for key in theirs:
            agree(own[key], theirs[key], f"{name}[{key!r}]")
    elif isinstance(theirs, (np.ndarray, np.generic)):
        value = np.asarray(own)
        assert (value.dtype, value.shape) == (theirs.dtype, theirs.shape), name
        np.testing.assert_allclose(value, theirs, 1e-8, 1e-8, err_msg=name)
    elif isinstance(theirs, (bool, int, float, complex, str)):
        assert type(own) is type(theirs), name
        assert alike(str(own), str(theirs)), name


@pytest.mark.slow
@pytest.mark.parametrize("path", PROGRAMS, ids=lambda path: path.stem)
def test_a_program_is_numpys(path):
    program = path.read_text(encoding="utf-8")
    own = program.replace("import numpy as np", "import lazyarr as np").replace("from numpy.", "from lazyarr.")
    assert own.count("lazyarr") > program.count("lazyarr")
    theirs, expected = run(program)
    for _ in range(2):  # the second time calls are replayed
        printed, found = run(own)
        assert not lines_that_differ(printed, theirs)
    assert found.keys() == expected.keys()
    for name, value in expected.items():
        if not name.startswith("_") and name not in OTHER and not isinstance(value, (types.ModuleType, type)):
            agree(found[name], value, name)


def test_differences_are_found():
    assert alike("x = 0.30000000000000004 nan", "x = 0.3 nan") and not alike("0.3", "0.30001")
    assert not alike("a 1", "b 1") and not alike("1 2", "1") and lines_that_differ("1\n2", "1\n3")
    for own, theirs in [(la.arange(3), np.arange(3.0)), (la.ones(2), np.zeros(2)), (1, 1.0), ([1], [2]), ({}, {1: 2})]:
        with pytest.raises(AssertionError):
            agree(own, theirs, "x")
