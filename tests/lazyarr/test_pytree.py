"""Trees of arguments come apart and together again."""

from __future__ import annotations

from collections import namedtuple
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pytest

from lazyarr.graph.pytree import flatten, in_order_of, is_flat, map_leaves, unflatten

Point = namedtuple("Point", "x y")


@dataclass(frozen=True)
class Scale:
    """A key of a dict."""

    by: float
    note: Any = field(default=None, compare=False)


TREES = [1, None, (), [], {}, (1, [2, {"b": 3, "a": (4, None)}]), Point(1, (2, 3)), {1: "x", "a": [()]}, [None, None]]


@pytest.mark.parametrize("tree", TREES, ids=repr)
def test_round_trip(tree):
    leaves, structure = flatten(tree)
    again = unflatten(structure, leaves)
    assert again == tree
    assert type(again) is type(tree)
    assert hash(structure) == hash(flatten(tree)[1])


def test_structures_tell_trees_apart():
    structures = [
        flatten(tree)[1] for tree in (1, (1,), [1], {"a": 1}, {"b": 1}, (1, 1), ((1,),), None, (None,), Point(1, 1))
    ]
    assert len(set(structures)) == len(structures)
    assert flatten((1, 2))[1] == flatten(("x", None.__class__))[1]


def test_tuples_and_lists_of_leaves_are_flat():
    flat = [tree for tree in [*TREES, (1, 2), [3]] if is_flat(flatten(tree)[1])]
    assert flat == [(), [], (1, 2), [3]]


def test_dicts_keep_their_order():
    leaves, structure = flatten({"b": 1, "a": 2})
    assert leaves == [1, 2]
    assert list(unflatten(structure, leaves)) == ["b", "a"]
    assert structure != flatten({"a": 2, "b": 1})[1]


def test_keys_that_python_takes_for_the_same_tell_trees_apart():
    keys = (
        1, True, 1.0, 0.0, -0.0, (1, 2), (1, 2.0), "1", np.float32(0.0), np.float32(-0.0), frozenset([1]),
        frozenset([1.0]), Point(1, 2), Point(True, 2), Scale(1), Scale(1.0), range(0, 1), range(0, 9, 9),
    )  # fmt: skip
    assert len({flatten({key: 1})[1] for key in keys}) == len(keys)
    for kind in (float, np.float32, lambda x: (float(x),), lambda x: frozenset([float(x)])):
        assert flatten({kind("nan"): 1})[1] == flatten({kind("nan"): 1})[1]


def test_what_a_dataclass_is_not_compared_by_tells_no_trees_apart():
    assert flatten({Scale(1, [2]): 1})[1] == flatten({Scale(1, [3]): 1})[1]


def test_dicts_in_the_order_of_others():
    like = {"b": ({"y": 0, "x": 0},), "a": Point({"v": 0, "u": 0}, None)}
    found = in_order_of(like, {"a": Point({"u": 1, "v": 2}, 3), "b": ({"x": 4, "y": 5},)})
    assert flatten(found)[0] == [5, 4, 2, 1, 3]
    assert type(found["a"]) is Point
    for other in ({"b": 1, "c": 2}, [{"x": 1}, 2], 3, None):
        assert in_order_of(like, other) == other


def test_map_and_errors():
    assert map_leaves(lambda v: v + 1, {"a": (1, [2])}) == {"a": (2, [3])}
    _, structure = flatten((1, 2))
    with pytest.raises(ValueError, match="too few"):
        unflatten(structure, [1])
    with pytest.raises(ValueError, match="too many"):
        unflatten(structure, [1, 2, 3])
