"""Complex arrays: kept in two parts and seen as one, in every chapter, against NumPy."""

from __future__ import annotations

import copy
import itertools
import operator
import pickle
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

import lazyarr as la
from ir.rules.common import is_exact_monoid, is_monoid
from lazyarr import config, lift
from lazyarr.api.reduce.folding import combiner
from lazyarr.elements.scalars import literal
from tests import oclgrind
from tests.lazyarr.evaluation import EXAMPLES
from tests.lazyarr.support import COMPLEX, PAIRS, SHAPES, agree, check, operands, seeds, special, together, values

examples = settings(max_examples=2 * EXAMPLES)
LENGTH = 131
MIXED = list(itertools.product(("int8", "float32", *COMPLEX), COMPLEX))


@pytest.fixture(autouse=True, scope="module")
def untuned():
    old = config.configure(tune="off")
    yield
    config.configure(**vars(old))


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("shape", SHAPES, ids=str)
def test_there_and_back(dtype, shape):
    z = np.asfortranarray(values(shape, dtype, 1))
    a = la.asarray(z)
    assert (a.dtype, a.itemsize, a.nbytes) == (z.dtype, z.itemsize, z.nbytes)
    np.testing.assert_array_equal(np.asarray(a), z)
    assert a.tolist() == z.tolist()
    np.testing.assert_array_equal(np.asarray(a.real), z.real)
    np.testing.assert_array_equal(np.asarray(a.imag), z.imag)
    assert (a.real.dtype, a.imag.dtype) == (z.real.dtype, z.imag.dtype)
    for layout in (z[..., ::-1] if z.ndim else z, z.T, np.repeat(z, 2, 0)[::2] if z.ndim else z):
        np.testing.assert_array_equal(np.asarray(la.asarray(layout)), layout)
    np.testing.assert_array_equal(np.asarray(pickle.loads(pickle.dumps(a))), z)
    np.testing.assert_array_equal(np.asarray(copy.deepcopy(a)), z)
    if z.ndim:
        np.testing.assert_array_equal([np.asarray(row) for row in a], list(z))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_views(dtype):
    z = values((3, 5, 7), dtype, 2)
    a = la.asarray(z)
    for found, expected in (
        (a.T, z.T), (a[:, ::-2, 3], z[:, ::-2, 3]), (a[1:].reshape(7, 10), z[1:].reshape(7, 10)),
        (la.flip(a, 1).imag, z[:, ::-1].imag), (la.broadcast_to(a[0, 0], (2, 7)), np.broadcast_to(z[0, 0], (2, 7))),
    ):  # fmt: skip
        np.testing.assert_array_equal(np.asarray(found), expected)


def test_elements_of_an_array_that_was_assigned_to():
    """The lengths of its parts are sums, and products of extents that are products themselves."""
    z = (np.arange(50) * (1 - 0.5j)).reshape(2, 5, 5)
    a = la.asarray(z.copy())
    z[0:1, 2, 4] = a[0:1, 2, 4] = 2
    check(la.abs(a[0:2, 3, 4]), np.abs(z[0:2, 3, 4]))
    z[1, 0, 1:3] = a[1, 0, 1:3] = 1j
    check(la.square(a[0:1, 2, 1:2]), np.square(z[0:1, 2, 1:2]))
    check(a, z)


def test_numbers_and_text():
    z = np.array([[1 + 2j, -0.5j]], "complex64")
    a = la.asarray(z)
    assert repr(a) == repr(z) and str(a) == str(z)
    assert complex(a[0, 0]) == a[0, 0].item() == 1 + 2j
    with pytest.raises(TypeError):
        float(a[0, 0])
    assert bool(a[0, 1]) and not bool(la.asarray(0j))
    assert np.asarray(la.full((2,), 1 + 2j)).tolist() == [1 + 2j] * 2
    assert la.zeros((3,), dtype="complex64").dtype == np.complex64
    with pytest.raises(ValueError, match="copy"):
        la.asarray(z, copy=False)
    with pytest.raises(TypeError, match=r"asarray: dtype complex128 does not become float32"):
        la.asarray([1j], dtype="float32")


@pytest.mark.parametrize("target", ["float32", "float64", "int32"])
@pytest.mark.parametrize("dtype", COMPLEX)
def test_numpy_makes_complex_numbers_real_with_a_warning(dtype, target):
    z = values((4, 4), dtype, 3)
    a = la.asarray(z)
    calls = [lambda m, x: x.astype(target), lambda m, x: m.sum(x, 1, dtype=target), lambda m, x: x.prod(dtype=target)]
    calls += [
        lambda m, x: m.asarray(x, target),
        lambda m, x: m.asarray(z.T, target),
        lambda m, x: m.array(x[0], target),
    ]
    calls += [lambda m, x: m.cumsum(x, dtype=target), lambda m, x: m.trace(x, dtype=target)]
    calls += [] if target == "int32" else [lambda m, x: m.mean(x, dtype=target)]
    for call in calls:
        with pytest.warns(np.exceptions.ComplexWarning):
            expected = call(np, z)
        for _ in range(3):  # each time it is asked for, also where such a call was recorded before
            with pytest.warns(np.exceptions.ComplexWarning, match="drops the imaginary parts") as caught:
                agree(call(la, a), expected)
            assert [each.filename for each in caught] == [__file__]
    with pytest.raises(TypeError, match=r"astype: dtype complex\d+ does not become"):
        la.astype(a, target)  # the standard's function


def test_what_is_real_stays_as_it_is():
    for dtype in ("bool", "int8", "uint64", "float32"):
        x = values((5,), dtype, 1)
        a = la.asarray(x)
        agree(a.real, x)
        agree(a.imag, np.zeros(5, dtype))
        assert a.conj() is a and a.conjugate() is a
        agree(la.conjugate(a), np.conjugate(x))  # of bools integers
        assert la.conjugate(a) is not a
    for dtype in ("int16", "float32", "int64"):
        x = values((7,), dtype, 1)
        agree(la.angle(la.asarray(x)), np.angle(x))
        agree(la.angle(la.asarray(x), deg=True), np.angle(x, deg=True))


@given(
    shapes=st.sampled_from(PAIRS),
    dtypes=st.sampled_from(MIXED),
    data=st.data(),
)
@settings(max_examples=EXAMPLES)
def test_arithmetic_broadcasts_and_promotes(shapes, dtypes, data):
    x, y = (data.draw(operands(shape, dtype, low=1)) for shape, dtype in zip(shapes, dtypes, strict=True))
    a, b = la.asarray(x), la.asarray(y)
    ops = (operator.add, operator.sub, operator.mul, operator.truediv, operator.eq, operator.ne)
    together(
        [op(a, b) for op in ops] + [op(b, a) for op in ops],
        [op(x, y) for op in ops] + [op(y, x) for op in ops],
        scale=99,
    )


@pytest.mark.parametrize("dtype", COMPLEX)
def test_choices(dtype):
    x, y = values((3, 5), dtype, 1), values((5,), dtype, 2)
    a, b = la.asarray(x), la.asarray(y)
    ours = [la.where(a.real > 0, a, b), la.where(a, b, 0), la.where(b.imag < 0, 1j, a.real)]
    together(
        ours,
        [np.where(x.real > 0, x, y), np.where(x, y, 0), np.where(y.imag < 0, np.asarray(1j, dtype), x.real)],
        scale=99,
    )


@pytest.mark.parametrize("dtype", ["bool", "int64", "float32", "complex64"])
@pytest.mark.parametrize("number", [2j, 1.5, 3, np.complex64(1 + 2j), np.float64(2)], ids=repr)
def test_numbers_beside_arrays(dtype, number):
    x = values((5,), dtype, 1, low=1)
    a, operations = la.asarray(x), (operator.add, operator.mul, operator.truediv, operator.eq)
    together(
        [y for op in operations for y in (op(a, number), op(number, a))],
        [y for op in operations for y in (op(x, number), op(number, x))],
        scale=9,
    )
    assert la.result_type(la.asarray(x), number) == np.result_type(x, number)


@pytest.mark.parametrize("dtype", COMPLEX)
@given(seed=seeds)
@examples
def test_products_and_sums_follow_the_textbook(dtype, seed):
    z, w = special(dtype, LENGTH, seed), special(dtype, LENGTH, seed + 7)
    a, b = la.asarray(z), la.asarray(w)
    (x, y), (u, v) = (z.real, z.imag), (w.real, w.imag)
    names = ("isnan", "isinf", "isfinite", "logical_not")
    with np.errstate(all="ignore"):
        pairs = [
            (a * b, (x * u - y * v, x * v + y * u)), (a + b, (x + u, y + v)), (a - b, (x - u, y - v)),
            (-a, (-x, -y)), (a.conj(), (x, -y)), (la.round(a), (np.rint(x), np.rint(y))),
        ]  # fmt: skip
        tests = [*((getattr(la, name)(a), getattr(np, name)(z)) for name in names), (a == b, z == w), (a != b, z != w)]
        size, plain = la.abs(a), la.nan_to_num(a)
        la.compute(size, plain, *(found for found, _ in (*pairs, *tests)))
        for found, expected in pairs:
            agree(found.real, expected[0], 0, (z, w))
            agree(found.imag, expected[1], 0, (z, w))
        for found, answer in tests:
            agree(found, answer, what=z)
        agree(size, np.abs(z), 4, z)
        agree(plain, np.nan_to_num(z))


def exactly(z: complex) -> tuple[Fraction, Fraction]:
    return Fraction(z.real), Fraction(z.imag)


finite = {
    "complex64": st.floats(width=32, allow_nan=False, allow_infinity=False),
    "complex128": st.floats(allow_nan=False, allow_infinity=False),
}


@pytest.mark.slow
@pytest.mark.parametrize("dtype", COMPLEX)
@given(data=st.data())
@settings(max_examples=20 * EXAMPLES)
def test_quotients_are_right_wherever_they_are_numbers(dtype, data):
    info = np.finfo(dtype)
    parts = [data.draw(st.lists(finite[dtype], min_size=4, max_size=4)) for _ in range(2)]
    z, w = (np.array([complex(p[0], p[1]), complex(p[2], p[3])], dtype) for p in parts)
    assume(np.all(w != 0))
    found = np.asarray(la.asarray(z) / la.asarray(w))
    for q, n, d in zip(found.tolist(), z.tolist(), w.tolist(), strict=True):
        (a, b), (c, e) = exactly(n), exactly(d)
        size = c * c + e * e
        real, imaginary = (a * c + b * e) / size, (b * c - a * e) / size
        largest = max(abs(real), abs(imaginary))
        if largest > Fraction(float(info.max)) * 3 / 4:
            continue
        bound = 8 * Fraction(float(info.eps)) * largest + 4 * Fraction(float(info.tiny))
        assert np.isfinite(q), (n, d, q)
        for part, exact in zip(exactly(q), (real, imaginary), strict=True):
            assert abs(part - exact) <= bound, (n, d, q)


@pytest.mark.parametrize("dtype", COMPLEX)
def test_division_by_zero_and_infinity(dtype):
    zero, one = np.zeros(4, dtype), np.array([1 + 1j, -1 + 2j, 1, -2j], dtype)
    with np.errstate(all="ignore"):
        agree(la.asarray(one) / la.asarray(zero), one / zero)
        agree(la.asarray(zero) / la.asarray(zero), zero / zero)
        agree(la.asarray(one) / np.inf, one / np.inf)
    # as the standard's table: divided by a real or an imaginary number, each part is
    top = la.asarray(np.array([complex(np.inf, 1), complex(2, np.nan), complex(np.inf, -np.inf)], dtype))
    halves = np.asarray(top / 2)
    np.testing.assert_array_equal(halves.real, [np.inf, 1, np.inf])
    np.testing.assert_array_equal(halves.imag, [0.5, np.nan, -np.inf])


POWERS = (0, 1, 2, 3, 7, 100, -1, -2, -5, 0.5, 2.0, 1.5, -0.5, 2j, 1 + 1j)


@pytest.mark.parametrize("exponent", POWERS)
@pytest.mark.parametrize("dtype", COMPLEX)
def test_powers(dtype, exponent):
    z = values((61,), dtype, 3, -1.2, 1.2)
    z[:4] = [1, 1j, -1, 2]
    exact = z.astype("clongdouble") ** np.clongdouble(exponent)
    ulps = 16 * (1 + abs(exponent) * 4)
    a = la.asarray(z)
    powers = [a**exponent, a ** la.asarray(np.full(61, exponent, dtype)), la.float_power(a, exponent)]
    la.compute(*powers)
    for found in powers[:2]:
        agree(found, exact.astype(dtype), ulps, z, zeros=False)
    agree(powers[2], np.float_power(z.astype("complex128"), exponent), ulps, z, zeros=False)


def test_powers_of_zero():
    zero, w = np.zeros(5, complex), np.array([0, 1, 2.5, 1 + 3j, 0.5 - 1j])
    np.testing.assert_array_equal(np.asarray(la.asarray(zero) ** la.asarray(w)), [1, 0, 0, 0, 0])
    assert np.all(np.isnan(np.asarray(la.asarray(zero) ** la.asarray(np.array([-1, 1j, -2 + 1j, -0.5, 3j])))))
    assert complex(la.asarray(0j) ** 0) == 1


@pytest.mark.parametrize("dtype", COMPLEX)
@pytest.mark.parametrize("axis", [None, 0, 1, (0, 2), (0, 1, 2), ()], ids=str)
def test_reductions(dtype, axis):
    z = values((3, 5, 7), dtype, 4, -1, 1)
    a = la.asarray(z)
    for name in ("sum", "prod", "mean", "var", "std", "any", "all"):
        if axis == () and name in ("var", "std"):
            continue
        expected = getattr(np, name)(z, axis=axis)
        check(getattr(la, name)(a, axis), expected, 16, 9)
        check(getattr(a, name)(axis), expected, 16, 9)
    check(la.var(a, 1, correction=1), np.var(z, 1, ddof=1), 16, 9)
    check(la.std(a, 2, correction=1.5), np.std(z, 2, ddof=1.5), 16, 9)
    check(la.sum(a.real, 1, dtype=dtype), np.sum(z.real, 1, dtype=dtype), 16, 9)
    check(la.mean(a.real, 1, dtype=dtype), np.mean(z.real, 1, dtype=dtype), 16, 9)
    assert not bool(la.any(a * 0)) and bool(la.all(a))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_no_elements(dtype):
    a = la.asarray(np.zeros((0, 3), dtype))
    check(la.sum(a), np.sum(np.zeros((0, 3), dtype)))
    check(la.prod(a, 0), np.ones(3, dtype))
    check(la.exp(a) + 1j, np.zeros((0, 3), dtype))
    check(a.real, np.zeros((0, 3), a.real.dtype))
    check(a @ la.asarray(np.ones((3, 2), dtype)), np.zeros((0, 2), dtype))


@pytest.mark.parametrize("dtype", COMPLEX)
def test_products_of_matrices(dtype):
    x, y = values((4, 5, 7), dtype, 1, -1, 1), values((7, 3), dtype, 2, -1, 1)
    a, b = la.asarray(x), la.asarray(y)
    check(a @ b, x @ y, 7, 9)
    check(la.matmul(a, b[:, 0]), x @ y[:, 0], 7, 9)
    check(a[0] @ a[1].T, x[0] @ x[1].T, 7, 9)
    check(la.vecdot(a, a[0]), np.vecdot(x, x[0]), 7, 9)
    check(la.dot(b[:, 1], b[:, 2]), np.dot(y[:, 1], y[:, 2]), 7, 9)
    check(a.real @ b, x.real @ y, 7, 9)


def test_products_of_many_are_reduced_in_parallel():
    for dtype in map(np.dtype, COMPLEX):
        assert is_monoid(combiner("multiply", dtype), literal(1, dtype))
        assert is_monoid(combiner("add", dtype), literal(0, dtype))
        assert not is_exact_monoid(combiner("multiply", dtype), literal(1, dtype))
        for other in (0, 1j, 1 + 1j):
            assert not is_monoid(combiner("multiply", dtype), literal(other, dtype))


def test_functions_of_lift():
    z = values((6, 4), "complex128", 5)
    a = la.asarray(z)
    check(lift.map(lambda t: t * t.conj() + abs(t) * 1j, a.ravel()), z.ravel() * z.ravel().conj() + abs(z.ravel()) * 1j)
    check(lift.map(lambda row: la.sum(row) * 2, a), z.sum(1) * 2, 4, 99)
    check(lift.reduce(lambda p, q: p + q, 0j, a.ravel()), z.sum(), 24, 99)
    check(lift.reduce(lambda p, q: p * q, 1, a.ravel()[:5]), z.ravel()[:5].prod())
    check(lift.reduce(operator.add, 0.5j, la.asarray(z.real.ravel())), z.real.sum() + 0.5j, 24, 99)
    check(lift.gather(a, np.array([3, 0])), z[[3, 0]])
    pairs = lift.map(lambda x, y: (x, x * y), lift.zip(a.ravel(), a.ravel().real))
    for found, expected in zip(lift.unzip(pairs), (z.ravel(), z.ravel() * z.ravel().real), strict=True):
        check(found, expected)


@pytest.mark.slow
def test_jit():
    @lift.jit
    def step(z, w, scale):
        return z * w + scale, z.real, z, la.exp(w).imag, la.full((2,), 1 + 2j), (w * 2).conj()

    z, w = values((5, 3), "complex64", 1, -1, 1), values((3,), "complex64", 2, -1, 1)
    for scale in (1j, 2.0):
        for _ in range(3):
            found = step(la.asarray(z), la.asarray(w) + 0, scale)
            expected = (z * w + np.complex64(scale), z.real, z, np.exp(w).imag, np.full(2, 1 + 2j), (w * 2).conj())
            for one, other in zip(found, expected, strict=True):
                check(one, other, scale=4)
    captured = la.asarray(w)
    add = lift.jit(lambda z: z + captured)
    check(add(add(la.asarray(z))), z + w + w, scale=4)
    check(lift.jit(lambda z: captured)(la.asarray(z)), w)


def test_work_is_shared_with_what_was_computed():
    z = values((LENGTH,), "complex128", 6)
    a = la.asarray(z) * 2
    both = la.exp(a / 40)
    la.compute(both)
    real, imaginary = both.real, both.imag
    la.compute(real, imaginary)
    check(real, np.exp(z / 20).real, scale=2)
    check(imaginary, np.exp(z / 20).imag, scale=2)
    check(both - 1, np.exp(z / 20) - 1, scale=2)


def test_many_arrays_joined():
    count = 17  # up to sixteen parts are one kernel's
    parts = [values((3, 1 + k % 4), "complex128", k) for k in range(count)]
    arrays = [la.asarray(part) for part in parts]
    expected = np.concatenate([part * 2 if k % 2 else np.sqrt(part) for k, part in enumerate(parts)], axis=1)
    found = la.concat([x * 2 if k % 2 else la.sqrt(x) for k, x in enumerate(arrays)], axis=1)
    check(found.real + la.abs(found), expected.real + np.abs(expected), scale=8)
    check(la.stack([x[:, 0] for x in arrays], axis=1), np.stack([part[:, 0] for part in parts], axis=1))
    assigned, wanted = la.zeros(4 * count, dtype="complex128"), np.zeros(4 * count, "complex128")
    for k, (x, part) in enumerate(zip(arrays, parts, strict=True)):
        assigned[4 * k : 4 * k + 3] = x[:, 0] * (k + 1j) if k % 3 else la.sqrt(x[:, 0])
        wanted[4 * k : 4 * k + 3] = part[:, 0] * (k + 1j) if k % 3 else np.sqrt(part[:, 0])
    check(assigned, wanted, scale=20 * count)


@pytest.mark.device
@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_in_the_simulator():
    code = """
import numpy as np
import lazyarr as la
from lazyarr import config
config.configure(tune="off")
z = (np.arange(1, 38) + 1j * np.arange(37)[::-1]).astype("complex64")
a = la.asarray(z)
np.testing.assert_allclose(np.asarray(a / (a + 1) * 2j), z / (z + 1) * 2j, rtol=1e-5)
np.testing.assert_allclose(complex(la.sum(a * a)), np.sum(z * z), rtol=1e-5)
np.testing.assert_allclose(np.asarray(la.sqrt(a) + abs(a)), np.sqrt(z) + abs(z), rtol=1e-5)
n = np.arange(-18, 19)
np.testing.assert_array_equal(np.asarray(la.gcd(la.asarray(n), 6) + (la.asarray(n) << 3)), np.gcd(n, 6) + (n << 3))
np.testing.assert_array_equal(np.asarray(la.ldexp(la.asarray(z.real), la.asarray(n))), np.ldexp(z.real, n))
"""
    assert oclgrind.run(code) == ""


@pytest.mark.parametrize("tier", ["auto", "compiled"])
@pytest.mark.parametrize("decimals", [1, 3, -1])
@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_parts_are_rounded_apart(tier, decimals, dtype):
    x = np.array([[1.26 + 2.36j, np.inf + 0.75j, np.nan - 1.25j], [-0.04 - 0.06j, 5 - np.inf * 1j, 15 + 25j]], dtype)
    before = config.configure(tier=tier, tune="off")
    try:
        for found in (la.round(la.asarray(x), decimals), lift.jit(lambda y: la.round(y, decimals))(la.asarray(x))):
            agree(found, np.round(x, decimals))
        assert la.round(la.asarray(x[:0]), decimals).shape == (0, 3)
    finally:
        config.configure(**vars(before))


def test_infinite_weights_of_complex_numbers_keep_their_other_part():
    w = np.array([1 + 1j, np.inf + 2j, 3 - 1j])
    check(
        la.histogram(la.asarray([0.1, 0.6, 0.7]), 2, (0, 1), weights=la.asarray(w))[0], np.array([1 + 1j, np.inf + 1j])
    )
