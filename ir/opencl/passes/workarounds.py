"""What compilers of devices get wrong, and the equivalent form that they get right: the last pass before printing.

Which of them a program needs is for those to say who know its device (`lazyarr.compile.generation`); a program for
any device has all. Each has its test in `tests/ir/opencl/test_workarounds.py`, which shows the wrong result without it.
"""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import replace
from typing import TypeGuard

from ir.opencl.tree import Barrier, Block, Declare, Function, If, Loop, Node, walk

__all__ = ["GUARDED_BARRIERS", "WORKAROUNDS", "work_around"]

GUARDED_BARRIERS = "conditions around barriers are loops of one turn"


def work_around(function: Function, wanted: Collection[str]) -> tuple[Function, list[str]]:
    """The function changed as those of `WORKAROUNDS` say that are wanted, and those that changed something."""
    applied = []
    for name, change in WORKAROUNDS.items():
        changed = change(function) if name in wanted else function
        if changed is not function:
            function = changed
            applied.append(name)
    return function, applied


def _guarded_barriers(function: Function) -> Function:
    """A condition that guards a barrier becomes the loop whose only turn it is.

    PoCL 3.0 runs the work-items of a group in loops between barriers. Of a kernel with several
    `if (group < n) { ... barrier ... }` after each other it makes loops that mix the guarded parts up: wrong results
    and writes out of bounds. The same under `for` is right, unless the compiler sees that there is one turn, or
    several barriers follow each other there, as where the last work-group scans what all have reduced: schedules hand
    over to it only where the device can fence its memory (`Machine.device_fence`), as PoCL's cannot.
    """
    if not any(map(_guards_a_barrier, walk(function.body))):
        return function
    return replace(function, body=_in_loops(function.body))


def _in_loops(block: Block) -> Block:
    loops = {part.loop.var for part in block.body if _guards_a_barrier(part) and part.loop is not None}
    kept = [part for part in block.body if not (isinstance(part, Declare) and part.name in loops)]
    body = [part.loop if _guards_a_barrier(part) and part.loop is not None else part for part in kept]
    return replace(block, body=[_below(part) for part in body])


def _below(node: Node) -> Node:
    if isinstance(node, Block):
        return _in_loops(node)
    return replace(node, body=_in_loops(node.body)) if isinstance(node, Loop | If) else node


def _guards_a_barrier(node: Node) -> TypeGuard[If]:
    guards = isinstance(node, If) and node.loop is not None
    return guards and any(isinstance(part, Barrier) for part in walk(node))


WORKAROUNDS: dict[str, Callable[[Function], Function]] = {GUARDED_BARRIERS: _guarded_barriers}
"""By name: what makes a changed function of one, which stays as it is, or gives it back."""
