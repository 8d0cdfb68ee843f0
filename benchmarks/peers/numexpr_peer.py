"""Numexpr."""

from __future__ import annotations

import importlib
from typing import Any

import numpy as np

from benchmarks.formulas import DENSITY, DRIFT, POLYNOMIAL, RATE, SLOPE, VOLATILITY
from benchmarks.peers.everyday import NUMEXPR_LACKS, numexpr_everyday
from benchmarks.peers.peer import Array, Operation, Peer, into_ready, threads
from benchmarks.peers.sequences import numexpr_fused
from benchmarks.sequences import PRODUCTS

# Constants stand in variables: a written one would be a float64 and widen everything.
CONSTANTS = {
    "slope": SLOPE,
    "density": DENSITY,
    "half": 0.5,
    "rate": RATE,
    "v": VOLATILITY,
    "drift": DRIFT,
    **{f"c{i}": value for i, value in enumerate(POLYNOMIAL)},
}


def _normal(d: str) -> str:
    k = f"(1 / (1 + slope * abs({d})))"
    polynomial = f"({k} * (c0 + {k} * (c1 + {k} * (c2 + {k} * (c3 + {k} * c4)))))"
    tail = f"(density * exp(-half * {d} * {d}) * {polynomial})"
    return f"where({d} > 0, 1 - {tail}, {tail})"


FIRST = "((log(s / k) + drift * t) / (v * sqrt(t)))"
SECOND = f"({FIRST} - v * sqrt(t))"
DISCOUNTED = "(k * exp(-rate * t))"
CALL = f"s * {_normal(FIRST)} - {DISCOUNTED} * {_normal(SECOND)}"
PUT = f"{DISCOUNTED} * (1 - {_normal(SECOND)}) - s * (1 - {_normal(FIRST)})"


def numexpr_peer() -> Peer:
    """Numexpr, on as many threads as there are cores.

    Numexpr adds float32 terms one after the other in float32: the sum of 2**24 products is 2 % off. Its sums are
    therefore written to add in float64 (a float64 constant widens the terms); otherwise its results fail the check. An
    expression has one result: Black-Scholes takes two.
    """
    numexpr: Any = importlib.import_module("numexpr")
    numexpr.set_num_threads(threads())
    constants = {name: np.float32(value) for name, value in CONSTANTS.items()}

    def expression(text: str) -> Operation:
        def run(x: Array, y: Array | None = None) -> object:
            return numexpr.evaluate(text, local_dict={"x": x, "y": y}, global_dict={})

        return run

    def write(x: Array, out: Array) -> object:
        return numexpr.evaluate("3 * x", local_dict={"x": x}, global_dict={}, out=out)

    def prices(s: Array, k: Array, t: Array, out: Any = (None, None)) -> tuple[object, object]:
        values = {"s": s, "k": k, "t": t, **constants}
        call = numexpr.evaluate(CALL, local_dict=values, global_dict={}, out=out[0])
        return call, numexpr.evaluate(PUT, local_dict=values, global_dict={}, out=out[1])

    ready: dict[int, tuple[Array, Array]] = {}

    def prices_into(s: Array, k: Array, t: Array) -> tuple[object, object]:
        out = ready.get(s.size) or ready.setdefault(s.size, (np.zeros_like(s), np.zeros_like(s)))
        return prices(s, k, t, out)

    return Peer(
        "numexpr",
        str(numexpr.__version__),
        {
            "scal": {"": expression("3 * x"), "ready output": into_ready(write)},
            "asum": {"": expression("sum(1.0 * abs(x))")},
            "dot": {"": expression("sum(1.0 * x * y)")},
            **{name: {"": way} for name, way in numexpr_everyday(numexpr).items()},
            **{name: {"ready output": way} for name, way in numexpr_fused(numexpr).items()},
            "black-scholes": {"": prices, "ready output": prices_into},
        },
        lacks={
            "gemv": "numexpr has no matrix products",
            "md": "numexpr has no gather",
            "md transposed": "numexpr has no gather",
            **NUMEXPR_LACKS,
            **{name: "numexpr has no matrix products" for name in PRODUCTS if name != "transpose"},
        },
    )
