"""Several steps of a stencil in one kernel, tile by tile."""

from __future__ import annotations

from dataclasses import replace
from itertools import pairwise, product
from math import prod

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun
from ir.core.patterns import Call, Concat, Get, Join, Literal, Map, Repeat, Slice, Split, Zip
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import LIMIT_32, SizeLike, var
from ir.core.types import FLOAT32, FLOAT64, INT32, ArrayType, ScalarType, array_of
from ir.errors import RewriteError
from ir.opencl.generate import generate
from ir.rules.common import element
from ir.rules.layout.steps import border_of_step_before, steps_in_tiles
from ir.rules.stencils import steps_of
from ir.schedules.candidates import Candidates
from ir.schedules.maps.steps import holds_tiles
from lazyarr.runtime import default_device
from tests import oclgrind
from tests.ir import values
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import CPU, GPU


def weighted(t: ScalarType, *terms: Expr) -> Expr:
    """Each term has a weight of its own, so that none can stand for another."""
    total = terms[0]
    for i, term in enumerate(terms[1:], 2):
        total = Call("add", total, Call("multiply", Literal(i, t), term))
    return total


def mapped(t: ScalarType, *arrays: Expr) -> Expr:
    xs = Zip(*arrays)
    return Map(fun(element(xs), lambda x: weighted(t, *(Get(i, x) for i in range(len(arrays))))), xs)


def copied(e: Expr) -> Expr:
    return Map(fun(element(e), lambda x: x), e)


def line(n: SizeLike, x: Expr, t: ScalarType, kept: int = 1, border: Expr | None = None) -> Expr:
    border = x if border is None else border
    inner = mapped(t, *(Slice(i, 1, n - 2 * kept, x) for i in (0, 2 * kept, kept)))
    return copied(Concat(Slice(0, 1, kept, border), inner, Slice(n - kept, 1, kept, border)))


def plane(n: SizeLike, m: SizeLike, x: Expr, t: ScalarType, border: Expr | None = None) -> Expr:
    """The corners are read, too; what is kept comes from another array if there is one."""
    border = x if border is None else border
    neighbours = [(0, 1), (1, 0), (1, 2), (2, 1), (2, 2), (0, 0)]

    def shifted(i: int, j: int) -> Expr:
        rows = Split(m, Slice(i * m, 1, (n - 2) * m, x))
        return Join(Map(fun(element(rows), lambda row: Slice(j, 1, m - 2, row)), rows))

    inner = Split(m - 2, mapped(t, *(shifted(i, j) for i, j in neighbours)))
    beside = Zip(Split(m, Slice(m, 1, (n - 2) * m, border)), inner)

    def row(pair: Expr) -> Expr:
        old, new = Get(0, pair), Get(1, pair)
        return Concat(Slice(0, 1, 1, old), new, Slice(m - 1, 1, 1, old))

    rows = Join(Map(fun(element(beside), row), beside))
    return copied(Concat(Slice(0, 1, m, border), rows, Slice((n - 1) * m, 1, m, border)))


def lines(n: SizeLike, steps: int, t: ScalarType = FLOAT32, kept: int = 1) -> Expr:
    x: Expr = Param("xs", array_of(t, n))
    for _ in range(steps):
        x = line(n, x, t, kept)
    return x


def planes(n: SizeLike, m: SizeLike, steps: int, t: ScalarType = FLOAT32) -> Expr:
    x: Expr = Param("xs", array_of(t, n * m))
    for _ in range(steps):
        x = plane(n, m, x, t)
    return x


def before_and_behind(mode: str, x: Expr, n: SizeLike, b: int) -> Expr:
    """An array of numbers or rows with a border, of which nothing is kept."""
    first, last = Slice(0, 1, 1, x), Slice(n - 1, 1, 1, x)
    if mode == "wrap":
        return Concat(Slice(n - b, 1, b, x), x, Slice(0, 1, b, x))
    if mode == "filled":
        fill: Expr = Literal(3, INT32) if element(x) is INT32 else Literal(0.5, scalar_of(x))
        if isinstance(element(x), ArrayType):
            fill = Repeat(element(x).length, fill)
        return Concat(Repeat(b, fill), x, Repeat(b, fill))
    if mode == "edge":
        return Concat(*[first] * b, x, *[last] * b)
    skip = mode == "reflect"
    before = [Slice(skip + i, 1, 1, x) for i in reversed(range(b))]
    behind = [Slice(n - 1 - skip - i, 1, 1, x) for i in range(b)]
    return Concat(*before, x, *behind)


def scalar_of(x: Expr) -> ScalarType:
    t = x.type
    while isinstance(t, ArrayType):
        t = t.element
    assert isinstance(t, ScalarType)
    return t


def bordered_line(mode: str, n: SizeLike, x: Expr, t: ScalarType, b: int = 1) -> Expr:
    p = before_and_behind(mode, x, n, b)
    return copied(mapped(t, *(Slice(i, 1, n, p) for i in (0, 2 * b, b))))


def bordered_lines(mode: str, n: SizeLike, steps: int, t: ScalarType = FLOAT32, b: int = 1) -> Expr:
    x: Expr = Param("xs", array_of(t, n))
    for _ in range(steps):
        x = bordered_line(mode, n, x, t, b)
    return x


def bordered_plane(modes: tuple[str, str], n: SizeLike, m: SizeLike, x: Expr, t: ScalarType, b: int = 1) -> Expr:
    """With another border along each dimension; the corners are read, too."""
    rows = Split(m, x)
    wide = Map(fun(element(rows), lambda row: before_and_behind(modes[1], row, m, b)), rows)
    p = before_and_behind(modes[0], wide, n, b)

    def shifted(i: int, j: int) -> Expr:
        some = Slice(i, 1, n, p)
        return Join(Map(fun(element(some), lambda row: Slice(j, 1, m, row)), some))

    return copied(
        mapped(t, *(shifted(i, j) for i, j in ((0, b), (b, 0), (b, 2 * b), (2 * b, b), (2 * b, 2 * b), (0, 0))))
    )


def bordered_planes(
    modes: tuple[str, str], n: SizeLike, m: SizeLike, steps: int, t: ScalarType = FLOAT32, b: int = 1
) -> Expr:
    x: Expr = Param("xs", array_of(t, n * m))
    for _ in range(steps):
        x = bordered_plane(modes, n, m, x, t, b)
    return x


MODES = ("wrap", "filled", "edge", "reflect", "symmetric")
BORDERED = {
    **{f"{mode} line": (bordered_lines(mode, 41, 3), {"rows": 7}) for mode in MODES},
    **{f"{mode} wide": (bordered_lines(mode, 53, 2, INT32, 2), {"rows": 8}) for mode in MODES},
    **{f"{mode} plane": (bordered_planes((mode, mode), 17, 23, 2), {"rows": 3, "columns": 5}) for mode in MODES},
    **{
        f"{a} and {b}": (bordered_planes((a, b), 19, 29, 3), {"rows": 4, "columns": 7})
        for a, b in (*pairwise(MODES), ("symmetric", "wrap"), ("reflect", "filled"))
    },
    "wide plane": (bordered_planes(("reflect", "wrap"), 31, 37, 2, FLOAT64, 2), {"rows": 6, "columns": 9}),
}
"""Steps that keep nothing, of which only an exact value of each neighbour gives the same bits."""

CASES = {
    **BORDERED,
    "two": (lines(37, 2), {"rows": 7}),
    "three": (lines(101, 3), {"rows": 9}),
    "wide": (lines(61, 2, kept=2), {"rows": 8}),
    "four": (lines(64, 4, FLOAT64), {"rows": 16}),
    "planes": (planes(17, 23, 2), {"rows": 3, "columns": 5}),
    "prime": (planes(29, 37, 3), {"rows": 5, "columns": 7}),
    "whole": (planes(24, 32, 4), {"rows": 4, "columns": 8}),
    "tight": (planes(13, 14, 3), {"rows": 3, "columns": 4}),
    "narrow": (lines(71, 4, kept=3), {"rows": 12}),
    "integers": (planes(19, 31, 2, INT32), {"rows": 4, "columns": 9}),
}


def derived(name: str, width: int):
    """Tiles of other sides than a search looks at, which hold more than these arrays."""
    e, sides = CASES[name]
    candidates = Candidates.of(e)
    return e, candidates.schedule("step_tiles").derive(candidates.start, {**sides, "width": width})


def derived_by_items(case: tuple[Expr, dict[str, int]], items: int, each: int):
    """The same tiles by a group of several work-items, which take some rows, or elements, in turns."""
    e, sides = case
    found = steps_of(e)
    assert found is not None
    choices = {**sides, "items": items}
    if "columns" in sides:  # a work-item for each column of a tile, and for what is around it
        around = 2 * found.steps * found.form.border[1]
        choices |= {"columns": sides["columns"] + around, "each": each}
    candidates = Candidates.of(e)
    return e, candidates.schedule("step_tiles_items").derive(candidates.start, choices)


N, M = (var(name, 64, LIMIT_32) for name in "nm")
SYMBOLIC = {
    **{f"{mode} line": (bordered_lines(mode, N, 3), {"rows": 13}) for mode in MODES},
    "reflect plane": (bordered_planes(("reflect", "reflect"), N, M, 2), {"rows": 11, "columns": 17}),
    "mixed plane": (bordered_planes(("wrap", "filled"), N, M, 3, INT32), {"rows": 7, "columns": 13}),
    "line": (lines(N + 2, 3), {"rows": 16}),
    "wide line": (lines(N + 4, 2, FLOAT64, kept=2), {"rows": 13}),
    "multiple": (lines(16 * N + 2, 4), {"rows": 128}),
    "plane": (planes(N + 2, M + 2, 2), {"rows": 11, "columns": 17}),
    "square": (planes(N + 2, N + 2, 4), {"rows": 4, "columns": 24}),
    "integers": (planes(N + 2, M + 2, 3, INT32), {"rows": 8, "columns": 16}),
}
"""Of any size from some on. The sides of tiles are such that the last ones have all numbers of elements at one size or
another."""
SIZES = [{"n": 64, "m": 64}, {"n": 79, "m": 64}, {"n": 64, "m": 97}, {"n": 101, "m": 113}, {"n": 128, "m": 83}]


def derived_for_all(name: str, width: int):
    e, sides = SYMBOLIC[name]
    candidates = Candidates.of(e)
    return e, candidates.schedule("step_tiles").derive(candidates.start, {**sides, "width": width})


@pytest.mark.parametrize("name", SYMBOLIC)
def test_tiles_have_the_value_of_the_steps_at_all_sizes(name):
    e, sides = SYMBOLIC[name]
    of_tiles = values.Evaluation(steps_in_tiles.rewrite(e, (), **{"columns": 1, **sides}))
    of_steps = values.Evaluation(e)
    for sizes in [*SIZES, *({"n": n, "m": 64 + 7 * n % 41} for n in range(65, 92))]:
        inputs = values.random_inputs(e, sizes, seed=3)
        values.assert_identical(of_tiles(inputs, sizes), of_steps(inputs, sizes))


@pytest.mark.device
@pytest.mark.parametrize("name", SYMBOLIC)
def test_one_kernel_serves_all_sizes(name):
    e, low = derived_for_all(name, 4)
    low.verify()
    check(default_device(), e, low.result, *SIZES, exact=True)


@pytest.mark.device
@pytest.mark.parametrize("name", SYMBOLIC)
def test_one_kernel_of_many_items_serves_all_sizes(name):
    e, low = derived_by_items(SYMBOLIC[name], 5, 2)
    low.verify()
    check(default_device(), e, low.result, *SIZES, exact=True)


def test_arrays_that_may_be_smaller_than_tiles_are_not_cut():
    small = var("n", 1)
    tiles = lines(small + 2, 2)
    assert steps_in_tiles.rewrite(tiles, (), rows=8, columns=1) is None
    assert steps_in_tiles.rewrite(lines(N + 2, 2), (), rows=8, columns=1) is not None
    assert all(schedule.name != "step_tiles" for schedule in schedules_of(tiles))
    assert not holds_tiles(lines(N + 2, 2), True)  # no tile that a search looks at
    assert holds_tiles(lines(var("n", 2048) + 2, 2), True)
    assert not holds_tiles(planes(N + 2, M + 2, 2), True)  # too narrow, though there are enough rows
    assert holds_tiles(planes(N + 2, var("m", 256) + 2, 2), True)
    candidates = Candidates.of(planes(N + 2, var("m", 256) + 2, 2))
    tile = {"schedule": "step_tiles", "rows": 16, "columns": 64, "width": 8}
    assert candidates.refused(tile, CPU, {"n": 5000, "m": 5000}) is None
    refused = candidates.refused({**tile, "rows": 32}, CPU, {"n": 5000, "m": 5000})
    assert refused.reason == "elements for two tiles and what is around them"  # not at all sizes


@pytest.mark.slow
@pytest.mark.parametrize("steps", [2, 3, 5])
@pytest.mark.parametrize("modes", [("edge", "wrap"), ("wrap", "edge"), ("wrap", "wrap")])
def test_groups_are_no_larger_than_the_constraints_say(modes, steps):
    """The last tile beside a seam has more columns than the others."""
    e = bordered_planes(modes, 211, 223, steps)
    candidates = Candidates.of(e)
    tile = {"rows": 16, "columns": 32, "items": 8, "each": 1}
    low = candidates.schedule("step_tiles_items").derive(candidates.start, tile)
    (kernel,) = generate(low.result).kernels
    configuration = {"schedule": "step_tiles_items", **tile}
    most = prod(kernel.launch.local)
    enough = replace(GPU, max_work_group_size=max(most, 8 * 32))
    assert candidates.refused(configuration, enough, {}) is None
    refused = candidates.refused(configuration, replace(GPU, max_work_group_size=most - 1), {})
    assert refused.reason == "work-items in a work-group"


def test_gpus_launch_a_group_for_each_row_of_tiles():
    wide = var("m", 256)
    tile = {"schedule": "step_tiles_items", "rows": 8, "columns": 64, "items": 8, "each": 1}
    for e in (planes(N, wide, 2), bordered_planes(("filled", "wrap"), N, wide, 2)):
        candidates = Candidates.of(e)
        assert candidates.refused(tile, GPU, {"n": 200_000, "m": 300}) is None
        refused = candidates.refused(tile, GPU, {"n": 300_000, "m": 300})  # beside others of a million rows
        assert refused.reason == "work-groups over the rows"


def test_tiles_of_many_items_hold_what_is_around_them():
    for steps, wide in ((4, 100), (4, 47), (12, 100)):
        e = planes(var("n", 1000), var("m", wide), steps)
        candidates = Candidates.of(e)
        parameters = candidates.schedule("step_tiles_items").parameters(e)
        names = [p.name for p in parameters]
        choices = (dict(zip(names, each, strict=True)) for each in product(*(p.values for p in parameters)))
        tiles = ({"schedule": "step_tiles_items", **each} for each in choices)
        sizes = {"n": 1000, "m": 1000}
        assert holds_tiles(e, False) == any(candidates.refused(tile, GPU, sizes) is None for tile in tiles)


def schedules_of(e: Expr):
    try:
        return Candidates.of(e).schedules
    except RewriteError:
        return ()


@pytest.mark.parametrize("seed", range(20))
def test_the_step_before_has_the_border(seed):
    """Steps of random arrays, with borders of random ones: where it is replaced, the value is the same."""
    rng = np.random.default_rng(seed)
    t, n, m = FLOAT32, 11, 7
    arrays: list[Expr] = [Param(name, array_of(t, n * m)) for name in ("xs", "ys")]

    def step(x: Expr, border: Expr) -> Expr:
        return plane(n, m, x, t, border) if seed % 2 else line(n * m, x, t, 1 + seed // 10, border)

    replaced = 0
    for _ in range(8):
        first, border, other = (arrays[i] for i in rng.integers(0, 2, 3))
        made = step(first, border)
        e = step(made, other)
        found = border_of_step_before.rewrite(e)
        assert (found is not None) == (border is other)
        if found is not None:
            replaced += 1
            assert found is step(made, made)
            inputs = values.random_inputs(e, {}, seed=seed)
            values.assert_identical(interpret(found, inputs), interpret(e, inputs))
    assert replaced


@pytest.mark.parametrize("name", CASES)
def test_tiles_have_the_value_of_the_steps(name):
    e, sides = CASES[name]
    tiles = steps_in_tiles.rewrite(e, (), **{"columns": 1, **sides})
    inputs = values.random_inputs(e, {}, seed=3)
    values.assert_identical(interpret(tiles, inputs), interpret(e, inputs))


COMPILED = ["filled line", "reflect wide", "wrap and filled", "filled and edge", "symmetric and wrap", "wide plane"]
"""Those that keep nothing of which kernels are made, too: compiling takes most of the time."""


@pytest.mark.device
@pytest.mark.parametrize("width", [1, 4])
@pytest.mark.parametrize("name", [*COMPILED, *(name for name in CASES if name not in BORDERED)])
def test_kernels_compute_the_steps(name, width):
    e, low = derived(name, width)
    low.verify()
    check(default_device(), e, low.result, {}, exact=True)


@pytest.mark.device
@pytest.mark.parametrize(("items", "each"), [(3, 1), (2, 3)])
@pytest.mark.parametrize("name", [*COMPILED, *(name for name in CASES if name not in BORDERED)])
def test_kernels_of_many_items_compute_the_steps(name, items, each):
    e, low = derived_by_items(CASES[name], items, each)
    low.verify()
    check(default_device(), e, low.result, {}, exact=True)


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="no Oclgrind")
@pytest.mark.sweep
def test_no_kernel_races_or_leaves_its_arrays():
    code = """
from lazyarr.runtime import default_device
from tests.ir.opencl.running import check
from tests.ir.schedules.test_step_tiles import CASES, COMPILED, SIZES, SYMBOLIC
from tests.ir.schedules.test_step_tiles import derived, derived_by_items, derived_for_all
for name in ("two", "wide", "planes", "tight", *COMPILED):
    for e, low in (derived(name, 4), derived_by_items(CASES[name], 4, 2)):
        check(default_device(), e, low.result, {}, exact=True)
for name in ("line", "plane", "square"):
    for e, low in (derived_for_all(name, 4), derived_by_items(SYMBOLIC[name], 4, 1)):
        for sizes in SIZES[:3]:
            check(default_device(), e, low.result, sizes, exact=True)
"""
    assert oclgrind.run(code) == ""


def test_it_is_known_what_the_steps_are():
    found = steps_of(CASES["prime"][0])
    assert found is not None
    assert found.steps == 3
    assert [n.value for n in found.form.shape] == [29, 37]
    assert found.form.border == (1, 1)
    assert found.form.offsets == ((-1, -1), (-1, 0), (0, -1), (0, 1), (1, 0), (1, 1))


def test_other_programs_are_no_steps():
    n, m = 17, 23
    xs, ys = (Param(name, array_of(FLOAT32, n * m)) for name in ("xs", "ys"))
    first = plane(n, m, xs, FLOAT32)
    assert steps_of(first) is None  # one step is
    assert steps_of(plane(n, m, first, FLOAT32)) is not None
    assert steps_of(plane(n, m, first, FLOAT32, ys)) is None  # a border of another array
    assert steps_of(copied(Concat(Slice(m, 1, m, first), Slice(m, 1, (n - 1) * m, first)))) is None  # it moves
    assert steps_of(line(n * m, first, FLOAT32)) is None  # two forms
    assert steps_of(lines(4, 2, kept=2)) is None  # nothing is inside


@pytest.mark.parametrize("name", ["x0", "x1", "x2", "previous"])
def test_a_number_among_the_inputs_is_none_of_the_neighbours(name):
    n, weight = 40, Param(name, FLOAT32)
    x: Expr = Param("xs", array_of(FLOAT32, n))
    for _ in range(2):
        pairs = Zip(Slice(0, 1, n - 2, x), Slice(2, 1, n - 2, x))
        inner = Map(fun(element(pairs), lambda p: Call("add", Call("multiply", weight, Get(0, p)), Get(1, p))), pairs)
        x = copied(Concat(Slice(0, 1, 1, x), inner, Slice(n - 1, 1, 1, x)))
    tiles = steps_in_tiles.rewrite(x, (), rows=7, columns=1)
    inputs = values.random_inputs(x, {}, seed=4)
    values.assert_identical(interpret(tiles, inputs), interpret(x, inputs))


def test_what_is_computed_at_a_border_is_not_kept():
    n = 40
    x: Expr = Param("xs", array_of(FLOAT32, n))
    for _ in range(2):
        inner = mapped(FLOAT32, Slice(0, 1, n - 2, x), Slice(2, 1, n - 2, x))
        first = Slice(0, 1, 1, x)
        x = copied(Concat(Map(fun(FLOAT32, lambda v: Call("add", v, v)), first), inner, Slice(n - 1, 1, 1, x)))
    assert steps_of(x) is None


def test_a_tile_is_refused_that_does_not_fit():
    candidates = Candidates.of(planes(300, 400, 3))
    tile = {"schedule": "step_tiles", "rows": 32, "columns": 128, "width": 8}
    assert candidates.refused(tile, CPU, {}) is None
    refused = candidates.refused({**tile, "columns": 256}, CPU, {})
    assert refused.reason == "elements for two tiles and what is around them"
    wide = Candidates.of(lines(5000, 4, kept=3))
    line = {"schedule": "step_tiles", "rows": 512, "width": 8}
    assert wide.refused(line, CPU, {}) is None
    assert wide.refused({**line, "rows": 11}, CPU, {}).reason == "elements that the steps of a tile reach on each side"
    assert steps_in_tiles.rewrite(wide.normal, (), rows=11, columns=1) is None
    assert steps_in_tiles.rewrite(wide.normal, (), rows=12, columns=1) is not None
    large = Candidates.of(planes(3000, 4000, 3))
    assert large.refused({**tile, "rows": 128, "columns": 1024}, CPU, {}).reason == "bytes of private arrays"
    assert large.default(CPU, {})["schedule"] == "step_tiles"
    assert large.refused(large.default(CPU, {}), CPU, {}) is None


def test_a_tile_keeps_no_more_than_is_promised():
    _, low = derived("whole", 4)
    kept = [
        int(line.split("[")[1].split("]")[0])
        for line in generate(low.result).source.splitlines()
        if "float kept" in line
    ]
    assert sum(kept) == (4 + 6) * (8 + 7) + (4 + 4) * (8 + 6)  # a step of the last tile of a strip, and the next one


def test_steps_begin_with_numbers_of_any_kind():
    e, _ = CASES["planes"]
    x = np.arange(17 * 23, dtype=np.float32)
    x[[5, 100, 390]] = np.nan, -np.inf, -0.0
    tiles = steps_in_tiles.rewrite(e, (), rows=3, columns=5)
    with np.errstate(all="ignore"):
        values.assert_identical(interpret(tiles, {"xs": x}), interpret(e, {"xs": x}))
