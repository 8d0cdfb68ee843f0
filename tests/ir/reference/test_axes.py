"""Dimensions as factors: what is cut where, and what lies in common."""

from __future__ import annotations

from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ir.reference.axes import Dimension, Factor, absent, common_extents, cut_at, extent_of, present, tidied


def dimension(*extents: int) -> Dimension:
    """One with an axis for each positive extent; negative ones are absent."""
    return tuple([Factor(abs(n), None if n < 0 else axis) for axis, n in enumerate(extents)])


@pytest.mark.parametrize(
    ("extents", "inner", "outside", "inside"),
    [
        ((2, 3), 3, (2,), (3,)),
        ((2, 3), 6, (), (2, 3)),
        ((2, 3), 1, (2, 3), ()),
        ((-12,), 4, (-3,), (-4,)),
        ((2, -6), 3, (2, -2), (-3,)),
        ((-6, 5), 10, (-3,), (-2, 5)),
    ],
)
def test_a_dimension_is_cut_between_factors_and_anywhere_in_absent_ones(extents, inner, outside, inside):
    found = cut_at(dimension(*extents), inner)
    assert found is not None
    assert [f.extent * (-1 if f.axis is None else 1) for f in found[0]] == list(outside)
    assert [f.extent * (-1 if f.axis is None else 1) for f in found[1]] == list(inside)


@pytest.mark.parametrize(("extents", "inner"), [((6,), 3), ((2, 3), 2), ((-6,), 4), ((2, 3), 12)])
def test_no_axis_is_cut_and_nothing_that_does_not_divide(extents, inner):
    assert cut_at(dimension(*extents), inner) is None


def test_neighbouring_absent_factors_are_one_and_single_steps_none():
    assert tidied(dimension(-2, -3, 5, -1, -7)) == (Factor(6, None), Factor(5, 2), Factor(7, None))
    assert tidied(dimension(1, 4)) == (Factor(4, 1),)
    assert absent(1) == ()
    assert not present(absent(5))
    assert present(dimension(-2, 3))


def test_overlapping_factors_have_nothing_in_common():
    assert common_extents([dimension(2, 3), dimension(6)]) == (2, 3)
    assert common_extents([dimension(2, 3), dimension(3, 2)]) is None
    assert common_extents([dimension(4, 3), dimension(2, 6)]) == (2, 2, 3)
    assert common_extents([(), ()]) == ()


@given(st.lists(st.integers(2, 4), max_size=5), st.data())
def test_what_lies_in_common_cuts_all(extents, data):
    """Dimensions that join neighbouring factors of one have these in common, if all its cuts occur."""

    def joined() -> Dimension:
        found: list[int] = []
        for n in extents:
            if found and data.draw(st.booleans()):
                found[-1] *= n
            else:
                found.append(n)
        return dimension(*found)

    given_ = [joined(), joined(), dimension(*extents)]
    common = common_extents(given_)
    assert common == tuple(extents)
    for each in given_:
        assert extent_of(each) == prod(extents)
        for i in range(len(each)):
            assert prod([f.extent for f in each[i:]]) in {prod(extents[k:]) for k in range(len(extents))}
