"""The shortest list of programs that shows a failure of its last one."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import TypeVar

from tests.programs.program import Program, Statement
from tests.programs.reference import is_valid

Fails = Callable[[Sequence[Program]], bool]
T = TypeVar("T")


def shortest(programs: Sequence[Program], fails: Fails, until: float = float("inf")) -> list[Program]:
    """Leave out programs, then statements, as long as the last program fails; what was found when the time is over.

    fails : does the last of these programs fail as the last of `programs` does, in a process of its own?
    until : a time of `time.time`
    """
    found = _fewer_programs(list(programs), fails, until)
    while time.time() < until:
        before = found
        for i in reversed(range(len(found))):
            found = _fewer_statements(found, i, fails, until)
        found = _smaller_data(found, fails, until)
        if found == before:
            break
        found = _fewer_programs(found, fails, until)
    return found


def _fewer_programs(programs: list[Program], fails: Fails, until: float) -> list[Program]:
    *before, last = programs
    if not before or fails([last]):
        return [last]
    alike = [p for p in before if _words(p) & _words(last)]  # the likeliest
    if len(alike) < len(before) and time.time() < until and fails([*alike, last]):
        before = alike
    low, high = 0, len(before) - 1  # the last place from which on they fail
    while low < high and time.time() < until:
        middle = (low + high + 1) // 2
        if fails([*before[middle:], last]):
            low = middle
        else:
            high = middle - 1
    before = before[low:]
    if len(before) > 1 and time.time() < until and fails([before[0], last]):
        return [before[0], last]
    return [*_left(before, lambda rest: fails([*rest, last]), until), last]


def _fewer_statements(programs: list[Program], i: int, fails: Fails, until: float) -> list[Program]:
    program = programs[i]

    def still(rest: Sequence[Statement]) -> bool:
        candidate = program.with_statements(rest)
        return is_valid(candidate, reads=False) and fails([*programs[:i], candidate, *programs[i + 1 :]])

    kept = _left(list(program.statements), still, until)
    return [*programs[:i], program.with_statements(kept), *programs[i + 1 :]]


def _left(items: list[T], still: Callable[[list[T]], bool], until: float) -> list[T]:
    """As few of the items, in order, as are still good: halves are left out, then smaller parts, then one by one."""
    size = len(items) // 2
    while size >= 1:
        at = len(items)
        while at > 0 and time.time() < until:
            rest = items[: max(0, at - size)] + items[at:]
            if still(rest):
                items = rest
            at -= size
        size //= 2
    return items


def _smaller_data(programs: list[Program], fails: Fails, until: float) -> list[Program]:
    """Take an extent of the data for a smaller one, in all programs."""
    extents = sorted({n for p in programs for s in p.statements if s.data for n in s.data.shape}, reverse=True)
    for old in extents:
        for other in (1, 2):
            candidate = [_with_extent(p, old, other) for p in programs]
            if (
                other < old
                and time.time() < until
                and all(is_valid(p, reads=False) for p in candidate)
                and fails(candidate)
            ):
                programs = candidate
                break
    return programs


def _with_extent(program: Program, old: int, other: int) -> Program:
    changed = []
    for s in program.statements:
        data = s.data
        if data is not None:
            data = replace(data, shape=tuple(other if n == old else n for n in data.shape))
        changed.append(replace(s, data=data))
    return program.with_statements(changed)


def _words(program: Program) -> set[str]:
    """What is done in it, apart from names and numbers."""
    return {re.sub(r"\d+", "", s.text) for s in program.statements if not s.data and not s.reads_value}
