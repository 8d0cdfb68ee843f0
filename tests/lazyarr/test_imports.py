"""The ways in which programs import parts of NumPy, with lazyarr in its place."""

from __future__ import annotations

import importlib
import subprocess
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest

import lazyarr as la

STATEMENTS = [
    "from numpy import array, zeros, pi, newaxis", "import numpy.linalg as LA", "from numpy.linalg import norm, inv",
    "from numpy.linalg import LinAlgError", "import numpy.random as npr", "import numpy.fft as fft",
    "from numpy.random import default_rng, rand, seed", "from numpy.random import Generator, PCG64, RandomState",
    "from numpy.fft import fft, fftfreq", "from numpy.testing import assert_allclose, assert_array_equal",
    "from numpy.lib.stride_tricks import sliding_window_view, as_strided", "import numpy.lib.stride_tricks as st",
    "from numpy.lib import scimath", "import numpy.lib.scimath", "from numpy.polynomial import Polynomial, Chebyshev",
    "import numpy.polynomial.polynomial as poly", "from numpy.polynomial.polynomial import polyfit, polyval",
    "from numpy.polynomial.legendre import leggauss", "from numpy.polynomial import chebyshev as C",
    "import numpy.typing as npt", "from numpy.typing import ArrayLike, NDArray", "from numpy import *",
    "from numpy.exceptions import AxisError", "from numpy.version import version", "from numpy import __version__",
]  # fmt: skip


@pytest.mark.parametrize("statement", STATEMENTS)
def test_a_statement_imports_what_it_does_from_numpy(statement):
    theirs, own = {}, {}
    exec(statement, theirs)
    exec(statement.replace("numpy", "lazyarr"), own)
    if not statement.endswith("*"):
        own = {name.replace("lazyarr", "numpy"): value for name, value in own.items()}
        assert own.keys() == theirs.keys()
    else:
        missing = set(theirs) - set(own)
        assert {name for name in missing if name.islower()} <= WITHOUT


WITHOUT = {
    "asmatrix", "bmat", "busday_count", "busday_offset", "busdaycalendar", "char", "complex256", "core", "ctypeslib",
    "datetime64", "datetime_as_string", "datetime_data", "dtypes", "f2py",
    "float128", "fromregex", "is_busday", "isnat", "ma",
    "matrix", "nested_iters", "rec", "recarray", "record", "strings", "test", "timedelta64",
}  # fmt: skip
"""Text, dates, records, matrices and masked arrays are not there."""


def test_parts_hold_what_numpys_do():
    for name in ("polynomial.legendre", "polynomial.hermite_e", "lib.scimath", "exceptions"):
        own, theirs = importlib.import_module(f"lazyarr.{name}"), importlib.import_module(f"numpy.{name}")
        public = {each for each in theirs.__all__ if not each.startswith("_")}
        assert public <= set(dir(own)) and importlib.import_module(f"lazyarr.{name}") is own
    np.testing.assert_array_equal(
        np.asarray(la.polynomial.legendre.leggauss(3)[0]), np.polynomial.legendre.leggauss(3)[0]
    )


def test_the_version_is_that_of_the_package():
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))
    assert la.__version__ == la.version.version == project["project"]["version"]


def test_annotations_of_arrays():
    assert la.ndarray[tuple[int], np.dtype[np.float64]].__origin__ is la.ndarray
    assert la.typing.NDArray[np.float64] is not None


@pytest.mark.parametrize("module", [la.linalg, la.fft, la.random, la.emath, la.polynomial, la.lift])
def test_public_names_alone_are_listed(module):
    assert dir(module) == sorted(module.__all__)
    assert set(dir(la)) == {*la.__all__, "errors"}


@pytest.mark.slow
def test_names_that_are_loaded_late_are_listed():
    code = """
import pydoc, sys
import lazyarr as la
from lazyarr import lift
modules = la, lift, la.linalg, la.fft, la.random, la.emath, la.lib.stride_tricks
print(*[n for m in modules for n in set(m.__all__) - set(dir(m))])
assert not {"numpy.testing", "ir.schedules", "lazyarr.lift.explanation"} & set(sys.modules), "to list is not to load"
found = [dir(la.testing), dir(la.ones(1).flags), dir(la.random.RandomState(1)), pydoc.render_doc(lift)]
found.append(pydoc.render_doc(la.testing))
expected = "assert_equal", "writeable", "normal", "explain(", "assert_equal("
print(*[n for n, names in zip(expected, found) if n not in names])
from lazyarr.testing import *
assert_equal(la.ones(1), [1])
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.stdout.strip(), done.stderr) == ("", "")


@pytest.mark.slow
def test_it_can_be_reloaded():
    code = "import importlib, lazyarr; importlib.reload(lazyarr); print(lazyarr.asarray([1.0, 2.0]).sum())"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stdout.strip() == "3.0", done.stderr


@pytest.mark.slow
def test_each_module_that_compiles_may_be_imported_first():
    """They use each other; which one a program or a test names first is its own affair."""
    code = """
import importlib, pkgutil, sys
import lazyarr
first = set(sys.modules)  # these come before, whichever of the others is named
import lazyarr.compile
for name in [each.name for each in pkgutil.iter_modules(lazyarr.compile.__path__, "lazyarr.compile.")]:
    for loaded in [each for each in sys.modules if each.partition(".")[0] == "lazyarr" and each not in first]:
        del sys.modules[loaded]
        room, _, module = loaded.rpartition(".")
        if room in first:
            delattr(sys.modules[room], module)
    importlib.import_module(name)
"""
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
