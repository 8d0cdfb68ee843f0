"""The command line: what it prints, its exit status, and that wrong input is explained."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

from kernel_cache import CacheKey, Entry, KernelCache
from lazyarr import config
from lazyarr.__main__ import main
from lazyarr.commands import demo
from lazyarr.commands.inputs import InputError, load
from lazyarr.commands.programs import PROGRAMS, as_tuple, mismatch

ROOT = Path(__file__).parents[2]


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("LAZYARR_CACHE_DIR", str(tmp_path / "cache"))


@pytest.fixture
def untuned():
    old = config.configure(tune="off")
    yield
    config.configure(**vars(old))


def saved(tmp_path, array, name="array.npy"):
    path = tmp_path / name
    np.save(path, array, allow_pickle=True)
    return path


# --- demo -------------------------------------------------------------------------------------------------------------


def lazyarr(*arguments, **environment):
    """Run the command line in a process of its own."""
    variables = os.environ | {"PYTHONIOENCODING": "utf-8"} | environment
    command = [sys.executable, "-m", "lazyarr", *map(str, arguments)]
    return subprocess.run(command, env=variables, cwd=ROOT, capture_output=True, text=True, check=False)


@pytest.mark.device
@pytest.mark.sweep
def test_the_second_run_tunes_nothing(tmp_path):
    path = saved(tmp_path, np.random.default_rng(0).uniform(-1, 2, (61, 331)).astype(np.float32))
    budget = {"LAZYARR_TUNE_SECONDS": "1", "LAZYARR_TUNE_ABOVE": "1000"}
    first = lazyarr("demo", path, **budget)
    assert first.returncode == 0, first.stdout + first.stderr
    assert "from: a search now" in first.stdout
    assert "kernels were tuned in this run" in first.stdout
    assert "from: the cache" not in first.stdout
    for heading in ("high-level expression:", "low-level expression:", "parameters: schedule = ", "trials: "):
        assert first.stdout.count(heading) >= len(PROGRAMS)
    assert first.stdout.count("agrees with NumPy") == len(PROGRAMS)
    assert first.stdout.count("time: lazyarr") == len(PROGRAMS)
    assert "(reduce (+) 0 ∘ map abs) x0" in first.stdout
    assert "reduceSeq" in first.stdout
    assert "\x1b" not in first.stdout  # plain text where there is no terminal

    second = lazyarr("demo", path, **budget)
    assert second.returncode == 0, second.stdout + second.stderr
    assert "nothing was tuned in this run" in second.stdout
    assert "from: a search now" not in second.stdout
    assert "from: the prediction" not in second.stdout
    assert second.stdout.count("from: the cache") == first.stdout.count("from: ")


SHAPES = [(1,), (1009,), (3, 5), (31, 57), (4, 5, 3), (2, 3, 7)]


@pytest.mark.device
@pytest.mark.parametrize("shape", SHAPES)
@pytest.mark.usefixtures("untuned")
def test_any_numeric_array(tmp_path, capsys, shape, monkeypatch):
    monkeypatch.setattr(demo, "_SECONDS", 0.0)
    values = np.random.default_rng(0).integers(0, 256, shape).astype(np.uint8)
    assert main(["demo", str(saved(tmp_path, values))]) == 0
    out = capsys.readouterr().out
    assert f"{' x '.join(map(str, shape))} uint8, converted to float32" in out
    assert out.count("agrees with NumPy") == len(PROGRAMS)


@pytest.mark.device
@pytest.mark.parametrize("values", [[True, False], [np.nan, 1.0], [np.inf, -1.0], [1e308, 1e308], [0.0, 0.0], [-5, 7]])
@pytest.mark.usefixtures("untuned")
def test_values_at_the_edge(tmp_path, capsys, values, monkeypatch):
    monkeypatch.setattr(demo, "_SECONDS", 0.0)
    assert main(["demo", str(saved(tmp_path, np.array(values)))]) == 0, capsys.readouterr().out


@pytest.mark.device
@pytest.mark.usefixtures("untuned")
def test_a_result_that_is_not_numpys_is_an_error(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr(demo, "mismatch", lambda *arguments: "element 3: expected 1, got 2")
    assert main(["demo", str(saved(tmp_path, np.ones((3, 5))))]) == 1
    out = capsys.readouterr().out
    assert "WRONG" in out
    assert "element 3: expected 1, got 2" in out
    assert "time: lazyarr" not in out  # what is wrong has no time


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda program: program.name)
@pytest.mark.parametrize("shape", SHAPES)
def test_the_comparison_lets_rounding_through_and_nothing_else(program, shape):
    x = np.random.default_rng(0).uniform(0, 255, shape).astype(np.float32)
    results = [np.array(part, np.float32) for part in as_tuple(program.write(np, x))]
    assert mismatch(program, x, tuple(results)) is None
    for number, result in enumerate(results):
        spoiled = [part.copy() for part in results]
        spoiled[number].flat[-1] = spoiled[number].flat[-1] * 1.01 + 1
        assert f"result {number}, element {result.size - 1}" in mismatch(program, x, tuple(spoiled))
        spoiled[number].flat[-1] = np.nan
        assert mismatch(program, x, tuple(spoiled)) is not None
    assert "shape" in mismatch(program, x, tuple(np.zeros((9, 9)) for _ in results))


def junk(content):
    def write(tmp_path):
        path = tmp_path / "junk.npy"
        path.write_bytes(content)
        return path

    return write


def archive(tmp_path):
    path = tmp_path / "several.npz"
    np.savez(path, a=np.ones(3))
    return path


BAD = {
    "absent": (lambda p: p / "absent.npy", "cannot be read: No such file"),
    "folder": (lambda p: p, "cannot be read: Is a directory"),
    "empty": (junk(b""), "is an empty file"),
    "text": (junk(b"1 2 3\n"), "is not a .npy file"),
    "archive": (archive, "archive of several arrays"),
    "cut off": (junk(b"\x93NUMPY\x01\x00"), "is damaged"),
    "objects": (lambda p: saved(p, np.array([{}, []], object)), "dtype object"),
    "text array": (lambda p: saved(p, np.array(["a"])), "expected bools, integers, or floats"),
    "complex": (lambda p: saved(p, np.ones(3, complex)), "complex128"),
    "dates": (lambda p: saved(p, np.array(["2020-01-01"], "datetime64[D]")), "datetime64"),
    "no dimensions": (lambda p: saved(p, np.float32(3)), "of 0 dimensions; expected 1, 2 or 3"),
    "four dimensions": (lambda p: saved(p, np.ones((2, 2, 2, 2))), "of 4 dimensions"),
    "no elements": (lambda p: saved(p, np.ones((3, 0))), "without elements, of shape (3, 0)"),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_file_is_explained(tmp_path, name):
    make, message = BAD[name]
    path = make(tmp_path)
    with pytest.raises(InputError) as caught:
        load(path)
    assert message in str(caught.value)
    assert str(path) in str(caught.value)


@pytest.mark.device
def test_a_bad_file_is_exit_status_2(tmp_path, capsys):
    assert main(["demo", str(tmp_path / "absent.npy")]) == 2
    captured = capsys.readouterr()
    assert captured.err.startswith("error: ")
    assert "Traceback" not in captured.err


@pytest.mark.slow
@pytest.mark.parametrize("missing", ["sklearn.datasets", "PIL"])
def test_without_the_photographs(monkeypatch, missing):
    pytest.importorskip("sklearn")
    monkeypatch.setitem(sys.modules, missing, None)
    with pytest.raises(InputError, match=r'pip install "lazyarr\[demo\]"') as caught:
        load(None)
    assert "FILE.npy" in str(caught.value)


@pytest.mark.slow
def test_the_photographs():
    pytest.importorskip("sklearn")
    pytest.importorskip("PIL")
    given = load(None)
    assert given.array.shape == (854, 640, 3)
    assert given.array.dtype == np.float32
    assert given.array.size >= config.Settings().tune_above  # or nothing would be tuned
    assert given.array.max() > 200


@pytest.mark.parametrize(
    ("dtype", "float64", "expected"),
    [
        ("uint8", True, "float32"),
        ("bool", True, "float32"),
        ("float16", True, "float32"),
        ("int32", True, "float64"),
        ("float64", True, "float64"),
        ("float64", False, "float32"),
        (">f4", True, "float32"),
    ],
)
def test_conversions(tmp_path, dtype, float64, expected):
    array = np.arange(6).reshape(2, 3).T.astype(dtype)
    given = load(saved(tmp_path, array), float64)
    assert given.array.dtype == expected
    assert given.array.flags.c_contiguous
    np.testing.assert_array_equal(given.array, array)


# --- devices ----------------------------------------------------------------------------------------------------------


@pytest.mark.device
@pytest.mark.parametrize("command", ["devices", "doctor"])
def test_devices(capsys, command):
    from lazyarr.runtime import devices

    assert main([command]) == 0
    out = capsys.readouterr().out
    for device in devices():
        assert device.name in out
        assert f"max work group size: {device.limits.max_work_group_size}" in out
    assert out.count(", the default") == 1
    assert ("settings" in out) == (command == "doctor")


@pytest.mark.device
@pytest.mark.parametrize("command", ["devices", "demo"])
def test_no_platform(capsys, monkeypatch, command):
    import pyopencl

    from lazyarr.runtime import discovery

    monkeypatch.setattr(pyopencl, "get_platforms", list)
    monkeypatch.setattr(discovery, "_devices", None)
    assert main([command]) == 1
    captured = capsys.readouterr()
    text = captured.out + captured.err
    assert text.count("no OpenCL platform was found") == 1
    assert text.count('pip install "lazyarr[pocl]"') == 1


# --- cache ------------------------------------------------------------------------------------------------------------

KEY = CacheKey("map abs x0", ("x0: [float32]n0",), ("8",), "a device | name=x", "1")
ENTRY = Entry(
    plan={}, derivation=[], configuration={"width": 4}, sources=("source",), binaries=(b"binary",), seconds=0.002,
    tuned=True, environment={},
)  # fmt: skip


@pytest.fixture
def filled():
    cache = KernelCache()
    cache.put(KEY, ENTRY)
    cache.begin_trial(KEY, {"width": 8})
    cache.finish_trial(KEY, {"width": 8}, "build_failed")
    cache.close()


def stored():
    cache = KernelCache()
    try:
        return [key for key, _ in cache.entries()]
    finally:
        cache.close()


def test_cache_path(tmp_path, capsys):
    assert main(["cache", "path"]) == 0
    assert Path(capsys.readouterr().out.strip()).parent == tmp_path / "cache"


@pytest.mark.usefixtures("filled")
def test_cache_list(capsys):
    assert main(["cache", "list"]) == 0
    out = capsys.readouterr().out
    assert KEY.digest[:12] in out
    assert "map abs x0" in out
    assert "tuned, 2 ms" in out
    assert '{"width": 4}' in out
    assert "1 kernels, 1 trials" in out


def test_cache_list_of_nothing(capsys):
    assert main(["cache", "list"]) == 0
    assert "0 kernels, 0 trials" in capsys.readouterr().out


@pytest.mark.usefixtures("filled")
def test_cache_verify(capsys):
    assert main(["cache", "verify"]) == 0
    assert "1 kernels, all sound" in capsys.readouterr().out
    import sqlite3

    with sqlite3.connect(KernelCache().statistics().path) as connection:
        connection.execute("UPDATE entries SET binaries = x'00'")
    assert main(["cache", "verify"]) == 1
    assert "checksum" in capsys.readouterr().out


@pytest.mark.usefixtures("filled")
def test_cache_prune(capsys):
    assert main(["cache", "prune"]) == 2
    assert "--older-than" in capsys.readouterr().err
    assert main(["cache", "prune", "--older-than", "1"]) == 0
    assert stored() == [KEY]
    assert main(["cache", "prune", "--max-bytes", "0"]) == 0
    assert "1 kernels deleted" in capsys.readouterr().out
    assert stored() == []


@pytest.mark.usefixtures("filled")
def test_cache_clear(capsys):
    assert main(["cache", "clear"]) == 0
    assert "1 kernels and 1 trials deleted" in capsys.readouterr().out
    assert stored() == []


@pytest.mark.usefixtures("filled")
def test_cache_export_and_import(tmp_path, capsys):
    file = tmp_path / "kernels.jsonl"
    assert main(["cache", "export", str(file)]) == 0
    assert main(["cache", "clear"]) == 0
    assert main(["cache", "import", str(file)]) == 0
    assert stored() == [KEY]
    assert "1 kernels taken over" in capsys.readouterr().out


def test_cache_import_of_something_else(tmp_path, capsys):
    file = tmp_path / "notes.txt"
    file.write_text("hello\n")
    assert main(["cache", "import", str(file)]) == 1
    assert str(file) in capsys.readouterr().err
    assert main(["cache", "import", str(tmp_path / "absent")]) == 1


# --- the rest ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [[], ["nothing"], ["cache"], ["cache", "export"], ["cache", "prune", "--max-bytes", "-1"], ["demo", "a", "b"]],
)
def test_wrong_arguments(arguments, capsys):
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert stopped.value.code == 2
    assert "usage: " in capsys.readouterr().err


@pytest.mark.device
def test_an_unknown_device(capsys):
    old = config.configure(device="no such device")
    try:
        assert main(["demo"]) == 1
    finally:
        config.configure(**vars(old))
    assert "no device matches 'no such device'" in capsys.readouterr().err


def test_an_interrupt(monkeypatch, capsys):
    def run(path):
        raise KeyboardInterrupt

    monkeypatch.setattr(demo, "run", run)
    assert main(["demo"]) == 130
    assert "interrupted" in capsys.readouterr().err


@pytest.mark.device
def test_a_reader_that_stops_early(tmp_path):
    read, write = os.pipe()
    os.close(read)
    variables = os.environ | {"LAZYARR_CACHE_DIR": str(tmp_path)}
    command = [sys.executable, "-m", "lazyarr", "cache", "list"]
    done = subprocess.run(
        command, env=variables, cwd=ROOT, stdout=write, stderr=subprocess.PIPE, text=True, check=False
    )
    os.close(write)
    assert "Traceback" not in done.stderr
    assert "Exception" not in done.stderr


# --- tune -------------------------------------------------------------------------------------------------------------

SCRIPT = """
import sys
import numpy as np
import lazyarr as la
x = la.asarray(np.arange(int(sys.argv[1]), dtype="float32"))
for _ in range(3):
    print("value", float(la.sum(la.sqrt(x))))
"""


@pytest.mark.device
def test_a_script_is_run_and_its_programs_are_tuned(tmp_path):
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    done = lazyarr("tune", "--seconds", "0.5", "--trials", "2", script, "60000", LAZYARR_TIER="auto")
    assert done.returncode == 0, done.stderr
    assert done.stdout.count("value 9797") == 3
    assert "ran 1 programs" in done.stdout
    assert "1 of 1, 3 runs: (reduce (+) 0 ∘ map sqrt)" in done.stdout
    assert " ms; NumPy: " in done.stdout
    kept = KernelCache()
    assert kept.statistics().entries >= 1
    kept.close()


@pytest.mark.slow
def test_what_is_no_script_or_fails_is_said(tmp_path):
    missing = lazyarr("tune", tmp_path / "none.py")
    assert (missing.returncode, missing.stderr.startswith("error: tune: there is no file")) == (2, True)
    script = tmp_path / "script.py"
    script.write_text("raise SystemExit(3)")
    assert "ran 0 programs" in lazyarr("tune", script).stdout
    assert lazyarr("tune", "--seconds", "0", script).returncode == 2
