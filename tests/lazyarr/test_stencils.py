"""Stencils against NumPy: kept, periodic, zero and reflecting borders in one to three dimensions, and their kernels."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest

import lazyarr as la
from ir.fusion.symbols.symbolise import sizes_in
from lazyarr import lift
from lazyarr.compile import compiler
from lazyarr.compile.trials import small_sizes
from lazyarr.errors import CandidateWarning
from lazyarr.runtime import default_device
from tests import oclgrind
from tests.lazyarr.support import values
from tuner import Outcome

SHAPES = [(3,), (7,), (67,), (3, 3), (5, 7), (17, 13), (3, 4, 5), (7, 5, 11)]


def shifted(u, axis: int, by: int):
    """The interior, moved along an axis."""
    return u[tuple(slice(1 + by * (i == axis), u.shape[i] - 1 + by * (i == axis)) for i in range(u.ndim))]


def kept(xp, u):
    v = xp.asarray(u, copy=True)
    middle = (slice(1, -1),) * u.ndim
    found = u[middle] * 2
    for axis in range(u.ndim):
        found = found + shifted(u, axis, 1) - shifted(u, axis, -1)
    v[middle] = found
    return v


def periodic(xp, u):
    found = u * 2
    for axis in range(u.ndim):
        found = found + xp.roll(u, 1, axis) - xp.roll(u, -1, axis)
    return found


def padded(xp, u, mode: str):
    p = xp.pad(u, 1, mode=mode)
    found = u * 2
    for axis in range(u.ndim):
        found = found + shifted(p, axis, 1) - shifted(p, axis, -1)
    return found


STEPS = {
    "kept": kept,
    "periodic": periodic,
    **{mode: partial(padded, mode=mode) for mode in ("constant", "reflect", "symmetric", "edge", "wrap")},
}


def steps(step, xp, u, count: int):
    for _ in range(count):
        u = step(xp, u)
    return u


@pytest.mark.device
@pytest.mark.parametrize("shape", SHAPES, ids=str)
@pytest.mark.parametrize("name", STEPS)
def test_steps_are_those_of_numpy(compiled, name, shape):
    """Of several steps with a border around each in three dimensions, which are much text, one shape: those of small
    extents are in `test_any_size_has_its_border`.
    """
    x = values(shape, "float32", 5)
    for count in (1,) if shape == (3, 4, 5) and name != "kept" else (1, 3):
        want = steps(STEPS[name], np, x, count)
        found = lift.jit(lambda u, count=count: steps(STEPS[name], la, u, count))(la.asarray(x))
        np.testing.assert_allclose(np.asarray(found), want, rtol=1e-5, atol=1e-4)


@pytest.mark.device
@pytest.mark.parametrize("shape", [(67,), (17, 13), (7, 5, 11)], ids=str)
@pytest.mark.parametrize("name", ["kept", "periodic"])
def test_a_step_is_one_kernel(compiled, name, shape):
    x = la.asarray(values(shape, "float32", 6))
    for count in (1, 2, 4):
        written = lift.explain(lambda u, count=count: steps(STEPS[name], la, u, count), x).kernels
        assert len(written) <= count
        iterated = lift.explain(lambda u, count=count: lift.iterate(count, partial(STEPS[name], la), u), x).kernels
        assert len(iterated) <= count


MODES = ["constant", "edge", "reflect", "symmetric", "wrap"]


@pytest.mark.device
@pytest.mark.parametrize("name", MODES)
def test_a_step_with_a_border_around_is_one_kernel(compiled, name):
    for shape in ((67,), (17, 13)):
        x = la.asarray(values(shape, "float32", 6))
        for count in (1, 2, 3):
            assert len(lift.explain(lambda u, count=count: steps(STEPS[name], la, u, count), x).kernels) == count


def nine(xp, u, mode: str):
    """All neighbours in the plane, each with a weight of its own."""
    p = xp.pad(u, 1, mode=mode)
    n, m = u.shape
    return sum(np.float32((1 + i + 3 * j) / 45) * p[i : i + n, j : j + m] for i in range(3) for j in range(3))


@pytest.mark.device
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("shape", [(2, 2), (3, 7), (17, 13)], ids=str)
def test_a_step_of_nine_points_with_a_border_around_is_one_kernel(compiled, mode, shape):
    """Corners are read, too: of the border of a border."""
    x = values(shape, "float32", 8)
    for count in (1, 2):
        step = lambda xp, u, count=count: steps(partial(nine, mode=mode), xp, u, count)
        found = np.asarray(lift.jit(partial(step, la))(la.asarray(x)))
        np.testing.assert_allclose(found, step(np, x), rtol=1e-5, atol=1e-5)
        if min(shape) > 3:
            assert len(lift.explain(partial(step, la), la.asarray(x)).kernels) == count


@pytest.mark.device
@pytest.mark.parametrize("mode", MODES)
def test_several_steps_of_nine_points_are_one_kernel_on_a_cpu(compiled, mode):
    x = values((1031, 1033), "float32", 9)
    step = lambda xp, u: steps(partial(nine, mode=mode), xp, u, 3)
    if default_device().kind == "cpu":
        (kernel,) = lift.explain(partial(step, la), la.asarray(x)).kernels
        assert kernel.configuration["schedule"] == "step_tiles"
    found = np.asarray(lift.jit(partial(step, la))(la.asarray(x)))
    np.testing.assert_allclose(found, step(np, x), rtol=1e-5, atol=1e-5)


@pytest.mark.device
def test_the_interior_of_a_periodic_step_asks_in_no_loop_where_an_element_lies(compiled):
    x = la.asarray(values((17, 13), "float32", 7))
    (kernel,) = lift.explain(lambda u: periodic(la, u), x).kernels
    assert "?" not in kernel.source


LARGE = [(32771,), (1031, 1033)]
"""Shapes for which several steps are one kernel on a CPU, in one dimension and in two."""


ALIKE_LINES = [(32771,), (32803,), (40009,), (65535,)]
ALIKE_PLANES = [(1031, 1039), (1039, 1031), (1031, 4001), (2003, 1200)]


def kernels_of(program, x):
    return lift.explain(program, la.asarray(x)).kernels


@pytest.mark.device
@pytest.mark.parametrize("shape", LARGE, ids=str)
def test_several_steps_of_a_large_array_are_one_kernel_on_a_cpu(compiled, shape):
    if default_device().kind != "cpu":
        pytest.skip("on a CPU, whose caches hold tiles")
    x = values(shape, "float32", 8)
    for count, kernels in ((4, 1), (6, 2), (9, 3)):
        want = steps(kept, np, x, count)
        for program in (
            lambda u, count=count: steps(kept, la, u, count),
            lambda u, count=count: lift.iterate(count, partial(kept, la), u),
        ):
            assert len(kernels_of(program, x)) == kernels
            np.testing.assert_allclose(np.asarray(program(la.asarray(x))), want, rtol=1e-5, atol=1e-3)


AROUND = [name for name in STEPS if name != "kept"]


@pytest.mark.device
@pytest.mark.parametrize("shape", LARGE, ids=str)
@pytest.mark.parametrize("name", AROUND)
def test_several_steps_with_a_border_around_are_one_kernel_on_a_cpu(compiled, name, shape):
    if default_device().kind != "cpu":
        pytest.skip("on a CPU, whose caches hold tiles")
    x = values(shape, "float32", 8)
    looped = partial(steps, STEPS[name], la, count=6)
    for program in (looped, partial(lift.iterate, 6, partial(STEPS[name], la))):
        assert len(kernels_of(program, x)) == 2
    np.testing.assert_allclose(np.asarray(looped(la.asarray(x))), steps(STEPS[name], np, x, 6), rtol=1e-5, atol=1e-2)


@pytest.mark.device
@pytest.mark.sweep
def test_each_axis_has_a_border_of_its_own(compiled):
    def mixed(xp, u):  # the first dimension wraps around, beside zeros and mirrored
        p = xp.pad(xp.pad(u, ((1, 1), (0, 0)), mode="wrap"), ((0, 0), (1, 1)))
        return u * 2 + p[2:, 1:-1] - p[:-2, 1:-1] * 3 + p[1:-1, 2:] * 5 - p[1:-1, :-2] * 7 + p[2:, 2:] * 11

    def kept_rows(xp, u):
        v = xp.asarray(u, copy=True)
        p = xp.pad(u, ((0, 0), (1, 1)), mode="reflect")
        v[1:-1] = u[:-2] * 2 - u[2:] * 3 + p[1:-1, 2:] * 5 - p[1:-1, :-2]
        return v

    def unlike(xp, u):  # at both ends of a dimension
        p = xp.pad(u, ((1, 1), (1, 1)), constant_values=((1, 2), (3, 4)))
        return p[2:, 1:-1] - p[:-2, 1:-1] * 3 + p[1:-1, 2:] * 5 - p[1:-1, :-2] * 7

    for step in (mixed, kept_rows, unlike):
        for shape in ((1031, 1033), (3, 2), (2, 3), (5, 7)):
            x = values(shape, "int64", 3)
            found = lift.jit(lambda u, step=step: steps(step, la, u, 4))(la.asarray(x))
            np.testing.assert_array_equal(np.asarray(found), steps(step, np, x, 4), err_msg=step.__name__)
    if default_device().kind == "cpu":
        assert len(kernels_of(lambda u: steps(mixed, la, u, 4), values((1031, 1033), "int64", 3))) == 1


@pytest.mark.device
@pytest.mark.parametrize("name", AROUND)
def test_any_size_has_its_border(compiled, name):
    program = lift.jit(lambda u: steps(STEPS[name], la, u, 4))
    for shape in ((1,), (2,), (3,), (1, 1), (1, 3), (2, 1), (2, 2, 3)):
        x = values(shape, "int32", 5)
        np.testing.assert_array_equal(
            np.asarray(program(la.asarray(x))), steps(STEPS[name], np, x, 4), err_msg=str(shape)
        )


@pytest.mark.device
@pytest.mark.parametrize("name", ["constant", "periodic", "reflect", "wrap"])
@pytest.mark.parametrize("shapes", [ALIKE_LINES, ALIKE_PLANES], ids=["line", "plane"])
def test_other_shapes_launch_the_stored_kernel_of_a_border(compiled, made, name, shapes):
    if default_device().kind != "cpu":
        pytest.skip("on a CPU, whose caches hold tiles")
    program = lift.jit(lambda u: steps(STEPS[name], la, u, 3))
    for number, shape in enumerate(shapes):
        made.clear()
        x = values(shape, "float32", 12)
        found = np.asarray(program(la.asarray(x)))
        np.testing.assert_allclose(found, steps(STEPS[name], np, x, 3), rtol=1e-5, atol=1e-3)
        assert not number or made == [], shape


@pytest.mark.device
@pytest.mark.parametrize("dtype", ["float32", "float64", "int32"])
def test_a_border_keeps_every_value(compiled, dtype):
    x = values((32771,), dtype, 9)
    if dtype != "int32":
        x[[0, 5, -1]] = np.nan, np.inf, -0.0
    with np.errstate(all="ignore"):
        want = steps(kept, np, x, 4)
    found = np.asarray(lift.jit(lambda u: steps(kept, la, u, 4))(la.asarray(x)))
    np.testing.assert_allclose(found, want, rtol=1e-5, atol=1e-3)
    np.testing.assert_array_equal(np.signbit(found[[0, -1]].astype(float)), np.signbit(x[[0, -1]].astype(float)))


@pytest.mark.device
def test_a_step_that_others_need_is_stored(compiled):
    def program(xp, u):
        first = kept(xp, u)
        second = kept(xp, first)
        return first, kept(xp, kept(xp, second)), second[5:9]

    x = values((32771,), "float32", 10)
    for found, want in zip(lift.jit(partial(program, la))(la.asarray(x)), program(np, x), strict=True):
        np.testing.assert_allclose(np.asarray(found), want, rtol=1e-5, atol=1e-3)


@pytest.mark.device
def test_other_loops_compute_what_numpy_does(compiled):
    def alternating(xp, u):  # two arrays, each of which keeps a border of its own
        a, b = xp.asarray(u, copy=True), xp.asarray(u[::-1] * 2, copy=True)
        for _ in range(3):
            b[1:-1] = (a[:-2] + a[1:-1] + a[2:]) * 0.25
            a[1:-1] = (b[:-2] + b[1:-1] + b[2:]) * 0.25
        return a + b

    def growing(xp, u):  # each step is another one
        v = xp.asarray(u, copy=True)
        for k in range(3):
            w = xp.asarray(v, copy=True)
            w[1:-1] = (v[:-2] + v[2:]) * (0.25 + k)
            v = w
        return v

    def moved_border(xp, u):  # what is kept comes from elsewhere in the array
        v = u
        for _ in range(3):
            w = xp.asarray(v, copy=True)
            w[1:-1] = v[:-2] - v[2:]
            w[0] = v[-1]
            v = w
        return v

    def beside(xp, u):  # another array is read, too
        v = u
        for _ in range(3):
            w = xp.asarray(v, copy=True)
            w[1:-1] = v[:-2] + u[2:]
            v = w
        return v

    def wider(xp, u):  # after a step that keeps one element, some keep two of the array that it began with
        v = xp.asarray(u, copy=True)
        v[1:-1] = u[:-2] + u[2:]
        for _ in range(3):
            w = xp.asarray(u, copy=True)
            w[2:-2] = v[:-4] - v[4:]
            v = w
        return v

    def kept_from_another(xp, u):  # after the first step, from an array that is none of the steps
        v, other = u, xp.asarray(values((40009,), "float64", 12))
        for k in range(4):
            w = xp.asarray(other if k else u, copy=True)
            w[1:-1] = v[:-2] + v[2:]
            v = w
        return v

    x = values((40009,), "float64", 11)
    for program in (alternating, growing, moved_border, beside, wider, kept_from_another):
        found = np.asarray(lift.jit(partial(program, la))(la.asarray(x)))
        np.testing.assert_allclose(found, program(np, x), rtol=1e-12, atol=1e-9, err_msg=program.__name__)


@pytest.fixture
def made(monkeypatch):
    """The kernels that are built or read from the cache from here on."""
    kernels = []
    for name in ("build", "from_entry"):
        original = getattr(compiler, name)

        def noted(device, general, *rest, original=original, **named):
            kernels.append(general)
            return original(device, general, *rest, **named)

        monkeypatch.setattr(compiler, name, noted)
    return kernels


TINY = {1: [(0,), (1,), (2,), (3,), (4,)], 2: [(rows, 7) for rows in range(5)] + [(7, columns) for columns in range(4)]}
ALIKE = {
    "line": [(32771,), (32803,), (40009,), (50021,), (65536,)],
    "plane": [(1031, 1039), (1039, 1031), (1031, 4001), (2003, 1200), (1040, 1028)],
    "square": [(1031, 1031), (1040, 1040), (1501, 1501)],
}
"""Shapes of the same class of sizes. Extents that differ by two are others: a length is that of another's interior."""


@pytest.mark.device
@pytest.mark.parametrize("iterated", [False, True], ids=["loop", "iterate"])
@pytest.mark.parametrize("name", ALIKE)
def test_other_shapes_launch_the_stored_kernel(compiled, made, name, iterated):
    """Shapes too small for tiles, called in between, have kernels of their own."""
    if default_device().kind != "cpu":
        pytest.skip("on a CPU, whose caches hold tiles")
    looped = lift.jit(lambda u: steps(kept, la, u, 4))
    program = lift.jit(lambda u: lift.iterate(4, partial(kept, la), u)) if iterated else looped

    def compare(shape):
        x = values(shape, "float32", 12)
        np.testing.assert_allclose(np.asarray(program(la.asarray(x))), steps(kept, np, x, 4), rtol=1e-5, atol=1e-3)

    first, *others = ALIKE[name]
    compare(first)
    (kernel,) = made or [None]  # none where the same program ran in this process before
    assert kernel is None or (not kernel.fixed and kernel.sizes)
    tiny = TINY[len(first)]
    for number, shape in enumerate(others):
        made.clear()
        compare(shape)
        assert made == [], shape
        for small in tiny[number :: len(others)]:
            compare(small)


@pytest.mark.device
def test_a_step_in_three_dimensions_has_one_kernel_for_other_shapes(compiled, made):
    program = lift.jit(partial(kept, la))
    for number, shape in enumerate([(29, 31, 37), (23, 41, 53), (19, 37, 43), (2, 5, 7), (0, 4, 5), (3, 3, 3)]):
        made.clear()
        x = values(shape, "float32", 17)
        np.testing.assert_allclose(np.asarray(program(la.asarray(x))), kept(np, x), rtol=1e-5, atol=1e-4)
        assert not [kernel for kernel in made if kernel.fixed]
        assert made == [] or number not in (1, 2)


@pytest.mark.device
@pytest.mark.parametrize("shape", [(4099, 257), (257, 4099), (258, 4099), (4112, 258)], ids=str)
def test_narrow_arrays_are_cut_into_narrow_tiles_or_not_at_all(compiled, shape, recwarn):
    x = values(shape, "float32", 14)
    found = np.asarray(lift.jit(lambda u: steps(kept, la, u, 4))(la.asarray(x)))
    np.testing.assert_allclose(found, steps(kept, np, x, 4), rtol=1e-5, atol=1e-3)
    assert not [each for each in recwarn if issubclass(each.category, CandidateWarning)]


@pytest.mark.device
def test_it_is_explained_whose_border_a_step_keeps(compiled):
    if default_device().kind != "cpu":
        pytest.skip("on a CPU, whose caches hold tiles")
    x = la.asarray(values(LARGE[0], "float32", 15))
    for count, times in ((1, 0), (2, 1), (6, 5)):
        found = lift.explain(lambda u, count=count: steps(kept, la, u, count), x)
        rules = [
            rewriting.times
            for rewriting in found.rewritings
            if [step.rule for step in rewriting.derivation.steps] == ["border_of_step_before"]
        ]
        assert sum(rules) == times
        assert ("border_of_step_before" in str(found)) == (times > 0)


@pytest.mark.device
def test_a_search_for_tiles_compares_at_sizes_that_they_fit(compiled, made):
    if default_device().kind != "cpu":
        pytest.skip("on a CPU, whose caches hold tiles")
    x = values((70001,), "float32", 16)
    program = lift.jit(lambda u: steps(kept, la, u, 3))
    (result,) = lift.tune(program, la.asarray(x), seconds=60.0, trials=3)
    assert result.best is not None
    assert {trial.outcome for trial in result.trials} <= {Outcome.ok, Outcome.refused}
    np.testing.assert_allclose(np.asarray(program(la.asarray(x))), steps(kept, np, x, 3), rtol=1e-5, atol=1e-3)
    least = {v.name: v.bounds()[0] for v in sizes_in(made[0].expr)}
    assert least == {"n0": 65536}
    smaller = list(small_sizes(made[0]))
    assert smaller
    assert all(sizes["n0"] >= least["n0"] for sizes in smaller)


@pytest.mark.device
@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_steps_in_the_simulator():
    code = """
import numpy as np
import lazyarr as la
from lazyarr import lift
from lazyarr.runtime import default_device
from tests.lazyarr.support import values
from tests.lazyarr.test_stencils import STEPS, steps
la.config(tier="compiled", tune="off")
for name, step in STEPS.items():
    for shape in ((7,), (67,), (5, 7), (3, 4, 5)):
        x = values(shape, "float32", 8)
        found = lift.jit(lambda u: steps(step, la, u, 2))(la.asarray(x))
        np.testing.assert_allclose(np.asarray(found), steps(step, np, x, 2), rtol=1e-5, atol=1e-4)
"""
    assert oclgrind.run(code, timeout=600.0) == ""


MANY_STEPS = {
    "two points": lambda x: x[1:] * x[:-1] + x[1:],
    "three points": lambda x: x[2:] + x[:-2] * x[1:-1],
    "reversed": lambda x: x[::-1] * x + x[::-1],
    "transposed": lambda x: x.T * x + x.T,
    "corners": lambda x: x[1:, 1:] * x[:-1, :-1] + x[1:, :-1],
}


@pytest.mark.parametrize("name", MANY_STEPS)
def test_many_steps_of_shared_views(name, tuned_off):
    """Eight steps of two readings would be 256 of an element, if what is shared were unfolded."""
    x = values((23, 23) if name in ("transposed", "corners") else (41,), "int64", seed=3)

    def steps(u):
        for _ in range(8):
            u = MANY_STEPS[name](u)
        return u

    for tier in ("reference", "compiled"):
        la.config(tier=tier)  # `tuned_off` restores it
        run = lift.jit(steps)
        np.testing.assert_array_equal(np.asarray(run(la.asarray(x))), steps(x))
    kernels = lift.explain(run, la.asarray(x)).kernels
    assert all(len(kernel.derivation.steps) < 1000 for kernel in kernels)
