"""The candidates of a space that have not been tried, drawn at random: what every search strategy starts from."""

from __future__ import annotations

import random

from tuner.space import Space
from tuner.trials import Configuration, canonical

_ENUMERATED_AT_ONCE = 4096
"""Combinations up to which a space is enumerated at the first draw; some tens of milliseconds."""

_ENUMERATED_WHEN_THIN = 65_536
"""Combinations up to which a space is enumerated once drawing by value falls short; less than a second."""

_WALKED = 1_000_000
"""Combinations walked, of any larger space, once drawing by value finds nothing at all."""

_DRAWS_PER_CANDIDATE = 16
_DRAWS_AT_LEAST = 1024


class Unseen:
    """The candidates of a space that have been neither asked nor told.

    Small spaces are enumerated: draws are uniform over distinct candidates. Larger ones are drawn from by combination
    of values, which favours categories in which many parameters do not matter, and enumerated as the last resort.
    """

    def __init__(self, space: Space, seed: int) -> None:
        self.space = space
        self._rng = random.Random(seed)
        self._seen: set[str] = set()
        self._pool: dict[str, Configuration] | None = None

    def __contains__(self, configuration: Configuration) -> bool:
        return canonical(configuration) not in self._seen

    def discard(self, configuration: Configuration) -> None:
        """This one, normalised, has been asked or told."""
        key = canonical(configuration)
        self._seen.add(key)
        if self._pool is not None:
            self._pool.pop(key, None)

    def draw(self, count: int) -> list[Configuration]:
        """Up to `count` different candidates, in random order. Empty only if the space is exhausted.

        In a space of more than a million combinations with hardly a feasible one among them, "exhausted" may also mean
        that neither a thousand draws nor the first million combinations held an untried candidate.
        """
        size = self.space.size()
        if self._pool is None and size > _ENUMERATED_AT_ONCE:
            drawn = self._draw_by_value(count)
            # Of a very large space, fewer than wanted are good enough; that there is none has to be made sure of.
            if len(drawn) == count or (drawn and size > _ENUMERATED_WHEN_THIN):
                return drawn
        if self._pool is None:
            walked = ((canonical(candidate), candidate) for candidate in self.space.enumerate(_WALKED))
            self._pool = {key: candidate for key, candidate in walked if key not in self._seen}
        return self._rng.sample(list(self._pool.values()), min(count, len(self._pool)))

    def _draw_by_value(self, count: int) -> list[Configuration]:
        drawn: dict[str, Configuration] = {}
        for _ in range(max(_DRAWS_AT_LEAST, _DRAWS_PER_CANDIDATE * count)):
            candidate = self.space.draw(self._rng)
            if candidate is not None and candidate in self:
                drawn[canonical(candidate)] = candidate
                if len(drawn) == count:
                    break
        return list(drawn.values())
