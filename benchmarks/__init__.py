"""Benchmarks of lazyarr: each suite against targets, against the machine's measured limits and against other libraries.

Run as ``python -m benchmarks --suite spine``.
"""
