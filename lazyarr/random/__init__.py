"""Random numbers: counter-based generators, each element a function of a key and its position.

`default_rng(seed)` makes a `Generator`, as in NumPy; the numbers are other ones than NumPy's. The module's functions
are NumPy's legacy ones, over one generator that `seed` exchanges.
"""

from lazyarr.random import legacy as mtrand  # noqa: F401  # NumPy's name for where these functions are
from lazyarr.random.bit_generators import MT19937, PCG64, PCG64DXSM, SFC64, BitGenerator, Philox, SeedSequence
from lazyarr.random.generator import Generator, default_rng
from lazyarr.random.legacy import *  # noqa: F403  # NumPy's legacy functions
from lazyarr.random.legacy import __all__ as _legacy
from lazyarr.random.philox import philox4x32

__all__ = [
    "MT19937", "PCG64", "PCG64DXSM", "SFC64", "BitGenerator", "Generator", "Philox", "SeedSequence", "default_rng",
    "philox4x32",
]  # fmt: skip
__all__ += _legacy


def __dir__() -> list[str]:
    return sorted(__all__)
