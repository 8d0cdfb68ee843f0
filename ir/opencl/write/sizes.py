"""How sizes are written in OpenCL C: as integer expressions of the kernel's index type."""

from __future__ import annotations

from typing import Any

from ir.core.sizes import Size, greatest_part, is_le, size
from ir.errors import GenerationError
from ir.opencl.write.helpers import FLOOR_SIZES

__all__ = ["SpelledSizes"]

_GREATEST_INT = 2**31 - 1


class SpelledSizes:
    """Writes sizes of one kernel; collects the variables in them, and the helper functions that they need.

    Attributes:
        index_type: the C type of indices
        helpers: the texts of helper functions, by name
        variables: the size variables that were written
        declared: the size variables that the kernel itself declares
    """

    def __init__(self, index_type: str) -> None:
        self.index_type = index_type
        self.helpers: dict[str, str] = {}
        self.variables: set[Size] = set()
        self.declared: set[Size] = set()

    def size(self, value: Size) -> str:
        """A size as an integer expression, ready to stand inside a product."""
        text = self._sum(value)
        return f"({text})" if " " in text else text

    def bare_size(self, value: Size) -> str:
        """A size as an integer expression for a place that needs no brackets."""
        return self._sum(value)

    def wide_size(self, value: Size) -> str:
        """A size's text in 64 bits, for sums of products of variables, each of which 32 bits hold."""
        return self._sum(value, "(long)")

    def _overflows(self, value: Size) -> bool:
        """Whether a sum fits, but not what is added up before something is subtracted.

        Asked of the kernel's own variables. Lengths come with the greatest that any may have: their products fit.
        """
        if self.index_type != "int" or not value.variables <= self.declared:
            return False
        return len({coefficient > 0 for _, coefficient in value.terms}) > 1 and greatest_part(value) > _GREATEST_INT

    def _sum(self, value: Size, cast: str = "") -> str:
        self.variables |= value.variables
        if not cast and self._overflows(value):
            cast = "(long)"
        terms = []
        for monomial, coefficient in value.terms:
            factors = []
            for atom, exponent in monomial:
                factors += [self._atom(atom)] * exponent
            if abs(coefficient) != 1 or not factors:
                factors.insert(0, str(abs(coefficient)))
            terms.append((coefficient < 0, cast + " * ".join(factors)))
        if not terms:
            return "0"
        terms.sort(key=lambda term: term[0])
        first = ("-" if terms[0][0] else "") + terms[0][1]
        return first + "".join((" - " if negative else " + ") + text for negative, text in terms[1:])

    def _atom(self, atom: Any) -> str:
        if atom.kind == "var":
            return str(atom.name)
        a, b = atom.operands
        if atom.kind in ("floordiv", "mod"):
            if not is_le(size(0), a):
                self.helpers["floor_div"] = FLOOR_SIZES.replace("INDEX", self.index_type)
                quotient = f"floor_div({self._sum(a)}, {self._sum(b)})"
                return quotient if atom.kind == "floordiv" else f"({self._sum(a)} - {self.size(b)} * {quotient})"
            return f"({self.size(a)} {'/' if atom.kind == 'floordiv' else '%'} {self.size(b)})"
        if atom.kind in ("min", "max"):
            cast = f"({self.index_type})"
            return f"{atom.kind}({cast}{self.size(a)}, {cast}{self.size(b)})"
        raise GenerationError(f"the power {a}**{b} has no constant exponent: it cannot be computed in a kernel")
