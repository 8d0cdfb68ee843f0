"""Stacked views: their indices stay short, exact and below 2**31 at each step of their computation."""

from __future__ import annotations

import re
from collections.abc import Iterator

import numpy as np
import pytest

import lazyarr as la
from ir.core.expr import Expr
from ir.core.notation.parser import parse
from ir.core.sizes import Size, var
from ir.core.types import FLOAT32, array_of
from ir.opencl.generate import generate
from ir.opencl.read import expressions, views
from ir.opencl.write.spelling import Spelling
from ir.schedules.candidates import Candidates
from lazyarr import config
from tests.ir.opencl.running import check
from tests.ir.schedules.zoo import CPU
from tests.tiers import by_tier

N, M = var("n", 1), var("m", 1)
MOST = 2**31 - 1
TURNED, STRIDED = "join (transpose (split m {}))", "reorderStride m {}"
ROLLED = "concat(slice (n*m - 1) 1 1 {0}, slice 0 1 (n*m - 1) {0})"


def stacked(views: list[str], inner: str, outer: str = "{}") -> Expr:
    for view in views:
        inner = view.format(f"({inner})")
    return parse(outer.format(f"({inner})"), {"xs": array_of(FLOAT32, N * M)}, {"n": N, "m": M})


class Index(int):
    """A C `int`: an operation whose result it cannot hold is undefined."""

    @staticmethod
    def of(value: int) -> Index:
        assert -MOST - 1 <= value <= MOST, f"{value} is no int"
        return Index(value)

    def __add__(self, other: int) -> Index:
        return Index.of(int(self) + int(other))

    def __sub__(self, other: int) -> Index:
        return Index.of(int(self) - int(other))

    def __mul__(self, other: int) -> Index:
        return Index.of(int(self) * int(other))

    def __truediv__(self, other: int) -> Index:
        assert self >= 0 < other
        return Index(int(self) // int(other))

    def __mod__(self, other: int) -> Index:
        assert self >= 0 < other
        return Index(int(self) % int(other))


def moved(source: str, i: int, **sizes: int) -> tuple[int, int]:
    """Which element of `xs` the sequential kernel moves where in its turn `i`, each step within an `int`."""
    known = {k: Index(v) for k, v in sizes.items()} | {"i0": Index(i)}
    loop = source.split("++i0) {")[1].split("}")[0]
    for name, text in re.findall(r"const int (\w+) = (.*);", loop):
        known[name] = _evaluated(text, known)
    (there, here) = re.search(r"result\[(.*)\] = xs\[(.*)\];", loop).groups()  # type: ignore[union-attr]  # it stores
    return int(_evaluated(here, known)), int(_evaluated(there, known))


def _evaluated(text: str, known: dict[str, Index]) -> Index:
    value = eval(re.sub(r"\b(\d+)\b", r"Index(\1)", text), {"Index": Index}, known)
    assert isinstance(value, Index)
    return value


def places(views: list[str], i: int, n: int, m: int) -> int:
    """Where element `i` of the stacked views lies in what they view, in Python's numbers."""
    for view in reversed(views):
        i = i % n * m + i // n if view == TURNED else i // n + m * (i % n)
    return i


STACKS = [[TURNED] * 2, [TURNED] * 3, [TURNED] * 8, [STRIDED] * 3, [TURNED, STRIDED] * 3, [STRIDED, TURNED, TURNED] * 4]


@pytest.mark.parametrize(("n", "m"), [(46000, 46337), (3, 700_000_001), (700_000_001, 3), (20, 50)])
@pytest.mark.parametrize("views", STACKS, ids=range(len(STACKS)))
def test_no_step_of_an_index_leaves_32_bits(views, n, m):
    read = generate(stacked(views, "xs", "mapSeq (λx. x) {}")).source
    written = generate(stacked(views, "mapSeq (λx. x) xs")).source
    last = n * m - 1
    for i in {0, 1, n, m, last // 3, last // 2 + 7, last - n, last - 1, last}:
        place = places(views, i, n, m)
        assert moved(read, i, n=n, m=m) == (place, i)
        assert moved(written, place, n=n, m=m) == (place, i)


@pytest.mark.parametrize(("n", "m"), [(4096, 4096), (2048, 8192), (30_000, 40_000), (4095, 4099 * 4)])
def test_no_step_of_an_index_leaves_32_bits_where_lengths_are_known(n, m):
    e = parse(f"map (λx. x) (join (transpose (split {m} xs)))", {"xs": array_of(FLOAT32, n * m)}, {})
    low = Candidates.of(e).derive({"schedule": "grid", "local": 256, "width": 4, "each": 1}).result
    source = generate(low).source
    # lane by lane, as in (float4)(xs[..], xs[..], xs[..], xs[..])
    lanes = re.findall(r"xs\[([^\]]*)\]", source)
    assert len(lanes) >= 4
    groups = n * m // 1024
    for group in {0, 1, 2, 3, n // 1024, groups // 3, groups // 2 + 1, groups - 2, groups - 1}:
        for item in (0, 1, 254, 255):
            known = {"group0": Index(group), "item0": Index(item), "global0": Index(256 * group + item)}
            for lane, text in enumerate(lanes[:4]):
                i = 1024 * group + 4 * item + lane
                assert _evaluated(text, known) == i % n * m + i // n


def test_a_sum_whose_terms_leave_32_bits_is_computed_in_64():
    g, i = var("g", 0, 16383), var("i", 0, 255)
    index = 4194304 * g + 16384 * i - 16777214 * (g // 4) - 3 * g
    spelling = Spelling("int")
    spelling.declared |= {g, i}
    text = spelling.bare_size(index)
    assert text.count("(long)") == 3
    assert "(long)" not in spelling.bare_size(4096 * g - 4095 * i)
    assert "(long)" not in Spelling("int").bare_size(N * M - N)  # lengths, whose products fit


@pytest.mark.parametrize("view", [TURNED, STRIDED], ids=["turned", "strided"])
def test_code_grows_by_a_constant_with_each_view(view):
    lengths = [len(generate(stacked([view] * k, "xs", "mapSeq (λx. x) {}")).source) for k in (8, 16, 24)]
    assert lengths[2] - lengths[1] < 1.2 * (lengths[1] - lengths[0])


def test_a_division_is_declared_once():
    e = stacked([TURNED] * 3, "zip(xs, xs)", "mapSeq (λ(a, b). a - b) {}")
    assert generate(e).source.count("const int row") == 1


def test_a_lone_view_declares_nothing():
    assert "const int" not in generate(stacked([TURNED], "xs", "mapSeq (λx. x) {}")).source


@pytest.mark.parametrize("views", STACKS, ids=range(len(STACKS)))
def test_stacked_views_on_a_device(views, device):
    sizes = [{"n": n, "m": m} for n, m in ((5, 3), (1, 7), (37, 19))]
    for low in (stacked(views, "xs", "mapGlobal (λx. x) {}"), stacked(views, "mapGlobal (λx. x) xs")):
        check(device, stacked(views, "xs"), low, *sizes, exact=True)


@pytest.mark.parametrize("views", [[TURNED, ROLLED, TURNED], [ROLLED, TURNED, TURNED, STRIDED, ROLLED]], ids=range(2))
def test_views_with_two_sides(views, device):
    sizes = [{"n": n, "m": m} for n, m in ((5, 3), (37, 19))]
    low = stacked(views, "xs", "mapGlobal (λx. x) {}")
    check(device, stacked(views, "xs"), low, *sizes, exact=True)


@pytest.mark.parametrize("outer", ["map (λx. x * x) {}", "reduce (+) 0 {}"])
@pytest.mark.parametrize("views", STACKS[1::2], ids=range(len(STACKS[1::2])))
def test_each_schedule_computes_stacked_views(views, outer, device):
    e = stacked(views, "xs", outer)
    candidates = Candidates.of(e)
    for schedule in candidates.schedules:
        for last in by_tier((-1,), (-1,), (0, -1)):
            choices = {p.name: p.values[last] for p in schedule.parameters(candidates.normal)}
            small = {k: v for k, v in {"groups": 4, "local": 16}.items() if k in choices}
            chosen = candidates.normalised({"schedule": schedule.name, **choices, **small})
            low = candidates.derive(chosen).result
            check(device, e, low, {"n": 37, "m": 29}, exact=True)


@pytest.fixture
def untuned(device) -> Iterator[None]:
    old = config.configure(tune="off", cache="off")
    yield
    config.configure(**vars(old))


@pytest.mark.parametrize(("views", "shape"), [(2, (3000, 1000)), (3, (3000, 1000)), (8, (20, 50)), (12, (20, 50))])
def test_repeated_transposes_and_reshapes(views, shape, untuned):
    expected = np.arange(shape[0] * shape[1], dtype=np.int32).reshape(shape)
    x = la.asarray(expected)
    for _ in range(views):
        x, expected = x.T.reshape(shape), expected.T.reshape(shape)
    np.testing.assert_array_equal(np.asarray(x + 0), expected)


@pytest.mark.parametrize("seed", range(by_tier(2, 2, 6)))
def test_views_of_many_kinds(seed, untuned):
    rng = np.random.default_rng(seed)
    expected = np.arange(2 * 3 * 5 * 7 * 11, dtype=np.int32).reshape(2, 3, 5, 7, 11)
    x = la.asarray(expected)
    for _ in range(6):
        axes = tuple(int(a) for a in rng.permutation(expected.ndim))
        x, expected = la.permute_dims(x, axes), expected.transpose(axes)
        axis = int(rng.integers(expected.ndim))
        x, expected = la.flip(x, axis=axis), np.flip(expected, axis)
        shape = tuple(int(s) for s in rng.permutation([6, 5, 7, 11] if rng.integers(2) else [10, 21, 11]))
        x, expected = x.reshape(shape), expected.reshape(shape)
    np.testing.assert_array_equal(np.asarray(x + 0), expected)


def _elements_found(monkeypatch: pytest.MonkeyPatch, parts: int) -> int:
    """How many elements of views the generator finds for a kernel that adds so many parts of an array."""
    found = 0

    def counted(value: views.Value, i: Size) -> views.Value:
        nonlocal found
        found += 1
        return element_at(value, i)

    element_at = views.element_at
    names = [f"x{k}" for k in range(parts)]
    zipped = ", ".join([f"slice {k} 1 n xs" for k in range(parts)])
    e = parse(
        f"map (λ({', '.join(names)}). {' + '.join(names)}) (zip({zipped}))",
        {"xs": array_of(FLOAT32, N + parts)},
        {"n": N},
    )
    candidates = Candidates.of(e)
    low_level = candidates.derive(candidates.default(CPU, {"n": 1_000_000})).result
    with monkeypatch.context() as patched:
        for module in (views, expressions):
            patched.setattr(module, "element_at", counted)
        assert "float8" in generate(low_level).source
    return found


def test_what_reads_one_of_many_zipped_arrays_finds_no_element_of_the_others(monkeypatch):
    few, many = [_elements_found(monkeypatch, parts) for parts in (8, 32)]
    assert many < 6 * few
