"""The namespace, chapter by chapter: each function records patterns over arrays.

Each module's `__all__` is what it adds; `lazyarr` gathers them.
"""
