# ruff: noqa: E501  # an expression reads best on one line
"""Loops that stage in local memory load what the next turn stages: in every form that copies have, and no other."""

from __future__ import annotations

import pytest

from ir.core.notation.parser import parse
from ir.core.sizes import var
from ir.core.types import FLOAT32, array_of
from ir.core.verify import verify_low_level
from ir.opencl.generate import Program, generate
from ir.opencl.passes.accesses import AccessLog
from ir.opencl.read.views import Storage
from ir.opencl.write.ahead import NOT_STAGED, NOT_THE_NEXT, untested
from lazyarr.runtime import Device
from tests.ir.opencl.running import check

pytestmark = pytest.mark.each

N, M = var("n", 0), var("m", 1)
COPY = "toLocal (join (mapSeq (λc. mapLocal (λy. y) c) (split 16 {x})))"
VECTORS = "toLocal (join (transpose (split 2 (asScalar (join (mapSeq (λc. mapLocal (λy. y) c) (split 16 (asVector 2 {x}))))))))"


def program(
    staged: str, length: int = 32, ahead: str = "prefetch 1 xss", let: str = ""
) -> tuple[str, dict[str, object]]:
    """Sums of the ends of rows, each of which a turn stages and reads backwards."""
    text = (
        f"join (mapWorkgroup (λq. reduceSeq (λ(acc, x). {let} mapLocal (λp. p.0 + p.1) (zip(acc, slice {length - 1} (-1) 16 ({staged}))))"
        f" (mapLocal (λz. 0:float32) q) ({ahead})) (split 16 v))"
    )
    return text, {"xss": array_of(FLOAT32, N, length), "v": array_of(FLOAT32, 16 * M)}


def made(device: Device, text: str, inputs: dict[str, object]) -> Program:
    """The kernel, which computes what the expression means."""
    e = parse(text, inputs, {"n": N, "m": M})
    verify_low_level(e)
    check(device, e, e, *({"n": n, "m": m} for n in (0, 1, 2, 5) for m in (1, 3)), exact=True)
    return generate(e)


@pytest.mark.device
@pytest.mark.parametrize("staged", [COPY.format(x="x"), VECTORS.format(x="x")], ids=["numbers", "vectors"])
@pytest.mark.parametrize("ahead", ["prefetch", "prefetchAgain", "prefetchAlways"])
def test_what_is_copied_is_loaded_ahead(ahead: str, staged: str, device: Device) -> None:
    found = made(device, *program(staged, ahead=f"{ahead} 1 xss"))
    assert not found.unheeded
    assert "ahead0[0] = " in found.source
    assert ("if ((i0 + 1) < n)" in found.source) == (ahead == "prefetch")


@pytest.mark.device
def test_what_each_work_item_copies_once_is_loaded_ahead(device: Device) -> None:
    assert not made(device, *program("toLocal (mapLocal (λy. y) x)", length=16)).unheeded


@pytest.mark.device
@pytest.mark.parametrize("form", [COPY, VECTORS], ids=["numbers", "vectors"])
def test_what_is_copied_from_local_memory_is_not(form: str, device: Device) -> None:
    """It is there only when the turn before has filled it."""
    found = made(device, *program(form.format(x="(" + COPY.format(x="x") + ")")))
    assert found.source.count("float ahead") == 1, "the copy from global memory alone"


@pytest.mark.device
def test_what_the_row_of_a_turn_says_is_that_of_the_next_row(device: Device) -> None:
    scaled = "toLocal (join (mapSeq (λc. mapLocal (λy. y * s) c) (split 16 x)))"
    found = made(device, *program(scaled, let="let s = element 3 x * 2 in"))
    assert found.source.count("xss[32 * (i0 + 1) + 3]") == 2
    found = made(device, *program(scaled, let="let s = element 3 x * 2 in", ahead="prefetchAgain 1 xss"))
    assert found.source.count("xss[32 * next0 + 3]") == 2


@pytest.mark.device
def test_other_turns_and_long_copies_are_not_loaded_ahead(device: Device) -> None:
    assert NOT_THE_NEXT in made(device, *program(COPY.format(x="x"), ahead="prefetch 2 xss")).unheeded
    assert NOT_STAGED in made(device, *program(COPY.format(x="x"), length=16 * 65)).unheeded


def test_indices_of_64_bits_stay_wide() -> None:
    e = parse(*program(COPY.format(x="x")), {"n": N, "m": M})
    source = generate(e, index_type="long").source
    assert "xss[32 * ((long)0)" in source
    assert "16 * ((long)1)" in source
    again = parse(*program(COPY.format(x="x"), ahead="prefetchAgain 1 xss"), {"n": N, "m": M})
    assert "long next0 = (i0 + 1) < n ? (i0 + 1) : i0;" in generate(again, index_type="long").source


@pytest.mark.device
@pytest.mark.parametrize(
    "form", [COPY, VECTORS, COPY.replace("y) c", "exp y) c")], ids=["numbers", "vectors", "computed"]
)
@pytest.mark.parametrize("end", [0, 1])
@pytest.mark.parametrize("ahead", ["prefetchAlways", "prefetchAgain"])
def test_no_test_stands_around_loads_of_what_is_zero_beyond_the_end(
    form: str, end: int, ahead: str, device: Device
) -> None:
    """The first element is loaded in its place, where it is known that there is one."""
    text, inputs = program(form.format(x=f"(concat(x, repeat 8 {end}:float32))"), ahead=f"{ahead} 1 xss")
    for n, tested in ((N, True), (var("n", 1), end == 1 or ahead == "prefetchAgain")):
        e = parse(text, {**inputs, "xss": array_of(FLOAT32, n, 24)}, {"n": n, "m": M})
        verify_low_level(e)
        check(device, e, e, *({"n": k, "m": m} for k in (1, 2, 5) for m in (1, 3)), exact=form in (COPY, VECTORS))
        loads = [line for line in generate(e).source.splitlines() if "ahead0[0] = " in line and "xss" in line]
        assert len(loads) == 2
        assert all(("?" in line.partition("xss")[0]) == tested for line in loads)


@pytest.mark.parametrize(
    ("value", "found"),
    [
        ("f((a ? x[i] : 0.0f))", ("f(x[a ? i : 0])", "a", "f(0.0f)")),
        ("(a ? (b ? x[i] : 0.0f) : 0.0f)", ("x[(a) && (b) ? i : 0]", "(a) && (b)", "0.0f")),
        ("(a ? *(float2*)(x + (i)) : (float2)(0, 0))", ("*(float2*)(x + (a ? i : 0))", "a", "(float2)(0, 0)")),
        ("(a ? x[i] * x[i] : 0.0f)", ("x[a ? i : 0] * x[a ? i : 0]", "a", "0.0f")),
        ("(a ? (b ? x[i] : 1.0f) : 0.0f)", None),
        ("(a ? f((b ? x[i] : 0.0f)) : 0.0f)", None),
        ("(a ? x[i] : 0.0f) + (b ? x[i] : 0.0f)", None),
        ("(a ? x[i] : 0.0f) + x[i]", None),
        ("(x[i] > 0 ? x[i] : 0.0f)", None),
        ("(x[i] > 0 ? 1.0f : 0.0f)", None),
        ("x[(a ? i : 0)]", None),
        ("(a ? y[i] : 0.0f)", None),
    ],
)
def test_a_test_moves_into_the_index_of_what_it_guards_alone(value: str, found: tuple[str, str, str] | None) -> None:
    """What stands around it is read whatever the test says, and what the test reads is not loaded ahead."""
    log, i = AccessLog(), var("i", 0)
    for name in ("x", "y"):
        for place in (f"{name}[i]", f"{name} + (i)", f"{name}[(a ? i : 0)]"):
            log.note(Storage(name, "global", FLOAT32), place, i)
    assert untested(log, {"x"}, value) == found
