"""`emath` by its other name."""

from lazyarr.emath import *  # noqa: F403  # all of it
from lazyarr.emath import __all__ as __all__
