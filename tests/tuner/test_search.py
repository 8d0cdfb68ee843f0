"""What holds for every strategy: candidates are feasible, normalised, new, the same for the same seed, and end."""

from __future__ import annotations

import math
import os
import subprocess
import sys

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from tests.tuner.helpers import grid_space, time_of
from tuner import (
    BayesianSearch,
    Categorical,
    Configuration,
    Integer,
    Outcome,
    RandomSearch,
    Search,
    SearchError,
    Space,
    Trial,
    canonical,
    make_search,
)

NAMES = ["bayesian", "random"]


def walk(search: Search, limit: int = 10_000) -> list[Configuration]:
    """Ask until exhausted; every fourth candidate fails."""
    asked: list[Configuration] = []
    while len(asked) < limit:
        configuration = search.ask()
        if configuration is None:
            return asked
        asked.append(configuration)
        if len(asked) % 4 == 0:
            search.tell(Trial(configuration, Outcome.build_failed, None, 0.1))
        else:
            numbers = [value for value in configuration.values() if isinstance(value, int)]
            seconds = 1e-3 * (1 + len(canonical(configuration)) + sum(map(abs, numbers)))
            search.tell(Trial(configuration, Outcome.ok, seconds, 0.2))
    return asked


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_space_is_walked_once_and_then_exhausted(name: str) -> None:
    space = grid_space()
    search = make_search(name, space, seed=3)
    asked = walk(search)
    assert sorted(map(canonical, asked)) == sorted(map(canonical, space.enumerate()))
    assert search.ask() is None


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_what_was_told_is_not_asked(name: str) -> None:
    search = make_search(name, grid_space(), seed=0)
    # Told as somebody else may spell it: not normalised.
    search.tell(Trial({"variant": "scalar", "tile": 2, "width": 8}, Outcome.crashed))
    search.tell(Trial({"variant": "vector", "tile": 8, "width": 4}, Outcome.ok, 1e-3))
    asked = walk(search)
    assert {"variant": "scalar", "tile": 2, "width": 1} not in asked
    assert {"variant": "vector", "tile": 8, "width": 4} not in asked
    assert len(asked) == 19 - 2


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_trials_of_another_space_are_ignored(name: str) -> None:
    search = make_search(name, grid_space(), seed=0)
    search.tell(Trial({"colour": "red"}, Outcome.ok, 1e-9))
    search.tell(Trial({"variant": "vector", "tile": 16, "width": 8}, Outcome.ok, 1e-9))  # infeasible by now
    assert len(walk(search)) == 19


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_the_same_seed_asks_the_same(name: str) -> None:
    walks = [walk(make_search(name, grid_space(), seed), 11) for seed in (5, 5, 6)]
    assert walks[0] == walks[1] != walks[2]


@pytest.mark.slow
def test_the_hash_seed_changes_nothing() -> None:
    program = (
        "from tests.tuner.test_search import walk, grid_space\n"
        "from tuner import make_search\n"
        "print(walk(make_search('bayesian', grid_space(), 1), 10))"
    )
    elsewhere = subprocess.run(
        [sys.executable, "-c", program],
        env={**os.environ, "PYTHONHASHSEED": "12345"},
        check=True,
        capture_output=True,
        text=True,
    ).stdout
    assert elsewhere.strip() == str(walk(make_search("bayesian", grid_space(), 1), 10))


@st.composite
def spaces(draw: st.DrawFn) -> Space:
    """Up to four parameters, some of one value, some of negative ones; a random constraint and normalisation."""
    parameters: list[Categorical | Integer] = []
    for index in range(draw(st.integers(1, 4))):
        if draw(st.booleans()):
            count = draw(st.integers(1, 4))
            parameters.append(Categorical(f"c{index}", tuple("abcd"[:count])))
        else:
            values = draw(st.sets(st.integers(-3, 64), min_size=1, max_size=4))
            parameters.append(Integer(f"i{index}", tuple(sorted(values))))
    modulus, residue = draw(st.integers(1, 5)), draw(st.integers(0, 2))
    collapsed = draw(st.sampled_from([None, *(parameter.name for parameter in parameters[1:])]))
    first = parameters[0]

    def normalise(configuration: Configuration) -> Configuration:
        if collapsed is None or configuration[first.name] != first.values[0]:
            return configuration
        canonical_value = next(p.values[-1] for p in parameters if p.name == collapsed)
        return {**configuration, collapsed: canonical_value}

    def feasible(configuration: Configuration) -> bool:
        return sum(map(ord, canonical(configuration))) % modulus != residue

    return Space(parameters, feasible, normalise)


@settings(max_examples=60)
@given(spaces(), st.integers(0, 2**40))
def test_random_search_asks_all_candidates_and_only_those(space: Space, seed: int) -> None:
    asked = walk(RandomSearch(space, seed))
    assert sorted(map(canonical, asked)) == sorted(map(canonical, space.enumerate()))


@pytest.mark.slow
@settings(max_examples=10)
@given(spaces(), st.integers(0, 2**40))
def test_bayesian_search_asks_only_candidates_and_each_once(space: Space, seed: int) -> None:
    asked = walk(BayesianSearch(space, seed, initial=2), limit=7)
    candidates = set(map(canonical, space.enumerate()))
    assert len({canonical(configuration) for configuration in asked}) == len(asked) == min(7, len(candidates))
    assert candidates.issuperset(map(canonical, asked))


@pytest.mark.parametrize("name", NAMES)
def test_a_space_without_candidates_is_exhausted_at_once(name: str) -> None:
    assert make_search(name, Space([Integer("a", (1, 2))], lambda c: False)).ask() is None


@pytest.mark.parametrize("name", NAMES)
def test_a_space_without_parameters_has_one_candidate(name: str) -> None:
    assert walk(make_search(name, Space([]))) == [{}]


@pytest.mark.slow
@pytest.mark.parametrize("name", NAMES)
def test_a_large_thin_space_is_searched_all_the_same(name: str) -> None:
    # 160,000 combinations, 20 candidates: drawing would take thousands of attempts for each.
    space = Space([Integer(n, tuple(range(20))) for n in "abcd"], lambda c: len(set(c.values())) == 1)
    asked = walk(make_search(name, space), limit=10)
    assert len(set(map(canonical, asked))) == 10


def test_a_larger_space_is_drawn_from_without_repeats() -> None:
    # Beyond what is enumerated at once: a third of it is drawn by value, what is told among it.
    space = Space([Integer(n, tuple(range(72))) for n in "ab"], lambda c: c["a"] != c["b"])
    search = RandomSearch(space, 0)
    told = list(space.enumerate())[:2000]
    for configuration in told:
        search.tell(Trial(configuration, Outcome.refused))
    asked = walk(search, limit=1500)
    assert len({canonical(configuration) for configuration in [*asked, *told]}) == 3500


def test_a_huge_space_is_drawn_from_without_being_walked() -> None:
    tested: list[Configuration] = []

    def feasible(configuration: Configuration) -> bool:
        tested.append(configuration)
        return int(configuration["a"]) % 2 == 0

    space = Space([Integer(n, tuple(range(100))) for n in "abcdefgh"], feasible)
    assert len(walk(BayesianSearch(space, 0, initial=4), limit=6)) == 6
    assert len(tested) < 10_000


@pytest.mark.parametrize("estimator", ["ET", "RF", "GP"])
@pytest.mark.parametrize("acquisition", ["EIps", "EI"])
def test_the_model_decides_well(estimator: str, acquisition: str) -> None:
    # Having seen all but a few, the best of which is far better, the model asks for it.
    space = Space([Categorical("variant", ("a", "b")), Integer("tile", (1, 2, 4, 8, 16, 32, 64, 128))])

    def seconds(configuration: Configuration) -> float:
        # Some noise, or a Gaussian process gets certain, and expects no improvement of what it is certain of.
        noise = 1.0 + 0.01 * (sum(map(ord, canonical(configuration))) % 7)
        return (1e-3 if configuration["variant"] == "b" else 4e-3) * noise / int(configuration["tile"])

    search = BayesianSearch(space, 0, initial=4, estimator=estimator, acquisition=acquisition)  # type: ignore[arg-type]
    hidden = [{"variant": "a", "tile": 1}, {"variant": "b", "tile": 128}, {"variant": "a", "tile": 4}]
    for configuration in space.enumerate():
        if configuration not in hidden:
            search.tell(Trial(configuration, Outcome.ok, seconds(configuration), 0.1))
    assert search.ask() == {"variant": "b", "tile": 128}


def test_failures_repel_the_model() -> None:
    # All of one variant fails; seen from the outside, its times would be as good as the other's.
    space = Space([Categorical("variant", ("good", "bad")), Integer("tile", tuple(range(1, 21)))])
    search = BayesianSearch(space, 0)
    for tile in range(1, 21, 2):
        search.tell(Trial({"variant": "good", "tile": tile}, Outcome.ok, 1e-3 + 1e-6 * tile, 0.1))
        search.tell(Trial({"variant": "bad", "tile": tile}, Outcome.crashed, None, 0.1))
    asked = walk(search, limit=5)
    assert {configuration["variant"] for configuration in asked} == {"good"}


def test_cheap_failures_do_not_pass_for_the_incumbent() -> None:
    # scikit-optimize takes the least of objectives and log-costs for the incumbent; neither a trial refused within a
    # microsecond nor kernels slower than a typical cost may make every improvement look impossible.
    space = Space([Integer("tile", tuple(range(1, 41)))])
    search = BayesianSearch(space, 0)
    for tile in (1, 2, 3, 4, 5, 10, 20, 30, 40):
        search.tell(Trial({"tile": tile}, Outcome.ok, 1e-3 * abs(tile - 33) + 1e-4, 0.1))
    search.tell(Trial({"tile": 6}, Outcome.refused, None, 1e-6))
    asked = search.ask()
    assert asked is not None and 25 <= int(asked["tile"]) <= 39
    slow = [Trial({"tile": 1}, Outcome.ok, 50.0), Trial({"tile": 2}, Outcome.refused, None, 1e-9)]
    assert all(objective < math.log(1e-9) for objective, _ in search._objectives(slow))


@pytest.mark.slow
def test_cost_counts() -> None:
    # Two regions of equal promise; trying one costs a hundred times as much.
    space = Space([Categorical("variant", ("dear", "cheap")), Integer("tile", tuple(range(1, 31)))])

    def first_asked(acquisition: str) -> list[object]:
        search = BayesianSearch(space, 0, acquisition=acquisition)  # type: ignore[arg-type]
        for tile in range(1, 31, 3):
            for variant, cost, factor in (("dear", 10.0, 1.0), ("cheap", 0.1, 1.01)):
                seconds = factor * 1e-3 * (1 + abs(tile - 15))
                search.tell(Trial({"variant": variant, "tile": tile}, Outcome.ok, seconds, cost))
        asked = [search.ask() for _ in range(4)]
        return [configuration["variant"] for configuration in asked if configuration is not None]

    assert set(first_asked("EIps")) == {"cheap"}
    assert "dear" in first_asked("EI")


def test_trials_of_unknown_cost_do_not_look_free() -> None:
    search = BayesianSearch(Space([Integer("tile", tuple(range(1, 41)))]), 0)
    trials = [Trial({"tile": tile}, Outcome.ok, 1e-3, 0.0 if tile < 10 else 0.5) for tile in range(1, 21)]
    costs = [told[1] for told in search._objectives(trials)]
    assert set(costs) == {0.5}


def test_failures_are_told_slower_than_everything_that_ran() -> None:
    search = BayesianSearch(Space([Integer("tile", (1, 2, 3))]), 0, acquisition="EI")
    told = search._objectives(
        [
            Trial({"tile": 1}, Outcome.wrong_answer),
            Trial({"tile": 2}, Outcome.ok, 1e-3),
            Trial({"tile": 3}, Outcome.ok, 5e-3),
        ]
    )
    assert told[1] < told[2] < told[0]


def test_unknown_names_are_refused() -> None:
    with pytest.raises(SearchError, match=r"simulated-annealing.*'bayesian', 'random'"):
        make_search("simulated-annealing", grid_space())


def test_without_scikit_optimize_the_error_says_so(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("importlib.util.find_spec", lambda name: None)
    with pytest.raises(SearchError, match="scikit-optimize"):
        make_search("bayesian", grid_space())
    make_search("random", grid_space())


def test_seeds_told_before_the_first_ask_take_the_place_of_random_trials() -> None:
    search = BayesianSearch(grid_space(), 0, initial=5)
    told = list(grid_space().enumerate())[:14]
    for configuration in told:
        search.tell(Trial(configuration, Outcome.ok, time_of(configuration), 1.0))
    asked = search.ask()
    assert asked is not None and asked["variant"] == "vector"
