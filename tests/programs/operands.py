"""What statements are applied to: variables of a program, numbers, and what stands in brackets."""

from __future__ import annotations

import random
from typing import Any

import numpy as np

from tests.programs.vocabulary import Vocabulary


class Operands:
    """Draws from the variables that there are, and the words of a vocabulary.

    values : of the variables so far. new : the name of the next one
    """

    def __init__(self, rng: random.Random, words: Vocabulary, values: dict[str, Any], new: str) -> None:
        self.rng, self.words, self.values, self.new = rng, words, values, new

    def variable(self) -> str:
        """Any, the later the likelier."""
        names = list(self.values)
        return self.rng.choice(names[-3:] if self.rng.random() < 0.5 else names)

    def array(self, least: int = 0) -> str:
        """One that is no scalar of NumPy's, of some dimensions at least, where there is one."""
        good = [n for n, x in self.values.items() if isinstance(x, np.ndarray) and x.ndim >= least]
        return self.rng.choice(good) if good else self.variable()

    def operand(self, beside: str) -> str:
        """A number, or a variable, preferably of a shape that goes with another one's."""
        if self.rng.random() < 0.35:
            return self.rng.choice(self.words.constants)
        shape = self.values[beside].shape
        good = [n for n, x in self.values.items() if x.shape == shape[len(shape) - x.ndim :] or x.size == 1]
        return self.rng.choice(good)

    def axis(self, name: str) -> int:
        """An axis of an array."""
        ndim = self.values[name].ndim
        return self.rng.randrange(-ndim, ndim) if ndim else 0

    def key(self, name: str) -> str:
        """What may stand in brackets, without arrays."""
        shape = self.values[name].shape
        parts = [self.slice(extent) for extent in shape[: self.rng.randrange(len(shape) + 1)]]
        if self.rng.random() < 0.15 or not parts:
            parts.insert(self.rng.randrange(len(parts) + 1), "...")
        if self.rng.random() < 0.08:
            parts.insert(self.rng.randrange(len(parts) + 1), "None")
        return ", ".join(parts)

    def slice(self, extent: int) -> str:
        """Of one dimension."""
        start = self.rng.choice(self.words.starts)
        stop = min(start + self.rng.choice((1, 1, 2, 3)), extent)
        whole = (":", "::2", "::-1", "1:", ":-1", "-1:", "-2::-1", f"{start}:", f":{start}", f"{start}::3")
        return self.rng.choice((*whole, *[f"{start}:{start + 1}"] * 4, f"{start}:{stop}", f"{start}", f"{start}", "-1"))

    def picked(self, name: str) -> str:
        """Arrays, lists or masks in brackets."""
        shape = self.values[name].shape
        extent = shape[0] if shape else 0
        count = self.rng.choice((1, 2, 3))
        listed = str([self.rng.randrange(-extent, extent) for _ in range(count)]) if extent else "[]"
        others = [
            f"{name} > {self.rng.choice(self.words.constants)}",
            f"{name} == {self.rng.randrange(3)}",
            listed,
            listed,
        ]
        others += [f"xp.asarray({listed})", f"np.array({listed})", f"..., {listed}", f"{listed}, ::-1"]
        others += [f"..., {listed.replace('[', '(').replace(']', ',)' if extent else ')')}"]
        return self.rng.choice(others)
