"""Lengths written by others: sums of parts, products of extents."""

from __future__ import annotations

from ir.core.expr import Param
from ir.core.patterns import Concat, Slice, Split, Transpose
from ir.core.sizes import size, var
from ir.core.types import FLOAT32, array_of
from ir.fusion.partition.relations import Relation, relate, relations_of


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


def test_a_shift_by_rows_is_written_by_the_row():
    """So is where rows begin in an array in memory, not only in a concat."""
    rows, row = 1031, 1039
    x = Param("x", array_of(FLOAT32, rows * row))
    for first in (2, 5):
        taken = Split(row, Slice(first * row, 1, (rows - 6) * row, x))
        assert Relation((first, row), False) in relations_of(taken)
    assert Relation((2, row), False) not in relations_of(Split(row, Slice(2 * row + 1, 1, (rows - 6) * row, x)))


def test_neighbouring_extents_of_several_are_a_product_too():
    """Rows of all planes: their number is that of rows in a plane times that of planes."""
    relations = [product(59, 67, 71), product(59 * 67, 71), product(59, 67 * 71)]
    found, symbol = related(relations, [])
    assert found[59 * 67] is symbol(59) * symbol(67)
    assert found[59 * 67 * 71] is symbol(59) * symbol(67) * symbol(71)
    found, symbol = related([*reversed(relations)], [])
    assert found[59 * 67] is symbol(59) * symbol(67)


def test_where_a_border_is_taken_from_is_written_by_what_is_behind_it():
    x = Param("x", array_of(FLOAT32, 1031))
    mirrored = relations_of(Concat(Slice(1, 1, 1, x), x, Slice(1029, 1, 1, x)))
    assert Relation((1029, 2), True) in mirrored
    assert Relation((1, 1030), True) not in mirrored
    assert Relation((1000, 31), True) not in relations_of(Concat(Slice(1000, 1, 1, x), x))  # it is far from the end
    y = Param("y", array_of(FLOAT32, 33 * 31))
    columns = Concat(Transpose(Split(31, y)), Split(33, Slice(30, 31, 33, y)))
    assert Relation((30, 1), True) in relations_of(columns)


def test_parts_of_a_whole_say_more_than_a_border():
    x, y = (Param(name, array_of(FLOAT32, n)) for name, n in (("x", 1031), ("y", 1029)))
    found, symbol = related(relations_of(Concat(Slice(0, 1, 1, x), y, Slice(1030, 1, 1, x))), [])
    assert found[1031] is symbol(1029) + 2
    assert found[1030] is symbol(1029) + 1
