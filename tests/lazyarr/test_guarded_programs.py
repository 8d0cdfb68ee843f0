"""Programs as users write them: what a jitted function reads by classes, modules, decorators and containers."""

from __future__ import annotations

import gc
import random
import sys
import types
import warnings
import weakref
from typing import NamedTuple

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.errors import RecordingWarning
from lazyarr.graph import read_places, visits
from tests.lazyarr.jitted import X, compare_around, counted
from tests.lazyarr.support import check

pytestmark = pytest.mark.device

PROGRAMS = {
    "what becomes None": ("A = np.ones(7)\ndef f(x): return x if A is None else x * 2", "A = None"),
    "a member that hides a base's": ("class B: s = 2\nclass C(B): pass\nP = C()\ndef f(x): return x * P.s", "C.s = 3"),
    "an operator that hides a base's": (
        "class B:\n    def __call__(self): return 2\nclass C(B): pass\nP = C()\ndef f(x): return x * P()",
        "C.__call__ = lambda self: 3",
    ),
    "a member of a class that was not": ("class C: pass\ndef f(x): return x * getattr(C, 's', 1)", "C.s = 3"),
    "one that was not in the class": ("class C: pass\nP = C()\ndef f(x): return x * getattr(P, 's', 1)", "C.s = 3"),
    "a class method": (
        "class B:\n    k = 2\n    @classmethod\n    def s(cls): return cls.k\nclass C(B): pass\n"
        "def f(x): return x * C.s()",
        "C.k = 3",
    ),
    "an attribute that is tried": (
        "P = N()\ndef f(x):\n    try: return x * P.s\n    except AttributeError: return x",
        "P.s = 3",
    ),
    "an attribute that is made up": (
        "class C:\n    def __getattr__(self, name): return 2\nP = C()\ndef f(x): return x * P.s",
        "P.s = 3",
    ),
    "an attribute by a getter": ("get = operator.attrgetter('s')\nP = N(s=2)\ndef f(x): return x * get(P)", "P.s = 3"),
    "a property that is kept and set": (
        "class C:\n    @functools.cached_property\n    def s(self): return 2\nP = C()\ndef f(x): return x * P.s",
        "P.s = 3",
    ),
    "what is made where a class says None": (
        "class C:\n    t = None\n    def s(self):\n        if self.t is None: self.t = 2\n        return self.t\n"
        "P = C()\ndef f(x): return x * P.s()",
        "P.t = 3",
    ),
    "what a setter reads": (
        "K = 2\nclass C:\n    def set(self, v): self._v = v * K\n    v = property(lambda self: self._v, set)\n"
        "def f(x):\n    c = C(); c.v = x\n    return c._v",
        "K = 3",
    ),
    "what a setter reads, by its name": (
        "K = 2\nclass C:\n    def set(self, v): self._v = v * K\n    v = property(None, set)\n"
        "def f(x):\n    c = C(); setattr(c, 'v', x)\n    return c._v",
        "K = 3",
    ),
    "what __new__ reads": (
        "K = 2\nclass C:\n    def __new__(cls):\n        made = super().__new__(cls); made.k = K\n        return made\n"
        "def f(x): return x * C().k",
        "K = 3",
    ),
    "a jitted operator": (
        "class C:\n    k = 2\n    @lift.jit\n    def __call__(self, x): return x * self.k\nP = C()\n"
        "def f(x): return P(x)",
        "P.k = 3",
    ),
    "a jitted method that is bound": (
        "class C:\n    k = 2\n    @lift.jit\n    def m(self, x): return x * self.k\nP = C(); g = P.m\n"
        "def f(x): return g(x)",
        "P.k = 3",
    ),
    "a method of a named tuple": (
        "K = 2\nclass T(NamedTuple):\n    a: int\n    def s(self): return self.a * K\nP = T(1)\n"
        "def f(x): return x * P.s()",
        "K = 3",
    ),
    "a method of what has no attributes": (
        "K = 2\nclass C:\n    __slots__ = ()\n    def s(self): return K\nP = C()\ndef f(x): return x * P.s()",
        "K = 3",
    ),
    "a context manager": (
        "K = 2\n@contextlib.contextmanager\ndef c(): yield K\ndef f(x):\n    with c() as k: return x * k",
        "K = 3",
    ),
    "a function that chooses by type": (
        "K = 2\n@functools.singledispatch\ndef g(x): return x\n@g.register\ndef _(x: la.Array): return x * K\n"
        "def f(x): return g(x)",
        "K = 3",
    ),
    "a module that the function imports": (
        "M = sys.modules['users'] = types.ModuleType('users'); M.s = 2\ndef f(x):\n    import users\n"
        "    return x * users.s",
        "M.s = 3",
    ),
    "a name that the function imports": (
        "M = sys.modules['users'] = types.ModuleType('users'); M.s = 2\ndef f(x):\n    from users import s\n"
        "    return x * s",
        "M.s = 3",
    ),
    "a module's name that was not": (
        "M = types.ModuleType('users')\ndef f(x): return x * getattr(M, 's', 1)",
        "M.s = 3",
    ),
    "a module's name that is made": (
        "M = types.ModuleType('users'); M.s1 = 2\ndef f(x): return x * getattr(M, f's{1}')",
        "M.s1 = 3",
    ),
    "a module that makes names up": (
        "M = types.ModuleType('users'); exec('K = 2\\ndef __getattr__(name): return K', vars(M))\n"
        "def f(x): return x * M.s",
        "M.K = 3",
    ),
    "a method of a dict": ("T = {'s': 2}; get = T.get\ndef f(x): return x * get('s')", "T['s'] = 3"),
    "values of a dict": ("T = {'s': 2}; V = T.values()\ndef f(x): return x * sum(V)", "T['s'] = 3"),
    "objects in a set": ("P = N(s=2)\nclass C: s = 2\nT = {C}\ndef f(x): return x * next(iter(T)).s", "C.s = 3"),
    "objects that are keys": ("class C: s = 2\nT = {C: 2}\ndef f(x): return x * T[C] * next(iter(T)).s", "C.s = 3"),
    "the value of such a key": ("class C: pass\nT = {C: 2}\ndef f(x): return x * T[C]", "T[C] = 3"),
    "the order of an ordered dict": (
        "T = collections.OrderedDict(a=1, b=2)\ndef f(x): return x * next(iter(T.values()))",
        "T.move_to_end('a')",
    ),
    "a late item of a dict that the function fills": (
        "T = {f'p{i}': 1 for i in range(100)}\ndef f(x):\n    T['n'] = T.get('n', 0) + 1\n    return x * T['p99']",
        "T['p99'] = 3",
    ),
    "a late item of a list that the function fills": (
        "T = [1] * 100\ndef f(x):\n    T.append(0)\n    return x * T[90]",
        "T[90] = 3",
    ),
    "a fraction where another one was": ("S = Fraction(2)\ndef f(x): return x * float(S)", "S = None; S = Fraction(3)"),
    "an integer of a class": (
        "class E(enum.IntEnum):\n    A = 2\n    B = 3\nS = E.A\ndef f(x): return x * int(S)",
        "S = E.B",
    ),
    "bytes that are seen": ("B = bytearray([2]); M = memoryview(B)\ndef f(x): return x * M[0]", "B[0] = 3"),
    "a record of NumPy": (
        "S = np.array([(2,)], dtype=[('a', 'i4')])[0]\ndef f(x): return x * int(S['a'])",
        "S['a'] = 3",
    ),
    "a dict of weak references": (
        "class C: s = 2\nP = C(); T = weakref.WeakValueDictionary(p=P)\ndef f(x): return x * T['p'].s",
        "P.s = 3",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_read_is_as_it_is_at_the_call(name):
    compare_around(*PROGRAMS[name])
    sys.modules.pop("users", None)


def test_attributes_by_names_in_the_code_let_others_change():
    state = types.SimpleNamespace(scale=2.0, step=0)

    def scaled(x):
        return x * state.scale + getattr(state, "bias", 0) + (1 if hasattr(state, "shift") else 0)

    f, calls = counted(scaled)
    for step in range(4):
        state.step = step
        check(f(la.asarray(X)), X * 2)
    assert len(calls) == 1
    state.bias = 5
    check(f(la.asarray(X)), X * 2 + 5)
    state.shift = None
    check(f(la.asarray(X)), X * 2 + 6)
    assert len(calls) == 3


def test_what_is_remembered_for_each_shape_does_not_count():
    known = {}

    def remembered(x):
        if x.shape not in known:
            known[x.shape] = la.asarray(np.full(x.shape, 2.0, np.float32))
        return x * known[x.shape]

    f, calls = counted(remembered)
    for _ in range(3):
        for n in (1, 2, 3, 7):
            check(f(la.asarray(X[:n])), X[:n] * 2)
    assert len(calls) == 4


class Key:
    """Says itself what is equal."""

    asked = 0

    def __hash__(self):
        Key.asked += 1
        return 1

    def __eq__(self, other):
        Key.asked += 1
        return self is other


def test_keys_are_not_asked_and_not_kept_alive():
    table = {Key(): 2}
    f = lift.jit(lambda x: x * sum(table.values()))
    asked = Key.asked
    check(f(la.asarray(X)), X * 2)
    check(f(la.asarray(X)), X * 2)
    assert Key.asked == asked
    gone = weakref.ref(next(iter(table)))
    table.clear()
    gc.collect()
    assert gone() is None


class Node:
    def __init__(self, value, following=None):
        self.value, self.following = value, following


def test_long_chains():
    """As many objects as there are places, each reached by the one before; and what is printed of it."""
    first = None
    for i in range(1200):
        first = Node(i, first)

    def last(x):
        node = first
        while node.following is not None:
            node = node.following
        return x + node.value

    f = lift.jit(last)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for i in range(33):
            check(f(la.asarray(X)), X)
            first.value = -i - 1
    assert [each.category for each in caught] == [RecordingWarning]


def test_numbers_among_the_arguments_that_always_differ_are_warned_of_once():
    """Each is a constant of a recording of its own. Shapes, texts and truths that differ are not warned of."""
    f = lift.jit(lambda x, by, name="a", fast=True: x * by)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for i in range(40):
            check(f(la.asarray(X[: i % 3 + 1]), 2.0, name=str(i), fast=i % 2 == 0), X[: i % 3 + 1] * 2)
        for i in range(31):
            check(f(la.asarray(X), 0.5 * i), X * (0.5 * i))
        assert not caught
        for i in range(31, 90):
            check(f(la.asarray(X), 0.5 * i), X * (0.5 * i))
    assert [each.category for each in caught] == [RecordingWarning]
    assert "pass one that changes as lazyarr.asarray(number)" in str(caught[0].message)
    assert caught[0].filename == __file__


def test_methods_that_lead_to_methods_are_visited_once(monkeypatch):
    count = 300
    methods = [f"    def m{i}(self, x): return self.m{i + 1}(x)" for i in range(count)]
    scope = {"__name__": __name__}
    exec("\n".join(["class C:", *methods, f"    def m{count}(self, x): return x", "P = C()"]), scope)
    exec("def f(x): return P.m0(x)", scope)
    visited = []
    monkeypatch.setattr(visits, "places_in", lambda visit, x: visited.append(x) or read_places.places_in(visit, x))
    made = visits.guards_of((scope["f"],))()
    assert made.hold((scope["f"],))
    assert len(visited) < 5 * count
    scope["C"].m299 = None
    assert not made.hold((scope["f"],))


def test_what_is_named_comes_before_the_rest_of_a_module():
    module = types.ModuleType("users")
    exec("\n".join(f"def u{i}(x): return x * {i}" for i in range(visits.MOST)), vars(module))
    state = types.SimpleNamespace(inner=types.SimpleNamespace(inner=types.SimpleNamespace(which=2)))
    f = lift.jit(lambda x: getattr(module, f"u{state.inner.inner.which}")(x))
    for state.inner.inner.which in (2, 3):
        check(f(la.asarray(X)), X * state.inner.inner.which)


def test_tuples_of_the_same_tuples():
    shared = (1.0,)
    for _ in range(64):
        shared = (shared, shared)
    f = lift.jit(lambda x: x * len(shared))
    check(f(la.asarray(X)), X * 2)


def test_a_module_of_the_user_may_have_a_name_of_the_library(monkeypatch):
    module = types.ModuleType("profile")
    module.__file__ = "/home/someone/profile.py"
    exec("S = 2\ndef g(x): return x * S", vars(module))
    monkeypatch.setitem(sys.modules, "profile", module)
    f = lift.jit(lambda x: module.g(x))
    check(f(la.asarray(X)), X * 2)
    module.S = 3
    check(f(la.asarray(X)), X * 3)


class Pair(NamedTuple):
    a: int
    b: int


HEAD = """
class Meta(type): pass
class A(metaclass=Meta):
    a = 1
    def m(self): return 3
class B(A): pass
class C(B):
    def __call__(self, x): return x * read(self)
class S:
    __slots__ = ("a", "b")
    def m(self): return 7
M, P, Q, D = types.ModuleType("users"), C(), S(), {}
def number(v):
    if v is None: return 1
    if callable(v): return number(v())
    if isinstance(v, (list, tuple, set)): return sum([number(y) for y in v]) + 1
    return float(v[0]) if isinstance(v, np.ndarray) else v
def read(thing):
    total = number(getattr(thing, "a", 10))
    try: total = total * 2 + number(thing.b)
    except AttributeError: total = total * 3
    if hasattr(thing, "m"): total += 5 if isinstance(thing, (Meta, types.ModuleType)) else number(thing.m())
    return total
def f(x):
    for thing in (P, Q, A, B, C, M): x = x * 2 + read(thing)
    for key, v in D.items(): x = x * 2 + number(v) + len(str(key))
    return P(x)
"""


@pytest.mark.parametrize("seed", range(4))
def test_random_changes_of_classes(seed):
    """Random changes of objects, classes, a module and a dict; each call gives what the function gives plainly."""
    rng = random.Random(seed)
    scope = {"__name__": __name__, "types": types, "np": np}
    exec(HEAD, scope)
    f = lift.jit(scope["f"])
    values = (1, 2, 3, 2.0, True, None, (1, 2), [1], {1, 2}, np.ones(2), Pair(1, 2), lambda: 4)
    methods = (lambda self=None: 1, lambda self=None: 2)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecordingWarning)
        for _ in range(25):
            expected = np.asarray(scope["f"](la.asarray(X)))
            np.testing.assert_array_equal(np.asarray(f(la.asarray(X))), expected)
            owner, name = scope[rng.choice("PQABCMD")], rng.choice("abm")
            if owner is scope["D"]:
                owner[rng.choice(("x", 1, 1.5, (1, 2), len))] = rng.choice(values)
            elif rng.random() < 0.3 and name in getattr(owner, "__dict__", ()):
                delattr(owner, name)
            elif owner is not scope["Q"] or name != "m":
                setattr(owner, name, rng.choice(methods if name == "m" else values))
