"""A derivation is data: the start, and the (rule, place, parameters) steps that lead to the result.

It can be printed, stored as JSON, replayed on the same expression and compared with another device's.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any

from ir.core.expr import Expr, Param, postorder, substitute
from ir.core.sizes import Size, parse_size
from ir.core.verify import verify, verify_low_level
from ir.errors import RewriteError, VerificationError
from ir.rewrite.contexts import Context
from ir.rewrite.rule import RULES, Earlier, Rule
from ir.rewrite.strategy import Path, Rewritten, Step, Strategy, at, at_value, enter, use

__all__ = ["Derivation", "place_text", "replay", "state_after", "step_title"]


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
        if step.again:
            return replay(self.start, (*self.steps, step), self.shared)
        return self.apply(step.rule, step.path, **dict(step.parameters))

    def rewritten(self) -> Rewritten:
        """The result and its steps as a strategy returns them."""
        return Rewritten(self.result, self.steps)

    def states(self) -> list[Expr]:
        """The expression before the first step and after each."""
        return list(_states(self.start, self.steps, self.shared))

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
    again = [list(step.again)] if step.again else []
    return [step.rule, list(step.path), {k: _plain(v) for k, v in step.parameters}, *again]


def step_title(number: int, step: Step) -> str:
    """A step on one line: its number, its rule with parameters, the place, and where the rule comes from."""
    rule = RULES[step.rule]
    values = ", ".join(f"{name} = {value}" for name, value in step.parameters)
    chosen = f" ({values})" if values else ""
    return f"{number:2}. {step.rule}{chosen} {place_text(step)}  [{rule.source}; {rule.label}]"


def place_text(step: Step) -> str:
    """Where a step applies its rule, in words."""
    place = f"at {list(step.path)}"
    if step.again:
        back, count, _ = step.again
        after = ["", ", and the step after it"][count - 1] if count < 3 else f", and the {count - 1} steps after it"
        place += f", as {back} steps before{after}"
    return place


def _plain(value: Any) -> Any:
    if isinstance(value, Size):
        return value.value if value.value is not None else str(value)
    return value


def steps_from_json(data: Sequence[Sequence[Any]], scope: Mapping[str, Size]) -> tuple[Step, ...]:
    """The steps that `to_json` wrote; size parameters are read in `scope`."""
    steps = []
    for rule, path, parameters, *again in data:
        known = RULES.get(rule)
        if known is None:
            raise RewriteError(f"the stored derivation names an unknown rule {rule}")
        read = {
            k: parse_size(v, scope) if isinstance(v, str) and k not in known.texts else v for k, v in parameters.items()
        }
        steps.append(Step(rule, tuple(path), tuple(sorted(read.items())), Earlier(*again[0]) if again else None))
    return tuple(steps)


def replay(start: Expr, steps: Sequence[Step], shared: bool = False) -> Derivation:
    """Take the same steps from `start`.

    Args:
        shared: see `Derivation`

    Raises:
        RewriteError: one does not apply.
    """
    (result,) = deque(_states(start, steps, shared), maxlen=1)
    return Derivation(start, tuple(steps), result, shared)


def _states(start: Expr, steps: Sequence[Step], shared: bool) -> Iterator[Expr]:
    """The start, and the expression after each step."""
    looked_at = {n for i, step in enumerate(steps) if step.again for n in _span(i, step.again)}
    kept: dict[int, Expr] = {}
    state = start
    for number in range(len(steps)):
        yield state
        kept[number] = state
        state = state_after(steps, number, kept, shared)
        if number not in looked_at:
            del kept[number]
    yield state


def state_after(
    steps: Sequence[Step], number: int, states: Mapping[int, Expr] | Sequence[Expr], shared: bool = False
) -> Expr:
    """The expression after one of the steps.

    Args:
        states: the expressions before the steps: before this one, and before those that it cites
        shared: see `Derivation`

    Raises:
        RewriteError: it does not apply.
    """
    step, state = steps[number], states[number]
    rule = _known(step.rule)
    taken = use(rule, **dict(step.parameters)) if step.again is None else _again(step.again, number, steps, states)
    done = (at_value if shared else at)(step.path, taken)(state, ())
    if done is None:
        raise RewriteError(f"rule {step.rule} at {step.path} does not apply to {state}")
    return done.expr


def _span(number: int, earlier: Earlier) -> tuple[int, int]:
    """The numbers of the states before the earlier steps and after them."""
    return number - earlier.back, number - earlier.back + earlier.steps


def _again(
    earlier: Earlier, number: int, steps: Sequence[Step], states: Mapping[int, Expr] | Sequence[Expr]
) -> Strategy:
    """What earlier steps made of the same value in the same context."""
    first, last = _span(number, earlier)
    if not 0 <= first < last <= number:
        return lambda e, context: None
    path = steps[first].path[: len(steps[first].path) - earlier.inner]
    if any(step.path[: len(path)] != path for step in steps[first:last]):
        return lambda e, context: None
    (before, there), (after, _) = (_part(states[n], path) for n in (first, last))

    def run(e: Expr, context: Context) -> Rewritten | None:
        if context != there or e is before:
            return Rewritten(after, ()) if context == there else None
        names = dict(zip(_variables(before), _variables(e), strict=False))  # a replay may open functions otherwise
        return Rewritten(substitute(after, names), ()) if substitute(before, names) is e else None

    return run


def _part(e: Expr, path: Path) -> tuple[Expr, Context]:
    """What stands at a place, in which context."""
    context: Context = ()
    for index in path:
        e, context = enter(e, index, context)
    return e, context


def _variables(e: Expr) -> list[Expr]:
    """The variables of functions around an expression that it depends on, in their order."""
    return [node for node in postorder(e, lambda node: not node.loose) if isinstance(node, Param) and node.binder]
