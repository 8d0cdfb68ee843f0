"""The public names and their signatures are those that were written down."""

from __future__ import annotations

import subprocess
import sys

import pytest

from tests.lazyarr.public import differences, surface, written


def test_names_and_signatures_are_those_written_down():
    changed = differences(written(), surface())
    assert not changed, "\n".join([*changed, "if that is meant: python -m tests.lazyarr.public --write"])


def test_what_comes_goes_or_changes_is_told():
    before, now = {"la.a": "function (x)", "la.b": "value"}, {"la.a": "function (x, y)", "la.c": "value"}
    assert [line.split(":")[0] for line in differences(before, now)] == ["la.a", "la.b", "la.c"]
    assert not differences(before, before)


def test_the_surface_holds_functions_methods_and_chapters():
    found = surface()
    assert found["la.sum"].startswith("function (a, axis=None") and found["la.ndarray.sum"].startswith(
        "function (self, axis=None"
    )
    assert {"la.linalg.det", "la.lift.jit", "la.random.default_rng", "la.ndarray.T"} <= set(found)


@pytest.mark.slow
def test_it_is_the_same_in_another_process():
    script = "from tests.lazyarr.public import *; assert not differences(written(), surface())"
    subprocess.run([sys.executable, "-c", script], check=True)
