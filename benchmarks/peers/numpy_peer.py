"""NumPy."""

from __future__ import annotations

from functools import partial

import numpy as np

from benchmarks.formulas import black_scholes, forces, scaled_sum, take
from benchmarks.idioms import SHARED, numpy_pi
from benchmarks.peers.peer import Peer, into_ready
from benchmarks.peers.stencils import numpy_stencils
from benchmarks.sequences import FUSED, PRODUCTS


def numpy_peer() -> Peer:
    """NumPy."""
    return Peer(
        "numpy",
        np.__version__,
        {
            "scal": {"": lambda x: 3 * x, "ready output": into_ready(lambda x, out: np.multiply(x, 3, out=out))},
            "asum": {"": lambda x: np.sum(np.abs(x))},
            "dot": {"": np.dot},
            "gemv": {"": lambda a, x, y: scaled_sum(a @ x, y)},
            "black-scholes": {"": partial(black_scholes, np)},
            "md": {"": partial(forces, np, take, 1)},
            "md transposed": {"": partial(forces, np, take, 0)},
            **{name: {"": partial(f, np)} for name, f in SHARED.items()},
            **{name: {"": partial(f, np)} for name, f in (FUSED | PRODUCTS).items()},
            "pi": {"": numpy_pi},
            **numpy_stencils(),
        },
    )
