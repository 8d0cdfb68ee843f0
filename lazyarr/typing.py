"""NumPy's types for annotations: `npt.NDArray[np.float64]`."""

from numpy.typing import ArrayLike, DTypeLike, NDArray

__all__ = ["ArrayLike", "DTypeLike", "NDArray"]
