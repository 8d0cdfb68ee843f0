"""What has no dimensions is a number or an array, as in NumPy: arrays change in place, numbers become others."""

from __future__ import annotations

import json
import math
import re
import struct
import warnings
from datetime import timedelta
from decimal import Decimal

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.array import Array

OTHERWISE = {
    ("nan_to_num", "array", (0,)),  # which is put into the array, and is that
    ("trim_zeros", "number", ()),
    ("byteswap", "number", ()), ("byteswap", "number", (0,)),
    ("getfield", "number", ("f4",)), ("view", "number", ("f4",)),  # bytes of memory, which numbers have none of
    ("bitwise_count", "array", ()),  # of bools
}  # fmt: skip
"""Functions and methods, what they are given, and further arguments."""
REFUSED = {
    "choose", "diff", "nanquantile", "permute_dims", "polyint", "quantile", "reciprocal", "roll", "squeeze", "view",
}  # fmt: skip
"""Where arguments mean nothing for a number, or NumPy gives what is no number."""

ACTIONS = re.compile("_|set|save|dump|tofile|info|print|load|from|fill$|put$|resize|sort$|partition$")
"""Names of what does more than give a value."""
FUNCTIONS = sorted(
    name
    for name in dir(la)
    if not ACTIONS.match(name) and callable(getattr(np, name, None)) and not isinstance(getattr(np, name), type)
)
METHODS = sorted(name for name in dir(np.ndarray) if not ACTIONS.match(name) and hasattr(Array, name))


def kind_of(x) -> str:
    """A number, an array, or something else."""
    if getattr(x, "shape", None) != ():
        return "else"
    if isinstance(x, Array):
        return "number" if x.is_number else "array"
    return {np.ndarray: "array"}.get(type(x), "number" if isinstance(x, np.generic) else "else")


def call(xp, name, is_method, given, dtype, arguments):
    """What a function gives for a number or an array without dimensions; None where it raises."""
    x = xp.asarray(np.array([3], dtype))[0] if given == "number" else xp.asarray(np.array(3, dtype))
    try:
        found = getattr(x, name) if is_method else getattr(xp, name)
        if is_method:
            return found(*arguments) if callable(found) else found
        return found(x, *arguments)
    except Exception:
        return None


@pytest.mark.parametrize("dtype", ["f8", "i4", "c16", "?"])
@pytest.mark.parametrize("is_method", [False, True])
def test_functions_give_what_numpys_give(is_method, dtype):
    compared = 0
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for name in METHODS if is_method else FUNCTIONS:
            for given in ("number", "array"):
                for arguments in ((), ("f4",), (0,), (2,), (2, 1), (range(3),)):
                    case = name, given, arguments
                    wanted = call(np, name, is_method, given, dtype, arguments)
                    if case in OTHERWISE or kind_of(wanted) == "else":
                        continue
                    found = call(la, name, is_method, given, dtype, arguments)
                    if name in REFUSED and kind_of(found) == "else":
                        continue
                    if found is None and (dtype == "c16" or "f4" in arguments):
                        continue  # an order of complex numbers, a text
                    compared += 1
                    assert kind_of(found) == kind_of(wanted), case
    assert compared > 50


def test_an_array_made_of_one_changes_with_it():
    for xp in (np, la):
        x = xp.asarray(np.array(6, "u8")).astype("i2")
        same = xp.asarray(x)
        x *= x[...]
        assert int(same) == 36
        number = xp.asarray(np.array([6.0]))[0]
        array = xp.asarray(number)
        alias = xp.asarray(array)
        array += 1
        assert (float(number), float(array), float(alias)) == (6, 7, 7)


def test_products_and_what_runs_on_the_host_give_what_numpys_give():
    vector, matrix = np.arange(1.0, 4.0), np.diag([1.0, 2.0, 3.0])
    cases = {
        name: (lambda xp, name=name, arguments=arguments: getattr(xp.linalg, name)(*map(xp.asarray, arguments)))
        for name, arguments in {
            "det": [matrix], "cond": [matrix], "matrix_rank": [matrix], "norm": [vector], "vector_norm": [vector],
            "matrix_norm": [matrix], "trace": [matrix], "vecdot": [vector, vector],
        }.items()
    } | {
        name: (lambda xp, name=name: getattr(xp, name)(xp.asarray(vector), xp.asarray(vector)))
        for name in ("dot", "vdot", "inner", "matmul", "vecdot")
    }  # fmt: skip
    cases |= {
        "slogdet": lambda xp: xp.linalg.slogdet(xp.asarray(matrix))[1],
        "tensordot": lambda xp: xp.tensordot(xp.asarray(vector), xp.asarray(vector), axes=1),
        "linalg.tensordot": lambda xp: xp.linalg.tensordot(xp.asarray(vector), xp.asarray(vector), axes=1),
        "tensordot of numbers": lambda xp: xp.tensordot(xp.asarray(vector)[0], xp.asarray(vector)[0], axes=0),
        "einsum": lambda xp: xp.einsum("i,i->", xp.asarray(vector), xp.asarray(vector)),
        "cross": lambda xp: xp.cross(xp.asarray(vector[:2]), xp.asarray(vector[:2])),
        "median": lambda xp: xp.median(xp.asarray(vector)),
    }
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # of vectors of two elements
        for name, case in cases.items():
            assert kind_of(case(la)) == kind_of(case(np)), name


def test_what_a_product_gives_changes_in_place_in_jitted_functions():
    def add(a, b):
        a += 5
        return a * 2 + b

    for xp, f in ((np, add), (la, la.lift.jit(add))):
        x = xp.asarray(np.array([-6]))
        product = xp.tensordot(x, x, axes=1)
        assert int(f(product, product)) == 123
        assert int(product) == 41


def test_views_of_numbers_are_copies():
    for xp in (np, la):
        x = xp.asarray(np.array([3.0]))[0]
        for view in (lambda x: x[...], lambda x: x.reshape(1), lambda x: x[None], xp.ravel, xp.atleast_1d):
            seen = view(x)
            same = seen
            seen += 1
            assert (float(x), float(same.reshape(()))) == (3, 4)
        with pytest.raises(ValueError, match="read-only"):
            xp.broadcast_to(x, ())[...] = 1


def test_jitted_functions_tell_numbers_from_arrays():
    def increased(x):
        x += 1
        return x

    for order in ("na", "an"):
        f = lift.jit(increased)
        for kind in order * 3:
            x = la.asarray(np.array([5]))[0] if kind == "n" else la.asarray(np.array(5))
            assert (int(f(x)), int(x)) == ((6, 5) if kind == "n" else (6, 6))


def test_calls_like_the_one_before_tell_numbers_from_arrays():
    square = lift.jit(lambda x: x**2)
    number, array = la.asarray(np.array([True]))[0], la.asarray(np.array(True))
    la.compute(number.copy(), number)
    for _ in range(3):
        for x in (number, number, array, array):  # each after one of its kind, and after the other
            assert square(x).dtype == (x**2).dtype


def test_views_of_numbers_are_numbers():
    for xp in (np, la):
        x = xp.asarray(np.array([3 + 4j]))[0]
        real, imag, same = xp.real(x), xp.imag(x), x.T
        real -= 1
        imag -= 1
        same += 1
        assert (complex(x), float(real), float(imag), complex(same)) == (3 + 4j, 2, 3, 4 + 4j)
        zero = xp.imag(xp.nanmean(xp.asarray(np.array(4))))
        zero -= 3
        assert float(zero) == -3


def test_results_of_jitted_functions():
    functions = (
        lambda x: x.copy(), lambda x: x + 0, lambda x: (x.astype("f4"), la.sum(x))[0], lambda x: la.where(x > 1, x, 3),
        lambda x: (x.astype("f4"), la.sum(x))[1], lambda x: la.asarray([1, 2])[0] + 0 * x,
    )  # fmt: skip
    for given in functions:
        f = lift.jit(given)
        x = la.asarray(np.array(5))
        for _ in range(3):  # recorded, found again, and found as the call before
            assert f(x).is_number == given(x).is_number


@pytest.mark.parametrize("dtype", list("?bhilBHILfdFD"))
def test_python_numbers(dtype):
    """Read where they lie in memory, of every dtype: of elements, results, arrays of one element and constants."""
    a = np.array([3, 0, 1]).astype(dtype)
    x = la.asarray(a)
    cases = [(la.zeros(1, dtype=dtype), np.zeros(1, dtype)), (x[1:2] + x[2:3], a[1:2] + a[2:3])]
    cases += [(x[i], a[i]) for i in range(3)] + [(la.sum(x[: i + 1]), a[: i + 1].sum()) for i in range(3)]
    cases += [(la.asarray(a[i : i + 1]), a[i : i + 1]) for i in range(3)]
    for found, wanted in cases:
        for _ in range(2):  # computed now, and before
            assert found.item() == wanted.item()
            assert type(found.item()) is type(wanted.item())


@pytest.mark.parametrize("dtype", ["bool", "int8", "uint64", "float64", "complex128"])
@pytest.mark.parametrize("number", [0, 1, -5, 2.0, -2.5, float("inf")])
@pytest.mark.filterwarnings("ignore:invalid value")
def test_methods_of_numbers_are_those_of_numpys(number, dtype):
    theirs = np.asarray(number).astype(dtype)[()]
    ours = [la.asarray(theirs), la.asarray(theirs) * la.ones((), dtype=dtype)]
    for name in ("is_integer", "bit_count", "as_integer_ratio", "hex"):
        if hasattr(theirs, name):
            for x in ours:
                try:
                    wanted = getattr(theirs, name)()
                except OverflowError:
                    with pytest.raises(OverflowError):
                        getattr(x, name)()
                else:
                    assert getattr(x, name)() == wanted
                    assert type(getattr(x, name)()) is type(wanted) or isinstance(wanted, np.generic)


def test_elements_are_no_numbers_of_pythons_but_become_some():
    """As `docs/lazyarr.md` says: those of JAX and CuPy are arrays, too."""
    x = la.asarray([1.5, 2.0]) * 1
    for element in (x[0], la.sum(x) - 2):
        assert not isinstance(element, float)
        for asks_for_the_class in (json.dumps, Decimal, lambda v: timedelta(seconds=v)):
            with pytest.raises(TypeError):
                asks_for_the_class(element)
        assert json.dumps([float(element), element.item(), *x.tolist()]) == "[1.5, 1.5, 1.5, 2.0]"
        assert struct.unpack("d", struct.pack("d", element)) == (1.5,)
        assert f"{element:.2f}" == "1.50" and "%.2f" % element == "1.50"  # noqa: UP031  # both ways
        assert {1.5: "found"}[element] == "found"
        assert math.floor(element) == 1
