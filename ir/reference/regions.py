"""Which statements of a program are carried out in blocks: element-wise functions of large arrays that read each other.

    t1 = x + y; t2 = sqrt(t1); t3 = t2 * x      ->      for each block: k = x + y; sqrt(k, out=k); t3 = k * x

A *region* has statements of one shape, each of which reads elements of the others at its own places alone. What no
statement outside reads never becomes an array: it lies in a small piece of memory that the cache holds.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from math import prod
from typing import TYPE_CHECKING

from ir.cost.thresholds.tiers import (
    BLOCK_BYTES,
    BLOCK_ELEMENTS_AT_LEAST,
    BLOCKS_FROM_ELEMENTS,
    CACHED_BYTES,
    NUMPY_CALL_SECONDS,
    NUMPY_SECONDS_PER_BYTE,
    NUMPY_SECONDS_PER_CACHED_BYTE,
    THREADS_FROM_SECONDS,
)
from ir.reference.workers import threads_at_most

if TYPE_CHECKING:
    from ir.reference.source import Statement, Variable

__all__ = ["Region", "regions_and_others", "seconds_to_move"]


def seconds_to_move(nbytes: int) -> float:
    """What reading and writing so many bytes takes NumPy."""
    return nbytes * (NUMPY_SECONDS_PER_CACHED_BYTE if nbytes <= CACHED_BYTES else NUMPY_SECONDS_PER_BYTE)


class Region:
    """Statements that are carried out together, in an order in which each comes after those it reads.

    Attributes:
        shape: of their results
        results: the variables among these that others read
        given: the variables that they read of others
        seconds: what they are predicted to take
        pays: is that less than one call each takes?
    """

    def __init__(self, statements: Sequence[Statement], read_outside: set[Variable]) -> None:
        self.statements = statements
        self.shape = statements[0].variable.shape
        made = {statement.variable for statement in statements}
        self.results = [statement.variable for statement in statements if statement.variable in read_outside]
        self.given = list(dict.fromkeys([v for statement in statements for v in statement.reads if v not in made]))
        self._plan()
        self.seconds = self._seconds()
        self.pays = len(statements) > 1 or self._threads > 1

    def _plan(self) -> None:
        """The lines of a block, in which names are those of its operands, of results and of pieces of memory."""
        inside = {statement.variable.name for statement in self.statements}
        last = {v: i for i, statement in enumerate(self.statements) for v in statement.reads}
        kept = set(self.results)
        names: dict[str, str] = {v.name: v.name for v in self.results}  # where each variable lies
        operands: dict[str, str] = {}  # of each text its name
        pieces: list[str] = []  # their dtypes
        free: dict[str, list[str]] = {}
        self._lines: list[str] = []
        for i, statement in enumerate(self.statements):
            made, variables = statement.variable, {v.name for v in statement.reads}
            dtype = made.dtype.str
            arguments = []
            for text in statement.arguments:
                if text in inside:
                    text = names[text]
                elif _head(text) in variables:
                    text = operands.setdefault(text, f"x{len(operands)}")
                arguments.append(text)
            ending = [v for v in dict.fromkeys(statement.reads) if last[v] == i and v.name in inside and v not in kept]
            alike = [v for v in ending if v.dtype == made.dtype] if statement.is_ufunc else []
            if made not in kept:
                if alike:
                    names[made.name] = names[alike[0].name]
                    ending.remove(alike[0])
                elif free.get(dtype):
                    names[made.name] = free[dtype].pop()
                else:
                    names[made.name] = f"k{len(pieces)}"
                    pieces.append(dtype)
            for v in ending:
                free.setdefault(v.dtype.str, []).append(names[v.name])
            self._lines.append(_line(statement, arguments, names[made.name]))
        self._operands, self._pieces = operands, pieces

    def _seconds(self) -> float:
        """Arguments and results are moved through memory once, all others through the cache."""
        elements = prod(self.shape)
        outside = sum([v.nbytes for v in (*self.given, *self.results)])
        moved = sum([statement.moved for statement in self.statements])
        work = sum([s.seconds - NUMPY_CALL_SECONDS - seconds_to_move(s.moved) for s in self.statements])
        width = sum([v.dtype.itemsize for v in (*self.given, *self.results)])
        width += sum([int(dtype[2:]) for dtype in self._pieces])
        self._elements = max(BLOCK_BYTES // width, BLOCK_ELEMENTS_AT_LEAST)
        if len(self._lines) == 1 and self.statements[0].is_ufunc:
            self._elements = max(self._elements, elements // (4 * threads_at_most()))
        calls = len(self._lines) * -(-elements // self._elements)
        seconds = calls * NUMPY_CALL_SECONDS + work + seconds_to_move(outside)
        seconds += max(0, moved - outside) * NUMPY_SECONDS_PER_CACHED_BYTE
        self._threads = threads_at_most() if seconds >= THREADS_FROM_SECONDS else 1
        return seconds / self._threads

    def text(self, name: str) -> tuple[str, str]:
        """A function of that name for a block, and the call that carries it out for all: a tuple of the results, or
        None where the operands do not lie in an order that is common to them.
        """
        parameters = [*self._operands.values(), *[v.name for v in self.results]]
        parameters += [f"k{i}" for i in range(len(self._pieces))]
        function = "\n    ".join([f"def {name}({', '.join(parameters)}):", *self._lines]) + "\n"
        arguments = [name, "empty", str(self.shape), f"({''.join([f'{x}, ' for x in self._operands])})"]
        arguments += [str(tuple([v.dtype.str for v in self.results])), str(tuple(self._pieces))]
        arguments += [str(self._elements), str(self._threads)]
        return function, f"in_blocks({', '.join(arguments)})"


def _line(statement: Statement, arguments: Sequence[str], out: str) -> str:
    """A statement of a block, whose result takes that memory; which is an argument's only where it is a ufunc."""
    if statement.is_ufunc:
        return f"{statement.function}({', '.join(arguments)}, out={out})"
    if statement.function == ".astype":
        return f"{out}[...] = {arguments[0]}"
    if statement.function == "op_select":
        return f"select_into({out}, {', '.join(arguments)})"
    return f"{out}[...] = {statement.function}({', '.join(arguments)})"


def regions_and_others(statements: Sequence[Statement], results: set[Variable]) -> list[Region | Statement]:
    """The statements in an order that works, regions in place of those that form one.

    A statement joins the regions of what it reads at its own places. Where it reads a region otherwise, it has a higher
    level than that, as has all that reads it, and those of different levels join no region: so no region waits for what
    waits for it.

    Args:
        results: what the program returns
    """
    if not any(map(_is_large, statements)):
        return list(statements)
    level: dict[Variable, int] = {}
    leader: dict[Variable, Variable] = {}  # of what is large and element-wise, another of its region, or itself

    def first(v: Variable) -> Variable:
        while leader[v] is not v:
            leader[v] = v = leader[leader[v]]
        return v

    for statement in statements:
        made = statement.variable
        large = _is_large(statement)
        beside = [v for v in statement.reads if large and v in leader and _is_beside(v, statement)]
        level[made] = max([level.get(v, 0) + (v in leader and v not in beside) for v in statement.reads], default=0)
        if large:
            leader[made] = made
            for v in beside:
                if level[v] == level[made]:
                    leader[first(v)] = made
    parts: dict[Variable, list[Statement]] = {}
    for statement in statements:
        made = statement.variable
        parts.setdefault(first(made) if made in leader else made, []).append(statement)
    part_of = {statement.variable: part for part in parts.values() for statement in part}
    read_outside = set(results)
    for statement in statements:
        own = part_of[statement.variable]
        read_outside.update([v for v in statement.reads if part_of.get(v) is not own])
    found: list[Region | Statement] = []
    for part in _in_order(statements, part_of):
        region = Region(part, read_outside) if part[0].variable in leader else None
        found.append(region if region is not None and region.pays else part[0])
    return found


def _is_large(statement: Statement) -> bool:
    """Is it an element-wise function of which blocks pay, with memory of its own?"""
    made = statement.variable
    return statement.moved > 0 and prod(made.shape) >= BLOCKS_FROM_ELEMENTS and made.root is None


def _is_beside(v: Variable, statement: Statement) -> bool:
    """Does a statement read of a variable what lies at the places of its result alone?"""
    read = [text for text in statement.arguments if _head(text) == v.name]
    return v.shape == statement.variable.shape and read.count(v.name) == len(read)


def _head(text: str) -> str:
    """The name of the variable of which an argument shows a view."""
    return text.partition(".")[0].partition("[")[0]


def _in_order(statements: Iterable[Statement], part_of: Mapping[Variable, list[Statement]]) -> list[list[Statement]]:
    """The parts, each where its last statement stands, or before the first one that reads it."""
    found: dict[int, list[Statement]] = {}
    for statement in statements:
        stack = [part_of[statement.variable]]
        if stack[0][-1] is not statement:
            continue
        while stack:
            part = stack[-1]
            read = [part_of[v] for each in part for v in each.reads if v in part_of]
            missing = [other for other in read if other is not part and id(other) not in found]
            if missing:
                stack += missing
            else:
                found.setdefault(id(stack.pop()), part)
    return list(found.values())
