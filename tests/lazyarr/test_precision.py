"""The setting `matmul_precision`: what it changes, what it leaves alone, and who keeps it apart."""

from __future__ import annotations

import os
import subprocess
import sys

import numpy as np
import pytest

import lazyarr as la
from ir.core.tf32 import rounded_to_tf32
from lazyarr import config, lift
from lazyarr.errors import SettingError
from lazyarr.runtime import default_device
from lazyarr.tiers import programs

RNG = np.random.default_rng(0)
X = RNG.standard_normal((33, 40)).astype(np.float32)
Y = RNG.standard_normal((40, 29)).astype(np.float32)
PLAIN = X.astype(np.float64) @ Y
ROUNDED = rounded_to_tf32(X).astype(np.float64) @ rounded_to_tf32(Y)


@pytest.fixture(autouse=True)
def restored():
    old = config.settings()
    config.configure(tune="off")
    yield
    config.configure(**vars(old))


@pytest.fixture
def allowed(monkeypatch):
    """The device has tensor cores, as far as settings are asked."""
    monkeypatch.setattr(programs, "check_tensor_cores", lambda device: None)


def is_rounded(found) -> bool:
    """Is it the product of rounded numbers? If not, it is that of the numbers themselves."""
    found = np.asarray(found)
    near = [np.abs(found - wanted).max() < 2e-5 for wanted in (PLAIN, ROUNDED)]
    assert sum(near) == 1
    return near[1]


def test_the_two_differ_by_more_than_rounding_errors():
    assert np.abs(PLAIN - ROUNDED).max() > 1e-3


@pytest.mark.parametrize("value", ["float16", "TF32", "", None, 1])
def test_a_precision_that_there_is_not_is_refused_at_once(value):
    with pytest.raises(SettingError, match="matmul_precision must be one of float32, tf32"):
        la.config(matmul_precision=value)


@pytest.mark.device
def test_a_precision_that_the_device_lacks_is_an_error_that_names_both():
    assert not default_device().limits.tensor_cores
    la.config(matmul_precision="tf32")
    with pytest.raises(SettingError, match=r"'tf32' takes tensor cores, and .* has none: it has 'float32'"):
        np.asarray(la.asarray(X) @ la.asarray(Y))
    assert np.asarray(la.asarray(X).sum()) == pytest.approx(X.sum(), rel=1e-4)
    la.config(matmul_precision="float32")
    assert not is_rounded(la.asarray(X) @ la.asarray(Y))


@pytest.mark.parametrize("tier", ["auto", "reference", "compiled"])
def test_factors_are_rounded_on_each_tier(allowed, tier):
    la.config(matmul_precision="tf32", tier=tier)
    assert is_rounded(la.asarray(X) @ la.asarray(Y))


@pytest.mark.parametrize(
    "product",
    [
        lambda x, y: la.matmul(x, y),
        lambda x, y: la.dot(x, y),
        lambda x, y: la.tensordot(x, y, 1),
        lambda x, y: la.einsum("ij,jk->ik", x, y),
        lambda x, y: la.linalg.multi_dot([x, y]),
        lambda x, y: (y.T @ x.T).T,
        lambda x, y: (la.stack([x, x]) @ y)[1],
        lambda x, y: (la.stack([x, x]) @ la.stack([y, y]))[1],
    ],
)
def test_all_products_of_matrices_keep_it(allowed, product):
    for wanted in ("float32", "tf32", "float32", "tf32"):
        la.config(matmul_precision=wanted)
        assert is_rounded(product(la.asarray(X), la.asarray(Y))) == (wanted == "tf32")


def test_each_product_keeps_the_precision_that_it_was_recorded_with(allowed):
    x, y = la.asarray(X), la.asarray(Y)
    one = la.einsum("ij,jk->ik", x, y) + 0
    la.config(matmul_precision="tf32")
    other = la.einsum("ij,jk->ik", x, y) + 0
    assert not is_rounded(one)
    third = la.einsum("ij,jk->ik", x, y) + 0
    la.config(matmul_precision="float32")
    assert is_rounded(other)
    assert is_rounded(third)


FIRST = """
import numpy as np
import lazyarr as la
from lazyarr.tiers import programs
programs.check_tensor_cores = lambda device: None
x = np.full((33, 40), 1 + 2.0**-12, np.float32)
print(np.asarray(la.asarray(x) @ la.asarray(x.T))[0, 0] == 40)
"""


@pytest.mark.slow
@pytest.mark.parametrize("wanted", ["float32", "tf32"])
def test_the_environments_holds_for_the_first_product_of_a_process(wanted):
    env = os.environ | {"LAZYARR_MATMUL_PRECISION": wanted, "LAZYARR_TUNE": "off"}
    run = subprocess.run([sys.executable, "-c", FIRST], env=env, capture_output=True, text=True, timeout=300)
    assert run.stdout.split() == [str(wanted == "tf32")], run.stderr


@pytest.mark.slow
def test_a_compiled_function_is_recorded_for_each(allowed):
    f = lift.jit(lambda x, y: x @ y)
    x, y = la.asarray(X), la.asarray(Y)
    for wanted in ("float32", "tf32", "tf32", "float32"):
        la.config(matmul_precision=wanted)
        assert is_rounded(f(x, y)) == (wanted == "tf32")


@pytest.mark.slow
def test_explanations_say_so(allowed):
    def f(x, y):
        return x @ y

    x, y = la.asarray(X), la.asarray(Y)
    assert "round_to_tf32" not in str(lift.explain(f, x, y))
    la.config(matmul_precision="tf32")
    assert "round_to_tf32" in str(lift.explain(f, x, y))


@pytest.mark.parametrize(
    "other",
    [
        lambda: la.asarray(X.astype(np.float64)) @ la.asarray(Y.astype(np.float64)),
        lambda: la.asarray(X) @ la.asarray(Y[:, 0]),
        lambda: la.asarray(X[0]) @ la.asarray(Y),
        lambda: la.vecdot(la.asarray(X), la.asarray(X)),
        lambda: la.asarray(X.astype(np.complex64)) @ la.asarray(Y.astype(np.complex64)),
        lambda: la.asarray((100 * X).astype(np.int32)) @ la.asarray((100 * Y).astype(np.int32)),
    ],
)
def test_other_products_are_what_they_were(other):
    before = np.asarray(other())
    la.config(matmul_precision="tf32")
    np.testing.assert_allclose(np.asarray(other()), before, rtol=1e-5, atol=1e-5)


@pytest.mark.parametrize("tier", ["reference", "compiled"])
@pytest.mark.parametrize("dtype", ["int16", "uint16", "int8", "uint8", "bool"])
def test_factors_that_are_promoted_to_float32_are_rounded_as_these(allowed, tier, dtype):
    """As in JAX, which promotes first; what has eleven bits or fewer stays as it is."""
    la.config(matmul_precision="tf32", tier=tier)
    most = 1 if dtype == "bool" else np.iinfo(dtype).max
    whole = np.random.default_rng(1).integers(0, most, (33, 40), endpoint=True).astype(dtype)
    given = whole.astype(np.float32)
    assert (rounded_to_tf32(given) == given).all() == (dtype not in ("int16", "uint16"))
    y = np.eye(40, 29, dtype=np.float32)
    found = np.asarray(la.asarray(whole) @ la.asarray(y))
    np.testing.assert_array_equal(found, rounded_to_tf32(given)[:, :29])
    np.testing.assert_array_equal(np.asarray(la.asarray(y.T) @ la.asarray(whole.T)), found.T)
    exact = np.asarray(la.asarray(whole) @ la.asarray(y.astype(np.float64)))
    np.testing.assert_array_equal(exact, whole[:, :29])
