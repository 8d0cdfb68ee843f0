"""The same operations in other libraries: NumPy, numexpr, numba, JAX, torch and CuPy, where they are installed.

A peer that cannot be imported or does not run on the kind of device is reported as missing, never left out silently.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial

from benchmarks.harness import UnavailableError
from benchmarks.peers.cupy_peer import cupy_peer
from benchmarks.peers.jax_peer import jax_peer
from benchmarks.peers.numba_peer import numba_peer
from benchmarks.peers.numexpr_peer import numexpr_peer
from benchmarks.peers.numpy_peer import numpy_peer
from benchmarks.peers.peer import Missing, Operation, Peer, threads
from benchmarks.peers.torch_peer import torch_peer

__all__ = ["GPU_MAKERS", "MAKERS", "Missing", "Operation", "Peer", "find_peers", "makers", "threads"]

Makers = Mapping[str, Callable[[], Peer]]

MAKERS: Makers = {
    "numpy": numpy_peer,
    "numexpr": numexpr_peer,
    "numba": numba_peer,
    "jax": jax_peer,
    "torch": torch_peer,
}
GPU_MAKERS: Makers = {"torch": partial(torch_peer, gpu=True), "cupy": cupy_peer, "jax": partial(jax_peer, gpu=True)}


def makers(gpu: bool) -> Makers:
    """All peers for that kind of device; those that only run on the other kind say so when they are made."""
    own, other = (GPU_MAKERS, MAKERS) if gpu else (MAKERS, GPU_MAKERS)
    reason = f"runs on a {'CPU' if gpu else 'GPU'}, and the device is a {'GPU' if gpu else 'CPU'}"

    def refuse() -> Peer:
        raise UnavailableError(reason)

    return {**dict.fromkeys(other, refuse), **own}


def find_peers(makers: Makers = MAKERS) -> tuple[list[Peer], list[Missing]]:
    """The peers that can be used here, and those that cannot."""
    found: list[Peer] = []
    missing: list[Missing] = []
    for name, make in makers.items():
        try:
            found.append(make())
        except (ImportError, UnavailableError) as error:
            missing.append(Missing(name, str(error)))
    return found, missing
