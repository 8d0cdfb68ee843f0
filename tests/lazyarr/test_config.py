"""Settings: how they are read and changed, and what `deterministic` promises."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift
from lazyarr.errors import SettingError


@pytest.fixture(autouse=True)
def restored():
    old = config.settings()
    yield
    config.configure(**vars(old))


def read(**environment: str) -> dict[str, object]:
    code = "import json; from lazyarr import config; print(json.dumps(vars(config.settings())))"
    variables = {k: v for k, v in os.environ.items() if not k.startswith("LAZYARR_")} | environment
    done = subprocess.run([sys.executable, "-c", code], env=variables, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr.splitlines()[-1]
    found: dict[str, object] = json.loads(done.stdout)
    return found


@pytest.mark.slow
def test_the_environment_is_read():
    assert read() == vars(config.Settings())
    given = read(LAZYARR_DETERMINISTIC="on", LAZYARR_TUNE="off", LAZYARR_TUNE_SECONDS="1.5", LAZYARR_TUNE_ABOVE="7")
    assert given == vars(config.Settings(deterministic=True, tune="off", tune_seconds=1.5, tune_above=7))
    assert read(LAZYARR_TUNE_TOTAL="2.5")["tune_total"] == 2.5


@pytest.mark.slow
@pytest.mark.parametrize(
    ("name", "text", "expected"),
    [("DETERMINISTIC", "1", "on or off"), ("TUNE_SECONDS", "x", "a number"), ("TUNE_ABOVE", "1.5", "a number")],
)
def test_what_cannot_be_read_is_named(name, text, expected):
    with pytest.raises(AssertionError, match=f"LAZYARR_{name} must be {expected}, got '{text}'"):
        read(**{f"LAZYARR_{name}": text})


@pytest.mark.parametrize(
    ("name", "value"),
    [
        *[(name, value) for name in ("tune_seconds", "tune_total") for value in ("3", None, -1, float("nan"), 1j)],
        *[("tune_above", value) for value in ("x", 1.5, -1, None, True)],
        *[("device", value) for value in (3, None, b"cpu")],
    ],
)
def test_values_that_a_setting_cannot_have_are_refused_at_once(name, value):
    old = config.settings()
    with pytest.raises(SettingError, match=f"^{name} must be .*, got {re.escape(repr(value))}$"):
        la.config(**{name: value})
    assert config.settings() is old


def test_calling_the_module_changes_settings_and_returns_the_old_ones():
    old = la.config(tune="off", tune_above=3)
    assert (config.settings().tune, config.settings().tune_above) == ("off", 3)
    la.config(**vars(old))
    assert config.settings() == old
    with pytest.raises(SettingError, match="no setting named 'speed'"):
        la.config(speed=3)
    with pytest.raises(SettingError, match="deterministic must be True or False, got 'on'"):
        la.config(deterministic="on")
    with pytest.raises(SettingError, match="tier must be one of auto, compiled, reference, got 'fast'"):
        la.config(tier="fast")


# --- deterministic ----------------------------------------------------------------------------------------------------

X = np.random.default_rng(5).standard_normal(70001).astype("float32")


def bits(f) -> int:
    return int(np.asarray(f(la.asarray(X))).view("int32"))


@pytest.mark.device
def test_the_same_bits_whatever_was_tuned():
    def total(x):
        return la.sum(la.abs(x) * x)

    la.config(deterministic=True, tune="first-call", tune_above=1)
    expected = bits(lift.jit(total))
    la.config(deterministic=False)
    f = lift.jit(total)
    for trials in (1, 4):
        lift.tune(f, la.asarray(X), trials=trials)
    la.config(deterministic=True)
    assert bits(f) == expected
    assert bits(total) == expected
    assert bits(lift.jit(total)) == expected


def test_no_search_while_deterministic():
    la.config(deterministic=True)
    f = lift.jit(lambda x: la.sum(x))
    with pytest.raises(SettingError, match=r"tune: .*la\.config\(deterministic=False\)"):
        lift.tune(f, la.asarray(X), seconds=1)
