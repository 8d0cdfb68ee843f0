"""Sums of products of matrices: the equation by which a block matrix is multiplied block by block, read from right to
left.
"""

from __future__ import annotations

from typing import NamedTuple

from ir.core.expr import Expr, Lambda, Param, fun, postorder
from ir.core.patterns import MAP, REDUCE, Concat, Join, Map, Reduce, Transpose, Zip
from ir.rewrite.rule import Label, rule
from ir.rules.common import element, is_monoid, length, parts_of

__all__ = ["MatrixProduct", "added", "adds", "summands"]


class MatrixProduct(NamedTuple):
    """`join (map (λr. join (map (λc. reduce f z (map g (zip(r, c)))) columns)) rows)`, as it is recorded."""

    rows: Expr
    columns: Expr
    f: Lambda
    z: Expr
    g: Lambda

    @classmethod
    def of(cls, e: Expr) -> MatrixProduct | None:
        """The product that stands here; None where none does."""
        match e:
            case Join(Map(Lambda() as of_row, rows, outer)) if outer == MAP:
                (row,), of_columns = of_row.open()
            case _:
                return None
        match of_columns:
            case Join(Map(Lambda() as of_column, columns, inner)) if inner == MAP and row not in postorder(columns):
                (column,), dot = of_column.open()
            case _:
                return None
        match dot:
            case Reduce(Lambda() as f, z, Map(Lambda() as g, Zip(operands=(a, b)), how), order):
                as_recorded = (how, order) == (MAP, REDUCE) and a is row and b is column and is_monoid(f, z)
                if as_recorded and all({row, column}.isdisjoint(postorder(x)) for x in (f, z, g)):
                    return cls(rows, columns, f, z, g)
        return None

    def is_like(self, other: MatrixProduct) -> bool:
        """Do both have the same operations, and results of the same shape?"""
        same = self.f is other.f and self.z is other.z and self.g is other.g
        return same and all(length(x) is length(y) for x, y in zip(self[:2], other[:2], strict=True))

    def over(self, rows: Expr, columns: Expr) -> Expr:
        """The product of other matrices with the same operations."""

        def of_row(row: Param) -> Expr:
            return Join(Map(fun(element(columns), lambda c: Reduce(self.f, self.z, Map(self.g, Zip(row, c)))), columns))

        return Join(Map(fun(element(rows), of_row), rows))


def added(e: Expr) -> tuple[Expr, ...]:
    """The two arrays that a map of a zip may add, or the one to which another map may add the neutral element."""
    if not isinstance(e, Map) or e.how != MAP:
        return ()
    return e.xs.operands if isinstance(e.xs, Zip) and len(e.xs.operands) == 2 else (e.xs,)


def adds(e: Map, product: MatrixProduct) -> bool:
    """Does a map add elements as the product does its terms?"""
    if not isinstance(e.f, Lambda) or e.f.loose:
        return False
    (variable,), body = e.f.open()
    parts = parts_of(variable, len(added(e)))
    if element(e) is not product.z.type:
        return False
    return body is (product.f(*parts) if len(parts) == 2 else product.f(product.z, variable))


def summands(e: Expr) -> list[MatrixProduct]:
    """The products that a sum adds, from left to right; none where it is no sum of two or more, each with the
    operations and the shape of the first. What is added to the neutral element stands for itself.
    """
    found: list[MatrixProduct] = []
    sums: list[Map] = []
    pending = [e]
    while pending:
        node = pending.pop()
        product = MatrixProduct.of(node)
        if product is not None:
            found.append(product)
        elif isinstance(node, Map) and added(node):
            sums.append(node)
            pending += reversed(added(node))
        else:
            return []
    is_sum = len(found) > 1 and all(map(found[0].is_like, found)) and all(adds(node, found[0]) for node in sums)
    return found if is_sum else []


@rule(Label.REASSOCIATING, "a block matrix is multiplied block by block")
def sum_of_products(e: Map) -> Expr | None:
    """a @ b + c @ d + ..  ->  transpose (concat(transpose a, transpose c, ..)) @ transpose (concat(transpose b, ..))

    Here `a @ b` is `join (map (λr. join (map (λc. reduce f z (map g (zip(r, c)))) (columns of b))) a)`, and `+` is
    `map f ∘ zip`: the terms of all are reduced together.
    """
    products = summands(e)
    if not products:
        return None
    rows, columns = (Transpose(Concat(*(_turned(p[i]) for p in products))) for i in (0, 1))
    return products[0].over(rows, columns)


def _turned(xss: Expr) -> Expr:
    """The transpose; of a transpose what that is of."""
    return xss.xs if isinstance(xss, Transpose) else Transpose(xss)
