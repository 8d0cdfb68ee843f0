"""What is recorded from the memory of large eager arrays, and writes to that (`lazyarr.aliasing.borrowing`)."""

import threading
import time

import numpy as np
import pytest

import lazyarr as la
from lazyarr import config, lift
from lazyarr.aliasing.borrowing import borrowed
from lazyarr.array import array_of, enqueue
from lazyarr.array.eager import Loan, existing
from lazyarr.eager import operations, operator_methods, ufuncs
from lazyarr.graph import leaves
from lazyarr.recording import replay
from lazyarr.tiers import making
from lazyarr.tiers.programs import Program, watching
from tests.threads import in_threads

SHAPE = (9, 11)


@pytest.fixture(autouse=True)
def early(monkeypatch):
    """Small arrays are large, and loops hot at once."""
    for module in (operations, ufuncs):
        monkeypatch.setattr(module, "EAGER_ELEMENTS_IN_LOOPS", 1)
    monkeypatch.setattr(ufuncs, "_IN_LOOPS", 1)
    monkeypatch.setattr(ufuncs, "ALONE", 0)
    monkeypatch.setattr(replay, "EAGER_FUNCTION_ELEMENTS_AT_MOST", 1)
    monkeypatch.setitem(operator_methods._NAMES, "ALONE", 0)
    monkeypatch.setattr(operations, "BORROWED_FROM", 2)
    monkeypatch.setattr(operations, "ELEMENTS_BEFORE_BORROWING", 0)
    monkeypatch.setattr(operations, "COPIES_OF_BORROWED", 1 << 30)
    monkeypatch.setattr(operations, "_passed", {})


@pytest.fixture
def on_a_cpu():
    if not operations.computes_on_cpu(config.settings().device):
        pytest.skip("kernels do not run on the host's processors")


def made(shape=SHAPE, seed=0):
    """An eager array, and NumPy's."""
    values = np.random.default_rng(seed).random(shape)
    x = la.asarray(values.copy())
    for _ in range(9 + values.nbytes // 500_000):  # large ones become eager after some writes
        x[0] = values[0]
    assert x.value is not None
    return x, values


def is_recorded(x) -> bool:
    return x.value is None


@pytest.mark.usefixtures("on_a_cpu")
def test_a_statement_is_one_program_of_the_arrays_own_memory():
    x, n = made()
    found = 0.5 * (x[1:, 1:] + x[:-1, 1:]) - x[1:, :-1]
    assert is_recorded(found)
    loan = x.shared.loan
    assert np.shares_memory(loan.node.storage, x.value)
    assert len(loan.parts) == 3
    del loan
    np.testing.assert_allclose(np.asarray(found), 0.5 * (n[1:, 1:] + n[:-1, 1:]) - n[1:, :-1])
    x[1:, 1:] = found
    assert x.value is not None
    assert x.shared.loan is None
    assert x.shared.copies == 0, "all was computed before the write"


WRITES = {
    "a part": lambda x, n, xp: x.__setitem__((slice(1, 3), slice(None)), 5.0),
    "an element": lambda x, n, xp: x.__setitem__((1, 2), 5.0),
    "a part by an array": lambda x, n, xp: x.__setitem__(slice(0, 2), xp.ones((2, SHAPE[1]))),
    "by a mask": lambda x, n, xp: x.__setitem__(x > 0.5, 2.0),
    "by indices": lambda x, n, xp: x.__setitem__([0, 3], 2.0),
    "of another dtype": lambda x, n, xp: x.__setitem__(0, xp.arange(SHAPE[1])),
    "through a view": lambda x, n, xp: x[2:5].__setitem__(0, 7.0),
    "in place by a number": lambda x, n, xp: x.__imul__(3.0),
    "a row in place": lambda x, n, xp: x[1].__iadd__(3.0),
    "in place by an array": lambda x, n, xp: x.__iadd__(x),
    "as an output": lambda x, n, xp: xp.add(x, 1.0, out=x),
    "as an output of another": lambda x, n, xp: xp.sqrt(xp.ones(SHAPE), out=x),
    "fill": lambda x, n, xp: x.fill(4.0),
    "sort": lambda x, n, xp: x.sort(),
    "put": lambda x, n, xp: xp.put(x, [0, 5], 9.0),
    "add.at": lambda x, n, xp: xp.add.at(x, [0, 0], 1.0),
    "copyto": lambda x, n, xp: xp.copyto(x, 1.5),
    "a diagonal": lambda x, n, xp: xp.fill_diagonal(x, 8.0),
    "flat": lambda x, n, xp: x.flat.__setitem__(3, 8.0),
}


@pytest.mark.usefixtures("on_a_cpu")
@pytest.mark.parametrize("write", WRITES)
@pytest.mark.parametrize("of", ["all", "a part", "a view of a view"])
def test_what_was_recorded_keeps_its_values_when_somebody_writes(write, of):
    x, n = made()
    part = {"all": lambda y: y, "a part": lambda y: y[1:-1, ::2], "a view of a view": lambda y: y[1:][::2, 3:]}[of]
    found, wanted = part(x) * 2.0 + 1.0, part(n) * 2.0 + 1.0
    assert is_recorded(found)
    WRITES[write](x, n, la)
    WRITES[write](n, n, np)
    np.testing.assert_allclose(np.asarray(x), n)
    np.testing.assert_allclose(np.asarray(found), wanted)
    np.testing.assert_allclose(np.asarray(part(x) - 1.0), part(n) - 1.0)


@pytest.mark.usefixtures("on_a_cpu")
@pytest.mark.parametrize("read_before", [False, True])
def test_what_stands_for_the_array_itself_has_a_copy(read_before):
    """Functions that give an operand back, and others than element-wise ones, never see memory that changes."""
    x, n = made()
    found = [la.conj(x), la.positive(x), +x, x.copy(), la.where(x > -1, x, 0.0), la.sum(x, axis=0), x.T + 0.0]
    wanted = [n.copy(), n.copy(), n.copy(), n.copy(), n.copy(), n.sum(axis=0), n.T.copy()]
    if read_before:
        found = [np.asarray(a) for a in found]
    x[...] = 0.0
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(a), b)


@pytest.mark.usefixtures("on_a_cpu")
def test_operators_that_change_small_parts_in_place(monkeypatch):
    x, n = made()
    found, wanted = x + 1.0, n + 1.0
    row, own = x[1], n[1]
    monkeypatch.setitem(operator_methods._NAMES, "ALONE", 100)
    row += row
    own += own
    np.testing.assert_allclose(np.asarray(found), wanted)
    np.testing.assert_allclose(np.asarray(x), n)


@pytest.mark.usefixtures("on_a_cpu")
def test_arrays_whose_memory_is_copied_again_and_again_are_numpys(monkeypatch):
    monkeypatch.setattr(operations, "COPIES_OF_BORROWED", 2)
    x, n = made()
    kept, wanted = [], []
    for i in range(5):
        kept.append(x * float(i))
        wanted.append(n * float(i))
        x[0] = n[0] = i
    assert [is_recorded(y) for y in kept] == [True, True, False, False, False]
    for a, b in zip(kept, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(a), b)


@pytest.mark.usefixtures("on_a_cpu")
def test_loops_are_numpys_until_they_are_hot(monkeypatch):
    monkeypatch.setattr(operations, "ELEMENTS_BEFORE_BORROWING", 3 * SHAPE[0] * SHAPE[1])
    x, _ = made()
    assert [is_recorded(x * 2.0) for _ in range(5)] == [False, False, False, True, True]
    y, _ = made(seed=1)
    assert is_recorded(y * 2.0), "of that shape"
    assert not is_recorded(made((3, 4))[0] * 2.0)


@pytest.mark.usefixtures("on_a_cpu")
def test_what_is_too_large_for_numpy_is_recorded_of_its_own_memory(monkeypatch):
    monkeypatch.setattr(operations, "ELEMENTS_BEFORE_BORROWING", 1 << 60)
    monkeypatch.setattr(operations, "EAGER_ELEMENTS_ON_CPUS", SHAPE[0] * SHAPE[1] - 1)
    x, n = made()
    found = x + x
    assert is_recorded(found)
    assert np.shares_memory(x.shared.loan.node.storage, x.value)
    x[0] = 0.0
    np.testing.assert_allclose(np.asarray(found), n + n)


@pytest.mark.usefixtures("on_a_cpu")
def test_transposed_parts_and_other_dtypes_are_numpys():
    x, n = made()
    assert not is_recorded(x.T * 2.0)
    np.testing.assert_allclose(np.asarray(x.T * 2.0), n.T * 2.0)
    i = la.asarray(np.arange(12))
    i[0] = 3
    assert not is_recorded(i + 1)


@pytest.mark.usefixtures("on_a_cpu")
@pytest.mark.parametrize("tier", ["auto", "compiled"])
def test_time_steps_have_numpys_values(tier, monkeypatch):
    monkeypatch.setattr(operations, "ELEMENTS_BEFORE_BORROWING", 1000)

    def steps(a, b, n):
        for _ in range(n):
            b[1:-1, 1:-1] = 0.2 * (a[1:-1, 1:-1] + a[1:-1, :-2] + a[1:-1, 2:] + a[2:, 1:-1] + a[:-2, 1:-1])
            b += 0.1 * a
            a, b = b, a
            a[0] -= 0.5 * (b[1] - b[0])
        return a, b

    before = config.settings().tier
    la.config(tier=tier)
    try:
        pairs = [made(seed=seed) if tier == "auto" else (la.asarray(v := np.ones(SHAPE)), v) for seed in (0, 1)]
        found = steps(pairs[0][0], pairs[1][0], 8)
        wanted = steps(pairs[0][1].copy(), pairs[1][1].copy(), 8)
    finally:
        la.config(tier=before)
    for a, b in zip(found, wanted, strict=True):
        np.testing.assert_allclose(np.asarray(a), b)


@pytest.mark.slow
@pytest.mark.usefixtures("on_a_cpu")
def test_kernels_that_read_the_memory_end_before_a_write():
    x, n = made((500, 600))
    for i in range(10):
        found = la.exp(la.sin(la.exp(x) + x))
        wanted = np.exp(np.sin(np.exp(n) + n))
        later = x + 2.0 if i % 2 else None  # then the memory is copied
        la.config(tier="compiled")
        try:
            enqueue(found)
        finally:
            la.config(tier="auto")
        after = n + 2.0
        x[...] = n[...] = i / 10
        np.testing.assert_allclose(np.asarray(found), wanted)
        assert later is None or np.array_equal(np.asarray(later), after)


@pytest.mark.usefixtures("on_a_cpu")
def test_jitted_functions_and_recordings_take_what_the_array_is_at_each_call():
    x, n = made()
    y = x * 2.0
    f = lift.jit(lambda a: a + x)
    for i in range(3):
        x[0] = n[0] = float(i)
        np.testing.assert_allclose(np.asarray(f(y)), np.asarray(y) + n)


@pytest.mark.usefixtures("on_a_cpu")
def test_threads_may_borrow_and_write_each_their_own(monkeypatch):
    wrong = []

    def work(seed):
        x, n = made(seed=seed)
        for i in range(60):
            kept, wanted = x[1:] * 2.0, n[1:] * 2.0
            x[:-1] = 0.5 * (x[1:] + x[:-1])
            n[:-1] = 0.5 * (n[1:] + n[:-1])
            if i % 7 == 0 and not np.allclose(np.asarray(kept), wanted):
                wrong.append(seed)
        if not np.allclose(np.asarray(x), n):
            wrong.append(seed)

    in_threads(work, range(4))
    assert not wrong


@pytest.mark.usefixtures("on_a_cpu")
def test_a_loan_ends_with_those_who_hold_it():
    x, _ = made()
    found = x + 1.0
    assert is_recorded(found)
    assert isinstance(x.shared.loan, Loan)
    del found
    x[0] = 1.0
    assert (x.shared.loan, x.shared.copies) == (None, 0)


@pytest.mark.usefixtures("on_a_cpu")
def test_small_operands_and_other_dtypes_beside_large_ones_are_copied():
    x, n = made()
    c = la.asarray(np.array([[1 + 2j], [3 - 1j]] * 4)[:1])
    c[0] = 2 - 3j
    i = la.asarray(np.arange(99).reshape(SHAPE) + (1 << 61))
    i[0] = i[0]
    bits = np.asarray(i).view(np.float64)
    for found, wanted in (
        (x + c.real, n + 2.0), (x + c.imag, n - 3.0), (x + c, n + (2 - 3j)), (i.view(np.float64) + 1.0, bits + 1.0),
        (x.view(np.int64) + 1, n.view(np.int64) + 1), (x.view(np.float32) > 0, n.view(np.float32) > 0),
    ):  # fmt: skip
        np.testing.assert_array_equal(np.asarray(found), wanted)


@pytest.mark.usefixtures("on_a_cpu")
@pytest.mark.parametrize("one", [1, 1.0, True, np.float64(1)])
def test_the_first_power_is_not_the_arrays_own_memory(one):
    x, n = made()
    found, values = x**one, np.asarray(x**one)
    assert found.expr is not x.shared.loan.node
    element = found[5, 5]
    x[...] = -5.0
    np.testing.assert_array_equal(values, n)
    np.testing.assert_array_equal(np.asarray(found), n)
    assert float(element) == float(found[5, 5]) == n[5, 5]


@pytest.mark.usefixtures("on_a_cpu")
@pytest.mark.parametrize("part", [False, True])
@pytest.mark.parametrize("give", [np.asarray, existing, lambda y: np.asarray(y[1:300]), lambda y: existing(y[:, 2:])])
@pytest.mark.parametrize("shape", [SHAPE, (400, 500)])
def test_a_borrowed_leaf_gives_no_memory_away(shape, give, part):
    x, n = made(shape)
    shown, wanted = (x[1:, 2:], n[1:, 2:].copy()) if part else (x, n.copy())
    stands = borrowed(shown)
    assert np.shares_memory(x.shared.loan.node.storage, x.value)
    found, again = give(array_of(stands.expr, stands.extents, stands.dtype)), give(la.asarray(wanted))
    assert found is None or not np.shares_memory(found, x.value)
    x[...] = 0.0
    if found is not None:
        np.testing.assert_array_equal(found, again)


@pytest.mark.usefixtures("on_a_cpu")
def test_a_copy_that_fails_leaves_the_loan(monkeypatch):
    x, n = made()
    found, wanted = x + 1.0, n + 1.0

    def fails(*_):
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr(leaves, "snapshot", fails)
        with pytest.raises(MemoryError):
            x[0] = 5.0
    x[0] = 5.0
    np.testing.assert_array_equal(np.asarray(found), wanted)


@pytest.mark.usefixtures("on_a_cpu")
def test_two_threads_write_to_one_array(monkeypatch):
    """Each keeps what it recorded before its own write, while the other one copies."""
    real = leaves.snapshot

    def slowly(*given):
        time.sleep(0.002)
        return real(*given)

    monkeypatch.setattr(leaves, "snapshot", slowly)
    for i in range(10):
        x, n = made((20, 30), seed=i)
        wrong, start = [], threading.Barrier(2)

        def work(row, x=x, n=n, wrong=wrong, start=start):
            found, wanted = x[row:][:2] * 2.0, n[row:][:2] * 2.0
            start.wait()
            x[row] = -1.0
            if not np.array_equal(np.asarray(found), wanted):
                wrong.append(row)

        in_threads(work, (0, 10))
        assert not wrong


@pytest.mark.slow
@pytest.mark.usefixtures("on_a_cpu")
@pytest.mark.parametrize("tier", ["reference", "compiled"])
def test_a_write_waits_for_a_thread_that_computes(tier, monkeypatch):
    x, n = made((1200, 1500))
    began = threading.Event()
    real = Program._run

    def told(self, *given):
        began.set()
        return real(self, *given)

    found, wanted = la.exp(la.sin(la.exp(la.sin(x)) + x)) + x, np.exp(np.sin(np.exp(np.sin(n)) + n)) + n
    monkeypatch.setattr(Program, "_run", told)
    values = []
    la.config(tier=tier)
    try:
        thread = threading.Thread(target=lambda: values.append(np.asarray(found)))
        thread.start()
        assert began.wait(10)
        x[...] = 0.0
        thread.join()
    finally:
        la.config(tier="auto")
    np.testing.assert_allclose(values[0], wanted)


@pytest.mark.usefixtures("on_a_cpu")
def test_kernels_that_are_made_in_the_background_have_inputs_of_their_own(monkeypatch):
    x, n = made()
    with watching() as seen:
        np.asarray(x * 2.0 + 1.0)
    ((program, (_, leaves_read)),) = seen.items()
    assert leaves.is_borrowed(leaves_read[0])
    begun = []
    monkeypatch.setattr(making, "Making", begun.append)
    program._begin(leaves_read)
    (given,) = [cell.cell_contents for cell in begun[0].__closure__ if type(cell.cell_contents) is list]
    assert not np.shares_memory(given[0].storage, x.value)
    np.testing.assert_array_equal(given[0].storage.reshape(SHAPE), n)
