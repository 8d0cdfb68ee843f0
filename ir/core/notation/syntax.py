r"""From text to an untyped tree: the words and the grammar of the papers' notation.

    expression  = "let" name "=" expression "in" expression | function | composition
    function    = "λ" (name | "(" name {"," name} ")") "." expression
                | "λ" "[" (size "→")? name (":" size? ".." size?)? "]" "." expression           (of iterate)
    composition = infix {"∘" infix}
    infix       = the usual binary operators over applications; "-" before one negates it
    application = atom {atom}
    atom        = (name | number | "(" operator ")" | "(" expression {"," expression} ")") {"." digits}

ASCII alternatives: `\` for λ, a word `o` for ∘, `->` for →. The dot after a function's variables is followed by a
space where a digit comes next.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from ir.core.notation.words import DTYPES, NAME, PRECEDENCES, is_reserved
from ir.errors import ParseError

__all__ = [
    "Apply", "Compose", "Function", "Infix", "Let", "Listed", "Name", "Negated", "Number", "Projection", "Section",
    "SizeFunction", "Tree", "error_at", "parse_tree",
]  # fmt: skip


@dataclass(frozen=True)
class Tree:
    """A piece of text, from character `start` up to `end`."""

    start: int
    end: int


@dataclass(frozen=True)
class Name(Tree):
    """A variable or a word of the language; one in backquotes is always a variable."""

    text: str
    quoted: bool = False

    @property
    def word(self) -> str | None:
        """The word of the language this is, if any."""
        return self.text if not self.quoted and is_reserved(self.text) else None


@dataclass(frozen=True)
class Number(Tree):
    """A constant as `ir.core.notation.words` describes it."""

    text: str


@dataclass(frozen=True)
class Section(Tree):
    """`(+)`."""

    symbol: str


@dataclass(frozen=True)
class Function(Tree):
    """`λ(x, y). body`."""

    names: tuple[str, ...]
    body: Tree


@dataclass(frozen=True)
class SizeFunction(Tree):
    """`λ[2*m → m]. body`, from arrays of length 2*m to arrays of length m."""

    length: Tree | None
    name: str
    lo: Tree | None
    hi: Tree | None
    bounded: bool
    body: Tree


@dataclass(frozen=True)
class Apply(Tree):
    """`head argument ...`."""

    head: Tree
    arguments: tuple[Tree, ...]


@dataclass(frozen=True)
class Compose(Tree):
    """`f ∘ g ∘ ...`."""

    parts: tuple[Tree, ...]


@dataclass(frozen=True)
class Infix(Tree):
    """`left + right`."""

    symbol: str
    left: Tree
    right: Tree


@dataclass(frozen=True)
class Negated(Tree):
    """`-x`."""

    operand: Tree


@dataclass(frozen=True)
class Listed(Tree):
    """`(x, y, ...)`, two or more."""

    items: tuple[Tree, ...]


@dataclass(frozen=True)
class Projection(Tree):
    """`t.0`."""

    operand: Tree
    index: int


@dataclass(frozen=True)
class Let(Tree):
    """`let a = x in let b = y in ... body`."""

    bindings: tuple[tuple[str, Tree], ...]
    body: Tree


def error_at(text: str, position: int, message: str) -> ParseError:
    """A `ParseError` that shows where in the text something else was expected."""
    begin, end = max(0, position - 60), min(len(text), position + 40)
    shown = re.sub(r"\s", " ", text[begin:end])
    before, after = ("…" if begin else ""), ("…" if end < len(text) else "")
    caret = " " * (len(before) + position - begin) + "^"
    return ParseError(f"{message}, at character {position}:\n  {before}{shown}{after}\n  {caret}")


_TOKENS = re.compile(
    rf"""(?P<space>\s+)
    |(?P<number>0x[0-9a-f]+:(?:{"|".join(DTYPES)})\b
        |(?:\d+(?:\.\d+)?(?:[eE][+-]?\d+)?|(?:inf|nan)\b)(?::(?:{"|".join(DTYPES)})\b)?|(?:true|false)\b)
    |(?P<name>{NAME})
    |(?P<quoted>`(?:[^`]|``)+`)
    |(?P<projection>\.\d+)
    |(?P<symbol>→|->|\.\.|==|!=|<=|>=|\*\*|//|[λ\\∘◦+*/%<>|&^()\[\],.=:-])""",
    re.VERBOSE,
)
_SAME = {"\\": "λ", "◦": "∘", "->": "→"}


@dataclass(frozen=True)
class _Token(Tree):
    kind: str
    text: str


def _tokens(text: str) -> Iterator[_Token]:
    position = 0
    while position < len(text):
        match = _TOKENS.match(text, position)
        if match is None:
            raise error_at(text, position, f"expected a name, a number or an operator, got {text[position]!r}")
        kind, word = match.lastgroup or "", match[0]
        if kind == "name" and word in ("let", "in", "o"):
            kind, word = "symbol", "∘" if word == "o" else word
        if kind != "space":
            yield _Token(position, match.end(), kind, _SAME.get(word, word))
        position = match.end()
    yield _Token(position, position, "end", "the end")


def parse_tree(text: str) -> Tree:
    """The tree of an expression's text; `ParseError` where it does not follow the grammar."""
    return _Grammar(text).program()


class _Grammar:
    def __init__(self, text: str) -> None:
        self.source = text
        self.tokens = list(_tokens(text))
        self.at = 0

    @property
    def token(self) -> _Token:
        return self.tokens[self.at]

    def fail(self, expected: str) -> ParseError:
        return error_at(self.source, self.token.start, f"expected {expected}, got {self.token.text!r}")

    def next(self) -> _Token:
        token = self.token
        self.at += token.kind != "end"
        return token

    def sees(self, *symbols: str) -> bool:
        return self.token.kind == "symbol" and self.token.text in symbols

    def accept(self, symbol: str) -> bool:
        found = self.sees(symbol)
        self.at += found
        return found

    def expect(self, symbol: str) -> _Token:
        if not self.sees(symbol):
            raise self.fail(repr(symbol))
        return self.next()

    def since(self, start: int) -> tuple[int, int]:
        return start, self.tokens[self.at - 1].end

    def program(self) -> Tree:
        tree = self.expression()
        if self.token.kind != "end":
            raise self.fail("an operator, an argument or the end")
        return tree

    def name(self) -> str:
        token = self.token
        if token.kind == "quoted":
            return _unquoted(self.next().text)
        if token.kind != "name" or is_reserved(token.text):
            raise self.fail("a name that is not a word of the language")
        return self.next().text

    def expression(self) -> Tree:
        start = self.token.start
        if self.sees("let"):
            bindings = []
            while self.accept("let"):
                name = self.name()
                self.expect("=")
                bindings.append((name, self.expression()))
                self.expect("in")
            body = self.expression()
            return Let(*self.since(start), tuple(bindings), body)
        if self.accept("λ"):
            return self.size_function(start) if self.accept("[") else self.function(start)
        parts = [self.infix(0)]
        while self.accept("∘"):
            parts.append(self.infix(0))
        return parts[0] if len(parts) == 1 else Compose(*self.since(start), tuple(parts))

    def function(self, start: int) -> Tree:
        names: list[str] = []
        if self.accept("("):
            names.append(self.name())
            while self.accept(","):
                names.append(self.name())
            self.expect(")")
        else:
            names.append(self.name())
        if len(set(names)) < len(names):
            raise error_at(self.source, start, "expected different names for the variables")
        self.expect(".")
        body = self.expression()
        return Function(*self.since(start), tuple(names), body)

    def size_function(self, start: int) -> Tree:
        length: Tree | None = self.infix(0)
        if self.accept("→"):
            name = self.name()
        elif isinstance(length, Name):
            name, length = length.text, None
        else:
            raise self.fail("'→' and the size variable")
        lo = hi = None
        bounded = self.accept(":")
        if bounded:
            lo = None if self.sees("..") else self.infix(0)
            self.expect("..")
            hi = None if self.sees("]") else self.infix(0)
        self.expect("]")
        self.expect(".")
        body = self.expression()
        return SizeFunction(*self.since(start), length, name, lo, hi, bounded, body)

    def infix(self, least: int) -> Tree:
        start = self.token.start
        left = self.prefix()
        while self.token.kind == "symbol" and PRECEDENCES.get(self.token.text, -1) >= least:
            symbol = self.next().text
            right = self.infix(PRECEDENCES[symbol] + (symbol != "**"))
            left = Infix(*self.since(start), symbol, left, right)
        return left

    def prefix(self) -> Tree:
        start = self.token.start
        if self.accept("-"):
            operand = self.prefix()
            if isinstance(operand, Number) and re.match(r"\d(?!x)|inf|nan", operand.text):
                return Number(*self.since(start), "-" + operand.text)
            return Negated(*self.since(start), operand)
        head = self.atom()
        arguments = []
        while self.token.kind in ("name", "number", "quoted") or self.sees("("):
            arguments.append(self.atom())
        return Apply(*self.since(start), head, tuple(arguments)) if arguments else head

    def atom(self) -> Tree:
        start = self.token.start
        tree = self.primary()
        while self.token.kind == "projection":
            index = int(self.next().text[1:])
            tree = Projection(*self.since(start), tree, index)
        return tree

    def primary(self) -> Tree:
        token = self.token
        if token.kind == "number":
            self.next()
            return Number(token.start, token.end, token.text)
        if token.kind == "quoted":
            self.next()
            return Name(token.start, token.end, _unquoted(token.text), True)
        if token.kind == "name":
            self.next()
            return Name(token.start, token.end, token.text)
        if not self.accept("("):
            raise self.fail("an expression")
        if self.token.text in PRECEDENCES and self.tokens[self.at + 1].text == ")":
            symbol = self.next().text
            self.expect(")")
            return Section(*self.since(token.start), symbol)
        items = [self.expression()]
        while self.accept(","):
            items.append(self.expression())
        if not self.sees(")"):
            raise self.fail("',' or ')'")
        self.next()
        return items[0] if len(items) == 1 else Listed(*self.since(token.start), tuple(items))


def _unquoted(text: str) -> str:
    return text[1:-1].replace("``", "`")
