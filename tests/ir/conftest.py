"""Derivations and kernels are remembered: many tests look at the same candidates of the zoo, each from another side."""

from __future__ import annotations

from functools import lru_cache

import pytest

from ir.opencl import generate
from ir.schedules import candidates
from tests.ir.schedules.zoo import Case
from tests.order import put_together

candidates._derived = lru_cache(maxsize=4096)(candidates._derived.__wrapped__)
generate._kernel = lru_cache(maxsize=256)(generate._kernel.__wrapped__)  # what is printed, predicted and put in place
generate.in_place_of = lru_cache(maxsize=256)(generate.in_place_of.__wrapped__)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The tests of an expression of the zoo run one after the other."""
    put_together(items, _expression)


def _expression(item: pytest.Item) -> str | None:
    """The name of the expression of the zoo that a test is of."""
    case = item.callspec.params.get("case") if hasattr(item, "callspec") else None
    return case.name if isinstance(case, Case) else None
