"""Calls of a jitted function like the one before: what is left to do, in one walk over the arguments."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from lazyarr.array import Array
from lazyarr.config import Settings, settings
from lazyarr.graph.leaves import Input
from lazyarr.graph.recorded_calls import RecordedCall

if TYPE_CHECKING:
    from lazyarr.lift.recording import Captured, Recording

__all__ = ["NextCall"]


class NextCall:
    """A recording that ran, for the next call with the same signature under the same settings.

    Attributes:
        recording: what such a call runs.
    """

    __slots__ = ("_expected", "_order", "_own", "_settings", "recording")

    def __init__(self, recording: Recording, args: Sequence[Array], wanted: Settings) -> None:
        """Args:
        args: those of the call, which ran
        wanted: the settings under which it did
        """
        self.recording = recording
        self._settings = wanted
        self._expected = [(x.extents, x.dtype, x.placed, x.is_number) for x in args]
        self._own: list[Input | Captured] = []
        order: list[int] = []  # of each input the place among the arguments and what comes from elsewhere
        for leaf in recording.leaves:
            if isinstance(leaf, int):
                order.append(leaf)
            else:
                assert not isinstance(leaf, tuple)
                order.append(len(args) + len(self._own))
                self._own.append(leaf if isinstance(leaf, Input) else leaf.captured)
        self._order = None if order == list(range(len(args))) else order

    def inputs(self, args: Sequence[Any]) -> list[Input] | None:
        """The program's inputs; None where the call is unlike the last one, or an argument is not computed yet."""
        expected = self._expected
        if settings() is not self._settings or len(args) != len(expected):
            return None
        found = []
        for x, (shape, dtype, placed, is_number) in zip(args, expected, strict=False):
            if type(x) is not Array or x.extents != shape or x.dtype is not dtype or x.placed is not placed:
                return None
            if not shape and x.is_number is not is_number:
                return None
            node = x.expr
            if type(node) is RecordedCall:
                node = node.made
            if type(node) is not Input:
                return None
            found.append(node)
        order = self._order
        if order is None:
            return found
        for own in self._own:
            node = own if type(own) is Input else own.input()  # type: ignore[union-attr]  # captured
            if node is None:
                return None
            found.append(node)
        return [found[place] for place in order]
