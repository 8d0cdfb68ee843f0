"""Which arguments of a jitted function die with a call: those that it assigns to, and temporaries.

    step(x)               # x[...] = ..: x stands for another value afterwards
    y = step(step(x))     # nothing else refers to what the inner call gives

In `x = step(x)` the caller's x still stands for the argument while the function runs.
"""

from __future__ import annotations

from collections.abc import Sequence
from sys import getrefcount
from typing import TYPE_CHECKING, Any

from lazyarr.array import Array
from lazyarr.evaluate.dying import is_alone
from lazyarr.graph.dying import IN_ONE_PLACE, Dying
from lazyarr.graph.leaves import Input
from lazyarr.graph.recorded_calls import RecordedCall

if TYPE_CHECKING:
    from lazyarr.lift.recording import Recording

__all__ = ["DyingArguments"]


class DyingArguments(Dying):
    """The leaves of a call of a jitted function."""

    __slots__ = ("_arguments", "_recording")

    def __init__(self, leaves: Sequence[Input], recording: Recording, arguments: Sequence[Any]) -> None:
        """Args:
        leaves: see `Dying`.
        recording: what the call runs
        arguments: the arguments of the call
        """
        super().__init__(leaves)
        self._recording = recording
        self._arguments = arguments

    def dies(self, number: int) -> bool:
        """See `Dying`."""
        recording, arguments = self._recording, self._arguments
        place = recording.leaves[number]
        if type(place) is not int or recording.captured:
            return False
        if getrefcount(arguments[place]) != IN_ONE_PLACE and all(
            place != assigned for assigned, _ in recording.updates
        ):
            return False  # most calls end here: the caller has a name for the argument
        if place in recording.passed_through or not is_alone():
            return False
        x = arguments[place]
        if type(x) is not Array or any(each is not None for each in (x.value, x.shared, x.family, x.origin)):
            return False
        if type(x.expr) is RecordedCall:
            if getrefcount(x.expr) != IN_ONE_PLACE or x.expr.made is not self.leaves[number]:
                return False
        elif x.expr is not self.leaves[number]:
            return False
        return getrefcount(self.leaves[number]) == IN_ONE_PLACE + 1  # the array's, or its call's
