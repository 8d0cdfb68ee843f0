"""Sizes as numbers: what places, strides and turns of a kernel are where its extents are known."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ir.core.sizes import Atom, Size
from ir.core.sizes.terms import SizeError
from ir.cost.thresholds.prediction import UNKNOWN_TURNS

__all__ = ["Numbers", "divisions_in"]


class Numbers:
    """The values of a kernel's sizes, with the variables of all loops at their first turn."""

    def __init__(
        self,
        sizes: Mapping[str, int],
        definitions: Mapping[Size, Size],
        looked_up: Mapping[str, frozenset[str]] | None = None,
    ) -> None:
        self.given = sizes
        self.looked_up = looked_up or {}
        self.sizes = dict(sizes)
        self.definitions = {variable.name: value for variable, value in definitions.items()}
        self._first: dict[Size, int | None] = {}
        self._strides: dict[tuple[Size, str], int] = {}

    def first(self, index: Size) -> int | None:
        """The value at the first turns; None where it depends on data."""
        if index not in self._first:
            try:
                self._first[index] = self._value(index, {})
            except SizeError:
                self._first[index] = None
        return self._first[index]

    def stride(self, index: Size, variable: str) -> int:
        """By how much it grows with that variable, from its first turn to the second."""
        key = index, variable
        if key not in self._strides:
            self._strides[key] = self._after(index, variable, 1)
        return self._strides[key]

    def steps(self, index: Size, variable: str, turns: int) -> tuple[tuple[int, int], ...]:
        """The strides at which it goes on with a variable, and for how many turns: two where rows have an end."""
        stride = self.stride(index, variable)
        if turns <= 2 or not self.bends(index) or self._after(index, variable, turns - 1) == stride * (turns - 1):
            return ((stride, turns),)
        straight, bent = 1, turns - 1
        while bent - straight > 1:
            middle = (straight + bent) // 2
            if self._after(index, variable, middle) == stride * middle:
                straight = middle
            else:
                bent = middle
        return (stride, bent), (self._after(index, variable, bent), -(-turns // bent))

    def changed_in(self, variable: str) -> set[str]:
        """The variables that data say and that are others in each turn of a loop."""
        return {name for name, loops in self.looked_up.items() if variable in loops}

    def bends(self, index: Size) -> bool:
        """Is it made of quotients or remainders?"""
        return bool(divisions_in(index)) or any(v.name in self.definitions for v in index.variables)

    def _after(self, index: Size, variable: str, turn: int) -> int:
        first = self.first(index)
        assert first is not None
        return self._value(index, {variable: turn}) - first

    def turns(self, trip: Size) -> int:
        """How many turns there are."""
        known = self.sizes.keys() | self.definitions.keys()
        value = self.first(trip) if all(v.name in known for v in trip.variables) else None
        return UNKNOWN_TURNS if value is None else max(0, value)

    def loop(self, variable: str) -> None:
        """A loop's variable."""
        self.sizes.setdefault(variable, 0)

    def _value(self, index: Size, changed: Mapping[str, int]) -> int:
        return index.evaluate(_Values(self, changed))


class _Values(Mapping[str, int]):
    """Values by name, where some are defined by others, and those that data say are taken for 0.

    What is defined is evaluated once: the place in one of many stacked views is defined by that in the next one, which
    it names several times, and so on.
    """

    def __init__(self, numbers: Numbers, changed: Mapping[str, int]) -> None:
        self.numbers = numbers
        self.known = dict(changed)

    def __getitem__(self, name: str) -> int:
        found = self.known.get(name)
        if found is None:
            defined = self.numbers.definitions.get(name)
            found = self.numbers.sizes.get(name, 0) if defined is None else defined.evaluate(self)
            self.known[name] = found
        return found

    def __contains__(self, name: object) -> bool:
        return True

    def __iter__(self) -> Iterator[str]:
        return iter({**self.numbers.definitions, **self.numbers.sizes})

    def __len__(self) -> int:
        return len(self.numbers.sizes)


def divisions_in(index: Size) -> list[Atom]:
    """The quotients and remainders in an index."""
    return [atom for monomial, _ in index.terms for atom, _ in monomial if atom.kind in ("floordiv", "mod")]
