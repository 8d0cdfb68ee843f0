"""Programs of low-level expressions, each generated once in a process: several tests look at the same, one after the
other (`tests/ir/conftest.py`).

A test that changes how programs are generated, or asks whether they are the same again, calls `generate` itself.
"""

from __future__ import annotations

from functools import lru_cache

from ir.opencl.generate import generate

__all__ = ["generated"]

generated = lru_cache(maxsize=256)(generate)
