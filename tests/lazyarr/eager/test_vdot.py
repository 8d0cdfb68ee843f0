"""`vdot` of small operands whose values exist."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from ir.cost.thresholds.eager import EAGER_FUNCTION_ELEMENTS_AT_MOST
from lazyarr.eager.operations import recording_only
from lazyarr.eager.products import TERMS_AT_MOST


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64", "int64"])
def test_few_terms_of_one_dtype_are_numpys(dtype, monkeypatch):
    sizes = []
    monkeypatch.setattr(np, "vdot", lambda a, b, vdot=np.vdot: sizes.append(a.size) or vdot(a, b))
    most = min(TERMS_AT_MOST[np.dtype(dtype)], EAGER_FUNCTION_ELEMENTS_AT_MOST)
    asked = [n for n in (0, 1, 3, most - 1, most, most + 1) if n >= 0]
    for n in asked:
        x = la.asarray(np.arange(n).astype(dtype)) * 1
        la.compute(x)
        assert la.vdot(x, x).dtype == dtype
        assert complex(la.vdot(x, la.asarray(np.ones(n, "int8")))) == n * (n - 1) / 2 or dtype in (
            "float32",
            "complex64",
        )
    assert sizes == [n for n in asked if 0 < n <= most]


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64", "int64"])
def test_vdot_of_few_terms_is_what_is_recorded(dtype):
    rng = np.random.default_rng(3)
    for n in (0, 1, 3, 64, 65, 512, 513):
        x, y = (rng.normal(size=(n, 2)) @ np.array([1, 1j if dtype[0] == "c" else 2]) for _ in range(2))
        x, y = x.astype(dtype), y.astype(dtype)
        a, b = la.asarray(x) * 1, la.asarray(y) * 1
        la.compute(a, b)
        found = la.vdot(a, b)
        with recording_only:
            recorded = la.vdot(a, b)
        assert (found.dtype, found.shape) == (recorded.dtype, ())
        bound = 64 * np.finfo("float32" if dtype in ("float32", "complex64") else "float64").eps
        scale = np.sum(np.abs(x) * np.abs(y))
        assert abs(complex(found) - complex(recorded)) <= bound * scale
        assert abs(complex(found) - complex(np.vdot(x.astype("complex128"), y.astype("complex128")))) <= bound * scale
    with pytest.raises(ValueError, match="as many elements"):
        la.vdot(la.ones(3) * 1, la.ones(4) * 1)
    mixed = la.vdot(la.arange(3) * 1, la.arange(3.0) * 1j), la.vdot(la.arange(3.0) * 1j, la.arange(3) * 1)
    assert [complex(x) for x in mixed] == [5j, -5j]
