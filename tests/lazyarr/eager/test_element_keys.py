"""Lists in keys that hold elements of arrays: what NumPy does, and eagerly where all of them exist."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.aliasing.numpys_keys import numpys_key


def outcome(function):
    """What a function gives, or the kind of its error."""
    try:
        return np.asarray(function()).tolist()
    except (IndexError, TypeError, ValueError) as error:
        return type(error).__name__


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["int64", "int8", "uint32", "uint64", "bool", "float64"])
def test_keys_of_elements_choose_and_are_written_as_numpys(dtype):
    rng = np.random.default_rng(1)
    for turn in range(120):
        shape = [(7,), (5, 6), (1, 3), (0, 2)][turn % 4]
        values = rng.integers(-2 if dtype in ("int64", "int8") else 0, 4, 6).astype(dtype)
        kinds = rng.integers(0, 3, (2, 3))
        both = []
        for np_or_la in (np, la):
            x = np_or_la.asarray(np.arange(float(np.prod(shape))).reshape(shape)) * 1.0
            of = np_or_la.asarray(values)
            if np_or_la is la:
                la.compute(x, of)

            def part(i, kind, of=of, values=values):
                return [int(values[i]), of[i], np.int64(values[i])][kind] if dtype != "float64" else of[i]

            lists = [[part(3 * row + i, kinds[row, i]) for i in range(1 + turn % 3)] for row in range(2)]
            keys = [lists[0], (lists[0], slice(None)), (slice(0, 1), lists[1]), tuple(lists)]
            if dtype != "bool":  # where a lone one is a mask of no dimensions
                keys.append((lists[0], of[0]))
            found = []
            for key in keys:
                found.append(outcome(lambda key=key, x=x: x[key]))

                def put(key=key, x=x):
                    y = x + 0.0
                    y[key] = 5.5
                    y[key] = y[key][::-1]
                    y[key] += 1
                    return y

                found.append(outcome(put))
            both.append(found)
        assert both[0] == both[1]


@pytest.mark.parametrize("dtype", ["float64", "float32", "complex128", "complex64", "int32", "uint8", "bool"])
def test_keys_of_many_dimensions_choose_as_numpys(dtype):
    """Elements, also by integers that are elements of arrays, are numbers where Python has them; parts are views."""
    n = (np.arange(120) % 7).astype(dtype).reshape(2, 3, 4, 5)
    x = la.asarray(n) * 1 if dtype != "bool" else la.asarray(n) & True
    x[0, 0, 0, 0] = n[0, 0, 0, 0]
    at = la.asarray([1, -1, 2]) * 1
    at[0] = 1
    one, last, two = at[0], at[1], at[2]
    keys = [
        (1, 2, 3, 4), (-1, -2, -3, -4), (one, two, last, 4), (0, one), (one, slice(None), last), (one, 0, two),
        (slice(0, 1), one, slice(None, None, -1)), (one, ..., two), (one, None, 2), (0, 1, 2, slice(1, 3)), (),
        (2, 0, 0, 0), (0, 0, 0, -6), (0, 0, 0, 2**70), (0, 0, 0, 0, 0), (one, two, two, two, two), (0, 3, one),
    ]  # fmt: skip
    for key in keys:
        plain = tuple([int(i) if isinstance(i, la.Array) else i for i in key])
        found, wanted = outcome(lambda key=key: x[key]), outcome(lambda plain=plain: n[plain])
        assert found == wanted, key
        if isinstance(wanted, str):
            continue
        part = x[key]
        assert part.value is not None and part.dtype == dtype and part.shape == n[plain].shape, key
        if not part.shape and ... not in key:
            assert isinstance(part.value, np.ndarray) == (dtype in ("float32", "complex64")), key
        elif part.size:
            assert np.may_share_memory(part.value, x.value), key
    x[one, 1, 2, 3] = 1
    assert x[1, one, two, 3] == 1
    with pytest.raises(IndexError):
        x[0, one * 1.0]
    assert x[0, one > 0].shape == n[0, np.True_].shape


def test_they_are_eager_where_all_exist():
    at = la.asarray([4, 1, 2]) * 1
    la.compute(at)
    k, m = at[0], at[1]
    assert numpys_key([k, m]).tolist() == [4, 1]
    assert numpys_key(([0, k], slice(None)))[0].tolist() == [0, 4]
    x = la.arange(6.0) * 1
    la.compute(x)
    x[[k, m]] = x[[m, k]]
    assert x.value is not None
    assert x.tolist() == [0, 4, 2, 3, 1, 5]
    assert x[[0, k]].value.tolist() == [0, 1]
    for key in ([], [k, 1.5], [k, 2**70], [k > 1, True], [k, None], [[k, m], [m, k]], [k * 1.0]):
        assert numpys_key(key) is False
    pending = (la.arange(70000) % 7).sum() % 5
    assert numpys_key([pending, k]) is False
    assert x[[pending, 0]].tolist() == [x.tolist()[int(pending)], 0]


def test_elements_of_arguments_stay_arguments():
    swapped = lift.jit(lambda x, at: x[la.stack([at[1], at[0]])])
    x = la.arange(5.0)
    for at in ([1, 3], [4, 0]):
        assert swapped(x, la.asarray(at)).tolist() == at[::-1]
