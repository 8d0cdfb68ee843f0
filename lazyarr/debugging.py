"""The debug ladder: what `LAZYARR_DEBUG` or `la.config(debug=...)` makes lazyarr say through Python's `logging`.

=====  ====================================================================================================  =======
level  what it adds                                                                                          logged at
=====  ====================================================================================================  =======
1      programs planned and found again; kernels, where each came from and in how long; each launch's time   INFO
2      the derivation of each kernel: the rules from its expression to the low-level one                     DEBUG
3      the OpenCL source of each kernel, with line numbers                                                   DEBUG
4      expressions are verified between passes; a broken one raises `CompileError` and names the pass        DEBUG
=====  ====================================================================================================  =======

The loggers are named by rooms: `lazyarr.evaluate`, `lazyarr.tiers`, `lazyarr.compile`, `lazyarr.runtime`.
"""

from __future__ import annotations

import logging

__all__ = ["DERIVATIONS", "HIGHEST", "PROGRAMS", "SOURCES", "VERIFYING", "counted", "switch_to"]

PROGRAMS, DERIVATIONS, SOURCES, VERIFYING = 1, 2, 3, 4
HIGHEST = VERIFYING

level = 0
"""The level in force: a variable, so that asking for it costs an evaluation one look-up."""

_root = logging.getLogger("lazyarr")


_own: logging.Handler | None = None
"""Writes to standard error, as long as the program has no handler."""


def switch_to(wanted: int) -> None:
    """Put a level in force.

    Where the program has not configured logging, what is said goes to standard error. Where it has, nothing of that is
    changed: its handlers and levels decide what is seen.
    """
    global level, _own
    level = wanted
    if _own is not None and not wanted:
        _root.removeHandler(_own)
        _root.setLevel(logging.NOTSET)
        _own = None
    if _own is None and wanted and not _root.hasHandlers() and _root.level == logging.NOTSET:
        _own = logging.StreamHandler()
        _own.setFormatter(logging.Formatter("%(name)s: %(message)s"))
        _own.addFilter(lambda _: not logging.getLogger().handlers)
        _root.addHandler(_own)
    if _own is not None:
        _root.setLevel(logging.INFO if wanted == PROGRAMS else logging.DEBUG)


def counted(number: int, noun: str) -> str:
    """A number of things in words: `1 kernel`, `2 kernels`."""
    return f"{number} {noun}{'' if number == 1 else 's'}"
