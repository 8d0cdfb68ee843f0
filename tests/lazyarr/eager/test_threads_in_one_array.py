"""Threads that write to their own elements of one eager array at the same time: no write is lost."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from tests.threads import in_threads

COUNT, MANY, TURNS = 20_000, 4, 3

WRITES = {
    "place": lambda x, mask, value: la.place(x, mask, [value]),
    "putmask": lambda x, mask, value: la.putmask(x, mask, value),
    "put": lambda x, mask, value: la.put(x, np.flatnonzero(mask), value),
    "put, wrapped": lambda x, mask, value: la.put(x, np.flatnonzero(mask) + x.size, [value], mode="wrap"),
    "put, clipped": lambda x, mask, value: la.put(x, np.flatnonzero(mask), [value, value], mode="clip"),
    "copyto": lambda x, mask, value: la.copyto(x, value, where=mask),
    "mask": lambda x, mask, value: x.__setitem__(mask, value),
    "flat": lambda x, mask, value: x.flat.__setitem__(np.flatnonzero(mask), value),
    "at": lambda x, mask, value: la.maximum.at(x, mask, value),
    "add": lambda x, mask, value: la.add(value, 0.0, out=x, where=mask),
    "add to itself": lambda x, mask, value: la.add(x, 1.0, out=x, where=mask),
    "negative": lambda x, mask, value: la.negative(-value, out=x, where=mask),
}  # fmt: skip

PARTS = {
    "add": lambda part, value: la.add(value, 0.0, out=part),
    "in place": lambda part, value: part.__imul__(0.0).__iadd__(value),
    "a function of itself": lambda part, value: la.maximum(part, value, out=part),
    "fill": lambda part, value: part.__setitem__(Ellipsis, value),
}

SHOWN = {
    "whole": lambda x: x,
    "every second": lambda x: x[::2],
    "columns": lambda x: x.reshape(100, -1).T,
}


def eager(count=2 * COUNT):
    made = la.zeros(count)
    made[...] = np.zeros(count)
    assert made.host is not None
    return made


@pytest.mark.parametrize("shown", SHOWN)
@pytest.mark.parametrize("name", WRITES)
def test_threads_write_where_their_own_mask_holds(name, shown):
    x = SHOWN[shown](eager())
    owners = np.arange(x.size).reshape(x.shape) % MANY
    for turn in range(1, TURNS + 1):
        in_threads(lambda k, turn=turn: WRITES[name](x, owners == k, float(turn)), range(MANY), switch=1e-6)
        np.testing.assert_array_equal(np.asarray(x), np.full(x.shape, float(turn)))


@pytest.mark.parametrize("name", PARTS)
def test_threads_write_to_their_own_parts(name):
    x = eager()
    parts = [x[k::MANY] for k in range(MANY)]
    for turn in range(1, 5 * TURNS):
        in_threads(lambda k, turn=turn: PARTS[name](parts[k], float(turn * MANY + k)), range(MANY), switch=1e-6)
        np.testing.assert_array_equal(np.asarray(x), np.arange(x.size) % MANY + turn * MANY)


def test_one_of_several_threads_lets_an_array_become_eager():
    x = la.asarray(np.zeros(COUNT))
    owners = np.arange(COUNT) % MANY
    in_threads(lambda k: la.place(x, owners == k, [float(k)]), range(MANY), switch=1e-6)
    np.testing.assert_array_equal(np.asarray(x), owners)
