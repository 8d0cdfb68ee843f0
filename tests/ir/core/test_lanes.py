"""What the lanes of warps scan, each an element, and what work-items of a group add up together."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.expr import Param, fun
from ir.core.notation.parser import parse
from ir.core.notation.printer import show
from ir.core.patterns import SCATTER_LOCAL, Call, Concat, Literal, ScanLane, Scatter, Tuple
from ir.core.semantics.interpreter import interpret
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, ScalarType, TupleType, Type, VectorType, array_of
from ir.core.verify import verify_low_level
from ir.errors import ParseError, TypeMismatch, VerificationError
from ir.opencl.generate import generate
from lazyarr.runtime import default_device
from tests import oclgrind
from tests.ir.opencl.running import check

INT8 = ScalarType("int8")


def _by_hand(xs: np.ndarray, start: np.float32) -> np.ndarray:
    """Sums of float32 as shuffles form them: distances double, and all lanes add at once."""
    found = xs.reshape(-1, 32).copy()
    for distance in (1, 2, 4, 8, 16):
        before = found.copy()
        found[:, distance:] = before[:, :-distance] + before[:, distance:]
    return (start + found).reshape(xs.shape)


def test_each_warp_scans_alone_and_its_sums_have_one_grouping():
    e = parse("scanLane (+) c xs", {"xs": array_of(FLOAT32, 96), "c": FLOAT32})
    xs = np.random.default_rng(0).standard_normal(96).astype(np.float32)
    found = interpret(e, {"xs": xs, "c": np.float32(0.3)})
    assert found.tobytes() == _by_hand(xs, np.float32(0.3)).tobytes()
    assert show(e) == "scanLane (+) c xs"


def test_it_is_scanned_in_each_row_with_what_a_function_has_from_around_it():
    inputs = {"xss": array_of(INT32, 3, 64), "k": INT32}
    e = parse("map (λxs. scanLane (λ(a, b). (a + b) + k - k) 5 xs) xss", inputs)
    xss = np.random.default_rng(1).integers(-9, 9, (3, 64)).astype(np.int32)
    wanted = 5 + np.cumsum(xss.reshape(3, 2, 32), axis=2, dtype=np.int32).reshape(3, 64)
    assert (interpret(e, {"xss": xss, "k": np.int32(3)}) == wanted).all()


@pytest.mark.parametrize(
    ("t", "length"), [(FLOAT32, 33), (VectorType(FLOAT32, 4), 32), (array_of(FLOAT32, 2), 32), (FLOAT64, 32)]
)
def test_what_no_warp_scans_is_refused(t: Type, length: int):
    f = fun((FLOAT32, FLOAT32), lambda a, b: Call("add", a, b))
    with pytest.raises(TypeMismatch, match=r"scanLane|add"):
        ScanLane(f, Param("c", t), Param("xs", array_of(t, length)))


@pytest.mark.parametrize("t", [FLOAT32, INT8])
def test_only_integers_of_whole_words_are_added_together(t: Type):
    key = fun(INT32, lambda i: Tuple(i, Literal(1, t)))
    f = fun((t, t), lambda a, b: Call("add", a, b))
    with pytest.raises(TypeMismatch, match="adds integers"):
        Scatter(f, key, Param("xs", array_of(t, 4)), Param("is", array_of(INT32, 9)), SCATTER_LOCAL)
    with pytest.raises(ParseError, match="adds integers"):
        parse("scatterLocal maximum (λi. (i, i)) xs is", {"xs": array_of(INT32, 4), "is": array_of(INT32, 9)})


# --- where they may stand ---------------------------------------------------------------------------------------------

INPUTS = {"xss": array_of(FLOAT32, 3, 64), "ints": array_of(INT32, 3, 100)}
SCANNED = "toLocal (scanLane (+) 0:float32 xs)"
KERNEL = f"mapWorkgroup (λxs. mapLocal (λx. x) ({SCANNED})) xss"
COUNTED = "toLocal (scatterLocal (+) (λi. (i, 1:int64)) (mapLocal (λx. x) (repeat 64 0:int64)) is)"
COUNTS = f"mapWorkgroup (λis. mapLocal (λx. x) ({COUNTED})) ints"


@pytest.mark.parametrize("text", [KERNEL, COUNTS])
def test_the_work_items_of_a_group_do_it_together(text: str):
    low = parse(text, INPUTS)
    verify_low_level(low)
    assert parse(show(low), INPUTS) is low


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("scanLane (+) 0:float32 (element 0 xss)", "inside a mapWorkgroup"),
        ("mapWorkgroup (λxs. mapLocal (λx. x) (scanLane (+) 0:float32 xs)) xss", "local or global"),
        ("mapWorkgroup (λxs. mapLocal (λx. x) (toPrivate (scanLane (+) 0:float32 xs))) xss", "local or global"),
        (f"mapWorkgroup (λxss. mapLocal1 (λxs. mapLocal (λx. x) ({SCANNED})) xss) (split 3 xss)", "outside every"),
        ("mapWorkgroup (scatterLocal (+) (λi. (i, i)) (mapLocal (λx. x) (repeat 64 0:int32))) ints", "local memory"),
        (COUNTS.replace("(λis. mapLocal", "(λis. mapLocal1"), "a race"),  # by each work-item of the other dimension
        (KERNEL.replace("(+)", "(λ(a, b). a + element 0 (toLocal (scanLane (+) b xs)))"), "does not"),
        (KERNEL.replace("(+)", "(λ(a, b). a + element 0 (toLocal (mapLocal (λx. x + b) xs)))"), "does not"),
        (KERNEL.replace("(+)", "(λ(a, b). a + element 0 (toPrivate (mapLocal (λx. x + b) xs)))"), "does not"),
        (COUNTS.replace("(i, 1:", "(i + element 0 (toLocal (mapLocal (λj. j + i) is)), 1:"), "does not"),
    ],
)  # fmt: skip
def test_elsewhere_they_are_refused(text: str, why: str):
    with pytest.raises(VerificationError, match=why):
        verify_low_level(parse(text, INPUTS))


def test_each_lane_has_an_element():
    """Of the other kernel's part groups are twice as large."""
    others = parse("join (mapWorkgroup (λxs. mapLocal (λx. x) (join (repeat 2 xs))) xss)", INPUTS)
    with pytest.raises(VerificationError, match="are the lanes"):
        verify_low_level(Concat(parse(f"join ({KERNEL})", INPUTS), others))


# --- what they compute on a device ------------------------------------------------------------------------------------


def run_all(device) -> None:
    """Numbers of 1, 4 and 8 bytes, truth values, tuples of these; more values than work-items, places outside."""
    pair = TupleType((FLOAT64, BOOL))
    for f, z, t in (
        ("(+)", "0.5:float32", FLOAT32),
        ("maximum", "-9:int8", INT8),
        ("(+)", "3:int64", INT64),
        ("(λ(a, b). (maximum(a.0, b.0), a.1 | b.1))", "(-1:float64, false)", pair),
    ):
        inputs = {"xss": array_of(t, 3, 64)}
        low = parse(f"mapWorkgroup (λxs. mapLocal (λx. x) (toLocal (scanLane {f} ({z}) xs))) xss", inputs)
        check(device, low, low, {}, exact=True)
    for t in (INT32, INT64):
        value = f"{t} i * 1234567890123:int64" if t is INT64 else "i * 123456789"
        counts = COUNTED.replace("(i, 1:int64)", f"(i % 70 - 2, {value})").replace("int64)) is", f"{t})) is")
        low = parse(f"mapWorkgroup (λis. mapLocal (λx. x) ({counts})) ints", INPUTS)
        check(device, low, low, {}, exact=True)


@pytest.mark.device
def test_they_compute_what_they_mean():
    run_all(default_device())


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="no Oclgrind")
def test_they_have_no_races():
    code = """
from lazyarr.runtime import default_device
from tests.ir.core.test_lanes import run_all
run_all(default_device())
"""
    assert oclgrind.run(code, timeout=300) == ""


def test_their_code_names_an_instruction_and_a_way_without_it():
    source = generate(parse(KERNEL, INPUTS)).source
    assert source.count("LANE_UP_4(handed") == 5
    assert "shfl.sync.up.b32" in source
    assert "__local uint lanes4[64]" in source
    assert "add_local_8((volatile __local uint *)&shared" in generate(parse(COUNTS, INPUTS)).source
