"""JAX."""

from __future__ import annotations

import importlib
import os
from collections.abc import Callable
from functools import partial
from typing import Any

from benchmarks.formulas import black_scholes, forces, scaled_sum
from benchmarks.harness import UnavailableError
from benchmarks.idioms import POINTS, SHARED, hits
from benchmarks.peers.peer import Operation, Peer
from benchmarks.peers.stencils import jax_stencils
from benchmarks.sequences import FUSED, PRODUCTS, SIZE_FOLLOWS


def jax_peer(gpu: bool = False) -> Peer:
    """JAX, jitted, on its CPU device or its first GPU. Products take no TF32.

    Raises:
        UnavailableError: JAX has no such device.
    """
    os.environ.setdefault("XLA_PYTHON_CLIENT_PREALLOCATE", "false")  # leaves memory for the others
    jax: Any = importlib.import_module("jax")
    try:
        device = jax.devices("gpu" if gpu else "cpu")[0]
    except RuntimeError as error:
        raise UnavailableError(f"jax: {str(error).splitlines()[0]}") from error
    jnp = jax.numpy
    product = partial(jnp.dot, precision=jax.lax.Precision.HIGHEST)

    def gather(values: Any, indices: Any) -> Any:
        return values.at[indices].get(mode="promise_in_bounds")

    def pi(seed: Any) -> Any:
        first, second = jax.random.split(jax.random.key(seed))
        return hits(jnp, *(jax.random.uniform(key, (POINTS,), jnp.float32) for key in (first, second)))

    def jitted(function: Callable[..., Any]) -> dict[str, Operation]:
        compiled: Operation = jax.jit(function)
        return {"": compiled}

    def exactly(function: Callable[..., Any]) -> Callable[..., Any]:
        def run(*arrays: Any) -> Any:
            with jax.default_matmul_precision("highest"):
                return function(*arrays)

        return run

    return Peer(
        "jax",
        str(jax.__version__),
        {
            "scal": jitted(lambda x: 3 * x),
            "asum": jitted(lambda x: jnp.sum(jnp.abs(x))),
            "dot": jitted(product),
            "gemv": jitted(lambda a, x, y: scaled_sum(product(a, x), y)),
            "black-scholes": jitted(lambda s, k, t: black_scholes(jnp, s, k, t)),
            "md": jitted(lambda *arrays: forces(jnp, gather, 1, *arrays)),
            "md transposed": jitted(lambda *arrays: forces(jnp, gather, 0, *arrays)),
            **{name: jitted(partial(f, jnp)) for name, f in SHARED.items()},
            **{
                name: jitted(exactly(partial(f, jnp)))
                for name, f in (FUSED | PRODUCTS).items()
                if name not in SIZE_FOLLOWS
            },
            **{name: {"": partial(FUSED[name], jnp)} for name in SIZE_FOLLOWS},
            "pi": jitted(pi),
            **jax_stencils(jax),
            "read": jitted(jnp.sum),
        },
        convert=lambda array: jax.device_put(array, device),
        finish=jax.block_until_ready,
        release=jax.clear_caches,
    )
