"""JSON in one canonical form, and the checksum of a row."""

import hashlib
import json
from collections.abc import Mapping, Sequence
from typing import TypeAlias

from kernel_cache.errors import EntryError

Json: TypeAlias = bool | int | float | str | Sequence["Json"] | Mapping[str, "Json"] | None
"""What may be stored. Tuples come back as lists; NaN and infinities are not JSON and are refused."""


def canonical_json(value: Json, what: str = "value") -> str:
    """Return `value` as ASCII JSON text with sorted keys and no spaces, equal for equal values.

    ASCII, because escapes carry any Python string (lone surrogates of a build log, NULs) through SQLite unchanged.

    Raises:
        EntryError: `value` is not JSON; `what` names it in the message.
    """
    _refuse_other_keys(value, what)
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"), allow_nan=False)
    except (TypeError, ValueError) as error:
        expected = "None, bool, finite numbers, str, lists and str-keyed dicts"
        raise EntryError(f"{what} must be JSON ({expected}): {error}") from error
    except RecursionError as error:
        raise EntryError(f"{what} is nested too deeply for JSON; store it as a flat list") from error


def _refuse_other_keys(value: Json, what: str) -> None:
    """Refuse keys that are not strings: `json` would turn 1 into "1" and the file would differ from memory."""
    stack: list[Json] = [value]
    seen = set()
    while stack:
        node = stack.pop()
        if not isinstance(node, dict | list | tuple):
            continue
        # A container met twice needs no second look, and a cyclic one must not hang here: `json` reports it.
        if id(node) in seen:
            continue
        seen.add(id(node))
        if isinstance(node, dict):
            for key in node:
                if not isinstance(key, str):
                    raise EntryError(f"{what} has the key {key!r}; JSON keys must be str")
            stack.extend(node.values())
        else:
            stack.extend(node)


def are_texts(value: object) -> bool:
    """Whether `value` is a tuple of str, whatever its annotation promised."""
    return isinstance(value, tuple) and all(isinstance(text, str) for text in value)


def checksum(*fields: bytes | str | int | float | None) -> bytes:
    """Return the sha256 (32 bytes) of `fields`, each tagged with type and length so that none can run into the next."""
    digest = hashlib.sha256()
    for field in fields:
        match field:
            case None:
                tag, data = b"n", b""
            case bytes():
                tag, data = b"b", field
            case str():
                tag, data = b"s", field.encode("ascii")
            case int():
                tag, data = b"i", str(int(field)).encode("ascii")
            case float():
                tag, data = b"f", field.hex().encode("ascii")
        digest.update(tag + len(data).to_bytes(8, "little"))
        digest.update(data)
    return digest.digest()
