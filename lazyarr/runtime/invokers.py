"""Keeps pyopencl's cache of generated launchers in memory.

Each time a kernel object is made, pyopencl generates a Python function that launches it, and keeps it in a database of
pickles in the user's cache folder. lazyarr never calls these functions, and must not unpickle what it finds there, nor
fail where the folder is damaged, locked or read-only.
"""

from __future__ import annotations

import sys
from typing import Any


class _InMemory(dict[Any, Any]):
    """The part of the persistent dictionary's interface that pyopencl uses."""

    def store_if_not_present(self, key: Any, value: Any) -> None:
        """Store unless the key is known."""
        self.setdefault(key, value)


def keep_in_memory() -> None:
    """Make pyopencl keep generated launchers in memory in this process. Cheap when done already."""
    known: Any = sys.modules.get("pyopencl.invoker")
    if known is None:
        import pyopencl

        package: Any = pyopencl
        no_cache = getattr(package, "_PYOPENCL_NO_CACHE", True)
        # Importing the module opens the database unless caches are off.
        package._PYOPENCL_NO_CACHE = True
        try:
            import pyopencl.invoker as known
        except ImportError:
            return  # another version, which does without
        finally:
            package._PYOPENCL_NO_CACHE = no_cache
    if not isinstance(getattr(known, "invoker_cache", None), _InMemory):
        known.invoker_cache = _InMemory()
