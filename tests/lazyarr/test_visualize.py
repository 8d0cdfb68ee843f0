"""`la.visualize`: what it draws is what is recorded and planned, and it computes nothing."""

from __future__ import annotations

import re
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

import lazyarr as la
from ir.cost.count import count
from lazyarr import lift
from lazyarr.compile.compiler import Compiler
from lazyarr.errors import TracingError
from lazyarr.evaluate import engine
from lazyarr.lift import visualization
from lazyarr.tiers import programs as tiers

ROWS, COLUMNS = 64, 1024
M = np.linspace(-2, 3, ROWS * COLUMNS, dtype=np.float32).reshape(ROWS, COLUMNS)
SVG = "{http://www.w3.org/2000/svg}"


def softmax(x):
    e = la.exp(x - la.max(x, axis=1, keepdims=True))
    return e / la.sum(e, axis=1, keepdims=True)


def with_its_sum(x):
    y = x * 2
    return y, la.sum(y)


def bicgk(x):
    return x @ x[0], x.T @ x[:, 0]


def patched(x):
    x[1:-1] = x[2:] + x[:-2]
    return la.cumsum(x, axis=1)


def deep(x):
    for i in range(300):
        x = la.sin(x) + i
    return x


def complex_(x):
    return la.abs(la.exp(x * 1j)), x * 1j


FUNCTIONS = [
    softmax, with_its_sum, bicgk, patched, deep, complex_, la.sort, lambda x: la.mean(x, axis=0), lambda x: x,
    lambda x: la.roll(x, 1) * x,
    lambda x: la.concat([la.sum(x, axis=1), x[0] + 1, x[1]]),
]  # fmt: skip


@pytest.fixture
def nothing_runs(monkeypatch):
    """Whatever computes or compiles raises."""

    def refuse(*args, **kwargs):
        raise AssertionError("something was computed or compiled")

    for owner, name in (
        (engine, "_values"), (engine, "compute"), (Compiler, "compile"), (Compiler, "tune"), (tiers.Program, "run"),
    ):  # fmt: skip
        monkeypatch.setattr(owner, name, refuse)


def boxes(drawing, kind):
    tree = ElementTree.fromstring(drawing.svg())
    return [e for e in tree.iter(f"{SVG}rect") if e.get("class") == kind]


@pytest.mark.device
@pytest.mark.parametrize("f", [f for f in FUNCTIONS if f is not deep])
def test_kernels_are_those_that_explain_counts(f, tuned_off):
    x = la.asarray(M.copy())
    drawing = la.visualize(f, x)
    assert str(la.visualize(lift.jit(f), x)) == str(drawing)
    np.testing.assert_array_equal(np.asarray(x), M)  # nobody assigned to it
    explained = lift.explain(f, x).kernels
    assert len(drawing.kernels) == len(explained)
    assert len(boxes(drawing, "kernel")) == len(explained)
    for kernel, known in zip(drawing.kernels, explained, strict=True):
        cost = count(known.general.expr)
        assert kernel.bytes_read == cost.read.evaluate(known.general.sizes)
        assert kernel.bytes_written == cost.written.evaluate(known.general.sizes)


@pytest.mark.parametrize("f", FUNCTIONS)
def test_a_drawing_is_sound(f, nothing_runs):
    drawing = la.visualize(f, M)
    names = {v.name for v in drawing.recorded}
    assert len(names) == len(drawing.recorded)
    assert all(set(v.reads) <= names for v in drawing.recorded)
    made: dict[str, int] = {}
    for kernel in drawing.kernels:
        inside = {v.name for v in kernel.vertices}
        for name in kernel.reads:
            assert name in made or not drawing.stored[name].text
        made.update(dict.fromkeys(kernel.writes, kernel.number))
        for v in kernel.vertices:
            assert set(v.reads) <= inside | set(kernel.reads)
    if drawing.kernels:
        assert {v.name for v in drawing.stored.values() if v.is_result} <= set(made)
        assert drawing.bytes_moved >= drawing.bytes_least > 0
    # each border has a reason: an array that one kernel writes and another reads
    borders = {(name, made[name], k.number) for k in drawing.kernels for name in k.reads if name in made}
    assert {(b.stored, b.maker, b.reader) for b in drawing.not_fused} == borders
    assert all(b.conditions for b in drawing.not_fused)
    assert len(boxes(drawing, "vertex")) == len(drawing.recorded)
    text = str(drawing)
    assert all(f"{v.name}: {v.type}" in text for v in drawing.recorded)


def test_kernels_are_those_of_the_device(monkeypatch):
    """Four rows keep few units busy: where there are more, each step of a softmax is a kernel of its own."""
    rows, machine_of = M[:4], visualization.machine_of
    for units, kernels in ((4, 1), (64, 3)):
        monkeypatch.setattr(visualization, "machine_of", lambda d, n=units: replace(machine_of(d), compute_units=n))
        assert len(la.visualize(softmax, rows).kernels) == kernels


def test_reasons_are_those_that_refused():
    assert la.visualize(softmax, M).not_fused == ()
    needed = la.visualize(lambda x: (softmax(x), la.max(x, axis=1)), M).not_fused
    assert {c.partition(":")[0] for b in needed for c in b.conditions} == {"barrier", "needed"}
    reversed_means = la.visualize(lambda x: x - la.mean(x, axis=1)[::-1, None], M).not_fused
    assert {c.partition(":")[0] for b in reversed_means for c in b.conditions} == {"asked often", "other rows"}
    assert [(b.maker, b.reader) for b in reversed_means] == [(1, 2)]
    (border,) = la.visualize(with_its_sum, M[:8]).not_fused  # of so few elements that a sum is one kernel
    assert border.conditions[0].startswith("result:")
    outer = la.visualize(lambda x, y: la.outer(la.sin(x), la.cos(y)), M[0], M[1])
    assert {c.partition(":")[0] for b in outer.not_fused for c in b.conditions} == {"asked often"}


def heavy(x):
    y = la.sum(x, axis=1)
    for _ in range(10):
        y = la.sin(y) + la.exp(y)
    return y


def sums(x):
    y = la.exp(la.sin(x))
    return la.sum(y, axis=0), la.sum(y, axis=1), la.cumsum(y)


FEW = np.ones((2, 200_000), np.float32)
NARROW = np.ones((100_000, 2), np.float32)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("f", "args", "borders"),
    [
        (deep, (M,), [("long",)] * 6),
        (lambda x: la.cumsum(x) * 2, (M[0],), []),
        (lambda x: la.cumsum(x)[::-1] * 2, (M[0],), [("barrier", "not aligned")]),
        (lambda x: la.mean(x, axis=1) * 2, (M,), []),
        (lambda x: la.sum(x, axis=1)[::-1] * 2, (M,), [("barrier", "not aligned")]),
        (lambda x, y: la.sum(x, axis=1) + la.sum(y, axis=0), (M, M.T.copy()), [("barrier", "several reductions")] * 2),
        (heavy, (NARROW,), [("barrier", "much work")]),
        (lambda x: la.concat([la.sum(x, axis=1), x[:, 0]]) * 2, (M,), [("barrier", "parts")]),
        (lambda x: la.var(x, axis=1), (M,), []),
        (lambda x: la.var(x, axis=1), (FEW,), [("asked often", "not of rows")]),
        (lambda x, i: la.take(la.exp(x), i), (M[0], np.arange(5)), [("copied",)]),
        (sums, (M,), [("shared",)] * 3),
    ],
)
def test_each_condition_is_named_where_it_refuses(f, args, borders):
    found = [tuple(c.partition(":")[0] for c in b.conditions) for b in la.visualize(f, *args).not_fused]
    assert found == borders


def test_bytes_are_those_of_what_must_move():
    drawing = la.visualize(bicgk, M)
    matrix, vectors = M.nbytes, 4 * (ROWS + COLUMNS)
    assert drawing.bytes_least == matrix + vectors
    assert drawing.bytes_moved >= matrix + vectors
    part = la.visualize(lambda x: la.sin(x[:3]), M)
    assert part.bytes_moved == part.bytes_least == 2 * 3 * 4 * COLUMNS


def test_an_array_that_is_not_computed_is_drawn_and_stays_so(nothing_runs):
    x = la.asarray(M.copy())
    y = la.exp(x) * 2
    before = y.standing
    total = la.sum(y)
    drawing = la.visualize(y, total)
    assert y.standing is before
    assert len([v for v in drawing.recorded if v.is_result]) == 2
    assert len(drawing.kernels) == 1


def test_what_a_function_takes_from_outside_is_an_input(nothing_runs):
    outside = la.exp(la.asarray(M.copy()))
    drawing = la.visualize(lambda x: x + outside, M)
    assert [bool(v.text) for v in drawing.recorded].count(True) == 1
    assert outside.expr is not None
    assert not hasattr(outside.expr, "storage")


@pytest.mark.device
def test_computed_arrays_leave_nothing_to_draw():
    y = la.exp(la.asarray(M))
    la.compute(y)
    drawing = la.visualize(y)
    assert drawing.kernels == ()
    assert "0 kernels" in str(drawing)
    assert "nothing is left to compute" in drawing.svg()


def test_texts_are_escaped(tmp_path):
    def f(**named):
        return named['<a&"b'] + 1 < 2

    f.__name__ = f.__qualname__ = "<script>&\x07"
    drawing = la.visualize(f, **{'<a&"b': M})
    ElementTree.fromstring(drawing.svg())
    assert "<script>" not in drawing.svg()
    assert drawing._repr_svg_() == drawing.svg()
    drawing.save(tmp_path / "f.svg")
    assert ElementTree.parse(tmp_path / "f.svg").getroot().tag == f"{SVG}svg"
    drawing.save(str(tmp_path / "f.txt"))
    assert (tmp_path / "f.txt").read_text(encoding="utf-8") == f"{drawing}\n"


def test_arguments_have_their_names():
    drawing = la.visualize(lambda a, b=None: a @ b, M, b=M[0])
    assert {v.name for v in drawing.recorded if not v.text} == {"a", "b"}
    assert re.search(r"zip\(xs, b\)", str(drawing))


def test_bad_input_is_refused(tmp_path):
    with pytest.raises(TypeError, match="expected a function or an array, got int"):
        la.visualize(3)
    with pytest.raises(TypeError, match="expected arrays beside an array, got float"):
        la.visualize(la.asarray(M), 2.0)
    with pytest.raises(TypeError):
        la.visualize(lambda x: x)
    with pytest.raises(TracingError):
        la.visualize(lambda x: x if x[0] > 0 else -x, M[0])
    with pytest.raises(ValueError, match=r"ends in \.svg or \.txt, got 'f\.png'"):
        la.visualize(softmax, M).save(tmp_path / "f.png")
    with pytest.raises(TypeError, match="is being recorded"):
        lift.jit(lambda x: la.visualize(x))(M)


def test_a_function_that_raises_leaves_arrays_as_they_were(nothing_runs):
    outside = la.asarray(M.copy())

    def f(x):
        outside[0] = x[0]
        raise KeyError("no")

    before = outside.standing
    with pytest.raises(KeyError):
        la.visualize(f, M)
    assert outside.standing is before
