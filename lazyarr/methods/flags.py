"""`Array.flags`: NumPy's, of an array that lies as the value does, and may be set as far as `setflags` does."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from lazyarr.array import Array

__all__ = ["Flags"]

_WRITEABLE = frozenset({"WRITEABLE", "W"})


class Flags:
    """What NumPy's flags say, by the same names."""

    __slots__ = ("_array", "_flags")

    def __init__(self, array: Array, flags: Any) -> None:
        """NumPy's flags, of an array like that one."""
        object.__setattr__(self, "_array", array)
        object.__setattr__(self, "_flags", flags)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._flags, name)

    def __dir__(self) -> list[str]:
        return sorted({*super().__dir__(), *dir(self._flags)})

    def __setattr__(self, name: str, value: Any) -> None:
        if name != "writeable":
            raise AttributeError(f"flags: {name} cannot be set, writeable can")
        self._array.setflags(write=value)

    def __getitem__(self, name: str) -> Any:
        return self._flags[name]

    def __setitem__(self, name: str, value: Any) -> None:
        if name not in _WRITEABLE:
            raise KeyError(f"flags: {name} cannot be set, WRITEABLE can")
        self._array.setflags(write=value)

    def __eq__(self, other: object) -> bool:
        return bool(self._flags == (other._flags if isinstance(other, Flags) else other))

    __hash__ = None  # type: ignore[assignment]  # as NumPy's

    def __repr__(self) -> str:
        return repr(self._flags)
