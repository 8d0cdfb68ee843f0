"""What compilers of devices get wrong, and the equivalent form that they get right: the last pass before printing.

Which of them a program needs is for those to say who know its device (`lazyarr.compile.generation`); a program for
any device has all. Each has its test in `tests/ir/opencl/test_workarounds.py`, which shows the wrong result without it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection

from ir.opencl.tree import Barrier, Block, Declare, Function, If, Node, walk

__all__ = ["GUARDED_BARRIERS", "WORKAROUNDS", "work_around"]

GUARDED_BARRIERS = "conditions around barriers are loops of one turn"


def work_around(function: Function, wanted: Collection[str]) -> list[str]:
    """Change a function as those of `WORKAROUNDS` say that are wanted; those that changed something."""
    return [name for name, change in WORKAROUNDS.items() if name in wanted and change(function)]


def _guarded_barriers(function: Function) -> bool:
    """A condition that guards a barrier becomes the loop whose only turn it is.

    PoCL 3.0 runs the work-items of a group in loops between barriers. Of a kernel with several
    `if (group < n) { ... barrier ... }` after each other it makes loops that mix the guarded parts up: wrong results
    and writes out of bounds. The same under `for` is right, unless the compiler sees that there is one turn, or
    several barriers follow each other there, as where the last work-group scans what all have reduced: schedules hand
    over to it only where the device can fence its memory (`Machine.device_fence`), as PoCL's cannot.
    """
    changed = False
    for node in list(walk(function.body)):
        if isinstance(node, Block):
            for guard in [part for part in node.body if isinstance(part, If) and part.loop and _has_barrier(part)]:
                assert guard.loop is not None
                node.body[:] = [
                    guard.loop if part is guard else part for part in node.body if not _declares(part, guard.loop.var)
                ]
                changed = True
    return changed


def _declares(node: Node, name: str) -> bool:
    return isinstance(node, Declare) and node.name == name


def _has_barrier(node: Node) -> bool:
    return any(isinstance(part, Barrier) for part in walk(node))


WORKAROUNDS: dict[str, Callable[[Function], bool]] = {GUARDED_BARRIERS: _guarded_barriers}
"""By name: what changes a function, and says whether it did."""
