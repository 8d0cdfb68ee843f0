"""Named places: which operand of a node is meant, by the role that it plays there.

    at(joined / body, s)     s in the body of the function of the map that is joined: join (map (λx. s) xs)

| place | of which nodes | which operand |
|---|---|---|
| `here` | all | the node itself |
| `function` | map, reduce, scan, iterate, generate, .. | the function `f` |
| `body` | the same, where `f` is a lambda | what `f` gives, its variables opened |
| `initial` | reduce, scan | what the accumulator begins with, `init` |
| `array` | all that read one array | the array `xs` |
| `values` | scatter | what is combined into the places, `ys` |
| `starts` | rankSeq | where each key's values begin |
| `part(i)` | concat, zip, tuple | operand i |
| `below(P)` | the view or memory P | what it shows or keeps, operand 0 |
| `joined`, `transposed` | join, transpose | the same |
| `viewed` | all views of one array | the same |

Places are composed from the outside in: `array / part(0)` is the first part of what a pattern reads. A strategy at a
place that a node does not have fails. Steps record the integer path that a place leads to.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from ir.core.expr import Expr, Lambda
from ir.core.patterns import Join, Transpose

__all__ = [
    "Place", "array", "below", "body", "function", "here", "initial", "joined", "part", "starts", "transposed",
    "values", "viewed",
]  # fmt: skip

Role = Callable[[Expr], int | None]
"""The index of the operand that plays a role in a node; None where none does."""


@dataclass(frozen=True)
class Place:
    """The way from a node to a part of it: the roles of the operands to take, one after the other."""

    name: str
    roles: tuple[Role, ...]

    def __truediv__(self, inner: Place) -> Place:
        return Place(" / ".join(place.name for place in (self, inner) if place.roles), self.roles + inner.roles)

    def __str__(self) -> str:
        return self.name

    def of(self, e: Expr) -> Expr | None:
        """What stands at the place in an expression, variables opened; None where there is no such place."""
        for role in self.roles:
            index = role(e)
            if index is None:
                return None
            e = e.open()[1] if isinstance(e, Lambda) else e.operands[index]
        return e


def _operand(name: str) -> Role:
    """The operand of that name."""
    return lambda e: e.operand_names.index(name) if name in e.operand_names else None


def part(i: int) -> Place:
    """Operand i of a pattern that takes any number: concat, zip, tuple."""
    return Place(f"part({i})", (lambda e: None if e.operand_names or i >= len(e.operands) else i,))


def below(*patterns: type[Expr]) -> Place:
    """What one of these patterns, views or memories, shows or keeps."""
    name = f"below({', '.join(pattern.__name__ for pattern in patterns)})"
    return Place(name, (lambda e: 0 if isinstance(e, patterns) else None,))


here = Place("here", ())
function = Place("function", (_operand("f"),))
body = Place("body", (_operand("f"), lambda e: 0 if isinstance(e, Lambda) else None))
initial = Place("initial", (_operand("init"),))
array = Place("array", (_operand("xs"),))
values = Place("values", (_operand("ys"),))
starts = Place("starts", (_operand("starts"),))
joined = Place("joined", below(Join).roles)
transposed = Place("transposed", below(Transpose).roles)
viewed = Place("viewed", (lambda e: 0 if e.traits.view and len(e.operands) == 1 else None,))
