"""Faults put in on purpose, each one that a careless change could make, and the tests that must find them.

```console
$ python -m tests.faults --list
$ python -m tests.faults                      # each in a copy of its own; exits with 1 if one is not found
$ python -m tests.faults --only dropped_barrier cache_of_newer_version
```

A fault names a package and a text that occurs once in it: code may move from module to module. `tests/test_faults.py`
checks that it still does, and that the tests exist and belong to `make test`.
"""

from __future__ import annotations

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

__all__ = ["FAULTS", "ROOT", "Fault"]

ROOT = Path(__file__).resolve().parent.parent
_LEFT_OUT = shutil.ignore_patterns(".git", ".venv*", ".*_cache", ".hypothesis", "__pycache__", "build", "dist")


@dataclass(frozen=True, slots=True)
class Fault:
    """A change that makes the code wrong.

    Attributes:
        name: what is wrong, in words that `--only` takes.
        package: where it is.
        text: what is replaced; it occurs once in the package.
        replacement: what stands there instead.
        tests: files or node ids; at least one of these tests fails.
    """

    name: str
    package: str
    text: str
    replacement: str
    tests: tuple[str, ...]

    def places(self, root: Path = ROOT) -> list[Path]:
        """The files in which the text occurs, each as often as it does."""
        files = sorted((root / self.package).rglob("*.py"))
        return [file for file in files for _ in range(file.read_text(encoding="utf-8").count(self.text))]


FAULTS = (
    # --- rules and derivations ---
    Fault(
        "reduction_split_without_monoid",
        "ir",
        "if how == REDUCE and divides(parts, length(xs)) and is_monoid(f, z):",
        "if how == REDUCE and divides(parts, length(xs)):",
        ("tests/ir/rules/test_registry.py::test_a_rule_refuses",),
    ),
    Fault(
        "carry_of_the_part_before",
        "ir",
        "_carried(f, Slice(count, 1, 1, carries), Split(length(rest), rest))",
        "_carried(f, Slice(count - 1, 1, 1, carries), Split(length(rest), rest))",
        ("tests/ir/rules/test_registry.py::test_an_example_keeps_its_value",),
    ),
    Fault(
        "label_promises_too_much",
        "ir",
        "@rule(Label.REASSOCIATING, \"ICFP'15 fig. 6d: the result of a part",
        "@rule(Label.EXACT, \"ICFP'15 fig. 6d: the result of a part",
        ("tests/ir/rules/test_registry.py::test_an_exact_rule_keeps_the_order_of_operations",),
    ),
    Fault(
        "ragged_tail_begins_early",
        "ir",
        "Slice(0, 1, at, xs), Slice(at, 1, length(xs) - at, xs)",
        "Slice(0, 1, at, xs), Slice(0, 1, length(xs) - at, xs)",
        ("tests/ir/rules/test_registry.py::test_an_example_keeps_its_value",),
    ),
    Fault(
        "sum_begins_with_positive_zero",
        "ir",
        '"add": -0.0 if t.is_float else 0, "multiply": 1,',
        '"add": 0, "multiply": 1,',
        ("tests/ir/rules/test_registry.py::test_an_example_keeps_its_value",),
    ),
    Fault(
        "replay_without_parameters",
        "ir",
        "taken = use(rule, **dict(step.parameters)) if step.again is None else",
        "taken = use(rule) if step.again is None else",
        ("tests/ir/rewrite/test_derivation.py::test_states_are_the_expressions_between_the_steps",),
    ),
    Fault(
        "step_is_taken_without_parameters",
        "ir",
        "return self.apply(step.rule, step.path, **dict(step.parameters))",
        "return self.apply(step.rule, step.path)",
        ("tests/ir/rewrite/test_derivation.py::test_steps_that_are_taken_one_by_one_give_the_same_derivation",),
    ),
    # --- fusion and generation ---
    Fault(
        "sort_without_a_trait",
        "ir",
        'collective=True, high_level=True)\n    __match_args__ = ("bits", "key", "xs")',
        'high_level=True)\n    __match_args__ = ("bits", "key", "xs")',
        ("tests/lazyarr/test_sorting.py::test_what_is_computed_before_and_after_a_sort",),
    ),
    Fault(
        "dropped_barrier",
        "ir",
        "again = once | self._through(body, state | once, dropped, found)",
        "again = once",
        ("tests/ir/opencl/test_barriers.py::test_what_is_kept",),
    ),
    Fault(
        "small_integers_do_not_wrap",
        "ir",
        'return f"({c_type(t)}){text}" if t.bytes < 4 and t is not BOOL else text',
        'return f"({c_type(t)}){text}" if t.bytes < 2 and t is not BOOL else text',
        ("tests/ir/opencl/test_integers.py::test_a_compiler_may_not_reason_that_numbers_do_not_overflow",),
    ),
    Fault(
        "maximum_drops_nan",
        "ir",
        'return f"({test} || {a} != {a} ? {a} : {rest[0]})" if t.is_float else',
        'return f"({test} ? {a} : {rest[0]})" if t.is_float else',
        ("tests/lazyarr/test_special_values.py::test_functions_of_two_floats",),
    ),
    Fault(
        "rounding_bound_too_tight",
        "ir",
        "error = errors[0] + errors[1]\n",
        "error = np.maximum(errors[0], errors[1])\n",
        ("tests/ir/core/test_error_bounds.py::test_an_error_covers_what_operands_at_their_ends_give",),
    ),
    Fault(
        "vector_is_stored_beside",
        "ir",
        """*)({place}) = {value}")
        else:""",
        """*)({place} + 1) = {value}")
        else:""",
        ("tests/ir/opencl/test_kernels.py::test_a_generated_kernel_computes_what_the_expression_means",),
    ),
    Fault(
        "places_that_are_written_are_hinted_as_read",
        "ir",
        'self._hint("write", ahead.storage, now.index, ahead.index)',
        'self._hint("read", ahead.storage, now.index, ahead.index)',
        ("tests/ir/opencl/test_digests.py::test_sources_are_those_written_down",),
    ),
    # --- what is remembered ---
    Fault(
        "zeros_of_both_signs_are_one_call",
        "lazyarr",
        "key.append(_bits_of(x))  # which tell -0.0 from 0.0",
        "key.append(x)  # which tell -0.0 from 0.0",
        ("tests/lazyarr/test_operations.py",),
    ),
    Fault(
        "key_forgets_a_package",
        "lazyarr",
        "device=self.device.fingerprint,\n            code_version=code_version(ir, ",
        "device=self.device.fingerprint,\n            code_version=code_version(",
        ("tests/lazyarr/execution/test_compiler.py::test_the_key_names_all_code_that_makes_a_kernel",),
    ),
    Fault(
        "recording_forgets_dtype",
        "lazyarr",
        "return (x.extents or ((None,) if x.is_number else ())), x.dtype, x.placed",
        "return (x.extents or ((None,) if x.is_number else ())), x.placed",
        ("tests/lazyarr/test_jit.py::test_recorded_once_for_each_signature",),
    ),
    Fault(
        "cache_of_newer_version",
        "kernel_cache",
        "if application != APPLICATION_ID or version > SCHEMA_VERSION:",
        "if application != APPLICATION_ID:",
        ("tests/kernel_cache/test_damage.py::test_the_cache_of_a_newer_version_is_left_alone",),
    ),
    # --- tiers ---
    Fault(
        "input_is_written_to",
        "ir",
        "if last[v] == i and v.own and v.nbytes",
        "if last[v] == i and v.nbytes",
        ("tests/ir/reference/test_generate.py::test_memory_of_dead_values_is_used_again",),
    ),
    Fault(
        "block_is_left_out",
        "ir",
        "for outer in np.ndindex(*extents[:axis]) for part in parts]",
        "for outer in np.ndindex(*extents[:axis]) for part in parts[:3]]",
        ("tests/ir/reference/test_blocks.py::test_each_element_is_computed_once",),
    ),
    Fault(
        "piece_is_given_away_too_early",
        "ir",
        "last = {v: i for i, statement in",
        "last = {v: i - 1 for i, statement in",
        ("tests/ir/reference/test_blocks.py::test_random_programs_have_the_same_bits",),
    ),
    Fault(
        "threads_are_not_waited_for",
        "ir",
        "while self._running:",
        "while False:",
        ("tests/ir/reference/test_workers.py::test_nobody_works_after_it_returned",),
    ),
    Fault(
        "absent_factor_counts_once",
        "ir",
        'again = "multiply" if name == "add" else "pow"',
        'again = "maximum" if name == "add" else "pow"',
        ("tests/ir/reference/test_generate.py::test_random_programs_have_the_interpreters_values",),
    ),
    Fault(
        "same_variable_on_other_axes",
        "ir",
        "each.text == x.text and _without(each.dimensions, depth) == others for each",
        "each.text == x.text for each",
        ("tests/ir/reference/test_patterns.py::test_what_lies_on_other_axes_is_not_the_same",),
    ),
    Fault(
        "long_products_are_left_to_the_library",
        "ir",
        "if k <= plain_up_to or (rows and columns) else",
        "if k or (rows and columns) else",
        ("tests/lazyarr/tiers/test_accuracy.py::test_products_with_vectors",),
    ),
    Fault(
        "lengths_earn_apart",
        "lazyarr",
        "self._spending.get(found.structure) or self._spending.put(found.structure, ",
        "self._spending.get(key) or self._spending.put(key, ",
        ("tests/lazyarr/tiers/test_tiers.py::test_programs_of_one_structure_earn_together",),
    ),
    Fault(
        "captured_eager_array_is_a_constant",
        "lazyarr",
        "found = [_copied(x) if isinstance(x, Array) else x for x in found]",
        "found = [x.copy() if isinstance(x, Array) else x for x in found]",
        ("tests/lazyarr/eager/test_captured.py::test_a_captured_array_among_the_results_is_read_at_each_call",),
    ),
    # --- tuning and memory ---
    Fault(
        "nan_passes_for_any_answer",
        "lazyarr",
        "same = (value == result) | (np.isnan(value) & np.isnan(result))\n        near",
        "same = (value == result) | np.isnan(result)\n        near",
        ("tests/lazyarr/execution/test_reference.py::test_a_dropped_tail",),
    ),
    Fault(
        "candidates_are_checked_on_small_arrays_alone",
        "lazyarr",
        "once = wait(events[-1])\n            wrong = problem.full_mismatch(results)\n",
        "once = wait(events[-1])\n            wrong = None\n",
        ("tests/lazyarr/execution/test_trials.py", "tests/lazyarr/execution/test_cancelling.py"),
    ),
    Fault(
        "crash_forgotten",
        "tuner",
        "if before is None or before.outcome is not Outcome.crashed:",
        "if before is None or before.outcome is Outcome.crashed:",
        ("tests/tuner/test_loop.py::test_a_crashed_trial_is_never_run_again_even_where_it_worked_before",),
    ),
    Fault(
        "memory_never_comes_back",
        "lazyarr",
        "        if block.pool is not None:\n            block.pool.give_back(block)",
        "        if block.pool is None:\n            block.pool.give_back(block)",
        ("tests/lazyarr/runtime/test_memory.py::test_the_cache_keeps_no_array_alive_and_forgets_dead_ones",),
    ),
    # --- arrays as NumPy has them ---
    Fault(
        "small_integers_promote_too_little",
        "lazyarr",
        "return float32 if dtype.itemsize <= 2 else float64",
        "return float32 if dtype.itemsize <= 4 else float64",
        ("tests/lazyarr/test_elementwise.py::test_real_functions",),
    ),
    Fault(
        "negative_step_begins_beyond",
        "lazyarr",
        "cuts = [(a + (n - 1) * s, -s, n) if s < 0 else",
        "cuts = [(a + n * s, -s, n) if s < 0 else",
        ("tests/lazyarr/test_updating.py::test_slices_on_the_device",),
    ),
    Fault(
        "view_is_written_alone",
        "lazyarr",
        "        if x.origin is not None or x.family is not None:\n            assigned(x)",
        "        if x.family is not None:\n            assigned(x)",
        ("tests/lazyarr/test_views.py::test_programs_of_views_and_assignments_are_numpys",),
    ),
    Fault(
        "values_outlive_their_vertices",
        "lazyarr",
        "if VERTICES.get(entry.number) is entry:",
        "if VERTICES.get(entry.number) is None:",
        ("tests/lazyarr/test_engine.py::test_values_are_forgotten_with_their_vertices",),
    ),
    Fault(
        "alias_keeps_its_old_value",
        "lazyarr",
        "return node if all(b <= begin or end <= a for a, b in since) else None",
        "return node if all(b <= end or end <= a for a, b in since) else None",
        ("tests/lazyarr/test_families.py::test_views_of_one_number_see_what_is_assigned_to_the_others",),
    ),
    Fault(
        "product_of_nothing_is_zero",
        "lazyarr",
        "node = constant(results, init, x.dtype)",
        "node = constant(results, 0, x.dtype)",
        ("tests/lazyarr/test_reductions.py::test_every_function",),
    ),
    Fault(
        "where_clears_the_other_places",
        "lazyarr",
        "made = where_(where, made.astype(out.dtype), out)",
        "made = where_(where, made.astype(out.dtype), zeros((), dtype=out.dtype))",
        ("tests/lazyarr/test_universal.py::test_where",),
    ),
    Fault(
        "random_words_used_twice",
        "lazyarr",
        "start, numbers = self._bits.taken_known(function, count * blocks)\n        words =",
        "start, numbers = self._bits.taken_known(function, count)\n        words =",
        ("tests/lazyarr/test_random_gamma.py::test_parameters_broadcast_and_draws_do_not_overlap",),
    ),
)


@contextmanager
def _applied(fault: Fault, root: Path) -> Iterator[None]:
    """The copy of the code with the fault in it."""
    (file,) = fault.places(root)
    whole = file.read_text(encoding="utf-8")
    file.write_text(whole.replace(fault.text, fault.replacement), encoding="utf-8")
    try:
        yield
    finally:
        file.write_text(whole, encoding="utf-8")


def _first_failure(root: Path, tests: tuple[str, ...], limit: float) -> tuple[str | None, float]:
    """What fails first, None if nothing does, and the seconds that took; a run that does not end fails, too."""
    environment = {**os.environ, "PYTHONPATH": str(root)}
    options = ["--tier", "test", "-x", "-q", "-n", "0", "-p", "no:cacheprovider", "--tb=no"]
    command = [sys.executable, "-m", "pytest", *options, *tests]
    started = time.monotonic()
    try:
        done = subprocess.run(command, cwd=root, env=environment, capture_output=True, text=True, timeout=limit)
    except subprocess.TimeoutExpired:
        return f"no end within {limit:.0f} s", time.monotonic() - started
    seconds = time.monotonic() - started
    failed = [line for line in done.stdout.splitlines() if line.startswith(("FAILED", "ERROR"))]
    if done.returncode and not failed:  # no test was found, or pytest itself went wrong
        raise RuntimeError(f"pytest ended with {done.returncode}:\n{done.stdout}\n{done.stderr}")
    return (failed[0].split(" - ")[0].split(maxsplit=1)[1] if failed else None), seconds


def main() -> int:
    """Put in the faults that the command line names, all by default; 0 if each is found."""
    parser = argparse.ArgumentParser(prog="python -m tests.faults", description=__doc__.split("\n")[0])
    parser.add_argument("--only", nargs="+", metavar="NAME", choices=[fault.name for fault in FAULTS])
    parser.add_argument("--list", action="store_true", help="print the faults and their tests, and run nothing")
    parser.add_argument("--seconds", type=float, default=300, help="the limit of one run (%(default)s)")
    arguments = parser.parse_args()
    chosen = [fault for fault in FAULTS if arguments.only is None or fault.name in arguments.only]
    if arguments.list:
        for fault in chosen:
            print(f"{fault.name}: {', '.join(fault.tests)}")
        return 0
    missed = 0
    with tempfile.TemporaryDirectory(prefix="lazyarr-faults-") as folder:
        root = Path(folder) / "lazyarr"
        shutil.copytree(ROOT, root, ignore=_LEFT_OUT)
        every = dict.fromkeys(test for fault in chosen for test in fault.tests)
        by, seconds = _first_failure(root, tuple(every), arguments.seconds)
        if by is not None:
            raise SystemExit(f"{by} fails without a fault")
        print(f"without a fault: all pass, {seconds:.0f} s", flush=True)
        for fault in chosen:
            with _applied(fault, root):
                by, seconds = _first_failure(root, fault.tests, arguments.seconds)
            missed += by is None
            print(f"{fault.name}: {'NOT found' if by is None else f'found by {by}'}, {seconds:.0f} s", flush=True)
    print(f"{len(chosen) - missed} of {len(chosen)} found")
    return 1 if missed else 0


if __name__ == "__main__":
    sys.exit(main())
