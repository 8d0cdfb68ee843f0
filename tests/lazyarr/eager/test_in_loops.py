"""What loops over small arrays consist of beside operators: products, factorisations, arrays made before the loop."""

from __future__ import annotations

import importlib
import itertools

import numpy as np
import pytest

import lazyarr as la
from ir.cost.thresholds.eager import EAGER_READS
from lazyarr import config, lift
from lazyarr.array import eager as over
from lazyarr.eager.operations import recording_only
from lazyarr.errors import TracingError
from lazyarr.recording.host import call_host
from tests.lazyarr.eager.support import array, eager

eager_module = importlib.import_module("lazyarr.array.eager")

LAYOUTS = {
    "rows": lambda x: x, "columns": np.asfortranarray, "backwards": lambda x: x[::-1].copy()[::-1],
    "every second": lambda x: np.repeat(x, 2, axis=-1)[..., ::2],
    "part": lambda x: np.pad(x, 1)[(slice(1, -1),) * x.ndim],
}  # fmt: skip


def existing(x):
    """An array whose value exists, and is not eager."""
    made = la.asarray(x.copy())
    assert made.value is None
    return made


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "int64", "bool"])
def test_a_small_array_is_eager_once_it_was_read_twice(dtype):
    n = np.arange(12).reshape(3, 4).astype(dtype)
    constant, recorded = existing(n), existing(n)
    whole, _ = constant * 2 if dtype != "bool" else constant ^ True, recorded
    other = eager(3, 4, dtype=dtype)
    for _ in range(EAGER_READS - 1):
        assert constant.value is None
        found = other | constant if dtype == "bool" else other + constant
    assert found.value is not None and constant.value is not None
    constant[1] = 1  # neither what was given nor what was made of it changes
    expected = n.copy()
    expected[1] = 1
    np.testing.assert_array_equal(constant, expected)
    np.testing.assert_array_equal(whole, n * 2 if dtype != "bool" else n ^ True)
    np.testing.assert_array_equal(
        found, (array(3, 4, dtype=dtype) | n) if dtype == "bool" else array(3, 4, dtype=dtype) + n
    )


READERS = {
    "operator": lambda x: x + x, "negative": lambda x: -x, "operator of a number": lambda x: 2 - x,
    "ufunc": lambda x: la.add(x, 1), "where": lambda x: la.where(True, x, x), "clip": lambda x: la.clip(x, 1, 2),
    "product": lambda x: x @ x, "reduction": lambda x: x.sum(), "variance": lambda x: la.std(x),
    "function": lambda x: la.cumsum(x), "set": lambda x: la.unique(x), "written": lambda x: eager(4, 4).__iadd__(x),
}  # fmt: skip


@pytest.mark.parametrize("name", READERS)
def test_whatever_reads_a_small_array_twice_makes_it_eager(name):
    n = np.arange(16.0).reshape(4, 4)
    x = existing(n)
    first = READERS[name](x)
    second = READERS[name](x)
    assert x.value is not None
    x += 100  # is seen by nothing that was made before
    for found in (first, second):
        np.testing.assert_array_equal(np.asarray(found), np.asarray(READERS[name](existing(n))))
    np.testing.assert_array_equal(np.asarray(x), n + 100)


def test_numpys_array_and_functions_that_were_recorded_do_not_see_what_is_written():
    n = np.arange(4.0)
    constant = la.asarray(n)
    f = lift.jit(lambda x: x + constant)
    np.testing.assert_array_equal(f(la.ones(4)), n + 1)
    for _ in range(EAGER_READS):
        assert (eager(4) + constant).value is not None
    assert constant.value is not None
    constant += 1
    np.testing.assert_array_equal(n, np.arange(4.0))
    np.testing.assert_array_equal(f(la.ones(4)), n + 2)


def test_views_large_arrays_and_arrays_on_devices_stay_as_they_are():
    base = existing(np.arange(12.0))
    view = base[2:6] if base[2:6].value is None else None
    large = existing(np.arange(40_000.0))
    for _ in range(EAGER_READS):
        _ = eager(1) + large
    assert large.value is None
    if view is not None:
        for _ in range(EAGER_READS):
            _ = eager(4) + view
        base[3] = 9
        assert float(view[1]) == 9


SHARING = {
    "asarray": lambda n: la.asarray(n, copy=False),
    "array": lambda n: la.array(n, copy=False),
    "memoryview": lambda n: la.asarray(memoryview(n), copy=False),
    "of a read-only view": lambda n: la.asarray(np.lib.stride_tricks.as_strided(n, writeable=False), copy=False),
    "the same leaf": lambda n: la.asarray(la.asarray(n, copy=False), copy=True),
}


@pytest.mark.parametrize("name", SHARING)
@pytest.mark.parametrize("shape", [(3, 3), ()])
def test_memory_that_is_shared_on_demand_stays_shared(name, shape):
    n = np.full(shape, 2.0)
    shared = SHARING[name](n)
    for _ in range(3):
        _ = eager(3, 3) + shared, eager(3, 3) @ shared if shape else None
    assert shared.value is None
    n[...] = 7
    np.testing.assert_array_equal(eager(3, 3) + shared, array(3, 3) + 7)


def test_an_array_of_which_another_thread_makes_a_view_meanwhile_does_not_become_eager(monkeypatch):
    constant, views = existing(np.arange(4.0)), []

    def meanwhile(x):
        if not views:
            with recording_only:
                views.append(x[1:])
        return own(x)

    own = eager_module.existing
    for _ in range(EAGER_READS - 1):
        _ = eager(4) + constant
    monkeypatch.setattr(eager_module, "existing", meanwhile)
    eager_module.read_eagerly(constant)
    assert constant.family is not None and constant.value is None
    constant[2] = 9
    assert views[0].tolist() == [1, 9, 3]


@pytest.mark.parametrize("dtype", ["float64", "complex128"])
@pytest.mark.parametrize("first", LAYOUTS)
@pytest.mark.parametrize("second", LAYOUTS)
def test_products_of_small_matrices_are_numpys(first, second, dtype):
    rng = np.random.default_rng(3)
    for m, k, n in itertools.product((1, 2, 5, 17), repeat=3):
        a, b = rng.standard_normal((m, k)).astype(dtype), rng.standard_normal((k, n)).astype(dtype)
        if dtype == "complex128":
            a, b = a + 1j * rng.standard_normal(a.shape), b - 1j * rng.standard_normal(b.shape)
        for x, y in ((a, b), (a, b[:, 0]), (a[0], b), (a, a.T)):
            x, y = LAYOUTS[first](x), LAYOUTS[second](y) if y.ndim == 2 else y
            left, right = over(x), over(y)
            for product in (la.matmul, la.dot, lambda p, q: p @ q):
                found = product(left, right)
                expected = np.dot(x, y) if product is la.dot else x @ y
                assert found.shape == expected.shape and found.value is not None
                if {first, second} <= {"rows", "columns"}:
                    np.testing.assert_array_equal(found, expected)
                np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12)
                assert not np.may_share_memory(found.value, x) and found.value.flags.c_contiguous


def test_products_of_shapes_that_do_not_fit_say_so():
    for x, y in ((eager(2, 3), eager(2, 3)), (eager(3), eager(2, 2)), (eager(2, 3), eager(2))):
        with pytest.raises(ValueError, match="matmul: expected as many columns"):
            x @ y
    assert (eager(2, 0) @ eager(0, 3)).tolist() == [[0.0] * 3] * 2
    assert (eager(0, 2) @ eager(2, 3)).shape == (0, 3)


def test_a_large_matrix_by_an_eager_vector_is_numpys():
    rng = np.random.default_rng(2)
    n = rng.random((800, 900))
    matrix = existing(n)
    for vector, product in ((rng.random(900), lambda m, v: m @ v), (rng.random(800), lambda m, v: v @ m)):
        x = la.asarray(vector) + 0
        x[0] = vector[0]
        found = product(matrix, x)
        np.testing.assert_allclose(found, product(n, vector), rtol=1e-12)
        assert found.value is not None and matrix.value is None
    matrix[0, 0] = 100  # written to after it was read
    n[0, 0] = 100
    np.testing.assert_allclose(matrix @ la.asarray(np.ones(900)), n.sum(axis=1), rtol=1e-12)


FACTORISATIONS = {
    "inv": np.linalg.inv, "det": np.linalg.det, "cholesky": np.linalg.cholesky, "qr": np.linalg.qr,
    "eigh": np.linalg.eigh, "eigvalsh": np.linalg.eigvalsh, "svd": np.linalg.svd, "slogdet": np.linalg.slogdet,
    "pinv": np.linalg.pinv, "svdvals": np.linalg.svdvals,
}  # fmt: skip


@pytest.mark.parametrize("name", FACTORISATIONS)
@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64"])
@pytest.mark.parametrize("is_eager", [True, False])
def test_factorisations_of_what_exists_are_eager_and_counted(name, dtype, is_eager):
    rng = np.random.default_rng(1)
    n = rng.random((3, 3)) + (1j * rng.random((3, 3)) if dtype[0] == "c" else 0)
    n = (n @ n.conj().T + 3 * np.eye(3)).astype(dtype)
    x = over(n.copy()) if is_eager else existing(n)
    config.reset_statistics()
    found = getattr(la.linalg, name)(x)
    counted = config.statistics()
    assert sum(counted.values()) == 1
    expected = FACTORISATIONS[name](n)
    parts = zip(found, expected, strict=True) if isinstance(expected, tuple) else [(found, expected)]
    for ours, numpys in parts:
        assert ours.value is not None and (ours.dtype, ours.shape) == (numpys.dtype, numpys.shape)
        np.testing.assert_array_equal(ours, numpys)
        assert ours.is_number == (not isinstance(numpys, np.ndarray))
        if ours.shape:
            before = np.asarray(x).copy()
            ours[...] = 0
            np.testing.assert_array_equal(x, before)


def test_a_result_that_is_the_operand_is_copied():
    x = eager(3, 3)
    found = call_host("linalg.inv", lambda value: value, x)
    found[0, 0] = 100
    assert float(x[0, 0]) != 100
    found = call_host("linalg.inv", lambda value: value[:2], x)
    found[0, 0] = 100
    assert float(x[0, 0]) != 100


def test_errors_of_factorisations_are_those_of_others():
    with pytest.raises(la.linalg.LinAlgError, match="Singular matrix"):
        la.linalg.inv(over(np.zeros((2, 2))))
    with pytest.raises(la.linalg.LinAlgError, match="inv: expected square matrices"):
        la.linalg.inv(eager(2, 3))
    with pytest.raises(TracingError):
        lift.jit(la.linalg.inv)(eager(2, 2))
    found = la.linalg.solve(eager(2, 2), [1.0, 2.0])  # a list
    np.testing.assert_allclose(found, np.linalg.solve(array(2, 2), [1.0, 2.0]))
    whole = la.linalg.inv(eager(2, 2, dtype="int64"))
    np.testing.assert_allclose(whole, np.linalg.inv(array(2, 2)))


def test_a_kalman_filter_is_numpys():
    rng = np.random.default_rng(4)
    given = np.eye(4) + 0.1 * np.eye(4, k=2), np.eye(2, 4), 0.01 * np.eye(4), 0.1 * np.eye(2), rng.random((40, 2))

    def filtered(xp, f, h, q, r, measured):
        x, p = xp.zeros(4), xp.eye(4)
        for i in range(measured.shape[0]):
            x, p = f @ x, f @ p @ f.T + q
            gain = p @ h.T @ xp.linalg.inv(h @ p @ h.T + r)
            x, p = x + gain @ (measured[i] - h @ x), (xp.eye(4) - gain @ h) @ p
        return x

    np.testing.assert_allclose(filtered(la, *map(la.asarray, given)), filtered(np, *given), rtol=1e-9)
