"""Index arithmetic of views: quotients and remainders that have grown get variables of their own.

A view that splits an index `i` into `i // row` and `i % row` gives two sizes that the arithmetic has simplified. Where
views are stacked the numerator of one division holds the results of others; products then distribute over the
remainders (`a % b` is `a - b * (a // b)`), terms multiply with each view, and some exceed what an index can hold though
the index itself does not. A variable for each part ends that: its range is known, and no product reaches into it.
"""

from __future__ import annotations

from ir.core.sizes import Atom, Size, var
from ir.opencl.read.views import is_symbolic_lane
from ir.opencl.tree import Declare
from ir.opencl.write.scalars import ScalarWriter

__all__ = ["IndexWriter"]

MOST_TERMS = 8
"""A division of a longer sum is not written again at each use."""


class IndexWriter(ScalarWriter):
    """The part of the kernel writer that splits indices and puts them together."""

    def divided(self, i: Size, row: Size, rows: Size) -> tuple[Size, Size]:
        """`i // row`, below `rows`, and `i % row`: as they are where they are simple, else as new variables.

        An index may be out of range only where its value is never used (the other side of a `Choice`).
        """
        quotient, remainder = i // row, i % row
        if _is_simple(quotient) and _is_simple(remainder):
            return quotient, remainder
        symbolic = any(is_symbolic_lane(v) for v in i.variables)
        found = self._symbolic.get((i, row)) if symbolic else self.scope.division(i, row)
        if found is None:
            prefix = "lane_" if symbolic else ""
            found = (
                quotient if _is_simple(quotient) else var(self.name_for(f"{prefix}row"), 0, rows - 1),
                remainder if _is_simple(remainder) else var(self.name_for(f"{prefix}col"), 0, row - 1),
            )
            self.divisions[found] = i, row
            if symbolic:
                self._symbolic[i, row] = found
            else:
                for part, whole, operator in zip(found, (quotient, remainder), "/%", strict=True):
                    if part is not whole:
                        self._declare_part(part, i, row, operator)
                self.scope.remember_division(i, row, found)
        return found

    def _declare_part(self, part: Size, i: Size, row: Size, operator: str) -> None:
        self.loop_sizes.add(part)
        text = f"{self.spelling.size(i)} {operator} {self.spelling.size(row)}"
        self._emit(Declare(f"const {self.spelling.index_type}", part.name, text))

    def combined(self, i: Size, row: Size, j: Size) -> Size:
        """`i * row + j`: the index that `divided` split into these parts, if it did."""
        whole = self.divisions.get((i, j))
        return whole[0] if whole is not None and whole[1] is row else i * row + j


def _is_simple(value: Size) -> bool:
    return all(
        sum(len(operand.terms) for operand in atom.operands) <= MOST_TERMS
        and not any(_divides(inner) for inner in _atoms(atom.operands[0]))
        for atom in _atoms(value)
        if atom.kind in ("floordiv", "mod")
    )


def _atoms(value: Size) -> list[Atom]:
    return [atom for monomial, _ in value.terms for atom, _ in monomial]


def _divides(atom: Atom) -> bool:
    return atom.kind in ("floordiv", "mod") or any(_divides(a) for operand in atom.operands for a in _atoms(operand))
