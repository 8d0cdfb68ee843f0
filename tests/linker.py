"""A linker for PoCL's kernels that leaves the C library unread where a kernel needs nothing of it.

PoCL calls `ld` for each kernel that it builds, with libraries that few kernels use. Reading them takes three quarters
of the linker's time, which is a sixth of the time that a small kernel takes.
"""

from __future__ import annotations

import os
import shutil
from pathlib import Path

__all__ = ["put_first"]

_SCRIPT = """\
#!/bin/sh
for word; do
    case $last in -o) made=$word ;; esac
    case $word in *.o) objects="$objects $word" ;; esac
    last=$word
done
{linker} -shared -z defs -o "$made" $objects 2>/dev/null || exec {linker} "$@"
"""
"""First without libraries, which fails where a name is missing; then as it was asked."""


_FOLDER = "linker-of-kernels"


def put_first(folder: Path) -> None:
    """Write it below this folder, and have this process and those that it starts find it before all other linkers."""
    linker = shutil.which("ld")
    if linker is None or Path(linker).parent.name == _FOLDER:  # there is none, or the process that started this one did
        return
    made = folder / _FOLDER / "ld"
    made.parent.mkdir()
    made.write_text(_SCRIPT.format(linker=linker), encoding="utf-8")
    made.chmod(0o755)
    os.environ["PATH"] = f"{made.parent}{os.pathsep}{os.environ['PATH']}"
