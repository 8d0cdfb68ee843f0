"""The suite numpy's programs: lazyarr and the peers against the references, on small arrays."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import everyday, lazy
from benchmarks.harness import UnavailableError, WrongResultError
from benchmarks.peers import MAKERS, find_peers

SMALL = everyday.workloads(37, 53, 101)
each_workload = pytest.mark.parametrize("workload", SMALL, ids=lambda workload: workload.name)


@pytest.fixture(scope="module", params=["numpy", "numexpr", "numba", "jax"])
def peer(request):
    found, missing = find_peers({request.param: MAKERS[request.param]})
    if missing:
        pytest.skip(missing[0].reason)
    return found[0]


@each_workload
def test_inputs_take_the_memory_that_they_say(workload):
    first, second = workload.inputs(2)
    assert sum(array.nbytes for array in first) == workload.input_nbytes
    assert not np.array_equal(first[0], second[0])


@pytest.mark.sweep
@each_workload
def test_peers_agree_with_the_references(peer, workload):
    sets = workload.inputs(2)
    contestants = peer.contestants(workload.program.name, sets)
    assert contestants or workload.program.name in peer.lacks
    for name, thunks in contestants.items():
        for thunk, check in zip(thunks, workload.references(sets), strict=True):
            result = thunk()
            several = isinstance(result, (tuple, list))
            check.check(name, tuple(map(peer.to_numpy, result)) if several else peer.to_numpy(result))


@pytest.mark.sweep
@pytest.mark.usefixtures("untuned")
@each_workload
def test_lazyarr_agrees_with_the_references(workload):
    front = lazy.front_end()
    try:
        write = workload.program.numpy_style(front)
    except UnavailableError as error:
        pytest.skip(str(error))
    sets = workload.inputs(2)
    for arrays, check in zip(sets, workload.references(sets), strict=True):
        result = front.lift.jit(write)(*map(front.la.asarray, arrays))
        check.check("lazyarr", tuple(map(np.asarray, result)) if isinstance(result, tuple) else np.asarray(result))


@each_workload
def test_wrong_results_are_found(workload):
    arrays = workload.inputs(1)[0]
    check = workload.references([arrays])[0]
    parts = [reference.values for reference in getattr(check, "parts", [check])]
    wrong = [values + 0.1 * (1 + np.abs(values)) for values in parts]
    with pytest.raises(WrongResultError):
        check.check("wrong", tuple(wrong) if len(wrong) > 1 else wrong[0])
