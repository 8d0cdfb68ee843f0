"""`lift.explain`, `tune`, `lowered` and `candidates`: what they say is what runs."""

from __future__ import annotations

import re
from html import unescape
from itertools import islice

import numpy as np
import pytest

import lazyarr as la
from ir.core.notation.printer import show, show_indented
from ir.core.semantics.interpreter import interpret
from ir.errors import RewriteError
from ir.rewrite.derivation import step_title
from ir.rewrite.rule import RULES
from ir.schedules.candidates import Candidates
from lazyarr import lift
from lazyarr.compile.trials import machine_of
from lazyarr.config import configure
from lazyarr.lift.html import marked
from lazyarr.runtime import find_device
from lazyarr.tiers import programs as tiers
from tests import oclgrind
from tests.lazyarr.explaining import X, asum, html

pytestmark = pytest.mark.device


PLANE = np.linspace(-3, 5, 30_000, dtype=np.float32).reshape(1000, 30)


def test_a_kernel_is_explained():
    (kernel,) = lift.explain(asum, la.asarray(X)).kernels
    text = str(kernel)
    assert show_indented(kernel.general.expr).splitlines()[0] in text
    assert show_indented(kernel.derivation.result).splitlines()[0] in text
    assert kernel.source.strip() in "\n".join(line[2:] for line in text.splitlines())
    assert "__kernel" in kernel.source
    for step in kernel.derivation.steps:
        assert step.rule in RULES
        assert step.rule in text
    for name, value in kernel.configuration.items():
        assert f"{name} = {value}" in text


def test_the_derivation_starts_and_ends_where_it_says():
    (kernel,) = lift.explain(asum, la.asarray(X)).kernels
    assert kernel.derivation.start is kernel.general.expr
    named = {p.identifier: X for p in _free(kernel.general.expr)}
    assert len(named) == 1
    high = interpret(kernel.general.expr, named, kernel.general.sizes)
    low = interpret(kernel.derivation.result, named, kernel.general.sizes)
    np.testing.assert_allclose(np.asarray(low), np.asarray(high), rtol=1e-4)


def _free(e):
    from ir.core.expr import Param, postorder

    return [node for node in postorder(e) if isinstance(node, Param) and not node.binder]


def test_a_kernel_like_an_earlier_one_is_shown_by_what_is_different(tuned_off):
    def three(x):
        return tuple(la.sum(la.abs(x[i : i + 200]), axis=1) * (i + 1) for i in (0, 300, 600))

    found = lift.explain(lambda x: three(x)[0] + la.sum(three(x)[1]) + la.sum(three(x)[2]), la.asarray(PLANE))
    assert len(found.kernels) > 2
    likes = partly = 0
    texts = str(found).split("\n\nkernel ")
    for number, (kernel, text) in enumerate(zip(found.kernels, texts, strict=True)):
        rules = [(step.rule, step.path) for step in kernel.derivation.steps]
        like = next(i for i, k in enumerate(found.kernels) if [(s.rule, s.path) for s in k.derivation.steps] == rules)
        if like == number:
            assert str(kernel) in text
            continue
        likes += 1
        earlier = found.kernels[like]
        assert f"derivation: by the rules of kernel {like + 1}, at the same places" in text
        assert len(text) < len(str(kernel))
        for i, (step, other) in enumerate(zip(kernel.derivation.steps, earlier.derivation.steps, strict=True), 1):
            assert (step_title(i, step) in text) == (step.parameters != other.parameters)
        for title, own, others in (
            ("high-level expression", show_indented(kernel.general.expr), show_indented(earlier.general.expr)),
            ("low-level expression", show_indented(kernel.derivation.result), show_indented(earlier.derivation.result)),
            ("OpenCL source", kernel.source, earlier.source),
        ):
            (section,) = re.findall(f"^{title}: ?(.*(?:\n  .*)*)", text, re.MULTILINE)
            head, *lines = section.splitlines()
            if not head:  # all of it, where much is different
                assert [line.strip() for line in lines] == [line.strip() for line in own.splitlines()]
                continue
            partly += 1
            assert head == f"that of kernel {like + 1}" + (", but for" if lines else "")
            assert _is_told(own, others, lines)
    assert likes and partly


def _is_told(text, other, changes):
    """Does whoever knows the other text know this one from these changes?"""
    own, known = text.splitlines(), iter([line.strip() for line in other.splitlines()])
    changed = {int(n): line for n, line in re.findall(r"^  line (\d+): (.*)$", "\n".join(changes), re.MULTILINE)}
    assert all(own[n - 1].strip() == line for n, line in changed.items())
    gone = [line for change in changes for line in re.findall(r"without its line \d+: (.*)", change)]
    assert all(line in map(str.strip, other.splitlines()) for line in gone)
    return all(line.strip() in known for n, line in enumerate(own, 1) if n not in changed)  # in their order


def test_an_equation_stands_at_the_first_step_by_its_rule(tuned_off):
    (kernel,) = lift.explain(lambda x: la.sum(la.abs(x), axis=1), la.asarray(PLANE)).kernels
    lines = str(kernel).splitlines()
    rules = [step.rule for step in kernel.derivation.steps]
    assert len(set(rules)) < len(rules)
    for number, rule in enumerate(rules, 1):
        at = lines.index(f"  {step_title(number, kernel.derivation.steps[number - 1])}")
        assert lines[at + 1].startswith("      before: ") == (rule in rules[: number - 1])
    for rule in set(rules):
        assert lines.count(f"      {' '.join(RULES[rule].equation.split())}") == 1


def test_several_kernels_in_order():
    explanation = lift.explain(lambda x: x / la.sum(x), la.arange(20_000.0))
    assert len(explanation.kernels) == 2
    assert "reduce" in str(explanation.kernels[0].general.expr)
    assert "kernel 1 of 2" in str(explanation)
    assert "kernel 2 of 2" in str(explanation)


def test_a_function_without_kernels():
    assert lift.explain(lambda x: x, la.asarray(X)).kernels == ()


def test_a_jitted_function_keeps_its_recording():
    calls = []
    f = lift.jit(lambda x: calls.append(1) or asum(x))
    lift.explain(f, la.asarray(X))
    np.testing.assert_allclose(float(f(la.asarray(X))), np.abs(X).sum(), rtol=1e-4)
    lift.explain(f, la.asarray(X))
    assert len(calls) == 1


def test_tuning_is_explained_with_its_failures(monkeypatch):
    from lazyarr.compile import trials
    from lazyarr.runtime import BuildError

    built = []
    original = trials.build

    def build(device, general, configuration, *rest, **named):
        built.append(dict(configuration))
        if len(built) == 2:
            raise BuildError("made to fail", "source", "log")
        return original(device, general, configuration, *rest, **named)

    monkeypatch.setattr(trials, "build", build)
    f = lift.jit(lambda x: la.sum(x * x + 5))
    (result,) = lift.tune(f, la.asarray(X), seconds=None, trials=4)
    assert len(result.trials) == 4
    assert [str(trial.outcome) for trial in result.trials].count("build_failed") == 1
    (kernel,) = lift.explain(f, la.asarray(X)).kernels
    assert kernel.origin == "tuned"
    text = str(kernel)
    assert "search: 4 trials, 3 ran well" in text
    fastest = min(trial.seconds for trial in kernel.trials if trial.ok)
    assert f"\n  {fastest * 1e3:.4g} ms: schedule = " in text
    assert "build_failed: " in text
    assert "made to fail" in text
    rows = re.findall(r"<tr><td>(schedule = .*?)</td><td>(.*?)</td><td>(.*?)</td><td>(.*?)</td></tr>", html(kernel))
    assert len(rows) == len(kernel.trials) == 4
    for trial, (candidate, outcome, seconds, detail) in zip(kernel.trials, rows, strict=True):
        assert f"schedule = {trial.configuration['schedule']}" in candidate
        assert outcome == trial.outcome
        assert seconds == ("" if trial.seconds is None else f"{trial.seconds * 1e3:.4g} ms")
        assert ("made to fail" in detail) == (outcome == "build_failed")


def test_a_kernel_from_the_cache_shows_the_trials_that_it_came_from(monkeypatch):
    from lazyarr.compile import compiler, program, trials
    from lazyarr.runtime import BuildError

    def build(device, general, configuration, *rest, original=trials.build, calls=[], **named):  # noqa: B006  # counts
        calls.append(1)
        if len(calls) == 2:
            raise BuildError("made to fail again", "source", "log")
        return original(device, general, configuration, *rest, **named)

    with monkeypatch.context() as patched:
        patched.setattr(trials, "build", build)
        lift.tune(lambda x: la.sum(x * x + 11), la.asarray(X), seconds=None, trials=5)
    (tuned,) = lift.explain(lambda x: la.sum(x * x + 11), la.asarray(X)).kernels
    assert tuned.origin == "tuned"
    monkeypatch.setattr(compiler, "_compilers", {})  # as in another process
    monkeypatch.setattr(program, "_programs", {})
    monkeypatch.setattr(tiers, "_programs", {})
    (kernel,) = lift.explain(lambda x: la.sum(x * x + 11), la.asarray(X)).kernels
    assert kernel.origin == "cache"
    assert kernel.tuning is None
    assert len(kernel.trials) == 5
    assert {(t.outcome, t.seconds, t.detail, tuple(sorted(t.configuration.items()))) for t in kernel.trials} == {
        (t.outcome, t.seconds, t.detail, tuple(sorted(t.configuration.items()))) for t in tuned.trials
    }
    text = str(kernel)
    assert "search: 5 trials, 4 ran well, kept in the cache" in text
    assert f"{min(t.seconds for t in kernel.trials if t.ok) * 1e3:.4g} ms: schedule = " in text
    assert re.search("build_failed: schedule = .*: made to fail again", text)
    assert "5 trials, 4 ran well, kept in the cache" in html(kernel)


def test_the_text_shows_each_step_before_and_after():
    (kernel,) = lift.explain(asum, la.asarray(X)).kernels
    states = [show(state) for state in kernel.derivation.states()]
    shown = re.findall("^      before: (.*)\n      after:  (.*)$", str(kernel), re.MULTILINE)
    assert len(shown) == len(kernel.derivation.steps) > 3
    for number, pair in enumerate(shown):
        for state, text in zip(states[number : number + 2], pair, strict=True):
            assert "⟦" in text or states[number] == states[number + 1]
            at = 0
            for part in filter(None, (part.strip() for part in re.sub("[⟦⟧]", "", text).split("…"))):
                at = state.index(part, at) + len(part)
            assert len(text) < 600


def test_lowered_launches_compute_the_result():
    f = lift.jit(asum)
    lowered = lift.lowered(f, la.asarray(X))
    assert lowered.launches
    for launch in lowered.launches:
        assert f"__kernel void {launch.kernel}(" in launch.source
        assert len(launch.arguments) == len(launch.argument_types)
        for argument, kind in zip(launch.arguments, launch.argument_types, strict=True):
            assert isinstance(argument, int) == (kind not in ("buffer", "counter"))
    from benchmarks.lazy import FrontEnd, bare_launcher

    run = bare_launcher(FrontEnd(la, _Fixed(lowered)), f, None)
    run()
    last = lowered.launches[-1]
    results = [a for a in last.arguments if not isinstance(a, int)]
    np.testing.assert_allclose(results[-1].to_numpy("f4", (1,))[0], np.abs(X).sum(), rtol=1e-4)


class _Fixed:
    """Stands for `lift` where the launches are known."""

    def __init__(self, lowered):
        self.known = lowered

    def lowered(self, f, *args):
        return self.known


def test_candidates_are_made_one_by_one():
    sources = list(islice(lift.candidates(asum, la.asarray(X)), 5))
    assert len(sources) == 5
    assert len(set(sources)) > 1
    assert all("__kernel void candidate" in source for source in sources)
    assert sources == list(islice(lift.candidates(asum, la.asarray(X)), 5))


def test_candidates_that_cannot_be_derived_are_left_out(monkeypatch):
    """Those alone: others of the schedule are given."""
    derive, asked, derived = Candidates.derive, set(), []

    def not_at_first(self, configuration):
        if configuration["schedule"] not in asked:
            asked.add(configuration["schedule"])
            raise RewriteError("refused")
        derived.append(derive(self, configuration))
        return derived[-1]

    monkeypatch.setattr(Candidates, "derive", not_at_first)
    sources = list(lift.candidates(lambda x: x * 2, la.asarray(np.float32(2.5))))  # "chunks" divides no single element
    assert len(sources) == len(derived) > 0
    assert all("__kernel void candidate" in source for source in sources)


def test_candidates_need_a_kernel():
    with pytest.raises(ValueError, match="no kernel"):
        next(lift.candidates(lambda x: x, la.asarray(X)))


# --- HTML -------------------------------------------------------------------------------------------------------------


def test_a_notebook_shows_every_step_and_the_source():
    explanation = lift.explain(asum, la.asarray(X))
    (kernel,) = explanation.kernels
    text = html(explanation)
    states = kernel.derivation.states()
    shown = [unescape(re.sub(r"</?mark>", "", pre)) for pre in re.findall(r"<pre>(.*?)</pre>", text, re.DOTALL)]
    steps = [shown[i : i + 3] for i in range(1, 1 + 3 * len(kernel.derivation.steps), 3)]
    for number, (step, (equation, before, after)) in enumerate(zip(kernel.derivation.steps, steps, strict=True)):
        assert equation == " ".join(RULES[step.rule].equation.split())
        assert before == show_indented(states[number])
        assert after == show_indented(states[number + 1])
    assert shown[0] == show_indented(kernel.general.expr)
    assert shown[-2] == show_indented(kernel.derivation.result)
    assert shown[-1] == kernel.source
    for name, value in kernel.configuration.items():
        assert f"<td>{name}</td><td>{value}</td>" in text


def test_what_a_step_changed_is_marked():
    d = lift.derive("(reduce (+) 0 ∘ map abs) xs", xs="[float32](4*n)").apply("split_join", n=4)
    before, after = marked(*d.states)
    assert re.findall("<mark>(.*?)</mark>", before) == []
    assert before == "(reduce (+) 0 ∘ map abs) xs"
    assert re.sub("</?mark>", "", after) == show_indented(d.expression)
    assert re.findall("<mark>(.*?)</mark>", after) == ["join ∘ map (", "∘ split 4)"]
    before, after = marked(*d.apply("reduce_to_seq").states[-2:])
    assert before.startswith("(<mark>reduce</mark> (+) 0")
    assert after.startswith("(<mark>reduceSeq</mark> (+) 0")
    before, _ = marked(
        *(lift.derive(t, xs="[int32]n").expression for t in ("map (λx. x < 3) xs", "map (λx. x > 3) xs"))
    )
    assert "<mark>&lt;</mark>" in before


def test_nothing_is_shown_where_there_is_no_kernel():
    assert "no kernel" in html(lift.explain(lambda x: x, la.asarray(X)))


# --- what a launch takes, and what is refused -------------------------------------------------------------------------


def test_launches_are_stated_for_the_lengths_asked_for():
    f = lift.jit(lambda x: la.abs(x) + 7)
    for n in (1000, 1009):  # one kernel serves both
        (kernel,) = lift.explain(f, la.asarray(X[:n] if n < X.size else X)).kernels
        assert kernel.general.sizes == {"n0": n}
        (launch,) = kernel.resources
        (real,) = lift.lowered(f, la.asarray(X[:n] if n < X.size else X)).launches
        assert launch.kernel == real.kernel
        assert launch.global_size == real.global_size
        assert launch.local_size == real.local_size
        assert launch.local_bytes == 0
        assert f"launch: {launch}" in str(kernel)


def test_what_the_device_refuses_is_named_with_the_reason():
    old = configure(tune="off")
    try:
        (small,) = lift.explain(asum, la.asarray(X)).kernels
        (large,) = lift.explain(asum, la.asarray(np.ones(1 << 21, np.float32))).kernels
    finally:
        configure(**vars(old))
    cpu = find_device().kind == "cpu"
    assert {each.configuration["schedule"] for each in small.refused} == ({"tree"} if cpu else set())
    assert all("not searched on a CPU" in each.reason for each in small.refused)
    assert "sequential" in {each.configuration["schedule"] for each in large.refused}
    for each in (each for each in large.refused if "not searched" not in each.reason):
        assert each.reason == "too many roundings in one accumulator"
        assert f"refused: schedule = {each.configuration['schedule']}" in str(large)
    assert "too many roundings in one accumulator" in html(large)
    assert large.configuration["schedule"] not in {each.configuration["schedule"] for each in large.refused}


def test_a_chosen_schedule_is_not_refused(tuned_off):
    rows = np.arange(100_000, dtype=np.float32).reshape(100, 1000) % 7
    (kernel,) = lift.explain(lambda a, x: a @ x, la.asarray(rows), la.asarray(rows[0])).kernels
    refused = [each.configuration["schedule"] for each in kernel.refused]
    assert kernel.configuration["schedule"] not in refused
    general, machine = kernel.general, machine_of(find_device())
    candidates = Candidates.of(general.expr)
    for schedule in candidates.schedules:  # what is refused is what would be taken if it were not
        usual = candidates.default_of(schedule.name, machine, general.sizes)
        broken = candidates.refused(usual, machine, general.sizes)
        assert broken is None or schedule.name in refused


@pytest.mark.skipif(not oclgrind.available(), reason="Oclgrind is not installed")
def test_local_memory_is_known_on_devices_whose_buffers_are_their_own(tuned_off):
    (kernel,) = lift.explain(asum, la.asarray(X), device="oclgrind").kernels
    assert find_device("oclgrind").alignment > 1
    assert all(each.local_bytes is not None for each in kernel.resources)


# --- other devices ----------------------------------------------------------------------------------------------------


def sorted_in_the_middle(rows):
    return lift.map(lambda r: la.sort(r) - la.mean(r), rows)


def test_maps_that_were_cut_are_explained_before_the_kernels(tuned_off):
    explanation = lift.explain(sorted_in_the_middle, la.asarray(X[:1007].reshape(19, 53)))
    (fission,) = explanation.fissions
    derivation = fission.derivation
    assert interpret(derivation.start, {"x0": X[:1007].reshape(19, 53)}, fission.general.sizes) == pytest.approx(
        interpret(derivation.result, {"x0": X[:1007].reshape(19, 53)}, fission.general.sizes)
    )
    head, _, rest = str(explanation).partition(f"kernel 1 of {len(explanation.kernels)}")
    assert "cut into several" in head
    assert rest
    steps = re.findall(r"^ +[0-9]+\. (\w+)", head, re.MULTILINE)
    assert steps == [step.rule for step in derivation.steps]
    assert "row_fission" in steps
    for state in (derivation.start, derivation.result):
        assert show_indented(state).splitlines()[0] in head
    html = explanation._repr_html_()
    first, _, _ = html.partition("<h3>kernel 1")
    assert re.findall(r"[0-9]+\. <b>(\w+)", first) == steps
    assert lift.explain(asum, la.asarray(X)).fissions == ()
    assert "cut into several" not in str(lift.explain(asum, la.asarray(X)))


def rows_by_constants(x):
    for i in range(10):
        x[i] *= i // 3
    return x


def test_values_that_were_rewritten_are_explained_before_the_kernels(tuned_off):
    explanation = lift.explain(rows_by_constants, la.asarray(X[:40].reshape(10, 4)))
    (rewriting,) = explanation.rewritings
    derivation = rewriting.derivation
    assert rewriting.times == 1
    head, _, rest = str(explanation).partition(f"kernel 1 of {len(explanation.kernels)}")
    assert "rewritten before kernels were made" in head
    assert rest
    steps = re.findall(r"^ +[0-9]+\. (\w+)", head, re.MULTILINE)
    assert steps == [step.rule for step in derivation.steps]
    assert "concat_of_like_maps" in steps
    for state in (derivation.start, derivation.result):
        assert show_indented(state).splitlines()[0] in head
    first, _, _ = explanation._repr_html_().partition("<h3>kernel 1")
    assert re.findall(r"[0-9]+\. <b>(\w+)", first) == steps
    assert lift.explain(asum, la.asarray(X)).rewritings == ()
    assert "rewritten" not in str(lift.explain(asum, la.asarray(X)))
