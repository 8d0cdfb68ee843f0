"""Golden files: the generated OpenCL C, read by people; each is also legal, built, run and compared."""

from __future__ import annotations

import pytest

from ir.core.verify import verify_low_level
from ir.opencl.generate import generate
from tests.ir.opencl.cases import GOLDENS
from tests.ir.opencl.conftest import FOLDER
from tests.ir.opencl.running import check, is_mixed_up

pytestmark = pytest.mark.each


@pytest.mark.parametrize("case", GOLDENS, ids=str)
def test_the_source_is_the_golden_file(case, golden):
    verify_low_level(case.low)
    golden(case.name, generate(case.low, case.name).source)


@pytest.mark.parametrize("case", GOLDENS, ids=str)
def test_a_golden_kernel_computes_what_its_expression_means(case, device):
    if is_mixed_up(case.low) and not device.simulator:
        pytest.skip("PoCL mixes up what stands between several barriers below a condition")
    check(device, case.high, case.low, *case.sizes, exact=case.exact, optimised=True)


def test_no_golden_file_is_left_over():
    assert {file.stem for file in FOLDER.glob("*.cl")} == {case.name for case in GOLDENS}
