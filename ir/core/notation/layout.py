"""Line breaking: text with marked groups and places to break, laid out within a width.

A group that fits on the rest of the line stays on it; of one that does not, every break becomes a new line, indented by
two columns more than the line on which the group begins. (After Oppen, "Prettyprinting", TOPLAS 1980.)
"""

from __future__ import annotations

import re

__all__ = ["ALIGN", "BREAK", "CLOSE", "OPEN", "flatten", "lay_out"]

# Private-use characters, which no expression contains.
OPEN, CLOSE, BREAK = "\ue000", "\ue001", "\ue002"
ALIGN = "\ue003"  # opens a group whose lines are not indented
_MARKS = OPEN + CLOSE + BREAK + ALIGN
INDENT = 2


def flatten(text: str) -> str:
    """The text on one line."""
    return text.translate({ord(OPEN): None, ord(CLOSE): None, ord(ALIGN): None, ord(BREAK): " "})


def lay_out(text: str, width: int) -> str:
    """The text on lines of at most `width` columns, as far as its breaks allow."""
    tokens = re.findall(f"[{_MARKS}]|[^{_MARKS}]+", text)
    sizes = _group_sizes(tokens)
    out: list[str] = []
    column = indent = 0
    groups: list[tuple[bool, int]] = []  # is the group broken, and its breaks' indentation
    for i, token in enumerate(tokens):
        if token in (OPEN, ALIGN):
            groups.append((column + sizes[i] > width, indent + (INDENT if token == OPEN else 0)))
        elif token == CLOSE:
            groups.pop()
        elif token == BREAK:
            broken, wanted = groups[-1] if groups else (False, 0)
            if broken:
                indent = column = wanted
                out.append("\n" + " " * wanted)
            else:
                out.append(" ")
                column += 1
        else:
            out.append(token)
            column += len(token)
    return "".join(out)


def _group_sizes(tokens: list[str]) -> list[int]:
    """For each token that opens a group: the columns of its text and of what follows it up to the next break."""
    sizes = [0] * len(tokens)
    opened: list[int] = []
    total = 0
    before: list[int] = []
    waiting: list[int] = []  # closed groups whose line goes on after them
    for i, token in enumerate(tokens):
        before.append(total)
        if token in (OPEN, ALIGN):
            opened.append(i)
        elif token == CLOSE:
            waiting.append(opened.pop())
        elif token == BREAK:
            for start in waiting:
                sizes[start] = total - before[start]
            waiting.clear()
            total += 1
        else:
            total += len(token)
    for start in waiting:
        sizes[start] = total - before[start]
    return sizes
