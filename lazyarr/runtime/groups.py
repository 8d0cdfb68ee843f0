"""Work-groups for kernels that work with any: their work-items say themselves whether they have something to do.

A group has to divide the work-items of a launch. Of a prime number a runtime makes groups of one: on an H200 a copy of
16,777,213 elements took 270 times as long as one of 16,777,216. So a few more are launched.
"""

from __future__ import annotations

from math import prod

from ir.cost.thresholds.defaults import LAUNCHED_GROUPS_AT_MOST, MAP_GROUP, POCL_GROUP

__all__ = ["Items", "few_groups", "whole_groups"]

Items = tuple[int, ...]


def whole_groups(items: Items, most: int, sides: Items) -> tuple[Items, Items]:
    """The work-items to launch for so many in each dimension, and their work-group.

    Args:
        most: work-items of a group
        sides: the same in each dimension
    """
    least = [1, *(1 << (-(-n // LAUNCHED_GROUPS_AT_MOST) - 1).bit_length() for n in items[1:])]
    left, group = min(most, max(MAP_GROUP, prod(least))), []
    for i, (n, side) in enumerate(zip(items, sides, strict=False)):
        fitting = _divisor(n, min(max(1, left // prod(least[i + 1 :])), side))
        group.append(max(fitting, min(least[i], left, side)))
        left //= group[-1]
    return _rounded(items, group)


def few_groups(items: Items, most: int) -> tuple[Items, Items]:
    """The same for a runtime that compiles a kernel anew for each work-group, which takes PoCL half a second: of a few
    sizes, in the first dimension.
    """
    first = min(most, POCL_GROUP, 1 << (items[0] - 1).bit_length())
    return _rounded(items, [first, *[1] * (len(items) - 1)])


def _divisor(n: int, most: int) -> int:
    """All of them if that is allowed, else the largest power of two which makes them more by an eighth at most."""
    if n <= most:
        return n
    return next(size for size in (1 << k for k in reversed(range(most.bit_length()))) if -n % size <= n // 8)


def _rounded(items: Items, group: list[int]) -> tuple[Items, Items]:
    return tuple([n + -n % size for n, size in zip(items, group, strict=True)]), tuple(group)
