"""A fault of PoCL's wheel on processors newer than its compiler, worked around before it is loaded.

PoCL compiles a kernel for the processor that LLVM names, and links it with the variant of its built-in functions that
fits the features of the machine. LLVM 14, which the wheel has inside, knows no AMD processor with AVX-512, none of
AMD's families after 25, and no other makers: it names the nearest it knows, or none. Kernel and functions then pass
wide vectors in different registers, so that kernels compute garbage, crash, or break the compiler off ("Do not know how
to scalarize this operator's operand"). PoCL 4 takes both from one table.

PoCL looks for those functions beside the path by which its library was loaded. `mend` makes a folder of links like the
wheel's, in which each variant's name leads to the one that fits, and loads the library by the path in there. The loader
then gets the library that is loaded already.
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib.metadata
import importlib.util
import os
import platform
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from platformdirs import user_cache_path

from lazyarr.runtime.icds import cache_folder

if TYPE_CHECKING:
    import pyopencl as cl

# The first version without the fault.
_MENDED_IN = 4
# Families of processors that LLVM 14 knows, by maker. Of family 25 it knows those without AVX-512.
_KNOWN = {"GenuineIntel": (6, 15), "AuthenticAMD": (15, 16, 20, 21, 22, 23, 25)}
_AMD_WITHOUT_AVX512 = ("AuthenticAMD", 25)
# Where the wheel has the functions, seen from the folder that has its package and pyopencl's.
_PACKAGE = Path("pocl_binary_distribution", ".libs")
_FUNCTIONS = _PACKAGE / "share" / "pocl"
_LIBRARIES = Path("pyopencl", ".libs")
_VARIANTS = "kernel-*.bc"


@dataclass(frozen=True)
class Processor:
    """What `/proc/cpuinfo` says.

    Attributes:
        maker: as `GenuineIntel`.
        family: its number.
        features: the flags, such as `avx512f`.
    """

    maker: str
    family: int
    features: frozenset[str]


@dataclass(frozen=True)
class Mending:
    """What was done.

    Attributes:
        variant: the built-in functions that PoCL gets in place of its choice.
        problem: why it does not get them, or "".
    """

    variant: str
    problem: str = ""


_mended: Mending | None = None
_done = False


def mend() -> Mending | None:
    """Load PoCL's wheel with functions that fit; None where its own choice is right or there is no such wheel.

    Must run before the first platform query. Runs once; later calls return what was done. Never raises.
    """
    global _mended, _done
    if not _done:
        _done = True
        packages, processor = _wheel(), _processor()
        variant = fitting_variant(processor) if processor else None
        if packages is not None and variant is not None:
            _mended = Mending(variant, _load(packages, variant))
    return _mended


def fault(handle: cl.Device) -> str:
    """Why this device would compute garbage, or ""."""
    mending = mend()
    if mending is None or not mending.problem or "portable computing language" not in handle.platform.name.lower():
        return ""
    if _major(handle.driver_version) >= _MENDED_IN:
        return ""
    return f"PoCL {handle.driver_version.strip()} does not know this processor: {mending.problem}"


def fitting_variant(processor: Processor) -> str | None:
    """The built-in functions that fit what LLVM 14 generates on this processor; None if PoCL chooses them itself."""
    if processor.family not in _KNOWN.get(processor.maker, ()):
        # Code for any processor of 64 bits.
        return "sse2"
    if (processor.maker, processor.family) == _AMD_WITHOUT_AVX512 and "avx512f" in processor.features:
        return "avx2"
    return None


def _processor() -> Processor | None:
    if platform.machine() != "x86_64":
        return None
    with contextlib.suppress(OSError, KeyError, ValueError):
        lines = Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
        fields = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        return Processor(fields["vendor_id"], int(fields["cpu family"]), frozenset(fields["flags"].split()))
    return None


def _wheel() -> Path | None:
    """The folder with pyopencl and a PoCL of that kind, if it has the fault."""
    found = importlib.util.find_spec("pyopencl")
    if found is None or found.origin is None:
        return None
    packages = Path(found.origin).parent.parent
    with contextlib.suppress(importlib.metadata.PackageNotFoundError, ValueError):
        if (
            _major(importlib.metadata.version("pocl-binary-distribution")) < _MENDED_IN
            and (packages / _FUNCTIONS).is_dir()
        ):
            return packages
    return None


def _major(version: str) -> int:
    return int(version.split(".")[0])


def _load(packages: Path, variant: str) -> str:
    """Load the library through a folder of links. Returns the problem, or ""."""
    library = next((packages / _LIBRARIES).glob("libpocl-*.so"), None)
    if library is None:
        return "its library is not where the wheel puts it"
    if _is_loaded(library):
        return "it was loaded before lazyarr could choose functions for this processor; use a lazyarr device first"
    links = _links(packages, library, variant)
    try:
        ctypes.CDLL(str(_folder(links) / _LIBRARIES / library.name))
    except OSError as error:
        return str(error)
    # What PoCL has compiled with the other functions must not be taken for this.
    os.environ.setdefault("POCL_CACHE_DIR", str(user_cache_path("pocl", appauthor=False) / f"kcache-{variant}"))
    return ""


def _is_loaded(library: Path) -> bool:
    try:
        return str(library.resolve()) in Path("/proc/self/maps").read_text()
    except OSError:
        return False


def _links(packages: Path, library: Path, variant: str) -> dict[Path, Path]:
    """Where each link leads, by its path in the folder."""
    functions = packages / _FUNCTIONS
    named = {path.name: path for path in functions.iterdir()}
    for path in functions.glob(_VARIANTS):
        # kernel-x86_64-unknown-linux-gnu-avx512.bc
        named[path.name] = path.with_name(f"{path.stem.rpartition('-')[0]}-{variant}.bc")
    return {
        _LIBRARIES / library.name: library,
        **{_PACKAGE / path.name: path for path in (packages / _PACKAGE).glob("*.so*")},
        **{_FUNCTIONS / name: path for name, path in named.items()},
    }


def _folder(links: dict[Path, Path]) -> Path:
    """The folder with these links: lazyarr's cache has it, or else one for this process."""
    digest = hashlib.sha256(repr(sorted(links.items())).encode()).hexdigest()[:16]
    folder = cache_folder() / "pocl" / digest
    try:
        _make(folder, links)
    except OSError:
        folder = Path(tempfile.mkdtemp(prefix="lazyarr-pocl-"))
        _make(folder, links)
    return folder


def _make(folder: Path, links: dict[Path, Path]) -> None:
    for name, target in links.items():
        link = folder / name
        link.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        # Another process may make the same one at the same time.
        with contextlib.suppress(FileExistsError):
            link.symlink_to(target)
