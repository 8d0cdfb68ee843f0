"""Leaves that die with a run of their program: whose memory nothing will read again, so that a result may take it.

Who runs a program says which leaves those are (`lazyarr.evaluate.dying`, `lazyarr.lift.dying`), if it is asked
(`lazyarr.compile.in_place`). References are counted, exactly: one that is not accounted for speaks against it.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import Any, NoReturn

from lazyarr.graph.leaves import Input
from lazyarr.runtime import Buffer, LaunchError

__all__ = ["IN_ONE_PLACE", "Dying"]


def _in_one_place() -> int:
    only = [object()]
    return sys.getrefcount(only[0])


IN_ONE_PLACE = _in_one_place()
"""What `getrefcount` says of an object that one container holds, taken from there for the call."""


class _Lost:
    """In place of the memory of a leaf that a result has taken. Only an interrupt in the middle of the launch lets
    anybody see it.
    """

    __slots__ = ()

    def __getattr__(self, name: str) -> NoReturn:
        raise LaunchError(
            "the value of this array is lost: the computation that was to write its result to the same memory was "
            "interrupted; compute it anew from what it was made of"
        )


_LOST: Any = _Lost()


class Dying:
    """The leaves of one run of a program."""

    __slots__ = ("leaves",)

    def __init__(self, leaves: Sequence[Input]) -> None:
        """Args:
        leaves: in the order of the program; the very list that it runs on
        """
        self.leaves = leaves

    def dies(self, number: int) -> bool:
        """Will nothing ask for the value of that leaf once the program's results are noted?"""
        raise NotImplementedError

    def take(self, number: int) -> Buffer:
        """Take the memory away from a leaf, and return it: who asks for its value is refused from now on."""
        leaf = self.leaves[number]
        found: Buffer = leaf.storage
        leaf.store(_LOST)
        return found

    def give_back(self, number: int, memory: Buffer) -> None:
        """Nothing was written to the memory: the leaf has it again."""
        self.leaves[number].store(memory)
