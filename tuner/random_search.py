"""Uniform random search: the baseline that every other strategy has to beat."""

from __future__ import annotations

from tuner.candidates import Unseen
from tuner.space import Space
from tuner.trials import Configuration, Trial


class RandomSearch:
    """Draws untried candidates at random and learns nothing but which are left (design section 7).

    On spaces where many configurations are good it is hard to beat, and it costs microseconds per trial.
    """

    def __init__(self, space: Space, seed: int = 0) -> None:
        self.space = space
        self._unseen = Unseen(space, seed)

    def ask(self) -> Configuration | None:
        """The next untried candidate, None when the space is exhausted."""
        drawn = self._unseen.draw(1)
        if not drawn:
            return None
        self._unseen.discard(drawn[0])
        return dict(drawn[0])

    def tell(self, trial: Trial) -> None:
        """Take it off the candidates. Configurations of other spaces are ignored."""
        configuration = self.space.admit(trial.configuration)
        if configuration is not None:
            self._unseen.discard(configuration)
