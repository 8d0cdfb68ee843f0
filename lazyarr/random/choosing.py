"""Drawing from what is there: choices and permutations."""

from __future__ import annotations

import operator
from collections.abc import MutableSequence
from math import prod
from typing import Any

import numpy as np

from lazyarr.aliasing.assignment import rebind
from lazyarr.aliasing.outputs import finished
from lazyarr.api.order.bisection import searchsorted
from lazyarr.api.order.sorting import argsort
from lazyarr.api.reduce.scans import cumsum
from lazyarr.api.select.taking import take, take_along_axis
from lazyarr.array import Array
from lazyarr.dtypes import float64, int64, uint64
from lazyarr.recording.creation import as_shape, asarray
from lazyarr.recording.filled import zeros
from lazyarr.recording.movement import normalise_axis, whole_number

__all__ = ["Choosing"]


class Choosing:
    """The methods of `Generator` that choose and order."""

    __slots__ = ()

    def choice(
        self, a: Any, size: Any = None, replace: bool = True, p: Any = None, axis: int = 0, shuffle: bool = True
    ) -> Array:
        """Elements of an array along an axis (for a number n of 0, ..., n - 1), as many as `size` says.

        Args:
            replace: may an element be chosen twice?
            p: the probabilities of the elements, by default equal ones.
            shuffle: is there for NumPy's sake: what is chosen is in random order in any case

        Of strings and objects, for which there is no dtype, what is chosen is NumPy's, and computed.

        Raises:
            ValueError: probabilities that are none, more elements than there are, or some of none.
        """
        labels = None if isinstance(a, Array) else np.asarray(a)
        if labels is not None and labels.ndim and labels.dtype.kind not in "biufc":
            return np.take(labels, np.asarray(self.choice(labels.shape[axis], size, replace, p)), axis)  # type: ignore[return-value]  # NumPy's
        if labels is not None and not labels.ndim:
            try:
                count, source = operator.index(a), None
            except TypeError:
                raise ValueError(f"choice: expected a whole number or an array, got {a!r}") from None
        else:
            source = asarray(a, function="choice")
            axis = normalise_axis("choice", axis, source.ndim)
            count = source.shape[axis]
        shape: tuple[int, ...] = () if size is None else as_shape(size, "choice")
        if count < 1 and 0 not in shape:
            raise ValueError("choice: expected one or more elements to choose from")
        if count < 1:
            if p is not None:
                _weights(count, p)
            at = zeros(shape, dtype=int64)
            return at if source is None else take(source, at, axis)
        at = self._chosen(count, shape, p) if replace else self._without_replacement(count, shape, p)
        return at if source is None else take(source, at, axis)

    def _chosen(self, count: int, shape: tuple[int, ...], p: Any) -> Array:
        """Indices, chosen one by one."""
        if p is None:
            return self.integers(0, count, shape)  # type: ignore[attr-defined, no-any-return]  # a Generator
        sums = cumsum(_weights(count, p))
        return searchsorted(sums / sums[-1], self.random(shape), side="right")  # type: ignore[attr-defined]

    def _without_replacement(self, count: int, shape: tuple[int, ...], p: Any) -> Array:
        """Different indices: the first of a random order.

        With probabilities by Efraimidis' and Spirakis' keys: the least of exponential numbers with these rates.
        """
        wanted = prod(shape)
        if wanted > count:
            raise ValueError(f"choice: cannot take {wanted} elements of {count} without replacement")
        if p is None:
            order = self.permutation(count)
        else:
            weights = _weights(count, p)
            if not isinstance(p, Array) and np.count_nonzero(p) < wanted:
                raise ValueError(f"choice: fewer than {wanted} probabilities are not zero")
            order = argsort(self.standard_exponential(count) / weights)  # type: ignore[attr-defined]
        return order[:wanted].reshape(shape)

    # --- orders -------------------------------------------------------------------------------------------------------

    def permutation(self, x: Any, axis: int = 0) -> Array:
        """The elements of an array along an axis (for a number n of 0, ..., n - 1) in random order: rows stay whole."""
        if x.is_number if isinstance(x, Array) else not np.ndim(x):
            return argsort(self._keys((whole_number("permutation", "x", x),)))
        source = asarray(x, function="permutation")
        along = normalise_axis("permutation", axis, source.ndim)
        return take(source, argsort(self._keys((source.shape[along],))), along)

    def permuted(self, x: Any, axis: int | None = None, out: Any = None) -> Array:
        """The elements in random order, along an axis: each row in an order of its own; None: of all elements.

        Args:
            out: an array to put them into, which is returned
        """
        return finished("permuted", self._permuted(x, axis), out)

    def _permuted(self, x: Any, axis: int | None) -> Array:
        source = asarray(x, function="permuted")
        if axis is None:
            return self.permutation(source.ravel()).reshape(source.shape)
        along = normalise_axis("permuted", axis, source.ndim)
        return take_along_axis(source, argsort(self._keys(source.shape), axis=along), axis=along)

    def shuffle(self, x: Any, axis: int = 0) -> None:
        """Put the elements of an array along an axis, or those of a list, into random order; the object changes."""
        if isinstance(x, (Array, np.ndarray)) and not x.ndim:
            raise TypeError("shuffle: expected an array that has dimensions, got a number")
        if isinstance(x, Array):
            rebind(x, self.permutation(x, axis))
        elif isinstance(x, np.ndarray):
            x[...] = np.take(x, np.asarray(self.permutation(x.shape[axis])), axis)
        elif isinstance(x, MutableSequence):
            x[:] = [x[i] for i in self.permutation(len(x)).tolist()]
        else:
            raise TypeError(f"shuffle: expected an array or a list to change, got {type(x).__name__}")

    def _keys(self, shape: tuple[int, ...]) -> Array:
        """Numbers by whose order something is ordered: 64 bits, of which hardly ever two are equal."""
        return self._draw("keys", shape, uint64)  # type: ignore[attr-defined, no-any-return]  # a Generator


def _weights(count: int, p: Any) -> Array:
    """Probabilities for that many elements; checked where they are known."""
    weights = asarray(p, float64, function="choice")
    if weights.shape != (count,):
        raise ValueError(f"choice: expected {count} probabilities, got shape {weights.shape}")
    if not isinstance(p, Array):
        known = np.asarray(p, float)
        if not np.all(known >= 0) or abs(known.sum() - 1) > 1e-8:
            raise ValueError("choice: expected probabilities that are not negative and sum to one")
    return weights
