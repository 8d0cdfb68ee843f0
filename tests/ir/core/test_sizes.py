"""Sizes: what they simplify to, that they keep their value, and that nothing false is ever proved."""

from __future__ import annotations

import copy
import math
import os
import pickle
import re
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ir.core.sizes import (
    Size,
    SizeError,
    SizeLike,
    ceil_div,
    divide_exactly,
    gcd_of_coefficients,
    is_le,
    is_lt,
    maximum,
    minimum,
    parse_size,
    power,
    size,
    var,
)

Values = Mapping[str, int]
Program = tuple[object, ...]

n = var("n", 1)
m = var("m", 1)

# -- random programs: a size and what it must be worth ---------------------------------------------------------------

# In an order in which each range is known once the variables before it are; primes, ranges of one value, negative
# ranges, unbounded ends, products and quotients in bounds among them.
N = var("N", 1, 13)
M = var("M", 1)
Z = var("Z", 0, 9)
VARIABLES = (
    N,
    M,
    Z,
    var("a", -7, 5),
    var("b", 0, 3),
    var("one", 4, 4),
    var("free", None, None),
    var("below", None, -2),
    var("i", 0, N - 1),
    var("j", 0, M - 1),
    var("q", 0, Z // 4 - 1),
    var("f", 0, N * M - 1),
    var("s", -N, Z),
    var("t", 0, var("i", 0, N - 1)),
    var("k", 0, M // 2 - 1),
    var("u", minimum(Z, N), Z + N),
)
SCOPE = {v.name: v for v in VARIABLES}


@st.composite
def assignments(draw: st.DrawFn) -> dict[str, int]:
    """Values within the ranges, the bounds being evaluated; sometimes the ends themselves."""
    values: dict[str, int] = {}
    for v in VARIABLES:
        lo = v.lo.evaluate(values) if isinstance(v.lo, Size) else v.lo
        hi = v.hi.evaluate(values) if isinstance(v.hi, Size) else v.hi
        if lo is None:
            lo = (hi if hi is not None else 10) - 25
        if hi is None:
            hi = lo + 25
        if lo > hi:
            continue  # an empty range: programs that use this variable cannot be run under this assignment
        values[v.name] = draw(st.one_of(st.sampled_from([lo, hi]), st.integers(lo, hi)))
    return values


LEAVES = st.one_of(
    st.sampled_from([("var", v.name) for v in VARIABLES]),
    st.integers(-9, 20).map(lambda c: ("const", c)),
    st.sampled_from([2, 3, 4, 8, 16]).map(lambda c: ("const", c)),
    # What the ranges are made of: divisors whose sign only the ranges show.
    st.sampled_from(
        [
            ("//", ("var", "Z"), ("const", 4)),
            ("//", ("var", "M"), ("const", 2)),
            ("*", ("var", "N"), ("var", "M")),
            ("+", ("*", ("var", "i"), ("var", "M")), ("var", "j")),
            ("+", ("*", ("var", "b"), ("//", ("var", "M"), ("const", 2))), ("var", "k")),
        ]
    ),
)
PROGRAMS: st.SearchStrategy[Program] = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.tuples(st.sampled_from(["+", "-", "*", "//", "%", "//", "%", "min", "max"]), inner, inner),
        st.tuples(st.just("//"), inner, st.sampled_from([2, 3, 4, 6, 8, 12]).map(lambda c: ("const", c))),
        st.tuples(st.just("%"), inner, st.sampled_from([2, 3, 4, 6, 8, 12]).map(lambda c: ("const", c))),
        st.tuples(st.just("**"), inner, st.integers(0, 3).map(lambda c: ("const", c))),
        st.tuples(st.just("**"), st.just(("const", 2)), st.sampled_from([("var", "b"), ("var", "Z"), ("var", "i")])),
    ),
    max_leaves=9,
)

SIZE_OPERATORS: dict[str, Callable[[Size, Size], Size]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "min": minimum,
    "max": maximum,
    "**": power,
}
INT_OPERATORS: dict[str, Callable[[int, int], int]] = {
    "+": lambda x, y: x + y,
    "-": lambda x, y: x - y,
    "*": lambda x, y: x * y,
    "//": lambda x, y: x // y,
    "%": lambda x, y: x % y,
    "min": min,
    "max": max,
    "**": lambda x, y: x**y,
}


def build(program: Program, scope: Mapping[str, Size] = SCOPE) -> Size:
    match program:
        case ("var", str(name)):
            return scope[name]
        case ("const", int(value)):
            return size(value)
        case (str(op), tuple(left), tuple(right)):
            return SIZE_OPERATORS[op](build(left, scope), build(right, scope))
    raise AssertionError(program)


def run(program: Program, values: Values) -> int:
    """The plain Python meaning; ZeroDivisionError where it has none, KeyError where a variable's range is empty."""
    match program:
        case ("var", str(name)):
            return values[name]
        case ("const", int(value)):
            return value
        case (str(op), tuple(left), tuple(right)):
            return INT_OPERATORS[op](run(left, values), run(right, values))
    raise AssertionError(program)


def build_or_skip(program: Program) -> Size:
    try:
        return build(program)
    except SizeError:
        assume(False)
        raise


def run_or_skip(program: Program, values: Values) -> int:
    try:
        return run(program, values)
    except (ZeroDivisionError, KeyError):
        assume(False)
        raise


@given(PROGRAMS, assignments())
def test_simplified_is_worth_the_original(program: Program, values: dict[str, int]) -> None:
    expected = run_or_skip(program, values)
    assert build(program).evaluate(values) == expected  # no SizeError either: the program ran


@given(PROGRAMS, assignments())
def test_terms_and_atoms_are_worth_the_size(program: Program, values: dict[str, int]) -> None:
    """What a code generator prints when it walks the terms."""
    expected = run_or_skip(program, values)
    assert walk(build(program), values) == expected


def walk(a: Size, values: Values) -> int:
    total = 0
    for monomial, coefficient in a.terms:
        product = coefficient
        for atom, exponent in monomial:
            if atom.kind == "var":
                worth = values[atom.name]
            else:
                op = {"floordiv": "//", "mod": "%", "pow": "**"}.get(atom.kind, atom.kind)
                left, right = (walk(operand, values) for operand in atom.operands)
                worth = INT_OPERATORS[op](left, right)
            product *= worth**exponent
        total += product
    return total


@given(PROGRAMS, assignments())
def test_bounds_contain_the_value(program: Program, values: dict[str, int]) -> None:
    expected = run_or_skip(program, values)
    lo, hi = build(program).bounds()
    assert lo is None or lo <= expected
    assert hi is None or expected <= hi


@given(PROGRAMS, PROGRAMS, assignments())
def test_nothing_false_is_proved(left: Program, right: Program, values: dict[str, int]) -> None:
    x, y = run_or_skip(left, values), run_or_skip(right, values)
    a, b = build(left), build(right)
    assert not (is_le(a, b) and x > y)
    assert not (is_lt(a, b) and x >= y)


@given(PROGRAMS, st.integers(-6, 6), assignments())
def test_nothing_false_is_proved_close_to_equality(program: Program, shift: int, values: dict[str, int]) -> None:
    """Unrelated sizes are rarely comparable: compare one with its own neighbours, multiples and parts."""
    x = run_or_skip(program, values)
    a = build(program)
    for b, y in [(a // 3 * 3, x // 3 * 3), (minimum(a, shift), min(x, shift)), (a * a, x * x), (a % 4, x % 4)]:
        for lesser, greater, low, high in [(a + shift, b, x + shift, y), (b, a + shift, y, x + shift)]:
            assert not (is_le(lesser, greater) and low > high)
            assert not (is_lt(lesser, greater) and low >= high)


@given(PROGRAMS)
def test_text_reads_back_to_the_same_object(program: Program) -> None:
    a = build_or_skip(program)
    assert parse_size(str(a), SCOPE) is a


@given(PROGRAMS, PROGRAMS, assignments())
def test_substitution_is_worth_the_substituted(program: Program, image: Program, values: dict[str, int]) -> None:
    y = run_or_skip(image, values)
    lo, hi = SCOPE["a"].bounds()
    assert lo is not None
    assert hi is not None
    # The image must lie in the range of what it replaces: simplification has used that range.
    clipped = minimum(maximum(build(image), lo), hi)
    inner = {**values, "a": min(max(y, lo), hi), "b": values["b"] // 2}
    x = run_or_skip(program, inner)
    try:
        replaced = build(program).substitute({SCOPE["a"]: clipped, SCOPE["b"]: SCOPE["b"] // 2})
    except SizeError:  # division by what has become the constant 0
        raise AssertionError("the program ran") from None
    assert replaced.evaluate(values) == x


@given(PROGRAMS)
def test_substituting_what_does_not_occur_changes_nothing(program: Program) -> None:
    a = build_or_skip(program)
    assert a.substitute({}) is a
    assert a.substitute({var("elsewhere"): size(3)}) is a


@given(PROGRAMS)
def test_free_variables_are_those_in_the_text(program: Program) -> None:
    a = build_or_skip(program)
    assert all(v.is_variable for v in a.variables)
    assert {v.name for v in a.variables} >= set(re.findall(r"[A-Za-z]+", str(a))) - {"min", "max"}
    assert {v.name for v in a.variables} <= set(re.findall(r"[A-Za-z]+", repr(program)))


@given(st.lists(PROGRAMS, min_size=2, max_size=5), st.randoms())
def test_sums_do_not_depend_on_their_order(programs: list[Program], random: object) -> None:
    parts = [build_or_skip(program) for program in programs]
    forwards = sum(parts, start=size(0))
    backwards = sum(reversed(parts), start=size(0))
    assert forwards is backwards
    assert forwards - parts[0] is sum(parts[1:], start=size(0))


@given(PROGRAMS, PROGRAMS, PROGRAMS)
def test_ring_laws_hold_by_identity(p: Program, q: Program, r: Program) -> None:
    a, b, c = build_or_skip(p), build_or_skip(q), build_or_skip(r)
    assert a + b is b + a
    assert a * b is b * a
    assert (a + b) + c is a + (b + c)
    assert (a + b) * c is a * c + b * c
    assert a - a is size(0)
    negated = -a
    assert -negated is a


@given(PROGRAMS, PROGRAMS)
def test_quotient_and_remainder_make_the_whole(p: Program, q: Program) -> None:
    a, b = build_or_skip(p), build_or_skip(q)
    assume(b.value != 0)
    assert (a // b) * b + a % b is a


@given(PROGRAMS, PROGRAMS)
def test_exact_division_undoes_multiplication(p: Program, q: Program) -> None:
    a, b = build_or_skip(p), build_or_skip(q)
    assume(b.value != 0)
    # Long divisions are given up rather than carried on for ever; a product of few terms never is.
    assume(len(a.polynomial) * len(b.polynomial) <= 64)
    assert divide_exactly(a * b, b) is a
    rest = divide_exactly(a, b)
    assert rest is None or rest * b is a


@given(PROGRAMS, assignments())
def test_gcd_divides_the_value(program: Program, values: dict[str, int]) -> None:
    expected = run_or_skip(program, values)
    divisor = gcd_of_coefficients(build(program))
    assert expected % divisor == 0 if divisor else expected == 0


@given(st.integers(-50, 50), st.integers(-50, 50))
def test_constants_divide_as_in_python(a: int, b: int) -> None:
    if b == 0:
        with pytest.raises(SizeError):
            size(a) // b
        with pytest.raises(SizeError):
            size(a) % b
    else:
        assert (size(a) // b).value == a // b
        assert (size(a) % b).value == a % b
        assert (a // size(b)).value == a // b
        assert (a % size(b)).value == a % b


# -- named examples --------------------------------------------------------------------------------------------------


def test_digits_of_a_split_index() -> None:
    i, j = var("i", 0, n - 1), var("j", 0, 3)
    assert (4 * i + j) // 4 is i
    assert (4 * i + j) % 4 is j
    assert (4 * i + j + 9) // 4 is i + (j + 1) // 4 + 2
    assert (4 * i + j) // 8 is i // 2
    assert (4 * i + j) % 8 is 4 * (i % 2) + j


def test_digits_with_a_symbolic_radix() -> None:
    i, j = var("i", 0, n - 1), var("j", 0, m - 1)
    assert (i * m + j) // m is i
    assert (i * m + j) % m is j
    assert (m * n + j) // m is n
    assert (i * m + j) // (2 * m) is i // 2
    k = var("k", 0, m * n - 1)
    assert k // (m * n) is size(0)
    assert k % (m * n) is k
    assert (i * (m + 1) + j) // (m + 1) is i
    whole = var("whole", 0, m)
    assert str(whole // m) == "whole // m"
    assert whole // (m + 1) is size(0)


def test_nested_quotients_merge() -> None:
    assert (n // 4) // 8 is n // 32
    assert (n // m) // 4 is n // (4 * m)
    assert (n // 4 + 3) // 2 is (n + 12) // 8
    assert (n % 16) // 4 is (n // 4) % 4
    assert (n % 16) % 4 is n % 4
    assert (n // 4) * 4 + n % 4 is n
    assert (2 * (n % 6) + n) // 4 is 3 * n // 4 - 3 * (n // 6)
    assert (n // 4) % 8 * 4 + n % 4 is n % 32
    assert (6 * n) // (4 * n * m) is size(3) // (2 * m)


def test_constants_are_normalised_in_numerators() -> None:
    assert (n - 1) // 4 + 1 is ceil_div(n, 4)
    assert (n + 7) // 4 is (n + 3) // 4 + 1
    assert n // -4 is -n // 4
    assert n % -4 is n + 4 * (-n // 4)


def test_divisors_of_unknown_sign_are_left_alone() -> None:
    z, k = var("z", 0), var("k", 0, 3)
    assert str((z * k) // z) == "(k*z) // z"
    assert str(k % z) == "k % z"
    with pytest.raises(SizeError, match="division by zero"):
        ((z * k) // z).evaluate({"z": 0, "k": 1})


def test_proofs_about_a_tiled_loop() -> None:
    i, j = var("i", 0, n // 4 - 1), var("j", 0, 3)
    assert is_lt(4 * i + j, n)
    assert is_le(0, 4 * i + j)
    assert not is_lt(4 * i + j + 1, n)
    assert not is_lt(4 * i + j, n - 1)


def test_proofs_about_a_product_of_a_variable_and_a_quotient() -> None:
    c = n // 16
    p, k = var("p", 0, 15), var("k", 0, c - 1)
    assert is_lt(p * c + k, n)
    assert not is_lt(p * c + k, n - 1)
    assert not is_lt((p + 1) * c + k, n)


def test_proofs_about_a_flattened_matrix() -> None:
    i, j = var("i", 0, n - 1), var("j", 0, m - 1)
    assert is_lt(i * m + j, n * m)
    assert not is_lt(i * m + j + 1, n * m)
    assert is_lt(i, n)
    assert not is_lt(i + 1, n)
    assert is_lt(4 * i + var("r", 0, 3), 4 * n)
    flat = var("f", 0, n * m - 1)
    assert is_lt(flat // m, n)
    assert is_lt(flat % m, m)
    assert is_le(0, flat % m)
    assert not is_lt(flat % m, m - 1)
    assert not is_lt(var("over", 0, n * m) // m, n)
    assert not is_le(var("over", 0, n * m) // m, n - 1)
    assert is_le(var("over", 0, n * m) // m, n)


def test_a_variable_in_a_range_shows_that_the_range_is_not_empty() -> None:
    c = n // 16  # 0 for a small n, but then neither k nor x has a value
    p, k, x = var("p", 0, 15), var("k", 0, c - 1), var("x", 0, 16 * c - 1)
    assert (p * c + k) // c is p
    assert (p * c + k) % c is k
    assert is_lt(x // c, 16)
    assert is_lt(x % c, c)
    assert (x % c).bounds()[0] == 0
    assert x // (16 * c) is size(0)
    assert str(x // c % 4) == "(x // (n // 16)) % 4"
    assert str((p * c) // c) == "(p*(n // 16)) // (n // 16)"  # p alone shows nothing about c
    assert not is_lt(n % c, c)
    z = var("z", None)
    assert not is_le(0, var("v", 1, -z) // z)  # shows that z is negative


def test_proofs_about_loops_with_a_stride() -> None:
    lane, step = var("lane", 0, 63), var("step", 1)
    k = var("k", 0, ceil_div(n - lane, 64) - 1)
    assert is_lt(lane + 64 * k, n)
    assert not is_lt(lane + 64 * (k + 1), n)
    item = var("item", 0, step - 1)
    k = var("k", 0, ceil_div(n - item, step) - 1)
    assert is_lt(item + step * k, n)
    assert not is_lt(item + step * k + 1, n)
    flat = var("flat", 0, n * m - 1)
    assert is_lt(flat % m * n + flat // m, n * m)
    assert is_lt(4 * (n // 4) + var("tail", 0, n % 4 - 1), n)


def test_proofs_about_triangles_three_dimensions_and_chains() -> None:
    i = var("i", 0, n - 1)
    j = var("j", 0, i)
    assert is_lt(j, n)
    assert is_le(j, i)
    d = var("d", 1)
    a, b, c = var("a", 0, n - 1), var("b", 0, m - 1), var("c", 0, d - 1)
    assert is_lt((a * m + b) * d + c, n * m * d)
    assert not is_lt((a * m + b) * d + c + 1, n * m * d)
    assert is_le(0, (a * m + b) * d + c)


def test_proofs_about_quotients_and_extrema() -> None:
    k = var("k", 1)
    assert is_le(k * (n // k), n)
    assert is_lt(n - k, k * (n // k))
    assert is_le(n, 4 * ceil_div(n, 4))
    assert is_lt(4 * ceil_div(n, 4), n + 4)
    assert is_le(minimum(n, m), n)
    assert is_le(n, maximum(n, m))
    assert is_le(minimum(n, m), maximum(n, m))
    assert not is_le(maximum(n, m), n)
    tile = var("tile", 0, ceil_div(n, 32) - 1)
    start = 32 * tile
    lane = var("lane", 0, minimum(32, n - start) - 1)
    assert is_lt(start + lane, n)
    assert is_lt(start, n)
    assert not is_lt(start + 31, n)


def test_bounds() -> None:
    i = var("i", 0, n - 1)
    assert n.bounds() == (1, None)
    assert (n - 1 - i).bounds() == (0, None)
    assert (i - n).bounds() == (None, -1)
    assert (i % 4).bounds() == (0, 3)
    assert var("x", 2, 5).bounds() == (2, 5)
    assert (var("x", 2, 5) * var("y", -3, 4)).bounds() == (-15, 20)
    assert (var("x", -3, 2) ** 2).bounds()[0] == 0
    assert power(2, var("x", 2, 5)).bounds() == (4, 32)
    assert (var("x", -7, 5) // 4).bounds() == (-2, 1)
    assert size(7).bounds() == (7, 7)
    assert var("z", None).bounds() == (None, None)


def test_extrema_simplify_by_ranges() -> None:
    i = var("i", 0, n - 1)
    assert minimum(i, n) is i
    assert maximum(i, n) is n
    assert maximum(n, 1) is n
    assert minimum(3, 5).value == 3
    assert minimum(minimum(n, m), n) is minimum(m, n)
    assert minimum(minimum(n, m), 8) is minimum(n, minimum(8, m))
    assert minimum(n, n) is n


def test_powers() -> None:
    k = var("k", 0)
    assert n**2 is n * n
    assert power(2, k + 1) is 2 * power(2, k)
    assert power(n + 1, 2) is n * n + 2 * n + 1
    assert power(n, 0).value == 1
    assert power(1, k).value == 1
    assert power(2, 10).value == 1024
    shifted = power(2, var("e", -1, 3) + 1)
    assert shifted.evaluate({"e": -1}) == 1  # not 2 * 2**e, which has no value there
    assert str(shifted) == "2**(e + 1)"
    assert divide_exactly(power(2, k + 3), power(2, k)) is size(8)
    assert (n // power(2, k)) // 2 is n // (2 * power(2, k))
    with pytest.raises(SizeError, match="exponent"):
        power(n, -1)
    with pytest.raises(SizeError, match="too large"):
        power(10, 10**9)


def test_exact_division() -> None:
    assert divide_exactly(n * m + m, m) is n + 1
    assert divide_exactly(n * m + m, n + 1) is m
    assert divide_exactly(16 * (n // 16), n // 16) is size(16)
    assert divide_exactly(64 * (n // 1024) * 16, 16 * (n // 1024)) is size(64)
    assert divide_exactly(n * n - m * m, n + m) is n - m
    assert divide_exactly((n % 4) * m, n % 4) is m
    assert divide_exactly(12, 4) is size(3)
    assert divide_exactly(0, n) is size(0)
    pairs: list[tuple[SizeLike, SizeLike]] = [(n, 2), (n, m), (n + 1, n), (n * m, n + m), (12, 5), (12, 0), (7, n)]
    for a, b in [*pairs, (n // 4, n)]:
        assert divide_exactly(a, b) is None


def test_substitution_simplifies_anew() -> None:
    i, k = var("i", 0, n - 1), var("k", 0, 3)
    assert (i // 4 + i % 4).substitute({i: 4 * m + k}) is m + k
    assert minimum(n, m).substitute({n: size(3), m: size(5)}) is size(3)
    assert power(2, var("e", 0)).substitute({var("e", 0): 5}).value == 32
    assert (n + m).substitute({n: m, m: n}) is n + m  # at once, not one after the other
    assert i.substitute({n: size(4)}).hi is n - 1  # bounds of variables stay
    with pytest.raises(SizeError, match="only variables"):
        n.substitute({n + 1: size(2)})
    with pytest.raises(SizeError, match="division by zero"):
        (m // n).substitute({n: 0})


def test_variables_are_identified_by_name_and_range() -> None:
    assert var("n", 1) is n
    assert var("n", 0) is not n
    assert var("i", 0, size(7)) is var("i", 0, 7)
    assert var("i", 0, n - 1) is var("i", 0, n + 2 - 3)
    i = var("i", 0, n - 1)
    assert (i * 4).variables == {i}
    assert (i // m).variables == {i, m}
    assert (i.name, i.lo, i.hi, i.is_variable) == ("i", 0, n - 1, True)
    assert not (i + 1).is_variable
    with pytest.raises(SizeError, match="bare variable"):
        (i + 1).name
    twins = var("x", 0, 3) - var("x", 0, 4)
    assert twins.value is None
    assert len(twins.variables) == 2


@pytest.mark.parametrize("name", ["", "1x", "a b", "min", "max", "if", "a.b"])
def test_names_that_could_not_be_read_back_are_refused(name: str) -> None:
    with pytest.raises(SizeError, match="identifier"):
        var(name)


def test_constants_and_coercion() -> None:
    assert size(3) is size(size(3))
    assert size(True) is size(1)
    assert size(10**30) is size(10**30)
    assert size(3).value == 3
    assert n.value is None
    assert (n - n).value == 0
    assert 3 - n is -(n - 3)
    with pytest.raises(TypeError):
        size(1.0)  # type: ignore[arg-type]
    with pytest.raises(TypeError):
        n + 1.5  # type: ignore[operator]
    with pytest.raises(TypeError):
        assert n < 3  # type: ignore[operator]


def test_evaluation_errors_name_the_variable() -> None:
    with pytest.raises(SizeError, match="'m'"):
        (n + m).evaluate({"n": 1})


def test_copies_and_pickles_are_the_same_object() -> None:
    i = var("i", 0, n // 4 - 1)
    a = (i * m + 3) % 7 + minimum(i, m) // 2
    assert copy.deepcopy(a) is a
    assert copy.copy(a) is a
    assert pickle.loads(pickle.dumps(a)) is a
    assert pickle.loads(pickle.dumps([atom for monomial, _ in a.terms for atom, _ in monomial])) == [
        atom for monomial, _ in a.terms for atom, _ in monomial
    ]


def test_threads_build_one_object() -> None:
    results: list[list[Size]] = []
    start = threading.Barrier(8)

    def work() -> None:
        start.wait()
        x = var("thread_x", 0, 1000)
        results.append([(x * k + 1) // 7 + x % (k + 2) for k in range(1, 200)])

    threads = [threading.Thread(target=work) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(results) == 8
    assert all(a is b for other in results for a, b in zip(results[0], other, strict=True))


# -- text ------------------------------------------------------------------------------------------------------------


def test_canonical_text() -> None:
    i, j, k = var("i", 0, n - 1), var("j", 0, 3), var("k", 0)
    expected = {
        "4*i + j": j + 4 * i,
        "n // 4": n // 4,
        "(n + 3) // 4": ceil_div(n, 4),
        "i % 3": i % 3,
        "min(m, n)": minimum(n, m),
        "n**2": n * n,
        "n - i - 1": n - 1 - i,
        "-i": -i,
        "-i - 1": -i - 1,
        "3 - i": 3 - i,
        "i*m + j": j + i * m,
        "16*(n // 16)": 16 * (n // 16),
        "2**k": power(2, k),
        "(n // (2**k)) % 2": n // power(2, k) % 2,
        "(-2)**k": power(-2, k),
        "(-2)**k*2**k": power(-2, k) * power(2, k),
        "(m % 3)*(n % 4)": (n % 4) * (m % 3),
        "(n % 4)**2": (n % 4) * (n % 4),
        "0": size(0),
        "-3": size(-3),
    }
    scope = {"n": n, "m": m, "i": i, "j": j, "k": k}
    for text, a in expected.items():
        assert str(a) == text
        assert parse_size(text, scope) is a
    for exponent in range(9):
        a = math.prod([n % 4] * exponent, start=size(1))
        assert parse_size(str(a), scope) is a


@pytest.mark.parametrize(
    "text",
    [
        *("", "n +", "n / 2", "n.bit_length()", "f(n)", "min(n)", "min(n, 1, 2)", "max(n, key=1)", "1.5", "True"),
        *("'n'", "n[0]", "n if n else n", "lambda: n", "n < 3", "~n", "unknown", "n // 0", "n ** -1", "n\0"),
        *("10 ** 10 ** 10", "(" * 500 + "n" + ")" * 500, "9" * 5000, "__import__('os')"),
    ],
)
def test_other_text_is_refused(text: str) -> None:
    with pytest.raises(SizeError):
        parse_size(text, {"n": n})


PRINT_A_BATCH = """
from ir.core.sizes import *
names = ["n", "m", "a", "zeta", "k"]
vs = [var(x, 1) for x in ORDER(names)]
by = {v.name: v for v in vs}
n, m, a, zeta, k = (by[x] for x in names)
kept = [n // d for d in ORDER([7, 2, 11, 4, 3, 5])]
i, j = var("i", 0, n - 1), var("j", 0, m // 4 - 1)
same_name = {end: var("x", 0, end) for end in ORDER([7, 3, 9, 4])}
twins = var("x", 0, 3) * var("x", 0, 4) - 2 * var("x", 0, n)
batch = [n * m + a * zeta - k, minimum(n, minimum(m, zeta)) // k, (i * m + j) % 7 // 2, (a + zeta + k) // (n + m),
         (n % 4) * (m % 3) + n // 4 * m, maximum(i * 4 + j, k), power(n + m, 3), power(2, k) % zeta, twins, twins // 5,
         sum(end * x for end, x in sorted(same_name.items())), n - n // 4 * 4 - n // 3 * 3,
         5 * n - sum(n // d * d for d in (2, 3, 5, 7, 11)), m * n - n // k * k * m - m // k * k * n]
for s in batch:
    print(s, s.digest, s.bounds(), sorted(map(str, s.variables)), [c for _, c in s.terms])
"""


def test_deterministic_over_hash_seeds_and_creation_orders() -> None:
    root = str(Path(__file__).parents[3])
    outputs = []
    for seed, order in [("0", "list"), ("1", "list"), ("2", "sorted"), ("3", "reversed")]:
        code = PRINT_A_BATCH.replace("ORDER", order)
        environment = {**os.environ, "PYTHONHASHSEED": seed, "PYTHONPATH": root}
        done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
        outputs.append(done.stdout)
    assert outputs[0].count("\n") == 14
    assert all(output == outputs[0] for output in outputs)


@pytest.mark.parametrize("first", ["bounds", "division", "functions", "polynomials", "remainders", "terms", "text"])
def test_the_files_can_be_imported_in_any_order(first: str) -> None:
    use = "n = s.var('n', 1); print(n // 2 // 4, n % 3, s.is_le(1, n))"
    code = f"import ir.core.size_{first}, ir.core.sizes as s; {use}"
    environment = {**os.environ, "PYTHONPATH": str(Path(__file__).parents[3])}
    done = subprocess.run([sys.executable, "-c", code], env=environment, capture_output=True, text=True, check=True)
    assert done.stdout == "n // 8 n % 3 True\n"
