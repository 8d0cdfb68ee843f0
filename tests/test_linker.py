"""The linker of the tests' kernels."""

import os
import shutil
import subprocess

import pytest

from tests import linker

needs_a_compiler = pytest.mark.skipif(
    os.name != "posix" or shutil.which("cc") is None or shutil.which("ld") is None, reason="no compiler"
)


@needs_a_compiler
@pytest.mark.parametrize(
    ("source", "needs_the_library"),
    [("int f(int x) { return x + 1; }", False), ("double cos(double); double f(double x) { return cos(x); }", True)],
    ids=["nothing is missing", "a name of a library"],
)
def test_libraries_are_read_where_a_name_is_missing(source, needs_the_library, tmp_path, monkeypatch):
    found = os.environ["PATH"].split(os.pathsep)
    monkeypatch.setenv("PATH", os.pathsep.join(p for p in found if not p.endswith(linker._FOLDER)))
    linker.put_first(tmp_path)
    made = shutil.which("ld")
    assert made is not None and made.startswith(str(tmp_path))
    (tmp_path / "f.c").write_text(source)
    subprocess.run(["cc", "-fPIC", "-O1", "-c", "f.c"], cwd=tmp_path, check=True)
    library = subprocess.run(["cc", "-print-file-name=libm.so.6"], capture_output=True, text=True, check=True)
    command = [made, "-shared", "-o", "f.so", "-L.", "f.o", library.stdout.strip()]
    subprocess.run(command, cwd=tmp_path, check=True)
    assert (b"libm.so" in (tmp_path / "f.so").read_bytes()) is needs_the_library
