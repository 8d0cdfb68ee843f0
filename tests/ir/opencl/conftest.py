"""Golden files: `LAZYARR_REFRESH_GOLDEN=1 pytest tests/ir/opencl` writes them anew; read the difference."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest

from lazyarr.runtime import Device, DeviceError, default_device

FOLDER = Path(__file__).parent / "golden"


@pytest.fixture(scope="session")
def device() -> Device:
    try:
        return default_device()
    except DeviceError as error:
        pytest.skip(str(error))


@pytest.fixture
def golden() -> Callable[[str, str], None]:
    """Compare a source with the golden file of that name."""

    def compare(name: str, source: str) -> None:
        file = FOLDER / f"{name}.cl"
        if os.environ.get("LAZYARR_REFRESH_GOLDEN", "") not in ("", "0"):
            FOLDER.mkdir(exist_ok=True)
            file.write_text(source, encoding="utf-8")
        assert file.exists(), f"{file.name} is missing: run with LAZYARR_REFRESH_GOLDEN=1"
        assert source == file.read_text(encoding="utf-8"), (
            f"the kernel of {name} changed: see `git diff` after a refresh"
        )

    return compare
