"""The small imperative tree that stands between patterns and text, and its printer, which decides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

__all__ = ["Barrier", "Block", "Declare", "Function", "If", "Loop", "Node", "Statement", "render"]


class Node:
    """Base of the statements."""


@dataclass
class Statement(Node):
    """One C statement, without its semicolon."""

    text: str


@dataclass
class Declare(Node):
    """A variable or an array of constant length."""

    type: str
    name: str
    value: str | None = None
    length: int | None = None
    space: str = ""


@dataclass
class Block(Node):
    """Statements in order."""

    body: list[Node] = field(default_factory=list)


@dataclass
class Loop(Node):
    """`for (type var = start; var < stop; var += step)`."""

    type: str
    var: str
    start: str
    stop: str
    step: str
    body: Block


@dataclass
class If(Node):
    """`if (condition)`."""

    condition: str
    body: Block


@dataclass
class Barrier(Node):
    """All work-items of the group reach this point; their local memory is consistent."""

    fence: str = "CLK_LOCAL_MEM_FENCE"


@dataclass
class Function:
    """A kernel."""

    name: str
    arguments: list[str]
    body: Block
    prelude: list[str] = field(default_factory=list)


def render(function: Function) -> str:
    """OpenCL C, indented by four."""
    lines = [*function.prelude]
    if function.prelude:
        lines.append("")
    arguments = ",\n".join("    " + a for a in function.arguments)
    lines.append(f"__kernel void {function.name}(\n{arguments})\n{{")
    lines.extend("    " + line for line in _lines(function.body))
    lines.append("}")
    return "\n".join(lines) + "\n"


def _lines(node: Node) -> Iterator[str]:
    match node:
        case Statement(text):
            yield text + ";"
        case Declare(type_, name, value, length, space):
            array = "" if length is None else f"[{length}]"
            initial = "" if value is None else f" = {value}"
            yield f"{space + ' ' if space else ''}{type_} {name}{array}{initial};"
        case Block(body):
            for part in body:
                yield from _lines(part)
        case Loop(type_, var, start, stop, step, body):
            increment = f"++{var}" if step == "1" else f"{var} += {step}"
            yield f"for ({type_} {var} = {start}; {var} < {stop}; {increment}) {{"
            yield from ("    " + line for line in _lines(body))
            yield "}"
        case If(condition, body):
            yield f"if ({condition}) {{"
            yield from ("    " + line for line in _lines(body))
            yield "}"
        case Barrier(fence):
            yield f"barrier({fence});"
