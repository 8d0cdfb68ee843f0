"""The host's library as a candidate for products: results, settings, the cache, searches, what is said of it."""

from __future__ import annotations

import logging

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift
from lazyarr.compile import compiler as compiler_module
from lazyarr.compile.compiler import cache, compiler_for
from lazyarr.errors import SettingError
from lazyarr.runtime import find_device
from tests.lazyarr.library import calls_of, kernels  # noqa: F401  # a fixture that each test uses

pytestmark = pytest.mark.device


def calls() -> int:
    return calls_of("matmul")


def random(*shape, dtype="float32", seed=0):
    return (np.random.default_rng(seed).random(shape) - 0.5).astype(dtype)


PROGRAMS = {
    "plain": (lambda a, b: a @ b, (40, 70), (70, 130)),
    "left": (lambda a, b: a.T @ b, (70, 40), (70, 130)),
    "right": (lambda a, b: a @ b.T, (40, 70), (130, 70)),
    "both": (lambda a, b: a.T @ b.T, (70, 40), (130, 70)),
    "gram": (lambda a: a.T @ a, (31, 140)),
    "parts": (lambda a, b: a[3:20, 5:] @ b[2:67, 1:140], (40, 70), (70, 150)),
    "rows_apart": (lambda a, b: a[::2] @ b[::3], (40, 10), (30, 130)),
    "many": (lambda a, b: a @ b, (7, 20, 30), (7, 30, 128)),
    "many_right": (lambda a, b: a @ b.mT, (3, 5, 20, 30), (3, 5, 128, 30)),
    "many_with_one": (lambda a, b: a @ b, (7, 20, 30), (30, 128)),
    "one_with_many": (lambda a, b: a @ b, (20, 30), (7, 30, 128)),
    "one_term": (lambda a, b: a @ b, (20, 1), (1, 128)),
}


@pytest.mark.parametrize("dtype", ["float32", "float64"])
@pytest.mark.parametrize("name", PROGRAMS)
def test_results_are_numpys(name, dtype):
    f, *shapes = PROGRAMS[name]
    given = [random(*shape, dtype=dtype, seed=i) for i, shape in enumerate(shapes)]
    found = f(*map(la.asarray, given))
    wide = [each.astype(np.float64) for each in given]
    expected = wide[0] @ np.swapaxes(wide[1], -1, -2) if name == "many_right" else f(*wide)  # older NumPys lack `mT`
    assert str(found.dtype) == dtype
    np.testing.assert_allclose(np.asarray(found), expected, rtol=0, atol=300 * np.finfo(dtype).eps)
    assert calls()


@pytest.mark.parametrize(
    ("f", "shapes", "dtype"),
    [
        (lambda a, b: a @ b, ((40, 70), (70, 130)), "int32"),
        (lambda a, b: a @ b, ((40, 70), (70, 130)), "complex64"),
        (lambda a, b: a @ b, ((1, 70), (70, 130)), "float32"),
        (lambda a, b: a @ b, ((70,), (70, 130)), "float32"),
        (lambda a, b: a @ b, ((40, 70), (70, 3)), "float32"),
        (lambda a, b: a[::-1] @ b, ((40, 70), (70, 130)), "float32"),
        (lambda a, b: a[:, ::2] @ b, ((40, 140), (70, 130)), "float32"),
    ],
)  # fmt: skip
def test_other_products_have_kernels(f, shapes, dtype):
    given = [(10 * random(*shape, seed=i)).astype(dtype) for i, shape in enumerate(shapes)]
    np.testing.assert_allclose(np.asarray(f(*map(la.asarray, given))), f(*given), rtol=1e-4, atol=1e-3)
    assert not calls()


def test_numbers_that_are_none():
    a, b = random(130, 130), random(130, 130, seed=1)
    a[3, 5], a[7, 2], b[9, 9] = np.nan, np.inf, -np.inf
    with np.errstate(all="ignore"):
        expected = a @ b
    np.testing.assert_array_equal(np.isnan(np.asarray(la.asarray(a) @ la.asarray(b))), np.isnan(expected))
    assert calls()


@pytest.mark.parametrize("shape", [(0, 70, 130), (40, 0, 130), (40, 70, 0)])
def test_nothing(shape):
    n, m, k = shape
    found = la.asarray(random(n, m)) @ la.asarray(random(m, k))
    np.testing.assert_array_equal(np.asarray(found), np.zeros((n, k), "float32"))


def test_other_lengths_of_a_class_take_the_same_kernel():
    f = lift.jit(lambda a, b: a @ b)
    for n, m, k in ((200, 201, 202), (130, 255, 140), (255, 128, 129)):
        a, b = random(n, m), random(m, k, seed=1)
        np.testing.assert_allclose(np.asarray(f(la.asarray(a), la.asarray(b))), a @ b, atol=1e-4)
        assert calls()


def test_among_kernels_and_in_loops():
    step = lift.jit(lambda x, w: la.tanh(x @ w) + x)
    w, x = random(150, 150) / 10, random(150, 150, seed=1)
    y, wanted = la.asarray(x), x.astype(np.float64)
    for _ in range(20):
        y, wanted = step(y, la.asarray(w)), np.tanh(wanted @ w) + wanted
    np.testing.assert_allclose(np.asarray(y), wanted, atol=1e-3)
    assert calls() >= 20


def test_assignment_and_memory_that_is_shared():
    a = random(256, 256)
    x = la.asarray(a, copy=True)
    before = x
    x[:128] = x[:128, :] @ x
    expected = a.copy()
    expected[:128] = a[:128] @ a
    np.testing.assert_allclose(np.asarray(x), expected, atol=1e-4)
    assert before is x and calls()


def test_a_source_that_changes_afterwards():
    a = random(200, 200)
    x = la.asarray(a)
    y, expected = x @ x, a @ a
    a[:] = 0
    np.testing.assert_allclose(np.asarray(y), expected, atol=1e-4)


def test_settings():
    x, y = la.asarray(random(200, 200)), la.asarray(random(200, 200, seed=1))
    for off in ({"library": "off"}, {"library": "on", "deterministic": True}):
        old = config.configure(**off)
        found = np.asarray(x @ y)
        config.configure(**vars(old))
        np.testing.assert_allclose(found, np.asarray(x) @ np.asarray(y), atol=1e-4)
        assert not calls()
    np.asarray(x @ y)
    assert calls()
    with pytest.raises(SettingError, match="library must be on or off, got 'never'"):
        la.config(library="never")


def test_what_explain_says():
    x = la.asarray(random(200, 200))
    found = lift.explain(lambda x: x @ x, x)
    (kernel,) = found.kernels
    assert kernel.by_library and not kernel.resources
    assert kernel.configuration == {"schedule": "product_library"}
    assert kernel.derivation.steps[-1].rule == "map_to_library"
    assert "numpy.matmul" in kernel.source and "by the host's library: " in kernel.source
    text = str(found)
    assert "no kernel, but a call of the host's library:" in text and "OpenCL source" not in text
    assert "a call of the host" in found._repr_html_()
    (launch,) = lift.lowered(lambda x: x @ x, x).launches
    assert launch.kernel == "numpy.matmul"
    assert all("__kernel" in source for source in zip_first(lift.candidates(lambda x: x @ x, x), 3))
    la.config(library="off")
    other = lift.explain(lambda x: x @ x, x)
    assert not other.kernels[0].by_library and "__kernel" in other.kernels[0].source
    assert "product_library" in str(found.diff(other))


def zip_first(items, count):
    return [item for _, item in zip(range(count), items, strict=False)]


def test_the_log_says_it(caplog):
    with caplog.at_level(logging.DEBUG, logger="lazyarr"):
        la.config(debug=4)
        x = la.asarray(random(201, 203)) @ la.asarray(random(203, 202))
        np.asarray(x)
        la.config(debug=0)
    assert "schedule = product_library" in caplog.text
    assert "numpy.matmul, work-items" not in caplog.text
    assert "call of numpy.matmul" in caplog.text


def test_a_search_measures_it_and_it_is_kept(monkeypatch):
    # else a kernel for these lengths alone may be faster, which is kept beside the one for all, not by itself
    monkeypatch.setattr(compiler_module, "exact_of", lambda *arguments: None)
    la.config(cache="on")
    a, b = la.asarray(random(300, 300)), la.asarray(random(300, 300, seed=1))
    results = lift.tune(lambda a, b: a @ b, a, b, seconds=4, trials=3)
    tried = {str(trial.configuration["schedule"]) for trial in results[0].trials if trial.ok}
    assert {"product_library", "product_blocks"} <= tried
    g = lift.jit(lambda a, b: a @ b)
    (kernel,) = lift.explain(g, a, b).kernels
    compiler = compiler_for(find_device())
    entry = cache().get(compiler._key(kernel.general))
    assert entry is not None and entry.configuration["schedule"] == kernel.configuration["schedule"]
    loaded = compiler._load(kernel.general, entry, in_thread=0.0)
    assert loaded is not None and loaded.configuration == kernel.configuration
    np.testing.assert_allclose(np.asarray(g(a, b)), np.asarray(a) @ np.asarray(b), atol=1e-4)
    la.config(library="off")
    assert cache().get(compiler._key(kernel.general)) is None
