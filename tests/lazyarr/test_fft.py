"""`la.fft` against numpy.fft: all of it is compiled."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import lazyarr as la
from lazyarr import lift
from lazyarr.api.signal.transforms import factors
from tests import oclgrind
from tests.lazyarr.support import check, operands, values

NORMS = ("backward", "ortho", "forward")
COMPLEX_TO = ("fft", "ifft", "irfft", "hfft")
REAL_TO = ("rfft", "ihfft")


def near(actual, expected, operand):
    """Rounding in the size of all that is added, which grows with the logarithm of the extent."""
    expected = np.asarray(expected)
    assert isinstance(actual, la.Array)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    size = max(np.abs(expected).max(initial=0), np.abs(operand).max(initial=0))
    np.testing.assert_allclose(np.asarray(actual), expected, rtol=0, atol=30 * np.finfo(expected.dtype).eps * size)


EXTENTS = [(1, "complex64"), (2, "complex128"), (16, "complex64"), (17, "complex128"), (48, "complex64")]
EXTENTS += [(60, "complex128"), (128, "complex128"), (67, "complex64")]


@pytest.mark.parametrize(("n", "dtype"), EXTENTS)
def test_extents(n, dtype):
    """Powers of two, primes small and large, and products of them."""
    x = values((n,), dtype, n)
    near(la.fft.fft(la.asarray(x)), np.fft.fft(x), x)


@pytest.mark.parametrize("n", [1, 2, 61, 64, 67, 97 * 3, 1000, 2**20, 3**7, 360])
def test_factors_multiply_to_the_extent(n):
    found = factors(n)
    assert found is None if n in (67, 97 * 3) else np.prod(found, dtype=int) == n
    assert all(p <= 61 for p in found or ())


def test_an_impulse_is_a_turning_number():
    x = np.zeros(360, np.complex128)
    x[77] = 1
    turning = np.exp(-2j * np.pi * (np.arange(360) * 77 % 360) / 360)
    np.testing.assert_allclose(np.asarray(la.fft.fft(la.asarray(x))), turning, rtol=0, atol=1e-14)


AXES = [((12,), -1, None), ((3, 5), 1, 8), ((2, 6, 3), 1, 4), ((4, 0), 0, None)]


@pytest.mark.parametrize("name", [*COMPLEX_TO, *REAL_TO])
@pytest.mark.parametrize("case", AXES, ids=str)
@given(data=st.data())
@settings(max_examples=2)
def test_along_an_axis(name, case, data):
    shape, axis, n = case
    dtypes = ["float32", "int16"] if name in REAL_TO else ["complex64", "float64"]
    x = data.draw(operands(shape, dtypes[len(shape) % 2]))
    norm = NORMS[len(shape) - 1]
    near(getattr(la.fft, name)(la.asarray(x), n, axis, norm), getattr(np.fft, name)(x, n, axis, norm), x)


SEVERAL = [((2, 3, 4), None, (0, 2)), ((4, 6), (3, 8), (0, 1)), ((3, 4), None, None)]


@pytest.mark.parametrize("name", ["fftn", "ifftn", "rfftn", "irfftn"])
@pytest.mark.parametrize("case", SEVERAL, ids=str)
def test_along_several_axes(name, case):
    shape, s, axes = case
    x = values(shape, "float64" if name == "rfftn" else "complex128", 5)
    norm = NORMS[len(shape) % 3]
    near(getattr(la.fft, name)(la.asarray(x), s, axes, norm), getattr(np.fft, name)(x, s, axes, norm), x)


@pytest.mark.parametrize("name", ["fft2", "ifft2", "rfft2", "irfft2"])
def test_along_two_axes(name):
    x = values((2, 3, 4), "float32" if name == "rfft2" else "complex64", 6)
    near(getattr(la.fft, name)(la.asarray(x)), getattr(np.fft, name)(x), x)


def test_there_and_back():
    x = values((4, 15), "float64", 3)
    near(la.fft.irfft(la.fft.rfft(la.asarray(x)), n=15), x, x)
    near(la.fft.ifftn(la.fft.fftn(la.asarray(x))), x.astype("complex128"), x)


@pytest.mark.slow
def test_a_jitted_transform():
    x = values((6, 8), "float32", 1)
    power = lift.jit(lambda v: la.abs(la.fft.rfft(v)) ** 2)
    y = np.abs(np.fft.rfft(x)) ** 2
    np.testing.assert_allclose(np.asarray(power(x)), y, rtol=1e-5, atol=1e-5 * y.max())


def test_none_runs_on_the_host():
    la.config.reset_statistics()
    near(la.fft.fft(la.asarray(np.arange(6.0))), np.fft.fft(np.arange(6.0)), np.arange(6.0))
    assert la.config.statistics() == {}


@pytest.mark.parametrize("n", [1, 2, 7, 8])
def test_frequencies(n):
    check(la.fft.fftfreq(n, 0.3), np.fft.fftfreq(n, 0.3))
    check(la.fft.rfftfreq(n, 0.3), np.fft.rfftfreq(n, 0.3))
    assert la.fft.fftfreq(n, dtype=la.float32).dtype == la.fft.rfftfreq(n, dtype=la.float32).dtype == np.float32


@pytest.mark.parametrize("shape", [(1,), (7,), (8,), (3, 4), (0, 3)])
def test_shifts(shape):
    x = values(shape, "int32", 1)
    for axes in (None, 0, (0, -1)[: len(shape)]):
        check(la.fft.fftshift(la.asarray(x), axes=axes), np.fft.fftshift(x, axes=axes))
        check(la.fft.ifftshift(la.asarray(x), axes=axes), np.fft.ifftshift(x, axes=axes))


@pytest.mark.parametrize("name", ["fftn", "ifftn", "fft2", "ifft2"])
@pytest.mark.parametrize("dtype", ["float32", "complex64", "int32"])
def test_along_no_axis(name, dtype):
    x = values((3, 4), dtype, 1)
    for keywords in ({"axes": ()}, {"s": (), "axes": ()}):
        check(getattr(la.fft, name)(la.asarray(x), **keywords), getattr(np.fft, name)(x, **keywords))
    check(la.fft.fftn(la.asarray(x[0, 0])), np.fft.fftn(x[0, 0]))


def test_what_is_refused():
    x = la.ones((3, 4))
    for half in (la.fft.rfftn, la.fft.irfft2):
        with pytest.raises(IndexError, match="expected one or more axes"):
            half(x, axes=())
    with pytest.raises(ValueError, match="fft: expected norm"):
        la.fft.fft(x, norm="unit")
    with pytest.raises(ValueError, match="hfft: expected norm"):
        la.fft.hfft(x, norm="unit")
    with pytest.raises(ValueError, match="fft: expected one or more elements"):
        la.fft.fft(x, 0)
    with pytest.raises(ValueError, match="irfft: expected one or more elements"):
        la.fft.irfft(la.ones(1))
    with pytest.raises(ValueError, match="fft: expected one or more elements"):
        la.fft.fft(la.ones((3, 0)))
    with pytest.raises(np.exceptions.AxisError, match="axis 2"):
        la.fft.fft(x, axis=2)
    with pytest.raises(ValueError, match="fftn: expected an extent for each of 1 axes"):
        la.fft.fftn(x, (2, 3), (0,))
    with pytest.raises(TypeError, match="rfft: expected real numbers, got complex128"):
        la.fft.rfft(x * 1j)
    with pytest.raises(ValueError, match="fftfreq: expected n to be 1 or more"):
        la.fft.fftfreq(0)


@pytest.mark.device
@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
@pytest.mark.parametrize("n", [67, 48])
def test_in_the_simulator(n):
    code = f"""
import numpy as np
import lazyarr as la
from lazyarr import config
config.configure(tune="off")
x = np.cos(np.arange({n}) ** 2).astype("float32")
a = la.asarray(x)
np.testing.assert_allclose(np.asarray(la.fft.rfft(a)), np.fft.rfft(x), atol=1e-4)
"""
    assert oclgrind.run(code) == ""
