"""PoCL's functions on processors that its compiler does not know."""

import ctypes
from pathlib import Path

import pytest

from lazyarr.runtime import pocl
from lazyarr.runtime.declarations import GUARD, HEADER
from lazyarr.runtime.pocl import Mending, Processor, fitting_functions, name_that_inlines
from tests.lazyarr.runtime.processes import finished, python

VARIANTS = ("sse2", "avx2", "avx512")
NARROW = frozenset({"sse2", "avx", "avx2"})
WIDE = NARROW | {"avx512f"}
LATER = frozenset({"avx", "clflushopt", "sha_ni"})
RAPTOR_LAKE = Processor("GenuineIntel", 6, 0xB7, NARROW | LATER)
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
        (Processor("GenuineIntel", 6, 0x55, WIDE), None),
        (Processor("GenuineIntel", 6, 0xCF, WIDE | LATER), None),  # Emerald Rapids
        (Processor("GenuineIntel", 6, 0x3C, NARROW), None),  # Haswell
        (Processor("GenuineIntel", 6, 0x9E, NARROW | {"clflushopt"}), None),  # Kaby Lake
        (Processor("GenuineIntel", 6, 0x97, NARROW | LATER), None),  # Alder Lake
        (Processor("GenuineIntel", 6, 0xB7, NARROW | LATER), "sse41"),  # Raptor Lake
        (Processor("GenuineIntel", 6, 0x5C, LATER - {"avx"}), None),  # Goldmont
        (Processor("AuthenticAMD", 23, 49, NARROW | LATER), None),
        (Processor("AuthenticAMD", 25, 33, NARROW | LATER), None),
        (Processor("AuthenticAMD", 25, 17, WIDE | LATER), "avx2"),
    ],
)
def test_functions_fit_what_the_compiler_generates(processor, variant):
    found = fitting_functions(processor)
    assert found is None if variant is None else (found.variant == variant and not found.problem)


@pytest.mark.parametrize(
    "processor",
    [
        Processor("AuthenticAMD", 26, 2, WIDE | LATER),  # without FMA, say
        Processor("HygonGenuine", 24, 1, NARROW),
        Processor("GenuineIntel", 6, 0x8F, NARROW | LATER),  # Sapphire Rapids in a virtual machine without AVX-512
    ],
)
def test_processors_for_which_nothing_fits_are_refused(processor):
    assert "another OpenCL runtime" in fitting_functions(processor).problem


@pytest.mark.parametrize(
    "processor",
    [
        Processor("AuthenticAMD", 26, 2, WIDE | LATER | pocl._FEATURES),  # Zen 5
        Processor("GenuineIntel", 19, 1, WIDE | LATER | pocl._FEATURES),  # Diamond Rapids
        Processor("HygonGenuine", 24, 1, NARROW | pocl._FEATURES),
    ],
)
def test_processors_without_a_name_are_compiled_for_as_an_earlier_one(processor):
    assert fitting_functions(processor) == Mending("avx2", processor="haswell")


LATER_SERVER = WIDE | {"avx512_vbmi2", "clwb", "wbnoinvd"}


@pytest.mark.parametrize(
    ("processor", "name"),
    [
        (Processor("GenuineIntel", 6, 0xCF, LATER_SERVER), "icelake-server"),  # Emerald Rapids
        (Processor("GenuineIntel", 6, 0xCF, LATER_SERVER - {"clwb"}), ""),  # as a virtual machine may hide it
        (Processor("GenuineIntel", 6, 0xCF, LATER_SERVER | {"avx512_vp2intersect"}), ""),  # named tigerlake
        (Processor("GenuineIntel", 6, 0x8F, LATER_SERVER), ""),  # Sapphire Rapids: LLVM 14 knows it
        (Processor("GenuineIntel", 6, 0xCF, WIDE), ""),
        (Processor("AuthenticAMD", 23, 49, NARROW | pocl._FEATURES), "haswell"),  # Zen 2
        (Processor("AuthenticAMD", 25, 17, WIDE | pocl._FEATURES), "haswell"),  # Zen 4
        (Processor("AuthenticAMD", 25, 17, NARROW), ""),  # without FMA, say
        (Processor("AuthenticAMD", 26, 2, LATER_SERVER), ""),
        (Processor("GenuineIntel", 6, 0x97, NARROW | LATER | pocl._FEATURES), "haswell"),  # Alder Lake
        (Processor("GenuineIntel", 6, 0xB7, NARROW | LATER | pocl._FEATURES), ""),  # Raptor Lake
    ],
)
def test_processors_whose_kernels_would_call_the_functions_get_a_name_that_takes_them_in(processor, name):
    assert name_that_inlines(processor) == name
    fit = fitting_functions(processor)
    assert not name or fit is None or fit.variant == "avx2"


@pytest.mark.parametrize("before", [b"znver2", b"alderlake"])
def test_a_longer_name_goes_where_there_is_room(before, monkeypatch):
    """The C library gives no less than 24 bytes for a copy of a name."""
    strdup = ctypes.CDLL(None).strdup
    strdup.restype = ctypes.c_void_p
    address = strdup(before)
    description = Description(b"pthread", at=(address,))
    befores = pocl._BEFORE["haswell"]
    if len(before) < len(b"haswell"):
        monkeypatch.setattr(pocl, "_room", lambda address: 7)
        assert "no name that could be changed" in pocl._name(description, "haswell", befores)
        assert ctypes.string_at(address) == before
        monkeypatch.undo()
    for _ in range(2):
        assert pocl._name(description, "haswell", befores) == ""
        assert ctypes.string_at(address) == b"haswell"


@needs_the_wheel
def test_functions_are_taken_into_kernels(tmp_path):
    """Where one is not, it is an entry of the compiled kernel."""
    code = """
device = find_device("Portable Computing Language")
x, y = device.allocate(32), device.allocate(32)
source = "__kernel void k(__global float8 *x, __global float8 *y) { y[0] = exp(x[0]) + rint(x[0]); }"
device.build(source).kernel("k", ["buffer", "buffer"]).launch((1,), None, (x, y)).wait()
"""
    processor = pocl._processor()
    if processor is None or processor.maker not in ("AuthenticAMD", "GenuineIntel"):
        pytest.skip("not known to take them in")
    finished("from lazyarr.runtime import find_device\n" + code, POCL_CACHE_DIR=str(tmp_path))
    made = [path.read_bytes() for path in tmp_path.rglob("*.so")]
    assert made and not any(name in each for each in made for name in (b"_cl_exp", b"_cl_rint"))


@pytest.mark.parametrize("has_the_fault", [True, False])
def test_such_a_processor_is_named_anew_and_the_device_is_used(has_the_fault, monkeypatch):
    monkeypatch.setattr(pocl, "mend", lambda: None)
    monkeypatch.setattr(pocl, "_processor", lambda: Processor("GenuineIntel", 6, 0xCF, LATER_SERVER))
    monkeypatch.setattr(pocl, "_has_the_fault", lambda handle: has_the_fault)
    description = Description(b"pthread", b"icelake-client")
    for _ in range(2):
        assert pocl.fault(description) == ""
        wanted = b"icelake-server" if has_the_fault else b"icelake-client"
        assert [name.value for name in description.names] == [b"pthread", wanted]
    assert pocl.fault(Description(b"pthread", b"znver3")) == ""  # without the name, it stays as it is


@needs_the_wheel
def test_what_is_compiled_for_another_name_lies_apart(tmp_path):
    code = "import os\npocl.mend()\nprint(os.environ['POCL_CACHE_DIR'])\n"
    posing = POSING.format(processor=Processor("GenuineIntel", 6, 0xCF, LATER_SERVER))
    own = str(tmp_path / "lazyarr-icelake-server")
    assert python(posing + code, POCL_CACHE_DIR=str(tmp_path)) == own
    assert python(posing + code, POCL_CACHE_DIR=own) == own  # a process started by one like this


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
    for header in (HEADER, "pocl.h"):
        (functions / "include" / header).write_text(header)
    (packages / pocl._LIBRARIES / "libpocl-0123.so").write_text("not a library")
    (packages / pocl._PACKAGE / "libhwloc.so.15").write_text("hwloc")
    monkeypatch.setenv("LAZYARR_CACHE_DIR", str(tmp_path / "cache"))
    return packages


def linked(wheel: Path, variant: str = "avx2") -> Path:
    links = pocl._links(wheel, wheel / pocl._LIBRARIES / "libpocl-0123.so", variant)
    return pocl._folder(links)


def check(folder: Path) -> None:
    functions = folder / pocl._FUNCTIONS
    assert {file.read_text() for file in functions.glob("*.bc")} == {"avx2"}
    assert len(list(functions.glob("*.bc"))) == len(VARIANTS)
    assert (functions / "include" / "pocl.h").read_text() == "pocl.h"
    guard, whole, end = (functions / "include" / HEADER).read_text().splitlines()
    assert (guard, Path(whole.split('"')[1]).read_text(), end) == (f"#ifndef {GUARD}", HEADER, "#endif")
    assert (folder / pocl._LIBRARIES / "libpocl-0123.so").read_text() == "not a library"
    assert (folder / pocl._PACKAGE / "libhwloc.so.15").read_text() == "hwloc"


def test_each_variants_name_leads_to_the_one_that_fits(wheel, tmp_path):
    folder = linked(wheel)
    check(folder)
    assert folder.is_relative_to(tmp_path / "cache")
    assert linked(wheel) == folder  # as another process would find it


def test_a_link_that_leads_elsewhere_is_made_anew(wheel):
    folder = linked(wheel)
    link = folder / pocl._FUNCTIONS / "kernel-x86_64-unknown-linux-gnu-avx512.bc"
    link.unlink()
    link.write_text("avx512")
    (folder / pocl._FUNCTIONS / "include" / HEADER).write_text("something else")
    assert linked(wheel) == folder
    check(folder)


def test_without_a_variant_each_name_leads_to_its_own(wheel):
    functions = linked(wheel, "") / pocl._FUNCTIONS
    assert {file.read_text() for file in functions.glob("*.bc")} == set(VARIANTS)


def test_the_folder_is_the_same_from_another_one(wheel, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("LAZYARR_CACHE_DIR", "relative")
    assert linked(wheel).is_absolute()


def test_a_cache_folder_that_cannot_be_written_is_no_obstacle(wheel, tmp_path, monkeypatch):
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("LAZYARR_CACHE_DIR", str(tmp_path / "file" / "cache"))
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    folder = linked(wheel)
    check(folder)
    assert folder.parent == tmp_path and linked(wheel) == folder


def test_a_library_that_does_not_load_is_a_problem_not_an_error(wheel):
    assert "libpocl-0123.so" in pocl._load(wheel, "avx2")


@needs_the_wheel
def test_pocl_takes_its_functions_from_the_folder(tmp_path):
    code = """
device = find_device("Portable Computing Language")
memory = device.allocate(64)
source = "__kernel void k(__global float *a) { a[get_global_id(0)] = 7.0f; }"
device.build(source).kernel("k", ["buffer"]).launch((16,), None, (memory,)).wait()
print(memory.to_numpy("float32", (16,)).sum(), pocl.mend(), device.limits.native_vector_width_float)
"""
    real = fitting_functions(pocl._processor())
    wanted = Mending("sse41", processor=real.processor if real else "")  # LLVM knows this machine's or does not
    posing = POSING.format(processor=RAPTOR_LAKE) + f"pocl.fitting_functions = lambda _: pocl.{wanted}\n"
    variables = {"LAZYARR_CACHE_DIR": str(tmp_path / "cache"), "POCL_CACHE_DIR": str(tmp_path), "POCL_DEBUG": "llvm"}
    done = finished(posing + code, **variables)
    assert done.stdout.strip() == f"112.0 {wanted} 4"
    taken = [line for line in done.stderr.splitlines() if "as the built-in lib" in line]
    assert taken and all(str(tmp_path / "cache") in line for line in taken)


@needs_the_wheel
def test_all_threads_wait_for_the_folder(tmp_path):
    code = """
import threading, time
making = pocl._folder
pocl._folder = lambda links: (time.sleep(0.5), making(links))[1]
found = []
threads = [threading.Thread(target=lambda: found.append(diagnose() and pocl.mend())) for _ in range(3)]
for thread in threads: thread.start()
for thread in threads: thread.join()
print(len(found), set(found))
"""
    printed = python(POSING.format(processor=RAPTOR_LAKE) + code, LAZYARR_CACHE_DIR=str(tmp_path))
    assert printed == "3 {Mending(variant='sse41', problem='', processor='')}"


REFUSED = """
try: print(find_device("Portable Computing Language"))
except DeviceError as error: print(str(error).replace("\\n", " "))
print(*diagnose(), sep="\\n")
"""


@needs_the_wheel
def test_pocl_loaded_before_is_refused_where_its_functions_do_not_fit(tmp_path):
    before = "import pyopencl\npyopencl.get_platforms()\n"
    code = before + POSING.format(processor=RAPTOR_LAKE) + REFUSED
    printed = python(code, LAZYARR_DEVICE="", LAZYARR_CACHE_DIR=str(tmp_path))
    said, *found = printed.splitlines()
    assert "loaded before lazyarr" in said
    assert any("loaded before lazyarr" in line and line.startswith("--") for line in found)


@needs_the_wheel
def test_pocl_is_refused_where_it_compiles_nothing(tmp_path):
    code = POSING.format(processor=Processor("AuthenticAMD", 26, 2, WIDE)) + REFUSED
    printed = python(code, LAZYARR_DEVICE="", LAZYARR_CACHE_DIR=str(tmp_path))
    assert "compiles nothing for it" in printed.splitlines()[0] and "lazyarr[intel]" in printed


class Description:
    """Memory that looks like PoCL's description of a device."""

    def __init__(self, *names: bytes, at: tuple[int, ...] = ()) -> None:
        self.names = [ctypes.create_string_buffer(name, 16) for name in names]
        words = [0, 1, *map(ctypes.addressof, self.names), *at, 0xFFFF_FFFF_FFFF_FFF8]
        self.memory = (ctypes.c_uint64 * (pocl._DESCRIPTION_BYTES // 8))(*words)
        self.int_ptr = ctypes.addressof(self.memory)


def test_the_name_of_the_processor_is_replaced_where_it_is_one():
    description = Description(b"pthread", b"generic", b"generic-x86")
    for _ in range(2):  # a device is looked at more than once
        assert pocl._name(description, "haswell", (pocl._GENERIC,)) == ""
        assert [name.value for name in description.names] == [b"pthread", b"haswell", b"generic-x86"]


@pytest.mark.parametrize("names", [(b"pthread", b"znver3"), (b"generic", b"generic")])
def test_a_description_with_no_or_two_names_is_left_alone(names):
    description = Description(*names)
    assert "no name that could be changed" in pocl._name(description, "haswell", (pocl._GENERIC,))
    assert tuple(name.value for name in description.names) == names


def test_a_name_in_memory_that_cannot_be_written_is_left_alone(monkeypatch):
    monkeypatch.setattr(pocl, "_is_writable", lambda address, count: False)
    description = Description(b"generic")
    assert "no name that could be changed" in pocl._name(description, "haswell", (pocl._GENERIC,))
    assert description.names[0].value == b"generic"


def test_which_memory_can_be_written():
    ours = ctypes.create_string_buffer(b"generic", 16)
    assert pocl._is_writable(ctypes.addressof(ours), 8)
    code = ctypes.cast(ctypes.CDLL(None).strlen, ctypes.c_void_p).value
    assert code is not None and not pocl._is_writable(code, 8) and not pocl._is_writable(8, 8)


def test_a_process_whose_memory_is_not_shown_names_nothing(monkeypatch):
    def refused(*arguments, **keywords):
        raise PermissionError("not dumpable")

    monkeypatch.setattr("builtins.open", refused)
    assert "no name that could be changed" in pocl._name(Description(b"generic"), "haswell", (pocl._GENERIC,))


@needs_the_wheel
def test_code_for_processors_that_pocl_takes_for_older_ones_fuses_nothing(tmp_path):
    code = "print(find_device('Portable Computing Language').limits.fused_multiply_add)\n"
    real = fitting_functions(pocl._processor())
    wanted = Mending("sse41", processor=real.processor if real else "")
    posing = POSING.format(processor=RAPTOR_LAKE) + f"pocl.fitting_functions = lambda _: pocl.{wanted}\n"
    assert python(posing + code, LAZYARR_CACHE_DIR=str(tmp_path)) == "False"


@needs_the_wheel
def test_where_pocl_chooses_right_it_goes_on_to_choose(tmp_path):
    code = """
made = pocl._links
pocl._links = lambda *given: (print(given[2] == ""), made(*given))[1]
print(pocl.mend(), 'libpocl' in open('/proc/self/maps').read())
"""
    known = Processor("GenuineIntel", 6, 0x55, WIDE)
    assert python(POSING.format(processor=known) + code, LAZYARR_CACHE_DIR=str(tmp_path)) == "True\nNone True"


@needs_the_wheel
def test_pocl_reads_the_short_header_and_through_it_the_wheels(tmp_path):
    code = """
from lazyarr.runtime import BuildError, find_device, pocl
device = find_device("Portable Computing Language")
source = "__kernel void k(__global float *a) { a[0] = sin(a[0]); }"
program = device.build(source)
print(bool(program.declarations), program._built(source) is not None)
(header,) = pocl.cache_folder().glob(f"pocl/*/{pocl._FUNCTIONS}/include/{pocl.HEADER}")
header.write_text("#error this one")
try:
    device.build(source.replace("sin", "cos"))
except BuildError as error:
    print("this one" in error.log)
"""
    variables = {"LAZYARR_CACHE_DIR": str(tmp_path), "POCL_CACHE_DIR": str(tmp_path / "compiled")}
    assert python(code, **variables) == "True True\nTrue"


@needs_the_wheel
def test_a_cache_folder_that_is_deleted_meanwhile_is_no_obstacle(tmp_path):
    code = """
import shutil
from lazyarr.runtime import find_device, pocl
device = find_device("Portable Computing Language")
memory = device.allocate(4)
for name in ("sin", "cos", "tan"):
    source = f"__kernel void k(__global float *a) {{ a[0] = {name}(a[0]); }}"
    kernel = device.build(source).kernel("k", ["buffer"])
    shutil.rmtree(pocl.cache_folder())
    kernel.launch((1,), None, (memory,)).wait()
print("launched")
"""
    variables = {"LAZYARR_CACHE_DIR": str(tmp_path / "cache"), "POCL_CACHE_DIR": str(tmp_path / "compiled")}
    assert python(code, **variables) == "launched"
