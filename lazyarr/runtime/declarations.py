"""The built-in functions that a program uses, declared for PoCL's compiler, which otherwise reads them all each time.

PoCL puts clang's `opencl-c.h` before every program: a megabyte that declares each function of OpenCL C for each type.
Reading it takes ten times as long as compiling most kernels does. `Declarations` reads it once. A program that begins
with those lines of it that declare what the program mentions, and with its guard defined, compiles to the same.
"""

from __future__ import annotations

import re
from collections import defaultdict
from functools import cache
from itertools import groupby
from pathlib import Path

__all__ = ["GUARD", "HEADER", "Declarations"]

GUARD = "_OPENCL_H_"
"""The macro that says that the header was read."""

HEADER = "opencl-c.h"
"""What the file is called."""
_COMMENT = re.compile(r"/\*.*?\*/|//[^\n]*", re.DOTALL)
_NAME = re.compile(r"[A-Za-z_]\w*")
_ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)")
_DIRECTIVE = re.compile(r"^[ \t]*#[ \t]*(\w+)[ \t]*(.*?)[ \t]*$", re.MULTILINE)
_END = re.compile(r";[ \t]*$", re.MULTILINE)
_MACROS = {
    "__ovld": "__attribute__((overloadable))",
    "__conv": "__attribute__((convergent))",
    "__purefn": "__attribute__((pure))",
    "__cnfn": "__attribute__((const))",
}
_OPENING = {"if": "({})", "ifdef": "defined({})", "ifndef": "!defined({})"}
_EXTENSIONS = ("cl_khr_fp64", "cl_khr_fp16", "cl_khr_int64_base_atomics", "cl_khr_int64_extended_atomics")


class Declarations:
    """What clang's header declares for OpenCL C, but for types and constants, which stand in a small one."""

    def __init__(self, header: str) -> None:
        """Read the text of `opencl-c.h`; `ValueError` where it is not understood."""
        self._order: list[tuple[str, str]] = []
        self._places: dict[str, list[int]] = defaultdict(list)
        for condition, text in _statements(header):
            name = _declared(text)
            if name is not None:
                self._places[name].append(len(self._order))
                self._order.append((condition, text))

    @staticmethod
    @cache
    def of(folder: Path) -> Declarations | None:
        """Those of the header in a folder; None where it is not, or is another one."""
        try:
            return Declarations((folder / HEADER).read_text())
        except (OSError, ValueError):
            return None

    def before(self, source: str) -> str:
        """What a program has to begin with when `GUARD` is defined; its own lines keep their numbers."""
        named = set(_NAME.findall(source)) & self._places.keys()
        found = [self._order[place] for place in sorted(place for name in named for place in self._places[name])]
        lines = [f"#ifdef {x}\n#pragma OPENCL EXTENSION {x} : enable\n#endif" for x in _EXTENSIONS]
        lines += [f"#define {name} {meaning}" for name, meaning in _MACROS.items()]
        for condition, group in groupby(found, lambda each: each[0]):
            texts = [text for _, text in group]
            lines += [f"#if {condition}", *texts, "#endif"] if condition else texts
        lines += [f"#undef {name}" for name in _MACROS]
        return "\n".join([*lines, "#pragma OPENCL EXTENSION all : disable", "#line 1", ""])


def _declared(text: str) -> str | None:
    """The function that a statement declares: the name before its parameters."""
    if "__attribute__" in text:
        text = _ATTRIBUTE.sub("", text)
    head, parenthesis, _ = text.partition("(")
    before = head.rsplit(None, 1)
    name = before[-1].lstrip("*") if parenthesis and before else ""
    return name if name.isidentifier() else None


def _statements(text: str) -> list[tuple[str, str]]:
    """The statements of a C text, each with the condition, for `#if`, under which it stands; no directives.

    It takes the text apart at the directives, and what lies between two of them in one go: a process that compiles
    waits for this, and a megabyte has 18,000 lines.

    Raises:
        ValueError: conditions that do not end or begin, or a statement that does not end.
    """
    found: list[tuple[str, str]] = []
    # Of each open `#if`: the conditions of the branches so far, and that of the text in the present one.
    stack: list[tuple[list[str], str]] = []
    between, *rest = _DIRECTIVE.split(_COMMENT.sub("", re.sub(r"\\\n", " ", text)))
    begun = _take(between, "", found)
    for kind, test, between in zip(rest[::3], rest[1::3], rest[2::3], strict=True):
        if kind in _OPENING:
            test = _OPENING[kind].format(test)
            stack.append(([test], test))
        elif kind in ("elif", "else", "endif"):
            if not stack:
                raise ValueError(f"#{kind} without #if")
            before, _ = stack.pop()
            own = [f"({test})"] if kind == "elif" else []
            if kind != "endif":
                stack.append((before + own, " && ".join([*(f"!{each}" for each in before), *own])))
        condition = " && ".join(branch for _, branch in stack if branch != f"!defined({GUARD})")
        begun = _take(begun + between, condition, found)
    if stack or begun.strip():
        raise ValueError(f"the text ends in {begun.strip() or '#if ' + stack[-1][1]}")
    return found


def _take(text: str, condition: str, found: list[tuple[str, str]]) -> str:
    """Add the statements that end in a text without directives; what is left of it."""
    *statements, begun = _END.split(text)
    for statement in statements:
        statement = statement.strip()
        if "\n" in statement:
            statement = " ".join(filter(None, map(str.strip, statement.split("\n"))))
        found.append((condition, statement + ";"))
    return begun
