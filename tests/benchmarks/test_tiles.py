"""The suite tiles' programs: lazyarr and the peers against the references, on small arrays."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import lazy, tiles
from benchmarks.peers import MAKERS, find_peers

SMALL = tiles.stencils(37, 53, 11)
each_workload = pytest.mark.parametrize("workload", SMALL, ids=lambda workload: workload.name)


@pytest.fixture(scope="module", params=["numpy", "numba", "jax"])
def peer(request):
    found, missing = find_peers({request.param: MAKERS[request.param]})
    if missing:
        pytest.skip(missing[0].reason)
    return found[0]


@each_workload
def test_inputs_take_the_memory_that_they_say(workload):
    first, second = workload.inputs(2)
    assert first[0].nbytes == workload.input_nbytes
    assert not np.array_equal(first[0], second[0])


@pytest.mark.sweep
@each_workload
def test_peers_agree_with_the_references(peer, workload):
    sets = workload.inputs(2)
    contestants = peer.contestants(workload.program.name, sets)
    assert contestants
    for name, thunks in contestants.items():
        for thunk, check in zip(thunks, workload.references(sets), strict=True):
            check.check(name, peer.to_numpy(thunk()))


@pytest.mark.sweep
@pytest.mark.usefixtures("untuned")
@each_workload
def test_both_ways_of_lazyarr_agree_with_the_references(workload):
    front = lazy.front_end()
    sets = workload.inputs(2)
    for write in (workload.program.lift, workload.program.numpy_style):
        if write is not None:
            jitted = front.lift.jit(write(front))
            for arrays, check in zip(sets, workload.references(sets), strict=True):
                check.check("lazyarr", np.asarray(jitted(*map(front.la.asarray, arrays))))
