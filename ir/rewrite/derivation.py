"""A derivation is data: the start, and the (rule, place, parameters) steps that lead to the result.

It can be printed, stored as JSON, replayed on the same expression and compared with another device's.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ir.core.expr import Expr
from ir.core.sizes import Size, parse_size
from ir.core.verify import verify, verify_low_level
from ir.errors import RewriteError, VerificationError
from ir.rewrite.rule import RULES, Rule
from ir.rewrite.strategy import Path, Rewritten, Step, Strategy, at, at_value, take, use

__all__ = ["Derivation", "place_text", "replay", "step_title"]


@dataclass(frozen=True)
class Derivation:
    """A high-level expression, the steps taken, and the expression they give.

    Attributes:
        shared: does a step rewrite the value at its place wherever that is used, rather than at the one place? So it is
            for graphs of arrays, in which values that are used often have many places.
    """

    start: Expr
    steps: tuple[Step, ...]
    result: Expr
    shared: bool = False

    @classmethod
    def of(cls, start: Expr, shared: bool = False) -> Derivation:
        """The derivation with no step."""
        return cls(start, (), start, shared)

    def then(self, strategy: Strategy, what: str = "strategy") -> Derivation:
        """Go on with a strategy.

        Raises:
            RewriteError: it fails; names `what`.
        """
        done = strategy(self.result, ())
        if done is None:
            raise RewriteError(f"{what} does not apply to {self.result}")
        return replace(self, steps=self.steps + done.steps, result=done.expr)

    def apply(self, rule: Rule | str, path: Path = (), **parameters: Any) -> Derivation:
        """Go on with one rule at a place.

        Raises:
            RewriteError: it does not apply.
        """
        found = _known(rule) if isinstance(rule, str) else rule
        place = at_value if self.shared else at
        return self.then(place(path, use(found, **parameters)), f"rule {found.name} at {path}")

    def take(self, step: Step) -> Derivation:
        """Go on with a step of another derivation.

        Raises:
            RewriteError: it does not apply.
        """
        if step.shared:
            _known(step.rule)
            return self.then(take(step), f"rule {step.rule} {place_text(step)}")
        return self.apply(step.rule, step.path, **dict(step.parameters))

    def rewritten(self) -> Rewritten:
        """The result and its steps as a strategy returns them."""
        return Rewritten(self.result, self.steps)

    def states(self) -> list[Expr]:
        """The expression before the first step and after each."""
        states = [self.start]
        for step in self.steps:
            states.append(replay(states[-1], [step], self.shared).result)
        return states

    def verify(self, low_level: bool = True) -> None:
        """A debug pass: check every state, and that the result is fully lowered.

        Raises:
            VerificationError: a condition is broken; names the step after which it is.
        """
        states = self.states()
        seen: set[object] = set()
        for number, state in enumerate(states):
            try:
                verify(state, seen)
                if low_level and number == len(self.steps):
                    verify_low_level(state)
            except VerificationError as error:
                after = f"after step {number}, {self.steps[number - 1].rule}" if number else "before the first step"
                raise VerificationError(f"{after}: {error}") from error
        if states[-1] is not self.result:
            raise VerificationError(f"the steps lead to\n    {states[-1]}\nand not to\n    {self.result}")

    def to_json(self) -> list[list[Any]]:
        """The steps as plain lists, numbers and strings."""
        return [_as_json(step) for step in self.steps]


def _known(name: str) -> Rule:
    found = RULES.get(name)
    if found is None:
        raise RewriteError(f"there is no rule named {name}; the rules are {', '.join(sorted(RULES))}")
    return found


def _as_json(step: Step) -> list[Any]:
    shared = [[list(pair) for pair in step.shared]] if step.shared else []
    return [step.rule, list(step.path), {k: _plain(v) for k, v in step.parameters}, *shared]


def step_title(number: int, step: Step) -> str:
    """A step on one line: its number, its rule with parameters, the place, and where the rule comes from."""
    rule = RULES[step.rule]
    values = ", ".join(f"{name} = {value}" for name, value in step.parameters)
    chosen = f" ({values})" if values else ""
    return f"{number:2}. {step.rule}{chosen} {place_text(step)}  [{rule.source}; {rule.label}]"


def place_text(step: Step) -> str:
    """Where a step applies its rule, in words."""
    values = ["there" if n == len(step.path) else f"at {list(step.path[:n])}" for _, n in step.shared]
    shared = f", wherever the value {' and '.join(values)} stands" if values else ""
    return f"at {list(step.path)}{shared}"


def _plain(value: Any) -> Any:
    if isinstance(value, Size):
        return value.value if value.value is not None else str(value)
    return value


def steps_from_json(data: Sequence[Sequence[Any]], scope: Mapping[str, Size]) -> tuple[Step, ...]:
    """The steps that `to_json` wrote; size parameters are read in `scope`."""
    steps = []
    for rule, path, parameters, *shared in data:
        known = RULES.get(rule)
        if known is None:
            raise RewriteError(f"the stored derivation names an unknown rule {rule}")
        read = {
            k: parse_size(v, scope) if isinstance(v, str) and k not in known.texts else v for k, v in parameters.items()
        }
        pairs = [(part, value) for part, value in (shared[0] if shared else ())]
        steps.append(Step(rule, tuple(path), tuple(sorted(read.items())), tuple(pairs)))
    return tuple(steps)


def replay(start: Expr, steps: Sequence[Step], shared: bool = False) -> Derivation:
    """Take the same steps from `start`.

    Args:
        shared: see `Derivation`

    Raises:
        RewriteError: one does not apply.
    """
    derivation = Derivation.of(start, shared)
    for step in steps:
        derivation = derivation.take(step)
    return derivation
