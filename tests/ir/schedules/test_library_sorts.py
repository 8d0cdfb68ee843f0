# ruff: noqa: E501  # an expression reads best on one line
"""Sorts that the host's library carries out: which these are, where the numbers lie, and when it is preferred."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from numpy.lib.stride_tricks import as_strided

from ir.core.notation.parser import parse
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import var
from ir.core.types import FLOAT32, INT32, ScalarType, array_of
from ir.core.verify import verify, verify_low_level
from ir.errors import GenerationError, VerificationError
from ir.opencl.generate import generate
from ir.reference.calls import sort_rows_into
from ir.schedules.candidates import Candidates
from ir.schedules.library_sorts import LibrarySort
from tests.ir import values
from tests.ir.schedules.zoo import CPU, GPU, Case, K, M, N

HOST = replace(CPU, host_library=True, host_sort_seconds=3e-9)
NAMES = {"n": N, "m": M, "k": K, "b": var("b", 1)}
RISING = "sort 32 (λi. (bitwise_xor(uint32 i, 2147483648:uint32), i))"
FALLING = "sort 32 (λi. (bitwise_invert (bitwise_xor(uint32 i, 2147483648:uint32)), i))"
BYTES = "sort 8 (λi. (i, i))"
FLOATS = "sort 32 (λx. let t = bits(select(x == 0, 0, x)) in (select(isnan x, 4294967295:uint32, select(t >= 2147483648:uint32, bitwise_invert t, t | 2147483648:uint32)), x))"
INTS, MATRIX = array_of(INT32, N), array_of(INT32, N, M)


def case(text, **inputs):
    return Case("case", text, inputs)


SORTED = {
    "vector": case(f"{RISING} ints", ints=INTS),
    "falling": case(f"{FALLING} ints", ints=INTS),
    "floats": case(f"{FLOATS} xs", xs=array_of(FLOAT32, N)),
    "bytes": case(f"{BYTES} ints", ints=array_of(ScalarType("uint8"), N)),
    "every_other": case(f"{RISING} (slice 1 2 n ints)", ints=array_of(INT32, 2 * N + 1)),
    "rows": case(f"join (map ({RISING}) iss)", iss=MATRIX),
    "rows_apart": case(f"map ({FALLING}) (split m ints)", ints=array_of(INT32, N * M)),
    "columns": case(f"join (map ({RISING}) (transpose iss))", iss=MATRIX),
    "parts_of_rows": case(f"map (λr. {RISING} (slice 1 1 m r)) iss", iss=array_of(INT32, N, M + 3)),
    "some_rows": case(f"map ({RISING}) (slice 1 3 n iss)", iss=array_of(INT32, 3 * N, M)),
    "same_row": case(f"map ({RISING}) (repeat n ints)", ints=array_of(INT32, M)),
    "rows_of_two_dimensions": case(f"map ({RISING}) (join (map transpose isss))", isss=array_of(INT32, N, M, K)),
}  # fmt: skip
OTHERS = {
    "fewer_bits": case("sort 31 (λi. (bitwise_xor(uint32 i, 2147483648:uint32), i)) ints", ints=INTS),
    "unsigned": case("sort 32 (λi. (uint32 i, i)) ints", ints=INTS),
    "other_values": case("sort 32 (λi. (bitwise_xor(uint32 i, 2147483648:uint32), i + 1)) ints", ints=INTS),
    "computed": case(f"{RISING} (map (λi. i * 2) ints)", ints=INTS),
    "backwards": case(f"{RISING} (slice (n - 1) (-1) n ints)", ints=INTS),
    "put_together": case(f"{RISING} (concat(ints, others))", ints=INTS, others=INTS),
    "another_row": case(f"map (λr. {RISING} ints) iss", iss=MATRIX, ints=INTS),
}
SIZES = ({"n": 5, "m": 7, "k": 4, "b": 3}, {"n": 1, "m": 1, "k": 1, "b": 1}, {"n": 40, "m": 16, "k": 3, "b": 2})


def candidates_of(of: Case):
    return Candidates.of(parse(of.text, of.inputs, NAMES))


@pytest.mark.parametrize("sizes", SIZES, ids=str)
@pytest.mark.parametrize("name", SORTED)
def test_the_numbers_lie_where_it_says(name, sizes):
    candidates = candidates_of(SORTED[name])
    found = LibrarySort.of(candidates.normal)
    e = candidates.start.start
    inputs = values.random_inputs(e, sizes, seed=3)
    ((p, given),) = inputs.items()
    array = np.ascontiguousarray(given).reshape(-1)[found.offset.evaluate(sizes) :]
    extents, strides = ([pair[i].evaluate(sizes) for pair in found.dimensions] for i in (0, 1))
    shape = [found.rows.evaluate(sizes), found.length.evaluate(sizes)]
    rows = as_strided(array, extents, [stride * array.itemsize for stride in strides]).reshape(shape)
    made = np.empty(shape, array.dtype)
    sort_rows_into(made, rows, found.descending)
    assert str(found.dtype) == str(array.dtype) and found.array == p.identifier
    assert np.array_equal(np.asarray(interpret(e, inputs, sizes)).reshape(-1), made.reshape(-1))


@pytest.mark.parametrize("name", SORTED)
def test_a_derivation_is_legal_and_no_kernel(name):
    candidates = candidates_of(SORTED[name])
    derivation = candidates.derive({"schedule": "sort_library"})
    assert derivation.steps[-1].rule == "sort_to_library"
    for state in derivation.states():
        verify(state)
    verify_low_level(derivation.result)
    low, high = LibrarySort.of(derivation.result), LibrarySort.of(candidates.normal)
    assert (low.array, low.descending, low.rows, low.length) == (high.array, high.descending, high.rows, high.length)
    assert (low.offset, low.dimensions) == (high.offset, high.dimensions)
    with pytest.raises(GenerationError, match="the host's library"):
        generate(derivation.result)


@pytest.mark.parametrize("name", OTHERS)
def test_other_sorts_have_kernels_alone(name):
    assert "sort_library" not in [s.name for s in candidates_of(OTHERS[name]).schedules]


def test_the_library_sorts_whole_results():
    e = parse(f"mapWorkgroup (λa. mapLibrary ({RISING}) iss) ints", {"ints": INTS, "iss": MATRIX}, NAMES)
    with pytest.raises(VerificationError, match="whole result"):
        verify(e)


def test_it_is_the_default_where_it_is_predicted_to_take_less_time():
    def default(machine, name, **sizes):
        return candidates_of(SORTED[name]).default(machine, sizes)["schedule"]

    slowly, by_comparisons = (replace(HOST, host_sort_seconds=seconds) for seconds in (11e-9, 50e-9))
    for n in (1, 100, 100_000, 10_000_000):
        assert default(HOST, "vector", n=n) == default(HOST, "bytes", n=n) == "sort_library"
        assert "library" not in default(CPU, "vector", n=n) + default(GPU, "vector", n=n)
    assert default(by_comparisons, "vector", n=100_000) == default(slowly, "vector", n=1 << 20) == "digits"
    assert default(by_comparisons, "bytes", n=100_000) == "sort_library"
    many = replace(HOST, compute_units=64)
    assert default(many, "vector", n=10_000_000) == "digits"
    assert default(many, "rows", n=100_000, m=1000) == "sort_library"
