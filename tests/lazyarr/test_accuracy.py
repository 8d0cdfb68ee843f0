"""Sums of floats against exact sums: at most twice the error of NumPy's, and a unit in the last place."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator

import numpy as np
import pytest

import lazyarr as la
from ir.core.notation.parser import parse
from ir.core.sizes import var
from ir.core.types import FLOAT32, array_of
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from lazyarr.runtime import DeviceError, default_device
from tests.ir.opencl.running import compute
from tests.ir.schedules.zoo import CPU, configurations
from tests.ir.values import free_variables
from tests.tiers import by_tier

KINDS = ("constant", "random", "alternating", "badly scaled")
pytestmark = [
    pytest.mark.device,
    pytest.mark.optimised,  # what is added up may be contracted
    pytest.mark.usefixtures("tuned_off"),  # what a search may pick has a test of its own
]

LENGTHS = {1: 4, 7: 16, 128: 16, 1000: 16, 100_000: by_tier(1, 4, 8), 1_000_003: by_tier(1, 2, 4)}
"""Lengths of arrays, and how many arrays of each are added up."""


def data(kind: str, n: int, dtype: str, seed: int = 0) -> np.ndarray:
    rng = np.random.default_rng((n, seed))
    if np.dtype(dtype).kind == "c":
        part = "f4" if dtype == "c8" else "f8"
        return data(kind, n, part, seed) + np.asarray(1j, dtype) * data(kind, n, part, seed)[::-1]
    found = {
        "constant": lambda: np.full(n, 0.1 * (1 + seed)),
        "random": lambda: rng.random(n),
        "alternating": lambda: (-1.0) ** np.arange(n) * rng.random(n),
        "badly scaled": lambda: rng.standard_normal(n) * 10.0 ** rng.integers(-6, 7, n),
    }[kind]()
    return found.astype(dtype)


def exact(terms: np.ndarray) -> float:
    """The sum of real numbers, rounded once, to float64."""
    return math.fsum(terms.astype("f8").tolist())


def exact_up_to(terms: np.ndarray, places: Iterable[int]) -> Iterator[tuple[int, float, float]]:
    """Each of these places, in order, with the sums of all terms up to there and of their absolute values. What is left
    of a sum rounded once is kept with it: 106 bits.
    """
    known, begin, size = [0.0], 0, 0.0
    for i in places:
        part = terms[begin : i + 1].astype("f8")
        total = math.fsum([*known, *part.tolist()])
        known = [total, math.fsum([*known, *part.tolist(), -total])]
        size += float(np.sum(np.abs(part)))
        begin = i + 1
        yield i, total, size


class Errors:
    """The errors of several sums of alike numbers, ours and NumPy's, and the units in the exact ones' last place."""

    def __init__(self) -> None:
        self.found: list[tuple[float, float, float]] = []

    def add(self, found, numpys, wanted: float) -> None:
        unit = float(np.spacing(np.abs(np.asarray(numpys).dtype.type(wanted))))
        self.found.append((float(found) - wanted, float(numpys) - wanted, unit))

    def check(self, what: str) -> None:
        """Twice NumPy's, and a unit, at most: by root mean square, as one sum of NumPy's may be right by chance."""
        ours, numpys, unit = np.sqrt(np.mean(np.square(self.found), axis=0))
        assert ours <= 2 * numpys + unit, f"{what}: an error of {ours}, NumPy's {numpys}, the last place {unit}"


@pytest.mark.parametrize("dtype", ["f4", "f8", "c8"])
@pytest.mark.parametrize("kind", KINDS)
def test_whole_arrays(kind, dtype):
    for n, draws in LENGTHS.items():
        errors = Errors()
        for seed in range(draws):
            a = data(kind, n, dtype, seed)
            found, numpys = np.asarray(la.sum(la.asarray(a))), np.sum(a)
            errors.add(found.real, numpys.real, exact(a.real))
            if dtype == "c8":
                errors.add(found.imag, numpys.imag, exact(a.imag))
        errors.check(f"{n} elements")


def test_ten_million_tenths():
    assert float(la.sum(la.full(10**7, 0.1, dtype=la.float32))) == 1_000_000.0


@pytest.mark.parametrize("axis", [0, 1])
@pytest.mark.parametrize("kind", KINDS)
def test_rows_and_columns(kind, axis):
    for shape in ((3, 5000), (5000, 3), (70, 300), (1, 300_000), (300_000, 1)):
        sums, means = Errors(), Errors()
        for seed in range(4):
            a = data(kind, shape[0] * shape[1], "f4", seed).reshape(shape)
            x = la.asarray(a)
            found = zip(a if axis else a.T, np.asarray(la.sum(x, axis)), np.asarray(la.mean(x, axis)), strict=True)
            for line, total, mean in list(found)[:40]:
                numpys, wanted = np.sum(np.ascontiguousarray(line)), exact(line)
                sums.add(total, numpys, wanted)
                means.add(mean, numpys / np.float32(len(line)), wanted / len(line))
        sums.check(f"sums of {shape}")
        means.check(f"means of {shape}")


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", KINDS)
def test_short_rows(kind, dtype):
    """Which have kernels without corrections."""
    for n in (9, 31, 63, 64, 100, 128, 130, 250, 255):
        errors = Errors()
        a = data(kind, 300 * n, dtype).reshape(300, n)
        for row, total in zip(a, np.asarray(la.sum(la.asarray(a), axis=1)), strict=True):
            errors.add(total, np.sum(row), exact(row))
        errors.check(f"{n} elements")


@pytest.mark.parametrize("kind", KINDS)
def test_norms_variances_and_dot_products(kind):
    for n in (128, 1000, 100_000, 1_000_003):
        norms, dots, variances = Errors(), Errors(), Errors()
        for seed in range(LENGTHS[n]):
            a, b = data(kind, n, "f4", seed), data("random", n, "f4", seed)
            x, y = la.asarray(a), la.asarray(b)
            squares, products = a * a, a * b
            norms.add(np.asarray(la.linalg.vector_norm(x)), np.sqrt(np.sum(squares)), math.sqrt(exact(squares)))
            dots.add(np.asarray(la.sum(x * y)), np.sum(products), exact(products))
            if kind != "constant":  # whose variance is what rounding makes of the mean
                distances = a.astype("f8") - exact(a) / n
                variances.add(np.asarray(la.var(x)), np.var(a), exact(distances**2) / n)
        norms.check(f"norms of {n}")
        dots.check(f"products of {n}")
        if kind != "constant":
            variances.check(f"variances of {n}")


@pytest.mark.parametrize("dtype", ["f4", "f8"])
@pytest.mark.parametrize("kind", KINDS)
def test_cumulative_sums(kind, dtype):
    """Everywhere within three units in the last place of the sum of the absolute values; NumPy's error grows with n."""
    for n in (1, 7, 1000, 100_000, 1_000_003):
        a = data(kind, n, dtype)
        found = np.asarray(la.cumsum(la.asarray(a))).astype("f8")
        at = np.unique(np.linspace(0, n - 1, by_tier(5, 5, 12)).astype(int))
        for i, wanted, size in exact_up_to(a, at):
            assert abs(found[i] - wanted) <= 3 * float(np.finfo(dtype).eps) * size, f"element {i} of {n}"


N, M = var("n", 1), var("m", 1)
SEARCHED = {
    "sum": ("reduce (+) 0 xs", {"xs": array_of(FLOAT32, N)}, {"n": 65_537}),
    "complex": (
        "reduce (λ(a, b). (a.0 + b.0, a.1 + b.1)) (0:float32, 0:float32) (zip(xs, ys))",
        {"xs": array_of(FLOAT32, N), "ys": array_of(FLOAT32, N)},
        {"n": 65_537},
    ),
    "rows": ("join (map (λr. reduce (+) 0 r) xss)", {"xss": array_of(FLOAT32, N, M)}, {"n": 5, "m": 40_009}),
    "columns": (
        "join (map (λr. reduce (+) 0 r) (transpose xss))",
        {"xss": array_of(FLOAT32, N, M)},
        {"n": 40_009, "m": 5},
    ),
}


@pytest.mark.parametrize("name", SEARCHED)
def test_what_a_search_may_pick(name):
    try:
        device = default_device()
    except DeviceError as error:
        pytest.skip(str(error))
    text, types, sizes = SEARCHED[name]
    expression = parse(text, types)
    candidates = Candidates.of(expression)
    shape = [sizes["n"]] if name in ("sum", "complex") else [sizes["n"], sizes["m"]]
    everything = [data(kind, math.prod(shape), "f4").reshape(shape) for kind in KINDS[:2]]
    for a in everything:  # without cancellation: one sum of each says enough
        line = a if a.ndim == 1 else a[0] if name == "rows" else np.ascontiguousarray(a[:, 0])
        for configuration in configurations(candidates, by_tier(3, 3, 6), seed=1):
            schedule = candidates.schedule(str(configuration["schedule"]))
            if schedule.exchanges or candidates.refused(configuration, CPU, sizes) is not None:
                continue
            low = candidates.derive(configuration).result
            inputs = dict.fromkeys(free_variables(expression), a)
            found = compute(device, generate(low), expression, (inputs, sizes), optimised=True)[0][0]
            errors = Errors()
            errors.add(found, np.sum(line), exact(line))
            errors.check(str(configuration))
