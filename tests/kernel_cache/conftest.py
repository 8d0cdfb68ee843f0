from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from kernel_cache import KernelCache


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "folder" / "kernels.sqlite3"


@pytest.fixture
def open_cache(path: Path) -> Iterator[Callable[..., KernelCache]]:
    """Make caches on one file, with short waits, and close them at the end."""
    opened = []

    def make(chosen: Path | None = None, **options: object) -> KernelCache:
        cache = KernelCache(chosen or path, **({"busy_seconds": 0.05} | options))  # type: ignore[arg-type]
        opened.append(cache)
        return cache

    yield make
    for cache in opened:
        cache.close()


@pytest.fixture
def cache(open_cache: Callable[..., KernelCache]) -> KernelCache:
    return open_cache()
