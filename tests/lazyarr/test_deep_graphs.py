"""Long programs: recorded, cut, rewritten and generated without recursion over the graph, with NumPy's values."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift

X = np.random.default_rng(7).standard_normal(120).astype(np.float32)


def views(xp: Any, x: Any, length: int) -> Any:
    """Transposed, turned round and shaped anew, so that no two of them are one."""
    y = x.reshape(30, 4)
    for i in range(length):
        if i % 3 == 0:
            y = y.T
        elif i % 3 == 1:
            y = y[::-1]
        else:
            y = y.reshape((30, 4) if i % 8 < 4 else (2, 60))
    return y


def operations(xp: Any, x: Any, length: int) -> Any:
    y = x
    for i in range(length):
        y = y * 0.75 + x if i % 2 else xp.sin(y)
    return y


def mixed(xp: Any, x: Any, length: int) -> Any:
    """A view, a roll, an operation on one array and one on two, in turns."""
    y = x
    for i in range(length):
        y = (y[::-1], xp.roll(y, 3), abs(y) - 0.25, y * 0.5 + x)[i % 4]
    return y


def nested(xp: Any, x: Any, length: int) -> Any:
    """Choices between an array and what concatenation and transposition make of it."""
    y = x.reshape(6, 20)
    positive = y > 0
    for _ in range(length // 4):
        y = xp.where(positive, xp.concatenate([y[4:], y[:4]]).T.reshape(6, 20), y)
    return y


def parts(xp: Any, x: Any, length: int) -> Any:
    """Columns put in another order, of the transposed array each time: where an element is depends on all of them."""
    y = x.reshape(8, 15)
    for _ in range(length // 4):
        y = xp.concatenate([y[:, 3:], y[:, :3]], axis=1).T
    return y


def taken(xp: Any, x: Any, length: int) -> Any:
    at = np.asarray([3, 1, 4, 0, 2])
    y = x.reshape(24, 5)
    for _ in range(length // 5):
        y = xp.take(y, xp.asarray(at), axis=1)
    return y


PROGRAMS: dict[str, Callable[[Any, Any, int], Any]] = {
    "views": views,
    "operations": operations,
    "mixed": mixed,
    "nested": nested,
    "parts": parts,
    "taken": taken,
}


@pytest.mark.parametrize("name", PROGRAMS)
@pytest.mark.device
def test_long_programs_have_numpys_values(name):
    program, length = PROGRAMS[name], 3000 if name == "operations" else 2000
    found = np.asarray(program(la, la.asarray(X), length))
    expected = program(np, X, length)
    assert found.shape == expected.shape
    np.testing.assert_allclose(found, expected, rtol=1e-4, atol=1e-4)


@pytest.mark.device
def test_a_long_program_can_be_explained():
    text = str(lift.explain(lift.jit(lambda x: views(la, x, 600)), la.asarray(X)))
    assert "kernel 1 of" in text
    assert text.count("__kernel") > 1


@pytest.mark.parametrize(
    "x", [X.reshape(8, 15) * (1 + 2j), np.zeros((0, 4)), X.reshape(8, 15) > 0], ids=["complex", "empty", "bool"]
)
@pytest.mark.device
def test_what_is_stored_on_the_way_may_be_complex_empty_or_nested(x):
    def program(xp: Any, y: Any) -> Any:
        for _ in range(201):
            y = xp.concatenate([y[:, 2:], y[:, :2]], axis=1).T
        return y

    np.testing.assert_array_equal(np.asarray(program(la, la.asarray(x))), program(np, x))
