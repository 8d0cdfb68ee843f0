"""What every search strategy offers, and the strategies by name."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from tuner.bayesian_search import BayesianSearch
from tuner.errors import SearchError
from tuner.random_search import RandomSearch
from tuner.space import Space
from tuner.trials import Configuration, Trial


class Search(Protocol):
    """A strategy. It is asked for configurations and told what came of them; it runs nothing itself.

    The same space, seed and sequence of calls give the same answers, in every process.
    """

    def ask(self) -> Configuration | None:
        """The next configuration to try: normalised, feasible, neither asked nor told before. None: space exhausted."""

    def tell(self, trial: Trial) -> None:
        """Learn from a trial, whether this search asked for it or not (seeds and earlier processes' trials come so)."""


_SEARCHES: dict[str, Callable[[Space, int], Search]] = {"bayesian": BayesianSearch, "random": RandomSearch}


def make_search(name: str, space: Space, seed: int = 0) -> Search:
    """A search by name: `"bayesian"` or `"random"`.

    Raises:
        SearchError: another name, or `"bayesian"` where scikit-optimize is not installed.
    """
    if name not in _SEARCHES:
        raise SearchError(f"no search is called {name!r}; there are {', '.join(map(repr, _SEARCHES))}")
    return _SEARCHES[name](space, seed)
