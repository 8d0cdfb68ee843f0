"""Spaces: what is a candidate, and which candidates are the same."""

from __future__ import annotations

import random
import subprocess
import sys

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.tuner.helpers import grid_space
from tuner import (
    Budget,
    BudgetError,
    Categorical,
    Configuration,
    Integer,
    Outcome,
    Space,
    SpaceError,
    Trial,
    TrialError,
    best_of,
    canonical,
)


def test_canonical_does_not_depend_on_the_order_of_keys() -> None:
    assert canonical({"b": 1, "a": "x"}) == canonical({"a": "x", "b": 1}) == '{"a":"x","b":1}'
    assert canonical({"a": 1}) != canonical({"a": "1"})


def test_enumeration_yields_each_candidate_once_normalised_and_feasible() -> None:
    space = grid_space()
    candidates = list(space.enumerate())
    keys = [canonical(candidate) for candidate in candidates]
    assert len(keys) == len(set(keys))
    # 5 scalar ones; 5 tiles x 3 widths vector ones, less tile 16 x width 8.
    assert len(candidates) == 5 + 14
    assert space.size() == 30
    assert all(candidate["width"] == 1 for candidate in candidates if candidate["variant"] == "scalar")
    assert {"variant": "vector", "tile": 16, "width": 8} not in candidates


def test_enumeration_is_lazy() -> None:
    space = Space([Integer(name, tuple(range(1, 1001))) for name in "abcdef"])
    assert next(space.enumerate()) == dict.fromkeys("abcdef", 1)
    assert len(list(space.enumerate(limit=10))) == 10


def test_feasibility_is_asked_of_the_normalised_form() -> None:
    # Infeasible as written; but the width of a scalar kernel does not matter.
    assert grid_space().admit({"variant": "scalar", "tile": 16, "width": 8}) == {
        "variant": "scalar",
        "tile": 16,
        "width": 1,
    }
    assert grid_space().admit({"variant": "vector", "tile": 16, "width": 8}) is None


@pytest.mark.parametrize(
    "configuration",
    [
        {"variant": "vector", "tile": 4},
        {"variant": "vector", "tile": 4, "width": 1, "more": 1},
        {"variant": "vector", "tile": 3, "width": 1},
        {"variant": "vector", "tile": 4, "width": True},
        {"variant": "vector", "tile": np.int64(4), "width": 1},
        {"variant": "vector", "tile": "4", "width": 1},
    ],
)
def test_what_is_not_of_the_space_is_not_admitted(configuration: Configuration) -> None:
    assert grid_space().admit(configuration) is None


def test_the_given_configuration_is_neither_kept_nor_changed() -> None:
    def normalise(configuration: Configuration) -> Configuration:
        configuration["a"] = 1
        return configuration

    given_one: Configuration = {"a": 2}
    assert Space([Integer("a", (1, 2))], normalise=normalise).admit(given_one) == {"a": 1}
    assert given_one == {"a": 2}


def test_a_normalisation_that_leaves_the_space_is_an_error() -> None:
    with pytest.raises(SpaceError, match="leaves the space"):
        Space([Integer("a", (1, 2))], normalise=lambda c: {"a": 7}).admit({"a": 1})


def test_a_normalisation_that_is_not_idempotent_is_an_error() -> None:
    with pytest.raises(SpaceError, match="idempotent"):
        Space([Integer("a", (1, 2))], normalise=lambda c: {"a": 3 - int(c["a"])}).admit({"a": 1})


@pytest.mark.parametrize(
    "make",
    [
        lambda: Integer("a", ()),
        lambda: Integer("a", (2, 1)),
        lambda: Integer("a", (1, 1)),
        lambda: Integer("a", (1, True)),
        lambda: Integer("a", ("x",)),  # type: ignore[arg-type]
        lambda: Integer("", (1,)),
        lambda: Categorical("a", ("x", "x")),
        lambda: Categorical("a", (1.5,)),  # type: ignore[arg-type]
        lambda: Space([Integer("a", (1,)), Categorical("a", ("x",))]),
    ],
)
def test_ill_formed_spaces_are_refused(make: object) -> None:
    with pytest.raises(SpaceError):
        make()  # type: ignore[operator]


def test_samples_are_candidates_and_reach_all_of_them() -> None:
    space, rng = grid_space(), random.Random(0)
    candidates = {canonical(candidate) for candidate in space.enumerate()}
    samples = [space.sample(rng) for _ in range(600)]
    assert {canonical(sample) for sample in samples if sample is not None} == candidates
    assert None not in samples


def test_a_sample_is_found_where_one_in_a_million_is_feasible_and_none_where_none_is() -> None:
    parameters = [Integer(name, tuple(range(10))) for name in "abcd"]
    needle: Configuration = {"a": 7, "b": 3, "c": 9, "d": 1}
    assert Space(parameters, lambda c: c == needle).sample(random.Random(0)) == needle
    assert Space(parameters, lambda c: False).sample(random.Random(0)) is None


def branched_space() -> Space:
    """Two kinds: one has a tile, the other a width, each with the first value of what it has not."""
    parameters = [Categorical("kind", ("tiled", "wide")), Integer("tile", (1, 2, 4, 8)), Integer("width", (1, 2, 4))]
    relevant = {"tiled": "tile", "wide": "width"}

    def normalise(c: Configuration) -> Configuration:
        return {name: v if name in ("kind", relevant[str(c["kind"])]) else 1 for name, v in c.items()}

    def feasible(c: Configuration) -> bool:
        return c["tile"] != 8

    branches = [{"kind": ("tiled",), "tile": (1, 2, 4, 8)}, {"kind": ("wide",), "width": (1, 2, 4)}]
    return Space(parameters, feasible, normalise, branches)


def test_branches_hold_each_candidate_once() -> None:
    space, rng = branched_space(), random.Random(0)
    assert space.size() == 4 + 3
    found = [(c["kind"], c["tile"], c["width"]) for c in space.enumerate()]
    wide = [("wide", 1, 1), ("wide", 1, 2), ("wide", 1, 4)]
    assert found == [("tiled", 1, 1), ("tiled", 2, 1), ("tiled", 4, 1), *wide]
    assert len(list(space.enumerate(limit=5))) == 4
    drawn = [space.draw(rng) for _ in range(300)]
    assert None in drawn
    assert {(c["kind"], c["tile"], c["width"]) for c in drawn if c is not None} == set(found)


def test_what_lies_beside_the_branches_is_admitted_in_its_normal_form() -> None:
    assert branched_space().admit({"kind": "wide", "tile": 4, "width": 2}) == {"kind": "wide", "tile": 1, "width": 2}


@pytest.mark.parametrize(
    "branches", [[], [{"tile": (3,)}], [{"tile": ()}], [{"more": (1,)}], [{"tile": (1,)}, {"tile": (2, "x")}]]
)
def test_ill_formed_branches_are_refused(branches: list[dict[str, tuple[int | str, ...]]]) -> None:
    with pytest.raises(SpaceError):
        Space([Integer("tile", (1, 2))], branches=branches)


@given(st.lists(st.integers(min_value=1, max_value=4), max_size=4))
def test_size_bounds_the_candidates(lengths: list[int]) -> None:
    space = Space([Integer(f"p{i}", tuple(range(n))) for i, n in enumerate(lengths)])
    assert space.size() == len(list(space.enumerate()))


@pytest.mark.parametrize(
    "make",
    [
        lambda: Trial({}, Outcome.ok),
        lambda: Trial({}, Outcome.ok, 0.0),
        lambda: Trial({}, Outcome.ok, float("nan")),
        lambda: Trial({}, Outcome.ok, float("inf")),
        lambda: Trial({}, Outcome.wrong_answer, 1e-9),
        lambda: Trial({}, Outcome.ok, 1.0, -1.0),
    ],
)
def test_trials_that_contradict_themselves_are_refused(make: object) -> None:
    with pytest.raises(TrialError):
        make()  # type: ignore[operator]


def test_a_trial_keeps_its_own_copy_of_the_configuration() -> None:
    configuration: Configuration = {"a": 1}
    trial = Trial(configuration, Outcome.refused)
    configuration["a"] = 2
    assert trial.configuration == {"a": 1}


def test_the_best_trial_succeeded_and_is_the_earliest_of_equals() -> None:
    trials = [
        Trial({"a": 0}, Outcome.crashed),
        Trial({"a": 1}, Outcome.ok, 2.0),
        Trial({"a": 2}, Outcome.ok, 1.0),
        Trial({"a": 3}, Outcome.ok, 1.0),
        Trial({"a": 4}, Outcome.wrong_answer),
    ]
    assert best_of(trials) is trials[2]
    assert best_of(trials[:1]) is None


@pytest.mark.parametrize("amounts", [{"seconds": -1.0}, {"seconds": float("nan")}, {"trials": -1}])
def test_negative_budgets_are_refused(amounts: dict[str, float]) -> None:
    with pytest.raises(BudgetError):
        Budget(**amounts)  # type: ignore[arg-type]


def test_importing_the_package_imports_nothing_heavy() -> None:
    heavy = ("numpy", "scipy", "sklearn", "skopt", "rich", "lazyarr", "pyopencl")
    program = f"import sys, tuner; print([name for name in {heavy} if name in sys.modules])"
    assert subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout == "[]\n"
