"""The invariants of the design that hold for the source text and the packages as a whole."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import numpy as np
import pytest

from ir.core.patterns import SIGNATURES
from ir.core.size_variables import sizes_in
from ir.core.verify import verify_low_level
from ir.errors import GenerationError
from ir.opencl.generate import generate
from ir.rewrite.derivation import replay, steps_from_json
from ir.rewrite.rule import RULES
from ir.schedules.candidates import Candidates
from tests.ir.rules.notation import term
from tests.sources import PACKAGES, ROOT, files, nodes, parsed

# `lazyarr -> tuner -> ir` and `lazyarr -> kernel_cache -> ir`
MAY_IMPORT = {
    "ir": {"ir"},
    "tuner": {"tuner", "ir"},
    "kernel_cache": {"kernel_cache", "ir"},
    "lazyarr": set(PACKAGES),
}


ALL = [(package, file) for package in PACKAGES for file in files(package)]


@cache
def imported(file: Path) -> frozenset[str]:
    """The dotted names of the modules that a file imports, anywhere in it."""
    return frozenset(_imported(file))


def _imported(file: Path) -> Iterator[str]:
    for node in nodes(file):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            assert node.level == 0, "relative imports hide which package is meant"
            assert node.module
            yield node.module
        elif isinstance(node, ast.Call) and _called(node) in ("import_module", "__import__"):
            name = node.args[0]
            yield name.value if isinstance(name, ast.Constant) else "?"


def _called(node: ast.Call) -> str:
    """The last part of the name that is called."""
    return node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")


# --- imports ----------------------------------------------------------------------------------------------------------


def test_dependencies_point_one_way():
    for package, file in ALL:
        tops = {name.partition(".")[0] for name in imported(file)}
        assert tops & set(PACKAGES) <= MAY_IMPORT[package], file
        assert not tops & {"tests", "benchmarks"}, file


def test_only_the_runtime_talks_to_opencl():
    for _, file in ALL:
        if (ROOT / "lazyarr" / "runtime") not in file.parents:
            tops = {name.partition(".")[0] for name in imported(file)}
            assert not tops & {"pyopencl", "pocl"}, file


def test_ir_needs_numpy_only():
    for file in files("ir"):
        for name in imported(file):
            assert name.partition(".")[0] in {"ir", "numpy", *sys.stdlib_module_names}, f"{file} imports {name}"


# --- threads and forks ------------------------------------------------------------------------------------------------

LOCKS = "ir/locks.py"
"""Makes all locks, so that none stays locked in a forked process."""

LEFT_BEHIND = {
    *(("lazyarr/tiers/making.py", name) for name in ("Event", "Thread", "SimpleQueue")),
    *(("ir/reference/workers.py", name) for name in ("Condition", "Thread", "SimpleQueue")),
    ("lazyarr/runtime/first_build.py", "Thread"),
}
"""What three modules drop in a forked process: their threads, and what waits for these."""


def _made_for_threads(tree: ast.AST) -> Iterator[str]:
    """What a file takes from modules of threads, but for what belongs to one thread."""
    modules = {}
    for node in ast.walk(tree):
        if isinstance(node, ast.Import):
            for alias in node.names:
                if alias.name.partition(".")[0] in ("multiprocessing", "concurrent", "asyncio"):
                    yield alias.name
                if alias.name in ("threading", "_thread", "queue", "functools"):
                    modules[alias.asname or alias.name] = alias.name
        elif isinstance(node, ast.ImportFrom) and node.module:
            if node.module.partition(".")[0] in ("multiprocessing", "concurrent", "asyncio"):
                yield node.module
            elif node.module in ("threading", "_thread", "queue"):
                yield from (alias.name for alias in node.names)
            elif node.module == "functools":
                yield from (alias.name for alias in node.names if alias.name == "cached_property")
    for node in ast.walk(tree):
        if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name):
            module = modules.get(node.value.id)
            if module == "functools" and node.attr != "cached_property":
                continue
            if module is not None and node.attr not in ("local", "get_ident", "current_thread", "main_thread"):
                yield node.attr


def test_all_locks_are_made_where_forks_are_thought_of():
    """Of locks made elsewhere a child of a fork would wait for threads that it does not have."""
    found = {
        (file.relative_to(ROOT).as_posix(), name)
        for _, file in ALL
        if file.relative_to(ROOT).as_posix() != LOCKS
        for name in _made_for_threads(parsed(file))
    }
    assert found == LEFT_BEHIND, "make locks by ir.locks.make_lock and make_rlock, cached properties by its own"


@pytest.mark.parametrize(
    ("text", "names"),
    [
        ("import threading\nx = threading.RLock()", ["RLock"]),
        ("import threading as t\nx = t.Condition()", ["Condition"]),
        ("from threading import Lock as L", ["Lock"]),
        ("import _thread\nx = _thread.allocate_lock()", ["allocate_lock"]),
        ("from functools import cached_property, wraps", ["cached_property"]),
        ("import functools\n@functools.cached_property\ndef f(): pass", ["cached_property"]),
        ("from concurrent.futures import ThreadPoolExecutor", ["concurrent.futures"]),
        ("import threading\nclass A(threading.local): pass", []),
        ("import functools\nf = functools.partial(print)", []),
    ],
)
def test_locks_are_found_in_the_text(text, names):
    assert list(_made_for_threads(ast.parse(text))) == names


# --- code generation --------------------------------------------------------------------------------------------------


def test_opencl_is_spelled_by_the_generator_only():
    """No per-operation templates: kernel text stands in no string outside `ir/opencl`."""
    for _, file in ALL:
        if (ROOT / "ir" / "opencl") in file.parents:
            continue
        documentation = {id(node) for node in _docstrings(file)}
        for node in nodes(file):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and id(node) not in documentation:
                for word in ("__kernel", "get_global_id", "get_group_id", "get_local_id", "__global", "barrier("):
                    assert word not in node.value, f"{file}, line {node.lineno}"


def _docstrings(file: Path) -> Iterator[ast.Constant]:
    for node in nodes(file):
        if isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str):
            yield node.value


def test_docstrings_say_errors_in_a_section():
    said = [
        f"{file.relative_to(ROOT)}: {sentence}"
        for package in PACKAGES
        for file in files(package)
        for docstring in _docstrings(file)
        for sentence in re.findall(r"(?:^|[.;:])\s*[Rr]aises\s+`.*", str(docstring.value), re.MULTILINE)
    ]
    assert not said, "errors stand in a section of their own, in Google's format: `Raises:`"


def test_the_generator_does_not_know_devices_rules_or_schedules():
    for file in files("ir/opencl"):
        for name in imported(file):
            assert not name.startswith(("ir.rules", "ir.schedules", "ir.rewrite", "ir.fusion", "lazyarr")), file


HIGH_LEVEL = [
    "map abs xs",
    "mapGlobal (map abs) xss",
    "reduce (+) 0 xs",
    "join (mapGlobal (reduce (+) 0) xss)",
    "reducePart (+) 0 1 xs",
    "mapGlobal abs (reorder xs)",
    "asScalar (mapGlobal (vect 4 abs) (asVector 4 xs4))",
    "mapGlobal (λx. x + element 0 (reduce (+) 0 ys)) xs",
]


@pytest.mark.parametrize("text", HIGH_LEVEL)
def test_the_generator_refuses_high_level_patterns(text):
    with pytest.raises(GenerationError):
        generate(term(text))


@pytest.mark.parametrize(
    "text", ["mapGlobal abs (mapGlobal abs xs)", "xs", "reduceSeq (+) 0 (mapSeq abs xs)", "join xss"]
)
def test_the_generator_decides_nothing_that_no_rule_said(text):
    with pytest.raises(GenerationError):
        generate(term(text))


def test_every_pattern_states_its_type_and_its_meaning():
    for name, pattern in SIGNATURES.items():
        assert pattern.scheme, name
        assert pattern.meaning, name


# --- what is dispatched -----------------------------------------------------------------------------------------------


def programs():
    import lazyarr as la

    rng = np.random.default_rng(0)
    xs, ys = rng.random(1031, np.float32), rng.random(1031, np.float32)
    matrix = rng.random((37, 19), np.float32)
    return [
        ("elementwise", lambda x, y: la.where(x > 0.5, la.exp(x), x * y), (xs, ys)),
        ("sum", lambda x: la.sum(la.abs(x)), (xs,)),
        ("normalised", lambda x: x / la.max(x), (xs,)),
        ("rows", lambda a: la.sum(a * 2, axis=1), (matrix,)),
        ("columns", lambda a: la.max(a, axis=0), (matrix,)),
        ("product", lambda a: a @ a.T, (matrix,)),
        ("reversed", lambda x: x[::-1] + 1, (xs,)),
    ]


@pytest.mark.parametrize("number", range(7), ids=[name for name, _, _ in programs()])
def test_a_dispatched_kernel_is_what_its_derivation_says(number):
    """The rules decide: the stored steps, replayed on the high-level expression, give the source that runs."""
    from lazyarr import asarray, config, lift
    from lazyarr.runtime import DeviceError

    _, f, arguments = programs()[number]
    old = config.configure(library="off")
    try:
        explanation = lift.explain(f, *map(asarray, arguments))
    except DeviceError as error:
        pytest.skip(str(error))
    finally:
        config.configure(**vars(old))
    assert explanation.kernels
    for kernel in explanation.kernels:
        scope = {v.name: v for v in sizes_in(kernel.general.expr)}
        stored = kernel.derivation.to_json()
        again = replay(kernel.general.expr, steps_from_json(stored, scope))
        assert again.result is kernel.derivation.result
        assert Candidates.of(kernel.general.expr).derive(kernel.configuration).result is again.result
        assert {step.rule for step in again.steps} <= set(RULES)
        verify_low_level(again.result)
        source = generate(again.result, "lazyarr", "long" if kernel.general.wide else "int").source
        assert source == kernel.source


# --- nothing is executed that was read --------------------------------------------------------------------------------


WRITES_PYTHON = "ir/reference/source.py"
"""Compiles programs of NumPy's calls, whose text it writes itself: nothing that was stored or given."""


WRITES_METHODS = "lazyarr/eager/operator_methods.py"
"""Compiles the methods of operators, whose text it puts together of its own constants and the names of functions."""


RUNS_A_SCRIPT = "lazyarr/commands/tune.py"
"""Runs the script that its user names."""


COMPARE_BYTES = ("lazyarr/graph/guards.py", "lazyarr/graph/visits.py")
"""Make bytes of numbers and texts, to compare them; read none."""


def test_nothing_is_unpickled_or_evaluated():
    for _, file in ALL:
        if file.relative_to(ROOT).as_posix() in (WRITES_PYTHON, WRITES_METHODS, RUNS_A_SCRIPT):
            continue
        names = {name.partition(".")[0] for name in imported(file)}
        if file.relative_to(ROOT).as_posix() in COMPARE_BYTES:
            names.remove("marshal")
            assert not {"load", "loads", "marshal"} & {x.id for x in nodes(file) if isinstance(x, ast.Name)}, file
        assert not names & {"pickle", "cPickle", "dill", "cloudpickle", "marshal", "shelve", "joblib"}, file
        for node in nodes(file):
            if isinstance(node, ast.Call):
                where, bare = f"{file}, line {node.lineno}", isinstance(node.func, ast.Name)
                assert not (bare and _called(node) in ("eval", "exec", "compile")), where
                assert _called(node) not in ("load_module", "exec_module", "run_path", "runsource"), where
                assert not any(k.arg == "allow_pickle" and getattr(k.value, "value", True) for k in node.keywords), (
                    where
                )
