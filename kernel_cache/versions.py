"""The version of the code that makes kernels, derived from its bytes."""

import hashlib
from importlib import resources
from importlib.abc import Traversable
from types import ModuleType

from kernel_cache.errors import CodeVersionError

_known: dict[tuple[str, ...], str] = {}


def code_version(*packages: ModuleType) -> str:
    """Return a sha256 (64 hexadecimal digits) over the names and bytes of all ``.py`` files of `packages`.

    The order of `packages` does not matter. Computed once per process: code edited while it runs is not seen, and the
    running code is the old one anyway. Of a package shipped without sources the ``.pyc`` files are taken.

    Raises:
        CodeVersionError: a package holds no code that can be read; a constant here would let stale kernels live.
        OSError: a file cannot be read.
    """
    by_name = {package.__name__: package for package in packages}
    names = tuple(sorted(by_name))
    if names not in _known:
        digest = hashlib.sha256()
        for name in names:
            for relative, data in _code_of(by_name[name]):
                label = f"{name}:{relative}".encode("utf-8", "surrogateescape")
                # Lengths keep the end of one file from passing for the start of the next.
                digest.update(len(label).to_bytes(8, "little") + label + len(data).to_bytes(8, "little") + data)
        _known[names] = digest.hexdigest()
    return _known[names]


def _code_of(module: ModuleType) -> list[tuple[str, bytes]]:
    if not hasattr(module, "__path__"):
        return [_single_file(module)]
    files = list(_walk(resources.files(module)))
    for suffix in (".py", ".pyc"):
        found = sorted((pair for pair in files if pair[0].endswith(suffix)), key=lambda pair: pair[0])
        if found:
            return [(name, file.read_bytes()) for name, file in found]
    raise CodeVersionError(f"package {module.__name__!r} has neither .py nor .pyc files, so its version is unknown")


def _walk(root: Traversable) -> list[tuple[str, Traversable]]:
    found: list[tuple[str, Traversable]] = []
    folders: list[tuple[str, Traversable]] = [("", root)]
    while folders:
        prefix, folder = folders.pop()
        for child in folder.iterdir():
            # Compiled copies depend on the interpreter, not on the code.
            if child.name == "__pycache__":
                continue
            if child.is_dir():
                folders.append((f"{prefix}{child.name}/", child))
            elif child.is_file():
                found.append((prefix + child.name, child))
    return found


def _single_file(module: ModuleType) -> tuple[str, bytes]:
    path = getattr(module, "__file__", None)
    if path is None:
        raise CodeVersionError(f"module {module.__name__!r} has no file, so its version is unknown")
    with open(path, "rb") as file:
        return "", file.read()
