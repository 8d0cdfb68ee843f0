"""Loops that stage in local memory copy what later turns stage: what they copy as it is, and nothing else."""

from __future__ import annotations

import pytest

from ir.core.notation.parser import parse
from ir.core.types import FLOAT32, array_of
from ir.opencl.generate import generate
from ir.opencl.write.copies_ahead import NOT_COPIED
from lazyarr.runtime import Device
from tests.ir.opencl.test_ahead import COPY, M, N, made, program

pytestmark = pytest.mark.each


@pytest.mark.device
@pytest.mark.parametrize("turns", [1, 2, 3])
def test_copies_are_begun_turns_ahead(turns: int, device: Device) -> None:
    found = made(device, *program(COPY.format(x="x"), ahead=f"prefetchCopies {turns} xss"))
    assert not found.unheeded
    assert found.source.count("COPIES_AHEAD_END();") == turns + 1
    assert f"COPIES_AHEAD_WAIT({turns - 1});" in found.source
    assert f"rooms0[{32 * (turns + 1)}]" in found.source


@pytest.mark.device
@pytest.mark.parametrize("turns", ["0", "(-1)", "n"])
def test_no_turns_and_unknown_ones_are_none_ahead(turns: str, device: Device) -> None:
    assert NOT_COPIED in made(device, *program(COPY.format(x="x"), ahead=f"prefetchCopies {turns} xss")).unheeded


@pytest.mark.device
def test_what_each_work_item_copies_once_is_copied_ahead(device: Device) -> None:
    found = made(device, *program("toLocal (mapLocal (λy. y) x)", length=16, ahead="prefetchCopies 2 xss"))
    assert not found.unheeded


@pytest.mark.device
def test_what_is_computed_is_not(device: Device) -> None:
    scaled = "toLocal (join (mapSeq (λc. mapLocal (λy. y * 2) c) (split 16 x)))"
    assert NOT_COPIED in made(device, *program(scaled, ahead="prefetchCopies 2 xss")).unheeded


@pytest.mark.device
def test_what_is_copied_from_local_memory_is_not(device: Device) -> None:
    twice = COPY.format(x="(" + COPY.format(x="x") + ")")
    found = made(device, *program(twice, ahead="prefetchCopies 2 xss"))
    assert not found.unheeded
    assert found.source.count("__local float rooms") == 1, "the copy from global memory alone"


@pytest.mark.device
def test_vectors_are_where_their_places_are_aligned(device: Device) -> None:
    pairs = "toLocal (asScalar (join (mapSeq (λc. mapLocal (λy. y) c) (split 16 (asVector 2 x)))))"
    text, inputs = program(pairs, ahead="prefetchCopies 2 xss")
    assert NOT_COPIED in made(device, text, inputs).unheeded
    found = generate(parse(text, inputs, {"n": N, "m": M}), alignment=8)
    assert not found.unheeded
    assert "COPY_AHEAD_8(" in found.source


@pytest.mark.device
def test_every_piece_of_local_memory_is_aligned(device: Device) -> None:
    vector = "element 3 (toPrivate (asScalar (mapSeq (λv. v + v) (asVector 4 (slice 4 1 4 s)))))"
    sums = f"let s = toLocal (mapLocal (λy. y) x) in mapLocal (λp. p.0 + p.1 + {vector}) (zip(acc, slice 17 (-1) 18 s))"
    loop = f"reduceSeq (λ(acc, x). {sums}) (mapLocal (λz. 0:float32) q) (prefetchCopies 2 xss)"
    inputs = {"xss": array_of(FLOAT32, N, 18), "v": array_of(FLOAT32, 18 * M)}
    found = made(device, f"join (mapWorkgroup (λq. {loop}) (split 18 v))", inputs)
    assert not found.unheeded
    assert "(__local const float4*)" in found.source
    assert "rooms0 + i0 % 3 * 20;" in found.source


def test_indices_of_64_bits_stay_wide() -> None:
    e = parse(*program(COPY.format(x="x"), ahead="prefetchCopies 2 xss"), {"n": N, "m": M})
    source = generate(e, index_type="long").source
    assert "long next0 = (i0 + 2) < n ? (i0 + 2) : i0;" in source
    assert "xss[32 * ((long)0)" in source


@pytest.mark.device
def test_the_first_copies_of_a_loop_wait_for_who_reads_those_of_the_loop_before(device: Device) -> None:
    sums = (
        f"reduceSeq (λ(acc, x). mapLocal (λp. p.0 + p.1) (zip(acc, slice 31 (-1) 16 ({COPY.format(x='x')}))))"
        " (mapLocal (λz. 0:float32) r) (prefetchCopies 2 xss)"
    )
    text = f"join (mapWorkgroup (λq. join (mapSeq (λr. join ({sums})) (split 16 q))) (split 48 v))"
    inputs = {"xss": array_of(FLOAT32, N, 32), "v": array_of(FLOAT32, 48 * M)}
    found = made(device, text, inputs)
    assert not found.unheeded
    assert "barrier(" in found.source.partition("for (")[2].partition("COPY_AHEAD_4(&")[0], "others read them"
    assert found.source.count("barrier(") == 2
    alone = made(device, *program(COPY.format(x="x"), ahead="prefetchCopies 2 xss"))
    assert alone.source.count("barrier(") == 1
