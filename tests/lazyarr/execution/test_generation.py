"""What the generator is told of a device."""

from __future__ import annotations

import numpy as np
import pytest

from ir.opencl.passes.workarounds import GUARDED_BARRIERS
from ir.schedules.candidates import Candidates
from lazyarr.compile.compiled import Compiled, build
from lazyarr.compile.generation import generated, workarounds_of
from lazyarr.lift.explanation import explained
from lazyarr.runtime import devices
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
    assert (f"written for the device's compiler: {GUARDED_BARRIERS}" in kernel._repr_html_()) == pocl
