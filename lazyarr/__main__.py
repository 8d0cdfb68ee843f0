"""The command line: `python -m lazyarr demo | devices | doctor | cache | tune`, also installed as `lazyarr`."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Sequence
from contextlib import suppress

from lazyarr.commands import cache, demo, devices, tune
from lazyarr.commands.inputs import InputError
from lazyarr.errors import LazyarrError

__all__ = ["main"]


def main(argv: Sequence[str] | None = None) -> int:
    """Run a command; returns the exit status: 0, 1 where something failed, 2 for wrong arguments or input.

    Args:
        argv: the arguments, by default those of the process
    """
    for stream in (sys.stdout, sys.stderr):
        with suppress(AttributeError, ValueError):
            # expressions are printed in the papers' notation, which not every terminal's encoding has
            stream.reconfigure(errors="replace")  # type: ignore[union-attr]  # a replaced stream may have none
    options = _parser().parse_args(argv)
    try:
        status: int = options.run(options)
        sys.stdout.flush()
    except InputError as error:
        print(f"error: {error}", file=sys.stderr)
        return 2
    except LazyarrError as error:
        print(f"error: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)
        return 130
    except BrokenPipeError:
        # whoever read the output has seen enough; keep the interpreter from complaining when it flushes
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        return 1
    return status


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="lazyarr", description="Lazy arrays on tuned OpenCL kernels.")
    commands = parser.add_subparsers(title="commands", required=True, metavar="COMMAND")
    demo.add(commands)
    devices.add(commands)
    cache.add(commands)
    tune.add(commands)
    return parser


if __name__ == "__main__":
    sys.exit(main())
