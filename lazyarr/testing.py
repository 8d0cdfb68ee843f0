"""`numpy.testing` for lazyarr's arrays: its functions of the arrays' values.

NumPy's own take them too, but for `assert_equal`, which knows arrays by their class.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from lazyarr.recording.host import on_values

__all__: list[str] = []  # what `numpy.testing` has


def __getattr__(name: str) -> Any:
    found = getattr(np.testing, name)
    if not name.startswith("assert_") or not callable(found):
        return found

    @functools.wraps(found)
    def checked(*arguments: Any, **keywords: Any) -> Any:
        return on_values(found, arguments, keywords)

    return checked
