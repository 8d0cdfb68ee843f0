"""What functions take: measured, or counted in how they are written."""

from __future__ import annotations

import pytest

from ir.core.notation.parser import parse
from ir.core.sizes import var
from ir.core.types import array_of, scalar
from ir.cost.derived import estimate
from ir.cost.functions import Functions, operations_in
from ir.cost.operations import Work
from ir.opencl.write.floats import FLOATS
from ir.schedules.candidates import Candidates
from tests.ir.schedules.zoo import CPU, GPU, ZOO

EXP = Candidates.of(next(case.expr for case in ZOO if str(case) == "where_exp"))
SIZES = {"n": 1 << 20}


def exponentials(seconds: float) -> Functions:
    """A device that computes an exponential in so many seconds."""
    return Functions.of({Work("function", "float32", "exp"): 1 / seconds, Work("arithmetic", "float32"): 1e9})


@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "gpu"])
def test_a_kernel_that_mostly_computes_a_function_takes_what_was_measured_of_it(machine):
    low = EXP.derive(EXP.default(machine, SIZES)).result
    for seconds in (1e-9, 2e-9, 4e-9):
        found = estimate(low, machine, SIZES, exponentials(seconds)).seconds
        assert found == pytest.approx(seconds * SIZES["n"], rel=0.3)


def test_functions_of_one_number_take_longer_than_their_part_of_a_vector():
    low = EXP.derive({"schedule": "nest", "depth": 1}).result
    assert estimate(low, CPU, SIZES, exponentials(1e-9)).seconds > 4e-9 * SIZES["n"]


@pytest.mark.parametrize("dtype", ["int8", "int32", "int64", "uint64"])
@pytest.mark.parametrize("machine", [CPU, GPU], ids=["cpu", "gpu"])
def test_powers_of_integers_take_what_was_measured_of_them(machine, dtype):
    e = parse("map (λx. pow(x, x)) xs", {"xs": array_of(scalar(dtype), var("n", 1))})
    candidates = Candidates.of(e)
    low = candidates.derive(candidates.default(machine, SIZES)).result

    def seconds(measured: str) -> float:
        known = Functions.of({Work("function", measured, "pow"): 1e9})
        return estimate(low, machine, SIZES, known).seconds

    assert seconds(dtype) == pytest.approx(1e-9 * SIZES["n"], rel=0.3)
    assert seconds("float32") == seconds("float64") == estimate(low, machine, SIZES).seconds


def test_a_rate_of_nothing_is_left_out():
    assert Functions.of({Work("function", "float32", "exp"): 0.0}).measured == ()


def test_what_was_measured_is_of_one_function_and_dtype():
    known = exponentials(1e-9)
    assert known.seconds("exp", "float32") == pytest.approx(1e-9)
    assert known.seconds("exp", "float64") is known.seconds("log", "float32") is None
    assert known == exponentials(1e-9) and hash(known) == hash(exponentials(1e-9))


def test_operations_of_functions_that_are_arithmetic_of_ours_are_counted():
    """They are counted in OpenCL C, so that each is told here: who rewrites one looks whether it is counted aright."""
    assert operations_in("exp", "float32") is operations_in("sin", "float64") is None, "the runtime's own"
    assert operations_in("pow", "int64") is None
    both = {"sign": 6, "fmod": 30, "remainder": 10, "floor_divide": 35}
    both |= dict.fromkeys(("floor", "ceil", "trunc", "round"))  # instructions
    single = {"pow": 190, "sin": 64, "cos": 64, "round_to_tf32": 4, "cut_to_tf32": 3}
    counted = {"float32": both | single, "float64": both | {"pow": 170}}
    assert {dtype: {name: operations_in(name, dtype) for name in FLOATS[dtype]} for dtype in FLOATS} == counted
