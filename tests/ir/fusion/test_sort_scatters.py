"""Long scatters over many places are sorts on GPUs, where each range of places would look at all values."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.expr import Expr, Param, fun, postorder
from ir.core.patterns import Call, Scatter, Sort, Zip
from ir.core.semantics.interpreter import interpret
from ir.core.types import FLOAT32, INT32, INT64, ArrayType, ScalarType, TupleType
from ir.cost.thresholds.sorts import SCATTER_SHARES_AT_LEAST, SCATTER_SORTED_FROM, SCATTER_SORTED_PLACES_EACH
from ir.fusion.partition.kernels import prepare

LONG = SCATTER_SORTED_FROM
FUNCTIONS = {
    "last": fun((FLOAT32, FLOAT32), lambda a, b: b),
    "add": fun((FLOAT32, FLOAT32), lambda a, b: Call("add", a, b)),
    "maximum": fun((FLOAT32, FLOAT32), lambda a, b: Call("maximum", a, b)),
    "subtract": fun((FLOAT32, FLOAT32), lambda a, b: Call("subtract", a, b)),
}


def scatter(how: str, places: int, values: int, t: ScalarType = INT32) -> tuple[Scatter, list[Param]]:
    lengths = (("xs", FLOAT32, places), ("is", t, values), ("vs", FLOAT32, values))
    given = [Param(name, ArrayType(own, n)) for name, own, n in lengths]
    xs, indices, vs = given
    return Scatter(FUNCTIONS[how], fun(TupleType((t, FLOAT32)), lambda p: p), xs, Zip(indices, vs)), given


def prepared(e: Expr, by_items: bool = True) -> Expr:
    (made,) = prepare([e], by_items=by_items).roots
    return made


def sorts(e: Expr) -> bool:
    return any(isinstance(x, Sort) for x in postorder(e))


@pytest.mark.parametrize(
    ("how", "places", "values", "is_sort"),
    [
        ("last", 3, LONG, True),
        ("last", 3000, LONG - 1, False),
        ("add", 3000, LONG, True),
        ("add", LONG // SCATTER_SHARES_AT_LEAST, LONG, False),  # each share has an array of its own
        ("add", LONG // SCATTER_SHARES_AT_LEAST + 1, LONG, True),
        ("subtract", 3000, LONG, False),  # no monoid
        ("last", LONG * SCATTER_SORTED_PLACES_EACH, LONG, True),
        ("last", LONG * SCATTER_SORTED_PLACES_EACH + 1, LONG, False),  # each place would look for its value
    ],
)
def test_long_scatters_over_many_places_are_sorts_where_items_share(how, places, values, is_sort):
    e, _ = scatter(how, places, values)
    assert sorts(prepared(e)) == is_sort
    assert prepared(e, by_items=False) is e


@pytest.mark.parametrize(
    ("t", "places", "is_sort"), [(INT32, 2**31, True), (INT32, 2**31 + 1, False), (INT64, 2**31 + 1, True)]
)
def test_places_that_the_indices_cannot_count_are_no_sorts(t, places, is_sort):
    assert sorts(prepared(scatter("last", places, 2**19, t)[0])) == is_sort


@pytest.mark.parametrize("t", [INT32, INT64])
@pytest.mark.parametrize("how", ["last", "add", "maximum"])
@pytest.mark.parametrize(("places", "values"), [(40, LONG), (5000, LONG + 1), (40, 2 * LONG - 1)])
def test_values_are_the_same(how, places, values, t):
    """Also of values for places below zero, beyond the end, and whose place all others have."""
    e, given = scatter(how, places, values, t)
    made = prepared(e)
    assert sorts(made)
    rng = np.random.default_rng(values + places)
    xs, vs = (rng.integers(-99, 99, n).astype(np.float32) for n in (places, values))
    for low, high in ((-5, places + 5), (7, 8), (places, places + 3)):
        at = rng.integers(low, high, values).astype(t.name)
        env = dict(zip(given, (xs, at, vs), strict=True))
        np.testing.assert_array_equal(interpret(made, env), interpret(e, env))


def test_infinities_and_nan_stay_at_their_places():
    e, given = scatter("add", 100, LONG)
    at = np.arange(LONG, dtype=np.int32) % 100
    vs = np.ones(LONG, np.float32)
    vs[[3, 104, 205]] = np.inf, -np.inf, np.nan
    found = interpret(prepared(e), dict(zip(given, (np.zeros(100, np.float32), at, vs), strict=True)))
    assert (found[3], found[4]) == (np.inf, -np.inf)
    assert np.isnan(found[5])
    assert np.isfinite(np.delete(found, [3, 4, 5])).all()
