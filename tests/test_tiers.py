"""Which cases of a test a tier makes."""

import subprocess
import sys
from pathlib import Path

import pytest

_HERE = Path(__file__).relative_to(Path.cwd()) if Path(__file__).is_relative_to(Path.cwd()) else Path(__file__)


@pytest.mark.parametrize("number", range(17))
def test_seventeen_cases(number):
    assert 0 <= number < 17


@pytest.mark.slow
@pytest.mark.parametrize(("named", "made"), [("", 2), ("::test_seventeen_cases", 2), ("::test_seventeen_cases[5]", 1)])
def test_a_case_that_is_named_is_made_in_every_tier(named, made):
    command = [sys.executable, "-m", "pytest", "-q", "--tier", "quick", f"{_HERE}{named}"]
    out = subprocess.run(command, capture_output=True, text=True, check=True).stdout
    assert f"{made} passed" in out
