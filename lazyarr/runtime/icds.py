"""OpenCL drivers that are on the machine but not registered, as in containers and in Python environments.

OpenCL's loader finds a driver through an `.icd` file: one line, the path of a library. Containers often get NVIDIA's
libraries without that file, and the wheel of Intel's CPU runtime brings one with a wrong path. `register` makes a
private folder with the files of the system's folder and the missing ones, and names it in `OCL_ICD_VENDORS` before the
loader first looks. (That variable replaces the system's folder; the drivers inside pyopencl's wheel folder are found
besides it.)
"""

from __future__ import annotations

import contextlib
import ctypes
import glob
import hashlib
import os
import sys
from dataclasses import dataclass
from pathlib import Path

_SYSTEM_FOLDER = Path("/etc/OpenCL/vendors")
# How the private folders are called.
_PREFIX = "lazyarr-icd-"
_NVIDIA = "libnvidia-opencl.so.1"
_INTEL = "libintelocl.so"
# What Intel's runtime needs. Most builds find these beside themselves; for the others they are loaded first.
_INTEL_NEEDS = ("libintlc.so.5", "libirng.so", "libimf.so", "libsvml.so", "libtbb.so.12", "libtbbmalloc.so.2")


@dataclass(frozen=True)
class Driver:
    """A driver library found on the machine.

    Attributes:
        name: the file to register it by, without `.icd`.
        library: its path, or its bare name where only the dynamic linker knows the path.
        registered: whether an `.icd` file names it already.
        problem: why it cannot be used, or "".
    """

    name: str
    library: str
    registered: bool
    problem: str = ""


_found: tuple[Driver, ...] | None = None


def register() -> tuple[Driver, ...]:
    """Find unregistered drivers and register them for this process; must run before the first platform query.

    Runs once; later calls return what was found. Never raises: a folder that cannot be written costs the driver only.
    """
    global _found
    if _found is None:
        inherited = Path(os.environ.get("OCL_ICD_VENDORS", ""))
        if inherited.name.startswith(_PREFIX) and not inherited.exists():
            # The parent process named its private folder, and that is gone.
            del os.environ["OCL_ICD_VENDORS"]
        _found = tuple(_find())
        missing = [driver for driver in _found if not driver.registered and not driver.problem]
        if missing:
            with contextlib.suppress(OSError):
                _publish(missing)
    return _found


def registered_files() -> list[Path]:
    """The `.icd` files that the loader reads besides those in pyopencl's wheel."""
    named = os.environ.get("OCL_ICD_VENDORS") or os.environ.get("OPENCL_VENDOR_PATH")
    place = Path(named) if named else _SYSTEM_FOLDER
    if place.suffix == ".icd":
        return [place] if place.is_file() else []
    return sorted(place.glob("*.icd"))


def registered_libraries() -> list[str]:
    """The libraries that these files name."""
    return [_content(file) for file in registered_files()]


def dangling() -> list[tuple[Path, str]]:
    """Registered `.icd` files whose library is an absolute path that does not exist, and that path."""
    pairs = [(file, _content(file)) for file in registered_files()]
    return [(file, library) for file, library in pairs if os.path.isabs(library) and not os.path.exists(library)]


def _find() -> list[Driver]:
    libraries = registered_libraries()
    found = []
    nvidia = _locate(_NVIDIA, _library_folders())
    if nvidia is not None:
        # A registration by an absolute path that does not exist is none.
        names = [name for name in libraries if os.path.basename(name).startswith("libnvidia-opencl.so")]
        registered = any(not os.path.isabs(name) or os.path.exists(name) for name in names)
        found.append(Driver("nvidia", nvidia, registered))
    for folder in _environment_folders():
        path = folder / _INTEL
        if path.is_file():
            registered = any(os.path.exists(name) and os.path.samefile(name, path) for name in libraries)
            found.append(Driver("intel-cpu", str(path), registered, "" if registered else _load_intel(path)))
            break
    return found


def _locate(name: str, folders: list[str]) -> str | None:
    """The absolute path of a library in the usual folders, or its bare name if only the dynamic linker finds it."""
    for folder in folders:
        path = os.path.join(folder, name)
        if os.path.exists(path):
            return path
    if not sys.platform.startswith("linux"):
        return None
    try:
        ctypes.CDLL(name)
    except OSError:
        return None
    return name


def _library_folders() -> list[str]:
    folders = [folder for folder in os.environ.get("LD_LIBRARY_PATH", "").split(":") if folder]
    folders += ["/usr/local/nvidia/lib64", "/usr/local/nvidia/lib", "/usr/lib/wsl/lib"]
    folders += ["/usr/lib64", "/usr/lib", "/lib64"]
    return folders + sorted(glob.glob("/usr/lib/*-linux-gnu"))


def _environment_folders() -> list[Path]:
    """`lib` folders into which the packages of this Python may have put libraries."""
    prefixes = [sys.prefix, sys.base_prefix, os.environ.get("CONDA_PREFIX", ""), str(Path.home() / ".local")]
    return [Path(prefix) / "lib" for prefix in dict.fromkeys(prefixes) if prefix]


def _load_intel(path: Path) -> str:
    """Load Intel's runtime, with what it needs if it does not find that itself. Returns the problem, or ""."""
    try:
        ctypes.CDLL(str(path))
        return ""
    except OSError:
        pass
    for name in _INTEL_NEEDS:
        with contextlib.suppress(OSError):
            ctypes.CDLL(str(path.parent / name), mode=ctypes.RTLD_GLOBAL)
    try:
        ctypes.CDLL(str(path))
        return ""
    except OSError as error:
        return f"{error}; `pip install intel-opencl-rt intel-cmplr-lib-rt tbb` brings what it needs"


def _content(file: Path) -> str:
    try:
        return file.read_text().strip()
    except (OSError, UnicodeDecodeError):
        return ""


def cache_folder(program: str = "lazyarr", setting: str = "LAZYARR_CACHE_DIR") -> Path:
    """Where a program keeps files between processes: as the environment says, or in the platform's cache folder."""
    named = os.environ.get(setting)
    if named:
        return Path(named)
    from platformdirs import user_cache_path  # it takes long to import, which nobody needs before a device

    return user_cache_path(program, appauthor=False)


def _publish(missing: list[Driver]) -> None:
    """Make the private folder and point the loader at it."""
    files = {file.name: _content(file) for file in registered_files()}
    for driver in missing:
        files[f"lazyarr-{driver.name}.icd"] = driver.library
    # Named by its contents: environments with other drivers get another folder, and nothing in it ever changes.
    digest = hashlib.sha256(repr(sorted(files.items())).encode()).hexdigest()[:16]
    folder = cache_folder() / "icd" / f"{_PREFIX}{digest}"
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        _write(folder, files)
    except OSError:
        # A read-only home: a folder for this process.
        import tempfile  # few processes come here, and it takes long to import

        folder = Path(tempfile.mkdtemp(prefix=_PREFIX))
        _write(folder, files)
    os.environ["OCL_ICD_VENDORS"] = str(folder)


def _write(folder: Path, files: dict[str, str]) -> None:
    for name, content in files.items():
        if _content(folder / name) != content:
            # Under another name first: another process must not read half a path.
            temporary = folder / f"{name}.{os.getpid()}.tmp"
            temporary.write_text(content + "\n")
            temporary.replace(folder / name)
