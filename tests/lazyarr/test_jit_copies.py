"""Jitted functions are copied and pickled as functions are."""

from __future__ import annotations

import copy
import pickle

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from tests.lazyarr.support import check


@lift.jit
def doubled(x):
    return x * 2


def plus_one(x):
    return x + 1


jitted_plus_one = lift.jit(plus_one)


class Model:
    def __init__(self, factor):
        self.factor, self.step = factor, lift.jit(plus_one)

    @lift.jit
    def scaled(self, x):
        return x * self.factor


class Scaling:
    def __init__(self, factor):
        self.factor = factor

    def __call__(self, x):
        return x * self.factor


def again(x):
    return pickle.loads(pickle.dumps(x))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, again])
def test_functions_are_copied(copied):
    doubled(la.ones(3))
    assert copied(doubled) is doubled
    check(copied([jitted_plus_one])[0](la.ones(3)), np.full(3, 2.0))


@pytest.mark.parametrize("copied", [copy.copy, copy.deepcopy, again])
def test_objects_that_hold_them_are_copied(copied):
    model = Model(3)
    check(model.scaled(la.ones(3)), np.full(3, 3.0))
    other = copied(model)
    other.factor = 5
    check(other.scaled(la.ones(3)), np.full(3, 5.0))
    check(other.step(la.ones(3)), np.full(3, 2.0))
    check(model.scaled(la.ones(3)), np.full(3, 3.0))


@pytest.mark.parametrize("copied", [copy.deepcopy, again])
def test_bound_methods_are_copied_with_their_instance(copied):
    model = Model(3)
    scaled = model.scaled
    check(scaled(la.ones(3)), np.full(3, 3.0))
    other = copied(scaled)
    model.factor = 5
    check(other(la.ones(3)), np.full(3, 3.0))
    check(scaled(la.ones(3)), np.full(3, 5.0))
    assert copied(Model.scaled) is Model.scaled


@pytest.mark.parametrize("copied", [copy.deepcopy, again])
def test_what_is_called_is_copied_where_it_is_an_object(copied):
    scaling = Scaling(2)
    f = lift.jit(scaling)
    other = copied(f)
    scaling.factor = 7
    check(other(la.ones(3)), np.full(3, 2.0))
    check(f(la.ones(3)), np.full(3, 7.0))


def test_functions_that_have_no_name_are_not_pickled():
    f = lift.jit(lambda x: x + 3)
    assert copy.deepcopy(f) is f
    with pytest.raises((pickle.PicklingError, AttributeError), match="Can't pickle"):
        pickle.dumps(f)
