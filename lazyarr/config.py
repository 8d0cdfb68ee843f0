"""Settings: one documented table, read from the environment once and changed by `lazyarr.config(...)`.

================  =======================  ============================================================================
setting           environment              meaning
================  =======================  ============================================================================
device            LAZYARR_DEVICE           the default device, by a part of its name; empty: the fastest found
tune              LAZYARR_TUNE             `first-call` (default): a bounded search the first time; `off`: never measure
tune_seconds      LAZYARR_TUNE_SECONDS     the most a search on first call may take, in seconds (default 3)
tune_total        LAZYARR_TUNE_TOTAL       the most that searches on first calls may take in a process, in seconds
                                           (default 10), what they leave is searched for on later calls; `lift.tune`
                                           does not count
tier              LAZYARR_TIER             what carries out recorded calls: `auto` (default): NumPy until compiling is
                                           worth it; `compiled`: kernels; `reference`: NumPy
tune_above        LAZYARR_TUNE_ABOVE       elements of work below which the predicted best is taken at once (65536)
deterministic     LAZYARR_DETERMINISTIC    `on` or `off` (default): no search, so that a result has the same bits in
                                           every run on a device, whatever was tuned
matmul_precision  LAZYARR_MATMUL_PRECISION `float32` (default) or `tf32`: what factors of products of float32 matrices
                                           are rounded to; for `tf32`, 10 bits behind the leading one, the device has
                                           to have tensor cores
library           LAZYARR_LIBRARY          `on` (default): the host's library, NumPy's, is a candidate for products of
                                           matrices and sorts on CPU devices; `off`: kernels of our own alone
in_place          LAZYARR_IN_PLACE         `on` (default): large results may take the memory of inputs that
                                           nothing needs any more; `off`: never
cache             LAZYARR_CACHE            `on` (default) or `off`: keep tuned kernels on disk
(the cache's)     LAZYARR_CACHE_DIR        the folder; default: the platform's cache folder
debug             LAZYARR_DEBUG            0 (default) to 4: what is logged and verified, see `lazyarr.debugging`
================  =======================  ============================================================================
"""

from __future__ import annotations

import os
import sys
import threading
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, fields, replace
from types import ModuleType
from typing import Any

from ir.cost.thresholds.tiers import TUNED_FROM, TUNING_SECONDS, TUNING_SECONDS_A_PROCESS
from ir.locks import make_lock
from lazyarr import debugging
from lazyarr.errors import SettingError

__all__ = [
    "DEFAULT_PRECISION", "Settings", "configure", "eagerness", "precisions", "reset_statistics", "settings",
    "statistics", "tier_statistics",
]  # fmt: skip

_TUNE = ("first-call", "off")
_TIERS = ("auto", "compiled", "reference")
DEFAULT_PRECISION = "float32"
_PRECISIONS = (DEFAULT_PRECISION, "tf32")


@dataclass(frozen=True)
class Settings:
    """All settings; see the table at the top of the module."""

    device: str = ""
    tier: str = "auto"
    tune: str = "first-call"
    tune_seconds: float = TUNING_SECONDS
    tune_total: float = TUNING_SECONDS_A_PROCESS
    tune_above: int = TUNED_FROM
    deterministic: bool = False
    matmul_precision: str = DEFAULT_PRECISION
    library: str = "on"
    in_place: str = "on"
    cache: str = "on"
    debug: int = 0

    def __post_init__(self) -> None:
        if self.tier not in _TIERS:
            raise SettingError(f"tier must be one of {', '.join(_TIERS)}, got {self.tier!r}")
        if self.tune not in _TUNE:
            raise SettingError(f"tune must be one of {', '.join(_TUNE)}, got {self.tune!r}")
        if self.matmul_precision not in _PRECISIONS:
            raise SettingError(
                f"matmul_precision must be one of {', '.join(_PRECISIONS)}, got {self.matmul_precision!r}"
            )
        for name in ("library", "in_place", "cache"):
            if getattr(self, name) not in ("on", "off"):
                raise SettingError(f"{name} must be on or off, got {getattr(self, name)!r}")
        if type(self.deterministic) is not bool:
            raise SettingError(f"deterministic must be True or False, got {self.deterministic!r}")
        if not isinstance(self.device, str):
            raise SettingError(f"device must be a part of a device's name, or empty, got {self.device!r}")
        for name in ("tune_seconds", "tune_total"):
            value = getattr(self, name)
            if not isinstance(value, (int, float)) or not value >= 0:
                raise SettingError(f"{name} must be a number of seconds >= 0, got {value!r}")
        if type(self.tune_above) is not int or self.tune_above < 0:
            raise SettingError(f"tune_above must be a whole number >= 0, got {self.tune_above!r}")
        if type(self.debug) is not int or not 0 <= self.debug <= debugging.HIGHEST:
            raise SettingError(f"debug must be a whole number from 0 to {debugging.HIGHEST}, got {self.debug!r}")


_READERS: dict[str, tuple[Callable[[str], Any], str]] = {
    "tune_seconds": (float, "a number"),
    "tune_total": (float, "a number"),
    "tune_above": (int, "a number"),
    "deterministic": ({"on": True, "off": False}.__getitem__, "on or off"),
    "debug": (int, f"a whole number from 0 to {debugging.HIGHEST}"),
}
"""How the text of a variable is read, and what it has to be."""


def _from_environment() -> Settings:
    given: dict[str, Any] = {}
    for field in fields(Settings):
        text = os.environ.get(f"LAZYARR_{field.name.upper()}")
        if text is not None:
            read, what = _READERS.get(field.name, (str, "text"))
            try:
                given[field.name] = read(text)
            except (KeyError, ValueError):
                raise SettingError(f"LAZYARR_{field.name.upper()} must be {what}, got {text!r}") from None
    return Settings(**given)


_current: Settings | None = None


class _Holds(threading.local):
    count = 0


class _Eagerness:
    """May operations be carried out eagerly? One answer, which operations of loops ask for.

    It is another one in each thread while functions run, in any, whose calls are to be recorded. Meanwhile the object
    is of a class that looks it up; at all other times a plain attribute has it, which costs less.

    Attributes:
        on: nothing speaks against it in this thread
        wanted: do the settings in force let it be? None before these are read
    """

    __slots__ = ("_holding", "_holds", "_lock", "on", "wanted")

    def __init__(self) -> None:
        self._lock = make_lock()
        self._holds = _Holds()  # functions that run in this thread
        self._holding = 0  # in all threads
        self.on = False
        self.wanted: bool | None = None

    def want(self, wanted: bool) -> None:
        """Let settings say so."""
        with self._lock:
            self.wanted = wanted
            _put_on(self, wanted)

    def hold(self) -> None:
        """A function begins, in this thread, whose calls are to be recorded."""
        self._holds.count += 1
        with self._lock:
            self._holding += 1
            self.__class__ = _HeldEagerness  # it has the same attributes

    def release(self) -> None:
        """It has ended."""
        self._holds.count -= 1
        with self._lock:
            self._holding -= 1
            if not self._holding:
                self.__class__ = _Eagerness

    def forked(self) -> None:
        """Of all threads this one alone goes on in a child process."""
        self._holding = self._holds.count
        self.__class__ = _HeldEagerness if self._holding else _Eagerness


_put_on = _Eagerness.__dict__["on"].__set__


class _HeldEagerness(_Eagerness):
    __slots__ = ()

    @property
    def on(self) -> bool:  # type: ignore[override]  # nobody assigns to it
        return bool(self.wanted) and not self._holds.count


eagerness = _Eagerness()


def _after_fork() -> None:
    """What was settled under the parent's settings is asked for anew."""
    global _current
    eagerness.forked()
    _current = None if _current is None else replace(_current)


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_after_fork)


class _Precisions:
    """Attributes:
    vary: was another `matmul_precision` than the default in force in this process? Until settings are read it may be
    """

    vary = True


precisions = _Precisions()


def _follow(made: Settings) -> Settings:
    """Let what follows from settings be so."""
    eagerness.want(made.tier != "compiled" and not made.deterministic and made.matmul_precision == DEFAULT_PRECISION)
    precisions.vary = made.matmul_precision != DEFAULT_PRECISION or (precisions.vary and _current is not None)
    debugging.switch_to(made.debug)
    return made


def settings() -> Settings:
    """The settings in force."""
    global _current
    if _current is None:
        _current = _follow(_from_environment())
    return _current


def configure(**changes: Any) -> Settings:
    """Change settings for this process and return those that were in force; pass them back to restore:
    `configure(**vars(old))`.

    Raises:
        SettingError: an unknown name or a value that a setting cannot have.
    """
    global _current
    old = settings()
    unknown = sorted(set(changes) - {field.name for field in fields(Settings)})
    if unknown:
        known = ", ".join(field.name for field in fields(Settings))
        raise SettingError(f"there is no setting named {unknown[0]!r}; the settings are {known}")
    _current = _follow(replace(old, **changes))
    return old


_host_calls: Counter[str] = Counter()
_tier_runs: Counter[tuple[str, str]] = Counter()
_host_lock = make_lock()


def count_host_call(name: str) -> None:
    """A function has run on the host."""
    with _host_lock:
        _host_calls[name] += 1


def statistics() -> dict[str, int]:
    """How often each function that runs on the host was called in this process (see `lazyarr.recording.host`), by its
    name; and how often the host's library computed a product or sorted numbers in a kernel's place, as
    `kernel: numpy.matmul` and `kernel: numpy.sort`.
    """
    with _host_lock:
        return dict(_host_calls)


def count_tier(tier: str, reason: str) -> None:
    """A tier was chosen to run a program."""
    _tier_runs[tier, reason] += 1


def tier_statistics() -> dict[tuple[str, str], int]:
    """How often each tier, `"reference"` or `"compiled"`, was chosen to run a program in this process: by the tier and
    the reason in words. A choice that stays is made once for each program.
    """
    return dict(_tier_runs)


def reset_statistics() -> None:
    """Count from zero again."""
    with _host_lock:
        _host_calls.clear()
        _tier_runs.clear()


class _Config(ModuleType):
    """The module, which is called to change settings: `la.config(deterministic=True)`."""

    def __call__(self, **changes: Any) -> Settings:
        return configure(**changes)


sys.modules[__name__].__class__ = _Config
