"""Sorts by merging: NumPy's order of all kinds of numbers, few kernels on a GPU, no races."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from ir.core.expr import Param, fun, identity
from ir.core.patterns import Call, Cast, Generate, Get, Join, Literal, Map, Sort, Tuple, Zip
from ir.core.semantics.interpreter import interpret
from ir.core.sort_keys import key_of
from ir.core.types import FLOAT32, FLOAT64, INT32, ScalarType, array_of
from ir.opencl.generate import generate
from ir.schedules.candidates import Candidates
from lazyarr.runtime import default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import CPU, GPU, SORTS, M, N

SMALL = {"tile": 64, "ways": 2, "sorted": 128, "share": 8}
TYPES = [FLOAT32, FLOAT64, INT32, *map(ScalarType, ("int8", "uint8", "int64", "uint64"))]
LENGTHS = (1, 2, 7, 8, 9, 17, 63, 64, 65, 100, 127, 128, 129, 200)


def sorting(t: ScalarType, places: bool = False):
    """A sort of numbers, or of the places where they stand."""
    bits, key = key_of(t)
    xs = Param("xs", array_of(t, N))
    if not places:
        return Sort(bits, fun(t, lambda x: Tuple(key(x), x)), xs)
    pairs = Zip(xs, Generate(N, identity(INT32)))
    return Sort(bits, fun(pairs.type.element, lambda p: Tuple(key(Get(0, p)), Get(1, p))), pairs)


def numbers(t: ScalarType, n: int) -> np.ndarray:
    """Numbers of which many are equal, with the least and the greatest, both zeros, infinities and several NaNs."""
    rng, dtype = np.random.default_rng(n), np.dtype(t.name)
    if t.is_float:
        special = [0.0, -0.0, np.nan, -np.nan, np.inf, -np.inf, np.finfo(dtype).max, -1.0, 1.0, np.finfo(dtype).tiny]
        return rng.choice(np.array(special, dtype), n)
    limits = np.iinfo(dtype)
    return rng.choice(np.array([limits.min, limits.max, 0, 1, limits.max // 2], dtype), n)


def merged(e, choices=SMALL, name="merging"):
    return Candidates.of(e).derive({"schedule": name, **choices}).result


@pytest.mark.slow
@pytest.mark.parametrize("t", TYPES, ids=str)
def test_the_order_is_that_of_numpy(t):
    low, places = merged(sorting(t)), merged(sorting(t, places=True))
    for n in LENGTHS:
        xs = numbers(t, n)
        order = np.argsort(xs, kind="stable")
        np.testing.assert_array_equal(interpret(places, {"xs": xs}, {"n": n}), order)
        found = np.asarray(interpret(low, {"xs": xs}, {"n": n}))
        assert found.tobytes() == xs[order].tobytes()  # the zeros stay in their order, too


@pytest.mark.slow
@pytest.mark.parametrize(
    "choices",
    [
        {"tile": 128, "ways": 8, "sorted": 128, "share": 16},
        {"tile": 64, "ways": 4, "sorted": 128, "share": 4},
        {"tile": 64, "ways": 2, "sorted": 512, "share": 16},
    ],
)
def test_any_runs_are_merged(choices):
    for case in SORTS[:2]:
        low = merged(case.expr, choices)
        for n in (1, 63, 64, 65, 200, 511):
            rng = np.random.default_rng(n)
            inputs = {p: rng.integers(-9, 9, n).astype(np.int32 if p == "ints" else np.float32) for p in case.inputs}
            expected = interpret(case.expr, inputs, {"n": n})
            np.testing.assert_array_equal(interpret(low, inputs, {"n": n}), expected)


@pytest.mark.slow
def test_a_gpu_sorts_in_few_kernels():
    candidates = Candidates.of(sorting(FLOAT32))
    assert candidates.default(GPU, {"n": 1000})["schedule"] == "comparison"
    chosen = candidates.default(GPU, {"n": 100_000})
    assert chosen == {"schedule": "merging", "tile": 2048, "ways": 4, "sorted": 32768, "share": 8}
    assert len(generate(candidates.derive(chosen).result).kernels) == 4
    assert candidates.default(GPU, {"n": 1_000_000}) == {**chosen, "ways": 2, "sorted": 1 << 20}
    assert candidates.default(GPU, {"n": 1500})["tile"] == 2048
    assert candidates.default(replace(GPU, local_memory_bytes=16384), {"n": 1500})["tile"] == 1024
    assert candidates.default(replace(GPU, max_work_group_size=64), {"n": 1500})["tile"] == 512
    assert candidates.default_of("merging", GPU, {"n": 512})["tile"] == 512
    tiny = replace(GPU, local_memory_bytes=256)
    least = candidates.default_of("merging", tiny, {"n": 512})
    assert candidates.refused(least, tiny, {"n": 512}).reason == "bytes of local memory"
    assert candidates.default(CPU, {"n": 100_000})["schedule"] == "digits"
    xss = Param("xss", array_of(FLOAT32, N, M))
    bits, key = key_of(FLOAT32)
    ordered = fun(FLOAT32, lambda x: Tuple(key(x), x))
    rows = Candidates.of(Join(Map(fun(array_of(FLOAT32, M), lambda row: Sort(bits, ordered, row)), xss)))
    chosen = rows.default(GPU, {"n": 32, "m": 100_000})
    assert chosen == {"schedule": "row_merging", "tile": 2048, "ways": 4, "sorted": 32768, "share": 8}
    assert rows.default(GPU, {"n": 1000, "m": 300})["tile"] == 512
    assert rows.default(GPU, {"n": 100_000, "m": 32})["schedule"] == "row_comparison"


@pytest.mark.parametrize("t", [FLOAT32, FLOAT64], ids=str)
def test_a_tile_fits_into_a_work_group_and_its_local_memory(t):
    """The constraints say what the kernel takes, neither less nor more."""
    candidates, sizes = Candidates.of(sorting(t)), {"n": 1000}
    choices = {"schedule": "merging", "tile": 512, "ways": 4, "sorted": 512, "share": 8}
    kernel = generate(candidates.derive(choices).result).kernels[0]
    least = replace(GPU, local_memory_bytes=kernel.local_bytes, max_work_group_size=kernel.launch.local[0])
    assert candidates.refused(choices, least, sizes) is None
    for limit, reason in (
        ("local_memory_bytes", "bytes of local memory"),
        ("max_work_group_size", "work-items in a work-group"),
    ):
        less = replace(least, **{limit: getattr(least, limit) - 1})
        assert candidates.refused(choices, less, sizes).reason == reason
        assert candidates.default_of("merging", less, sizes)["tile"] == 256
    assert candidates.refused({**choices, "sorted": 256}, GPU, sizes).reason == "elements of a tile"


def test_a_gpu_launches_work_groups_for_all_tiles():
    """More than a second dimension has would be launched in the first one: rows, and the tiles of a whole array."""
    rows = Candidates.of(SORTS[2].expr)
    for n in (30_000, 100_000):
        assert rows.default(GPU, {"n": n, "m": 300})["schedule"] == "row_merging"
    long, many = {"n": 2, "m": 1 << 27}, {"n": 1 << 27}
    default = rows.default_of("row_merging", GPU, long)
    assert rows.refused(default, GPU, long).reason == "work-groups over the tiles"
    assert rows.refused(default, GPU, {**long, "m": (1 << 26) - 1}) is None  # nor any other of that class
    whole = Candidates.of(sorting(FLOAT32))
    assert whole.refused(whole.default(GPU, many), GPU, many) is None


def test_arrays_are_not_merged():
    """No work-item takes one or the other in a share, and a tile holds numbers."""
    key = fun(array_of(INT32, 3), lambda row: Tuple(Literal(1, ScalarType("uint32")), row))
    assert "merging" not in Candidates.of(Sort(32, key, Param("xss", array_of(INT32, N, 3)))).parameters()
    rows = fun(array_of(INT32, M, 3), lambda row: Sort(32, key, row))
    assert "row_merging" not in Candidates.of(Join(Map(rows, Param("rows", array_of(INT32, N, M, 3))))).parameters()


def test_rows_whose_keys_depend_on_more_than_the_element_are_not_merged():
    pairs = Zip(Param("first", array_of(INT32, N)), Param("rows", array_of(INT32, N, M)))

    def ordered(pair):
        key = fun(INT32, lambda x: Tuple(Cast(Call("add", x, Get(0, pair)), ScalarType("uint32")), x))
        return Sort(32, key, Get(1, pair))

    rows = Candidates.of(Join(Map(fun(pairs.type.element, ordered), pairs)))
    assert "row_merging" not in rows.parameters()


def test_no_kernel_merges_more_runs_than_the_others():
    candidates = Candidates.of(sorting(FLOAT32))
    few = {"schedule": "merging", "tile": 256, "ways": 4, "sorted": 1024, "share": 8}
    assert candidates.refused(few, GPU, {"n": 4096}) is None
    assert candidates.refused(few, GPU, {"n": 4097}).reason == "elements of the runs that are merged last"


def run_on(device) -> None:
    """Compare kernels with the interpreter at odd lengths, of whole arrays and of rows."""
    for case in SORTS:
        whole = case.name in ("sort", "sort_pairs")
        low = merged(case.expr, name="merging" if whole else "row_merging")
        for n, m in ((1, 1), (65, 3), (3, 101)):
            check(device, case.expr, low, {"n": n, "m": m, "k": 1}, exact=True)


@pytest.mark.device
def test_kernels_merge():
    run_on(default_device())


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="no Oclgrind")
@pytest.mark.sweep
def test_no_kernel_races_or_leaves_its_arrays():
    code = """
from lazyarr.runtime import default_device
from tests.ir.schedules.test_merging import run_on
run_on(default_device())
"""
    assert oclgrind.run(code, timeout=300) == ""
