"""What a step changed in an expression's text: the parts that differ, and them in context."""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Sequence

__all__ = ["Run", "abridged", "changes"]

Run = tuple[str, bool]
"""A piece of text, and whether it changed."""

_FEW = 100
"""Words up to which two texts are compared as a whole: what is alike at both ends may better be told to have moved."""

_MOST = 400
"""Words beyond which two texts are not compared word by word between their first and their last difference."""


def changes(before: str, after: str) -> tuple[list[Run], list[Run]]:
    """Two texts in pieces, each changed or not; put together again they are the texts.

    Words and single signs are compared, and no blanks; the blanks between changed words count as changed. Where the
    other text has something more, there is a changed piece without any text.
    """
    texts = [re.findall(r"\s+|\w+|[^\w\s]", text) for text in (before, after)]
    places = [[i for i, token in enumerate(tokens) if not token.isspace()] for tokens in texts]
    old, new = ([tokens[i] for i in where] for tokens, where in zip(texts, places, strict=True))
    changed: tuple[set[int], set[int]] = (set(), set())
    missing: tuple[set[int], set[int]] = (set(), set())  # the places before which the other text has more
    for ranges in _different(old, new):
        for side, (start, end) in enumerate((ranges[:2], ranges[2:])):
            changed[side].update(places[side][start:end])
            if start == end:
                missing[side].add(places[side][start] if start < len(places[side]) else len(texts[side]))
    return _runs(texts[0], changed[0], missing[0]), _runs(texts[1], changed[1], missing[1])


def _different(old: Sequence[str], new: Sequence[str]) -> list[tuple[int, int, int, int]]:
    """The ranges of words that differ: all between the first and the last difference where that is too much to
    compare.
    """
    if len(old) + len(new) <= 2 * _FEW:
        return _compared(old, new, 0)
    least = min(len(old), len(new))
    start = next((i for i in range(least) if old[i] != new[i]), least)
    end = next((i for i in range(least - start) if old[-1 - i] != new[-1 - i]), least - start)
    old, new = old[start : len(old) - end], new[start : len(new) - end]
    if len(old) + len(new) > 2 * _MOST:
        return [(start, start + len(old), start, start + len(new))]
    return _compared(old, new, start)


def _compared(old: Sequence[str], new: Sequence[str], start: int) -> list[tuple[int, int, int, int]]:
    """The same of words after so many that are alike."""
    found = difflib.SequenceMatcher(None, old, new, autojunk=False).get_opcodes()
    return [(start + a, start + b, start + c, start + d) for tag, a, b, c, d in found if tag != "equal"]


def _runs(tokens: Sequence[str], changed: set[int], missing: set[int]) -> list[Run]:
    found: list[tuple[list[str], bool]] = []
    inside = False
    for i, token in enumerate(tokens):
        if i in missing:
            found.append(([], True))
        inside = (inside and i + 1 in changed) if token.isspace() else i in changed
        if not found or found[-1][1] != inside:
            found.append(([], inside))
        found[-1][0].append(token)
    runs = [("".join(texts), inside) for texts, inside in found]
    return [*runs, ("", True)] if len(tokens) in missing else runs


def abridged(runs: Sequence[Run], mark: Callable[[str], str], context: int = 40, width: int = 400) -> str:
    """The pieces as one text, the changed ones marked, with so many characters of what stands around them.

    A text without a change is shown from its beginning. What is left out, and what goes beyond the width, is `…`.
    """
    if not any(changed for _, changed in runs):
        return _cut("".join(text for text, _ in runs), width)
    out: list[str] = []
    length = 0
    for i, (text, changed) in enumerate(runs):
        if length >= width:
            return "".join([*out, "…"])
        shown = _cut(text, width - length) if changed else _around(text, context, i > 0, i + 1 < len(runs))
        length += len(shown)
        out.append(mark(shown) if changed else shown)
    return "".join(out).strip()


def _around(text: str, context: int, after: bool, before: bool) -> str:
    """An unchanged text after and before changed ones: its beginning, its end, or both."""
    if len(text) <= context * (after + before) + 3:
        return text
    head, tail = text[:context].rpartition(" ")[0], text[len(text) - context :].partition(" ")[2]
    return (head if after else "") + " … " + (tail if before else "")


def _cut(text: str, width: int) -> str:
    return text if len(text) <= width else text[: max(width - 1, 0)] + "…"
