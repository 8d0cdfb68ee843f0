"""PoCL's functions on processors that its compiler does not know."""

from pathlib import Path

import pytest

from lazyarr.runtime import pocl
from lazyarr.runtime.pocl import Processor, fitting_variant
from tests.lazyarr.runtime.processes import finished, python

VARIANTS = ("sse2", "avx2", "avx512")
WIDE = frozenset({"sse2", "avx2", "avx512f"})
UNKNOWN = Processor("AuthenticAMD", 26, WIDE)
# In a process of its own: the processor is another one.
POSING = """
from lazyarr.runtime import DeviceError, diagnose, find_device, pocl
from lazyarr.runtime.pocl import Processor
pocl._processor = lambda: {processor!r}
"""

needs_the_wheel = pytest.mark.skipif(pocl._wheel() is None, reason="PoCL is not from the wheel")


@pytest.mark.parametrize(
    ("processor", "variant"),
    [
        (Processor("GenuineIntel", 6, WIDE), None),
        (Processor("GenuineIntel", 6, WIDE - {"avx512f"}), None),
        (Processor("AuthenticAMD", 23, WIDE - {"avx512f"}), None),
        (Processor("AuthenticAMD", 25, WIDE - {"avx512f"}), None),
        (Processor("AuthenticAMD", 25, WIDE), "avx2"),
        (Processor("AuthenticAMD", 26, WIDE), "sse2"),
        (Processor("GenuineIntel", 19, WIDE), "sse2"),
        (Processor("HygonGenuine", 24, WIDE - {"avx512f"}), "sse2"),
    ],
)
def test_functions_fit_what_the_compiler_generates(processor, variant):
    assert fitting_variant(processor) == variant


def test_this_processor_is_read():
    processor = pocl._processor()
    if processor is None:
        pytest.skip("no /proc/cpuinfo of an x86-64 processor")
    assert "sse2" in processor.features and processor.family > 0 and processor.maker


@pytest.fixture
def wheel(tmp_path, monkeypatch):
    """The files of PoCL's wheel, by name."""
    packages = tmp_path / "packages"
    functions = packages / pocl._FUNCTIONS
    for folder in (functions / "include", packages / pocl._LIBRARIES):
        folder.mkdir(parents=True)
    for variant in VARIANTS:
        (functions / f"kernel-x86_64-unknown-linux-gnu-{variant}.bc").write_text(variant)
    (packages / pocl._LIBRARIES / "libpocl-0123.so").write_text("not a library")
    (packages / pocl._PACKAGE / "libhwloc.so.15").write_text("hwloc")
    monkeypatch.setenv("LAZYARR_CACHE_DIR", str(tmp_path / "cache"))
    return packages


def linked(wheel: Path) -> Path:
    links = pocl._links(wheel, wheel / pocl._LIBRARIES / "libpocl-0123.so", "avx2")
    return pocl._folder(links)


def check(folder: Path) -> None:
    functions = folder / pocl._FUNCTIONS
    assert {file.read_text() for file in functions.glob("*.bc")} == {"avx2"}
    assert len(list(functions.glob("*.bc"))) == len(VARIANTS) and (functions / "include").is_dir()
    assert (folder / pocl._LIBRARIES / "libpocl-0123.so").read_text() == "not a library"
    assert (folder / pocl._PACKAGE / "libhwloc.so.15").read_text() == "hwloc"


def test_each_variants_name_leads_to_the_one_that_fits(wheel, tmp_path):
    folder = linked(wheel)
    check(folder)
    assert folder.is_relative_to(tmp_path / "cache")
    assert linked(wheel) == folder  # as another process would find it


def test_a_cache_folder_that_cannot_be_written_is_no_obstacle(wheel, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LAZYARR_CACHE_DIR", str(tmp_path / "file" / "cache"))
    check(linked(wheel))


def test_a_library_that_does_not_load_is_a_problem_not_an_error(wheel):
    assert "libpocl-0123.so" in pocl._load(wheel, "avx2")


@needs_the_wheel
def test_pocl_takes_its_functions_from_the_folder(tmp_path):
    code = """
device = find_device("Portable Computing Language")
memory = device.allocate(64)
source = "__kernel void k(__global float *a) { a[get_global_id(0)] = 7.0f; }"
device.build(source).kernel("k", ["buffer"]).launch((16,), None, (memory,)).wait()
print(memory.to_numpy("float32", (16,)).sum(), pocl.mend())
"""
    variables = {"LAZYARR_CACHE_DIR": str(tmp_path / "cache"), "POCL_CACHE_DIR": str(tmp_path), "POCL_DEBUG": "llvm"}
    done = finished(POSING.format(processor=UNKNOWN) + code, **variables)
    assert done.stdout.strip() == "112.0 Mending(variant='sse2', problem='')"
    taken = [line for line in done.stderr.splitlines() if "as the built-in lib" in line]
    assert taken and all(str(tmp_path / "cache") in line for line in taken)


@needs_the_wheel
def test_pocl_loaded_before_is_refused_where_its_functions_do_not_fit(tmp_path):
    code = """
try: print(find_device("Portable Computing Language"))
except DeviceError: print("refused")
print(*diagnose(), sep="\\n")
"""
    before = "import pyopencl\npyopencl.get_platforms()\n"
    code = before + POSING.format(processor=UNKNOWN) + code
    printed = python(code, LAZYARR_DEVICE="", LAZYARR_CACHE_DIR=str(tmp_path))
    assert printed.startswith("refused") and "loaded before lazyarr" in printed


def test_where_pocl_chooses_right_nothing_is_loaded():
    code = "print(pocl.mend(), 'libpocl' in open('/proc/self/maps').read())"
    known = Processor("GenuineIntel", 6, WIDE)
    assert python(POSING.format(processor=known) + code) == "None False"
