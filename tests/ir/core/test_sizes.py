"""Sizes: what they simplify to, that they keep their value, and that nothing false is ever proved."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction
from random import Random

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st

from ir.core.sizes import (
    Size,
    SizeError,
    divide_exactly,
    greatest_part,
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
    return sum(worth for worth, _ in terms_of(a, values))


def terms_of(a: Size, values: Values) -> list[tuple[int, int]]:
    """What each term is worth, and its coefficient."""
    found = []
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
        found.append((product, coefficient))
    return found


@given(PROGRAMS, assignments())
def test_bounds_contain_the_value(program: Program, values: dict[str, int]) -> None:
    expected = run_or_skip(program, values)
    lo, hi = build(program).bounds()
    assert lo is None or lo <= expected
    assert hi is None or expected <= hi


@given(PROGRAMS, assignments())
def test_no_term_exceeds_what_the_terms_may_reach(program: Program, values: dict[str, int]) -> None:
    run_or_skip(program, values)
    whole = build(program)
    reach = greatest_part(whole)
    if reach:
        for sign in (1, -1):
            assert sum(abs(worth) for worth, by in terms_of(whole, values) if by * sign > 0) <= reach


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


LENGTHS: dict[str, Callable[[int, int], str]] = {
    "a*n + k": lambda a, k: f"{a}*n + {k}",
    "a*n*m + k": lambda a, k: f"{a}*n*m + {k}",
    "a*n + m": lambda a, k: f"{a}*n + m",
    "a*((n + k) // 7)": lambda a, k: f"{a}*((n + {k}) // 7)",
    "a*n*(n + 1)": lambda a, k: f"{a}*n*(n + 1)",
}
FACTORS = st.sampled_from([1, 2, 3, 5, 6, 7, 12, 24, 48, 96, 100, 1000, 1023, 1025])
DIVISORS = st.sampled_from([2, 3, 7, 8, 12, 32, 48, 64, 100, 108, 132, 1024, 16896])


@given(
    st.sampled_from(list(LENGTHS)),
    FACTORS,
    st.integers(0, 99),
    st.lists(st.tuples(st.integers(-9, 9), FACTORS, DIVISORS, st.booleans()), min_size=1, max_size=3),
    st.integers(-9, 9),
    FACTORS,
    st.randoms(use_true_random=False),
)
def test_no_bound_of_a_length_cut_into_blocks_is_false(
    name: str,
    factor: int,
    offset: int,
    cuts: list[tuple[int, int, int, bool]],
    share: int,
    common: int,
    random: Random,
) -> None:
    """Quotients of one length by several numbers, added up so that their leading terms cancel, and multiplied."""
    text = LENGTHS[name](factor, offset)
    parts, slope = [], Fraction(share)
    for count, scale, divisor, nested in cuts:
        inner = f"(({text}) // {divisor})" if nested else f"({text})"
        parts.append(f"{count}*(({scale}*{inner}) // {divisor})")
        slope += Fraction(count * scale, divisor**2 if nested else divisor)
    numerator, denominator = slope.numerator, slope.denominator
    whole = f"{common}*({denominator}*({' + '.join(parts)} + {share}*({text})) - {numerator}*({text})) + {offset}"
    lo, hi = parse_size(whole, {"n": n, "m": m}).bounds()
    for _ in range(60):
        values = {"n": random.randrange(1, 10 ** random.randrange(1, 10)), "m": random.randrange(1, 999)}
        worth = eval(whole, {"__builtins__": {}}, dict(values))
        assert lo is None or lo <= worth
        assert hi is None or worth <= hi


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
