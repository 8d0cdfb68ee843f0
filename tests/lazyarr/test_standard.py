"""The array API standard v2025.12 against its reference implementation: names, signatures, and small arrays."""

from __future__ import annotations

import inspect
from types import ModuleType

import array_api_strict as xp
import numpy as np
import pytest

import lazyarr as la
from lazyarr import config

SPACES = {"": (xp, la), "linalg": (xp.linalg, la.linalg), "fft": (xp.fft, la.fft)}
ITS_OWN = {
    "ArrayAPIStrictFlags",
    "Device",
    "__version__",
}  # of the reference implementation, and its functions on flags


def names(space: ModuleType) -> list[str]:
    found = getattr(space, "__all__", None) or [name for name in dir(space) if not name.startswith("_")]
    kept = [name for name in found if name not in ITS_OWN and "strict_flags" not in name]
    return [name for name in kept if not isinstance(getattr(space, name), ModuleType)]


EACH = [(space, name) for space, (reference, _) in SPACES.items() for name in names(reference)]


@pytest.fixture(autouse=True)
def untuned():
    old = config.configure(tune="off")
    yield
    config.configure(**vars(old))


@pytest.mark.parametrize(("space", "name"), EACH)
def test_every_name_takes_the_standards_parameters(space, name):
    reference, own = SPACES[space]
    wanted, found = getattr(reference, name), getattr(own, name)
    if not callable(wanted) or inspect.isclass(wanted):
        return
    has = inspect.signature(found).parameters
    anything = {p.kind for p in has.values()}
    for place, parameter in enumerate(inspect.signature(wanted).parameters.values()):
        if parameter.kind is parameter.POSITIONAL_ONLY:
            taken = [p for p in has.values() if p.kind is not p.KEYWORD_ONLY]
            assert place < len(taken) or parameter.VAR_POSITIONAL in anything, parameter.name
        elif parameter.kind is not parameter.VAR_POSITIONAL:
            assert parameter.name in has or parameter.VAR_KEYWORD in anything, parameter.name
            by_name = has.get(parameter.name)
            assert by_name is None or by_name.kind is not by_name.POSITIONAL_ONLY, parameter.name
            if parameter.kind is parameter.POSITIONAL_OR_KEYWORD and by_name is not None:
                assert list(has).index(parameter.name) == place


def test_arrays_have_the_standards_attributes_and_methods():
    public = [
        n for n in dir(type(xp.asarray(1.0))) if not n.startswith("_") or (n.startswith("__") and n.endswith("__"))
    ]
    lacking = [name for name in public if not hasattr(la.Array, name)]
    assert [name for name in lacking if name != "__buffer__"] == []  # of Python 3.12 on


# --- the element-wise chapter, on every dtype it is defined for -------------------------------------------------------

VALUES = {
    "b": [False, True, True, False, True],
    "i": [-3, 0, 1, 2, 5],
    "u": [0, 1, 2, 3, 7],
    "f": [-1.5, 0.0, 0.25, 1.0, 2.5],
    "c": [-1.5 + 0.5j, 0.25j, 0.25, 1 - 1j, 2 + 2.5j],
}
DTYPES = [
    "bool", "int8", "int16", "int32", "int64", "uint8", "uint16", "uint32", "uint64", "float32", "float64",
    "complex64", "complex128",
]  # fmt: skip
ELEMENTWISE = [
    name for name in names(xp) if getattr(xp, name).__class__.__name__ == "function"
    and getattr(xp, name).__module__ == "array_api_strict._elementwise_functions" and name != "clip"
]  # fmt: skip


NO_NEGATIVES = {"bitwise_left_shift", "bitwise_right_shift", "pow"}
VALUED = {"int32", "float64", "complex128"}
"""Dtypes whose values are compared here; `test_special_values.py` and others compare those of all with NumPy's."""


@pytest.mark.parametrize("dtype", DTYPES)
def test_element_wise_functions(dtype):
    values = np.array(VALUES[np.dtype(dtype).kind], dtype)
    compared, pairs = 0, []
    for name in ELEMENTWISE:
        function = getattr(xp, name)
        count = sum(p.kind is p.POSITIONAL_ONLY for p in inspect.signature(function).parameters.values())
        second = np.abs(values[::-1]) if name in NO_NEGATIVES else values[::-1].copy()
        arguments = [values, second][:count]
        try:
            with np.errstate(all="ignore"):
                expected = function(*(xp.asarray(a) for a in arguments))
        except TypeError:
            continue  # the standard does not define it for this dtype
        pairs.append((name, getattr(la, name)(*(la.asarray(a) for a in arguments)), np.asarray(expected)))
    if dtype in VALUED:
        la.compute(*(found for _, found, _ in pairs))
    for name, found, expected in pairs:
        assert found.dtype == expected.dtype, name
        assert found.shape == expected.shape, name
        if dtype in VALUED:
            np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-6, atol=1e-6, err_msg=name)
        compared += 1
    assert compared >= {"b": 8, "i": 25, "u": 25, "f": 40, "c": 25}[np.dtype(dtype).kind]


@pytest.mark.parametrize("dtype", ["bool", "int8", "float64"])
def test_reductions_and_scans(dtype):
    values = np.array(VALUES[np.dtype(dtype).kind] * 2, dtype).reshape(2, 5)
    compared = 0
    for name in ("sum", "prod", "mean", "max", "min", "var", "std", "any", "all", "argmax", "argmin", "count_nonzero",
                 "cumulative_sum", "cumulative_prod"):  # fmt: skip
        try:
            expected = np.asarray(getattr(xp, name)(xp.asarray(values), axis=1))
        except TypeError:
            continue
        found = getattr(la, name)(la.asarray(values), axis=1)
        assert found.dtype == expected.dtype, name
        np.testing.assert_allclose(np.asarray(found), expected, rtol=2e-6, err_msg=name)
        compared += 1
    assert compared >= 3


@pytest.mark.parametrize("left", DTYPES)
def test_promotion(left):
    for right in DTYPES:
        a, b = xp.asarray(np.zeros(2, left)), xp.asarray(np.zeros(2, right))
        try:
            expected = np.dtype(str(np.asarray(xp.asarray([], dtype=xp.result_type(a, b))).dtype))
        except TypeError:
            continue  # the standard does not mix these
        assert la.result_type(la.asarray(np.zeros(2, left)), la.asarray(np.zeros(2, right))) == expected, right
