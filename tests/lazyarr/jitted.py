"""Functions that count how often they are recorded, and their arguments."""

from __future__ import annotations

import numpy as np

from lazyarr import lift

X = np.linspace(-3, 5, 7, dtype=np.float32)
Y = np.arange(7, dtype=np.float32) + 1


def counted(function):
    """The function jitted, and the list of its recordings."""
    calls = []

    def wrapper(*args, **kwargs):
        calls.append(1)
        return function(*args, **kwargs)

    return lift.jit(wrapper), calls
