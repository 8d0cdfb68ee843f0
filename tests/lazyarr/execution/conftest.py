from __future__ import annotations

import pytest

from kernel_cache import KernelCache
from lazyarr import config
from lazyarr.compile import compiler
from tests.lazyarr.evaluation import ON_DEVICE

if not ON_DEVICE:
    collect_ignore_glob = ["test_*.py"]


@pytest.fixture
def kernels(tmp_path, monkeypatch):
    """A kernel cache of its own; call it for what a new process would open."""
    opened = []

    def fresh() -> KernelCache:
        for cache in opened:
            cache.close()
        opened.append(KernelCache(tmp_path / "kernels.sqlite3"))
        monkeypatch.setattr(compiler, "_shared_cache", opened[-1])
        return opened[-1]

    fresh()
    yield fresh
    for cache in opened:
        cache.close()


@pytest.fixture
def set_to():
    """Change settings for one test."""
    old = config.settings()
    yield config.configure
    config.configure(**vars(old))
