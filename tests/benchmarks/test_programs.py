"""The suite lift's programs: references against loops in float64, lazyarr and the peers against the references."""

from __future__ import annotations

import math

import numpy as np
import pytest

from benchmarks import lazy, programs
from benchmarks.harness import UnavailableError, WrongResultError
from benchmarks.peers import GPU_MAKERS, MAKERS, Missing, find_peers, makers

SMALL = (
    programs.scal(1009),
    programs.asum(1009),
    programs.dot(1009),
    programs.gemv(37, 53),
    programs.gemv(1, 7),
    programs.options(1009),
    programs.md(101, 13),
    programs.md(101, 13, transposed=True),
)
each_workload = pytest.mark.parametrize("workload", SMALL, ids=lambda workload: workload.name)


def normal(d):
    return 0.5 * math.erfc(-d / math.sqrt(2))


def option(s, k, t, r=0.02, v=0.30):
    d1 = (math.log(s / k) + (r + v * v / 2) * t) / (v * math.sqrt(t))
    d2 = d1 - v * math.sqrt(t)
    e = k * math.exp(-r * t)
    return s * normal(d1) - e * normal(d2), e * normal(-d2) - s * normal(-d1)


def force(i, x, y, z, neighbours):
    total = [0.0, 0.0, 0.0]
    for n in neighbours:
        delta = [float(p[i]) - float(p[n]) for p in (x, y, z)]
        r2 = sum(d * d for d in delta)
        if r2 < 16:
            for axis in range(3):
                total[axis] += (1.5 / r2**6 - 2 / r2**3) / r2 * delta[axis]
    return total


LOOPS = {
    "scal": lambda x: [3 * v for v in x.tolist()],
    "asum": lambda x: sum(abs(v) for v in x.tolist()),
    "dot": lambda x, y: sum(a * b for a, b in zip(x.tolist(), y.tolist(), strict=True)),
    "gemv": lambda a, x, y: [
        1.5 * sum(p * q for p, q in zip(row, x.tolist(), strict=True)) + 0.5 * z
        for row, z in zip(a.tolist(), y.tolist(), strict=True)
    ],
    "black-scholes": lambda *xs: tuple(np.array([option(*o) for o in zip(*(x.tolist() for x in xs), strict=True)]).T),
    "md": lambda x, y, z, n: tuple(np.array([force(i, x, y, z, n[i]) for i in range(len(x))]).T),
    "md transposed": lambda x, y, z, n: tuple(np.array([force(i, x, y, z, n[:, i]) for i in range(len(x))]).T),
}


@each_workload
def test_references_agree_with_loops(workload):
    (arrays,) = workload.inputs(1)
    (check,) = workload.references([arrays])
    expected = LOOPS[workload.program.name](*arrays)
    check.check("loops", tuple(map(np.asarray, expected)) if isinstance(expected, tuple) else expected)


@each_workload
def test_references_refuse_what_is_a_little_wrong(workload):
    (arrays,) = workload.inputs(1)
    (check,) = workload.references([arrays])
    expected = LOOPS[workload.program.name](*arrays)
    several = isinstance(expected, tuple)
    wrong = [np.array(part, copy=True) for part in (expected if several else (expected,))]
    wrong[-1].flat[-1] += 1e-3 * (1 + abs(wrong[-1].flat[-1]))
    with pytest.raises(WrongResultError):
        check.check("wrong", tuple(wrong) if several else wrong[0])


def test_a_tuple_is_asked_for():
    (arrays,) = programs.options(5).inputs(1)
    (check,) = programs.options(5).references([arrays])
    with pytest.raises(WrongResultError, match="expected 2 results, got ndarray"):
        check.check("x", np.zeros(5))
    with pytest.raises(WrongResultError, match="expected 2 results, got 3"):
        check.check("x", (np.zeros(5),) * 3)


@each_workload
def test_inputs_are_float32_and_take_the_memory_that_they_say(workload):
    first, second, third = workload.inputs(3)
    assert sum(array.nbytes for array in first) == workload.input_nbytes
    assert {array.dtype.name for array in first} <= {"float32", "int32"}
    assert all(array.flags.c_contiguous for array in first)
    assert not np.array_equal(first[0], second[0])
    assert all(np.array_equal(a, c) and not np.shares_memory(a, c) for a, c in zip(first, third, strict=True))
    assert len(workload.references([first, second, third])) == 3


@pytest.mark.parametrize("count", [1, 7, 100])
def test_neighbours_are_the_nearest_others(count):
    positions = np.random.default_rng(3).random((3, 101)).astype(np.float32)
    found = programs.neighbour_lists(positions, count, block=32)
    for i, own in enumerate(found):
        distances = np.sum((positions[:, i, None].astype(float) - positions) ** 2, axis=0)
        nearest = [n for n in np.argsort(distances) if n != i][:count]
        np.testing.assert_allclose(distances[own], distances[nearest], rtol=1e-5)
        assert i not in own


def test_more_neighbours_than_particles_are_refused():
    with pytest.raises(ValueError, match="expected 1 to 4"):
        programs.neighbour_lists(np.zeros((3, 5), np.float32), 5)


@pytest.fixture(scope="module", params=["numpy", "numexpr", "numba", "jax", "torch"])
def peer(request):
    found, missing = find_peers({request.param: MAKERS[request.param]})
    if missing:
        pytest.skip(missing[0].reason)
    return found[0]


@pytest.mark.sweep
@each_workload
def test_peers_agree_with_the_references(peer, workload):
    sets = workload.inputs(2)
    contestants = peer.contestants(workload.program.name, sets, count=3)
    assert contestants or workload.program.name in peer.lacks
    for name, thunks in contestants.items():
        for thunk, check in zip(thunks, workload.references(sets), strict=True):
            result = thunk()
            several = isinstance(result, (tuple, list))
            check.check(name, tuple(map(peer.to_numpy, result)) if several else peer.to_numpy(result))


@pytest.fixture(scope="module")
def front():
    found = lazy.front_end()
    try:
        lazy.default_device()
    except UnavailableError as error:
        pytest.skip(str(error))
    return found


@pytest.mark.usefixtures("untuned")
@each_workload
@pytest.mark.parametrize("style", ["lift", "numpy_style"])
def test_both_ways_of_writing_agree_with_the_references(front, workload, style):
    try:
        written = getattr(workload.program, style)(front)
    except UnavailableError as error:
        pytest.skip(str(error))
    sets = workload.inputs(2)
    f = front.lift.jit(written)
    for arrays, check in zip(sets, workload.references(sets), strict=True):
        check.check(style, f(*map(front.la.asarray, arrays)))


@pytest.mark.parametrize("program", [programs.MD, programs.MD_TRANSPOSED], ids=lambda program: program.name)
@pytest.mark.parametrize("style", ["lift", "numpy_style"])
def test_without_gather_md_says_so(program, style):
    with pytest.raises(UnavailableError, match="has no gather"):
        getattr(program, style)(lazy.FrontEnd(np, object()))


def test_peers_for_the_other_kind_of_device_say_so():
    _, missing = find_peers({"cupy": makers(gpu=False)["cupy"]})
    assert missing == [Missing("cupy", "runs on a GPU, and the device is a CPU")]
    _, missing = find_peers({"numba": makers(gpu=True)["numba"]})
    assert missing == [Missing("numba", "runs on a CPU, and the device is a GPU")]
    assert set(makers(gpu=True)) == set(makers(gpu=False)) == {*MAKERS, *GPU_MAKERS}


def test_jax_without_a_gpu_says_so():
    jax = pytest.importorskip("jax")
    try:
        jax.devices("gpu")
    except RuntimeError:
        assert [m.name for m in find_peers({"jax": GPU_MAKERS["jax"]})[1]] == ["jax"]
    else:
        pytest.skip("there is a GPU")


def test_every_large_workload_is_there():
    names = [workload.name for workload in programs.WORKLOADS]
    assert len(set(names)) == len(names)
    assert {workload.program for workload in programs.WORKLOADS} == set(programs.PROGRAMS)
    assert all(workload.nbytes >= workload.input_nbytes for workload in programs.WORKLOADS)
