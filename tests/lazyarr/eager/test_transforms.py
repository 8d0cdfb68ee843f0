"""Fourier transforms of small arrays that exist, by NumPy's functions (`lazyarr.eager.transforms`)."""

from __future__ import annotations

import warnings
from collections.abc import Iterator

import numpy as np
import pytest

import lazyarr as la
from ir.cost.thresholds.eager import EAGER_READS
from lazyarr import config
from lazyarr.graph.recorded_calls import RecordedCall
from tests.lazyarr.support import values

ALONG_ONE = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
ALONG_SEVERAL = ("fft2", "ifft2", "rfft2", "irfft2", "fftn", "ifftn", "rfftn", "irfftn")
DTYPES = ("bool", "int8", "uint64", "float32", "float64", "complex64", "complex128")


@pytest.fixture(autouse=True)
def eagerly() -> Iterator[None]:
    before = config.configure(tier="auto", tune="off", deterministic=False)
    yield
    config.configure(**vars(before))


def options_of(name: str) -> list[dict]:
    if name in ALONG_ONE:
        return [{}, {"n": 5}, {"n": 12, "axis": 0}, {"norm": "ortho", "axis": -2}, {"n": np.int64(4)}, {"norm": None}]
    found = [{}, {"s": (4, 6), "axes": (0, 1)}, {"axes": (1, 0), "norm": "forward"}, {"s": (3, 9), "axes": (-1, 0)}]
    return found + ([] if name.endswith("n") else [{"s": (6, 5)}])


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", ALONG_ONE + ALONG_SEVERAL)
def test_small_transforms_are_numpys(name, dtype):
    if np.dtype(dtype).kind == "c" and name in ("rfft", "ihfft", "rfft2", "rfftn"):
        with pytest.raises(TypeError, match=f"{name}|rfft"):
            getattr(la.fft, name)(la.asarray(values((4, 6), dtype, 3)))
        return
    for shape in ((8, 6), (2, 3, 5)):
        x = values(shape, dtype, 3)
        for options in options_of(name):
            found = getattr(la.fft, name)(la.asarray(x), **options)
            expected = getattr(np.fft, name)(x, **options)
            assert (found.shape, found.dtype) == (expected.shape, expected.dtype)
            bound = 60 * np.finfo(expected.dtype).eps * max(1, np.abs(expected).max())
            np.testing.assert_allclose(np.asarray(found), expected, rtol=0, atol=bound)
    taken = getattr(la.fft, name)(la.asarray(x))
    assert taken.value is not None
    before = np.array(taken)
    taken[0] = 7  # in memory of its own
    np.testing.assert_array_equal(np.asarray(getattr(la.fft, name)(la.asarray(x))), before)


def test_what_is_large_or_pending_is_recorded():
    x = la.asarray(values((20_000,), "float64", 3))
    assert la.fft.fft(x).value is not None
    assert type(la.fft.fft(x.reshape(1, -1), 20_000, 0).expr) is RecordedCall
    assert la.fft.fft(x, 40_000).value is not None  # where kernels would run on the same processor
    assert la.fft.fft(x[:30], 2000).value is not None
    assert la.fft.fft2(x[:30].reshape(5, 6), (100, 100)).value is not None
    assert la.fft.fft2(x[:30].reshape(5, 6), (300, 300)).value is not None


@pytest.mark.parametrize("name", ALONG_ONE + ALONG_SEVERAL)
def test_options_by_name_are_numpys_too(name):
    function, numpys, w = getattr(la.fft, name), getattr(np.fft, name), values((6, 8), "float64", 3)
    one = name in ALONG_ONE
    for named in (
        {"axis" if one else "axes": 0 if one else (0, 1)},
        {"n" if one else "s": 5 if one else (4, 6), "axis" if one else "axes": 0 if one else (0, 1)},
        {"norm": "ortho"},
    ):
        found = function(la.asarray(w), **named)
        assert found.value is not None
        np.testing.assert_allclose(np.asarray(found), numpys(w, **named), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("function", ["fftn", "ifftn", "rfftn", "irfftn"])
def test_axes_are_gone_along_in_numpys_order_in_each_tier(function):
    w, numpys = (
        values((2, 4, 6), "float64", 3),
        getattr(np.fft, function)((values((2, 4, 6), "float64", 3)), (3, 5, 7), (0, 0, 1)),
    )
    for found in (
        getattr(la.fft, function)(la.asarray(w), (3, 5, 7), (0, 0, 1)),
        la.lift.jit(lambda x: getattr(la.fft, function)(x, (3, 5, 7), (0, 0, 1)))(la.asarray(w)),
    ):
        assert found.shape == numpys.shape
        np.testing.assert_allclose(np.asarray(found), numpys, rtol=1e-11, atol=1e-11)
    with pytest.raises(la.exceptions.AxisError, match=function):
        getattr(la.fft, function)(la.asarray(w), (3, 4, 5, 6))


@pytest.mark.parametrize("name", ALONG_ONE + ALONG_SEVERAL)
def test_errors_and_warnings_are_lazyarrs(name):
    function, x = getattr(la.fft, name), la.asarray(np.arange(12.0).reshape(3, 4))
    for arguments in ((0,), (-3,)) if name in ALONG_ONE else (((0, 3), (0, 1)), ((2,), (0, 1))):
        with pytest.raises(ValueError, match=name[0]):
            function(x, *arguments)
    with pytest.raises(ValueError, match="norm"):
        function(x, norm="other")
    with pytest.raises((ValueError, IndexError, la.exceptions.AxisError)):
        function(x, None, 5 if name in ALONG_ONE else (5, 6))
    with pytest.raises((ValueError, IndexError)):
        function(la.zeros((0, 0)))
    if name in ("fftn", "ifftn"):
        assert function(la.asarray(3.0)).shape == ()
    else:
        with pytest.raises((ValueError, IndexError, la.exceptions.AxisError)):
            function(la.asarray(3.0))
    if name in ALONG_SEVERAL:
        if name in ("fft2", "ifft2", "fftn", "ifftn"):
            assert function(x, None, ()).dtype == x.dtype  # nothing is transformed
        else:
            with pytest.raises(IndexError, match="one or more axes"):
                function(x, None, ())
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            assert function(x, (2, 4)).ndim == 2


def test_results_of_transforms_are_eager_in_programs():
    k = la.fft.fftfreq(16, 1 / 16)
    kx, ky = la.meshgrid(k, k, indexing="ij")
    w, nk = values((16, 16), "float64", 4), np.fft.fftfreq(16, 1 / 16)
    nx, ny = np.meshgrid(nk, nk, indexing="ij")
    ours, theirs = la.fft.fft2(la.asarray(w)), np.fft.fft2(w)
    for _ in range(3):
        u, v = la.fft.ifft2(1j * kx * ours).real, np.fft.ifft2(1j * nx * theirs).real
        ours = ours - 0.01 * la.fft.fft2(u * u) * (la.abs(ky) < 5)
        theirs = theirs - 0.01 * np.fft.fft2(v * v) * (np.abs(ny) < 5)
        assert u.value is not None
        assert ours.value is not None
    np.testing.assert_allclose(np.asarray(ours), theirs, rtol=1e-12, atol=1e-10)


def test_a_program_of_large_transforms_is_eager_when_it_runs_again():
    """Grids are as large as what was transformed before, and complex factors are eager once they were read."""
    rows, columns = 211, 163  # of which no other test transforms as many
    x = values((rows, columns), "float64", 4)

    def spectral(library, steps, read):
        k, m = (library.fft.fftfreq(extent, 1 / extent) for extent in (rows, columns))
        kx, ky = library.meshgrid(k, m, indexing="ij")
        damped = 1 + 0.01 * (kx**2 + ky**2)
        w = library.fft.fft2(library.asarray(x))
        for _ in range(steps):
            read(kx, damped, w)
            u = library.fft.ifft2(1j * kx * w).real
            w = (w - 0.01 * library.fft.fft2(u * u)) / damped
        return w

    def all_eager(*arrays):
        assert all(each.value is not None for each in arrays)

    spectral(la, 1, lambda *_: None)
    found = spectral(la, 4, all_eager)
    np.testing.assert_allclose(np.asarray(found), spectral(np, 4, lambda *_: None), rtol=1e-11, atol=1e-8)
    assert la.meshgrid(la.arange(211), la.arange(162))[0].value is None


@pytest.mark.parametrize("count", [40_000, 131_072, 131_073])
def test_complex_factors_that_exist_are_eager_when_transforms_were_multiplied_by_them(count):
    factor = la.asarray(values((count,), "complex128", 5))
    expected = np.asarray(factor).copy()
    found = la.fft.fft(la.asarray(values((count,), "float64", 5)))
    for _ in range(EAGER_READS):
        assert factor.value is None
        made = found * factor
    assert (factor.value is None) == (count > 131_072)
    np.testing.assert_allclose(np.asarray(made), np.asarray(found) * expected, rtol=1e-12, atol=1e-9)
    factor[0] = 1  # what was made of it stays
    np.testing.assert_allclose(np.asarray(made), np.asarray(found) * expected, rtol=1e-12, atol=1e-9)
    assert complex(factor[0]) == 1


def test_shifts_of_small_arrays():
    for shape in ((7,), (4, 5)):
        x = values(shape, "int32", 3)
        for name in ("fftshift", "ifftshift"):
            for axes in (None, 0, -1):
                found = getattr(la.fft, name)(la.asarray(x), axes)
                np.testing.assert_array_equal(np.asarray(found), getattr(np.fft, name)(x, axes))
                assert found.value is not None
