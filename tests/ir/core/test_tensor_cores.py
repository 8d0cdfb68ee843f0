"""Numbers of TF32, and what the lanes of a warp add up together."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.expr import Param, fun
from ir.core.notation.parser import parse
from ir.core.notation.printer import show
from ir.core.patterns import Call, Concat, Map, Mma
from ir.core.semantics.error_bounds import interpret_bounded
from ir.core.semantics.interpreter import interpret
from ir.core.sizes import var
from ir.core.tf32 import cut_to_tf32, rounded_to_tf32
from ir.core.types import FLOAT32, FLOAT64, array_of
from ir.core.verify import verify_low_level
from ir.errors import TypeMismatch, VerificationError
from ir.opencl.generate import generate


def _bits(*patterns):
    return np.array(patterns, np.uint32).view(np.float32)


def test_numbers_are_rounded_to_the_nearest_of_ten_bits():
    given = _bits(0x3F800000, 0x3F800FFF, 0x3F801000, 0x3F801001, 0x3F802FFF, 0x3F803000, 0xBF801000, 0x80000000)
    wanted = _bits(0x3F800000, 0x3F800000, 0x3F802000, 0x3F802000, 0x3F802000, 0x3F804000, 0xBF802000, 0x80000000)
    assert rounded_to_tf32(given).tobytes() == wanted.tobytes()
    assert cut_to_tf32(given).tobytes() == (given.view(np.uint32) & 0xFFFFE000).tobytes()


def test_numbers_without_a_neighbour_stay_or_become_infinite():
    given = _bits(0x7F7FFFFF, 0xFF7FFFFF, 0x7F800000, 0x7FC00001, 0x7F800001, 0x00000001, 0x00001000)
    found = rounded_to_tf32(given)
    assert np.isposinf(found[[0, 2]]).all()
    assert np.isneginf(found[1])
    assert np.isnan(found[3:5]).all()
    assert np.isnan(cut_to_tf32(given)[3:5]).all()
    assert found[5:].tobytes() == _bits(0, 0x00002000).tobytes()


def test_products_of_rounded_numbers_are_exact():
    x, y = (rounded_to_tf32(np.random.default_rng(seed).standard_normal(1000)) for seed in (0, 1))
    assert ((x * y).astype(np.float64) == x.astype(np.float64) * y.astype(np.float64)).all()


def test_the_primitive_is_of_float32_alone_and_exact():
    xs = Param("xs", array_of(FLOAT32, var("n")))
    e = Map(fun(FLOAT32, lambda x: Call("round_to_tf32", x)), xs)
    given = np.random.default_rng(0).standard_normal(100).astype(np.float32)
    ((value, error),) = interpret_bounded(e, {"xs": given}, {"n": 100})
    assert not error.any()
    assert (value == rounded_to_tf32(given)).all()
    with pytest.raises(TypeMismatch, match="float32"):
        Call("round_to_tf32", Param("x", FLOAT64))


# --- mma --------------------------------------------------------------------------------------------------------------


def _held(m: int, n: int):
    return array_of(FLOAT32, 32, m, n, 4)


def _mma(m: int = 2, n: int = 3, k: int = 16) -> Mma:
    return Mma(
        1, Param("cs", _held(m, n)), Param("a", array_of(FLOAT32, k, 16 * m)), Param("b", array_of(FLOAT32, k, 8 * n))
    )


def _by_hand(cs, a, b):
    """Lane by lane and element by element, as PTX says where each lies."""
    found = cs.astype(np.float64)
    a, b = (cut_to_tf32(x).astype(np.float64) for x in (a, b))
    for lane in range(32):
        for i in range(cs.shape[1]):
            for j in range(cs.shape[2]):
                for k in range(4):
                    row, column = lane // 4 + 8 * (k // 2), 2 * (lane % 4) + k % 2
                    found[lane, i, j, k] += (a[:, 16 * i + row] * b[:, 8 * j + column]).sum()
    return found


def test_each_lane_adds_to_the_elements_that_it_holds():
    rng = np.random.default_rng(0)
    cs, a, b = (rng.standard_normal(shape).astype(np.float32) for shape in ((32, 2, 3, 4), (16, 32), (16, 24)))
    e = _mma()
    found = interpret(e, {"cs": cs, "a": a, "b": b})
    assert found.dtype == np.float32
    np.testing.assert_allclose(found, _by_hand(cs, a, b), rtol=1e-6, atol=1e-5)
    assert parse(show(e), {p.identifier: p.type for p in (e.init, e.rows, e.columns)}) is e


def test_it_is_computed_for_each_of_many():
    rng = np.random.default_rng(0)
    many, a, b = (rng.standard_normal(s).astype(np.float32) for s in ((5, 32, 1, 1, 4), (5, 8, 16), (8, 8)))
    xs = parse("map (λ(cs, a). mma 1 cs a b) (zip(css, as))", {
        "css": array_of(FLOAT32, 5, 32, 1, 1, 4), "as": array_of(FLOAT32, 5, 8, 16), "b": array_of(FLOAT32, 8, 8),
    })  # fmt: skip
    found = interpret(xs, {"css": many, "as": a, "b": b})
    for i in range(5):
        np.testing.assert_allclose(found[i], _by_hand(many[i], a[i], b), rtol=1e-6, atol=1e-5)


@pytest.mark.parametrize(
    ("held", "rows", "columns"),
    [
        (_held(1, 1), (8, 32), (8, 8)),
        (_held(1, 1), (8, 16), (16, 8)),
        (_held(1, 1), (4, 16), (4, 8)),
        (_held(1, 1), (8, 16), (8, 12)),
        (array_of(FLOAT32, 16, 1, 1, 4), (8, 16), (8, 8)),
    ],
)
def test_what_does_not_fit_is_refused(held, rows, columns):
    with pytest.raises(TypeMismatch, match="mma"):
        Mma(1, Param("cs", held), Param("a", array_of(FLOAT32, *rows)), Param("b", array_of(FLOAT32, *columns)))


def _kernel(kept="toPrivate"):
    """A work-group of one warp that adds up chunks of 8 terms, and writes what its lanes hold one after the other."""
    zeros = "mapLocal (mapSeq (mapSeq (mapSeq (λx. x)))) (repeat 32 (repeat 1 (repeat 1 (repeat 4 0.0:float32))))"
    sums = f"element 0 ({kept} (reduceSeq (λ(cs, p). mma 1 cs p.0 p.1) ({zeros}) (zip(xs, ys))))"
    flat = f"join (mapLocal (λc. join (mapSeq (join ∘ mapSeq (mapSeq (λx. x))) c)) ({sums}))"
    types = {"xs": array_of(FLOAT32, 2, 8, 16), "ys": array_of(FLOAT32, 2, 8, 8)}
    return parse(f"join (mapWorkgroup (λz. {flat}) (repeat 1 1.0:float32))", types)


def test_a_warp_holds_what_it_adds_up_in_private_memory():
    verify_low_level(_kernel())
    with pytest.raises(VerificationError):
        verify_low_level(_kernel("toLocal"))


def test_the_lanes_are_all_work_items_of_the_first_dimension():
    others = parse("join (mapWorkgroup (λz. mapLocal (λx. x) (repeat 64 z)) (repeat 1 1.0:float32))", {})
    with pytest.raises(VerificationError, match="are the lanes, as many as the longest mapLocal"):
        verify_low_level(Concat(_kernel(), others))


def test_a_warp_is_not_shared_out_among_its_own_lanes():
    e = parse(
        "mapWorkgroup (λz. mapLocal (λy. mma 1 cs a b) (repeat 1 z)) (repeat 1 1.0:float32)",
        {"cs": _held(1, 1), "a": array_of(FLOAT32, 8, 16), "b": array_of(FLOAT32, 8, 8)},
    )
    with pytest.raises(VerificationError, match="outside every mapLocal of its lanes"):
        verify_low_level(e)


def test_its_code_is_one_instruction_for_each_matrix_and_eight_terms():
    source = generate(_kernel()).source
    assert source.count("MMA(kept") == 1
    assert "mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32" in source
    assert "< 2; ++i" in source
