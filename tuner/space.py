"""Search spaces: parameters, which combinations are possible, and which of those are the same candidate.

Design section 7: one space per kernel, the choice points of the derivation strategy as categorical parameters and the
numeric ones as log-scaled integers, with the constraints of section 6 as the feasibility test.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass

from tuner.errors import SpaceError
from tuner.trials import Configuration, canonical

_DRAWS = 1000
"""Draws that `Space.sample` makes before it enumerates; enough unless fewer than one in some hundreds is feasible."""


@dataclass(frozen=True, slots=True)
class Categorical:
    """A choice without an order, such as which rule to apply at a choice point.

    Raises:
        SpaceError: it is ill-formed.
    """

    name: str
    values: tuple[int | str, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        _check_values(self.name, self.values, (int, str))


@dataclass(frozen=True, slots=True)
class Integer:
    """A numeric parameter: an ascending tuple of integers. Searches see it on a logarithmic scale.

    Tile sizes, work-group sizes and vector widths act by their ratios, so 1 to 2 is as far as 512 to 1024.

    Raises:
        SpaceError: it is ill-formed.
    """

    name: str
    values: tuple[int, ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "values", tuple(self.values))
        _check_values(self.name, self.values, (int,))
        if any(a >= b for a, b in itertools.pairwise(self.values)):
            raise SpaceError(f"the values of integer parameter {self.name!r} must ascend, got {self.values}")


Parameter = Categorical | Integer


def _check_values(name: str, values: tuple[int | str, ...], types: tuple[type, ...]) -> None:
    """Parameters hold plain ints and strs only: True == 1, and NumPy's integers do not survive JSON."""
    if not name:
        raise SpaceError("a parameter needs a name")
    if not values:
        raise SpaceError(f"parameter {name!r} needs at least one value")
    wrong = [value for value in values if type(value) not in types]
    if wrong:
        wanted = " or ".join(t.__name__ for t in types)
        kind = type(wrong[0]).__name__
        raise SpaceError(f"the values of parameter {name!r} must be {wanted}, got {wrong[0]!r} ({kind})")
    if len(set(values)) != len(values):
        raise SpaceError(f"the values of parameter {name!r} repeat: {values}")


def _always(configuration: Configuration) -> bool:
    """The feasibility test of an unconstrained space."""
    return True


def _identity(configuration: Configuration) -> Configuration:
    """The normalisation of a space in which every parameter always matters."""
    return configuration


def _combinations(branch: tuple[tuple[int | str, ...], ...]) -> int:
    return math.prod(map(len, branch))


class Space:
    """All candidates for one kernel.

    `normalise` maps parameters that do not matter for the chosen category to one value of their own (any of theirs), so
    that equal candidates are tried once; it must be idempotent. `feasible` is asked about normalised configurations and
    must be a pure function: it is asked often, and in any order. Neither may keep or change what it is given.

    Where most parameters matter for some categories only, their product holds each candidate many times. `branches`
    then say where the normalised configurations lie: each gives some parameters values of theirs, and any other one
    its first value. Candidates are drawn from the branches alone.

    Raises:
        SpaceError: two parameters of one name, a branch outside the parameters, or no branch.
    """

    def __init__(
        self,
        parameters: tuple[Parameter, ...] | list[Parameter],
        feasible: Callable[[Configuration], bool] = _always,
        normalise: Callable[[Configuration], Configuration] = _identity,
        branches: Iterable[Mapping[str, tuple[int | str, ...]]] | None = None,
    ) -> None:
        self.parameters: tuple[Parameter, ...] = tuple(parameters)
        self.feasible = feasible
        self.normalise = normalise
        names = [parameter.name for parameter in self.parameters]
        if len(set(names)) != len(names):
            raise SpaceError(f"parameters need different names, got {names}")
        self._values = {parameter.name: frozenset(parameter.values) for parameter in self.parameters}
        everything = {parameter.name: parameter.values for parameter in self.parameters}
        self._branches = tuple(map(self._completed, [everything] if branches is None else branches))
        if not self._branches:
            raise SpaceError("a space with branches needs at least one")

    def _completed(self, branch: Mapping[str, tuple[int | str, ...]]) -> tuple[tuple[int | str, ...], ...]:
        """A branch as the values of each parameter, in their order."""
        for name, values in branch.items():
            if not values or not self._values.get(name, frozenset()).issuperset(values):
                raise SpaceError(f"a branch gives {name!r} the values {values}, which are not among the parameter's")
        return tuple(branch.get(parameter.name, parameter.values[:1]) for parameter in self.parameters)

    def __repr__(self) -> str:
        return f"Space({', '.join(f'{p.name}: {len(p.values)}' for p in self.parameters)}; {self.size()} combinations)"

    def size(self) -> int:
        """The number of combinations of values: an upper bound on the candidates, at no cost.

        How many are feasible and distinct is known only by walking them: `sum(1 for _ in space.enumerate())`.
        """
        return sum(map(_combinations, self._branches))

    def contains(self, configuration: Mapping[str, object]) -> bool:
        """Whether it gives each parameter, and nothing else, one of its values. Feasibility is not asked."""
        return configuration.keys() == self._values.keys() and all(
            # The type too: a NumPy integer or True would compare equal and then print as something else.
            type(value) in (int, str) and value in self._values[name]
            for name, value in configuration.items()
        )

    def admit(self, configuration: Mapping[str, int | str]) -> Configuration | None:
        """The normalised form of a configuration of this space, None if it is not of this space or infeasible.

        The gate through which seeds, stored trials and candidates all pass.

        Raises:
            SpaceError: `normalise` leaves the space or is not idempotent: equal candidates would be tried twice, or
                differ from what was stored.
        """
        if not self.contains(configuration):
            return None
        normal = self.normalise(dict(configuration))
        if normal != configuration:
            if not self.contains(normal):
                raise SpaceError(f"normalise leaves the space: {canonical(configuration)} became {normal!r}")
            again = self.normalise(dict(normal))
            if again != normal:
                raise SpaceError(f"normalise is not idempotent: {canonical(normal)} became {again!r}")
        return dict(normal) if self.feasible(dict(normal)) else None

    def enumerate(self, limit: int | None = None) -> Iterator[Configuration]:
        """Every feasible, normalised configuration once, lazily, the last parameter running fastest.

        `limit` bounds the combinations of values looked at. Remembers what it has yielded, to yield it once.
        """
        names = [parameter.name for parameter in self.parameters]
        seen: set[str] = set()
        combinations = itertools.chain.from_iterable(itertools.product(*branch) for branch in self._branches)
        for values in itertools.islice(combinations, limit):
            configuration = self.admit(dict(zip(names, values, strict=True)))
            if configuration is None:
                continue
            key = canonical(configuration)
            if key not in seen:
                seen.add(key)
                yield configuration

    def draw(self, rng: random.Random) -> Configuration | None:
        """One uniform combination of values, normalised; None if that one happens to be infeasible."""
        branch, *others = self._branches
        if others:
            branch = rng.choices(self._branches, [_combinations(branch) for branch in self._branches])[0]
        return self.admit({p.name: rng.choice(values) for p, values in zip(self.parameters, branch, strict=True)})

    def sample(self, rng: random.Random) -> Configuration | None:
        """A random feasible configuration, normalised; None if the space has none.

        Combinations of values are drawn uniformly until one is feasible. A space too thin for that is enumerated, which
        takes time in proportion to `size()`.
        """
        for _ in range(_DRAWS):
            configuration = self.draw(rng)
            if configuration is not None:
                return configuration
        candidates = list(self.enumerate())
        return rng.choice(candidates) if candidates else None
