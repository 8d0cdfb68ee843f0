# ruff: noqa: E501  # an expression reads best on one line
"""Loops that stage in local memory load what the next turn stages: in every form that copies have, and no other."""

from __future__ import annotations

import pytest

from ir.core.notation.parser import parse
from ir.core.sizes import var
from ir.core.types import FLOAT32, array_of
from ir.core.verify import verify_low_level
from ir.opencl.generate import Program, generate
from ir.opencl.write.ahead import NOT_STAGED, NOT_THE_NEXT
from lazyarr.runtime import Device
from tests import oclgrind
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
@pytest.mark.parametrize("ahead", ["prefetch", "prefetchAgain"])
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
@pytest.mark.parametrize("masked", ["", "masked "])
def test_no_test_stands_around_loads_of_what_is_masked(form: str, end: int, masked: str, device: Device) -> None:
    """The first element is loaded in place of the number, which takes its place when it is stored."""
    padded = f"({masked}(concat(x, repeat 8 {end}:float32)))"
    text, inputs = program(form.format(x=padded), ahead="prefetchAgain 1 xss")
    e = parse(text, {**inputs, "xss": array_of(FLOAT32, var("n", 1), 24)}, {"n": var("n", 1), "m": M})
    verify_low_level(e)
    check(device, e, e, *({"n": k, "m": m} for k in (1, 2, 5) for m in (1, 3)), exact="exp" not in form)
    found = generate(e)
    assert not found.unheeded
    loads = [line for line in found.source.splitlines() if "ahead0[0] = " in line and "xss" in line]
    assert len(loads) == 2
    assert all(("?" in line.partition("xss")[0]) == (not masked) for line in loads)


MASKED = [
    ("masked (concat(masked (concat(x, repeat 4 1:float32)), repeat 4 2:float32))", True),
    ("masked (concat(concat(x, repeat 4 1:float32), repeat 4 2:float32))", False),  # x has another test
    ("masked (concat(concat(slice 0 1 12 x, slice 12 1 12 x), repeat 8 2:float32))", False),
    ("masked (concat(slice 23 (-1) 24 x, repeat 8 2:float32))", True),
    ("concat(slice 0 1 4 x, masked (concat(slice 4 1 20 x, repeat 8 2:float32)))", False),  # it begins later
    ("concat(masked (concat(x, repeat 4 1:float32)), repeat 4 2:float32)", False),
    ("masked (slice 0 1 32 (concat(x, repeat 8 2:float32)))", False),
]
FORMS = ["mapSeq (λy. y) ({})", "asScalar (mapSeq (λy. y) (asVector 4 ({})))"]


def written(device: Device, form: str, row: str) -> str:
    """The source of what copies such rows, and rows of ones that no memory holds, as the interpreter says."""
    rows = "concat(xss, repeat 2 (repeat 24 1:float32))"
    e = parse(
        f"join (mapGlobal (λx. {form.format(row)}) ({rows}))",
        {"xss": array_of(FLOAT32, var("n", 1), 24)},
        {"n": var("n", 1)},
    )
    inside = parse(
        f"join (mapGlobal (λx. {form.format(row)}) xss)",
        {"xss": array_of(FLOAT32, var("n", 1), 24)},
        {"n": var("n", 1)},
    )
    for each in (e, inside):
        verify_low_level(each)
        check(device, each, each, {"n": 1}, {"n": 3}, exact=True)
    assert "masked0" not in generate(e).source, "what row it is has to be tested before"
    return generate(inside).source


@pytest.mark.device
@pytest.mark.parametrize(("row", "loaded"), MASKED)
@pytest.mark.parametrize("form", FORMS)
def test_what_is_masked_is_loaded_where_no_other_test_stands_before_it(
    form: str, row: str, loaded: bool, device: Device
) -> None:
    assert ("masked0" in written(device, form, row)) == loaded


def of_local_memory(device: Device) -> str:
    """The source of what copies masked rows that work-items have in local memory; their first may be written still."""
    row = "toLocal (mapLocal (λy. y + 1:float32) x)"
    text = f"mapWorkgroup (λx. mapLocal (λy. y) (masked (concat({row}, repeat 8 2:float32)))) xss"
    e = parse(text, {"xss": array_of(FLOAT32, var("n", 1), 24)})
    check(device, e, e, {"n": 1}, {"n": 3}, exact=True)
    return generate(e).source


@pytest.mark.device
def test_what_lies_in_local_memory_is_loaded_under_its_test(device: Device) -> None:
    """Other work-items may write the first element meanwhile."""
    assert "masked0" not in of_local_memory(device)


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="no Oclgrind")
def test_nothing_is_loaded_that_is_not_there() -> None:
    code = """
from lazyarr.runtime import default_device
from tests.ir.opencl.test_ahead import FORMS, MASKED, of_local_memory, written
of_local_memory(default_device())
for row, _ in MASKED:
    for form in FORMS:
        written(default_device(), form, row)
"""
    assert oclgrind.run(code, timeout=300) == ""


def test_zeros_beyond_vectors_are_loaded_vector_by_vector() -> None:
    """Where the end divides no vector, what lies before it is read with a test, number by number."""
    for end, masked in ((24, 1), (21, 0)):
        e = parse(
            f"join (mapGlobal (λx. asScalar (mapSeq (λy. y) (asVector 4 (masked (concat(slice 0 1 {end} x, repeat {32 - end} 0:float32)))))) xss)",
            {"xss": array_of(FLOAT32, var("n", 1), 24)}, {"n": var("n", 1)},
        )  # fmt: skip
        assert generate(e).source.count("float4 masked") == masked


@pytest.mark.parametrize(("least", "masked"), [(0, False), (1, True)])
def test_what_may_have_no_elements_is_not_masked(least: int, masked: bool) -> None:
    n = var("n", least)
    e = parse("mapSeq (λy. y) (masked (concat(x, repeat 8 0:float32)))", {"x": array_of(FLOAT32, n)}, {"n": n})
    assert ("masked0" in generate(e).source) == masked
