"""The suites fusion and tiles: lazyarr and the peers against the references, on small arrays; kernels and passes."""

from __future__ import annotations

import numpy as np
import pytest

from benchmarks import compare, fusion, lazy, tiles
from benchmarks.harness import WrongResultError
from benchmarks.peers import MAKERS, find_peers
from benchmarks.products import operations_of, products
from benchmarks.report import Comparison, FusionRow, Report
from benchmarks.sequences import FUSED, PRODUCTS

SMALL = (*fusion.workloads("small"), *products("small"))
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
    assert workload.program.name == "md" or sum(array.nbytes for array in first) == workload.input_nbytes
    assert not np.array_equal(first[0], second[0])


@each_workload
def test_what_moves_at_least_is_what_the_row_says(workload):
    if workload.program.jitted and workload.program.name not in ("md", "sort 1e5", "median columns"):
        (arrays,) = workload.inputs(1)
        largest = max(array.nbytes for array in arrays)
        row = fusion.described(workload, Comparison(workload.name))
        assert row.note == ""
        assert row.least * largest == pytest.approx(workload.nbytes, rel=1e-3)
        assert row.passes >= row.least * (1 - 1e-9)
        assert row.kernels >= 1


@pytest.mark.sweep
@each_workload
def test_peers_agree_with_the_references(peer, workload):
    sets = workload.inputs(2)
    for name, thunks in peer.contestants(workload.program.name, sets).items():
        for thunk, check in zip(thunks, workload.references(sets), strict=True):
            result = thunk()
            several = isinstance(result, (tuple, list))
            check.check(name, tuple(map(peer.to_numpy, result)) if several else peer.to_numpy(result))


@pytest.mark.sweep
@pytest.mark.usefixtures("untuned")
@each_workload
def test_lazyarr_agrees_with_the_references(workload):
    front = lazy.front_end()
    write = workload.program.numpy_style(front)
    f = front.lift.jit(write) if workload.program.jitted else write
    sets = workload.inputs(2)
    for arrays, check in zip(sets, workload.references(sets), strict=True):
        result = f(*map(front.la.asarray, arrays))
        check.check("lazyarr", tuple(map(np.asarray, result)) if isinstance(result, tuple) else np.asarray(result))


@each_workload
def test_wrong_results_are_found(workload):
    (arrays,) = workload.inputs(1)
    (check,) = workload.references([arrays])
    if workload.program.name in (FUSED | PRODUCTS):
        right = (FUSED | PRODUCTS)[workload.program.name](np, *arrays)
        parts = [np.array(part) for part in (right if isinstance(right, tuple) else (right,))]
        check.check("right", tuple(parts) if isinstance(right, tuple) else parts[0])
        for part in parts:
            kept = part.copy()
            part.reshape(-1)[-1] += np.float32(0.1) * (1 + np.abs(part).max())
            with pytest.raises(WrongResultError):
                check.check("wrong", tuple(parts) if isinstance(right, tuple) else parts[0])
            part[...] = kept


def test_paper_003_is_there_and_rows_have_names_of_their_own():
    for sizes in fusion.SIZES:
        for suite in (fusion.workloads(sizes), tiles.workloads(sizes)):
            assert len({workload.name for workload in suite}) == len(suite)
    assert [w.program.name for w in fusion.workloads()[:11]] == list(FUSED)[:11]
    assert {w.program.name for w in products()} == set(PRODUCTS)
    assert compare.chosen(["bicgk"], fusion.workloads("large"))[0].input_nbytes == 4 * (16384 + 2) * 16384


def test_products_say_how_many_operations_they_take():
    counts = [operations_of(w) for w in products("small")]
    assert counts == [2 * 64**3, 2 * 1000 * 64, 2 * 64 * 64 * 16, 2 * 10 * 32**3, 2 * 64**3, 0]


def test_reports_are_read_back():
    row = FusionRow("atax", numpy_style=2.0, peer=1.0, peer_name="numba", kernels=2, passes=2.0, least=1.0)
    assert row.cells()[3:7] == ("0.5", "2", "2", "1")
    for suite in ("fusion", "tiles"):
        report = Report(suite, (row,), {}, {}, {}, {}, {}, "python")
        assert Report.from_json(report.to_json()).rows[0].cells() == row.cells()
        assert "kernels" in report.to_text()
