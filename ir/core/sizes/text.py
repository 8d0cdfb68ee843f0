"""Sizes: the printer and the parser (import them from `ir.core.sizes`)."""

from __future__ import annotations

import ast
import keyword
from collections.abc import Callable, Mapping
from typing import Final

from ir.core.sizes import functions as size_functions
from ir.core.sizes.polynomials import Monomial
from ir.core.sizes.terms import Atom, Size, SizeError, constant

_MAX_TEXT: Final = 100_000  # characters; generated index arithmetic is far shorter


def check_name(name: str) -> None:
    """SizeError unless text with this variable in it can be read back."""
    if not name.isidentifier() or keyword.iskeyword(name) or name in ("min", "max"):
        raise SizeError(f"expected an identifier as the name of a variable, got {name!r}")


# -- printing --------------------------------------------------------------------------------------------------------


def text(a: Size) -> str:
    """Canonical infix text, e.g. `4*i + j % 3 - 1`."""
    if a.value is not None:
        return str(a.value)
    # A positive term first, where there is one: `n - i` rather than `-i + n`.
    terms = sorted(a.terms, key=lambda term: (term[0] == (), term[1] < 0))
    if terms[0][1] < 0 and terms[-1][1] > 0:
        terms = [terms[-1], *terms[:-1]]
    parts = [_term(*terms[0])]
    for monomial, coefficient in terms[1:]:
        parts += [" + " if coefficient > 0 else " - ", _term(monomial, abs(coefficient))]
    return "".join(parts)


def _term(monomial: Monomial, coefficient: int) -> str:
    if not monomial:
        return str(coefficient)
    if len(monomial) == 1 and monomial[0][1] == 1 and coefficient == 1:
        return monomial[0][0].text
    factors = "*".join(_factor(atom, exponent) for atom, exponent in monomial)
    if coefficient == 1:
        return factors
    return f"-{factors}" if coefficient == -1 else f"{coefficient}*{factors}"


def _factor(atom: Atom, exponent: int) -> str:
    plain = atom.kind in ("var", "min", "max") or (atom.kind == "pow" and exponent == 1)
    shown = atom.text if plain else f"({atom.text})"
    if exponent == 1:
        return shown
    # `power` multiplies a remainder out for small exponents only; a product is always read back as the same polynomial.
    return f"{shown}**{exponent}" if atom.kind != "mod" or exponent == 2 else "*".join([shown] * exponent)


def atom_text(atom: Atom) -> str:
    """Canonical text of one atom, without parentheses around it."""
    if atom.kind == "var":
        return atom.name
    left, right = atom.operands
    if atom.kind in ("min", "max"):
        return f"{atom.kind}({left}, {right})"
    operator = {"floordiv": " // ", "mod": " % ", "pow": "**"}[atom.kind]
    return f"{_operand(left)}{operator}{_operand(right)}"


def _operand(a: Size) -> str:
    if a.value is not None:
        return str(a.value) if a.value >= 0 else f"({a.value})"
    atom = a.atom
    return str(a) if atom is not None and atom.kind in ("var", "min", "max") else f"({a})"


# -- parsing ---------------------------------------------------------------------------------------------------------


def parse_size(text: str, scope: Mapping[str, Size]) -> Size:
    """Read what `str` prints; names are looked up in `scope`. SizeError on anything else."""
    if len(text) > _MAX_TEXT:
        raise SizeError(f"the text of a size is too long: {len(text)} characters, at most {_MAX_TEXT}")
    try:
        return _read(ast.parse(text.strip(), mode="eval").body, scope)
    except (SyntaxError, RecursionError, MemoryError) as problem:
        raise SizeError(f"cannot read {text[:80]!r} as a size: {problem}") from problem
    except SizeError:
        raise
    except ValueError as problem:  # a null character, or a number of too many digits
        raise SizeError(f"cannot read {text[:80]!r} as a size: {problem}") from problem


def _read(node: ast.expr, scope: Mapping[str, Size]) -> Size:
    match node:
        case ast.Constant(value=int(number)) if type(number) is int:
            return constant(number)
        case ast.Name(id=name):
            if name not in scope:
                raise SizeError(f"unknown variable {name!r}; in scope: {', '.join(sorted(scope)) or 'none'}")
            return scope[name]
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return -_read(operand, scope)
        case ast.BinOp(left=left, op=op, right=right) if type(op) in _OPERATORS:
            return _OPERATORS[type(op)](_read(left, scope), _read(right, scope))
        case ast.Call(func=ast.Name(id="min" | "max" as name), args=[left, right], keywords=[]):
            build = size_functions.minimum if name == "min" else size_functions.maximum
            return build(_read(left, scope), _read(right, scope))
    raise SizeError(f"cannot read {ast.unparse(node)[:80]!r} as a size: only + - * // % ** min max")


_OPERATORS: Final[dict[type[ast.operator], Callable[[Size, Size], Size]]] = {
    ast.Add: lambda a, b: a + b,
    ast.Sub: lambda a, b: a - b,
    ast.Mult: lambda a, b: a * b,
    ast.FloorDiv: lambda a, b: a // b,
    ast.Mod: lambda a, b: a % b,
    ast.Pow: lambda a, b: a**b,
}
