"""Vectors of elements at places that come from data: of every type and width, with indices inside and outside."""

from __future__ import annotations

from functools import partial

import pytest

from ir.core.notation.parser import parse
from ir.core.sizes import var
from ir.core.types import BOOL, FLOAT32, FLOAT64, INT32, INT64, array_of, scalar
from ir.core.verify import verify_low_level
from ir.cost.nests import stages_to_predict
from ir.opencl.generate import generate
from ir.rewrite.derivation import Derivation
from tests.ir.opencl import running
from tests.ir.opencl.running import check

N, K = var("n", 1, 1000), var("k", 1, 1000)
AT_ONCE = {FLOAT32: 8, FLOAT64: 4, INT32: 8, INT64: 4}
"""The elements of a vector from which on they are gathered, not put together."""


def gathering(t, indices, width):
    """The program, and its kernel in vectors, one for each work-item."""
    types = {"xs": array_of(t, K), "ys": array_of(t, 16 * N), "js": array_of(indices, 16 * N)}
    e = parse("map (λ(x, y). (x, y)) (zip(gather xs js, ys))", types)
    derivation = Derivation.of(e).apply("vectorise_map", (), width=width).apply("vect_propagation", (0, 0))
    return e, derivation.apply("map_to_global", (0,), dim=0).result


TYPES = (FLOAT32, FLOAT64, INT32, INT64, scalar("uint8"), scalar("int16"), BOOL)
CASES = [(t, width, INT32) for t in TYPES for width in (4, 8, 16)] + [(t, 8, INT64) for t in (FLOAT32, FLOAT64)]


@pytest.mark.parametrize(("t", "width", "indices"), CASES, ids=str)
def test_elements_at_places_from_data(t, width, indices, device):
    e, low = gathering(t, indices, width)
    verify_low_level(low)
    check(device, e, low, {"n": 3, "k": 37}, exact=True, optimised=True)
    at_once = width >= AT_ONCE.get(t, 99)
    assert ("= gathered_" in generate(low).source) == at_once


@pytest.mark.parametrize(("t", "width"), [(FLOAT32, 8), (FLOAT32, 16), (FLOAT64, 8)], ids=str)
@pytest.mark.parametrize("indices", [INT32, INT64], ids=str)
def test_places_of_64_bits(t, width, indices, device, monkeypatch):
    monkeypatch.setattr(running, "generated", partial(generate, index_type="long"))
    e, low = gathering(t, indices, width)
    assert f"long{width}" in running.generated(low).source
    check(device, e, low, {"n": 3, "k": 37}, exact=True, optimised=True)


def test_each_element_is_an_access_for_the_model():
    """They are not neighbours, and the names of their indices do not hide in the call."""
    _, low = gathering(FLOAT32, INT32, 8)
    (stage,) = stages_to_predict(low)
    steps = [step for nest in stage.nest.inside() for step in nest.body if hasattr(step, "reads")]
    places = {place.index: place for step in steps for place in step.reads if place.name == "xs"}
    assert len(places) == 8 and {place.width for place in places.values()} == {1}
    (found,) = [step for step in steps if any(place.name == "xs" for place in step.reads)]
    assert found.lanes == 8 and not found.functions and not found.divisions
