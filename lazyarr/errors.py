"""The root of lazyarr's exceptions: catching `LazyarrError` catches everything lazyarr raises on purpose."""


class LazyarrError(Exception):
    """Base class of every error that lazyarr raises on purpose."""


class TracingError(LazyarrError, TypeError):
    """A value was asked of an array or scalar that has none yet: it stands for an argument of a traced function."""


class SettingError(LazyarrError, ValueError):
    """A setting that does not exist, or a value it cannot have."""


class CompileError(LazyarrError, RuntimeError):
    """No kernel could be made for an expression: names the expression, and what failed for the candidate tried last."""


class FusionError(CompileError):
    """No kernel could be made for an expression as a whole. Smaller ones are tried in its place, where there are."""


class CandidateWarning(UserWarning):
    """Candidates for a kernel could not be built, or a kernel could not be made as planned; others take their place.

    One line for a kernel; the log of `lazyarr.compile` has each in full. Please report it.
    """


class RecordingWarning(UserWarning):
    """A function of `lift.jit` is recorded again and again, because what it reads from outside is another each time."""
