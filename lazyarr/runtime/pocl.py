"""A fault of PoCL on processors newer than its compiler: worked around where it comes from the wheel, else refused.

PoCL compiles a kernel for the processor that LLVM names, and links it with the variant of its built-in functions that
fits the features of the machine. LLVM 14, which the wheel has inside, names AMD's processors with AVX-512 as ones
without, and Intel's later than Alder Lake as an Atom without AVX. Kernel and functions then pass wide vectors in
different registers, so that kernels compute garbage, crash, or break the compiler off ("Do not know how to scalarize
this operator's operand"). Other makers' processors, and AMD's families after 25, it names `generic`, which its own
parser of options does not know: nothing compiles at all. PoCL 4 takes all of this from one table.

PoCL looks for those functions beside the path by which its library was loaded. `mend` makes a folder of links like the
wheel's, in which each variant's name leads to the one that fits, and loads the library by the path in there. The loader
then gets the library that is loaded already. `fault` then renames a `generic` processor after an earlier one whose
instructions the machine has: the name is a text in PoCL's description of the device.

In that folder the header with all functions of OpenCL C is a short one, which reads the wheel's unless a program has
what it uses of it (`lazyarr.runtime.declarations`). LLVM 14 goes through all of a megabyte to find the end of what it
leaves out, which is a third of the time from a small kernel's source to PoCL's own form. So the wheel's library is
loaded by the path in there where its functions fit, too.

Right code is slow where LLVM takes none of those functions into a kernel: where the processor they are compiled for has
a feature or a habit that the kernel's has not. Each `exp`, or `clamp` of an index, is a call then, around which all
vectors go through memory; exponentials of float32 took 3.2 times as long on an EPYC. So it is on AMD's processors
with AVX2 and on Alder Lake, beside functions for Haswell, and on Intel's with AVX-512 that LLVM 14 does not know, such
as Emerald Rapids, which it names `icelake-client`. `fault` names the first ones `haswell`, which they can do all of,
and the others `icelake-server`. (`opt -inline` says what is taken into what, of two functions with these processors.)
"""

from __future__ import annotations

import contextlib
import ctypes
import hashlib
import importlib.util
import os
import platform
import re
from collections.abc import Iterable
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from ir.locks import make_lock
from lazyarr.runtime.declarations import GUARD, HEADER
from lazyarr.runtime.icds import cache_folder

if TYPE_CHECKING:
    import pyopencl as cl

# The first versions without the fault: of PoCL, and of the LLVM in it, which knows these processors.
_MENDED_IN, _KNOWN_SINCE = 4, 17
# What the wheel has inside.
_LLVM = 14
_REMEDY = 'another OpenCL runtime is needed, for instance `pip install "lazyarr[intel]"` or PoCL 4'
_AMD_FAMILIES = (15, 16, 20, 21, 22, 23, 25)
# What LLVM names a processor that it does not know; a name as long of an earlier one; and what that can do.
_GENERIC = b"generic\0"
_EARLIER_PROCESSOR = "haswell"
_FEATURES = frozenset({"abm", "avx2", "bmi1", "bmi2", "f16c", "fma", "fsgsbase", "movbe", "popcnt", "rdrand", "xsave"})
# What LLVM names an Intel processor with AVX-512 that it does not know is a client; what its server can do beyond it.
_SERVER = "icelake-server"
_OF_THE_SERVER = frozenset({"avx512_vbmi2", "clwb", "wbnoinvd"})
# By the name that a processor is given: those that LLVM has for it.
_BEFORE = {
    _SERVER: (b"icelake-client\0",),
    _EARLIER_PROCESSOR: (b"znver1\0", b"znver2\0", b"znver3\0", b"alderlake\0"),
}
# AMD's with AVX2 and functions for it, as LLVM knows them.
_ZEN = (23, 25)
# With this, LLVM names another one, which can do as much.
_OF_TIGER_LAKE = "avx512_vp2intersect"
# So far PoCL's description of a device is looked through for the name, which stands 640 bytes from its start.
_DESCRIPTION_BYTES = 1024
# Models of Intel's family 6 that LLVM 14 takes for processors with AVX-512, whatever the machine says.
_AVX512_MODELS = frozenset({0x55, 0x57, 0x66, 0x6A, 0x6C, 0x7D, 0x7E, 0x85, 0x8C, 0x8D, 0x8F, 0xA7})
# The models with AVX, CLFLUSHOPT and SHA but no AVX-512 that LLVM 14 knows. It takes later ones for an Atom.
_ALDER_LAKE = frozenset({0x97, 0x9A})
_LATER_THAN_ALDER_LAKE = frozenset({"avx", "clflushopt", "sha_ni"})
# Where the wheel has the functions, seen from the folder that has its package and pyopencl's.
_PACKAGE = Path("pocl_binary_distribution", ".libs")
_FUNCTIONS = _PACKAGE / "share" / "pocl"
_LIBRARIES = Path("pyopencl", ".libs")
_VARIANTS = "kernel-*.bc"
_INCLUDE = "include"
# The elements of a float32 vector in the code that fits each of them.
_WIDTHS = {"avx2": 8, "sse41": 4}
# Those whose processors have fused multiplications and additions.
_FUSING = ("avx2",)
_EARLIER = "it was loaded before lazyarr could choose functions for this processor; use a lazyarr device first"


@dataclass(frozen=True)
class Processor:
    """What `/proc/cpuinfo` says.

    Attributes:
        maker: as `GenuineIntel`.
        family, model: numbers.
        features: the flags, such as `avx512f`.
    """

    maker: str
    family: int
    model: int
    features: frozenset[str]


@dataclass(frozen=True)
class Mending:
    """What was done.

    Attributes:
        variant: the built-in functions that PoCL gets in place of its choice, or "" where none fit.
        problem: why it does not get them, or "".
        processor: what it is told to compile for in place of LLVM's `generic`, or "".
    """

    variant: str
    problem: str = ""
    processor: str = ""


_lock = make_lock()
_mended: Mending | None = None
_done = False
_loaded_from: tuple[Path, dict[Path, Path | str]] | None = None
"""The folder of links by which the library was loaded, and what is in it."""


def mend() -> Mending | None:
    """Load PoCL's wheel with functions that fit, and a short header; None where its own choice of functions is right.

    Must run before the first platform query. Runs once; later calls return what was done. Never raises.
    """
    global _mended, _done
    with _lock:
        if not _done:
            processor = _processor()
            fit = fitting_functions(processor) if processor else None
            name = name_that_inlines(processor) if processor else ""
            packages = _wheel()
            if fit is None and processor and packages is not None:
                _load(packages)  # for its header; where that cannot be, PoCL reads more
            elif fit is not None and not fit.problem:
                problem = f"it is not lazyarr's wheel; {_REMEDY}" if packages is None else _load(packages, fit.variant)
                fit = replace(fit, problem=problem)
                name = name or fit.variant
            if name and not (fit and fit.problem):
                _cache_apart(name)
            _mended = fit
            _done = True
    return _mended


def keep_folder() -> None:
    """Make the folder of links anew if somebody deleted it, as with lazyarr's cache: PoCL reads it in each build."""
    if _loaded_from is not None:
        folder, links = _loaded_from
        if not (folder / _FUNCTIONS / _INCLUDE / HEADER).exists():
            with _lock, contextlib.suppress(OSError):  # then the build says what is missing
                _make(folder, links)


def fault(handle: cl.Device) -> str:
    """Why this device would crash or compute garbage, or "". Names its processor if PoCL could not, or not well."""
    mending = mend()
    if not _has_the_fault(handle):
        return ""
    processor, problem = _processor(), "" if mending is None else mending.problem
    if not problem and processor and (name := name_that_inlines(processor)):
        _name(handle, name, _BEFORE[name])  # where it cannot be, the device is slower, and right
    elif not problem and mending is not None and mending.processor:
        problem = _name(handle, mending.processor, (_GENERIC,))
    return problem and f"PoCL {handle.driver_version.strip()} does not know this processor: {problem}"


def _name(handle: cl.Device, processor: str, before: tuple[bytes, ...]) -> str:
    """Tell PoCL what to compile for, where it is named otherwise before. Returns the problem, or "".

    The description of the device has the address of the name, which is a copy of its own. What lies where is read from
    files of the kernel's, where an address that leads nowhere is an error and not a crash.
    """
    new = processor.encode() + b"\0"
    with _lock, contextlib.suppress(OSError, ValueError), open("/proc/self/mem", "rb", buffering=0) as memory:

        def at(address: int, count: int) -> bytes:
            with contextlib.suppress(OSError, OverflowError, ValueError):
                memory.seek(address)
                return memory.read(count)
            return b""

        addresses = memoryview(at(handle.int_ptr, _DESCRIPTION_BYTES)).cast("Q")
        longest = max(map(len, (new, *before)))
        stands = {address: at(address, longest) for address in addresses}
        names = {address: name for address, text in stands.items() for name in (new, *before) if text.startswith(name)}
        if len(names) == 1:
            ((address, name),) = names.items()
            count = max(len(new), len(name))
            if name != new and _is_writable(address, count) and (len(new) <= len(name) or _room(address) >= count):
                ctypes.memmove(address, new.ljust(count, b"\0"), count)
            if at(address, len(new)) == new:
                return ""
    return f"it compiles nothing for it, and has no name that could be changed; {_REMEDY}"


def _room(address: int) -> int:
    """The bytes that the C library has set apart there; 0 where it does not say."""
    usable = getattr(ctypes.CDLL(None), "malloc_usable_size", None)
    if usable is None:
        return 0
    usable.argtypes, usable.restype = [ctypes.c_void_p], ctypes.c_size_t
    return int(usable(address))


def _is_writable(address: int, count: int) -> bool:
    """May so many bytes there be written, in memory of this process alone?"""
    for line in Path("/proc/self/maps").read_text().splitlines():
        span, rights = line.split()[:2]
        first, _, end = span.partition("-")
        if int(first, 16) <= address and address + count <= int(end, 16):
            return rights.startswith("rw") and rights.endswith("p")
    return False


def vector_width(handle: cl.Device) -> int:
    """The elements of the float32 vectors that its code uses, at least 1; PoCL says what the machine has."""
    said = max(1, int(handle.native_vector_width_float))
    mending = mend()
    if mending is None or mending.problem or not _has_the_fault(handle):
        return said
    return min(said, _WIDTHS[mending.variant])


def fuses(handle: cl.Device) -> bool:
    """Has its code an instruction that multiplies, adds and rounds once? Elsewhere that is a function."""
    processor, mending = _processor(), mend()
    if mending is not None and not mending.problem and mending.variant not in _FUSING and _has_the_fault(handle):
        return False
    return platform.machine() in ("aarch64", "arm64") if processor is None else "fma" in processor.features


def headers(handle: cl.Device) -> Path | None:
    """The folder with the header that its compiler reads before each program, where that is known: the wheel's."""
    packages, version = _wheel(), handle.platform.version
    if packages is None or f"LLVM {_LLVM}." not in version or "DISTRO" not in version:
        return None
    same = handle.driver_version.strip().startswith(_version(packages))
    return packages / _FUNCTIONS / _INCLUDE if same else None


def _has_the_fault(handle: cl.Device) -> bool:
    if "portable computing language" not in handle.platform.name.lower():
        return False
    version = handle.platform.version
    llvm = re.search(r"LLVM (\d+)", version)
    # Only builds for all processors choose their functions when they run; those say DISTRO.
    chooses = "DISTRO" in version and (llvm is None or int(llvm[1]) < _KNOWN_SINCE)
    return chooses and _major(handle.driver_version) < _MENDED_IN


def fitting_functions(processor: Processor) -> Mending | None:
    """The built-in functions that fit what LLVM 14 generates on this processor; None if PoCL chooses them itself."""
    features = processor.features
    if processor.maker == "GenuineIntel" and processor.family == 6:
        if "avx512f" in features:
            return None
        if processor.model in _AVX512_MODELS:
            return Mending("", f"it would use AVX-512, which this machine does not have; {_REMEDY}")
        atom = processor.model not in _ALDER_LAKE and features >= _LATER_THAN_ALDER_LAKE
        return Mending("sse41") if atom else None
    if processor.maker == "AuthenticAMD" and processor.family in _AMD_FAMILIES:
        return Mending("avx2") if "avx512f" in features else None
    if features >= _FEATURES:
        return Mending("avx2", processor=_EARLIER_PROCESSOR)
    return Mending("", f"it compiles nothing for it; {_REMEDY}")


def name_that_inlines(processor: Processor) -> str:
    """The name for which LLVM 14 takes PoCL's functions into kernels, where its own is another; else ""."""
    is_zen = processor.maker == "AuthenticAMD" and processor.family in _ZEN
    is_alder_lake = processor.maker == "GenuineIntel" and processor.family == 6 and processor.model in _ALDER_LAKE
    if is_zen or (is_alder_lake and "avx512f" not in processor.features):
        return _EARLIER_PROCESSOR if processor.features >= _FEATURES else ""
    guessed = processor.maker == "GenuineIntel" and processor.family == 6 and processor.model not in _AVX512_MODELS
    is_server = processor.features >= _OF_THE_SERVER and _OF_TIGER_LAKE not in processor.features
    return _SERVER if guessed and is_server else ""


def _processor() -> Processor | None:
    if platform.machine() != "x86_64":
        return None
    with contextlib.suppress(OSError, KeyError, ValueError):
        lines = Path("/proc/cpuinfo").read_text().split("\n\n")[0].splitlines()
        fields = {name.strip(): value.strip() for name, _, value in (line.partition(":") for line in lines)}
        features = frozenset(fields["flags"].split())
        return Processor(fields["vendor_id"], int(fields["cpu family"]), int(fields["model"]), features)
    return None


def is_only_the_wheel(libraries: Iterable[str]) -> bool:
    """Is the one PoCL the wheel's, of that kind, beside drivers that are registered with these libraries?"""
    return _wheel() is not None and not any("pocl" in os.path.basename(name).lower() for name in libraries)


def _wheel() -> Path | None:
    """The folder with pyopencl and a PoCL of that kind, if it has the fault."""
    found = importlib.util.find_spec("pyopencl")
    if found is None or found.origin is None:
        return None
    packages = Path(found.origin).parent.parent
    with contextlib.suppress(StopIteration, ValueError):
        if _major(_version(packages)) < _MENDED_IN and (packages / _FUNCTIONS).is_dir():
            return packages
    return None


def _version(packages: Path) -> str:
    """Of the wheel in that folder; `importlib.metadata` takes longer to import than NumPy."""
    folder = next(packages.glob(f"{_PACKAGE.parts[0]}-*.dist-info"))
    return folder.name.split("-")[1].removesuffix(".dist")


def _major(version: str) -> int:
    return int(version.split(".")[0])


def _load(packages: Path, variant: str = "") -> str:
    """Load the library through a folder of links. Returns the problem, or ""."""
    global _loaded_from
    library = next((packages / _LIBRARIES).glob("libpocl-*.so"), None)
    if library is None:
        return f"its library is not where the wheel puts it; {_REMEDY}"
    links = _links(packages.absolute(), library.absolute(), variant)
    try:
        folder = _folder(links)
        link = folder / _LIBRARIES / library.name
        loaded = ctypes.CDLL(str(link))
    except OSError as error:
        return str(error)
    if _path_of(loaded) != str(link):
        return _EARLIER
    _loaded_from = folder, links
    return ""


def _cache_apart(name: str) -> None:
    """What PoCL has compiled with other functions, or for another processor, must not be taken for this."""
    compiled = cache_folder("pocl", "POCL_CACHE_DIR")
    if compiled.name != f"lazyarr-{name}":  # as of a process that was started by one like this
        os.environ["POCL_CACHE_DIR"] = str(compiled / f"lazyarr-{name}")


class _Place(ctypes.Structure):
    """`Dl_info` of the dynamic linker."""

    _fields_ = (
        ("path", ctypes.c_char_p),
        ("base", ctypes.c_void_p),
        ("symbol", ctypes.c_char_p),
        ("address", ctypes.c_void_p),
    )


def _path_of(library: ctypes.CDLL) -> str:
    """By which path the library was loaded, which another one of the same file does not change."""
    place = _Place()
    function = ctypes.cast(library.clGetExtensionFunctionAddress, ctypes.c_void_p)
    found = ctypes.CDLL(None).dladdr(function, ctypes.byref(place))
    return os.fsdecode(place.path) if found else ""


def _links(packages: Path, library: Path, variant: str) -> dict[Path, Path | str]:
    """Where each link leads, or what stands in a file, by its path in the folder."""
    functions = packages / _FUNCTIONS
    named: dict[str, Path | str] = {path.name: path for path in functions.iterdir() if path.name != _INCLUDE}
    for path in functions.glob(_VARIANTS) if variant else ():
        # kernel-x86_64-unknown-linux-gnu-avx512.bc
        named[path.name] = path.with_name(f"{path.stem.rpartition('-')[0]}-{variant}.bc")
    for path in (functions / _INCLUDE).iterdir():
        is_long = path.name == HEADER
        named[f"{_INCLUDE}/{path.name}"] = f'#ifndef {GUARD}\n#include "{path}"\n#endif\n' if is_long else path
    return {
        _LIBRARIES / library.name: library,
        **{_PACKAGE / path.name: path for path in (packages / _PACKAGE).glob("*.so*")},
        **{_FUNCTIONS / name: path for name, path in named.items()},
    }


def _folder(links: dict[Path, Path | str]) -> Path:
    """The folder with these links and files, absolute: in lazyarr's cache, or else where temporary files are."""
    digest = hashlib.sha256(repr(sorted(links.items())).encode()).hexdigest()[:16]
    folder = cache_folder().absolute() / "pocl" / digest
    try:
        _make(folder, links)
    except OSError:
        import tempfile  # few processes come here, and it takes long to import

        folder = Path(tempfile.gettempdir()).absolute() / f"lazyarr-pocl-{os.getuid()}-{digest}"
        _make(folder, links)
    return folder


def _make(folder: Path, links: dict[Path, Path | str]) -> None:
    folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if folder.stat().st_uid != os.getuid():
        raise PermissionError(f"{folder} is another user's")
    for name, target in links.items():
        link = folder / name
        link.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
        if not _is_made(link, target):
            # Under another name first: another process may make the same one, or use it.
            temporary = link.with_name(f"{link.name}.{os.getpid()}.tmp")
            if isinstance(target, str):
                temporary.write_text(target, encoding="utf-8")
            else:
                temporary.symlink_to(target)
            temporary.replace(link)


def _is_made(link: Path, target: Path | str) -> bool:
    if isinstance(target, str):
        return link.is_file() and link.read_text(encoding="utf-8") == target
    return link.is_symlink() and os.readlink(link) == str(target)
