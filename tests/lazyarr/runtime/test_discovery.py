"""Finding devices: the default, specifications, drivers that nobody registered, and what to say when there is none."""

import os
import sys
from pathlib import Path
from types import SimpleNamespace

import pytest

from lazyarr.runtime import (
    DeviceError,
    computes_on_cpu,
    default_device,
    devices,
    diagnose,
    discovery,
    find_device,
    icds,
)
from tests.lazyarr.runtime.processes import python


def test_importing_the_runtime_imports_no_pyopencl():
    assert python("import sys, lazyarr.runtime; print('pyopencl' in sys.modules)") == "False"


def test_the_default_is_the_first_device_and_no_simulator(device, monkeypatch):
    monkeypatch.delenv("LAZYARR_DEVICE", raising=False)
    assert default_device() is devices()[0]
    assert not default_device().simulator
    assert find_device() is default_device()
    assert find_device(device) is device


def test_devices_are_the_same_objects_each_time(device):
    assert all(a is b for a, b in zip(devices(), devices(), strict=True))


def test_a_device_is_found_by_any_of_its_names(device):
    assert find_device(device.index) is device
    assert find_device(device.kind) is device
    assert find_device(device.platform.upper()).platform == device.platform
    assert find_device(device.name[:12].lower()).name[:12] == device.name[:12]


@pytest.mark.parametrize("spec", ["no such device", "99:0", "", " "])
def test_an_unknown_device_is_refused_with_a_list(device, spec):
    with pytest.raises(DeviceError, match="there are") as caught:
        find_device(spec)
    assert device.name in str(caught.value)


def test_the_environment_chooses(device, monkeypatch):
    monkeypatch.setenv("LAZYARR_DEVICE", devices()[-1].index)
    assert default_device() is devices()[-1]
    monkeypatch.setenv("LAZYARR_DEVICE", "no such device")
    with pytest.raises(DeviceError, match="LAZYARR_DEVICE"):
        default_device()


@pytest.fixture
def undecided():
    """What `computes_on_cpu` found is forgotten, before and after."""
    computes_on_cpu.cache_clear()
    yield
    computes_on_cpu.cache_clear()


def test_where_drivers_have_no_files_the_default_is_a_cpu_without_opencl(undecided, monkeypatch):
    monkeypatch.delenv("LAZYARR_DEVICE", raising=False)
    monkeypatch.setattr(discovery, "_DEVICE_FILES", ("no*such?file", "no/such?file"))
    monkeypatch.setattr(discovery, "find_device", None)
    assert computes_on_cpu("")
    with pytest.raises(TypeError):
        computes_on_cpu("cpu")  # what is named is looked for


def test_files_of_drivers_are_looked_for_once(monkeypatch):
    monkeypatch.delenv("LAZYARR_DEVICE", raising=False)
    monkeypatch.setattr(discovery, "_DEVICE_FILES", ("once*such?file",))
    looked, glob = [], Path.glob
    monkeypatch.setattr(Path, "glob", lambda self, pattern: looked.append(pattern) or glob(self, pattern))
    assert not any(discovery.may_compute_elsewhere("") for _ in range(3))
    assert len(looked) == (sys.platform == "linux")


@pytest.mark.parametrize("kind", ["cpu", "gpu"])
def test_where_a_driver_has_files_opencl_says_what_the_default_is(undecided, monkeypatch, kind):
    monkeypatch.delenv("LAZYARR_DEVICE", raising=False)
    monkeypatch.setattr(discovery, "_DEVICE_FILES", ("no*such?file", "nul?"))
    monkeypatch.setattr(discovery, "find_device", lambda spec: SimpleNamespace(kind=kind, spec=spec))
    assert computes_on_cpu("") == (kind == "cpu")


def test_a_device_of_the_environment_is_looked_for(undecided, monkeypatch):
    monkeypatch.setattr(discovery, "_DEVICE_FILES", ())
    monkeypatch.setenv("LAZYARR_DEVICE", "gpu")
    monkeypatch.setattr(discovery, "find_device", lambda spec: SimpleNamespace(kind="gpu"))
    assert not computes_on_cpu("")


def test_without_any_device_everything_is_computed_on_the_cpu(undecided, monkeypatch):
    monkeypatch.setenv("LAZYARR_DEVICE", "no such device")
    assert computes_on_cpu("")


def test_the_fingerprint_is_the_same_in_another_process(device):
    code = f"from lazyarr.runtime import find_device; print(find_device({device.index!r}).fingerprint)"
    assert python(code) == device.fingerprint == python(code, PYTHONHASHSEED="7")
    assert device.name in device.fingerprint and device.driver in device.fingerprint


def test_limits_are_plausible(device):
    limits = device.limits
    assert limits.max_work_group_size >= 1 and limits.compute_units >= 1
    assert limits.local_memory_bytes > 0 and limits.max_allocation_bytes > 0
    assert limits.warp_size >= 1 and limits.native_vector_width_float >= 1


def test_diagnose_lists_every_device(device):
    findings = diagnose()
    for known in devices():
        mine = [f for f in findings if f.subject.startswith(known.name) and known.index in str(f)]
        assert len(mine) == 1 and mine[0].usable


def test_without_any_platform_the_error_names_the_remedy():
    # A loader without drivers reports an error where others report an empty list.
    code = """
import pyopencl
def none(): raise pyopencl.LogicError("clGetPlatformIDs", -1001)
pyopencl.get_platforms = {getter}
from lazyarr.runtime import DeviceError, default_device, diagnose
try: default_device()
except DeviceError as error: print(error)
print(*diagnose())
"""
    for getter in ("none", "list"):
        printed = python(code.format(getter=getter), LAZYARR_DEVICE="")
        assert printed.count("no OpenCL platform") == 2 and 'pip install "lazyarr[pocl]"' in printed


def test_a_simulator_alone_is_no_default():
    code = """
import pyopencl
all_of_them = pyopencl.get_platforms
pyopencl.get_platforms = lambda: [p for p in all_of_them() if "grind" in p.name.lower()]
from lazyarr.runtime import DeviceError, default_device, find_device
try: print(default_device())
except DeviceError as error: print(error)
"""
    printed = python(code, LAZYARR_DEVICE="")
    assert "simulator" in printed or "no OpenCL platform" in printed


# Unregistered drivers. A library only has to exist to be registered; that a real one works cannot be tested everywhere.


@pytest.fixture
def machine(tmp_path, monkeypatch):
    """A machine with an unregistered NVIDIA driver and one registered driver of another vendor."""
    libraries, vendors = tmp_path / "libraries", tmp_path / "vendors"
    libraries.mkdir()
    vendors.mkdir()
    (libraries / "libnvidia-opencl.so.1").write_bytes(b"")
    (vendors / "other.icd").write_text("libother.so\n")
    monkeypatch.setenv("LD_LIBRARY_PATH", str(libraries))
    monkeypatch.setenv("OCL_ICD_VENDORS", str(vendors))
    monkeypatch.setenv("LAZYARR_CACHE_DIR", str(tmp_path / "cache"))
    monkeypatch.setattr(icds, "_found", None)
    monkeypatch.setattr(icds, "_environment_folders", list)
    return tmp_path


def test_an_unregistered_driver_is_registered_beside_the_others(machine):
    (driver,) = icds.register()
    assert not driver.registered and driver.library == str(machine / "libraries" / "libnvidia-opencl.so.1")
    folder = Path(os.environ["OCL_ICD_VENDORS"])
    assert folder.is_relative_to(machine / "cache")
    contents = {file.read_text().strip() for file in folder.iterdir()}
    assert contents == {"libother.so", driver.library}
    assert icds.register() == (driver,)  # once


def test_a_registered_driver_changes_nothing(machine):
    (machine / "vendors" / "nvidia.icd").write_text("libnvidia-opencl.so.1\n")
    (driver,) = icds.register()
    assert driver.registered and os.environ["OCL_ICD_VENDORS"] == str(machine / "vendors")


def test_a_registration_of_a_missing_file_is_none(machine):
    (machine / "vendors" / "nvidia.icd").write_text("/nowhere/libnvidia-opencl.so.1\n")
    (driver,) = icds.register()
    assert not driver.registered
    assert driver.library in {file.read_text().strip() for file in Path(os.environ["OCL_ICD_VENDORS"]).iterdir()}


def test_a_dangling_registration_is_named(machine):
    (machine / "vendors" / "gone.icd").write_text("/nowhere/libgone.so\n")
    assert icds.dangling() == [(machine / "vendors" / "gone.icd", "/nowhere/libgone.so")]


def test_a_cache_folder_that_cannot_be_written_is_no_obstacle(machine, monkeypatch):
    (machine / "file").write_text("")
    monkeypatch.setenv("LAZYARR_CACHE_DIR", str(machine / "file" / "cache"))
    icds.register()
    folder = Path(os.environ["OCL_ICD_VENDORS"])
    assert len(list(folder.iterdir())) == 2


def test_a_private_folder_that_is_gone_is_forgotten(machine, monkeypatch):
    monkeypatch.setenv("OCL_ICD_VENDORS", str(machine / "lazyarr-icd-0123"))
    icds.register()
    assert Path(os.environ["OCL_ICD_VENDORS"]).is_relative_to(machine / "cache")


def test_a_broken_intel_runtime_is_a_problem_not_an_error(machine, monkeypatch):
    (machine / "libraries" / "libintelocl.so").write_bytes(b"not a library")
    monkeypatch.setattr(icds, "_environment_folders", lambda: [machine / "libraries"])
    drivers = {driver.name: driver for driver in icds.register()}
    assert drivers["intel-cpu"].problem and not drivers["nvidia"].problem


def test_the_wheels_platforms_survive_a_private_folder(tmp_path):
    # a machine's own driver of that name is hidden by the folder's
    found = "sorted(d.platform for d in devices())"
    code = f"from lazyarr.runtime import devices; print([p for p in {found} if p != 'NVIDIA CUDA'])"
    plain = python(code, LAZYARR_CACHE_DIR=str(tmp_path / "a"))
    (tmp_path / "libnvidia-opencl.so.1").write_bytes(b"")
    assert python(code, LAZYARR_CACHE_DIR=str(tmp_path / "b"), LD_LIBRARY_PATH=str(tmp_path)) == plain
    assert list((tmp_path / "b").rglob("lazyarr-nvidia.icd"))
