"""The key under which a kernel's tuning result is stored."""

import hashlib
import json
from dataclasses import dataclass, fields
from typing import Any

from ir.locks import cached_property
from kernel_cache.canonical import are_texts, canonical_json
from kernel_cache.errors import KeyFormatError


@dataclass(frozen=True)
class CacheKey:
    """What decides whether a stored kernel may be used.

    Attributes:
        structure: the expression with names and lengths erased.
        dtypes: element types of the inputs, in order.
        size_class: one class per size symbol, in order.
        device: fingerprint of the device (name, driver, limits).
        code_version: of the rules and the emitter; see `code_version`.
        settings: further switches that change the generated code.

    Raises:
        KeyFormatError: a field is not a str or not a tuple of str.
    """

    structure: str
    dtypes: tuple[str, ...]
    size_class: tuple[str, ...]
    device: str
    code_version: str
    settings: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        for text in (self.structure, self.device, self.code_version):
            if not isinstance(text, str):
                raise KeyFormatError(f"structure, device and code_version of a CacheKey must be str, not {text!r}")
        # A bare str is iterable too, and a list cannot be hashed: both would only show much later.
        for group in (self.dtypes, self.size_class, self.settings):
            if not are_texts(group):
                raise KeyFormatError(f"dtypes, size_class, settings of a CacheKey must be tuples of str, not {group!r}")

    @cached_property
    def _text(self) -> str:
        return canonical_json({field.name: getattr(self, field.name) for field in fields(self)}, "CacheKey")

    @cached_property
    def digest(self) -> str:
        """sha256 of the canonical JSON, 64 hexadecimal digits; computed once per key object."""
        return hashlib.sha256(self._text.encode("ascii")).hexdigest()

    def to_json(self) -> str:
        """Return the key as canonical JSON text: one object with the fields' names."""
        return self._text

    @classmethod
    def from_json(cls, text: str | bytes) -> "CacheKey":
        """Return the key that `to_json` wrote.

        Raises:
            KeyFormatError: `text` is not JSON, or not the JSON of a key.
        """
        try:
            data = json.loads(text)
        except (ValueError, RecursionError) as error:
            raise KeyFormatError(f"a CacheKey must be a JSON object: {error}") from error
        names = {field.name for field in fields(cls)}
        if not isinstance(data, dict) or data.keys() != names:
            raise KeyFormatError(f"a CacheKey must be a JSON object with the fields {sorted(names)}")
        # Whether the values fit is for the constructor to say.
        values: dict[str, Any] = {n: tuple(value) if isinstance(value, list) else value for n, value in data.items()}
        return cls(**values)
