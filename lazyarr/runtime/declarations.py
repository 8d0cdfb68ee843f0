"""The built-in functions that a program uses, declared for PoCL's compiler, which otherwise reads them all each time.

PoCL puts clang's `opencl-c.h` before every program: a megabyte that declares each function of OpenCL C for each type.
Reading it takes ten times as long as compiling most kernels does. `Declarations` reads it once. A program that begins
with those lines of it that declare what the program mentions, and with its guard defined, compiles to the same.
"""

from __future__ import annotations

import re
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
_ATTRIBUTE = re.compile(r"__attribute__\s*\(\(.*?\)\)", re.DOTALL)
_DIRECTIVE = re.compile(r"\n[ \t]*#[ \t]*(\w+)[ \t]*(.*?)[ \t]*(?=\n)")
_END = re.compile(r";[ \t]*(?=\n|$)")
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
        self._statements, self._conditions = _statements(header)
        self._names = list(map(_declared, self._statements))

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
        named = set(_NAME.findall(source))
        found = [place for place, name in enumerate(self._names) if name in named]
        lines = [f"#ifdef {x}\n#pragma OPENCL EXTENSION {x} : enable\n#endif" for x in _EXTENSIONS]
        lines += [f"#define {name} {meaning}" for name, meaning in _MACROS.items()]
        for condition, group in groupby(found, self._conditions.__getitem__):
            texts = [f"{_on_one_line(self._statements[place])};" for place in group]
            lines += [f"#if {condition}", *texts, "#endif"] if condition else texts
        lines += [f"#undef {name}" for name in _MACROS]
        return "\n".join([*lines, "#pragma OPENCL EXTENSION all : disable", "#line 1", ""])


def _on_one_line(text: str) -> str:
    return " ".join(filter(None, map(str.strip, text.split("\n"))))


def _declared(text: str) -> str:
    """The function that a statement declares: the name before its parameters."""
    head, parenthesis, _ = text.partition("(")
    if "__attribute__" in head:
        head, parenthesis, _ = _ATTRIBUTE.sub("", text).partition("(")
    before = head.rsplit(None, 1)
    return before[-1].lstrip("*") if parenthesis and before else ""


def _statements(text: str) -> tuple[list[str], list[str]]:
    """The statements of a C text, and the condition, for `#if`, under which each stands; no directives.

    It takes the text apart at the directives, and what lies between two of them in one go, and makes no object beside
    the strings: a process that compiles waits for this, and a megabyte has 18,000 lines.

    Raises:
        ValueError: conditions that do not end or begin, or a statement that does not end.
    """
    statements: list[str] = []
    conditions: list[str] = []
    # Of each open `#if`: the conditions of the branches so far, and that of the text in the present one.
    stack: list[tuple[list[str], str]] = []
    text = _COMMENT.sub("", re.sub(r"\\\n", " ", text))
    between, *rest = _DIRECTIVE.split(f"\n{text}\n")
    *found, begun = _END.split(between)
    statements += found
    conditions += [""] * len(found)
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
        *found, begun = _END.split(begun + between)
        statements += found
        if found:
            condition = " && ".join(branch for _, branch in stack if branch != f"!defined({GUARD})")
            conditions += [condition] * len(found)
    if stack or begun.strip():
        raise ValueError(f"the text ends in {begun.strip() or '#if ' + stack[-1][1]}")
    return statements, conditions
