"""Kernels over more than 2**31 elements, though no input and no result is that long."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pytest

import lazyarr as la
from ir.core.expr import Param
from ir.core.notation.parser import parse
from ir.core.types import INT64, array_of
from ir.fusion.symbols.symbolise import symbolise
from ir.opencl.generate import generate
from lazyarr import config
from tests.ir.opencl.cases import GOLDENS


@pytest.fixture
def untuned(device) -> Iterator[None]:
    if device.simulator:
        pytest.skip("thousands of millions of steps in a simulator")
    old = config.configure(tune="off", cache="off")
    yield
    config.configure(**vars(old))


@pytest.mark.parametrize(
    "case", [case for case in GOLDENS if {"sort", "rank", "permute"} & set(case.name.split("_"))], ids=str
)
def test_sorts_are_built_with_places_of_64_bits(case, device):
    device.build(generate(case.low, index_type="long").source)


@pytest.mark.parametrize(
    ("text", "wide"),
    [
        ("reduce (+) 0 (join (map (λa. map (λb. a * b) xs) xs))", True),
        ("map (λa. reduce (+) a (join (split 2 xs))) xs", False),
        ("reduce (+) 0 (repeat 3000000000 1:int64)", True),
        ("map (λa. reduce (+) a (repeat 2146435071 1:int64)) xs", False),
        ("map (λa. reduce (+) a (join (repeat 50000 xs))) xs", True),
        ("map (λa. a * 3000000000) xs", False),
        ("slice 0 1 2 (repeat 3000000000 1:int64)", True),
    ],
)
def test_intermediate_arrays_count(text, wide):
    xs = Param("xs", array_of(INT64, 50000))
    assert symbolise(parse(text, {"xs": xs.type}), {}).wide is wide


@pytest.mark.sweep
def test_the_sum_of_an_outer_product(untuned):
    a = la.asarray(np.ones(46_400, np.int32))
    assert int(la.sum(a[:, None] * a[None, :])) == 46_400**2 > 2**31


@pytest.mark.sweep
def test_a_count_that_32_bits_do_not_hold(untuned):
    assert int(la.sum(la.ones(3 * 10**9, dtype=la.int64) * 1)) == 3 * 10**9
