"""The small imperative tree that stands between patterns and text, and its printer, which decides nothing."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

from ir.core.sizes import Size

__all__ = [
    "Access", "Barrier", "Block", "Declare", "Function", "If", "Loop", "Node", "Statement", "Turns", "children",
    "render", "texts", "walk",
]  # fmt: skip


@dataclass(frozen=True)
class Access:
    """`width` neighbouring elements, from `index` on, of an array (or where a pointer points); None: any of them."""

    name: str
    index: Size | None = None
    width: int = 1


class Node:
    """Base of the statements."""


@dataclass
class Statement(Node):
    """One C statement, without its semicolon, and what it reads and then writes of the kernel's own arrays.

    Attributes:
        stored: where it stores a value, in whatever memory
    """

    text: str
    reads: tuple[Access, ...] = ()
    writes: tuple[Access, ...] = ()
    stored: Access | None = None


@dataclass
class Declare(Node):
    """A variable or an array of constant length, and what its initial value reads.

    Attributes:
        element_bytes: the bytes of one element of an array in local memory
        aligned: the bytes of which its address is a multiple, beyond those of an element; 0 where nothing is asked
    """

    type: str
    name: str
    value: str | None = None
    length: int | None = None
    space: str = ""
    element_bytes: int = 0
    aligned: int = 0
    reads: tuple[Access, ...] = ()


@dataclass(frozen=True)
class Turns:
    """How often a block is run, and by whom: `trip` times, by those that `kind`, the name of a pattern, says.

    Attributes:
        index: the variable that tells the turns apart
        kind: empty where one work-item takes all turns
        dim: the dimension of the launch, or the lanes of a warp
    """

    index: Size
    trip: Size
    kind: str = ""
    dim: int = 0


@dataclass
class Block(Node):
    """Statements in order.

    Attributes:
        turns: None for a block that is run once
    """

    body: list[Node] = field(default_factory=list)
    turns: Turns | None = None


@dataclass
class Loop(Node):
    """`for (type var = start; var < stop; var += step)`.

    Attributes:
        runs: every work-item takes at least one turn
    """

    type: str
    var: str
    start: str
    stop: str
    step: str
    body: Block
    runs: bool = False


@dataclass
class If(Node):
    """`if (condition)`, and what the condition reads.

    Attributes:
        loop: the loop over the same body whose only turn it is, of a variable that is declared before it
        otherwise: is it the other way of a condition that mostly holds?
    """

    condition: str
    body: Block
    reads: tuple[Access, ...] = ()
    loop: Loop | None = None
    otherwise: bool = False


@dataclass
class Barrier(Node):
    """All work-items of the group reach this point; their local memory is consistent.

    Attributes:
        before: the arrays whose values are replaced from here on
    """

    fence: str = "CLK_LOCAL_MEM_FENCE"
    before: tuple[str, ...] = ()


@dataclass
class Function:
    """A kernel.

    Attributes:
        group: the work-items of a work-group in each dimension; None where the runtime chooses
        items: the index variables of the maps over work-items, and their dimensions: in dimension d of extent L,
            work-item k takes the indices k, k + L, ...
        arrays: the names of local and private arrays and of pointers to them, and the arrays each may stand for
        shares_out: do work-items keep parts of an array? The compiler is told of how many it must hold the parts
        parts: the pointers to parts of arrays, and where in each that they may stand for the part begins
    """

    name: str
    arguments: list[str]
    body: Block
    prelude: list[str] = field(default_factory=list)
    group: tuple[int, ...] | None = None
    items: dict[Size, int] = field(default_factory=dict)
    arrays: dict[str, frozenset[str]] = field(default_factory=dict)
    shares_out: bool = False
    parts: dict[str, dict[str, Size]] = field(default_factory=dict)


def children(node: Node) -> list[Node]:
    """The statements directly inside a block, a loop or a conditional."""
    match node:
        case Block(body):
            return body
        case Loop(body=block) | If(body=block):
            return [block]
    return []


def walk(node: Node) -> Iterator[Node]:
    """A node and all inside it, in the order of the text."""
    yield node
    for part in children(node):
        yield from walk(part)


def texts(node: Node) -> tuple[str, ...]:
    """The pieces of C of a node itself, without those of the nodes inside it."""
    match node:
        case Statement(text):
            return (text,)
        case Declare(_, name, value):
            return (name, value or "")
        case Loop(_, _, start, stop, step):
            return (start, stop, step)
        case If(condition):
            return (condition,)
        case Barrier(_, before):
            return before
    return ()


def render(function: Function) -> str:
    """OpenCL C, indented by four."""
    lines = [*function.prelude]
    if function.prelude:
        lines.append("")
    arguments = ",\n".join("    " + a for a in function.arguments)
    group = ""
    if function.shares_out and function.group is not None:
        extents = ", ".join(map(str, (*function.group, 1, 1)[:3]))
        group = f"__attribute__((reqd_work_group_size({extents}))) "
    lines.append(f"__kernel {group}void {function.name}(\n{arguments})\n{{")
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
            attribute = f" __attribute__((aligned({node.aligned})))" if node.aligned else ""
            yield f"{space + ' ' if space else ''}{type_} {name}{array}{attribute}{initial};"
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
