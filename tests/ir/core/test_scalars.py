"""Operations on numbers: what their table says of them holds of NumPy's functions."""

from __future__ import annotations

import numpy as np
import pytest

from ir.core.scalars import OPERATIONS


@pytest.mark.parametrize("name", [name for name, op in OPERATIONS.items() if (op.rule, op.arity) == ("float", 1)])
def test_a_function_gives_nan_outside_of_its_domain_alone(name):
    low, high = OPERATIONS[name].domain
    places = np.array([-50, -1.25, -1, -0.75, 0, 0.75, 1, 1.25, 50])
    with np.errstate(all="ignore"):
        assert (np.isnan(OPERATIONS[name].numpy(places)) == ((places < low) | (places > high))).all()
