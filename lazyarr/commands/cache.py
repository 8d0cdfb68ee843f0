"""`python -m lazyarr cache`: look after the file of tuned kernels."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from kernel_cache import CacheFileError, KernelCache

__all__ = ["add"]

_DAY = 86400.0


def add(commands: Any) -> None:
    """Describe the command's arguments."""
    parser = commands.add_parser("cache", help="list, verify, prune, clear, export or import tuned kernels")
    actions = parser.add_subparsers(title="actions", required=True, metavar="ACTION")

    def action(name: str, run: Any, text: str) -> argparse.ArgumentParser:
        made: argparse.ArgumentParser = actions.add_parser(name, help=text, description=text[0].upper() + text[1:])
        made.set_defaults(run=lambda options: _run(run, options))
        return made

    action("list", _list, "list the kernels, the most recently used first")
    action("verify", _verify, "check everything that is stored; exit status 1 where something is damaged")
    prune = action("prune", _prune, "delete the kernels that were not used for longest")
    prune.add_argument("--max-bytes", type=_amount, metavar="N", help="until at most N bytes are left")
    prune.add_argument("--older-than", type=_days, metavar="DAYS", help="those not used for so many days")
    action("clear", _clear, "delete all kernels and trials")
    action("export", _export, "write all kernels to a file for others").add_argument("file", type=Path, metavar="FILE")
    take = "take over the kernels of an exported file; they run on the device, so trust who wrote it"
    action("import", _import, take).add_argument("file", type=Path, metavar="FILE")
    action("path", _path, "print where the kernels are kept")


def _amount(text: str) -> int:
    value = int(text)
    if value < 0:
        raise argparse.ArgumentTypeError(f"expected a number of bytes that is not negative, got {text}")
    return value


def _days(text: str) -> float:
    value = float(text)
    if not value >= 0:
        raise argparse.ArgumentTypeError(f"expected a number of days that is not negative, got {text}")
    return value


def _run(action: Any, options: argparse.Namespace) -> int:
    cache = KernelCache()
    try:
        status: int = action(cache, options)
        return status
    except CacheFileError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    finally:
        cache.close()


def _list(cache: KernelCache, options: argparse.Namespace) -> int:
    count = 0
    for key, info in cache.entries():
        count += 1
        measured = "not measured" if info.seconds is None else f"{info.seconds * 1e3:.3g} ms"
        used = time.strftime("%Y-%m-%d %H:%M", time.localtime(info.last_used))
        chosen = "tuned" if info.tuned else "predicted"
        print(f"{info.digest[:12]}  {chosen}, {measured}, {info.size} bytes, used {used}")
        print(f"  expression: {key.structure}")
        print(f"  inputs: {', '.join(key.dtypes) or 'none'}")
        print(f"  configuration: {json.dumps(info.configuration, sort_keys=True)}")
        print(f"  device: {key.device.split(' | name=')[0]}")
    held = cache.statistics()
    print(f"{count} kernels, {held.trials} trials, {held.bytes} bytes in {held.path or 'memory'}")
    return 0


def _verify(cache: KernelCache, options: argparse.Namespace) -> int:
    problems = cache.verify()
    for problem in problems:
        print(f"{problem.kind} {problem.where}: {problem.message}")
    if not problems:
        print(f"{cache.statistics().entries} kernels, all sound")
    return 1 if problems else 0


def _prune(cache: KernelCache, options: argparse.Namespace) -> int:
    if options.max_bytes is None and options.older_than is None:
        print("error: cache prune: say what to delete with --max-bytes or --older-than", file=sys.stderr)
        return 2
    seconds = None if options.older_than is None else options.older_than * _DAY
    print(f"{cache.prune(max_bytes=options.max_bytes, older_than_seconds=seconds)} kernels deleted")
    return 0


def _clear(cache: KernelCache, options: argparse.Namespace) -> int:
    before = cache.statistics()
    cache.clear()
    after = cache.statistics()
    print(f"{before.entries - after.entries} kernels and {before.trials - after.trials} trials deleted")
    if after.entries or after.trials:
        print(f"error: {after.entries} kernels are left: {after.path} cannot be written", file=sys.stderr)
        return 1
    return 0


def _export(cache: KernelCache, options: argparse.Namespace) -> int:
    print(f"{cache.export_to(options.file)} kernels written to {options.file}")
    return 0


def _import(cache: KernelCache, options: argparse.Namespace) -> int:
    print(f"{cache.import_from(options.file)} kernels taken over from {options.file}")
    return 0


def _path(cache: KernelCache, options: argparse.Namespace) -> int:
    path = cache.statistics().path
    print("nowhere: no folder can be written" if path is None else path)
    return 0 if path is not None else 1
