"""Keys, entries and child processes for the tests of `kernel_cache`."""

from __future__ import annotations

import sqlite3
import subprocess
import sys
from contextlib import closing
from pathlib import Path

from kernel_cache import CacheKey, Entry

ROOT = Path(__file__).resolve().parents[2]


def make_key(name: str = "map abs", **changes: object) -> CacheKey:
    fields: dict[str, object] = {
        "structure": name,
        "dtypes": ("float32", "int64"),
        "size_class": ("2^20",),
        "device": "pocl / 16 units",
        "code_version": "abc",
        "settings": ("deterministic",),
    }
    return CacheKey(**(fields | changes))  # type: ignore[arg-type]


def make_entry(number: int = 1, seconds: float | None = 0.25, tuned: bool = True, size: int = 7) -> Entry:
    return Entry(
        plan={"kernels": [number, 2.5, None, True], "text": "∘\x00\ud800"},
        derivation=[["map_fusion", [0, 1], {}]],
        configuration={"local": 64, "order": "row"},
        sources=(f"kernel void k{number}() {{}}", ""),
        binaries=(bytes([number % 256]) * size, b"", b"\x00\xff"),
        seconds=seconds,
        tuned=tuned,
        environment={"driver": "1.2"},
    )


def run_child(code: str, *arguments: object) -> subprocess.CompletedProcess[str]:
    """Run `code` in a fresh interpreter that can import the packages and these helpers."""
    preamble = f"import os, sys; sys.path.insert(0, {str(ROOT)!r})\n"
    preamble += "from pathlib import Path\nfrom kernel_cache import *\nfrom tests.kernel_cache.helpers import *\n"
    command = [sys.executable, "-c", preamble + code, *map(str, arguments)]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)


def sql(path: Path, statement: str, *parameters: object) -> list[tuple[object, ...]]:
    """Run one statement on a file that no cache of this process has open."""
    with closing(sqlite3.connect(path)) as connection, connection:
        return connection.execute(statement, parameters).fetchall()
