"""The root of lazyarr's exceptions: catching `LazyarrError` catches everything lazyarr raises on purpose."""


class LazyarrError(Exception):
    """Base class of every error that lazyarr raises on purpose."""


class TracingError(LazyarrError, TypeError):
    """A value was asked of an array or scalar that has none yet: it stands for an argument of a traced function."""
