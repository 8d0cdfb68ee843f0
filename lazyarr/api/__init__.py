"""The namespace, chapter by chapter: each function records patterns over arrays.

`namespace` in each chapter's modules is their `__all__`; `lazyarr` itself gathers them.
"""
