"""Calls of a jitted function like the one before: what is left to do, in one walk over the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lazyarr.array import Array
from lazyarr.config import Settings, settings
from lazyarr.deferred import Deferred
from lazyarr.inputs import Input
from lazyarr.runtime import Buffer

if TYPE_CHECKING:
    from lazyarr.lift.recording import Recording

__all__ = ["NextCall"]


class NextCall:
    """A recording that ran, for the next call with the same signature under the same settings.

    Attributes:
        recording: what such a call runs.
    """

    __slots__ = ("_captured", "_device", "_expected", "_order", "_settings", "recording")

    def __init__(self, recording: Recording, args: Sequence[Array], wanted: Settings) -> None:
        """args : those of the call, which ran: the leaves that the function captured are in the device's memory
        wanted : the settings under which it did
        """
        self.recording = recording
        self._settings = wanted
        self._device = recording.program.device
        self._expected = [(x.shape, x.dtype, x.placed) for x in args]
        self._captured: list[Buffer] = []
        order: list[int] = []  # of each input the place among the arguments and what was captured
        for leaf in recording.leaves:
            if isinstance(leaf, Input):
                order.append(len(args) + len(self._captured))
                self._captured.append(leaf.storage)
            else:
                assert isinstance(leaf, int)
                order.append(leaf)
        self._order = None if order == list(range(len(args))) else order

    def inputs(self, args: Sequence[Any]) -> list[Buffer] | None:
        """The memory of the program's inputs; None where the call is unlike the last one, or an argument is not
        computed yet or elsewhere.
        """
        expected = self._expected
        if settings() is not self._settings or len(args) != len(expected):
            return None
        device = self._device
        found = []
        for x, (shape, dtype, placed) in zip(args, expected, strict=False):
            if type(x) is not Array or x.extents != shape or x.dtype is not dtype or x.placed is not placed:
                return None
            node = x.expr
            if type(node) is Deferred:
                node = node.made
            if type(node) is not Input:
                return None
            storage = node.storage
            if type(storage) is not Buffer or storage.device is not device:
                return None
            found.append(storage)
        order = self._order
        if order is None:
            return found
        found += self._captured
        return [found[place] for place in order]
