"""Rules: small named equations, registered once, checked for their type and their place at every application.

A rule is a function `Expr -> Expr | None`; None means that it does not apply. Numeric choices are keyword-only
arguments (`*, n`), and a rule that asks for `context` is told which patterns enclose the place: the thesis
chapter's [pre : post] conditions. Where it is of some patterns only, its first argument is annotated with these, and
it is not asked about others.

A rule is a strategy, too (`ir.rewrite.strategy`): combinators take it as it is, or with parameters by `use`.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from dataclasses import dataclass
from enum import StrEnum
from typing import Any, NamedTuple

from ir.core.expr import Expr
from ir.errors import RewriteError
from ir.rewrite.contexts import KEPT, KEPT_PRIVATE, READ, Context, functions_of, is_kept, keeps_places

__all__ = [
    "KEPT", "KEPT_PRIVATE", "READ", "RULES", "Context", "Earlier", "Label", "Path", "Rewritten", "Rule", "Step",
    "functions_of", "is_kept", "rule",
]  # fmt: skip


Path = tuple[int, ...]
"""The operand to take at each node on the way from the root; below a lambda, operand 0 is its opened body."""


class Earlier(NamedTuple):
    """Steps of the same derivation that were taken at a value, one after the other.

    Attributes:
        back: how many steps ago the first of them was taken
        steps: how many they are
        inner: how many operands led from the value to the place of the first
    """

    back: int
    steps: int
    inner: int


class Step(NamedTuple):
    """One application of a rule, or all that was done to a value before, where it is met again.

    Attributes:
        again: the steps that the value was rewritten by; the rule is the first one's, the path leads to the value. None
            where the rule is applied at the path.
    """

    rule: str
    path: Path
    parameters: tuple[tuple[str, Any], ...] = ()
    again: Earlier | None = None


class Rewritten(NamedTuple):
    """What a strategy made, and how."""

    expr: Expr
    steps: tuple[Step, ...]


class Label(StrEnum):
    """What a rule may do to a result."""

    EXACT = "exact"
    REASSOCIATING = "reassociating"  # the order of floating-point operations changes
    REORDERING = "reordering"  # elements are permuted under a `reorder`, which allows it
    FINITE_ONLY = "finite-only"  # right for finite numbers only


@dataclass(frozen=True)
class Rule:
    """One equation with its name, label and source."""

    name: str
    function: Callable[..., Expr | None]
    label: Label
    source: str
    parameters: tuple[str, ...]
    texts: frozenset[str]  # the parameters that are words (an address space, a kind), not sizes
    wants_context: bool
    patterns: tuple[type[Expr], ...] = (Expr,)
    """The classes of the nodes that it may apply to."""

    @property
    def equation(self) -> str:
        """The first lines of its docstring."""
        return (inspect.getdoc(self.function) or "").split("\n\n")[0]

    def __call__(self, e: Expr, context: Context = (), /, **parameters: Any) -> Rewritten | None:
        """The rule as a strategy: what it makes here, and the step it takes; None where it does not apply."""
        result = self.rewrite(e, context, **parameters)
        return None if result is None else Rewritten(result, (Step(self.name, (), tuple(sorted(parameters.items()))),))

    def rewrite(self, e: Expr, context: Context = (), /, **parameters: Any) -> Expr | None:
        """The rewritten expression; None where the rule does not apply, or what it makes may not stand in that context
        (`keeps_places`).

        Raises:
            RewriteError: it broke the type.
        """
        if not isinstance(e, self.patterns):
            return None
        result = self.function(e, context, **parameters) if self.wants_context else self.function(e, **parameters)
        if result is not None and result.type is not e.type:
            raise RewriteError(f"rule {self.name} changed the type from {e.type} to {result.type} at {e}")
        return result if result is None or keeps_places(e, result, context) else None


RULES: dict[str, Rule] = {}


def rule(label: Label = Label.EXACT, source: str = "") -> Callable[[Callable[..., Expr | None]], Rule]:
    """Register the decorated function as a rule; its docstring's first line is the equation."""

    def register(function: Callable[..., Expr | None]) -> Rule:
        # What `inspect.signature` says, which takes as long as all else of importing a rule.
        code = function.__code__
        arguments = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
        parameters = arguments[code.co_argcount :]
        texts = frozenset(name for name in parameters if function.__annotations__.get(name) == "str")
        made = Rule(
            function.__name__.rstrip("_"),
            function,
            label,
            source,
            parameters,
            texts,
            "context" in arguments,
            patterns_named(function),
        )
        if made.name in RULES:
            raise RewriteError(f"two rules are named {made.name}")
        RULES[made.name] = made
        return made

    return register


def patterns_named(function: Callable[..., Any]) -> tuple[type[Expr], ...]:
    """The classes that the first argument is annotated with, as `Map | Reduce`."""
    annotation: str = function.__annotations__["e"]
    return tuple([function.__globals__[name] for name in annotation.split(" | ")])
