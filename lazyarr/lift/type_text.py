"""Types written as text: `[float32]n`, `[[float32]m]n`, `[(float32, int32)](4*n)`, as they print."""

from __future__ import annotations

import re

from ir.core.sizes import Size, SizeError, parse_size, var
from ir.core.types import ArrayType, ScalarType, TupleType, Type, VectorType
from ir.errors import TypeMismatch

__all__ = ["read_type"]

_TOKEN = re.compile(r"\s*([\[\](),<>]|[^\s\[\](),<>]+)")


def read_type(text: str, sizes: dict[str, Size]) -> Type:
    """The type that a text denotes, the inverse of `str`.

    Args:
        sizes: the size variables known so far; names that are not among them are added, as lengths of one or more

    Raises:
        ValueError: it is no type; shows the text.
    """
    reader = _Reader(text, sizes)
    try:
        found = reader.type()
    except (TypeMismatch, SizeError) as error:
        raise ValueError(f"{text!r} is no type: {error}") from error
    if reader.rest:
        raise reader.error("the end")
    return found


class _Reader:
    def __init__(self, text: str, sizes: dict[str, Size]) -> None:
        self.text = text
        self.sizes = sizes
        self.rest = _TOKEN.findall(text)

    def error(self, expected: str) -> ValueError:
        found = repr(self.rest[0]) if self.rest else "the end"
        return ValueError(
            f"{self.text!r} is no type: expected {expected}, got {found}; types are written [float32]n, "
            "[[float32]m]n, [(float32, int32)](4*n)"
        )

    def take(self, expected: str) -> None:
        if not self.rest or self.rest[0] != expected:
            raise self.error(repr(expected))
        del self.rest[0]

    def type(self) -> Type:
        if not self.rest:
            raise self.error("a type")
        first = self.rest.pop(0)
        if first == "[":
            element = self.type()
            self.take("]")
            return ArrayType(element, self.length())
        if first == "(":
            parts = [self.type()]
            while self.rest[:1] == [","]:
                del self.rest[0]
                parts.append(self.type())
            self.take(")")
            return TupleType(tuple(parts))
        if first == "<":
            element = self.type()
            self.take(">")
            if not self.rest or not self.rest[0].isdigit():
                raise self.error("the width of a vector")
            return VectorType(element, int(self.rest.pop(0)))
        return ScalarType(first)

    def length(self) -> Size:
        if not self.rest:
            raise self.error("a length")
        words = [self.rest.pop(0)]
        depth = words[0] == "("
        while depth and self.rest:
            words.append(self.rest.pop(0))
            depth += {"(": 1, ")": -1}.get(words[-1], 0)
        text = " ".join(words)
        for name in re.findall(r"[^\W\d]\w*", text):
            if name not in ("min", "max", "pow"):
                self.sizes.setdefault(name, var(name, 1))
        return parse_size(text, self.sizes)
