"""`docs/functions.md`, and that functions are done as it says: what is compiled can be recorded."""

from __future__ import annotations

import inspect
import os
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

import lazyarr as la
from lazyarr.array import Array, placeholder
from lazyarr.errors import TracingError
from lazyarr.graph.tracing import Trace
from lazyarr.recording.host import HOST_FUNCTIONS
from tests.lazyarr.listing import AT_ONCE, NO_ARRAYS, STANDARD, functions_of, how, standard_names
from tests.lazyarr.support import OTHER_NUMPY

PAGE = Path(__file__).parents[2] / "docs" / "functions.md"
NAMESPACES: dict[str, tuple[ModuleType, ModuleType]] = {
    "": (la, np), "linalg.": (la.linalg, np.linalg), "fft.": (la.fft, np.fft),
    "random.": (la.random, np.random), "emath.": (la.emath, np.emath),
}  # fmt: skip


def there() -> list[str]:
    """The functions of the standard that exist."""
    return [name for name in standard_names() if _find(name) is not None]


def counted() -> tuple[int, int]:
    """How many functions of the standard are compiled, and how many compute with arrays."""
    of_arrays = [name for name in there() if name not in NO_ARRAYS]
    return sum(name not in HOST_FUNCTIONS for name in of_arrays), len(of_arrays)


def _find(name: str) -> Any:
    found: Any = la
    for part in name.split("."):
        found = getattr(found, part, None)
    return found


def page() -> str:
    """The page's text."""
    names = standard_names()
    compiled, of_arrays = counted()
    lines = [
        "# The functions",
        "",
        "Made from the namespace: refresh it with `LAZYARR_REFRESH_GOLDEN=1 pytest tests/lazyarr/test_functions.py`.",
        "",
        "- compiled: recorded as patterns, rewritten by rules, run as kernels",
        "- compiled, at once: the same, but some values are computed when it is called: no jitted function records it",
        "- host: run by a library on the host; `la.config.statistics()` counts the calls, jitted functions refuse them",
        "- values: files, text, checks and memory: arrays are read, or computed when it is called",
        "- no arrays: there is nothing to compile",
        "",
        f"Of the {len(names)} functions of the array API standard (2025.12, with the extensions `linalg` and `fft`) "
        f"{len(there())} are there. {of_arrays} of these compute with arrays, and {compiled} of them are compiled: "
        f"{compiled / of_arrays:.0%}.",
    ]  # fmt: skip
    standard = set(names)
    missing = [name for name in names if name not in there()]
    if missing:
        lines += ["", f"Missing: {', '.join(f'`{name}`' for name in missing)}."]
    for prefix, (module, theirs) in NAMESPACES.items():
        lines += ["", f"## la.{prefix.rstrip('.')}".rstrip("."), ""]
        rows = []
        for name in functions_of(module):
            full = prefix + name
            origin = "the standard" if full in standard else "NumPy" if name in theirs.__dict__ else "lazyarr"
            rows.append(f"| `{full}` | {origin} | {' | '.join(how(full))} |")
        lines += ["| function | of | how | why |", "|---|---|---|---|", *rows]
    listed = {prefix + name for prefix, (module, _) in NAMESPACES.items() for name in functions_of(module)}
    beside = sorted(name for name in HOST_FUNCTIONS if name not in listed)
    lines += ["", "## Methods and packages that run on the host", "", "| name | how | why |", "|---|---|---|"]
    lines += [f"| `{name}` | {' | '.join(how(name))} |" for name in beside]
    lines += ["", "## What is no function", ""]
    others = [
        prefix + name for prefix, (m, _) in NAMESPACES.items() for name in m.__all__ if name not in functions_of(m)
    ]
    lines.append(", ".join(f"`{name}`" for name in sorted(others)) + ".")
    return "\n".join(lines) + "\n"


@pytest.mark.skipif(OTHER_NUMPY, reason="another NumPy has other names")
def test_the_page_is_made_from_the_namespace():
    if os.environ.get("LAZYARR_REFRESH_GOLDEN", "") not in ("", "0"):
        PAGE.write_text(page(), encoding="utf-8")
    assert PAGE.read_text(encoding="utf-8") == page(), "docs/functions.md is old: run with LAZYARR_REFRESH_GOLDEN=1"


@pytest.mark.parametrize("prefix", NAMESPACES)
def test_the_page_lists_every_name(prefix):
    text = PAGE.read_text(encoding="utf-8")
    module = NAMESPACES[prefix][0]
    for name in module.__all__:
        full = prefix + name
        assert f"`{full}`" in text


def test_the_page_lists_all_that_runs_on_the_host():
    rows = [line for line in PAGE.read_text(encoding="utf-8").splitlines() if line.startswith("|")]
    for name, entry in HOST_FUNCTIONS.items():
        assert any(row.startswith(f"| `{name}` |") and f"host: `{entry.library}`" in row for row in rows), name


def test_states_compute_nothing():
    assert how("random.get_state") == how("random.set_state") == ("no arrays", "")


def test_the_standard_is_whole():
    assert there() == standard_names()


def test_nine_in_ten_functions_of_the_standard_are_compiled():
    compiled, of_arrays = counted()
    assert compiled >= 0.9 * of_arrays


def test_what_the_registries_name_exists():
    assert [name for name in HOST_FUNCTIONS if _find(name) is None] == []
    assert len(standard_names()) == len(set(standard_names())) == sum(len(n.split()) for n in STANDARD.values())


# --- what is compiled can be recorded -------------------------------------------------------------------------------


def lazy(shape: tuple[int, ...] = (3, 3), dtype: str = "float64") -> Array:
    return placeholder(la.zeros(shape, dtype=dtype), Trace("test"))


NOT_OF_ARRAYS = {
    "__array_namespace_info__", "arange", "asarray", "broadcast_shapes", "can_cast", "empty", "eye", "fft.fftfreq",
    "fft.rfftfreq", "finfo", "from_dlpack", "full", "iinfo", "isdtype", "linspace", "ones", "result_type", "zeros",
}  # fmt: skip
"""They take numbers, dtypes or shapes, or hand on an array as it is."""

UNARY = """
    abs acos acosh all any argmax argmin argsort asin asinh atan atanh broadcast_arrays ceil clip conj cos cosh
    count_nonzero diff empty_like exp expm1 flip floor imag isfinite isinf isnan log log10 log1p log2 logical_not
    matrix_transpose max mean min negative nonzero ones_like positive prod real reciprocal round sign signbit sin sinh
    sort sqrt square std sum tan tanh tril triu trunc unique_all unique_counts unique_inverse unique_values unstack var
    zeros_like
    linalg.cholesky linalg.det linalg.diagonal linalg.eig linalg.eigh linalg.eigvals linalg.eigvalsh linalg.inv
    linalg.matrix_norm linalg.matrix_rank linalg.matrix_transpose linalg.pinv linalg.qr linalg.slogdet linalg.svd
    linalg.svdvals linalg.trace linalg.vector_norm
    fft.fft fft.fftn fft.fftshift fft.hfft fft.ifft fft.ifftn fft.ifftshift fft.ihfft fft.irfft fft.irfftn fft.rfft
    fft.rfftn
"""
BINARY = """
    add atan2 copysign divide equal floor_divide greater greater_equal hypot isin less less_equal logaddexp logical_and
    logical_or logical_xor maximum minimum multiply nextafter not_equal pow remainder subtract matmul tensordot vecdot
    linalg.cross linalg.matmul linalg.solve linalg.tensordot linalg.vecdot
"""
INTEGERS = "bitwise_and bitwise_left_shift bitwise_or bitwise_right_shift bitwise_xor"


def arguments() -> dict[str, tuple[Any, ...]]:
    """For each function arguments that belong to a function being recorded."""
    x, i, v = lazy(), lazy(dtype="int64"), lazy((3,))
    found: dict[str, tuple[Any, ...]] = dict.fromkeys(UNARY.split(), (x,))
    found |= dict.fromkeys(BINARY.split(), (x, x)) | dict.fromkeys(INTEGERS.split(), (i, i))
    found |= {
        "astype": (x, "float32"), "bitwise_invert": (i,), "broadcast_to": (x, (2, 3, 3)), "concat": ([x, x],),
        "expand_dims": (x,), "full_like": (x, 2), "linalg.matrix_power": (x, 3), "linalg.outer": (v, v),
        "meshgrid": (v, v), "moveaxis": (x, 0, 1), "permute_dims": (x, (1, 0)), "repeat": (x, 2), "reshape": (x, 9),
        "roll": (x, 1), "searchsorted": (v, x), "squeeze": (lazy((3, 1)), 1), "stack": ([x, x],),
        "take": (x, lazy((2,), "int64")), "take_along_axis": (x, i), "tile": (x, 2), "where": (x > 0, x, 1.0),
        "cumulative_prod": (v,), "cumulative_sum": (v,),
    }  # fmt: skip
    return found


@pytest.mark.parametrize("name", standard_names())
def test_what_is_compiled_can_be_recorded(name):
    function = _find(name)
    if function is None or name in NOT_OF_ARRAYS:
        return
    given = arguments()[name]
    if name in HOST_FUNCTIONS or name in AT_ONCE:
        with pytest.raises(TracingError):
            function(*given)
        return
    found = function(*given)
    for part in found if isinstance(found, (tuple, list)) else (found,):
        assert isinstance(part, Array)
        assert part.tracing or name.endswith("_like"), "it does not depend on its argument"


# --- NumPy's parameters ----------------------------------------------------------------------------------------------

NOT_THERE = {
    "device", "like", "subok", "order", "signature", "casting", "axes", "ndmax", "einsum_call",
}  # fmt: skip
"""Parameters about subclasses, memory, objects and ufuncs' loops, which functions need not have."""

OTHER_NAMES = {
    "arange", "asarray", "can_cast", "cholesky", "cross", "empty_like", "fix", "iinfo", "isneginf", "isposinf",
    "matmul", "outer", "reshape", "sinc", "tensordot", "vecdot", "where",
}  # fmt: skip
"""Functions whose first operands have no names, or others, in the standard or in NumPy."""


def _names(function: Any) -> list[inspect.Parameter] | None:
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return None
    return None if any(p.kind in (p.VAR_POSITIONAL, p.VAR_KEYWORD) for p in parameters) else parameters


@pytest.mark.parametrize("prefix", ["", "linalg.", "fft."])
@pytest.mark.skipif(OTHER_NUMPY, reason="another NumPy has other parameters")
def test_functions_take_numpys_parameters(prefix):
    own, theirs = NAMESPACES[prefix]
    missing = []
    for name, function in functions_of(own).items():
        reference = getattr(theirs, name, None)
        if isinstance(reference, np.ufunc) or not callable(reference) or function is reference:
            continue
        wanted, found = _names(reference), _names(function)
        if wanted is None or found is None:
            continue
        by_name = {p.name for p in found if p.kind is not p.POSITIONAL_ONLY}
        by_place = [p.name for p in found if p.kind is not p.KEYWORD_ONLY]
        for place, p in enumerate(wanted):
            if p.name in NOT_THERE or (name in OTHER_NAMES and place < 2):
                continue
            if name == "clip" and p.name in {"min", "max", "a_min", "a_max"} & by_name:  # in the standard's order
                continue
            if p.kind is not p.POSITIONAL_ONLY and p.name not in by_name:
                missing.append(f"{prefix}{name}: no {p.name}")
            elif p.kind is p.POSITIONAL_OR_KEYWORD and by_place[place : place + 1] != [p.name]:
                missing.append(f"{prefix}{name}: {p.name} not at {place}")
    assert missing == []
