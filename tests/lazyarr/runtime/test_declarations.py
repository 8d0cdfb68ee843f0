"""The declarations that PoCL's compiler gets in place of its header."""

from pathlib import Path

import numpy as np
import pytest

from lazyarr.runtime import BuildError
from lazyarr.runtime.declarations import GUARD, Declarations
from lazyarr.runtime.programs import Program

GOLDEN = sorted((Path(__file__).resolve().parents[2] / "ir" / "opencl" / "golden").glob("*.cl"))
HEADER = """
#ifndef _OPENCL_H_
#define _OPENCL_H_
#include "opencl-c-base.h"
#define __ovld __attribute__((overloadable))
/* The sine;
   of floats */
float __ovld __cnfn sin(float x);
float4 __ovld __cnfn sin(float4 x); // four
#ifdef cl_khr_fp64
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
double __ovld __cnfn sin(double x);
#elif defined(ONE) || \\
    defined(OTHER)
float __ovld __cnfn cos(float x);
#else
half __ovld __cnfn cos(half x);
half __ovld __cnfn tan(half x,
                       int y);
#endif
#if defined(THIRD) && \\
    defined(FOURTH)
__attribute__((deprecated("no (longer)"))) int __ovld old(int x);
#endif // defined(THIRD) && \\
       // defined(FOURTH)
int __ovld young(int x);
#endif
"""
PROGRAM = """
#pragma OPENCL EXTENSION cl_khr_fp64 : enable
__kernel void k(__global const float* x, __global double* y, __global int* n, __global float* z) {
    __local float shared[8];
    int item = get_local_id(0), i = get_global_id(0);
    float8 v = vload8(i, x);
    v = v < (float8)(0.5f) ? exp(v) : fmin(sqrt(fabs(v)), pow(v, 0.3f)) + sin(v) * log1p(v) - rint(3.3f * v);
    shared[item] = v.s3 + ldexp(v.s1, 3) + as_float(as_int(v.s2) ^ 1);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(n, convert_int8(v * 9.0f).s5 + mul_hi(item, 1 << 30) + popcount((uint)i));
    double8 w = convert_double8(v) / (double8)(3.0);
    y[i] = exp2(w.s1) + fmod(w.s2, 0.1) + erf(w.s3) + convert_double(shared[(item + 1) % 8]) + isnan(w.s4) + M_PI;
    vstore8(v, i, z);
}
"""


@pytest.fixture
def known(device) -> Declarations:
    found = device.declarations
    if found is None:
        pytest.skip("the header of this device's compiler is not known")
    return found


@pytest.fixture
def whole(device, monkeypatch):
    """Compiles with the compiler's own header, or with what is given alone."""
    monkeypatch.setitem(device.__dict__, "declarations", None)
    return lambda source, *options: Program(device, source, None, options)


def run(device, program) -> list[np.ndarray]:
    x = np.random.default_rng(0).random(256, dtype="f4")
    y, n, z = device.wrap(np.zeros(32)), device.wrap(np.zeros(1, "i4")), device.wrap(np.zeros(256, "f4"))
    program.kernel("k", ["buffer"] * 4).launch((32,), (8,), (device.wrap(x), y, n, z)).wait()
    return [y.to_numpy("f8", (32,)), n.to_numpy("i4", (1,)), z.to_numpy("f4", (256,))]


def test_what_a_program_mentions_is_declared():
    text = Declarations(HEADER).before("float f(float x) { return cos(x); }")
    assert "sin" not in text and "tan" not in text
    under = "#if !defined(cl_khr_fp64) && (defined(ONE) || defined(OTHER)) float __ovld __cnfn cos(float x); #endif"
    assert under in " ".join(text.split())
    assert "half __ovld __cnfn cos(half x);" in text
    text = Declarations(HEADER).before("sin")
    assert "float __ovld __cnfn sin(float x);\nfloat4 __ovld __cnfn sin(float4 x);\n#if defined(cl_khr_fp64)" in text
    assert text.endswith("#line 1\n") and "four" not in text
    assert "half __ovld __cnfn tan(half x, int y);" in Declarations(HEADER).before("tan(x, 1)")


def test_attributes_and_continued_comments_are_no_declarations():
    header = Declarations(HEADER)
    assert header.before("young").replace("int __ovld young(int x);\n", "") == header.before("")
    assert "int __ovld old(int x);" in header.before("old")
    for name in ("__attribute__", "defined", "deprecated"):
        assert not {"old", "young"} & set(header.before(name).replace("(", " ").split())


def test_without_a_header_that_is_understood_there_are_none(tmp_path):
    assert Declarations.of(tmp_path) is None
    for number, text in enumerate(("#endif\n", "#if A\nint f(int x);\n", "int f(int x)", "#else\n")):
        folder = tmp_path / str(number)
        folder.mkdir()
        (folder / "opencl-c.h").write_text(text)
        assert Declarations.of(folder) is None


def test_the_results_are_the_same(device, known, whole):
    expected = run(device, whole(PROGRAM))
    found = run(device, whole(known.before(PROGRAM) + PROGRAM, f"-D{GUARD}"))
    for a, b in zip(found, expected, strict=True):
        np.testing.assert_array_equal(a, b)


@pytest.mark.parametrize("path", GOLDEN, ids=lambda path: path.stem)
def test_no_kernel_of_the_generator_takes_the_whole_header(known, whole, path):
    source = path.read_text()
    assert whole(known.before(source) + source, f"-D{GUARD}").kernel_names


def test_a_program_that_takes_the_whole_header_gets_it(device):
    source = "#define ID(kind) get_##kind##_id(0)\n__kernel void k(__global int* y) { y[ID(global)] = 3; }"
    y = device.wrap(np.zeros(4, "i4"))
    device.build(source).kernel("k", ["buffer"]).launch((4,), None, (y,)).wait()
    assert (y.to_numpy("i4", (4,)) == 3).all()


@pytest.mark.parametrize("wrong", ["sin(nothing)", "sin(1.0f", "y"])
def test_errors_are_those_of_the_whole_program(device, known, whole, wrong):
    source = f"__kernel void k(__global float* y) {{\n    y[0] = {wrong};\n}}"
    with pytest.raises(BuildError) as expected:
        whole(source)
    device.__dict__["declarations"] = known
    with pytest.raises(BuildError) as found:
        device.build(source)
    assert ":2:" in found.value.log and ":2:" in expected.value.log
    assert found.value.source == expected.value.source == source


class Unread:
    """Declarations that nobody may ask for."""

    def before(self, source):
        raise AssertionError("the header was read")


def test_declarations_that_were_found_earlier_are_not_looked_for(device, known, monkeypatch):
    first = device.build(PROGRAM)
    assert first.declarations == known.before(PROGRAM)
    monkeypatch.setitem(device.__dict__, "declarations", Unread())
    again = device.build(PROGRAM, declarations=first.declarations)
    assert again.declarations == first.declarations
    for one, other in zip(run(device, first), run(device, again), strict=True):
        np.testing.assert_array_equal(one, other)


def test_declarations_of_another_compiler_give_way_to_its_own(device, known):
    made = device.build(PROGRAM, declarations="this declares nothing;\n")
    assert made.declarations == known.before(PROGRAM)
    assert not made.from_binary and made.kernel_names == ["k"]


def test_a_program_that_does_not_compile_is_an_error_with_earlier_declarations_too(device, known):
    with pytest.raises(BuildError, match="nonsense"):
        device.build("__kernel void k() { int x = nonsense; }", declarations=known.before(PROGRAM))
