"""Lengths written by others: sums of parts, products of extents."""

from __future__ import annotations

from ir.core.sizes import size, var
from ir.fusion.partition.relations import Relation, relate


def product(*terms: int) -> Relation:
    return Relation.product(terms)


def related(relations, known):
    symbols = {}

    def symbol(number):
        return symbols.setdefault(number, var(f"s{number}", 1))

    found = {number: size(number) for number in range(3)} | {n: symbol(n) for n in known}
    relate(relations, found, symbol)
    return found, symbol


def test_an_extent_is_the_quotient_of_what_is_known():
    """Also where the other extent is a product itself, which comes later in the list."""
    found, symbol = related([product(10, 7), product(2, 5)], [70])
    assert found[10] is 2 * symbol(5)
    assert found[7] is symbol(7)  # 70 / (2 * 5) is no polynomial
    whole = 6 * var("n", 1)
    found = {1: size(1), 2: size(2), 3: size(3), 42: whole}
    relate([product(6, 7), product(2, 3)], found, lambda number: var(f"s{number}", 1))
    assert found[7] is var("n", 1)


def test_an_extent_that_the_others_are_written_by_stays():
    relations = [product(10, 5), product(2, 5)]  # 10 is written by 5, which is the unknown of the first
    found, symbol = related(relations, [50])
    assert found[5] is symbol(5)
    assert found[10] is 2 * symbol(5)


def test_parts_add_up_to_the_whole():
    found, symbol = related([Relation((7, 11), True)], [])
    assert found[18] is symbol(7) + symbol(11)
