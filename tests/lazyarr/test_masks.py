"""`x[mask]`, and the places at which something is true, found by kernels alone."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from dataclasses import replace
from types import SimpleNamespace

import numpy as np
import pytest

import lazyarr as la
from ir.core.expr import Param, postorder, substitute
from ir.core.patterns import Call, Reduce
from ir.core.semantics.interpreter import interpret
from ir.core.types import BOOL
from ir.cost.thresholds.masks import (
    FILTERED_ON_A_DEVICE_FROM,
    FRONT_COPIED_FROM_BYTES,
    FRONT_MEMORY_AT_MOST,
    MASK_LOOKED_AT,
)
from lazyarr.aliasing import assignment
from lazyarr.config import configure
from lazyarr.errors import TracingError
from lazyarr.graph.leaves import Input, inputs_of
from lazyarr.recording import filtering
from lazyarr.tiers.programs import Program
from tests import oclgrind

SIZES = (1, 2, 3, 17, 1023, 1025, 4099)
DTYPES = ("bool", "int8", "uint16", "int32", "uint64", "float32", "float64", "complex64", "complex128")


@pytest.fixture(autouse=True)
def by_kernels() -> Iterator[None]:
    """Nothing but kernels computes."""
    before = configure(tier="compiled", tune="off")
    yield
    configure(tier=before.tier, tune=before.tune)


def masks(n: int) -> list[np.ndarray]:
    """Masks of that length: few, half and most are true, none, all, one at each end."""
    rng = np.random.default_rng(n)
    some = [rng.random(n) < share for share in (0.03, 0.5, 0.97)]
    return [*some, np.zeros(n, bool), np.ones(n, bool), np.arange(n) == n - 1, np.arange(n) == 0]


def same(found: la.Array, expected: np.ndarray) -> None:
    """Values, shape and dtype are NumPy's."""
    assert found.dtype == expected.dtype
    np.testing.assert_array_equal(found.to_numpy(), expected, strict=True)


@pytest.mark.parametrize("n", SIZES)
def test_a_mask_of_every_share_chooses_what_numpys_does(n: int) -> None:
    a = np.random.default_rng(1).normal(size=n).astype(np.float32)
    x = la.asarray(a)
    for m in masks(n):
        mask = la.asarray(m)
        same(x[mask], a[m])
        same(la.flatnonzero(mask), np.flatnonzero(m))
        same(la.compress(mask, x), np.compress(m, a))
        same(la.extract(mask, x), np.extract(m, a))


@pytest.mark.parametrize("dtype", DTYPES)
def test_every_dtype_is_chosen_from(dtype: str) -> None:
    a = (np.random.default_rng(2).integers(0, 3, 301) * (1 + 1j if dtype[0] == "c" else 1)).astype(dtype)
    x, m = la.asarray(a), masks(301)[1]
    same(x[la.asarray(m)], a[m])
    same(x[x != 0], a[a != 0])
    (found,), (expected,) = la.nonzero(x), np.nonzero(a)
    same(found, expected)


def test_masks_of_some_dimensions_choose_rows() -> None:
    a = np.random.default_rng(3).normal(size=(7, 5, 4))
    x = la.asarray(a)
    for seen, known in ((x, a), (x.transpose(2, 0, 1), a.transpose(2, 0, 1)), (x[::-2, :, 1:], a[::-2, :, 1:])):
        same(seen[seen > 0.3], known[known > 0.3])
        same(seen[seen[:, :, 0] > 0], known[known[:, :, 0] > 0])
        same(seen[seen[:, 0, 0] > 0], known[known[:, 0, 0] > 0])
        same(seen[seen[:, 0, 0] > 9], known[known[:, 0, 0] > 9])
        same(la.argwhere(seen > 0), np.argwhere(known > 0))
        for found, expected in zip(la.nonzero(seen > 0), np.nonzero(known > 0), strict=True):
            same(found, expected)
    empty = la.zeros((3, 0))
    same(empty[la.asarray([True, False, True])], np.zeros((2, 0)))


def test_what_is_chosen_is_computed_with_and_chosen_from_again() -> None:
    a = np.random.default_rng(4).normal(size=999)
    x = la.asarray(a)
    for bound in (-0.5, 0.0, 0.5):
        kept, expected = x[x > bound], a[a > bound]
        same(kept * 2 - 1, expected * 2 - 1)
        same(kept[kept < 1], expected[expected < 1])
        same(la.sort(kept), np.sort(expected))
        np.testing.assert_allclose(float(kept.sum()), expected.sum())
    kept, expected = x[x > 0], a[a > 0]
    x[0] = 7  # what was chosen stays
    same(kept, expected)
    missing = la.where(x > 0, x, la.nan)
    same(la.nonzero(missing)[0], np.nonzero(missing.to_numpy())[0])  # a NaN is not zero


@pytest.mark.parametrize("dtype", DTYPES)
def test_values_are_put_where_a_mask_is_true(dtype: str) -> None:
    rng = np.random.default_rng(6)
    a = rng.integers(0, 2, (19, 23)).astype(dtype)
    for m in (rng.random(a.shape) < 0.4, a != 0, np.zeros(a.shape, bool), np.ones(a.shape, bool), m_last(a.shape)):
        values = rng.integers(0, 99, np.count_nonzero(m)).astype(dtype if dtype != "bool" else "int64")
        x, known = la.asarray(a.copy()), a.copy()
        before = x + x if dtype != "bool" else x | x
        column = x[:, 3]
        x[la.asarray(m)] = la.asarray(values)
        known[m] = values
        same(x, known)
        same(column, known[:, 3])  # a view
        same(before, a + a if dtype != "bool" else a | a)
        x[x != 0] = x[x != 0] if dtype == "bool" else x[x != 0] * 2
        known[known != 0] *= np.dtype(dtype).type(1 if dtype == "bool" else 2)
        same(x, known)


def m_last(shape: tuple[int, ...]) -> np.ndarray:
    """A mask that is true at the last element alone."""
    return np.arange(np.prod(shape)).reshape(shape) == np.prod(shape) - 1


def test_parts_are_changed_where_a_mask_is_true() -> None:
    a = np.random.default_rng(7).normal(size=(40, 50))
    x, known = la.asarray(a.copy()), a.copy()
    x[x > 0.5] *= 2
    known[known > 0.5] *= 2
    same(x, known)
    x[::2, 1:][x[::2, 1:] < 0] += la.arange(int((known[::2, 1:] < 0).sum()))
    known[::2, 1:][known[::2, 1:] < 0] += np.arange(int((known[::2, 1:] < 0).sum()))
    same(x, known)
    with pytest.raises(ValueError, match="could not broadcast input array"):
        x[x > 0] = la.zeros(3)
    x[x > 1e9] = la.zeros(0)
    same(x, known)


def test_what_another_thread_writes_meanwhile_stays(monkeypatch: pytest.MonkeyPatch) -> None:
    """Others wait while an array is assigned to: what they write is not lost."""
    x, known = la.asarray(np.arange(50.0)), np.arange(50.0)
    with_kept, others = assignment.with_kept, []

    def beside_another(*arguments: object) -> la.Array:
        found = with_kept(*arguments)
        others.append(threading.Thread(target=x.__setitem__, args=(0, -1.0)))
        others[0].start()
        others[0].join(0.5)  # it waits longer
        return found

    monkeypatch.setattr(assignment, "with_kept", beside_another)
    x[x > 40] = la.asarray(np.arange(9.0))
    others[0].join()
    known[known > 40], known[0] = np.arange(9.0), -1.0
    same(x, known)


def test_a_mask_of_another_shape_is_refused_and_none_is_recorded() -> None:
    x = la.arange(6)
    with pytest.raises(IndexError, match="boolean index did not match"):
        x[la.asarray([True, False])]
    with pytest.raises(TracingError, match="mask"):
        la.lift.jit(lambda v: v[v > 2])(x)


def test_the_host_is_not_asked_for_the_mask(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of everything that is computed one number is read."""
    x = la.asarray(np.random.default_rng(5).normal(size=5000))
    read: list[int] = []
    to_numpy = la.Array.to_numpy
    monkeypatch.setattr(la.Array, "to_numpy", lambda self, *args: read.append(self.size) or to_numpy(self, *args))
    kept = x[x > 0]
    la.compute(kept)
    assert sum(read) <= 1


@pytest.mark.device
def test_one_program_finds_what_is_chosen_however_much_that_is(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its kernels do not follow from how many are true, and the mask is computed by one of them."""
    a = np.random.default_rng(8).normal(size=5003).astype(np.float32)
    x, found = la.asarray(a), []
    run = Program.run
    monkeypatch.setattr(Program, "run", lambda self, *rest: found.append(self) or run(self, *rest))
    for bound in (-0.5, 0.0, 1.0, 9.0):
        same(x[x > np.float32(bound)], a[a > bound])
    assert len(found) == 4
    for program in found:
        written = [step.general.expr for step in program.compiled.steps]
        made = [e for e in written if any(isinstance(node, Call) and node.op == "greater" for node in postorder(e))]
        assert len(made) == 1
    found.clear()
    for bound in (0.25, 0.5, 0.75):
        same(x[la.asarray(a > bound)], a[a > bound])
        same(la.flatnonzero(la.asarray(a > bound)), np.flatnonzero(a > bound))
    assert len(found) == 6
    assert len(set(found)) == 2


@pytest.mark.device
def test_what_is_chosen_takes_little_more_memory_than_its_elements() -> None:
    n = 1 << 16
    for dtype in ("float32", "complex64"):
        a = np.arange(n).astype(dtype)
        x = la.asarray(a)
        for count in (1, n // FRONT_MEMORY_AT_MOST - 1, n // FRONT_MEMORY_AT_MOST + 1, n):
            kept = x[x.real < count]
            same(kept, a[:count])
            for part in inputs_of(kept.node):
                taken = part.storage.nbytes // part.type.element.bytes
                assert taken == (count if FRONT_MEMORY_AT_MOST * count < n else n)
    small = FRONT_COPIED_FROM_BYTES // 8
    x = la.asarray(np.arange(small, dtype=np.float32))
    (part,) = inputs_of(x[x < 1].node)
    assert part.storage.nbytes == small * 4


def test_what_is_chosen_is_the_front_of_an_array_where_no_kernel_runs() -> None:
    configure(tier="reference", deterministic=True)
    try:
        a = np.arange(20_000.0)
        x = la.asarray(a)
        for count in (15_000, 20):
            kept = x[x < count]
            assert isinstance(inputs_of(kept.node)[0].storage, np.ndarray)
            same(kept, a[:count])
            same(kept[::-1] + 1, a[:count][::-1] + 1)
    finally:
        configure(deterministic=False)


@pytest.mark.device
@pytest.mark.skipif(not oclgrind.available(), reason="needs a device with memory of its own")
def test_few_are_copied_in_the_memory_of_a_device() -> None:
    a = np.arange(FRONT_COPIED_FROM_BYTES // 8, dtype=np.float64)
    x = la.asarray(a, device="oclgrind")
    for count, taken in ((5, 5), (len(a) - 1, len(a))):
        kept = x[x < count]
        (part,) = inputs_of(kept.node)
        assert not part.storage.address
        assert part.storage.nbytes == 8 * taken
        same(kept, a[:count])


def test_few_of_more_than_a_buffer_holds_are_counted_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing of the size of all that they are chosen from is written."""
    n = 1 << 12
    x = la.asarray(np.arange(n, dtype=np.int16))
    device = la.ones(1).device
    monkeypatch.setattr(device.memory, "_limit", 8 * n - 1)
    monkeypatch.setitem(device.__dict__, "limits", replace(device.limits, max_allocation_bytes=8 * n - 1))
    monkeypatch.setattr(filtering, "COUNTED_FIRST_FROM_BYTES", 1)
    monkeypatch.setattr(filtering, "COUNTED_FIRST_ABOVE", 1 << 40)
    for each in (1024, 100):
        m = np.arange(n) % each == 3
        mask, places = la.asarray(m), np.flatnonzero(m)
        same(la.flatnonzero(mask), places)
        same(la.nonzero(mask)[0], places)
        same(la.argwhere(mask.reshape(4, -1)), np.argwhere(m.reshape(4, -1)))
        same(la.arange(n)[mask], places)
        same(la.broadcast_to(la.asarray([2 + 1j]), (n,))[mask], np.full(len(places), 2 + 1j))
        halves = la.broadcast_to(la.asarray([2 + 1j], dtype=la.complex64), (n,))  # each of its parts fits
        assert filtering._may_all_be_written(halves, mask)
        same(halves[mask], np.full(len(places), 2 + 1j, np.complex64))
        same((x * 1.0)[mask], places * 1.0)
        same(la.arange(n)[mask & (x < 0)], places[:0])
        same(x[mask], places.astype(np.int16))
    same(x[x >= 0], np.arange(n, dtype=np.int16))
    assert not filtering._may_all_be_written(la.arange(n), x > 0)


@pytest.mark.parametrize("n", [1, 7, 300])
def test_every_place_is_written_and_named_once(n: int) -> None:
    """Where there is room for all: the reference and checks compare all that is written. Else nothing lies beyond."""
    a, m = np.arange(n, dtype=np.float32), np.random.default_rng(n).random(n) < 0.4
    m[0] = True
    x, mask, count = la.asarray(a), la.asarray(m), np.count_nonzero(m)
    for capacity, expected in ((n, np.concatenate([a[m], a[~m][::-1]])), (count, a[m])):
        found = filtering._put_apart(x, mask, capacity)
        leaves = [leaf for leaf in postorder(found.node) if isinstance(leaf, Input)]
        named = substitute(found.node, {leaf: Param(leaf.identifier, leaf.type) for leaf in leaves})
        read = interpret(
            named, {leaf.identifier: m if leaf.type.element is BOOL else a for leaf in leaves}
        )  # it refuses other places
        np.testing.assert_array_equal(read, expected)
        same(found, expected)


@pytest.mark.device
def test_of_what_is_not_in_memory_those_that_are_chosen_are_counted_first(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where all are large: they would take much more memory than what is read."""
    n = 1 << 16
    monkeypatch.setattr(filtering, "COUNTED_FIRST_FROM_BYTES", 1 << 16)
    a = np.arange(n, dtype=np.float64)
    x, flat, bytes_ = la.asarray(a), la.asarray(a < 9), la.asarray(a.astype(np.int8))
    one = la.broadcast_to(la.asarray([2.5]), (n,))
    for values, mask, whole in (
        (x, flat, True), (x + 1, flat, True), (one, x < 9, True), (la.arange(n, dtype=np.int32), flat, True),
        (la.arange(n), flat, False), (one, flat, False), (la.arange(n, dtype=np.int16), la.arange(n) > 5, False),
        (bytes_.astype(np.float32), flat, True), (la.arange(n // 8 - 1), flat[: n // 8 - 1], True),
    ):  # fmt: skip
        assert filtering._may_all_be_written(values, mask) is whole
        if mask is flat:
            same(values[mask], values.to_numpy()[:9])
    same(la.flatnonzero(flat), np.arange(9))
    places = la.flatnonzero(la.asarray(a < n - 1))
    assert {leaf.storage.nbytes for leaf in postorder(places.node) if isinstance(leaf, Input)} == {4 * n}
    same(places, np.arange(n - 1))


@pytest.mark.slow
def test_what_is_chosen_has_memory_that_nobody_else_writes_to() -> None:
    """It is the front of memory that is larger: whoever reads, changes or drops it and its like sees only that."""
    n = 1 << 15
    a = np.random.default_rng(9).normal(size=n).astype(np.float32)
    x, known, all_kept = la.asarray(a), [], []
    for bound in (-1.0, 0.0, 2.0, 0.0):
        kept, expected = x[x > np.float32(bound)], a[a > np.float32(bound)]
        shown = kept.to_numpy()
        kept += 1
        kept = kept * 2
        kept[kept > 3] = kept[kept > 3][::-1]
        expected = (expected + np.float32(1)) * np.float32(2)
        chosen = expected > 3
        same(la.asarray(shown), a[a > np.float32(bound)])
        expected[chosen] = expected[chosen][::-1]
        all_kept.append(kept)
        known.append(expected)
        del kept
    for kept, expected in zip(all_kept, known, strict=True):
        same(kept, expected)
        same(la.concatenate([kept, kept[:3]]), np.concatenate([expected, expected[:3]]))
    total = la.lift.jit(lambda v: (v * v).sum())
    whole = np.arange(n, dtype=np.int64)
    y = la.asarray(whole)
    for count in (n - 1, n // 2, 5):
        assert int(total(y[y < count])) == int((whole[:count] ** 2).sum())


@pytest.mark.slow
@pytest.mark.parametrize("dtype", ["float32", "float64"])
def test_what_is_counted_is_what_is_put_together(dtype: str) -> None:
    """Vectors and single elements may give another exponential: of a mask computed twice places stay empty."""
    a = np.random.default_rng(0).normal(size=(1, 4099)).astype(dtype)
    x = la.asarray(a)
    for bound in la.exp(x).to_numpy()[0, ::40]:  # true or not by the last bit
        places = la.nonzero((la.exp(x) >= bound).T)[0].to_numpy()
        assert (np.diff(places) > 0).all()
        assert 0 <= places[0] <= places[-1] < 4099


def test_a_mask_is_computed_once() -> None:
    """What puts values together reads it."""
    x = la.asarray(np.random.default_rng(6).normal(size=(40, 30)))
    for found in (la.nonzero(x.sum(axis=1))[0], x.T[la.exp(x).T > 1], la.compress((x.sum(axis=1) > 0)[::-1], x[:, 0])):
        nodes = postorder(found.node)
        assert not any(isinstance(node, Reduce) or (isinstance(node, Call) and node.op == "exp") for node in nodes)


@pytest.mark.skipif(not oclgrind.available(), reason="needs another device")
def test_a_mask_may_lie_on_another_device() -> None:
    """It is read then, whichever of both is on the default device."""
    a = np.random.default_rng(7).normal(size=31)
    here, there = la.asarray(a), la.asarray(a, device="oclgrind")
    for bound in (-9, 0, 9):
        for x, y in ((here, there), (there, here), (there, there), (there, la.asarray(a, device=here.device))):
            kept = x[y > bound]
            same(kept, a[a > bound])
            same(la.compress(y > bound, x), a[a > bound])
            assert kept.device is x.device
        kept = there[la.asarray(a > bound)]
        same(kept, a[a > bound])
        assert kept.device is there.device


def test_where_kernels_are_used_follows_from_where_the_data_lie(monkeypatch: pytest.MonkeyPatch) -> None:
    configure(tier="auto")
    shared, apart = (SimpleNamespace(zero_copy=held) for held in (True, False))
    small, large = la.asarray(np.zeros(1 << 19)) > 0, la.zeros(FILTERED_ON_A_DEVICE_FROM, bool)
    monkeypatch.setattr(filtering, "find_device", lambda spec: shared)
    assert not filtering.filters_by_kernels(large, large)
    monkeypatch.setattr(filtering, "find_device", lambda spec: apart)
    assert filtering.filters_by_kernels(large, large)
    assert not filtering.filters_by_kernels(small, small)
    monkeypatch.setattr(filtering, "is_on_host", lambda storage: False)
    assert filtering.filters_by_kernels(small, small)
    deep = small
    for _ in range(MASK_LOOKED_AT):
        deep = deep ^ True
    assert not filtering.filters_by_kernels(deep, deep)
    configure(deterministic=True)
    assert filtering.filters_by_kernels(deep, deep)
    assert not filtering.filters_by_kernels(la.zeros(0, bool), la.zeros(0, bool))
    configure(deterministic=False)
