"""The errors and warnings of `tuner`: one family, so that a caller can catch all of them as `TunerError`.

A candidate that fails to build, crashes or answers wrongly is not an error here: it is data, an `Outcome` of a `Trial`.
What is raised is a misuse: an ill-formed space, an impossible trial, a search or a runner that breaks its protocol.
"""

from __future__ import annotations


class TunerError(Exception):
    """Base of everything `tuner` raises on its own account."""


class SpaceError(TunerError, ValueError):
    """A search space is ill-formed: a parameter without values, a name used twice, a `normalise` that leaves it."""


class TrialError(TunerError, ValueError):
    """A trial contradicts itself: a time without success, a success without a time, a negative cost."""


class BudgetError(TunerError, ValueError):
    """A budget is negative or not a number."""


class SearchError(TunerError):
    """A search broke its protocol, is unknown by that name, or lacks the library it stands on."""


class RunnerError(TunerError):
    """A runner broke its protocol: it answered for another configuration, or with something that is no trial."""


class ConfirmationError(TunerError, ValueError):
    """A `confirm` callable gave other than one time for each configuration it was asked to measure again."""


class WrongAnswerWarning(UserWarning):
    """Candidates ran and computed something else than the reference, further off than the runner allows.

    Design section 3, invariant 6: a mismatch is reported loudly, never a slow data point. One warning for a search says
    how many they were; each trial's detail has more.
    """
