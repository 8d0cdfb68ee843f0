"""What the comparison with the reference lets through, and what it does not."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from ir.core.patterns import Id
from ir.fusion.symbols.symbolise import symbolise
from lazyarr.check import bounds
from lazyarr.check.reference import Reference, work
from tests.lazyarr.execution.kernels import X, kernel_of


def reference(array: la.Array, x: np.ndarray) -> Reference:
    _, general, _ = kernel_of(array)
    return Reference.of(general.expr, {"x0": x}, general.sizes)


def scaled() -> tuple[Reference, np.ndarray]:
    return reference(la.asarray(X) * 3, X), X * np.float32(3)


def test_the_right_result_agrees():
    expected, value = scaled()
    assert expected.mismatch([value]) is None
    assert expected.mismatch([np.nextafter(value, np.float32(9))]) is None


def test_a_dropped_tail():
    expected, value = scaled()
    for poison in (0.0, np.nan, np.frombuffer(b"\xa5" * 4, np.float32)[0]):
        dropped = value.copy()
        dropped[-1] = poison
        assert f"element {X.size - 1}" in str(expected.mismatch([dropped]))


def test_swapped_elements():
    expected, value = scaled()
    value[[4, 5]] = value[[5, 4]]
    message = str(expected.mismatch([value]))
    assert "element 4" in message
    assert f"2 of {X.size} differ" in message


def test_nan():
    x = X.copy()
    x[3] = np.nan
    expected = reference(la.asarray(x) * 3, x)
    right = x * np.float32(3)
    assert expected.mismatch([right]) is None
    for at, value in ((3, 0.0), (2, np.nan), (3, np.inf)):
        wrong = right.copy()
        wrong[at] = value
        assert f"element {at}" in str(expected.mismatch([wrong]))


def test_infinity():
    x = X.copy()
    x[3] = np.inf
    expected = reference(la.asarray(x) * 3, x)
    right = x * np.float32(3)
    assert expected.mismatch([right]) is None
    for value in (-np.inf, 1e30, np.nan):
        wrong = right.copy()
        wrong[3] = value
        assert "element 3" in str(expected.mismatch([wrong]))


@pytest.mark.parametrize("n", [7, 1009, 30011])
def test_a_sum_without_its_last_element(n):
    x = np.abs(X[:n]) + 1
    expected = reference(la.sum(la.asarray(x)), x)
    total = x.sum(dtype=np.float64)
    assert expected.mismatch([np.array([total], np.float32)]) is None
    assert expected.mismatch([np.array([x[::-1].cumsum(dtype=np.float32)[-1]])]) is None  # one by one, from the end
    if n < 30011:  # beyond, the rounding allowed is about one element: the small instance is what finds it
        assert "element 0" in str(expected.mismatch([np.array([total - x[-1]], np.float32)]))


def test_a_sum_that_cancels_may_stray_by_what_was_added():
    x = np.where(np.arange(2000) % 2, np.float32(1), np.float32(-1)) * np.repeat(X[:1000], 2)
    expected = reference(la.sum(la.asarray(x)), x)
    assert expected.mismatch([np.array([1e-4], np.float32)]) is None
    assert expected.mismatch([np.array([1.0], np.float32)]) is not None


def test_functions_that_cancel():
    x = np.full(7, 3 * np.pi / 4)  # sin(x) + cos(x) is nearly 0
    a = la.asarray(x)
    expected = reference(la.sin(a) + la.cos(a), x)
    # the sine one unit in the last place off, of the 16 that OpenCL allows
    assert expected.mismatch([np.nextafter(np.sin(x), 9) + np.cos(x)]) is None
    assert expected.mismatch([np.sin(x) + np.cos(x) + 1e-13]) is not None


def test_integers_are_exact():
    x = np.arange(1009, dtype=np.int32)
    expected = reference(la.asarray(x) * 3, x)
    right = x * 3
    assert expected.mismatch([right]) is None
    right[7] += 1
    assert "element 7: expected" in str(expected.mismatch([right]))


def test_agreed():
    first = np.linspace(1, 2, 5, dtype=np.float32)
    expected = Reference.agreed([first])
    assert expected.mismatch([first.copy()]) is None
    assert expected.mismatch([first * np.float32(1.0001)]) is None
    assert expected.mismatch([first[::-1].copy()]) is not None


@pytest.mark.parametrize("odd", [np.inf, -np.inf, np.nan])
def test_a_number_that_is_not_finite_allows_others_no_more(odd):
    first = np.linspace(1, 2, 5, dtype=np.float32)
    first[2] = odd
    expected = Reference.agreed([first])
    close, wrong = first * np.float32(1.0001), first.copy()
    wrong[4] += 1
    assert expected.mismatch([close]) is None
    assert "element 4" in str(expected.mismatch([wrong]))


def test_work_counts_the_largest_nest():
    a, b = np.ones((30, 70), np.float32), np.ones((70, 50), np.float32)
    _, general, _ = kernel_of(la.asarray(a) @ la.asarray(b))
    assert 30 * 70 * 50 <= work(general.expr, general.sizes) <= 2 * 30 * 70 * 50
    _, general, _ = kernel_of(la.sum(la.abs(la.asarray(X))))
    assert work(general.expr, general.sizes) == X.size
    deep = general.expr
    for _ in range(5000):
        deep = Id(deep)
    assert work(deep, general.sizes) == X.size


@pytest.mark.parametrize("squarings", [7, 15])
def test_the_errors_of_two_copies_of_a_function_do_not_cancel(squarings):
    def f(v):
        v = la.exp(v)
        for _ in range(squarings):
            v = v * v
        return v

    factor = 2**squarings  # the exponential's error grows to that, relative to the result
    x = np.linspace(0.01, 0.1, 64, dtype=np.float32) * np.float32(128 / factor)
    a = la.asarray(x)
    expected = reference(f(a) - f(a * np.float32(1 + 1e-5)), x)
    known, _, errors = expected.bounds.of(0, np.arange(64), np.ones(64))
    unit = factor * np.finfo(np.float32).eps * np.exp(x.astype(np.float64)) ** factor
    assert known.size == 64
    assert np.all((unit < errors) & (errors < 100 * unit))


def arg_reduction(f, shape, axis=None, finish=lambda i: i):
    """The reference of an arg-reduction over f, and the values that are compared, one of them nearly the greatest."""
    x = (np.linspace(-1, 0.5, 30008) + np.arange(30008) % 7 / 50).astype(np.float32)
    x[5] = x.max()
    x[9] = np.nextafter(x[5], np.float32(9))
    return reference(finish(la.argmax(f(la.asarray(x).reshape(shape)), axis)), x), x


def test_an_arg_reduction_of_what_is_stored_has_one_answer():
    expected, _ = arg_reduction(lambda a: a, -1)
    assert expected.mismatch([np.array([9])]) is None
    assert "element 0: expected np.int64(9), got np.int64(5)" in str(expected.mismatch([np.array([5])]))


@pytest.mark.parametrize("finish", [lambda i: i, lambda i: i * 3 - 1])
def test_an_arg_reduction_behind_a_function_may_find_a_value_that_is_nearly_the_same(finish):
    expected, x = arg_reduction(la.exp, -1, None, finish)
    for index, right in ((9, True), (5, True), (6, False), (x.size, False), (-1, False)):
        assert (expected.mismatch([finish(np.array([index]))]) is None) is right


def test_the_same_along_rows():
    expected, x = arg_reduction(la.exp, (-1, 11), 1)
    right = x.reshape(-1, 11).argmax(1)
    assert expected.mismatch([right]) is None
    other = right.copy()
    other[0] = {9: 5, 5: 9}[int(right[0])]
    assert expected.mismatch([other]) is None
    other[1] = (right[1] + 1) % 11
    assert "element 1" in str(expected.mismatch([other]))


def test_pairs_of_the_value_and_its_index():
    x = np.float32([0.25, 1.5, np.nextafter(np.float32(1.5), np.float32(9)), -1])
    e = la.argmax(la.exp(la.asarray(x))).node.xs
    expected = Reference.of(symbolise(e, {}).expr, {"x0": x}, {"n0": 4})
    best = np.exp(x[2:3])
    for index, right in ((2, True), (1, True), (0, False)):
        assert (expected.mismatch([best, np.array([index], np.int32)]) is None) is right
    assert "component 0" in str(expected.mismatch([best * np.float32(1.01), np.array([2], np.int32)]))


def test_a_nan_that_is_found_is_found_for_sure():
    x = np.float32([0.25, np.nan, 1.5, np.nan])
    expected = reference(la.argmax(la.exp(la.asarray(x))), x)
    assert expected.mismatch([np.array([1])]) is None
    assert expected.mismatch([np.array([3])]) is not None


def test_where_very_much_is_in_doubt_the_worst_is_looked_at(monkeypatch):
    monkeypatch.setattr(bounds, "_MOST", 1000)
    monkeypatch.setattr(bounds, "_CHUNK", 64)
    rng = np.random.default_rng(2)
    x, y = rng.uniform(1, 2, (2, 30011)).astype(np.float32)
    a, b = la.asarray(x), la.asarray(y)
    _, general, _ = kernel_of(a * b - b * a * 1)
    expected = Reference.of(general.expr, {"x0": x, "x1": y}, general.sizes)
    noise = rng.uniform(-1e-8, 1e-8, x.size).astype(np.float32)  # of products that are rounded once or twice
    assert expected.mismatch([noise]) is None
    assert expected.bounds._known.sum() == 1000
    assert expected.mismatch([noise[::-1].copy()]) is None
    noise[77] = 1e-3
    expected = Reference.of(general.expr, {"x0": x, "x1": y}, general.sizes)
    assert "element 77" in str(expected.mismatch([noise]))
