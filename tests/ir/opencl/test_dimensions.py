# ruff: noqa: E501  # an expression reads best on one line
"""Launches over up to three dimensions: nests of maps in every order, with extents of no common size."""

from __future__ import annotations

from itertools import permutations

import pytest

from ir.core.expr import Expr
from ir.core.notation.parser import parse
from ir.core.size_variables import sizes_in
from ir.core.types import FLOAT32, array_of
from ir.core.verify import verify_low_level
from ir.opencl.generate import generate
from ir.opencl.stages import launch_of
from lazyarr.runtime import Device, default_device
from tests import oclgrind
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import K, M, N

TYPES = {
    "cube": array_of(FLOAT32, N, M, K),
    "tiles": array_of(FLOAT32, N, M, K, 2, 3, 5),
    "plane": array_of(FLOAT32, N, M, 4, 6),
    "matrix": array_of(FLOAT32, N, M),
}
SIZES = ({"n": 3, "m": 5, "k": 2}, {"n": 1, "m": 1, "k": 7})
ORDERS = list(permutations(range(3)))


def expression(text: str) -> Expr:
    name = next(name for name in TYPES if name in text)
    e = parse(text, {name: TYPES[name]}, {"n": N, "m": M, "k": K})
    verify_low_level(e)
    return e


def nest(maps: list[str], body: str, xs: str) -> Expr:
    function = body
    for each in reversed(maps):
        function = f"({each} {function})"
    return expression(f"{function[1:-1]} {xs}")


def of_items(order: tuple[int, ...]) -> Expr:
    return nest([f"mapGlobal{d}" for d in order], "(λx. abs x + 1)", "cube")


def of_groups(order: tuple[int, ...], local: tuple[int, ...]) -> Expr:
    return nest([f"mapWorkgroup{d}" for d in order] + [f"mapLocal{d}" for d in local], "(λx. abs x + 1)", "tiles")


FILL = ("mapLocal1 (mapLocal", "mapLocal (mapLocal1")
TRANSPOSED = [
    expression(f"mapWorkgroup1 (mapWorkgroup (λt. {use} (λx. x + 1)) (transpose (toLocal ({fill} (λx. x * 2)) t))))) plane")
    for fill in FILL
    for use in FILL
]  # fmt: skip
RAGGED = [
    expression(text)
    for text in (
        # shorter maps beside longer ones
        "mapWorkgroup1 (mapWorkgroup (λt. mapLocal1 (λr. concat(mapLocal (λx. x + 1) (slice 0 1 2 r), mapLocal abs (slice 2 1 4 r))) t)) plane",
        "mapWorkgroup1 (mapWorkgroup (λt. concat(mapLocal1 (mapLocal (λx. x + 1)) (slice 0 1 1 t), mapLocal1 (mapLocal abs) (slice 1 1 3 t)))) plane",
        "mapWorkgroup1 (λs. concat(mapWorkgroup (mapLocal (λx. x + 1)) (slice 0 1 1 s), mapWorkgroup (mapLocal abs) (slice 1 1 (m - 1) s))) cube",
        "concat(mapGlobal1 (mapGlobal2 (mapGlobal abs)) (slice 0 1 1 cube), mapGlobal1 (mapGlobal2 (mapGlobal (λx. x + 1))) (slice 1 1 (n - 1) cube))",
        # a length that is not known: a loop of the work-items that another map asks for
        "mapWorkgroup1 (mapWorkgroup (λr. concat(mapLocal1 (λx. x + 1) (slice 0 1 2 r), mapLocal1 abs (slice 2 1 (k - 2) r)))) cube",
        "mapWorkgroup2 (mapWorkgroup (mapSeq (λx. x + 1))) cube",
        # nothing at all, and exactly one
        "mapWorkgroup (λs. concat(mapSeq (mapLocal (λx. x)) (slice 0 1 0 s), mapSeq (mapLocal abs) s)) cube",
        "mapWorkgroup1 (λr. concat(mapLocal1 (λx. x) (slice 0 1 0 r), mapLocal1 (λx. x + 1) (slice 0 1 1 r))) matrix",
    )
]  # fmt: skip
ALL = [
    *map(of_items, ORDERS),
    *(of_groups(order, local) for order in ORDERS for local in ORDERS[order[0] :: 3]),
    *TRANSPOSED,
    *RAGGED,
]


def run(device: Device, e: Expr, sizes: dict[str, int]) -> None:
    names = {v.name for v in sizes_in(e)}
    check(device, e, e, {k: v for k, v in sizes.items() if k in names}, exact=True)


@pytest.mark.parametrize("order", ORDERS, ids=str)
def test_the_launch_has_the_extents_of_the_maps(order):
    launch = launch_of(of_items(order))
    assert launch.local is None
    assert tuple(launch.groups[d] for d in order) == (N, M, K)
    groups = launch_of(of_groups(order, (2, 0, 1)))
    assert tuple(groups.groups[d] for d in order) == (N, M, K)
    assert groups.local == (3, 5, 2)


@pytest.mark.parametrize("e", ALL, ids=str)
def test_every_order_computes_the_same(e, device):
    for sizes in SIZES:
        run(device, e, sizes)


def run_under_the_simulator() -> None:
    """All nests on the simulated device, the default one."""
    device = default_device()
    assert device.simulator
    for e in ALL:
        run(device, e, SIZES[0])


@pytest.mark.sweep
@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_a_simulator_finds_nothing_wrong_in_three_dimensions():
    code = "from tests.ir.opencl.test_dimensions import run_under_the_simulator as run\nrun()"
    assert oclgrind.run(code, timeout=600) == ""


@pytest.mark.parametrize("e", TRANSPOSED, ids=str)
def test_a_tile_needs_a_barrier_only_where_other_work_items_read_it(e):
    text = str(e)
    turned = text.count("mapLocal1 ∘ mapLocal") != 1 and text.count("mapLocal1 (mapLocal") != 1
    source = generate(e).source
    assert source.count("barrier(") == (1 if turned else 0)


def test_a_map_over_nothing_leaves_nothing():
    source = generate(RAGGED[-1]).source
    assert "if" not in source
    assert source.count("result[") == 1
