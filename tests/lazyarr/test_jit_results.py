"""What jitted functions return, and are given, beside arrays, tuples, lists and dicts."""

from __future__ import annotations

import functools
from collections import OrderedDict, defaultdict, deque
from dataclasses import dataclass

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.errors import TracingError
from tests.lazyarr.jitted import X, Y, counted
from tests.lazyarr.support import check


@dataclass
class State:
    place: object
    speed: object = None
    steps: int = 0

    def __post_init__(self):
        self.twice = self.place * 2


@dataclass(frozen=True, slots=True)
class Frozen:
    of: object
    name: str = "x"


@dataclass
class Options:
    rate: float = 0.5


def test_zipped_arrays_are_results():
    f, calls = counted(lambda v: lift.map(lambda q: (q + 1, q * 2), v))
    for x in (X, Y):
        first, second = lift.unzip(f(la.asarray(x)))
        check(first, x + 1)
        check(second, x * 2)
    assert len(calls) == 1


def test_zipped_arrays_of_rows_and_of_chunks_are_results():
    x = np.arange(12.0)
    found, number = lift.jit(lambda v: (lift.split(2, lift.zip(lift.split(3, v), la.zeros(4))), 3))(la.asarray(x))
    assert (found.shape, number) == ((2, 2), 3)
    rows, zeros = lift.unzip(found)
    check(rows, x.reshape(2, 2, 3))
    check(zeros, np.zeros((2, 2)))


def test_zipped_arguments_are_inputs():
    f, calls = counted(lambda z: lift.map(lambda a, b: a * b, z))
    for x in (X, Y):
        check(f(lift.zip(la.asarray(x), la.asarray(Y))), x * Y)
    assert len(calls) == 1
    first, second = lift.unzip(lift.jit(lambda z: z)(lift.zip(la.asarray(X), la.asarray(Y))))
    check(first, X)
    check(second, Y)


def test_dataclass_instances_are_results_as_they_were_made():
    f, calls = counted(lambda v: [State(v + 1, steps=4), Frozen(v * 3)])
    made = []
    for x in (X, Y):
        state, frozen = f(la.asarray(x))
        made.append(state)
        assert (type(state), state.steps, state.speed, type(frozen), frozen.name) == (State, 4, None, Frozen, "x")
        check(state.place, x + 1)
        check(state.twice, (x + 1) * 2)  # it is not initialised again
        check(frozen.of, x * 3)
    assert len(calls) == 1
    assert made[0] is not made[1]


def test_a_dataclass_instance_without_recorded_arrays_is_the_same_one():
    options = Options()
    assert lift.jit(lambda v: (options, v))(la.asarray(X))[0] is options


class Holder:
    def __init__(self, x):
        self.x = x


def yields(v):
    yield v * 2


REFUSED = {
    "generator": (lambda v: (i * 2 for i in [v]), r"return list\(\.\.\.\)"),
    "generator function": (yields, r"yields returned an object of type generator .* return list\(\.\.\.\)"),
    "map": (lambda v: map(abs, [v]), r"type map .* return list"),
    "iterator": (lambda v: (3, iter([v])), "type list_iterator"),
    "function": (lambda v: lambda: v, "return the arrays that it uses"),
    "partial": (lambda v: functools.partial(abs, v), "return the arrays that it uses"),
    "method": (lambda v: v.sum, "return the arrays that it uses"),
    "deque": (lambda v: deque([v]), r"return tuple\(\.\.\.\)"),
    "defaultdict": (lambda v: defaultdict(int, a=v), r"return dict\(\.\.\.\)"),
    "object": (lambda v: {"a": Holder([v])}, "return its arrays in a tuple, list, dict, named tuple or dataclass"),
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_holds_recorded_arrays_is_refused(name):
    f, match = REFUSED[name]
    for _ in range(2):
        with pytest.raises(TracingError, match=f"(?s)jit: .*{match}"):
            lift.jit(f)(la.asarray(X))


def test_objects_without_recorded_arrays_are_results():
    holder, array = Holder(la.zeros(3)), np.ones(2)
    found = lift.jit(lambda v: (holder, array, v, len, "text"))(la.asarray(X))
    assert found[0] is holder
    assert found[1] is array
    assert found[3:] == (len, "text")


def test_ordered_dicts_and_slices_are_taken_apart():
    f = lift.jit(lambda d, part: OrderedDict(b=d["a"][part], a=part))
    found = f(OrderedDict(a=la.asarray(X)), slice(1, 3))
    assert (list(found), type(found), found["a"]) == (["b", "a"], OrderedDict, slice(1, 3))
    check(found["b"], X[1:3])
    check(f({"a": la.asarray(X)}, slice(None))["b"], X)


def takes(first, *rest, options=None, **named):
    return first


@pytest.mark.parametrize(
    ("args", "named", "match"),
    [
        ((X, deque([1])), {}, r"takes was given a deque as argument rest.*pass tuple\(\.\.\.\)"),
        ((X,), {"options": [Options()]}, r"a Options as argument options.*@dataclass\(frozen=True\)"),
        ((X,), {"more": {1, 2}}, r"a set as argument named.*pass tuple"),
        ((defaultdict(int),), {}, r"a defaultdict as argument first.*pass dict\(\.\.\.\)"),
        ((bytearray(b"a"),), {}, "a bytearray as argument first.*pass arrays, hashable constants"),
    ],
    ids=str,
)
def test_arguments_that_are_refused_are_named(args, named, match):
    with pytest.raises(TypeError, match=match):
        lift.jit(takes)(*args, **named)


@pytest.mark.parametrize("kind", [tuple, list])
def test_results_of_one_function_are_told_apart(kind):
    f = lift.jit(lambda x, y: kind([x - y, x, x - y, la.sum(x, keepdims=True), x + y]))
    g = lift.jit(lambda x, y: kind([x - y, x[0] + y[0], x + y]))
    for n in (1, 4, 4):
        x, y = np.arange(n, dtype=np.float32), np.ones(n, np.float32)
        found = f(la.asarray(x), la.asarray(y))
        assert type(found) is kind
        for made, wanted in zip(found, [x - y, x, x - y, x.sum(keepdims=True), x + y], strict=True):
            np.testing.assert_array_equal(np.asarray(made), wanted, strict=True)
        found = g(la.asarray(x), la.asarray(y))
        assert type(found) is kind
        for made, wanted in zip(found, [x - y, x[0] + y[0], x + y], strict=True):
            np.testing.assert_array_equal(np.asarray(made), wanted, strict=True)
    found[0][0] = 7  # no other result has its memory
    np.testing.assert_array_equal(np.asarray(found[2]), x + y)
