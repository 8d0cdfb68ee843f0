"""What an example is, and where all of them are kept. `at` is the place of the application."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from ir.rewrite.strategy import Path

__all__ = ["FIRES", "REFUSES", "Example", "fires", "refuses"]


@dataclass(frozen=True)
class Example:
    """A rule applied at a place of an expression: what it gives (None: it refuses), both in the papers' notation."""

    rule: str
    before: str
    after: str | None
    at: Path
    parameters: tuple[tuple[str, Any], ...]

    def __str__(self) -> str:
        chosen = ", ".join(f"{k}={v}" for k, v in self.parameters)
        return f"{self.rule}({chosen}) {self.before}"


FIRES: list[Example] = []
REFUSES: list[Example] = []


def fires(rule: str, before: str, after: str, /, *, at_: Path = (), **parameters: Any) -> None:
    FIRES.append(Example(rule, before, after, at_, tuple(sorted(parameters.items()))))


def refuses(rule: str, *befores: str, at_: Path = (), **parameters: Any) -> None:
    REFUSES.extend(Example(rule, before, None, at_, tuple(sorted(parameters.items()))) for before in befores)
