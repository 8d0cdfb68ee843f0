"""Promotion is NumPy's."""

from __future__ import annotations

import itertools

import numpy as np
import pytest

import lazyarr as la
from lazyarr.dtypes import float32, int64, promote
from tests.lazyarr.support import DTYPES


@pytest.mark.parametrize("a", DTYPES)
def test_promotion(a):
    for b, number in itertools.product(DTYPES, (True, 1, 1.0)):
        assert la.result_type(a, b) == np.result_type(np.dtype(a), np.dtype(b))
        assert la.result_type(np.dtype(a), number) == np.result_type(np.dtype(a), number)
        assert la.result_type(la.asarray(np.ones(1, a)), number, b) == np.result_type(np.dtype(a), np.dtype(b), number)


def test_python_numbers_alone():
    assert promote(int, bool) == np.int64
    assert promote(float, int) == np.float64
    assert promote(bool) == np.bool_


def test_dtypes_are_one_object_each():
    assert la.result_type(np.dtype("longlong")) is int64
    assert la.asarray(np.ones(1, np.longlong)).dtype is int64
    assert la.asarray(np.ones(1, ">f4")).dtype is float32


def test_numpys_text_names_dtypes_too():
    assert la.zeros(3, dtype=np.str_("float32")).dtype == np.float32


def test_an_array_is_no_dtype():
    for make in (la.asarray, la.zeros, lambda x, dtype: la.ones(3).astype(dtype)):
        with pytest.raises(TypeError, match="expected a dtype, got an array"):
            make(3, dtype=la.ones(2))
