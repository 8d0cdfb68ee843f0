"""Calls that are noted as NumPy's (`ir.reference.library`): they give what the patterns of their vertices say."""

from __future__ import annotations

import gc
import sys
from operator import attrgetter

import numpy as np
import pytest

import lazyarr as la
from ir.cost.thresholds.tiers import TERMS_IN_A_ROW
from ir.fusion.symbols.structure_key import structure_key
from ir.reference import library
from ir.reference.generate import write
from ir.reference.library import noted_below
from lazyarr import lift
from lazyarr.array import array_of
from lazyarr.config import settings
from lazyarr.dtypes import as_dtype
from lazyarr.eager.operations import recording_only
from lazyarr.graph.builders import components
from lazyarr.graph.leaves import inputs_of, leaf
from lazyarr.graph.recorded_calls import RecordedCall
from tests.lazyarr.support import values

FUNCTIONS = ("fft", "ifft", "rfft", "irfft", "hfft", "ihfft")
CASES = [((1,), -1, None), ((2,), 0, None), ((7,), 0, 1), ((6,), -1, 2), ((67,), 0, None), ((5, 4), 0, None)]
CASES += [((1, 12), 1, 9), ((3, 1, 4), 0, 8), ((2, 3, 4), 1, None), ((4, 6), 1, 5), ((1,), 0, 5), ((1, 1), 0, 3)]
DTYPES = ("bool", "int8", "uint64", "float32", "float64", "complex64", "complex128")
NORMS = (None, "backward", "ortho", "forward")


def near(found, expected):
    """Rounding in the size of all that is added."""
    bound = 60 * np.finfo(expected.dtype).eps * max(1, np.abs(expected).max(initial=0))
    np.testing.assert_allclose(found, expected, rtol=0, atol=bound)


def ways(f, *given):
    """What a function of arrays gives by the calls that are noted and by its patterns, and the text of the former."""
    leaves = [leaf(x.shape, as_dtype(x.dtype, "test"), None) for x in given]
    with recording_only:
        made = f(*[array_of(node, x.shape, as_dtype(x.dtype, "test")) for node, x in zip(leaves, given, strict=True)])
        node = made.node
    roots = components(node) if made.dtype.kind == "c" else (node,)
    inputs = [part for x in leaves for part in inputs_of(x)]
    apart = structure_key(roots, attrgetter("shape"))
    flat = [part for x in given for part in ((x.real, x.imag) if x.dtype.kind == "c" else (x,))]
    constants = [x for x in apart.leaves if x not in inputs]  # matrices of the patterns
    inputs += constants
    flat += [x.storage for x in constants]
    programs = write(roots, inputs, noted_below(roots, inputs)), write(roots, inputs)
    found = []
    for program in programs:
        planes = [x.reshape(made.shape) for x in program.call(*[np.ascontiguousarray(x).reshape(-1) for x in flat])]
        found.append(planes[0] + 1j * planes[1] if len(planes) == 2 else planes[0])
        assert found[-1].dtype == made.dtype
    return (*found, programs[0].text)


def test_a_call_that_reads_what_is_no_leaf_is_left_out():
    a, b = (leaf((12,), as_dtype("complex128", "test"), None) for _ in range(2))
    with recording_only:
        one, two = (la.fft.fft(array_of(x, (12,), as_dtype("complex128", "test"))) for x in (a, b))
        both = la.fft.ifft(one * two)
        roots = [part for made in (one, two, both) for part in components(made.node)]
    given = [list(inputs_of(x)) for x in (a, b)]
    noted = {
        tuple(bool(part) for part in (x, y)): noted_below(roots, [*(given[0] * x), *(given[1] * y)])
        for x, y in ((1, 1), (1, 0), (0, 0))
    }
    assert not noted[False, False]
    assert 0 < len(noted[True, False]) < len(noted[True, True])
    assert set(noted[True, False]) < set(noted[True, True])


@pytest.mark.slow
@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("name", FUNCTIONS)
def test_transforms(name, dtype):
    if name in ("rfft", "ihfft") and dtype.startswith("complex"):
        return
    for i, (shape, axis, n) in enumerate(CASES):
        x = values(shape, dtype, i)
        for norm in NORMS if i == 4 else (NORMS[i % 4],):
            if name in ("irfft", "hfft") and n is None and shape[axis] == 1:
                continue  # an extent of 0, which is refused
            called, computed, text = ways(lambda x: getattr(la.fft, name)(x, n, axis, norm), x)  # noqa: B023
            expected = getattr(np.fft, name)(x, n, axis, norm)
            near(called, expected)
            near(computed, expected)
            extent = n or (2 * (shape[axis] - 1) if name in ("irfft", "hfft") else shape[axis])
            assert ("transformed(" in text) == (extent > 1)


AROUND = {
    "its rows turned": lambda xp, x: xp.flip(xp.fft.fft(x, axis=1), axis=0) + 1,
    "reshaped": lambda xp, x: xp.reshape(xp.fft.fft(x, axis=0), (-1,))[::-1],
    "turned": lambda xp, x: xp.sum(xp.fft.rfft(x.T) * 2, axis=0),
    "cut": lambda xp, x: xp.fft.rfft(x, axis=1)[:, 1:3],
    "columns apart": lambda xp, x: xp.fft.fft(x, axis=0)[:, 1],
    "there and back": lambda xp, x: xp.fft.irfft(xp.fft.rfft(x, axis=0), 6, axis=0),
    "of several axes": lambda xp, x: xp.fft.ifft2(xp.fft.fftn(x)),
    "of a constant": lambda xp, x: xp.fft.fft(xp.ones(5)) + x[0, :5],
    "of what is repeated": lambda xp, x: xp.fft.fft(xp.broadcast_to(x[0], (3, 8)), axis=0),
    "beside its operand": lambda xp, x: xp.abs(xp.fft.fft(x * 2)) + x * 2,
}


@pytest.mark.parametrize("around", AROUND)
def test_what_is_around_sees_the_result(around):
    x = values((6, 8), "float64", 3)
    called, computed, text = ways(lambda x: AROUND[around](la, x), x)
    expected = AROUND[around](np, x)
    near(called, expected)
    near(computed, expected)
    assert "transformed(" in text


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
@pytest.mark.parametrize("shape", [(), (1,), (7,), (3, 5)])
def test_absolute_values(shape, dtype):
    z = values(shape, dtype, 4)
    for f in (la.abs, lambda z: la.sum(la.abs(z[..., None] * 2), axis=-1) + 1):
        called, _, text = ways(f, z)
        np.testing.assert_allclose(called, np.abs(z) if f is la.abs else np.abs(2 * z) + 1, rtol=1e-6)
        assert "absolute(" in text


@pytest.mark.parametrize("dtype", ["complex64", "complex128"])
def test_absolute_values_of_special_numbers(dtype):
    part = np.finfo(dtype)
    some = [0.0, -0.0, 1.0, -3.0, np.inf, -np.inf, np.nan, part.max / 2, part.tiny, part.smallest_subnormal]
    z = np.empty((len(some), len(some)), dtype)
    z.real, z.imag = np.array(some)[:, None], some
    with np.errstate(all="ignore"):
        called, computed, text = ways(la.abs, z)
        expected = np.abs(z)
    np.testing.assert_allclose(called, expected, rtol=4 * part.eps, atol=part.smallest_subnormal)
    z[...] = values(z.shape, dtype, 9)
    called, computed, _ = ways(la.abs, z)
    np.testing.assert_allclose(called, computed, rtol=8 * part.eps)
    assert "absolute(" in text


def test_programs_of_the_reference_tier_make_the_call():
    x = values((40, 30), "float64", 5)
    before = la.config(tier="reference")
    try:
        for f in (la.fft.rfft, lift.jit(la.fft.rfft)):
            found = np.asarray(f(la.asarray(x)))
            near(found, np.fft.rfft(x))
    finally:
        la.config(tier=before.tier)


def test_notes_go_with_their_vertices():
    gc.collect()
    before = len(library._noted)
    text = ways(lambda x: la.fft.fft(x, 11), values((2, 13), "complex64", 1))[2]
    assert "transformed(" in text
    gc.collect()
    assert len(library._noted) <= before


@pytest.fixture
def by_numpy():
    old = settings()
    la.config(tier="reference")
    yield
    la.config(**vars(old))


def repeated(step, size):
    """Calls of lazyarr's functions, generators resumed among them, for a program of 8 steps and for one of 32."""
    taken = []
    for steps in (8, 32):
        count = 0

        def note(frame, event, _):
            nonlocal count
            count += event == "call" and frame.f_globals.get("__name__", "").startswith(("lazyarr.", "ir."))

        y = la.asarray(values(size, "float64", 3))
        sys.setprofile(note)
        try:
            for _ in range(steps):
                y = step(y)
            found = np.asarray(y)
        finally:
            sys.setprofile(None)
        assert found.shape == y.shape
        taken.append(count)
    return taken


@pytest.mark.slow
@pytest.mark.parametrize(
    "step",
    [
        lambda y: la.fft.irfft(la.fft.rfft(y) * 0.99, 66000),
        lambda y: la.fft.ifft(la.fft.fft(y) * 0.99),
        lambda y: la.fft.ifft2(la.fft.fft2(y.reshape(250, 264))).real.reshape(-1),
    ],
    ids=["real", "complex", "along both axes"],
)
def test_programs_of_many_calls_are_planned_in_linear_time(step, by_numpy):
    few, many = repeated(step, 66000)
    assert many < 6 * few


def test_parts_of_complex_numbers_are_recorded_without_expressions(by_numpy, monkeypatch):
    monkeypatch.setattr("lazyarr.eager.transforms.EAGER_ELEMENTS_ON_CPUS", 0)  # else NumPy transforms during the call
    x = la.asarray(values(66000, "float64", 3) + 2j)
    for _ in range(3):  # each call is noted alone once one like it was made
        y = la.fft.fft(x)
        parts = y.real, y.imag
    assert all(type(part.expr) is RecordedCall and part.expr.made is None for part in (y, *parts))
    expected = np.fft.fft(np.asarray(x))
    near(np.asarray(parts[0]), expected.real)
    near(np.asarray(parts[1]), expected.imag)


# --- correlation ------------------------------------------------------------------------------------------------------


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32", "complex64"])
@pytest.mark.parametrize("name", ["convolve", "correlate"])
def test_a_few_numbers_moved_along_others(name, dtype):
    for n, m in ((1, 1), (2, 1), (5, 5), (7, 2), (12, 11), (11, 12), (20_000, 3)):
        x, y = values((n,), dtype, 1), values((m,), dtype, 2)
        for mode in ("full", "same", "valid"):
            found, patterns, text = ways(lambda x, y: getattr(la, name)(x, y, mode), x, y)  # noqa: B023
            assert ("correlated(" in text) == (dtype in ("float32", "float64"))
            expected = getattr(np, name)(x, y, mode)
            np.testing.assert_allclose(found, expected, rtol=0, atol=1e-6 * np.abs(expected).max())
            np.testing.assert_allclose(patterns, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
def test_what_is_not_there_adds_nothing_also_to_infinities():
    x, y = values((17_000,), "float64", 1), np.array([np.inf, 1.0, 0.0, -2.0])
    x[[0, 40, 16_999]] = np.inf, np.nan, -np.inf
    found, patterns, _ = ways(la.convolve, x, y)
    for each in (found, patterns):
        np.testing.assert_array_equal(each[:3], np.convolve(x, y)[:3])
        np.testing.assert_allclose(each, np.convolve(x, y), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_windows_of_a_vector_are_multiplied_as_they_lie(dtype):
    x = values((17_000,), dtype, 1)
    for m in (1, 2, 11, 12, 100):
        y = values((m,), dtype, 2)
        windows = np.lib.stride_tricks.sliding_window_view(x, m)
        for f in (
            lambda x, y: la.lib.stride_tricks.sliding_window_view(x, y.size) @ y,
            lambda x, y: y @ la.lib.stride_tricks.sliding_window_view(x, y.size).T,
        ):
            found, _, text = ways(f, x, y)
            assert ("of_windows(" in text) == (m > 1 and (dtype == "float64" or m <= TERMS_IN_A_ROW))
            near(found, windows @ y)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize(
    ("dtype", "other"),
    [("float32", "float64"), ("float64", "int64"), ("int32", "float32"), ("int32", "int64"), ("complex64", "float32")],
)
def test_numbers_of_other_dtypes_are_converted_and_many_are_no_noted_correlations(dtype, other):
    is_float = np.result_type(dtype, other).kind == "f"
    for (n, first), (m, second) in (((50, dtype), (3, other)), ((50, other), (3, dtype)), ((50, other), (12, dtype))):
        x, y = values((n,), first, 1), values((m,), second, 2)
        found, patterns, text = ways(lambda x, y: la.convolve(x, y, "same"), x, y)
        assert ("correlated(" in text) == (is_float and m == 3)
        expected = np.convolve(x, y, "same")
        assert found.dtype == patterns.dtype == expected.dtype
        for each in (found, patterns):
            np.testing.assert_allclose(each, expected, rtol=0, atol=1e-6 * np.abs(expected).max())


def test_other_windows_are_multiplied_as_matrices():
    x, y = values((7, 300), "float64", 1), values((7, 5), "float64", 2)
    windows, numpys = la.lib.stride_tricks.sliding_window_view, np.lib.stride_tricks.sliding_window_view
    cases = [
        (lambda x, y: la.einsum("bkw,bw->bk", windows(x, 5, axis=1), y), (numpys(x, 5, axis=1) * y[:, None]).sum(-1)),
        (lambda x, y: windows(x, 5, axis=1) @ y[0], numpys(x, 5, axis=1) @ y[0]),
        (lambda x, y: (windows(x, (3, 3)) * y[:3, :3]).sum((-1, -2)), (numpys(x, (3, 3)) * y[:3, :3]).sum((-1, -2))),
        (lambda x, y: windows(x[0], 5) @ y.T, numpys(x[0], 5) @ y.T),
        (lambda x, y: y @ windows(x[0], 5).T, y @ numpys(x[0], 5).T),
        (lambda x, y: windows(x[0], 5)[::2] @ y[0], numpys(x[0], 5)[::2] @ y[0]),
    ]
    for f, expected in cases:
        found, _, text = ways(f, x, y)
        assert "of_windows(" not in text
        near(found, expected)


# --- interpolation ----------------------------------------------------------------------------------------------------


def samples(count, kind):
    at = np.sort(values((count,), "float64", 4))
    f = values((count,), "float64", 5)
    if kind == "some places twice":
        at[1::3] = at[: len(at[1::3]) * 3 : 3]
        at.sort()
    elif kind == "not finite":
        f[::4], f[1::7] = np.nan, np.inf
        at[-1] = np.inf
    return at, f


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("kind", ["apart", "some places twice", "not finite"])
@pytest.mark.parametrize("count", [1, 2, 3, 67, 1000])
@pytest.mark.parametrize("sides", [(None, None), (-7.5, np.nan)])
def test_values_between_samples(count, kind, sides):
    at, f = samples(count, kind)
    x = np.concatenate([values((50,), "float64", 6), at, at[:-1] / 2 + at[1:] / 2, [np.nan, np.inf, -np.inf, 0.0]])
    found, patterns, text = ways(lambda x, at, f: la.interp(x, at, f, *sides), x, at, f)
    assert "interpolated(" in text
    expected = np.interp(x, at, f, *sides)
    np.testing.assert_array_equal(found, expected)
    np.testing.assert_allclose(patterns, expected, rtol=1e-13, atol=1e-13)


@pytest.mark.filterwarnings("ignore::RuntimeWarning")
@pytest.mark.parametrize("dtype", ["int8", "float32", "complex64"])
def test_values_between_samples_of_other_dtypes(dtype):
    at, f, x = np.arange(40), values((40,), dtype, 5), values((3, 5, 7), "float32", 6) * 10 + 20
    for period in (None, 50):
        found, patterns, text = ways(lambda x, at, f: la.interp(x, at, f, period=period), x, at, f)  # noqa: B023
        assert ("interpolated(" in text) == (dtype != "complex64")
        expected = np.interp(x, at, f, period=period)
        np.testing.assert_allclose(found, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())
        np.testing.assert_allclose(patterns, expected, rtol=1e-12, atol=1e-12 * np.abs(expected).max())


def test_interpolation_is_recorded_without_looking_at_its_operands(by_numpy):
    at, f = map(la.asarray, samples(1000, "apart"))
    x = values((40_000,), "float64", 6)
    for _ in range(2):
        found = la.interp(la.asarray(x), at, f)
    assert found.expr.made is None
    np.testing.assert_array_equal(np.asarray(found), np.interp(x, np.asarray(at), np.asarray(f)))
    middle = la.interp(la.sort(la.asarray(x)), at, f)[20_000]  # of what NumPy sorts whole, one number
    assert middle == np.interp(np.sort(x), np.asarray(at), np.asarray(f))[20_000]
