"""Schedules for products of matrices whose elements are used on the spot: a bias that is added, a rectifier, `beta*c`.

The product is lowered by its own schedule. What is done with an element goes to where that is written, out of the
registers that it was summed up in.
"""

from __future__ import annotations

from ir.core.expr import Expr
from ir.rewrite.places import Place
from ir.rules.common import components
from ir.rules.opencl.vectorise import is_vectorisable
from ir.schedules.normal_form.together import is_plain, meeting
from ir.schedules.products.batches import one_of
from ir.schedules.products.form import Product, reduced_in_nest
from ir.schedules.rows.finished import Finished, read_by_map

__all__ = ["FinishedProduct", "is_made_of_product", "is_product"]


class FinishedProduct(Finished):
    """A schedule for a product, and a map over its elements."""

    def place(self, e: Expr) -> Place | None:
        """Where the product stands below a map of its elements and of other arrays of that length."""
        if not is_plain(e) or not is_vectorisable(e.f):
            return None
        found = [i for i, x in enumerate(components(e.xs)) if is_product(x)]
        return read_by_map(e, found[0]) if len(found) == 1 else None


def is_made_of_product(e: Expr) -> bool:
    """Is it made, element by element, of a product and of other arrays?"""
    return any(reduced_in_nest(node) is not None for node in meeting(e))


def is_product(e: Expr) -> bool:
    """Is it a product of matrices, or many?"""
    return Product.of(e) is not None or one_of(e) is not None
