"""Search over configurations of a kernel, each measured by a runner that the caller supplies.

Independent of devices and of lazyarr: a `Space` says what can be tried, a `Search` what to try next, a `Runner` tries
it, a `Journal` remembers, and `tune` runs the whole within a `Budget`. Importing this package imports neither NumPy nor
scikit-optimize nor rich. See design sections 6 and 7.
"""

from tuner.bayesian_search import BayesianSearch
from tuner.budget import Budget, Clock, Meter
from tuner.candidates import Unseen
from tuner.errors import (
    BudgetError,
    ConfirmationError,
    RunnerError,
    SearchError,
    SpaceError,
    TrialError,
    TunerError,
    WrongAnswerWarning,
)
from tuner.loop import (
    INTERRUPTED,
    Confirm,
    Confirmed,
    Promises,
    SlicedSearch,
    StoppedBy,
    TrialFinished,
    TrialStarted,
    TuningEvent,
    TuningResult,
    tune,
)
from tuner.progress import Progress, RichProgress, SilentProgress, default_progress
from tuner.random_search import RandomSearch
from tuner.runners import Runner
from tuner.search import Search, make_search
from tuner.space import Categorical, Integer, Parameter, Space
from tuner.trials import Configuration, Journal, Outcome, Trial, best_of, canonical

__all__ = [
    "INTERRUPTED", "BayesianSearch", "Budget", "BudgetError", "Categorical", "Clock", "Configuration", "Confirm",
    "ConfirmationError", "Confirmed", "Integer", "Journal", "Meter", "Outcome", "Parameter", "Progress", "Promises",
    "RandomSearch", "RichProgress", "Runner", "RunnerError", "Search", "SearchError", "SilentProgress", "SlicedSearch",
    "Space", "SpaceError", "StoppedBy", "Trial", "TrialError", "TrialFinished", "TrialStarted", "TunerError",
    "TuningEvent", "TuningResult", "Unseen", "WrongAnswerWarning", "best_of", "canonical", "default_progress",
    "make_search", "tune",
]  # fmt: skip
