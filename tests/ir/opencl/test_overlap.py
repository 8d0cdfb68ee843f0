"""A loop that ends with a whole vector, over what the one before has written: `overlap`."""

from __future__ import annotations

import pytest

from ir.core.expr import Param, fun, postorder
from ir.core.notation.parser import parse
from ir.core.patterns import Call, Map, Overlap
from ir.core.sizes import Size, size, var
from ir.core.types import FLOAT32, INT32, ArrayType, array_of
from ir.core.verify import verify, verify_low_level
from ir.errors import VerificationError
from ir.opencl.generate import in_place_of
from ir.rewrite.places import body
from ir.rewrite.strategy import at, seq, use
from ir.rules.common import element
from ir.rules.opencl.in_order import maps_in_order
from ir.rules.opencl.lowering import map_to_global
from lazyarr.runtime import default_device
from tests import oclgrind
from tests.ir.opencl.running import check

N = var("n", 16)
TYPES = {
    "xss": ArrayType(array_of(FLOAT32, 13), N),
    "yss": ArrayType(array_of(FLOAT32, 9), N),
    "iss": ArrayType(array_of(INT32, 13), N),
}
LOW = {
    "parts that differ": "mapGlobal (λ(x, y). overlap 13 (mapSeq abs (slice 0 1 8 x)) (mapSeq abs y)) (zip(xss, yss))",
    "parts that say all": "mapGlobal (λ(x, y). overlap 13 (mapSeq abs x) (mapSeq abs y)) (zip(xss, yss))",
    "parts that do not meet": "mapGlobal (λ(x, y). overlap 13 (mapSeq abs (slice 0 1 4 x)) (mapSeq abs y)) "
    "(zip(xss, yss))",
    "of vectors": "mapGlobal (λx. overlap 13 (asScalar (mapSeq (λv. v * v) (asVector 8 (slice 0 1 8 x)))) "
    "(asScalar (mapSeq (λv. v * v) (asVector 8 (slice 5 1 8 x))))) xss",
    "kept": "mapGlobal (λ(x, y). mapSeq abs (slice 12 (-1) 13 (toPrivate (overlap 13 "
    "(mapSeq (λv. v - 1.0) (slice 0 1 8 x)) (mapSeq (λv. v + 1.0) y))))) (zip(xss, yss))",
    "a view": "mapGlobal (λ(x, y). mapSeq abs (overlap 13 (slice 0 1 8 x) y)) (zip(xss, yss))",
    "of pairs": "mapGlobal (λ(x, i). overlap 13 (mapSeq (λp. p) (zip(slice 0 1 10 x, slice 0 1 10 i))) "
    "(mapSeq (λ(v, k). (v, k + 1)) (zip(slice 5 1 8 x, slice 5 1 8 i)))) (zip(xss, iss))",
}


@pytest.mark.device
@pytest.mark.parametrize("name", LOW)
def test_what_is_written_last_is_there(name):
    e = parse(LOW[name], TYPES)
    verify_low_level(e)
    check(default_device(), e, e, {"n": 17}, {"n": 40}, exact=True)


def squares(n: Size) -> Map:
    """Rows of that length, and what is computed of each number."""
    xss = Param("xss", ArrayType(array_of(FLOAT32, n), N))
    return Map(fun(element(xss), lambda row: Map(fun(FLOAT32, lambda x: Call("multiply", x, x)), row)), xss)


@pytest.mark.device
@pytest.mark.parametrize("width", [2, 8, 16])
@pytest.mark.parametrize("m", [1, 2, 7, 8, 9, 15, 16, 17, 31, 33])
def test_rows_of_all_lengths_are_computed_in_vectors(m, width):
    lowered = seq(at(body, use(maps_in_order, width=width)), use(map_to_global, dim=0))
    for n, sizes in ((size(m), [{"n": 19}]), (var("m", width), [{"n": 19, "m": width + m - k} for k in (0, 1)])):
        found = lowered(squares(n), ())
        assert found is not None
        ends = [node for node in postorder(found.expr) if isinstance(node, Overlap)]
        assert len(ends) == (n.value is None or (m > width and m % width > 0))
        check(default_device(), squares(n), found.expr, *sizes, exact=True)


def test_elements_that_are_computed_twice_are_read_where_they_are():
    """A result in the memory of the input would be computed of itself."""
    assert in_place_of(parse(LOW["of vectors"], TYPES)) == {}
    assert in_place_of(parse("mapGlobal (mapSeq abs) xss", TYPES)) != {}


@pytest.mark.parametrize(
    "text",
    [
        "overlap n (mapGlobal abs (slice 0 1 n xs)) (mapGlobal abs (slice 1 1 (n - 1) xs))",
        "join (mapWorkgroup (λx. overlap 13 (mapLocal abs (slice 0 1 8 x)) (mapLocal abs (slice 5 1 8 x))) xss)",
    ],
)
def test_work_items_do_not_write_over_what_others_wrote(text):
    e = parse(text, {**TYPES, "xs": array_of(FLOAT32, N)})
    verify(e)
    with pytest.raises(VerificationError, match="one work-item computes both parts"):
        verify_low_level(e)


@pytest.mark.slow
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_a_simulator_finds_no_races():
    code = """
from tests.ir.opencl import test_overlap as these
for name in these.LOW:
    these.test_what_is_written_last_is_there(name)
for m in (7, 8, 17):
    these.test_rows_of_all_lengths_are_computed_in_vectors(m, 8)
"""
    assert oclgrind.run(code) == ""
