"""Vectors are read and written through aligned types exactly where the buffers and the indices allow it."""

from __future__ import annotations

import pytest

from ir.core.notation.parser import parse
from ir.core.sizes import minimum, var
from ir.core.types import FLOAT32, array_of
from ir.opencl.generate import generate
from lazyarr.runtime import Device
from tests.ir.opencl.running import check

TEXT = "asScalar (mapGlobal (λx. x + x) (asVector 4 {}))"


def source(text: str, length, alignment: int) -> str:
    from ir.core.expr import Param

    return generate(parse(text, {"xs": Param("xs", array_of(FLOAT32, length)).type}), alignment=alignment).source


@pytest.mark.parametrize("alignment", [16, 128])
def test_aligned(alignment):
    text = source(TEXT.format("xs"), 4 * var("n", 1, 1000), alignment)
    assert "*(__global const float4*)(xs" in text
    assert "*(__global float4*)(result" in text
    assert "unaligned" not in text


@pytest.mark.parametrize("alignment", [1, 4, 8])
def test_buffers_that_are_not_aligned(alignment):
    text = source(TEXT.format("xs"), 4 * var("n", 1, 1000), alignment)
    assert "*(__global const unaligned_float4*)(xs" in text
    assert "*(__global unaligned_float4*)(result" in text


def test_an_index_that_is_no_multiple_of_the_width():
    n = var("n", 1, 1000)
    text = source(TEXT.format("(slice 1 1 (4*n) xs)"), 4 * n + 1, 128)
    assert "unaligned_float4*)(xs" in text
    assert "*(__global float4*)(result" in text  # the result begins where its buffer does


@pytest.mark.parametrize("most", [32, 30])
def test_vectors_before_an_end_are_written_whole_where_it_is_their_multiple(most: int, device: Device) -> None:
    k = var("k", 1)
    text = "head m (asScalar (mapGlobal (λx. x + x) (asVector 4 xs)))"
    low = parse(text, {"xs": array_of(FLOAT32, 16 * k)}, {"m": minimum(16 * k, most)})
    whole = generate(low, alignment=128).source
    assert (".s3" not in whole) == (most % 4 == 0)  # lanes apart
    assert "*(__global float4*)(result" in whole
    high = parse("head m (map (λx. x + x) xs)", {"xs": array_of(FLOAT32, 16 * k)}, {"m": minimum(16 * k, most)})
    check(device, high, low, *({"k": n} for n in (1, 2, 3)), exact=True)
