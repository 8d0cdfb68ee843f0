"""What a jitted function reads from outside is as it is at the call: numbers, containers, attributes, functions."""

from __future__ import annotations

import copy
import functools
import gc
import random
import types
import warnings
import weakref
from dataclasses import dataclass, field

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.errors import RecordingWarning
from tests.lazyarr.jitted import X, Y, compare_around, counted
from tests.lazyarr.support import check

pytestmark = pytest.mark.device

PROGRAMS = {
    "a global number": ("S = 2\ndef f(x): return x * S", "S = 3"),
    "an integer that becomes a float": ("S = 2\ndef f(x): return x * S", "S = 2.0"),
    "a bool that becomes an integer": ("S = True\ndef f(x): return x * (1 if S is True else 2)", "S = 1"),
    "a zero's sign": ("S = 0.0\ndef f(x): return np.copysign(1.0, S) * x", "S = -0.0"),
    "a text": ("MODE = 'add'\ndef f(x): return x + 1 if MODE == 'add' else x - 1", "MODE = 'subtract'"),
    "None": ("BIAS = None\ndef f(x): return x if BIAS is None else x + BIAS", "BIAS = ARRAY"),
    "a scalar of NumPy": ("S = np.float32(2)\ndef f(x): return x * S", "S = np.float64(2)"),
    "an array of NumPy": ("S = np.ones(7)\ndef f(x): return x * S", "S = np.full(7, 2.0)"),
    "an array that lives on": (
        "S = OLD = ARRAY\ndef f(x): return x * S",
        "S = OTHER",
    ),
    "a shape": ("SHAPE = (7, 1)\ndef f(x): return x.reshape(SHAPE)", "SHAPE = (1, 7)"),
    "an item of a dict": ("T = {'s': 2}\ndef f(x): return x * T['s']", "T['s'] = 3"),
    "a new key": ("T = {}\ndef f(x): return x * T.get('s', 1)", "T['s'] = 3"),
    "an item's type": ("T = [1, [2]]\ndef f(x): return x * T[1][0]", "T[1][0] = 2.0"),
    "a list that grows": ("L = [1]\ndef f(x): return x * sum(L)", "L.append(2)"),
    "a list of arrays": (
        "L = [ARRAY]\ndef f(x): return sum(L, x)",
        "L.append(OTHER)",
    ),
    "a set": ("T = {1}\ndef f(x): return x * len(T)", "T.add(2)"),
    "a set of objects": ("T = {len}\ndef f(x): return x + (1 if max in T else 0)", "T.clear(); T.add(max)"),
    "the order of a dict": ("T = {'a': 1, 'b': 2}\ndef f(x): return x * list(T)[0].count('a')", "T['a'] = T.pop('a')"),
    "an attribute": ("P = types.SimpleNamespace(s=2)\ndef f(x): return x * P.s", "P.s = 3"),
    "another object": ("class C: pass\nP = C(); P.s = 2\ndef f(x): return x * P.s", "P = C(); P.s = 3"),
    "an attribute of an attribute": (
        "P = N(q=[N(s=2)])\ndef f(x): return x * P.q[0].s",
        "P.q[0].s = 3",
    ),
    "an attribute by its name": (
        "P = N(s1=2)\ndef f(x): return x * getattr(P, f's{1}')",
        "P.s1 = 3",
    ),
    "an attribute that was not": (
        "P = types.SimpleNamespace()\ndef f(x): return x * getattr(P, 's', 1)",
        "P.s = 3",
    ),
    "all attributes": ("P = types.SimpleNamespace(a=1)\ndef f(x): return x * sum(vars(P).values())", "P.b = 3"),
    "an attribute that a pattern matches": (
        "P = N(s=2)\ndef f(x):\n    match P:\n        case N(s=3): return x * 3\n    return x",
        "P.s = 3",
    ),
    "a class attribute": ("class C: s = 2\nP = C()\ndef f(x): return x * P.s", "C.s = 3"),
    "one that hides it": ("class C: s = 2\nP = C()\ndef f(x): return x * P.s", "P.s = 3"),
    "one of a base": ("class B: s = 2\nclass C(B): pass\nP = C()\ndef f(x): return x * P.s", "B.s = 3"),
    "another method": (
        "class C:\n    def s(self): return 2\nP = C()\ndef f(x): return x * P.s()",
        "C.s = lambda self: 3",
    ),
    "what a method reads": (
        "class C:\n    k = 2\n    def s(self): return self.k\nP = C()\ndef f(x): return x * P.s()",
        "P.k = 3",
    ),
    "what an operator reads": (
        "class C:\n    k = 2\n    def __call__(self, x): return x * self.k\nP = C()\ndef f(x): return P(x)",
        "P.k = 3",
    ),
    "a property": (
        "class C:\n    k = 2\n    @property\n    def s(self): return self.k\nP = C()\ndef f(x): return x * P.s",
        "P.k = 3",
    ),
    "a property that is kept": (
        "K = 2\nclass C:\n    @functools.cached_property\n    def s(self): return K\nP = C()\ndef f(x): return x * P.s",
        "K = 3; P = C()",
    ),
    "what a remembered function reads": (
        "K = 2\n@functools.cache\ndef s(): return K\ndef f(x): return x * s()",
        "K = 3; s.cache_clear()",
    ),
    "a slot": ("class C: __slots__ = ('s',)\nP = C(); P.s = 2\ndef f(x): return x * P.s", "P.s = 3"),
    "a hidden slot": (
        "class C:\n    __slots__ = ('__s',)\n    def set(self, s): self.__s = s\n    def get(self): return self.__s\n"
        "P = C(); P.set(2)\ndef f(x): return x * P.get()",
        "P.set(3)",
    ),
    "a field of a dataclass": ("@dataclass\nclass C: s: float = 2.0\nP = C()\ndef f(x): return x * P.s", "P.s = 3.0"),
    "another function": ("def g(x): return x + 1\ndef f(x): return g(x)", "def g(x): return x + 2"),
    "what a function reads": ("S = 2\ndef g(x): return x * S\ndef f(x): return g(x)", "S = 3"),
    "what a function in a list reads": ("S = 2\nL = [lambda x: x * S]\ndef f(x): return L[0](x)", "S = 3"),
    "what an inner function reads": ("S = 2\ndef f(x):\n    def g(y): return y * S\n    return g(x)", "S = 3"),
    "what a comprehension reads": ("S = 2\ndef f(x): return sum([x * S for _ in range(2)])", "S = 3"),
    "what a jitted function reads": (
        "from lazyarr import lift\nS = 2\n@lift.jit\ndef g(x): return x * S\ndef f(x): return g(x)",
        "S = 3",
    ),
    "what a wrapped function reads": (
        "S = 2\ndef deco(g):\n    @functools.wraps(g)\n    def wrapper(*a): return g(*a)\n    return wrapper\n"
        "@deco\ndef g(x): return x * S\ndef f(x): return g(x)",
        "S = 3",
    ),
    "an argument of a partial": (
        "N = types.SimpleNamespace(s=2)\ng = functools.partial(lambda n, x: x * n.s, N)\ndef f(x): return g(x)",
        "N.s = 3",
    ),
    "a bound method": (
        "class C:\n    k = 2\n    def s(self, x): return x * self.k\nP = C(); g = P.s\ndef f(x): return g(x)",
        "P.k = 3",
    ),
    "a default": ("N = [2]\ndef f(x, n=N): return x * n[0]", "N[0] = 3"),
    "a keyword's default": ("N = [2]\ndef f(x, *, n=N): return x * n[0]", "N[0] = 3"),
    "a function's attribute": ("def f(x): return x * f.s\nf.s = 2", "f.s = 3"),
    "a class": ("class C: s = 2\ndef f(x): return x * C.s", "class C: s = 3"),
    "a module": (
        "M = types.ModuleType('users'); M.s = 2\ndef f(x): return x * M.s",
        "M.s = 3",
    ),
    "a dict that a read fills": (
        "T = collections.defaultdict(lambda: 2)\ndef f(x): return x * T['s']",
        "T['s'] = 3",
    ),
    "an object made at the first call": (
        "class C:\n    it = None\n    @classmethod\n    def get(cls):\n        if cls.it is None: cls.it = N(s=2)\n"
        "        return cls.it\ndef f(x): return x * C.get().s",
        "C.it.s = 3",
    ),
    "a dict of the library": ("T = collections.UserDict(s=2)\ndef f(x): return x * T['s']", "T['s'] = 3"),
    "dicts behind each other": ("T = collections.ChainMap({'s': 2})\ndef f(x): return x * T['s']", "T['s'] = 3"),
    "a view of a dict": ("D = {'s': 2}; T = types.MappingProxyType(D)\ndef f(x): return x * T['s']", "D['s'] = 3"),
    "bytes": ("T = bytearray([2])\ndef f(x): return x * T[0]", "T[0] = 3"),
    "a context variable": (
        "V = contextvars.ContextVar('V', default=2)\ndef f(x): return x * V.get()",
        "V.set(3)",
    ),
    "what a weak reference leads to": (
        "class C: s = 2\nP = C(); R = weakref.ref(P)\ndef f(x): return x * R().s",
        "P.s = 3",
    ),
    "what a metaclass has": (
        "class M(type): s = 2\nclass C(metaclass=M): pass\ndef f(x): return x * C.s",
        "M.s = 3",
    ),
    "the code of a function": (
        "def g(x): return x + 1\ndef f(x): return g(x)",
        "g.__code__ = (lambda x: x + 2).__code__",
    ),
    "a subclass of dict": ("class C(dict): pass\nP = C(s=2)\ndef f(x): return x * P['s']", "P['s'] = 3"),
    "one object for two": (
        "L = [N(), N()]\ndef f(x): return x if L[0] is L[1] else x * 2",
        "L[1] = L[0]",
    ),
    "many arguments of names": (
        "".join(f"V{i} = 1\n" for i in range(300))
        + "def f(x): return x * ("
        + "+".join(f"V{i}" for i in range(300))
        + ")",
        "V299 = 5",
    ),
}


@pytest.mark.parametrize("name", PROGRAMS)
def test_what_is_read_is_as_it_is_at_the_call(name):
    compare_around(*PROGRAMS[name])


def test_closures():
    def program():
        s, t = 2, {"k": la.asarray(Y)}

        def change(value):
            nonlocal s
            s = value

        return lift.jit(lambda x: x * s + t["k"]), change, t

    f, change, t = program()
    for value in (3, 3.0, 2):
        change(value)
        check(f(la.asarray(X)), X * np.float32(value) + Y)
    t["k"] = la.asarray(X)
    check(f(la.asarray(X)), X * 2 + X)


class Layer:
    training = True

    def __init__(self):
        self.w, self.scale, self.hooks, self.unread = la.asarray(Y), 1.0, [], 0
        self.calls = 0

    @lift.jit
    def __call__(self, x):
        self.calls += 1
        y = x * self.w * self.scale
        for hook in self.hooks:
            y = hook(y)
        return y + 1 if self.training else y


def test_methods_have_a_recording_for_each_state_that_comes_back():
    layer, x = Layer(), la.asarray(X)
    for _ in range(3):
        layer.training = True
        check(layer(x), X * Y + 1)
        layer.training = False
        check(layer(x), X * Y)
    assert layer.calls == 2
    layer.unread += 1
    layer.new = "also not read"
    check(layer(x), X * Y)
    assert layer.calls == 2
    layer.hooks.append(lambda y: y - 1)
    layer.scale = 2.0
    check(layer(x), X * Y * 2 - 1)
    layer.training = True
    check(layer(x), X * Y * 2)
    Layer.training = False
    try:
        check(layer(x), X * Y * 2)
        del layer.training
        check(layer(x), X * Y * 2 - 1)
    finally:
        Layer.training = True


def test_what_a_function_changes_itself_does_not_count():
    log, counts, state = [], {"all": 0, "each": [0]}, types.SimpleNamespace(count=0, table=None)

    def noted(x):
        log.append(len(log))
        counts["all"] += 1
        counts["each"][0] += 1
        counts.setdefault("scale", 1)
        state.count += 1
        if state.table is None:
            state.table = la.asarray(Y)
        return x * state.table * counts["scale"]

    f, g = lift.jit(noted), lift.jit(lambda x: noted(x) + 1)
    for _ in range(4):
        check(f(la.asarray(X)), X * Y)
        check(g(la.asarray(X)), X * Y + 1)
    assert len(log) == 2
    old, state.table = state.table, la.asarray(X)
    check(f(la.asarray(X)), X * X)
    check(old, Y)
    counts["scale"] = 2
    for _ in range(3):
        check(f(la.asarray(X)), X * X * 2)
        check(g(la.asarray(X)), X * X * 2 + 1)
    assert len(log) == 5


@dataclass
class Setting:
    name: str
    k: float = field(compare=False, default=1.0)

    def __hash__(self):
        return hash(self.name)


def test_equal_objects_among_the_arguments_have_values_of_their_own():
    f, calls = counted(lambda setting, x: x * setting.k)
    one, other = Setting("same", 2.0), Setting("same", 3.0)
    for _ in range(3):
        check(f(one, la.asarray(X)), X * 2)
        check(f(other, la.asarray(X)), X * 3)
    one.k = 4.0
    check(f(one, la.asarray(X)), X * 4)
    assert len(calls) == 3


def test_functions_among_the_arguments():
    s = 2

    def scaled(y):
        return y * s

    f = lift.jit(lambda g, x: g(x) + 1)
    check(f(scaled, la.asarray(X)), X * 2 + 1)
    s = 3
    check(f(scaled, la.asarray(X)), X * 3 + 1)


def test_nothing_is_kept_alive():
    class Held:
        pass

    thing, scope = Held(), {}
    thing.inner, thing.w = Held(), la.asarray(Y)
    exec("def f(x): return x * thing.w + (1 if thing.inner else 0)", scope)
    scope["thing"] = thing
    f = lift.jit(scope["f"])
    check(f(la.asarray(X)), X * Y + 1)
    gone = [weakref.ref(each) for each in (thing, thing.inner, thing.w)]
    scope["thing"] = thing = None
    gc.collect()
    assert [each() for each in gone] == [None] * 3
    scope["thing"] = thing = Held()
    thing.inner, thing.w = None, la.asarray(X)
    check(f(la.asarray(X)), X * X)


def test_there_is_one_warning_where_a_function_is_recorded_again_and_again():
    step = 0

    @lift.jit
    def f(x):
        return x * step

    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for step in range(80):
            check(f(la.asarray(X)), X * np.float32(step))
    assert [(each.category, "now step: pass it" in str(each.message)) for each in caught] == [(RecordingWarning, True)]
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        g = lift.jit(lambda x, s: x * s)
        for number in range(80):
            check(g(la.asarray(X), la.asarray(np.float32(number))), X * np.float32(number))


class Hidden:
    """Has attributes that its own code makes up."""

    def __init__(self):
        object.__setattr__(self, "k", 2)
        object.__setattr__(self, "asked", 0)

    def __getattribute__(self, name):
        own = object.__getattribute__(self, "__dict__")
        own["asked"] += 1
        return own[name]


def test_no_code_of_objects_is_run_by_looking():
    hidden = Hidden()
    f = lift.jit(lambda x: x * hidden.k)
    check(f(la.asarray(X)), X * 2)
    asked = object.__getattribute__(hidden, "__dict__")["asked"]
    for _ in range(3):
        check(f(la.asarray(X)), X * 2)
    assert object.__getattribute__(hidden, "__dict__")["asked"] == asked
    object.__getattribute__(hidden, "__dict__")["k"] = 3
    check(f(la.asarray(X)), X * 3)


def test_large_tables_of_numbers_are_one_place():
    table = [[float(i), i] for i in range(20_000)]
    f, calls = counted(lambda x: x * table[-1][1])
    for _ in range(2):
        check(f(la.asarray(X)), X * np.float32(19_999))
    table[-1][1] = 5
    check(f(la.asarray(X)), X * 5)
    assert len(calls) == 2
    del table[2:]
    table.append(table)  # holds itself
    with pytest.raises(ValueError, match="broadcast"):
        f(la.asarray(X))


VALUES = (0, 1, 2, 1.0, -0.0, True, None, "a", (1, 2), [1, [2.0]], {"k": 1})


@pytest.mark.parametrize("seed", range(4))
def test_random_states(seed):
    """Random changes of a state of nested objects, lists and dicts; each call gives what the function gives plainly."""
    rng = random.Random(seed)
    made = types.SimpleNamespace

    def thing(depth):
        kind = rng.randrange(5 if depth else 2)
        if kind < 2:
            return copy.deepcopy(rng.choice(VALUES)) if kind else la.asarray(Y * rng.randrange(1, 5))
        inner = [thing(depth - 1) for _ in range(rng.randrange(1, 4))]
        if kind == 2:
            return inner
        names = dict(zip("abc", inner, strict=False))
        return names if kind == 3 else made(**names)

    def total(value):
        if value is None:
            return 0
        if isinstance(value, (bool, int, float, la.Array)):
            return value
        if isinstance(value, str):
            return len(value)
        inner = (
            value if isinstance(value, (list, tuple)) else (value if isinstance(value, dict) else vars(value)).values()
        )
        return functools.reduce(lambda a, b: a * 2 + b, map(total, inner), 1)

    state = made(root=thing(3))
    f = lift.jit(lambda x: x + total(state.root))

    def change(value, depth=0):
        members = value if isinstance(value, (list, dict)) else vars(value) if isinstance(value, made) else None
        if not members or (depth and rng.random() < 0.2):
            return thing(2)
        key = rng.choice(range(len(members)) if isinstance(members, list) else list(members))
        members[key] = change(members[key], depth + 1)
        return value

    kept = []
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RecordingWarning)
        for _ in range(40):
            expected = np.asarray(la.asarray(X) + total(state.root))
            result = np.asarray(f(la.asarray(X)))
            assert result.dtype == expected.dtype
            np.testing.assert_array_equal(result, expected)
            if rng.random() < 0.7:
                kept.append(state.root)
                state.root = change(state.root)
