"""`numpy.testing` for lazyarr's arrays: its functions of the arrays' values.

NumPy's own take them too, but for `assert_equal`, which knows arrays by their class.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from lazyarr.recording.host import on_values


def __getattr__(name: str) -> Any:  # `__all__`, too: importing lazyarr must not pay for `numpy.testing`
    found = getattr(np.testing, name)
    if not name.startswith("assert_") or not callable(found):
        return found

    @functools.wraps(found)
    def checked(*arguments: Any, **keywords: Any) -> Any:
        return on_values(found, arguments, keywords)

    return checked


def __dir__() -> list[str]:
    return sorted({*globals(), *dir(np.testing)})
