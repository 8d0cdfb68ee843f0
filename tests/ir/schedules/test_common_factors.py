"""Reductions of arrays whose length has a factor that is known: what is left over of whole blocks has it as well."""

from __future__ import annotations

import pytest

from ir.core.expr import Param, fun
from ir.core.patterns import Call, Literal, Reduce
from ir.core.sizes import var
from ir.core.types import FLOAT32, FLOAT64, INT32, ArrayType
from ir.core.verify import verify_low_level
from ir.schedules.candidates import Candidates
from tests.ir.schedules.zoo import CPU, GPU


@pytest.mark.parametrize("factor", [1, 2, 3, 6, 8, 12, 16, 24])
@pytest.mark.parametrize("dtype", [INT32, FLOAT32, FLOAT64], ids=lambda t: t.name)
@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "gpu"])
def test_every_default_derives(factor, dtype, machine):
    n = var("n0", 1)
    add = fun((dtype, dtype), lambda a, b: Call("add", a, b))
    candidates = Candidates.of(Reduce(add, Literal(0, dtype), Param("x0", ArrayType(dtype, factor * n))))
    found = list(candidates.defaults(machine, {"n0": 8}))
    assert len(found) >= 3
    for configuration in found:
        for groups in (configuration.get("groups"), 2, 128):
            chosen = candidates.normalised(configuration | ({} if groups is None else {"groups": groups}))
            verify_low_level(candidates.derive(chosen).result)
