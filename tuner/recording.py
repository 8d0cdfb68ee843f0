"""Recorded search spaces: every trial of a space in one JSON file, to replay searches on without a device.

The format is this package's own, in the manner of Kernel Tuner's cache files: a header, then one row per trial.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tuner.errors import RecordingError, TunerError
from tuner.runners import ReplayRunner
from tuner.space import Categorical, Integer, Parameter, Space
from tuner.trials import Configuration, Outcome, Trial, best_of

if TYPE_CHECKING:
    from pathlib import Path

_FORMAT = "tuner-recording-1"


@dataclass(frozen=True)
class Recording:
    """A space, walked: its parameters and a trial for each configuration that was feasible."""

    description: str
    parameters: tuple[Parameter, ...]
    trials: tuple[Trial, ...]

    def space(self) -> Space:
        """The recorded space: what was recorded is feasible, nothing else is."""
        recorded = {trial.key for trial in self.trials}
        names = [parameter.name for parameter in self.parameters]

        def is_recorded(configuration: Configuration) -> bool:
            return Trial({name: configuration[name] for name in names}, Outcome.refused).key in recorded

        return Space(self.parameters, is_recorded)

    def runner(self) -> ReplayRunner:
        """A runner that answers from it."""
        return ReplayRunner(self.trials)

    def optimum(self) -> Trial:
        """The fastest recorded trial.

        Raises:
            RecordingError: none succeeded.
        """
        best = best_of(self.trials)
        if best is None:
            raise RecordingError("no recorded trial succeeded")
        return best

    def dump(self, path: Path) -> None:
        """Write it as JSON, one line per trial; the same recording gives the same bytes."""
        header = {
            "format": _FORMAT,
            "description": self.description,
            "parameters": [
                {"kind": type(p).__name__.lower(), "name": p.name, "values": list(p.values)} for p in self.parameters
            ],
        }
        rows = [
            [*(t.configuration[p.name] for p in self.parameters), t.outcome, t.seconds, t.cost_seconds, t.detail]
            for t in self.trials
        ]
        body = ",\n".join(json.dumps(row, separators=(",", ":"), ensure_ascii=False) for row in rows)
        text = json.dumps(header, indent=1, ensure_ascii=False).removesuffix("\n}")
        path.write_text(f'{text},\n "trials": [\n{body}\n ]\n}}\n', encoding="utf-8")

    @staticmethod
    def load(path: Path) -> Recording:
        """Read what `dump` wrote.

        Raises:
            RecordingError: another kind of file.
            OSError: there is none.
        """
        try:
            data = json.loads(path.read_text(encoding="utf-8"))
            if data["format"] != _FORMAT:
                raise RecordingError(f"{path} has format {data['format']!r}, expected {_FORMAT!r}")
            parameters = tuple(_parameter(**fields) for fields in data["parameters"])
            names = [parameter.name for parameter in parameters]
            trials = tuple(_trial(names, row) for row in data["trials"])
        except RecordingError:
            raise
        except (ValueError, KeyError, TypeError, TunerError) as error:
            raise RecordingError(f"{path} holds no recorded search space: {error!r}") from error
        return Recording(data["description"], parameters, trials)


def _parameter(kind: str, name: str, values: list[Any]) -> Parameter:
    match kind:
        case "integer":
            return Integer(name, tuple(values))
        case "categorical":
            return Categorical(name, tuple(values))
    raise RecordingError(f"parameter {name!r} is of kind {kind!r}, expected 'integer' or 'categorical'")


def _trial(names: list[str], row: list[Any]) -> Trial:
    *values, outcome, seconds, cost_seconds, detail = row
    configuration = dict(zip(names, values, strict=True))
    time = None if seconds is None else float(seconds)
    return Trial(configuration, Outcome(outcome), time, float(cost_seconds), str(detail))
