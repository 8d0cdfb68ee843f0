"""Which tier runs a program, when that changes, and that both give the same."""

from __future__ import annotations

import numpy as np
import pytest

import lazyarr as la
from ir.cost.thresholds.tiers import BLOCKS_FROM_ELEMENTS
from ir.reference.source import UnwrittenError
from lazyarr import config, lift
from lazyarr.runtime import find_device
from lazyarr.tiers import programs, reference
from tests.lazyarr.evaluation import ON_DEVICE
from tests.lazyarr.tiers.support import X, assume, expected, program_of, run, work

pytestmark = pytest.mark.usefixtures("restored")

ON_A_CPU = pytest.mark.skipif(
    not ON_DEVICE or find_device().kind != "cpu" or not find_device().zero_copy, reason="needs a CPU device"
)


def tiers() -> dict[str, int]:
    found: dict[str, int] = {}
    for (tier, _), count in config.tier_statistics().items():
        found[tier] = found.get(tier, 0) + count
    return found


def reasons() -> set[str]:
    return {reason for _, reason in config.tier_statistics()}


# --- the choice -------------------------------------------------------------------------------------------------------


def test_a_small_program_is_carried_out_by_numpy(own_programs):
    np.testing.assert_allclose(np.asarray(work(la.asarray(X))), expected(X), rtol=1e-6)
    assert tiers() == {"reference": 1}
    assert reasons() == {"kernels would not be faster"}


def asked_for(monkeypatch, seconds):
    """How many kernels, calls, and whether they are a process's first, the seconds of compiling are asked for."""
    asked = []
    monkeypatch.setattr(
        programs,
        "seconds_to_compile_program",
        lambda kernels, calls, first: asked.append((kernels, calls, first)) or seconds,
    )
    return asked


@pytest.mark.parametrize("jitted", [False, True])
@pytest.mark.parametrize("tier", ["reference", "compiled"])
def test_a_tier_can_be_asked_for(own_programs, tier, jitted):
    la.config(tier=tier)
    f = lift.jit(work) if jitted else work
    for _ in range(2):
        np.testing.assert_allclose(np.asarray(f(la.asarray(X))), expected(X), rtol=1e-5)
    assert tiers() == {tier: 1}
    assert reasons() == {"the setting `tier`"}


@pytest.mark.slow
def test_deterministic_programs_are_compiled(own_programs):
    la.config(deterministic=True)
    np.testing.assert_allclose(np.asarray(work(la.asarray(X))), expected(X), rtol=1e-5)
    assert tiers() == {"compiled": 1}


@pytest.mark.parametrize(("saved", "count"), [(1.0, 6), (0.5, 8)])
def test_a_program_is_compiled_when_it_has_cost_as_much(own_programs, monkeypatch, saved, count):
    """It begins to be made in the third call, or the fifth where half is saved, and has cost as much since in the
    eighth, or the tenth.
    """
    assume(monkeypatch, asking=np.inf, saved=saved, unknown=True)
    f = lift.jit(work)
    f(la.asarray(X))
    written = program_of(f, X).reference.program
    assume(monkeypatch, asking=0.0, compiling=4.5 * written.seconds / max(written.kernels, 1))
    chosen = []
    for _ in range(10):
        np.testing.assert_allclose(np.asarray(f(la.asarray(X))), expected(X), rtol=1e-5)
        chosen.append(program_of(f, X).tier.partition(":")[0])
    assert chosen == ["reference"] * count + ["compiled"] * (10 - count)
    assert "it has cost as much as compiling does" in reasons()


@pytest.mark.parametrize("elsewhere", [False, True])
def test_a_run_that_takes_longer_than_compiling_is_compiled_on_a_device_of_its_own(
    own_programs, monkeypatch, elsewhere
):
    """There kernels save nearly all of a run; a search waits for later calls."""
    monkeypatch.setattr(programs, "may_compute_elsewhere", lambda place: elsewhere)
    monkeypatch.setattr(programs, "TRANSFER_SECONDS_PER_BYTE", 0.0)
    assume(monkeypatch, asking=0.0, unknown=True)
    la.config(tune="first-call")
    x = np.random.default_rng(4).random((2000, 500), np.float32)
    f = lift.jit(work)
    with monkeypatch.context() as patched:
        assume(patched, asking=np.inf)
        f(la.asarray(x))
    written = program_of(f, x).reference.program
    assume(monkeypatch, compiling=0.7 * written.seconds / written.different)
    np.testing.assert_allclose(np.asarray(f(la.asarray(x))), expected(x), rtol=1e-5)
    program = program_of(f, x)
    assert program.tier == ("compiled: a run takes longer than compiling" if elsewhere else program.tier)
    assert ("a run takes longer than compiling" in reasons()) == elsewhere
    assert not elsewhere or program.compiled.searches_later


def test_searches_on_first_calls_are_taken_to_last_no_longer_than_all_of_them_may(own_programs, monkeypatch):
    assume(monkeypatch, asking=0.0, compiling=0.0, saved=0.5, unknown=True)
    la.config(tune="first-call", tune_seconds=3.0, tune_total=0.0)
    np.asarray(work(la.asarray(X)))
    assert reasons() == {"a run takes as long as compiling and searching"}


def test_programs_of_one_structure_earn_together(own_programs, monkeypatch):
    assume(monkeypatch, asking=0.0, compiling=1e-4, saved=1.0, unknown=True)
    f = lift.jit(lambda x: la.sum(la.abs(x)))
    n = 10
    while "compiled" not in tiers() and n < 200:
        assert float(f(la.asarray(np.ones(n, np.float32)))) == n
        n += 1
    assert 12 < n < 200


def test_known_kernels_are_used_once_asking_pays(own_programs, monkeypatch):
    assume(monkeypatch, saved=1.0)
    la.config(tier="compiled")
    np.asarray(work(la.asarray(X)))
    la.config(tier="auto")
    np.asarray(work(la.asarray(X)))
    assert "it has cost little so far" in reasons()
    assume(monkeypatch, asking=0.0)
    np.asarray(work(la.asarray(X)))
    assert ("compiled", "its kernels are known") in config.tier_statistics()


@pytest.mark.parametrize(("tier", "ran"), [("auto", "compiled"), ("reference", "reference")])
def test_what_numpy_has_no_calls_for_is_compiled_or_interpreted(own_programs, monkeypatch, tier, ran):
    def refused(*given):
        raise UnwrittenError("a fold of this kind")

    monkeypatch.setattr(reference, "write", refused)
    la.config(tier=tier)
    z = np.arange(6) * (1 + 2j)
    np.testing.assert_allclose(np.asarray(lift.jit(work)(la.asarray(X))), expected(X), rtol=1e-5)
    np.testing.assert_allclose(np.asarray(lift.jit(lambda z: z * 2j)(la.asarray(z))), z * 2j)  # two roots
    assert tiers() == {ran: 2}
    assert reasons() == {"no call of NumPy for a fold of this kind" if tier == "auto" else "the setting `tier`"}


def test_products_of_matrices_stay_with_numpys_library(own_programs, monkeypatch):
    assume(monkeypatch, asking=0.0, compiling=0.0)
    a = np.random.default_rng(1).random((64, 64), np.float32)
    np.testing.assert_allclose(np.asarray(la.asarray(a) @ la.asarray(a)), a @ a, rtol=1e-5)
    assert reasons() == {"kernels would not be faster"}


def gains(f, *given):
    """Is the program of a function predicted to gain from kernels? Its works with speeds of their own."""
    f = lift.jit(f)
    f(*map(la.asarray, given))
    program = program_of(f, *given)
    written = program.reference.program
    works = program._apart(written)
    return program._saved(written.seconds, works, written.kernels) > 0, set(works)


@pytest.mark.parametrize("count", [1000, 2 * BLOCKS_FROM_ELEMENTS])
def test_long_formulas_of_whole_numbers_are_a_work_of_their_own(count):
    assert gains(lambda seed: la.random.default_rng(seed).random(count), 3) == (True, {"whole numbers"})
    numbers = np.arange(count)
    assert gains(lambda x: (x * 3 + 1) // 7, numbers)[1] == set()


TALL, SQUARE, WIDE = (np.ones(shape, np.float32) for shape in ((5000, 64), (64, 64), (5000, 400)))


@ON_A_CPU
@pytest.mark.parametrize(
    ("f", "given", "worth", "works"),
    [
        (lambda x, w: x @ w, (TALL, SQUARE), False, "library product"),
        (lambda x, w: la.exp(la.maximum(x @ w + 1, 0)), (TALL, SQUARE), True, "library product"),
        (lambda x, w: la.tanh(x.T @ w), (TALL, TALL), False, "library product"),
        (lambda x, w: la.tanh(x.reshape((5, 1000, 64)) @ w), (TALL, SQUARE), True, "library product"),
        (lambda x, w: la.exp(x.T @ x), (TALL, SQUARE), False, "product with itself"),
        (lambda x, w: x @ w[:, 0], (TALL, SQUARE), False, "product with vectors"),
        (lambda x, w: la.exp(x) @ w[:, 0], (TALL, SQUARE), True, "product with vectors"),
        (lambda x, w: x.T @ x[:, 0], (TALL[:1000], SQUARE), False, "product with long vectors"),
        (lambda x, w: x @ w, (WIDE, WIDE[0]), False, "product with long vectors"),
        (lambda x, w: x @ w[:, :3], (TALL, SQUARE), False, "product of float32"),
        (lambda x, w: la.abs(la.fft.fft(x)), (TALL, SQUARE), False, "transform of float32"),
        (lambda x, w: la.abs(la.fft.fft(x)), (TALL.astype("f8"), SQUARE), False, "transform of float64"),
    ],
)  # fmt: skip
def test_products_and_transforms_have_speeds_of_their_own(own_programs, f, given, worth, works):
    assert gains(f, *given) == (worth, {works})


@ON_A_CPU
def test_without_the_library_products_are_left_to_numpy(own_programs):
    def layer(x, w):
        return la.exp(la.maximum(x @ w + 1, 0))

    assert gains(layer, TALL, SQUARE) == (True, {"library product"})
    la.config(library="off")
    assert gains(layer, TALL, SQUARE) == (False, {"library product by kernels"})


@ON_A_CPU
def test_what_the_library_computes_costs_no_compiling(own_programs, monkeypatch):
    assume(monkeypatch, asking=0.0, unknown=True)
    f = lift.jit(lambda x, w: la.exp(la.maximum(x @ w + 1, 0)))
    f(la.asarray(TALL), la.asarray(SQUARE))
    written = program_of(f, TALL, SQUARE).reference.program
    assert (written.kernels, written.works["library product"].kernels) == (2, 1)
    assume(monkeypatch, compiling=3.5 * written.seconds, saved=1.0)
    chosen = []
    for _ in range(7):
        f(la.asarray(TALL), la.asarray(SQUARE))
        chosen.append(program_of(f, TALL, SQUARE).tier.partition(":")[0])
    assert chosen == ["reference"] * 4 + ["compiled"] * 3


VECTOR = np.random.default_rng(3).random(300_001, np.float32)


@ON_A_CPU
@pytest.mark.parametrize(
    ("f", "made"),
    [
        (lambda x: la.sort(x), 0),
        (lambda x: la.sort(x) * 2 + 1, 1),
        (lambda x: la.sort(la.exp(x)), 1),  # of what a kernel computes
        (lambda x: la.sort(x[:300_000].reshape((500, 600)), axis=1), 0),
    ],
)
def test_kernels_are_made_for_what_the_library_does_not_sort(own_programs, monkeypatch, f, made):
    monkeypatch.setattr(programs, "library_sorts", lambda *_: True)
    monkeypatch.setattr("ir.schedules.library_sorts.library_sorts", lambda *_: True)
    asked = asked_for(monkeypatch, 1e9)
    assume(monkeypatch, asking=0.0, saved=1.0, unknown=True)
    f = lift.jit(f)
    for _ in range(2):
        f(la.asarray(VECTOR))
    program = program_of(f, VECTOR)
    assert program.compiled.kernels_to_make() == made
    if made:
        assert {kernels for kernels, _, _ in asked} == {made}
        assert tiers() == {"reference": 2}
    else:
        assert not asked
        assert ("compiled", "the host's library computes it, nothing is to be compiled") in config.tier_statistics()
        assert program.compiled.searches_later


@ON_A_CPU
def test_a_sort_by_the_library_is_left_to_numpy(own_programs, monkeypatch):
    """Both are the same call."""
    monkeypatch.setattr(programs, "library_sorts", lambda *_: True)
    assert gains(lambda x: la.sort(x), VECTOR) == (False, {"library sort"})
    la.config(library="off")
    assert gains(lambda x: la.sort(x), VECTOR) == (True, set())


@ON_A_CPU
def test_each_sort_is_looked_at(own_programs, monkeypatch):
    """Where the library takes 11 nanoseconds for a number, kernels sort long rows faster, and short ones not."""
    monkeypatch.setattr(programs, "seconds_to_sort", lambda: 11e-9)
    long, short = np.resize(VECTOR, 1 << 20), VECTOR[:300_000]
    assert gains(lambda x: la.sort(x), long) == (True, set())
    assert gains(lambda x: la.sort(x.reshape((3000, 100)), axis=1), short) == (False, {"library sort"})
    assert gains(lambda x: (la.sort(x.reshape((3000, 100)), axis=0), la.sort(x)), short) == (True, set())


def test_the_first_kernel_of_a_process_costs_more(own_programs, monkeypatch):
    asked = asked_for(monkeypatch, 0.0)
    monkeypatch.setattr(programs, "_makes", False)
    assume(monkeypatch, asking=0.0, saved=1.0)
    for f in (work, lambda x: la.exp(x) - 1):
        np.asarray(lift.jit(f)(la.asarray(X)))
    assert [first for *_, first in asked] == [True, False]
    assert all(calls > 1 for _, calls, _ in asked)
    assert reasons() == {"a run takes as long as compiling and searching"}


def test_what_ends_a_kernel_is_counted_once():
    """A reduction and a root that shows its result are one."""
    x = np.ones((200, 300), np.float32)

    def kernels(f):
        f = lift.jit(f)
        f(la.asarray(x))
        return program_of(f, x).reference.program.kernels

    assert kernels(lambda a: la.max(a, axis=1)) == 1
    assert kernels(lambda a: (la.max(a, axis=1), la.min(a, axis=0))) == 2
    assert kernels(lambda a: la.max(a, axis=1) + 1) == 2
    assert kernels(lambda a: a + 1) == 1
    assert kernels(lambda a: (a[:, :2] + 1j) @ (a[:2] * 1j)) == 1  # of pairs of numbers
    assert kernels(lambda a: (a[:, :2] + 1j) @ ((a[:2, :2] - 1j) @ (a[:2] * 1j))) == 2


@pytest.mark.slow
def test_a_search_lets_kernels_take_over(own_programs):
    f = lift.jit(work)
    f(la.asarray(X))
    lift.tune(f, la.asarray(X), seconds=0.2, trials=2)
    config.reset_statistics()
    np.testing.assert_allclose(np.asarray(f(la.asarray(X))), expected(X), rtol=1e-5)
    assert not config.tier_statistics()  # settled
    assert program_of(f, X)._settled[1] is not None


def test_explaining_says_which_tier_ran_it(own_programs):
    f = lift.jit(work)
    assert not lift.explain(f, la.asarray(X)).tier
    f(la.asarray(X))
    found = lift.explain(f, la.asarray(X))
    assert found.tier == "reference: kernels would not be faster"
    assert str(found).startswith("it ran last on the tier reference: kernels would not be faster\n")
    f(la.asarray(X))
    assert "compiled" not in tiers()  # looking changes nothing


# --- in processes of their own ----------------------------------------------------------------------------------------

ASKING = """
import sys, numpy as np, lazyarr as la
from lazyarr import config, lift
from lazyarr.tiers import programs
programs.ASKING_SECONDS = programs.FIRST_ASKING_SECONDS = 0.0
programs.LAUNCH_SECONDS = programs.FURTHER_LAUNCH_SECONDS = 0.0
"""
SCRIPT = f"""{ASKING}
programs.seconds_to_compile_program = lambda kernels, calls, first: 4e-5 * kernels
la.config(tune="off")
x = la.asarray(np.random.default_rng(1).random(3001, np.float32))
f = lift.jit(lambda x: la.sum(la.sqrt(x) * x))
print([np.asarray(f(x)).tobytes().hex() for _ in range(40)], config.tier_statistics())
"""


@pytest.mark.slow
def test_the_same_script_gives_the_same_bits(tmp_path):
    first, second = (run(SCRIPT, LAZYARR_CACHE_DIR=str(tmp_path / name)) for name in "ab")
    assert first == second
    assert "compiled" in first and "reference" in first


@pytest.mark.slow
def test_numpy_alone_needs_no_device():
    code = (
        "import sys, numpy as np, lazyarr as la\n"
        "x = la.asarray(np.arange(12.0)).reshape(3, 4)\n"
        "print(float((x * 2).sum()), 'pyopencl' in sys.modules, 'tuner' in sys.modules)"
    )
    assert run(code) == "132.0 False False\n"


@pytest.mark.slow
@pytest.mark.parametrize("is_there", [False, True])
def test_the_compiler_is_asked_for_kernels_only_where_a_cache_is(tmp_path, is_there):
    """A program that has cost enough to ask does not import the compiler for it; later the kernels are made as ever."""
    code = (
        f"{ASKING}x = la.asarray(np.arange(100000.0))\n"
        "print(float(la.sqrt(x * 2).sum()) > 0, 'lazyarr.compile.program' in sys.modules, config.tier_statistics())"
    )
    if is_there:
        run("from kernel_cache import files; files.make_private(files.default_path())", LAZYARR_CACHE_DIR=str(tmp_path))
    said = run(code, LAZYARR_CACHE_DIR=str(tmp_path))
    assert said.startswith(f"True {is_there} "), said
    assert ("it has cost less than compiling would" if is_there else "it has cost little so far") in said


@ON_A_CPU
def test_no_device_is_looked_for_where_kernels_would_save_nothing_on_a_cpu(own_programs, monkeypatch):
    asked = []
    monkeypatch.setattr(programs, "_compiles", False)
    monkeypatch.setattr(programs, "ASKING_SECONDS", 0.0)
    own = programs.Program.device.fget
    monkeypatch.setattr(programs.Program, "device", property(lambda self: asked.append(self) or own(self)))
    f = lift.jit(lambda x, w: x @ w)
    f(la.asarray(TALL), la.asarray(SQUARE))
    f(la.asarray(TALL), la.asarray(SQUARE))
    assert not asked
    assert reasons() == {"it has cost little so far"}
    spent = program_of(f, TALL, SQUARE)._spending.seconds
    monkeypatch.setattr(programs, "FIRST_ASKING_SECONDS", 0.1 * spent)  # which takes a tenth of that
    f(la.asarray(TALL), la.asarray(SQUARE))
    assert asked
    assert "kernels would not be faster" in reasons()


# --- values -----------------------------------------------------------------------------------------------------------


def test_complex_numbers_captured_arrays_and_updates():
    la.config(tier="reference")
    z = np.exp(1j * np.arange(5))
    w = la.asarray(np.arange(5.0))

    @lift.jit
    def f(x, y):
        x[1:3] = 7
        return x * w + y, la.real(x * (1 + 2j))

    x = la.asarray(z)
    a, b = f(x, 1.0)
    z[1:3] = 7
    np.testing.assert_allclose(np.asarray(x), z)
    np.testing.assert_allclose(np.asarray(a), z * np.arange(5.0) + 1)
    np.testing.assert_allclose(np.asarray(b), (z * (1 + 2j)).real)


def test_bits_of_large_arrays_are_read_not_written_to():
    la.config(tier="reference")
    a = np.random.default_rng(5).standard_normal(5000).astype(np.float32)
    x = la.asarray(a)
    np.testing.assert_array_equal(np.asarray((x.view("uint32") & 7) ^ 1), (a.view("uint32") & 7) ^ 1)
    np.testing.assert_array_equal(np.asarray(x), a)


def test_large_element_wise_programs_are_carried_out_in_blocks(own_programs):
    """With NumPy's bits; the memory of a result is used again once nobody holds it, and not before."""
    la.config(tier="reference")
    n = BLOCKS_FROM_ELEMENTS + 4321  # more than COPIES_POOLED_FROM
    x, y = np.random.default_rng(1).uniform(-1, 1, (2, n))
    a, b = la.asarray(x), la.asarray(y)
    with np.errstate(invalid="ignore"):
        want = [np.where(x < s * y, np.sqrt(x * y + s), -x) for s in (1.0, 2.0, 3.0)]

    def computed(s):
        return np.asarray(la.where(a < s * b, la.sqrt(a * b + s), -a))

    first = computed(1.0)
    second = computed(2.0)
    used = second.ctypes.data
    assert used != first.ctypes.data
    assert first.tobytes() == want[0].tobytes()
    assert second.tobytes() == want[1].tobytes()
    del second
    third = computed(3.0)
    assert third.ctypes.data == used
    assert [first.tobytes(), third.tobytes()] == [want[0].tobytes(), want[2].tobytes()]


@ON_A_CPU
def test_few_random_numbers_of_a_table_need_no_kernel(own_programs):
    rng = la.random.default_rng(0)
    for draw in (lambda: rng.poisson(3.0, 10), lambda: rng.binomial(200, 0.3, 10)):
        assert np.asarray(draw()).shape == (10,)
    assert set(tiers()) == {"reference"}
