"""Random vectors: along the last dimension of what is drawn stands one of them."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np

from lazyarr.array import Array
from lazyarr.creation import as_shape, asarray
from lazyarr.dtypes import float64
from lazyarr.random.parameters import check_positive, size_of, whole_values

__all__ = ["Vectors"]


class Vectors:
    """The methods of `Generator` that draw vectors."""

    __slots__ = ()

    def dirichlet(self, alpha: Any, size: Any = None) -> Array:
        """Parts of a whole along the last dimension: gamma numbers of these shapes divided by their sum."""
        check_positive("dirichlet", alpha=alpha)
        shapes = asarray(alpha, float64, function="dirichlet")
        if shapes.ndim != 1:
            raise ValueError(f"dirichlet: expected a vector of parameters, got shape {shapes.shape}")
        found = self.standard_gamma(shapes, (*size_of("dirichlet", size, ()), shapes.size))  # type: ignore[attr-defined]  # a Generator
        return found / found.sum(axis=-1, keepdims=True)  # type: ignore[no-any-return]  # operators give Any

    def multivariate_normal(
        self,
        mean: Any,
        cov: Any,
        size: Any = None,
        check_valid: str = "warn",
        tol: float = 1e-8,
        *,
        method: str = "svd",
    ) -> Array:
        """Normal vectors of that mean and covariance matrix, of which a root is computed on the host (`linalg.eigh`).

        check_valid : "warn", "raise" or "ignore" where the matrix is not symmetric or has eigenvalues below zero. tol :
            by how much it may miss both, relative to its greatest eigenvalue if that is above one. method : NumPy's,
            "svd", "eigh" or "cholesky", changes nothing

        Raises `ValueError` for shapes that do not fit, other words, and with "raise" for such a matrix.
        """
        from lazyarr.elementwise import maximum, sqrt
        from lazyarr.linalg import eigh

        centre, spread = (asarray(x, float64, function="multivariate_normal") for x in (mean, cov))
        if centre.ndim != 1 or spread.shape != (centre.size, centre.size):
            raise ValueError(
                f"multivariate_normal: expected a mean of n numbers and a covariance of n by n, got shapes "
                f"{centre.shape} and {spread.shape}"
            )
        if check_valid not in ("warn", "raise", "ignore"):
            raise ValueError(f"multivariate_normal: expected check_valid warn, raise or ignore, got {check_valid!r}")
        if method not in ("svd", "eigh", "cholesky"):
            raise ValueError(f"multivariate_normal: expected method svd, eigh or cholesky, got {method!r}")
        values, vectors = eigh(spread)
        if check_valid != "ignore" and not _is_covariance(np.asarray(spread), np.asarray(values), tol):
            message = "multivariate_normal: cov is not symmetric positive-semidefinite"
            if check_valid == "raise":
                raise ValueError(message)
            warnings.warn(message, RuntimeWarning, stacklevel=2)
        root = vectors * sqrt(maximum(values, 0.0))
        normal = self.standard_normal((*size_of("multivariate_normal", size, ()), centre.size))  # type: ignore[attr-defined]  # a Generator
        return centre + normal @ root.T  # type: ignore[no-any-return]  # operators give Any

    def multinomial(self, n: int, pvals: Any, size: Any = None) -> Array:
        """How often each of several things, of probabilities `pvals`, happens in n trials, as int64, along the last
        dimension. The time grows with n.
        """
        from lazyarr.ranges import arange
        from lazyarr.reductions import sum as sum_

        chances, trials = np.asarray(pvals, float), operator.index(n)
        if chances.ndim != 1 or not chances.size or np.any(chances < 0) or chances[:-1].sum() > 1 + 1e-12 or trials < 0:
            raise ValueError("multinomial: expected n not negative, and a vector of probabilities that sum to one")
        shape: tuple[int, ...] = () if size is None else as_shape(size, "multinomial")
        chances = np.append(chances[:-1], max(0.0, 1 - chances[:-1].sum()))
        at = self._chosen(len(chances), (*shape, 1, trials), chances)  # type: ignore[attr-defined]  # a Generator
        return sum_(at == arange(len(chances)).reshape(-1, 1), axis=-1)

    def multivariate_hypergeometric(
        self, colors: Any, nsample: int, size: Any = None, method: str = "marginals"
    ) -> Array:
        """How many of each colour are among nsample drawn, without putting back, as int64, along the last dimension.

        colors : how many there are of each. method : NumPy's; what is there is put into random order, so that time and
            memory grow with the sum of them

        Raises `ValueError` for negative numbers, more drawn than there are, and another method than "marginals" and
        "count".
        """
        from lazyarr.reductions import sum as sum_
        from lazyarr.sorting import argsort
        from lazyarr.taking import take

        counts, drawn = whole_values("multivariate_hypergeometric", "colors", colors), operator.index(nsample)
        if method not in ("marginals", "count"):
            raise ValueError(f"multivariate_hypergeometric: expected method 'marginals' or 'count', got {method!r}")
        if counts.ndim != 1 or (counts < 0).any() or not 0 <= drawn <= counts.sum():
            raise ValueError(f"multivariate_hypergeometric: cannot draw {nsample} of {colors}")
        shape: tuple[int, ...] = () if size is None else as_shape(size, "multivariate_hypergeometric")
        total = int(counts.sum())
        order = argsort(self._keys((*shape, total)), axis=-1)[..., :drawn]  # type: ignore[attr-defined]  # a Generator
        colour = take(asarray(np.repeat(np.arange(counts.size), counts)), order)
        return sum_(colour.reshape(*shape, 1, drawn) == asarray(np.arange(counts.size)).reshape(-1, 1), axis=-1)


def _is_covariance(matrix: np.ndarray[Any, Any], values: np.ndarray[Any, Any], tol: float) -> bool:
    """Is a matrix of these eigenvalues symmetric, and none of them below zero?"""
    miss = tol * max(1.0, float(np.abs(values).max(initial=0.0)))
    return bool((np.abs(matrix - matrix.T) <= miss).all() and (values >= -miss).all())
