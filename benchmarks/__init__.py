"""Benchmarks of lazyarr: each suite against targets, against the machine's measured limits and against other libraries.

Run as ``python -m benchmarks --suite spine`` (the whole road on three operations) or ``--suite lift`` (the papers' six
programs, in two ways of writing each).
"""
