"""Which packages belong to the user: their functions, classes and modules are visited for guards."""

from __future__ import annotations

import os
import sys
from collections.abc import Iterable

__all__ = ["OURS", "Packages", "package_of"]

OURS = frozenset(("ir", "lazyarr", "kernel_cache", "numpy", "tuner"))
"""Packages that are never visited, nor what their functions close over."""

_LIBRARY = os.path.dirname(os.__file__) + os.sep


class Packages:
    """Those that are visited: at home where the visit begins, and what is not installed."""

    def __init__(self, home: Iterable[object]) -> None:
        """Args:
        home: modules where the visit begins
        """
        self._home = set(map(package_of, home))
        self._entered: dict[str, bool] = {}

    def enters(self, module: object) -> bool:
        """Are a module's functions and classes visited? Not where it belongs to another package that is installed."""
        package = package_of(module)
        entered = self._entered.get(package)
        if entered is None:
            entered = package not in OURS and not _is_library(package)
            entered = entered and (package in self._home or not _is_installed(package))
            self._entered[package] = entered
        return entered


def package_of(module: object) -> str:
    """The name of the package that a module of that name is in."""
    return str(module).partition(".")[0]


def _is_library(package: str) -> bool:
    """Is it of the standard library? A user's module may have such a name."""
    if package not in sys.stdlib_module_names:
        return False
    file = getattr(sys.modules.get(package), "__file__", None)
    return file is None or file.startswith(_LIBRARY)


def _is_installed(package: str) -> bool:
    file = getattr(sys.modules.get(package), "__file__", None) or ""
    return "site-packages" in file or "dist-packages" in file
