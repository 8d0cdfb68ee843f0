"""What the generator is told of a device."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from benchmarks.stencils import plane, repeated
from ir.core.expr import postorder
from ir.core.patterns import MAP_SEQ, Map
from ir.cost.thresholds.tiers import LONG_INDICES_FROM_LOOPS
from ir.opencl.passes.workarounds import GUARDED_BARRIERS
from ir.schedules.candidates import Candidates
from lazyarr import lift
from lazyarr.compile import generation
from lazyarr.compile.compiled import Compiled, build
from lazyarr.compile.generation import generated, has_many_loops, workarounds_of
from lazyarr.lift.explanation import explained
from lazyarr.runtime import default_device, devices
from tests.lazyarr.execution.kernels import X, asum, kernel_of

TREE = {"schedule": "tree", "groups": 8, "local": 32, "width": 1, "ways": 1, "one_kernel": 0}


@pytest.mark.parametrize("device", devices(), ids=lambda device: device.platform)
def test_only_devices_that_need_it_get_another_form(device):
    """And each computes the right sum with the form that it gets."""
    _, general, inputs = kernel_of(asum())
    derivation = Candidates.of(general.expr).derive(TREE)
    pocl = "Portable Computing Language" in device.platform
    assert workarounds_of(device) == ((GUARDED_BARRIERS,) if pocl else ())
    assert generated(device, general, derivation).workarounds == workarounds_of(device)
    executable = build(device, general, TREE)
    values = inputs[0].to_numpy("f4", X.shape)
    (result,) = executable.launch([device.wrap(values, copy=True)], tuple(general.sizes.values()))
    np.testing.assert_allclose(result.to_numpy("f4", (1,)), np.abs(X).sum(dtype=np.float64), rtol=1e-4)
    kernel = explained(Compiled(general, executable, TREE, "predicted", None))
    assert kernel.workarounds == workarounds_of(device)
    assert all(each.local_bytes is not None for each in kernel.resources)
    assert (f"written for the device's compiler: {GUARDED_BARRIERS}" in str(kernel)) == pocl
    assert (GUARDED_BARRIERS in kernel._repr_html_()) == pocl


@pytest.mark.parametrize("device", devices(), ids=lambda device: device.platform)
def test_kernels_with_many_loops_count_in_long_integers_on_cpus(monkeypatch, device):
    """One sort of integers, that of addresses, is all that LLVM need look at; the values are the same."""
    for most in (1, LONG_INDICES_FROM_LOOPS):
        monkeypatch.setattr(generation, "LONG_INDICES_FROM_LOOPS", most)
        _, general, _ = kernel_of(asum())
        derivation = Candidates.of(general.expr).derive(TREE)
        loops = any(isinstance(node, Map) and node.how is MAP_SEQ for node in postorder(derivation.result))
        assert has_many_loops(derivation.result) == (loops and most == 1)
        wide = device.kind == "cpu" and loops and most == 1
        assert generated(device, general, derivation).index_type == ("long" if wide else "int")


@pytest.mark.device
def test_several_steps_of_a_stencil_count_in_long_integers_on_a_cpu(set_to):
    set_to(tier="compiled", tune="off")
    x = la.asarray(np.random.default_rng(1).random((1031, 1033), dtype=np.float32))
    device = default_device()
    if device.kind != "cpu":
        pytest.skip("several steps are one kernel on CPUs")
    (kernel,) = lift.explain(lambda u: repeated(plane, la, u, 4), x).kernels
    assert "for (long " in kernel.source and "for (int " not in kernel.source
    (kernel,) = lift.explain(lambda u: plane(la, u), x).kernels
    assert "for (long " not in kernel.source
