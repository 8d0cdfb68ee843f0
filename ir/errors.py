"""The exceptions of the intermediate representation."""

from __future__ import annotations

__all__ = ["GenerationError", "IRError", "ParseError", "RewriteError", "TypeMismatch", "VerificationError"]


class IRError(Exception):
    """Base of every error that `ir` raises."""


class TypeMismatch(IRError, TypeError):
    """An ill-typed expression: names the pattern, what it expected and what it was given."""

    def __init__(self, pattern: str, expected: object, actual: object) -> None:
        super().__init__(f"{pattern}: expected {expected}, got {actual}")
        self.pattern = pattern


class RewriteError(IRError):
    """A derivation step that does not apply where it is asked to."""


class VerificationError(IRError):
    """A low-level expression that breaks a context condition (thesis, chapter 5: the [pre : post] conditions)."""


class GenerationError(IRError):
    """An expression the OpenCL generator does not accept: it is not fully lowered."""


class ParseError(IRError, ValueError):
    """Text that is not an expression in the papers' notation."""
