"""Dtypes: which there are, how they promote and convert, what is said of them.

Start with `supported`, whose names stand here too.
"""

from lazyarr.dtypes.supported import *  # noqa: F403
from lazyarr.dtypes.supported import __all__  # noqa: F401
