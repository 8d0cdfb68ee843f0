"""Several threads at once, for tests of what they share."""

from __future__ import annotations

import sys
import threading
from collections.abc import Callable, Iterable
from typing import TypeVar

__all__ = ["in_threads"]

T = TypeVar("T")


def in_threads(work: Callable[[T], object], arguments: Iterable[T], switch: float | None = None) -> None:
    """Call `work` with each of the arguments, each in a thread of its own, and wait for all.

    Args:
        switch: the seconds after which the interpreter lets another thread run; few of them mix threads well

    Raises:
        BaseException: what the first of them that failed raised.
    """
    failures: list[BaseException] = []

    def call(argument: T) -> None:
        try:
            work(argument)
        except BaseException as error:
            failures.append(error)

    before = sys.getswitchinterval()
    sys.setswitchinterval(before if switch is None else switch)
    try:
        threads = [threading.Thread(target=call, args=(each,)) for each in arguments]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
    finally:
        sys.setswitchinterval(before)
    if failures:
        raise failures[0]
