"""Random vectors: along the last dimension of what is drawn stands one of them."""

from __future__ import annotations

import operator
import warnings
from typing import Any

import numpy as np

from lazyarr.api.create.ranges import arange
from lazyarr.api.elementwise.standard import maximum, sqrt
from lazyarr.api.order.sorting import argsort
from lazyarr.api.reduce.reductions import sum as sum_
from lazyarr.api.reduce.scans import cumulative_sum, diff
from lazyarr.api.select.taking import take
from lazyarr.array import Array
from lazyarr.dtypes import float64
from lazyarr.linalg import cholesky, eigh
from lazyarr.random.parameters import check_not_negative, size_of, truncated_values, whole_values
from lazyarr.recording.conversion import where
from lazyarr.recording.creation import as_shape, asarray

__all__ = ["Vectors"]


class Vectors:
    """The methods of `Generator` that draw vectors."""

    __slots__ = ()

    def dirichlet(self, alpha: Any, size: Any = None) -> Array:
        """Parts of a whole: gamma numbers divided by their sum, k of them along a dimension behind those of `size`.

        Args:
            alpha: a vector of k parameters, the shapes of the gamma numbers; none is negative

        Raises:
            ValueError: a negative parameter, or no vector.
        """
        check_not_negative("dirichlet", alpha=alpha)
        shapes = asarray(alpha, float64, function="dirichlet")
        if shapes.ndim != 1:
            raise ValueError(f"dirichlet: expected a vector of parameters, got shape {shapes.shape}")
        drawn = size_of("dirichlet", size, ())
        found = self.standard_gamma(shapes, (*drawn, shapes.size))  # type: ignore[attr-defined]  # a Generator
        whole = found.sum(axis=-1, keepdims=True)
        # where all are too small for numbers, nearly all is one of them
        ends = cumulative_sum(shapes)
        reached = where(self.random((*drawn, 1)) * ends[-1:] < ends, 1.0, 0.0)  # type: ignore[attr-defined]  # a Generator
        return where(whole == 0, diff(reached, prepend=0.0), found / whole)

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

        Args:
            check_valid: "warn", "raise" or "ignore" where the matrix is not symmetric or has eigenvalues below zero.
            tol: by how much it may miss both, relative to its greatest eigenvalue if that is above one.
            method: how the root is computed: "svd" and "eigh" are the same here, "cholesky" is `linalg.cholesky`, which
                needs no check

        Raises:
            ValueError: shapes that do not fit, other words, and with "raise" for such a matrix.
            LinAlgError: from "cholesky" for a matrix that is not positive definite.
        """
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
        root = _root_by_factors(spread) if method == "cholesky" else _root_by_values(spread, check_valid, tol)
        normal = self.standard_normal((*size_of("multivariate_normal", size, ()), centre.size))  # type: ignore[attr-defined]  # a Generator
        return centre + normal @ root.T  # type: ignore[no-any-return]  # operators give Any

    def multinomial(self, n: Any, pvals: Any, size: Any = None) -> Array:
        """How often each of several things, of probabilities `pvals`, happens in n trials, as int64, along the last
        dimension. The time grows with the greatest n, whose values are computed.

        Args:
            n, pvals: numbers of trials, and rows of probabilities; both broadcast to `size`

        Raises:
            ValueError: negative n, rows that are no probabilities or sum to more than one, and shapes that do not
                broadcast.
        """
        chances, trials = np.asarray(pvals, float), truncated_values("multinomial", "n", n)
        if not chances.ndim or not chances.shape[-1]:
            raise ValueError(f"multinomial: expected a vector of one or more probabilities, got shape {chances.shape}")
        given = chances[..., :-1].sum(axis=-1)
        if not ((chances >= 0) & (chances <= 1)).all() or (given > 1 + 1e-12).any() or (trials < 0).any():
            raise ValueError("multinomial: expected n not negative, and a vector of probabilities that sum to one")
        if not trials.ndim and chances.ndim == 1:
            shape: tuple[int, ...] = () if size is None else as_shape(size, "multinomial")
            chances = np.append(chances[:-1], max(0.0, 1 - given))
            at = self._chosen(len(chances), (*shape, 1, int(trials)), chances)  # type: ignore[attr-defined]  # a Generator
            return sum_(at == arange(len(chances)).reshape(-1, 1), axis=-1)
        shape = size_of("multinomial", size, (asarray(trials), asarray(chances[..., 0])))
        ends = np.cumsum(chances, axis=-1)[..., None]
        ends[..., -1, :] = 1.0  # what is left over is the last one's
        starts = np.concatenate([np.zeros_like(ends[..., :1, :]), ends[..., :-1, :]], axis=-2)
        most = int(trials.max(initial=0))
        drawn = self.random((*shape, 1, most))  # type: ignore[attr-defined]  # as above
        counts = arange(most) < asarray(trials[..., None, None])
        return sum_((drawn >= asarray(starts)) & (drawn < asarray(ends)) & counts, axis=-1)

    def multivariate_hypergeometric(
        self, colors: Any, nsample: int, size: Any = None, method: str = "marginals"
    ) -> Array:
        """How many of each colour are among nsample drawn, without putting back, as int64, along the last dimension.

        Args:
            colors: how many there are of each.
            method: NumPy's; what is there is put into random order, so that time and memory grow with the sum of them

        Raises:
            ValueError: negative numbers, more drawn than there are, and another method than "marginals" and
                "count".
        """
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


def _root_by_factors(spread: Array) -> Array:
    try:
        return cholesky(spread)
    except np.linalg.LinAlgError:
        raise np.linalg.LinAlgError(
            "multivariate_normal: method 'cholesky' expects a positive definite cov: use 'eigh' for one that is not"
        ) from None


def _root_by_values(spread: Array, check_valid: str, tol: float) -> Array:
    values, vectors = eigh(spread)
    if check_valid != "ignore" and not _is_covariance(np.asarray(spread), np.asarray(values), tol):
        message = "multivariate_normal: cov is not symmetric positive-semidefinite"
        if check_valid == "raise":
            raise ValueError(message)
        warnings.warn(message, RuntimeWarning, stacklevel=3)
    return vectors * sqrt(maximum(values, 0.0))  # type: ignore[no-any-return]  # operators give Any


def _is_covariance(matrix: np.ndarray[Any, Any], values: np.ndarray[Any, Any], tol: float) -> bool:
    """Is a matrix of these eigenvalues symmetric, and none of them below zero?"""
    miss = tol * max(1.0, float(np.abs(values).max(initial=0.0)))
    return bool((np.abs(matrix - matrix.T) <= miss).all() and (values >= -miss).all())
