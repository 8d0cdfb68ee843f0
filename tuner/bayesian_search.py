"""Bayesian optimisation through scikit-optimize (design section 7).

A surrogate model of log(run seconds) and one of log(trial cost) are fitted to the trials so far; the next trial is the
untried candidate with the greatest expected improvement per second, so that a compile that takes long has to promise
more (Snoek, Larochelle, Adams, "Practical Bayesian optimization of machine learning algorithms", NIPS 2012, 3.2).

scikit-optimize takes 1 to 2 seconds to import, so it is imported when the first model is fitted, not before.
"""

from __future__ import annotations

import math
import warnings
from typing import TYPE_CHECKING, Any, Literal

from tuner.candidates import Unseen
from tuner.errors import SearchError
from tuner.space import Categorical, Integer, Parameter, Space
from tuner.trials import Configuration, Trial, canonical

if TYPE_CHECKING:
    from collections.abc import Sequence

Estimator = Literal["GP", "ET", "RF"]
Acquisition = Literal["EIps", "EI"]

_CANDIDATES = 512
"""Untried candidates that the acquisition function ranks at each ask (scikit-optimize's own default is 10,000)."""

_TREES = 20
"""Trees of a forest (its own default is 100). An ask then costs less than 100 milliseconds, at any number of trials."""

_PENALTY = math.log(2.0)
"""What failing costs: a failed candidate is told as twice as slow as the slowest that ran. More would be safer against
nothing, and would let the failures decide what the model resolves."""

_SHIFT = 100.0
"""Subtracted from the objective, which no model notices. scikit-optimize 0.10.2 takes the incumbent for expected
improvement per second as the least number among the objectives *and* the log-costs; this keeps it an objective."""

_CHEAPEST = 1e-6
"""Seconds. No trial costs less; it keeps logarithms finite and far from the shift."""


class BayesianSearch:
    """Asks where the expected improvement (per second of trial cost) is greatest.

    The first `initial` trials are random ones unless seeds or known trials were told; from then on a model decides.
    `estimator` is the surrogate: extremely randomised trees ("ET"), random forests ("RF") or a Gaussian process ("GP").
    `acquisition` is "EIps", or "EI" where the cost of trials should not count.

    Raises:
        SearchError: scikit-optimize is not installed.
    """

    def __init__(
        self,
        space: Space,
        seed: int = 0,
        *,
        initial: int = 8,
        estimator: Estimator = "ET",
        acquisition: Acquisition = "EIps",
    ) -> None:
        # Imported here, as it costs milliseconds: `import lazyarr` imports this module.
        from importlib.util import find_spec

        if find_spec("skopt") is None:
            raise SearchError(
                "Bayesian search needs scikit-optimize: install it (pip install scikit-optimize), or search at random"
            )
        self.space = space
        self.seed = seed
        self.initial = initial
        self.estimator = estimator
        self.acquisition = acquisition
        self._unseen = Unseen(space, seed)
        self._coordinates = [_Coordinate(p) for p in space.parameters if len(p.values) > 1]
        self._trials: dict[str, Trial] = {}

    def ask(self) -> Configuration | None:
        """The untried candidate that promises most, None when the space is exhausted."""
        has_model = self._coordinates and len(self._trials) >= self.initial and any(t.ok for t in self._trials.values())
        candidates = self._unseen.draw(_CANDIDATES if has_model else 1)
        if not candidates:
            return None
        chosen = self._most_promising(candidates) if has_model and len(candidates) > 1 else candidates[0]
        self._unseen.discard(chosen)
        return dict(chosen)

    def tell(self, trial: Trial) -> None:
        """Learn from a trial. Configurations of other spaces are ignored: there is no place for them in the model."""
        configuration = self.space.admit(trial.configuration)
        if configuration is not None:
            self._unseen.discard(configuration)
            self._trials[canonical(configuration)] = Trial(
                configuration, trial.outcome, trial.seconds, trial.cost_seconds, trial.detail
            )

    def _most_promising(self, candidates: list[Configuration]) -> Configuration:
        """What scikit-optimize asks for, given all trials and these candidates to choose from.

        The optimizer is made anew each time. It fits its models from scratch at every `tell` anyway; all trials told at
        once are one fit, and the penalty of an early failure can follow the slowest time seen since.
        """
        # Imported here: it costs more than many a search.
        from skopt import Optimizer

        by_key = {canonical(candidate): candidate for candidate in candidates}
        points = [self._encode(candidate) for candidate in candidates]
        known = list(self._trials.values())
        with warnings.catch_warnings():
            # About variances rounded below zero and fits not quite converged: nothing a user could act on.
            warnings.simplefilter("ignore")
            optimizer = Optimizer(
                [coordinate.dimension() for coordinate in self._coordinates],
                base_estimator=self._surrogate(),
                n_initial_points=1,
                acq_func=self.acquisition,
                # A constraint excludes gradients, and a grid of candidates needs none.
                acq_optimizer="sampling",
                acq_optimizer_kwargs={"n_points": len(points)},
                space_constraint=self._is_feasible,
                random_state=self._random_state(),
            )
            # What the acquisition function is evaluated at. By default, that is points drawn until enough are feasible
            # (10,000 rounds without success are an error), tried ones among them; where a tried one promises most, a
            # random one is asked for in its stead.
            optimizer.space.rvs = lambda n_samples=1, random_state=None: points[:n_samples]
            optimizer.tell([self._encode(trial.configuration) for trial in known], self._objectives(known))
            asked = self._decode(optimizer.ask())
        # Should a point not survive the way through the model's coordinates, the first candidate is as good as random.
        return by_key.get(canonical(asked), candidates[0])

    def _objectives(self, trials: Sequence[Trial]) -> list[Any]:
        """What the optimizer is told: log seconds, with "EIps" paired with the cost, which it takes the logarithm of.

        Failures get the penalty. Unknown costs get the median cost of a success: zero would make the neighbours of such
        trials look free. So do failures that were cheaper, as a success there would not be: a launch refused within a
        microsecond would otherwise draw the search to where failing is cheap.
        """
        worst = max(math.log(trial.seconds) for trial in trials if trial.seconds is not None)
        objectives = [
            (worst + _PENALTY if trial.seconds is None else math.log(trial.seconds)) - _SHIFT for trial in trials
        ]
        if self.acquisition == "EI":
            return objectives
        costs = sorted(trial.cost_seconds for trial in trials if trial.ok and trial.cost_seconds > 0)
        typical = costs[len(costs) // 2] if costs else 1.0
        least = {True: _CHEAPEST, False: typical}
        return [
            (objective, max(least[trial.ok], trial.cost_seconds or typical))
            for objective, trial in zip(objectives, trials, strict=True)
        ]

    def _surrogate(self) -> Any:
        """The regressor that models times and costs."""
        from skopt.learning import ExtraTreesRegressor, RandomForestRegressor
        from skopt.utils import cook_estimator

        if self.estimator == "GP":
            # Restarts of the fit of its length scales triple its time and seldom change what is asked.
            space = [coordinate.dimension() for coordinate in self._coordinates]
            return cook_estimator("GP", space=space, random_state=self._random_state(), n_restarts_optimizer=0)
        forest = ExtraTreesRegressor if self.estimator == "ET" else RandomForestRegressor
        return forest(n_estimators=_TREES, min_samples_leaf=2, random_state=self._random_state())

    def _random_state(self) -> int:
        """Another one at each ask, the same in each process."""
        return (self.seed * 1_000_003 + len(self._trials)) % 2**32

    def _is_feasible(self, point: Sequence[float]) -> bool:
        """The feasibility test as scikit-optimize calls it, with each point it is told: an infeasible one is an error.

        What was tried has been tested before, by `tell`.
        """
        configuration = self._decode(point)
        return canonical(configuration) in self._trials or self.space.admit(configuration) is not None

    def _encode(self, configuration: Configuration) -> list[float]:
        """The point of a configuration: one coordinate for each parameter with a choice."""
        return [coordinate.encode(configuration) for coordinate in self._coordinates]

    def _decode(self, point: Sequence[float]) -> Configuration:
        """The configuration nearest to a point."""
        configuration: Configuration = {parameter.name: parameter.values[0] for parameter in self.space.parameters}
        for coordinate, at in zip(self._coordinates, point, strict=True):
            configuration[coordinate.parameter.name] = coordinate.decode(at)
        return configuration


class _Coordinate:
    """A parameter as scikit-optimize sees it: an integer on a logarithmic axis, a category as its index, one-hot."""

    def __init__(self, parameter: Parameter) -> None:
        self.parameter = parameter
        if isinstance(parameter, Integer):
            # Zero and negative values have no logarithm: then the axis starts at the least of them.
            offset = min(parameter.values[0] - 1, 0)
            self.positions = [math.log2(value - offset) for value in parameter.values]
        else:
            self.positions = [float(index) for index in range(len(parameter.values))]
        self._position = dict(zip(parameter.values, self.positions, strict=True))

    def dimension(self) -> Any:
        """The dimension, scaled to the unit interval: with "EIps", scikit-optimize 0.10.2 does not do so for a "GP"."""
        from skopt.space import Categorical as OneHot
        from skopt.space import Real

        if isinstance(self.parameter, Categorical):
            return OneHot(self.positions, transform="onehot", name=self.parameter.name)
        return Real(self.positions[0], self.positions[-1], transform="normalize", name=self.parameter.name)

    def encode(self, configuration: Configuration) -> float:
        """Where the configuration's value lies."""
        return self._position[configuration[self.parameter.name]]

    def decode(self, position: float) -> int | str:
        """The value nearest to a position."""
        nearest = min(range(len(self.positions)), key=lambda index: abs(self.positions[index] - float(position)))
        return self.parameter.values[nearest]
