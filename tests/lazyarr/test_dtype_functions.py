"""Questions about dtypes, the namespace's inspection, constants: against NumPy and the standard's tables."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest

import lazyarr as la
from lazyarr.dtypes.promotion import KINDS
from tests.lazyarr.support import COMPLEX, DTYPES, INTEGERS

pytestmark = pytest.mark.recording

ALL = (*DTYPES, *COMPLEX)
FLOATS = ("float32", "float64")


def dtype_of(name):
    return getattr(la, name)


@pytest.mark.parametrize("name", ALL)
def test_dtypes_equal_numpys_both_ways(name):
    ours, theirs = dtype_of(name), np.dtype(name)
    x = la.asarray(np.zeros(2, name))
    assert ours == theirs and theirs == ours
    assert x.dtype == ours and ours == x.dtype
    assert x.dtype == theirs and theirs == x.dtype
    assert x.dtype == name
    assert la.zeros(2, dtype=ours).dtype == la.zeros(2, dtype=name).dtype == la.zeros(2, dtype=theirs).dtype == theirs
    assert all((x.dtype == dtype_of(other)) == (name == other) for other in ALL)
    number = ours(1)
    assert isinstance(number, np.generic) and number.dtype == theirs


@pytest.mark.parametrize(("a", "b"), [*itertools.product(ALL, ALL)])
def test_conversions_and_promotion_are_numpys(a, b):
    x = la.asarray(np.zeros(1, a))
    for casting in ("safe", "same_kind", "unsafe", "no"):
        assert la.can_cast(dtype_of(a), b, casting) == np.can_cast(a, b, casting)
    assert la.can_cast(x, dtype_of(b)) == np.can_cast(a, b)
    assert la.promote_types(a, dtype_of(b)) == np.promote_types(a, b)
    assert la.result_type(x, dtype_of(b)) == la.result_type(np.dtype(a), b) == np.promote_types(a, b)
    assert la.isdtype(x.dtype, dtype_of(b)) == (a == b)
    assert la.issubdtype(x.dtype, dtype_of(b)) == np.issubdtype(a, b)


@pytest.mark.parametrize("name", ALL)
def test_numbers_and_dtypes(name):
    for number in (True, 3, 2.5, 1j):
        assert la.result_type(dtype_of(name), number) == np.result_type(np.dtype(name), number)
    assert la.result_type(1, True) == np.int64
    assert la.result_type(1, 2.5) == np.float64
    assert la.result_type(1j) == np.complex128
    with pytest.raises(ValueError, match="result_type: expected at least one"):
        la.result_type()
    with pytest.raises(TypeError, match=r"result_type: dtype float16"):
        la.result_type("float16")


MEMBERS = {
    "bool": {"bool"}, "signed integer": {"int8", "int16", "int32", "int64"},
    "unsigned integer": {"uint8", "uint16", "uint32", "uint64"}, "integral": set(INTEGERS),
    "real floating": set(FLOATS), "complex floating": set(COMPLEX), "numeric": {*INTEGERS, *FLOATS, *COMPLEX},
}  # fmt: skip


def test_kinds():
    assert MEMBERS.keys() == KINDS.keys()
    for kind, members in MEMBERS.items():
        assert {name for name in ALL if la.isdtype(dtype_of(name), kind)} == members
    assert la.isdtype(la.float32, ("bool", la.float32)) and not la.isdtype(la.float32, ("integral", la.float64))
    for kind in (la.floating, la.integer, la.inexact, la.number, la.complexfloating, la.signedinteger):
        assert [la.issubdtype(dtype_of(n), kind) for n in ALL] == [np.issubdtype(n, kind) for n in ALL]
    with pytest.raises(ValueError, match=r"isdtype: expected kind to be one of bool, .*'real'"):
        la.isdtype(la.float32, "real")
    with pytest.raises(TypeError):
        la.isdtype("x", "bool")


def test_limits():
    for name in (*FLOATS, *COMPLEX):
        expected = np.finfo(name)
        for found in (la.finfo(dtype_of(name)), la.finfo(la.asarray(np.zeros(2, name))), la.finfo(name)):
            assert (found.bits, found.dtype, found.precision) == (expected.bits, expected.dtype, expected.precision)
            for limit in ("eps", "max", "min", "smallest_normal", "tiny", "smallest_subnormal", "epsneg", "resolution"):
                value = getattr(found, limit)
                assert type(value) is float
                assert value == getattr(expected, limit)
    for name in INTEGERS:
        whole = np.iinfo(name)
        for number in (la.iinfo(dtype_of(name)), la.iinfo(la.asarray(np.zeros(2, name)))):
            assert (number.bits, number.max, number.min, number.dtype) == (
                whole.bits,
                whole.max,
                whole.min,
                whole.dtype,
            )
            assert type(number.max) is int
    with pytest.raises(ValueError, match=r"finfo: expected a floating-point or complex dtype, got int32"):
        la.finfo(la.int32)
    with pytest.raises(ValueError, match=r"iinfo: expected an integer dtype, got float32"):
        la.iinfo(la.float32)


def test_constants():
    assert (la.e, la.pi, la.inf) == (math.e, math.pi, math.inf)
    assert math.isnan(la.nan)
    assert la.newaxis is None
    assert la.asarray([1, 2])[la.newaxis].shape == (1, 2)


def test_every_name_is_there():
    assert len(set(la.__all__)) == len(la.__all__)
    for name in la.__all__:
        assert hasattr(la, name), name
    standard = (
        "abs acos acosh add asin asinh atan atan2 atanh bitwise_and bitwise_left_shift bitwise_invert bitwise_or "
        "bitwise_right_shift bitwise_xor ceil clip conj copysign cos cosh divide equal exp expm1 floor floor_divide "
        "greater greater_equal hypot imag isfinite isinf isnan less less_equal log log1p log2 log10 logaddexp "
        "logical_and logical_not logical_or logical_xor maximum minimum multiply negative nextafter not_equal positive "
        "pow real reciprocal remainder round sign signbit sin sinh square sqrt subtract tan tanh trunc astype can_cast "
        "finfo iinfo isdtype result_type e inf nan newaxis pi all any max mean min prod std sum var bool int8 int16 "
        "int32 int64 uint8 uint16 uint32 uint64 float32 float64 complex64 complex128"
    )
    assert not set(standard.split()) - set(la.__all__)


def test_inspection():
    info = la.asarray(1).__array_namespace__().__array_namespace_info__()
    assert la.__array_api_version__ == "2025.12"
    assert info.capabilities().keys() == {"boolean indexing", "data-dependent shapes", "max dimensions"}
    deepest = (1,) * info.capabilities()["max dimensions"]
    assert np.asarray(la.full(deepest, 3) + 1).shape == deepest
    with pytest.raises(ValueError, match="dimension"):
        np.empty((1, *deepest))
    default = info.default_device()
    assert type(info.devices()) is tuple  # of the standard since 2025.12
    assert default in info.devices()
    assert np.asarray(la.asarray([1, 2], device=default) + 1).tolist() == [2, 3]
    assert info.default_dtypes() == info.default_dtypes(device=default)
    assert info.default_dtypes()["real floating"] == la.asarray(1.0).dtype
    assert info.default_dtypes()["integral"] == la.asarray(1).dtype
    assert info.default_dtypes()["complex floating"] == la.asarray(1j).dtype
    assert info.default_dtypes()["indexing"] == la.argmax(la.asarray([1, 2])).dtype
    expected = ALL if default.limits.float64 else set(ALL) - {"float64", "complex128"}
    assert set(info.dtypes()) == set(expected)
    for kind, members in MEMBERS.items():
        assert set(info.dtypes(kind=kind, device=default)) == members & set(expected)
    assert set(info.dtypes(kind=("bool", "complex floating"))) == {"bool", *COMPLEX} & set(expected)
    with pytest.raises(ValueError, match="isdtype"):
        info.dtypes(kind="x")


def test_devices_of_conversions():
    default = la.__array_namespace_info__().default_device()
    x = la.asarray([1.5, 2.5])
    moved = la.astype(x, la.float32, device=default)
    assert moved.device is default and moved.dtype == la.float32
    assert np.asarray(la.astype(moved, la.float32, device=default)).tolist() == [1.5, 2.5]
    assert la.astype(x, la.float64, copy=False) is x
    assert la.astype(x, la.float64) is not x
