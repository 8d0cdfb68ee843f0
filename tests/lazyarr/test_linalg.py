"""`la.linalg` against numpy.linalg: norms and powers, which are compiled, and what runs on the host."""

from __future__ import annotations

from math import inf

import numpy as np
import pytest
import scipy
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import lift
from lazyarr.errors import TracingError
from lazyarr.recording.host import HOST_FUNCTIONS
from tests.lazyarr.evaluation import EXAMPLES
from tests.lazyarr.support import check, operands, values

L = la.linalg
FLOATING = ("float32", "float64", "complex64", "complex128")
STACKS = [(3, 3), (1, 1), (2, 4, 4), (0, 0), (2, 0, 0), (0, 3, 3), (5, 5)]
MATRICES = [(3, 5), (5, 3), (1, 4), (2, 4, 3), (4, 4)]


def near(actual, expected, factor=1e3):
    """Values of factorisations: rounding in the size of the whole."""
    expected = np.asarray(expected)
    assert isinstance(actual, la.Array)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    if expected.dtype.kind not in "fc":
        np.testing.assert_array_equal(np.asarray(actual), expected)
        return
    size = np.abs(expected[np.isfinite(expected)]).max(initial=1)
    np.testing.assert_allclose(np.asarray(actual), expected, atol=factor * np.finfo(expected.dtype).eps * size)


def hermitian(x):
    return x + np.swapaxes(x.conj(), -1, -2)


# --- on the host ----------------------------------------------------------------------------------------------------


@given(dtype=st.sampled_from((*FLOATING, "int32", "bool")), shape=st.sampled_from(STACKS), data=st.data())
@settings(max_examples=2 * EXAMPLES)
def test_square_matrices(dtype, shape, data):
    x = data.draw(operands(shape, dtype))
    a = la.asarray(x)
    wide = x.astype("float64") if dtype in ("int32", "bool") else x
    near(L.det(a), np.linalg.det(wide), 1e4)
    for mine, theirs in zip(L.slogdet(a), np.linalg.slogdet(wide), strict=True):
        near(mine, theirs, 1e4)
    regular = wide + 40 * np.eye(shape[-1], dtype=wide.dtype)
    near(L.inv(la.asarray(regular)), np.linalg.inv(regular))
    b = values((*shape[:-1], 2), dtype, 5)
    near(L.solve(la.asarray(regular), b), np.linalg.solve(regular, b))
    vector = values(shape[-1:], dtype, 5)
    near(L.solve(regular, la.asarray(vector)), np.linalg.solve(regular, vector))
    definite = regular @ np.swapaxes(regular.conj(), -1, -2)
    lower = np.linalg.cholesky(definite)
    near(L.cholesky(la.asarray(definite)), lower)
    near(L.cholesky(la.asarray(definite), upper=True), np.swapaxes(lower.conj(), -1, -2))
    for upper, half in ((False, np.tril(definite)), (True, np.triu(definite))):  # the other half is not read
        near(L.cholesky(la.asarray(half), upper=upper), np.linalg.cholesky(half, upper=upper))
    near(L.cholesky(la.asarray([[4.0, 2], [0, 5]]), upper=True), np.array([[2.0, 1], [0, 2]]))


@pytest.mark.parametrize("dtype", FLOATING)
@pytest.mark.parametrize("shape", [(3, 3), (2, 4, 4), (0, 0)])
def test_eigenvalues(shape, dtype):
    x = values(shape, dtype, 3)
    a, h = la.asarray(x), la.asarray(hermitian(x))
    found = L.eigh(h)
    assert found._fields == ("eigenvalues", "eigenvectors")
    near(found.eigenvalues, np.linalg.eigvalsh(hermitian(x)))
    q = np.asarray(found.eigenvectors)
    near(la.asarray(q * np.asarray(found.eigenvalues)[..., None, :] @ np.swapaxes(q.conj(), -1, -2)), hermitian(x))
    near(L.eigvalsh(h, UPLO="U"), np.linalg.eigvalsh(hermitian(x), UPLO="U"))
    general = L.eig(a)
    assert general._fields == ("eigenvalues", "eigenvectors")
    assert general.eigenvalues.dtype == general.eigenvectors.dtype == np.result_type(dtype, "complex64")
    v, w = np.asarray(general.eigenvectors), np.asarray(general.eigenvalues)
    near(la.asarray(x @ v), (v * w[..., None, :]))
    near(L.eigvals(a), np.linalg.eigvals(x).astype(w.dtype))
    assert L.eigvals(la.eye(2)).dtype == np.complex128


@pytest.mark.parametrize("dtype", [*FLOATING, "int64"])
@pytest.mark.parametrize("shape", [*MATRICES, (0, 3), (2, 3, 0)])
def test_factors(shape, dtype):
    x = values(shape, dtype, 7)
    a = la.asarray(x)
    for mode in ("reduced", "complete"):
        found = L.qr(a, mode=mode)
        assert found._fields == ("Q", "R")
        for mine, theirs in zip(found, np.linalg.qr(x, mode=mode), strict=True):
            near(mine, theirs)
    near(L.qr(a, mode="r"), np.linalg.qr(x, mode="r"))
    for mine, theirs in zip(L.qr(a, mode="raw"), np.linalg.qr(x, mode="raw"), strict=True):
        near(mine, theirs)
    for full in (True, False):
        found = L.svd(a, full_matrices=full)
        assert found._fields == ("U", "S", "Vh")
        for mine, theirs in zip(found, np.linalg.svd(x, full_matrices=full), strict=True):
            near(mine, theirs)
    near(L.svdvals(a), np.linalg.svd(x, compute_uv=False))
    near(L.svd(a, compute_uv=False), np.linalg.svd(x, compute_uv=False))
    near(L.matrix_rank(a), np.linalg.matrix_rank(x) if x.size else np.zeros(shape[:-2], np.int64))
    near(L.pinv(a), np.linalg.pinv(x.astype("float64") if dtype == "int64" else x))


def test_ranks_and_tolerances():
    x = np.diag([3.0, 1e-3, 1e-9, 0.0])
    for rtol in (None, 1e-5, 0.1):
        near(L.matrix_rank(la.asarray(x), rtol=rtol), np.linalg.matrix_rank(x, rtol=rtol))
        near(L.pinv(la.asarray(x), rtol=rtol), np.linalg.pinv(x, rtol=rtol))
    stack, tolerances = np.stack([x, 2 * x]), np.array([1e-5, 0.1])
    near(L.matrix_rank(la.asarray(stack), rtol=la.asarray(tolerances)), np.linalg.matrix_rank(stack, rtol=tolerances))
    near(L.pinv(la.asarray(stack), rtol=la.asarray(tolerances)), np.linalg.pinv(stack, rtol=tolerances))
    near(L.matrix_rank(la.asarray(x), tol=0.5), np.linalg.matrix_rank(x, tol=0.5))
    assert int(L.matrix_rank(la.zeros(3))) == 0
    assert int(L.matrix_rank(la.asarray([0, 2]))) == 1


def test_least_squares_and_condition():
    x, y = values((7, 3), "float64", 1), values((7, 2), "float64", 2)
    mine, theirs = L.lstsq(la.asarray(x), y), np.linalg.lstsq(x, y)
    assert (mine[2].dtype, mine[2]) == (theirs[2].dtype, theirs[2])
    for i in (0, 1, 3):
        near(mine[i], theirs[i])
    square = values((4, 4), "float64", 3)
    for p in (None, 1, -2, inf, "fro"):
        near(L.cond(la.asarray(square), p), np.linalg.cond(square, p))


# --- compiled -------------------------------------------------------------------------------------------------------

ORDERS = (2, 1, inf, -inf, 0, 3, -1, 0.5)


@pytest.mark.parametrize("order", ORDERS)
@given(data=st.data())
@settings(max_examples=max(EXAMPLES // 4, 2))
def test_vector_norm(order, data):
    shape, axis = data.draw(st.sampled_from([((7,), None), ((3, 5), (0, 1)), ((3, 5), 0), ((2, 3, 4), (0, 2))]))
    x = data.draw(operands(shape, data.draw(st.sampled_from(["float32", "complex128"])), low=0.5))
    keep = data.draw(st.booleans())
    expected = np.linalg.vector_norm(x, axis=axis, keepdims=keep, ord=order)
    check(L.vector_norm(la.asarray(x), axis=axis, keepdims=keep, ord=order), expected, 40)


@pytest.mark.parametrize("order", ["fro", 1, -1, inf, -inf, 2, -2, "nuc", None])
@pytest.mark.parametrize(("shape", "dtype"), [((3, 5), "float32"), ((2, 4, 3), "complex64"), ((1, 1), "int32")])
def test_matrix_norm(order, shape, dtype):
    x = values(shape, dtype, 11)
    theirs = np.linalg.matrix_norm(x, ord="fro" if order is None else order)
    near(L.matrix_norm(la.asarray(x), ord=order), theirs)
    assert L.matrix_norm(la.asarray(x), ord="fro", keepdims=True).shape == (*shape[:-2], 1, 1)
    near(L.norm(la.asarray(x), order, axis=(-2, -1)), np.linalg.norm(x, order, axis=(-2, -1)))


def test_norm_chooses():
    x = values((3, 4), "float64", 1)
    a = la.asarray(x)
    near(L.norm(a), np.linalg.norm(x))
    near(L.norm(a[0], 1), np.linalg.norm(x[0], 1))
    near(L.norm(a, axis=0, keepdims=True), np.linalg.norm(x, axis=0, keepdims=True))
    near(L.norm(a, 1, keepdims=True), np.linalg.norm(x, 1, keepdims=True))
    near(L.norm(la.asarray(values((2, 3, 4), "float32", 2))), np.linalg.norm(values((2, 3, 4), "float32", 2)))
    near(L.norm(la.asarray([3, 4])), np.linalg.norm([3, 4]))
    assert float(L.norm(la.zeros((0, 3)))) == 0
    with pytest.raises(ValueError, match="norm: expected one or two axes"):
        L.norm(la.ones((2, 2, 2)), 1)
    with pytest.raises(ValueError, match=r"^norm: expected ord"):
        L.norm(a, 3)
    with pytest.raises(ValueError, match="vector_norm: expected ord"):
        L.vector_norm(a, ord="fro")
    with pytest.raises(ValueError, match="matrix_norm: expected matrices"):
        L.matrix_norm(a[0])


@pytest.mark.parametrize("n", [0, 1, 2, 3, 5, 8])
def test_matrix_power(n):
    for shape, dtype in (((3, 3), "int64"), ((2, 2, 2), "complex64")):
        x = values(shape, dtype, n)
        near(L.matrix_power(la.asarray(x), n), np.linalg.matrix_power(x, n))


def test_negative_matrix_powers_and_what_is_refused():
    x = values((3, 3), "float64", 2)
    near(L.matrix_power(la.asarray(x), -2), np.linalg.matrix_power(x, -2), 1e5)
    with pytest.raises(L.LinAlgError, match=r"matrix_power: expected square .* \(2, 3\)"):
        L.matrix_power(la.ones((2, 3)), 2)
    with pytest.raises(TypeError):
        L.matrix_power(la.ones((2, 2)), 1.5)


@pytest.mark.parametrize("shapes", [[(3, 4), (4, 2)], [(2, 9), (9, 3), (3, 8)], [(5,), (5, 3), (3,)],
    [(4, 2), (2, 6), (6, 1), (1, 5)]], ids=str)  # fmt: skip
def test_multi_dot(shapes):
    arrays = [values(shape, "float64", i) for i, shape in enumerate(shapes)]
    near(L.multi_dot([la.asarray(x) for x in arrays]), np.linalg.multi_dot(arrays), 1e4)


def test_multi_dot_refuses():
    with pytest.raises(ValueError, match="two or more"):
        L.multi_dot([la.ones((2, 2))])
    with pytest.raises(L.LinAlgError, match="expected matrices"):
        L.multi_dot([la.ones((2, 2)), la.ones((2, 2, 2)), la.ones((2, 2))])


def test_outer_of_vectors_only():
    check(L.outer(la.asarray([1, 2]), [3, 4, 5]), np.outer([1, 2], [3, 4, 5]))
    with pytest.raises(ValueError, match=r"linalg.outer: expected vectors, got shapes \(2, 2\)"):
        L.outer(la.ones((2, 2)), la.ones(2))


# --- errors, counting -----------------------------------------------------------------------------------------------

SQUARE = ("cholesky", "det", "eig", "eigh", "eigvals", "eigvalsh", "inv", "slogdet")


@pytest.mark.parametrize("name", [*SQUARE, "qr", "svd", "svdvals", "pinv", "cond"])
def test_shapes_that_are_no_matrices(name):
    with pytest.raises(L.LinAlgError, match=rf"{name}: expected .*matrices .*\(3,\)"):
        getattr(L, name)(la.ones(3))
    if name in SQUARE:
        with pytest.raises(L.LinAlgError, match=rf"{name}: expected square matrices .*\(2, 3\)"):
            getattr(L, name)(la.ones((2, 3)))


def test_what_the_library_says_of_values():
    with pytest.raises(np.linalg.LinAlgError, match="Singular"):
        L.inv(la.ones((2, 2)))
    with pytest.raises(L.LinAlgError, match="Singular"):
        L.solve(la.ones((2, 2)), la.ones(2))
    with pytest.raises(L.LinAlgError, match="positive definite"):
        L.cholesky(-la.eye(2))
    with pytest.raises(ValueError, match="qr: expected mode"):
        L.qr(la.eye(2), mode="economic")
    with pytest.raises(ValueError, match="not both"):
        L.matrix_rank(la.eye(2), 0.1, rtol=0.1)


def call(name, x):
    if name == "frompyfunc":
        return la.frompyfunc(abs, 1, 1)(x)
    if name == "vectorize":
        return la.vectorize(abs)(x)
    if name == "polynomial":
        return la.polynomial.polynomial.polyroots(x[0] + 1)
    if name == "ufunc.accumulate":
        return la.subtract.accumulate(x)
    if name.startswith("Array."):
        arguments = {
            "__array_ufunc__": (scipy.special.erf, "__call__", x),
            "byteswap": (),
            "getfield": ("int32",),
            "setfield": (3, "int32"),
        }
        method = name.removeprefix("Array.")
        return getattr(x, method)(*arguments[method])
    function = getattr(L if name.startswith("linalg.") else la, name.removeprefix("linalg."))
    if name in ("polyfit", "roots"):
        return function(x[0], x, 1) if name == "polyfit" else function(x[0])
    return function(x, x) if name in ("linalg.solve", "linalg.lstsq") else function(x)


@pytest.mark.parametrize("name", sorted(HOST_FUNCTIONS))
def test_host_functions_are_counted_and_refused_while_a_function_is_recorded(name):
    x = la.asarray(np.diag([2.0, 3.0, 5.0]))
    before = la.config.statistics().get(name, 0)
    call(name, x)
    assert la.config.statistics()[name] == before + 1
    entry = HOST_FUNCTIONS[name]
    with pytest.raises(
        TracingError, match=rf"(?s){name}, which runs on the host through {entry.library} .*outside"
    ) as e:
        lift.jit(lambda v: call(name, v))(x)
    assert entry.reason in str(e.value)
    assert la.config.statistics()[name] == before + 1


def test_explain_says_what_runs_on_the_host():
    with pytest.raises(TracingError, match=r"svd, which runs on the host through numpy.linalg.svd \(an iteration"):
        lift.explain(lambda v: L.svd(v).S, la.eye(3))


def test_statistics_start_again():
    L.inv(la.eye(2))
    la.config.reset_statistics()
    assert la.config.statistics() == {}


def test_a_host_function_computes_what_it_needs_and_no_more():
    x = la.asarray(values((3, 3), "float64", 1)) + 20 * la.eye(3)
    found = L.inv(x)
    near(x @ found, np.eye(3))
    near(lift.jit(lambda a, b: a @ b)(x, found), np.eye(3))


def test_inverses_and_solutions_of_tensors():
    rng = np.random.default_rng(3)
    a = rng.normal(size=(4, 6, 8, 3))
    check(la.linalg.tensorinv(la.asarray(a)), np.linalg.tensorinv(a), 24, 1000)
    check(
        la.linalg.tensorinv(la.asarray(a.reshape(24, 8, 3)), ind=1),
        np.linalg.tensorinv(a.reshape(24, 8, 3), 1),
        24,
        1000,
    )
    a, b = rng.normal(size=(6, 4, 2, 3, 4)), rng.normal(size=(6, 4))
    check(la.linalg.tensorsolve(la.asarray(a), la.asarray(b)), np.linalg.tensorsolve(a, b), 24, 1000)
    turned = np.moveaxis(a, 3, 0).copy()
    check(la.linalg.tensorsolve(turned, b, axes=(0,)), np.linalg.tensorsolve(turned, b, axes=(0,)), 24, 1000)
    with pytest.raises(ValueError, match="ind to be positive"):
        la.linalg.tensorinv(a, 0)
    for bad in (lambda m: m.linalg.tensorinv(b, 1), lambda m: m.linalg.tensorsolve(b, b)):
        for module in (np, la):
            with pytest.raises(np.linalg.LinAlgError):
                bad(module)


def test_hermitian_matrices_and_older_names():
    x = values((4, 5), "float64", 3)
    symmetric = x @ x.T
    check(la.linalg.pinv(x, rcond=1e-3), np.linalg.pinv(x, rcond=1e-3), 5, 10)
    check(la.linalg.pinv(a=symmetric, hermitian=True), np.linalg.pinv(symmetric, hermitian=True), 5, 10)
    check(la.linalg.svd(symmetric, hermitian=True)[1], np.linalg.svd(symmetric, hermitian=True)[1], 5, 400)
    check(la.linalg.matrix_rank(symmetric, hermitian=True), np.linalg.matrix_rank(symmetric, hermitian=True))
    out = la.zeros((4, 4))
    assert la.linalg.multi_dot([x, x.T], out=out) is out
    check(out, symmetric, 5, 81)
    with pytest.raises(ValueError, match="rtol or rcond"):
        la.linalg.pinv(x, rcond=1e-3, rtol=1e-3)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("shape", [(0,), (0, 3), (3, 0), (0, 0), (2, 0, 3), (2, 3, 0)])
def test_norms_of_no_elements(shape):
    x = np.zeros(shape, "float32")
    for order in (None, "fro", "nuc", 1, -1, 2, -2, inf, -inf, 0, 3, 0.5):
        for axis in (None, 0, -1, (0, 1), (-2, -1)):
            for name in ("norm", "vector_norm", "matrix_norm"):
                options = {"ord": order} if name == "matrix_norm" else {"ord": order, "axis": axis}
                if name == "vector_norm" and (order is None or isinstance(order, str)):
                    continue
                try:
                    expected = getattr(np.linalg, name)(x, **options)
                except ValueError:
                    with pytest.raises(ValueError, match=r"norm|max|min|axis"):
                        getattr(L, name)(la.asarray(x), **options)
                    continue
                found = getattr(L, name)(la.asarray(x), **options)
                assert found.shape == np.shape(expected)
                np.testing.assert_array_equal(np.asarray(found), expected)


def test_equations_without_unknowns():
    for a, b in (((2, 0, 0), (2, 0)), ((0, 0), (0,)), ((0, 0, 0), (0,))):
        near(L.tensorsolve(la.zeros(a), la.zeros(b)), np.linalg.tensorsolve(np.zeros(a), np.zeros(b)))


@pytest.mark.parametrize("name", ["max", "min", "ptp", "nanmax", "argmax"])
@pytest.mark.parametrize("shape", [(0, 0), (0, 3), (3, 0), (2, 0, 0)])
def test_extremes_of_no_elements(name, shape):
    for axis in (None, 0, -1, *([(0, 1)] if name != "argmax" else [])):
        try:
            expected = getattr(np, name)(np.zeros(shape), axis=axis)
        except ValueError:
            with pytest.raises(ValueError, match=name.removeprefix("nan")):
                getattr(la, name)(la.zeros(shape), axis=axis)
        else:
            check(getattr(la, name)(la.zeros(shape), axis=axis), expected)


def test_the_rank_of_least_squares_is_a_number_with_a_dtype():
    x = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    found, expected = L.lstsq(la.asarray(x), la.asarray([1.0, 2.0, 4.0]))[2], np.linalg.lstsq(x, [1.0, 2.0, 4.0])[2]
    assert (int(found), found.dtype, list(range(found))) == (expected, expected.dtype, [0, 1])
