"""The version of lazyarr, by the names that NumPy's has."""

__all__ = ["__version__", "full_version", "short_version", "version"]

__version__ = version = full_version = short_version = "0.1.0"
