"""`lift.jit` in classes: a method knows its instance by identity, weakly, and looks at the arrays that it holds."""

from __future__ import annotations

import gc
import threading
import weakref
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.errors import TracingError
from tests.lazyarr.jitted import X, Y
from tests.lazyarr.support import check
from tests.threads import in_threads

pytestmark = pytest.mark.device


class Net:
    """Counts how often its method is recorded."""

    def __init__(self, w):
        self.w = la.asarray(w)
        self.recorded = 0

    @lift.jit
    def scaled(self, x):
        self.recorded += 1
        return x * self.w


def test_a_method_follows_its_instances_arrays_though_the_old_ones_live():
    net, kept = Net(Y), []
    for number in range(4):
        for _ in range(3):
            check(net.scaled(la.asarray(X)), X * (Y * np.float32(2**number)))
        assert net.recorded == number + 1
        kept.append(net.w)
        net.w = net.w * 2
    net.w = kept[0]
    check(net.scaled(la.asarray(X)), X * Y)
    net.w += 1  # in place
    check(net.scaled(la.asarray(X)), X * (Y + 1))
    net.w = la.asarray(Y[:1])  # another shape
    check(net.scaled(la.asarray(X)), X * Y[:1])
    del net.w
    with pytest.raises(AttributeError):
        net.scaled(la.asarray(X))


class Slotted:
    __slots__ = ("__w", "__weakref__", "other")

    def __init__(self, w):
        self.__w = w

    def change(self, w):
        self.__w = w

    def value(self):
        return self.__w


class Nested:
    def __init__(self):
        self.layers = [Net(X), Net(Y)]
        self.table = {"pair": (la.asarray(X), la.asarray(Y))}
        self.slotted = Slotted(la.asarray(X))
        self.layers[0].parent = self
        self.same = self.layers

    @lift.jit
    def everything(self, x):
        return x * self.same[0].w + self.layers[1].w * self.table["pair"][1] - self.slotted.value()

    def expected(self, x):
        parts = self.same[0].w, self.layers[1].w, self.table["pair"][1], self.slotted.value()
        a, b, c, d = map(np.asarray, parts)
        return x * a + b * c - d


def changes():
    """By name: what changes an array that a `Nested` holds."""
    new = la.asarray(X * 3 + 1)

    def rebind_the_list(nested):
        nested.layers = [Net(X + 5), Net(Y + 5)]

    def rebind_the_other_name(nested):
        nested.same = [Net(X + 5), Net(Y + 5)]

    def an_item(nested):
        nested.layers[1] = Net(X + 2)

    return {
        "a layer's array": lambda nested: setattr(nested.layers[1], "w", new),
        "an item": an_item,
        "the list": rebind_the_list,
        "the other name of the list": rebind_the_other_name,
        "a tuple in a dict": lambda nested: nested.table.update(pair=(new, new)),
        "a slot": lambda nested: nested.slotted.change(new),
        "an object in an attribute": lambda nested: setattr(nested, "slotted", Slotted(new)),
    }


@pytest.mark.parametrize("name", changes())
def test_arrays_in_what_the_instance_holds(name):
    nested = Nested()
    x = la.asarray(X)
    for _ in range(3):
        check(nested.everything(x), nested.expected(X), 1, 8.0)
    kept = [nested.layers, *nested.layers, *[each.w for each in nested.layers], nested.table["pair"], nested.slotted]
    kept.append(nested.slotted.value())
    changes()[name](nested)
    for _ in range(3):
        check(nested.everything(x), nested.expected(X), 1, 8.0)


def test_a_function_of_an_object_follows_its_arrays():
    f = lift.jit(lambda net, x: x * net.w)
    net = Net(Y)
    check(f(net, la.asarray(X)), X * Y)
    old, net.w = net.w, la.asarray(Y + 1)
    check(f(net, la.asarray(X)), X * (Y + 1))
    check(old, Y)


class Total:
    def __init__(self):
        self.t = la.zeros(7, dtype=la.float32)
        self.parts = [la.zeros(7, dtype=la.float32)]
        self.pair = (la.zeros(7, dtype=la.float32), 0)
        self.log = []

    @lift.jit
    def attribute(self, x):
        self.log.append(1)
        self.t = self.t + x
        return self.t

    @lift.jit
    def without_the_argument(self, x):
        self.t = self.t + 1
        return self.t * x

    @lift.jit
    def new(self, x):
        self.log.append(x * 2)
        self.fresh = self.log[-1]
        return x

    @lift.jit
    def argument(self, x):
        self.t = x
        return x

    @lift.jit
    def item(self, x):
        self.parts[0] = self.parts[0] + x
        self.parts.append(x)
        return x

    @lift.jit
    def tuple(self, x):
        self.pair = (self.pair[0] + 1, 1)
        return x * self.pair[0]

    @lift.jit
    def fails(self, x):
        self.t = self.t + x
        return float(self.t[0])


@pytest.mark.parametrize("name", ["attribute", "without_the_argument", "new", "argument", "item", "tuple", "fails"])
def test_assigning_arrays_to_the_instance_is_refused_and_undone(name):
    total = Total()
    before = dict(vars(total)), list(total.parts)
    for _ in range(2):
        with pytest.raises(TracingError, match="assigns an array to Total" if name != "fails" else "needs the value"):
            getattr(total, name)(la.asarray(X))
        assert vars(total).keys() == before[0].keys()
        assert all(vars(total)[key] is value for key, value in before[0].items())
        assert all(type(x) is int for x in total.log)  # what is no array stays
        assert len(total.parts) == 1
        assert total.parts[0] is before[1][0]
        check(total.t, np.zeros(7, np.float32))
    assert len(total.log) == (2 if name == "attribute" else 0)


def test_what_is_kept_once_for_all_calls_may_be_assigned():
    class Cached:
        table = None

        @lift.jit
        def applied(self, x):
            if self.table is None:
                self.table = la.arange(7, dtype=la.float32) * 2
            return x + self.table

    cached = Cached()
    for _ in range(3):
        check(cached.applied(la.asarray(X)), X + np.arange(7, dtype=np.float32) * 2)
    check(cached.table, np.arange(7, dtype=np.float32) * 2)


@dataclass(frozen=True)
class Factor:
    k: float

    @lift.jit
    def times(self, x):
        return x * self.k


@dataclass
class Named:
    name: str
    w: object

    def __eq__(self, other):
        return self.name == other.name

    @lift.jit
    def times(self, x):
        return x * self.w


class Table(dict):
    @lift.jit
    def times(self, x):
        return x * self["k"]


def test_instances_are_told_apart_by_identity():
    numbers = la.asarray(np.arange(3, dtype=np.int32))
    assert Factor(1).times(numbers).dtype == np.int32
    assert Factor(1.0).times(numbers).dtype == np.float64
    assert not np.signbit(np.asarray(Factor(0.0).times(la.asarray(Y)))).any()
    assert np.signbit(np.asarray(Factor(-0.0).times(la.asarray(Y)))).all()
    one, other = Named("same", la.asarray(X)), Named("same", la.asarray(Y))  # equal, and not hashable
    for _ in range(3):
        check(one.times(la.asarray(Y)), X * Y)
        check(other.times(la.asarray(Y)), Y * Y)
        check(Named.times(one, la.asarray(Y)), X * Y)
        check(Named.times(other, x=la.asarray(Y)), Y * Y)
    table = Table(k=la.asarray(X))
    check(table.times(la.asarray(Y)), X * Y)
    old, table["k"] = table["k"], la.asarray(Y)
    check(table.times(la.asarray(Y)), Y * Y)
    check(old, X)


class Pair(NamedTuple):
    w: object

    @lift.jit
    def times(self, x):
        return x * self.w


@dataclass(frozen=True, slots=True)
class Unknowable:
    k: float

    @lift.jit
    def times(self, x):
        return x * self.k


def test_named_tuples_are_arguments_and_what_cannot_be_known_weakly_is_refused():
    for values in (X, Y):
        check(Pair(la.asarray(values)).times(la.asarray(Y)), values * Y)
    with pytest.raises(TypeError, match="Unknowable cannot be referenced weakly"):
        Unknowable(1.0).times(la.asarray(X))


def test_instances_go_with_all_that_was_recorded_for_them():
    net = Net(Y)
    check(net.scaled(la.asarray(X)), X * Y)
    check(Net.scaled(net, la.asarray(X)), X * Y)
    nested = Nested()
    nested.everything(la.asarray(X))
    gone = [weakref.ref(each) for each in (net, net.w, nested, nested.layers[1], nested.table["pair"][1])]
    del net, nested
    gc.collect()
    assert [reference() for reference in gone] == [None] * 5
    for number in range(50):  # the same identity again and again, other arrays
        check(Net(Y + np.float32(number)).scaled(la.asarray(X)), X * (Y + np.float32(number)))
    assert not Net.__dict__["scaled"]._methods


def test_calls_of_methods_like_the_one_before():
    net, other = Net(X), Net(Y)
    for shift in range(4):
        x = X + np.float32(shift)
        check(net.scaled(la.asarray(x)), x * X)
        check(other.scaled(la.asarray(x)), x * Y)
    assert net.recorded == other.recorded == 1
    method = Net.scaled._methods[id(net)]
    assert method._next is not None
    assert method._next.inputs((la.asarray(X),)) is not None
    net.w = la.asarray(Y)
    assert method._next.inputs((la.asarray(X),)) is None


def test_methods_in_threads():
    nets = [Net(Y + np.float32(number)) for number in range(4)]
    start, failures = threading.Barrier(4), []

    def work(order):
        try:
            start.wait()
            for number in order * 20:
                check(nets[number].scaled(la.asarray(X)), X * (Y + np.float32(number)))
        except BaseException as error:
            failures.append(error)

    in_threads(work, ([0, 1, 2, 3], [3, 2, 1, 0]) * 2)
    assert failures == []


def test_names_and_class_methods():
    class Base:
        factor = 2

        @classmethod
        @lift.jit
        def of_class(cls, x):
            return x * cls.factor

        @lift.jit
        def plus(self, x):
            """Adds one."""
            return x + 1

    class Derived(Base):
        factor = 3

        @lift.jit
        def plus(self, x):
            return super().plus(x) * 2

    for _ in range(2):
        check(Base.of_class(la.asarray(X)), X * 2)
        check(Derived().of_class(la.asarray(X)), X * 3)
        check(Derived().plus(la.asarray(X)), (X + 1) * 2)
    assert Base().plus.__name__ == "plus"
    assert Base().plus.__doc__ == "Adds one."
    check(lift.jit(Base().plus)(la.asarray(X)), X + 1)


def test_dicts_that_hide_what_they_hold_are_read_once():
    class Hiding(dict):
        def __getitem__(self, key):
            return super().__getitem__(key) + 1

        @lift.jit
        def times(self, x):
            return x * self["k"]

    hiding = Hiding(k=la.asarray(Y))
    for _ in range(3):
        check(hiding.times(la.asarray(X)), X * (Y + 1))


class Proxy:
    """Stands for another object, and may not be asked for what it has not."""

    __slots__ = ("target",)
    asked = []

    def __getattr__(self, name):
        self.asked.append(name)
        raise AttributeError(name)


class Hidden:
    @property
    def __dict__(self):
        raise RuntimeError("nothing to be seen")


class Holder:
    def __init__(self):
        self.w, self.others = la.ones(3), [Proxy(), Hidden()]

    @lift.jit
    def scaled(self, x):
        return x * self.w


def test_what_an_instance_holds_is_looked_at_without_its_own_code():
    holder = Holder()
    check(holder.scaled(la.ones(3)), np.ones(3))
    kept, holder.w = holder.w, la.ones(3) * 5
    check(holder.scaled(la.ones(3)), np.full(3, 5.0))
    assert kept is not holder.w
    assert Proxy.asked == []


class Counter:
    def __init__(self):
        self.count, self.seen, self.last = 0, [1], None

    @lift.jit
    def step(self, x):
        self.count += 1
        self.seen = [2]
        self.last = [x]
        return x


def test_what_is_no_array_stays_where_an_assignment_is_undone():
    counter = Counter()
    with pytest.raises(TracingError, match="assigns an array to Counter"):
        counter.step(la.ones(3))
    assert (counter.count, counter.seen, counter.last) == (1, [2], None)


def test_a_method_may_be_given_its_instance_by_name():
    holder = Holder()
    check(Holder.scaled(self=holder, x=la.ones(3)), np.ones(3))
