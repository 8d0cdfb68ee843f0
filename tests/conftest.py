"""What every test shares: a kernel cache of its own, and reproducible random programs.

The cache folder is set here, at import, because pytest imports this file before any test imports lazyarr. Each process
of a parallel run gets a folder of its own, so no test sees what another process has tuned.
"""

from __future__ import annotations

import os
import shutil
import tempfile

import pytest
from hypothesis import HealthCheck, settings

_CACHE_FOLDER = tempfile.mkdtemp(prefix="lazyarr-tests-")
os.environ["LAZYARR_CACHE_DIR"] = _CACHE_FOLDER

# No deadline: the first run of an example may build a kernel.
# "repeatable" (the default) tries the same examples each time; "explore" looks for new ones.
settings.register_profile(
    "repeatable",
    derandomize=True,
    deadline=None,
    suppress_health_check=[HealthCheck.too_slow],
)
settings.register_profile("explore", max_examples=1000, deadline=None, suppress_health_check=[HealthCheck.too_slow])
settings.load_profile(os.environ.get("HYPOTHESIS_PROFILE", "repeatable"))


def pytest_unconfigure(config: pytest.Config) -> None:
    shutil.rmtree(_CACHE_FOLDER, ignore_errors=True)
