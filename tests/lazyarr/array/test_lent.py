"""Views read as NumPy's, and parts of large arrays read where they lie: nothing else changes."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest

import lazyarr as la
from lazyarr import lift
from lazyarr.aliasing.view_steps import chosen_from
from lazyarr.array import Array
from lazyarr.array.lent import is_lent


def _large() -> tuple[Array, np.ndarray]:
    values = np.arange(300 * 200, dtype=np.float64).reshape(300, 200)
    return la.asarray(values.copy()), values.copy()


def _lent() -> tuple[Array, np.ndarray]:
    x, values = _large()
    for i in range(12):
        assert np.array_equal(x[i], values[i])
    assert is_lent(x)
    return x, values


VIEWS = [
    lambda xp, x: xp.flip(x), lambda xp, x: xp.rot90(x), lambda xp, x: x[::-1], lambda xp, x: x[:, ::2],
    lambda xp, x: x.T, lambda xp, x: xp.einsum("ij->ji", x), lambda xp, x: xp.diagonal(x, 3),
    lambda xp, x: xp.broadcast_to(x, (2, 300, 200)), lambda xp, x: x[5:9].T[::-1], lambda xp, x: x.T[3, 4:9],
    lambda xp, x: xp.expand_dims(x[:, 3], 0),
]  # fmt: skip


@pytest.mark.parametrize("view", VIEWS)
@pytest.mark.parametrize("make", [_large, _lent])
def test_views_are_read_as_numpys_and_keep_what_they_show(view, make) -> None:
    """They lie as NumPy's do, are read-only, and stay as they were when the base is assigned to; views do not."""
    x, values = make()
    shown, expected = view(la, x), view(np, values)
    read = np.asarray(shown)
    kept = expected.copy()
    assert read.strides == expected.strides
    assert not read.flags.writeable
    with pytest.raises(ValueError, match="WRITEABLE"):
        read.setflags(write=True)
    assert shown.strides == read.strides
    assert np.shares_memory(read, np.asarray(x))
    x[3:7] = -1.0
    values[3:7] = -1.0
    assert np.array_equal(read, kept)
    assert np.array_equal(np.asarray(shown), expected)
    assert np.array_equal(np.asarray(x), values)


def test_reads_of_assigned_views_show_the_base_as_it_is() -> None:
    """Also where the view was assigned to, or the base since."""
    x, values = _large()
    y, expected = x.T[::2], values.T[::2]
    y[0] = 7.0
    expected[0] = 7.0
    assert np.array_equal(np.asarray(y), expected)
    assert np.array_equal(np.asarray(x), values)


def test_lent_memory_is_copied_by_the_first_write_alone() -> None:
    """Views made before and since show what is written, those that are read-only stay so."""
    x, values = _lent()
    before = np.asarray(x)
    row, column, fixed = x[2], x[:, 3], la.diagonal(x)
    assert row.flags.writeable
    assert not fixed.flags.writeable
    row[1] = 99.0
    assert not is_lent(x)
    assert before[2, 1] == values[2, 1]
    values[2, 1] = 99.0
    column[4] = 98.0
    values[4, 3] = 98.0
    x[0, 0] = 97.0
    values[0, 0] = 97.0
    row += 1.0
    values[2] += 1.0
    with pytest.raises(ValueError, match="read-only"):
        fixed[0] = 1.0
    assert np.array_equal(x, values)
    assert np.array_equal(fixed, np.diagonal(values))
    assert np.array_equal(row, values[2])
    assert np.array_equal(column, values[:, 3])


def test_what_is_made_of_lent_memory_keeps_its_value() -> None:
    """Expressions of it and of its parts, also of many elements with gaps, are as they were before a write."""
    x, values = _lent()
    parts = [x * 2, x[:, 1:] + 1, x.T[::-2] * 3, x[1] - 1, la.sum(x[:, ::2])]
    wanted = [values * 2, values[:, 1:] + 1, values.T[::-2] * 3, values[1] - 1, np.sum(values[:, ::2])]
    x[:] = 0.0
    for part, expected in zip(parts, wanted, strict=True):
        assert np.allclose(part, expected, rtol=1e-13)


def test_other_arrays_of_the_same_memory_do_not_change() -> None:
    """A copy stands for the same leaf; jitted functions read what there is at each call."""
    x, values = _large()
    other = x.copy()
    for i in range(12):
        float(x[i].sum())
    f = lift.jit(lambda y: y[1] + x[1])
    assert np.array_equal(f(other), 2 * values[1])
    x[1] = 5.0
    assert np.array_equal(f(other), values[1] + 5.0)
    assert np.array_equal(other, values)


@pytest.mark.parametrize("take", [
    lambda x: x[2:, 3:], lambda x: x[::-1, ::3], lambda x: x.T[4:], lambda x: x[:, 7], lambda x: x[None, 3:4, ::2],
    lambda x: x[5], lambda x: x[2, 3, ...],
])  # fmt: skip
def test_parts_are_found_again_by_where_they_lie(take) -> None:
    """What a view of memory shows, as the slices and the order of dimensions that choose it."""
    whole = np.arange(200.0).reshape(10, 20)
    step = chosen_from(whole, take(whole))
    assert step is not None
    assert np.array_equal(step.on(whole), take(whole))
    assert chosen_from(whole, np.broadcast_to(take(whole), (2, *take(whole).shape))) is None


def test_threads_write_and_read_parts() -> None:
    """Parts taken while another thread writes for the first time show what is written later."""
    for _ in range(20):
        x, values = _lent()

        def work(i: int, x: Array = x) -> Array:
            row = x[i]
            x[i, 0] = -float(i)
            return row

        with ThreadPoolExecutor(8) as pool:
            rows = list(pool.map(work, range(16)))
        values[:16, 0] = -np.arange(16.0)
        assert np.array_equal(x, values)
        for i, row in enumerate(rows):
            assert np.array_equal(row, values[i])


def test_rows_of_a_view_with_another_shape_keep_that() -> None:
    """A part that shares its recorded call with one of another shape was read eagerly in the other's."""
    x, values = la.asarray(np.ones((1, 70000))), np.ones((1, 70000))
    y, expected = la.expand_dims(x[0:1, 100:200], 0), np.expand_dims(values[0:1, 100:200], 0)
    assert (y + y).shape == (expected + expected).shape


def test_what_is_large_and_lent_is_recorded() -> None:
    """Nobody writes to it: a copy shares it, and operations on all of it fuse."""
    x, values = la.asarray(np.arange(400.0 * 400).reshape(400, 400)), np.arange(400.0 * 400).reshape(400, 400)
    for i in range(12):
        assert float(x[i, :9].sum()) == values[i, :9].sum()
    assert is_lent(x)
    made = [x.copy(), x + 1, x + x, -x, x.astype("float32"), x.sum()]
    assert all(y.value is None for y in made)
    x[0] = 5.0
    wanted = [values, values + 1, values + values, -values, values.astype("float32"), values.sum()]
    assert all(np.array_equal(y, z) for y, z in zip(made, wanted, strict=True))


def test_other_libraries_get_no_strides_that_they_do_not_know() -> None:
    """DLPack's consumers may refuse those that are not positive."""
    x, values = _large()
    for view in (lambda a: a[::-1], lambda a: a.T, lambda a: a[:, ::-2]):
        made = np.from_dlpack(view(x))
        assert min(made.strides) > 0
        assert np.array_equal(made, view(values))


def test_elements_that_a_loop_reads_are_those_of_lent_memory() -> None:
    """An array that is read a few times is left as it is; complex ones, whose parts lie apart, are copied."""
    x, values = _large()
    few, _ = _large()
    z = la.asarray(values + 1j)
    for i in range(12):
        assert x[i, 3 * i] == values[i, 3 * i]
        assert z[i, 2] == values[i, 2] + 1j
    assert is_lent(x)
    assert not is_lent(z)
    assert few[2, 5] == values[2, 5]
    assert few.value is None
    with pytest.raises(IndexError):
        x[300, 0]
    before = x + 0.0
    x[0, 0] = -5.0
    values[0, 0] = -5.0
    assert not is_lent(x)
    assert np.array_equal(np.asarray(x), values)
    assert np.asarray(before)[0, 0] == 0.0


def test_memory_of_which_very_many_parts_are_taken_is_copied() -> None:
    """It costs more to remember them; views from before and after show what is written, and nobody else does."""
    x, values = _lent()
    leaf = x + 0.0
    first = x[3]
    parts = [x[i % 300, 2:] for i in range(values.nbytes // 8192 + 1)]
    assert not is_lent(x)
    assert all(np.array_equal(part, values[i % 300, 2:]) for i, part in enumerate(parts))
    read = np.asarray(x)
    x[3] = -1.0
    assert (np.asarray(first) == -1.0).all()
    assert (np.asarray(parts[3]) == -1.0).all()
    assert np.array_equal(np.asarray(leaf), values)
    assert np.array_equal(read, values)
    parts[4][0] = 7.0
    assert float(x[4, 2]) == 7.0


def test_memory_that_is_too_large_to_copy_stays_lent(monkeypatch) -> None:
    from lazyarr.array import lent

    monkeypatch.setattr(lent, "EAGER_BYTES_AT_MOST", 1000)
    x, values = _lent()
    for i in range(values.nbytes // 8192 + 300):
        assert np.array_equal(x[i % 300], values[i % 300])
    assert is_lent(x)
