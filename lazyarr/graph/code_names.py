"""Which names the code of a function has: what it could read outside by them."""

from __future__ import annotations

import dis
from collections.abc import Sequence
from functools import lru_cache
from types import CodeType
from typing import Any, NamedTuple

__all__ = ["Names", "names_in"]

_BY_NAME = frozenset(("__dict__", "__getattribute__", "asdict", "astuple", "attrgetter"))
"""Where code mentions one of these it may read attributes whose names it does not: all of them count."""

_BUILTINS_BY_NAME = frozenset(("eval", "exec", "vars"))
"""Likewise, of global names."""

_BUILTINS_THAT_NAME = frozenset(("delattr", "getattr", "hasattr", "setattr"))
"""Likewise, where the name that they are given is no constant."""


class Names(NamedTuple):
    """What the code of a function reads by name.

    Attributes:
        globals: global names
        read: these, attributes and methods
        assigned: attributes that it assigns to or deletes
        imported: modules that it imports itself, with the level of a relative import
        opaque: may it read attributes that it does not name?
    """

    globals: frozenset[str]
    read: frozenset[str]
    assigned: frozenset[str]
    imported: frozenset[tuple[int, str]]
    opaque: bool


@lru_cache(maxsize=1024)
def names_in(code: CodeType) -> Names:
    """The names in code, and in that of the functions and classes inside."""
    outside: set[str] = set()
    read: set[str] = set()
    assigned: set[str] = set()
    imported: set[tuple[int, str]] = set()
    opaque = False
    pending = [code]
    for each in pending:
        pending += [x for x in each.co_consts if isinstance(x, CodeType)]
        instructions = [i for i in dis.get_instructions(each) if i.opname != "EXTENDED_ARG"]
        for number, i in enumerate(instructions):
            if i.opname == "MATCH_CLASS":
                opaque = True
            elif i.opcode not in dis.hasname:
                continue
            elif i.opname in ("STORE_ATTR", "DELETE_ATTR"):
                assigned.add(i.argval)
            elif i.opname in ("LOAD_GLOBAL", "LOAD_NAME"):
                outside.add(i.argval)
                if i.argval in _BUILTINS_THAT_NAME:
                    name = _constant_name(instructions[number + 1 :])
                    opaque = opaque or name is None
                    (read if i.argval in ("getattr", "hasattr") else assigned).add(name or "")
            elif i.opname == "IMPORT_NAME":
                level = instructions[number - 2].argval  # it follows the constants of the level and of what is wanted
                imported.add((level if type(level) is int else 0, i.argval))
            elif not i.opname.startswith(("STORE", "DELETE")):
                read.add(i.argval)
    read |= outside
    opaque = opaque or not (_BY_NAME.isdisjoint(read) and _BUILTINS_BY_NAME.isdisjoint(outside))
    return Names(frozenset(outside), frozenset(read), frozenset(assigned), frozenset(imported), opaque)


def _constant_name(instructions: Sequence[dis.Instruction]) -> str | None:
    """The second argument of the call of what is on top of the stack, where it is a text that stands in the code."""
    stack: list[Any] = []  # what is above it, each a constant or None
    for i in instructions:
        if i.opname in ("CACHE", "KW_NAMES", "PRECALL"):
            continue
        if i.opcode in dis.hasjrel or i.opcode in dis.hasjabs:
            return None
        if i.opname == "CALL":
            assert i.arg is not None
            if i.arg == len(stack):
                return stack[1] if len(stack) > 1 and type(stack[1]) is str else None
            effect = -(i.arg + 1)  # the function too; its result is put there
        else:
            effect = dis.stack_effect(i.opcode, i.arg, jump=False)
        if effect > 0:
            stack += [i.argval if i.opname == "LOAD_CONST" else None] * effect
            continue
        if -effect >= len(stack):
            return None
        del stack[len(stack) + effect :]
        stack[-1] = None
    return None
