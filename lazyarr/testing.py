"""`numpy.testing` for lazyarr's arrays: its functions of the arrays' values.

NumPy's own take them too, but for `assert_equal`, which knows arrays by their class.
"""

from __future__ import annotations

import functools
from typing import Any

import numpy as np

from lazyarr.array import Array
from lazyarr.graph.pytree import map_leaves

__all__: list[str] = []  # what `numpy.testing` has


def __getattr__(name: str) -> Any:
    found = getattr(np.testing, name)
    if not name.startswith("assert_") or not callable(found):
        return found

    @functools.wraps(found)
    def checked(*arguments: Any, **keywords: Any) -> Any:
        values = map_leaves(_value, (list(arguments), keywords))
        return found(*values[0], **values[1])

    return checked


def _value(x: Any) -> Any:
    return np.asarray(x) if isinstance(x, Array) else x
